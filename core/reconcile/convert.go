package reconcile

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// ToTree turns a typed value into a tree, as encoding/json would write it: by
// json tags with inline, omitempty and omitzero. It knows structs, pointers,
// slices, maps with string keys, strings, booleans, numbers, Time, trees and
// any; it panics on other types, which is a mistake of the program. Models
// runtime.DefaultUnstructuredConverter.ToUnstructured.
func ToTree(from any) any { return toTree(reflect.ValueOf(from)) }

// FromTree fills the value that into points to from a tree. Keys without a
// field are ignored; fields without a key become zero. A value of the wrong kind
// is an error that names its path. Models FromUnstructured.
func FromTree(tree any, into any) error {
	v := reflect.ValueOf(into).Elem()
	v.SetZero()
	if m := fromTree(tree, v); m != nil {
		return m
	}
	return nil
}

// misfit is a value that does not fit into its field. Its path is put together
// on the way out, so that a value that fits pays nothing for it.
type misfit struct {
	path  string
	value any
	into  reflect.Type
}

func (m *misfit) Error() string {
	return fmt.Sprintf("%s: %s does not fit into %s", m.path, object.EncodeJSON(m.value), m.into)
}

// under puts a step of the path, "key" or "[0]", before the rest.
func (m *misfit) under(step string) *misfit {
	if m.path != "" && m.path[0] != '[' {
		step += "."
	}
	m.path = step + m.path
	return m
}

var (
	timeType = reflect.TypeFor[Time]()
	mapType  = reflect.TypeFor[*object.Map]()
	listType = reflect.TypeFor[*object.List]()
)

// field is one field of a struct as JSON has it.
type field struct {
	name                string
	index               []int
	omitEmpty, omitZero bool
}

// fields caches structFields by type, sorted by name.
var fields sync.Map

func fieldsOf(t reflect.Type) []field {
	if f, ok := fields.Load(t); ok {
		return f.([]field)
	}
	f := structFields(t, nil)
	sort.SliceStable(f, func(i, j int) bool { return f[i].name < f[j].name })
	fields.Store(t, f)
	return f
}

func structFields(t reflect.Type, prefix []int) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		index := append(append([]int(nil), prefix...), i)
		switch {
		case name == "" && (f.Anonymous || strings.Contains(options, "inline")):
			out = append(out, structFields(f.Type, index)...)
		case name == "" || name == "-" || !f.IsExported():
		default:
			out = append(out, field{
				name: name, index: index,
				omitEmpty: strings.Contains(options, "omitempty"), omitZero: strings.Contains(options, "omitzero"),
			})
		}
	}
	return out
}

func toTree(v reflect.Value) any {
	switch {
	case !v.IsValid():
		return nil
	case v.Type() == mapType, v.Type() == listType:
		return v.Interface()
	case v.Type() == timeType:
		if t := v.Interface().(Time); !t.IsZero() {
			return t.String()
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return toTree(v.Elem())
	case reflect.String:
		return v.String()
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int32, reflect.Int64:
		return v.Int()
	case reflect.Float64:
		return v.Float()
	case reflect.Struct:
		return structToTree(v)
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = toTree(v.Index(i))
		}
		return object.NewList(items...)
	case reflect.Map:
		out := make([]object.Field, 0, v.Len())
		for _, k := range v.MapKeys() {
			out = append(out, object.Field{Key: k.String(), Value: toTree(v.MapIndex(k))})
		}
		return object.NewMap(out...)
	}
	panic(fmt.Sprintf("reconcile.ToTree: %s is no JSON value", v.Type()))
}

func structToTree(v reflect.Value) any {
	fs := fieldsOf(v.Type())
	out := make([]object.Field, 0, len(fs))
	for _, f := range fs {
		x := v.FieldByIndex(f.index)
		if f.omitEmpty && empty(x) || f.omitZero && x.IsZero() {
			continue
		}
		out = append(out, object.Field{Key: f.name, Value: toTree(x)})
	}
	return object.NewMap(out...)
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

func fromTree(tree any, v reflect.Value) *misfit {
	if tree == nil {
		return nil
	}
	wrong := func() *misfit { return &misfit{value: tree, into: v.Type()} }
	switch v.Type() {
	case mapType, listType:
		x := reflect.ValueOf(tree)
		if x.Type() != v.Type() {
			return wrong()
		}
		v.Set(x)
		return nil
	case timeType:
		s, _ := tree.(string)
		t, err := time.Parse(time.RFC3339, s)
		if err != nil {
			return wrong()
		}
		v.Set(reflect.ValueOf(Time{t}))
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fromTree(tree, v.Elem())
	case reflect.Interface:
		v.Set(reflect.ValueOf(tree))
		return nil
	case reflect.Struct, reflect.Map:
		m, ok := tree.(*object.Map)
		if !ok {
			return wrong()
		}
		if v.Kind() == reflect.Struct {
			return structFromTree(m, v)
		}
		return mapFromTree(m, v)
	case reflect.Slice:
		l, ok := tree.(*object.List)
		if !ok {
			return wrong()
		}
		return sliceFromTree(l, v)
	}
	if !scalarFromTree(tree, v) {
		return wrong()
	}
	return nil
}

func scalarFromTree(tree any, v reflect.Value) bool {
	switch x := tree.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return true
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return true
		}
	case int64:
		switch {
		case v.CanInt() && !v.OverflowInt(x):
			v.SetInt(x)
			return true
		case v.CanFloat():
			v.SetFloat(float64(x))
			return true
		}
	case float64:
		if v.CanFloat() {
			v.SetFloat(x)
			return true
		}
	}
	return false
}

func structFromTree(m *object.Map, v reflect.Value) *misfit {
	for _, f := range fieldsOf(v.Type()) {
		if x, ok := m.Get(f.name); ok {
			if bad := fromTree(x, v.FieldByIndex(f.index)); bad != nil {
				return bad.under(object.JoinPath("", f.name))
			}
		}
	}
	return nil
}

func mapFromTree(m *object.Map, v reflect.Value) *misfit {
	out := reflect.MakeMapWithSize(v.Type(), m.Len())
	for k, x := range m.All() {
		e := reflect.New(v.Type().Elem()).Elem()
		if bad := fromTree(x, e); bad != nil {
			return bad.under(object.JoinPath("", k))
		}
		out.SetMapIndex(reflect.ValueOf(k).Convert(v.Type().Key()), e)
	}
	v.Set(out)
	return nil
}

func sliceFromTree(l *object.List, v reflect.Value) *misfit {
	v.Set(reflect.MakeSlice(v.Type(), l.Len(), l.Len()))
	for i, x := range l.All() {
		if bad := fromTree(x, v.Index(i)); bad != nil {
			return bad.under(fmt.Sprintf("[%d]", i))
		}
	}
	return nil
}
