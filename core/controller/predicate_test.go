package controller

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

func TestPredicatesOnUpdates(t *testing.T) {
	base := obj(webApp, "a", "1").Set(1, "metadata", "generation")
	status := base.Set("2", "metadata", "resourceVersion").Set("Ready", "status", "phase")
	spec := base.Set("2", "metadata", "resourceVersion").Set(2, "metadata", "generation")
	label := base.Set("2", "metadata", "resourceVersion").Set("x", "metadata", "labels", "app")
	annotation := base.Set("2", "metadata", "resourceVersion").Set("x", "metadata", "annotations", "app")
	empty := base.Set(map[string]any{}, "metadata", "labels")
	for _, tc := range []struct {
		predicate                                             string
		resync, status, spec, label, annotation, empty, other bool
	}{
		{predicate: "ResourceVersionChanged", status: true, spec: true, label: true, annotation: true},
		{predicate: "GenerationChanged", spec: true},
		{predicate: "LabelChanged", label: true},
		{predicate: "AnnotationChanged", annotation: true},
		{predicate: "Or(GenerationChanged, LabelChanged)", spec: true, label: true},
		{predicate: "And(GenerationChanged, LabelChanged)"},
		{predicate: "Not(GenerationChanged)", resync: true, status: true, label: true, annotation: true, empty: true},
	} {
		p, err := ParsePredicate(tc.predicate)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []struct {
			name string
			new  object.Object
			want bool
		}{
			{"resync", base, tc.resync}, {"status", status, tc.status}, {"spec", spec, tc.spec},
			{"label", label, tc.label}, {"annotation", annotation, tc.annotation}, {"empty labels", empty, tc.empty},
		} {
			if got := p.Update(UpdateEvent{base, u.new}); got != u.want {
				t.Errorf("%s lets an update of %s pass: %v", tc.predicate, u.name, got)
			}
		}
		if p.String() != tc.predicate {
			t.Errorf("%s prints as %s", tc.predicate, p)
		}
	}
}

func TestPredicatesOnOtherEvents(t *testing.T) {
	for predicate, want := range map[string]bool{
		"GenerationChanged":                                true,
		"Not(GenerationChanged)":                           false,
		"Or(Not(LabelChanged), LabelChanged)":              true,
		"And(Not(LabelChanged), LabelChanged)":             false,
		"And(Not(Not(LabelChanged)), AnnotationChanged)":   true,
		"Or(Not(LabelChanged), Not(GenerationChanged))":    false,
		"And( LabelChanged ,Or(ResourceVersionChanged ) )": true,
	} {
		p, err := ParsePredicate(predicate)
		if err != nil {
			t.Fatal(err)
		}
		if p.Create(CreateEvent{}) != want || p.Delete(DeleteEvent{}) != want || p.Generic(GenericEvent{}) != want {
			t.Errorf("%s lets creations, deletions or generic events pass otherwise than %v", predicate, want)
		}
	}
}

// A ConfigMap has no generation: its deletion mark does not pass either.
func TestGenerationChangedHidesEveryUpdateOfAConfigMap(t *testing.T) {
	o := obj(configMap, "a", "1")
	marked := o.Set("2026-01-01T00:00:00Z", "metadata", "deletionTimestamp").Set("2", "metadata", "resourceVersion")
	if (GenerationChangedPredicate{}).Update(UpdateEvent{o, marked}) {
		t.Fatal("an update of a kind without generation passed")
	}
}

func TestParsePredicateErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     `predicate "": no predicate is called ""`,
		"Generation":                           `predicate "Generation": no predicate is called "Generation"`,
		"Or":                                   `predicate "Or": a "(" is missing before ""`,
		"Or(LabelChanged":                      `predicate "Or(LabelChanged": a ")" is missing before ""`,
		"Or()":                                 `predicate "Or()": no predicate is called ""`,
		"Not(LabelChanged, Other)":             `predicate "Not(LabelChanged, Other)": no predicate is called "Other"`,
		"LabelChanged LabelChanged":            `predicate "LabelChanged LabelChanged": "LabelChanged" follows its end`,
		"Not(LabelChanged, GenerationChanged)": `predicate "Not(LabelChanged, GenerationChanged)": Not takes one predicate, not 2`,
	} {
		if _, err := ParsePredicate(text); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
