package explore_test

import (
	"os"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
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

// soak has the long tests play all their runs: make soak.
var soak = os.Getenv("SOAK") != ""

// Nothing is wrong with the reference where two faults come in one run: in the life
// of one WebApp that wants everything, the second within the key's next two passes;
// and in the whole life of the lab, drawn by seed. Of the latter few runs are made
// here, and more by make soak.
func TestReferenceInPairs(t *testing.T) {
	whole := lab(t, &reconcile.WebAppReconciler{})
	one := whole
	one.Life = explore.Each(
		sim.Act("apply", everything).String(),
		sim.Act("apply", shared).String(),
		sim.Act("patch", "WebApp/default/all", `{"spec":{"message":"edited","loadBalancer":false}}`).String(),
		sim.Act("patch", "WebApp/default/all", `{"spec":{"loadBalancer":true}}`).String(),
		"delete WebApp/default/all",
	)
	there := 40
	if !soak {
		there = 4000
	}
	for _, c := range []struct {
		name         string
		subject      explore.Subject
		sample, runs int
	}{{"one", one, 1, 7000}, {"whole", whole, there, 500}} {
		t.Run(c.name, func(t *testing.T) {
			r := run(t, c.subject, explore.Options{Depth: 2, Sample: c.sample, Seed: 7, Schedules: []string{}})
			if len(r.Findings)+len(r.Stopped) > 0 || r.Bounds.Runs < c.runs || r.Bounds.Near != 2 {
				t.Errorf("%d runs%s", r.Bounds.Runs, list(append(r.Findings, r.Stopped...)))
			}
			t.Logf("%d runs", r.Bounds.Runs)
		})
	}
}

const everything = `apiVersion: lab.example.com/v1
kind: WebApp
metadata: {name: all, namespace: default}
spec: {message: everything, replicas: 2, configRef: shared, loadBalancer: true}
`

const shared = `apiVersion: v1
kind: ConfigMap
metadata: {name: shared, namespace: default}
data: {base: ground}
`

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
