package shell

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// mode is what a word is expanded to.
type mode uint8

const (
	// toFields: split into fields, with pathname expansion.
	toFields mode = iota
	// toText: one string, quotes removed.
	toText
	// toPattern: one pattern in which what was quoted is escaped.
	toPattern
	// toRegex: one regular expression in which what was quoted is escaped.
	toRegex
)

// words collects the expansion of words. Models expand_word_internal and
// word_list_split of subst.c.
type words struct {
	s    *sh
	mode mode
	out  []string
	text []byte
	// pat is text with what was quoted escaped; kept from the first character
	// on that a pattern may have.
	pat  []byte
	glob bool
	// open: there is a field, be it empty.
	open bool
	// blank: the last field was ended by white space of IFS.
	blank bool
}

const globChars = "*?[\\"

// put appends a text that is not split.
func (w *words) put(t string, quoted bool) {
	if t == "" {
		return
	}
	w.open, w.blank = true, false
	w.s.e.room(len(w.text) + len(t))
	switch {
	case w.mode == toRegex:
		if quoted && !openBracket(w.text) {
			t = quoteRegex(t)
		}
	case w.mode == toPattern:
		if quoted {
			t = quotePattern(t)
		}
	case w.mode == toFields && (w.glob || !quoted && strings.ContainsAny(t, globChars)):
		if !w.glob {
			w.glob = true
			w.pat = append(w.pat[:0], quotePattern(string(w.text))...)
		}
		if quoted {
			w.pat = append(w.pat, quotePattern(t)...)
		} else {
			w.pat = append(w.pat, t...)
		}
	}
	w.text = append(w.text, t...)
}

// openBracket reports whether a regular expression stands inside a bracket.
func openBracket(t []byte) bool {
	i := bytes.LastIndexByte(t, '[')
	return i >= 0 && (i == 0 || t[i-1] != '\\') && bytes.IndexByte(t[min(i+2, len(t)):], ']') < 0
}

// flush ends a field.
func (w *words) flush() {
	if !w.open {
		return
	}
	text := string(w.text)
	w.open = false
	w.text = w.text[:0]
	if !w.glob {
		w.out = append(w.out, text)
		return
	}
	w.glob = false
	pat := string(w.pat)
	if w.s.opts.noglob || !isPattern(pat, w.s.shopts["extglob"]) {
		w.out = append(w.out, text)
		return
	}
	found := w.s.glob(pat)
	switch {
	case len(found) > 0:
		w.out = append(w.out, found...)
	case w.s.shopts["failglob"]:
		w.s.errorf("no match: %s", text)
		w.s.e.throw(discard{status: 1})
	case !w.s.shopts["nullglob"]:
		w.out = append(w.out, text)
	}
}

// split appends the value of an unquoted expansion: IFS ends fields in it.
func (w *words) split(t string) {
	if w.mode != toFields {
		w.put(t, false)
		return
	}
	ifs := w.s.separators()
	if t == "" || ifs == "" {
		w.put(t, false)
		return
	}
	w.s.e.labour(len(t))
	start := 0
	for i := 0; i < len(t); i++ {
		c := t[i]
		if strings.IndexByte(ifs, c) < 0 {
			continue
		}
		w.put(t[start:i], false)
		start = i + 1
		if c == ' ' || c == '\t' || c == '\n' {
			if w.open {
				w.flush()
				w.blank = true
			}
			continue
		}
		if !w.blank {
			w.open = true
		}
		w.flush()
		w.blank = false
	}
	w.put(t[start:], false)
}

// separators is IFS.
func (s *sh) separators() string {
	if !s.ifsSet {
		return " \t\n"
	}
	return s.ifs
}

// noticed is told when a variable that the shell itself reads has changed.
func (s *sh) noticed(name string) {
	v := s.vars[name]
	switch name {
	case "IFS":
		s.ifsSet = v != nil && v.set
		s.ifs = ""
		if s.ifsSet {
			s.ifs = v.str
		}
	case "OPTIND":
		s.opt.at = 0
	}
}

// joiner is what "$*" puts between.
func (s *sh) joiner() string {
	ifs := s.separators()
	if ifs == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(ifs)
	return ifs[:n]
}

// word expands all parts of a word.
func (w *words) word(word *syntax.Word) {
	if word != nil {
		w.parts(word.Parts, false)
	}
}

func (w *words) parts(parts []syntax.WordPart, quoted bool) {
	for i, part := range parts {
		w.part(part, quoted, i == 0, len(parts) == 1)
	}
}

func (w *words) part(part syntax.WordPart, quoted, first, alone bool) {
	s := w.s
	switch p := part.(type) {
	case *syntax.Lit:
		w.lit(p.Value, quoted, first, alone)
	case *syntax.SglQuoted:
		w.sglQuoted(p, quoted)
	case *syntax.DblQuoted:
		w.dblQuoted(p)
	case *syntax.ParamExp:
		w.param(p, quoted)
	case *syntax.CmdSubst:
		t := s.substitute(p)
		if quoted {
			w.put(t, true)
		} else {
			w.split(t)
		}
	case *syntax.ArithmExp:
		t := itoa64(s.arith(p))
		if quoted {
			w.put(t, true)
		} else {
			w.split(t)
		}
	case *syntax.ProcSubst:
		w.put(s.procSubst(p), true)
	case *syntax.ExtGlob:
		w.extGlob(p)
	default:
		s.e.stop("refused", "this kind of word is not supported")
	}
}

func (w *words) sglQuoted(p *syntax.SglQuoted, quoted bool) {
	w.open = true
	if quoted && !p.Dollar {
		w.put("'", true)
		if inner := w.s.unit.inner[p]; inner != nil {
			w.parts(inner.Parts, true)
		} else {
			w.put(p.Value, true)
		}
		w.put("'", true)
		return
	}
	if p.Dollar {
		w.put(unescape(p.Value, ansiC), true)
		return
	}
	w.put(p.Value, true)
}

func (w *words) dblQuoted(p *syntax.DblQuoted) {
	if len(p.Parts) == 0 {
		w.open = true
	}
	for _, part := range p.Parts {
		if pe, ok := part.(*syntax.ParamExp); ok && w.mode == toFields && !w.open && w.s.isAt(pe) {
			w.param(pe, true)
			continue
		}
		w.open = true
		w.part(part, true, false, false)
	}
}

// lit appends literal text as it stands in the script.
func (w *words) lit(t string, quoted, first, alone bool) {
	switch {
	case quoted:
		w.escaped(t, "$`\"\\")
		return
	case first && strings.HasPrefix(t, "~") && w.mode != toRegex:
		t = w.tilde(t, alone)
	}
	for {
		i := strings.IndexByte(t, '\\')
		if i < 0 || i+1 == len(t) {
			w.put(t, false)
			return
		}
		w.put(t[:i], false)
		if t[i+1] != '\n' {
			_, n := utf8.DecodeRuneInString(t[i+1:])
			w.put(t[i+1:i+1+n], true)
			t = t[i+1+n:]
		} else {
			t = t[i+2:]
		}
	}
}

// escaped appends text between double quotes: a backslash stands for itself there,
// but before the characters of special. In "${x:-{\}}" the brace is one of them.
func (w *words) escaped(t, special string) {
	for {
		i := strings.IndexByte(t, '\\')
		if i < 0 || i+1 == len(t) {
			w.put(t, true)
			return
		}
		w.put(t[:i], true)
		switch c := t[i+1]; {
		case strings.IndexByte(special, c) >= 0:
			w.put(t[i+1:i+2], true)
		case c != '\n':
			w.put(t[i:i+2], true)
		}
		t = t[i+2:]
	}
}

// tilde replaces ~ at the start of a word by the home directory, and returns
// what is left.
func (w *words) tilde(t string, alone bool) string {
	end := strings.IndexByte(t, '/')
	if end < 0 {
		if end = len(t); !alone {
			return t
		}
	}
	dir, ok := w.s.home(t[:end])
	if !ok {
		return t
	}
	w.open = true
	w.put(dir, true)
	return t[end:]
}

func (s *sh) home(prefix string) (string, bool) {
	switch prefix {
	case "~":
		if v := s.lookup("HOME"); v != nil && v.set {
			return v.str, true
		}
		return "/root", true
	case "~root":
		return "/root", true
	case "~+":
		return s.dir, true
	case "~-":
		v := s.lookup("OLDPWD")
		if v == nil || !v.set {
			return "", false
		}
		return v.str, true
	}
	return "", false
}

func (w *words) extGlob(p *syntax.ExtGlob) {
	t := p.Op.String() + w.s.unit.extGlob(w.s, p) + ")"
	w.open = true
	if w.mode == toFields && !w.glob {
		w.glob = true
		w.pat = append(w.pat[:0], quotePattern(string(w.text))...)
	}
	w.text = append(w.text, t...)
	if w.mode == toFields {
		w.pat = append(w.pat, t...)
	}
}

// fields expands words as the arguments of a command.
func (s *sh) fields(list []*syntax.Word) []string {
	w := words{s: s, out: make([]string, 0, len(list))}
	for _, word := range list {
		w.braces(word)
	}
	s.e.labour(len(w.out))
	return w.out
}

func (w *words) braces(word *syntax.Word) {
	if lit, ok := plain(word); ok && strings.IndexByte(lit, '{') < 0 {
		w.out = append(w.out, lit)
		return
	}
	braced := w.s.unit.braced[word]
	if braced == nil {
		w.word(word)
		w.flush()
		w.blank = false
		return
	}
	for _, one := range w.s.braceExpand(braced) {
		w.word(one)
		w.flush()
		w.blank = false
	}
}

// plain is the text of a word in which nothing is to be expanded.
func plain(word *syntax.Word) (string, bool) {
	if len(word.Parts) != 1 {
		return "", false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if !strings.ContainsAny(p.Value, "\\*?[~") {
			return p.Value, true
		}
	case *syntax.SglQuoted:
		if !p.Dollar {
			return p.Value, true
		}
	case *syntax.DblQuoted:
		if len(p.Parts) != 1 {
			return "", false
		}
		if lit, ok := p.Parts[0].(*syntax.Lit); ok && strings.IndexByte(lit.Value, '\\') < 0 {
			return lit.Value, true
		}
	}
	return "", false
}

func (s *sh) expand(word *syntax.Word, m mode) string {
	if word == nil {
		return ""
	}
	if lit, ok := plain(word); ok && m == toText {
		return lit
	}
	w := words{s: s, mode: m}
	w.word(word)
	return string(w.text)
}

// string expands a word to one string.
func (s *sh) string(word *syntax.Word) string { return s.expand(word, toText) }

// pattern expands a word to a pattern.
func (s *sh) pattern(word *syntax.Word) string { return s.expand(word, toPattern) }

// value expands the word on the right of an assignment: ~ is replaced after
// each colon too.
func (s *sh) value(word *syntax.Word) string {
	if word == nil {
		return ""
	}
	if lit, ok := plain(word); ok {
		return lit
	}
	w := words{s: s, mode: toText}
	for i, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.IndexByte(lit.Value, '~') < 0 {
			w.part(part, false, false, false)
			continue
		}
		for j, piece := range strings.SplitAfter(lit.Value, ":") {
			body, colon := strings.CutSuffix(piece, ":")
			w.lit(body, false, i == 0 || j > 0, colon || i == len(word.Parts)-1)
			if colon {
				w.put(":", false)
			}
		}
	}
	return string(w.text)
}

// document expands a here-document.
func (s *sh) document(word *syntax.Word) string {
	w := words{s: s, mode: toText}
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			w.docLit(lit.Value)
			continue
		}
		w.part(part, true, false, false)
	}
	return string(w.text)
}

// docLit: in a here-document \" stands for itself.
func (w *words) docLit(t string) {
	for {
		i := strings.IndexByte(t, '\\')
		if i < 0 || i+1 == len(t) {
			w.put(t, true)
			return
		}
		w.put(t[:i], true)
		switch c := t[i+1]; c {
		case '$', '`', '\\':
			w.put(t[i+1:i+2], true)
		case '\n':
		default:
			w.put(t[i:i+2], true)
		}
		t = t[i+2:]
	}
}
