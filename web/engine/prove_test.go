//go:build !js || scripts

package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// team is a Port with workers, which work whenever the engine listens to them.
type team struct {
	*memory
	provers []*Prover
	started int
}

func (p *team) StartWorkers(tasks []string) int {
	for _, task := range tasks {
		p.provers = append(p.provers, NewProver(task))
	}
	p.started += len(tasks)
	return len(tasks)
}

func (p *team) Said() (said []string) {
	left := p.provers[:0]
	for _, prover := range p.provers {
		text, more := prover.Work(ticking(), 20*time.Millisecond)
		said = append(said, text)
		if more {
			left = append(left, prover)
		}
	}
	p.provers = left
	return said
}

func (p *team) StopWorkers() { p.provers = nil }
func (p *team) Cores() int   { return 4 }

// ticking is a clock on which every look takes a millisecond, so that slices are the same on every machine.
func ticking() func() time.Time {
	now := time.Unix(0, 0)
	return func() time.Time {
		now = now.Add(time.Millisecond)
		return now
	}
}

// lab opens the lab.
func lab(t *testing.T, port Port, m *memory) *page {
	t.Helper()
	p := &page{t: t, port: m, engine: New(port), objects: map[string]ObjectDelta{}}
	if err := p.engine.Open(1, m.all(), nil); err != nil {
		t.Fatal(err)
	}
	p.take()
	return p
}

// proved works until the exploration has ended and returns its answer.
func (p *page) proved(text string) (Reply, []*ProveView) {
	p.t.Helper()
	p.id++
	p.engine.Handle(Command{ID: p.id, Method: "prove", Text: text})
	for now := ticking(); p.engine.Working(); {
		p.engine.Work(now)
	}
	var views []*ProveView
	var last Reply
	for _, r := range p.port.replies {
		if r.ID == p.id && r.Done {
			last = r
		}
		if r.Delta != nil && r.Delta.Prove != nil {
			views = append(views, r.Delta.Prove)
		}
	}
	p.port.replies = nil
	return last, views
}

// However many workers explore, the result is the same, byte for byte, and the matrix fills in on the way.
func TestProveWithAnyNumberOfWorkers(t *testing.T) {
	m := newMemory()
	alone := lab(t, m, m)
	const options = `{"faults":["crash-before","crash-after","lost-reply","refused","conflict","stale","duplicate"]}`
	want, views := alone.proved(options)
	if want.Error != nil {
		t.Fatal(want.Error)
	}
	first, last := views[0], views[len(views)-1]
	if first.State != "running" || last.State != "done" || last.Bounds == nil || last.Bounds.Runs < 40 || last.Done != last.Total {
		t.Errorf("from %+v to %+v", first, last)
	}
	if len(last.Findings) > 0 {
		t.Errorf("a correct reconciler gets %+v", last.Findings)
	}
	cells := 0
	for _, row := range last.Rows {
		for _, c := range row.Cells {
			cells += c[0]
		}
	}
	if cells != last.Bounds.Runs-1 {
		t.Errorf("the matrix has %d runs, the bounds %d with the one without faults", cells, last.Bounds.Runs)
	}
	if len(views) < 3 || views[1].Done == 0 || views[1].Done >= last.Done {
		t.Errorf("%d views, on the way %d of %d", len(views), views[1].Done, last.Done)
	}

	if same, _ := alone.proved(`{"faults":"crash-before, crash-after,lost-reply,refused,conflict,stale,duplicate"}`); string(same.Result) != string(want.Result) {
		t.Error("a list as on a command line gives another result")
	}

	m = newMemory()
	four := &team{memory: m}
	got, views := lab(t, four, m).proved(options)
	if four.started != 3 || views[len(views)-1].Workers != 4 {
		t.Errorf("%d workers were started, the page was told of %d", four.started, views[len(views)-1].Workers)
	}
	if diff := cmp.Diff(string(want.Result), string(got.Result)); diff != "" {
		t.Errorf("four workers come to another result:\n%s", diff)
	}
}

// An exploration that takes the place of another has its own workers.
func TestProveTwiceAtOnce(t *testing.T) {
	m := newMemory()
	port := &team{memory: m}
	p := lab(t, port, m)
	p.engine.Handle(Command{ID: 50, Method: "prove", Text: `{"faults":["crash-before"],"schedules":"none"}`})
	p.engine.Work(ticking())
	p.engine.Handle(Command{ID: 51, Method: "prove", Text: `{"faults":["crash-after"],"schedules":"none"}`})
	now := ticking()
	for range 2000 {
		if !p.engine.Working() {
			break
		}
		p.engine.Work(now)
	}
	last := m.replies[len(m.replies)-1]
	if last.ID != 51 || !last.Done || last.Error != nil {
		t.Fatalf("the second one has not ended: %+v", last)
	}
}

func TestProveIsPausedCancelledAndReplaced(t *testing.T) {
	m := newMemory()
	p := lab(t, m, m)
	p.engine.Handle(Command{ID: 50, Method: "prove"})
	now := ticking()
	p.engine.Work(now)
	p.do(Command{Method: "proving", Name: "pause"})
	if p.engine.Working() {
		t.Error("it works while it is paused")
	}
	// The cluster can be worked with meanwhile.
	p.do(Command{Method: "step"})
	p.do(Command{Method: "proving", Name: "resume"})
	if !p.engine.Working() {
		t.Error("it does not go on")
	}
	p.engine.Handle(Command{ID: 51, Method: "prove", Text: `{"faults":["crash-before"]}`})
	if r := m.replies[0]; r.ID != 50 || !r.Done || r.Error == nil || r.Error.Reason != "Interrupted" {
		t.Errorf("the one that was replaced is answered %+v", r)
	}
	m.replies = nil
	p.do(Command{Method: "proving", Name: "cancel"})
	if p.engine.Working() {
		t.Error("it works after it was cancelled")
	}
	if r := p.try(Command{Method: "proving", Name: "cancel"}); r.Error == nil || r.Error.Reason != "NotEnabled" {
		t.Errorf("cancelling nothing: %+v", r.Error)
	}
	// An engine that another one takes the place of leaves no worker behind, and no
	// question without an answer.
	p.engine.Handle(Command{ID: 52, Method: "prove"})
	m.replies = nil
	p.engine.Leave()
	if r := m.replies[0]; p.engine.Working() || r.ID != 52 || !r.Done || r.Error == nil || r.Error.Reason != "Interrupted" {
		t.Errorf("the engine has left, and the one under way is answered %+v", r)
	}
	for text, want := range map[string]string{
		`{"schedules":"backwards"}`: "backwards", `{"invariants":[{"name":"","expr":"true"}]}`: "has a name",
		`{"faults":["earthquake"]}`: "earthquake", `{"depth":3}`: "at most two", `{"scenario":"nowhere"}`: "nowhere", `[]`: "options as JSON",
	} {
		p.engine.Handle(Command{ID: 60, Method: "prove", Text: text})
		r := m.replies[len(m.replies)-1]
		if r.Error == nil || !strings.Contains(r.Error.Message, want) || p.engine.Working() {
			t.Errorf("%s: %+v", text, r.Error)
		}
	}
}
