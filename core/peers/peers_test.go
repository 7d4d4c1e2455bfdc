package peers

import (
	"fmt"
	"runtime"
	"testing"
	"time"
)

// everyone is all peers, ours first.
func everyone() []Peer {
	return []Peer{&Server{}, &Typed{}, &FakeClient{}, &FakeClient{Full: true}}
}

// TestWritesAreStored: what is timed as a write is one.
func TestWritesAreStored(t *testing.T) {
	for _, p := range everyone() {
		t.Run(p.Name(), func(t *testing.T) {
			name := nameOf(3)
			check(t, p.Fill(20))
			check(t, p.Hold(name))
			stored := func(op string, n int, observed int64) {
				t.Helper()
				said, seen, err := p.Stored(name)
				if check(t, err); said != message(n) || seen != observed {
					t.Errorf("after %s: %q, observedGeneration %d", op, said, seen)
				}
			}
			check(t, p.Update(7))
			stored("update", 7, 0)
			check(t, p.UpdateStatus(5))
			stored("status update", 7, 5)
			check(t, p.MergePatch(8))
			stored("merge patch", 8, 5)
			check(t, p.Apply(9))
			stored("apply", 9, 5)
			check(t, p.Create("another"))
			check(t, p.Get("another"))
			check(t, p.Delete("another"))
			if err := p.Get("another"); err == nil {
				t.Error("what was deleted is still there")
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOperations: every operation is measured on every peer, and lists find what
// they should.
func TestOperations(t *testing.T) {
	rows, err := Measure(everyone(), 100, time.Nanosecond, Operations)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(Operations) {
		t.Errorf("%d rows", len(rows))
	}
}

// BenchmarkOperations is the table of cmd/compare as Go's benchmarks.
func BenchmarkOperations(b *testing.B) {
	for _, n := range []int{100, 10000} {
		for _, p := range everyone() {
			if err := p.Fill(n); err != nil {
				b.Fatal(err)
			}
			for _, op := range Operations {
				b.Run(fmt.Sprintf("%s/%d/%s", op, n, p.Name()), func(b *testing.B) {
					runtime.LockOSThread()
					defer runtime.UnlockOSThread()
					m := bench{peer: p, filled: n}
					var spent time.Duration
					calls := 0
					for b.Loop() {
						took, err := m.Run(op)
						if err != nil {
							b.Fatal(err)
						}
						spent, calls = spent+took, calls+1
					}
					b.ReportMetric(float64(spent.Nanoseconds())/float64(calls), "ns/call")
				})
			}
		}
	}
}
