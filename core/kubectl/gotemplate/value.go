package gotemplate

import (
	"fmt"
	"strconv"
	"text/template/parse"

	"github.com/reconcile-playground/reconcile/core/object"
)

// noValue is what is not there: it prints as <no value>.
type noValue struct{}

// arg evaluates an operand.
func (s *state) arg(dot any, n parse.Node) any {
	s.at(n)
	switch n := n.(type) {
	case *parse.DotNode:
		return dot
	case *parse.NilNode:
		return nil
	case *parse.FieldNode:
		return s.fields(dot, n, n.Ident)
	case *parse.VariableNode:
		return s.fields(s.variable(n.Ident[0]), n, n.Ident[1:])
	case *parse.ChainNode:
		if _, ok := n.Node.(*parse.NilNode); ok {
			s.errorf("indirection through explicit nil in %s", n)
		}
		v := s.arg(dot, n.Node)
		return s.fields(v, n, n.Field)
	case *parse.PipeNode:
		return s.pipeline(dot, n)
	case *parse.IdentifierNode:
		return s.call(dot, n, &parse.CommandNode{Args: []parse.Node{n}}, nil, false)
	case *parse.BoolNode:
		return n.True
	case *parse.StringNode:
		return n.Text
	case *parse.NumberNode:
		return s.number(n)
	}
	s.errorf("can't evaluate command %q", n)
	return nil
}

func (s *state) number(n *parse.NumberNode) any {
	switch {
	case n.IsComplex && !n.IsFloat && !n.IsInt:
		s.errorf("complex numbers are not supported")
	case n.IsInt && !hasFraction(n.Text):
		return int(n.Int64)
	case n.IsFloat:
		return n.Float64
	case n.IsInt:
		return int(n.Int64)
	}
	s.errorf("%s overflows int", n.Text)
	return nil
}

func hasFraction(text string) bool {
	if _, err := strconv.ParseInt(text, 0, 64); err == nil {
		return false
	}
	for _, c := range text {
		switch c {
		case '.', 'e', 'E', 'p', 'P':
			return true
		}
	}
	return false
}

func (s *state) variable(name string) any {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			return s.vars[i].value
		}
	}
	s.errorf("undefined variable: %s", name)
	return nil
}

func (s *state) fields(v any, n parse.Node, names []string) any {
	for _, name := range names {
		s.at(n)
		v = s.field(v, name)
	}
	return v
}

func (s *state) field(v any, name string) any {
	switch v := v.(type) {
	case noValue:
		if s.t.strict {
			s.errorf("nil data; no entry for key %q", name)
		}
		return noValue{}
	case *object.Map:
		x, ok := v.Get(name)
		if !ok {
			if s.t.strict {
				s.errorf("map has no entry for key %q", name)
			}
			return noValue{}
		}
		return x
	case nil:
		s.errorf("nil pointer evaluating interface {}.%s", name)
	}
	s.errorf("can't evaluate field %s in type %s", name, typeName(v))
	return nil
}

// typeName is the Go type of a value found in a tree.
func typeName(v any) string {
	switch v.(type) {
	case int:
		return "int"
	}
	return "interface {}"
}

// truth is what if and with go by.
func truth(v any) bool {
	switch v := v.(type) {
	case nil, noValue:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case int:
		return v != 0
	case int64:
		return v != 0
	case float64:
		return v != 0
	case *object.Map:
		return v.Len() > 0
	case *object.List:
		return v.Len() > 0
	}
	return true
}

// elements are what range goes over.
func elements(v any) (keys, values []any, ok bool) {
	switch v := v.(type) {
	case nil, noValue:
		return nil, nil, true
	case *object.Map:
		for k, x := range v.All() {
			keys, values = append(keys, k), append(values, x)
		}
		return keys, values, true
	case *object.List:
		for i, x := range v.All() {
			keys, values = append(keys, i), append(values, x)
		}
		return keys, values, true
	case int:
		for i := range v {
			keys, values = append(keys, i), append(values, i)
		}
		return keys, values, true
	case int64:
		for i := range v {
			keys, values = append(keys, i), append(values, i)
		}
		return keys, values, true
	}
	return nil, nil, false
}

// plain makes of a value Go's own, for printing.
func plain(v any) any {
	if _, missing := v.(noValue); missing {
		return nil
	}
	return object.ToAny(v)
}

// show prints a value for people.
func show(v any) string {
	switch v := v.(type) {
	case noValue:
		return "<no value>"
	case nil:
		return "<nil>"
	default:
		return fmt.Sprint(plain(v))
	}
}

func (s *state) print(_ parse.Node, v any) {
	switch v.(type) {
	case nil, noValue:
		s.out.WriteString("<no value>")
		return
	}
	s.out.WriteString(fmt.Sprint(plain(v)))
}
