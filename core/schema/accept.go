package schema

import (
	"slices"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/object"
)

// accepts reports whether a value has no fault, without making a note of where
// it is; false says no more than that checkValue has to look. What is the very
// same in was, nil for nothing, has none.
func (s *Schema) accepts(x, was any) bool {
	if s == nil || was != nil && object.Same(x, was) {
		return true
	}
	if s.format != "" || len(s.AnyOf)+len(s.OneOf)+len(s.AllOf) > 0 || s.Not != nil {
		return false
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return enumEqual(x, e) }) {
		return false
	}
	switch v := x.(type) {
	case bool:
		return s.takes("boolean")
	case string:
		return s.takes("string") && s.acceptsString(v)
	case int64:
		return (s.takes("integer") || s.takes("number")) && s.acceptsInteger(v)
	case *object.List:
		return s.takes("array") && s.acceptsList(v)
	case *object.Map:
		before, _ := was.(*object.Map)
		return s.takes("object") && s.acceptsMap(v, before)
	}
	return false
}

func (s *Schema) takes(typ string) bool { return len(s.types) == 0 || slices.Contains(s.types, typ) }

func (s *Schema) acceptsString(v string) bool {
	if s.MaxLength != nil || s.MinLength != nil {
		n := int64(len(v))
		most, least := n, n/utf8.UTFMax
		if s.MaxLength != nil && most > *s.MaxLength || s.MinLength != nil && least < *s.MinLength {
			most = int64(utf8.RuneCountInString(v))
			least = most
		}
		if s.MaxLength != nil && most > *s.MaxLength || s.MinLength != nil && least < *s.MinLength {
			return false
		}
	}
	return s.invalid == nil && (s.pattern == nil || s.pattern.MatchString(v))
}

func (s *Schema) acceptsInteger(n int64) bool {
	if s.Minimum == nil && s.Maximum == nil && s.MultipleOf == nil {
		return len(s.types) == 1 && s.types[0] == "integer"
	}
	if s.MultipleOf == nil && fitsInt32(s.Minimum) && fitsInt32(s.Maximum) {
		return (s.Minimum == nil || n > int64(*s.Minimum) || n == int64(*s.Minimum) && !s.ExclusiveMinimum) &&
			(s.Maximum == nil || n < int64(*s.Maximum) || n == int64(*s.Maximum) && !s.ExclusiveMaximum)
	}
	r := s.checkNumber(nil, n)
	return r.valid()
}

// fitsInt32 reports whether a bound is none, or one that any type of number holds.
func fitsInt32(bound *float64) bool { return bound == nil || float64(int32(*bound)) == *bound }

func (s *Schema) acceptsList(l *object.List) bool {
	if s.MinItems != nil || s.MaxItems != nil || s.UniqueItems {
		return false
	}
	for _, x := range l.All() {
		if !s.Items.accepts(x, nil) {
			return false
		}
	}
	return true
}

func (s *Schema) acceptsMap(m, was *object.Map) bool {
	if s.MinProperties != nil || s.MaxProperties != nil || s.Additional != nil && !s.Additional.Allows {
		return false
	}
	for _, key := range s.Required {
		if !m.Has(key) {
			return false
		}
	}
	if s.leaf {
		return true
	}
	for key, x := range m.All() {
		p := s.Property(key)
		if p == nil && s.Additional != nil {
			p = s.Additional.Schema
		}
		before, _ := was.Get(key)
		if !p.accepts(x, before) {
			return false
		}
	}
	return true
}
