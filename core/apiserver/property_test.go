package apiserver_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
)

// drawn is a request drawn at random: few names, many verbs, some nonsense.
func drawn(t *rapid.T) api.Request {
	names := rapid.SampledFrom([]string{"a", "b", "c", "Bad_", ""})
	req := api.Request{
		Verb: rapid.SampledFrom([]api.Verb{api.Create, api.Create, api.Update, api.Patch, api.Patch, api.Delete, api.Delete,
			api.DeleteCollection, api.Get, api.List, api.Watch}).Draw(t, "verb"),
		GVR:       rapid.SampledFrom([]object.GVR{configMaps, webApps, {Version: "v1", Resource: "secrets"}, {Version: "v1", Resource: "services"}}).Draw(t, "resource"),
		Namespace: rapid.SampledFrom([]string{"default", "kube-system", "nowhere"}).Draw(t, "namespace"),
	}
	name := names.Draw(t, "name")
	if rapid.IntRange(0, 9).Draw(t, "dry") == 0 {
		req.DryRun = []string{"All"}
	}
	switch req.Verb {
	case api.Create:
		req.Body = drawnObject(t, req.GVR, name).Root()
	case api.Update:
		req.Name, req.Body = name, drawnObject(t, req.GVR, name).Root()
		req.Subresource = rapid.SampledFrom([]string{"", "", "status"}).Draw(t, "subresource")
	case api.Patch:
		req.Name = name
		req.Subresource = rapid.SampledFrom([]string{"", "", "status"}).Draw(t, "subresource")
		drawPatch(t, &req)
	case api.Delete:
		req.Name = name
		if policy := rapid.SampledFrom([]string{"none", "", "Foreground", "Orphan", "Background", "Sideways"}).Draw(t, "policy"); policy != "none" {
			req.PropagationPolicy = &policy
		}
	case api.Get:
		req.Name = name
	default:
		req.LabelSelector = rapid.SampledFrom([]string{"", "app=x", "app!=x", "app in (x"}).Draw(t, "selector")
	}
	return req
}

func drawnObject(t *rapid.T, gvr object.GVR, name string) object.Object {
	kinds := map[string]string{"configmaps": "ConfigMap", "webapps": "WebApp", "secrets": "Secret", "services": "Service"}
	o := object.FromMap(map[string]any{"apiVersion": gvr.APIVersion(), "kind": kinds[gvr.Resource], "metadata": map[string]any{"name": name}})
	if rapid.Bool().Draw(t, "labelled") {
		o = o.Set(map[string]any{"app": rapid.SampledFrom([]string{"x", "y", "not valid"}).Draw(t, "label")}, "metadata", "labels")
	}
	if rapid.Bool().Draw(t, "held") {
		o = o.WithFinalizers("lab.example.com/f")
	}
	o = o.Set(map[string]any{"k": rapid.SampledFrom([]string{"dg==", "dw=="}).Draw(t, "value")}, "data")
	return o.Set(map[string]any{"message": rapid.SampledFrom([]any{"hi", "ho", "", int64(1)}).Draw(t, "message"),
		"ports": []map[string]any{{"name": "http", "port": 80}}}, "spec")
}

func drawPatch(t *rapid.T, req *api.Request) {
	if rapid.Bool().Draw(t, "json") {
		req.PatchType = api.JSONPatch
		req.Body = object.FromAny([]map[string]any{{
			"op":    rapid.SampledFrom([]string{"add", "remove", "replace", "test", "move", "copy"}).Draw(t, "op"),
			"from":  rapid.SampledFrom([]string{"/metadata/labels", "/data", "/spec", "/metadata", ""}).Draw(t, "from"),
			"path":  rapid.SampledFrom([]string{"/metadata/labels", "/metadata/finalizers", "/data/k", "/spec/message", "/kind", "/metadata", ""}).Draw(t, "path"),
			"value": rapid.SampledFrom([]any{"ho", int64(1), nil, map[string]any{"app": "x"}}).Draw(t, "value"),
		}})
		return
	}
	req.PatchType = api.MergePatch
	req.Body = rapid.SampledFrom([]any{
		object.NewMap(), object.FromAny(map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "x"}}}),
		object.FromAny(map[string]any{"metadata": map[string]any{"labels": nil}}),
		object.FromAny(map[string]any{"metadata": map[string]any{"finalizers": nil}}),
		object.FromAny(map[string]any{"metadata": map[string]any{"finalizers": []string{"lab.example.com/f", "x"}}}),
		object.FromAny(map[string]any{"spec": map[string]any{"message": "ho"}}),
		object.FromAny(map[string]any{"status": map[string]any{"phase": "Ready"}}),
		object.FromAny(map[string]any{"metadata": nil}), object.NewList(), "x",
	}).Draw(t, "patch")
}

// state is every object by where it is.
func state(s *apiserver.Server) map[string]object.Object {
	out := map[string]object.Object{}
	for o := range s.All() {
		out[stateKey(o.GVR, o.Object)] = o.Object
	}
	return out
}

func stateKey(gvr object.GVR, o object.Object) string {
	return fmt.Sprintf("%s %s", gvr.GroupResource(), o.Key())
}

func sameState(a, b map[string]object.Object) bool {
	if len(a) != len(b) {
		return false
	}
	for k, o := range a {
		if !b[k].Equal(o) {
			return false
		}
	}
	return true
}

func TestRandomRequests(t *testing.T) {
	base := labServer(t, 0)
	rapid.Check(t, func(t *rapid.T) {
		s, now := base.Clone(), start
		past := map[int64]*apiserver.Server{s.Revision(): s.Clone()}
		for range rapid.IntRange(1, 40).Draw(t, "requests") {
			now = now.Add(time.Second)
			req := drawn(t)
			before := s.Clone()
			resp := s.Do(now, req)
			checkRevision(t, before, s, req, resp)
			checkRepeat(t, s, now, resp)
			past[s.Revision()] = s.Clone()
		}
		for revision, then := range past {
			checkHistory(t, then, s, revision)
		}
		checkSnapshot(t, s, now)
	})
}

// checkRevision: the revision rises with what changed, by one for each object,
// and what is refused, read or a dry run changes nothing.
func checkRevision(t *rapid.T, before, s *apiserver.Server, req api.Request, resp api.Response) {
	changes := s.Changes(before.Revision())
	if s.Revision() != before.Revision()+int64(len(changes)) {
		t.Fatalf("%v: revision %d after %d with %d changes", req, s.Revision(), before.Revision(), len(changes))
	}
	for i, c := range changes {
		if c.Revision != before.Revision()+int64(i)+1 || c.Object.ResourceVersion() != fmt.Sprint(c.Revision) {
			t.Fatalf("%v: change %d has revision %d and resourceVersion %s", req, i, c.Revision, c.Object.ResourceVersion())
		}
		if c.Type == api.Modified && c.Old.Set(c.Object.ResourceVersion(), "metadata", "resourceVersion").Equal(c.Object) {
			t.Fatalf("%v: an event for a write that changed nothing: %v", req, c.Object)
		}
	}
	quiet := !req.Verb.Writes() || len(req.DryRun) > 0 || resp.Err() != nil && req.Verb != api.DeleteCollection
	if quiet && (len(changes) > 0 || !sameState(state(before), state(s))) {
		t.Fatalf("%v changed something: %v", req, changes)
	}
}

// checkRepeat: putting an object back as it was given changes nothing.
func checkRepeat(t *rapid.T, s *apiserver.Server, now time.Time, resp api.Response) {
	o := resp.Object
	if o.IsZero() || resp.Err() != nil {
		return
	}
	res, ok := s.ResourceForKind(o.GVK().Group, o.Kind())
	stored, found := s.Find(o.Ref())
	if !ok || !found || !stored.Equal(o) {
		return
	}
	before := s.Revision()
	again := s.Do(now.Add(time.Hour), api.Request{Verb: api.Update, GVR: res.GVR, Namespace: o.Namespace(), Name: o.Name(), Body: o.Root()})
	if again.Err() != nil || s.Revision() != before || !again.Object.Equal(o) {
		t.Fatalf("put back %v: %v, revision %d after %d", o, again, s.Revision(), before)
	}
}

// checkHistory: the past is still there, and what changed since leads from it
// to now, as changes and as a watch that selects.
func checkHistory(t *rapid.T, then, s *apiserver.Server, revision int64) {
	rebuilt := state(then)
	for _, c := range s.Changes(revision) {
		if c.Type == api.Deleted {
			delete(rebuilt, stateKey(c.GVR, c.Object))
		} else {
			rebuilt[stateKey(c.GVR, c.Object)] = c.Object
		}
	}
	if !sameState(rebuilt, state(s)) {
		t.Fatalf("changes since %d do not lead to what is stored", revision)
	}
	list := api.Request{Verb: api.List, GVR: webApps, Options: api.Options{LabelSelector: "app=x"}}
	exact := list
	exact.ResourceVersion, exact.ResourceVersionMatch = fmt.Sprint(revision), "Exact"
	seen := listed(t, then, list)
	if got := listed(t, s, exact); !sameState(got, seen) {
		t.Fatalf("the list at %d is not what it was", revision)
	}
	watch := list
	watch.Verb = api.Watch
	for _, e := range s.Watching(watch, revision) {
		key := stateKey(webApps, e.Object)
		if _, known := seen[key]; known != (e.Type != api.Added) {
			t.Fatalf("%s of %s, which was there: %v", e.Type, key, known)
		}
		if e.Type == api.Deleted {
			delete(seen, key)
		} else {
			seen[key] = e.Object
		}
	}
	if !sameState(seen, listed(t, s, list)) {
		t.Fatalf("a watch from %d does not lead to what a list gives", revision)
	}
}

func listed(t *rapid.T, s *apiserver.Server, req api.Request) map[string]object.Object {
	resp := s.Do(start, req)
	if resp.List == nil {
		t.Fatalf("%v: %v", req, resp.Err())
	}
	out := map[string]object.Object{}
	for _, o := range resp.List.Items {
		out[stateKey(req.GVR, o)] = o
	}
	return out
}

// checkSnapshot: a restored server holds the same and goes on the same.
func checkSnapshot(t *rapid.T, s *apiserver.Server, now time.Time) {
	text, err := json.Marshal(s.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var snap apiserver.Snapshot
	if err := json.Unmarshal(text, &snap); err != nil {
		t.Fatal(err)
	}
	r, err := apiserver.Restore(snap)
	if err != nil {
		t.Fatal(err)
	}
	if r.Revision() != s.Revision() || !sameState(state(r), state(s)) {
		t.Fatal("restored: not what was stored")
	}
	for i := range 5 {
		req := drawn(t)
		a, b := rest.EncodeResponse(s.Do(now, req), rest.JSON), rest.EncodeResponse(r.Do(now, req), rest.JSON)
		if a.Code != b.Code || string(a.Body) != string(b.Body) {
			t.Fatalf("request %d, %v: %s before, %s restored", i, req, a.Body, b.Body)
		}
	}
	again, err := json.Marshal(r.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if more, err := json.Marshal(s.Snapshot()); err != nil || string(more) != string(again) {
		t.Fatalf("the snapshots differ: %v", err)
	}
}
