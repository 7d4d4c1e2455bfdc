package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// value is what a parameter stands for: a string, or the list of $@ or a[@].
type pvalue struct {
	str  string
	list []string
	// many: it is a list; star: of the * kind, which joins between quotes.
	many, star bool
	set        bool
}

// null reports whether the value counts as empty for :- and its like.
func (p pvalue) null() bool {
	if p.many {
		return len(p.list) == 0 || len(p.list) == 1 && p.list[0] == ""
	}
	return !p.set || p.str == ""
}

// each changes every element.
func (p pvalue) each(f func(string) string) pvalue {
	if !p.many {
		p.str = f(p.str)
		return p
	}
	list := make([]string, len(p.list))
	for i, v := range p.list {
		list[i] = f(v)
	}
	p.list = list
	return p
}

// isAt reports whether "$x" may be no field at all.
func (s *sh) isAt(pe *syntax.ParamExp) bool {
	if pe.Length {
		return false
	}
	name := pe.Param.Value
	if pe.Names == syntax.NamesPrefixWords {
		return true
	}
	if pe.Excl && pe.Index == nil {
		return strings.HasSuffix(s.get(name), "[@]") || s.get(name) == "@"
	}
	return name == "@" || pe.Index != nil && indexLit(pe.Index) == "@"
}

// indexLit is a subscript that is one literal: @ and * among them.
func indexLit(x syntax.ArithmExpr) string {
	if word, ok := x.(*syntax.Word); ok && len(word.Parts) == 1 {
		if lit, ok := word.Parts[0].(*syntax.Lit); ok {
			return lit.Value
		}
	}
	return ""
}

// param appends the expansion of a parameter.
func (w *words) param(pe *syntax.ParamExp, quoted bool) {
	s := w.s
	if pe.Length {
		w.emit(pvalue{str: itoa(s.length(pe)), set: true}, quoted)
		return
	}
	v := s.parameter(pe)
	if pe.Exp != nil {
		switch pe.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
			syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
			w.fallback(pe, v, quoted)
			return
		}
	}
	if !v.set && !(v.many && pe.Exp == nil) {
		s.unbound(pe)
	}
	switch {
	case pe.Slice != nil:
		v = s.slice(pe, v)
	case pe.Repl != nil:
		v = s.replace(pe.Repl, v)
	case pe.Exp != nil:
		v = s.operate(pe, v)
	}
	w.emit(v, quoted)
}

// emit appends a value: a list between quotes is as many fields.
func (w *words) emit(v pvalue, quoted bool) {
	s := w.s
	switch {
	case !v.many && quoted:
		w.open = true
		w.put(v.str, true)
	case !v.many:
		w.split(v.str)
	case v.star && quoted, w.mode != toFields && v.star:
		w.put(strings.Join(v.list, s.joiner()), quoted)
	case w.mode != toFields:
		w.put(strings.Join(v.list, " "), quoted)
	default:
		w.emitList(v.list, quoted)
	}
}

func (w *words) emitList(list []string, quoted bool) {
	for i, t := range list {
		if i > 0 {
			w.flush()
			w.blank = false
		}
		if quoted {
			w.open = true
			w.put(t, true)
			continue
		}
		w.split(t)
	}
}

// unbound ends the shell where nounset is on.
func (s *sh) unbound(pe *syntax.ParamExp) {
	if !s.opts.nounset || pe.Param.Value == "@" || pe.Param.Value == "*" {
		return
	}
	if pe.Index != nil && (indexLit(pe.Index) == "@" || indexLit(pe.Index) == "*") {
		return
	}
	name := pe.Param.Value
	if pe.Index != nil {
		name += "[" + s.unit.source(pe.Index) + "]"
	}
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "$" + name
	}
	s.fatal(1, "%s: unbound variable", name)
}

// fallback is ${x:-word} and its like.
func (w *words) fallback(pe *syntax.ParamExp, v pvalue, quoted bool) {
	s := w.s
	absent := !v.set
	if v.many && (pe.Param.Value == "@" || pe.Param.Value == "*" || len(v.list) == 0) {
		absent = len(v.list) == 0
	}
	switch pe.Exp.Op {
	case syntax.AlternateUnset:
		if !absent {
			w.alternative(pe.Exp.Word, quoted)
		}
		return
	case syntax.AlternateUnsetOrNull:
		if !absent && !v.null() {
			w.alternative(pe.Exp.Word, quoted)
		}
		return
	case syntax.DefaultUnsetOrNull, syntax.ErrorUnsetOrNull, syntax.AssignUnsetOrNull:
		absent = absent || v.null()
	}
	if !absent {
		w.emit(v, quoted)
		return
	}
	switch pe.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		w.alternative(pe.Exp.Word, quoted)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		text := s.string(pe.Exp.Word)
		if text == "" && pe.Exp.Op == syntax.ErrorUnsetOrNull {
			text = "parameter null or not set"
		} else if text == "" {
			text = "parameter not set"
		}
		s.fatal(1, "%s: %s", s.display(pe), text)
	default:
		text := s.string(pe.Exp.Word)
		if !s.setParam(pe, text) {
			s.e.throw(discard{status: 1})
		}
		w.emit(pvalue{str: text, set: true}, quoted)
	}
}

// display is how messages name a parameter.
func (s *sh) display(pe *syntax.ParamExp) string {
	name := pe.Param.Value
	if pe.Index != nil {
		name += "[" + s.unit.source(pe.Index) + "]"
	}
	return name
}

func (s *sh) setParam(pe *syntax.ParamExp, text string) bool {
	name := pe.Param.Value
	if pe.Excl {
		name = s.get(name)
	}
	if !syntax.ValidName(name) {
		s.errorf("$%s: cannot assign in this way", name)
		return false
	}
	if pe.Index != nil {
		return s.setElem(name, s.subscript(name, pe.Index), text, false)
	}
	return s.setVar(name, text)
}

// alternative appends the word of ${x:-word}; between double quotes it is as if
// quoted itself.
func (w *words) alternative(word *syntax.Word, quoted bool) {
	if word == nil {
		return
	}
	if quoted {
		w.open = true
	}
	for i, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && !quoted && w.mode == toFields {
			w.splitLit(lit.Value, i == 0)
			continue
		} else if ok && quoted {
			w.escaped(lit.Value, "$`\"\\}")
			continue
		}
		w.part(part, quoted, i == 0, len(word.Parts) == 1)
	}
}

// splitLit appends a literal of an unquoted ${x:-a b}: blanks end fields in it.
func (w *words) splitLit(t string, first bool) {
	if first && strings.HasPrefix(t, "~") {
		t = w.tilde(t, true)
	}
	for {
		i := strings.IndexByte(t, '\\')
		if i < 0 || i+1 == len(t) {
			w.split(t)
			return
		}
		w.split(t[:i])
		_, n := utf8.DecodeRuneInString(t[i+1:])
		w.put(t[i+1:i+1+n], true)
		t = t[i+1+n:]
	}
}

// parameter finds the value that the operators work on.
func (s *sh) parameter(pe *syntax.ParamExp) pvalue {
	name := pe.Param.Value
	switch {
	case pe.Names != 0:
		list := s.namesWith(name)
		return pvalue{list: list, many: true, star: pe.Names == syntax.NamesPrefix, set: true}
	case pe.Excl && pe.Index != nil && (indexLit(pe.Index) == "@" || indexLit(pe.Index) == "*"):
		v := s.lookup(name)
		if v == nil {
			return pvalue{many: true, star: indexLit(pe.Index) == "*"}
		}
		return pvalue{list: v.subscripts(), many: true, star: indexLit(pe.Index) == "*", set: true}
	case pe.Excl:
		return s.indirect(pe)
	case pe.Index != nil:
		return s.element(name, pe.Index)
	}
	return s.named(name)
}

// named is the value of $name.
func (s *sh) named(name string) pvalue {
	if len(name) > 0 && (name[0] == '_' && len(name) > 1 || name[0] >= 'A' && name[0] <= 'Z' || name[0] >= 'a' && name[0] <= 'z') {
		v := s.lookup(name)
		if v == nil {
			if base, sub, ok := s.resolve(name); ok {
				return s.elementText(base, sub)
			}
			return pvalue{}
		}
		str, set := v.first()
		return pvalue{str: str, set: set}
	}
	switch name {
	case "@", "*":
		return pvalue{list: s.params, many: true, star: name == "*", set: len(s.params) > 0}
	}
	str, set := s.special(name)
	return pvalue{str: str, set: set}
}

// special is the value of $1, $#, $? and the like.
func (s *sh) special(name string) (string, bool) {
	switch name {
	case "#":
		return itoa(len(s.params)), true
	case "?":
		return itoa(s.status), true
	case "$":
		return "4242", true
	case "!":
		return "", false
	case "-":
		return s.opts.flags(), true
	case "_":
		return s.last, true
	case "0":
		return s.name0, true
	}
	if n, ok := number(name); ok && n >= 1 {
		if n > len(s.params) {
			return "", false
		}
		return s.params[n-1], true
	}
	return "", false
}

func (s *sh) namesWith(prefix string) []string {
	var list []string
	for _, name := range sortedKeys(s.vars) {
		if v := s.vars[name]; strings.HasPrefix(name, prefix) && (v.set || v.dynamic != nil) {
			list = append(list, name)
		}
	}
	return list
}

// indirect is ${!name}: the value of what name holds the name of; of a
// reference, the name that it refers to.
func (s *sh) indirect(pe *syntax.ParamExp) pvalue {
	name := pe.Param.Value
	if v := s.vars[name]; v != nil && v.is(nameref) && pe.Index == nil {
		return pvalue{str: v.str, set: v.set}
	}
	var at pvalue
	if pe.Index != nil {
		at = s.element(name, pe.Index)
	} else {
		at = s.named(name)
	}
	target := at.str
	if !at.set {
		s.errorf("%s: invalid indirect expansion", s.unit.text[pe.Param.Pos().Offset():pe.Param.End().Offset()])
		s.e.throw(discard{status: 1})
	}
	if base, rest, ok := strings.Cut(target, "["); ok && syntax.ValidName(base) {
		return s.elementText(base, strings.TrimSuffix(rest, "]"))
	}
	if !syntax.ValidName(target) && !specialName(target) {
		s.errorf("%s: invalid variable name", target)
		s.e.throw(discard{status: 1})
	}
	return s.named(target)
}

func specialName(name string) bool {
	if _, ok := number(name); ok {
		return true
	}
	return len(name) == 1 && strings.Contains("@*#?$!-_", name)
}

// element is ${name[index]}.
func (s *sh) element(name string, index syntax.ArithmExpr) pvalue {
	if lit := indexLit(index); lit == "@" || lit == "*" {
		return s.elementText(name, lit)
	}
	v := s.lookup(name)
	if v == nil {
		s.subscript(name, index)
		return pvalue{}
	}
	return s.elementOf(v, s.subscript(name, index))
}

// elementText is the element of an expanded subscript.
func (s *sh) elementText(name, sub string) pvalue {
	v := s.lookup(name)
	if sub == "@" || sub == "*" {
		p := pvalue{many: true, star: sub == "*"}
		if v != nil {
			p.list = v.values()
			p.set = len(p.list) > 0
		}
		return p
	}
	if v == nil {
		return pvalue{}
	}
	return s.elementOf(v, sub)
}

func (s *sh) elementOf(v *variable, sub string) pvalue {
	if v.dict != nil {
		str, ok := v.dict.vals[sub]
		return pvalue{str: str, set: ok}
	}
	i := int(s.arithText(sub))
	if v.list == nil {
		if i == 0 || i == -1 {
			return pvalue{str: v.str, set: v.set}
		}
		return pvalue{}
	}
	if i < 0 {
		if i += v.list.next(); i < 0 {
			s.report("%s: bad array subscript", v.name)
			return pvalue{}
		}
	}
	str, ok := v.list.get(i)
	return pvalue{str: str, set: ok}
}
