// Package tree holds sorted collections that are copied in constant time: both
// copies share their nodes until one of them is written to. Stores, caches and
// queues are made of them, which is what makes a checkpoint of the world free.
//
// They are github.com/tidwall/btree behind two types of element: every further
// instance of its generic code would add some 50 KB of WebAssembly, and the
// packages here would need sixteen.
//
// Nothing in it is safe for concurrent use. Zero Maps and Sets are empty and
// ready; an Ordered comes from NewOrdered. Values are returned as they were
// set, so they must not be changed afterwards.
package tree

import (
	"encoding/binary"

	"github.com/tidwall/btree"
)

// Map is a map in the byte order of its keys.
type Map[V any] struct{ m btree.Map[string, any] }

func value[V any](v any, ok bool) (V, bool) {
	if !ok {
		var none V
		return none, false
	}
	return v.(V), true
}

// Get returns the value of key, and whether there is one.
func (m *Map[V]) Get(key string) (V, bool) { return value[V](m.m.Get(key)) }

// Set gives key a value and returns the one that it replaces, if any.
func (m *Map[V]) Set(key string, v V) (old V, replaced bool) { return value[V](m.m.Set(key, v)) }

// Delete takes key out and returns its value, if it had one.
func (m *Map[V]) Delete(key string) (old V, deleted bool) { return value[V](m.m.Delete(key)) }

// Len returns the number of keys.
func (m *Map[V]) Len() int { return m.m.Len() }

// Clear takes everything out.
func (m *Map[V]) Clear() { m.m.Clear() }

// Copy returns an independent copy.
func (m *Map[V]) Copy() *Map[V] { return &Map[V]{*m.m.Copy()} }

// Scan walks all keys in order until visit returns false.
func (m *Map[V]) Scan(visit func(key string, v V) bool) {
	m.m.Scan(func(key string, v any) bool { return visit(key, v.(V)) })
}

// Ascend walks the keys that are not below from, in order.
func (m *Map[V]) Ascend(from string, visit func(key string, v V) bool) {
	m.m.Ascend(from, func(key string, v any) bool { return visit(key, v.(V)) })
}

// Reverse walks all keys from the last to the first.
func (m *Map[V]) Reverse(visit func(key string, v V) bool) {
	m.m.Reverse(func(key string, v any) bool { return visit(key, v.(V)) })
}

// Min returns the first key with its value, and whether there is one.
func (m *Map[V]) Min() (key string, v V, ok bool) {
	key, any, ok := m.m.Min()
	v, ok = value[V](any, ok)
	return key, v, ok
}

// Number is n as a key: keys of numbers have the order of the numbers, which
// must not be negative.
func Number(n int64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	return string(b[:])
}

// NumberOf is the number that a key was made of by Number.
func NumberOf(key string) int64 { return int64(binary.BigEndian.Uint64([]byte(key))) }

// Set is a set of strings in byte order.
type Set struct{ m Map[struct{}] }

// Insert adds key.
func (s *Set) Insert(key string) { s.m.Set(key, struct{}{}) }

// Delete takes key out.
func (s *Set) Delete(key string) { s.m.Delete(key) }

// Contains reports whether key is in the set.
func (s *Set) Contains(key string) bool {
	_, ok := s.m.Get(key)
	return ok
}

// Len returns the number of keys.
func (s *Set) Len() int { return s.m.Len() }

// Copy returns an independent copy.
func (s *Set) Copy() *Set { return &Set{*s.m.Copy()} }

// Ascend walks the keys that are not below from, in order.
func (s *Set) Ascend(from string, visit func(key string) bool) {
	s.m.Ascend(from, func(key string, _ struct{}) bool { return visit(key) })
}

// Ordered is a set in an order of its own. Two elements of which neither is
// less are the same.
type Ordered[T any] struct{ t *btree.BTreeG[any] }

// NewOrdered returns an empty set in the order of less.
func NewOrdered[T any](less func(a, b T) bool) *Ordered[T] {
	return &Ordered[T]{btree.NewBTreeGOptions(func(a, b any) bool { return less(a.(T), b.(T)) }, btree.Options{NoLocks: true})}
}

// Get returns the element that is the same as like, and whether there is one.
func (o *Ordered[T]) Get(like T) (T, bool) { return value[T](o.t.Get(like)) }

// Set adds an element and returns the one that it replaces, if any.
func (o *Ordered[T]) Set(element T) (old T, replaced bool) { return value[T](o.t.Set(element)) }

// Delete takes out the element that is the same as like and returns it.
func (o *Ordered[T]) Delete(like T) (old T, deleted bool) { return value[T](o.t.Delete(like)) }

// Len returns the number of elements.
func (o *Ordered[T]) Len() int { return o.t.Len() }

// Copy returns an independent copy.
func (o *Ordered[T]) Copy() *Ordered[T] { return &Ordered[T]{o.t.Copy()} }

// Min returns the first element, and whether there is one.
func (o *Ordered[T]) Min() (T, bool) { return value[T](o.t.Min()) }

// Scan walks all elements in order until visit returns false.
func (o *Ordered[T]) Scan(visit func(T) bool) {
	o.t.Scan(func(v any) bool { return visit(v.(T)) })
}

// Ascend walks the elements that are not less than from, in order.
func (o *Ordered[T]) Ascend(from T, visit func(T) bool) {
	o.t.Ascend(from, func(v any) bool { return visit(v.(T)) })
}
