package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// node evaluates a piece of a program: it calls yield with each value it gives,
// and with the place of that value where trail is not nil. It returns what yield
// returns, or its own error.
type node func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error

type yieldFunc func(v any, p *trail) error

// trail is the path to a value, from the end; the first of a path has no parent.
// A bad trail stands for a value that is at no path.
type trail struct {
	parent *trail
	key    any
	bad    bool
}

var nowhere = &trail{bad: true}

func (p *trail) add(key any) *trail {
	if p == nil {
		return nil
	}
	return &trail{parent: p, key: key}
}

// off is the trail of a computed value.
func (p *trail) off() *trail {
	if p == nil {
		return nil
	}
	return nowhere
}

// list is the path as an array.
func (p *trail) list() []any {
	n := 0
	for q := p; q.parent != nil; q = q.parent {
		n++
	}
	keys := make([]any, n)
	for q := p; q.parent != nil; q = q.parent {
		n--
		keys[n] = q.key
	}
	return keys
}

// scope is a chain of what is bound at run time: variables, arguments, labels.
type scope struct {
	parent *scope
	value  any
}

func (s *scope) up(n int) *scope {
	for ; n > 0; n-- {
		s = s.parent
	}
	return s
}

// closure is an argument of a function, with the scope it belongs to.
type closure struct {
	body  node
	scope *scope
}

// What a name is bound to while compiling.
type bindingKind int

const (
	aVariable bindingKind = iota
	aClosure
	aFunction
	aLabel
)

// binding is a chain of names in sight. level is how long the scope is behind it.
type binding struct {
	parent *binding
	kind   bindingKind
	name   string
	arity  int
	level  int
	def    *function
}

// function is a function that jq text defines.
type function struct {
	params []string
	body   node
	level  int
}

// compiler compiles one program.
type compiler struct {
	src string
	// inside is set while a definition of the library is compiled.
	inside bool
	err    error
}

func compileProgram(src string, q *gojq.Query, o Options) (*Program, error) {
	c := &compiler{src: src}
	var b *binding
	for _, name := range o.Vars {
		b = b.push(aVariable, strings.TrimPrefix(name, "$"))
	}
	if len(q.Imports) > 0 || q.Meta != nil {
		return nil, plainError("modules are not supported here")
	}
	main := c.query(q, b)
	if c.err != nil {
		return nil, c.err
	}
	return &Program{main: main, vars: len(o.Vars)}, nil
}

func (b *binding) depth() int {
	if b == nil {
		return 0
	}
	return b.level
}

// push binds a name to the next entry of the scope.
func (b *binding) push(kind bindingKind, name string) *binding {
	return &binding{parent: b, kind: kind, name: name, level: b.depth() + 1}
}

func (b *binding) find(kind bindingKind, name string) *binding {
	for ; b != nil; b = b.parent {
		if b.kind == kind && b.name == name {
			return b
		}
	}
	return nil
}

func (b *binding) findCall(name string, arity int) *binding {
	for ; b != nil; b = b.parent {
		if (b.kind == aFunction || b.kind == aClosure) && b.name == name && b.arity == arity {
			return b
		}
	}
	return nil
}

func (c *compiler) fail(err error) node {
	var next *CompileError
	if first, ok := c.err.(*CompileError); ok && errors.As(err, &next) {
		c.err = first.and(next)
	} else if c.err == nil {
		c.err = err
	}
	return func(*machine, *scope, any, *trail, yieldFunc) error { return err }
}

// define compiles a definition and returns the names in sight after it.
func (c *compiler) define(d *gojq.FuncDef, b *binding) *binding {
	f := &function{params: d.Args, level: b.depth()}
	b = &binding{parent: b, kind: aFunction, name: d.Name, arity: len(d.Args), level: b.depth(), def: f}
	inner := b
	for _, name := range d.Args {
		inner = inner.push(aClosure, strings.TrimPrefix(name, "$"))
	}
	for _, name := range d.Args {
		if strings.HasPrefix(name, "$") {
			inner = inner.push(aVariable, name[1:])
		}
	}
	f.body = c.query(d.Body, inner)
	return b
}

func (c *compiler) query(q *gojq.Query, b *binding) node {
	for _, d := range q.FuncDefs {
		b = c.define(d, b)
	}
	switch {
	case q.Term != nil:
		return c.term(q.Term, b)
	case q.Right == nil:
		return identity
	case q.Op == gojq.OpPipe && len(q.Patterns) > 0 && !bare(q.Left):
		return c.query(bindLast(q.Left, q), b)
	case q.Op == gojq.OpPipe && len(q.Patterns) > 0:
		return c.bind(c.query(q.Left, b), q.Patterns, b, func(inner *binding) node { return c.query(q.Right, inner) })
	}
	left, right := c.query(q.Left, b), c.query(q.Right, b)
	switch q.Op {
	case gojq.OpPipe:
		return pipe(left, right)
	case gojq.OpComma:
		return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
			if err := left(m, s, in, p, yield); err != nil {
				return err
			}
			return right(m, s, in, p, yield)
		}
	case gojq.OpAlt:
		return alternative(left, right)
	case gojq.OpAnd, gojq.OpOr:
		return logic(left, right, q.Op == gojq.OpOr)
	case gojq.OpAssign:
		return assign(left, right)
	case gojq.OpModify:
		return modify(left, right)
	}
	if op, ok := updates[q.Op]; ok {
		return update(left, right, op)
	}
	if op, ok := operators[q.Op]; ok {
		return binary(left, right, op)
	}
	return c.fail(plainError(fmt.Sprintf("unknown operator %s", q.Op)))
}

func identity(_ *machine, _ *scope, in any, p *trail, yield yieldFunc) error { return yield(in, p) }

func constant(v any) node {
	return func(_ *machine, _ *scope, _ any, p *trail, yield yieldFunc) error { return yield(v, p.off()) }
}

func pipe(left, right node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return left(m, s, in, p, func(v any, p *trail) error { return right(m, s, v, p, yield) })
	}
}

func alternative(left, right node) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		found := false
		err := left(m, s, in, p, func(v any, p *trail) error {
			if !truthy(v) {
				return nil
			}
			found = true
			return yield(v, p)
		})
		if err != nil || found {
			return err
		}
		return right(m, s, in, p, yield)
	}
}

func logic(left, right node, or bool) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return left(m, s, in, nil, func(a any, _ *trail) error {
			if truthy(a) == or {
				return yield(or, p.off())
			}
			return right(m, s, in, nil, func(b any, _ *trail) error { return yield(truthy(b), p.off()) })
		})
	}
}

// binary evaluates the right side first, as jq does: of several values of both
// sides those of the left change faster.
func binary(left, right node, op operation) node {
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return right(m, s, in, nil, func(b any, _ *trail) error {
			return left(m, s, in, nil, func(a any, _ *trail) error {
				v, err := op(m, a, b)
				if err == nil {
					err = m.made(v)
				}
				if err != nil {
					return err
				}
				return yield(v, p.off())
			})
		})
	}
}

// bind is "source as patterns | body".
func (c *compiler) bind(source node, patterns []*gojq.Pattern, b *binding, body func(*binding) node) node {
	names := patternNames(patterns)
	if len(patterns) == 1 && patterns[0].Name != "" {
		inner := body(b.push(aVariable, strings.TrimPrefix(patterns[0].Name, "$")))
		return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
			return source(m, s, in, nil, func(v any, _ *trail) error {
				return inner(m, &scope{s, v}, in, p, yield)
			})
		}
	}
	inner := b
	for _, name := range names {
		inner = inner.push(aVariable, name)
	}
	run := body(inner)
	destructure := make([]destructurer, len(patterns))
	for i, pattern := range patterns {
		destructure[i] = c.pattern(pattern, inner, names)
	}
	return func(m *machine, s *scope, in any, p *trail, yield yieldFunc) error {
		return source(m, s, in, nil, func(v any, _ *trail) error {
			return tryPatterns(m, s, destructure, len(names), v, func(s *scope) error { return run(m, s, in, p, yield) })
		})
	}
}

// destructurer takes a value apart: it sets the n variables at the end of the
// scope and goes on with then.
type destructurer func(m *machine, s *scope, v any, then func(*scope) error) error

// tryPatterns takes the first pattern whose body does not fail; the last one's
// error counts.
func tryPatterns(m *machine, s *scope, patterns []destructurer, n int, v any, then func(*scope) error) error {
	for i, d := range patterns {
		fresh := s
		for range n {
			fresh = &scope{fresh, nil}
		}
		err := d(m, fresh, v, then)
		if _, caught := err.(*Error); !caught || i == len(patterns)-1 {
			return err
		}
	}
	return nil
}

func patternNames(patterns []*gojq.Pattern) (names []string) {
	seen := map[string]bool{}
	var walk func(p *gojq.Pattern)
	add := func(name string) {
		if name = strings.TrimPrefix(name, "$"); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	walk = func(p *gojq.Pattern) {
		if p.Name != "" {
			add(p.Name)
		}
		for _, item := range p.Array {
			walk(item)
		}
		for _, item := range p.Object {
			if strings.HasPrefix(item.Key, "$") {
				add(item.Key)
			}
			if item.Val != nil {
				walk(item.Val)
			}
		}
	}
	for _, p := range patterns {
		walk(p)
	}
	return names
}

// set returns the scope with one of its last variables changed.
func (s *scope) set(up int, v any) *scope {
	if up == 0 {
		return &scope{s.parent, v}
	}
	return &scope{s.parent.set(up-1, v), s.value}
}

func (c *compiler) pattern(p *gojq.Pattern, b *binding, names []string) destructurer {
	place := func(name string) int {
		for i, n := range names {
			if n == strings.TrimPrefix(name, "$") {
				return len(names) - 1 - i
			}
		}
		return 0
	}
	switch {
	case p.Name != "":
		up := place(p.Name)
		return func(_ *machine, s *scope, v any, then func(*scope) error) error { return then(s.set(up, v)) }
	case len(p.Array) > 0:
		items := make([]destructurer, len(p.Array))
		for i, item := range p.Array {
			items[i] = c.pattern(item, b, names)
		}
		return func(m *machine, s *scope, v any, then func(*scope) error) error {
			return inTurn(m, s, items, then, func(i int) (any, error) { return index(m, v, float64(i)) })
		}
	}
	return c.objectPattern(p, b, names, place)
}

// inTurn destructures several values one after another.
func inTurn(m *machine, s *scope, items []destructurer, then func(*scope) error, value func(int) (any, error)) error {
	var next func(i int, s *scope) error
	next = func(i int, s *scope) error {
		if i == len(items) {
			return then(s)
		}
		v, err := value(i)
		if err != nil {
			return err
		}
		return items[i](m, s, v, func(s *scope) error { return next(i+1, s) })
	}
	return next(0, s)
}

func (c *compiler) objectPattern(p *gojq.Pattern, b *binding, names []string, place func(string) int) destructurer {
	items := make([]destructurer, len(p.Object))
	for i, item := range p.Object {
		var key node
		switch {
		case item.KeyString != nil:
			key = c.text(item.KeyString, nil, b)
		case item.KeyQuery != nil:
			key = c.query(item.KeyQuery, b)
		default:
			key = constant(strings.TrimPrefix(item.Key, "$"))
		}
		up := -1
		if strings.HasPrefix(item.Key, "$") {
			up = place(item.Key)
		}
		var inner destructurer
		if item.Val != nil {
			inner = c.pattern(item.Val, b, names)
		}
		items[i] = func(m *machine, s *scope, v any, then func(*scope) error) error {
			return key(m, s, v, nil, func(k any, _ *trail) error {
				if _, ok := k.(string); !ok {
					return failf("Cannot index %s with %s", kind(v), kind(k))
				}
				field, err := index(m, v, k)
				if err != nil {
					return err
				}
				if up >= 0 {
					s = s.set(up, field)
				}
				if inner == nil {
					return then(s)
				}
				return inner(m, s, field, then)
			})
		}
	}
	return func(m *machine, s *scope, v any, then func(*scope) error) error {
		return inTurn(m, s, items, then, func(int) (any, error) { return v, nil })
	}
}
