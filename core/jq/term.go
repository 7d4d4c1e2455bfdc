package jq

import (
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// term compiles a term and its suffixes.
func (c *compiler) term(t *gojq.Term, b *binding) node {
	suffixes := t.SuffixList
	n := c.bare(t, b, len(suffixes) > 0 && suffixes[0].Optional)
	for i, suffix := range suffixes {
		optional := i+1 < len(suffixes) && suffixes[i+1].Optional
		switch {
		case suffix.Index != nil:
			n = c.index(n, suffix.Index, b, optional)
		case suffix.Iter:
			n = pipe(n, iterate(optional))
		case suffix.Optional:
			if i > 0 && !suffixes[i-1].Optional || i == 0 && t.Type == gojq.TermTypeIndex {
				continue // it is part of the suffix before
			}
			n = try(n, nil)
		}
	}
	return n
}

func (c *compiler) bare(t *gojq.Term, b *binding, optional bool) node {
	switch t.Type {
	case gojq.TermTypeIdentity:
		return identity
	case gojq.TermTypeRecurse:
		return recurseAll
	case gojq.TermTypeNull:
		return constant(nil)
	case gojq.TermTypeTrue:
		return constant(true)
	case gojq.TermTypeFalse:
		return constant(false)
	case gojq.TermTypeIndex:
		return c.index(identity, t.Index, b, optional)
	case gojq.TermTypeFunc:
		return c.call(t.Func, b)
	case gojq.TermTypeObject:
		return c.object(t.Object, b)
	case gojq.TermTypeArray:
		return c.array(t.Array, b)
	case gojq.TermTypeNumber:
		v, ok := parseNumber(t.Number)
		if !ok {
			return c.fail(plainError("Invalid numeric literal at <top-level>"))
		}
		return constant(v)
	case gojq.TermTypeUnary:
		return c.unary(t.Unary, b)
	case gojq.TermTypeFormat:
		if t.Str != nil {
			return c.text(t.Str, &gojq.Func{Name: "format", Args: []*gojq.Query{{Term: &gojq.Term{Type: gojq.TermTypeString, Str: &gojq.String{Str: t.Format[1:]}}}}}, b)
		}
		return formatter(t.Format[1:])
	case gojq.TermTypeString:
		return c.text(t.Str, nil, b)
	case gojq.TermTypeQuery:
		return c.query(t.Query, b)
	}
	return c.control(t, b)
}

func (c *compiler) control(t *gojq.Term, b *binding) node {
	switch t.Type {
	case gojq.TermTypeIf:
		return c.conditional(t.If, b)
	case gojq.TermTypeTry:
		body := c.query(t.Try.Body, b)
		if t.Try.Catch == nil {
			return try(body, nil)
		}
		return try(body, c.query(t.Try.Catch, b))
	case gojq.TermTypeReduce:
		return c.reduce(t.Reduce, b)
	case gojq.TermTypeForeach:
		return c.foreach(t.Foreach, b)
	case gojq.TermTypeLabel:
		body := c.query(t.Label.Body, b.push(aLabel, t.Label.Ident))
		return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
			label := new(int)
			err := body(m, &scope{s, label}, in, p, yield)
			if broke, ok := err.(*breaking); ok && broke.label == label {
				return nil
			}
			return err
		}
	case gojq.TermTypeBreak:
		target := b.find(aLabel, t.Break)
		if target == nil {
			return c.fail(undefined(c.src, "$*label-"+strings.TrimPrefix(t.Break, "$")))
		}
		hops := b.depth() - target.level
		return func(_ *machine, s *scope, _ any, _ *trail, _ yieldFunc) error {
			return &breaking{s.up(hops).value.(*int)}
		}
	}
	return c.fail(plainError(fmt.Sprintf("%s is not supported here", t)))
}

func (c *compiler) unary(u *gojq.Unary, b *binding) node {
	if u.Op == gojq.OpAdd {
		return c.fail(placed(c.src, "+", "syntax error, unexpected '+' (Unix shell quoting issues?)"))
	}
	inner := c.term(u.Term, b)
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return inner(m, s, in, nil, func(v any, _ *trail) error {
			f, ok := isNumber(v)
			if !ok {
				return failf("%s cannot be negated", shown(v))
			}
			return yield(-f, p.off())
		})
	}
}

func (c *compiler) conditional(t *gojq.If, b *binding) node {
	cond, then := c.query(t.Cond, b), c.query(t.Then, b)
	other := node(identity)
	switch {
	case len(t.Elif) > 0:
		other = c.conditional(&gojq.If{Cond: t.Elif[0].Cond, Then: t.Elif[0].Then, Elif: t.Elif[1:], Else: t.Else}, b)
	case t.Else != nil:
		other = c.query(t.Else, b)
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return cond(m, s, in, nil, func(v any, _ *trail) error {
			if truthy(v) {
				return then(m, s, in, p, yield)
			}
			return other(m, s, in, p, yield)
		})
	}
}

// try catches the errors of body, not those of what its values are given to.
func try(body, catch node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		err := body(m, s, in, p, func(v any, p *trail) error {
			if err := yield(v, p); err != nil {
				return &passing{err}
			}
			return nil
		})
		switch e := err.(type) {
		case *passing:
			return e.error
		case *Error:
			if err := m.charge(32); err != nil { // it was worded
				return err
			}
			if catch == nil {
				return nil
			}
			return catch(m, s, e.Value, p.off(), yield)
		}
		return err
	}
}

func (c *compiler) reduce(t *gojq.Reduce, b *binding) node {
	c.source(t.Query)
	init := c.query(t.Start, b)
	source := c.query(t.Query, b)
	names := patternNames(t.Patterns)
	inner := b
	for _, name := range names {
		inner = inner.push(aVariable, name)
	}
	step := c.query(t.Update, inner)
	parts := make([]destructurer, len(t.Patterns))
	for i, pattern := range t.Patterns {
		parts[i] = c.pattern(pattern, inner, names)
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return init(m, s, in, p, func(state any, at *trail) error {
			err := source(m, s, in, nil, func(v any, _ *trail) error {
				return tryPatterns(m, s, parts, len(names), v, func(s *scope) error {
					if err := m.tick(); err != nil {
						return err
					}
					var last any
					lastAt := at.off()
					err := step(m, s, state, at, func(v any, p *trail) error {
						last, lastAt = v, p
						return nil
					})
					state, at = last, lastAt
					return err
				})
			})
			if err != nil {
				return err
			}
			return yield(state, at)
		})
	}
}

func (c *compiler) foreach(t *gojq.Foreach, b *binding) node {
	c.source(t.Query)
	init := c.query(t.Start, b)
	source := c.query(t.Query, b)
	names := patternNames(t.Patterns)
	inner := b
	for _, name := range names {
		inner = inner.push(aVariable, name)
	}
	step, extract := c.query(t.Update, inner), node(identity)
	if t.Extract != nil {
		extract = c.query(t.Extract, inner)
	}
	parts := make([]destructurer, len(t.Patterns))
	for i, pattern := range t.Patterns {
		parts[i] = c.pattern(pattern, inner, names)
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return init(m, s, in, p, func(state any, at *trail) error {
			return source(m, s, in, nil, func(v any, _ *trail) error {
				return tryPatterns(m, s, parts, len(names), v, func(s *scope) error {
					if err := m.tick(); err != nil {
						return err
					}
					return step(m, s, state, at, func(v any, p *trail) error {
						state, at = v, p
						return extract(m, s, v, p, yield)
					})
				})
			})
		})
	}
}

func (c *compiler) array(t *gojq.Array, b *binding) node {
	if t.Query == nil {
		return constant([]any{})
	}
	inner := c.query(t.Query, b)
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		list := []any{}
		err := inner(m, s, in, nil, func(v any, _ *trail) error {
			list = append(list, v)
			return m.tick()
		})
		if err != nil {
			return err
		}
		return yield(list, p.off())
	}
}

// neverKey reports whether an expression is a constant that is no string.
func neverKey(q *gojq.Query) bool {
	if q.Term == nil || len(q.Term.SuffixList) > 0 || len(q.FuncDefs) > 0 {
		return false
	}
	switch q.Term.Type {
	case gojq.TermTypeNumber, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse:
		return true
	case gojq.TermTypeArray:
		return q.Term.Array.Query == nil
	}
	return false
}

// object compiles {...}: of several values the last pair's change fastest.
func (c *compiler) object(t *gojq.Object, b *binding) node {
	type pair struct{ key, value node }
	pairs := make([]pair, len(t.KeyVals))
	for i, kv := range t.KeyVals {
		p := &pairs[i]
		if kv.Val != nil {
			c.objectValue(kv.Val)
		}
		switch {
		case kv.KeyString != nil:
			p.key = c.text(kv.KeyString, nil, b)
		case kv.KeyQuery != nil:
			if p.key = c.query(kv.KeyQuery, b); neverKey(kv.KeyQuery) {
				v, _, _ := first(&machine{Runtime: &Runtime{}}, nil, p.key, nil)
				c.fail(placed(c.src, "("+Encode(v), fmt.Sprintf("Cannot use %s as object key", shown(v))))
			}
		case kv.Key == "$__loc__":
			p.key = constant("__loc__")
		default:
			p.key = constant(strings.TrimPrefix(kv.Key, "$"))
		}
		switch {
		case kv.Val != nil && strings.HasPrefix(kv.Key, "$"):
			p.key, p.value = c.call(&gojq.Func{Name: kv.Key}, b), c.query(kv.Val, b)
		case kv.Val != nil:
			p.value = c.query(kv.Val, b)
		case strings.HasPrefix(kv.Key, "$"):
			p.value = c.call(&gojq.Func{Name: kv.Key}, b)
		default:
			p.value = field(identity, p.key, false)
		}
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		var next func(i int, o *Object) error
		next = func(i int, o *Object) error {
			if i == len(pairs) {
				return yield(o, p.off())
			}
			return pairs[i].key(m, s, in, nil, func(k any, _ *trail) error {
				key, ok := k.(string)
				if !ok {
					return failf("Cannot use %s as object key", shown(k))
				}
				return pairs[i].value(m, s, in, nil, func(v any, _ *trail) error {
					grown := o.clone()
					grown.put(key, v)
					return next(i+1, grown)
				})
			})
		}
		return next(0, &Object{})
	}
}

// text compiles a string; what is interpolated goes through a function.
func (c *compiler) text(t *gojq.String, through *gojq.Func, b *binding) node {
	if t.Queries == nil {
		return constant(t.Str)
	}
	convert := node(toText)
	if through != nil {
		convert = c.call(through, b)
	}
	parts := make([]node, len(t.Queries))
	for i, q := range t.Queries {
		parts[i] = c.query(q, b)
		if q.Term == nil || q.Term.Str == nil {
			parts[i] = pipe(parts[i], convert)
		}
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		pieces := make([]string, len(parts))
		var next func(i int) error
		next = func(i int) error { // the last one is outermost, as with +
			if i < 0 {
				all := strings.Join(pieces, "")
				if err := m.made(all); err != nil {
					return err
				}
				return yield(all, p.off())
			}
			return parts[i](m, s, in, nil, func(v any, _ *trail) error {
				pieces[i], _ = v.(string)
				return next(i - 1)
			})
		}
		return next(len(parts) - 1)
	}
}

func toText(_ *machine, _ *scope, in any, p *trail, yield yieldFunc) error {
	return yield(textOf(in), p.off())
}

// textOf is what tostring gives.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return Encode(v)
}

// call compiles a name: a variable, an argument, a function, a built-in one.
func (c *compiler) call(f *gojq.Func, b *binding) node {
	if strings.HasPrefix(f.Name, "$") {
		return c.variable(f.Name[1:], b)
	}
	args := func() []node {
		list := make([]node, len(f.Args))
		for i, a := range f.Args {
			list[i] = c.query(a, b)
		}
		return list
	}
	if found := b.findCall(f.Name, len(f.Args)); found != nil {
		hops := b.depth() - found.level
		if found.kind == aClosure {
			return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
				cl := s.up(hops).value.(*closure)
				return cl.body(m, cl.scope, in, p, yield)
			}
		}
		return call(found.def, c.closures(f.Args, b), hops)
	}
	name := fmt.Sprintf("%s/%d", f.Name, len(f.Args))
	if build, ok := forms[name]; ok {
		return build(args())
	}
	if fn, ok := natives[name]; ok {
		return native(fn, args())
	}
	if def, err := libraryFunction(name); def != nil || err != nil {
		if err != nil {
			return c.fail(err)
		}
		return call(def, c.closures(f.Args, b), -1)
	}
	return c.fail(undefined(c.src, name))
}

// closures compiles arguments. One that only names an argument of the function
// around it is handed on as it is, so that recursion does not make chains.
func (c *compiler) closures(args []*gojq.Query, b *binding) []func(*scope) *closure {
	list := make([]func(*scope) *closure, len(args))
	for i, a := range args {
		if t := a.Term; t != nil && t.Type == gojq.TermTypeFunc && len(t.Func.Args) == 0 && len(t.SuffixList) == 0 && len(a.FuncDefs) == 0 {
			if found := b.findCall(t.Func.Name, 0); found != nil && found.kind == aClosure {
				hops := b.depth() - found.level
				list[i] = func(s *scope) *closure { return s.up(hops).value.(*closure) }
				continue
			}
		}
		body := c.query(a, b)
		list[i] = func(s *scope) *closure { return &closure{body, s} }
	}
	return list
}

// call runs a function of jq text; hops leads to the scope of its definition, -1
// to none.
func call(f *function, args []func(*scope) *closure, hops int) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		if err := m.tick(); err != nil {
			return err
		}
		if m.depth++; m.depth > maxCalls {
			return failf("function calls are nested too deeply (more than %d)", maxCalls)
		}
		defer func() { m.depth-- }()
		var inner *scope
		if hops >= 0 {
			inner = s.up(hops)
		}
		for _, a := range args {
			inner = &scope{inner, a(s)}
		}
		return bindValues(m, f, inner, in, 0, len(args), func(inner *scope) error { return f.body(m, inner, in, p, yield) })
	}
}

// bindValues evaluates the arguments of parameters like $x, the first outermost.
func bindValues(m *machine, f *function, s *scope, in any, i, bound int, then func(*scope) error) error {
	for ; i < len(f.params); i++ {
		if strings.HasPrefix(f.params[i], "$") {
			cl := s.up(bound - 1 - i).value.(*closure)
			return cl.body(m, cl.scope, in, nil, func(v any, _ *trail) error {
				return bindValues(m, f, &scope{s, v}, in, i+1, bound+1, then)
			})
		}
	}
	return then(s)
}

func (c *compiler) variable(name string, b *binding) node {
	if found := b.find(aVariable, name); found != nil {
		hops := b.depth() - found.level
		return func(_ *machine, s *scope, _ any, p *trail, yield yieldFunc) error {
			return yield(s.up(hops).value, p.off())
		}
	}
	switch name {
	case "ENV":
		return func(m *machine, _ *scope, _ any, p *trail, yield yieldFunc) error { return yield(m.environ(), p.off()) }
	case "ARGS":
		return func(m *machine, _ *scope, _ any, p *trail, yield yieldFunc) error { return yield(m.Named, p.off()) }
	case "__loc__":
		line := 1 + strings.Count(c.src[:max(0, strings.Index(c.src, "$__loc__"))], "\n")
		return constant(NewObject("file", "<top-level>", "line", float64(line)))
	}
	return c.fail(undefined(c.src, "$"+name))
}

func (m *machine) environ() any {
	o := &Object{}
	if m.Environ != nil {
		for _, kv := range m.Environ() {
			name, value, _ := strings.Cut(kv, "=")
			o.put(name, value)
		}
	}
	return o
}
