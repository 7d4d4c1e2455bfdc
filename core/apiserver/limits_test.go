package apiserver_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
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

// A resourceVersion that can never come is quoted as it was asked for. The answers
// are a real server's.
func TestResourceVersionsOutOfReach(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	yes := true
	for _, rv := range []string{"9223372036854775807", "9223372036854775808", "18446744073709551615"} {
		want := "Timeout: Too large resource version: " + rv + ", current: " + strconv.FormatInt(s.Revision(), 10)
		for _, options := range []api.Options{{}, {Limit: 1}, {ResourceVersionMatch: "Exact"}, {ResourceVersionMatch: "NotOlderThan", Limit: 1}} {
			options.ResourceVersion = rv
			refused(t, s.Do(start, api.Request{Verb: api.List, GVR: configMaps, Namespace: "default", Options: options}), 504, want)
		}
		refused(t, s.Do(start, api.Request{Verb: api.Get, GVR: configMaps, Namespace: "default", Name: "a", Options: api.Options{ResourceVersion: rv}}), 504, want)

		watch := api.Request{Verb: api.Watch, GVR: configMaps, Namespace: "default", Options: api.Options{ResourceVersion: rv}}
		resp := s.Do(start, watch)
		if resp.Code != 200 || len(resp.Watch.Initial) > 0 || len(s.Watching(watch, resp.Watch.Revision)) > 0 {
			t.Errorf("a watch from %s: %+v", rv, resp)
		}
		watch.SendInitialEvents, watch.ResourceVersionMatch = &yes, "NotOlderThan"
		resp = s.Do(start, watch)
		if resp.Code != 200 || len(resp.Watch.Initial) != 1 || resp.Watch.Initial[0].Type != api.Error || resp.Watch.Initial[0].Object.Str("message") != want {
			t.Errorf("a watch with initial events from %s: %+v", rv, resp)
		}
	}
	const outside = `resourceVersion: Invalid value: "18446744073709551616": strconv.ParseUint: parsing "18446744073709551616": value out of range`
	options := api.Options{ResourceVersion: "18446744073709551616"}
	refused(t, s.Do(start, api.Request{Verb: api.List, GVR: configMaps, Namespace: "default", Options: options}), 400, "invalid resource version: "+outside)
	refused(t, s.Do(start, api.Request{Verb: api.Get, GVR: configMaps, Namespace: "default", Name: "a", Options: options}), 500, outside)
	refused(t, s.Do(start, api.Request{Verb: api.Watch, GVR: configMaps, Namespace: "default", Options: options}), 500, outside)
}
