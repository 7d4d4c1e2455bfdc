package schema

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// validateEmbedded checks apiVersion, kind and, by check where it is given,
// metadata of embedded resources. Models objectmeta.Validate.
func (s *Schema) validateEmbedded(at *place, x any, check MetadataCheck) []*api.FieldError {
	var errs []*api.FieldError
	if s == nil || !s.hasEmbedded && !s.EmbeddedResource {
		return nil
	}
	switch v := x.(type) {
	case *object.Map:
		if s.EmbeddedResource {
			errs = append(errs, embeddedErrors(at.String(), v, check)...)
		}
		for k, sub := range v.All() {
			if p := s.Property(k); p != nil {
				errs = append(errs, p.validateEmbedded(at.at(k), sub, check)...)
			} else if s.Additional != nil {
				errs = append(errs, s.Additional.Schema.validateEmbedded(at.of(k), sub, check)...)
			}
		}
	case *object.List:
		for i, sub := range v.All() {
			errs = append(errs, s.Items.validateEmbedded(at.nth(i), sub, check)...)
		}
	}
	return errs
}

// MetadataCheck validates the metadata of an embedded resource; path is that of
// the metadata.
type MetadataCheck func(metadata *object.Map, path string) []*api.FieldError

func embeddedErrors(path string, m *object.Map, check MetadataCheck) []*api.FieldError {
	var errs []*api.FieldError
	fail := func(field string, v any, detail string) {
		errs = append(errs, &api.FieldError{Type: api.FieldInvalid, Field: joinKey(path, field), Value: v, Detail: detail})
	}
	for _, k := range []string{"apiVersion", "kind"} {
		v, found := m.Get(k)
		text, isText := v.(string)
		switch {
		case !found:
			errs = append(errs, &api.FieldError{Type: api.FieldRequired, Field: joinKey(path, k)})
		case !isText:
			fail(k, v, "must be a string")
		case text == "":
			fail(k, v, "must not be empty")
		case k == "apiVersion":
			if _, _, ok := object.ParseAPIVersion(text); !ok {
				fail(k, v, "unexpected GroupVersion string: "+text)
			}
		default:
			if bad := dns1035Label(strings.ToLower(text)); len(bad) > 0 {
				fail(k, v, "may have mixed case, but should otherwise match: "+strings.Join(bad, ","))
			}
		}
	}
	if v, found := m.Get("metadata"); found {
		meta, ok := v.(*object.Map)
		switch {
		case !ok && v != nil:
			fail("metadata", v, "json: cannot unmarshal "+decodeName(v)+" into Go value of type v1.ObjectMeta")
		case check != nil:
			errs = append(errs, check(meta, joinKey(path, "metadata"))...)
		}
	}
	return errs
}

// decodeName is what encoding/json calls a value in its errors.
func decodeName(v any) string {
	switch v.(type) {
	case bool:
		return "bool"
	case string:
		return "string"
	case int64, float64:
		return "number"
	case *object.List:
		return "array"
	}
	return "object"
}
