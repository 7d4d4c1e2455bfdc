package schema

import "github.com/reconcile-playground/reconcile/core/object"

// Default fills in the defaults of fields that are missing, or null where the
// schema does not allow null. Defaults apply only below maps that are there.
// A Map that lacks nothing is returned itself.
func (s *Schema) Default(m *object.Map) *object.Map { return s.applyDefaults(m).(*object.Map) }

func (s *Schema) nonNullableNull(x any) bool { return x == nil && s != nil && !s.Nullable }

func (s *Schema) applyDefaults(x any) any {
	if s == nil || !s.defaulting {
		return x
	}
	switch v := x.(type) {
	case *object.Map:
		var room [4]object.Field
		defaults := room[:0]
		for i := range s.Properties {
			p := &s.Properties[i]
			if p.Schema.DefaultValue == nil {
				continue
			}
			if old, found := v.Get(p.Name); !found || p.Schema.nonNullableNull(old) {
				defaults = append(defaults, object.Field{Key: p.Name, Value: p.Schema.DefaultValue})
			}
		}
		out := v.WithAll(defaults...)
		for k, sub := range out.All() {
			if p := s.Property(k); p != nil {
				if p.defaulting {
					out = out.With(k, p.applyDefaults(sub))
				}
			} else if s.Additional != nil {
				if a := s.Additional.Schema; a.nonNullableNull(sub) {
					sub = a.DefaultValue
				}
				out = out.With(k, s.Additional.Schema.applyDefaults(sub))
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			if s.Items.nonNullableNull(sub) {
				sub = s.Items.DefaultValue
			}
			out = out.With(i, s.Items.applyDefaults(sub))
		}
		return out
	}
	return x
}

// DropNulls removes the nulls of fields that are not nullable and have no
// default, as every decoding of a body does. (Server-side apply does not decode
// so: there a null stays and is refused by Validate.) Items of lists stay.
func (s *Schema) DropNulls(m *object.Map) *object.Map { return dropNulls(m, s).(*object.Map) }

func dropNulls(x any, s *Schema) any {
	if s == nil {
		return x
	}
	switch v := x.(type) {
	case *object.Map:
		out := v
		for k, sub := range v.All() {
			next, _ := s.child(k)
			if next.nonNullableNull(sub) && next.DefaultValue == nil {
				out = out.Without(k)
			} else {
				out = out.With(k, dropNulls(sub, next))
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			out = out.With(i, dropNulls(sub, s.Items))
		}
		return out
	}
	return x
}

// FillsIn reports whether a property that is missing is filled in.
func (s *Schema) FillsIn(name string) bool {
	p := s.Property(name)
	return p != nil && p.DefaultValue != nil
}
