package judge_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

const finalizer = "lab.example.com/cloud"

var client = reconcile.Client{}

// app reads the WebApp of a request; nil where it is gone.
func app(ctx context.Context, req reconcile.Request) (*reconcile.WebApp, error) {
	var a reconcile.WebApp
	err := client.Get(ctx, req, &a)
	if reconcile.IgnoreNotFound(err) != nil || err != nil {
		return nil, reconcile.IgnoreNotFound(err)
	}
	return &a, nil
}

// on makes a reconciler of what is done about a WebApp that is there.
func on(f func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error)) reconcile.Func {
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		a, err := app(ctx, req)
		if a == nil || err != nil {
			return reconcile.Result{}, err
		}
		return f(ctx, a)
	}
}

func tag(a *reconcile.WebApp) map[string]string {
	return map[string]string{"webapp": a.Namespace + "/" + a.Name}
}

func guard(ctx context.Context, a *reconcile.WebApp) error {
	if a.DeletionTimestamp != nil || reconcile.ContainsFinalizer(a, finalizer) {
		return nil
	}
	p := reconcile.MergeFromWithOptimisticLock(a)
	reconcile.AddFinalizer(a, finalizer)
	return client.Patch(ctx, a, p)
}

func release(ctx context.Context, a *reconcile.WebApp) error {
	p := reconcile.MergeFromWithOptimisticLock(a)
	reconcile.RemoveFinalizer(a, finalizer)
	return client.Patch(ctx, a, p)
}

func child(a *reconcile.WebApp) *reconcile.ConfigMap {
	return &reconcile.ConfigMap{ObjectMeta: reconcile.ObjectMeta{Namespace: a.Namespace, Name: a.Name + "-config"}}
}

// wrong are reconcilers with one mistake each, and the finding that names it.
var wrong = map[string]struct {
	reconciler reconcile.Func
	finding    string
	object     string
	sentence   string
}{
	"a load balancer without a finalizer": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		found, err := reconcile.Cloud{}.List(ctx, "lb", tag(a))
		if err == nil && len(found) == 0 && a.DeletionTimestamp == nil {
			_, err = reconcile.Cloud{}.Create(ctx, "lb", a.Name, tag(a))
		}
		return reconcile.Result{}, err
	}), judge.UnguardedCreate, "lb/lb-0001", "Store the finalizer first"},
	"one more in each pass": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.DeletionTimestamp != nil {
			return reconcile.Result{}, release(ctx, a)
		}
		if err := guard(ctx, a); err != nil {
			return reconcile.Result{}, err
		}
		_, err := reconcile.Cloud{}.Create(ctx, "lb", a.Name, tag(a))
		return reconcile.Result{}, err
	}), judge.Duplicate, "lb/lb-0004", "although lb-0001 was there"},
	"no cleaning up": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.DeletionTimestamp != nil {
			return reconcile.Result{}, release(ctx, a)
		}
		if err := guard(ctx, a); err != nil {
			return reconcile.Result{}, err
		}
		found, err := reconcile.Cloud{}.List(ctx, "lb", tag(a))
		if err == nil && len(found) == 0 {
			_, err = reconcile.Cloud{}.Create(ctx, "lb", a.Name, tag(a))
		}
		return reconcile.Result{}, err
	}), judge.Orphan, "lb/lb-0001", "nothing will ever delete it"},
	"a child without an owner": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		_, err := reconcile.CreateOrUpdate(ctx, client, child(a), func() error { return nil })
		return reconcile.Result{}, err
	}), judge.Orphan, "ConfigMap/default/plain-config", "no ownerReference"},
	"a finalizer for ever": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		return reconcile.Result{}, guard(ctx, a)
	}), judge.StuckDeletion, "WebApp/default/plain", finalizer},
	"a label on the WebApp": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		p := reconcile.MergeFrom(a)
		a.Labels = map[string]string{"seen": "yes"}
		return reconcile.Result{}, client.Patch(ctx, a, p)
	}), judge.ForeignWrite, "WebApp/default/plain", "changed what belongs to others there: metadata.labels.seen"},
	"a write to the dependency": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		var shared reconcile.ConfigMap
		if err := client.Get(ctx, reconcile.Request{Namespace: "default", Name: "shared"}, &shared); err != nil {
			return reconcile.Result{}, reconcile.IgnoreNotFound(err)
		}
		shared.Data = map[string]string{"base": "mine"}
		return reconcile.Result{}, client.Update(ctx, &shared)
	}), judge.ForeignWrite, "ConfigMap/default/shared", "ConfigMap/default/shared belongs to others, and a pass over WebApp/default/"},
	"an old observedGeneration": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.Status.ObservedGeneration > 0 {
			return reconcile.Result{}, nil
		}
		a.Status.ObservedGeneration = a.Generation
		return reconcile.Result{}, client.Status().Update(ctx, a)
	}), judge.StaleStatus, "WebApp/default/plain", "is 1, and its generation is 2"},
	"status through the main resource": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		a.Status.ObservedGeneration, a.Status.Phase = a.Generation, "Ready"
		return reconcile.Result{}, client.Update(ctx, a)
	}), judge.StatusThroughSpec, "WebApp/default/plain", "goes through the status subresource"},
	"a transition in each write": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.Status.ObservedGeneration == a.Generation {
			return reconcile.Result{}, nil
		}
		a.Status.ObservedGeneration = a.Generation
		a.Status.Conditions = []reconcile.Condition{{Type: "Ready", Status: "True", LastTransitionTime: reconcile.Time{Time: reconcile.Now(ctx).Add(time.Duration(a.Generation) * time.Minute)}}}
		return reconcile.Result{}, client.Status().Update(ctx, a)
	}), judge.WrongState, "WebApp/default/plain", "lastTransitionTime moved"},
	"an error for what is not there yet": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.Spec.ConfigRef == "" {
			return reconcile.Result{}, nil
		}
		var dep reconcile.ConfigMap
		return reconcile.Result{RequeueAfter: time.Minute}, client.Get(ctx, reconcile.Request{Namespace: a.Namespace, Name: a.Spec.ConfigRef}, &dep)
	}), judge.ErrorForMissingDependency, "WebApp/default/waiting", "somebody may create it later"},
	"nobody asks again": {on(func(ctx context.Context, a *reconcile.WebApp) (reconcile.Result, error) {
		if a.Spec.ConfigRef == "" {
			return reconcile.Result{}, nil
		}
		var dep reconcile.ConfigMap
		err := client.Get(ctx, reconcile.Request{Namespace: a.Namespace, Name: a.Spec.ConfigRef}, &dep)
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}), judge.NoRequeue, "WebApp/default/waiting", "will not be noticed"},
}

func TestWrongReconcilers(t *testing.T) {
	for name, c := range wrong {
		t.Run(name, func(t *testing.T) {
			found := run(t, c.reconciler)
			i := slices.IndexFunc(found, func(f judge.Finding) bool { return f.Finding == c.finding && f.Object == c.object })
			if i < 0 || !strings.Contains(found[i].Sentence, c.sentence) {
				t.Errorf("no %s of %s with %q in %+v", c.finding, c.object, c.sentence, found)
			}
		})
	}
}

// What is right is found nothing wrong with.
func TestReference(t *testing.T) {
	if found := run(t, &reconcile.WebAppReconciler{}); len(found) > 0 {
		t.Errorf("findings of the reference: %+v", found)
	}
}

// Who watches what an object refers to need not ask again.
func TestWatchedDependency(t *testing.T) {
	for field, want := range map[string]bool{"spec.configRef": false, "spec.message": true} {
		found := runIn(t, wrong["nobody asks again"].reconciler, nil, func(c *sim.ControllerConfig) {
			c.Watches = []sim.Source{{Resource: "configmaps", MapByField: field}}
		})
		if got := slices.ContainsFunc(found, func(f judge.Finding) bool { return f.Finding == judge.NoRequeue }); got != want {
			t.Errorf("mapped by %s: %+v", field, found)
		}
	}
	for predicate, want := range map[string]bool{"ResourceVersionChanged": false, "LabelChanged": true, "GenerationChanged": true} {
		found := runIn(t, wrong["nobody asks again"].reconciler, nil, func(c *sim.ControllerConfig) {
			c.Watches = []sim.Source{{Resource: "configmaps", MapByField: "spec.configRef", Predicates: []string{predicate}}}
		})
		if got := slices.ContainsFunc(found, func(f judge.Finding) bool { return f.Finding == judge.NoRequeue }); got != want {
			t.Errorf("with %s: %+v", predicate, found)
		}
	}
}

// nothing is what a reconciler does that does nothing.
func nothing(context.Context, *reconcile.WebApp) (reconcile.Result, error) {
	return reconcile.Result{}, nil
}

// run plays a short life of three WebApps, and judges it.
func run(t *testing.T, r reconcile.Reconciler) []judge.Finding {
	t.Helper()
	return runWith(t, r, nil)
}

// runWith judges with a scenario's checks too.
func runWith(t *testing.T, r reconcile.Reconciler, checks *judge.Checks) []judge.Finding {
	t.Helper()
	return runIn(t, r, checks, func(*sim.ControllerConfig) {})
}

// runIn judges with other settings of the controller.
func runIn(t *testing.T, r reconcile.Reconciler, checks *judge.Checks, set func(*sim.ControllerConfig)) []judge.Finding {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	config := s.Config()
	config.Controllers[0].New = func() reconcile.Reconciler { return r }
	set(&config.Controllers[0])
	w, err := sim.New(config)
	if err != nil {
		t.Fatal(err)
	}
	m := judge.NewMonitor(w, checks)
	var found []judge.Finding
	step := func(a string) {
		e, err := w.Choose(a)
		if err != nil {
			t.Fatal(err)
		}
		m.See(w, e)
	}
	quiet := func() {
		for {
			a, rest := w.NextInRun()
			if rest != sim.Going {
				found = append(found, m.AtRest(w, rest)...)
				return
			}
			step(a.String())
		}
	}
	for _, a := range s.Start {
		step(a)
	}
	quiet()
	step(`patch WebApp/default/plain "{\"spec\":{\"message\":\"other\"}}"`)
	quiet()
	shared, _ := s.File("shared.yaml")
	step(sim.Act("apply", shared).String())
	quiet()
	step("resync controller")
	quiet()
	for _, name := range []string{"plain", "waiting", "outside"} {
		step("delete WebApp/default/" + name)
	}
	quiet()
	return judge.Suppress(append(m.Findings(), found...))
}

// Of one object the specific finding hides the general one, and equal ones are
// counted.
func TestSuppress(t *testing.T) {
	f := func(name, object, root string) judge.Finding {
		return judge.Finding{Finding: name, Object: object, Root: root, Count: 1}
	}
	in := []judge.Finding{
		f(judge.Diverged, "a", "a"), f(judge.WrongState, "a", "a"), f(judge.WrongState, "b", "b"), f(judge.Orphan, "lb/1", "a"), f(judge.Orphan, "lb/1", "a"),
		f(judge.StaleStatus, "a", "a"),
	}
	var got []string
	for _, x := range judge.Suppress(in) {
		got = append(got, x.Finding+" "+x.Object)
	}
	if want := []string{"orphan lb/1", "stale-status a", "wrong-state b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := judge.SuppressStrictly(in); len(got) != 2 || got[0].Count != 2 {
		t.Errorf("strictly: %+v", got)
	}
}
