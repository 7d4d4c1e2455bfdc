package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Evaluator knows x-kubernetes-validations. It must be deterministic and may be
// kept and shared.
type Evaluator interface {
	// Compile says what is wrong with the rules of a schema, whose field is
	// path, when its CRD is stored.
	Compile(s *Schema, path string) []*api.FieldError
	// Evaluate returns the errors of all rules of the schema, in order. old is
	// nil on a create.
	Evaluate(s *Schema, obj, old *object.Map) []*api.FieldError
}

// noRules refuses a CRD with rules where nothing can evaluate them.
func noRules(field string) *api.FieldError {
	return &api.FieldError{Type: api.FieldForbidden, Field: field,
		Detail: "x-kubernetes-validations cannot be evaluated: the evaluator of CEL rules is not loaded"}
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
