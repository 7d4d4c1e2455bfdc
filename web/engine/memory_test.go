package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

// crowd is the lab's scenario with n WebApps and n ConfigMaps more in its
// cluster, of about 1 KB each as JSON.
func crowd(tb testing.TB, n int) string {
	tb.Helper()
	lab, err := scenario.Load("lab")
	if err != nil {
		tb.Fatal(err)
	}
	var b strings.Builder
	head, _, _ := strings.Cut(lab.Source(), "-- files/")
	b.WriteString(head + "-- cluster/crowd.yaml --\n")
	for i := range n {
		text := fmt.Sprintf("number %d: %s", i, strings.Repeat("what it says, ", 30))
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
		port := newMemory()
		e := New(port)
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
		port.replies, port.records = nil, nil
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-live")
		b.ReportMetric(float64(m.Sys)/1e6, "MB-taken")
		runtime.KeepAlive(e)
	}
}
