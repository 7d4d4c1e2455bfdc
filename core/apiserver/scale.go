package apiserver

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/managedfields"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
	"github.com/reconcile-playground/reconcile/core/store"
)

// scaleSubresource is the name of the subresource scale.
const scaleSubresource = "scale"

// scales reports whether a custom resource has the subresource scale.
func (k *kind) scales() bool { return k.Custom && k.version != nil && k.version.Scale != nil }

// scale serves the subresource scale: an autoscaling/v1 Scale that stands for
// two numbers of the object. Models ScaleREST of customresource.
func (s *Server) scale(k *kind, req *api.Request) api.Response {
	if req.Verb == api.Get {
		o, ok := s.store.Get(k.key(req.Namespace, req.Name))
		if !ok {
			return failed(api.NewNotFound(k.GVR, req.Name))
		}
		return s.answerScale(k, req, k.served(o))
	}
	change, status := s.scaleChange(k, req)
	if status != nil {
		return failed(status)
	}
	inner := *req
	inner.Subresource, inner.As = "", api.AsObject
	resp := s.replace(k, &inner, k.key(inner.Namespace, inner.Name), store.Preconditions{UID: change.uid}, func(old object.Object) (object.Object, error) {
		return s.scaled(k, old, change.apply)
	})
	warnings := append(change.warnings, resp.Warnings...)
	if resp.Err() == nil {
		resp = s.answerScale(k, req, resp.Object)
	}
	resp.Warnings = warnings
	return resp
}

// scaleChange is what a write makes of a Scale.
type scaleChange struct {
	apply func(old object.Object) (object.Object, error)
	uid   string
	// warnings are there once apply was called.
	warnings []string
}

// scaleChange reads the body of a write.
func (s *Server) scaleChange(k *kind, req *api.Request) (*scaleChange, *api.Status) {
	c := &scaleChange{}
	if req.Verb == api.Update {
		return c, s.scaleUpdate(req, c)
	}
	if status := validateWriteOptions("PatchOptions", req); status != nil {
		return c, status
	}
	if req.PatchType == api.ApplyPatch {
		body, status := applyBody(req)
		c.apply = func(old object.Object) (object.Object, error) { return s.applyScale(old, body, req) }
		return c, status
	}
	p := treePatcherOf(req.PatchType)
	body, err := readPatch(req)
	if err != nil {
		return c, api.NewBadRequest("invalid JSON patch")
	}
	c.apply = func(old object.Object) (object.Object, error) {
		o, warnings, err := p(s, scaleKind, old, body)
		if err != nil {
			return old, err
		}
		c.warnings = warnings
		o, status := checkNames(s.track(scaleKind, scaleRequest(req), old, o), req)
		if status != nil {
			return old, status
		}
		return o, nil
	}
	return c, nil
}

// scaleRequest is the request as the field managers of a Scale see it.
func scaleRequest(req *api.Request) *api.Request {
	inner := *req
	inner.Subresource = scaleSubresource
	return &inner
}

// scaleUpdate reads the body of a PUT. Whatever does not decode, the real server
// only says that it does not know what a Scale is.
func (s *Server) scaleUpdate(req *api.Request, c *scaleChange) *api.Status {
	if status := validateWriteOptions("UpdateOptions", req); status != nil {
		return status
	}
	if !readable(req) {
		return unsupportedMediaType(bodyTypes)
	}
	d, status := s.decodeObject(scaleKind, req, object.Object{})
	var err error
	if status == nil {
		c.warnings, err = strictness(req.FieldValidation, d.strict)
	}
	if status != nil || err != nil {
		return api.NewBadRequest(fmt.Sprintf("no kind is registered for the type v1.Scale in scheme %q", schemeName))
	}
	o, status := checkNames(d.object, req)
	c.uid = o.UID()
	c.apply = func(old object.Object) (object.Object, error) {
		return s.track(scaleKind, scaleRequest(req), old, o), nil
	}
	return status
}

// errNoScale is why no Scale is applied.
var errNoScale = errors.New("request to convert CR to an invalid group/version: autoscaling/v1")

// applyScale is a server-side apply to a Scale. The real server finds the
// conflicts, but then tries to convert what it merged as if it were the custom
// resource, and fails.
func (s *Server) applyScale(old object.Object, body appliedBody, req *api.Request) (object.Object, error) {
	switch {
	case body.err != nil:
		return old, body.err
	case old.List("metadata", "managedFields").Len() == 0:
		return old, errors.New("failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: " + errNoScale.Error())
	}
	o, err := scaleKind.managers[scaleSubresource].Apply(old, body.patch, req.FieldManager, req.Force != nil && *req.Force, s.stamp())
	if err != nil {
		return old, err
	}
	o, status := checkApplied(o, req)
	if status != nil {
		return old, status
	}
	return o, nil
}

// noReplicas stands in the Scale of an object that has no such number.
const noReplicas = math.MinInt32

// scaled is the object with the number of a changed Scale.
func (s *Server) scaled(k *kind, old object.Object, change func(object.Object) (object.Object, error)) (object.Object, error) {
	path := k.version.Scale.SpecReplicasPath
	before := k.scaleOf(old)
	if _, ok := old.Int(simplePath(path)...); !ok {
		before = before.Set(int64(noReplicas), "spec", "replicas")
	}
	handler := k.scaleHandler()
	entries := old.List("metadata", "managedFields")
	if list := handler.ToScale(entries); list != nil {
		before = setMeta(before, "managedFields", list)
	}
	scale, err := change(before)
	if err != nil {
		return old, err
	}
	n, _ := scale.Int("spec", "replicas")
	if n == noReplicas {
		return old, api.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", path))
	}
	o := old.Set(n, simplePath(path)...)
	if rv := scale.ResourceVersion(); rv != "" {
		o = setMeta(o, "resourceVersion", rv)
	}
	if list := handler.ToParent(entries, scale.List("metadata", "managedFields")); list != nil {
		return setMeta(o, "managedFields", list), nil
	}
	return unsetMeta(o, "managedFields"), nil
}

func (k *kind) scaleHandler() managedfields.ScaleHandler {
	h := managedfields.ScaleHandler{Version: k.GVR.APIVersion(), Paths: map[string][]string{}}
	for _, v := range k.crd.Versions {
		var path []string
		if v.Scale != nil {
			path = simplePath(v.Scale.SpecReplicasPath)
		}
		h.Paths[k.crd.GVR(v.Name).APIVersion()] = path
	}
	return h
}

// validateScale checks the numbers that the subresource stands for. Models
// ValidateScaleSpec and ValidateScaleStatus.
func (k *kind) validateScale(o object.Object, subresource string) []*api.FieldError {
	if !k.scales() {
		return nil
	}
	scale := k.version.Scale
	var errs []*api.FieldError
	number := func(path string) {
		switch v, detail := accessed(o, path, "int64"); {
		case detail != "":
			errs = append(errs, invalid(path, int64(0), detail))
		case v == nil:
		case v.(int64) < 0:
			errs = append(errs, invalid(path, v, "should be a non-negative integer"))
		case v.(int64) > math.MaxInt32:
			errs = append(errs, invalid(path, v, fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)))
		}
	}
	if subresource != "status" {
		number(scale.SpecReplicasPath)
	}
	number(scale.StatusReplicasPath)
	if path := scale.LabelSelectorPath; path != "" {
		if _, detail := accessed(o, path, "string"); detail != "" {
			errs = append(errs, invalid(path, "", detail))
		}
	}
	return errs
}

// accessed is a value of one Go type at a simple path, nil where there is none;
// detail says what is there instead. Models unstructured.NestedInt64 and
// NestedString.
func accessed(o object.Object, path, want string) (v any, detail string) {
	steps := simplePath(path)
	v = o.Root()
	wrong := func(at int, want string) string {
		return fmt.Sprintf(".%s accessor error: %s is of the type %s, expected %s", strings.Join(steps[:at], "."), goText(v), goTypeOf(v), want)
	}
	for i, step := range steps {
		m, ok := v.(*object.Map)
		switch {
		case v == nil:
			return nil, ""
		case !ok:
			return nil, wrong(i+1, "map[string]interface{}")
		case !m.Has(step):
			return nil, ""
		}
		v, _ = m.Get(step)
	}
	if goTypeOf(v) != want {
		return nil, wrong(len(steps), want)
	}
	return v, ""
}

// goTypeOf is how %T prints a value of a tree of JSON.
func goTypeOf(v any) string {
	switch v.(type) {
	case nil:
		return "<nil>"
	case *object.Map:
		return "map[string]interface {}"
	case *object.List:
		return "[]interface {}"
	}
	return fmt.Sprintf("%T", v)
}

// goText is how %v prints it.
func goText(v any) string { return fmt.Sprint(object.ToAny(v)) }

// simplePath takes ".spec.replicas" apart.
func simplePath(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

// scaleOf is the Scale of an object.
func (k *kind) scaleOf(o object.Object) object.Object {
	meta := object.NewMap()
	for _, key := range []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"} {
		if v, ok := o.At("metadata", key); ok {
			meta = meta.With(key, v)
		}
	}
	spec, status := object.NewMap(), object.NewMap(object.Field{Key: "replicas", Value: int64(0)})
	if n, _ := o.Int(simplePath(k.version.Scale.SpecReplicasPath)...); n != 0 {
		spec = spec.With("replicas", n)
	}
	if n, ok := o.Int(simplePath(k.version.Scale.StatusReplicasPath)...); ok {
		status = status.With("replicas", n)
	}
	if path := k.version.Scale.LabelSelectorPath; path != "" {
		if selector := o.Str(simplePath(path)...); selector != "" {
			status = status.With("selector", selector)
		}
	}
	return object.New(object.NewMap(object.Field{Key: "kind", Value: "Scale"}, object.Field{Key: "apiVersion", Value: "autoscaling/v1"},
		object.Field{Key: "metadata", Value: meta}, object.Field{Key: "spec", Value: spec}, object.Field{Key: "status", Value: status}))
}

func (s *Server) answerScale(k *kind, req *api.Request, o object.Object) api.Response {
	path := k.version.Scale.SpecReplicasPath
	if _, ok := o.At(simplePath(path)...); !ok && req.Verb == api.Get {
		return failed(api.NewInternalError(fmt.Sprintf("the spec replicas field %q does not exist", path)))
	}
	return s.answer(scaleKind, req, 200, k.scaleOf(o))
}

// scaleKind is Scale, as the subresource reads and prints it.
var scaleKind = func() *kind {
	k := &kind{
		Resource: Resource{GVR: object.GVR{Group: "autoscaling", Version: "v1", Resource: "scales"}, Kind: "Scale", Columns: []*schema.Column{
			column("Desired", "integer", "Number of desired replicas"),
			column("Available", "integer", "Number of actual replicas"),
			column("Age", "date", ageColumn.Description)}},
		internal: "autoscaling.Scale",
		typed: structOf("v1", "Scale", field("apiVersion", stringType), field("kind", stringType), pointer("metadata", objectMetaType),
			pointer("spec", structOf("v1", "ScaleSpec", field("replicas", int32Type))),
			pointer("status", structOf("v1", "ScaleStatus", always("replicas", int32Type, int64(0)), field("selector", stringType)))),
		cells: func(o object.Object, now time.Time) []any {
			var desired any
			if n, _ := o.Int("spec", "replicas"); n != 0 {
				// The Go struct leaves 0 out.
				desired = n
			}
			available, _ := o.Int("status", "replicas")
			return []any{desired, available, age(o, now)}
		},
	}
	k.managers = map[string]*managedfields.FieldManager{scaleSubresource: managedfields.New(managedfields.Config{
		GVK: k.GVK(), Subresource: scaleSubresource, Types: map[string]*managedfields.Type{"autoscaling/v1": managedfields.Builtin("Scale")},
		Custom: true, Complete: func(o object.Object) (object.Object, error) {
			return o, errNoScale
		}})}
	return k
}()
