package explore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// pool keeps one load balancer for all WebApps together: it looks, and makes one
// where there is none.
func pool(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var a reconcile.WebApp
	if err := client.Get(ctx, req, &a); err != nil || a.DeletionTimestamp != nil {
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}
	if !reconcile.ContainsFinalizer(&a, finalizer) {
		p := reconcile.MergeFromWithOptimisticLock(&a)
		reconcile.AddFinalizer(&a, finalizer)
		if err := client.Patch(ctx, &a, p); err != nil {
			return reconcile.Result{}, err
		}
	}
	found, err := cloud.List(ctx, "lb", map[string]string{"pool": "all"})
	if err == nil && len(found) == 0 {
		_, err = cloud.Create(ctx, "lb", "pool", map[string]string{"pool": "all"})
	}
	return reconcile.Result{}, err
}

// first names the load balancer after whoever comes first.
func first(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var a reconcile.WebApp
	if err := client.Get(ctx, req, &a); err != nil || a.DeletionTimestamp != nil {
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}
	if !reconcile.ContainsFinalizer(&a, finalizer) {
		p := reconcile.MergeFromWithOptimisticLock(&a)
		reconcile.AddFinalizer(&a, finalizer)
		if err := client.Patch(ctx, &a, p); err != nil {
			return reconcile.Result{}, err
		}
	}
	found, err := cloud.List(ctx, "lb", nil)
	if err == nil && len(found) == 0 {
		_, err = cloud.Create(ctx, "lb", a.Name, map[string]string{"pool": "all"})
	}
	return reconcile.Result{}, err
}

// alone says in status whether there is a load balancer, of which nobody tells it.
func alone(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var a reconcile.WebApp
	if err := client.Get(ctx, req, &a); err != nil || a.DeletionTimestamp != nil {
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}
	found, err := cloud.List(ctx, "lb", nil)
	if err != nil {
		return reconcile.Result{}, err
	}
	if len(found) == 0 && a.Spec.LoadBalancer {
		return first(ctx, req)
	}
	phase := "alone"
	if len(found) > 0 {
		phase = "not alone"
	}
	if a.Spec.LoadBalancer || a.Status.ObservedGeneration == a.Generation && a.Status.Phase == phase {
		return reconcile.Result{}, nil
	}
	a.Status.ObservedGeneration, a.Status.Phase = a.Generation, phase
	return reconcile.Result{}, client.Status().Update(ctx, &a)
}

// two is a life in which two WebApps are created, at once or one after the other.
func two(t testing.TB, r reconcile.Reconciler, files ...[]string) explore.Subject {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	s.Controllers[0].Reads = "live"
	x := subject(t, s, r)
	x.Life = nil
	for _, together := range files {
		var acts []string
		for _, name := range together {
			text, ok := s.File(name)
			if !ok {
				t.Fatalf("no file %s", name)
			}
			acts = append(acts, sim.Act("apply", text).String())
		}
		x.Life = append(x.Life, acts)
	}
	return x
}

// What depends on the order in which things happen is found by another order, and
// by no fault.
func TestSchedules(t *testing.T) {
	together := [][]string{{"plain.yaml", "outside.yaml"}}
	apart := [][]string{{"plain.yaml"}, {"outside.yaml"}}
	for _, c := range []struct {
		name           string
		reconciler     reconcile.Func
		files          [][]string
		finding, kinds string
	}{
		{"a look and a create race", pool, together, judge.Duplicate, explore.TwoWorkers},
		{"who comes first", first, together, judge.Diverged, explore.Order},
		{"nobody tells it", alone, apart, judge.Diverged, explore.Resync},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := two(t, c.reconciler, c.files...)
			r := run(t, s, explore.Options{Faults: []string{"duplicate"}})
			i := slices.IndexFunc(r.Findings, func(f judge.Finding) bool { return f.Finding == c.finding && f.Fault == c.kinds })
			if i < 0 {
				t.Fatalf("no %s by %s in %s", c.finding, c.kinds, list(r.Findings))
			}
			if err := timeline.New(s.World).Replay(r.Findings[i].Choices); err != nil {
				t.Errorf("its choices do not repeat: %v", err)
			}
			if r.Bounds.Orders < 10 || !slices.Equal(r.Bounds.Schedules, explore.ScheduleKinds) {
				t.Errorf("bounds: %+v", r.Bounds)
			}
			none := run(t, s, explore.Options{Faults: []string{"duplicate"}, Schedules: []string{}})
			if len(none.Findings) > 0 || none.Bounds.Orders > 0 {
				t.Errorf("without schedules: %+v%s", none.Bounds, list(none.Findings))
			}
		})
	}
	if _, err := explore.New(two(t, reconcile.Func(pool), together...), explore.Options{Schedules: []string{"random"}}); err == nil {
		t.Error("an unknown kind of schedule is taken")
	}
}
