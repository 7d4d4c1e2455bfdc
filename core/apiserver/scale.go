package apiserver

import (
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
	"github.com/reconcile-playground/reconcile/core/schema"
	"github.com/reconcile-playground/reconcile/core/store"
)

// scaleSubresource is the name of the subresource scale.
const scaleSubresource = "scale"

// scales reports whether a custom resource has the subresource scale.
func (k *kind) scales() bool { return k.Custom && k.version != nil && k.version.Scale != nil }

// scale serves the subresource scale: an autoscaling/v1 Scale that stands for
// two numbers of the object. Models ScaleREST of customresource.
func (s *Server) scale(k *kind, req api.Request) api.Response {
	if req.Verb == api.Get {
		o, ok := s.store.Get(k.key(req.Namespace, req.Name))
		if !ok {
			return failed(api.NewNotFound(k.GVR, req.Name))
		}
		return s.answerScale(k, req, k.served(o))
	}
	change, status := s.scaleChange(req)
	if status != nil {
		return failed(status)
	}
	inner := req
	inner.Subresource = ""
	resp := s.replace(k, inner, store.Preconditions{}, func(old object.Object) (object.Object, error) {
		return s.scaled(k, inner, old, change)
	})
	if resp.Err() != nil {
		return resp
	}
	return s.answerScale(k, req, resp.Object)
}

// scaleChange reads what a write makes of a Scale.
func (s *Server) scaleChange(req api.Request) (func(scale *object.Map) (any, error), *api.Status) {
	body := req.Body
	if body == nil {
		v, err := object.DecodeJSON(req.RawBody)
		if err != nil {
			return nil, api.NewBadRequest(err.Error())
		}
		body = v
	}
	switch {
	case req.Verb == api.Update:
		return func(*object.Map) (any, error) { return body, nil }, nil
	case req.PatchType == api.MergePatch:
		return func(scale *object.Map) (any, error) { return patch.Merge(scale, body), nil }, nil
	case req.PatchType == api.JSONPatch:
		return func(scale *object.Map) (any, error) {
			list, _ := body.(*object.List)
			return patch.JSON(scale, list)
		}, nil
	}
	return nil, &api.Status{Status: api.Failure, Code: 415, Reason: api.ReasonUnsupportedMediaType, Message: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json"}
}

// scaled is the object with the number of a changed Scale.
func (s *Server) scaled(k *kind, req api.Request, old object.Object, change func(*object.Map) (any, error)) (object.Object, error) {
	v, err := change(k.scaleOf(old).Root())
	if err != nil {
		return old, &api.Status{Status: api.Failure, Code: 422, Reason: api.ReasonInvalid, Message: err.Error()}
	}
	root, _ := v.(*object.Map)
	scale := object.New(root)
	n, ok := scale.Int("spec", "replicas")
	if !ok && scale.Map("spec") != nil && scale.Map("spec").Has("replicas") {
		return old, api.NewBadRequest("json: cannot unmarshal into Go struct field ScaleSpec.spec.replicas of type int32")
	}
	if n < 0 {
		return old, api.NewInvalid(object.GVK{Group: "autoscaling", Kind: "Scale"}, old.Name(), []*api.FieldError{
			invalid("spec.replicas", n, "should be a non-negative integer")})
	}
	if rv := scale.ResourceVersion(); rv != "" && rv != old.ResourceVersion() {
		return old, api.NewConflict(k.GVR, old.Name(), "the object has been modified; please apply your changes to the latest version and try again")
	}
	return s.track(k, req, old, old.Set(n, simplePath(k.version.Scale.SpecReplicasPath)...)), nil
}

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

func (s *Server) answerScale(k *kind, req api.Request, o object.Object) api.Response {
	path := k.version.Scale.SpecReplicasPath
	if _, ok := o.At(simplePath(path)...); !ok && req.Verb == api.Get {
		return failed(api.NewInternalError(fmt.Sprintf("the spec replicas field %q does not exist", path)))
	}
	return s.answer(scaleKind, req, 200, k.scaleOf(o))
}

// scaleKind prints Scales.
var scaleKind = &kind{
	Resource: Resource{Kind: "Scale", Columns: []*schema.Column{
		column("Desired", "integer", "replicas is the desired number of instances for the scaled object."),
		column("Available", "integer", "replicas is the actual number of observed instances of the scaled object."),
		builtinAge}},
	internal: "autoscaling.Scale",
	cells: func(o object.Object, now time.Time) []any {
		desired, _ := o.Int("spec", "replicas")
		available, _ := o.Int("status", "replicas")
		return []any{desired, available, age(o, now)}
	},
}
