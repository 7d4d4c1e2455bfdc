package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment carries out name=value in front of no command, or as an argument of
// declare. It reports false, having said so, where the variable is readonly.
func (s *sh) assignment(a *syntax.Assign) bool {
	name, sub, isElem := s.resolve(a.Name.Value)
	switch {
	case isElem:
		return s.setElem(name, sub, s.value(a.Value), a.Append)
	case a.Array != nil:
		return s.assignArray(name, s.arrayElems(a), a.Append)
	case a.Index != nil:
		key := s.subscript(name, a.Index)
		if v := s.lookup(name); key == "" && v != nil && v.dict != nil {
			s.report("%s[%s]: bad array subscript", name, s.unit.source(a.Index))
			return false
		}
		return s.setElem(name, key, s.value(a.Value), a.Append)
	}
	value := s.value(a.Value)
	if a.Append {
		return s.appendTo(name, value)
	}
	return s.setVar(name, value)
}

func (s *sh) appendTo(name, value string) bool {
	v, ok := s.writable(name)
	if !ok {
		return false
	}
	old, _ := v.first()
	s.assign(v, s.sum(v, old, value))
	return true
}

// arrayElem is one word of name=( ), expanded.
type arrayElem struct {
	index syntax.ArithmExpr // of [index]=value
	key   string
	vals  []string
}

// arrayElems expands the words of name=( ), keys aside.
func (s *sh) arrayElems(a *syntax.Assign) []arrayElem {
	var elems []arrayElem
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			elems = append(elems, arrayElem{index: e.Index, vals: []string{s.value(e.Value)}})
		} else {
			elems = append(elems, arrayElem{vals: s.fields([]*syntax.Word{e.Value})})
		}
	}
	return elems
}

// assignArray is name=( ) and name+=( ). Models assign_compound_array_list.
func (s *sh) assignArray(name string, elems []arrayElem, add bool) bool {
	old := s.lookup(name)
	for i, e := range elems {
		if e.index != nil {
			elems[i].key = s.subscript(name, e.index)
		}
	}
	v, ok := s.writable(name)
	if !ok {
		return false
	}
	if old != nil && old.dict != nil {
		v.set = true
		if !add {
			v.dict = newDict(s)
		}
		s.own(v)
		var flat []string
		for _, e := range elems {
			if e.index != nil {
				s.setElem(name, e.key, e.vals[0], false)
			} else {
				flat = append(flat, e.vals...)
			}
		}
		for i := 0; i < len(flat); i += 2 {
			value := ""
			if i+1 < len(flat) {
				value = flat[i+1]
			}
			s.setElem(name, flat[i], value, false)
		}
		return true
	}
	s.listify(v)
	v.set = true
	if !add {
		v.list = &indexed{owner: s}
	}
	s.own(v)
	next := v.list.next()
	for _, e := range elems {
		if e.index != nil {
			next = int(s.arithText(e.key))
		}
		for _, val := range e.vals {
			if !s.setIndex(v, next, val, false) {
				return false
			}
			next++
		}
	}
	return true
}

// declaration is a call of declare, local, export or readonly.
type declaration struct {
	name        string
	on, off     attr
	list, dict  bool
	global      bool
	print       bool
	funcs, only bool // -f, -F
	unexport    bool
	failed      bool
}

// declItem is one argument that is no option.
type declItem struct {
	name     string
	value    string
	has, add bool
	sub      string
	isElem   bool
	// list are the words of name=( ).
	list   []arrayElem
	isList bool
	// assign is name[key]=value as the syntax tree has it.
	assign *syntax.Assign
}

// declClause runs declare and its like as the syntax tree has them.
func (s *sh) declClause(c *syntax.DeclClause) {
	s.subst = -1
	open := len(s.subs)
	d := &declaration{name: c.Variant.Value}
	var items []declItem
	options := true
	for _, a := range c.Args {
		if a.Name != nil {
			options = false
			items = append(items, s.declArg(a))
			continue
		}
		for _, arg := range s.fields([]*syntax.Word{a.Value}) {
			if options = options && s.declOption(d, arg); options || d.failed {
				continue
			}
			items = append(items, parseItem(arg))
		}
	}
	s.declare(d, items)
	s.closeSubs(open)
	s.setPipes(s.status)
}

// declArg is one name or assignment, its value expanded before anything is declared.
func (s *sh) declArg(a *syntax.Assign) declItem {
	item := declItem{name: a.Name.Value, has: !a.Naked, add: a.Append}
	switch {
	case a.Array != nil:
		item.isList, item.list = true, s.arrayElems(a)
	case a.Index != nil:
		item.assign = a
	case item.has:
		item.value = s.value(a.Value)
	}
	return item
}

// parseItem reads name=value of an argument.
func parseItem(arg string) declItem {
	name, value, has := strings.Cut(arg, "=")
	item := declItem{name: name, value: value, has: has}
	if has && strings.HasSuffix(name, "+") {
		item.name, item.add = name[:len(name)-1], true
	}
	if base, sub, ok := strings.Cut(item.name, "["); ok && strings.HasSuffix(sub, "]") {
		item.name, item.sub, item.isElem = base, sub[:len(sub)-1], true
	}
	return item
}

// declOption reads one argument of options; it reports false for one that is
// none.
func (s *sh) declOption(d *declaration, arg string) bool {
	if arg == "--" || len(arg) < 2 || arg[0] != '-' && arg[0] != '+' {
		if arg == "--" {
			return true
		}
		return false
	}
	for _, c := range arg[1:] {
		a, ok := map[rune]attr{'x': exported, 'r': readonly, 'i': integer, 'l': lower, 'u': upper, 'n': nameref}[c]
		switch {
		case c == 'n' && d.name == "export":
			d.unexport = true
		case ok && arg[0] == '-':
			d.on |= a
		case ok:
			d.off |= a
		case c == 'a':
			d.list = true
		case c == 'A':
			d.dict = true
		case c == 'g':
			d.global = true
		case c == 'p':
			d.print = true
		case c == 'f':
			d.funcs = true
		case c == 'F':
			d.funcs, d.only = true, true
		case c == 't' || c == 'I':
			s.e.stop("refused", "line %d: %s -%c is not supported", s.line, d.name, c)
		default:
			s.errorf("%s: -%c: invalid option", d.name, c)
			d.failed = true
			return true
		}
	}
	return true
}

func (s *sh) declare(d *declaration, items []declItem) {
	if d.failed {
		s.status = 2
		return
	}
	switch d.name {
	case "export":
		d.on |= exported
	case "readonly":
		d.on |= readonly
	case "nameref":
		d.on |= nameref
	case "local":
		if len(s.frames) == 0 || !s.inFunction() {
			s.errorf("local: can only be used in a function")
			s.status = 1
			return
		}
	}
	if d.funcs {
		s.status = 0
		s.declareFuncs(d, items)
		return
	}
	if len(items) == 0 || d.print && d.name != "local" {
		s.status = 0
		s.printVars(d, items)
		return
	}
	status := 0
	for _, item := range items {
		if !s.declareOne(d, item) {
			status = 1
		}
	}
	s.status = status
}

func (s *sh) inFunction() bool {
	for _, f := range s.frames {
		if f.name != "source" {
			return true
		}
	}
	return false
}

// declareOne gives a variable its attributes and its value.
func (s *sh) declareOne(d *declaration, item declItem) bool {
	name := item.name
	if name == "-" && d.name == "local" {
		opts := s.opts
		s.frames[len(s.frames)-1].opts = &opts
		return true
	}
	if !syntax.ValidName(name) {
		s.errorf("%s: `%s': not a valid identifier", d.name, item.text())
		return false
	}
	isLocal := d.name == "local" || (d.name == "declare" || d.name == "typeset") && s.inFunction() && !d.global
	v, ok := s.declared(d, item, isLocal)
	if !ok {
		return false
	}
	name = v.name
	if d.dict && v.dict == nil {
		if v.list != nil {
			s.errorf("%s: %s: cannot convert indexed to associative array", d.name, name)
			return false
		}
		v.dict = newDict(s)
		v.str, v.set = "", false
	}
	if d.list && v.list == nil {
		if v.dict != nil {
			s.errorf("%s: %s: cannot convert associative to indexed array", d.name, name)
			return false
		}
		set := v.set
		s.listify(v)
		v.set = set
	}
	v.attr |= d.on &^ readonly
	v.attr &^= d.off &^ readonly
	if d.on&upper != 0 {
		v.attr &^= lower
	} else if d.on&lower != 0 {
		v.attr &^= upper
	}
	if d.unexport {
		v.attr &^= exported
	}
	if item.has && !s.declValue(d, item, v) {
		return false
	}
	s.vars[name].attr |= d.on & readonly
	if name == "IFS" {
		s.noticed("IFS")
	}
	return true
}

// declared finds or makes the variable that a declaration is about.
func (s *sh) declared(d *declaration, item declItem, isLocal bool) (*variable, bool) {
	name := item.name
	if isLocal {
		old := s.vars[name]
		v := s.local(d.name, name)
		if v == nil {
			return nil, false
		}
		if v.is(readonly) && (item.has || d.off&readonly != 0) {
			s.errorf("%s: %s: readonly variable", d.name, name)
			return nil, false
		}
		if d.on&nameref == 0 && v.is(nameref) && v.prev == old {
			v.attr &^= nameref
		}
		return v, true
	}
	if d.on&nameref == 0 && d.off&nameref == 0 {
		name, _, _ = s.resolve(name)
	}
	v := s.mine(name)
	if v.is(readonly) && (item.has || d.off&readonly != 0) {
		if d.name == "declare" || d.name == "typeset" {
			name = d.name + ": " + name
		}
		s.errorf("%s: readonly variable", name)
		return nil, false
	}
	return v, true
}

func (s *sh) declValue(d *declaration, item declItem, v *variable) bool {
	if v.is(nameref) {
		value := item.value
		base, _, _ := strings.Cut(value, "[")
		if !syntax.ValidName(base) {
			s.errorf("%s: `%s': invalid variable name for name reference", d.name, value)
			return false
		}
		if value == v.name && v.level == 0 {
			s.errorf("%s: %s: nameref variable self references not allowed", d.name, value)
			return false
		}
		v.str, v.set = value, true
		return true
	}
	switch {
	case item.assign != nil:
		return s.assignment(item.assign)
	case item.isList:
		return s.assignArray(v.name, item.list, item.add)
	case item.isElem:
		return s.setElem(v.name, item.sub, item.value, item.add)
	case (d.list || d.dict || v.array()) && strings.HasPrefix(item.value, "(") && strings.HasSuffix(item.value, ")"):
		u, ok := s.parse(v.name+"="+item.value, d.name)
		if ok {
			s.text(u)
		}
		return ok
	case item.add:
		return s.appendTo(v.name, item.value)
	}
	s.assign(v, item.value)
	return true
}

// text is the argument as it was given.
func (i declItem) text() string {
	t := i.name
	if i.isElem {
		t += "[" + i.sub + "]"
	}
	if i.has {
		t += "=" + i.value
	}
	return t
}
