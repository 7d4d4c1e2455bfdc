package app

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// failed is a lab at rest where the passes of keys only fail.
func failed(keys ...string) *engine.Delta {
	d := full(obj("WebApp", "plain", "10", ready))
	d.Timeline, d.Enabled, d.Queue = &engine.Timeline{Quiet: true, Step: 9, Length: 9}, &engine.EnabledView{}, &engine.QueueView{}
	for _, k := range keys {
		d.Queue.Items = append(d.Queue.Items, engine.QueueItem{Key: k, Failures: 8})
	}
	d.Pass = &sim.Pass{Key: "default/plain", Error: "some output\ncurl: command not found (exit status 127)" + strings.Repeat(" x", 200), EndEvent: 9}
	return d
}

// A world in which nothing happens but that passes fail is not called quiet.
func TestGuideOfFailingKeys(t *testing.T) {
	s := start(t, failed("default/plain", "default/other"))
	g := s.m.Guide()
	if !g.Bad || g.Good || g.Title != "2 keys fail." || g.Do != (OpenTab{TabLog}) {
		t.Errorf("guide %+v", g)
	}
	for _, want := range []string{"default/plain, default/other", "curl: command not found (exit status 127)", "…", "roll out another script"} {
		if !strings.Contains(g.Text, want) {
			t.Errorf("%q does not say %q", g.Text, want)
		}
	}
	if strings.Contains(g.Text, "some output") {
		t.Errorf("%q is not short", g.Text)
	}

	d := failed("default/plain")
	d.Scenario.Kind, d.Scenario.Cures = "incident", []scenario.CureHead{{Name: "a"}}
	d.Pass.Key = "default/another"
	g = start(t, d).m.Guide()
	if g.Title != "1 key fails." || !strings.Contains(g.Text, "switch on a cure") || strings.Contains(g.Text, "curl") || g.SecondDo != (ReadLesson{}) {
		t.Errorf("guide of an incident %+v", g)
	}

	d = failed()
	d.Queue.Items = []engine.QueueItem{{Key: "default/plain"}}
	if g = start(t, d).m.Guide(); g.Bad {
		t.Errorf("a key that only waits fails: %+v", g)
	}
	d = failed("default/plain")
	d.Timeline.Quiet = false
	if g = start(t, d).m.Guide(); g.Bad {
		t.Errorf("a run that goes on is judged: %+v", g)
	}
}

// The panels are told whether the end of the run was judged.
func TestPanelKnowsWhatWasJudged(t *testing.T) {
	for _, judged := range []bool{true, false} {
		d := full()
		d.Timeline = &engine.Timeline{Quiet: true, Judged: judged}
		s := start(t, d)
		s.do(OpenTab{TabFound})
		if now, _ := s.m.Panel(); strings.Contains(now, `"judged":true`) != judged || !strings.Contains(now, `"quiet":true`) {
			t.Errorf("judged %v: %s", judged, now)
		}
	}
}

// Prove says which program it plays: of a proof that was made, the one it was made with.
func TestPanelSaysWhatIsProved(t *testing.T) {
	s := start(t, full())
	s.do(OpenTab{TabProve})
	plays := func(want string) {
		t.Helper()
		if now, _ := s.m.Panel(); strings.Contains(now, `"plays"`) != (want != "") || want != "" && !strings.Contains(now, `"plays":"`+want+`"`) {
			t.Errorf("want %q played: %s", want, now)
		}
	}
	plays("")
	s.m.Files.List = append(s.m.Files.List, &File{Name: engine.ScriptName, Text: "x", Applied: "x"})
	plays(engine.ScriptName)
	s.m.Prove = &engine.ProveView{State: "done"}
	plays("")
	s.m.Prove = nil
	s.m.Scenario.Script = "own.sh"
	plays("own.sh")
}
