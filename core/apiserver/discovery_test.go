package apiserver_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/rest"
)

func TestDiscoveryPaths(t *testing.T) {
	s := thingServer(t)
	cases := []struct {
		path  string
		code  int
		parts []string
	}{
		{"/api", 200, []string{`"kind":"APIVersions"`, `"versions":["v1"]`}},
		{"/api/v1", 200, []string{`"groupVersion":"v1"`, `"name":"configmaps"`, `"name":"namespaces/finalize"`, `"shortNames":["svc"]`}},
		{"/apis", 200, []string{`"kind":"APIGroupList"`, `"name":"apiextensions.k8s.io"`, `"preferredVersion":{"groupVersion":"example.com/v1","version":"v1"}`}},
		{"/apis/example.com", 200, []string{`"versions":[{"groupVersion":"example.com/v1","version":"v1"},{"groupVersion":"example.com/v1beta1","version":"v1beta1"}]`}},
		{"/apis/example.com/v1beta1", 200, []string{`"name":"things"`, `"kind":"Thing"`}},
		{"/version", 200, []string{`"gitVersion":"v1.37`}},
		{"/healthz", 200, []string{"ok"}},
		{"/apis/nope.example.com", 404, []string{"404 page not found\n"}},
		{"/api/v2", 404, []string{"the server could not find the requested resource"}},
	}
	for _, c := range cases {
		resp := rest.EncodeResponse(s.Do(start, api.Request{Verb: api.Discover, Path: c.path}), rest.JSON)
		if resp.Code != c.code {
			t.Errorf("%s: code %d, want %d", c.path, resp.Code, c.code)
		}
		for _, p := range c.parts {
			if !strings.Contains(string(resp.Body), p) {
				t.Errorf("%s: no %s in %s", c.path, p, resp.Body)
			}
		}
	}
}
