package apiserver

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// patchedText is a patched object as an error quotes it. The real server patches
// the JSON of a Go struct and reads no more of it than the patch names: what it
// read comes out in the order of keys, the rest in the order of the struct's
// fields. A custom resource has no struct.
func (k *kind) patchedText(patched any, b patchBody) string {
	var text []byte
	if k.Custom {
		text = object.EncodeJSON(patched)
	} else {
		text = appendFields(nil, patched, k.typed, touched(b.value))
	}
	return htmlEscaper.Replace(string(text))
}

// htmlEscaper writes what encoding/json escapes for the sake of HTML.
var htmlEscaper = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "\u2028", `\u2028`, "\u2029", `\u2029`)

// newValue marks a value that a patch brought.
const newValue = true

// touched is what a patch names, as a tree: a map where it goes on, any other
// value where it ends. A merge patch is that tree.
func touched(patch any) *object.Map {
	out, ok := patch.(*object.Map)
	if ok {
		return out
	}
	ops, _ := patch.(*object.List)
	for _, op := range ops.All() {
		for _, key := range []string{"path", "from"} {
			v, _ := object.At(op, key)
			if path, _ := v.(string); path != "" {
				out = object.Set(out, newValue, pointerSteps(path)...)
			}
		}
	}
	return out
}

// pointerSteps takes a JSON pointer apart.
func pointerSteps(path string) []string {
	steps := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, s := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(s)
	}
	return steps
}

// appendFields writes a value of a Go type; touch is what a patch names of it,
// nil for nothing.
func appendFields(out []byte, v any, t *goType, touch any) []byte {
	if t == nil {
		t = anyType
	}
	below, partly := touch.(*object.Map)
	if touch != nil && !partly {
		return object.AppendJSON(out, v)
	}
	switch v := v.(type) {
	case *object.Map:
		order := v.Keys()
		if !partly && t.kind == goStruct {
			order = structOrder(v, t)
		}
		out = append(out, '{')
		for i, key := range order {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(object.AppendJSON(out, key), ':')
			x, _ := v.Get(key)
			sub, _ := below.Get(key)
			out = appendFields(out, x, t.at(key), sub)
		}
		return append(out, '}')
	case *object.List:
		out = append(out, '[')
		for i, x := range v.All() {
			if i > 0 {
				out = append(out, ',')
			}
			sub, _ := below.Get(strconv.Itoa(i))
			out = appendFields(out, x, t.elem, sub)
		}
		return append(out, ']')
	}
	return object.AppendJSON(out, v)
}

// structOrder is the keys of a map in the order of a struct's fields.
func structOrder(m *object.Map, t *goType) []string {
	order := make([]string, 0, m.Len())
	for _, f := range t.fields {
		if m.Has(f.name) {
			order = append(order, f.name)
		}
	}
	for key := range m.All() {
		if t.field(key) == nil {
			order = append(order, key)
		}
	}
	return order
}

// at is the type of what a struct or map holds under a key; nil where it is
// unknown.
func (t *goType) at(key string) *goType {
	if f := t.field(key); f != nil {
		return f.typ
	}
	return t.elem
}
