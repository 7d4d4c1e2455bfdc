package managedfields

import (
	"sync"

	"github.com/reconcile-playground/reconcile/core/object"
)

// known is what a FieldManager has found out before: what the creator of an
// object owns follows from which fields it has, whatever their values are. So
// objects alike share what is written of them, too; so do those that had the same
// entries, and of which the same fields changed. Nothing depends on what is known
// but the time it takes.
type known struct {
	// mu guards the rest: copies of a world share it.
	mu sync.Mutex
	// shapes are by the text of shape; fit are sets that fit the type.
	shapes map[string]*shape
	fit    map[*object.Map]bool
	text   []byte
	// changes are the entries that a write made of others.
	changes map[change]*object.List
	// long is how long the texts of shapes are together.
	long int
}

// change is a write as far as it says what becomes of entries: found is what a
// differ has found.
type change struct {
	list                *object.List
	found, manager, now string
}

// shape is what the creator of an object with certain fields owns, and the
// entries that were made of it last.
type shape struct {
	own          *object.Map
	manager, now string
	list         *object.List
}

// maxKnown bounds how many of each are kept, maxText how long the text of a shape or
// what a differ has found may be where it is kept, maxTexts how long those of all
// shapes may be, and maxFields how many fields the entries and sets that are kept
// may have.
const (
	maxKnown  = 1024
	maxText   = 4096
	maxTexts  = 256 << 10
	maxFields = 512
)

// create is Update for a new object without entries of its own and without
// lists: as changed, which it asks once for each shape.
func (f *FieldManager) create(o object.Object, manager, now string) (*object.List, bool) {
	if f.GVK.Kind != o.Kind() || f.version != o.APIVersion() || !hollow(f.Empty) {
		return nil, false
	}
	k := f.known
	k.mu.Lock()
	defer k.mu.Unlock()
	var ok bool
	if k.text, ok = appendShape(k.text[:0], o.Root()); !ok {
		return nil, false
	}
	if len(k.text) > maxText {
		k.text = nil
		return nil, false
	}
	s := k.shapes[string(k.text)]
	if s == nil {
		found, ok := f.differences(nil, object.Object{}, o)
		if !ok {
			return nil, false
		}
		list, ok := f.changed(nil, found, manager, now)
		if !ok || list.Len() != 1 {
			return nil, false
		}
		own, _ := list.At(0).(*object.Map).Get("fieldsV1")
		if k.long += len(k.text); len(k.shapes) >= maxKnown || k.long > maxTexts || k.shapes == nil {
			k.shapes, k.long = map[string]*shape{}, len(k.text)
		}
		s = &shape{own.(*object.Map), manager, now, list}
		k.shapes[string(k.text)] = s
	}
	if s.manager != manager || s.now != now {
		s.manager, s.now, s.list = manager, now, object.NewList(f.owner(manager, opUpdate).entry(s.own, now))
	}
	return s.list, true
}

// change is changed, which it asks once for each change.
func (f *FieldManager) change(list *object.List, found []byte, manager, now string) (*object.List, bool) {
	if len(found) > maxText {
		return f.changed(list, found, manager, now)
	}
	k := f.known
	k.mu.Lock()
	out, ok := k.changes[change{list, string(found), manager, now}]
	k.mu.Unlock()
	if ok {
		return out, true
	}
	if out, ok = f.changed(list, found, manager, now); !ok {
		return nil, false
	}
	if fewer(out, fewer(list, maxFields)) < 0 {
		return out, true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.changes) >= maxKnown || k.changes == nil {
		k.changes = map[change]*object.List{}
	}
	k.changes[change{list, string(found), manager, now}] = out
	return out, true
}

// fewer is how many fields are left of n when those of v are taken off; it stops
// counting below 0.
func fewer(v any, n int) int {
	switch v := v.(type) {
	case *object.Map:
		n -= v.Len()
		for _, child := range v.All() {
			if n < 0 {
				break
			}
			n = fewer(child, n)
		}
	case *object.List:
		for _, item := range v.All() {
			n = fewer(item, n)
		}
	}
	return n
}

// hollow reports whether there are maps and nothing else.
func hollow(m *object.Map) bool {
	for _, v := range m.All() {
		if sub, ok := v.(*object.Map); !ok || !hollow(sub) {
			return false
		}
	}
	return true
}

// appendShape writes which fields a value has, and what kind of value each is;
// false where there is a list, whose items may be fields too.
func appendShape(b []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case *object.Map:
		b = append(b, '{')
		for key, child := range v.All() {
			// Its length first: a key may have any character.
			b = append(append(b, byte(len(key)), byte(len(key)>>8), byte(len(key)>>16)), key...)
			var ok bool
			if b, ok = appendShape(b, child); !ok {
				return b, false
			}
		}
		return append(b, '}'), true
	case *object.List:
		return append(b, 'l'), v.Len() == 0
	case nil:
		return append(b, '0'), true
	case string:
		return append(b, 's'), true
	case bool:
		return append(b, 'b'), true
	}
	return append(b, 'n'), true
}

// fits is Type.fits for the type of the requests.
func (f *FieldManager) fits(set *object.Map) bool {
	k := f.known
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.fit[set] {
		return true
	}
	if !f.typ.fits(f.typ.ref, set) {
		return false
	}
	if fewer(set, maxFields) < 0 {
		return true
	}
	if len(k.fit) >= maxKnown || k.fit == nil {
		k.fit = map[*object.Map]bool{}
	}
	k.fit[set] = true
	return true
}
