// Package gotemplate evaluates Go templates over trees of JSON: the part of
// text/template that kubectl's -o go-template needs, with its functions and its
// error texts. The parser is the original one; the evaluator is not, since the
// original keeps every exported method of a program alive.
//
// Models text/template/exec.go and funcs.go. Whole numbers of a tree are int64,
// those of a template int.
package gotemplate

import (
	"fmt"
	"strings"
	"text/template/parse"
)

// Template is a parsed template.
type Template struct {
	name  string
	trees map[string]*parse.Tree
	// strict makes a key that is missing an error.
	strict bool
}

// Parse reads a template; errors name it. With strict a key that is missing is
// an error and not <no value>.
func Parse(name, text string, strict bool) (*Template, error) {
	trees, err := parse.Parse(name, text, "", "", known)
	if err != nil {
		return nil, err
	}
	return &Template{name: name, trees: trees, strict: strict}, nil
}

// Execute runs the template over a tree. What was printed before an error is
// returned too.
func (t *Template) Execute(data any) (out string, err error) {
	s := &state{t: t, name: t.name, vars: []variable{{"$", data}}}
	defer func() {
		out = s.out.String()
		switch e := recover().(type) {
		case nil:
		case failure:
			err = e.err
		default:
			panic(e)
		}
	}()
	tree := t.trees[t.name]
	if tree == nil || tree.Root == nil {
		return "", fmt.Errorf("template: %s: %q is an incomplete or empty template", t.name, t.name)
	}
	s.walk(data, tree.Root)
	return s.out.String(), nil
}

// failure is an error on its way up.
type failure struct{ err error }

// control is a break or continue on its way up.
type control int

const (
	goOn control = iota
	breaks
	continues
)

type variable struct {
	name  string
	value any
}

// state is one execution.
type state struct {
	t     *Template
	name  string
	out   strings.Builder
	vars  []variable
	node  parse.Node
	depth int
}

// maxDepth bounds templates that call themselves.
const maxDepth = 1000

// at remembers which node is worked on, for errors.
func (s *state) at(n parse.Node) { s.node = n }

func (s *state) errorf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if s.node == nil {
		panic(failure{fmt.Errorf("template: %s: %s", s.name, text)})
	}
	tree := s.t.trees[s.name]
	location, context := tree.ErrorContext(s.node)
	panic(failure{fmt.Errorf("template: %s: executing %q at <%s>: %s", location, s.name, context, text)})
}

func (s *state) walk(dot any, n parse.Node) control {
	s.at(n)
	switch n := n.(type) {
	case *parse.ActionNode:
		v := s.pipeline(dot, n.Pipe)
		if len(n.Pipe.Decl) == 0 {
			s.print(n, v)
		}
	case *parse.ListNode:
		for _, sub := range n.Nodes {
			if c := s.walk(dot, sub); c != goOn {
				return c
			}
		}
	case *parse.TextNode:
		s.out.Write(n.Text)
	case *parse.IfNode:
		return s.branch(dot, n.Pipe, n.List, n.ElseList, false)
	case *parse.WithNode:
		return s.branch(dot, n.Pipe, n.List, n.ElseList, true)
	case *parse.RangeNode:
		s.loop(dot, n)
	case *parse.TemplateNode:
		s.template(dot, n)
	case *parse.BreakNode:
		return breaks
	case *parse.ContinueNode:
		return continues
	}
	return goOn
}

func (s *state) branch(dot any, pipe *parse.PipeNode, then, otherwise *parse.ListNode, with bool) control {
	mark := len(s.vars)
	defer func() { s.vars = s.vars[:mark] }()
	v := s.pipeline(dot, pipe)
	if truth(v) {
		if with {
			dot = v
		}
		return s.walk(dot, then)
	}
	if otherwise != nil {
		return s.walk(dot, otherwise)
	}
	return goOn
}

func (s *state) loop(dot any, n *parse.RangeNode) {
	mark := len(s.vars)
	defer func() { s.vars = s.vars[:mark] }()
	v := s.pipeline(dot, n.Pipe)
	mark2 := len(s.vars)
	keys, values, ok := elements(v)
	if !ok {
		s.errorf("range can't iterate over %v", show(v))
	}
	if len(values) == 0 {
		if n.ElseList != nil {
			s.walk(dot, n.ElseList)
		}
		return
	}
	for i, v := range values {
		switch decl := n.Pipe.Decl; len(decl) {
		case 1:
			s.setLast(decl[0].Ident[0], n.Pipe.IsAssign, v)
		case 2:
			s.setLast(decl[0].Ident[0], n.Pipe.IsAssign, keys[i])
			s.setLast(decl[1].Ident[0], n.Pipe.IsAssign, v)
		}
		c := s.walk(v, n.List)
		s.vars = s.vars[:mark2]
		if c == breaks {
			return
		}
	}
}

// setLast sets a variable of a range, which its pipeline declared.
func (s *state) setLast(name string, _ bool, v any) {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			s.vars[i].value = v
			return
		}
	}
	s.vars = append(s.vars, variable{name, v})
}

func (s *state) template(dot any, n *parse.TemplateNode) {
	tree := s.t.trees[n.Name]
	if tree == nil {
		s.errorf("template %q not defined", n.Name)
	}
	if s.depth++; s.depth > maxDepth {
		s.errorf("exceeded maximum template depth (%v)", maxDepth)
	}
	dot = s.pipeline(dot, n.Pipe)
	vars, name := s.vars, s.name
	s.vars, s.name = []variable{{"$", dot}}, n.Name
	s.walk(dot, tree.Root)
	s.vars, s.name = vars, name
	s.depth--
}

// pipeline evaluates commands, each with the result of the one before as its
// last argument.
func (s *state) pipeline(dot any, pipe *parse.PipeNode) any {
	if pipe == nil {
		return nil
	}
	s.at(pipe)
	var v any = noValue{}
	for i, cmd := range pipe.Cmds {
		v = s.command(dot, cmd, v, i > 0)
	}
	for _, d := range pipe.Decl {
		if pipe.IsAssign {
			s.setLast(d.Ident[0], true, v)
			continue
		}
		s.vars = append(s.vars, variable{d.Ident[0], v})
	}
	return v
}

func (s *state) command(dot any, cmd *parse.CommandNode, final any, hasFinal bool) any {
	first := cmd.Args[0]
	switch n := first.(type) {
	case *parse.FieldNode, *parse.ChainNode, *parse.VariableNode:
		v := s.arg(dot, first)
		if len(cmd.Args) > 1 || hasFinal {
			s.at(first)
			s.errorf("%s is not a method but has arguments", fieldName(first))
		}
		return v
	case *parse.IdentifierNode:
		return s.call(dot, n, cmd, final, hasFinal)
	case *parse.PipeNode:
		s.noArguments(cmd, hasFinal)
		return s.pipeline(dot, n)
	}
	s.at(first)
	s.noArguments(cmd, hasFinal)
	if _, ok := first.(*parse.NilNode); ok {
		s.errorf("nil is not a command")
	}
	return s.arg(dot, first)
}

func (s *state) noArguments(cmd *parse.CommandNode, hasFinal bool) {
	if len(cmd.Args) > 1 || hasFinal {
		s.errorf("can't give argument to non-function %s", cmd.Args[0])
	}
}

func fieldName(n parse.Node) string {
	switch n := n.(type) {
	case *parse.FieldNode:
		return n.Ident[len(n.Ident)-1]
	case *parse.ChainNode:
		return n.Field[len(n.Field)-1]
	case *parse.VariableNode:
		return n.Ident[len(n.Ident)-1]
	}
	return n.String()
}
