package schema

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// schema validates one schema of a CRD, that of a version; path is that of the
// map that holds openAPIV3Schema. Models
// validateCustomResourceDefinitionValidation.
func (v *crdValidator) schema(path, version string, s *Schema, hasStatus bool) {
	if s == nil {
		return
	}
	path += ".openAPIV3Schema"
	before := len(v.errs)
	if hasStatus {
		v.rootFields(path, s)
	}
	if s.Nullable {
		v.forbidden(path+".nullable", "nullable cannot be true at the root")
	}
	why, structural := s.unsupported(), false
	if why == "" {
		errs := structuralErrors(path, s)
		if len(errs) == 0 {
			d := defaults{Checker: v.Checker, budget: RuleBudget}
			errs = d.check(path, s, true, "")
		}
		v.errs = append(v.errs, errs...)
		structural = len(errs) == 0
	}
	o := openAPIValidator{v: v}
	o.node(path, s, nodeContext{root: true})
	if len(v.errs) == before && why != "" {
		v.invalid(path, "", why)
	}
	switch {
	case o.firstRule == "":
	case v.Rules == nil:
		if len(v.errs) == before {
			v.errs = append(v.errs, noRules(o.firstRule))
		}
	case structural:
		v.errs = append(v.errs, v.Rules.Compile(Compilation{Schema: s, Path: path, Broken: o.broken, Stored: v.stored, Unchanged: v.isUnchanged(s, version)})...)
	}
}

// isUnchanged reports whether the schema of a version is as it is stored.
func (v *crdValidator) isUnchanged(s *Schema, version string) bool {
	for i, name := range v.storedNames {
		if name == version {
			return v.stored[i] != nil && object.Equal(v.stored[i].Raw, s.Raw)
		}
	}
	return false
}

const rootFieldList = "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations]"

// rootFields: with the status subresource the root may hold only what does not
// bear on status.
func (v *crdValidator) rootFields(path string, s *Schema) {
	allowed := strings.Fields(strings.Trim(rootFieldList, "[]"))
	for _, f := range internalFields {
		if !f.isSet(s.Raw) {
			continue
		}
		switch {
		case f.name == "Type":
			if s.Type != "object" {
				v.invalid(path+".type", s.Type, `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`)
				return
			}
		case !slices.Contains(allowed, f.name):
			v.invalid(path, internalSchema{s.Raw}, "only "+rootFieldList+" fields are allowed at the root of the schema if the status subresource is enabled")
			return
		}
	}
}

// unsupported says which field that a structural schema cannot have is there.
// Models validateUnsupportedFields.
func (s *Schema) unsupported() string {
	why := ""
	s.walk(func(n *Schema) {
		if why != "" {
			return
		}
		raw := node{n.Raw}
		switch {
		case raw.str("id") != "":
			why = "OpenAPIV3Schema 'id' is not supported"
		case raw.str("$schema") != "":
			why = "OpenAPIV3Schema 'schema' is not supported"
		case raw.str("$ref") != "":
			why = "OpenAPIV3Schema '$ref' is not supported"
		case raw.tree("patternProperties").Len() > 0:
			why = "OpenAPIV3Schema 'patternProperties' is not supported"
		case raw.tree("dependencies").Len() > 0:
			why = "OpenAPIV3Schema 'dependencies' is not supported"
		case isSet(n.Raw, "additionalItems"):
			why = "OpenAPIV3Schema 'additionalItems' is not supported"
		case raw.tree("definitions").Len() > 0:
			why = "OpenAPIV3Schema 'definitions' is not supported"
		case raw.list("items").Len() > 0:
			why = "OpenAPIV3Schema 'items' must be a schema, but is an array"
		case isSet(n.Raw, "x-kubernetes-preserve-unknown-fields") && !n.PreserveUnknownFields:
			why = "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
		}
	})
	return why
}

func isSet(m *object.Map, key string) bool {
	v, _ := m.Get(key)
	return v != nil
}

// nodeContext is what the way down to a node says about it.
type nodeContext struct {
	root, insideMeta bool
	// noDefaults is why defaults are forbidden; empty where they are not.
	noDefaults string
}

type openAPIValidator struct {
	v         *crdValidator
	firstRule string
	// broken are the fields of schemas with an error, or one below them.
	broken []string
}

var openAPITypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// node models ValidateCustomResourceDefinitionOpenAPISchema.
func (o *openAPIValidator) node(path string, s *Schema, ctx nodeContext) {
	if s == nil {
		return
	}
	before := len(o.v.errs)
	o.standard(path, s, ctx)
	if s.UniqueItems {
		o.v.forbidden(path+".uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic")
	}
	inner := nodeContext{insideMeta: ctx.insideMeta, noDefaults: ctx.noDefaults}
	if s.Additional != nil {
		if len(s.Properties) > 0 && (!s.Additional.Allows || s.Additional.Schema != nil) {
			o.v.forbidden(path+".additionalProperties", "additionalProperties and properties are mutual exclusive")
		}
		sub := inner
		if ctx.insideMeta {
			sub.noDefaults = "inside additionalProperties applying to object metadata"
		}
		o.node(path+".additionalProperties", s.Additional.Schema, sub)
	}
	for _, p := range s.Properties {
		sub := inner
		if (ctx.root || s.EmbeddedResource) && isMetaField(p.Name) {
			sub.insideMeta = true
			if ctx.root {
				sub.noDefaults = "in top-level " + p.Name
			}
		}
		o.node(path+".properties["+p.Name+"]", p.Schema, sub)
	}
	o.node(path+".not", s.Not, inner)
	for _, list := range []struct {
		name string
		subs []*Schema
	}{{"allOf", s.AllOf}, {"oneOf", s.OneOf}, {"anyOf", s.AnyOf}} {
		for i, sub := range list.subs {
			o.node(index(path+"."+list.name, i), sub, inner)
		}
	}
	for k, x := range (node{s.Raw}).tree("definitions").All() {
		sub, _ := x.(*object.Map)
		o.node(path+".definitions["+k+"]", Parse(sub), inner)
	}
	o.node(path+".items", s.Items, inner)
	for i, x := range (node{s.Raw}).list("items").All() {
		sub, _ := x.(*object.Map)
		o.node(index(path+".items", i), Parse(sub), inner)
	}
	o.extensions(path, s)
	o.mapKeys(path, s)
	o.ruleTexts(path+".x-kubernetes-validations", s)
	if len(o.v.errs) > before {
		o.broken = append(o.broken, path)
	}
}

// standard models specStandardValidatorV3.validate.
func (o *openAPIValidator) standard(path string, s *Schema, ctx nodeContext) {
	raw := node{s.Raw}
	if s.Type != "" && !slices.Contains(openAPITypes, s.Type) {
		o.v.unsupported(path+".type", s.Type, openAPITypes...)
	}
	if isSet(s.Raw, "default") && ctx.noDefaults != "" {
		o.v.forbidden(path+".default", "must not be set "+ctx.noDefaults)
	}
	if raw.str("id") != "" {
		o.v.forbidden(path+".id", "id is not supported")
	}
	if isSet(s.Raw, "additionalItems") {
		o.v.forbidden(path+".additionalItems", "additionalItems is not supported")
	}
	for _, k := range []string{"patternProperties", "definitions"} {
		if raw.tree(k).Len() > 0 {
			o.v.forbidden(path+"."+k, k+" is not supported")
		}
	}
	for _, k := range []string{"dependencies", "$ref"} {
		if isSet(s.Raw, k) {
			o.v.forbidden(path+"."+k, k+" is not supported")
		}
	}
	if s.Type == "null" {
		o.v.forbidden(path+".type", "type cannot be set to null, use nullable as an alternative")
	}
	if raw.list("items").Len() > 0 {
		o.v.forbidden(path+".items", "items must be a schema object and not an array")
	}
	if ctx.insideMeta && s.EmbeddedResource {
		o.v.forbidden(path+".x-kubernetes-embedded-resource", "must not be used inside of resource meta")
	}
}

// typeMustBe complains of a type that an extension does not go with.
func (o *openAPIValidator) typeMustBe(path string, s *Schema, want, extension string) bool {
	detail := "must be " + want + " if " + extension + " is specified"
	switch s.Type {
	case want:
		return true
	case "":
		o.v.required(path+".type", detail)
	default:
		o.v.invalid(path+".type", s.Type, detail)
	}
	return false
}

func (o *openAPIValidator) extensions(path string, s *Schema) {
	const listType, mapType, preserve = "x-kubernetes-list-type", "x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields"
	if isSet(s.Raw, preserve) && !s.PreserveUnknownFields {
		o.v.invalid(path+"."+preserve, false, "must be true or undefined")
	}
	if isSet(s.Raw, mapType) {
		o.typeMustBe(path, s, "object", mapType)
		if !slices.Contains([]string{"atomic", "granular"}, s.MapType) {
			o.v.unsupported(path+"."+mapType, s.MapType, "atomic", "granular")
		}
	}
	if isSet(s.Raw, listType) {
		if o.typeMustBe(path, s, "array", listType) && s.ListType == "set" && s.Items != nil {
			const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
			var inner any
			if isSet(s.Items.Raw, listType) {
				inner = s.Items.ListType
			}
			switch {
			case s.Items.Type == "array" && inner != nil && inner != "atomic":
				o.v.invalid(path+".items."+listType, inner, detail)
			case s.Items.Type == "object" && s.Items.MapType != "atomic":
				o.v.invalid(path+".items."+mapType, inner, detail)
			}
		}
		if !slices.Contains([]string{"atomic", "set", "map"}, s.ListType) {
			o.v.unsupported(path+"."+listType, s.ListType, "atomic", "set", "map")
		}
	}
	if len(s.ListMapKeys) > 0 {
		if !isSet(s.Raw, listType) {
			o.v.required(path+"."+listType, "must be map if x-kubernetes-list-map-keys is non-empty")
		} else if s.ListType != "map" {
			o.v.invalid(path+"."+listType, s.ListType, "must be map if x-kubernetes-list-map-keys is non-empty")
		}
	}
}

// mapKeys checks the keys of a list of type map, and that nothing in a set or
// map list can be null.
func (o *openAPIValidator) mapKeys(path string, s *Schema) {
	const keys = "x-kubernetes-list-map-keys"
	if s.ListType == "map" {
		if len(s.ListMapKeys) == 0 {
			o.v.required(path+"."+keys, "must not be empty if x-kubernetes-list-type is map")
		}
		if l := (node{s.Raw}).list("items"); l != nil {
			o.v.invalid(path+".items", internalItems{l}, "must only have a single schema if x-kubernetes-list-type is map")
		} else if s.Items == nil {
			o.v.required(path+".items", "must have a schema if x-kubernetes-list-type is map")
		} else if s.Items.Type != "object" {
			o.v.invalid(path+".items.type", s.Items.Type, "must be object if parent array's x-kubernetes-list-type is map")
		} else {
			o.keyProperties(path, s)
		}
	}
	if s.Items == nil || s.ListType != "set" && s.ListType != "map" {
		return
	}
	if s.Items.Nullable {
		o.v.forbidden(path+".items.nullable", "cannot be nullable when x-kubernetes-list-type is "+s.ListType)
	}
	if s.ListType == "set" {
		return
	}
	for _, k := range s.ListMapKeys {
		p := s.Items.Property(k)
		if p == nil {
			continue
		}
		at := path + ".items.properties[" + k + "]"
		if !slices.Contains(s.Items.Required, k) && !isSet(p.Raw, "default") {
			o.v.required(at+".default", "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property")
		}
		if p.Nullable {
			o.v.forbidden(at+".nullable", "this property is in x-kubernetes-list-map-keys, so it cannot be nullable")
		}
	}
}

func (o *openAPIValidator) keyProperties(path string, s *Schema) {
	const keys = "x-kubernetes-list-map-keys"
	seen := map[string]bool{}
	for _, k := range s.ListMapKeys {
		if p := s.Items.Property(k); p == nil {
			o.v.invalid(path+"."+keys, object.Strings(s.ListMapKeys...), "entries must all be names of item properties")
		} else if p.Type == "array" || p.Type == "object" {
			o.v.invalid(path+".items.properties["+k+"].type", s.Items.Type, "must be a scalar type if parent array's x-kubernetes-list-type is map")
		}
		if seen[k] {
			o.v.invalid(path+"."+keys, object.Strings(s.ListMapKeys...), "must not contain duplicate entries")
		}
		seen[k] = true
	}
}

var ruleReasons = []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}

// ruleTexts checks all of rules but the expressions.
func (o *openAPIValidator) ruleTexts(path string, s *Schema) {
	for i, r := range s.Rules {
		at := index(path, i)
		if o.firstRule == "" {
			o.firstRule = at
		}
		rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
		switch {
		case rule == "":
			o.v.required(at+".rule", "rule is not specified")
		case r.Message != "" && message == "":
			o.v.invalid(at+".message", r.Message, "must be non-empty if specified")
		case strings.ContainsAny(message, "\r\n"):
			o.v.invalid(at+".message", r.Message, "must not contain line breaks")
		case strings.ContainsAny(rule, "\r\n") && message == "":
			o.v.required(at+".message", "message must be specified if rule contains line breaks")
		}
		if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
			o.v.required(at+".messageExpression", "messageExpression must be non-empty if specified")
		}
		if (r.Reason != "" || r.emptyReason) && !slices.Contains(ruleReasons, r.Reason) {
			o.v.unsupported(at+".reason", r.Reason, ruleReasons...)
		}
		if r.FieldPath != "" && strings.TrimSpace(r.FieldPath) == "" {
			o.v.invalid(at+".fieldPath", r.FieldPath, "must be non-empty if specified")
		}
		if strings.ContainsAny(r.FieldPath, "\r\n") {
			o.v.invalid(at+".fieldPath", r.FieldPath, "must not contain line breaks")
		}
		if _, ok := RulePath(s, r.FieldPath); !ok {
			o.v.invalid(at+".fieldPath", r.FieldPath, "must be a valid path")
		}
	}
}
