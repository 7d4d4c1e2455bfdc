package rules

import (
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/reconcile-playground/reconcile/core/schema"
)

// declared is the type that rules see of a schema. Models apiservercel.DeclType.
type declared struct {
	kind *cel.Type
	// fields are an object's, by their escaped names.
	fields map[string]*declared
	// key and elem are a map's, elem is a list's.
	key, elem *declared
	// most is the greatest number of elements or characters, least the smallest
	// number of bytes that a value takes as JSON.
	most, least int64
}

const (
	// maxRequest is the largest request in bytes.
	maxRequest = 3 * 1024 * 1024
	// What dates and durations take as JSON, at least and at most.
	dateSize, minDateTime, maxDateTime, minDuration, maxDuration = 12, 21, 32, 3, 32
	// maxName is the longest name of an object.
	maxName = 253
	// objectName stands for the type of an object until nameTypes has named it.
	objectName = "object"
)

func simple(kind *cel.Type, least, most int64) *declared {
	return &declared{kind: kind, least: least, most: most}
}

func listOf(elem *declared, most int64) *declared {
	return &declared{kind: cel.ListType(elem.kind), elem: elem, most: most, least: 2}
}

func mapOf(elem *declared, most int64) *declared {
	return &declared{kind: cel.MapType(cel.StringType, elem.kind), key: simple(cel.StringType, 2, 0), elem: elem, most: most, least: 2}
}

// declare returns the type of a schema; nil where rules cannot see it. resource
// says that it is that of a resource. Models common.SchemaDeclType.
func declare(s *schema.Schema, resource bool) *declared {
	if s == nil {
		return nil
	}
	if s.IntOrString {
		return simple(cel.DynType, 1, maxText(s, maxRequest-2))
	}
	if resource {
		s = withMetadata(s)
	}
	switch s.Type {
	case "array":
		elem := declareChild(s.Items)
		if elem == nil {
			return nil
		}
		return listOf(elem, limit(s.MaxItems, (maxRequest-2)/(elem.least+1)))
	case "object":
		if s.Additional != nil && s.Additional.Schema != nil {
			elem := declareChild(s.Additional.Schema)
			if elem == nil {
				return nil
			}
			// A key is at least "", with a colon and a comma.
			return mapOf(elem, limit(s.MaxProperties, (maxRequest-2)/(elem.least+6)))
		}
		return declareObject(s)
	case "string":
		return declareText(s)
	case "boolean":
		return simple(cel.BoolType, 4, 0)
	case "number":
		return simple(cel.DoubleType, 1, 0)
	case "integer":
		return simple(cel.IntType, 1, 0)
	}
	return nil
}

func declareChild(s *schema.Schema) *declared {
	if s == nil {
		return nil
	}
	return declare(s, s.EmbeddedResource)
}

func declareObject(s *schema.Schema) *declared {
	d := &declared{kind: cel.ObjectType(objectName), fields: map[string]*declared{}, least: 2}
	required := map[string]bool{}
	for _, name := range s.Required {
		required[name] = true
	}
	for _, p := range s.Properties {
		field := declareChild(p.Schema)
		if field == nil {
			continue
		}
		if ident, ok := escape(p.Name); ok {
			d.fields[ident] = field
		}
		if required[p.Name] && p.Schema.DefaultValue == nil {
			d.least += int64(len(p.Name)) + field.least + 4
		}
	}
	return d
}

func declareText(s *schema.Schema) *declared {
	switch s.Format {
	case "byte":
		return simple(cel.BytesType, 2, limit(s.MaxLength, maxRequest-2))
	case "duration":
		return simple(cel.DurationType, minDuration, maxDuration)
	case "date":
		return simple(cel.TimestampType, dateSize, dateSize)
	case "date-time":
		return simple(cel.TimestampType, minDateTime, maxDateTime)
	}
	most := int64(maxRequest - 2)
	if len(s.Enum) > 0 {
		most = 0
		for _, x := range s.Enum {
			if text, ok := x.(string); ok {
				most = max(most, int64(len(text)))
			}
		}
	}
	return simple(cel.StringType, 2, maxText(s, most))
}

// maxText is the greatest length in bytes, of which a character takes up to four.
func maxText(s *schema.Schema, otherwise int64) int64 {
	if s.MaxLength == nil {
		return otherwise
	}
	return max(*s.MaxLength, 0) * 4
}

func limit(given *int64, otherwise int64) int64 {
	if given == nil {
		return otherwise
	}
	return max(*given, 0)
}

// withMetadata gives the schema of a resource what every resource has. Models
// model.WithTypeAndObjectMeta.
func withMetadata(s *schema.Schema) *schema.Schema {
	isText := func(p *schema.Schema) bool { return p != nil && p.Type == "string" }
	meta := s.Property("metadata")
	if isText(s.Property("kind")) && isText(s.Property("apiVersion")) && meta != nil && meta.Type == "object" &&
		isText(meta.Property("name")) && isText(meta.Property("generateName")) {
		return s
	}
	text := &schema.Schema{Type: "string"}
	// What is generated is at least one character longer.
	names := &schema.Schema{Type: "object", Properties: []schema.Property{
		{Name: "generateName", Schema: capped(meta.Property("generateName"), maxName-1)},
		{Name: "name", Schema: capped(meta.Property("name"), maxName)},
	}}
	out := *s
	out.Properties = []schema.Property{{Name: "apiVersion", Schema: text}, {Name: "kind", Schema: text}, {Name: "metadata", Schema: names}}
	for _, p := range s.Properties {
		if p.Name != "apiVersion" && p.Name != "kind" && p.Name != "metadata" {
			out.Properties = append(out.Properties, p)
		}
	}
	slices.SortFunc(out.Properties, func(a, b schema.Property) int { return strings.Compare(a.Name, b.Name) })
	return &out
}

func capped(s *schema.Schema, most int64) *schema.Schema {
	if s != nil && s.MaxLength != nil {
		most = min(most, *s.MaxLength)
	}
	return &schema.Schema{Type: "string", MaxLength: &most}
}

// named gives every object type of a tree the name of the place where it is.
// Models MaybeAssignTypeName.
func (d *declared) named(name string) *declared {
	switch {
	case d.fields != nil:
		out := &declared{kind: cel.ObjectType(name), fields: map[string]*declared{}, least: d.least}
		for _, ident := range sortedFields(d) {
			out.fields[ident] = d.fields[ident].named(name + "." + ident)
		}
		return out
	case d.key != nil:
		return mapOf(d.elem.named(name+".@elem"), d.most)
	case d.elem != nil:
		return listOf(d.elem.named(name+".@idx"), d.most)
	}
	return d
}

// at follows a path of the compiler's: of field names, "@items", "@values" and
// "@keys". It returns nil where the path leads out of what is declared.
func (d *declared) at(path []string) *declared {
	for _, step := range path {
		switch step {
		case "@items", "@values":
			d = d.elem
		case "@keys":
			d = d.key
		default:
			d = d.fields[step]
		}
		if d == nil {
			return nil
		}
	}
	return d
}

func sortedFields(d *declared) []string { return slices.Sorted(maps.Keys(d.fields)) }
