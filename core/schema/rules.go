package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Evaluator evaluates x-kubernetes-validations over a whole object. old is nil
// on a create. It must be deterministic and may be kept.
type Evaluator interface {
	// Evaluate returns the errors of all rules of the schema, in order.
	Evaluate(s *Schema, obj, old *object.Map) []*api.FieldError
}

// NoRules is the refusal of a CRD with rules where nothing can evaluate them.
func NoRules(field string) *api.FieldError {
	return &api.FieldError{Type: api.FieldForbidden, Field: field,
		Detail: "x-kubernetes-validations cannot be evaluated here: the evaluator of CEL rules is not loaded"}
}

// evaluate runs the rules unless an error found before blocks them.
func (s *Schema) evaluate(w Write, errs []*api.FieldError) []*api.FieldError {
	if w.Rules == nil || !s.HasRules() {
		return errs
	}
	for _, e := range errs {
		switch e.Type {
		case api.FieldNotSupported, api.FieldRequired, api.FieldTooLong, api.FieldTooMany, api.FieldTypeInvalid:
			return append(errs, &api.FieldError{Type: api.FieldInvalid, Field: "<nil>",
				Detail: "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"})
		}
	}
	return append(errs, w.Rules.Evaluate(s, w.Object, w.Old)...)
}
