package managedfields

import (
	"slices"
	"strconv"
	"strings"

	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// Type says how the objects of one kind merge, in one version. It is immutable.
type Type struct {
	schema *smd.Schema
	ref    smd.TypeRef
	// compound holds where a set may have items that are no scalars. No object with
	// such an item has this type, wherever in it that stands.
	compound bool
}

// checked gives a value the type where it has it.
func (t *Type) checked(v value.Value, opts ...typed.ValidationOptions) (*typed.TypedValue, error) {
	return typed.AsTyped(v, t.schema, t.ref, opts...)
}

func scalar(s smd.Scalar) smd.Atom { return smd.Atom{Scalar: &s} }

func named(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }

// The types of what a schema leaves open: a list is owned as a whole, of a map
// each key.
var (
	untyped = named("__untyped_atomic_")
	deduced = named("__untyped_deduced_")

	openTypes = []smd.TypeDef{
		{Name: *untyped.NamedType, Atom: open(untyped, smd.Atomic)},
		{Name: *deduced.NamedType, Atom: open(deduced, smd.Separable)},
	}
)

// open takes any value. values is the type of a map's values.
func open(values smd.TypeRef, relationship smd.ElementRelationship) smd.Atom {
	a := scalar(smd.Untyped)
	a.List = &smd.List{ElementType: untyped, ElementRelationship: smd.Atomic}
	a.Map = &smd.Map{ElementType: values, ElementRelationship: relationship}
	return a
}

// Custom is the type of a custom resource with that schema. Models
// buildKubeNative of apiextensions-apiserver's openapi builder, followed by
// schemaconv.ToSchemaFromOpenAPI.
func Custom(s *schema.Schema) *Type {
	c := converter{types: slices.Concat(openTypes, builtinTypes().schema.Types)}
	root := smd.Atom{Map: &smd.Map{ElementType: deduced}}
	if s != nil {
		root = c.atom(s, false, true)
	}
	return &Type{schema: &smd.Schema{Types: append(c.types, smd.TypeDef{Name: rootName, Atom: root})}, ref: named(rootName), compound: c.compound}
}

const rootName = "root"

// converter turns structural schemas into types. Maps and lists get names, by
// which the library compares types quickly; scalars stay inline.
type converter struct {
	types    []smd.TypeDef
	compound bool
}

func (c *converter) ref(s *schema.Schema, preserve bool) smd.TypeRef {
	a := c.atom(s, preserve, false)
	if a.Scalar != nil {
		return smd.TypeRef{Inlined: a}
	}
	name := "t" + strconv.Itoa(len(c.types))
	c.types = append(c.types, smd.TypeDef{Name: name, Atom: a})
	return named(name)
}

// atom converts one node. preserve says that a node above it keeps unknown
// fields, which holds for all below; whole, that it is an object with apiVersion,
// kind and metadata.
func (c *converter) atom(s *schema.Schema, preserve, whole bool) smd.Atom {
	preserve = preserve || s.PreserveUnknownFields
	whole = whole || s.EmbeddedResource
	switch s.Type {
	case "object":
		return smd.Atom{Map: c.object(s, preserve, whole)}
	case "array":
		return smd.Atom{List: c.list(s, preserve)}
	case "integer", "number":
		return scalar(smd.Numeric)
	case "boolean":
		return scalar(smd.Boolean)
	case "string":
		if s.Format == "" || s.Format == "byte" {
			return scalar(smd.String)
		}
		return scalar(smd.Untyped)
	}
	a := scalar(smd.Untyped)
	a.List, a.Map = c.list(s, preserve), c.object(s, preserve, whole)
	return a
}

func (c *converter) object(s *schema.Schema, preserve, whole bool) *smd.Map {
	m := &smd.Map{}
	for _, p := range s.Properties {
		if whole && (p.Name == "apiVersion" || p.Name == "kind" || p.Name == "metadata") {
			continue
		}
		m.Fields = append(m.Fields, smd.StructField{Name: p.Name, Type: c.ref(p.Schema, preserve), Default: object.ToAny(p.Schema.DefaultValue)})
	}
	if whole {
		text := smd.TypeRef{Inlined: scalar(smd.String)}
		m.Fields = append(m.Fields, smd.StructField{Name: "apiVersion", Type: text}, smd.StructField{Name: "kind", Type: text},
			smd.StructField{Name: "metadata", Type: named("ObjectMeta")})
	}
	switch {
	case s.Additional == nil:
		if preserve || len(m.Fields) == 0 {
			m.ElementType = deduced
		}
	case s.Additional.Schema != nil:
		m.ElementType = c.ref(s.Additional.Schema, preserve)
	case s.Additional.Allows:
		m.ElementType = deduced
	}
	switch s.MapType {
	case "atomic":
		m.ElementRelationship = smd.Atomic
	case "granular":
		m.ElementRelationship = smd.Separable
	}
	return m
}

func (c *converter) list(s *schema.Schema, preserve bool) *smd.List {
	l := &smd.List{ElementType: untyped, ElementRelationship: smd.Atomic}
	if s.Items != nil {
		l.ElementType = c.ref(s.Items, preserve)
	}
	switch s.ListType {
	case "set":
		l.ElementRelationship = smd.Associative
		c.compound = c.compound || s.Items != nil && !s.Items.IntOrString && slices.Contains([]string{"", "array", "object"}, s.Items.Type)
	case "map":
		l.ElementRelationship, l.Keys = smd.Associative, s.ListMapKeys
	}
	return l
}

// parseTypes reads a table of types: one on each line, its name and its fields
// as name=type, in which type is
//
//	s n b u  a string, number, boolean, any scalar
//	any      anything
//	Name     a type of the table
//	{type}   a map, its keys owned one by one
//	[type]   a list, owned as a whole
//	[type=]  a set
//	[type=a,b]  a list of maps, told apart by the fields a and b
//
// A ! before a type or after the name of a line: owned as a whole. A field may
// have a default: name=type:value.
func parseTypes(table string) []smd.TypeDef {
	var out []smd.TypeDef
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		m := &smd.Map{}
		for _, w := range words[1:] {
			name, t, _ := strings.Cut(w, "=")
			f := smd.StructField{Name: name}
			if base, def, ok := strings.Cut(t, ":"); ok {
				t, f.Default = base, def
				if n, err := strconv.ParseInt(def, 10, 64); err == nil {
					f.Default = n
				}
			}
			f.Type = parseType(t)
			m.Fields = append(m.Fields, f)
		}
		name, atomic := strings.CutSuffix(words[0], "!")
		if atomic {
			m.ElementRelationship = smd.Atomic
		}
		out = append(out, smd.TypeDef{Name: name, Atom: smd.Atom{Map: m}})
	}
	return out
}

func parseType(t string) smd.TypeRef {
	switch t {
	case "s":
		return smd.TypeRef{Inlined: scalar(smd.String)}
	case "n":
		return smd.TypeRef{Inlined: scalar(smd.Numeric)}
	case "b":
		return smd.TypeRef{Inlined: scalar(smd.Boolean)}
	case "u":
		return smd.TypeRef{Inlined: scalar(smd.Untyped)}
	case "any":
		return smd.TypeRef{Inlined: open(deduced, "")}
	}
	inner, atomic := strings.CutPrefix(t, "!")
	switch inner[0] {
	case '{':
		m := &smd.Map{ElementType: parseType(inner[1 : len(inner)-1])}
		if atomic {
			m.ElementRelationship = smd.Atomic
		}
		return smd.TypeRef{Inlined: smd.Atom{Map: m}}
	case '[':
		item, keys, associative := strings.Cut(inner[1:len(inner)-1], "=")
		l := &smd.List{ElementType: parseType(item), ElementRelationship: smd.Atomic}
		if associative {
			l.ElementRelationship = smd.Associative
			if keys != "" {
				l.Keys = strings.Split(keys, ",")
			}
		}
		return smd.TypeRef{Inlined: smd.Atom{List: l}}
	}
	return named(t)
}
