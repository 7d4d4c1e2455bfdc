package schema

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// duplicates finds the items that break the uniqueness of set and map lists.
// What is the very same in was is not looked at. Models
// listtype.ValidateListSetsAndMaps.
func (s *Schema) duplicates(m, was *object.Map) []*api.FieldError {
	if !s.hasItems(m, was) {
		return nil
	}
	return s.duplicatesIn(nil, m, was)
}

// hasItems reports whether there are items in lists below which, or in which, one
// may break that.
func (s *Schema) hasItems(x, was any) bool {
	if s == nil || !s.hasListTypes || was != nil && object.Same(x, was) {
		return false
	}
	switch v := x.(type) {
	case *object.Map:
		before, _ := was.(*object.Map)
		for i := range v.Len() {
			f := v.Field(i)
			old, _ := before.Get(f.Key)
			if s.Property(f.Key).hasItems(f.Value, old) || s.Additional != nil && s.Additional.Schema.hasItems(f.Value, old) {
				return true
			}
		}
	case *object.List:
		return v.Len() > 0
	}
	return false
}

func (s *Schema) duplicatesIn(at *place, x, was any) []*api.FieldError {
	var errs []*api.FieldError
	if s == nil || !s.hasListTypes || was != nil && object.Same(x, was) {
		return nil
	}
	switch v := x.(type) {
	case *object.Map:
		before, _ := was.(*object.Map)
		if s.Additional != nil && s.Additional.Schema != nil {
			for k, sub := range v.All() {
				old, _ := before.Get(k)
				errs = append(errs, s.Additional.Schema.duplicatesIn(at.of(k), sub, old)...)
			}
		}
		for k, sub := range v.All() {
			if p := s.Property(k); p != nil && p.hasListTypes {
				old, _ := before.Get(k)
				errs = append(errs, p.duplicatesIn(at.at(k), sub, old)...)
			}
		}
	case *object.List:
		switch s.ListType {
		case "set":
			errs = repeated(at, v)
		case "map":
			errs = s.repeatedKeys(at, v)
		}
		if s.Items != nil {
			for i, sub := range v.All() {
				errs = append(errs, s.Items.duplicatesIn(at.nth(i), sub, nil)...)
			}
		}
	}
	return errs
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// repeated complains once of each value that is there more than once, at its
// second appearance.
func repeated(at *place, l *object.List) []*api.FieldError {
	if l.Len() < 2 {
		return nil
	}
	var errs []*api.FieldError
	seen := map[string]int{}
	for i, x := range l.All() {
		key := exact(x)
		if seen[key]++; seen[key] == 2 {
			errs = append(errs, &api.FieldError{Type: api.FieldDuplicate, Field: index(at.String(), i), Value: x})
		}
	}
	return errs
}

// exact is a value as JSON that tells 1.0 from 1: they are two items of a set.
func exact(x any) string {
	var b strings.Builder
	switch v := x.(type) {
	case float64:
		b.WriteString("float")
	case *object.Map:
		for k, sub := range v.All() {
			b.WriteString(strconv.Quote(k) + ":" + exact(sub) + ",")
		}
		return "{" + b.String() + "}"
	case *object.List:
		for _, sub := range v.All() {
			b.WriteString(exact(sub) + ",")
		}
		return "[" + b.String() + "]"
	}
	b.Write(object.EncodeJSON(x))
	return b.String()
}

func (s *Schema) repeatedKeys(at *place, l *object.List) []*api.FieldError {
	keys := make([]any, l.Len())
	for i, x := range l.All() {
		m, ok := x.(*object.Map)
		if x != nil && !ok {
			return []*api.FieldError{{Type: api.FieldInvalid, Field: index(at.String(), i), Value: x, Detail: "must be an object for an array of list-type map"}}
		}
		key := object.NewMap()
		for _, k := range s.ListMapKeys {
			if v, ok := m.Get(k); ok {
				key = key.With(k, v)
			}
		}
		keys[i] = key
	}
	return repeated(at, object.NewList(keys...))
}
