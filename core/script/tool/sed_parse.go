package tool

import (
	"fmt"
	"strconv"
	"strings"
)

// address chooses lines: by number, by step, the last one, or by a pattern.
type address struct {
	kind       byte // n number, ~ step, $ last, / pattern, + and ~ relative to the first (second address alone)
	line, step int
	re         *regex // nil: the one used last
}

// command is one command of a sed script.
type command struct {
	from, to *address
	negate   bool
	verb     byte
	text     string // of a, i, c; label; file; exit status
	block    int    // for {: behind its }; for b, t, T: where the label stands
	sub      *substitution
	table    map[rune]rune // of y
	// active says that a range has begun; until is where it ends, where a number says so.
	active bool
	until  int
}

// substitution is what s does.
type substitution struct {
	re     *regex
	parts  []part
	global bool
	print  int
	nth    int
	file   string
}

// part is a piece of a replacement: text, a group, or a change of case.
type part struct {
	text  string
	group int  // -1: text
	mode  byte // L U l u E, 0 for none
}

// sedParser reads a script into commands.
type sedParser struct {
	src      string
	at       int
	extended bool
	cmds     []*command
	blocks   []int
	labels   map[string]int
	usesLast bool
}

// sedError is a complaint about the script.
type sedError struct {
	at   int
	text string
}

func (e *sedError) Error() string {
	if e.at < 0 {
		return e.text
	}
	return fmt.Sprintf("-e expression #1, char %d: %s", e.at, e.text)
}

func (s *sedParser) fail(format string, args ...any) error {
	return &sedError{min(s.at, len(s.src)), fmt.Sprintf(format, args...)}
}

func (s *sedParser) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *sedParser) skip(set string) {
	for s.at < len(s.src) && strings.IndexByte(set, s.src[s.at]) >= 0 {
		s.at++
	}
}

// parse reads the whole script.
func (s *sedParser) parse() error {
	s.labels = map[string]int{}
	for {
		s.skip(" \t\n\v\f\r;")
		if s.at >= len(s.src) {
			break
		}
		if err := s.command(); err != nil {
			return err
		}
	}
	if len(s.blocks) > 0 {
		return &sedError{0, "unmatched `{'"}
	}
	for _, c := range s.cmds {
		if c.verb == 'b' || c.verb == 't' || c.verb == 'T' {
			at, ok := s.labels[c.text]
			if c.text == "" {
				at, ok = len(s.cmds), true
			}
			if !ok {
				return &sedError{-1, fmt.Sprintf("can't find label for jump to `%s'", c.text)}
			}
			c.block = at
		}
	}
	return nil
}

func (s *sedParser) command() error {
	c := &command{}
	var err error
	if c.from, err = s.address(false); err != nil {
		return err
	}
	if c.from != nil {
		s.skip(" \t")
		if s.peek() == ',' {
			s.at++
			s.skip(" \t")
			if c.to, err = s.address(true); err != nil {
				return err
			}
			if c.to == nil {
				s.at++
				return s.fail("unexpected `,'")
			}
		}
		if c.from.kind == 'n' && c.from.line == 0 && (c.to == nil || c.to.kind != '/') {
			s.at++
			return s.fail("invalid usage of line address 0")
		}
	}
	s.skip(" \t")
	for s.peek() == '!' {
		c.negate = true
		s.at++
		s.skip(" \t!")
	}
	if s.at >= len(s.src) || s.peek() == ';' || s.peek() == '\n' {
		return s.fail("missing command")
	}
	c.verb = s.src[s.at]
	s.at++
	return s.body(c)
}

func (s *sedParser) body(c *command) error {
	switch c.verb {
	case '#':
		if c.from != nil {
			return s.fail("comments don't accept any addresses")
		}
		s.restOfLine()
		return nil
	case '{':
		s.blocks = append(s.blocks, len(s.cmds))
		s.cmds = append(s.cmds, c)
		return nil
	case '}':
		if len(s.blocks) == 0 {
			return s.fail("unexpected `}'")
		}
		if c.from != nil {
			return s.fail("} doesn't want any addresses")
		}
		s.cmds[s.blocks[len(s.blocks)-1]].block = len(s.cmds)
		s.blocks = s.blocks[:len(s.blocks)-1]
		return s.end()
	case ':':
		if c.from != nil {
			return s.fail(": doesn't want any addresses")
		}
		s.skip(" \t")
		label := s.word(" \t\n;")
		if label == "" {
			return s.fail("\":\" lacks a label")
		}
		s.labels[label] = len(s.cmds)
		return nil
	}
	s.cmds = append(s.cmds, c)
	switch c.verb {
	case 'a', 'i', 'c':
		return s.text(c)
	case 'b', 't', 'T':
		s.skip(" \t")
		c.text = s.word(" \t\n;}")
		return s.end()
	case 'r', 'R', 'w', 'W':
		s.skip(" \t")
		if c.text = s.restOfLine(); c.text == "" {
			return s.fail("missing filename in r/R/w/W commands")
		}
		return nil
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t")
		c.text = s.word(" \t\n;}")
		return s.end()
	case 's':
		return s.substitute(c)
	case 'y':
		return s.transliterate(c)
	case '=', 'd', 'D', 'F', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
		return s.end()
	case 'e':
		return s.fail("e/r/w commands disabled in sandbox mode")
	}
	return s.fail("unknown command: `%c'", c.verb)
}

// end checks that a command ends here.
func (s *sedParser) end() error {
	s.skip(" \t\r")
	switch s.peek() {
	case 0, '\n', ';':
		s.at++
		return nil
	case '}', '#':
		return nil
	}
	s.at++
	return s.fail("extra characters after command")
}

func (s *sedParser) word(stops string) string {
	from := s.at
	for s.at < len(s.src) && strings.IndexByte(stops, s.src[s.at]) < 0 {
		s.at++
	}
	return s.src[from:s.at]
}

func (s *sedParser) restOfLine() string {
	text := s.word("\n")
	s.at++
	return text
}

// text reads what a, i and c add.
func (s *sedParser) text(c *command) error {
	s.skip(" \t")
	if s.at >= len(s.src) {
		return s.fail("expected \\ after `a', `c' or `i'")
	}
	if s.peek() == '\\' {
		s.at++
		from := s.at
		s.skip(" \t")
		if s.peek() == '\n' {
			s.at++
		} else if s.at = from; s.at >= len(s.src) {
			return s.fail("expected \\ after `a', `c' or `i'")
		}
	}
	var b strings.Builder
	for ; s.at < len(s.src) && s.src[s.at] != '\n'; s.at++ {
		if s.src[s.at] == '\\' {
			if s.at++; s.at == len(s.src) {
				break
			}
			if c := s.src[s.at]; c == 't' { // the others stand for themselves
				b.WriteByte('\t')
				continue
			}
		}
		b.WriteByte(s.src[s.at])
	}
	s.at++
	c.text = b.String() + "\n"
	return nil
}

func (s *sedParser) digits() (int, bool) {
	from := s.at
	s.skip("0123456789")
	n, err := strconv.Atoi(s.src[from:s.at])
	return n, err == nil
}

func (s *sedParser) address(second bool) (*address, error) {
	switch c := s.peek(); {
	case c >= '0' && c <= '9':
		n, _ := s.digits()
		s.skip(" \t")
		if s.peek() == '~' && !second {
			s.at++
			step, _ := s.digits()
			return &address{kind: '~', line: n, step: step}, nil
		}
		return &address{kind: 'n', line: n}, nil
	case second && (c == '+' || c == '~'):
		s.at++
		n, ok := s.digits()
		if !ok {
			return nil, s.fail("expected number")
		}
		return &address{kind: c, line: n}, nil
	case c == '$':
		s.at++
		return &address{kind: '$'}, nil
	case c == '/' || c == '\\':
		return s.patternAddress(c)
	}
	return nil, nil
}

func (s *sedParser) patternAddress(c byte) (*address, error) {
	if s.at++; c == '\\' {
		c = s.peek()
		s.at++
	}
	pattern, ok := s.delimited(c, true)
	if !ok {
		return nil, s.fail("unterminated address regex")
	}
	o := regexOptions{}
	for ; s.peek() == 'I' || s.peek() == 'M'; s.at++ {
		o.fold = o.fold || s.peek() == 'I'
		o.multi = o.multi || s.peek() == 'M'
	}
	re, err := s.pattern(pattern, o)
	return &address{kind: '/', re: re}, err
}

// pattern compiles a pattern; an empty one is the one used last.
func (s *sedParser) pattern(text string, o regexOptions) (*regex, error) {
	if text == "" {
		return nil, nil
	}
	o.extended, o.escapes = s.extended, true
	re, err := compileRegex(text, o)
	if err != nil {
		return nil, s.fail("%s", err)
	}
	return re, nil
}

// delimited reads up to the next delimiter that no backslash precedes.
func (s *sedParser) delimited(delim byte, pattern bool) (string, bool) {
	var b strings.Builder
	for ; s.at < len(s.src); s.at++ {
		c := s.src[s.at]
		switch {
		case c == delim:
			s.at++
			return b.String(), true
		case c == '\n' && pattern:
			return "", false
		case c == '[' && pattern:
			n := bracketLength(s.src[s.at:])
			b.WriteString(s.src[s.at : s.at+n])
			s.at += n - 1
		case c == '\\' && s.at+1 < len(s.src):
			s.at++
			next := s.src[s.at]
			switch {
			case next == delim && pattern && strings.IndexByte(".*[]^$+?(){}|", delim) >= 0:
				b.WriteString("[" + string(delim) + "]")
			case next == delim:
				if !pattern && next == '&' {
					b.WriteByte('\\')
				}
				b.WriteByte(delim)
			default:
				b.WriteByte('\\')
				b.WriteByte(next)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// bracketLength is how long a bracket expression is: a delimiter inside it does
// not end the pattern. It is 1 where none is closed on this line.
func bracketLength(text string) int {
	i := 1
	if strings.HasPrefix(text[i:], "^") {
		i++
	}
	for first := true; i < len(text) && text[i] != '\n'; first = false {
		switch {
		case text[i] == ']' && !first:
			return i + 1
		case text[i] == '[' && i+1 < len(text) && strings.IndexByte(":.=", text[i+1]) >= 0:
			end := strings.Index(text[i+2:], text[i+1:i+2]+"]")
			if end < 0 {
				return 1
			}
			i += end + 4
		default:
			i++
		}
	}
	return 1
}

func (s *sedParser) substitute(c *command) error {
	delim := s.peek()
	s.at++
	if delim == 0 || delim == '\n' || delim == '\\' {
		return s.fail("unterminated `s' command")
	}
	pattern, ok := s.delimited(delim, true)
	replacement, ok2 := "", false
	if ok {
		replacement, ok2 = s.delimited(delim, false)
	}
	if !ok || !ok2 {
		s.at = len(s.src)
		return s.fail("unterminated `s' command")
	}
	c.sub = &substitution{}
	var o regexOptions
	if err := s.flags(c.sub, &o); err != nil {
		return err
	}
	re, err := s.pattern(pattern, o)
	if err != nil {
		return err
	}
	c.sub.re, c.sub.parts = re, replacementParts(replacement)
	for _, p := range c.sub.parts {
		if re != nil && p.group > re.groups {
			return s.fail("invalid reference \\%d on `s' command's RHS", p.group)
		}
	}
	return nil
}

func (s *sedParser) flags(sub *substitution, o *regexOptions) error {
	for {
		switch f := s.peek(); {
		case f == 'g' && sub.global || f == 'p' && sub.print > 0:
			s.at++
			return s.fail("multiple `%c' options to `s' command", f)
		case f == 'g':
			sub.global = true
		case f == 'p':
			sub.print++
		case f == 'i' || f == 'I':
			o.fold = true
		case f == 'm' || f == 'M':
			o.multi = true
		case f >= '0' && f <= '9':
			if sub.nth, _ = s.digits(); sub.nth == 0 {
				return s.fail("number option to `s' command may not be zero")
			}
			continue
		case f == 'w':
			s.at++
			s.skip(" \t")
			if sub.file = s.restOfLine(); sub.file == "" {
				return s.fail("missing filename in r/R/w/W commands")
			}
			return nil
		case f == 'e':
			s.at++
			return s.fail("e/r/w commands disabled in sandbox mode")
		case s.at >= len(s.src) || strings.IndexByte("\n; \t\r}#", f) >= 0:
			return s.end()
		default:
			s.at++
			return s.fail("unknown option to `s'")
		}
		s.at++
	}
}
