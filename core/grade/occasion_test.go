package grade_test

import (
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

func idle(g *grade.Grade) []string {
	names := []string{}
	for _, c := range g.Checks {
		if c.NoOccasion {
			names = append(names, c.Name)
		}
	}
	return names
}

// What a script that does nothing is not asked is told apart from what holds; the
// solution of the whole lab is asked everything.
func TestOccasions(t *testing.T) {
	useScripts(t)
	load := func(name string, solved bool) *scenario.Scenario {
		s, err := scenario.Load(name)
		if err == nil && solved {
			s, err = s.Solved()
		}
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if got := idle(graded(t, load("lab-7", true))); len(got) > 0 {
		t.Errorf("the solution of lesson 7 has no occasion for %v", got)
	}
	g := graded(t, load("lab-1", false))
	want := []string{"child-label", "child-owner", "child-message", "child-replicas", "unguarded-create", "duplicate", "orphan", "stuck-deletion",
		"foreign-write", "lost-update", "status-through-spec", "stale-status", "error-for-missing-dependency", "no-requeue", "not-idempotent", "lastTransitionTime"}
	if got := idle(g); !slices.Equal(got, want) {
		t.Errorf("lesson 1 as it begins has no occasion for\n%v, not\n%v", got, want)
	}
	for _, c := range g.Checks {
		if c.NoOccasion && (!c.Passed || c.Happened != "no occasion yet") {
			t.Errorf("%s: %+v", c.Name, c)
		}
	}
	// What fails had an occasion; so had what a solution is graded by.
	if g := graded(t, load("lab-6", true)); !g.Passed || slices.Contains(idle(g), "unguarded-create") || slices.Contains(idle(g), "stuck-deletion") {
		t.Errorf("lesson 6, solved: %v", idle(g))
	}
}

// What any reconciler owes has failed where a check of the scenario finds it: a script that writes no status has one
// that is behind.
func TestFoundByACheckOfTheScenario(t *testing.T) {
	useScripts(t)
	s, err := scenario.Load("lab-1")
	if err != nil {
		t.Fatal(err)
	}
	s.Checks = append(s.Checks, scenario.Check{Name: "mine", For: "WebApp", Finding: judge.StaleStatus, Expr: "$o.status.observedGeneration == $o.metadata.generation"})
	g := graded(t, s)
	if !slices.ContainsFunc(g.Findings, func(f judge.Finding) bool { return f.Finding == judge.StaleStatus }) {
		t.Fatalf("it is not found: %+v", g.Findings)
	}
	for _, name := range []string{"mine", judge.StaleStatus} {
		i := slices.IndexFunc(g.Checks, func(c grade.Check) bool { return c.Name == name })
		if c := g.Checks[i]; c.Passed || c.NoOccasion || c.Finding != judge.StaleStatus || c.Count == 0 {
			t.Errorf("it is found, and the check is %+v", c)
		}
	}
}
