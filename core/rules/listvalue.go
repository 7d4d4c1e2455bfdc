package rules

import (
	"fmt"
	"reflect"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

func toList(x any, s *schema.Schema) ref.Val {
	l, ok := x.(*object.List)
	if !ok {
		return types.NewErr("invalid data, expected an array for the provided schema with type=array")
	}
	if s.Items == nil {
		return types.NewErr("invalid array type, expected Items with a non-empty Schema")
	}
	list := listValue{l, s.Items}
	switch s.ListType {
	case "map":
		return setValue{list, keysOf(s.ListMapKeys)}
	case "set":
		return setValue{list, nil}
	case "", "atomic":
		return list
	}
	return types.NewErr("invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got %s", s.ListType)
}

// listValue is an atomic list. Models common.unstructuredList.
type listValue struct {
	l     *object.List
	items *schema.Schema
}

// Get implements traits.Lister.
func (v listValue) Get(index ref.Val) ref.Val {
	i, ok := index.(types.Int)
	switch {
	case !ok:
		return types.ValOrErr(index, "unsupported index: %v", index)
	case i < 0 || int64(i) >= int64(v.l.Len()):
		return types.NewErr("index out of bounds: %v", index)
	}
	return toValue(v.l.At(int(i)), v.items)
}

func (v listValue) all() []ref.Val {
	out := make([]ref.Val, v.l.Len())
	for i, x := range v.l.All() {
		out[i] = toValue(x, v.items)
	}
	return out
}

// Iterator implements traits.Lister.
func (v listValue) Iterator() traits.Iterator { return plainList(v.all()).Iterator() }

// Size implements traits.Lister.
func (v listValue) Size() ref.Val { return types.Int(v.l.Len()) }

// Contains implements traits.Lister.
func (v listValue) Contains(item ref.Val) ref.Val {
	if types.IsUnknownOrError(item) {
		return item
	}
	var bad ref.Val
	for _, x := range v.all() {
		same, ok := x.Equal(item).(types.Bool)
		if !ok && bad == nil {
			bad = types.MaybeNoSuchOverloadErr(x.Equal(item))
		}
		if same {
			return types.True
		}
	}
	if bad != nil {
		return bad
	}
	return types.False
}

// Add implements traits.Lister.
func (v listValue) Add(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return plainList(append(v.all(), elements(o)...))
}

// Equal implements ref.Val.
func (v listValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if v.Size() != o.Size() {
		return types.False
	}
	for i := range v.l.Len() {
		if same := v.Get(types.Int(i)).Equal(o.Get(types.Int(i))); same != types.True {
			return same
		}
	}
	return types.True
}

// ConvertToNative implements ref.Val.
func (v listValue) ConvertToNative(want reflect.Type) (any, error) {
	if want.Kind() != reflect.Slice {
		return nil, fmt.Errorf("type conversion error from '%s' to '%s'", v.Type(), want)
	}
	if v.items.Type != "string" {
		return object.ToAny(v.l), nil
	}
	var out []string
	for _, x := range v.l.All() {
		s, ok := x.(string)
		if !ok {
			return nil, fmt.Errorf("expected all elements to be of type string, but got %s", goType(x))
		}
		out = append(out, s)
	}
	return out, nil
}

// ConvertToType implements ref.Val.
func (v listValue) ConvertToType(want ref.Type) ref.Val {
	switch want {
	case types.ListType:
		return v
	case types.TypeType:
		return types.ListType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", v.Type(), want.TypeName())
}

// Type implements ref.Val.
func (listValue) Type() ref.Type { return types.ListType }

// Value implements ref.Val.
func (v listValue) Value() any { return v.l }

func plainList(items []ref.Val) traits.Lister {
	return types.NewRefValList(types.DefaultTypeAdapter, items).(traits.Lister)
}

func elements(l traits.Lister) []ref.Val {
	var out []ref.Val
	for it := l.Iterator(); it.HasNext() == types.True; {
		out = append(out, it.Next())
	}
	return out
}

// setValue is a list in which each element stands once, and whose order does not
// count: one of type map, by its keys, or without keys one of type set. Models
// common.unstructuredMapList and unstructuredSetList.
type setValue struct {
	listValue
	keys []string
}

// Equal implements ref.Val.
func (v setValue) Equal(other ref.Val) ref.Val { return equalSets(v.all(), other, v.keys) }

// Add implements traits.Lister.
func (v setValue) Add(other ref.Val) ref.Val { return addSets(v.all(), other, v.keys) }

// setSum is what adding to a setValue gives.
type setSum struct {
	traits.Lister
	keys []string
}

// Equal implements ref.Val.
func (v setSum) Equal(other ref.Val) ref.Val { return equalSets(elements(v.Lister), other, v.keys) }

// Add implements traits.Lister.
func (v setSum) Add(other ref.Val) ref.Val { return addSets(elements(v.Lister), other, v.keys) }

// keysOf are the keys of a list of type map, as rules name them.
func keysOf(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if ident, ok := escape(name); ok {
			out[i] = ident
		}
	}
	return out
}

// identity is what makes an element the same as another: its keys, or in a set
// itself, which must be a scalar.
func identity(x ref.Val, keys []string) (string, ref.Val) {
	if keys == nil {
		switch x.(type) {
		case traits.Lister, traits.Mapper:
			return "", types.NewErr("listSet operations are only supported on lists of scalar values")
		}
		return scalarText(x.Value()), nil
	}
	var b strings.Builder
	for _, k := range keys {
		var v any
		if m, ok := x.(traits.Mapper); ok {
			if found, ok := m.Find(types.String(k)); ok && !types.IsUnknownOrError(found) {
				v = found.Value()
			}
		}
		b.WriteString(scalarText(v) + "\x00")
	}
	return b.String(), nil
}

func scalarText(v any) string { return fmt.Sprintf("%T %#v", v, v) }

func equalSets(items []ref.Val, other ref.Val, keys []string) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if types.Int(len(items)) != o.Size() {
		return types.False
	}
	byID := map[string]ref.Val{}
	for _, x := range items {
		id, bad := identity(x, keys)
		if bad != nil {
			return bad
		}
		byID[id] = x
	}
	seen := map[string]bool{}
	for _, y := range elements(o) {
		id, bad := identity(y, keys)
		if bad != nil {
			return bad
		}
		x, ok := byID[id]
		if !ok {
			return types.False
		}
		if keys != nil {
			if same := x.Equal(y); same != types.True {
				return same
			}
		}
		seen[id] = true
	}
	return types.Bool(len(seen) == len(byID))
}

// addSets appends what is new; in a list of type map the later takes the place
// of the former.
func addSets(items []ref.Val, other ref.Val, keys []string) ref.Val {
	o, ok := other.(traits.Lister)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	at := map[string]int{}
	for i, x := range items {
		id, bad := identity(x, keys)
		if bad != nil {
			return bad
		}
		at[id] = i
	}
	for _, y := range elements(o) {
		id, bad := identity(y, keys)
		if bad != nil {
			return bad
		}
		i, ok := at[id]
		switch {
		case ok && keys != nil:
			items[i] = y
		case !ok && keys == nil:
			at[id] = len(items)
			items = append(items, y)
		case !ok:
			// As upstream has it, two new elements of one key are both appended.
			items = append(items, y)
		}
	}
	return setSum{plainList(items), keys}
}
