package apiserver

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// goKind is the shape of a Go type that the real server decodes into.
type goKind int

const (
	goString goKind = iota
	goBool
	goInt32
	goInt64
	goBytes // a string in base64
	goTime
	goMicroTime
	goIntOrString
	goFloat
	goAny    // kept as it is
	goJSON   // kept as it is, but for null
	goCustom // decoded by a function of its own
	goMap
	goSlice
	goStruct
)

// goType describes one Go type of the real server as far as JSON can tell:
// what it takes, what it drops, and its name in error texts. Built-in kinds and
// the metadata of every kind are decoded through these.
type goType struct {
	kind goKind
	// name is how %T prints it: "map[string]string", "[]v1.OwnerReference".
	name string
	// elem is the element of a map or slice.
	elem   *goType
	fields []*goField
	// fills holds where one of them is written whatever it holds.
	fills bool
	// structName is a struct's own name: "ObjectMeta".
	structName string
	// custom decodes a goCustom.
	custom func(d *goDecoder, v any) (any, error)
}

// goField is one field of a struct.
type goField struct {
	name string
	typ  *goType
	// keepZero is set where "omitempty" is missing, or the field is a pointer:
	// an explicit zero value stays.
	keepZero bool
	// always is set where the field is written whatever it holds; zero is what
	// then stands there when nothing was given.
	always bool
	zero   any
}

var (
	stringType    = &goType{kind: goString, name: "string"}
	boolType      = &goType{kind: goBool, name: "bool"}
	int32Type     = &goType{kind: goInt32, name: "int32"}
	int64Type     = &goType{kind: goInt64, name: "int64"}
	bytesType     = &goType{kind: goBytes, name: "[]uint8"}
	timeType      = &goType{kind: goTime, name: "string"}
	microTimeType = &goType{kind: goMicroTime, name: "string"}
	intOrString   = &goType{kind: goIntOrString, name: "int32"}
	floatType     = &goType{kind: goFloat, name: "float64"}
	anyType       = &goType{kind: goAny}
	jsonType      = &goType{kind: goJSON}
	stringMap     = mapOf(stringType)
	stringSlice   = sliceOf(stringType)
)

// emptyStruct is a struct without a field.
var emptyStruct = object.NewMap()

func mapOf(elem *goType) *goType {
	return &goType{kind: goMap, name: "map[string]" + elem.name, elem: elem}
}

func sliceOf(elem *goType) *goType { return &goType{kind: goSlice, name: "[]" + elem.name, elem: elem} }

// decodedBy is a type with an UnmarshalJSON of its own.
func decodedBy(decode func(d *goDecoder, v any) (any, error)) *goType {
	return &goType{kind: goCustom, custom: decode}
}

// kindOfJSON is the kind of a value as its text begins: goStruct, goSlice,
// goBool, or goAny for others.
func kindOfJSON(v any) goKind {
	switch v.(type) {
	case *object.Map:
		return goStruct
	case *object.List:
		return goSlice
	case bool:
		return goBool
	}
	return goAny
}

// textNamed is a string type with a name of its own.
func textNamed(name string) *goType { return &goType{kind: goString, name: name} }

// structOf describes a struct of package pkg.
func structOf(pkg, name string, fields ...*goField) *goType {
	t := &goType{kind: goStruct, name: pkg + "." + name, structName: name}
	t.add(fields...)
	return t
}

// add gives a struct further fields: one that contains itself is there before
// them.
func (t *goType) add(fields ...*goField) {
	t.fields = append(t.fields, fields...)
	t.fills = t.fills || slices.ContainsFunc(fields, func(f *goField) bool { return f.always })
}

func field(name string, t *goType) *goField { return &goField{name: name, typ: t} }

// pointer is a field whose explicit zero value stays.
func pointer(name string, t *goType) *goField { return &goField{name: name, typ: t, keepZero: true} }

// always is a field that is written whatever it holds.
func always(name string, t *goType, zero any) *goField {
	return &goField{name: name, typ: t, keepZero: true, always: true, zero: zero}
}

// field is nil where the type has no such field.
func (t *goType) field(name string) *goField {
	for _, f := range t.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

// goDecoder decodes one tree into a goType: it drops what the type does not
// have and what encoding it again would leave out.
type goDecoder struct {
	// unknown are the paths of fields that the type does not have, in order.
	unknown []string
	// structName and fields are where the decoder stands, for error texts: the
	// innermost struct, and the JSON names of fields from the outermost one.
	structName string
	fields     []string
	// path is where it stands, for what it does not know.
	path []step
	// converts is set where values are converted and not decoded from JSON.
	converts bool
	// wrong are the values that did not fit, of what is decoded from JSON: one that
	// is converted is the last.
	wrong wrongValues
}

// decodeAll decodes all of a value; the error is wrongValues where parts of it do
// not fit.
func (d *goDecoder) decodeAll(v any, t *goType) (any, error) {
	v, err := d.decode(v, t)
	if err == nil && d.wrong != nil {
		err = d.wrong
	}
	return v, err
}

// reads reports whether decode would return v itself, as of most values; it may say
// no where it would. was is a value that it has returned, nil for none.
func (t *goType) reads(v, was any) bool {
	if v == nil {
		return false
	}
	if object.Same(v, was) {
		return true
	}
	switch t.kind {
	case goAny, goJSON:
		return true
	case goString:
		_, ok := v.(string)
		return ok
	case goBool:
		_, ok := v.(bool)
		return ok
	case goInt64:
		_, ok := v.(int64)
		return ok
	case goTime:
		s, ok := v.(string)
		y, err := decodeTime(v, s, time.RFC3339)
		return ok && err == nil && y == v
	case goMap:
		m, ok := v.(*object.Map)
		for _, x := range m.All() {
			ok = ok && t.elem.reads(x, nil)
		}
		return ok
	case goSlice:
		l, ok := v.(*object.List)
		for _, x := range l.All() {
			ok = ok && t.elem.reads(x, nil)
		}
		return ok
	case goStruct:
		m, ok := v.(*object.Map)
		before, _ := was.(*object.Map)
		return ok && t.readsStruct(m, before)
	}
	return false
}

func (t *goType) readsStruct(m, was *object.Map) bool {
	for key, x := range m.All() {
		f := t.field(key)
		if f == nil {
			return false
		}
		before, _ := was.Get(key)
		if !f.typ.reads(x, before) || !f.keepZero && isZero(x, f.typ) {
			return false
		}
	}
	if !t.fills {
		return true
	}
	for _, f := range t.fields {
		if f.always && !m.Has(f.name) {
			return false
		}
	}
	return true
}

// step is one step of a path: a key, or a place in a list.
type step struct {
	key    string
	inList bool
	index  int
}

// unknownField notes a field of the value that it stands at.
func (d *goDecoder) unknownField(key string) {
	d.unknown = append(d.unknown, pathText(append(d.path[:len(d.path):len(d.path)], step{key: key})))
}

func pathText(path []step) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.inList:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		b.WriteString(s.key)
	}
	return b.String()
}

// child decodes a part of the value that it stands at.
func (d *goDecoder) child(v any, t *goType, at step) (any, error) {
	d.path = append(d.path, at)
	v, err := d.decode(v, t)
	if err != nil && !d.converts {
		ends := t.kind == goTime || t.kind == goMicroTime || t.kind == goIntOrString || t.kind == goCustom
		d.wrong = append(d.wrong, wrongValue{pathText(d.path), err, ends})
		v, err = nil, nil
	}
	d.path = d.path[:len(d.path)-1]
	return v, err
}

// decode returns v as the type reads and writes it; nil where it would be
// left out if it may be.
func (d *goDecoder) decode(v any, t *goType) (any, error) {
	if v == nil && t.kind != goAny {
		return nil, nil
	}
	switch t.kind {
	case goAny, goJSON:
		return v, nil
	case goCustom:
		return t.custom(d, v)
	case goFloat:
		return d.float(v, t)
	case goStruct:
		return d.decodeStruct(v, t)
	case goMap:
		return d.decodeMap(v, t)
	case goSlice:
		return d.decodeSlice(v, t)
	case goIntOrString:
		if _, ok := v.(string); ok {
			return v, nil
		}
		return d.integer(v, t, 32)
	case goInt32:
		return d.integer(v, t, 32)
	case goInt64:
		return d.integer(v, t, 64)
	case goBool:
		if _, ok := v.(bool); !ok {
			return nil, d.mismatch(v, t)
		}
		return v, nil
	}
	s, ok := v.(string)
	if !ok {
		return nil, d.mismatch(v, t)
	}
	switch t.kind {
	case goBytes:
		if _, err := base64.StdEncoding.DecodeString(s); err != nil && d.converts {
			return nil, fmt.Errorf("error decoding from json: %w", err)
		} else if err != nil {
			return nil, err
		}
	case goTime:
		return decodeTime(v, s, time.RFC3339)
	case goMicroTime:
		return decodeTime(v, s, microTimeLayout)
	}
	return v, nil
}

// microTimeLayout is metav1.RFC3339Micro.
const microTimeLayout = "2006-01-02T15:04:05.000000Z07:00"

// decodeTime reads a time and writes it again; v is s.
func decodeTime(v any, s, layout string) (any, error) {
	t, err := time.Parse(layout, s)
	if err != nil {
		return nil, err
	}
	if layout == time.RFC3339 && len(s) == len("2006-01-02T15:04:05Z") {
		return v, nil
	}
	return t.UTC().Format(layout), nil
}

func (d *goDecoder) decodeStruct(v any, t *goType) (any, error) {
	m, ok := v.(*object.Map)
	if !ok {
		return nil, d.mismatch(v, t)
	}
	outer, depth := d.structName, len(d.fields)
	defer func() { d.structName, d.fields = outer, d.fields[:depth] }()
	out := m
	for k, x := range m.All() {
		f := t.field(k)
		if f == nil {
			d.unknownField(k)
			out = out.Without(k)
			continue
		}
		d.structName, d.fields = t.structName, append(d.fields[:depth], k)
		y, err := d.child(x, f.typ, step{key: k})
		if err != nil {
			return nil, err
		}
		if x == nil && f.typ.kind != goAny || !f.keepZero && isZero(y, f.typ) {
			out = out.Without(k)
		} else {
			out = out.With(k, y)
		}
	}
	for _, f := range t.fields {
		if f.always && !out.Has(f.name) {
			out = out.With(f.name, f.zero)
		}
	}
	return out, nil
}

func (d *goDecoder) decodeMap(v any, t *goType) (any, error) {
	m, ok := v.(*object.Map)
	if !ok {
		return nil, d.mismatch(v, t)
	}
	out := m
	for k, x := range m.All() {
		y, err := d.child(x, t.elem, step{key: k})
		if err != nil {
			return nil, err
		}
		if y == nil && t.elem.kind != goAny {
			y = zeroOf(t.elem)
		}
		out = out.With(k, y)
	}
	return out, nil
}

func (d *goDecoder) decodeSlice(v any, t *goType) (any, error) {
	l, ok := v.(*object.List)
	if !ok {
		return nil, d.mismatch(v, t)
	}
	out := l
	for i, x := range l.All() {
		y, err := d.child(x, t.elem, step{inList: true, index: i})
		if err != nil {
			return nil, err
		}
		if y == nil && t.elem.kind != goAny {
			y = zeroOf(t.elem)
		}
		out = out.With(i, y)
	}
	return out, nil
}

func (d *goDecoder) integer(v any, t *goType, bits int) (any, error) {
	if d.converts {
		if f, ok := v.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			v = int64(f)
		}
		if n, ok := v.(int64); ok && t.kind == goInt32 {
			v = int64(int32(n))
		}
	}
	n, ok := v.(int64)
	if !ok {
		return nil, d.mismatch(v, t)
	}
	if bits == 32 && int64(int32(n)) != n {
		return nil, d.typeError("number "+strconv.FormatInt(n, 10), t)
	}
	return n, nil
}

// float reads a float64. One without a fraction is written like an integer.
func (d *goDecoder) float(v any, t *goType) (any, error) {
	switch n := v.(type) {
	case int64:
		return n, nil
	case float64:
		return object.WholeNumber(n), nil
	}
	return nil, d.mismatch(v, t)
}

// mismatch is encoding/json's UnmarshalTypeError.
func (d *goDecoder) mismatch(v any, t *goType) error {
	if d.converts {
		return cannotConvert(v, t)
	}
	return d.typeError(jsonWord(v, t.name), t)
}

func (d *goDecoder) typeError(what string, t *goType) error {
	if d.structName != "" {
		return fmt.Errorf("json: cannot unmarshal %s into Go struct field %s.%s of type %s", what, d.structName, strings.Join(d.fields, "."), t.name)
	}
	return fmt.Errorf("json: cannot unmarshal %s into Go value of type %s", what, t.name)
}

func isZero(v any, t *goType) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case int64:
		return v == 0 && t.kind != goIntOrString
	case *object.Map:
		return v.Len() == 0
	case *object.List:
		return v.Len() == 0
	}
	return false
}

func zeroOf(t *goType) any {
	switch t.kind {
	case goBool:
		return false
	case goInt32, goInt64, goIntOrString:
		return int64(0)
	case goMap, goStruct:
		return object.NewMap()
	case goSlice:
		return object.NewList()
	}
	return ""
}
