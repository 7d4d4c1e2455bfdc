package schema

import "github.com/reconcile-playground/reconcile/core/object"

// Settle reads an object as every decoding of a body does: Prune, DropNulls and
// Default. It returns the object and the paths of what was dropped, as Prune
// does. What is the very same in was, which may be nil, has been settled before.
func (s *Schema) Settle(m, was *object.Map) (*object.Map, []string) {
	n := s.look(m, was, true, true)
	if n == 0 {
		return m, nil
	}
	var dropped []string
	if n&unknown != 0 {
		m, dropped = s.Prune(m)
	}
	if n&null != 0 {
		m = s.DropNulls(m)
	}
	if n&missing != 0 {
		m = s.Default(m)
	}
	return m, dropped
}

// need is what a value may need, so that what it does not need is not tried.
type need int

const (
	unknown need = 1 << iota // Prune
	null                     // DropNulls
	missing                  // Default
)

// look tells what a value needs. root is as prune has it; prunes is false where
// nothing is pruned.
func (s *Schema) look(x, was any, root, prunes bool) need {
	if was != nil && object.Same(x, was) || !prunes && (s == nil || s.leaf) {
		return 0
	}
	switch v := x.(type) {
	case *object.Map:
		before, _ := was.(*object.Map)
		return s.lookMap(v, before, root, prunes)
	case *object.List:
		if v.Len() == 0 {
			return 0
		}
		if s == nil {
			return unknown
		}
		var n need
		if prunes && s.PreserveUnknownFields {
			n, prunes = unknown, false
		}
		for _, sub := range v.All() {
			if s.Items.nonNullableNull(sub) {
				n |= missing
			}
			n |= s.Items.look(sub, nil, false, prunes)
		}
		return n
	}
	return 0
}

func (s *Schema) lookMap(m, was *object.Map, root, prunes bool) (n need) {
	if s != nil && s.hasDefaults {
		for _, p := range s.Properties {
			if p.Schema.DefaultValue == nil {
				continue
			}
			if v, found := m.Get(p.Name); !found || p.Schema.nonNullableNull(v) {
				n |= missing
			}
		}
	}
	meta := root || s != nil && s.EmbeddedResource
	for k, sub := range m.All() {
		next, known := s.child(k)
		if next.nonNullableNull(sub) {
			n |= null | missing
		}
		before, _ := was.Get(k)
		switch {
		case known:
			n |= next.look(sub, before, false, prunes && !(meta && isMetaField(k)))
		case prunes && !(meta && isMetaField(k)) && (s == nil || !s.PreserveUnknownFields):
			n |= unknown
		}
	}
	return n
}
