package api

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// FieldErrorType is the machine-readable cause of a FieldError.
type FieldErrorType string

// The types of field errors, by the words of metav1.CauseType.
const (
	FieldRequired     FieldErrorType = "FieldValueRequired"
	FieldDuplicate    FieldErrorType = "FieldValueDuplicate"
	FieldInvalid      FieldErrorType = "FieldValueInvalid"
	FieldNotSupported FieldErrorType = "FieldValueNotSupported"
	FieldForbidden    FieldErrorType = "FieldValueForbidden"
	FieldNotFound     FieldErrorType = "FieldValueNotFound"
	FieldTooLong      FieldErrorType = "FieldValueTooLong"
	FieldTooMany      FieldErrorType = "FieldValueTooMany"
	FieldTypeInvalid  FieldErrorType = "FieldValueTypeInvalid"
	FieldInternal     FieldErrorType = "InternalError"
)

// FieldError is one complaint of validation about one field. Models
// k8s.io/apimachinery/pkg/util/validation/field.Error.
type FieldError struct {
	Type FieldErrorType
	// Field is a field path as Kubernetes writes it: spec.ports[0].name,
	// metadata.labels, spec.data[some.key].
	Field string
	// Value is the bad value; what of it is printed depends on Type.
	Value  any
	Detail string
}

// Error prints the whole complaint: `spec.replicas: Invalid value: 11: ...`.
func (e *FieldError) Error() string { return e.Field + ": " + e.Body() }

// OmitValue as the value of a FieldError says that it is not to be printed.
const OmitValue = omitValue("omitted")

type omitValue string

// Body prints the complaint without the field: what stands in a Cause.
func (e *FieldError) Body() string {
	var s string
	switch e.Type {
	case FieldRequired:
		s = "Required value"
	case FieldForbidden:
		s = "Forbidden"
	case FieldTooLong:
		s = "Too long"
	case FieldInternal:
		s = "Internal error"
	case FieldDuplicate:
		s = "Duplicate value" + e.printed()
	case FieldNotSupported:
		s = "Unsupported value" + e.printed()
	case FieldNotFound:
		s = "Not found" + e.printed()
	case FieldTooMany:
		s = "Too many" + e.printed()
	default:
		s = "Invalid value" + e.printed()
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// printed is ": " and the value, or nothing.
func (e *FieldError) printed() string {
	if e.Value == OmitValue {
		return ""
	}
	return ": " + e.value()
}

// value shows a value as field.Error does: scalars as %v, strings quoted,
// null as null, trees as JSON. A fmt.Stringer prints itself: it stands for a
// Go struct, whose fields are not in the order of a tree.
func (e *FieldError) value() string {
	switch v := e.Value.(type) {
	case nil:
		return "null"
	case string:
		return strconv.Quote(v)
	case bool, int, int64, float64:
		return fmt.Sprint(v)
	case fmt.Stringer:
		return v.String()
	}
	return escapeHTML.Replace(string(object.EncodeJSON(e.Value)))
}

// escapeHTML escapes JSON as encoding/json does by default.
var escapeHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// NewInvalid is 422 with all the errors as causes and in the message. Models
// apierrors.NewInvalid and the aggregate that it prints: one error stands
// alone, several in brackets, equal ones once.
func NewInvalid(gk object.GVK, name string, errs []*FieldError) *Status {
	causes := make([]Cause, len(errs))
	var texts []string
	seen := map[string]bool{}
	for i, e := range errs {
		causes[i] = Cause{Reason: string(e.Type), Message: e.Body(), Field: e.Field}
		if t := e.Error(); !seen[t] {
			seen[t] = true
			texts = append(texts, t)
		}
	}
	all := strings.Join(texts, ", ")
	if len(texts) > 1 {
		all = "[" + all + "]"
	}
	kind := gk.Kind
	if gk.Group != "" {
		kind += "." + gk.Group
	}
	return failure(422, ReasonInvalid, fmt.Sprintf("%s %q is invalid: %s", kind, name, all),
		&Details{Name: name, Group: gk.Group, Kind: gk.Kind, Causes: causes})
}
