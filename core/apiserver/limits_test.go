package apiserver_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/rest"
)

// TestBodyLimit: a body of more than 3 MiB is refused before anything is read of
// it, also where nothing is there that it is for. The answer was recorded from a
// real server, for each of these requests; the bodies are too large to keep. Its keys
// are in the order in which they are written here.
func TestBodyLimit(t *testing.T) {
	const limit = 3 << 20
	const want = `{"apiVersion":"v1","code":413,"kind":"Status","message":"Request entity too large: limit is 3145728","metadata":{},"reason":"RequestEntityTooLarge","status":"Failure"}`
	base := labServer(t, 1)
	for _, c := range []struct{ method, path, query, contentType string }{
		{"POST", "/api/v1/namespaces/default/configmaps", "", "application/json"},
		{"POST", "/api/v1/namespaces/default/configmaps", "dryRun=All", "application/json"},
		{"POST", "/apis/lab.example.com/v1/namespaces/default/webapps", "", "application/json"},
		{"PUT", "/apis/lab.example.com/v1/namespaces/default/webapps/app-00000", "", "application/json"},
		{"PATCH", "/apis/lab.example.com/v1/namespaces/default/webapps/app-00000", "", "application/merge-patch+json"},
		{"PATCH", "/apis/lab.example.com/v1/namespaces/default/webapps/app-00000", "", "application/json-patch+json"},
		{"PATCH", "/apis/lab.example.com/v1/namespaces/default/webapps/app-00000", "fieldManager=x&force=true", "application/apply-patch+yaml"},
		{"PATCH", "/api/v1/namespaces/default/configmaps/a", "", "application/strategic-merge-patch+json"},
		{"DELETE", "/api/v1/namespaces/default/configmaps/nosuch", "", "application/json"},
		{"DELETE", "/apis/lab.example.com/v1/namespaces/default/webapps", "labelSelector=no=such", "application/json"},
	} {
		for _, over := range []bool{false, true} {
			body := []byte(`{"pad":"` + strings.Repeat("y", limit-10) + `"}`)
			if over {
				body = append(body, ' ')
			}
			r := newReplay()
			r.server = base.Clone()
			before := r.server.Revision()
			got := r.send(rest.HTTPRequest{Method: c.method, Path: c.path, Query: c.query, ContentType: c.contentType, Accept: "application/json", Body: body})
			if over && (got.Code != 413 || strings.TrimSpace(string(got.Body)) != want || r.server.Revision() != before) {
				t.Errorf("%s %s of %d bytes: %d %s", c.method, c.path, len(body), got.Code, got.Body)
			}
			if !over && got.Code == 413 {
				t.Errorf("%s %s of %d bytes: %s", c.method, c.path, len(body), got.Body)
			}
		}
	}
}
