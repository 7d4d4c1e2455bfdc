package managedfields

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/reconcile-playground/reconcile/core/object"
)

// node makes a tree of core/object a value.Value, without copying it.
type node struct {
	v any
	// changed: walking two maps together passes over what they share. That is
	// right for comparing, where the same values add nothing, and for nothing
	// else.
	changed bool
}

var _ value.Value = node{}

func (n node) IsMap() bool {
	_, ok := n.v.(*object.Map)
	return ok
}

func (n node) IsList() bool {
	_, ok := n.v.(*object.List)
	return ok
}

func (n node) IsBool() bool {
	_, ok := n.v.(bool)
	return ok
}

func (n node) IsInt() bool {
	_, ok := n.v.(int64)
	return ok
}

func (n node) IsFloat() bool {
	_, ok := n.v.(float64)
	return ok
}

func (n node) IsString() bool {
	_, ok := n.v.(string)
	return ok
}

func (n node) IsNull() bool { return n.v == nil }

func (n node) AsMap() value.Map                         { return treeMap{n.v.(*object.Map), n.changed} }
func (n node) AsMapUsing(value.Allocator) value.Map     { return n.AsMap() }
func (n node) AsList() value.List                       { return treeList{n.v.(*object.List), n.changed} }
func (n node) AsListUsing(_ value.Allocator) value.List { return n.AsList() }
func (n node) AsBool() bool                             { return n.v.(bool) }
func (n node) AsInt() int64                             { return n.v.(int64) }
func (n node) AsFloat() float64                         { return n.v.(float64) }
func (n node) AsString() string                         { return n.v.(string) }

// Unstructured returns Go maps and slices: what the library builds of parts of
// values is built of those.
func (n node) Unstructured() any { return object.ToAny(n.v) }

// Format prints a value as the library's own are printed, since its error texts
// show them.
func (n node) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('#') {
		fmt.Fprintf(f, "&value.valueUnstructured{Value:%#v}", n.Unstructured())
		return
	}
	fmt.Fprintf(f, "&{%v}", n.Unstructured())
}

// treeMap is an object.Map as a value.Map.
type treeMap struct {
	m       *object.Map
	changed bool
}

var _ value.Map = treeMap{}

// Set and Delete are for maps of one's own; trees do not change.
func (t treeMap) Set(string, value.Value) { panic("managedfields: a tree does not change") }
func (t treeMap) Delete(string)           { panic("managedfields: a tree does not change") }

func (t treeMap) Get(key string) (value.Value, bool) {
	v, ok := t.m.Get(key)
	if !ok {
		return nil, false
	}
	return node{v, t.changed}, true
}

func (t treeMap) GetUsing(_ value.Allocator, key string) (value.Value, bool) { return t.Get(key) }
func (t treeMap) Has(key string) bool                                        { return t.m.Has(key) }
func (t treeMap) Length() int                                                { return t.m.Len() }
func (t treeMap) Empty() bool                                                { return t.m.Len() == 0 }
func (t treeMap) Equals(other value.Map) bool                                { return t.EqualsUsing(value.HeapAllocator, other) }

func (t treeMap) EqualsUsing(a value.Allocator, other value.Map) bool {
	if o, ok := other.(treeMap); ok {
		return equal(t.m, o.m)
	}
	return t.Length() == other.Length() && t.Iterate(func(key string, v value.Value) bool {
		w, ok := other.GetUsing(a, key)
		return ok && value.EqualsUsing(a, v, w)
	})
}

func (t treeMap) Iterate(fn func(string, value.Value) bool) bool {
	for k, v := range t.m.All() {
		if !fn(k, node{v, t.changed}) {
			return false
		}
	}
	return true
}

func (t treeMap) IterateUsing(_ value.Allocator, fn func(string, value.Value) bool) bool {
	return t.Iterate(fn)
}

func (t treeMap) Zip(other value.Map, order value.MapTraverseOrder, fn func(string, value.Value, value.Value) bool) bool {
	return t.ZipUsing(value.HeapAllocator, other, order, fn)
}

// ZipUsing walks both maps in the order of their keys, whatever order is asked
// for.
func (t treeMap) ZipUsing(a value.Allocator, other value.Map, _ value.MapTraverseOrder, fn func(key string, lhs, rhs value.Value) bool) bool {
	if o, ok := other.(treeMap); ok {
		return t.zipTree(o, fn)
	}
	ok := t.Iterate(func(key string, v value.Value) bool {
		if other != nil {
			if w, ok := other.GetUsing(a, key); ok {
				return fn(key, v, w)
			}
		}
		return fn(key, v, nil)
	})
	if !ok || other == nil {
		return ok
	}
	return other.IterateUsing(a, func(key string, w value.Value) bool {
		return t.m.Has(key) || fn(key, nil, w)
	})
}

func (t treeMap) zipTree(o treeMap, fn func(key string, lhs, rhs value.Value) bool) bool {
	changed := t.changed && o.changed
	if changed && t.m == o.m {
		return true
	}
	for key, v := range t.m.All() {
		w, both := o.m.Get(key)
		switch {
		case !both:
			if !fn(key, node{v, t.changed}, nil) {
				return false
			}
		case changed && object.Same(v, w):
		case !fn(key, node{v, t.changed}, node{w, o.changed}):
			return false
		}
	}
	for key, w := range o.m.All() {
		if !t.m.Has(key) && !fn(key, nil, node{w, o.changed}) {
			return false
		}
	}
	return true
}

// treeList is an object.List as a value.List.
type treeList struct {
	l       *object.List
	changed bool
}

var _ value.List = treeList{}

func (t treeList) Length() int                                  { return t.l.Len() }
func (t treeList) At(i int) value.Value                         { return node{t.l.At(i), t.changed} }
func (t treeList) AtUsing(_ value.Allocator, i int) value.Value { return t.At(i) }
func (t treeList) Range() value.ListRange                       { return &treeRange{list: t, at: -1} }
func (t treeList) RangeUsing(value.Allocator) value.ListRange   { return t.Range() }
func (t treeList) Equals(other value.List) bool {
	return t.EqualsUsing(value.HeapAllocator, other)
}

func (t treeList) EqualsUsing(a value.Allocator, other value.List) bool {
	if o, ok := other.(treeList); ok {
		return equal(t.l, o.l)
	}
	return value.ListEqualsUsing(a, t, other)
}

// treeRange walks a treeList.
type treeRange struct {
	list treeList
	at   int
}

func (r *treeRange) Next() bool {
	r.at++
	return r.at < r.list.Length()
}

func (r *treeRange) Item() (int, value.Value) { return r.at, r.list.At(r.at) }

// equal is value.Equals for two trees: of numbers the value counts, so that 1
// is 1.0.
func equal(a, b any) bool {
	if object.Same(a, b) {
		return true
	}
	switch a := a.(type) {
	case *object.Map:
		b, ok := b.(*object.Map)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for k, v := range a.All() {
			if w, ok := b.Get(k); !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case *object.List:
		b, ok := b.(*object.List)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for i, v := range a.All() {
			if !equal(v, b.At(i)) {
				return false
			}
		}
		return true
	case int64:
		b, ok := b.(float64)
		return ok && float64(a) == b
	case float64:
		b, ok := b.(int64)
		return ok && a == float64(b)
	}
	return false
}
