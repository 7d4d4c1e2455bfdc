package judge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// reads evaluates a JSONPath over the object at hand, or over the state, in the
// place of a language for expressions.
func reads(text string) (judge.Expression, error) {
	path, err := object.ParseJSONPath(text)
	if err != nil {
		return nil, err
	}
	return func(state, o *object.Map) (any, error) {
		if o == nil {
			o = state
		}
		found, err := path.Find(o, false)
		if err != nil || len(found) == 0 || len(found[0]) == 0 {
			return nil, err
		}
		return found[0][0], nil
	}, nil
}

// The checks of a scenario are made at rest, or at any time, for each object of
// their kind, and say what is wrong of it.
func TestChecks(t *testing.T) {
	judge.UseExpressions(reads)
	defer judge.UseExpressions(nil)
	checks, err := judge.Compile([]judge.Check{
		{Name: "phase", For: "WebApp", Expr: "{.status.phase}", Says: "{object} ({.spec.message}) has the phase {.status.phase}"},
		{Name: "lb", At: judge.Always, Finding: judge.Orphan, Expr: "{.nothing}"},
		{Name: "clock", Expr: "{.clock}"},
	})
	if err != nil {
		t.Fatal(err)
	}
	found := runWith(t, on(nothing), checks)
	var got []string
	for _, f := range found {
		got = append(got, f.Finding+" "+f.Check+": "+f.Sentence)
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"wrong-state phase: WebApp/default/plain (hello) has the phase not set",
		"orphan lb: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, " clock:") {
		t.Errorf("a check that holds is a finding:\n%s", text)
	}
	var bad *judge.CheckError
	if _, err := judge.Compile([]judge.Check{{Name: "x", Expr: "{.a[}"}}); !errors.As(err, &bad) || bad.Check != "x" {
		t.Errorf("a check that does not parse: %v", err)
	}
	if runWith(t, &reconcile.WebAppReconciler{}, checks)[0].Check != "lb" {
		t.Error("the reference has no phase")
	}
}

// Without something that evaluates them there are no checks, and that is said.
func TestChecksAreSkipped(t *testing.T) {
	checks, err := judge.Compile([]judge.Check{{Name: "x", Expr: "anything"}})
	if err != nil || !checks.Skipped() || len(runWith(t, &reconcile.WebAppReconciler{}, checks)) > 0 {
		t.Errorf("skipped %v, %v", checks.Skipped(), err)
	}
}
