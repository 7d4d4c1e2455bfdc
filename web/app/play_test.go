package app

import (
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// Playing ends at what it is to go on until, and only there.
func TestPlayUntil(t *testing.T) {
	tick := engine.EnabledView{Items: []engine.EnabledItem{{Action: "tick", Default: true}}, Total: 1}
	for name, c := range map[string]struct {
		until Until
		delta engine.Delta
		goes  bool
	}{
		"until a change, and one comes":   {UntilChange, engine.Delta{Objects: delta(obj("WebApp", "plain", "11", ""))}, false},
		"until a change, and none comes":  {UntilChange, engine.Delta{}, true},
		"until a finding, and one comes":  {UntilFinding, engine.Delta{Found: []engine.FoundView{{Finding: "orphan"}}}, false},
		"until a finding, and none comes": {UntilFinding, engine.Delta{Objects: delta(obj("WebApp", "plain", "11", ""))}, true},
		"until quiet, and it is":          {UntilQuiet, engine.Delta{Timeline: &engine.Timeline{Quiet: true}}, false},
		"until stopped, and it is quiet":  {UntilStopped, engine.Delta{Timeline: &engine.Timeline{Quiet: true}, Enabled: &tick}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, full(obj("WebApp", "plain", "10", "")))
			s.m.Prefs.Until = c.until
			s.do(Play{})
			c.delta.EventsFrom = -1
			s.answer("step", sim.Event{N: 1, Action: "tick"}, &c.delta)
			s.do(PlayTick{1})
			if s.m.Playing != c.goes {
				t.Errorf("playing is %v", s.m.Playing)
			}
		})
	}
	s := start(t, full())
	s.do(Play{})
	s.do(Play{})
	if s.m.Playing {
		t.Error("pause does not pause while a step is under way")
	}
}

// However often one pauses, and whatever the speed becomes, one step follows another.
func TestPlayTicksOnce(t *testing.T) {
	s := start(t, full())
	s.do(Play{})
	s.answer("step", nil, nil)
	s.do(Play{})
	s.do(Play{})
	s.answer("step", nil, nil)
	if s.do(PlayTick{1}); len(s.sent) != 0 || len(s.last) != 0 {
		t.Errorf("what was asked for before the pause makes a step: %+v, %+v", s.sent, s.last)
	}
	s.do(SetSpeed{"10"})
	if len(s.sent) != 1 || !s.has(After{time.Second / 10, PlayTick{3}}) {
		t.Errorf("another speed begins with the next pause: %+v, %+v", s.sent, s.last)
	}
	s.answer("step", nil, nil)
	if s.do(PlayTick{2}); len(s.sent) != 0 || !s.m.Playing {
		t.Errorf("the old speed goes on beside the new one: %+v", s.sent)
	}
	s.do(PickScenario{"lab", true})
	s.answer("scenario", nil, full())
	if s.m.Playing {
		t.Error("what is opened is played at once")
	}
}

// What was played before is played again until the same.
func TestPlayUntilInThePast(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	at := func(n int) *engine.Delta {
		return &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: n, Length: 9}}
	}
	s.take(s.m.take(at(3)))
	s.m.Prefs.Until = UntilFinding
	s.m.Found = []engine.FoundView{{Finding: "orphan", Step: 5}}
	s.do(Play{})
	s.answer("seek", nil, at(4))
	if s.do(PlayTick{1}); !s.m.Playing {
		t.Fatal("it ends before the finding")
	}
	s.answer("seek", nil, at(5))
	if s.m.Playing {
		t.Error("it goes on after the finding")
	}
}

// Playing asks before each step that can be foreseen, and goes on with the answer;
// who closes the question has stopped it.
func TestPlayPredicted(t *testing.T) {
	s := start(t, full())
	s.m.Enabled.Items = []engine.EnabledItem{{Action: "deliver c webapps", Default: true}}
	s.do(TogglePredict{})
	s.do(Play{})
	s.do(PlayTick{1})
	if s.m.Sheet.Kind != "predict" || len(s.sent) != 0 || !s.m.Playing {
		t.Fatalf("the sheet is %+v, sent %+v", s.m.Sheet, s.sent)
	}
	s.do(Predicted{AtOnce})
	if len(s.sent) != 1 || s.sent[0].Method != "step" {
		t.Fatalf("sent %+v", s.sent)
	}
	s.do(PlayTick{1})
	s.answer("step", sim.Event{N: 1, Action: "x", Facts: []sim.Fact{{Kind: sim.FactQueued}}}, nil)
	if s.m.Score != (Score{1, 1}) {
		t.Errorf("the score is %+v", s.m.Score)
	}
	if s.do(PlayTick{1}); s.m.Sheet.Kind != "predict" {
		t.Errorf("the next step is not asked about: %+v", s.m.Sheet)
	}
	s.do(CloseAll{})
	if s.do(PlayTick{1}); s.m.Playing || len(s.sent) != 0 {
		t.Errorf("it plays on after the question was closed: %+v", s.sent)
	}
}

// In predict mode a step that can be foreseen is asked about first; the answer is
// held against what the step did.
func TestPredictMode(t *testing.T) {
	write := sim.Event{N: 1, Action: "call c default/plain", Facts: []sim.Fact{{Kind: sim.FactCall}, {Kind: sim.FactWrite}}}
	ended := sim.Event{N: 1, Action: "call c default/plain", Facts: []sim.Fact{{Kind: sim.FactEnded, Outcome: "after", Delay: 30}}}
	failed := sim.Event{N: 1, Action: "call c default/plain", Facts: []sim.Fact{{Kind: sim.FactEnded, Outcome: "backoff", Delay: 5}}}
	queues := func(keys ...string) sim.Event {
		ev := sim.Event{N: 1, Action: "deliver c webapps"}
		for _, k := range keys {
			ev.Facts = append(ev.Facts, sim.Fact{Kind: sim.FactQueued, Process: "c", Key: k})
		}
		return ev
	}
	for name, c := range map[string]struct {
		item   engine.EnabledItem
		answer string
		event  sim.Event
		right  int
	}{
		"a write that changes":      {engine.EnabledItem{Action: "call c default/plain", Detail: "update X"}, Yes, write, 1},
		"a write that does not":     {engine.EnabledItem{Action: "call c default/plain", Detail: "update X"}, Yes, sim.Event{N: 1, Action: "x"}, 0},
		"a read that ends the pass": {engine.EnabledItem{Action: "call c default/plain", Detail: "get X"}, Later, ended, 1},
		"a read with more to come":  {engine.EnabledItem{Action: "call c default/plain", Detail: "get X"}, Done, sim.Event{N: 1, Action: "x"}, 0},
		"a read that fails":         {engine.EnabledItem{Action: "call c default/plain", Detail: "get X"}, AtOnce, failed, 1},
		"an event that queues":      {engine.EnabledItem{Action: "deliver c webapps"}, AtOnce, queues("default/other"), 1},
		"one for a key in hand":     {engine.EnabledItem{Action: "deliver c webapps"}, Later, queues("default/held"), 1},
		"one for a key that waits":  {engine.EnabledItem{Action: "deliver c webapps"}, Already, queues("default/waits"), 1},
		"one for several keys":      {engine.EnabledItem{Action: "deliver c webapps"}, AtOnce, queues("default/waits", "default/other"), 1},
	} {
		t.Run(name, func(t *testing.T) {
			d := full()
			c.item.Default = true
			d.Enabled.Items = []engine.EnabledItem{c.item}
			d.Queue = &engine.QueueView{Items: []engine.QueueItem{{Process: "c", Key: "default/waits", Ready: true}}, Processing: []string{"default/held"}}
			s := start(t, d)
			s.do(TogglePredict{})
			s.do(Step{})
			if s.m.Sheet.Kind != "predict" || len(s.sent) != 0 {
				t.Fatalf("the sheet is %+v, sent %+v", s.m.Sheet, s.sent)
			}
			s.do(Predicted{c.answer})
			if len(s.sent) != 1 || s.sent[0].Action != c.item.Action || s.m.Sheet.Kind != "" {
				t.Fatalf("sent %+v", s.sent)
			}
			s.answer("step", c.event, nil)
			if s.m.Score != (Score{c.right, 1}) || len(s.m.Toasts) != 1 || !strings.Contains(s.m.Toasts[0].Text, "of 1 right") {
				t.Errorf("the score is %+v, toasts %+v", s.m.Score, s.m.Toasts)
			}
		})
	}
	s := start(t, full())
	s.m.Enabled.Items = []engine.EnabledItem{{Action: "tick", Default: true}}
	s.do(TogglePredict{})
	s.do(Step{})
	if len(s.sent) != 1 {
		t.Error("a tick is asked about")
	}
}

// Call and Run go step by step where each is to be predicted: to the next call, and until
// nothing is left or the question is closed.
func TestCallAndRunArePredicted(t *testing.T) {
	s := start(t, full())
	next := func(action string) {
		s.m.Enabled.Items = []engine.EnabledItem{{Action: action, Default: true}}
	}
	takes := func(action string) {
		t.Helper()
		if len(s.sent) != 1 || s.sent[0].Method != "step" || s.sent[0].Action != action {
			t.Fatalf("sent %+v, want step %s", s.sent, action)
		}
	}
	done := func(now string) {
		next(now)
		s.answer("step", sim.Event{N: 1, Action: "x"}, nil)
	}
	s.do(TogglePredict{})
	next("start c default/plain")
	s.do(StepCall{})
	takes("start c default/plain")
	if done("call c default/plain"); s.m.Sheet.Kind != "predict" || len(s.sent) != 0 {
		t.Fatalf("the call is not asked about: %+v, sent %+v", s.m.Sheet, s.sent)
	}
	s.do(Predicted{Yes})
	takes("call c default/plain")
	if done("deliver c webapps"); s.m.Sheet.Kind != "" || len(s.sent) != 0 {
		t.Fatalf("Call goes on: %+v, sent %+v", s.m.Sheet, s.sent)
	}
	s.do(Run{})
	s.do(SkipQuestion{})
	takes("deliver c webapps")
	done("gc")
	takes("gc")
	done("call c default/plain")
	s.do(CloseAll{})
	if s.m.Sheet.Kind != "" || len(s.sent) != 0 {
		t.Fatalf("a closed question goes on: %+v, sent %+v", s.m.Sheet, s.sent)
	}
	s.m.Timeline.Quiet = true
	if s.do(Run{}); len(s.sent) != 1 || s.sent[0].Method != "run" {
		t.Errorf("where nothing is left %+v is sent", s.sent)
	}
}

// What is read meanwhile stays: a predicted Run and playing end there.
func TestAQuestionTakesNoSheetsPlace(t *testing.T) {
	for name, begin := range map[string]Msg{"run": Run{}, "play": Play{}} {
		t.Run(name, func(t *testing.T) {
			s := start(t, full())
			s.do(TogglePredict{})
			s.m.Enabled.Items = []engine.EnabledItem{{Action: "gc", Default: true}}
			s.do(begin)
			s.do(OpenHelp{})
			s.m.Enabled.Items = []engine.EnabledItem{{Action: "call c default/plain", Default: true}}
			s.answer("step", sim.Event{N: 1, Action: "gc"}, nil)
			s.do(PlayTick{1})
			if s.m.Sheet.Kind != "help" || len(s.sent) != 0 || s.m.Playing {
				t.Errorf("the sheet is %+v, sent %+v, playing %t", s.m.Sheet, s.sent, s.m.Playing)
			}
		})
	}
}

// Of a long queue the page knows the beginning: whether a key is in it is not asked.
func TestALongQueueIsNotAskedAbout(t *testing.T) {
	s := start(t, full())
	s.do(TogglePredict{})
	s.m.Enabled.Items = []engine.EnabledItem{{Action: "deliver c webapps", Default: true}}
	s.m.Queue.Total = len(s.m.Queue.Items) + 1
	if s.do(Step{}); s.m.Sheet.Kind != "" || len(s.sent) != 1 {
		t.Errorf("the sheet is %+v, sent %+v", s.m.Sheet, s.sent)
	}
}

// A Run that is asked for while a step is under way goes on from that step.
func TestAPredictedRunWaitsForTheStepUnderWay(t *testing.T) {
	s := start(t, full())
	s.do(TogglePredict{})
	s.m.Enabled.Items = []engine.EnabledItem{{Action: "gc", Default: true}}
	s.do(Step{})
	if s.do(Run{}); len(s.sent) != 1 {
		t.Fatalf("sent %+v", s.sent)
	}
	if s.answer("step", sim.Event{N: 1, Action: "gc"}, nil); len(s.sent) != 1 || s.sent[0].Method != "step" {
		t.Fatalf("after the step %+v is sent", s.sent)
	}
	s.m.Timeline.Quiet = true
	if s.answer("step", sim.Event{N: 2, Action: "gc"}, nil); len(s.sent) != 0 {
		t.Errorf("at rest %+v is sent", s.sent)
	}
}

// The plots are asked for when their tab is opened, and again when the run has
// gone on.
func TestPlotsAreAskedFor(t *testing.T) {
	s := start(t, full())
	s.do(OpenTab{TabPlots})
	s.answer("plots", engine.Plots{T: []float64{0}}, nil)
	if _, ok := effect[DrawPlots](s.last); !ok || s.m.Plots == nil {
		t.Fatalf("effects %+v", s.last)
	}
	s.do(Step{})
	s.answer("step", sim.Event{N: 1, Action: "x"}, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 1}})
	if len(s.sent) != 1 || s.sent[0].Method != "plots" {
		t.Errorf("after a step: %+v", s.sent)
	}
}

// An exploration is told of on its way, and its answer is kept; a refusal says
// why.
func TestProvingAndGrading(t *testing.T) {
	s := start(t, full())
	s.do(Prove{})
	if len(s.sent) != 1 || s.sent[0].Method != "prove" || s.m.Drawer != TabProve || !s.m.Proving() {
		t.Fatalf("sent %+v, the drawer shows %s", s.sent, s.m.Drawer)
	}
	id := s.sent[0].ID
	s.take(s.m.Update(FromEngine{engine.Reply{ID: id, Delta: &engine.Delta{EventsFrom: -1, Prove: &engine.ProveView{State: "running", Done: 3, Total: 9}}}}))
	if s.m.Prove.Done != 3 {
		t.Errorf("it is at %+v", s.m.Prove)
	}
	s.do(Prove{})
	if len(s.sent) != 1 {
		t.Error("a second exploration begins beside the first")
	}
	s.answer("prove", nil, &engine.Delta{EventsFrom: -1, Prove: &engine.ProveView{State: "done", Done: 9, Total: 9, Bounds: &engine.ProveBounds{}}})
	if s.m.Proving() {
		t.Error("it is still under way")
	}
	s.do(PanelAct{"send", `{"method":"openRun","text":"[\"tick\"]"}`})
	if len(s.sent) != 1 || s.sent[0].Method != "openRun" || s.sent[0].Text != `["tick"]` {
		t.Errorf("sent %+v", s.sent)
	}
	s.answer("openRun", nil, nil)
	s.do(Grade{})
	s.answer("grade", `{"passed":false,"checks":[{"name":"child","expected":"a","happened":"b"}]}`, nil)
	if s.m.Grade == nil || s.m.Grade.Passed || len(s.m.Grade.Checks) != 1 || s.m.Grade.Checks[0].Happened != "b" {
		t.Errorf("the grade is %+v", s.m.Grade)
	}
	s.do(PanelAct{"send", `{"method":"openRun","text":"[\"tick\"]"}`})
	kept := []engine.KeptRun{{ID: 3}}
	s.answer("openRun", nil, &engine.Delta{Full: true, EventsFrom: 0, Kept: kept})
	if g := s.m.Guide(); g.Button != s.m.Words.Lesson("shownDo") || g.Do != (BackToMine{}) {
		t.Errorf("while a run is open that shows what was found the bar says %+v", g)
	}
	s.do(PanelAct{"send", `{"method":"openRun","text":"[]"}`})
	s.answer("openRun", nil, &engine.Delta{Full: true, EventsFrom: 0, Kept: append(kept, engine.KeptRun{ID: 4})})
	s.do(DoNext{})
	if len(s.sent) != 1 || s.sent[0].Method != "takeUp" || s.sent[0].N != 3 {
		t.Errorf("to go back %+v is sent", s.sent)
	}
	s.answer("takeUp", nil, &engine.Delta{Full: true, EventsFrom: 0})
	if s.m.Shown || s.m.Mine != 0 || s.m.Grade == nil || s.m.Prove == nil {
		t.Errorf("back: shown %v, mine %d, grade %+v, prove %+v", s.m.Shown, s.m.Mine, s.m.Grade, s.m.Prove)
	}
	s.do(PanelAct{"send", `{"method":"openRun","text":"[]"}`})
	s.answer("openRun", nil, &engine.Delta{Full: true, EventsFrom: 0, Kept: append(kept, engine.KeptRun{ID: 5})})
	s.do(DropKept{5, true})
	s.answer("dropKept", nil, &engine.Delta{EventsFrom: -1, Kept: kept})
	if s.do(BackToMine{}); len(s.sent) != 1 || s.sent[0].Method != "cure" {
		t.Errorf("where what was kept is gone, to go back %+v is sent", s.sent)
	}
	s.answer("cure", nil, &engine.Delta{Full: true, EventsFrom: 0})
	s.do(PanelAct{"send", `{"method":"openRun","text":"[]"}`})
	s.answer("openRun", nil, &engine.Delta{Full: true, EventsFrom: 0, Kept: kept})
	if s.do(BackToMine{}); len(s.sent) != 1 || s.sent[0].Method != "cure" {
		t.Errorf("where nothing was kept, to go back %+v is sent", s.sent)
	}
	s.answer("cure", nil, &engine.Delta{Full: true, EventsFrom: 0})
	s.do(Prove{})
	s.refuse("prove", &engine.Error{Message: "no scripts"})
	if s.m.ProveError != "no scripts" || s.m.Proving() {
		t.Errorf("refused: %q, %+v", s.m.ProveError, s.m.Prove)
	}
}
