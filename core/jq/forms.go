package jq

import (
	"slices"
	"strings"
)

// forms are the functions that do something with their arguments other than
// taking their values. They are set in init because they refer to each other.
var forms map[string]func(args []node) node

func init() {
	forms = map[string]func(args []node) node{
		"empty/0":   func([]node) node { return nothing },
		"error/1":   func(a []node) node { return pipe(a[0], native(raise, nil)) },
		"path/1":    func(a []node) node { return pathsOf(a[0], 0) },
		"paths/0":   func([]node) node { return pathsOf(recurseAll, 1) },
		"select/1":  selectForm,
		"map/1":     mapForm,
		"recurse/0": func([]node) node { return recurseAll },
		"recurse/1": func(a []node) node { return recurseForm(a[0], nil) },
		"recurse/2": func(a []node) node { return recurseForm(a[0], a[1]) },
		"first/1":   firstForm,
		"last/1":    lastForm,
		"isempty/1": isEmptyForm,
		"any/1":     func(a []node) node { return anyForm(iterate(false), a[0], true) },
		"any/2":     func(a []node) node { return anyForm(a[0], a[1], true) },
		"all/1":     func(a []node) node { return anyForm(iterate(false), a[0], false) },
		"all/2":     func(a []node) node { return anyForm(a[0], a[1], false) },
		"any/0":     func([]node) node { return anyForm(iterate(false), identity, true) },
		"all/0":     func([]node) node { return anyForm(iterate(false), identity, false) },
		"limit/2":   limitForm,
		"until/2":   untilForm,
		"while/2":   func(a []node) node { return repeatForm(a[1], a[0]) },
		"repeat/1":  func(a []node) node { return repeatForm(a[0], nil) },
		"range/1":   func(a []node) node { return rangeForm(constant(0.0), a[0], constant(1.0)) },
		"range/2":   func(a []node) node { return rangeForm(a[0], a[1], constant(1.0)) },
		"range/3":   func(a []node) node { return rangeForm(a[0], a[1], a[2]) },
		"getpath/1": getpathForm,
		"del/1":     delForm,
		"input/0":   func([]node) node { return inputForm },
		"inputs/0":  func([]node) node { return inputsForm },
		"debug/0":   func([]node) node { return debugForm(identity) },
		"debug/1":   func(a []node) node { return debugForm(a[0]) },
		"sort_by/1": func(a []node) node { return byForm(a[0], byOrder, sortedBy) },
		"group_by/1": func(a []node) node {
			return byForm(a[0], byOrder, func(m *machine, k []keyed) any { return groups(m, k) })
		},
		"unique_by/1": func(a []node) node { return byForm(a[0], byOrder, uniqueBy) },
		"min_by/1": func(a []node) node {
			return byForm(a[0], byEnds, func(m *machine, k []keyed) any { return extreme(m, k, -1) })
		},
		"max_by/1": func(a []node) node {
			return byForm(a[0], byEnds, func(m *machine, k []keyed) any { return extreme(m, k, 1) })
		},
	}
}

func nothing(*machine, *scope, any, *trail, yieldFunc) error { return nil }

func pathsOf(of node, least int) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return of(m, s, in, &trail{}, func(v any, q *trail) error {
			if q.bad {
				return failf("Invalid path expression with result %s", clip(brief(v), 29))
			}
			if list := q.list(); len(list) >= least {
				return yield(list, p.off())
			}
			return nil
		})
	}
}

func selectForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return a[0](m, s, in, nil, func(v any, _ *trail) error {
			if truthy(v) {
				return yield(in, p)
			}
			return nil
		})
	}
}

func mapForm(a []node) node {
	each := pipe(iterate(false), a[0])
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list := []any{}
		err := each(m, s, in, nil, func(v any, _ *trail) error {
			list = append(list, v)
			return nil
		})
		if err != nil {
			return err
		}
		return yield(list, p.off())
	}
}

func recurseForm(f, cond node) node {
	next := f
	if cond != nil {
		next = pipe(f, selectForm([]node{cond}))
	}
	var run node
	run = func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		if err := yield(in, p); err != nil {
			return err
		}
		return tailwise(m, s, in, p, next, func(v any, p *trail) error {
			if err := m.deeper(); err != nil {
				return err
			}
			defer func() { m.depth-- }()
			return run(m, s, v, p, yield)
		}, yield)
	}
	return run
}

// tailwise walks what next gives of in, and of that, and so on. Of several values
// all but the last go through deep, a call; the last one is gone on with in a
// loop, so that a chain of any length needs no stack.
func tailwise(m *machine, s *scope, in any, p *trail, next node, deep, yield yieldFunc) error {
	for {
		if err := m.tick(); err != nil {
			return err
		}
		var held any
		var heldAt *trail
		has := false
		err := next(m, s, in, p, func(v any, p *trail) error {
			if has {
				if err := deep(held, heldAt); err != nil {
					return err
				}
			}
			held, heldAt, has = v, p, true
			return nil
		})
		if !has {
			return err
		}
		if err != nil {
			if failed, ok := err.(*Error); ok {
				if err := deep(held, heldAt); err != nil {
					return err
				}
				return failed
			}
			return err
		}
		if err := yield(held, heldAt); err != nil {
			return err
		}
		in, p = held, heldAt
	}
}

func (m *machine) deeper() error {
	if m.depth++; m.depth > maxCalls {
		m.depth--
		return failf("function calls are nested too deeply (more than %d)", maxCalls)
	}
	return m.tick()
}

// repeatForm is repeat(f), and while(cond; f).
func repeatForm(f, cond node) node {
	if cond == nil { // f on the same input, again and again
		return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
			for {
				if err := m.tick(); err != nil {
					return err
				}
				if err := f(m, s, in, p, yield); err != nil {
					return err
				}
			}
		}
	}
	guard := selectForm([]node{cond})
	return pipe(guard, recurseForm(pipe(f, guard), nil))
}

func firstForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		var got any
		var at *trail
		stop := &breaking{new(int)}
		err := a[0](m, s, in, p, func(v any, p *trail) error {
			got, at = v, p
			return stop
		})
		if err == error(stop) {
			return yield(got, at)
		}
		return err
	}
}

func lastForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		var got any
		var at *trail
		found := false
		err := a[0](m, s, in, p, func(v any, p *trail) error {
			got, at, found = v, p, true
			return nil
		})
		if err != nil {
			return err
		}
		if !found {
			return yield(nil, p.off())
		}
		return yield(got, at)
	}
}

func isEmptyForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		_, ok, err := first(m, s, a[0], in)
		if err != nil {
			return err
		}
		return yield(!ok, p.off())
	}
}

func anyForm(source, cond node, want bool) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		stop := &breaking{new(int)}
		err := source(m, s, in, nil, func(v any, _ *trail) error {
			return cond(m, s, v, nil, func(c any, _ *trail) error {
				if truthy(c) == want {
					return stop
				}
				return nil
			})
		})
		switch {
		case err == error(stop):
			return yield(want, p.off())
		case err != nil:
			return err
		}
		return yield(!want, p.off())
	}
}

func limitForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return a[0](m, s, in, nil, func(v any, _ *trail) error {
			n, ok := isNumber(v)
			if !ok && rank(v) > 3 {
				return failf("%s and number (1) cannot be subtracted", shown(v))
			}
			switch {
			case n < 0:
				return a[1](m, s, in, p, yield)
			case !(n > 0):
				return nil
			}
			stop := &breaking{new(int)}
			count := 0.0
			err := a[1](m, s, in, p, func(v any, p *trail) error {
				count++
				if err := yield(v, p); err != nil {
					return err
				}
				if count >= n {
					return stop
				}
				return nil
			})
			if err == error(stop) {
				return nil
			}
			return err
		})
	}
}

func untilForm(a []node) node {
	var run node
	run = func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		for {
			if err := m.tick(); err != nil {
				return err
			}
			done, several := false, 0
			err := a[0](m, s, in, nil, func(v any, _ *trail) error {
				done = truthy(v)
				several++
				return nil
			})
			switch {
			case err != nil:
				return err
			case several == 0:
				return nil
			case done:
				return yield(in, p)
			}
			var next []any
			var at []*trail
			if err := a[1](m, s, in, p, func(v any, p *trail) error {
				next, at = append(next, v), append(at, p)
				return nil
			}); err != nil {
				return err
			}
			if len(next) == 0 {
				return nil
			}
			for i := range len(next) - 1 {
				if err := m.deeper(); err != nil {
					return err
				}
				err := run(m, s, next[i], at[i], yield)
				if m.depth--; err != nil {
					return err
				}
			}
			in, p = next[len(next)-1], at[len(at)-1]
		}
	}
	return run
}

// rangeForm evaluates from outermost, step innermost.
func rangeForm(from, to, by node) node {
	number := func(m *machine, s *scope, n node, in any, then func(float64) error) error {
		return n(m, s, in, nil, func(v any, _ *trail) error {
			f, ok := isNumber(v)
			if !ok {
				return failf("Range bounds must be numeric")
			}
			return then(f)
		})
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return number(m, s, from, in, func(x float64) error {
			return number(m, s, to, in, func(y float64) error {
				return number(m, s, by, in, func(step float64) error {
					for v := x; step > 0 && v < y || step < 0 && v > y; v += step {
						if err := m.tick(); err != nil {
							return err
						}
						if err := yield(v, p.off()); err != nil {
							return err
						}
					}
					return nil
				})
			})
		})
	}
}

func getpathForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return a[0](m, s, in, nil, func(v any, _ *trail) error {
			path, ok := v.([]any)
			if !ok {
				return failf("Path must be specified as an array")
			}
			if p != nil && p.bad {
				return failf("Invalid path expression with result %s", clip(brief(in), 29))
			}
			got, err := getpath(m, in, path)
			if err != nil {
				return err
			}
			for _, key := range path {
				p = p.add(key)
			}
			return yield(got, p)
		})
	}
}

func delForm(a []node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list, err := paths(m, s, a[0], in)
		if err != nil {
			return err
		}
		all := make([]any, len(list))
		for i, path := range list {
			all[i] = path
		}
		out, err := delpaths(m, in, all)
		if err != nil {
			return err
		}
		return yield(out, p.off())
	}
}

// addAll adds values up; many strings or arrays are joined at once.
func addAll(list []any) (any, error) {
	if len(list) > 2 && rank(list[0]) >= 4 {
		same := !slices.ContainsFunc(list, func(v any) bool { return rank(v) != rank(list[0]) })
		if _, isText := list[0].(string); same && isText {
			var b strings.Builder
			for _, v := range list {
				if b.Len()+len(v.(string)) > MaxText {
					return nil, failf("string is too long (more than 64 MiB)")
				}
				b.WriteString(v.(string))
			}
			return b.String(), nil
		}
		if _, isList := list[0].([]any); same && isList {
			var all []any
			for _, v := range list {
				if all = append(all, v.([]any)...); len(all) > maxItems {
					return nil, errItems
				}
			}
			return append([]any{}, all...), nil
		}
		if first, isObject := list[0].(*Object); same && isObject {
			sum := first.clone()
			for _, v := range list[1:] {
				sum.putAll(v.(*Object))
			}
			return sum, nil
		}
	}
	var sum any
	for _, v := range list {
		var err error
		if sum, err = add(sum, v); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

func inputForm(m *machine, _ *scope, _ any, p *trail, yield yieldFunc) error {
	if m.Input != nil {
		v, ok, err := m.Input()
		if err != nil {
			return err
		}
		if ok {
			return yield(v, p.off())
		}
	}
	return failf("break")
}

func inputsForm(m *machine, _ *scope, _ any, p *trail, yield yieldFunc) error {
	for m.Input != nil {
		v, ok, err := m.Input()
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		if err := yield(v, p.off()); err != nil {
			return err
		}
	}
	return nil
}

func debugForm(of node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		err := of(m, s, in, nil, func(v any, _ *trail) error {
			if m.Debug != nil {
				m.Debug(Encode([]any{"DEBUG:", v}) + "\n")
			}
			return nil
		})
		if err != nil {
			return err
		}
		return yield(in, p)
	}
}
