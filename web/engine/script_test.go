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
// first, and "watch" waits for ever.
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
	}, func(w reconcile.Wire, line, _ string) (string, string, string, int) {
		if strings.HasSuffix(line, "wait") {
			w.Sleep(5e9)
		}
		for in := w.(reconcile.Interruptible); strings.HasSuffix(line, "watch"); in.Await(5e7) {
			if in.Interrupted() {
				return line + "\n", "", "", 130
			}
		}
		return line + "\n", "", "", 0
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

// Of two scripts in one controller's place the last is the one that runs.
func TestOneScriptRuns(t *testing.T) {
	useStub(t)
	p := open(t, newMemory())
	p.do(Command{Method: "setScript", Text: "one\n"})
	p.do(Command{Method: "setScript", Name: "other.sh", Text: "two\n"})
	for _, f := range p.engine.files {
		if strings.HasSuffix(f.Name, ".sh") && (f.Applied != "") != (f.Name == "other.sh") {
			t.Errorf("%s is marked as running: %v", f.Name, f.Applied != "")
		}
	}
}

// A script that was rolled out is a file, marked as running, wherever its run is opened: from a link, from an exported
// cluster, or taken up again.
func TestARunBringsItsScript(t *testing.T) {
	useStub(t)
	p := open(t, newMemory())
	p.do(Command{Method: "setScript", Text: "one\n"})
	p.do(Command{Method: "setScript", Text: "two\n"})
	want := File{Name: "reconcile.sh", Text: "two\n", Applied: "two\n"}
	running := func(t *testing.T, q *page) {
		t.Helper()
		var got []File
		for _, f := range q.engine.files {
			if strings.HasSuffix(f.Name, ".sh") {
				got = append(got, f)
			}
		}
		if diff := cmp.Diff([]File{want}, got); diff != "" {
			t.Errorf("the scripts among the files:\n%s", diff)
		}
	}
	link, _ := linkOf(t, p)
	p.do(Command{Method: "file", Name: "reconcile.sh", Remove: true})
	var cluster string
	if err := json.Unmarshal(p.do(Command{Method: "export"}).Result, &cluster); err != nil {
		t.Fatal(err)
	}
	t.Run("a link", func(t *testing.T) {
		port := newMemory()
		q := open(t, port)
		files := len(q.engine.files)
		q.do(Command{Method: "openLink", Text: link})
		running(t, q)
		if got := len(q.engine.files); got != files+1 {
			t.Errorf("there are %d files, want the scenario's %d and the script", got, files)
		}
		running(t, open(t, port))
	})
	t.Run("an import", func(t *testing.T) {
		q := open(t, newMemory())
		q.do(Command{Method: "load", Text: cluster})
		running(t, q)
	})
	t.Run("a kept run", func(t *testing.T) {
		p.do(Command{Method: "scenario", Name: "lab"})
		p.do(Command{Method: "takeUp", N: p.engine.aside[0].ID})
		running(t, p)
		p.do(Command{Method: "file", Name: "reconcile.sh", Text: "a draft"})
		p.do(Command{Method: "scenario", Name: "lab"})
		p.do(Command{Method: "takeUp", N: p.engine.aside[0].ID})
		want.Text = "a draft"
		running(t, p)
	})
}

// A scenario's own script that runs is a file, and one rolled out under its name takes its place.
func TestAScenarioBringsItsScript(t *testing.T) {
	useStub(t)
	p := open(t, newMemory())
	p.do(Command{Method: "scenario", Name: "incident-status-loop"})
	var own File
	for _, f := range p.engine.files {
		if strings.HasSuffix(f.Name, ".sh") && f.Applied != "" {
			own = f
		}
	}
	if own.Text == "" || own.Applied != own.Text {
		t.Fatalf("the script that runs is %+v", own)
	}
	p.do(Command{Method: "setScript", Name: own.Name, Text: "true\n"})
	link, _ := linkOf(t, p)
	q := open(t, newMemory())
	q.do(Command{Method: "openLink", Text: link})
	if !slices.Contains(q.engine.files, File{Name: own.Name, Text: "true\n", Applied: "true\n"}) || slices.Contains(q.engine.files, own) {
		t.Errorf("the files are %+v", q.engine.files)
	}
}

func TestTerminalLine(t *testing.T) {
	useStub(t)
	p := open(t, newMemory())
	for line, want := range map[string]Output{
		"watch":    {Stdout: "kubectl watch\n", Code: 130, Stopped: "quiet"},
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
