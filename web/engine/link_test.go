package engine

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// linkOf is the text of a link to the run in view.
func linkOf(t *testing.T, p *page) (string, Link) {
	t.Helper()
	var text string
	if err := json.Unmarshal(p.do(Command{Method: "link"}).Result, &text); err != nil {
		t.Fatal(err)
	}
	var l Link
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	return text, l
}

func relink(t *testing.T, l Link) string {
	t.Helper()
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A link gives the very same timeline elsewhere, at the step that was in view.
func TestALinkGivesTheSameRun(t *testing.T) {
	a := open(t, newMemory())
	a.do(Command{Method: "run"})
	a.do(Command{Method: "apply", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shared\ndata:\n  base: one\n"})
	a.do(Command{Method: "seek", N: 5})
	text, l := linkOf(t, a)
	if l.View != 5 || len(l.Sums) != len(l.Choices) {
		t.Fatalf("the link looks at step %d, with %d letters for %d choices", l.View, len(l.Sums), len(l.Choices))
	}
	b := open(t, newMemory())
	b.do(Command{Method: "openLink", Text: text})
	if diff := cmp.Diff(a.events, b.events); diff != "" {
		t.Errorf("the events differ:\n%s", diff)
	}
	if diff := cmp.Diff(a.objects, b.objects); diff != "" {
		t.Errorf("the objects in view differ:\n%s", diff)
	}
	if got := b.notices[len(b.notices)-1]; got != "link-opened" || b.last.Timeline.Step != 5 {
		t.Errorf("the notice is %s, in view is step %d", got, b.last.Timeline.Step)
	}
	if again, _ := linkOf(t, b); again != text {
		t.Error("the link of the opened run is another one")
	}
}

// Where a run no longer repeats the page is told at which step.
func TestAnOldLinkSaysWhereItDiffers(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	_, l := linkOf(t, p)
	refused, otherwise := l, l
	refused.Choices = append(append([]string{}, l.Choices[:9]...), "start controller default/nobody")
	at := l.Sums[6]
	otherwise.Sums, otherwise.Semantics = l.Sums[:6]+string(letters[(strings.IndexByte(letters, at)+1)%64])+l.Sums[7:], "0"
	for name, c := range map[string]struct {
		link  Link
		step  int
		steps int
		says  string
	}{
		"a choice that cannot be made": {refused, 10, 9, "not enabled"},
		"an event that is another one": {otherwise, 7, len(l.Choices), "version 0"},
	} {
		t.Run(name, func(t *testing.T) {
			q := open(t, newMemory())
			q.do(Command{Method: "openLink", Text: relink(t, c.link)})
			n := q.last.Notice
			if n == nil || n.Code != "link-differs" || n.N != c.step || !strings.Contains(n.Detail, c.says) {
				t.Errorf("the notice is %+v, want step %d and %q", n, c.step, c.says)
			}
			if q.last.Timeline.Length != c.steps {
				t.Errorf("%d steps were opened, want %d", q.last.Timeline.Length, c.steps)
			}
		})
	}
}

// What is no link changes nothing.
func TestWhatIsNoLinkChangesNothing(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	before, l := linkOf(t, p)
	long, format, broken := l, l, l
	long.Choices = make([]string, maxLinkChoices+1)
	format.Format = "reconcile.link/v9"
	broken.Scenario = "-- scenario.yaml --\nname: [\n"
	for _, text := range []string{"", "{", "[]", "null", relink(t, long), relink(t, format), relink(t, broken)} {
		r := p.try(Command{Method: "openLink", Text: text})
		if r.Error == nil {
			t.Errorf("%.60q is opened", text)
		}
	}
	if after, _ := linkOf(t, p); after != before || len(p.engine.aside) != 0 {
		t.Errorf("a refused link changed the run, or kept %d", len(p.engine.aside))
	}
}

// A run that another one takes the place of is kept, with its files, across a
// reload, and can be taken up again; one that nobody touched is not.
func TestWhatIsReplacedIsKept(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	if p.last.Timeline.Touched {
		t.Error("a first visit counts as touched")
	}
	p.do(Command{Method: "scenario", Name: "lab"})
	if len(p.last.Kept) != 0 {
		t.Fatalf("a run that nobody touched is kept: %+v", p.last.Kept)
	}
	p.do(Command{Method: "file", Name: "plain.yaml", Text: "# mine\n"})
	if p.last.Timeline == nil || !p.last.Timeline.Touched {
		t.Errorf("the page is not told that a file was touched: %+v", p.last.Timeline)
	}
	p.do(Command{Method: "run"})
	events := p.events
	p.do(Command{Method: "scenario", Name: "lab"})
	if len(p.last.Kept) != 1 || p.last.Kept[0].Steps != len(events) || p.last.Timeline.Touched {
		t.Fatalf("kept is %+v, the timeline %+v", p.last.Kept, p.last.Timeline)
	}
	p = open(t, port)
	if len(p.last.Kept) != 1 {
		t.Fatalf("after a reload %d runs are kept", len(p.last.Kept))
	}
	p.do(Command{Method: "takeUp", N: p.last.Kept[0].ID})
	if diff := cmp.Diff(events, p.events); diff != "" {
		t.Errorf("the run taken up differs:\n%s", diff)
	}
	if got := p.notices[len(p.notices)-1]; got != "taken-up" {
		t.Errorf("taking a run up says %s", got)
	}
	p.do(Command{Method: "openRun", Text: `[]`})
	if got := p.notices[len(p.notices)-1]; got != "run-opened" {
		t.Errorf("opening the run of a finding says %s", got)
	}
	p.do(Command{Method: "openRun", Text: `["start controller default/nobody"]`})
	if got := p.notices[len(p.notices)-1]; got != "run-differs" {
		t.Errorf("opening a run of a finding that does not repeat says %s", got)
	}
	p.do(Command{Method: "takeUp", N: p.last.Kept[0].ID})
	if p.last.Files[0].Text != "# mine\n" {
		t.Errorf("the file taken up is %q", p.last.Files[0].Text)
	}
	p = open(t, port)
	if len(p.last.Kept) != 0 {
		t.Errorf("a run that nobody touched, and the one taken up, are kept: %+v", p.last.Kept)
	}
	if r := p.try(Command{Method: "takeUp", N: 7}); r.Error == nil {
		t.Error("a run that is not kept was taken up")
	}
}

// The latest runs are kept, and an ID that was given out is never another run's,
// after a reload and when an engine takes over as well.
func TestKeptRunsAreBounded(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	keep := func() int {
		p.do(Command{Method: "file", Name: "plain.yaml", Text: "# mine\n"})
		p.do(Command{Method: "scenario", Name: "lab"})
		return p.engine.aside[len(p.engine.aside)-1].ID
	}
	first := keep()
	p.do(Command{Method: "dropKept", N: first})
	p = open(t, port)
	second := keep()
	if second <= first {
		t.Errorf("run %d was dropped, and the next one is %d", first, second)
	}
	for range mostKept {
		keep()
	}
	if n := len(p.engine.aside); n != mostKept || p.engine.aside[0].ID != second+1 {
		t.Errorf("%d runs are kept, the first is %d", n, p.engine.aside[0].ID)
	}
	p.do(Command{Method: "step"})
	p.do(Command{Method: "takeUp", N: p.engine.aside[0].ID})
	if n := len(p.engine.aside); n != mostKept || p.last.Files[0].Text != "# mine\n" {
		t.Errorf("the oldest is taken up for the one that takes its place: %d runs are kept", n)
	}
}

// Starting over keeps what was there, where there is something to keep.
func TestStartingOverKeepsTheRun(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "reset"})
	if n := len(p.engine.aside); n != 0 {
		t.Errorf("of a run that nobody touched %d are kept", n)
	}
	p.do(Command{Method: "run"})
	before := p.engine.line.Choices()
	r := p.do(Command{Method: "reset"})
	if len(r.Delta.Kept) != 1 || r.Delta.Kept[0].Steps != len(before) || p.engine.touched() {
		t.Fatalf("kept is %+v, touched %v", r.Delta.Kept, p.engine.touched())
	}
	p.do(Command{Method: "takeUp", N: r.Delta.Kept[0].ID})
	if got := p.engine.line.Choices(); !slices.Equal(got[:len(before)], before) {
		t.Errorf("taken up it is %v", got)
	}
}

// What cannot be opened takes the place of nothing, so nothing is kept for it.
func TestWhatIsRefusedKeepsNothing(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	document := strings.Replace(p.engine.scenario.Source(), "-- start --\n", "-- start --\ncall controller default/nobody\n", 1)
	if r := p.try(Command{Method: "load", Text: document}); r.Error == nil {
		t.Fatal("a scenario is opened that does not start")
	}
	if len(p.engine.aside) != 0 {
		t.Errorf("%d runs are kept", len(p.engine.aside))
	}
}

// The run of a finding opens at the step of its fault, and goes on from there to
// where it shows.
func TestRunOpensAtItsFault(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	_, whole := linkOf(t, p)
	choices := []string{}
	for _, c := range whole.Choices {
		if choices = append(choices, c); strings.HasPrefix(c, "start ") {
			choices = append(choices, strings.Replace(c, "start", "fault crash-before", 1), "restart controller")
			break
		}
	}
	text, err := json.Marshal(choices)
	if err != nil {
		t.Fatal(err)
	}
	p.do(Command{Method: "openRun", Text: string(text)})
	if got := p.notices[len(p.notices)-1]; got != "run-opened-at" {
		t.Errorf("opening the run of a finding with a fault says %s", got)
	}
	if l := p.last.Timeline; l.Step != len(choices)-1 || l.Length != len(choices) {
		t.Errorf("it stands at step %d of %d, and the fault is the last but one of %d", l.Step, l.Length, len(choices))
	}
}
