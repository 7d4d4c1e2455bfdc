package kubectl

import (
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

func applyCommand() *command {
	files := sets(fileFlags(), printFlags())
	return &command{name: "apply", use: "(-f FILENAME | -k DIRECTORY)", short: "Apply a configuration to a resource by file name or stdin", run: (*call).applyCommand,
		own: sets(files, deleteFlags(false), flag.Set{validateFlag(), dryRunFlag(), boolean("server-side", "", "Apply on the server."),
			boolean("force-conflicts", "", "Take fields that others own."), managerFlag("kubectl-client-side-apply"), selectorFlag(), recordFlag(),
			boolean("prune", "", "Delete what was applied and is not given now."), boolean("all", "", "All objects, for --prune."), array("prune-allowlist", "Kinds to prune, each as group/version/kind."),
			truthy("overwrite", "Overwrite what somebody else changed."), truthy("openapi-patch", "Has no effect here."), subresourceFlag()}),
		subs: []*command{
			{name: "view-last-applied", use: "(TYPE [NAME | -l label] | TYPE/NAME | -f FILENAME)", short: "View the latest last-applied-configuration annotations of a resource/object", run: (*call).viewLastApplied,
				own: sets(fileFlags(), flag.Set{selectorFlag(), boolean("all", "", "All of the types named."), text("output", "o", "yaml", "yaml or json.")})},
			{name: "set-last-applied", use: "-f FILENAME", short: "Set the last-applied-configuration annotation on a live object to match the contents of a file", run: (*call).setLastApplied,
				own: sets(printFlags(), fileFlags(), flag.Set{dryRunFlag(), boolean("create-annotation", "", "Set it where there is none, too.")})},
			{name: "edit-last-applied", use: "(RESOURCE/NAME | -f FILENAME)", short: "Edit latest last-applied-configuration annotations of a resource/object", run: (*call).editLastApplied,
				own: sets(printFlags(), fileFlags(), flag.Set{validateFlag(), managerFlag("kubectl-client-side-apply"), boolean("windows-line-endings", "", "Has no effect here.")})},
		}}
}

// applying is one run of kubectl apply. Models apply.ApplyOptions.
type applying struct {
	*call
	deleting   *deleting
	serverSide bool
	manager    string
	validation string
	dry        dry
	// whole: the objects themselves are printed, once all are applied.
	whole bool
}

func (c *call) applyCommand() error {
	if len(c.args) > 0 {
		return c.usage("Unexpected args: %v", c.args)
	}
	a := &applying{call: c, serverSide: c.flags.Bool("server-side"), manager: c.flags.Text("field-manager")}
	var err error
	if a.dry, err = c.dryRunOr(); err != nil {
		return err
	}
	if a.serverSide && !c.flags.Given("field-manager") {
		a.manager = "kubectl"
	}
	if a.deleting, err = c.deleting(); err != nil {
		return err
	}
	if len(c.flags.List("filename")) == 0 && c.flags.Text("kustomize") == "" {
		return errorf("must specify one of -f and -k")
	}
	if a.validation, err = c.validation(); err != nil {
		return err
	}
	if err := a.validate(); err != nil {
		return err
	}
	format := c.flags.Text("output")
	a.whole = format != "" && format != "name"
	return a.run()
}

func (a *applying) validate() error {
	f := a.flags
	switch {
	case f.Bool("force-conflicts") && !a.serverSide:
		return errorf("--force-conflicts only works with --server-side")
	case a.dry == dryClient && a.serverSide:
		return errorf("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
	case a.serverSide && a.deleting.force:
		return errorf("--force cannot be used with --server-side")
	case a.dry == dryServer && a.deleting.force:
		return errorf("--dry-run=server cannot be used with --force")
	case f.Bool("all") && f.Text("selector") != "":
		return errorf("cannot set --all and --selector at the same time")
	case f.Bool("prune") && a.deleting.force:
		return errorf("--force cannot be used with --prune")
	case f.Bool("prune") && !f.Bool("all") && f.Text("selector") == "":
		return errorf("all resources selected for prune without explicitly passing --all. To prune all resources, pass the --all flag. If you did not mean to prune all resources, specify a label selector")
	case f.Text("subresource") != "" && !a.serverSide:
		return errorf("--subresource can only be specified for --server-side")
	}
	return nil
}

func (a *applying) run() error {
	var kinds []*resource
	if a.flags.Bool("prune") {
		var err error
		if kinds, err = a.prunable(); err != nil {
			return err
		}
	}
	q := a.query()
	q.strict = a.validation != "Ignore"
	infos, err := q.do().infos()
	var errs []error
	if err != nil {
		errs = append(errs, err)
	}
	if len(infos) == 0 && len(errs) == 0 {
		return errorf("no objects passed to apply")
	}
	for _, i := range infos {
		i.subresource = ""
		if err := a.one(i); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	if len(errs) > 1 {
		return all(errs)
	}
	if a.whole {
		if err := a.printWhole(infos); err != nil {
			return err
		}
	}
	if a.flags.Bool("prune") {
		return a.prune(kinds, infos)
	}
	return nil
}

// printWhole prints the objects that were applied.
func (a *applying) printWhole(infos []*info) error {
	root := infos[0].object
	if len(infos) > 1 {
		root = listTree(infos, object.NewMap())
	}
	p, err := a.operationPrinter("", len(infos) > 1)
	if err != nil {
		return err
	}
	return p.print(a.out, "", root)
}

func (a *applying) one(i *info) error {
	if i.name == "" {
		if prefix := object.New(i.object).Str("metadata", "generateName"); prefix != "" {
			return errorf("from %s: cannot use generate name with apply", prefix)
		}
	}
	if a.serverSide {
		return a.onServer(i)
	}
	given := i.object
	modified := withApplied(given, false)
	err := a.get(i, api.Request{Live: true})
	switch {
	case err != nil && !isNotFound(err):
		return withSource("retrieving current configuration of:\n"+i.described()+"\nfrom server for:", i.source, err)
	case err != nil:
		return a.createMissing(i, given)
	}
	if _, has, _ := original(i.object); !has {
		a.complain("Warning: resource " + i.objectName() + " is missing the " + lastApplied + " annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.\n")
	}
	sent, root, err := a.patchAgain(i, modified)
	if err != nil {
		text := ""
		if sent != nil {
			text = compactJSON(sent)
		}
		return withSource("applying patch:\n"+text+"\nto:\n"+i.described()+"\nfor:", i.source, err)
	}
	i.refresh(root)
	a.warnOfDeletion(i)
	operation := "configured"
	if sent.Len() == 0 {
		operation = "unchanged"
	}
	return a.say(i, operation)
}

// described shows an object for an error. Models Info.String.
func (i *info) described() string {
	return fmt.Sprintf("Resource: %q, GroupVersionKind: %q\nName: %q, Namespace: %q", withGroup(i.mapping.GVR, ""), withGroup(i.mapping.GVR, i.mapping.Kind), i.name, i.namespace)
}

func (a *applying) createMissing(i *info, given *object.Map) error {
	i.object = pruneNulls(withApplied(given, false)).(*object.Map)
	if a.dry != dryClient {
		root, err := a.create(i, a.write())
		if err != nil {
			return withSource("creating", i.source, err)
		}
		i.refresh(root)
	}
	return a.say(i, "created")
}

// pruneNulls drops the null fields of maps, at any depth.
func pruneNulls(v any) any {
	switch x := v.(type) {
	case *object.Map:
		out := x
		for k, sub := range x.All() {
			if sub == nil {
				out = out.Without(k)
			} else {
				out = out.With(k, pruneNulls(sub))
			}
		}
		return out
	case *object.List:
		out := x
		for n, sub := range x.All() {
			out = out.With(n, pruneNulls(sub))
		}
		return out
	}
	return v
}

func (a *applying) write() write {
	return write{manager: a.manager, validation: a.validation, dryRun: a.dry == dryServer}
}

func (a *applying) say(i *info, operation string) error {
	if a.whole {
		return nil
	}
	p, err := a.operationPrinter(operation, false)
	if err != nil {
		return err
	}
	return p.print(a.out, "", i.object)
}

func (a *applying) warnOfDeletion(i *info) {
	if object.New(i.object).Terminating() {
		a.complain("Warning: Detected changes to resource " + i.name + " which is currently being deleted.\n")
	}
}

// tries is how often a patch that met a conflict is made again.
const tries = 5

// patchAgain makes the patch and sends it; after a conflict it reads anew.
// Models Patcher.Patch.
func (a *applying) patchAgain(i *info, modified *object.Map) (*object.Map, *object.Map, error) {
	sent, root, err := a.patchOnce(i, modified)
	for n := 1; n <= tries && isReason(err, api.ReasonConflict); n++ {
		if n > 1 {
			a.sleep(time.Second)
		}
		if gerr := a.get(i, api.Request{Live: true}); gerr != nil {
			return nil, nil, gerr
		}
		sent, root, err = a.patchOnce(i, modified)
	}
	if err == nil {
		return sent, root, nil
	}
	if a.deleting.force && (isReason(err, api.ReasonConflict) || isReason(err, api.ReasonInvalid)) {
		root, err = a.deleteAndCreate(i, modified)
		return modified, root, err
	}
	if a.dry == dryClient {
		return sent, root, err
	}
	return sent, root, patching(i, err)
}

// patching says of what patch an error is. The outer error then has the source
// a second time, as kubectl's has.
func patching(i *info, err error) error { return withSource("patching", i.source, err) }

// patchOnce makes the three-way patch and sends it. An empty one is not sent.
func (a *applying) patchOnce(i *info, modified *object.Map) (*object.Map, *object.Map, error) {
	before, _, err := original(i.object)
	if err != nil {
		return nil, nil, a.noOriginal(i, modified)
	}
	var made *object.Map
	kind := api.MergePatch
	merging := patch.MergingOf(i.mapping.gvk())
	if strategic(i.mapping) {
		kind = api.StrategicMergePatch
		made, err = patch.ThreeWayStrategic(before, modified, i.object, merging)
	} else {
		made = patch.ThreeWayMerge(before, modified, i.object)
	}
	if err != nil {
		return nil, nil, err
	}
	if made.Len() == 0 {
		return made, i.object, nil
	}
	if a.dry == dryClient {
		root, err := applyLocally(i.object, made, kind, merging)
		return made, root, err
	}
	root, err := a.patch(i, kind, made, a.write())
	return made, root, err
}

// noOriginal is the error where what was applied last is no JSON. A built-in
// kind was tried with each of its schemas before.
func (a *applying) noOriginal(i *info, modified *object.Map) error {
	const why = "invalid JSON document"
	if strategic(i.mapping) {
		a.complain("warning: error calculating patch from openapi v3 spec: " + why + "\nwarning: error calculating patch from openapi spec: " + why + "\n")
	}
	text, _ := mapAt(i.object, "metadata", "annotations").Get(lastApplied)
	return errorf("creating patch with:\noriginal:\n%s\nmodified:\n%s\n\ncurrent:\n%s\n\nfor: %s", text, compactJSON(modified), compactJSON(i.object), why)
}

func applyLocally(doc, made *object.Map, kind api.PatchType, merging *patch.Merging) (*object.Map, error) {
	if kind == api.StrategicMergePatch {
		return patch.Strategic(doc, made, merging)
	}
	root, _ := patch.Merge(doc, made).(*object.Map)
	return root, nil
}

// strategic reports whether a resource takes strategic merge patches: the
// built-in ones do.
func strategic(r *resource) bool {
	switch r.Group {
	case "":
		return true
	case "apiextensions.k8s.io":
		return true
	}
	return false
}

// deleteAndCreate replaces an object that a patch cannot change. Models
// Patcher.deleteAndCreate.
func (a *applying) deleteAndCreate(i *info, modified *object.Map) (*object.Map, error) {
	before := *i
	quiet := *a.deleting
	quiet.call = &call{env: a.env, out: &output{w: discard{}}, cmd: a.cmd, flags: a.flags, namespace: a.namespace}
	if _, err := quiet.delete(i); err != nil {
		return nil, err
	}
	wait := &waiting{call: a.call, timeout: a.deleting.timeout}
	if wait.timeout == 0 {
		wait.timeout = week
	}
	wait.begin()
	for {
		if _, err := wait.fresh(i); isNotFound(err) {
			break
		} else if err != nil {
			return nil, err
		}
		pause := min(time.Second, wait.left())
		if pause <= 0 {
			return nil, errorf(timedOut)
		}
		a.sleep(pause)
	}
	i.object = modified
	root, err := a.create(i, a.write())
	if err != nil {
		again, err2 := a.create(&before, a.write())
		if err2 != nil {
			return nil, errorf("An error occurred force-replacing the existing object with the newly provided one:\n\n%v.\n\nAdditionally, an error occurred attempting to restore the original object:\n\n%v", err, err2)
		}
		return again, err
	}
	return root, nil
}

// discard swallows what is written.
type discard struct{}

// Write implements io.Writer.
func (discard) Write(p []byte) (int, error) { return len(p), nil }
