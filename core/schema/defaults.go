package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// defaults checks that the defaults of a schema fit their own schemas; budget is
// what its rules may still cost. Models defaulting.ValidateDefaults.
type defaults struct {
	Checker
	budget int64
}

// check goes through a schema. root says that it is that of a resource; meta is
// the name of the field where it is that of a resource's apiVersion, kind or
// metadata.
func (d *defaults) check(path string, s *Schema, root bool, meta string) []*api.FieldError {
	if s == nil || d.budget < 0 {
		return nil
	}
	var errs []*api.FieldError
	if s.DefaultValue != nil {
		own := s
		if root && !s.EmbeddedResource {
			resource := *s
			resource.EmbeddedResource = true
			own = &resource
		}
		errs = d.own(own, path+".default", meta)
	}
	errs = append(errs, d.check(path+".items", s.Items, false, "")...)
	for _, p := range s.Properties {
		inner := ""
		if (root || s.EmbeddedResource) && isMetaField(p.Name) {
			inner = p.Name
		}
		errs = append(errs, d.check(path+".properties["+p.Name+"]", p.Schema, false, inner)...)
	}
	return errs
}

// own checks the default that a schema itself has.
func (d *defaults) own(s *Schema, path, meta string) []*api.FieldError {
	invalid := func(detail string) []*api.FieldError {
		return []*api.FieldError{{Type: api.FieldInvalid, Field: path, Value: s.DefaultValue, Detail: detail}}
	}
	var errs []*api.FieldError
	if meta != "" {
		surrounding := object.NewMap(object.Field{Key: "apiVersion", Value: "validation/v1"}, object.Field{Key: "kind", Value: "Validation"}).With(meta, s.DefaultValue)
		if bad := embeddedErrors("", surrounding, nil); len(bad) > 0 {
			return invalid("must result in valid metadata: " + bad[0].Error())
		}
	} else {
		if pruned := (&pruner{}).prune(s.DefaultValue, s, s.EmbeddedResource); !object.Equal(pruned, s.DefaultValue) {
			errs = invalid("must not have unknown fields")
		}
		at := (*place)(nil).at(path)
		if _, err := s.keptDefault(at, d.Decode); err != nil {
			return append(errs, err)
		}
		if bad := s.validateEmbedded(at, s.DefaultValue, d.Metadata); len(bad) > 0 {
			return append(errs, bad...)
		}
	}
	if bad := fieldErrors(path, s.asWritten().checkValue(nil, s.DefaultValue, nil)); len(bad) > 0 {
		return append(errs, bad...)
	}
	return append(errs, d.evaluate(s, path)...)
}

// keptDefault is a default with the metadata of embedded resources that is kept.
func (s *Schema) keptDefault(at *place, decode MetadataDecoder) (any, *api.FieldError) {
	if decode == nil {
		return s.DefaultValue, nil
	}
	c := coercer{decode: decode}
	out := c.coerce(s, at, s.DefaultValue)
	return out, c.err
}

// CoerceDefaults drops from the defaults of a CRD's schemas what the metadata of
// embedded resources does not know: the real server does so while it validates
// them. A CRD without such is returned itself.
func CoerceDefaults(crd object.Object, decode MetadataDecoder) object.Object {
	versions := crd.List("spec", "versions")
	for i, v := range versions.All() {
		m, _ := v.(*object.Map)
		o := object.New(m)
		raw := o.Map("schema", "openAPIV3Schema")
		if kept := coerceDefaults(raw, decode); kept != raw {
			versions = versions.With(i, o.Set(kept, "schema", "openAPIV3Schema").Root())
		}
	}
	if versions == crd.List("spec", "versions") {
		return crd
	}
	return crd.Set(versions, "spec", "versions")
}

func coerceDefaults(raw *object.Map, decode MetadataDecoder) *object.Map {
	if raw == nil {
		return nil
	}
	out := raw
	if raw.Has("default") {
		if s := Parse(raw); s.hasEmbedded || s.EmbeddedResource {
			if kept, err := s.keptDefault(nil, decode); err == nil && kept != s.DefaultValue {
				out = out.With("default", kept)
			}
		}
	}
	if items := (node{raw}).tree("items"); items != nil {
		out = out.With("items", coerceDefaults(items, decode))
	}
	if properties := (node{raw}).tree("properties"); properties != nil {
		kept := properties
		for name, p := range properties.All() {
			if m, ok := p.(*object.Map); ok {
				kept = kept.With(name, coerceDefaults(m, decode))
			}
		}
		out = out.With("properties", kept)
	}
	return out
}

// evaluate runs the rules over a default: as what it was before, and where they
// take it, as what was not there before.
func (d *defaults) evaluate(s *Schema, path string) []*api.FieldError {
	if d.Rules == nil || !s.HasRules() {
		return nil
	}
	e := Evaluation{Schema: s, Resource: s.EmbeddedResource, Path: path, Value: s.DefaultValue, Old: s.DefaultValue, Budget: d.budget}
	v := d.Rules.Evaluate(e)
	d.budget = v.Budget
	if len(v.Errors) == 0 {
		e.Old = nil
		v = d.Rules.Evaluate(e)
		d.budget = min(d.budget, v.Budget)
	}
	return v.Errors
}

// asWritten is the schema against which defaults are checked: with formats that
// are else ignored, and no type for x-kubernetes-int-or-string. Models
// Structural.ToKubeOpenAPI.
func (s *Schema) asWritten() *Schema {
	out := Parse(s.Raw)
	out.walk(func(n *Schema) {
		n.format, n.types = n.Format, nil
		if n.Type != "" {
			n.types = []string{n.Type}
		}
	})
	return out
}
