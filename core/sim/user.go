package sim

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// lastApplied is where kubectl's client-side apply keeps what it sent last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// kubectlAgent is what the user's requests call themselves; the field manager
// is given beside it, as kubectl does.
const kubectlAgent = "kubectl/" + Kubernetes + " (linux/amd64) kubernetes"

// InputError is a user's input that was refused, with the place in the text
// that it is about.
type InputError struct {
	// Line and Col count from 1; 0 where the input has no such place.
	Line, Col int
	// Field is the field path of a complaint about one field.
	Field string
	// Err is what was refused: an *api.Status of the server's, a
	// *object.YAMLError, or a plain error.
	Err error
	// All are the places of a Status with several causes, this one first.
	All []InputError
}

// Error returns the message alone.
func (e *InputError) Error() string { return e.Err.Error() }

// Unwrap returns what was refused.
func (e *InputError) Unwrap() error { return e.Err }

// applyText is the user's kubectl apply of a YAML text: each document in its
// order, as kubectl does it on the client's side: GET, then POST or a three-way
// merge PATCH. A document that is refused does not stop those after it. The
// error of the first refused document is returned beside the facts.
func (w *World) applyText(text string) ([]Fact, error) {
	docs, err := object.DecodeYAMLString(text)
	if err != nil {
		return nil, yamlInput(err)
	}
	if len(docs) == 0 {
		return nil, &InputError{Line: 1, Col: 1, Err: errors.New("no objects passed to apply")}
	}
	// As kubectl does: all documents are resolved before the first is sent, so
	// that a custom resource beside its own new definition has to be applied
	// again; those that do resolve are applied.
	targets := make([]api.Request, len(docs))
	refused := make([]error, len(docs))
	for i, d := range docs {
		targets[i], refused[i] = w.target(d)
	}
	facts := make([]Fact, 0, len(docs))
	for i, d := range docs {
		// In a browser the collector runs only while others wait.
		runtime.Gosched()
		if refused[i] == nil {
			var f []Fact
			f, refused[i] = w.applyOne(targets[i], d)
			facts = append(facts, f...)
		}
	}
	return facts, worst(refused)
}

// worst is the first refusal, with the places of all of them.
func worst(refused []error) error {
	var first *InputError
	for _, err := range refused {
		var in *InputError
		switch {
		case !errors.As(err, &in):
		case first == nil:
			one := *in
			first = &one
		default:
			if len(first.All) == 0 {
				first.All = []InputError{{Line: first.Line, Col: first.Col, Field: first.Field, Err: first.Err}}
			}
			first.All = append(first.All, *in)
		}
	}
	if first == nil {
		return nil
	}
	return first
}

func yamlInput(err error) error {
	var y *object.YAMLError
	if errors.As(err, &y) {
		return &InputError{Line: y.Line, Col: y.Col, Err: fmt.Errorf("error converting YAML to JSON: %w", err)}
	}
	return &InputError{Line: 1, Col: 1, Err: err}
}

// target finds the resource that a document is about, with kubectl's words
// where there is none.
func (w *World) target(d object.Document) (api.Request, error) {
	at := func(path, format string, args ...any) error {
		line, col := d.Position(path)
		return &InputError{Line: line, Col: col, Field: path, Err: fmt.Errorf(format, args...)}
	}
	root, ok := d.Value.(*object.Map)
	if !ok {
		return api.Request{}, at("", "a document must be an object with apiVersion and kind, not %s", object.EncodeJSON(d.Value))
	}
	obj := object.New(root)
	if obj.Kind() == "" {
		return api.Request{}, at("kind", "Object 'Kind' is missing in '%s'", object.EncodeJSON(root))
	}
	if obj.APIVersion() == "" {
		return api.Request{}, at("apiVersion", "Object 'apiVersion' is missing in '%s'", object.EncodeJSON(root))
	}
	gvk := obj.GVK()
	res, ok := w.server.ResourceOf(gvk)
	if !ok {
		return api.Request{}, at("kind", "resource mapping not found for name: %q namespace: %q: no matches for kind %q in version %q\nensure CRDs are installed first",
			obj.Name(), obj.Namespace(), gvk.Kind, obj.APIVersion())
	}
	if obj.Name() == "" {
		return api.Request{}, at("metadata.name", "error: resource name may not be empty")
	}
	req := api.Request{GVR: res.GVR, Name: obj.Name(), UserAgent: kubectlAgent}
	if res.Namespaced {
		req.Namespace = obj.Namespace()
		if req.Namespace == "" {
			req.Namespace = "default"
		}
	}
	return req, nil
}

func (w *World) applyOne(req api.Request, d object.Document) ([]Fact, error) {
	wanted := object.New(d.Value.(*object.Map))
	if req.Namespace != "" {
		wanted = wanted.Set(req.Namespace, "metadata", "namespace")
	}
	wanted = annotated(wanted)
	req.FieldManager = "kubectl-client-side-apply"
	get := req
	get.Verb = api.Get
	current := w.server.Do(w.now, get)
	switch {
	case api.IsNotFound(current.Err()):
		req.Verb, req.Name, req.Body = api.Create, "", wanted.Root()
	case current.Err() != nil:
		return nil, w.refusedInput(d, current.Err())
	default:
		body, err := w.applyPatch(&req, wanted, current.Object)
		if err != nil {
			return nil, w.refusedInput(d, err)
		}
		if body.Len() == 0 {
			return []Fact{{Kind: FactCall, Verb: "apply", Ref: wanted.Ref().String(), By: "user", Outcome: Unchanged, Code: 200}}, nil
		}
		req.Verb, req.Body = api.Patch, body
	}
	req.Options.FieldValidation = "Strict"
	res := w.server.Do(w.now, req)
	fact := Fact{Kind: FactCall, Verb: "apply", Ref: wanted.Ref().String(), By: "user", Code: res.Code}
	if err := res.Err(); err != nil {
		fact.Outcome, fact.Text = writeOutcome(req, res, object.Object{}, object.Object{}), err.Error()
		return []Fact{fact}, w.refusedInput(d, err)
	}
	fact.Outcome = Updated
	if req.Verb == api.Create {
		fact.Outcome = Created
	}
	return []Fact{fact}, nil
}

// annotated adds the annotation that holds the object itself, without that
// annotation, as one line of JSON. Both are kept for long, so what is long in the
// object is there once.
func annotated(o object.Object) object.Object {
	bare := o.Unset("metadata", "annotations", lastApplied)
	if bare.Annotations() == nil {
		bare = bare.Set(&object.Map{}, "metadata", "annotations")
	}
	text := string(append(object.EncodeJSON(bare.Root()), '\n'))
	return object.New(object.Within(text, bare.Root())).Set(text, "metadata", "annotations", lastApplied)
}

// applyPatch is the three-way patch from what was applied last, what is there
// and what is wanted: a strategic merge patch for a built-in kind, a merge patch
// for a custom one. Models kubectl's Patcher.
func (w *World) applyPatch(req *api.Request, wanted, current object.Object) (*object.Map, error) {
	original := &object.Map{}
	if text := current.Str("metadata", "annotations", lastApplied); text != "" {
		o, err := object.DecodeObject([]byte(text))
		if err != nil {
			return nil, fmt.Errorf("the annotation %s does not parse: %w", lastApplied, err)
		}
		original = o.Root()
	}
	if res, _ := w.server.Resource(req.GVR); res.Custom {
		req.PatchType = api.MergePatch
		return patch.ThreeWayMerge(original, wanted.Root(), current.Root()), nil
	}
	req.PatchType = api.StrategicMergePatch
	return patch.ThreeWayStrategic(original, wanted.Root(), current.Root(), patch.MergingOf(wanted.GVK()))
}

// refusedInput turns the server's answer into places in the text.
func (w *World) refusedInput(d object.Document, err error) error {
	in := InputError{Err: err}
	in.Line, in.Col = d.Position("")
	var status *api.Status
	if !errors.As(err, &status) {
		return &in
	}
	// Strict decoding names the field in its text alone: there is no cause for it.
	if _, rest, ok := strings.Cut(status.Message, "strict decoding error: unknown field "); ok {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			in.Field, _ = strconv.Unquote(quoted)
			in.Line, in.Col = d.Position(in.Field)
			in.All = []InputError{{Line: in.Line, Col: in.Col, Field: in.Field, Err: errors.New("unknown field " + quoted)}}
		}
		return &in
	}
	if status.Details == nil {
		return &in
	}
	if status.Reason == api.ReasonNotFound && status.Details.Kind == "namespaces" {
		in.Field = "metadata.namespace"
		in.Line, in.Col = d.Position(in.Field)
		return &in
	}
	for _, c := range status.Details.Causes {
		if c.Field == "" || c.Field == "<nil>" {
			continue
		}
		for _, path := range written(d, c.Field) {
			place := InputError{Field: c.Field, Err: fmt.Errorf("%s: %s", c.Field, c.Message)}
			place.Line, place.Col = d.Position(path)
			in.All = append(in.All, place)
		}
	}
	if len(in.All) > 0 {
		in.Line, in.Col, in.Field = in.All[0].Line, in.All[0].Col, in.All[0].Field
	}
	return &in
}

// written are the paths of a cause's field as the text has it: of a definition whose
// versions are all alike in it, the server names it as if it stood in the spec itself,
// the schema as spec.validation. It stands in each of them.
func written(d object.Document, field string) []string {
	if kind, _ := object.At(d.Value, "kind"); kind != "CustomResourceDefinition" {
		return []string{field}
	}
	rest, ok := strings.CutPrefix(field, "spec.validation.")
	if ok {
		rest = "schema." + rest
	} else if rest, ok = strings.CutPrefix(field, "spec."); ok {
		part, _, _ := strings.Cut(rest, ".")
		part, _, _ = strings.Cut(part, "[")
		ok = part == "subresources" || part == "additionalPrinterColumns" || part == "selectableFields"
	}
	versions, _ := object.At(d.Value, "spec", "versions")
	list, several := versions.(*object.List)
	if !ok || !several {
		return []string{field}
	}
	var paths []string
	for i := range list.Len() {
		paths = append(paths, fmt.Sprintf("spec.versions[%d].%s", i, rest))
	}
	return paths
}

// userTarget resolves a ref that the user names.
func (w *World) userTarget(ref string) (api.Request, error) {
	r, ok := object.ParseRef(ref)
	if !ok {
		return api.Request{}, &InputError{Err: fmt.Errorf("%q is no reference such as WebApp/default/plain", ref)}
	}
	res, ok := w.server.ResourceForKind(r.Group, r.Kind)
	if !ok {
		return api.Request{}, &InputError{Err: fmt.Errorf("the server doesn't have a resource type %q", r.Kind)}
	}
	return api.Request{GVR: res.GVR, Namespace: r.Namespace, Name: r.Name, UserAgent: kubectlAgent}, nil
}

// userRequest sends one request of the user's and words it as a fact.
func (w *World) userRequest(verb, ref string, req api.Request) ([]Fact, error) {
	res := w.server.Do(w.now, req)
	if err := res.Err(); err != nil {
		return nil, &InputError{Err: err}
	}
	return []Fact{{Kind: FactCall, Verb: verb, Ref: ref, By: "user", Code: res.Code, Outcome: Updated}}, nil
}

func (w *World) userDelete(ref, option string) ([]Fact, error) {
	req, err := w.userTarget(ref)
	if err != nil {
		return nil, err
	}
	policy := "Background"
	if option != "" {
		p, ok := strings.CutPrefix(option, "cascade=")
		if !ok || p != "Background" && p != "Foreground" && p != "Orphan" {
			return nil, &InputError{Err: fmt.Errorf("delete takes cascade=Background, cascade=Foreground or cascade=Orphan, not %q", option)}
		}
		policy = p
	}
	req.Verb = api.Delete
	req.Body = object.FromAny(map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy})
	facts, err := w.userRequest("delete", ref, req)
	if get := req; len(facts) > 0 {
		if get.Verb, get.Body = api.Get, nil; api.IsNotFound(w.server.Do(w.now, get).Err()) {
			facts[0].Outcome = Deleted
		}
	}
	return facts, err
}

// userRecreate deletes an object and creates it again, from what was applied, as
// soon as its name is free.
func (w *World) userRecreate(ref string) ([]Fact, error) {
	req, err := w.userTarget(ref)
	if err != nil {
		return nil, err
	}
	o := w.stored(req)
	facts, err := w.userDelete(ref, "")
	if err != nil {
		return nil, err
	}
	w.reborn = append(slices.Clip(w.reborn), again(req, manifest(o)))
	return facts, nil
}

// again is the request that creates an object anew, from one about the old one.
func again(req api.Request, o object.Object) api.Request {
	req.Verb, req.Name, req.FieldManager, req.Body = api.Create, "", "kubectl-client-side-apply", o.Root()
	return req
}

// Awaited are the objects that the user creates again as soon as their names are
// free, as they will be sent.
func (w *World) Awaited() []object.Object {
	var out []object.Object
	for _, req := range w.reborn {
		out = append(out, req.Object())
	}
	return out
}

func (w *World) userPatch(ref, text string) ([]Fact, error) {
	req, err := w.userTarget(ref)
	if err != nil {
		return nil, err
	}
	body, err := object.DecodeJSON([]byte(text))
	if err != nil {
		return nil, &InputError{Err: fmt.Errorf("the patch is no JSON: %w", err)}
	}
	req.Verb, req.PatchType, req.Body, req.FieldManager = api.Patch, api.MergePatch, body, "kubectl-patch"
	return w.userRequest("patch", ref, req)
}

// userFinalize has another controller put its finalizer on, beside those that are
// there.
func (w *World) userFinalize(ref, name string) ([]Fact, error) {
	req, err := w.userTarget(ref)
	if err != nil {
		return nil, err
	}
	patch := object.Object{}.Set(object.Strings(name), "metadata", "finalizers").Root()
	req.Verb, req.PatchType, req.FieldManager = api.Patch, api.MergePatch, "other"
	req.Body = joined(patch, w.stored(req))
	return w.userRequest("finalize", ref, req)
}

// joined is a merge patch whose finalizers join those of an object: whoever puts
// one on leaves the others. On what is being deleted none can be put.
func joined(patch *object.Map, o object.Object) *object.Map {
	p := object.New(patch)
	names := o.Finalizers()
	for _, f := range p.Finalizers() {
		if !slices.Contains(names, f) && !o.Terminating() {
			names = append(slices.Clip(names), f)
		}
	}
	if len(p.Finalizers()) == 0 {
		return patch
	}
	return p.WithFinalizers(names...).Root()
}

// userUnfinalize takes one finalizer off by hand: what people do when the
// controller that owns it is gone. It is a JSON patch that tests for the name
// first, so that it can't take off another.
func (w *World) userUnfinalize(ref, name string) ([]Fact, error) {
	req, err := w.userTarget(ref)
	if err != nil {
		return nil, err
	}
	get := req
	get.Verb = api.Get
	res := w.server.Do(w.now, get)
	if err := res.Err(); err != nil {
		return nil, &InputError{Err: err}
	}
	at := -1
	for i, f := range res.Object.Finalizers() {
		if f == name {
			at = i
		}
	}
	if at < 0 {
		return nil, &InputError{Err: fmt.Errorf("%s has no finalizer %q; it has %q", ref, name, res.Object.Finalizers())}
	}
	path := fmt.Sprintf("/metadata/finalizers/%d", at)
	req.Verb, req.PatchType, req.FieldManager = api.Patch, api.JSONPatch, "kubectl-patch"
	req.Body = object.FromAny([]map[string]any{
		{"op": "test", "path": path, "value": name},
		{"op": "remove", "path": path},
	})
	return w.userRequest("unfinalize", ref, req)
}

func (w *World) userCloud(args []string) ([]Fact, error) {
	if len(args) != 3 || args[1] != string(api.Delete) {
		return nil, &InputError{Err: errors.New("usage: cloud TYPE delete ID")}
	}
	if res := w.cloud.Do(w.now, api.CloudRequest{Verb: api.Delete, Type: args[0], ID: args[2]}); res.Err != nil {
		return nil, &InputError{Err: res.Err}
	}
	return []Fact{{Kind: FactCloud, Verb: "deleted", Ref: args[0] + "/" + args[2], By: "user"}}, nil
}

func parsePositive(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, &InputError{Err: fmt.Errorf("%q is no duration such as 30s or 1m30s", text)}
	}
	if d <= 0 {
		return 0, &InputError{Err: fmt.Errorf("a duration must be above zero, not %s", text)}
	}
	return d, nil
}
