package schema

import "github.com/reconcile-playground/reconcile/core/object"

// correlation follows a value together with what it was before an update, for
// ratcheting. A nil correlation is a value with no old self. Models
// k8s.io/apiserver/pkg/cel/common.CorrelatedObject.
type correlation struct {
	value, old any
	schema     *Schema
}

// correlate pairs a whole object with its old self; nil on a create.
func correlate(value, old *object.Map, s *Schema) *correlation {
	if old == nil {
		return nil
	}
	return &correlation{value, old, s}
}

// unchanged reports whether the value is what it was. Items of a list of type
// map may have changed places. A map with a field that the schema does not
// specify counts as changed, since such a field has no old self.
func (c *correlation) unchanged() bool {
	if c == nil {
		return false
	}
	switch v := c.value.(type) {
	case *object.Map:
		old, ok := c.old.(*object.Map)
		if !ok || v.Len() != old.Len() {
			return false
		}
		for k := range v.All() {
			if !c.key(k).unchanged() {
				return false
			}
		}
		return true
	case *object.List:
		old, ok := c.old.(*object.List)
		if !ok || v.Len() != old.Len() {
			return false
		}
		if c.schema == nil || c.schema.ListType != "map" {
			return object.Equal(v, old)
		}
		for i := range v.All() {
			if !c.nth(i).unchanged() {
				return false
			}
		}
		return true
	}
	return object.Equal(c.value, c.old)
}

// key follows a field that has a schema and is in both.
func (c *correlation) key(k string) *correlation {
	if c == nil {
		return nil
	}
	value, ok1 := c.value.(*object.Map)
	old, ok2 := c.old.(*object.Map)
	if !ok1 || !ok2 {
		return nil
	}
	v, ok1 := value.Get(k)
	o, ok2 := old.Get(k)
	next, _ := c.schema.child(k)
	if !ok1 || !ok2 || next == nil {
		return nil
	}
	return &correlation{v, o, next}
}

// nth follows an item of a list of type map, found by its keys. Items of other
// lists have no old self.
func (c *correlation) nth(i int) *correlation {
	if c == nil || c.schema == nil || c.schema.ListType != "map" || c.schema.Items == nil {
		return nil
	}
	value, ok1 := c.value.(*object.List)
	old, ok2 := c.old.(*object.List)
	if !ok1 || !ok2 || i >= value.Len() {
		return nil
	}
	item, ok := value.At(i).(*object.Map)
	if !ok {
		return nil
	}
	for _, x := range old.All() {
		if m, ok := x.(*object.Map); ok && c.schema.SameKeys(item, m) {
			return &correlation{value.At(i), x, c.schema.Items}
		}
	}
	return nil
}

// SameKeys reports whether two items have the same keys: all of them, and
// scalars.
func (s *Schema) SameKeys(a, b *object.Map) bool {
	for _, k := range s.ListMapKeys {
		x, ok1 := a.Get(k)
		y, ok2 := b.Get(k)
		if !ok1 || !ok2 || !isScalar(x) || !object.Equal(x, y) {
			return false
		}
	}
	return len(s.ListMapKeys) > 0
}

func isScalar(v any) bool {
	switch v.(type) {
	case bool, int64, float64, string:
		return true
	}
	return false
}
