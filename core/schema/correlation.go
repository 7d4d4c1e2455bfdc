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

// unchanged reports whether the value is what it was.
func (c *correlation) unchanged() bool { return c != nil && object.Equal(c.value, c.old) }

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
		if m, ok := x.(*object.Map); ok && c.schema.sameKeys(item, m) {
			return &correlation{value.At(i), x, c.schema.Items}
		}
	}
	return nil
}

func (s *Schema) sameKeys(a, b *object.Map) bool {
	for _, k := range s.ListMapKeys {
		x, ok1 := a.Get(k)
		y, ok2 := b.Get(k)
		if ok1 != ok2 || !object.Equal(x, y) {
			return false
		}
	}
	return true
}
