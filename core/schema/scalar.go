package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

func (s *Schema) checkNull(r *result, at *place) {
	if len(s.types) > 0 && !s.Nullable {
		r.typeFail(at, strings.Join(s.types, ","), "null")
		return
	}
	r.count++
}

func (r *result) typeFail(at *place, want, got string) {
	r.fail(api.FieldTypeInvalid, at.String(), got, fmt.Sprintf("must be of type %s: %q", want, got))
}

// jsonType returns a value's JSON type and format.
func jsonType(x any) (string, string) {
	switch x.(type) {
	case bool:
		return "boolean", ""
	case string:
		return "string", ""
	case int64:
		return "integer", "int64"
	case float64:
		return "number", "float64"
	case *object.List:
		return "array", ""
	}
	return "object", ""
}

// checkType models typeValidator.Validate, whose answers depend on the format
// in ways of their own.
func (s *Schema) checkType(r *result, at *place, x any) {
	typ, format := jsonType(x)
	has := func(t string) bool { return slices.Contains(s.types, t) }
	f, _ := x.(float64)
	fits := has(typ) || typ == "number" && has("integer") && isJSONInteger(f) || typ == "integer" && has("number")
	textual := typ == "string" || typ == "array"
	switch {
	case !textual && s.format != "" && !fits && format != s.format:
		r.typeFail(at, s.format, format)
	case textual && s.format != "" && !has("number") && !has("integer"):
		r.count++
	case !fits:
		r.typeFail(at, strings.Join(s.types, ","), typ)
	default:
		r.count++
	}
}

// isJSONInteger models swag.IsFloat64AJSONInteger: whole within 2^53, up to rounding.
func isJSONInteger(f float64) bool {
	const limit = 1<<53 - 1
	if math.IsNaN(f) || f < -limit || f > limit {
		return false
	}
	rounded := math.Round(f)
	if f == rounded {
		return true
	}
	return rounded != 0 && math.Abs(f-rounded) < 1e-9*math.Abs(rounded)
}

func (s *Schema) checkString(r *result, at *place, v string) {
	n := int64(utf8.RuneCountInString(v))
	switch {
	case s.MaxLength != nil && n > *s.MaxLength:
		path := at.String()
		noun := "bytes"
		if *s.MaxLength == 1 {
			noun = "byte"
		}
		r.add(fault{&api.FieldError{Type: api.FieldTooLong, Field: path, Detail: fmt.Sprintf("may not be more than %d %s", *s.MaxLength, noun)},
			fmt.Sprintf("%s in body should be at most %d chars long", path, *s.MaxLength)})
	case s.MinLength != nil && n < *s.MinLength:
		r.fail(api.FieldInvalid, at.String(), v, fmt.Sprintf("should be at least %d chars long", *s.MinLength))
	case s.invalid != nil:
		r.fail(api.FieldInvalid, at.String(), v, fmt.Sprintf("should match '%s, but pattern is invalid: %s'", s.Pattern, s.invalid))
	case s.pattern != nil && !s.pattern.MatchString(v):
		r.fail(api.FieldInvalid, at.String(), v, "should match '"+s.Pattern+"'")
	}
}

func (s *Schema) checkFormat(r *result, at *place, v string) {
	if !matchesFormat(s.format, v) {
		r.fail(api.FieldTypeInvalid, at.String(), v, fmt.Sprintf("must be of type %s: %q", s.format, v))
	}
}

func (s *Schema) checkEnum(r *result, at *place, x any) {
	if len(s.Enum) == 0 {
		return
	}
	quoted := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		if enumEqual(x, e) {
			return
		}
		text, ok := e.(string)
		if !ok {
			text = string(object.EncodeJSON(e))
		}
		quoted[i] = strconv.Quote(text)
	}
	path := at.String()
	r.add(fault{&api.FieldError{Type: api.FieldNotSupported, Field: path, Value: x, Detail: "supported values: " + strings.Join(quoted, ", ")},
		path + " in body should be one of " + strings.Join(quoted, " ")})
}

// enumEqual compares as basicCommonValidator does: after Go's conversion to the
// type of the enum's value. So 1.5 is taken for 1, and 65 for "A".
func enumEqual(x, e any) bool {
	switch e := e.(type) {
	case nil:
		return false
	case int64:
		switch x := x.(type) {
		case int64:
			return x == e
		case float64:
			return object.Truncated(x) == e
		}
		return false
	case float64:
		switch x := x.(type) {
		case int64:
			return float64(x) == e
		case float64:
			return x == e
		}
		return false
	case string:
		if n, ok := x.(int64); ok {
			return string(rune(n)) == e
		}
	}
	return reflect.TypeOf(x) == reflect.TypeOf(e) && object.Equal(x, e)
}
