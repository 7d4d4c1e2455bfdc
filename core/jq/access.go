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
		return of(m, s, in, p, func(v any, p *trail) error { return access(m, v, name, p, optional, yield) })
	}
}

// field is .[key] of a term; the key is evaluated on the term's input, first.
func field(of, key node, optional bool) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return of(m, s, in, p, func(v any, p *trail) error {
			return key(m, s, in, nil, func(k any, _ *trail) error { return access(m, v, k, p, optional, yield) })
		})
	}
}

func access(m *machine, v, key any, p *trail, optional bool, yield yieldFunc) error {
	if p != nil && p.bad {
		return failf("Invalid path expression near attempt to access element %s of %s", clip(brief(key), 14), clip(brief(v), 29))
	}
	got, err := index(m, v, key)
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
func index(m *machine, v, key any) (any, error) {
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
			from, to, err := sliceBounds(o, len(t), badSlice)
			if err != nil {
				return nil, err
			}
			return t[from:to:to], nil
		}
		if sub, ok := key.([]any); ok {
			return indices(m, t, sub), nil
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
			_, _, err := sliceBounds(key.(*Object), 0, badSlice)
			return nil, err
		}
	}
	if name, ok := key.(string); ok && len(name) < 30 {
		return nil, failf("Cannot index %s with string \"%s\"", kind(v), name)
	}
	return nil, failf("Cannot index %s with %s", kind(v), kind(key))
}

const badSlice = "Array/string slice indices must be integers"

// sliceBounds resolves {"start":x,"end":y} for n items.
func sliceBounds(o *Object, n int, complaint string) (from, to int, err error) {
	bound := func(key string, otherwise int, up bool) int {
		v, there := o.Get(key)
		if v == nil && there {
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
	from, to, err := sliceBounds(o, n, badSlice)
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
			return failf("Invalid path expression near attempt to iterate through %s", clip(brief(in), 29))
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
func getpath(m *machine, v any, path []any) (any, error) {
	for _, key := range path {
		if v == nil {
			return nil, nil
		}
		var err error
		if v, err = index(m, v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// editor changes values at paths. What it has copied once it changes in place.
type editor struct {
	m       *machine
	lists   map[*any]bool
	objects map[*Object]bool
}

func edit(m *machine) *editor {
	return &editor{m, map[*any]bool{}, map[*Object]bool{}}
}

// setpath returns v with the value at a path changed by f.
func setpath(m *machine, v any, path []any, f func(any) (any, error)) (any, error) {
	return edit(m).set(v, path, 0, f)
}

func (e *editor) set(v any, path []any, depth int, f func(any) (any, error)) (any, error) {
	if len(path) == 0 {
		if e.owns(v) { // f may keep it
			clear(e.lists)
			clear(e.objects)
		}
		return f(v)
	}
	e.m.deep(depth)
	old, err := index(e.m, v, path[0])
	if err != nil {
		return nil, err
	}
	inner, err := e.set(old, path[1:], depth+1, f)
	if err != nil {
		return nil, err
	}
	return e.put(v, path[0], inner)
}

func (e *editor) owns(v any) bool {
	switch t := v.(type) {
	case []any:
		return len(t) > 0 && e.lists[&t[0]]
	case *Object:
		return e.objects[t]
	}
	return false
}

// put returns v with a key set.
func (e *editor) put(v, key, inner any) (any, error) {
	switch k := key.(type) {
	case string:
		switch t := v.(type) {
		case *Object:
			if !e.objects[t] {
				e.m.spend(len(t.keys) / 2)
				t = t.with(k, inner)
				e.objects[t] = true
				return t, nil
			}
			t.put(k, inner)
			return t, nil
		case nil:
			o := NewObject(k, inner)
			e.objects[o] = true
			return o, nil
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
		if i >= len(list) || !e.owns(list) {
			grown := make([]any, max(len(list), i+1))
			e.m.spend(len(grown) / 8)
			copy(grown, list)
			list = grown
			e.lists[&list[0]] = true
		}
		list[i] = inner
		return list, nil
	case *Object:
		list, ok := v.([]any)
		if !ok && v != nil {
			break
		}
		from, to, err := sliceBounds(k, len(list), badSlice)
		if err != nil {
			return nil, err
		}
		items, ok := inner.([]any)
		if !ok {
			return nil, failf("A slice of an array can only be assigned another array")
		}
		e.m.spend((len(list) + len(items)) / 8)
		spliced := append(make([]any, 0, len(list)+len(items)), list[:from]...)
		return append(append(spliced, items...), list[to:]...), nil
	}
	if name, ok := key.(string); ok && len(name) < 30 {
		return nil, failf("Cannot index %s with string \"%s\"", kind(v), name)
	}
	return nil, failf("Cannot update field at %s index of %s", kind(key), kind(v))
}

// delpaths takes away what is at the paths. Models jv_delpaths.
func delpaths(m *machine, v any, paths []any) (any, error) {
	sorted := sortValues(m, paths)
	all := make([][]any, len(sorted))
	for i, p := range sorted {
		path, ok := p.([]any)
		if !ok {
			return nil, failf("Path must be specified as array, not %s", kind(p))
		}
		all[i] = path
	}
	switch {
	case len(all) == 0:
		return v, nil
	case len(all[0]) == 0:
		return nil, nil
	}
	return edit(m).drop(v, all, 0)
}

// drop takes away what is at sorted paths, from the key at start on.
func (e *editor) drop(v any, paths [][]any, start int) (any, error) {
	e.m.deep(start)
	var gone []any
	for i := 0; i < len(paths); {
		key := paths[i][start]
		j := i + 1
		for j < len(paths) && e.m.compare(key, paths[j][start], 0) == 0 {
			j++
		}
		if len(paths[i]) == start+1 { // what is under it goes with it
			gone = append(gone, key)
			i = j
			continue
		}
		inner, err := index(e.m, v, key)
		if err == nil && inner != nil {
			if inner, err = e.drop(inner, paths[i:j], start+1); err == nil {
				v, err = e.put(v, key, inner)
			}
		}
		if err != nil {
			return nil, err
		}
		i = j
	}
	if v == nil || len(gone) == 0 {
		return v, nil
	}
	return dropKeys(e.m, v, gone)
}

// dropKeys takes keys of one value away. Models jv_dels.
func dropKeys(m *machine, v any, keys []any) (any, error) {
	switch t := v.(type) {
	case *Object:
		o := &Object{}
		away := map[string]bool{}
		for _, key := range keys {
			name, ok := key.(string)
			if !ok {
				return nil, failf("Cannot delete %s field of object", kind(key))
			}
			away[name] = true
		}
		m.spend(len(t.keys) / 2)
		for i, key := range t.keys {
			if !away[key] {
				o.put(key, t.vals[i])
			}
		}
		return o, nil
	case []any:
		away := make([]bool, len(t))
		for _, key := range keys {
			if f, ok := isNumber(key); ok {
				i := int(f)
				if f < 0 {
					i += len(t)
				}
				if i >= 0 && i < len(t) {
					away[i] = true
				}
				continue
			}
			o, ok := key.(*Object)
			if !ok {
				return nil, failf("Cannot delete %s element of array", kind(key))
			}
			from, to, err := sliceBounds(o, len(t), badSlice)
			if err != nil {
				return nil, err
			}
			m.spend((to - from) / 8)
			for i := from; i < to; i++ {
				away[i] = true
			}
		}
		m.spend(len(t) / 8)
		rest := make([]any, 0, len(t))
		for i, item := range t {
			if !away[i] {
				rest = append(rest, item)
			}
		}
		return rest, nil
	}
	return nil, failf("Cannot delete fields from %s", kind(v))
}
