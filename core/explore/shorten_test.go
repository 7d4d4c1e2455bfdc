package explore_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// live is the lab with a reconciler that reads from the server.
func live(t testing.TB, r reconcile.Reconciler) explore.Subject {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	s.Controllers[0].Reads = "live"
	return subject(t, s, r)
}

// userActs are the choices that the user makes.
func userActs(choices []string) []string {
	var out []string
	for _, c := range choices {
		if a, _ := sim.ParseAction(c); slices.Contains([]string{"apply", "patch", "delete", "unfinalize"}, a.Verb) {
			out = append(out, c)
		}
	}
	return out
}

// shows plays choices from the beginning and goes on to rest, as reconcile run
// does, and returns what is wrong on the way and in the end.
func shows(t *testing.T, s explore.Subject, choices []string) []judge.Finding {
	t.Helper()
	w := s.World()
	m := judge.NewMonitor(w, nil)
	for _, c := range choices {
		e, err := w.Choose(c)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		m.See(w, e)
	}
	for {
		a, rest := w.NextInRun()
		if rest != sim.Going {
			return append(m.Findings(), m.AtRest(w, rest)...)
		}
		e, err := w.Step(a)
		if err != nil {
			t.Fatal(err)
		}
		m.See(w, e)
	}
}

// In a long life the choices of a finding have only what is needed to see it, and
// they show it.
func TestShortestChoices(t *testing.T) {
	for _, c := range []struct {
		name     string
		mistakes mistakes
		finding  string
		// acts is how many acts of the user's are needed at least.
		acts int
	}{
		{"a failed list is swallowed", mistakes{swallow: true}, judge.Orphan, 2},
		{"a failed get is gone", mistakes{vanish: true}, judge.StuckDeletion, 2},
		{"a create without a look", mistakes{blind: true}, judge.Duplicate, 1},
		{"the finalizer first", mistakes{late: true}, judge.Orphan, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := live(t, c.mistakes)
			r := run(t, s, explore.Options{Schedules: []string{}})
			i := slices.IndexFunc(r.Findings, func(f judge.Finding) bool { return f.Finding == c.finding && f.Fault != "" })
			if i < 0 {
				t.Fatalf("no %s in %s", c.finding, list(r.Findings))
			}
			f := r.Findings[i]
			if acts := userActs(f.Choices); len(acts) != c.acts {
				t.Errorf("of the life are needed %d acts, the choices have %q", c.acts, acts)
			}
			if n := len(slices.DeleteFunc(slices.Clone(f.Choices), func(c string) bool { return !strings.HasPrefix(c, "fault ") })); n != 1 {
				t.Errorf("%d faults in %q", n, f.Choices)
			}
			if found := shows(t, s, f.Choices); !slices.ContainsFunc(found, func(g judge.Finding) bool { return g.Finding == f.Finding && g.Object == f.Object }) {
				t.Errorf("the choices do not show %s of %s but %s", f.Finding, f.Object, list(found))
			}
		})
	}
}

// What goes wrong without a fault is shortened as well.
func TestShortestWithoutFaults(t *testing.T) {
	s := live(t, mistakes{unguarded: true})
	r := run(t, s, explore.Options{Faults: []string{"stale"}, Schedules: []string{}})
	if len(r.Findings) == 0 || r.Findings[0].Finding != judge.UnguardedCreate || r.Findings[0].Fault != "" {
		t.Fatalf("no unguarded create in %s", list(r.Findings))
	}
	f := r.Findings[0]
	if acts := userActs(f.Choices); len(acts) != 1 || len(f.Choices) > 10 {
		t.Errorf("one act is enough, the %d choices have %q", len(f.Choices), acts)
	}
	if found := shows(t, s, f.Choices); !slices.ContainsFunc(found, func(g judge.Finding) bool { return g.Finding == f.Finding && g.Object == f.Object }) {
		t.Errorf("the choices do not show %s of %s but %s", f.Finding, f.Object, list(found))
	}
}

// A pair is shortened as a single fault is.
func TestShortestPairs(t *testing.T) {
	s := live(t, reconcile.Func(twice))
	r := run(t, s, explore.Options{Faults: []string{"refused", "cloud-error"}, Schedules: []string{}, Depth: 2})
	i := slices.IndexFunc(r.Findings, func(f judge.Finding) bool { return strings.Contains(f.Fault, "+") })
	if i < 0 {
		t.Fatalf("nothing needs two faults: %s", list(r.Findings))
	}
	if acts := userActs(r.Findings[i].Choices); len(acts) > 2 {
		t.Errorf("two acts are enough, the choices have %q", acts)
	}
}

// gaveUp is what twice writes when it fails for the first time.
const gaveUp = "lab.example.com/tried"

// twice deletes a load balancer in two tries, and then lets go.
func twice(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var a reconcile.WebApp
	if err := client.Get(ctx, req, &a); err != nil {
		return reconcile.Result{}, reconcile.IgnoreNotFound(err)
	}
	if a.DeletionTimestamp == nil || !reconcile.ContainsFinalizer(&a, finalizer) {
		return mistakes{}.Reconcile(ctx, req)
	}
	found, err := cloud.List(ctx, "lb", map[string]string{"webapp": req.String()})
	p := reconcile.MergeFromWithOptimisticLock(&a)
	if err != nil && a.Annotations[gaveUp] == "" {
		a.Annotations = map[string]string{gaveUp: "once"}
		if err := client.Patch(ctx, &a, p); err != nil {
			return reconcile.Result{}, err
		}
		return reconcile.Result{}, err
	}
	for _, lb := range found {
		if err := cloud.Delete(ctx, "lb", lb.ID); err != nil && !reconcile.IsGone(err) {
			return reconcile.Result{}, err
		}
	}
	reconcile.RemoveFinalizer(&a, finalizer)
	return reconcile.Result{}, client.Patch(ctx, &a, p)
}
