package schema

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// structuralErrors says what keeps a schema from being structural, sorted by
// text. Models schema.ValidateStructural.
func structuralErrors(path string, s *Schema) []*api.FieldError {
	c := structuralChecker{}
	c.node(path, s, "root")
	c.completeJunctors(path, path, s, s)
	slices.SortStableFunc(c.errs, func(a, b *api.FieldError) int { return strings.Compare(a.Error(), b.Error()) })
	return c.errs
}

type structuralChecker struct{ errs []*api.FieldError }

func (c *structuralChecker) required(field, detail string) {
	c.errs = append(c.errs, &api.FieldError{Type: api.FieldRequired, Field: field, Detail: detail})
}

func (c *structuralChecker) forbidden(field, detail string) {
	c.errs = append(c.errs, &api.FieldError{Type: api.FieldForbidden, Field: field, Detail: detail})
}

func (c *structuralChecker) invalid(field string, value any, detail string) {
	c.errs = append(c.errs, &api.FieldError{Type: api.FieldInvalid, Field: field, Value: value, Detail: detail})
}

// node models validateStructuralInvariants. level is root, item or field.
func (c *structuralChecker) node(path string, s *Schema, level string) {
	if s == nil {
		return
	}
	if s.Type == "array" && s.Items == nil {
		c.required(path+".items", "must be specified")
	}
	c.node(path+".items", s.Items, "item")
	for _, p := range s.Properties {
		c.node(path+".properties["+p.Name+"]", p.Schema, "field")
	}
	if s.Additional != nil {
		if level == "root" {
			c.forbidden(path+".additionalProperties", "must not be used at the root")
		}
		c.node(path+".additionalProperties", s.Additional.Schema, "field")
	}
	if s.IntOrString && s.PreserveUnknownFields {
		c.invalid(path+".x-kubernetes-preserve-unknown-fields", true, "must be false if x-kubernetes-int-or-string is true")
	}
	if s.IntOrString && s.EmbeddedResource {
		c.invalid(path+".x-kubernetes-embedded-resource", true, "must be false if x-kubernetes-int-or-string is true")
	}
	c.junctors(path, s, isIntOrStringPattern(s.AnyOf), len(s.AllOf) > 0 && isIntOrStringPattern(s.AllOf[0].AnyOf))
	c.nodeType(path, s, level)
	c.metaProperties(path, s, level)
}

// isIntOrStringPattern: anyOf of type integer and type string, and no more.
func isIntOrStringPattern(anyOf []*Schema) bool {
	typed := func(s *Schema, t string) bool {
		for k, x := range s.Raw.All() {
			if k != "type" && !isZero(x) {
				return false
			}
		}
		return s.Type == t
	}
	return len(anyOf) == 2 && typed(anyOf[0], "integer") && typed(anyOf[1], "string")
}

func (c *structuralChecker) nodeType(path string, s *Schema, level string) {
	switch {
	case s.EmbeddedResource && s.Type == "":
		c.required(path+".type", "must be object if x-kubernetes-embedded-resource is true")
	case s.EmbeddedResource && s.Type != "object":
		c.invalid(path+".type", s.Type, "must be object if x-kubernetes-embedded-resource is true")
	case s.Type == "" && !s.IntOrString && !s.PreserveUnknownFields:
		where := map[string]string{"root": "at the root", "item": "for specified array items", "field": "for specified object fields"}
		c.required(path+".type", "must not be empty "+where[level])
	}
	if s.EmbeddedResource && s.Additional != nil {
		c.forbidden(path+".additionalProperties", "must not be used if x-kubernetes-embedded-resource is set")
	}
	if level == "root" && s.Type != "" && s.Type != "object" {
		c.invalid(path+".type", s.Type, "must be object at the root")
	}
}

func (c *structuralChecker) metaProperties(path string, s *Schema, level string) {
	resource := level == "root" || s.EmbeddedResource
	for _, name := range []string{"kind", "apiVersion"} {
		if p := s.Property(name); p != nil && resource && p.Type != "string" {
			c.invalid(path+".properties["+name+"].type", p.Type, "must be string")
		}
	}
	if meta := s.Property("metadata"); meta != nil {
		at := path + ".properties[metadata]"
		if resource && meta.Type != "object" {
			c.invalid(at+".type", meta.Type, "must be object")
		}
		if level == "root" && !onlyNames(meta) {
			c.forbidden(at, "must not specify anything other than name and generateName, but metadata is implicitly specified")
		}
	}
	if s.EmbeddedResource && !s.PreserveUnknownFields && len(s.Properties) == 0 {
		c.required(path+".properties", "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields")
	}
}

// onlyNames reports whether a schema for metadata says nothing but what name
// and generateName are.
func onlyNames(meta *Schema) bool {
	for _, p := range meta.Properties {
		if p.Name != "name" && p.Name != "generateName" {
			return false
		}
	}
	for k, x := range meta.Raw.All() {
		switch {
		case k == "type" || k == "default" || k == "properties":
		case isZero(x):
		default:
			return false
		}
	}
	return true
}

// isZero reports whether a value decodes to Go's zero value.
func isZero(x any) bool {
	switch v := x.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case *object.List:
		return v.Len() == 0
	}
	return false
}

// junctors models validateValueValidation: what stands under anyOf, allOf,
// oneOf and not may only validate.
func (c *structuralChecker) junctors(path string, s *Schema, skipAnyOf, skipFirstAllOfAnyOf bool) {
	if !skipAnyOf {
		for i, sub := range s.AnyOf {
			c.nested(index(path+".anyOf", i), sub, false)
		}
	}
	for i, sub := range s.AllOf {
		c.nested(index(path+".allOf", i), sub, skipFirstAllOfAnyOf && i == 0)
	}
	for i, sub := range s.OneOf {
		c.nested(index(path+".oneOf", i), sub, false)
	}
	if s.Not != nil {
		c.nested(path+".not", s.Not, false)
	}
	if s.invalid != nil {
		c.invalid(path+".pattern", s.Pattern, "must be a valid regular expression, but isn't: "+s.invalid.Error())
	}
}

// nested models validateNestedValueValidation.
func (c *structuralChecker) nested(path string, s *Schema, skipAnyOf bool) {
	c.junctors(path, s, skipAnyOf, false)
	if s.Items != nil {
		c.nested(path+".items", s.Items, false)
	}
	for _, p := range s.Properties {
		c.nested(path+".properties["+p.Name+"]", p.Schema, false)
	}
	if s.Additional != nil && s.Additional.Allows {
		c.forbidden(path+".additionalProperties", "must be undefined to be structural")
	}
	for _, f := range []struct {
		name string
		set  bool
		must string
	}{
		{"type", s.Type != "", "empty"},
		{"default", s.DefaultValue != nil, "undefined"},
		{"title", s.Title != "", "empty"},
		{"description", s.Description != "", "empty"},
		{"nullable", s.Nullable, "false"},
		{"x-kubernetes-preserve-unknown-fields", s.PreserveUnknownFields, "false"},
		{"x-kubernetes-embedded-resource", s.EmbeddedResource, "false"},
		{"x-kubernetes-int-or-string", s.IntOrString, "false"},
		{"x-kubernetes-list-map-keys", len(s.ListMapKeys) > 0, "empty"},
		{"x-kubernetes-list-type", isSet(s.Raw, "x-kubernetes-list-type"), "undefined"},
		{"x-kubernetes-map-type", isSet(s.Raw, "x-kubernetes-map-type"), "undefined"},
		{"x-kubernetes-validations", len(s.Rules) > 0, "empty"},
	} {
		if f.set {
			c.forbidden(path+"."+f.name, "must be "+f.must+" to be structural")
		}
	}
	if s.Property("metadata") != nil {
		c.forbidden(path+".properties[metadata]", "must not be specified in a nested context")
	}
}

// completeJunctors: what a junctor speaks of must be specified outside of it.
// v is the part under a junctor, at vPath, and s its structural counterpart.
// Models validateValueValidationCompleteness.
func (c *structuralChecker) completeJunctors(sPath, vPath string, v, s *Schema) {
	if v.Not != nil {
		c.complete(sPath, vPath+".not", v.Not, s)
	}
	for _, list := range []struct {
		name string
		subs []*Schema
	}{{"allOf", v.AllOf}, {"anyOf", v.AnyOf}, {"oneOf", v.OneOf}} {
		for i, sub := range list.subs {
			c.complete(sPath, index(vPath+"."+list.name, i), sub, s)
		}
	}
}

func (c *structuralChecker) complete(sPath, vPath string, v, s *Schema) {
	if v == nil {
		return
	}
	if s == nil {
		c.required(sPath, "because it is defined in "+vPath)
		return
	}
	c.completeJunctors(sPath, vPath, v, s)
	c.complete(sPath+".items", vPath+".items", v.Items, s.Items)
	for _, p := range v.Properties {
		at := ".properties[" + p.Name + "]"
		if sub := s.Property(p.Name); sub != nil {
			c.complete(sPath+at, vPath+at, p.Schema, sub)
		} else {
			c.required(sPath+at, "because it is defined in "+vPath+at)
		}
	}
}
