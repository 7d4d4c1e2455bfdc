package object

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Field is one key of a Map with its value.
type Field struct {
	Key   string
	Value any
}

// Map is a JSON object: fields sorted by key, keys unique. A nil Map is empty.
type Map struct{ fields []Field }

// NewMap builds a Map of the fields given, in any order. Of fields with the
// same key the last one wins, as encoding/json has it.
func NewMap(fields ...Field) *Map {
	if inOrder(fields) {
		return mapOf(fields)
	}
	sorted := slices.Clone(fields)
	slices.SortStableFunc(sorted, func(a, b Field) int { return strings.Compare(a.Key, b.Key) })
	out := sorted[:0]
	for i, f := range sorted {
		if i+1 < len(sorted) && sorted[i+1].Key == f.Key {
			continue
		}
		out = append(out, f)
	}
	return mapOf(out)
}

// inOrder reports whether fields are sorted, and no key is there twice.
func inOrder(fields []Field) bool {
	for i := 1; i < len(fields); i++ {
		if fields[i-1].Key >= fields[i].Key {
			return false
		}
	}
	return true
}

// few is up to where a look at each field finds one faster than halving does:
// most keys differ in length already.
const few = 16

// index returns where key is, -1 where it is not.
func (m *Map) index(key string) int {
	if m == nil {
		return -1
	}
	if len(m.fields) <= few {
		for i := range m.fields {
			if m.fields[i].Key == key {
				return i
			}
		}
		return -1
	}
	if i, ok := m.search(key); ok {
		return i
	}
	return -1
}

// search returns the index of key, or where it would be inserted.
func (m *Map) search(key string) (int, bool) {
	return slices.BinarySearchFunc(m.fields, key, func(f Field, k string) int { return strings.Compare(f.Key, k) })
}

// find returns the index of key, or where it would be inserted.
func (m *Map) find(key string) (int, bool) {
	if m == nil {
		return 0, false
	}
	if i := m.index(key); i >= 0 {
		return i, true
	}
	return m.search(key)
}

// Get returns the value of key and whether the key is there. A key whose value
// is null is there.
func (m *Map) Get(key string) (any, bool) {
	if i := m.index(key); i >= 0 {
		return m.fields[i].Value, true
	}
	return nil, false
}

// Has reports whether key is there, null or not.
func (m *Map) Has(key string) bool {
	return m.index(key) >= 0
}

// Len returns the number of fields.
func (m *Map) Len() int {
	if m == nil {
		return 0
	}
	return len(m.fields)
}

// All walks the fields in ascending order of key.
func (m *Map) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if m == nil {
			return
		}
		for _, f := range m.fields {
			if !yield(f.Key, f.Value) {
				return
			}
		}
	}
}

// Field returns the field i in ascending order of key; it panics out of range, as
// a slice does.
func (m *Map) Field(i int) Field { return m.fields[i] }

// Keys returns the keys in ascending order.
func (m *Map) Keys() []string {
	keys := make([]string, 0, m.Len())
	for k := range m.All() {
		keys = append(keys, k)
	}
	return keys
}

// With returns a Map where key has the value v. The receiver stays as it is,
// and is itself returned where it already holds that very value.
func (m *Map) With(key string, v any) *Map {
	i, ok := m.find(key)
	if ok {
		if Same(m.fields[i].Value, v) {
			return m
		}
		out := mapOf(m.fields)
		out.fields[i].Value = v
		return out
	}
	out := newMap(m.Len() + 1)
	if m != nil {
		copy(out.fields, m.fields[:i])
		copy(out.fields[i+1:], m.fields[i:])
	}
	out.fields[i] = Field{key, v}
	return out
}

// WithAll returns a Map where each key of fields has the value given there, at
// the cost of one With. The receiver is itself returned where it holds all of
// those very values.
func (m *Map) WithAll(fields ...Field) *Map {
	if !inOrder(fields) {
		fields = NewMap(fields...).fields
	}
	var room [few]Field
	out, old, changed := room[:0], []Field(nil), false
	if m != nil {
		old = m.fields
	}
	for _, f := range fields {
		for len(old) > 0 && old[0].Key < f.Key {
			out, old = append(out, old[0]), old[1:]
		}
		if len(old) > 0 && old[0].Key == f.Key {
			changed, old = changed || !Same(old[0].Value, f.Value), old[1:]
		} else {
			changed = true
		}
		out = append(out, f)
	}
	if !changed {
		return m
	}
	return mapOf(append(out, old...))
}

// Without returns a Map that lacks key, or the receiver where it already does.
func (m *Map) Without(key string) *Map {
	i := m.index(key)
	if i < 0 {
		return m
	}
	out := newMap(len(m.fields) - 1)
	copy(out.fields, m.fields[:i])
	copy(out.fields[i:], m.fields[i+1:])
	return out
}

// List is a JSON array. A nil List is empty.
type List struct{ items []any }

// NewList builds a List of the items given, in that order.
func NewList(items ...any) *List {
	l := newList(len(items))
	copy(l.items, items)
	return l
}

// Strings builds a List of strings.
func Strings(items ...string) *List {
	l := newList(len(items))
	for i, s := range items {
		l.items[i] = s
	}
	return l
}

// Len returns the number of items.
func (l *List) Len() int {
	if l == nil {
		return 0
	}
	return len(l.items)
}

// At returns item i; it panics out of range, as a slice does.
func (l *List) At(i int) any { return l.items[i] }

// All walks the items in order.
func (l *List) All() iter.Seq2[int, any] {
	return func(yield func(int, any) bool) {
		if l == nil {
			return
		}
		for i, v := range l.items {
			if !yield(i, v) {
				return
			}
		}
	}
}

// Append returns a List with the items added at its end.
func (l *List) Append(items ...any) *List {
	out := newList(l.Len() + len(items))
	if l != nil {
		copy(out.items, l.items)
	}
	copy(out.items[l.Len():], items)
	return out
}

// With returns a List where item i is v.
func (l *List) With(i int, v any) *List {
	if Same(l.items[i], v) {
		return l
	}
	out := NewList(l.items...)
	out.items[i] = v
	return out
}

// Insert returns a List with v inserted before item i; i == Len appends.
func (l *List) Insert(i int, v any) *List {
	out := newList(l.Len() + 1)
	if l != nil {
		copy(out.items, l.items[:i])
		copy(out.items[i+1:], l.items[i:])
	}
	out.items[i] = v
	return out
}

// Without returns a List that lacks item i.
func (l *List) Without(i int) *List {
	out := newList(len(l.items) - 1)
	copy(out.items, l.items[:i])
	copy(out.items[i:], l.items[i+1:])
	return out
}

// Same reports whether two values are the very same without walking them: equal
// scalars or one shared tree. It may say no of equal trees.
func Same(a, b any) bool {
	switch a := a.(type) {
	case *Map:
		b, ok := b.(*Map)
		return ok && a == b
	case *List:
		b, ok := b.(*List)
		return ok && a == b
	}
	switch b.(type) {
	case *Map, *List:
		return false
	}
	return a == b
}

// Equal reports whether two values are deeply equal. Numbers are equal where
// their kind and value are: 1 is not 1.0, as reflect.DeepEqual has it. A nil
// *Map equals an empty one, and likewise for *List; null equals neither.
func Equal(a, b any) bool {
	if Same(a, b) {
		return true
	}
	switch a := a.(type) {
	case *Map:
		b, ok := b.(*Map)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if a.fields[i].Key != b.fields[i].Key || !Equal(a.fields[i].Value, b.fields[i].Value) {
				return false
			}
		}
		return true
	case *List:
		b, ok := b.(*List)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !Equal(a.items[i], b.items[i]) {
				return false
			}
		}
		return true
	}
	return false
}

// FromAny turns a tree of Go maps, slices and scalars into a value. It takes
// what encoding/json and YAML libraries produce, and the literals that Go code
// is written with: map[string]any, map[string]string, []any, []string,
// []map[string]any, every integer type, float64, string, bool, nil, and values
// already in the form of this package. It panics on any other type, which is a
// mistake of the program and not of its input.
func FromAny(v any) any {
	switch v := v.(type) {
	case nil, bool, int64, float64, string, *Map, *List:
		return v
	case Object:
		return v.root
	case int:
		return int64(v)
	case int32:
		return int64(v)
	case map[string]any:
		fields := make([]Field, 0, len(v))
		for _, k := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, Field{k, FromAny(v[k])})
		}
		return mapOf(fields)
	case map[string]string:
		return StringMap(v)
	case []any:
		l := newList(len(v))
		for i := range v {
			l.items[i] = FromAny(v[i])
		}
		return l
	case []map[string]any:
		l := newList(len(v))
		for i := range v {
			l.items[i] = FromAny(v[i])
		}
		return l
	case []string:
		return Strings(v...)
	}
	panic(fmt.Sprintf("object.FromAny: %T is no JSON value", v))
}

// StringMap turns a Go map of strings into a Map.
func StringMap(m map[string]string) *Map {
	fields := make([]Field, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fields = append(fields, Field{k, m[k]})
	}
	return mapOf(fields)
}

// ToAny turns a value into fresh Go maps and slices (map[string]any, []any),
// for libraries that want those. The result is the caller's to change.
func ToAny(v any) any {
	switch v := v.(type) {
	case *Map:
		out := make(map[string]any, v.Len())
		for k, x := range v.All() {
			out[k] = ToAny(x)
		}
		return out
	case *List:
		out := make([]any, v.Len())
		for i, x := range v.All() {
			out[i] = ToAny(x)
		}
		return out
	}
	return v
}

// At walks from v down the keys of nested maps and returns what is there.
func At(v any, path ...string) (any, bool) {
	for _, key := range path {
		m, ok := v.(*Map)
		if !ok {
			return nil, false
		}
		if v, ok = m.Get(key); !ok {
			return nil, false
		}
	}
	return v, true
}

// Set returns m with the value at path set to v; maps missing on the way are
// made, and a value on the way that is no map is replaced by one.
func Set(m *Map, v any, path ...string) *Map {
	if len(path) == 1 {
		return m.With(path[0], v)
	}
	child, _ := m.Get(path[0])
	sub, _ := child.(*Map)
	return m.With(path[0], Set(sub, v, path[1:]...))
}

// Unset returns m without what is at path. Maps that become empty stay.
func Unset(m *Map, path ...string) *Map {
	if len(path) == 1 {
		return m.Without(path[0])
	}
	child, _ := m.Get(path[0])
	sub, ok := child.(*Map)
	if !ok {
		return m
	}
	return m.With(path[0], Unset(sub, path[1:]...))
}
