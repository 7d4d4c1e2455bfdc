package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

var patchTypes = map[string]api.PatchType{"json": api.JSONPatch, "merge": api.MergePatch, "strategic": api.StrategicMergePatch}

func (c *call) patchCommand() error {
	f := c.flags
	d, err := c.dryRunOr()
	if err != nil {
		return err
	}
	given, file := f.Text("patch"), f.Text("patch-file")
	kind, known := patchTypes[strings.ToLower(f.Text("type"))]
	switch {
	case given != "" && file != "":
		return errorf("cannot specify --patch and --patch-file together")
	case given == "" && file == "":
		return errorf("must specify --patch or --patch-file containing the contents of the patch")
	case f.Bool("local") && len(c.args) > 0:
		return errorf("cannot specify --local and server resources")
	case f.Bool("local") && d == dryServer:
		return errorf("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
	case !known:
		return errorf("--type must be one of [json merge strategic], not %q", f.Text("type"))
	}
	if file != "" {
		text, err := c.readFile(file)
		if err != nil {
			return errorf("unable to read patch file: %v", openError(file, err))
		}
		given = string(text)
	}
	body, err := object.DecodeJSON([]byte(given))
	if err != nil && strings.HasPrefix(given, "{") && !f.Bool("local") && d != dryClient {
		body, err = rawPatch(given), nil
	}
	if err != nil {
		body, _, err = object.DecodeYAMLBody([]byte(given))
	}
	if err != nil {
		return errorf("unable to parse %q: %s", f.Text("patch"), yamlText(err))
	}
	return c.patchAll(kind, body, d)
}

func (c *call) patchAll(kind api.PatchType, body any, d dry) error {
	q := c.query()
	q.local, q.subresource = c.flags.Bool("local"), c.flags.Text("subresource")
	count := 0
	err := q.do().each(func(i *info) error {
		count++
		var root *object.Map
		var err error
		if q.local || d == dryClient {
			root, err = patchLocally(i.object, kind, body)
		} else {
			root, err = c.patch(i, kind, body, write{manager: c.flags.Text("field-manager"), dryRun: d == dryServer})
			if isReason(err, api.ReasonUnsupportedMediaType) {
				err = errorf("%s is not supported by %s: %w", kind, withGroup(i.mapping.GVR, i.mapping.Kind), err)
			}
		}
		if err != nil {
			return err
		}
		operation := "patched"
		if object.Equal(root, i.object) {
			operation = "patched (no change)"
		}
		// patch does not say that it was a dry run.
		p, err := c.plainPrinter(operation, false)
		if err != nil {
			return err
		}
		return p.print(c.out, "", root)
	})
	if err != nil {
		return err
	}
	if count == 0 {
		return errorf("no objects passed to patch")
	}
	return nil
}

func patchLocally(root *object.Map, kind api.PatchType, body any) (*object.Map, error) {
	gvk := object.New(root).GVK()
	m, isMap := body.(*object.Map)
	switch {
	case kind == api.JSONPatch:
		list, ok := body.(*object.List)
		if !ok {
			return nil, errorf("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
		}
		out, err := patch.JSON(root, list)
		if err != nil {
			return nil, err
		}
		patched, _ := out.(*object.Map)
		return patched, nil
	case !isMap:
		return nil, errorf("Invalid JSON Patch")
	case kind == api.MergePatch:
		out, _ := patch.Merge(root, m).(*object.Map)
		return out, nil
	case !strategic(&resource{GVR: object.GVR{Group: gvk.Group}}):
		return nil, errorf("strategic merge patch is not supported for %s locally, try --type merge", gvk)
	}
	return patch.Strategic(root, m, patch.MergingOf(gvk))
}

// scale sets the size of a resource that has the subresource scale.
func (c *call) scale() error {
	f := c.flags
	d, err := c.dryRunOr()
	if err != nil {
		return err
	}
	p, err := c.operationPrinter("scaled", false)
	if err != nil {
		return err
	}
	switch {
	case f.Int("replicas") < 0:
		return errorf("The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0")
	case f.Int("current-replicas") < -1:
		return errorf("The --current-replicas must specify an integer of -1 or greater")
	}
	q := c.query()
	q.everything = f.Bool("all")
	infos, err := q.do().infos()
	switch {
	case f.Text("resource-version") != "" && len(infos) > 1:
		return errorf("cannot use --resource-version with multiple resources")
	case len(infos) == 0 && err != nil:
		return err
	case len(infos) == 0:
		return errorf("no objects passed to scale")
	}
	for _, i := range infos {
		if d != dryClient {
			if err := c.scaleOne(i, d); err != nil {
				return err
			}
		}
		if err := p.print(c.out, "", i.object); err != nil {
			return err
		}
	}
	return err
}

// scaleOne sets the number: by a patch or, where something is asked of what is
// there, by a GET and a PUT. Models scale.ScaleSimple.
func (c *call) scaleOne(i *info, d dry) error {
	sub := *i
	sub.subresource = "scale"
	replicas := c.flags.Int("replicas")
	want, version := c.flags.Int("current-replicas"), c.flags.Text("resource-version")
	if want == -1 && version == "" {
		body := object.FromMap(map[string]any{"spec": map[string]any{"replicas": replicas}}).Root()
		_, err := c.patch(&sub, api.MergePatch, body, write{dryRun: d == dryServer})
		return err
	}
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Subresource, req.Live = api.Get, "scale", true
	resp := c.do(req)
	if err := resp.Err(); err != nil {
		return err
	}
	now, _ := resp.Object.Int("spec", "replicas")
	switch rv := resp.Object.ResourceVersion(); {
	case want != -1 && want != now:
		return errorf("Expected replicas to be %d, was %d", want, now)
	case version != "" && version != rv:
		return errorf("Expected resource version to be %s, was %s", version, rv)
	}
	sub.object = resp.Object.Set(replicas, "spec", "replicas").Root()
	_, err := c.replace(&sub, write{dryRun: d == dryServer})
	return err
}
