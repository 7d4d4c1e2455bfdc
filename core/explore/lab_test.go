package explore_test

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

func lab(t testing.TB, r reconcile.Reconciler) explore.Subject {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	return subject(t, s, r)
}

// subject is a scenario with another reconciler.
func subject(t testing.TB, s *scenario.Scenario, r reconcile.Reconciler) explore.Subject {
	t.Helper()
	x, err := explore.With(s, r)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Nothing is wrong with the reference, whatever goes wrong around it.
func TestReference(t *testing.T) {
	r := run(t, lab(t, &reconcile.WebAppReconciler{}), explore.Options{})
	for _, f := range append(r.Findings, r.Stopped...) {
		t.Errorf("%s of %s, %s at %s: %s", f.Finding, f.Object, f.Fault, f.Call, f.Sentence)
	}
	if b := r.Bounds; b.Runs < 400 || b.Places < 60 || b.States < 50 || b.Acts != 14 || b.Depth != 1 {
		t.Errorf("bounds: %+v", b)
	}
}

func run(t testing.TB, s explore.Subject, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Run(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func BenchmarkReference(b *testing.B) {
	runs := 0
	for b.Loop() {
		r, err := explore.Run(lab(b, &reconcile.WebAppReconciler{}), explore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		runs += r.Bounds.Runs
	}
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
}
