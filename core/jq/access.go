package jq

import (
	"math"
	"unicode/utf8"

	"github.com/itchyny/gojq"
)

// index compiles .a, .[x] and .[x:y] of a term.
func (c *compiler) index(of node, t *gojq.Index, b *binding, optional bool) node {
	switch {
	case t.Name != "":
		return named(of, t.Name, optional)
	case t.Str != nil:
		if t.Str.Queries == nil {
			return named(of, t.Str.Str, optional)
		}
		return field(of, c.text(t.Str, nil, b), optional)
	case !t.IsSlice:
		return field(of, c.query(t.Start, b), optional)
	}
	start, end := constant(nil), constant(nil)
	if t.Start != nil {
		start = c.query(t.Start, b)
	}
	if t.End != nil {
		end = c.query(t.End, b)
	}
	key := func(m *machine, s *scope, in any, _ *trail, yield yieldFunc) error {
		return end(m, s, in, nil, func(to any, _ *trail) error {
			return start(m, s, in, nil, func(from any, _ *trail) error {
				return yield(NewObject("start", from, "end", to), nil)
			})
		})
	}
	return field(of, key, optional)
}

// named is .name of a term.
func named(of node, name string, optional bool) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return of(m, s, in, p, func(v any, p *trail) error { return access(v, name, p, optional, yield) })
	}
}

// field is .[key] of a term; the key is evaluated on the term's input, first.
func field(of, key node, optional bool) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return of(m, s, in, p, func(v any, p *trail) error {
			return key(m, s, in, nil, func(k any, _ *trail) error { return access(v, k, p, optional, yield) })
		})
	}
}

func access(v, key any, p *trail, optional bool, yield yieldFunc) error {
	if p != nil && p.bad {
		return failf("Invalid path expression near attempt to access element %s of %s", clip(Encode(key), 14), clip(Encode(v), 29))
	}
	got, err := index(v, key)
	if err != nil {
		if optional {
			return nil
		}
		return err
	}
	return yield(got, p.add(key))
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n-3] + "..."
	}
	return s
}

// index is the value at a key.
func index(v, key any) (any, error) {
	switch t := v.(type) {
	case *Object:
		if name, ok := key.(string); ok {
			got, _ := t.Get(name)
			return got, nil
		}
	case []any:
		if f, ok := isNumber(key); ok {
			if f != f {
				return nil, nil
			}
			i := int(math.Floor(f))
			if i < 0 {
				i += len(t)
			}
			if i < 0 || i >= len(t) {
				return nil, nil
			}
			return t[i], nil
		}
		if o, ok := key.(*Object); ok {
			from, to, err := sliceBounds(o, len(t), "Start and end indices of an array slice must be numbers")
			if err != nil {
				return nil, err
			}
			return t[from:to:to], nil
		}
		if sub, ok := key.([]any); ok {
			return indices(t, sub), nil
		}
	case string:
		if o, ok := key.(*Object); ok {
			return sliceText(t, o)
		}
	case nil:
		switch key.(type) {
		case string, float64, Number, nil:
			return nil, nil
		case *Object:
			_, _, err := sliceBounds(key.(*Object), 0, "Start and end indices of an array slice must be numbers")
			return nil, err
		}
	}
	if name, ok := key.(string); ok {
		return nil, failf("Cannot index %s with \"%s\"", kind(v), name)
	}
	return nil, failf("Cannot index %s with %s", kind(v), kind(key))
}

// sliceBounds resolves {"start":x,"end":y} for n items.
func sliceBounds(o *Object, n int, complaint string) (from, to int, err error) {
	bound := func(key string, otherwise int, up bool) int {
		v, _ := o.Get(key)
		if v == nil {
			return otherwise
		}
		f, ok := isNumber(v)
		if !ok {
			err = failf("%s", complaint)
			return 0
		}
		if f < 0 {
			f += float64(n)
		}
		if f = math.Floor(f); up {
			if w, _ := isNumber(v); w != math.Floor(w) {
				f++
			}
		}
		return int(min(max(f, 0), float64(n)))
	}
	from, to = bound("start", 0, false), bound("end", n, true)
	return from, max(from, to), err
}

func sliceText(s string, o *Object) (any, error) {
	n := utf8.RuneCountInString(s)
	from, to, err := sliceBounds(o, n, "Start and end indices of an string slice must be numbers")
	if err != nil {
		return nil, err
	}
	if n == len(s) {
		return s[from:to], nil
	}
	return string([]rune(s)[from:to]), nil
}

// iterate is .[].
func iterate(optional bool) node {
	return func(m *machine, _ *scope, in any, p *trail, yield yieldFunc) error {
		if p != nil && p.bad {
			return failf("Invalid path expression near attempt to iterate through %s", clip(Encode(in), 29))
		}
		switch v := in.(type) {
		case []any:
			for i, item := range v {
				if err := m.tick(); err != nil {
					return err
				}
				if p == nil {
					if err := yield(item, nil); err != nil {
						return err
					}
				} else if err := yield(item, p.add(float64(i))); err != nil {
					return err
				}
			}
			return nil
		case *Object:
			for i, item := range v.vals {
				if err := m.tick(); err != nil {
					return err
				}
				if err := yield(item, p.add(v.keys[i])); err != nil {
					return err
				}
			}
			return nil
		}
		if optional {
			return nil
		}
		return failf("Cannot iterate over %s", shown(in))
	}
}

// recurseAll is "..".
func recurseAll(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
	if err := yield(in, p); err != nil {
		return err
	}
	switch in.(type) {
	case []any, *Object:
		return iterate(false)(m, s, in, p, func(v any, p *trail) error { return recurseAll(m, s, v, p, yield) })
	}
	return nil
}

// getpath follows a path; what is missing is null.
func getpath(v any, path []any) (any, error) {
	for _, key := range path {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = index(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// setpath returns v with the value at a path changed by f.
func setpath(v any, path []any, f func(any) (any, error)) (any, error) {
	if len(path) == 0 {
		return f(v)
	}
	old, err := index(v, path[0])
	if err != nil {
		return nil, err
	}
	inner, err := setpath(old, path[1:], f)
	if err != nil {
		return nil, err
	}
	return setKey(v, path[0], inner)
}

func setKey(v, key, inner any) (any, error) {
	switch k := key.(type) {
	case string:
		switch t := v.(type) {
		case *Object:
			return t.with(k, inner), nil
		case nil:
			return NewObject(k, inner), nil
		}
	case float64, Number:
		list, ok := v.([]any)
		if !ok && v != nil {
			break
		}
		f, _ := isNumber(k)
		i := int(math.Floor(f))
		if i < 0 {
			if i += len(list); i < 0 {
				return nil, failf("Out of bounds negative array index")
			}
		}
		if i > maxItems {
			return nil, failf("Array index too large")
		}
		grown := make([]any, max(len(list), i+1))
		copy(grown, list)
		grown[i] = inner
		return grown, nil
	case *Object:
		list, ok := v.([]any)
		if !ok && v != nil {
			break
		}
		from, to, err := sliceBounds(k, len(list), "Start and end indices of an array slice must be numbers")
		if err != nil {
			return nil, err
		}
		items, ok := inner.([]any)
		if !ok {
			return nil, failf("A slice of an array can only be assigned another array")
		}
		spliced := append(make([]any, 0, len(list)+len(items)), list[:from]...)
		return append(append(spliced, items...), list[to:]...), nil
	}
	if name, ok := key.(string); ok {
		return nil, failf("Cannot index %s with \"%s\"", kind(v), name)
	}
	return nil, failf("Cannot update field at %s index of %s", kind(key), kind(v))
}

// delpaths takes away what is at the paths, the last ones first.
func delpaths(v any, paths []any) (any, error) {
	sorted := sortValues(paths)
	for i := len(sorted) - 1; i >= 0; i-- {
		path, ok := sorted[i].([]any)
		if !ok {
			return nil, failf("Path must be specified as an array")
		}
		var err error
		if v, err = deletePath(v, path); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func deletePath(v any, path []any) (any, error) {
	if len(path) == 0 || v == nil {
		return nil, nil
	}
	if len(path) == 1 {
		return deleteKey(v, path[0])
	}
	inner, err := index(v, path[0])
	if err != nil {
		return nil, err
	}
	if inner == nil {
		return v, nil
	}
	if inner, err = deletePath(inner, path[1:]); err != nil {
		return nil, err
	}
	return setKey(v, path[0], inner)
}

func deleteKey(v, key any) (any, error) {
	switch t := v.(type) {
	case *Object:
		if name, ok := key.(string); ok {
			return t.without(name), nil
		}
		return nil, failf("Cannot delete field at object index of %s", kind(v))
	case []any:
		if f, ok := isNumber(key); ok {
			i := int(math.Floor(f))
			if i < 0 {
				i += len(t)
			}
			if i < 0 || i >= len(t) {
				return v, nil
			}
			return append(append(make([]any, 0, len(t)-1), t[:i]...), t[i+1:]...), nil
		}
		if o, ok := key.(*Object); ok {
			from, to, err := sliceBounds(o, len(t), "Start and end indices of an array slice must be numbers")
			return append(append(make([]any, 0, len(t)), t[:from]...), t[to:]...), err
		}
		return nil, failf("Cannot delete field at array index of array")
	}
	return nil, failf("Cannot delete field at %s index of %s", map[bool]string{true: "object", false: "array"}[rank(key) == 4], kind(v))
}
