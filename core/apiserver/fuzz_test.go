package apiserver_test

import (
	"encoding/json"
	"testing"

	"github.com/reconcile-playground/reconcile/core/rest"
)

// FuzzRequests sends whatever bytes to the server. It must answer each request
// with JSON that has a code, refuse without writing, and stay usable.
func FuzzRequests(f *testing.F) {
	traces, err := loadTraces("testdata/traces")
	if err != nil {
		f.Fatal(err)
	}
	for _, tr := range traces {
		for _, step := range tr.root.get("steps").items {
			body := ""
			if b := step.get("body"); b != nil {
				body = b.text()
			}
			f.Add(step.str("method"), step.str("path"), "fieldValidation=Strict", step.str("contentType"), []byte(body))
		}
	}
	base := labServer(f, 2)
	f.Fuzz(func(t *testing.T, method, path, query, contentType string, body []byte) {
		r := newReplay()
		r.server = base.Clone()
		before := r.server.Revision()
		got := r.send(rest.HTTPRequest{Method: method, Path: path, Query: query, ContentType: contentType, Body: body})
		if got.Code < 200 || got.Code > 599 {
			t.Errorf("code %d", got.Code)
		}
		if got.ContentType == string(rest.JSON) && got.events == nil && !json.Valid(got.Body) {
			t.Errorf("no JSON: %q", got.Body)
		}
		if got.Code >= 400 && method != "DELETE" && r.server.Revision() != before {
			t.Errorf("refused with %d and %s, but something was written", got.Code, got.Body)
		}
		again := r.send(rest.HTTPRequest{Method: "GET", Path: "/apis/lab.example.com/v1/webapps"})
		if again.Code != 200 && r.server.Revision() == before {
			t.Errorf("after it a list gives %d: %s", again.Code, again.Body)
		}
	})
}
