package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// A chain of causes that comes round again and again is a loop, named from its
// first write on; one that does not is none.
func TestRounds(t *testing.T) {
	a, b, c := turn{"d/a", "update A", "d/b"}, turn{"d/b", "update B", "d/a"}, turn{"d/c", "create C", "d/c"}
	repeat := func(n int, round ...turn) []turn {
		var out []turn
		for range n {
			out = append(out, round...)
		}
		return out
	}
	for name, x := range map[string]struct {
		chain         []turn
		period, count int
	}{
		"one that wakes itself":    {repeat(7, c), 1, 7},
		"two that wake each other": {repeat(6, b, a), 2, 6},
		"a loop after a beginning": {append(repeat(5, b, a), c, c, c), 2, 5},
		"too few rounds":           {repeat(4, c), 0, 0},
		"a loop that is over":      {append([]turn{c}, repeat(9, b, a)...), 0, 0},
		"no causes":                {nil, 0, 0},
	} {
		if round, n := roundsOf(x.chain); len(round) != x.period || n != x.count {
			t.Errorf("%s: %d rounds of %+v", name, n, round)
		}
	}
	if got, want := loopText([]turn{b, a}), "the pass of d/a makes update A, the watch of which queues d/b; the pass of d/b makes update B, the watch of which queues d/a"; got != want {
		t.Errorf("it says %q", got)
	}
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	if round, n, _ := p.engine.loop(p.engine.line.Tip(), 0); round != nil {
		t.Errorf("the lab is a loop of %d rounds: %+v", n, round)
	}
}

// Every key in the queue leads back to the write that put it there, and from a
// write of a pass to what had woken the pass.
func TestCausesLeadBackToTheWrite(t *testing.T) {
	p := open(t, newMemory())
	stepTo(t, p, "update status WebApp/default/plain")
	p.do(Command{Method: "step"})
	for range 40 {
		for _, item := range p.queue.Items {
			if item.Key != "default/plain" || len(item.Causes) < 2 {
				continue
			}
			first, second := item.Causes[0], item.Causes[1]
			if text := p.events[first.Event-1].Text; !strings.Contains(text, "ConfigMap/default/plain-config") && !strings.Contains(text, "WebApp/default/plain") || first.Key != "default/plain" {
				t.Errorf("the nearest cause is %+v: %s", first, text)
			}
			// What is told to have caused it is the very step that wrote it.
			for _, c := range item.Causes {
				if !strings.Contains(p.events[c.Event-1].Text, "/default/plain") {
					t.Errorf("step %d did not touch plain: %s", c.Event, p.events[c.Event-1].Text)
				}
			}
			if second.Event >= first.Event || !strings.HasPrefix(p.events[second.Event-1].Text, "apply") {
				t.Errorf("before it: %+v", second)
			}
			return
		}
		p.do(Command{Method: "step"})
	}
	t.Fatal("plain was not queued again")
}

// Of several controllers it is told whose key, pass and queue it is.
func TestSeveralControllersAreToldApart(t *testing.T) {
	p := open(t, newMemory())
	document, _, _ := strings.Cut(p.engine.scenario.Source(), "-- start --\n")
	p.do(Command{Method: "load", Text: strings.Replace(document, "controllers:\n", "controllers:\n- name: first\n  for: webapps.lab.example.com\n  owns: [configmaps]\n  reconciler: webapp\n", 1)})
	p.do(Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a}\nspec: {message: hi}\n"})
	told := map[string]bool{}
	for range 60 {
		if r := p.try(Command{Method: "step"}); r.Error != nil {
			break
		}
		for _, item := range p.queue.Items {
			for _, c := range item.Causes {
				told[c.Key] = true
			}
		}
	}
	if !told["default/a by first"] || told["default/a"] {
		t.Errorf("the causes are passes of %v", told)
	}
	for _, name := range []string{"first", "controller"} {
		p.do(Command{Method: "step", Action: "resync " + name})
	}
	p.do(Command{Method: "step", Action: "crash first"})
	p.do(Command{Method: "advance", Duration: "1s"})
	var plots Plots
	if err := json.Unmarshal(p.do(Command{Method: "plots"}).Result, &plots); err != nil {
		t.Fatal(err)
	}
	if n := len(plots.T); plots.Depth[n-1] < 1 || len(plots.Totals) != 2 || plots.Totals[0].Key == plots.Totals[1].Key {
		t.Errorf("after the crash of the first %d keys are ready; the passes are %+v", plots.Depth[n-1], plots.Totals)
	}
}

func TestPlotsCount(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	p.do(Command{Method: "rerun"})
	var plots Plots
	if err := json.Unmarshal(p.do(Command{Method: "plots"}).Result, &plots); err != nil {
		t.Fatal(err)
	}
	n := len(plots.T)
	if n == 0 || len(plots.Depth) != n || len(plots.NoOp) != n || len(plots.Passes) != len(plots.Keys) || len(plots.Passes[0]) != n {
		t.Fatalf("the series have different lengths: %+v", plots)
	}
	started := map[string]int{}
	for _, line := range p.events {
		if line.Started {
			started[line.Key]++
		}
	}
	for _, total := range plots.Totals {
		if started[total.Key] != total.Passes {
			t.Errorf("%s had %d passes, plotted are %d", total.Key, started[total.Key], total.Passes)
		}
	}
	if plots.Waiting[n-1] != 1 || plots.Effective[n-1] < 5 {
		t.Errorf("at the end %d keys wait, %d writes changed something", plots.Waiting[n-1], plots.Effective[n-1])
	}
	p.do(Command{Method: "seek", N: 0})
	if err := json.Unmarshal(p.do(Command{Method: "plots"}).Result, &plots); err != nil || len(plots.T) != 0 {
		t.Errorf("before the first step: %+v, %v", plots, err)
	}
}

// A key that its own pass asked to be called again for is no one else's.
func TestARequeueIsThePassesOwn(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	for _, item := range p.queue.Items {
		if item.Key != "default/waiting" {
			continue
		}
		if len(item.Causes) == 0 || item.Causes[0].Key != "default/waiting" || !strings.Contains(p.events[item.Causes[0].Event-1].Text, "requeue after 30s") {
			t.Errorf("its causes are %+v", item.Causes)
		}
		return
	}
	t.Errorf("waiting is not in the queue: %+v", p.queue.Items)
}
