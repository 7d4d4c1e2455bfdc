package schema

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// defaults checks that the defaults of a schema fit their own schemas. rules may
// be nil; budget is what its rules may still cost. Models
// defaulting.ValidateDefaults.
type defaults struct {
	rules  Evaluator
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
		if bad := s.validateEmbedded((*place)(nil).at(path), s.DefaultValue, nil); len(bad) > 0 {
			return append(errs, bad...)
		}
	}
	if bad := fieldErrors(path, s.asWritten().checkValue(nil, s.DefaultValue, nil)); len(bad) > 0 {
		return append(errs, bad...)
	}
	return append(errs, d.evaluate(s, path)...)
}

// evaluate runs the rules over a default: as what it was before, and where they
// take it, as what was not there before.
func (d *defaults) evaluate(s *Schema, path string) []*api.FieldError {
	if d.rules == nil || !s.HasRules() {
		return nil
	}
	e := Evaluation{Schema: s, Resource: s.EmbeddedResource, Path: path, Value: s.DefaultValue, Old: s.DefaultValue, Budget: d.budget}
	v := d.rules.Evaluate(e)
	d.budget = v.Budget
	if len(v.Errors) == 0 {
		e.Old = nil
		v = d.rules.Evaluate(e)
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
