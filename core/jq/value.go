package jq

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Number is a number whose text says more than a float64: 1.0, or more than 17
// digits. It is kept as long as nothing is computed with it.
type Number struct {
	F    float64
	Text string
}

// Object is a JSON object whose keys keep the order in which they came.
type Object struct {
	keys  []string
	vals  []any
	index map[string]int // of more than a few keys
}

const indexed = 12

// NewObject builds an object of keys and values in turn, for tests and callers.
func NewObject(pairs ...any) *Object {
	o := &Object{}
	for i := 0; i+1 < len(pairs); i += 2 {
		o.put(pairs[i].(string), pairs[i+1])
	}
	return o
}

// Len returns the number of keys.
func (o *Object) Len() int { return len(o.keys) }

// Keys returns the keys in their order. They must not be changed.
func (o *Object) Keys() []string { return o.keys }

func (o *Object) find(key string) int {
	if o.index != nil {
		if i, ok := o.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.Index(o.keys, key)
}

// Get returns the value of key, and whether it is there.
func (o *Object) Get(key string) (any, bool) {
	if i := o.find(key); i >= 0 {
		return o.vals[i], true
	}
	return nil, false
}

// putAll sets all keys of another, while the object is being built.
func (o *Object) putAll(from *Object) {
	for i, key := range from.keys {
		o.put(key, from.vals[i])
	}
}

// put sets a key while the object is being built.
func (o *Object) put(key string, v any) {
	if i := o.find(key); i >= 0 {
		o.vals[i] = v
		return
	}
	o.keys, o.vals = append(o.keys, key), append(o.vals, v)
	switch {
	case o.index != nil:
		o.index[key] = len(o.keys) - 1
	case len(o.keys) > indexed:
		o.index = make(map[string]int, 2*len(o.keys))
		for i, k := range o.keys {
			o.index[k] = i
		}
	}
}

func (o *Object) clone() *Object {
	c := &Object{keys: slices.Clone(o.keys), vals: slices.Clone(o.vals)}
	if len(c.keys) > indexed {
		c.index = make(map[string]int, len(c.keys)+1)
		for i, k := range c.keys {
			c.index[k] = i
		}
	}
	return c
}

// with returns an object where key has the value v.
func (o *Object) with(key string, v any) *Object {
	if i := o.find(key); i >= 0 { // the keys stay, so they may be shared
		c := &Object{keys: o.keys, vals: slices.Clone(o.vals), index: o.index}
		c.keys = slices.Clip(c.keys)
		c.vals[i] = v
		if c.index != nil {
			c = c.clone()
		}
		return c
	}
	c := o.clone()
	c.put(key, v)
	return c
}

// sorted returns the positions of the keys in the order of the keys.
func (o *Object) sorted() []int {
	order := make([]int, len(o.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(o.keys[a], o.keys[b]) })
	return order
}

// FromTree turns a tree of core/object, or of Go's maps and slices, into a value.
// Keys of a map are sorted.
func FromTree(v any) any {
	switch v := v.(type) {
	case nil, bool, float64, string, Number, []any, *Object:
		return v
	case int64:
		return integer(v)
	case *object.List:
		list := make([]any, 0, v.Len())
		for _, item := range v.All() {
			list = append(list, FromTree(item))
		}
		return list
	case *object.Map:
		o := &Object{keys: make([]string, 0, v.Len()), vals: make([]any, 0, v.Len())}
		for key, item := range v.All() {
			o.put(key, FromTree(item))
		}
		return o
	}
	return FromTree(object.FromAny(v))
}

func integer(i int64) any {
	if f := float64(i); int64(f) == i && math.Abs(f) < 1e17 {
		return f
	}
	return Number{float64(i), strconv.FormatInt(i, 10)}
}

// ToTree turns a value into a tree of core/object, whose keys are sorted.
func ToTree(v any) any {
	switch v := v.(type) {
	case float64:
		return object.WholeNumber(finite(v))
	case Number:
		if i, err := strconv.ParseInt(v.Text, 10, 64); err == nil {
			return i
		}
		return finite(v.F)
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = ToTree(item)
		}
		return object.NewList(items...)
	case *Object:
		fields := make([]object.Field, len(v.keys))
		for i, key := range v.keys {
			fields[i] = object.Field{Key: key, Value: ToTree(v.vals[i])}
		}
		return object.NewMap(fields...)
	}
	return v
}

func finite(f float64) float64 {
	switch {
	case math.IsNaN(f):
		return 0
	case math.IsInf(f, 0):
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// kind is the name that type gives.
func kind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64, Number:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

func isNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case Number:
		return v.F, true
	}
	return 0, false
}

func truthy(v any) bool { return v != nil && v != false }

// rank is the place of a kind in jq's order.
func rank(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case bool:
		if v {
			return 2
		}
		return 1
	case float64, Number:
		return 3
	case string:
		return 4
	case []any:
		return 5
	}
	return 6
}

// Compare orders any two values as jq sorts them.
func Compare(a, b any) int { return (*machine)(nil).compare(a, b, 0) }

// compare is Compare, charged to the budget.
func (m *machine) compare(a, b any, depth int) int {
	m.spend(1)
	m.deep(depth)
	if c := rank(a) - rank(b); c != 0 {
		return c
	}
	switch x := a.(type) {
	case float64, Number:
		f, _ := isNumber(a)
		g, _ := isNumber(b)
		switch {
		case f < g || f != f: // NaN sorts below everything, itself included
			return -1
		case f == g:
			return compareTexts(a, b)
		}
		return 1
	case string:
		m.spend(min(len(x), len(b.(string))) / 64)
		return strings.Compare(x, b.(string))
	case []any:
		return slices.CompareFunc(x, b.([]any), func(v, w any) int { return m.compare(v, w, depth+1) })
	case *Object:
		return m.compareObjects(x, b.(*Object), depth+1)
	}
	return 0
}

// compareTexts orders numbers that are equal as floats by all of their digits.
func compareTexts(a, b any) int {
	x, okX := a.(Number)
	y, okY := b.(Number)
	f, isFloat := a.(float64)
	if !isFloat {
		f, isFloat = b.(float64)
	}
	switch {
	case !okX && !okY || isFloat && math.IsInf(f, 0):
		return 0
	case !okX:
		x.Text = string(appendFloat(nil, f))
	case !okY:
		y.Text = string(appendFloat(nil, f))
	}
	return compareDecimals(x.Text, y.Text)
}

// compareDecimals orders two numbers of one sign by their texts.
func compareDecimals(a, b string) int {
	sign := 1
	if a[0] == '-' {
		sign = -1
	}
	x, e := decimal(a)
	y, f := decimal(b)
	switch {
	case x == y && (e == f || x == ""):
		return 0
	case e != f && x != "" && y != "":
		return sign * cmp.Compare(e, f)
	}
	return sign * strings.Compare(x, y)
}

// decimal is a number's digits without the zeros around them, and where the point
// stands.
func decimal(s string) (digits string, point int) {
	s = strings.TrimLeft(s, "+-")
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		point, _ = strconv.Atoi(s[at+1:])
		s = s[:at]
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	point += len(digits) - len(fraction)
	return strings.TrimRight(digits, "0"), point
}

func (m *machine) compareObjects(a, b *Object, depth int) int {
	m.spend((len(a.keys) + len(b.keys)) / 4)
	x, y := a.sorted(), b.sorted()
	if c := slices.CompareFunc(x, y, func(i, j int) int { return strings.Compare(a.keys[i], b.keys[j]) }); c != 0 {
		return c
	}
	return slices.CompareFunc(x, y, func(i, j int) int { return m.compare(a.vals[i], b.vals[j], depth) })
}

// length is what length gives.
func length(v any) (any, error) {
	switch v := v.(type) {
	case nil:
		return 0.0, nil
	case float64:
		return math.Abs(v), nil
	case Number:
		return math.Abs(v.F), nil
	case string:
		return float64(utf8.RuneCountInString(v)), nil
	case []any:
		return float64(len(v)), nil
	case *Object:
		return float64(v.Len()), nil
	}
	return nil, failf("%s has no length", shown(v))
}
