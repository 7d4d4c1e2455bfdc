package rules

import (
	"fmt"
	"reflect"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// mapValue is an object or a map. Fields that the schema does not describe count
// for its size and for equality, but cannot be read. Models
// common.unstructuredMap, with keys in their order.
type mapValue struct {
	m *object.Map
	s *schema.Schema
}

// isObject tells an object, whose keys are escaped, from a map.
func (v mapValue) isObject() bool { return len(v.s.Properties) > 0 }

// schemaOf is that of a field; nil where it is not described.
func (v mapValue) schemaOf(key string) *schema.Schema {
	switch {
	case v.isObject() || v.s.EmbeddedResource:
		return v.s.Property(key)
	case v.s.Additional != nil:
		return v.s.Additional.Schema
	}
	return nil
}

// Find implements traits.Mapper. A null field of an object is one that is not there.
func (v mapValue) Find(key ref.Val) (ref.Val, bool) {
	text, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), true
	}
	k := string(text)
	if v.isObject() {
		if k, ok = unescape(k); !ok {
			return nil, false
		}
	}
	x, ok := v.m.Get(k)
	s := v.schemaOf(k)
	if !ok || s == nil || x == nil && v.isObject() {
		return nil, false
	}
	return toValue(x, s), true
}

// Get implements traits.Mapper.
func (v mapValue) Get(key ref.Val) ref.Val {
	if x, ok := v.Find(key); ok {
		return x
	}
	return types.ValOrErr(key, "no such key: %v", key)
}

// Contains implements traits.Mapper.
func (v mapValue) Contains(key ref.Val) ref.Val {
	x, ok := v.Find(key)
	if x != nil && types.IsUnknownOrError(x) {
		return x
	}
	return types.Bool(ok)
}

// Size implements traits.Mapper.
func (v mapValue) Size() ref.Val { return types.Int(v.m.Len()) }

// Iterator implements traits.Mapper.
func (v mapValue) Iterator() traits.Iterator {
	keys := []ref.Val{}
	for k := range v.m.All() {
		if v.schemaOf(k) == nil {
			continue
		}
		if v.isObject() {
			if escaped, ok := escape(k); ok {
				k = escaped
			}
		}
		keys = append(keys, types.String(k))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, keys).(traits.Iterable).Iterator()
}

// Equal implements ref.Val.
func (v mapValue) Equal(other ref.Val) ref.Val {
	o, ok := other.(traits.Mapper)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	if v.Size() != o.Size() {
		return types.False
	}
	for k, x := range v.m.All() {
		if v.schemaOf(k) == nil {
			om, ok := other.(mapValue)
			if !ok {
				return types.MaybeNoSuchOverloadErr(other)
			}
			if y, ok := om.m.Get(k); ok && !object.Equal(x, y) {
				return types.False
			}
			continue
		}
		a, found := v.Find(types.String(k))
		b, otherFound := o.Find(types.String(k))
		if found != otherFound {
			return types.False
		}
		if !found {
			continue
		}
		if same := a.Equal(b); same != types.True {
			return same
		}
	}
	return types.True
}

// ConvertToNative implements ref.Val.
func (v mapValue) ConvertToNative(want reflect.Type) (any, error) {
	if want.Kind() == reflect.Map {
		return object.ToAny(v.m), nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%s'", v.Type(), want)
}

// ConvertToType implements ref.Val.
func (v mapValue) ConvertToType(want ref.Type) ref.Val {
	switch want {
	case types.MapType:
		return v
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", v.Type(), want.TypeName())
}

// Type implements ref.Val.
func (mapValue) Type() ref.Type { return types.MapType }

// Value implements ref.Val.
func (v mapValue) Value() any { return v.m }
