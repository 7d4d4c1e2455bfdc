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
			do := func(op, name string, n int) error {
				t.Helper()
				call, err := p.Ready(op, name, n)
				check(t, err)
				return call()
			}
			stored := func(op string, n int, observed int64) {
				t.Helper()
				check(t, do(op, name, n))
				said, seen, err := p.Stored(name)
				if check(t, err); op != "status update" && said != message(n) || seen != observed {
					t.Errorf("after %s: %q, observedGeneration %d", op, said, seen)
				}
			}
			stored("update", 7, 0)
			stored("status update", 5, 5)
			stored("merge patch", 8, 5)
			stored("apply", 9, 5)
			check(t, do("create", "another", 0))
			check(t, do("get", "another", 0))
			check(t, do("delete", "another", 0))
			if err := do("get", "another", 0); err == nil {
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
