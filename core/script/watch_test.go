package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// begun is the lab as it begins, without or with what its controller makes of it.
func begun(t *testing.T, rested bool) *sim.World {
	t.Helper()
	s := labScenario(t)
	w := s.World()
	for _, c := range s.Start {
		a, err := sim.ParseAction(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Step(a); err != nil {
			t.Fatal(err)
		}
	}
	for a, rest := w.NextInRun(); rested && rest == sim.Going; a, rest = w.NextInRun() {
		if _, err := w.Step(a); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// atTerminal runs a line in a world as the page does: up to its end, or until the world goes no further and it is
// interrupted. Each time the world is looked at it is a clone, as in a run that is
// looked back at.
func atTerminal(t *testing.T, at **sim.World, line string) (out sim.Fact, rest sim.Rest, passed time.Duration) {
	t.Helper()
	w := (*at).Clone()
	began := w.Now()
	a := sim.Act("shell", line)
	for range 5000 {
		ev, err := w.Step(a)
		if err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		for _, f := range ev.Facts {
			if f.Kind == sim.FactOutput {
				*at = w
				return f, rest, w.Now().Sub(began)
			}
		}
		if a, rest = w.NextInRun(); rest != sim.Going {
			a = sim.Act("interrupt")
		}
		w = w.Clone()
	}
	t.Fatalf("%s does not end", line)
	return out, rest, passed
}

// A line that is interrupted has printed what it printed, and runs nothing more. A watch without an end ends with the
// world's rest; what goes by the clock does not.
func TestInterruptedLines(t *testing.T) {
	for _, c := range []struct {
		line     string
		has, not string
		code     int
		rest     sim.Rest
		least    time.Duration
		most     time.Duration
	}{
		{"kubectl get webapps -w; echo after", "NAME", "after", 130, sim.Quiet, 0, time.Minute},
		{"kubectl get webapps -w -o name | grep plain", "webapp.lab.example.com/plain\nwebapp.lab.example.com/plain\n", "outside", 130, sim.Quiet, 0, time.Minute},
		{"x=$(kubectl get webapps -w); echo $x", "", "NAME", 130, sim.Quiet, 0, time.Minute},
		{"while true; do kubectl get webapps -w; done", "plain", "", 130, sim.Quiet, 0, time.Minute},
		{"kubectl events -w; echo after", "", "after", 130, sim.Quiet, 0, time.Minute},
		{"echo before; sleep 1h; echo after", "before\n", "after", 130, sim.TimeUp, 0, 11 * time.Minute},
		{"sleep 2m; echo after", "after\n", "", 0, sim.Going, 2 * time.Minute, 3 * time.Minute},
		{"timeout 3m kubectl get webapps -w; echo $?", "124\n", "", 0, sim.Going, 3 * time.Minute, 4 * time.Minute},
		{"kubectl wait --for=condition=Nothing webapp plain --timeout=4m; echo after", "after\n", "", 0, sim.Going, 4 * time.Minute, 5 * time.Minute},
	} {
		t.Run(c.line, func(t *testing.T) {
			w := begun(t, false)
			out, rest, passed := atTerminal(t, &w, c.line)
			if !strings.Contains(out.Text, c.has) || c.not != "" && strings.Contains(out.Text, c.not) || out.Code != c.code || rest != c.rest {
				t.Errorf("%d, %s: %q, %q", out.Code, rest, out.Text, out.Stderr)
			}
			if passed < c.least || passed > c.most {
				t.Errorf("it took %s, want %s to %s", passed, c.least, c.most)
			}
		})
	}
}

// A watch shows all that the controller does until the world is at rest, and its last state; of a world at rest it shows
// what is there, and no time passes.
func TestAWatchSeesTheWorldComeToRest(t *testing.T) {
	line := "kubectl get webapps plain -w -o 'jsonpath={.metadata.resourceVersion}{\"\\n\"}'"
	fresh, other, rested := begun(t, false), begun(t, false), begun(t, true)
	out, _, _ := atTerminal(t, &fresh, line)
	again, _, _ := atTerminal(t, &other, line)
	rows := strings.Fields(out.Text)
	if len(rows) < 2 || out.Text != again.Text {
		t.Errorf("it printed %q, and once more %q", out.Text, again.Text)
	}
	out, _, passed := atTerminal(t, &rested, line)
	if got := strings.Fields(out.Text); len(got) != 1 || got[0] == rows[0] || passed != 0 {
		t.Errorf("at rest it printed %q in %s", out.Text, passed)
	}
	if !fresh.Quiet() || !rested.Quiet() {
		t.Error("a look has ended the world's rest")
	}
	// What is written to a file until then stays.
	atTerminal(t, &fresh, "kubectl get webapps -w > seen")
	if out, _, _ = atTerminal(t, &fresh, "cat seen"); !strings.HasPrefix(out.Text, "NAME") {
		t.Errorf("the file holds %q", out.Text)
	}
}
