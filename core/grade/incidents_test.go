package grade_test

import (
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// What is told in acts ends as its file says, and the findings of the run are those
// that it names: nothing else is wrong with a broken form, and nothing with a cure but
// what it says. Each act says what happens in it.
func TestStories(t *testing.T) {
	useScripts(t)
	told := 0
	for _, name := range scenario.Names() {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Kind != "incident" && s.Outcome == nil {
			continue
		}
		told++
		forms := map[string]*scenario.Scenario{"": s}
		for _, c := range s.Cures {
			if forms[c.Name], err = s.Cured(c.Name); err != nil {
				t.Fatal(err)
			}
		}
		says := map[string]string{}
		for _, cure := range append([]string{""}, cureNames(s)...) {
			t.Run(name+"/"+cure, func(t *testing.T) {
				form := forms[cure]
				if form.Outcome == nil {
					form.Outcome = &scenario.Outcome{Says: cure}
				}
				if other, ok := says[form.Outcome.Says]; ok {
					t.Errorf("it ends as with the cure %q: %s", other, form.Outcome.Says)
				}
				says[form.Outcome.Says] = cure
				blocks, err := form.RunSteps()
				if err != nil {
					t.Fatal(err)
				}
				choices := slices.Clone(form.Start)
				shown := false
				for _, b := range blocks {
					if len(b.Says()) < 20 || len(b.Choices) == 0 {
						t.Errorf("line %d: an act that says %q and makes %d choices", b.Line, b.Says(), len(b.Choices))
					}
					shown = b.Checked && b.Want != ""
					choices = append(choices, b.Choices...)
				}
				if !shown {
					t.Error("the last act shows nothing")
				}
				want := slices.Sorted(slices.Values(form.Outcome.Finds))
				if got := foundIn(t, form, choices); !slices.Equal(names(got), want) {
					t.Errorf("it has the findings %v, not %v", names(got), want)
					for _, f := range got {
						t.Logf("%s %s (%s): %s", f.Finding, f.Object, f.Call, f.Sentence)
					}
				}
			})
		}
	}
	if told < 18 {
		t.Errorf("%d stories", told)
	}
}

func cureNames(s *scenario.Scenario) []string {
	var out []string
	for _, c := range s.Cures {
		out = append(out, c.Name)
	}
	return out
}

func names(found []judge.Finding) []string {
	out := []string{}
	for _, f := range found {
		if !slices.Contains(out, f.Finding) {
			out = append(out, f.Finding)
		}
	}
	slices.Sort(out)
	return out
}

// foundIn plays choices and judges where they end: a loop is what it comes to by itself.
func foundIn(t *testing.T, s *scenario.Scenario, choices []string) []judge.Finding {
	t.Helper()
	w := s.World()
	defer w.Release()
	m := judge.NewMonitor(w, nil)
	for _, c := range choices {
		ev, err := w.Choose(c)
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		m.See(w, ev)
	}
	var rest []judge.Finding
	if _, how := w.NextInRun(); how != sim.Going {
		rest = m.AtRest(w, how)
	} else {
		on := w.Clone()
		defer on.Release()
		a, how := on.NextInRun()
		for ; how == sim.Going; a, how = on.NextInRun() {
			if _, err := on.Step(a); err != nil {
				t.Fatal(err)
			}
		}
		if how == sim.Spinning {
			rest = m.AtRest(w, how)
		}
	}
	return slices.DeleteFunc(judge.Suppress(slices.Concat(m.Findings(), rest)), func(f judge.Finding) bool { return !s.Judges(f.Finding) })
}
