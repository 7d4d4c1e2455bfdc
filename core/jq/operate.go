package jq

import (
	"math"
	"strings"

	"github.com/itchyny/gojq"
)

type operation func(m *machine, a, b any) (any, error)

var operators = map[gojq.Operator]operation{
	gojq.OpAdd: plain(add), gojq.OpSub: subtract, gojq.OpMul: multiply, gojq.OpDiv: plain(divide), gojq.OpMod: plain(modulo),
	gojq.OpEq: comparison(func(c int) bool { return c == 0 }), gojq.OpNe: comparison(func(c int) bool { return c != 0 }),
	gojq.OpLt: comparison(func(c int) bool { return c < 0 }), gojq.OpLe: comparison(func(c int) bool { return c <= 0 }),
	gojq.OpGt: comparison(func(c int) bool { return c > 0 }), gojq.OpGe: comparison(func(c int) bool { return c >= 0 }),
}

var updates = map[gojq.Operator]operation{
	gojq.OpUpdateAdd: plain(add), gojq.OpUpdateSub: subtract, gojq.OpUpdateMul: multiply, gojq.OpUpdateDiv: plain(divide),
	gojq.OpUpdateMod: plain(modulo), gojq.OpUpdateAlt: func(_ *machine, a, b any) (any, error) {
		if truthy(a) {
			return a, nil
		}
		return b, nil
	},
}

func comparison(is func(int) bool) operation {
	return func(m *machine, a, b any) (any, error) { return is(m.compare(a, b, 0)), nil }
}

// plain makes an operation of one whose work goes by what it gives.
func plain(f func(a, b any) (any, error)) operation {
	return func(_ *machine, a, b any) (any, error) { return f(a, b) }
}

// MaxText bounds the length of a string, and of what is printed of a value.
const MaxText = 64 << 20

// maxItems bounds how long an array becomes by + or where an item behind its end
// is set.
const maxItems = 4 << 20

var errItems = failf("array is too long (more than 4,194,304 values)")

func add(a, b any) (any, error) {
	switch {
	case a == nil:
		return b, nil
	case b == nil:
		return a, nil
	}
	if x, ok := isNumber(a); ok {
		if y, ok := isNumber(b); ok {
			return x + y, nil
		}
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			if len(x)+len(y) > MaxText {
				return nil, failf("string is too long (more than 64 MiB)")
			}
			return x + y, nil
		}
	case []any:
		if y, ok := b.([]any); ok {
			if len(x) == 0 {
				return y, nil
			}
			if len(x)+len(y) > maxItems {
				return nil, errItems
			}
			return append(x[:len(x):len(x)], y...), nil
		}
	case *Object:
		if y, ok := b.(*Object); ok {
			sum := x.clone()
			sum.putAll(y)
			return sum, nil
		}
	}
	return nil, failf("%s and %s cannot be added", shown(a), shown(b))
}

func subtract(m *machine, a, b any) (any, error) {
	if x, ok := isNumber(a); ok {
		if y, ok := isNumber(b); ok {
			return x - y, nil
		}
	}
	x, okX := a.([]any)
	y, okY := b.([]any)
	if !okX || !okY {
		return nil, failf("%s and %s cannot be subtracted", shown(a), shown(b))
	}
	rest := []any{}
	for _, item := range x {
		if !m.contained(item, y) {
			rest = append(rest, item)
		}
	}
	return rest, nil
}

func (m *machine) contained(v any, list []any) bool {
	for _, item := range list {
		if m.compare(v, item, 0) == 0 {
			return true
		}
	}
	return false
}

func multiply(m *machine, a, b any) (any, error) {
	x, okX := isNumber(a)
	y, okY := isNumber(b)
	if okX && okY {
		return x * y, nil
	}
	text, isText := a.(string)
	n := y
	if !isText {
		text, isText = b.(string)
		n, okY = x, okX
	}
	if isText && okY {
		if n < 0 {
			return nil, nil
		}
		if float64(len(text))*n > MaxText {
			return nil, failf("Repeat string result too long")
		}
		return strings.Repeat(text, int(n)), nil
	}
	if o, ok := a.(*Object); ok {
		if q, ok := b.(*Object); ok {
			return m.merge(o, q, 0), nil
		}
	}
	return nil, failf("%s and %s cannot be multiplied", shown(a), shown(b))
}

// merge is * of objects: what is an object on both sides is merged.
func (m *machine) merge(a, b *Object, depth int) *Object {
	m.deep(depth)
	m.spend(16 + len(a.keys) + len(b.keys))
	sum := a.clone()
	for i, key := range b.keys {
		v := b.vals[i]
		if old, ok := sum.Get(key); ok {
			x, okX := old.(*Object)
			y, okY := v.(*Object)
			if okX && okY {
				v = m.merge(x, y, depth+1)
			}
		}
		sum.put(key, v)
	}
	return sum
}

func divide(a, b any) (any, error) {
	if x, ok := isNumber(a); ok {
		if y, ok := isNumber(b); ok {
			if y == 0 {
				return nil, failf("%s and %s cannot be divided because the divisor is zero", shown(a), shown(b))
			}
			return x / y, nil
		}
	}
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			return splitText(x, y), nil
		}
	}
	return nil, failf("%s and %s cannot be divided", shown(a), shown(b))
}

func splitText(s, sep string) []any {
	list := []any{}
	if s == "" {
		return list
	}
	for _, piece := range strings.Split(s, sep) {
		list = append(list, piece)
	}
	return list
}

func modulo(a, b any) (any, error) {
	x, okX := isNumber(a)
	y, okY := isNumber(b)
	if !okX || !okY {
		return nil, failf("%s and %s cannot be divided", shown(a), shown(b))
	}
	if x != x || y != y {
		return math.NaN(), nil
	}
	n, d := truncate(x), truncate(y)
	if d == 0 {
		return nil, failf("%s and %s cannot be divided (remainder) because the divisor is zero", shown(a), shown(b))
	}
	if d < 0 {
		d = -d
	}
	return float64(n % d), nil
}

func truncate(f float64) int64 {
	switch {
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= -math.MaxInt64:
		return -math.MaxInt64
	}
	return int64(f)
}

// paths collects the paths that a node gives.
func paths(m *machine, s *scope, of node, in any) (list [][]any, err error) {
	err = of(m, s, in, &trail{}, func(v any, p *trail) error {
		if p.bad {
			return failf("Invalid path expression with result %s", clip(brief(v), 29))
		}
		list = append(list, p.list())
		return m.tick()
	})
	return list, err
}

// assign is "paths = value", for each value.
func assign(left, right node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return right(m, s, in, nil, func(value any, _ *trail) error {
			return change(m, s, left, in, p, yield, func(any) (any, error) { return value, nil })
		})
	}
}

// update is "paths op= value", for each value.
func update(left, right node, op operation) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return right(m, s, in, nil, func(value any, _ *trail) error {
			return change(m, s, left, in, p, yield, func(old any) (any, error) { return op(m, old, value) })
		})
	}
}

func change(m *machine, s *scope, left node, in any, p *trail, yield yieldFunc, f func(any) (any, error)) error {
	list, err := paths(m, s, left, in)
	if err != nil {
		return err
	}
	out, e := in, edit(m)
	for _, path := range list {
		out, err = e.set(out, path, 0, func(old any) (any, error) {
			v, err := f(old)
			if err == nil {
				err = m.made(v)
			}
			return v, err
		})
		if err != nil {
			return err
		}
	}
	return yield(out, p.off())
}

// modify is "paths |= f": the first value of f counts; where it gives none, what
// was there goes.
func modify(left, right node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list, err := paths(m, s, left, in)
		if err != nil {
			return err
		}
		out, e := in, edit(m)
		var gone []any
		for _, path := range list {
			changed, err := e.set(out, path, 0, func(old any) (any, error) {
				v, ok, err := first(m, s, right, old)
				if err == nil && !ok {
					gone, err = append(gone, path), errStopped
				}
				return v, err
			})
			switch {
			case err == nil:
				out = changed
			case err != errStopped:
				return err
			}
		}
		if len(gone) > 0 {
			if out, err = delpaths(m, out, gone); err != nil {
				return err
			}
		}
		return yield(out, p.off())
	}
}

// first is the first value that a node gives.
func first(m *machine, s *scope, n node, in any) (v any, ok bool, err error) {
	err = n(m, s, in, nil, func(got any, _ *trail) error {
		v, ok = got, true
		return errStopped
	})
	if ok {
		err = nil
	}
	return v, ok, err
}
