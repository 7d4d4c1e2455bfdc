package managedfields

import (
	"strings"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Sets of fields as fieldsV1 writes them: a key is in the set where it leads to
// an empty map, or to one with the key "."; what else is in that map is below
// it. These functions give what the methods of fieldpath.Set give, and share
// what does not change.

// isMember reports whether what a key leads to says that it is in the set.
func isMember(below *object.Map) bool { return below.Len() == 0 || below.Has(".") }

// branch is what a key leads to, which is in the set or not; nil for nothing.
func branch(member bool, below *object.Map) *object.Map {
	below = below.Without(".")
	switch {
	case below.Len() == 0 && !member:
		return nil
	case below.Len() == 0:
		return emptyMap
	case member:
		return below.With(".", emptyMap)
	}
	return below
}

// minus returns what is in a and not in b; a itself where b takes nothing.
func minus(a, b *object.Map) *object.Map {
	var changes []object.Field
	for key, v := range b.All() {
		was, ok := a.Get(key)
		if key == "." || !ok {
			continue
		}
		have, take := was.(*object.Map), v.(*object.Map)
		below, member := minus(have, take), isMember(have) && !isMember(take)
		if below == have && member == isMember(have) {
			continue
		}
		changes = append(changes, object.Field{Key: key, Value: branch(member, below)})
	}
	if len(changes) == 0 {
		return a
	}
	left := make([]object.Field, 0, a.Len())
	for key, v := range a.All() {
		if len(changes) > 0 && changes[0].Key == key {
			v, changes = changes[0].Value, changes[1:]
		}
		if v.(*object.Map) != nil {
			left = append(left, object.Field{Key: key, Value: v})
		}
	}
	return object.NewMap(left...)
}

// plus returns what is in a or in b; a itself where b adds nothing.
func plus(a, b *object.Map) *object.Map {
	var changes []object.Field
	for key, v := range b.All() {
		was, ok := a.Get(key)
		switch {
		case key == ".":
		case !ok:
			changes = append(changes, object.Field{Key: key, Value: v})
		default:
			have, more := was.(*object.Map), v.(*object.Map)
			below, member := plus(have, more), isMember(have) || isMember(more)
			if below != have || member != isMember(have) {
				changes = append(changes, object.Field{Key: key, Value: branch(member, below)})
			}
		}
	}
	return a.WithAll(changes...)
}

// fits reports whether a set needs no change to be one of the type: none of its
// fields has become part of what is owned as a whole. Models
// typed.ReconcileFieldSetWithSchema, which changes it where that is so.
func (t *Type) fits(ref smd.TypeRef, set *object.Map) bool {
	a, ok := t.schema.Resolve(ref)
	if !ok {
		return false
	}
	switch {
	case a.Map != nil && isOpen(a.Map):
		return true
	case a.Map != nil && a.Map.ElementRelationship == smd.Atomic, a.Map == nil && a.List != nil && a.List.ElementRelationship == smd.Atomic:
		return false
	case a.Map == nil && a.List == nil:
		return true
	}
	for key, v := range set.All() {
		below, ok := v.(*object.Map)
		if !ok {
			return false
		}
		if key == "." || below.Len() == 0 {
			continue
		}
		ref := smd.TypeRef{}
		if a.Map == nil {
			ref = a.List.ElementType
		} else if ref = a.Map.ElementType; strings.HasPrefix(key, "f:") {
			if f, ok := a.Map.FindField(key[len("f:"):]); ok {
				ref = f.Type
			}
		}
		if ref != (smd.TypeRef{}) && !t.fits(ref, below) {
			return false
		}
	}
	return true
}

// isOpen models isUntypedDeducedMap: a map of which nothing is said.
func isOpen(m *smd.Map) bool {
	if m.Fields != nil {
		return false
	}
	if name := m.ElementType.NamedType; name != nil {
		return *name == *deduced.NamedType
	}
	s := m.ElementType.Inlined.Scalar
	return s != nil && *s == smd.Untyped
}
