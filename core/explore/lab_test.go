package explore_test

import (
	"encoding/json"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/object"
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
	x := subject(t, s, r)
	shared, _ := s.File("shared.yaml")
	patch := func(ref string, v any) string {
		text, _ := json.Marshal(v)
		return sim.Act("patch", ref, string(text)).String()
	}
	spec := func(k string, v any) any { return map[string]any{"spec": map[string]any{k: v}} }
	x.Life = append(x.Life, explore.Each(
		patch("ConfigMap/default/plain-config", map[string]any{"data": map[string]any{"message": "drifted", "extra": "kept"}}),
		patch("WebApp/default/plain", spec("message", "other words")),
		sim.Act("apply", shared).String(),
		patch("ConfigMap/default/shared", map[string]any{"data": map[string]any{"base": "new ground"}}),
		patch("WebApp/default/plain", map[string]any{"metadata": map[string]any{"finalizers": []string{"other.example.com/hold"}}}),
		patch("WebApp/default/waiting", spec("loadBalancer", true)),
		patch("WebApp/default/waiting", spec("loadBalancer", false)),
		patch("WebApp/default/outside", spec("replicas", 4)),
		"delete WebApp/default/plain", "delete WebApp/default/waiting", "delete WebApp/default/outside",
		"unfinalize WebApp/default/plain other.example.com/hold",
	)...)
	return x
}

// subject is a scenario with another reconciler, and with something for a user to
// edit.
func subject(t testing.TB, s *scenario.Scenario, r reconcile.Reconciler) explore.Subject {
	t.Helper()
	s.Edit = object.FromAny(map[string]any{"spec": map[string]any{"message": "edited", "replicas": 5}}).(*object.Map)
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
	if b := r.Bounds; b.Runs < 400 || b.Places < 60 || b.States < 50 || b.Acts != 13 || b.Depth != 1 {
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
	for b.Loop() {
		r, err := explore.Run(lab(b, &reconcile.WebAppReconciler{}), explore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Bounds.Runs)*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	}
}
