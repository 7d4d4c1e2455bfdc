package apiserver

import (
	"errors"
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// strategicPatch applies a strategic merge patch to an object of a built-in
// kind. Models smpPatcher and strategicPatchObject of the handlers.
func strategicPatch(_ *Server, k *kind, old object.Object, b patchBody) (object.Object, []string, error) {
	change, ok := b.value.(*object.Map)
	if !ok && b.value != nil {
		return old, nil, api.NewBadRequest(cannotUnmarshal(b.value, "map[string]interface {}").Error())
	}
	patched, err := patch.Strategic(old.Root(), change, patch.MergingOf(k.GVK()))
	if err != nil {
		return old, nil, strategicError(err)
	}
	shown := func() string { return fmt.Sprintf("%+v", object.ToAny(patch.Consumed(old.Root(), change))) }
	o, unknown, err := k.convert(patched)
	if err != nil {
		return old, nil, invalidPatch(shown(), err)
	}
	strict := b.strict
	for _, path := range unknown {
		strict = append(strict, fmt.Sprintf("unknown field %q", path))
	}
	warnings, err := strictness(b.validation, strict)
	if err != nil {
		return old, nil, invalidPatch(shown(), err)
	}
	return o, warnings, nil
}

// strategicError gives the errors of a strategic merge patch their codes; one
// that no one gave a code is 500. Models interpretStrategicMergePatchError.
func strategicError(err error) error {
	switch {
	case errors.Is(err, patch.ErrPrimitiveList), errors.Is(err, patch.ErrRetainKeys), errors.Is(err, patch.ErrSetElementOrder):
		return api.NewBadRequest(err.Error())
	case errors.Is(err, patch.ErrListOfLists):
		return unprocessablePatch()
	}
	return err
}

// convert makes an object of a patched tree, which is not decoded from JSON but
// converted value by value: other errors, and the object's kind does not
// matter. The paths of unknown fields are sorted. Models
// DefaultUnstructuredConverter.FromUnstructuredWithValidation.
func (k *kind) convert(m *object.Map) (object.Object, []string, error) {
	d := goDecoder{converts: true}
	o, err := k.decodeWith(&d, m)
	slices.Sort(d.unknown)
	return o, d.unknown, err
}

// cannotConvert is the error for a value that does not fit. Go converts numbers
// to strings, which the real server refuses in words of its own; what Go does not
// convert it takes for a type that it does not know.
func cannotConvert(v any, t *goType) error {
	kind, name := reflected(v)
	switch t.kind {
	case goStruct:
		return fmt.Errorf("cannot restore struct from: %s", kind)
	case goMap:
		return fmt.Errorf("cannot restore map from %s", kind)
	case goSlice, goBytes:
		return fmt.Errorf("cannot restore slice from %s", kind)
	case goTime, goMicroTime, goIntOrString:
		// These have an UnmarshalJSON of their own.
		return cannotUnmarshal(v, t.name)
	case goString:
		if name == "int64" {
			return fmt.Errorf("cannot convert int64 to %s", t.name)
		}
		return errors.New("unrecognized type: string")
	}
	if name == "float64" && t.kind != goBool {
		return fmt.Errorf("cannot convert float64 to %s", t.name)
	}
	return fmt.Errorf("unrecognized type: %s", t.name)
}

// reflected is the kind and the type of a value of generic JSON.
func reflected(v any) (kind, name string) {
	switch v.(type) {
	case *object.Map:
		return "map", "map[string]interface {}"
	case *object.List:
		return "slice", "[]interface {}"
	}
	name = fmt.Sprintf("%T", v)
	return name, name
}

// cannotUnmarshal is encoding/json's error for a value that does not fit into a
// type, at a field of a struct where one is given.
func cannotUnmarshal(v any, into string, field ...string) error {
	if len(field) > 0 {
		return fmt.Errorf("json: cannot unmarshal %s into Go struct field %s of type %s", jsonWord(v, into), field[0], into)
	}
	return fmt.Errorf("json: cannot unmarshal %s into Go value of type %s", jsonWord(v, into), into)
}

// jsonWord is what encoding/json calls a value that does not fit into a type.
func jsonWord(v any, into string) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "bool"
	case *object.List:
		return "array"
	case int64:
		return "number"
	case float64:
		if into == "int32" || into == "int64" {
			return "number " + string(object.EncodeJSON(v))
		}
		return "number"
	}
	return "object"
}
