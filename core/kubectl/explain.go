package kubectl

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// kubernetesModels are the OpenAPI schemas of the built-in kinds, from a real
// server.
//
//go:embed kubernetes.json
var kubernetesModels []byte

// models are the schemas by name.
var models = sync.OnceValue(func() *object.Map {
	v, _ := object.DecodeJSON(kubernetesModels)
	m, _ := v.(*object.Map)
	return m
})

// explaining prints a part of a schema. Models explain/v2's plaintext template.
type explaining struct {
	schemas   *object.Map
	recursive bool
	b         strings.Builder
}

func (c *call) explain() error {
	switch {
	case len(c.args) == 0:
		return errorf("You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.")
	case len(c.args) > 1:
		return errorf("We accept only this format: explain RESOURCE")
	}
	m, err := c.mapper()
	if err != nil {
		return err
	}
	r, path, err := explained(m, c.args[0])
	if err != nil {
		return err
	}
	switch format := c.flags.Text("output"); format {
	case "plaintext":
	case "plaintext-openapiv2":
		return errorf("--output=plaintext-openapiv2 is not part of this kubectl: leave it out")
	default:
		return errorf("unrecognized format: %s", format)
	}
	gvr := r.GVR
	if text := c.flags.Text("api-version"); text != "" {
		gvr.Group, gvr.Version, _ = object.ParseAPIVersion(text)
	}
	e := &explaining{recursive: c.flags.Bool("recursive")}
	gvk := object.GVK{Group: gvr.Group, Version: gvr.Version, Kind: r.Kind}
	root := e.find(c, gvk)
	if root == nil && gvr.Group == "" && gvr.Version == "v1" {
		// That document is there, and has no such kind.
		return errorf("GVR (%s) not found in OpenAPI schema", withGroup(gvr, ""))
	}
	if root == nil {
		return errorf("couldn't find resource for %q", withGroup(gvr, ""))
	}
	if gvk.Group != "" {
		e.b.WriteString("GROUP:      " + gvk.Group + "\n")
	}
	e.b.WriteString("KIND:       " + gvk.Kind + "\nVERSION:    " + gvk.Version + "\n\n")
	head := e.b.Len()
	e.output(root, path)
	if e.b.Len() == head && len(path) > 0 {
		_, _ = c.out.WriteString(e.b.String())
		return errorf("field %q does not exist", path[len(path)-1])
	}
	_, _ = c.out.WriteString(e.b.String() + "\n")
	return nil
}

// explained finds the resource that begins a dotted path, and the fields after
// it. A resource may have its group with it.
func explained(m *mapper, arg string) (*resource, []string, error) {
	if strings.HasPrefix(arg, ".") {
		return nil, nil, errorf("invalid jsonpath syntax, first node must be field node")
	}
	parts := strings.Split(strings.TrimSuffix(arg, "."), ".")
	for n := len(parts); n > 1; n-- {
		group := strings.Join(parts[1:n], ".")
		if r := m.byWord(parts[0], group, ""); r != nil && r.Group == group {
			return r, parts[n:], nil
		}
	}
	r := m.byWord(parts[0], "", "")
	if r == nil {
		return nil, nil, &exit{1, errorf("the server doesn't have a resource type %q", parts[0]).Error()}
	}
	return r, parts[1:], nil
}

// find returns the schema of a kind.
func (e *explaining) find(c *call, gvk object.GVK) *object.Map {
	e.schemas = models()
	if gvk.Group != "" {
		resp := c.do(api.Request{Verb: api.Discover, Path: "/openapi/v3/apis/" + gvk.Group + "/" + gvk.Version})
		for name, s := range resp.Object.Map("components", "schemas").All() {
			e.schemas = e.schemas.With(name, s)
		}
	}
	for _, v := range e.schemas.All() {
		m, _ := v.(*object.Map)
		for _, x := range object.New(m).List("x-kubernetes-group-version-kind").All() {
			k := object.New(x.(*object.Map))
			if k.Str("group") == gvk.Group && k.Str("version") == gvk.Version && k.Str("kind") == gvk.Kind {
				return m
			}
		}
	}
	return nil
}

// resolve follows a reference.
func (e *explaining) resolve(s *object.Map) *object.Map {
	ref, _ := s.Get("$ref")
	text, _ := ref.(string)
	if text == "" {
		return s
	}
	if m, ok := e.schemas.Get(text[strings.LastIndexByte(text, '/')+1:]); ok {
		return m.(*object.Map)
	}
	return s
}

func sub(s *object.Map, key string) *object.Map {
	v, _ := s.Get(key)
	m, _ := v.(*object.Map)
	return m
}

func parents(s *object.Map) []*object.Map {
	var out []*object.Map
	for _, v := range object.New(s).List("allOf").All() {
		if m, ok := v.(*object.Map); ok {
			out = append(out, m)
		}
	}
	return out
}

// output prints the part of a schema at a path; nothing where there is none.
func (e *explaining) output(s *object.Map, path []string) {
	r := e.resolve(s)
	if len(path) == 0 {
		e.whole(r)
		return
	}
	field := sub(sub(r, "properties"), path[0])
	switch {
	case field != nil:
		if len(path) == 1 {
			e.b.WriteString("FIELD: " + path[0] + " <" + e.typeOf(field) + ">\n")
			e.enum(field, true, 0)
			e.b.WriteString("\n\n")
		}
		e.output(field, path[1:])
	case sub(r, "items") != nil:
		e.output(sub(r, "items"), path)
	case sub(r, "additionalProperties") != nil:
		e.output(sub(r, "additionalProperties"), path)
	default:
		for _, p := range parents(r) {
			before := e.b.Len()
			if e.output(p, path); e.b.Len() > before {
				return
			}
		}
	}
}

func (e *explaining) whole(r *object.Map) {
	text := e.description(r)
	if text == "" {
		text = "<empty>"
	}
	e.b.WriteString("DESCRIPTION:\n" + indent(wrap(text, 76), 4) + "\n")
	before := e.b.Len()
	e.b.WriteString("FIELDS:\n")
	list := e.b.Len()
	if e.fields(r, 1, nil); e.b.Len() == list {
		cut := e.b.String()[:before]
		e.b.Reset()
		e.b.WriteString(cut)
	}
}

// description is what a schema says of itself, and what those say that it is
// made of.
func (e *explaining) description(s *object.Map) string {
	r := e.resolve(s)
	text := object.New(r).Str("description")
	if text != "" {
		text += "\n"
	}
	for _, p := range parents(r) {
		text += e.description(p)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if m := sub(r, key); m != nil {
			text += e.description(m)
		}
	}
	return text
}

// fields lists the fields of a schema; a reference is not followed inside
// itself.
func (e *explaining) fields(s *object.Map, level int, seen []string) {
	ref := object.New(s).Str("$ref")
	if ref != "" {
		if slices.Contains(seen, ref) {
			return
		}
		seen = append(seen[:len(seen):len(seen)], ref)
	}
	r := e.resolve(s)
	required := texts(object.New(r).List("required"))
	for name, v := range sub(r, "properties").All() {
		field, _ := v.(*object.Map)
		e.field(name, field, slices.Contains(required, name), level)
		if e.recursive {
			e.fields(field, level+1, seen)
		}
	}
	for _, p := range parents(r) {
		e.fields(p, level, seen)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if m := sub(r, key); m != nil {
			e.fields(m, level, seen)
		}
	}
}

func (e *explaining) field(name string, s *object.Map, required bool, level int) {
	at := level * 2
	e.b.WriteString(strings.Repeat(" ", at) + name + "\t<" + e.typeOf(s) + ">")
	if required {
		e.b.WriteString(" -required-")
	}
	e.enum(s, false, at)
	e.b.WriteString("\n")
	if e.recursive {
		return
	}
	text := object.New(s).Str("description")
	if text == "" {
		text = "<no description>"
	}
	e.b.WriteString(indent(wrap(text, 78-at), at+2) + "\n\n")
}

// typeOf names a schema's type in a few words.
func (e *explaining) typeOf(s *object.Map) string {
	o := object.New(s)
	all := parents(s)
	switch {
	case sub(s, "items") != nil:
		return "[]" + e.typeOf(sub(s, "items"))
	case sub(s, "additionalProperties") != nil:
		return "map[string]" + e.typeOf(sub(s, "additionalProperties"))
	case len(all) == 1 && sub(s, "properties") == nil:
		return e.typeOf(all[0])
	}
	name := o.Str("type")
	if ref := o.Str("$ref"); ref != "" {
		if name = object.New(e.resolve(s)).Str("type"); name == "" || name == "object" {
			return ref[strings.LastIndexByte(ref, '.')+1:]
		}
	}
	if name == "" || name == "object" {
		return "Object"
	}
	return name
}

// enum lists the values that are allowed: all of them below each other, or the
// first four on a line.
func (e *explaining) enum(s *object.Map, long bool, at int) {
	values := object.New(s).List("enum")
	if values.Len() == 0 {
		return
	}
	if long {
		e.b.WriteString("ENUM:")
	} else {
		e.b.WriteString("\n" + strings.Repeat(" ", at) + "enum: ")
	}
	for i, v := range values.All() {
		switch {
		case !long && i >= 4:
			e.b.WriteString(", ....")
			return
		case long:
			e.b.WriteString("\n    ")
		case i > 0:
			e.b.WriteString(", ")
		}
		if text, ok := v.(string); ok && text != "" {
			e.b.WriteString(text)
		} else {
			e.b.WriteString(string(object.EncodeJSON(v)))
		}
	}
}

func indent(s string, n int) string {
	pad := strings.Repeat(" ", n)
	return pad + strings.ReplaceAll(s, "\n", "\n"+pad)
}

// wrap breaks lines between words. Models github.com/mitchellh/go-wordwrap.
func wrap(s string, limit int) string {
	var out, word, space strings.Builder
	current := 0
	length := func(b *strings.Builder) int { return utf8.RuneCountInString(b.String()) }
	flush := func() {
		current += length(&space) + length(&word)
		out.WriteString(space.String() + word.String())
		space.Reset()
		word.Reset()
	}
	for _, r := range s {
		switch {
		case r == '\n':
			if word.Len() > 0 || current+length(&space) <= limit {
				flush()
			}
			space.Reset()
			out.WriteRune(r)
			current = 0
		case unicode.IsSpace(r) && r != '\u00a0':
			if space.Len() == 0 || word.Len() > 0 {
				flush()
			}
			space.WriteRune(r)
		default:
			word.WriteRune(r)
			if n := length(&word); current+n+length(&space) > limit && n < limit {
				out.WriteRune('\n')
				current = 0
				space.Reset()
			}
		}
	}
	if word.Len() > 0 || current+length(&space) <= limit {
		out.WriteString(space.String() + word.String())
	}
	return out.String()
}
