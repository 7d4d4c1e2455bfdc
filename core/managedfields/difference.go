package managedfields

import (
	"encoding/binary"
	"slices"
	"strconv"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/reconcile-playground/reconcile/core/object"
)

// differ compares two trees by their type and writes what it finds as fieldsV1
// does. What the trees share it does not walk, so that its cost follows what
// changed. It gives what typed.TypedValue.Compare gives; where a value does not
// fit its type, or a list has an item twice, it gives up.
type differ struct {
	schema *smd.Schema
	// lost is set where it has given up: then what it found means nothing.
	lost bool
}

// What it finds is written field by field: opening, the length of the key and the
// key, what is below, and a byte of what is so of the field itself. Equal texts
// are of equal sets.
const (
	isGained byte = 1 << iota
	isRemoved
	opening
)

// trees reads what a differ has found: what was added or modified, and what was
// removed.
func trees(found []byte) (gained, removed *object.Map) {
	g, x, _ := marks(found)
	return g.tree(), x.tree()
}

// marks reads a field after its key, and returns what follows it.
func marks(found []byte) (gained, removed mark, rest []byte) {
	for found[0] == opening {
		n, size := binary.Uvarint(found[1:])
		found = found[1+size:]
		key := string(found[:n])
		var g, x mark
		g, x, found = marks(found[n:])
		gained.add(key, g)
		removed.add(key, x)
	}
	gained.self, removed.self = found[0]&isGained != 0, found[0]&isRemoved != 0
	return gained, removed, found[1:]
}

// mark says what of a field is in a set: the field itself, and what is below it.
type mark struct {
	self  bool
	below []object.Field
}

// add adds a child with what is in it.
func (m *mark) add(key string, child mark) {
	if tree := child.tree(); tree != nil {
		m.below = append(m.below, object.Field{Key: key, Value: tree})
	}
}

// tree is nil where nothing is in the set.
func (m mark) tree() *object.Map {
	switch {
	case len(m.below) == 0 && !m.self:
		return nil
	case len(m.below) == 0:
		return emptyMap
	case m.self:
		m.below = append(m.below, object.Field{Key: ".", Value: emptyMap})
	}
	return object.NewMap(m.below...)
}

// side is a value, or none.
type side struct {
	v  any
	is bool
}

// field notes what differs in one field, if anything does. Its key is of two
// parts.
func (d *differ) field(found []byte, prefix, key string, ref smd.TypeRef, l, r side) []byte {
	before := len(found)
	found = binary.AppendUvarint(append(found, opening), uint64(len(prefix)+len(key)))
	found = append(append(found, prefix...), key...)
	after := len(found)
	found = d.diff(found, ref, l, r)
	if len(found) == after+1 && found[after] == 0 {
		return found[:before]
	}
	return found
}

// diff notes what differs in a value, or that nothing does.
func (d *differ) diff(found []byte, ref smd.TypeRef, l, r side) []byte {
	a, ok := d.schema.Resolve(ref)
	kind := isOther
	if ok && l.is {
		kind = kindOf(a, l)
	} else if ok {
		kind = kindOf(a, r)
	}
	if kind == isOther || l.is && r.is && kindOf(a, r) != kind {
		d.lost = true
	}
	if d.lost {
		return found
	}
	leaf := true
	switch kind {
	case isMap:
		lm, rm := asMap(l), asMap(r)
		if leaf = a.Map.ElementRelationship == smd.Atomic || lm.Len() == 0 && rm.Len() == 0; !leaf {
			found = d.diffMaps(found, a.Map, lm, rm)
		}
	case isList:
		ll, rl := asList(l), asList(r)
		if leaf = a.List.ElementRelationship == smd.Atomic || ll.Len() == 0 && rl.Len() == 0; !leaf {
			found = d.diffLists(found, a.List, ll, rl)
		}
	case isScalar:
		d.lost = d.lost || !fits(*a.Scalar, l) || !fits(*a.Scalar, r)
	}
	var self byte
	if !l.is || leaf && r.is && !equal(l.v, r.v) {
		self = isGained
	}
	if !r.is {
		self |= isRemoved
	}
	return append(found, self)
}

// What a value is taken for.
const (
	isOther = iota
	isScalar
	isList
	isMap
)

// kindOf models deduceAtom and handleAtom.
func kindOf(a smd.Atom, s side) int {
	switch s.v.(type) {
	case nil:
	case *object.Map:
		if a.Map != nil {
			return isMap
		}
	case *object.List:
		if a.List != nil {
			return isList
		}
	default:
		if a.Scalar != nil {
			return isScalar
		}
	}
	switch {
	case a.Map != nil:
		return isMap
	case a.Scalar != nil:
		return isScalar
	case a.List != nil:
		return isList
	}
	return isOther
}

func asMap(s side) *object.Map {
	m, _ := s.v.(*object.Map)
	return m
}

func asList(s side) *object.List {
	l, _ := s.v.(*object.List)
	return l
}

// fits models validateScalar.
func fits(t smd.Scalar, s side) bool {
	switch s.v.(type) {
	case nil:
		return true
	case string:
		return t == smd.String || t == smd.Untyped
	case bool:
		return t == smd.Boolean || t == smd.Untyped
	case int64, float64:
		return t == smd.Numeric || t == smd.Untyped
	}
	return false
}

func (d *differ) diffMaps(found []byte, t *smd.Map, l, r *object.Map) []byte {
	for i := range l.Len() {
		f := l.Field(i)
		w, ok := r.Get(f.Key)
		if !ok || !object.Same(f.Value, w) {
			found = d.field(found, "f:", f.Key, elementType(t, f.Key), side{f.Value, true}, side{w, ok})
		}
	}
	for i := range r.Len() {
		if f := r.Field(i); !l.Has(f.Key) {
			found = d.field(found, "f:", f.Key, elementType(t, f.Key), side{}, side{f.Value, true})
		}
	}
	return found
}

// elementType is the type of a field.
func elementType(t *smd.Map, key string) smd.TypeRef {
	if f, ok := t.FindField(key); ok {
		return f.Type
	}
	return t.ElementType
}

func (d *differ) diffLists(found []byte, t *smd.List, l, r *object.List) []byte {
	was, is := d.index(t, l), d.index(t, r)
	if d.lost {
		return found
	}
	for _, f := range was {
		i := slices.IndexFunc(is, func(g object.Field) bool { return g.Key == f.Key })
		switch {
		case i < 0:
			found = d.field(found, "", f.Key, t.ElementType, side{f.Value, true}, side{})
		case !object.Same(f.Value, is[i].Value):
			found = d.field(found, "", f.Key, t.ElementType, side{f.Value, true}, side{is[i].Value, true})
		}
	}
	for _, f := range is {
		if !slices.ContainsFunc(was, func(g object.Field) bool { return g.Key == f.Key }) {
			found = d.field(found, "", f.Key, t.ElementType, side{}, side{f.Value, true})
		}
	}
	return found
}

// longList is from where looking for each item among all others is too dear.
const longList = 64

// index gives the items of a set or of a list of maps by their keys.
func (d *differ) index(t *smd.List, l *object.List) []object.Field {
	if l.Len() > longList {
		d.lost = true
		return nil
	}
	out := make([]object.Field, 0, l.Len())
	for _, v := range l.All() {
		key, ok := d.itemKey(t, v)
		if !ok || slices.ContainsFunc(out, func(f object.Field) bool { return f.Key == key }) {
			d.lost = true
			return nil
		}
		out = append(out, object.Field{Key: key, Value: v})
	}
	return out
}

// itemKey names an item of a list as fieldsV1 does. Models
// listItemToPathElement.
func (d *differ) itemKey(t *smd.List, v any) (string, bool) {
	if len(t.Keys) == 0 {
		return appendKey("v:", v)
	}
	m, ok := v.(*object.Map)
	if !ok {
		return "", false
	}
	text := "k:{"
	for _, name := range inOrder(t.Keys) {
		x, ok := m.Get(name)
		if !ok {
			if x = d.keyDefault(t, name); x == nil {
				continue
			}
		}
		if text != "k:{" {
			text += ","
		}
		if text, ok = appendKey(text+strconv.Quote(name)+":", x); !ok {
			return "", false
		}
	}
	return text + "}", text != "k:{"
}

func inOrder(keys []string) []string {
	if slices.IsSorted(keys) {
		return keys
	}
	return slices.Sorted(slices.Values(keys))
}

func (d *differ) keyDefault(t *smd.List, name string) any {
	a, ok := d.schema.Resolve(t.ElementType)
	if !ok || a.Map == nil {
		return nil
	}
	f, _ := a.Map.FindField(name)
	return f.Default
}

// appendKey appends a scalar as the library writes it; false for a value that
// is none, or that can be written in two ways.
func appendKey(text string, v any) (string, bool) {
	switch v := v.(type) {
	case int64:
		return text + strconv.FormatInt(v, 10), true
	case bool:
		return text + strconv.FormatBool(v), true
	case string:
		if plain(v) {
			return text + `"` + v + `"`, true
		}
		key, err := fieldpath.SerializePathElement(fieldpath.ValueElement(value.NewValueInterface(v)))
		if err != nil {
			return "", false
		}
		return text + key[len("v:"):], true
	}
	return "", false
}

// plain reports whether a string is written as it is.
func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}
