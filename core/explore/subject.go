package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Subject is what is explored: a world, and what its user does to it.
type Subject struct {
	// World returns the world of step 0, the same one each time; it is the
	// caller's.
	World func() *sim.World
	// Life is what the user does, each thing once the world is quiet: one action, or
	// several in a row.
	Life [][]string
	// Checks are what the scenario wants.
	Checks []judge.Check
	// Judges reports whether a finding counts in a grade: nil where all do.
	Judges func(finding string) bool
}

// Of is a scenario as a subject, with the reconcilers that it names.
func Of(s *scenario.Scenario) Subject {
	out := Subject{World: s.World, Life: life(s), Judges: s.Judges}
	for _, c := range s.Checks {
		out.Checks = append(out.Checks, judge.Check{Name: c.Name, Finding: c.Finding, For: c.For, At: c.At, About: c.About, Expr: c.Expr, Wants: c.Wants, Says: c.Says})
	}
	return out
}

// Invariant is what somebody wants of the state beside what the scenario wants.
type Invariant struct {
	// Name is what the finding calls it.
	Name string `json:"name"`
	// Expr is in jq over the state, {objects, cloud, cache, clock, revision}: it holds
	// where its last value is neither false nor null.
	Expr string `json:"expr"`
	// Always has it checked after every step that changes something, and not only at
	// rest.
	Always bool `json:"always,omitempty"`
}

// Wanting is a subject with invariants beside its checks.
func (s Subject) Wanting(all []Invariant) (Subject, error) {
	s.Checks = slices.Clip(s.Checks)
	for _, i := range all {
		switch {
		case i.Name == "" || strings.ContainsAny(i.Name, "{}\n"):
			return s, fmt.Errorf("an invariant has a name without braces, not %q", i.Name)
		case strings.TrimSpace(i.Expr) == "":
			return s, fmt.Errorf("invariant %q: its expression is empty", i.Name)
		case slices.ContainsFunc(s.Checks, func(c judge.Check) bool { return c.Name == i.Name }):
			return s, fmt.Errorf("invariant %q: there is another check of this name", i.Name)
		}
		at := judge.AtRestTime
		if i.Always {
			at = judge.Always
		}
		s.Checks = append(s.Checks, judge.Check{Name: i.Name, At: at, Expr: i.Expr, Says: fmt.Sprintf("the invariant %q does not hold", i.Name)})
	}
	return s, nil
}

// With is a scenario as a subject whose first controller runs r: how a
// reconciler written in Go is explored in a unit test.
func With(s *scenario.Scenario, r reconcile.Reconciler) (Subject, error) {
	config := s.Config()
	config.Controllers[0].New = func() reconcile.Reconciler { return r }
	first, err := sim.New(config)
	if err != nil {
		return Subject{}, err
	}
	subject := Of(s)
	subject.World = func() *sim.World { return first.Clone() }
	return subject, nil
}

// life is what the user of a scenario does: all that it starts with at once, and
// then its life, one action at a time.
func life(s *scenario.Scenario) [][]string {
	var first []string
	for _, choice := range s.Start {
		if a, err := sim.ParseAction(choice); err == nil && byUser(a.Verb) {
			first = append(first, choice)
		}
	}
	var out [][]string
	if len(first) > 0 {
		out = append(out, first)
	}
	return append(out, Each(s.Life...)...)
}

func byUser(verb string) bool {
	switch verb {
	case "apply", "delete", "recreate", "patch", "finalize", "unfinalize", "cloud", "shell":
		return true
	}
	return false
}

// Each makes a life of actions, each of which is made once the world is quiet.
func Each(choices ...string) [][]string {
	var out [][]string
	for _, c := range choices {
		out = append(out, []string{c})
	}
	return out
}
