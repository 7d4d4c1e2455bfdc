package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

func theLab(tb testing.TB) *scenario.Scenario {
	tb.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// message is some 430 bytes.
func message(i int) string {
	return fmt.Sprintf("number %d: %s", i, strings.Repeat("what it says, ", 30))
}

// crowd is the lab's scenario with n WebApps and n ConfigMaps more in its
// cluster, of about 1 KB each as JSON.
func crowd(tb testing.TB, n int) string {
	tb.Helper()
	var b strings.Builder
	head, _, _ := strings.Cut(theLab(tb).Source(), "-- files/")
	b.WriteString(head + "-- cluster/crowd.yaml --\n")
	for i := range n {
		text := message(i)
		fmt.Fprintf(&b, "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: app-%d\n  namespace: default\n  labels: {app: web, group: g%d}\nspec:\n  message: %q\n---\n", i, i/10, text)
		fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map-%d\n  namespace: default\n  labels: {app: web, group: g%d}\ndata:\n  message: %q\n---\n", i, i/10, text)
	}
	return b.String()
}

// BenchmarkHold tells what a cluster of 10,000 objects of 1 KB holds: the live
// heap, and all that the program has taken from the system, which in a browser is
// its WebAssembly memory.
func BenchmarkHold(b *testing.B) {
	text := crowd(b, 5000)
	for b.Loop() {
		e := New(nowhere{})
		if err := e.Open(1, nil, nil); err != nil {
			b.Fatal(err)
		}
		e.Handle(Command{Method: "load", Text: text})
		n := 0
		for range e.line.World().Server().All() {
			n++
		}
		if n < 10000 {
			b.Fatalf("%d objects", n)
		}
		tellMemory(b)
		runtime.KeepAlive(e)
	}
}

// BenchmarkHoldServer is BenchmarkHold for an API server alone, whose 10,000
// objects are created one after another.
func BenchmarkHoldServer(b *testing.B) {
	for b.Loop() {
		w := theLab(b).World()
		s := w.Server()
		for i := range 10000 {
			o := object.FromMap(map[string]any{
				"apiVersion": "lab.example.com/v1", "kind": "WebApp",
				"metadata": map[string]any{"name": fmt.Sprintf("app-%d", i), "labels": map[string]any{"app": "web", "group": fmt.Sprintf("g%d", i/10)}},
				"spec":     map[string]any{"message": message(i)},
			})
			gvr := object.GVR{Group: "lab.example.com", Version: "v1", Resource: "webapps"}
			req := api.Request{Verb: api.Create, GVR: gvr, Namespace: "default", Body: o.Root(), UserAgent: "kubectl/1.37"}
			if err := s.Do(w.Now(), req).Err(); err != nil {
				b.Fatal(err)
			}
		}
		tellMemory(b)
		runtime.KeepAlive(s)
	}
}

// TestHeld: a cluster holds no more of each object than this. What a scenario or an
// apply says is there once, and of the trees that were read the server has its own.
func TestHeld(t *testing.T) {
	const n = 2000
	held := func(most uint64, what string, fill func(e *Engine)) {
		e := New(nowhere{})
		if err := e.Open(1, nil, nil); err != nil {
			t.Fatal(err)
		}
		before := live()
		fill(e)
		got := (live() - before) / n
		runtime.KeepAlive(e)
		t.Logf("%s: %d bytes an object", what, got)
		if got > most {
			t.Errorf("%s: an object holds %d bytes, at most %d are allowed", what, got, most)
		}
	}
	text := crowd(t, n/2)
	held(2250, "a scenario, listed", func(e *Engine) {
		e.Handle(Command{Method: "load", Text: text})
		for range 20 {
			e.Handle(Command{Method: "step"})
		}
	})
	_, objects, _ := strings.Cut(text, "-- cluster/crowd.yaml --\n")
	held(3250, "applied", func(e *Engine) { e.Handle(Command{Method: "apply", Text: objects}) })
}

// live is how many bytes are reachable.
func live() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestMessage: a command arrives as it was sent, a long text beside the rest.
func TestMessage(t *testing.T) {
	for _, text := range []string{"", "a\nb", strings.Repeat("x", 1<<16), strings.Repeat("line\n", 1<<14), "\n" + strings.Repeat("é", 1<<16)} {
		sent := Command{ID: 7, Method: "apply", Name: "a\nb", Text: text}
		head, beside := sent.Message()
		if beside != text || strings.Count(head, "\n") != 1 {
			t.Errorf("%.80q stands beside %q", beside, head)
		}
		if got, err := ParseCommand(head + beside); err != nil || got != sent {
			t.Errorf("%.80s arrives as %.80s, %v", fmt.Sprint(sent), fmt.Sprint(got), err)
		}
	}
	if _, err := ParseCommand("no JSON\ntext"); err == nil {
		t.Error("what is no command is taken for one")
	}
}

// nowhere is a Port that looks at what it is given, and keeps none of it.
type nowhere struct{}

func (nowhere) Commit(batch []Record) error {
	for _, r := range batch {
		runtime.Gosched() // as storage does
		if !r.Delete && r.Text() == "" {
			return errors.New("an empty record")
		}
	}
	return nil
}

func (nowhere) Post(r Reply) {
	if _, err := json.Marshal(r); err != nil {
		panic(err)
	}
}

func (nowhere) Interrupted() bool { return false }

// tellMemory tells what is held now.
func tellMemory(b *testing.B) {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-live")
	b.ReportMetric(float64(m.Sys)/1e6, "MB-taken")
}

// TestQuoted: a text is quoted as the encoder does it, wherever it is cut.
func TestQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("x", rapid.IntRange(4080, 4096).Draw(t, "before")) + rapid.String().Draw(t, "text") + string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if got, want := (Record{Later: laterText(text)}).Text(), string(object.EncodeJSON(text)); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	})
}
