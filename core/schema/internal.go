package schema

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Some errors of the real server quote a part of the CRD in its internal Go
// form, by encoding/json: all fields, in the order of the struct, by their Go
// names. This file prints that form.

// folded says which parts are the same in all versions; the internal form names
// those once, outside of the versions.
type folded struct {
	schema, subresources, columns, selectable bool
	// hasSchema says that the first version has a schema field, if an empty one.
	hasSchema bool
}

func foldVersions(crd object.Object) folded {
	list := crd.List("spec", "versions")
	same := func(key string) bool {
		for i, v := range list.All() {
			a, _ := list.At(0).(*object.Map)
			b, _ := v.(*object.Map)
			x, _ := a.Get(key)
			y, _ := b.Get(key)
			if i > 0 && !object.Equal(x, y) && !(isZero(x) && isZero(y)) {
				return false
			}
		}
		return true
	}
	hasSchema := false
	if list.Len() > 0 {
		first, _ := list.At(0).(*object.Map)
		hasSchema = isSet(first, "schema")
	}
	return folded{same("schema"), same("subresources"), same("additionalPrinterColumns"), same("selectableFields"), hasSchema}
}

// internalForm is how a field is printed.
type internalForm int

const (
	formString internalForm = iota
	formStringPointer
	formBool
	formBoolPointer
	formNumber
	formStrings
	formValue
	formValues
	formSchema
	formSchemas
	formItems
	formProperties
	formAdditional
	formDependencies
	formDocs
	formRules
)

// internalField is one field of apiextensions.JSONSchemaProps.
type internalField struct {
	name, key string
	form      internalForm
}

// internalFields are in the order of the struct.
var internalFields = []internalField{
	{"ID", "id", formString}, {"Schema", "$schema", formString}, {"Ref", "$ref", formStringPointer},
	{"Description", "description", formString}, {"Type", "type", formString}, {"Nullable", "nullable", formBool},
	{"Format", "format", formString}, {"Title", "title", formString}, {"Default", "default", formValue},
	{"Maximum", "maximum", formNumber}, {"ExclusiveMaximum", "exclusiveMaximum", formBool},
	{"Minimum", "minimum", formNumber}, {"ExclusiveMinimum", "exclusiveMinimum", formBool},
	{"MaxLength", "maxLength", formNumber}, {"MinLength", "minLength", formNumber}, {"Pattern", "pattern", formString},
	{"MaxItems", "maxItems", formNumber}, {"MinItems", "minItems", formNumber}, {"UniqueItems", "uniqueItems", formBool},
	{"MultipleOf", "multipleOf", formNumber}, {"Enum", "enum", formValues},
	{"MaxProperties", "maxProperties", formNumber}, {"MinProperties", "minProperties", formNumber},
	{"Required", "required", formStrings}, {"Items", "items", formItems},
	{"AllOf", "allOf", formSchemas}, {"OneOf", "oneOf", formSchemas}, {"AnyOf", "anyOf", formSchemas}, {"Not", "not", formSchema},
	{"Properties", "properties", formProperties}, {"AdditionalProperties", "additionalProperties", formAdditional},
	{"PatternProperties", "patternProperties", formProperties}, {"Dependencies", "dependencies", formDependencies},
	{"AdditionalItems", "additionalItems", formAdditional}, {"Definitions", "definitions", formProperties},
	{"ExternalDocs", "externalDocs", formDocs}, {"Example", "example", formValue},
	{"XPreserveUnknownFields", "x-kubernetes-preserve-unknown-fields", formBoolPointer},
	{"XEmbeddedResource", "x-kubernetes-embedded-resource", formBool}, {"XIntOrString", "x-kubernetes-int-or-string", formBool},
	{"XListMapKeys", "x-kubernetes-list-map-keys", formStrings}, {"XListType", "x-kubernetes-list-type", formStringPointer},
	{"XMapType", "x-kubernetes-map-type", formStringPointer}, {"XValidations", "x-kubernetes-validations", formRules},
}

// isSet reports whether the field has another value than Go's zero.
func (f internalField) isSet(m *object.Map) bool {
	v, _ := m.Get(f.key)
	switch f.form {
	case formString, formBool:
		return !isZero(v)
	}
	return v != nil
}

// internalSchema prints a schema; it is a fmt.Stringer for api.FieldError.
type internalSchema struct{ m *object.Map }

func (s internalSchema) String() string {
	parts := make([]string, len(internalFields))
	for i, f := range internalFields {
		v, _ := s.m.Get(f.key)
		parts[i] = strconv.Quote(f.name) + ":" + printInternal(f.form, v)
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// internalItems prints items that are a list of schemas.
type internalItems struct{ l *object.List }

func (i internalItems) String() string { return printInternal(formItems, i.l) }

func printInternal(form internalForm, v any) string {
	m, _ := v.(*object.Map)
	l, _ := v.(*object.List)
	switch {
	case form == formString && v == nil:
		return `""`
	case form == formBool && v == nil:
		return "false"
	case v == nil:
		return "null"
	}
	switch form {
	case formSchema:
		return internalSchema{m}.String()
	case formSchemas:
		return "[" + strings.Join(eachSchema(l), ",") + "]"
	case formItems:
		if l != nil {
			return `{"Schema":null,"JSONSchemas":[` + strings.Join(eachSchema(l), ",") + "]}"
		}
		return `{"Schema":` + internalSchema{m}.String() + `,"JSONSchemas":null}`
	case formProperties:
		return eachKey(m, func(v any) string { return printInternal(formSchema, v) })
	case formAdditional:
		if m == nil {
			return `{"Allows":` + asJSON(v) + `,"Schema":null}`
		}
		return `{"Allows":true,"Schema":` + internalSchema{m}.String() + "}"
	case formDependencies:
		return eachKey(m, func(v any) string {
			if l, ok := v.(*object.List); ok {
				return `{"Schema":null,"Property":` + asJSON(l) + "}"
			}
			return `{"Schema":` + printInternal(formSchema, v) + `,"Property":null}`
		})
	case formDocs:
		return `{"Description":` + asJSON(node{m}.str("description")) + `,"URL":` + asJSON(node{m}.str("url")) + "}"
	case formRules:
		return internalRules(l)
	}
	return asJSON(v)
}

func eachSchema(l *object.List) []string {
	out := make([]string, l.Len())
	for i, x := range l.All() {
		m, _ := x.(*object.Map)
		out[i] = internalSchema{m}.String()
	}
	return out
}

func eachKey(m *object.Map, show func(any) string) string {
	var parts []string
	for k, v := range m.All() {
		parts = append(parts, asJSON(k)+":"+show(v))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func internalRules(l *object.List) string {
	parts := make([]string, l.Len())
	for i, x := range l.All() {
		m, _ := x.(*object.Map)
		parts[i] = InternalRule(node{m}.rule()).String()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// InternalRule prints a rule; it is a fmt.Stringer for api.FieldError.
type InternalRule Rule

// String implements fmt.Stringer.
func (r InternalRule) String() string {
	var reason, optional any
	if r.Reason != "" {
		reason = r.Reason
	}
	if r.OptionalOldSelf != nil {
		optional = *r.OptionalOldSelf
	}
	return `{"Rule":` + asJSON(r.Rule) + `,"Message":` + asJSON(r.Message) +
		`,"MessageExpression":` + asJSON(r.MessageExpression) + `,"Reason":` + asJSON(reason) +
		`,"FieldPath":` + asJSON(r.FieldPath) + `,"OptionalOldSelf":` + asJSON(optional) + "}"
}

var escapeHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// asJSON prints a value as encoding/json does by default.
func asJSON(v any) string { return escapeHTML.Replace(string(object.EncodeJSON(v))) }

// internalVersions prints spec.versions.
type internalVersions struct {
	crd  object.Object
	fold folded
}

func (v internalVersions) String() string {
	var parts []string
	for _, x := range v.crd.List("spec", "versions").All() {
		m, _ := x.(*object.Map)
		n := node{m}
		warning, _ := m.Get("deprecationWarning")
		schema, subresources, columns, selectable := "null", "null", "null", "null"
		if holder := n.tree("schema"); holder != nil && !v.fold.schema {
			schema = `{"OpenAPIV3Schema":` + printInternal(formSchema, orNil(node{holder}.tree("openAPIV3Schema"))) + "}"
		}
		if sub := n.tree("subresources"); sub != nil && !v.fold.subresources {
			subresources = internalSubresources(node{sub})
		}
		if l := n.list("additionalPrinterColumns"); l != nil && !v.fold.columns {
			columns = internalColumns(l)
		}
		if l := n.list("selectableFields"); l != nil && !v.fold.selectable {
			selectable = internalSelectable(l)
		}
		parts = append(parts, `{"Name":`+asJSON(n.str("name"))+`,"Served":`+asJSON(n.flag("served"))+`,"Storage":`+asJSON(n.flag("storage"))+
			`,"Deprecated":`+asJSON(n.flag("deprecated"))+`,"DeprecationWarning":`+asJSON(warning)+`,"Schema":`+schema+
			`,"Subresources":`+subresources+`,"AdditionalPrinterColumns":`+columns+`,"SelectableFields":`+selectable+"}")
	}
	if v.crd.List("spec", "versions") == nil {
		return "null"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func orNil(m *object.Map) any {
	if m == nil {
		return nil
	}
	return m
}

func internalSubresources(n node) string {
	status, scale := "null", "null"
	if n.tree("status") != nil {
		status = "{}"
	}
	if m := n.tree("scale"); m != nil {
		s := node{m}
		label, _ := m.Get("labelSelectorPath")
		scale = `{"SpecReplicasPath":` + asJSON(s.str("specReplicasPath")) + `,"StatusReplicasPath":` + asJSON(s.str("statusReplicasPath")) +
			`,"LabelSelectorPath":` + asJSON(label) + "}"
	}
	return `{"Status":` + status + `,"Scale":` + scale + "}"
}

func internalColumns(l *object.List) string {
	parts := make([]string, l.Len())
	for i, x := range l.All() {
		m, _ := x.(*object.Map)
		n := node{m}
		priority := int64(0)
		if p := n.integer("priority"); p != nil {
			priority = *p
		}
		parts[i] = `{"Name":` + asJSON(n.str("name")) + `,"Type":` + asJSON(n.str("type")) + `,"Format":` + asJSON(n.str("format")) +
			`,"Description":` + asJSON(n.str("description")) + `,"Priority":` + asJSON(priority) + `,"JSONPath":` + asJSON(n.str("jsonPath")) + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func internalSelectable(l *object.List) string {
	parts := make([]string, l.Len())
	for i, x := range l.All() {
		m, _ := x.(*object.Map)
		parts[i] = `{"JSONPath":` + asJSON(node{m}.str("jsonPath")) + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}
