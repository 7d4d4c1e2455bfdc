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

// TestOperations: every operation works on every peer, and finds what it should.
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
