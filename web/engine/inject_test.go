package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/sim"
)

func actionOf(t *testing.T, r Reply) string {
	t.Helper()
	var ev sim.Event
	if err := json.Unmarshal(r.Result, &ev); err != nil {
		t.Fatal(err)
	}
	return ev.Action
}

// stepTo steps until a call is parked whose detail has the text.
func stepTo(t *testing.T, p *page, text string) {
	t.Helper()
	for range 200 {
		for _, item := range p.enabled.Items {
			if item.Default && strings.HasPrefix(item.Action, "call ") && strings.Contains(item.Detail, text) {
				return
			}
		}
		p.do(Command{Method: "step"})
	}
	t.Fatalf("no call %q came", text)
}

// A fault by its kind hits the call that waits, and what became of the write is
// told in the pass and in the line of the event.
func TestInjectHitsTheCallThatWaits(t *testing.T) {
	for kind, outcome := range map[string]sim.Outcome{
		"crash-before": sim.NotSent, "crash-after": sim.LandedThenDied, "lost-reply": sim.LostReply, "refused": sim.Refused, "conflict": sim.Conflict,
	} {
		t.Run(kind, func(t *testing.T) {
			p := open(t, newMemory())
			stepTo(t, p, "update status WebApp/default/plain")
			listed := false
			for _, f := range p.faults.Items {
				listed = listed || f.Kind == kind && f.Call && f.Target == "default/plain" && strings.Contains(f.Detail, "update")
			}
			if !listed {
				t.Errorf("%s is not among %+v", kind, p.faults.Items)
			}
			if got, want := actionOf(t, p.do(Command{Method: "inject", Name: kind})), "fault "+kind+" controller default/plain"; got != want {
				t.Fatalf("made %q, want %q", got, want)
			}
			writes := p.last.Pass.Action
			if got := writes[len(writes)-1].Outcome; got != outcome {
				t.Errorf("the write's outcome is %s, want %s", got, outcome)
			}
			line := p.events[len(p.events)-1]
			if line.Level != "fault" || line.Outcome != string(outcome) {
				t.Errorf("the line is %+v", line)
			}
			// It converges all the same.
			p.do(Command{Method: "run"})
			if o := p.objects["WebApp/default/plain"].Server; o.Str("status", "phase") != "Ready" {
				t.Errorf("after the run plain is %s", o.Str("status", "phase"))
			}
		})
	}
}

// However many calls wait, all that can hit them is listed, and what can hit the
// deliveries.
func TestFaultsOfManyCallsAreListed(t *testing.T) {
	p := open(t, newMemory())
	for i := range 8 {
		p.do(Command{Method: "apply", Text: fmt.Sprintf("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: more-%d}\nspec: {message: b}\n", i)})
	}
	p.do(Command{Method: "step", Action: "workers controller 20"})
	for found := true; found; {
		found = false
		for _, item := range p.enabled.Items {
			if verb, _, _ := strings.Cut(item.Action, " "); verb == "deliver" || verb == "list" || verb == "start" {
				p.do(Command{Method: "step", Action: item.Action})
				found = true
				break
			}
		}
	}
	p.do(Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: late}\nspec: {message: b}\n"})
	targets, kinds := map[string]bool{}, map[string]bool{}
	for _, f := range p.faults.Items {
		kinds[f.Kind] = true
		if f.Call {
			targets[f.Target] = true
		}
	}
	if len(targets) != 11 || !kinds["stale"] || !kinds["relist"] {
		t.Errorf("%d calls are listed, kinds %v", len(targets), kinds)
	}
}

// Where nothing waits that a fault could hit, it is armed for the next that it
// can hit; whatever runs then makes it.
func TestInjectArmsForTheNextCall(t *testing.T) {
	p := open(t, newMemory())
	if r := p.do(Command{Method: "inject", Name: "cloud-lost-reply"}); r.Result != nil || p.faults.Armed != "cloud-lost-reply" {
		t.Fatalf("result %s, armed %q", r.Result, p.faults.Armed)
	}
	p.do(Command{Method: "run"})
	hit := 0
	for _, line := range p.events {
		if line.Outcome == string(sim.LostReply) {
			hit++
		}
	}
	if hit != 1 || p.faults.Armed != "" {
		t.Errorf("%d calls lost their reply, armed is still %q", hit, p.faults.Armed)
	}
	p.do(Command{Method: "inject", Name: "refused"})
	p.do(Command{Method: "inject", Name: ""})
	if p.faults.Armed != "" {
		t.Errorf("disarmed, it is %q", p.faults.Armed)
	}
	// A number of deliveries is as good as any, at once and armed.
	p.do(Command{Method: "inject", Name: "stale 9"})
	if p.faults.Armed != "stale 9" {
		t.Fatalf("armed %q", p.faults.Armed)
	}
	p.do(Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a}\nspec: {message: hi}\n"})
	if got := actionOf(t, p.do(Command{Method: "step"})); got != "fault stale controller 9" || p.faults.Armed != "" {
		t.Errorf("in place of the delivery there was %s, armed is %q", got, p.faults.Armed)
	}
	for _, wrong := range []string{"flood", "fault lost-reply controller default/nobody", `"`} {
		if r := p.try(Command{Method: "inject", Name: wrong}); r.Error == nil {
			t.Errorf("%s is taken", wrong)
		}
	}
}

// An armed fault hits the process whose step it stands in for.
func TestInjectArmedHitsTheProcessAtHand(t *testing.T) {
	p := open(t, newMemory())
	document, _, _ := strings.Cut(p.engine.scenario.Source(), "-- start --\n")
	document = strings.Replace(document, "controllers:\n", "controllers:\n- name: first\n  for: webapps.lab.example.com\n  reconciler: webapp\n", 1)
	p.do(Command{Method: "load", Text: document})
	for _, action := range []string{"list first webapps.lab.example.com", "list controller webapps.lab.example.com"} {
		p.do(Command{Method: "step", Action: action})
	}
	p.do(Command{Method: "inject", Name: "duplicate"})
	p.do(Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a}\nspec: {message: hi}\n"})
	r := p.do(Command{Method: "step", Action: "deliver controller webapps.lab.example.com"})
	if got := actionOf(t, r); got != "fault duplicate controller webapps.lab.example.com" {
		t.Errorf("in place of the delivery there was %s", got)
	}
}
