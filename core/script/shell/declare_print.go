package shell

import (
	"fmt"
	"maps"
	"strings"
)

func (s *sh) declareFuncs(d *declaration, items []declItem) {
	for _, item := range items {
		f := s.funcs[item.name]
		switch {
		case f == nil:
			s.status = 1
		case d.on&readonly != 0:
			names := map[string]bool{item.name: true} // a subshell's own
			maps.Copy(names, s.roFuncs)
			s.roFuncs = names
		case d.on&exported != 0:
			s.ownFuncs()
			s.funcs[item.name] = &function{f.decl, f.unit, !d.unexport}
		case d.only:
			fmt.Fprintln(s.stdout(), item.name)
		default:
			s.printFunc(f)
		}
	}
	if len(items) > 0 {
		return
	}
	for _, name := range sortedKeys(s.funcs) {
		if d.only {
			fmt.Fprintln(s.stdout(), "declare -f "+name)
		} else {
			s.printFunc(s.funcs[name])
		}
	}
}

func (s *sh) printFunc(f *function) { fmt.Fprint(s.stdout(), functionText(f)) }

func (s *sh) printVars(d *declaration, items []declItem) {
	if len(items) == 0 {
		for _, name := range sortedKeys(s.vars) {
			v := s.vars[name]
			if d.on != 0 && v.attr&d.on == 0 || d.list && v.list == nil || d.dict && v.dict == nil || v.name == "_" {
				continue
			}
			if d.name == "local" && v.level != len(s.frames) {
				continue
			}
			s.printVar(v)
		}
		return
	}
	for _, item := range items {
		v := s.vars[item.name]
		if v != nil && v.dynamic != nil || v == nil {
			v = s.lookup(item.name)
		}
		if v == nil {
			s.errorf("%s: %s: not found", d.name, item.name)
			s.status = 1
			continue
		}
		s.printVar(v)
	}
}

func (s *sh) printVar(v *variable) {
	flags := v.flags()
	if flags == "" {
		flags = "-"
	}
	text := "declare -" + flags + " " + v.name
	switch {
	case v.array() && v.set:
		text += "=" + v.body(quoteElem)
	case v.set && !v.array():
		text += "=" + quoteElem(v.str)
	}
	fmt.Fprintln(s.stdout(), text)
}

// flags are the letters of the attributes. Models var_attribute_string.
func (v *variable) flags() string {
	var b strings.Builder
	for _, f := range []struct {
		on     bool
		letter string
	}{
		{v.list != nil, "a"}, {v.dict != nil, "A"}, {v.is(integer), "i"}, {v.is(nameref), "n"},
		{v.is(readonly), "r"}, {v.is(exported), "x"}, {v.is(lower), "l"}, {v.is(upper), "u"},
	} {
		if f.on {
			b.WriteString(f.letter)
		}
	}
	return b.String()
}

// body prints an array as declare -p does.
func (v *variable) body(quote func(string) string) string {
	var b strings.Builder
	b.WriteByte('(')
	keys, vals := v.subscripts(), v.values()
	for i := range keys {
		key := keys[i]
		if v.dict != nil {
			key = quoteKey(key)
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("[" + key + "]=" + quote(vals[i]))
		if v.dict != nil {
			b.WriteByte(' ')
		}
	}
	return b.String() + ")"
}
