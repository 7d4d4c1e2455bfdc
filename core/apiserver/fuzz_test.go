package apiserver_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/rest"
)

// FuzzRequests sends whatever bytes to the server. It must answer each request
// with JSON that has a code, refuse without writing, and stay usable.
func FuzzRequests(f *testing.F) {
	traces, err := loadTraces("testdata/traces")
	if err != nil {
		f.Fatal(err)
	}
	// before is the server as each recorded request found it, which is a request's own, too.
	var before []*apiserver.Server
	for _, tr := range traces {
		r := newReplay()
		r.sending = func(h rest.HTTPRequest) {
			f.Add(uint16(len(before)), h.Method, h.Path, h.Query, h.ContentType, h.Accept, h.UserAgent, h.Body)
			before = append(before, r.server.Clone())
		}
		if _, err := r.run(tr); err != nil {
			f.Fatalf("%s: %v", tr, err)
		}
	}
	f.Add(uint16(len(before)), "PATCH", "/apis/lab.example.com/v1/namespaces/default/webapps/app-00000", "", "application/json-patch+json", "", "", doublingPatch(30))
	before = append(before, labServer(f, 1))
	f.Fuzz(func(t *testing.T, at uint16, method, path, query, contentType, accept, userAgent string, body []byte) {
		r := newReplay()
		r.server = before[int(at)%len(before)].Clone()
		tryRequest(t, r, rest.HTTPRequest{Method: method, Path: path, Query: query, ContentType: contentType, Accept: accept, UserAgent: userAgent, Body: body})
	})
}

// doublingPatch copies what a WebApp has in spec into it, n times.
func doublingPatch(n int) []byte {
	var ops []map[string]string
	for i := range n {
		ops = append(ops, map[string]string{"op": "copy", "from": "/spec", "path": fmt.Sprintf("/spec/b%d", i)})
	}
	text, err := json.Marshal(ops)
	if err != nil {
		panic(err)
	}
	return text
}

// tryRequest sends a request, and then one that is known to be right.
func tryRequest(t *testing.T, r *replay, h rest.HTTPRequest) {
	before := r.server.Revision()
	got := r.send(h)
	if got.Code < 200 || got.Code > 599 {
		t.Errorf("code %d", got.Code)
	}
	if got.ContentType == string(rest.JSON) && got.events == nil && !json.Valid(got.Body) {
		t.Errorf("no JSON: %q", got.Body)
	}
	req, _, _ := rest.Decode(h)
	wrote := r.server.Revision() != before
	// A deletion of a collection may have deleted some before it fails.
	if wrote && got.Code >= 400 && req.Verb != api.DeleteCollection {
		t.Errorf("refused with %d and %s, but something was written", got.Code, got.Body)
	}
	// Where a deletion has a body, the query does not count.
	dry := slices.Contains(req.Options.DryRun, "All") && (len(h.Body) == 0 || req.Verb == api.Create || req.Verb == api.Update || req.Verb == api.Patch)
	if wrote && (dry || !req.Verb.Writes()) {
		t.Errorf("a %s with %q writes", req.Verb, h.Query)
	}
	again := r.send(rest.HTTPRequest{Method: "GET", Path: "/api/v1/configmaps"})
	if again.Code != 200 {
		t.Errorf("after it a list gives %d: %s", again.Code, again.Body)
	}
}
