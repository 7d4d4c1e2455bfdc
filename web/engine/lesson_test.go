package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// How far a person has come is kept as it was said: over a reload, another scenario, and an engine that takes over.
func TestProgressIsKept(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	const said = `{"lab-1":{"passed":true}}`
	p.do(Command{Method: "progress", Text: said})
	if string(p.last.Progress) != said {
		t.Errorf("the page was told %s", p.last.Progress)
	}
	p.do(Command{Method: "step"})
	if p.last.Progress != nil {
		t.Errorf("a step tells the progress again: %s", p.last.Progress)
	}
	p.do(Command{Method: "scenario", Name: "incident-stuck-finalizer"})
	if r := p.try(Command{Method: "progress", Text: "{"}); r.Error == nil || r.Error.Reason != "BadInput" {
		t.Errorf("half a text is taken: %+v", r.Error)
	}
	if again := open(t, port); string(again.last.Progress) != said {
		t.Errorf("after a reload it is %s", again.last.Progress)
	}
	second := &page{t: t, port: port, engine: New(port), objects: map[string]ObjectDelta{}}
	if err := second.engine.TakeOver(p.engine.HandOver(), port.all(), nil); err != nil {
		t.Fatal(err)
	}
	second.take()
	if string(second.last.Progress) != said {
		t.Errorf("the engine that took over says %s", second.last.Progress)
	}
}

// The page judges a run by what the scenario wants, too, where there is what evaluates it.
func TestFoundByTheScenariosChecks(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	if len(p.last.Found) > 0 {
		t.Fatalf("without checks the lab's run has %+v", p.last.Found)
	}
	judge.UseExpressions(func(string) (judge.Expression, error) {
		return func(_, _ *object.Map) (any, error) { return false, nil }, nil
	})
	t.Cleanup(func() { judge.UseExpressions(nil) })
	p = open(t, newMemory())
	p.do(Command{Method: "run"})
	if !slices.ContainsFunc(p.last.Found, func(f FoundView) bool { return f.Finding == judge.StaleStatus && f.Object == "WebApp/default/plain" }) {
		t.Errorf("with checks that never hold it has %+v", p.last.Found)
	}
}

// In a queue with priorities each key is told with its own: what a list brings comes after what changes.
func TestPrioritiesAreTold(t *testing.T) {
	p := open(t, newMemory())
	if p.last.Queue.Priorities {
		t.Error("the lab's queue has priorities")
	}
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	doc := strings.Replace(s.Source(), "controllers:\n- ", "controllers:\n- queue: {priority: true}\n  ", 1)
	// The first list finds what was there before: those keys stand behind the others.
	doc = strings.Replace(doc, "\n-- start --\n", "\n-- start --\napply plain.yaml\n", 1)
	p.do(Command{Method: "load", Text: doc})
	var seen []int
	for range 12 {
		if !p.engine.line.World().Quiet() {
			p.do(Command{Method: "step"})
		}
		var q QueueView
		text, _ := json.Marshal(p.engine.delta(true).Queue)
		if err := json.Unmarshal(text, &q); err != nil || !q.Priorities {
			t.Fatalf("the queue is told as %s (%v)", text, err)
		}
		for _, item := range q.Items {
			seen = append(seen, item.Priority)
		}
	}
	if !slices.Contains(seen, -100) || !slices.Contains(seen, 0) {
		t.Errorf("the priorities seen are %v", seen)
	}
}
