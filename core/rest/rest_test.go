package rest_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
)

func TestPaths(t *testing.T) {
	core := func(resource string) object.GVR { return object.GVR{Version: "v1", Resource: resource} }
	lab := object.GVR{Group: "lab.example.com", Version: "v1", Resource: "webapps"}
	orphan := "Orphan"
	cases := []struct {
		method, path, query string
		want                api.Request
	}{
		{"GET", "/api/v1/namespaces", "", api.Request{Verb: api.List, GVR: core("namespaces")}},
		{"GET", "/api/v1/namespaces/a", "", api.Request{Verb: api.Get, GVR: core("namespaces"), Name: "a"}},
		{"GET", "/api/v1/namespaces/a/status", "", api.Request{Verb: api.Get, GVR: core("namespaces"), Name: "a", Subresource: "status"}},
		{"GET", "/api/v1/namespaces/a/configmaps", "", api.Request{Verb: api.List, GVR: core("configmaps"), Namespace: "a"}},
		{"GET", "/api/v1/configmaps", "watch=1", api.Request{Verb: api.Watch, GVR: core("configmaps")}},
		{"GET", "/api/v1/configmaps", "watch=false", api.Request{Verb: api.List, GVR: core("configmaps")}},
		{"GET", "/apis/lab.example.com/v1/namespaces/a/webapps/b", "watch=true", api.Request{Verb: api.Get, GVR: lab, Namespace: "a", Name: "b"}},
		{"DELETE", "/apis/lab.example.com/v1/namespaces/a/webapps", "", api.Request{Verb: api.DeleteCollection, GVR: lab, Namespace: "a"}},
		{"DELETE", "/apis/lab.example.com/v1/namespaces/a/webapps/b", "propagationPolicy=Orphan", api.Request{Verb: api.Delete, GVR: lab, Namespace: "a", Name: "b", Options: api.Options{PropagationPolicy: &orphan}}},
		{"GET", "/apis/lab.example.com/v1", "", api.Request{Verb: api.Discover, Path: "/apis/lab.example.com/v1"}},
		{"GET", "/healthz", "", api.Request{Verb: api.Discover, Path: "/healthz"}},
		{"GET", "/api/v1/namespaces/a/configmaps/b/c/d", "", api.Request{Verb: api.Discover, Path: "/api/v1/namespaces/a/configmaps/b/c/d"}},
	}
	for _, c := range cases {
		got, _, status := rest.Decode(rest.HTTPRequest{Method: c.method, Path: c.path, Query: c.query})
		if status != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s?%s: %+v, %v; want %+v", c.method, c.path, c.query, got, status, c.want)
		}
	}
}

func TestNegotiation(t *testing.T) {
	cases := []struct {
		accept string
		format rest.Format
		as     api.As
		code   int
	}{
		{"", rest.JSON, api.AsObject, 0},
		{"*/*", rest.JSON, api.AsObject, 0},
		{"application/yaml", rest.YAML, api.AsObject, 0},
		{"application/vnd.kubernetes.protobuf, application/json", rest.JSON, api.AsObject, 0},
		{"application/json;as=Table;v=v1;g=meta.k8s.io,application/json", rest.JSON, api.AsTable, 0},
		{"application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", rest.JSON, api.AsPartial, 0},
		{"application/yaml;q=0.5, application/json;as=Table;v=v1;g=meta.k8s.io;q=0.4", rest.YAML, api.AsObject, 0},
		{"application/json;as=Table;v=v2;g=meta.k8s.io", rest.JSON, api.AsUnacceptable, 0},
		{"text/html", rest.JSON, api.AsUnknown, 0},
	}
	for _, c := range cases {
		req, format, status := rest.Decode(rest.HTTPRequest{Method: "GET", Path: "/api/v1/configmaps", Accept: c.accept})
		code := 0
		if status != nil {
			code = status.Code
		}
		if format != c.format || req.As != c.as || code != c.code {
			t.Errorf("%q: %s %q %d, want %s %q %d", c.accept, format, req.As, code, c.format, c.as, c.code)
		}
	}
	for header, want := range map[string]string{"": "application/json", "Application/YAML; charset=utf-8": "application/yaml", "application/json;;": ""} {
		if req, _, _ := rest.Decode(rest.HTTPRequest{Method: "POST", Path: "/api/v1/namespaces", ContentType: header}); req.RawType != want {
			t.Errorf("a body of %q is taken for %q", header, req.RawType)
		}
	}
	for _, path := range []string{"/api/v1/namespaces", "/version"} {
		if req, _, _ := rest.Decode(rest.HTTPRequest{Method: "BREW", Path: path}); req.Verb != "" {
			t.Errorf("an unknown method is %q", req.Verb)
		}
	}
}

func TestWarningsAreQuoted(t *testing.T) {
	h := rest.EncodeResponse(api.Response{Code: 200, Warnings: []string{`unknown field "a\b"`}}, rest.JSON)
	if want := `299 - "unknown field \"a\\b\""`; len(h.Warnings) != 1 || h.Warnings[0] != want {
		t.Errorf("got %q, want %q", h.Warnings, want)
	}
}

func TestListsOfBuiltinKinds(t *testing.T) {
	item := object.FromMap(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}})
	text := func(group, kind string) string {
		return string(object.EncodeJSON(rest.List(&api.ObjectList{GVK: object.GVK{Group: group, Version: "v1", Kind: kind}, ResourceVersion: "7", Items: []object.Object{item}})))
	}
	if got, want := text("", "ConfigMapList"), `{"apiVersion":"v1","items":[{"metadata":{"name":"a"}}],"kind":"ConfigMapList","metadata":{"resourceVersion":"7"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := text("lab.example.com", "WebAppList"), `{"apiVersion":"lab.example.com/v1","items":[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}],"kind":"WebAppList","metadata":{"continue":"","resourceVersion":"7"}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestRequestsSurvive: what a client writes is what a server reads.
func TestRequestsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]([a-z0-9-]{0,8}[a-z0-9])?`)
		maybe := func(label string, g *rapid.Generator[string]) string {
			if rapid.Bool().Draw(t, "with "+label) {
				return g.Draw(t, label)
			}
			return ""
		}
		req := api.Request{
			Verb: rapid.SampledFrom([]api.Verb{api.Get, api.List, api.Watch, api.Create, api.Update, api.Patch, api.Delete, api.DeleteCollection}).Draw(t, "verb"),
			GVR:  object.GVR{Group: maybe("group", rapid.StringMatching(`[a-z]{1,5}\.[a-z]{1,5}`)), Version: "v1", Resource: "webapps"},
			As:   rapid.SampledFrom([]api.As{api.AsObject, api.AsTable, api.AsPartial}).Draw(t, "as"),
			Options: api.Options{
				ResourceVersion: maybe("rv", rapid.StringMatching(`[0-9]{1,5}`)), LabelSelector: maybe("labels", rapid.String()),
				FieldSelector: maybe("fields", rapid.String()), Limit: rapid.Int64().Draw(t, "limit"), Continue: maybe("continue", rapid.String()),
				FieldManager: maybe("manager", word), FieldValidation: maybe("validation", word),
				AllowWatchBookmarks: rapid.Bool().Draw(t, "bookmarks"),
			},
			UserAgent: maybe("agent", word),
		}
		if rapid.Bool().Draw(t, "with policy") {
			policy := word.Draw(t, "policy")
			req.PropagationPolicy = &policy
		}
		req.Namespace = maybe("namespace", word)
		switch req.Verb {
		case api.Get, api.Update, api.Patch, api.Delete:
			req.Name = word.Draw(t, "name")
			req.Subresource = maybe("subresource", word)
		}
		switch req.Verb {
		case api.Create, api.Update:
			req.RawBody, req.RawType = []byte(`{"a":1}`), "application/json"
		case api.Patch:
			req.PatchType, req.RawBody, req.RawType = api.MergePatch, []byte(`{}`), string(api.MergePatch)
		}
		if rapid.Bool().Draw(t, "forced") {
			force, grace := rapid.Bool().Draw(t, "force"), rapid.Int64().Draw(t, "grace")
			req.Force, req.GracePeriodSeconds, req.DryRun = &force, &grace, []string{"All"}
		}
		got, _, status := rest.Decode(rest.Encode(req))
		if status != nil || !reflect.DeepEqual(got, req) {
			t.Fatalf("%+v came out as %+v, %v", req, got, status)
		}
	})
}
