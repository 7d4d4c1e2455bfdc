package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// operate is ${x#pattern}, ${x^}, ${x@Q} and their like.
func (s *sh) operate(pe *syntax.ParamExp, v pvalue) pvalue {
	if pe.Exp.Op == syntax.OtherParamOps {
		return s.transform(pe, v)
	}
	if !v.set && !v.many {
		return v
	}
	if pe.Exp.Word == nil {
		switch pe.Exp.Op {
		case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			return v
		}
	}
	pat := s.compile(s.pattern(pe.Exp.Word))
	switch pe.Exp.Op {
	case syntax.RemSmallPrefix:
		return v.each(func(t string) string { return t[max(0, pat.prefix(t, false)):] })
	case syntax.RemLargePrefix:
		return v.each(func(t string) string { return t[max(0, pat.prefix(t, true)):] })
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		long := pe.Exp.Op == syntax.RemLargeSuffix
		return v.each(func(t string) string {
			if at := pat.suffix(t, long); at >= 0 {
				return t[:at]
			}
			return t
		})
	}
	change, all := unicode.ToUpper, pe.Exp.Op == syntax.UpperAll || pe.Exp.Op == syntax.LowerAll
	if pe.Exp.Op == syntax.LowerFirst || pe.Exp.Op == syntax.LowerAll {
		change = unicode.ToLower
	}
	every := pe.Exp.Word == nil
	return v.each(func(t string) string {
		runes := []rune(t)
		for i, r := range runes {
			if i > 0 && !all {
				break
			}
			if every || pat.match(string(r)) {
				runes[i] = change(r)
			}
		}
		return string(runes)
	})
}

// replace is ${x/pattern/with}.
func (s *sh) replace(r *syntax.Replace, v pvalue) pvalue {
	if !v.set && !v.many {
		return v
	}
	text := s.pattern(r.Orig)
	with, amp := s.replacement(r.With)
	anchor := byte(0)
	if !r.All && text != "" && (text[0] == '#' || text[0] == '%') {
		anchor, text = text[0], text[1:]
	}
	if text == "" && anchor == 0 {
		return v
	}
	pat := s.compile(text)
	put := func(b *strings.Builder, hit string) {
		s.e.room(b.Len() + len(with))
		if !amp {
			b.WriteString(with)
			return
		}
		insertMatch(b, with, hit)
	}
	return v.each(func(t string) string {
		var b strings.Builder
		switch anchor {
		case '#':
			if n := pat.prefix(t, true); n >= 0 {
				put(&b, t[:n])
				return b.String() + t[n:]
			}
			return t
		case '%':
			if at := pat.suffix(t, true); at >= 0 {
				put(&b, t[at:])
				return t[:at] + b.String()
			}
			return t
		}
		return s.replaceEach(pat, t, r.All, func(b *strings.Builder, hit string) { put(b, hit) })
	})
}

func (s *sh) replaceEach(pat *pattern, t string, all bool, put func(*strings.Builder, string)) string {
	var b strings.Builder
	i := 0
	for i < len(t) {
		n := pat.prefix(t[i:], true)
		if n <= 0 {
			_, size := utf8.DecodeRuneInString(t[i:])
			b.WriteString(t[i : i+size])
			i += size
			continue
		}
		put(&b, t[i:i+n])
		i += n
		if !all {
			break
		}
	}
	if len(t) == 0 && pat.prefix(t, true) == 0 {
		put(&b, "")
	}
	return b.String() + t[i:]
}

// replacement expands the word of ${x/y/word}: an unquoted & is what matched.
func (s *sh) replacement(word *syntax.Word) (text string, amp bool) {
	if word == nil {
		return "", false
	}
	w := words{s: s, mode: toPattern}
	w.word(word)
	pat := string(w.text)
	if !strings.Contains(pat, "&") || !s.shopts["patsub_replacement"] {
		return s.string(word), false
	}
	// Only the quoting of & and \ matters now.
	var b strings.Builder
	for i := 0; i < len(pat); i++ {
		if pat[i] == '\\' && i+1 < len(pat) {
			i++
			if pat[i] == '&' || pat[i] == '\\' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(pat[i])
	}
	return b.String(), true
}

func insertMatch(b *strings.Builder, with, hit string) {
	for i := 0; i < len(with); i++ {
		switch {
		case with[i] == '\\' && i+1 < len(with) && (with[i+1] == '&' || with[i+1] == '\\'):
			i++
			b.WriteByte(with[i])
		case with[i] == '&':
			b.WriteString(hit)
		default:
			b.WriteByte(with[i])
		}
	}
}

// transform is ${x@Q} and its like.
func (s *sh) transform(pe *syntax.ParamExp, v pvalue) pvalue {
	op := s.string(pe.Exp.Word)
	switch op {
	case "a":
		return s.attributes(pe, v)
	case "A":
		return s.assignments(pe, v)
	case "K", "k":
		return s.pairs(pe, v, op == "k")
	}
	if !v.set && !v.many {
		return v
	}
	switch op {
	case "Q":
		return v.each(quoteAlways)
	case "E":
		return v.each(func(t string) string { return unescape(t, ansiC) })
	case "U":
		return v.each(strings.ToUpper)
	case "L":
		return v.each(strings.ToLower)
	case "u":
		return v.each(func(t string) string {
			r, n := utf8.DecodeRuneInString(t)
			if n == 0 {
				return t
			}
			return string(unicode.ToUpper(r)) + t[n:]
		})
	}
	s.e.stop("refused", "line %d: ${%s@%s} is not supported", s.line, pe.Param.Value, op)
	return v
}

func (s *sh) attributes(pe *syntax.ParamExp, v pvalue) pvalue {
	x := s.lookup(pe.Param.Value)
	flags := ""
	if x != nil {
		flags = x.flags()
	}
	if !v.many {
		return pvalue{str: flags, set: true}
	}
	return v.each(func(string) string { return flags })
}

// assignments is ${x@A}: what makes x again.
func (s *sh) assignments(pe *syntax.ParamExp, v pvalue) pvalue {
	x := s.lookup(pe.Param.Value)
	if x == nil || !x.set && !x.array() && x.attr == 0 {
		return pvalue{}
	}
	if x.array() && v.many {
		return pvalue{str: "declare -" + x.flags() + " " + x.name + "=" + x.body(quoteElem), set: true}
	}
	flags := x.flags()
	switch {
	case flags != "" && !v.set:
		return pvalue{str: "declare -" + flags + " " + x.name, set: true}
	case flags != "":
		return pvalue{str: "declare -" + flags + " " + x.name + "=" + quoteAlways(v.str), set: true}
	}
	return pvalue{str: x.name + "=" + quoteAlways(v.str), set: true}
}

// pairs is ${m[@]@K}: keys and values; quoted in one word each, or bare.
func (s *sh) pairs(pe *syntax.ParamExp, v pvalue, bare bool) pvalue {
	x := s.lookup(pe.Param.Value)
	if x == nil || !v.many || !x.array() {
		return v.each(quoteAlways)
	}
	keys, vals := x.subscripts(), x.values()
	if bare {
		var list []string
		for i := range keys {
			list = append(list, keys[i], vals[i])
		}
		v.list = list
		return v
	}
	var b strings.Builder
	for i := range keys {
		if i > 0 {
			b.WriteByte(' ')
		}
		key := keys[i]
		if x.dict != nil {
			key = quoteKey(key)
		}
		b.WriteString(key + " " + quoteElem(vals[i]))
	}
	if x.dict != nil {
		b.WriteByte(' ')
	}
	return pvalue{str: b.String(), set: true}
}
