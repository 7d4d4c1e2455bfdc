package grade_test

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
)

// Every single fault at every place of the lab's life, for a script.
func BenchmarkProveScript(b *testing.B) {
	s, _ := lab(b, "../script/testdata/lab/plain.sh")
	for b.Loop() {
		r, err := explore.Run(explore.Of(s), explore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Bounds.Runs)*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	}
}
