package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Schema is one node of an OpenAPI v3 schema as a CRD may hold it. A nil
// *Schema knows nothing: it prunes all, defaults and complains of nothing.
type Schema struct {
	// Raw is the node as written in the CRD.
	Raw *object.Map

	Type, Format, Title, Description string
	Nullable                         bool
	// DefaultValue is nil where there is none; `default: null` is none.
	DefaultValue any

	// Properties are sorted by name.
	Properties []Property
	// Additional is nil where additionalProperties is not given.
	Additional *Additional
	Items      *Schema

	Maximum, Minimum, MultipleOf       *float64
	ExclusiveMaximum, ExclusiveMinimum bool
	MaxLength, MinLength               *int64
	MaxItems, MinItems                 *int64
	MaxProperties, MinProperties       *int64
	UniqueItems                        bool
	Pattern                            string
	Required                           []string
	Enum                               []any
	AllOf, AnyOf, OneOf                []*Schema
	Not                                *Schema
	PreserveUnknownFields, IntOrString bool
	EmbeddedResource                   bool
	// ListType is atomic, set, map or empty; MapType granular, atomic or empty.
	ListType, MapType string
	ListMapKeys       []string
	Rules             []Rule

	types   []string       // what the type validator compares with
	format  string         // Format, or "" where it is not one that is checked
	pattern *regexp.Regexp // nil without a pattern, or where it does not compile
	invalid error          // why pattern does not compile

	// What there is in the schema or below it, so that one need not look.
	hasRules, hasEmbedded, hasListTypes bool
	// hasDefaults holds where a property has a default, defaulting where there is
	// a default in the schema or below it.
	hasDefaults, defaulting bool
	// leaf holds where nothing is said of what is in a value.
	leaf bool
}

// Property is one entry of Schema.Properties.
type Property struct {
	Name   string
	Schema *Schema
}

// Additional is additionalProperties: a schema, or a boolean.
type Additional struct {
	// Allows is true where a schema is given, as the real server reads it.
	Allows bool
	Schema *Schema
}

// Rule is one of x-kubernetes-validations.
type Rule struct {
	Rule, Message, MessageExpression, Reason, FieldPath string
	// OptionalOldSelf is nil where it is not given.
	OptionalOldSelf *bool
	// emptyReason says that the reason is given and empty.
	emptyReason bool
}

// few is up to where a look at each property finds one faster than halving does.
const few = 16

// Property returns the schema of a named property, nil where there is none.
func (s *Schema) Property(name string) *Schema {
	if s == nil {
		return nil
	}
	if len(s.Properties) <= few {
		for i := range s.Properties {
			if s.Properties[i].Name == name {
				return s.Properties[i].Schema
			}
		}
		return nil
	}
	i, ok := slices.BinarySearchFunc(s.Properties, name, func(p Property, n string) int { return strings.Compare(p.Name, n) })
	if !ok {
		return nil
	}
	return s.Properties[i].Schema
}

// HasRules reports whether the schema or any below it has x-kubernetes-validations.
func (s *Schema) HasRules() bool { return s != nil && s.hasRules }

// walk visits s and every schema below it, the value validations included.
func (s *Schema) walk(visit func(*Schema)) {
	if s == nil {
		return
	}
	visit(s)
	for _, p := range s.Properties {
		p.Schema.walk(visit)
	}
	if s.Additional != nil {
		s.Additional.Schema.walk(visit)
	}
	s.Items.walk(visit)
	for _, list := range [][]*Schema{s.AllOf, s.AnyOf, s.OneOf} {
		for _, n := range list {
			n.walk(visit)
		}
	}
	s.Not.walk(visit)
}

// Parse reads a schema node. Fields of a wrong type count as absent: the API
// server refuses them before.
func Parse(raw *object.Map) *Schema {
	if raw == nil {
		return nil
	}
	n := node{raw}
	s := &Schema{
		Raw: raw, Type: n.str("type"), Format: n.str("format"), Title: n.str("title"), Description: n.str("description"),
		Nullable: n.flag("nullable"), Items: Parse(n.tree("items")), Not: Parse(n.tree("not")),
		Maximum: n.number("maximum"), Minimum: n.number("minimum"), MultipleOf: n.number("multipleOf"),
		ExclusiveMaximum: n.flag("exclusiveMaximum"), ExclusiveMinimum: n.flag("exclusiveMinimum"),
		MaxLength: n.integer("maxLength"), MinLength: n.integer("minLength"),
		MaxItems: n.integer("maxItems"), MinItems: n.integer("minItems"),
		MaxProperties: n.integer("maxProperties"), MinProperties: n.integer("minProperties"),
		UniqueItems: n.flag("uniqueItems"), Pattern: n.str("pattern"), Required: n.strings("required"),
		AllOf: n.schemas("allOf"), AnyOf: n.schemas("anyOf"), OneOf: n.schemas("oneOf"),
		PreserveUnknownFields: n.flag("x-kubernetes-preserve-unknown-fields"),
		IntOrString:           n.flag("x-kubernetes-int-or-string"),
		EmbeddedResource:      n.flag("x-kubernetes-embedded-resource"),
		ListType:              n.str("x-kubernetes-list-type"), MapType: n.str("x-kubernetes-map-type"),
		ListMapKeys: n.strings("x-kubernetes-list-map-keys"), Rules: n.rules(),
	}
	s.DefaultValue, _ = raw.Get("default")
	for k, v := range n.tree("properties").All() {
		if sub, ok := v.(*object.Map); ok {
			p := Property{k, Parse(sub)}
			s.Properties, s.hasDefaults = append(s.Properties, p), s.hasDefaults || p.Schema.DefaultValue != nil
		}
	}
	switch v, _ := raw.Get("additionalProperties"); v := v.(type) {
	case bool:
		s.Additional = &Additional{Allows: v}
	case *object.Map:
		s.Additional = &Additional{Allows: true, Schema: Parse(v)}
	}
	for _, v := range n.list("enum").All() {
		s.Enum = append(s.Enum, v)
	}
	s.leaf = len(s.Properties) == 0 && s.Additional == nil && s.Items == nil
	s.compile()
	s.walk(func(n *Schema) {
		s.hasRules = s.hasRules || len(n.Rules) > 0
		s.hasEmbedded = s.hasEmbedded || n.EmbeddedResource
		s.hasListTypes = s.hasListTypes || n.ListType != ""
		s.defaulting = s.defaulting || n.DefaultValue != nil
	})
	return s
}

// compile prepares what validation needs on every call.
func (s *Schema) compile() {
	if s.Type != "" {
		s.types = []string{s.Type}
	}
	if s.IntOrString {
		s.types = []string{"integer", "string"}
	}
	if s.Format != "" && formatChecked(s.types, s.Format) {
		s.format = s.Format
	}
	if s.Pattern != "" {
		s.pattern, s.invalid = regexp.Compile(s.Pattern)
	}
}

// node reads typed fields of a JSON tree, each absent where its type is wrong.
type node struct{ m *object.Map }

func (n node) str(key string) string {
	v, _ := n.m.Get(key)
	s, _ := v.(string)
	return s
}

func (n node) flag(key string) bool {
	v, _ := n.m.Get(key)
	b, _ := v.(bool)
	return b
}

func (n node) tree(key string) *object.Map {
	v, _ := n.m.Get(key)
	m, _ := v.(*object.Map)
	return m
}

func (n node) list(key string) *object.List {
	v, _ := n.m.Get(key)
	l, _ := v.(*object.List)
	return l
}

func (n node) integer(key string) *int64 {
	v, _ := n.m.Get(key)
	if i, ok := v.(int64); ok {
		return &i
	}
	return nil
}

func (n node) number(key string) *float64 {
	switch v, _ := n.m.Get(key); v := v.(type) {
	case int64:
		f := float64(v)
		return &f
	case float64:
		return &v
	}
	return nil
}

func (n node) strings(key string) []string {
	var out []string
	for _, v := range n.list(key).All() {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func (n node) schemas(key string) []*Schema {
	var out []*Schema
	for _, v := range n.list(key).All() {
		m, _ := v.(*object.Map)
		if m == nil {
			m = object.NewMap()
		}
		out = append(out, Parse(m))
	}
	return out
}

func (n node) rules() []Rule {
	var out []Rule
	for _, v := range n.list("x-kubernetes-validations").All() {
		m, _ := v.(*object.Map)
		out = append(out, node{m}.rule())
	}
	return out
}

func (n node) rule() Rule {
	r := Rule{Rule: n.str("rule"), Message: n.str("message"), MessageExpression: n.str("messageExpression"),
		Reason: n.str("reason"), FieldPath: n.str("fieldPath")}
	if v, _ := n.m.Get("optionalOldSelf"); v != nil {
		b := n.flag("optionalOldSelf")
		r.OptionalOldSelf = &b
	}
	if v, _ := n.m.Get("reason"); v == "" {
		r.emptyReason = true
	}
	return r
}
