package managedfields

import (
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/reconcile-playground/reconcile/core/object"
)

// emptyMap stands for a field that is owned and has no fields of its own.
var emptyMap = object.NewMap()

// decodeFields reads a set of fields as fieldsV1 holds it. Elements of an
// unknown kind are left out. Models fieldpath's readIterV1, over a tree.
func decodeFields(v any) (*fieldpath.Set, error) {
	set, _, err := decodeSet(v)
	if set == nil {
		set = fieldpath.NewSet()
	}
	return set, err
}

func decodeSet(v any) (set *fieldpath.Set, isMember bool, err error) {
	m, ok := v.(*object.Map)
	if !ok && v != nil {
		return nil, false, fmt.Errorf("error decoding set: %s is no map", object.EncodeJSON(v))
	}
	for key, child := range m.All() {
		if key == "." {
			isMember = true
			continue
		}
		pe, err := fieldpath.DeserializePathElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			continue
		}
		if err != nil {
			return nil, false, fmt.Errorf("error decoding set: %w", err)
		}
		below, member, err := decodeSet(child)
		if err != nil {
			return nil, false, err
		}
		if set == nil {
			set = &fieldpath.Set{}
		}
		if member {
			set.Members.Insert(pe)
		}
		if below != nil {
			*set.Children.Descend(pe) = *below
		}
	}
	return set, isMember || set == nil, nil
}

// encodeFields is the inverse of decodeFields.
func encodeFields(set *fieldpath.Set) *object.Map {
	fields := make([]object.Field, 0, set.Members.Size()+set.Children.Size())
	set.Members.Iterate(func(pe fieldpath.PathElement) {
		if below, ok := set.Children.Get(pe); !ok || below.Empty() {
			fields = append(fields, object.Field{Key: elementKey(pe), Value: emptyMap})
		}
	})
	set.Children.Iterate(func(pe fieldpath.PathElement) {
		below, _ := set.Children.Get(pe)
		if below.Empty() {
			return
		}
		m := encodeFields(below)
		if set.Members.Has(pe) {
			m = m.With(".", emptyMap)
		}
		fields = append(fields, object.Field{Key: elementKey(pe), Value: m})
	})
	return object.NewMap(fields...)
}

func elementKey(pe fieldpath.PathElement) string {
	if pe.FieldName != nil {
		return "f:" + *pe.FieldName
	}
	key, err := fieldpath.SerializePathElement(pe)
	if err != nil {
		// Elements come from values that were JSON.
		panic("managedfields: " + err.Error())
	}
	return key
}
