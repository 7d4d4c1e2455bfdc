package reconcile_test

import (
	"maps"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

const rest = 2 * time.Minute

func webApp(fields map[string]any) map[string]any {
	out := map[string]any{"message": "hello"}
	maps.Copy(out, fields)
	return map[string]any{"spec": out}
}

// ready checks a WebApp's status.
func (l *lab) ready(name, phase, reason string) reconcile.WebApp {
	l.t.Helper()
	app := l.app(name)
	if len(app.Status.Conditions) != 1 {
		l.t.Fatalf("%s: conditions %+v", name, app.Status.Conditions)
	}
	c := app.Status.Conditions[0]
	if app.Status.Phase != phase || c.Type != "Ready" || c.Reason != reason || (c.Status == "True") != (phase == "Ready") {
		l.t.Fatalf("%s is %s, condition %+v, want %s for %s", name, app.Status.Phase, c, phase, reason)
	}
	if app.Status.ObservedGeneration != app.Generation || c.ObservedGeneration != app.Generation || c.LastTransitionTime.IsZero() {
		l.t.Fatalf("%s: generation %d, status %+v", name, app.Generation, app.Status)
	}
	return app
}

func (l *lab) data(name string, want map[string]string) {
	l.t.Helper()
	if got := l.child(name); !maps.Equal(got, want) {
		l.t.Fatalf("the ConfigMap of %s holds %v, want %v", name, got, want)
	}
}

func (l *lab) balancers(want ...string) {
	l.t.Helper()
	items := l.cloud.Items()
	if len(items) != len(want) {
		l.t.Fatalf("load balancers %v, want %v", items, want)
	}
	for i := range want {
		if items[i].ID != want[i] {
			l.t.Fatalf("load balancers %v, want %v", items, want)
		}
	}
}

func TestPlain(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "plain", webApp(map[string]any{"replicas": 2}))
	l.settle(rest)
	l.ready("plain", "Ready", "Reconciled")
	l.data("plain", map[string]string{"message": "hello", "replicas": "2"})
	child, _ := l.find(configMaps, "plain-config")
	owner, ok := child.ControllerOf()
	if !ok || owner.UID != l.app("plain").UID || !owner.BlockOwnerDeletion || child.Str("metadata", "labels", "app.kubernetes.io/managed-by") != "reconcile-lab" {
		t.Fatalf("child %v", child.Root())
	}
	if len(l.errors) != 0 || len(l.app("plain").Finalizers) != 0 {
		t.Fatalf("errors %v, finalizers %v", l.errors, l.app("plain").Finalizers)
	}
	l.quiet()
}

func TestDriftIsRepairedAndTheRestLeftAlone(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "plain", webApp(nil))
	l.settle(rest)
	l.patch(configMaps, "plain-config", map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app.kubernetes.io/managed-by": "x", "team": "blue"}, "annotations": map[string]any{"a": "b"}},
		"data":     map[string]any{"message": "changed", "replicas": nil, "base": "none of ours", "extra": "kept"},
	})
	l.settle(rest)
	l.data("plain", map[string]string{"message": "hello", "replicas": "1", "extra": "kept"})
	child, _ := l.find(configMaps, "plain-config")
	if child.Str("metadata", "labels", "team") != "blue" || child.Str("metadata", "annotations", "a") != "b" ||
		child.Str("metadata", "labels", "app.kubernetes.io/managed-by") != "reconcile-lab" {
		t.Fatalf("child %v", child.Root())
	}
	l.delete(configMaps, "plain-config")
	l.settle(rest)
	l.data("plain", map[string]string{"message": "hello", "replicas": "1"})
	l.quiet()
}

func TestDependency(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "waiting", webApp(map[string]any{"configRef": "shared", "loadBalancer": true}))
	l.settle(rest)
	app := l.ready("waiting", "Pending", "DependencyNotFound")
	l.data("waiting", nil)
	l.balancers("lb-0001")
	if app.Status.LoadBalancer == nil || app.Status.LoadBalancer.ID != "lb-0001" || app.Status.LoadBalancer.Address != "203.0.113.1" {
		t.Fatalf("status %+v", app.Status)
	}
	since := app.Status.Conditions[0].LastTransitionTime
	l.quiet()

	l.create(configMaps, "shared", map[string]any{"data": map[string]any{"other": "x"}})
	l.settle(rest)
	app = l.ready("waiting", "Pending", "DependencyNotFound")
	if got := app.Status.Conditions[0]; got.LastTransitionTime != since || got.Message != `ConfigMap "shared" has no key "base"` {
		t.Fatalf("condition %+v, want it to stand since %v", got, since)
	}
	l.patch(configMaps, "shared", map[string]any{"data": map[string]any{"base": ""}})
	l.settle(rest)
	l.ready("waiting", "Ready", "Reconciled")
	l.data("waiting", map[string]string{"message": "hello", "replicas": "1", "base": ""})

	l.patch(configMaps, "shared", map[string]any{"data": map[string]any{"base": "two"}})
	l.settle(29 * time.Second)
	l.settle(2 * time.Second)
	l.data("waiting", map[string]string{"message": "hello", "replicas": "1", "base": "two"})

	l.delete(configMaps, "shared")
	l.settle(rest)
	l.ready("waiting", "Pending", "DependencyNotFound")
	l.data("waiting", map[string]string{"message": "hello", "replicas": "1", "base": "two"})

	l.patch(webApps, "waiting", map[string]any{"spec": map[string]any{"configRef": nil}})
	l.settle(rest)
	l.ready("waiting", "Ready", "Reconciled")
	l.data("waiting", map[string]string{"message": "hello", "replicas": "1"})
	if len(l.errors) != 0 {
		t.Fatalf("a missing dependency is no error: %v", l.errors)
	}
	l.quiet()
}

func TestLoadBalancer(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "outside", webApp(map[string]any{"loadBalancer": true}))
	l.settle(rest)
	app := l.ready("outside", "Ready", "Reconciled")
	if app.Status.LoadBalancer == nil || app.Status.LoadBalancer.ID != "lb-0001" || len(app.Finalizers) != 1 {
		t.Fatalf("status %+v, finalizers %v", app.Status, app.Finalizers)
	}
	l.quiet()

	// Somebody deletes it outside: nothing tells, but the next pass sees it.
	l.Cloud(api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0001"})
	l.patch(webApps, "outside", map[string]any{"spec": map[string]any{"message": "hi"}})
	l.settle(rest)
	l.balancers("lb-0002")

	// A second one appears: the one in use is kept.
	l.Cloud(api.CloudRequest{Verb: api.Create, Type: "lb", Name: "outside", Tags: map[string]string{"webapp": "default/outside"}})
	l.Cloud(api.CloudRequest{Verb: api.Create, Type: "lb", Name: "other", Tags: map[string]string{"webapp": "default/other"}})
	l.patch(webApps, "outside", map[string]any{"spec": map[string]any{"message": "ho"}})
	l.settle(rest)
	l.balancers("lb-0002", "lb-0004")

	l.patch(webApps, "outside", map[string]any{"spec": map[string]any{"loadBalancer": false}})
	l.settle(rest)
	l.balancers("lb-0004")
	app = l.ready("outside", "Ready", "Reconciled")
	if app.Status.LoadBalancer != nil || len(app.Finalizers) != 0 {
		t.Fatalf("status %+v, finalizers %v", app.Status, app.Finalizers)
	}
	l.quiet()
}

func TestDeletion(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "outside", webApp(map[string]any{"loadBalancer": true}))
	l.settle(rest)
	l.patch(webApps, "outside", map[string]any{"metadata": map[string]any{"finalizers": []string{"lab.example.com/cloud", "other.example.com/x"}}})
	l.settle(rest)
	// The load balancer goes before we get to it: already gone is success.
	l.Cloud(api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0001"})
	l.delete(webApps, "outside")
	l.settle(rest)
	app := l.app("outside")
	if len(app.Finalizers) != 1 || app.Finalizers[0] != "other.example.com/x" || app.Status.Phase != "Terminating" || app.Status.LoadBalancer != nil {
		t.Fatalf("finalizers %v, status %+v", app.Finalizers, app.Status)
	}
	l.balancers()
	l.quiet()
	l.patch(webApps, "outside", map[string]any{"metadata": map[string]any{"finalizers": nil}})
	l.settle(rest)
	if _, there := l.find(webApps, "outside"); there {
		t.Fatal("the WebApp is still there")
	}
	if l.child("outside") != nil {
		t.Fatal("the ConfigMap is still there")
	}
	if len(l.errors) != 0 {
		t.Fatalf("errors %v", l.errors)
	}
	l.quiet()
}

// A load balancer that goes between our list and our delete is gone: success.
func TestAlreadyGone(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "outside", webApp(map[string]any{"loadBalancer": true}))
	l.settle(rest)
	l.delete(webApps, "outside")
	for _, inf := range l.informers {
		for l.sync(inf) {
		}
	}
	l.begin()
	l.call(served) // the list
	if c, ok := l.pass.Parked(); !ok || c.String() != "cloud lb delete lb-0001" {
		t.Fatalf("the pass is at %s", c)
	}
	l.Cloud(api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0001"})
	l.settle(rest)
	if _, there := l.find(webApps, "outside"); there || len(l.errors) != 0 {
		t.Fatalf("the WebApp is there: %v; errors %v", there, l.errors)
	}
}

// What is not ours is left alone, and status says so.
func TestForeignConfigMap(t *testing.T) {
	for name, meta := range map[string]map[string]any{
		"no controller":      {},
		"another controller": {"ownerReferences": []map[string]any{{"apiVersion": "v1", "kind": "Namespace", "name": "default", "uid": "UID", "controller": true}}},
	} {
		l := newLab(t)
		ns := l.must(api.Request{Verb: api.Get, GVR: object.GVR{Version: "v1", Resource: "namespaces"}, Name: "default"})
		if refs, ok := meta["ownerReferences"].([]map[string]any); ok {
			refs[0]["uid"] = ns.UID()
		}
		meta["name"] = "plain-config"
		before := l.create(configMaps, "plain-config", map[string]any{"metadata": meta, "data": map[string]any{"message": "mine"}})
		l.create(webApps, "plain", webApp(nil))
		l.settle(rest)
		l.ready("plain", "Pending", "ChildNotControlled")
		if after, _ := l.find(configMaps, "plain-config"); after.ResourceVersion() != before.ResourceVersion() {
			t.Errorf("%s: the ConfigMap was written", name)
		}
		l.quiet()
		l.delete(configMaps, "plain-config")
		l.settle(rest)
		l.ready("plain", "Ready", "Reconciled")
		if len(l.errors) != 0 {
			t.Errorf("%s: errors %v", name, l.errors)
		}
	}
}

// A child that a deletion left behind on purpose is taken up again.
func TestOrphanIsAdopted(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "plain", webApp(nil))
	l.settle(rest)
	before, _ := l.find(configMaps, "plain-config")
	req := request(api.Delete, webApps, "plain")
	policy := "Orphan"
	req.PropagationPolicy = &policy
	l.must(req)
	l.settle(rest)
	l.create(webApps, "plain", webApp(map[string]any{"message": "again"}))
	l.settle(rest)
	l.ready("plain", "Ready", "Reconciled")
	after, _ := l.find(configMaps, "plain-config")
	if owner, ok := after.ControllerOf(); after.UID() != before.UID() || !ok || owner.UID != l.app("plain").UID {
		t.Fatalf("child %v", after.Root())
	}
	l.quiet()
}

// Deleted and recreated before anybody looked: the first one's child goes, the
// second one gets its own.
func TestRecreatedFasterThanTheQueue(t *testing.T) {
	l := newLab(t)
	l.create(webApps, "plain", webApp(nil))
	l.settle(rest)
	before, _ := l.find(configMaps, "plain-config")
	l.delete(webApps, "plain")
	l.create(webApps, "plain", webApp(map[string]any{"message": "second"}))
	for range 3 { // the collector sleeps, the controller does not
		for _, inf := range l.informers {
			for l.sync(inf) {
			}
		}
		for l.begin() || l.call(served) {
		}
	}
	l.ready("plain", "Pending", "ChildNotControlled")
	l.settle(rest)
	l.ready("plain", "Ready", "Reconciled")
	l.data("plain", map[string]string{"message": "second", "replicas": "1"})
	if after, _ := l.find(configMaps, "plain-config"); after.UID() == before.UID() {
		t.Fatal("the child of the first WebApp was kept")
	}
	l.quiet()
}
