package jq

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// nativeFunc takes its input and the values of its arguments.
type nativeFunc func(m *machine, in any, args []any) (any, error)

// native evaluates the arguments, the first one outermost, and calls f.
func native(f nativeFunc, args []node) node {
	if len(args) == 0 {
		return func(m *machine, _ *scope, in any, p *trail, yield yieldFunc) error {
			m.looked(in)
			v, err := f(m, in, nil)
			if err == nil {
				err = m.made(v)
			}
			if err != nil {
				return err
			}
			return yield(v, p.off())
		}
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		values := make([]any, len(args))
		var next func(i int) error
		next = func(i int) error {
			if i == len(args) {
				m.looked(in)
				for _, v := range values {
					m.looked(v)
				}
				v, err := f(m, in, slices.Clone(values))
				if err == nil {
					err = m.made(v)
				}
				if err != nil {
					return err
				}
				return yield(v, p.off())
			}
			return args[i](m, s, in, nil, func(v any, _ *trail) error {
				values[i] = v
				return next(i + 1)
			})
		}
		return next(0)
	}
}

// heavy makes a native function of one that spends as it goes.
func heavy(f func(m *machine, in any) (any, error)) nativeFunc {
	return func(m *machine, in any, _ []any) (any, error) { return f(m, in) }
}

// heavy1 is heavy of one that takes one argument.
func heavy1(f func(m *machine, in, a any) (any, error)) nativeFunc {
	return func(m *machine, in any, args []any) (any, error) { return f(m, in, args[0]) }
}

func raise(_ *machine, in any, _ []any) (any, error) { return nil, &Error{in} }

// pure makes a native function of one that looks at its input alone.
func pure(f func(any) (any, error)) nativeFunc {
	return func(_ *machine, in any, _ []any) (any, error) { return f(in) }
}

// with1 makes a native function of one that takes one argument.
func with1(f func(in, a any) (any, error)) nativeFunc {
	return func(_ *machine, in any, args []any) (any, error) { return f(in, args[0]) }
}

var natives map[string]nativeFunc

func init() {
	natives = map[string]nativeFunc{
		"error/0": raise, "length/0": pure(length), "utf8bytelength/0": pure(byteLength),
		"keys/0": pure(func(v any) (any, error) { return keysOf(v, true) }), "keys_unsorted/0": pure(func(v any) (any, error) { return keysOf(v, false) }),
		"has/1": with1(has), "contains/1": heavy1(contains), "add/0": pure(addItems), "type/0": pure(func(v any) (any, error) { return kind(v), nil }),
		"tostring/0": pure(func(v any) (any, error) { return textOf(v), nil }), "tojson/0": pure(func(v any) (any, error) { return Encode(v), nil }),
		"fromjson/0": pure(fromJSON), "tonumber/0": pure(toNumber), "sort/0": heavy(sortArray), "unique/0": heavy(unique),
		"min/0": heavy(func(m *machine, v any) (any, error) { return ends(m, v, -1) }), "max/0": heavy(func(m *machine, v any) (any, error) { return ends(m, v, 1) }),
		"transpose/0": heavy(transpose), "explode/0": pure(explode), "implode/0": pure(implode), "_flatten/1": heavy1(flatten),
		"ascii_downcase/0": pure(func(v any) (any, error) { return mapASCII(v, 'A', 'Z', 32) }),
		"ascii_upcase/0":   pure(func(v any) (any, error) { return mapASCII(v, 'a', 'z', -32) }),
		"ltrimstr/1":       with1(func(v, a any) (any, error) { return trimText(v, a, strings.TrimPrefix), nil }),
		"rtrimstr/1":       with1(func(v, a any) (any, error) { return trimText(v, a, strings.TrimSuffix), nil }),
		"startswith/1": with1(func(v, a any) (any, error) {
			return texts(v, a, "startswith() requires string inputs", strings.HasPrefix)
		}),
		"endswith/1": with1(func(v, a any) (any, error) {
			return texts(v, a, "endswith() requires string inputs", strings.HasSuffix)
		}),
		"split/1": with1(split), "indices/1": heavy1(indicesOf), "_indices/1": heavy1(indicesOf),
		"index/1":  heavy1(func(m *machine, v, a any) (any, error) { return oneIndex(m, v, a, false) }),
		"rindex/1": heavy1(func(m *machine, v, a any) (any, error) { return oneIndex(m, v, a, true) }),
		"setpath/2": func(m *machine, in any, a []any) (any, error) {
			path, ok := a[0].([]any)
			if !ok {
				return nil, failf("Path must be specified as an array")
			}
			return setpath(m, in, path, func(any) (any, error) { return a[1], nil })
		},
		"delpaths/1": heavy1(func(m *machine, v, a any) (any, error) {
			list, ok := a.([]any)
			if !ok {
				return nil, failf("Paths must be specified as an array")
			}
			return delpaths(m, v, list)
		}),
		"format/1": with1(func(v, a any) (any, error) {
			name, ok := a.(string)
			if !ok {
				return nil, failf("%s is not a valid format", shown(a))
			}
			return format(v, name)
		}),
	}
	maps.Copy(natives, outer())
	addMath()
	addKinds()
	addTime()
}

// outer are the functions that see something of the outside, and the rest.
func outer() map[string]nativeFunc {
	return map[string]nativeFunc{
		"bsearch/1": heavy1(bsearch),

		"halt/0": func(*machine, any, []any) (any, error) { return nil, &Halt{} },
		"halt_error/1": func(_ *machine, in any, a []any) (any, error) {
			f, ok := isNumber(a[0])
			if !ok {
				return nil, failf("%s halt_error/1: number required", shown(in))
			}
			return nil, &Halt{Value: in, Code: int(f)}
		},
		"input_line_number/0": func(m *machine, _ any, _ []any) (any, error) {
			if m.Line == nil {
				return 0.0, nil
			}
			return float64(m.Line()), nil
		},
		"input_filename/0": func(m *machine, _ any, _ []any) (any, error) {
			if m.File == nil {
				return nil, nil
			}
			return m.File(), nil
		},
		"stderr/0": func(m *machine, in any, _ []any) (any, error) {
			if m.Debug != nil {
				m.Debug(textOf(in))
			}
			return in, nil
		},
		"get_search_list/0": func(*machine, any, []any) (any, error) { return []any{}, nil },

		"builtins/0": func(*machine, any, []any) (any, error) { return builtinNames(), nil },

		"infinite/0": func(*machine, any, []any) (any, error) { return math.Inf(1), nil },
		"nan/0":      func(*machine, any, []any) (any, error) { return math.NaN(), nil },

		"_match/3":    func(_ *machine, in any, a []any) (any, error) { return match(in, a[0], a[1], a[2] == true) },
		"_captures/0": pure(captures),
		"split/2":     func(_ *machine, in any, a []any) (any, error) { return splitBy(in, a[0], a[1]) },
	}
}

func byteLength(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("%s only strings have UTF-8 byte length", shown(v))
	}
	return float64(len(s)), nil
}

func keysOf(v any, sorted bool) (any, error) {
	switch t := v.(type) {
	case *Object:
		keys := make([]any, t.Len())
		for i, key := range t.keys {
			keys[i] = key
		}
		if sorted {
			slices.SortFunc(keys, Compare)
		}
		return keys, nil
	case []any:
		keys := make([]any, len(t))
		for i := range t {
			keys[i] = float64(i)
		}
		return keys, nil
	}
	return nil, failf("%s has no keys", shown(v))
}

func has(v, key any) (any, error) {
	switch t := v.(type) {
	case nil:
		return false, nil
	case *Object:
		if name, ok := key.(string); ok {
			return t.find(name) >= 0, nil
		}
	case []any:
		if f, ok := isNumber(key); ok {
			return f >= 0 && f < float64(len(t)), nil
		}
	}
	return nil, failf("Cannot check whether %s has a %s key", kind(v), kind(key))
}

func contains(m *machine, a, b any) (any, error) { return m.contains(a, b, 0) }

func (m *machine) contains(a, b any, depth int) (any, error) {
	m.spend(1)
	m.deep(depth)
	ok := false
	switch x := a.(type) {
	case *Object:
		y, same := b.(*Object)
		if ok = same; ok {
			for i, key := range y.keys {
				v, there := x.Get(key)
				if !there {
					return false, nil
				}
				if inner, err := m.contains(v, y.vals[i], depth+1); err != nil || inner == false {
					return inner, err
				}
			}
			return true, nil
		}
	case []any:
		y, same := b.([]any)
		if ok = same; ok {
			for _, want := range y {
				if !slices.ContainsFunc(x, func(v any) bool {
					inner, err := m.contains(v, want, depth+1)
					return err == nil && inner == true
				}) {
					return false, nil
				}
			}
			return true, nil
		}
	case string:
		y, same := b.(string)
		if same {
			m.looked(x)
			return strings.Contains(x, y), nil
		}
	}
	if kind(a) == kind(b) {
		return m.compare(a, b, depth) == 0, nil
	}
	return nil, failf("%s and %s cannot have their containment checked", shown(a), shown(b))
}

func addItems(v any) (any, error) {
	switch t := v.(type) {
	case []any:
		return addAll(t)
	case *Object:
		return addAll(t.vals)
	}
	return nil, failf("Cannot iterate over %s", shown(v))
}

func fromJSON(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("%s only strings can be parsed", shown(v))
	}
	got, err := DecodeOne(s)
	if err != nil {
		return nil, failf("%s (while parsing '%s')", err, s)
	}
	return got, nil
}

func toNumber(v any) (any, error) {
	switch t := v.(type) {
	case float64, Number:
		return v, nil
	case string:
		got, err := DecodeOne(t)
		if err != nil {
			return nil, failf("%s (while parsing '%s')", err, t)
		}
		if _, ok := isNumber(got); ok {
			return got, nil
		}
	}
	return nil, failf("%s cannot be parsed as a number", shown(v))
}

func sortValues(m *machine, list []any) []any {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b any) int { return m.compare(a, b, 0) })
	return list
}

func sortArray(m *machine, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("%s cannot be sorted, as it is not an array", shown(v))
	}
	return sortValues(m, list), nil
}

func unique(m *machine, v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, notGrouped(v, byOrder)
	}
	return slices.CompactFunc(sortValues(m, list), func(a, b any) bool { return m.compare(a, b, 0) == 0 }), nil
}

func ends(m *machine, v any, sign int) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("%s and %s cannot be iterated over", shown(v), shown(v))
	}
	all := make([]keyed, len(list))
	for i, item := range list {
		all[i] = keyed{item, item}
	}
	return extreme(m, all, sign), nil
}

func transpose(m *machine, v any) (any, error) {
	rows, ok := v.([]any)
	if !ok {
		return nil, failf("Cannot iterate over %s", shown(v))
	}
	width := 0
	for _, r := range rows {
		row, ok := r.([]any)
		if !ok {
			return nil, failf("Cannot index %s with number", kind(r))
		}
		width = max(width, len(row))
	}
	m.spend(width * len(rows) / 8)
	out := make([]any, width)
	for i := range out {
		column := make([]any, len(rows))
		for j, r := range rows {
			if row := r.([]any); i < len(row) {
				column[j] = row[i]
			}
		}
		out[i] = column
	}
	return out, nil
}

func flatten(m *machine, v, depth any) (any, error) {
	items, ok := v.([]any)
	if o, isObject := v.(*Object); isObject {
		items, ok = o.vals, true
	}
	if !ok {
		return nil, failf("Cannot iterate over %s", shown(v))
	}
	n, _ := isNumber(depth)
	out := []any{}
	var walk func(items []any, n float64, depth int)
	walk = func(items []any, n float64, depth int) {
		m.spend(1 + len(items)/8)
		m.deep(depth)
		for _, item := range items {
			if list, ok := item.([]any); ok && n != 0 {
				walk(list, n-1, depth+1)
			} else {
				out = append(out, item)
			}
		}
	}
	walk(items, n, 0)
	return out, nil
}

// indices finds a run of items.
func indices(m *machine, list, sub []any) []any {
	found := []any{}
	for i := 0; len(sub) > 0 && i+len(sub) <= len(list); i++ {
		if slices.EqualFunc(list[i:i+len(sub)], sub, func(a, b any) bool { return m.compare(a, b, 0) == 0 }) {
			found = append(found, float64(i))
		}
	}
	return found
}

func indicesOf(m *machine, v, a any) (any, error) {
	switch t := v.(type) {
	case nil:
		return nil, nil
	case string:
		sub, ok := a.(string)
		if !ok {
			break
		}
		found := []any{}
		for from := 0; sub != "" && from < len(t); { // jq 1.7.1 counts bytes
			i := strings.Index(t[from:], sub)
			if i < 0 {
				break
			}
			found = append(found, float64(from+i))
			from += i + 1
		}
		if sub == "" {
			return nil, nil
		}
		return found, nil
	case []any:
		if sub, ok := a.([]any); ok {
			return indices(m, t, sub), nil
		}
		return indices(m, t, []any{a}), nil
	}
	return index(m, v, a)
}

func oneIndex(m *machine, v, a any, last bool) (any, error) {
	all, err := indicesOf(m, v, a)
	list, ok := all.([]any)
	if err != nil || !ok || len(list) == 0 {
		return nil, err
	}
	if last {
		return list[len(list)-1], nil
	}
	return list[0], nil
}

func bsearch(m *machine, v, target any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("%s cannot be searched from", shown(v))
	}
	i, found := slices.BinarySearchFunc(list, target, func(a, b any) int { return m.compare(a, b, 0) })
	if found {
		return float64(i), nil
	}
	return float64(-1 - i), nil
}

func builtinNames() any {
	var list []any
	for _, names := range [][]string{sortedNames(natives), sortedNames(forms), libraryNames()} {
		for _, name := range names {
			if name[0] != '_' {
				list = append(list, name)
			}
		}
	}
	return list
}
