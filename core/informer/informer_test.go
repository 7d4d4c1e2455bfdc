package informer

import (
	"slices"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

var configMaps = Spec{GVR: object.GVR{Version: "v1", Resource: "configmaps"}}

func configMap(name, rv string, set ...string) object.Object {
	o := object.FromMap(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"namespace": "default", "name": name, "resourceVersion": rv},
	})
	for i := 0; i+1 < len(set); i += 2 {
		o = o.Set(set[i+1], "metadata", "labels", set[i])
	}
	return o
}

func listOf(rv string, items ...object.Object) api.Response {
	return api.Response{Code: 200, List: &api.ObjectList{ResourceVersion: rv, Items: items}}
}

func failed(code int, reason string) api.Response {
	return api.Response{Code: code, Status: &api.Status{Status: api.Failure, Code: code, Reason: reason}}
}

func lines(notes []Notification) []string {
	var out []string
	for _, n := range notes {
		out = append(out, string(n.Type)+": "+n.String())
	}
	return out
}

func expect(t *testing.T, notes []Notification, want ...string) {
	t.Helper()
	if got := lines(notes); !slices.Equal(got, want) {
		t.Fatalf("handlers hear\n%q, want\n%q", got, want)
	}
}

// watching returns an informer that has listed the objects and watches.
func watching(t *testing.T, rv string, items ...object.Object) *Informer {
	t.Helper()
	i := New(configMaps)
	i.ListRequest()
	if _, err := i.Listed(listOf(rv, items...)); err != nil {
		t.Fatal(err)
	}
	if err := i.Watched(api.Response{Code: 200}); err != nil {
		t.Fatal(err)
	}
	return i
}

func TestFirstListAndWatch(t *testing.T) {
	i := New(configMaps)
	if req := i.ListRequest(); req.Verb != api.List || req.ResourceVersion != "0" || i.State() != Listing || i.HasSynced() {
		t.Fatalf("first list: %+v in state %v", req, i.State())
	}
	notes, err := i.Listed(listOf("7", configMap("b", "3"), configMap("a", "5")))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, notes, "add: list ConfigMap/default/a rv 5", "add: list ConfigMap/default/b rv 3")
	if !notes[0].InitialList {
		t.Error("an object of the first list is not marked so")
	}
	if req := i.WatchRequest(); req.Verb != api.Watch || req.ResourceVersion != "7" || !req.AllowWatchBookmarks {
		t.Fatalf("watch: %+v", req)
	}
	_ = i.Watched(api.Response{Code: 200})

	notes = i.Deliver(api.WatchEvent{Type: api.Added, Object: configMap("c", "8")})
	expect(t, notes, "add: watch ADDED ConfigMap/default/c rv 8")
	if notes[0].InitialList {
		t.Error("a later object is marked as of the first list")
	}
	notes = i.Deliver(api.WatchEvent{Type: api.Modified, Object: configMap("a", "9")})
	expect(t, notes, "update: watch MODIFIED ConfigMap/default/a rv 9")
	if notes[0].Old.ResourceVersion() != "5" {
		t.Errorf("the old object has rv %s", notes[0].Old.ResourceVersion())
	}
	expect(t, i.Deliver(api.WatchEvent{Type: api.Deleted, Object: configMap("b", "10")}), "delete: watch DELETED ConfigMap/default/b rv 10")
	if _, there := i.Get(object.Key{Namespace: "default", Name: "b"}); there || i.Len() != 2 || i.ResourceVersion() != "10" {
		t.Fatalf("after the events: %d objects at rv %s", i.Len(), i.ResourceVersion())
	}
}

func TestDuplicateEventIsASync(t *testing.T) {
	i := watching(t, "7", configMap("a", "5"))
	ev := api.WatchEvent{Type: api.Modified, Object: configMap("a", "9")}
	i.Deliver(ev)
	expect(t, i.Deliver(ev), "sync: watch MODIFIED ConfigMap/default/a rv 9")
}

// A MODIFIED of an object that is not cached is an add, and an ADDED of one that
// is cached an update: handlers hear what happened to the cache.
func TestTypeFollowsTheCache(t *testing.T) {
	i := watching(t, "7", configMap("a", "5"))
	expect(t, i.Deliver(api.WatchEvent{Type: api.Modified, Object: configMap("b", "8")}), "add: watch MODIFIED ConfigMap/default/b rv 8")
	expect(t, i.Deliver(api.WatchEvent{Type: api.Added, Object: configMap("a", "9")}), "update: watch ADDED ConfigMap/default/a rv 9")
}

func TestRelistAfterGone(t *testing.T) {
	i := watching(t, "7", configMap("a", "5"), configMap("b", "6"), configMap("c", "7"))
	gone := (&api.Status{Status: api.Failure, Code: 410, Reason: api.ReasonExpired, Message: "too old resource version"}).Object()
	if notes := i.Deliver(api.WatchEvent{Type: api.Error, Object: gone}); notes != nil || i.State() != NeedsList {
		t.Fatalf("after 410: %v, state %v", notes, i.State())
	}
	if notes := i.Deliver(api.WatchEvent{Type: api.Added, Object: configMap("d", "8")}); notes != nil || i.Len() != 3 {
		t.Fatalf("an event of the ended watch was taken: %v", notes)
	}
	if req := i.ListRequest(); req.ResourceVersion != "7" {
		t.Fatalf("relist asks for rv %q, want what was seen last", req.ResourceVersion)
	}
	notes, _ := i.Listed(listOf("20", configMap("a", "5"), configMap("c", "15"), configMap("e", "18")))
	expect(t, notes,
		"delete: relist ConfigMap/default/b gone",
		"sync: relist ConfigMap/default/a rv 5",
		"update: relist ConfigMap/default/c rv 15",
		"add: relist ConfigMap/default/e rv 18")
	if !notes[0].FinalStateUnknown || notes[3].InitialList {
		t.Errorf("a deletion found by a list knows its final state, or a relist counts as the first list: %+v", notes)
	}
}

func TestListAtAnExpiredVersion(t *testing.T) {
	i := watching(t, "7", configMap("a", "5"))
	i.Deliver(api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 410})})
	i.ListRequest()
	if _, err := i.Listed(failed(410, api.ReasonExpired)); err == nil || i.State() != NeedsList || i.Len() != 1 {
		t.Fatalf("a failed list: %v, state %v, %d cached", err, i.State(), i.Len())
	}
	if got := i.Backoff(); got != 0 {
		t.Fatalf("the next list waits %v, want it at once", got)
	}
	if req := i.ListRequest(); req.ResourceVersion != "" {
		t.Fatalf("the next list asks for rv %q, want the newest", req.ResourceVersion)
	}
	if _, err := i.Listed(failed(410, api.ReasonExpired)); err == nil || i.Backoff() == 0 {
		t.Fatalf("the newest version has expired too: %v, the next list waits %v", err, i.Backoff())
	}
}

func TestListAtAVersionThatIsYetToCome(t *testing.T) {
	i := watching(t, "7")
	i.Deliver(api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 410})})
	i.ListRequest()
	tooLarge := failed(504, api.ReasonTimeout)
	tooLarge.Status.Details = &api.Details{Causes: []api.Cause{{Reason: "ResourceVersionTooLarge"}}}
	if _, err := i.Listed(tooLarge); err == nil || i.ListRequest().ResourceVersion != "" {
		t.Fatalf("the next list asks for rv %q, want the newest", i.ListRequest().ResourceVersion)
	}
}

func TestWatchEnds(t *testing.T) {
	i := watching(t, "7", configMap("a", "5"))
	i.Deliver(api.WatchEvent{Type: api.Bookmark, Object: configMap("", "12")})
	i.Closed()
	if i.State() != NeedsWatch || i.WatchRequest().ResourceVersion != "12" {
		t.Fatalf("after a close: state %v, watch from %s, want from the bookmark", i.State(), i.WatchRequest().ResourceVersion)
	}
	if err := i.Watched(failed(503, api.ReasonServiceUnavailable)); err == nil || i.State() != NeedsList {
		t.Fatalf("a refused watch: %v, state %v", err, i.State())
	}
	_ = i.ListRequest()
	_, _ = i.Listed(listOf("13"))
	_ = i.Watched(api.Response{Code: 200})
	i.Deliver(api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 429})})
	if i.State() != NeedsWatch || i.Backoff() != 800*time.Millisecond {
		t.Fatalf("after too many requests: state %v, want to watch again, in a moment", i.State())
	}
	if err := i.Watched(failed(429, "TooManyRequests")); err == nil || i.State() != NeedsWatch || i.Backoff() != 1600*time.Millisecond {
		t.Fatalf("after another refusal: %v, state %v, waits %v", err, i.State(), i.Backoff())
	}
	_ = i.Watched(api.Response{Code: 200})
	i.Deliver(api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 500})})
	if i.State() != NeedsList || i.Backoff() != 800*time.Millisecond {
		t.Fatalf("after an internal error: state %v, want to list again, in a moment", i.State())
	}
}

func TestBackoff(t *testing.T) {
	i := New(configMaps)
	for _, want := range []time.Duration{0, 800 * time.Millisecond, 1600 * time.Millisecond, 3200 * time.Millisecond} {
		if got := i.Backoff(); got != want {
			t.Fatalf("backoff %v, want %v", got, want)
		}
		i.ListRequest()
		_, _ = i.Listed(failed(503, api.ReasonServiceUnavailable))
	}
	for range 20 {
		_, _ = i.Listed(failed(503, api.ReasonServiceUnavailable))
	}
	if got := i.Backoff(); got != 30*time.Second {
		t.Fatalf("the longest backoff is %v", got)
	}
}

func TestResync(t *testing.T) {
	i := watching(t, "7", configMap("b", "5"), configMap("a", "6"))
	expect(t, i.Resync(), "sync: resync ConfigMap/default/a rv 6", "sync: resync ConfigMap/default/b rv 5")
}

func TestAnswer(t *testing.T) {
	i := watching(t, "7", configMap("a", "5", "app", "x"), configMap("b", "6", "app", "y"))
	req := api.Request{Verb: api.Get, GVR: configMaps.GVR, Namespace: "default", Name: "a"}
	if resp, ok := i.Answer(req); !ok || resp.Object.ResourceVersion() != "5" {
		t.Fatalf("get: %+v %v", resp, ok)
	}
	req.Name = "z"
	if resp, ok := i.Answer(req); !ok || !api.IsNotFound(resp.Err()) || resp.Err().Error() != `configmaps "z" not found` {
		t.Fatalf("get of a missing one: %+v %v", resp, ok)
	}
	list := api.Request{Verb: api.List, GVR: configMaps.GVR}
	list.LabelSelector = "app in (x,z)"
	if resp, ok := i.Answer(list); !ok || len(resp.List.Items) != 1 || resp.List.GVK.Kind != "ConfigMapList" {
		t.Fatalf("list: %+v %v", resp, ok)
	}
	list.LabelSelector = "app in ("
	if _, ok := i.Answer(list); ok {
		t.Error("a selector that does not parse was answered")
	}
	for _, other := range []api.Request{
		{Verb: api.Create, GVR: configMaps.GVR},
		{Verb: api.Get, GVR: object.GVR{Version: "v1", Resource: "secrets"}, Name: "a"},
		{Verb: api.Get, GVR: configMaps.GVR, Name: "a", Subresource: "status"},
		{Verb: api.List, GVR: configMaps.GVR, As: api.AsTable},
	} {
		if _, ok := i.Answer(other); ok {
			t.Errorf("answered %+v from the cache", other)
		}
	}
	if _, ok := New(configMaps).Answer(req); ok {
		t.Error("a cache that has not synced gave an answer")
	}
}

func TestOwnedBy(t *testing.T) {
	child := configMap("a", "5").Set([]map[string]any{{"kind": "WebApp", "uid": "u1"}}, "metadata", "ownerReferences")
	i := watching(t, "7", child, configMap("b", "6", "owner", "u1"))
	if got := i.OwnedBy("u1"); len(got) != 1 || got[0].Name() != "a" {
		t.Fatalf("owned by u1: %v", got)
	}
	i.Deliver(api.WatchEvent{Type: api.Modified, Object: configMap("a", "8")})
	if got := i.OwnedBy("u1"); got != nil {
		t.Fatalf("after the owner was dropped: %v", got)
	}
}
