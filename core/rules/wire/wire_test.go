package wire_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rules"
	"github.com/reconcile-playground/reconcile/core/rules/wire"
	"github.com/reconcile-playground/reconcile/core/schema"
)

func texts(errs []*api.FieldError) []string {
	out := []string{}
	for _, e := range errs {
		out = append(out, string(e.Type)+" "+e.Error())
	}
	return out
}

func parse(t *testing.T, text string) *schema.Schema {
	t.Helper()
	o, err := object.DecodeObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Parse(o.Root())
}

// Whoever asks over the wire gets the answers that the evaluator gives.
func TestSameAnswers(t *testing.T) {
	direct, err := rules.New()
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	server := wire.NewServer(direct)
	client := wire.NewClient(func(q string) (string, error) { asked++; return server.Answer(q), nil })
	s := parse(t, `{"type":"object","properties":{"spec":{"type":"object","x-kubernetes-validations":[{"rule":"self.a > 1","message":"more"},{"rule":"self.b == oldSelf.b"}],
		"properties":{"a":{"type":"integer","x-kubernetes-validations":[{"rule":"self != 1"}]},"b":{"type":"string"}}}}}`)
	value := object.FromMap(map[string]any{"spec": map[string]any{"a": 1, "b": "x"}}).Root()
	old := object.FromMap(map[string]any{"spec": map[string]any{"a": 1, "b": "y"}}).Root()
	for _, q := range []schema.Evaluation{
		{Schema: s, Resource: true, Value: value, Budget: schema.RuleBudget},
		{Schema: s, Resource: true, Value: value, Old: old, Ratchet: true, Budget: schema.RuleBudget},
		{Schema: s, Path: "x.default", Value: value, Budget: 1},
	} {
		want, got := direct.Evaluate(q), client.Evaluate(q)
		if d := cmp.Diff(texts(want.Errors), texts(got.Errors)); d != "" || want.Budget != got.Budget || fmt.Sprint(want.Warnings) != fmt.Sprint(got.Warnings) {
			t.Errorf("%v and %v: %s", want, got, d)
		}
		if len(want.Errors)+len(want.Warnings) == 0 {
			t.Error("nothing was found")
		}
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	for _, q := range []schema.Compilation{
		{Schema: s, Path: "p"},
		{Schema: parse(t, `{"type":"object","x-kubernetes-validations":[{"rule":"1 +"},{"rule":"true","optionalOldSelf":true}]}`), Path: "p"},
		{Schema: parse(t, `{"type":"object","x-kubernetes-validations":[{"rule":"[1].includes(1)"}]}`), Path: "p", Stored: []*schema.Schema{nil, s}},
		{Schema: parse(t, `{"type":"object","x-kubernetes-validations":[{"rule":"x"}]}`), Path: "p", Broken: []string{"p"}, Unchanged: true},
	} {
		if d := cmp.Diff(texts(direct.Compile(q)), texts(client.Compile(q))); d != "" {
			t.Error(d)
		}
	}
}

// A server that has begun anew, or has had more schemas than it keeps, is told again.
func TestForgotten(t *testing.T) {
	direct, err := rules.New()
	if err != nil {
		t.Fatal(err)
	}
	server := wire.NewServer(direct)
	client := wire.NewClient(func(q string) (string, error) { return server.Answer(q), nil })
	ask := func(s *schema.Schema) []string {
		return texts(client.Evaluate(schema.Evaluation{Schema: s, Value: object.FromMap(map[string]any{"a": 1}).Root(), Budget: schema.RuleBudget}).Errors)
	}
	s := parse(t, `{"type":"object","x-kubernetes-validations":[{"rule":"false","message":"never"}]}`)
	want := ask(s)
	server = wire.NewServer(direct)
	if d := cmp.Diff(want, ask(s)); d != "" {
		t.Error(d)
	}
	for i := range 600 {
		other := parse(t, fmt.Sprintf(`{"type":"object","x-kubernetes-validations":[{"rule":"false","message":"%d"}]}`, i))
		if got := ask(other); len(got) != 1 || got[0] != fmt.Sprintf("FieldValueInvalid <nil>: Invalid value: %d", i) {
			t.Fatal(i, got)
		}
	}
	if d := cmp.Diff(want, ask(s)); d != "" {
		t.Error(d)
	}
}

// Where nobody answers, what was asked about is refused with the reason.
func TestNobodyAnswers(t *testing.T) {
	client := wire.NewClient(func(string) (string, error) { return "", errors.New("connect and try again") })
	s := parse(t, `{"type":"object","x-kubernetes-validations":[{"rule":"true"}]}`)
	if got := texts(client.Compile(schema.Compilation{Schema: s, Path: "p"})); len(got) != 1 || got[0] != "FieldValueForbidden p: Forbidden: connect and try again" {
		t.Error(got)
	}
	if v := client.Evaluate(schema.Evaluation{Schema: s, Value: object.NewMap(), Budget: 1}); len(v.Errors) != 1 || v.Errors[0].Detail != "connect and try again" {
		t.Error(v)
	}
}
