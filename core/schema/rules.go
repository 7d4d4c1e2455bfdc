package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Evaluator knows x-kubernetes-validations. It must be deterministic and may be
// kept and shared: it is a part of the program, not of a cluster's state.
type Evaluator interface {
	// Compile says what is wrong with the rules of a CRD's schema.
	Compile(c Compilation) []*api.FieldError
	// Evaluate runs the rules of a schema over a value.
	Evaluate(e Evaluation) Verdict
}

// Compilation is what Compile judges.
type Compilation struct {
	// Schema is that of a custom resource; Path is its field in the CRD.
	Schema *Schema
	Path   string
	// Broken are the fields of schemas that have an error, or one below them:
	// their rules are not compiled.
	Broken []string
	// Stored are the schemas of the CRD as it is stored, on an update: what its
	// rules use stays allowed.
	Stored []*Schema
	// Unchanged says that the schema is as it is stored: no rule is too dear then.
	Unchanged bool
}

// RuleBudget is what the rules of one write may cost together. Models
// RuntimeCELCostBudget.
const RuleBudget = 10000000

// Evaluation is what Evaluate judges.
type Evaluation struct {
	Schema *Schema
	// Resource says that the schema is that of a resource, whose metadata.name
	// rules may see.
	Resource bool
	// Path is the field of the value; empty for a whole object.
	Path string
	// Value is judged, Old is what it was; nil where it was not.
	Value, Old any
	// Ratchet says that what has not changed and breaks a rule is told as a
	// warning.
	Ratchet bool
	// Budget is what may be spent.
	Budget int64
}

// Verdict is what Evaluate finds, in order. Budget is what is left; below zero
// says that it did not suffice.
type Verdict struct {
	Errors   []*api.FieldError
	Warnings []string
	Budget   int64
}

// noRules refuses a CRD with rules where nothing can evaluate them.
func noRules(field string) *api.FieldError {
	return &api.FieldError{Type: api.FieldForbidden, Field: field,
		Detail: "x-kubernetes-validations cannot be evaluated: the evaluator of CEL rules is not loaded"}
}

// evaluate runs the rules unless an error found before blocks them.
func (s *Schema) evaluate(w Write, errs []*api.FieldError) ([]*api.FieldError, []string) {
	if w.Rules == nil || !s.HasRules() {
		return errs, nil
	}
	for _, e := range errs {
		switch e.Type {
		case api.FieldNotSupported, api.FieldRequired, api.FieldTooLong, api.FieldTooMany, api.FieldTypeInvalid:
			return append(errs, &api.FieldError{Type: api.FieldInvalid, Field: "<nil>",
				Detail: "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"}), nil
		}
	}
	e := Evaluation{Schema: s, Resource: true, Value: w.Object, Budget: RuleBudget}
	if w.Old != nil {
		e.Old, e.Ratchet = w.Old, true
	}
	v := w.Rules.Evaluate(e)
	return append(errs, v.Errors...), v.Warnings
}

// Ratchet follows a value on the way down together with what it was. The zero
// Ratchet takes everything as changed. Models ratchetingOptions.
type Ratchet struct{ at, above *correlation }

// NewRatchet begins at a whole object.
func NewRatchet(value, old *object.Map, s *Schema) Ratchet {
	return Ratchet{at: correlate(value, old, s)}
}

// Unchanged reports whether the value, or the nearest around it that can be
// matched with its old self, is what it was.
func (r Ratchet) Unchanged() bool {
	if r.at != nil {
		return r.at.unchanged()
	}
	return r.above.unchanged()
}

// Key goes down to a field.
func (r Ratchet) Key(key string) Ratchet {
	switch {
	case r.at == nil:
		return r
	case r.above == nil && (key == "apiVersion" || key == "kind"):
		// An update cannot see that they changed.
		return Ratchet{}
	}
	return Ratchet{r.at.key(key), r.at}
}

// Index goes down to an item.
func (r Ratchet) Index(i int) Ratchet {
	if r.at == nil {
		return r
	}
	return Ratchet{r.at.nth(i), r.at}
}
