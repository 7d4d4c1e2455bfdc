package apiserver_test

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

// applying is a server-side apply of a ConfigMap.
func applying(t testing.TB, manager, text string) api.Request {
	t.Helper()
	return api.Request{Verb: api.Patch, PatchType: api.ApplyPatch, GVR: object.GVR{Version: "v1", Resource: "configmaps"},
		Namespace: "default", Name: "a", Body: tree(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"+text).Root(),
		Options: api.Options{FieldManager: manager}}
}

// TestApplied: what an apply would do is what it does, and nothing happens.
func TestApplied(t *testing.T) {
	s := apiserver.New(1, start)
	for _, req := range []api.Request{applying(t, "one", "data: {a: '1', b: '2'}"), applying(t, "two", "data: {c: '3'}")} {
		if err := s.Do(start, req).Err(); err != nil {
			t.Fatal(err)
		}
	}
	live := s.Do(start, api.Request{Verb: api.Get, GVR: object.GVR{Version: "v1", Resource: "configmaps"}, Namespace: "default", Name: "a"}).Object
	revision := s.Revision()
	req := applying(t, "one", "data: {b: '5'}")
	would, ok := s.Applied(req, live)
	if want := `{"b":"5","c":"3"}`; !ok || string(object.EncodeJSON(would.Map("data"))) != want {
		t.Errorf("would be %s (%v), want %s", object.EncodeJSON(would.Map("data")), ok, want)
	}
	if s.Revision() != revision {
		t.Error("asking what an apply would do wrote something")
	}
	if got := s.Do(start, req).Object; !object.Equal(got.Map("data"), would.Map("data")) {
		t.Errorf("it did %s", object.EncodeJSON(got.Map("data")))
	}
	if _, ok := s.Applied(applying(t, "one", "nope: 1"), live); ok {
		t.Error("an apply that is refused would do something")
	}
}

// TestUpdateOfNothingKeepsOwners: PUT of what is there takes nothing over.
func TestUpdateOfNothingKeepsOwners(t *testing.T) {
	s := apiserver.New(1, start)
	first := s.Do(start, applying(t, "one", "data: {a: '1'}")).Object
	req := api.Request{Verb: api.Update, GVR: object.GVR{Version: "v1", Resource: "configmaps"}, Namespace: "default", Name: "a",
		Body: first.Root(), UserAgent: "someone/1"}
	if got := s.Do(start, req).Object; !got.Equal(first) {
		t.Errorf("%s\nis not %s", object.EncodeJSON(got), object.EncodeJSON(first))
	}
	changed := first.Set("2", "data", "a").Root()
	req.Body = changed
	got := s.Do(start, req).Object
	entries := got.List("metadata", "managedFields")
	if entries.Len() != 1 {
		t.Fatalf("entries %s", object.EncodeJSON(entries))
	}
	if e := object.New(entries.At(0).(*object.Map)); e.Str("manager") != "someone" || e.Str("operation") != "Update" {
		t.Errorf("owned by %s", object.EncodeJSON(e))
	}
}

// TestAppliedEmpty: taking out what was applied empty takes its parent along, which stays owned; taking out a value leaves
// null, which the schema refuses. Seen of a kube-apiserver 1.37.
func TestAppliedEmpty(t *testing.T) {
	s := apiserver.New(1, start)
	definition := tree(t, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              free: {type: object, additionalProperties: {type: string}}
              text: {type: string}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [p]
                items: {type: object, required: [p], properties: {p: {type: integer}}}
`)
	crds := object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	if err := s.Do(start, api.Request{Verb: api.Create, GVR: crds, Body: definition.Root()}).Err(); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ applied, spec, owned, refused string }{
		{"spec: {free: {}, ports: []}", `{"free":{},"ports":[]}`, `{"f:spec":{"f:free":{}}}`, ""},
		{"spec: {}", "", `{"f:spec":{}}`, ""},
		{"spec: {text: x}", `{"text":"x"}`, `{"f:spec":{"f:text":{}}}`, ""},
		{"spec: {}", "", "", `Thing.example.com "b" is invalid: spec: Invalid value: "null": spec in body must be of type object: "null"`},
		{"", "", "", ""},
	} {
		r := s.Do(start, api.Request{Verb: api.Patch, PatchType: api.ApplyPatch, GVR: object.GVR{Group: "example.com", Version: "v1", Resource: "things"},
			Namespace: "default", Name: "b", Options: api.Options{FieldManager: "two"},
			Body: tree(t, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: b}\n"+tc.applied).Root()})
		if err := r.Err(); err != nil || tc.refused != "" {
			if err == nil || err.Error() != tc.refused {
				t.Errorf("%q: %v, want %s", tc.applied, err, tc.refused)
			}
			continue
		}
		spec, owned := "", ""
		if v, ok := r.Object.At("spec"); ok {
			spec = string(object.EncodeJSON(v))
		}
		if entries := r.Object.List("metadata", "managedFields"); entries.Len() > 0 {
			m, _ := entries.At(0).(*object.Map)
			owned = string(object.EncodeJSON(object.New(m).Map("fieldsV1")))
		}
		if spec != tc.spec || owned != tc.owned {
			t.Errorf("%q: spec %s owned %s, want %s and %s", tc.applied, spec, owned, tc.spec, tc.owned)
		}
	}
}
