package grade_test

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
)

// Every single fault at every place of the lab's life, and every other order, for a
// script of each style.
func BenchmarkProveScript(b *testing.B) {
	for _, name := range []string{"plain", "compare"} {
		b.Run(name, func(b *testing.B) {
			s, _ := lab(b, "../script/testdata/lab/"+name+".sh")
			runs := 0
			for b.Loop() {
				r, err := explore.Run(explore.Of(s), explore.Options{})
				if err != nil {
					b.Fatal(err)
				}
				runs += r.Bounds.Runs
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
