package grade_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/jq"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
)

// A lesson passes with its solution, whatever single fault comes, and fails with the script that it begins
// with, for the reason that it states.
func TestLessons(t *testing.T) {
	useScripts(t)
	for _, name := range scenario.Names() {
		if !strings.HasPrefix(name, "lab-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, err := scenario.Load(name)
			if err != nil {
				t.Fatal(err)
			}
			solved, err := s.Solved()
			if err != nil {
				t.Fatal(err)
			}
			if g := graded(t, solved); !g.Passed {
				t.Errorf("with its solution:\n%s", told(g))
			}
			proved, err := explore.Run(explore.Of(solved), explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range proved.Findings {
				t.Errorf("its solution with the fault %s at %s: %s: %s", f.Fault, f.Call, f.Finding, f.Sentence)
			}
			g := graded(t, s)
			names := []string{}
			for _, f := range g.Findings {
				if !slices.Contains(names, f.Finding) {
					names = append(names, f.Finding)
				}
			}
			slices.Sort(names)
			want := slices.Sorted(slices.Values(s.Fails))
			if !slices.Equal(names, want) {
				t.Errorf("as it begins it has the findings %v, not %v:\n%s", names, want, told(g))
			}
		})
	}
}

// Lesson 0 demands what it teaches: a script that asks what there is, skips what is
// done and applies the rest passes it, without a finalizer or an observedGeneration.
func TestLessonZeroDemandsWhatItTeaches(t *testing.T) {
	useScripts(t)
	s, err := scenario.Load("lab-0")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.Cured("reconciler"); err != nil {
		t.Fatal(err)
	}
	g := graded(t, s)
	if !g.Passed {
		t.Errorf("list, skip and apply:\n%s", told(g))
	}
	for _, c := range g.Checks {
		switch c.Name {
		case judge.UnguardedCreate, judge.Orphan, judge.StaleStatus, judge.StuckDeletion:
			t.Errorf("it is graded by %s", c.Name)
		}
	}
}

func graded(t *testing.T, s *scenario.Scenario) *grade.Grade {
	t.Helper()
	g, err := grade.Run(s)
	if err != nil {
		t.Fatal(err)
	}
	if g.Skipped {
		t.Fatal("there are checks that were not made")
	}
	return g
}

// told lists the findings of a grade.
func told(g *grade.Grade) string {
	var b strings.Builder
	for _, f := range g.Findings {
		b.WriteString(f.Finding + " " + f.Object + " (" + f.Call + "): " + f.Sentence + "\n")
	}
	return b.String()
}

// useScripts has scenarios run bash and checks evaluate jq.
func useScripts(t *testing.T) {
	t.Helper()
	scenario.UseScripts(func(name, text string) (scenario.Script, error) {
		p, err := script.Compile(name, text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}, script.Shell)
	judge.UseExpressions(expression)
	judge.UseGuards(func(text string) (judge.Expression, error) { return new(jq.Checks).Guards(text) })
}

// expression reads a check.
func expression(text string) (judge.Expression, error) {
	p, err := jq.Compile(text, jq.Options{Vars: []string{"$o"}})
	if err != nil {
		return nil, err
	}
	return func(state, o *object.Map) (last any, err error) {
		var at any
		if o != nil {
			at = jq.FromTree(o)
		}
		for v, err := range p.Run(&jq.Runtime{}, jq.FromTree(state), at) {
			if err != nil {
				return nil, err
			}
			last = v
		}
		return jq.ToTree(last), nil
	}, nil
}
