package schema

import (
	"slices"
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
			if bad := api.IsDNS1035Label(strings.ToLower(text)); len(bad) > 0 {
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

// A MetadataDecoder reads the metadata of an embedded resource: what a server
// keeps of it, and the paths of what it does not know.
type MetadataDecoder func(metadata any) (kept *object.Map, unknown []string, err error)

// CoerceEmbedded reads apiVersion, kind and metadata of embedded resources. It
// returns the tree with the metadata that is kept, the sorted paths of what was
// dropped from it, and the first thing that is of a wrong type. A Map without
// embedded resources is returned itself. Models objectmeta.CoerceWithOptions.
func (s *Schema) CoerceEmbedded(m *object.Map, decode MetadataDecoder) (*object.Map, []string, error) {
	if s == nil || !s.hasEmbedded {
		return m, nil, nil
	}
	c := coercer{decode: decode}
	out := c.coerce(s, nil, m)
	if c.err != nil {
		return m, nil, c.err
	}
	slices.Sort(c.unknown)
	return out.(*object.Map), c.unknown, nil
}

type coercer struct {
	decode  MetadataDecoder
	unknown []string
	err     *api.FieldError
}

func (c *coercer) coerce(s *Schema, at *place, x any) any {
	if s == nil || c.err != nil || !s.hasEmbedded && !s.EmbeddedResource {
		return x
	}
	switch v := x.(type) {
	case *object.Map:
		if s.EmbeddedResource {
			v = c.resource(at, v)
		}
		out := v
		for k, sub := range v.All() {
			if p := s.Property(k); p != nil {
				out = out.With(k, c.coerce(p, at.at(k), sub))
			} else if s.Additional != nil {
				out = out.With(k, c.coerce(s.Additional.Schema, at.of(k), sub))
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			out = out.With(i, c.coerce(s.Items, at.nth(i), sub))
		}
		return out
	}
	return x
}

// resource reads one embedded resource.
func (c *coercer) resource(at *place, m *object.Map) *object.Map {
	fail := func(key string, v any, detail string) {
		if c.err == nil {
			c.err = &api.FieldError{Type: api.FieldInvalid, Field: at.at(key).String(), Value: v, Detail: detail}
		}
	}
	for _, k := range []string{"apiVersion", "kind"} {
		if v, found := m.Get(k); found {
			if _, ok := v.(string); !ok {
				fail(k, v, "must be a string")
			}
		}
	}
	v, found := m.Get("metadata")
	if !found || c.err != nil {
		return m
	}
	kept, unknown, err := c.decode(v)
	if err != nil {
		fail("metadata", v, err.Error())
		return m
	}
	for _, path := range unknown {
		c.unknown = append(c.unknown, joinKey(at.at("metadata").String(), path))
	}
	if kept == nil {
		kept = object.NewMap()
	}
	return m.With("metadata", kept)
}
