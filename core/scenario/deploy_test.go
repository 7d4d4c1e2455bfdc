package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// A program that is rolled out takes the old one's place as a crash and a new process do: what was in memory is gone,
// the cluster is as it was, and copies and replays run the new one.
func TestDeployIsANewProcess(t *testing.T) {
	w := wordsWorld(t, "remember old\n")
	choose(t, w, "start controller default/a")
	before := w.Clone()
	revision := w.Server().Revision()

	if _, err := w.Choose(`deploy controller words.sh "get a\n  wrong\n"`); err == nil {
		t.Fatal("a program that does not compile was deployed")
	} else if in := new(sim.InputError); !errors.As(err, &in) || in.Line != 2 || in.Col != 3 {
		t.Fatalf("%v at %+v, want line 2, column 3", err, in)
	}
	if w.StepNumber() != before.StepNumber() || !w.Processes()[0].Running {
		t.Fatal("a refused program changed the world")
	}

	const roll = `deploy controller words.sh "remember new\nget a\n"`
	if e := choose(t, w, roll); !strings.Contains(e.String(), "process process=controller verb=crashed") {
		t.Errorf("%s: no crash of the old process", e)
	}
	if got := w.Processes()[0].Program; got != (sim.Program{Name: "words.sh", Text: "remember new\nget a\n"}) {
		t.Errorf("the process runs %+v", got)
	}
	if w.Server().Revision() != revision {
		t.Error("rolling out changed the cluster")
	}
	if _, err := w.Choose(roll); !errors.Is(err, sim.ErrNotEnabled) {
		t.Errorf("the same text once more: %v", err)
	}
	choose(t, w, "list controller configmaps")
	choose(t, w, "start controller default/a")
	copied := w.Clone()
	choose(t, w, "call controller default/a")
	choose(t, copied, "call controller default/a")
	for _, w := range []*sim.World{w, copied} {
		passes := w.Passes()
		if log := passes[len(passes)-1].Log; log != "ConfigMap configmaps  v1\nremembered\na rv 1005" {
			t.Errorf("the new program said %q", log)
		}
	}
	// A crash by hand brings the deployed program back, not the scenario's.
	choose(t, w, "crash controller")
	choose(t, w, "restart controller")
	if w.Processes()[0].Program.Text != "remember new\nget a\n" {
		t.Error("after a crash the old program runs")
	}
}

func TestDeployNeedsAProgram(t *testing.T) {
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.World().Choose(`deploy controller reconcile.sh ":"`); !errors.Is(err, sim.ErrNoPrograms) {
		t.Errorf("%v, want ErrNoPrograms", err)
	}
}
