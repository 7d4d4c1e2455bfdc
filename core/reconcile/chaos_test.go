package reconcile_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// try makes a request as the user, whatever comes of it.
func (l *lab) try(req api.Request) { l.Do(req) }

func (l *lab) tryPatch(name string, patch map[string]any) {
	req := request(api.Patch, webApps, name)
	req.Body, req.PatchType = object.FromAny(patch), api.MergePatch
	l.try(req)
}

func (l *lab) tryCreate(name string, fields map[string]any) {
	req := request(api.Create, webApps, "")
	body := map[string]any{"apiVersion": "lab.example.com/v1", "kind": "WebApp", "metadata": map[string]any{"name": name}, "spec": fields}
	req.Body = object.FromAny(body)
	l.try(req)
}

// desired checks one WebApp against the desired state, as the lab defines it.
func (l *lab) desired(name string) {
	l.t.Helper()
	var balancers []api.CloudItem
	for _, item := range l.cloud.Items() {
		if item.Tags["webapp"] == "default/"+name {
			balancers = append(balancers, item)
		}
	}
	if _, there := l.find(webApps, name); !there {
		if l.child(name) != nil || len(balancers) != 0 {
			l.t.Fatalf("%s is gone and left %v and %v", name, l.child(name), balancers)
		}
		return
	}
	app := l.app(name)
	if app.DeletionTimestamp != nil {
		l.t.Fatalf("%s is stuck with finalizers %v", name, app.Finalizers)
	}
	want := 0
	if app.Spec.LoadBalancer {
		want = 1
	}
	if len(balancers) != want || len(app.Finalizers) != want {
		l.t.Fatalf("%s wants %d load balancers, has %v and finalizers %v", name, want, balancers, app.Finalizers)
	}
	if lb := app.Status.LoadBalancer; (lb != nil) != app.Spec.LoadBalancer || lb != nil && lb.ID != balancers[0].ID {
		l.t.Fatalf("%s has %v in status and %v outside", name, lb, balancers)
	}
	dep, found := l.find(configMaps, "shared")
	base, has := dep.At("data", "base")
	if app.Spec.ConfigRef != "" && !(found && has) {
		l.ready(name, "Pending", "DependencyNotFound")
		return
	}
	data := map[string]string{"message": app.Spec.Message, "replicas": "1"}
	if app.Spec.ConfigRef != "" {
		data["base"] = base.(string)
	}
	l.ready(name, "Ready", "Reconciled")
	if got := l.child(name); !maps.Equal(got, data) {
		l.t.Fatalf("the ConfigMap of %s holds %v, want %v", name, got, data)
	}
	child, _ := l.find(configMaps, name+"-config")
	if owner, ok := child.ControllerOf(); !ok || owner.UID != app.UID || len(child.OwnerReferences()) != 1 {
		l.t.Fatalf("the ConfigMap of %s is owned by %v", name, child.OwnerReferences())
	}
}

// Whatever users do, in whatever order events arrive and timers fire, whichever
// calls fail, get lost or are the process's last: no load balancer is made
// unguarded or twice, and once the faults stop, all is as desired and passes
// write nothing.
func TestChaos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLab(t)
		app := rapid.SampledFrom([]string{"a", "b"})
		word := rapid.SampledFrom([]string{"x", "y"})
		yes := rapid.Bool()
		anyFault := rapid.SampledFrom([]fault{served, served, served, refused, lostReply, crashBefore, crashAfter})
		spec := func(t *rapid.T) map[string]any {
			s := map[string]any{"message": word.Draw(t, "message"), "loadBalancer": yes.Draw(t, "loadBalancer"), "configRef": nil}
			if yes.Draw(t, "configRef") {
				s["configRef"] = "shared"
			}
			return s
		}
		create := func(t *rapid.T) {
			s := spec(t)
			if s["configRef"] == nil {
				delete(s, "configRef")
			}
			l.tryCreate(app.Draw(t, "app"), s)
		}
		step := func(t *rapid.T) {
			switch rapid.IntRange(0, 4).Draw(t, "actor") {
			case 0:
				l.sync(l.informers[rapid.IntRange(0, 1).Draw(t, "informer")])
			case 1:
				l.collect()
			case 2:
				l.now = l.now.Add(rapid.SampledFrom([]time.Duration{time.Millisecond, time.Second, time.Minute}).Draw(t, "time"))
				l.ctrl.Queue().Promote(l.now)
			default:
				_ = l.begin() || l.call(anyFault.Draw(t, "fault"))
			}
		}
		steps := func(t *rapid.T) {
			for range rapid.IntRange(1, 25).Draw(t, "steps") {
				step(t)
			}
		}
		for range 2 {
			create(t)
		}
		t.Repeat(map[string]func(*rapid.T){
			"create":  create,
			"edit":    func(t *rapid.T) { l.tryPatch(app.Draw(t, "app"), map[string]any{"spec": spec(t)}) },
			"delete":  func(t *rapid.T) { l.try(request(api.Delete, webApps, app.Draw(t, "app"))) },
			"steps 1": steps, "steps 2": steps, "steps 3": steps, "steps 4": steps,
			"settle": func(*rapid.T) { l.settle(rest) },
			"drift": func(t *rapid.T) {
				req := request(api.Patch, configMaps, app.Draw(t, "app")+"-config")
				req.Body, req.PatchType = object.FromAny(map[string]any{"data": map[string]any{"message": word.Draw(t, "message")}}), api.MergePatch
				l.try(req)
			},
			"delete child": func(t *rapid.T) { l.try(request(api.Delete, configMaps, app.Draw(t, "app")+"-config")) },
			"delete outside": func(t *rapid.T) {
				if items := l.cloud.Items(); len(items) > 0 {
					l.Cloud(api.CloudRequest{Verb: api.Delete, Type: "lb", ID: items[0].ID})
				}
			},
			"dependency": func(t *rapid.T) {
				if _, there := l.find(configMaps, "shared"); there {
					l.delete(configMaps, "shared")
				} else {
					l.create(configMaps, "shared", map[string]any{"data": map[string]any{"base": word.Draw(t, "base")}})
				}
			},
			"another finalizer": func(t *rapid.T) { l.foreign(app.Draw(t, "app"), true) },
			"relist": func(t *rapid.T) {
				l.informers[rapid.IntRange(0, 1).Draw(t, "informer")].Deliver(
					api.WatchEvent{Type: api.Error, Object: object.FromMap(map[string]any{"code": 410})})
			},
		})
		for _, name := range []string{"a", "b"} {
			l.foreign(name, false)
		}
		l.heal()
		l.desired("a")
		l.desired("b")
		l.quiet()
	})
}

const anothers = "other.example.com/x"

// foreign puts another controller's finalizer on a WebApp, or takes it off. It
// must be there until then, whatever the reconciler does to its own.
func (l *lab) foreign(name string, on bool) {
	o, there := l.find(webApps, name)
	if l.anothers[name] && !(there && o.HasFinalizer(anothers)) {
		l.t.Fatalf("%s has lost another's finalizer: %v", name, o.Finalizers())
	}
	if !there || l.anothers[name] == on || o.Terminating() && on {
		return
	}
	names := slices.DeleteFunc(o.Finalizers(), func(f string) bool { return f == anothers })
	if on {
		names = append(names, anothers)
	}
	l.anothers[name] = on
	l.tryPatch(name, map[string]any{"metadata": map[string]any{"finalizers": names}})
}

// heal lets the world come to rest. Nothing tells when something outside was
// deleted, nor does anything wake a key that has been forgotten: a resync does.
func (l *lab) heal() {
	l.settle(20 * time.Minute)
	for _, n := range l.caches(webApps.GVR()).Resync() {
		l.ctrl.Handle(l.now, 0, webApps.GVR(), n, l.caches)
	}
	l.settle(20 * time.Minute)
	if inf := l.caches(webApps.GVR()); inf.State() != informer.Watching {
		l.t.Fatalf("the informer %s", inf.State())
	}
}
