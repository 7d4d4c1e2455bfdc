package object_test

import (
	"math"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

// TestTruncated: what no int64 holds is the same on each machine.
func TestTruncated(t *testing.T) {
	for f, want := range map[float64]int64{1.9: 1, -1.9: -1, 1e300: math.MinInt64, -1e300: math.MinInt64, 1 << 63: math.MinInt64, math.Inf(1): math.MinInt64} {
		if got := object.Truncated(f); got != want {
			t.Errorf("%v: got %d, want %d", f, got, want)
		}
	}
}
