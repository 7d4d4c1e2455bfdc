package gotemplate

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"text/template/parse"

	"github.com/reconcile-playground/reconcile/core/object"
)

// function is one that templates call; a negative count is at least as many.
type function struct {
	args int
	call func(args []any) (any, error)
}

var functions = map[string]function{
	"not":          {1, func(a []any) (any, error) { return !truth(a[0]), nil }},
	"len":          {1, func(a []any) (any, error) { return length(a[0]) }},
	"index":        {-1, index},
	"slice":        {-1, slice},
	"print":        {0 - 9, func(a []any) (any, error) { return fmt.Sprint(all(a)...), nil }},
	"println":      {0 - 9, func(a []any) (any, error) { return fmt.Sprintln(all(a)...), nil }},
	"printf":       {-1, printf},
	"html":         {0 - 9, func(a []any) (any, error) { return escapeHTML.Replace(fmt.Sprint(all(a)...)), nil }},
	"js":           {0 - 9, func(a []any) (any, error) { return escapeJS.Replace(fmt.Sprint(all(a)...)), nil }},
	"urlquery":     {0 - 9, func(a []any) (any, error) { return url.QueryEscape(fmt.Sprint(all(a)...)), nil }},
	"call":         {-1, func([]any) (any, error) { return nil, fmt.Errorf("call of nil") }},
	"eq":           {-1, equal},
	"ne":           {2, func(a []any) (any, error) { v, err := same(a[0], a[1]); return !v, err }},
	"lt":           {2, func(a []any) (any, error) { return less(a[0], a[1]) }},
	"le":           {2, lessOrEqual},
	"gt":           {2, func(a []any) (any, error) { v, err := lessOrEqual(a); return err == nil && !v.(bool), err }},
	"ge":           {2, func(a []any) (any, error) { v, err := less(a[0], a[1]); return err == nil && !v, err }},
	"exists":       {-1, exists},
	"base64decode": {1, decode64},
}

// known is what the parser takes as functions.
var known = func() map[string]any {
	m := map[string]any{"and": true, "or": true}
	for _, name := range strings.Fields("not len index slice print println printf html js urlquery call eq ne lt le gt ge exists base64decode") {
		m[name] = true
	}
	return m
}()

var (
	escapeHTML = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", `'`, "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;")
	escapeJS   = strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, "<", `\u003C`, ">", `\u003E`, "&", `\u0026`, "=", `\u003D`, "\n", `\u000A`)
)

func all(args []any) []any {
	out := make([]any, len(args))
	for i, a := range args {
		out[i] = plain(a)
	}
	return out
}

// call evaluates a function; and and or stop as soon as the answer is known.
func (s *state) call(dot any, n *parse.IdentifierNode, cmd *parse.CommandNode, final any, hasFinal bool) any {
	name := n.Ident
	if name == "and" || name == "or" {
		return s.junction(dot, name, cmd, final, hasFinal)
	}
	f := functions[name]
	var args []any
	for _, a := range cmd.Args[1:] {
		args = append(args, s.arg(dot, a))
	}
	if hasFinal {
		args = append(args, final)
	}
	s.at(n)
	switch {
	case f.args >= 0 && len(args) != f.args:
		s.errorf("wrong number of args for %s: want %d got %d", name, f.args, len(args))
	case f.args == -1 && len(args) == 0:
		s.errorf("wrong number of args for %s: want at least 1 got 0", name)
	}
	v, err := f.call(args)
	if err != nil {
		s.at(cmd)
		s.errorf("error calling %s: %v", name, err)
	}
	return v
}

func (s *state) junction(dot any, name string, cmd *parse.CommandNode, final any, hasFinal bool) any {
	count := len(cmd.Args) - 1
	if count == 0 && !hasFinal {
		s.errorf("wrong number of args for %s: want at least 1 got 0", name)
	}
	var v any
	for _, a := range cmd.Args[1:] {
		if v = s.arg(dot, a); truth(v) == (name == "or") {
			return v
		}
	}
	if hasFinal {
		v = final
	}
	return v
}

func length(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return len(v), nil
	case *object.Map:
		return v.Len(), nil
	case *object.List:
		return v.Len(), nil
	case nil, noValue:
		return nil, fmt.Errorf("len of nil pointer")
	}
	return nil, fmt.Errorf("len of type %s", goType(v))
}

func index(args []any) (any, error) {
	v := args[0]
	for _, key := range args[1:] {
		switch x := v.(type) {
		case *object.Map:
			name, ok := key.(string)
			if !ok {
				return nil, fmt.Errorf("value has type %s; should be string", goType(key))
			}
			found, ok := x.Get(name)
			if !ok {
				found = noValue{}
			}
			v = found
		case *object.List:
			i, err := position(key, x.Len())
			if err != nil {
				return nil, err
			}
			v = x.At(i)
		case string:
			i, err := position(key, len(x))
			if err != nil {
				return nil, err
			}
			v = int64(x[i])
		case nil, noValue:
			return nil, fmt.Errorf("index of untyped nil")
		default:
			return nil, fmt.Errorf("can't index item of type %s", goType(v))
		}
	}
	return v, nil
}

func position(key any, size int) (int, error) {
	if basicKind(key) != intKind {
		return 0, fmt.Errorf("cannot index slice/array with type %s", goType(key))
	}
	i := whole(key)
	if i < 0 || int(i) >= size {
		return 0, fmt.Errorf("index out of range: %d", i)
	}
	return int(i), nil
}

func slice(args []any) (any, error) {
	bounds := func(size int) (int, int, error) {
		at := []int{0, size}
		for i, key := range args[1:] {
			if basicKind(key) != intKind {
				return 0, 0, fmt.Errorf("cannot index slice/array with type %s", goType(key))
			}
			n := whole(key)
			if n < 0 || int(n) > size || i > 1 {
				return 0, 0, fmt.Errorf("index out of range: %d", n)
			}
			at[i] = int(n)
		}
		if at[0] > at[1] {
			return 0, 0, fmt.Errorf("invalid slice index: %d > %d", at[0], at[1])
		}
		return at[0], at[1], nil
	}
	switch v := args[0].(type) {
	case string:
		from, to, err := bounds(len(v))
		if err != nil {
			return nil, err
		}
		return v[from:to], nil
	case *object.List:
		from, to, err := bounds(v.Len())
		if err != nil {
			return nil, err
		}
		var items []any
		for i := from; i < to; i++ {
			items = append(items, v.At(i))
		}
		return object.NewList(items...), nil
	}
	return nil, fmt.Errorf("can't slice item of type %s", goType(args[0]))
}

func printf(args []any) (any, error) {
	format, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("wrong type for value; expected string; got %s", goType(args[0]))
	}
	return fmt.Sprintf(format, all(args[1:])...), nil
}

func decode64(args []any) (any, error) {
	text, _ := args[0].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("base64 decode failed: %v", err)
	}
	return string(data), nil
}

func exists(args []any) (any, error) {
	v := args[0]
	for _, key := range args[1:] {
		switch x := v.(type) {
		case *object.Map:
			name, _ := key.(string)
			v, _ = x.Get(name)
		case *object.List:
			i := whole(key)
			if basicKind(key) != intKind || i < 0 || int(i) >= x.Len() {
				return false, nil
			}
			v = x.At(int(i))
		default:
			return false, nil
		}
	}
	_, missing := v.(noValue)
	return v != nil && !missing, nil
}
