package apiserver_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

const manifold = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "manifolds.lab.example.com"},
"spec": {"group": "lab.example.com", "scope": "Namespaced", "names": {"kind": "Manifold", "plural": "manifolds"},
"versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}}, "schema": {"openAPIV3Schema":
{"type": "object", "properties": {
 "spec": {"type": "object", "required": ["size"], "properties": {
  "size": {"type": "integer", "maximum": 3, "default": 1}, "ratio": {"type": "number"}, "none": {"type": "string", "nullable": true},
  "ports": {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
   "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}}}},
  "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
  "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"known": {"type": "string", "maxLength": 2}}},
  "map": {"type": "object", "additionalProperties": {"type": "object", "properties": {"n": {"type": "integer", "default": 7}}}}}},
 "status": {"type": "object", "properties": {"phase": {"type": "string", "enum": ["a", "b"]}, "n": {"type": "integer", "default": 2}}}}}}}]}}`

// drawnChange changes something of an object, rightly or not; the rest is shared.
func drawnChange(t *rapid.T, o object.Object) object.Object {
	paths := [][]string{{"spec", "size"}, {"spec", "ratio"}, {"spec", "none"}, {"spec", "ports"}, {"spec", "tags"}, {"spec", "free"}, {"spec", "free", "known"},
		{"spec", "free", "other"}, {"spec", "map"}, {"spec", "map", "x"}, {"spec", "map", "x", "n"}, {"spec", "odd"}, {"spec"}, {"status"}, {"status", "phase"},
		{"status", "n"}, {"odd"}, {"metadata", "labels"}, {"metadata", "labels", "app"}, {"metadata", "annotations"}, {"metadata", "finalizers"},
		{"metadata", "ownerReferences"}, {"metadata", "odd"}, {"metadata", "generation"}, {"metadata", "managedFields"}, {"metadata", "resourceVersion"}}
	values := []any{nil, int64(2), int64(9), 2.0, 2.5, "a", "b", "long", "not valid!", true, map[string]any{}, map[string]any{"size": int64(1)},
		map[string]any{"size": 2.0, "odd": nil}, map[string]any{"x": map[string]any{}}, map[string]any{"x": map[string]any{"n": nil, "odd": "z"}},
		[]string{"lab.example.com/f"}, []string{"a", "a"}, []any{}, []any{nil}, []any{map[string]any{"name": "p"}},
		[]any{map[string]any{"name": "p", "port": int64(1)}, map[string]any{"name": "p"}}, []any{map[string]any{"name": "q", "odd": 1.0}}}
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		path := rapid.SampledFrom(paths).Draw(t, "path")
		if rapid.IntRange(0, 3).Draw(t, "drop") == 0 {
			o = o.Unset(path...)
		} else {
			o = o.Set(rapid.SampledFrom(values).Draw(t, "value"), path...)
		}
	}
	return o
}

// What a write shares with what is stored is not looked at again: the outcome is
// that of the same write which shares nothing.
func TestSharingChangesNothing(t *testing.T) {
	base := apiserver.New(1, start)
	manifolds := object.GVR{Group: "lab.example.com", Version: "v1", Resource: "manifolds"}
	crds := object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if err := base.Do(start, api.Request{Verb: api.Create, GVR: crds, Body: tree(t, manifold).Root()}).Err(); err != nil {
		t.Fatal(err)
	}
	first := tree(t, `{"apiVersion": "lab.example.com/v1", "kind": "Manifold", "metadata": {"name": "a", "labels": {"app": "x"}}, "spec": {"ports": [{"name": "p"}]}}`)
	rapid.Check(t, func(t *rapid.T) {
		sharing := base.Clone()
		resp := sharing.Do(start, api.Request{Verb: api.Create, GVR: manifolds, Namespace: "default", Body: drawnChange(t, first).Root()})
		if resp.Err() != nil {
			return
		}
		apart, now := sharing.Clone(), start
		for range rapid.IntRange(1, 12).Draw(t, "writes") {
			now = now.Add(time.Second)
			held := sharing.Do(now, api.Request{Verb: api.Get, GVR: manifolds, Namespace: "default", Name: "a"}).Object
			req := drawnWrite(t, held)
			req.GVR, req.Namespace, req.UserAgent = manifolds, "default", "u/1"
			one := sharing.Do(now, req)
			req.Body = object.FromAny(object.ToAny(req.Body))
			other := apart.Do(now, req)
			if got, want := told(one), told(other); got != want {
				t.Fatalf("sharing:\n%s\nnot sharing:\n%s", got, want)
			}
			if !sameState(state(sharing), state(apart)) {
				t.Fatalf("stored differs after %s", object.EncodeJSON(req.Body))
			}
		}
	})
}

// drawnWrite is an update, a patch or an apply of an object, or the creation of one
// like it, whose body shares most with what is held.
func drawnWrite(t *rapid.T, held object.Object) api.Request {
	req := api.Request{Verb: api.Update, Name: held.Name(), Subresource: rapid.SampledFrom([]string{"", "", "status"}).Draw(t, "subresource")}
	req.Options.FieldValidation = rapid.SampledFrom([]string{"", "Strict"}).Draw(t, "strict")
	switch rapid.IntRange(0, 5).Draw(t, "verb") {
	case 0:
		req.Verb, req.PatchType = api.Patch, api.MergePatch
	case 1:
		req.Verb, req.PatchType = api.Patch, api.ApplyPatch
		req.Options.FieldManager = rapid.SampledFrom([]string{"m", "n"}).Draw(t, "manager")
		force := rapid.Bool().Draw(t, "force")
		req.Options.Force = &force
		held = held.Unset("metadata", "managedFields").Unset("metadata", "resourceVersion")
	case 2:
		req.Verb, req.Name, req.Subresource = api.Create, "", ""
		name := rapid.SampledFrom([]string{"b", "c"}).Draw(t, "name")
		held = held.Set(name, "metadata", "name").Unset("metadata", "resourceVersion")
	}
	req.Body = drawnChange(t, held).Root()
	return req
}

// told is an answer as text, with its code.
func told(r api.Response) string {
	text := fmt.Sprintln(r.Code) + string(object.EncodeJSON(r.Object.Root()))
	if r.Status != nil {
		text += string(object.EncodeJSON(r.Status.Object().Root()))
	}
	for _, w := range r.Warnings {
		text += "\n" + w
	}
	return text
}
