package engine

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An engine that takes another one's place goes on in mid-pass, in the past of a timeline with a branch and with what
// stands in the editor: nothing is reloaded, nothing is written again.
func TestHandOverIsNoReload(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: plain, namespace: default}\nspec: {message: hello}\n"})
	for range 6 {
		p.do(Command{Method: "step"})
	}
	p.do(Command{Method: "seek", N: 5})
	p.do(Command{Method: "advance", Duration: "1s"})
	for range 4 {
		p.do(Command{Method: "stepCall"})
	}
	p.do(Command{Method: "file", Name: "mine.yaml", Text: "kind: not yet"})
	p.do(Command{Method: "inject", Name: "conflict"})
	p.do(Command{Method: "seek", N: 7})
	before := stateText(t, p)
	stored := port.all()

	second := &page{t: t, port: port, engine: New(port), objects: map[string]ObjectDelta{}}
	port.written = 0
	if err := second.engine.TakeOver(p.engine.HandOver(), port.all(), nil); err != nil {
		t.Fatal(err)
	}
	second.take()
	second.agrees()
	if diff := cmp.Diff(before, stateText(t, second)); diff != "" {
		t.Errorf("the second engine stands elsewhere:\n%s", diff)
	}
	if diff := cmp.Diff(stored, port.all()); diff != "" {
		t.Errorf("taking over changed what is stored:\n%s", diff)
	}
	// What every commit of the whole writes: base, semantics, head, the files and the one branch. No object, no choice.
	if most := 3 + len(p.engine.files) + 1; port.written > most {
		t.Errorf("taking over wrote %d records, want at most %d", port.written, most)
	}
	if len(second.notices) > 0 || !second.last.Full {
		t.Errorf("the page was told %v, full %v", second.notices, second.last.Full)
	}
	if diff := cmp.Diff(p.engine.files, second.engine.files); diff != "" {
		t.Error(diff)
	}
	if second.faults.Armed != "conflict" {
		t.Errorf("armed is %q", second.faults.Armed)
	}
	// Both go on alike, and what the second one stores opens.
	for _, c := range []Command{{Method: "seek", N: p.engine.line.Len()}, {Method: "step"}, {Method: "run"}} {
		p.do(c)
		second.do(c)
	}
	if diff := cmp.Diff(stateText(t, p), stateText(t, second)); diff != "" {
		t.Errorf("the two go on otherwise:\n%s", diff)
	}
	again := open(t, port)
	if got, want := again.engine.line.Len(), second.engine.line.Len()+1; got != want {
		t.Errorf("opened with %d steps, want %d: those and the reload", got, want)
	}
}

func TestHandOverOfNothing(t *testing.T) {
	if text := New(newMemory()).HandOver(); text != nil {
		t.Errorf("an engine that is not open hands over %q", text)
	}
}

func stateText(t *testing.T, p *page) string {
	t.Helper()
	text, err := json.MarshalIndent(p.engine.state(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
