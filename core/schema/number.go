package schema

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/api"
)

// checkNumber models numberValidator.Validate. x is an int64 or a float64.
func (s *Schema) checkNumber(at *place, x any) result {
	var r result
	typ, format := s.numberType()
	r.inRange(at, x, typ, format, "Checked")
	if s.MultipleOf != nil {
		bound := result{}
		if bound.inRange(at, *s.MultipleOf, typ, format, "MultipleOf") {
			bound.multipleOf(at, x, *s.MultipleOf)
		} else {
			bound.multipleOf(at, asFloat(x), *s.MultipleOf)
		}
		r.merge(bound)
	}
	if s.Minimum != nil {
		bound := result{}
		if bound.inRange(at, *s.Minimum, typ, format, "Minimum boundary") {
			bound.minimum(at, x, *s.Minimum, s.ExclusiveMinimum)
		} else {
			bound.minimum(at, asFloat(x), *s.Minimum, s.ExclusiveMinimum)
		}
		r.merge(bound)
	}
	if s.Maximum != nil {
		bound := result{}
		if bound.inRange(at, *s.Maximum, typ, format, "Maximum boundary") {
			bound.maximum(at, x, *s.Maximum, s.ExclusiveMaximum)
		} else {
			bound.maximum(at, asFloat(x), *s.Maximum, s.ExclusiveMaximum)
		}
		r.merge(bound)
	}
	r.count++
	return r
}

// numberType returns the type and the format whose ranges are enforced: only
// where the schema has one type and the format belongs to it.
func (s *Schema) numberType() (typ, format string) {
	if len(s.types) != 1 {
		return "", ""
	}
	switch {
	case s.types[0] == "integer" && (s.format == "int32" || s.format == "int64"),
		s.types[0] == "number" && (s.format == "float" || s.format == "double"):
		return s.types[0], s.format
	case s.types[0] == "integer", s.types[0] == "number":
		return s.types[0], ""
	}
	return "", ""
}

func asFloat(x any) float64 {
	if n, ok := x.(int64); ok {
		return float64(n)
	}
	f, _ := x.(float64)
	return f
}

// inRange models IsValueValidAgainstRange: may the number be held by the type
// without loss?
func (r *result) inRange(at *place, x any, typ, format, prefix string) bool {
	if f := asFloat(x); f == math.Trunc(f) && math.Abs(f) <= math.MaxInt32 {
		// Any type holds it.
		return true
	}
	text := strconv.FormatFloat(asFloat(x), 'f', -1, 64)
	if n, ok := x.(int64); ok {
		text = strconv.FormatInt(n, 10)
	}
	var err error
	switch {
	case typ == "integer" && format == "int32":
		_, err = strconv.ParseInt(text, 10, 32)
	case typ == "integer":
		_, err = strconv.ParseInt(text, 10, 64)
	case format == "float":
		_, err = strconv.ParseFloat(text, 32)
	}
	if err == nil {
		return true
	}
	of := "(default format)"
	if format != "" {
		of = "with format " + format
	}
	r.general(fmt.Sprintf("%s value must be of type %s %s in %s", prefix, typ, of, at.String()))
	return false
}

func (r *result) multipleOf(at *place, x any, factor float64) {
	n, whole := x.(int64)
	var ok bool
	var shown any = factor
	if whole {
		// The factor is cut to an integer, and so is zero below one.
		f := int64(factor)
		shown = f
		if f > 0 {
			ok = n/f*f == n
		}
	} else if factor > 0 {
		quotient := asFloat(x) / factor
		if factor < 1 {
			quotient = 1 / factor * asFloat(x)
		}
		ok = isJSONInteger(quotient)
	}
	if asFloat(shown) <= 0 {
		text := fmt.Sprintf("factor MultipleOf declared for %s must be positive: %v", at.String(), shown)
		r.add(fault{&api.FieldError{Type: api.FieldInvalid, Field: at.String(), Value: shown, Detail: text}, text})
	} else if !ok {
		r.fail(api.FieldInvalid, at.String(), x, fmt.Sprintf("should be a multiple of %v", shown))
	}
}

func (r *result) maximum(at *place, x any, limit float64, exclusive bool) {
	than, c := "less than or equal to", compareTo(x, limit)
	if exclusive {
		than = "less than"
	}
	if c > 0 || exclusive && c == 0 {
		r.fail(api.FieldInvalid, at.String(), x, fmt.Sprintf("should be %s %v", than, shownLimit(x, limit)))
	}
}

func (r *result) minimum(at *place, x any, limit float64, exclusive bool) {
	than, c := "greater than or equal to", compareTo(x, limit)
	if exclusive {
		than = "greater than"
	}
	if c < 0 || exclusive && c == 0 {
		r.fail(api.FieldInvalid, at.String(), x, fmt.Sprintf("should be %s %v", than, shownLimit(x, limit)))
	}
}

// compareTo compares a number with a limit: an integer as integers.
func compareTo(x any, limit float64) int {
	if n, ok := x.(int64); ok {
		return cmp.Compare(n, int64(limit))
	}
	return cmp.Compare(asFloat(x), limit)
}

// shownLimit is the limit as it is compared with x.
func shownLimit(x any, limit float64) any {
	if _, ok := x.(int64); ok {
		return int64(limit)
	}
	return limit
}
