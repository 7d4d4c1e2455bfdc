package apiserver_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
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

// What etcd does not take is refused where it is written. The lengths are those at which
// a real server begins to refuse, for this definition and these names.
func TestEtcdTakesNoMore(t *testing.T) {
	s := apiserver.New(1, start)
	if err := apply(t, s, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: bigs.e.com}, spec: {group: e.com, scope: Namespaced,
 names: {plural: bigs, singular: big, kind: Big, listKind: BigList}, versions: [{name: v1, served: true, storage: true, schema: {
 openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`).Err(); err != nil {
		t.Fatal(err)
	}
	const full, message = "etcdserver: request is too large", "rpc error: code = ResourceExhausted desc = trying to send message larger than max (%d vs. 2097152)"
	send := func(verb api.Verb, name string, n int, data string, options api.Options) api.Response {
		big := object.FromMap(map[string]any{"apiVersion": "e.com/v1", "kind": "Big",
			"metadata": map[string]any{"name": name, "namespace": "default"}, "data": strings.Repeat(data, n)})
		req := api.Request{Verb: verb, GVR: object.GVR{Group: "e.com", Version: "v1", Resource: "bigs"}, Namespace: "default",
			UserAgent: "recorder/1.0", Body: big.Root(), Options: options}
		if verb == api.Patch {
			req.Name, req.PatchType = name, api.MergePatch
			if options.FieldManager != "" {
				req.PatchType = api.ApplyPatch
			}
		}
		return s.Clone().Do(start, req)
	}
	// An apply is not tried again without managedFields.
	refused(t, send(api.Patch, "a", 1572566, "x", api.Options{FieldManager: "m"}), 500, full)
	const long = "abcdefghijklmnopqrst"
	dry := api.Options{DryRun: []string{"All"}}
	refused(t, send(api.Create, "a", 1572567, "x", api.Options{}), 500, full)
	refused(t, send(api.Create, long, 1572510, "x", api.Options{}), 500, full)
	refused(t, send(api.Create, "a", 2096872, "x", api.Options{}), 500, full)
	refused(t, send(api.Create, "a", 2096873, "x", api.Options{}), 500, fmt.Sprintf(message, 2097153))
	refused(t, send(api.Create, long, 2096816, "x", api.Options{}), 500, fmt.Sprintf(message, 2097153))
	refused(t, send(api.Create, "a", 1572000, "<", api.Options{}), 500, fmt.Sprintf(message, 9432283))
	for name, resp := range map[string]api.Response{"a": send(api.Create, "a", 1572566, "x", api.Options{}),
		long: send(api.Create, long, 1572509, "x", api.Options{}), "dry": send(api.Create, "dry", 1700000, "x", dry)} {
		if resp.Code != 201 {
			t.Errorf("%s: %v", name, resp.Err())
		}
	}

	create := api.Request{Verb: api.Create, GVR: object.GVR{Group: "e.com", Version: "v1", Resource: "bigs"}, Namespace: "default", UserAgent: "recorder/1.0",
		Body: tree(t, "{apiVersion: e.com/v1, kind: Big, metadata: {name: upd}, data: x}").Root()}
	if err := s.Do(start, create).Err(); err != nil {
		t.Fatal(err)
	}
	// The size comes before what is stored under the name.
	refused(t, send(api.Create, "upd", 1700000, "x", api.Options{}), 500, full)
	// There the revision took a byte less.
	refused(t, send(api.Patch, "upd", 1572522, "y", api.Options{}), 500, full)
	if resp := send(api.Patch, "upd", 1572521, "y", api.Options{}); resp.Code != 200 {
		t.Error(resp.Err())
	}
	if resp := send(api.Patch, "upd", 1700000, "y", dry); resp.Code != 200 {
		t.Error(resp.Err())
	}
}
