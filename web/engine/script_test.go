package engine

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// A stub of what runs scripts: it does nothing, refuses the text "no", and its shell says the line back; "wait" sleeps
// first.
type stub struct{}

func (stub) Reconciler(_, _, _, _ string) reconcile.Reconciler {
	return reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
}

func useStub(t *testing.T) {
	scenario.UseScripts(func(name, text string) (scenario.Script, error) {
		if text == "no" {
			return nil, errors.New("it says no")
		}
		return stub{}, nil
	}, func(w reconcile.Wire, line, _ string) (string, string, int) {
		if strings.HasSuffix(line, "wait") {
			w.Sleep(5e9)
		}
		return line + "\n", "", 0
	})
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
}

// An engine that runs no scripts refuses what needs them with the one reason that has the larger one loaded, and has
// changed nothing by then: whether it is a command or what is stored.
func TestWithoutScripts(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "step"})
	before := stateText(t, p)
	for _, cmd := range []Command{{Method: "setScript", Text: ":"}, {Method: "kubectl", Text: "get pods"}, {Method: "shell", Text: "ls"},
		{Method: "scenario", Name: "incident-status-loop"}, {Method: "openLink", Text: linked(t, p, "shell ls")}} {
		if r := p.try(cmd); r.Error == nil || r.Error.Reason != ReasonScripts {
			t.Errorf("%s: %+v, want %s", cmd.Method, r.Error, ReasonScripts)
		}
	}
	if diff := cmp.Diff(before, stateText(t, p)); diff != "" {
		t.Errorf("refused commands changed something:\n%s", diff)
	}

	useStub(t)
	p.do(Command{Method: "setScript", Text: ":"})
	p.do(Command{Method: "shell", Text: "ls"})
	stored := port.all()
	scenario.UseScripts(nil, nil)
	if err := New(port).Open(1, port.all(), nil); ReasonOf(err) != ReasonScripts {
		t.Errorf("what is stored opens with %v", err)
	}
	if diff := cmp.Diff(stored, port.all()); diff != "" {
		t.Errorf("and something was written:\n%s", diff)
	}
}

func TestSetScript(t *testing.T) {
	useStub(t)
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	before := len(p.engine.line.Choices())
	if r := p.try(Command{Method: "setScript", Text: "no"}); r.Error == nil || r.Error.Message != "it says no" {
		t.Errorf("%+v, want what the compiler says", r.Error)
	}
	p.do(Command{Method: "setScript", Text: "true\n"})
	if p.last.Files == nil || p.last.Scenario == nil || p.last.Scenario.Reads != "live" {
		t.Errorf("the page is not told of the file, or not that reads are live: %+v, %+v", p.last.Files, p.last.Scenario)
	}
	p.do(Command{Method: "run"})
	if got := p.engine.line.Choices()[before]; got != `deploy controller reconcile.sh "true\n"` {
		t.Errorf("the choice is %s", got)
	}
	again := open(t, port)
	last := again.engine.files[len(again.engine.files)-1]
	if last != (File{Name: "reconcile.sh", Text: "true\n", Applied: "true\n"}) {
		t.Errorf("after a reload the last file is %+v", last)
	}
}

func TestTerminalLine(t *testing.T) {
	useStub(t)
	p := open(t, newMemory())
	for line, want := range map[string]Output{
		"get pods": {Stdout: "kubectl get pods\n"}, "kubectl get pods": {Stdout: "kubectl get pods\n"}, "wait": {Stdout: "kubectl wait\n"},
	} {
		var got Output
		if err := json.Unmarshal(p.do(Command{Method: "kubectl", Text: line}).Result, &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", line, got, err)
		}
	}
}

// linked is the link of a page's run with one more choice.
func linked(t *testing.T, p *page, choice string) string {
	t.Helper()
	text, err := json.Marshal(Link{Format: LinkFormat, Scenario: p.engine.scenario.Source(), Choices: append(slices.Clone(p.engine.line.Choices()), choice)})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
