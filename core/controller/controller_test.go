package controller

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

var (
	start     = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	webApp    = Kind{GVK: object.GVK{Group: "lab.example.com", Version: "v1", Kind: "WebApp"}, Resource: "webapps"}
	configMap = Kind{GVK: object.GVK{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}
)

func labSpec() Spec {
	return Spec{Name: "webapp", For: Watch{Kind: webApp}, Owns: []Watch{{Kind: configMap}}}
}

func obj(k Kind, name, rv string) object.Object {
	return object.FromMap(map[string]any{
		"apiVersion": k.APIVersion(), "kind": k.GVK.Kind,
		"metadata": map[string]any{"namespace": "default", "name": name, "resourceVersion": rv},
	})
}

func owned(o object.Object, refs ...map[string]any) object.Object {
	return o.Set(refs, "metadata", "ownerReferences")
}

func ref(apiVersion, kind, name string, controller bool) map[string]any {
	return map[string]any{"apiVersion": apiVersion, "kind": kind, "name": name, "uid": "u", "controller": controller}
}

func updated(old, new object.Object) informer.Notification {
	return informer.Notification{Type: informer.Update, Old: old, New: new, From: "watch MODIFIED"}
}

func key(name string) object.Key { return object.Key{Namespace: "default", Name: name} }

func noCaches(object.GVR) *informer.Informer { return nil }

func TestEventOfTheObjectItself(t *testing.T) {
	c := New(labSpec())
	o := obj(webApp, "plain", "1012")
	got := c.Handle(start, 7, webApp.GVR(), updated(o, o), noCaches)
	if len(got) != 1 || got[0].Source != "for" || !slices.Equal(got[0].Keys, []object.Key{key("plain")}) {
		t.Fatalf("handled: %+v", got)
	}
	items := c.Ready()
	want := workqueue.Why{Event: 7, Text: "watch MODIFIED WebApp/default/plain rv 1012"}
	if len(items) != 1 || items[0].Why[0] != want {
		t.Fatalf("queued: %+v, want %+v", items, want)
	}
	if got := c.Handle(start, 8, object.GVR{Version: "v1", Resource: "secrets"}, updated(o, o), noCaches); got != nil {
		t.Fatalf("a resource that nobody watches was handled: %+v", got)
	}
}

func TestEventOfAnOwnedObject(t *testing.T) {
	child := obj(configMap, "x", "1")
	lab := "lab.example.com/v1"
	for _, tc := range []struct {
		name     string
		every    bool
		old, new object.Object
		want     []object.Key
	}{
		{name: "controller", old: child, new: owned(child, ref(lab, "WebApp", "a", true)), want: []object.Key{key("a")}},
		{name: "any version of the group", old: child, new: owned(child, ref("lab.example.com/v2", "WebApp", "a", true)), want: []object.Key{key("a")}},
		{name: "other group", old: child, new: owned(child, ref("apps/v1", "WebApp", "a", true))},
		{name: "other kind", old: child, new: owned(child, ref(lab, "Other", "a", true))},
		{name: "owner but not controller", old: child, new: owned(child, ref(lab, "WebApp", "a", false))},
		{name: "every owner", every: true, old: child, new: owned(child, ref(lab, "WebApp", "b", false), ref(lab, "WebApp", "a", true)),
			want: []object.Key{key("a"), key("b")}},
		{name: "moved from one to the other", old: owned(child, ref(lab, "WebApp", "b", true)), new: owned(child, ref(lab, "WebApp", "a", true)),
			want: []object.Key{key("a"), key("b")}},
		{name: "behind a malformed reference", every: true, old: child,
			new:  owned(child, ref(lab, "WebApp", "a", false), ref("a/b/c", "WebApp", "b", false), ref(lab, "WebApp", "c", false)),
			want: []object.Key{key("a")}},
		{name: "no owner", old: child, new: child},
	} {
		spec := labSpec()
		spec.Owns[0].EveryOwner = tc.every
		got := New(spec).Handle(start, 1, configMap.GVR(), updated(tc.old, tc.new), noCaches)
		if len(got) != 1 || got[0].Source != "owns" || !slices.Equal(got[0].Keys, tc.want) {
			t.Errorf("%s: %+v, want keys %v", tc.name, got, tc.want)
		}
	}
}

func TestEventOfAMappedObject(t *testing.T) {
	apps := informer.New(informer.Spec{GVR: webApp.GVR()})
	for _, name := range []string{"a", "b", "c"} {
		o := obj(webApp, name, "1")
		if name != "b" {
			o = o.Set("shared", "spec", "configRef")
		}
		apps.ListRequest()
		_ = apps.Watched(apiOK())
		apps.Deliver(added(o))
	}
	spec := labSpec()
	spec.Watches = []Watch{{Kind: configMap, Map: MapByField(webApp.GVR(), "spec", "configRef")}}
	n := informer.Notification{Type: informer.Delete, Old: obj(configMap, "shared", "9"), From: "watch DELETED"}
	got := New(spec).Handle(start, 1, configMap.GVR(), n, func(object.GVR) *informer.Informer { return apps })
	if len(got) != 2 || got[1].Source != "watches" || !slices.Equal(got[1].Keys, []object.Key{key("a"), key("c")}) {
		t.Fatalf("handled: %+v", got)
	}
	if want := []object.GVR{webApp.GVR(), configMap.GVR()}; !slices.Equal(spec.Resources(), want) {
		t.Fatalf("informers of %v are needed, want %v", spec.Resources(), want)
	}
}

func TestPredicateNamesItselfWhenItFilters(t *testing.T) {
	spec := labSpec()
	spec.For.Predicates = []Predicate{GenerationChangedPredicate{}}
	c := New(spec)
	o := obj(webApp, "plain", "1")
	got := c.Handle(start, 1, webApp.GVR(), updated(o, o.Set("Ready", "status", "phase")), noCaches)
	if len(got) != 1 || got[0].FilteredBy != "GenerationChanged" || got[0].Keys != nil || len(c.Ready()) != 0 {
		t.Fatalf("handled: %+v", got)
	}
	got = c.Handle(start, 1, webApp.GVR(), updated(o, o.Set(2, "metadata", "generation")), noCaches)
	if got[0].FilteredBy != "" || len(got[0].Keys) != 1 {
		t.Fatalf("handled: %+v", got)
	}
	spec.Predicates = []Predicate{LabelChangedPredicate{}}
	got = New(spec).Handle(start, 1, webApp.GVR(), updated(o, o), noCaches)
	if got[0].FilteredBy != "LabelChanged" {
		t.Fatalf("a filter of all sources did not come first: %+v", got)
	}
}

func TestWorkers(t *testing.T) {
	for workers, want := range map[int]int{0: 1, 1: 1, 2: 2, 9: 3} {
		spec := labSpec()
		spec.MaxConcurrentReconciles = workers
		c := New(spec)
		for _, name := range []string{"a", "b", "c"} {
			c.Queue().Add(start, key(name), workqueue.Why{})
		}
		taken := 0
		for len(c.Ready()) > 0 {
			if _, ok := c.Take(c.Ready()[0].Key); !ok {
				t.Fatal("a ready key could not be taken")
			}
			taken++
		}
		if _, ok := c.Take(key("c")); taken != want || ok {
			t.Errorf("%d workers took %d keys, want %d", workers, taken, want)
		}
	}
}

// The switch at the end of a pass, as reconcileHandler has it.
func TestFinish(t *testing.T) {
	fail := errors.New("boom")
	for _, tc := range []struct {
		name     string
		result   reconcile.Result
		err      error
		decision string
		failures int
		queue    string
		note     bool
	}{
		{name: "nothing", decision: "none", queue: "empty"},
		{name: "after", result: reconcile.Result{RequeueAfter: 30 * time.Second, Reason: "DependencyNotFound"},
			decision: "after 30s: DependencyNotFound", queue: "waiting default/a +30s"},
		{name: "one nanosecond", result: reconcile.Result{RequeueAfter: 1}, decision: "after 1ns", queue: "waiting default/a +1ns"},
		{name: "negative", result: reconcile.Result{RequeueAfter: -1}, decision: "none", queue: "empty"},
		{name: "requeue", result: reconcile.Result{Requeue: true}, decision: "backoff 20ms", failures: 3,
			queue: "waiting default/a +20ms (3 failures)"},
		{name: "error", err: fail, decision: "backoff 20ms: boom", failures: 3, queue: "waiting default/a +20ms (3 failures)"},
		{name: "error and result", err: fail, result: reconcile.Result{RequeueAfter: time.Hour},
			decision: "backoff 20ms: boom", failures: 3, queue: "waiting default/a +20ms (3 failures)", note: true},
		{name: "terminal", err: fmt.Errorf("wrapped: %w", reconcile.TerminalError(fail)),
			decision: "dropped: wrapped: terminal error: boom", failures: 2, queue: "empty"},
	} {
		c := New(labSpec())
		q := c.Queue()
		for range 2 { // two failures before
			q.AddRateLimited(start, key("a"), workqueue.Why{})
		}
		now := start.Add(time.Minute)
		q.Promote(now)
		c.Take(key("a"))
		d := c.Finish(now, 3, key("a"), tc.result, tc.err)
		if d.String() != tc.decision || d.Failures != tc.failures || (d.Note != "") != tc.note {
			t.Errorf("%s: decision %+v", tc.name, d)
		}
		if got := q.Describe(now); got != tc.queue {
			t.Errorf("%s: queue %q, want %q", tc.name, got, tc.queue)
		}
	}
}

func TestFinishOfAKeyThatWasAddedMeanwhile(t *testing.T) {
	c := New(labSpec())
	c.Queue().Add(start, key("a"), workqueue.Why{})
	c.Take(key("a"))
	c.Queue().Add(start, key("a"), workqueue.Why{Text: "meanwhile"})
	c.Finish(start, 1, key("a"), reconcile.Result{RequeueAfter: time.Second}, nil)
	if got, want := c.Queue().Describe(start), "ready default/a; waiting default/a +1s"; got != want {
		t.Fatalf("queue %q, want %q", got, want)
	}
}

func TestCloneHasItsOwnQueue(t *testing.T) {
	c := New(labSpec())
	d := c.Clone()
	d.Queue().Add(start, key("a"), workqueue.Why{})
	if !c.Queue().Idle() || d.Queue().Idle() {
		t.Fatal("a clone shares its queue")
	}
}

func TestKeysForWhichNothingChangedComeLast(t *testing.T) {
	spec := labSpec()
	spec.Queue.Priority = true
	c := New(spec)
	handle := func(n informer.Notification) { c.Handle(start, 1, webApp.GVR(), n, noCaches) }
	handle(informer.Notification{Type: informer.Add, New: obj(webApp, "listed", "1"), InitialList: true})
	handle(informer.Notification{Type: informer.Sync, Old: obj(webApp, "resynced", "1"), New: obj(webApp, "resynced", "1")})
	handle(informer.Notification{Type: informer.Add, New: obj(webApp, "added", "2")})
	handle(updated(obj(webApp, "changed", "1"), obj(webApp, "changed", "3")))
	want := "ready default/added default/changed default/listed[-100] default/resynced[-100]"
	if got := c.Queue().Describe(start); got != want {
		t.Fatalf("queue is %q, want %q", got, want)
	}
	c.Take(key("listed"))
	c.Finish(start, 2, key("listed"), reconcile.Result{}, errors.New("x"))
	five := 5
	c.Take(key("resynced"))
	c.Finish(start, 3, key("resynced"), reconcile.Result{RequeueAfter: time.Second, Priority: &five}, nil)
	want = "ready default/added default/changed; waiting default/listed[-100] +5ms (1 failure) default/resynced[5] +1s"
	if got := c.Queue().Describe(start); got != want {
		t.Fatalf("queue is %q, want %q", got, want)
	}
}
