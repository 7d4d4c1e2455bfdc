package tool

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// execute runs one command on the current line.
func (e *editor) execute(c *command) verdict {
	switch c.verb {
	case 's':
		e.substitute(c.sub)
	case 'y':
		e.space = bytes.Map(func(r rune) rune {
			if to, ok := c.table[r]; ok {
				return to
			}
			return r
		}, e.space)
	case 'd':
		return drop
	case 'D':
		at := bytes.IndexByte(e.space, '\n')
		if at < 0 {
			return drop
		}
		e.space = append([]byte(nil), e.space[at+1:]...)
		return restart
	case 'p':
		e.print(e.space)
	case 'P':
		first, _, _ := bytes.Cut(e.space, []byte("\n"))
		e.write(e.out, first, true)
	case 'n', 'N':
		return e.nextLine(c.verb)
	case 'q', 'Q':
		e.code = exitCode(c.text)
		if c.verb == 'q' {
			return quit
		}
		return abort
	case 'a', 'i', 'c':
		return e.addText(c)
	case 'g', 'G', 'h', 'H', 'x', 'z':
		e.holding(c.verb)
	default:
		e.report(c)
	}
	return goOn
}

func (e *editor) nextLine(verb byte) verdict {
	if e.last() && (!e.separate || len(e.files) == 0) {
		if verb == 'N' || !e.quiet { // as GNU has it, the space is printed before the end
			return quit
		}
		return abort
	}
	if verb == 'n' && !e.quiet {
		e.print(e.space)
	}
	e.flushAppended()
	before := append([]byte(nil), e.space...)
	if !e.advance() {
		return abort
	}
	if verb == 'N' {
		e.space = append(append(before, '\n'), e.space...)
	}
	return goOn
}

func (e *editor) addText(c *command) verdict {
	switch c.verb {
	case 'a':
		e.appended = append(e.appended, func() { e.raw(c.text) })
	case 'i':
		e.raw(c.text)
	case 'c':
		if c.to == nil || !c.active || c.negate {
			e.raw(c.text)
		}
		return drop
	}
	return goOn
}

// raw prints a text that brings its own end.
func (e *editor) raw(text string) {
	if e.unended {
		e.out.WriteByte(e.delim)
		e.unended = false
	}
	e.out.WriteString(text)
}

func (e *editor) holding(verb byte) {
	switch verb {
	case 'g':
		e.space = append(e.space[:0], e.hold...)
	case 'G':
		e.space = append(append(e.space, '\n'), e.hold...)
	case 'h':
		e.hold = append(e.hold[:0], e.space...)
	case 'H':
		e.hold = append(append(e.hold, '\n'), e.space...)
	case 'x':
		e.space, e.hold = e.hold, e.space
	case 'z':
		e.space = e.space[:0]
	}
}

func (e *editor) report(c *command) {
	switch c.verb {
	case '=':
		e.raw(fmt.Sprintf("%d\n", e.line))
	case 'F':
		e.raw(e.name + "\n")
	case 'l':
		e.raw(visible(e.space))
	case 'w':
		e.write(e.writers[c.text], e.space, true)
	case 'W':
		first, _, _ := bytes.Cut(e.space, []byte("\n"))
		e.write(e.writers[c.text], first, true)
	case 'r':
		e.appended = append(e.appended, func() {
			if text, err := e.p.slurp(c.text); err == nil {
				e.raw(string(text))
				e.unended = len(text) > 0 && text[len(text)-1] != '\n'
			}
		})
	case 'R':
		if e.readers[c.text] == nil {
			r, err := e.p.open(c.text)
			if err != nil {
				return
			}
			e.readers[c.text] = e.p.source(r)
		}
		line, _, err := e.readers[c.text].line()
		if err == nil {
			text := string(line) + "\n"
			e.appended = append(e.appended, func() { e.raw(text) })
		}
	}
}

// visible is a line as the command l shows it, folded at 69 columns.
func visible(space []byte) string {
	var b, row []byte
	add := func(piece string) {
		if len(row)+len(piece) > 69 {
			b = append(append(b, row...), "\\\n"...)
			row = row[:0]
		}
		row = append(row, piece...)
	}
	for i := 0; i < len(space); {
		r, n := utf8.DecodeRune(space[i:])
		switch at := bytes.IndexByte([]byte("\\\a\b\f\n\r\t\v"), space[i]); {
		case at >= 0:
			add(`\` + string(`\abfnrtv`[at]))
		case space[i] < ' ' || space[i] == 0x7f || r == utf8.RuneError:
			n = 1
			add(fmt.Sprintf("\\%03o", space[i]))
		case n > 1:
			for _, c := range space[i : i+n] {
				add(fmt.Sprintf("\\%03o", c))
			}
		default:
			add(string(space[i]))
		}
		i += n
	}
	return string(b) + string(row) + "$\n"
}

// selects reports whether a command is for the current line.
func (e *editor) selects(c *command) bool {
	switch {
	case c.from == nil:
		return true
	case c.to == nil:
		return e.at(c.from)
	}
	if !c.active {
		zero := c.from.kind == 'n' && c.from.line == 0 && c.until == 0
		if !zero && !e.at(c.from) {
			return false
		}
		c.until = -1
		switch c.to.kind {
		case 'n':
			c.until = c.to.line
		case '+':
			c.until = e.line + c.to.line
		case '~':
			c.until = e.line
			if c.to.line > 0 {
				c.until = (e.line + c.to.line - 1) / c.to.line * c.to.line
			}
		}
		if c.active = c.until < 0 || c.until > e.line; !zero || !c.active {
			return true
		}
	}
	switch {
	case c.until >= 0:
		if e.line > c.until { // lines were skipped; the range begins anew
			c.active = false
			return e.at(c.from)
		}
		c.active = e.line < c.until
	case e.at(c.to):
		c.active = false
	}
	return true
}

func (e *editor) at(a *address) bool {
	switch a.kind {
	case 'n':
		return e.line == a.line
	case '~':
		if a.step <= 0 {
			return e.line == a.line
		}
		return e.line >= a.line && (e.line-a.line)%a.step == 0
	case '$':
		return e.last()
	}
	re := e.regex(a.re)
	return re != nil && re.matches(e.space)
}

// regex remembers the pattern used last, which an empty one stands for.
func (e *editor) regex(re *regex) *regex {
	if re != nil {
		e.lastRe = re
	}
	if e.lastRe == nil && e.status == 0 {
		e.p.complain("-e expression #1, char 0: no previous regular expression")
		e.status = 1
	}
	return e.lastRe
}

func (e *editor) substitute(s *substitution) {
	re := e.regex(s.re)
	if re == nil {
		return
	}
	most := -1
	if !s.global {
		most = max(s.nth, 1)
	}
	found := re.all(e.space, most)
	if len(found) < max(s.nth, 1) {
		return
	}
	var b []byte
	at := 0
	for i, m := range found {
		if i+1 < s.nth {
			continue
		}
		b = append(b, e.space[at:m[0]]...)
		b = appendReplacement(b, s.parts, e.space, m)
		at = m[1]
	}
	e.space = append(b, e.space[at:]...)
	e.replaced = true
	for range s.print {
		e.print(e.space)
	}
	if s.file != "" {
		e.write(e.writers[s.file], e.space, true)
	}
}

// appendReplacement adds the parts of a replacement, with changes of case.
func appendReplacement(b []byte, parts []part, text []byte, m []int) []byte {
	var mode, once byte
	for _, p := range parts {
		switch {
		case p.mode == 'l' || p.mode == 'u':
			once = p.mode
			continue
		case p.mode != 0:
			mode, once = p.mode, 0
			continue
		}
		piece := []byte(p.text)
		if p.group >= 0 {
			if piece = nil; 2*p.group < len(m) && m[2*p.group] >= 0 {
				piece = text[m[2*p.group]:m[2*p.group+1]]
			}
		}
		switch mode {
		case 'L':
			piece = bytes.ToLower(piece)
		case 'U':
			piece = bytes.ToUpper(piece)
		}
		if once != 0 && len(piece) > 0 {
			r, n := utf8.DecodeRune(piece)
			first := unicode.ToUpper(r)
			if once == 'l' {
				first = unicode.ToLower(r)
			}
			b, piece, once = utf8.AppendRune(b, first), piece[n:], 0
		}
		b = append(b, piece...)
	}
	return b
}
