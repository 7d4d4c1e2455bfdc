package tool

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// regexOptions say how a pattern is read.
type regexOptions struct {
	extended bool // ERE; else BRE
	fixed    bool // no pattern at all
	perl     bool // grep -P
	fold     bool
	anchored bool // from the start of the text alone
	multi    bool // ^ and $ match at line ends inside the text
	escapes  bool // sed's \n, \t, \xHH, in brackets too
	word     bool // as grep -w
	whole    bool // as grep -x
}

// regex is a compiled POSIX pattern with GNU's additions. It finds the leftmost
// match, and of those the longest. Where a pattern refers back to a group the
// match is found by trying, first come first served, within a budget.
type regex struct {
	re     *regexp.Regexp
	back   *backtracker
	groups int
	word   bool
}

// Regular expressions fail with the texts of GNU's regcomp.
var (
	errBracket    = errors.New("Unmatched [, [^, [:, [., or [=")
	errParen      = errors.New(`Unmatched ( or \(`)
	errParenClose = errors.New(`Unmatched ) or \)`)
	errBrace      = errors.New(`Unmatched \{`)
	errBraceText  = errors.New(`Invalid content of \{\}`)
	errBackref    = errors.New("Invalid back reference")
	errRange      = errors.New("Invalid range end")
	errTrailing   = errors.New("Trailing backslash")
	errClassName  = errors.New("Invalid character class name")
	errTooBig     = errors.New("Regular expression too big")
)

// compileRegex compiles one pattern, or several of which any may match.
func compileRegex(pattern string, o regexOptions, more ...string) (*regex, error) {
	r := &regex{word: o.word}
	var alternatives []string
	refersBack := false
	for _, p := range append([]string{pattern}, more...) {
		t := &translator{src: p, regexOptions: o, base: r.groups}
		if o.word {
			t.base++
		}
		text := regexp.QuoteMeta(p)
		if !o.fixed {
			if err := t.translate(); err != nil {
				return nil, err
			}
			text = t.out.String()
		}
		r.groups += t.groups
		refersBack = refersBack || t.refersBack
		alternatives = append(alternatives, "(?:"+text+")")
	}
	text := strings.Join(alternatives, "|")
	switch {
	case o.whole:
		text = `\A(?:` + text + `)\z`
	case o.word:
		text = `(?:\A|\W)(` + text + `)(?:\z|\W)`
	case o.anchored:
		text = `\A(?:` + text + `)`
	}
	flags := "s"
	if o.fold {
		flags += "i"
	}
	if o.multi {
		flags += "m"
	}
	text = "(?" + flags + ")" + text
	if refersBack {
		back, err := newBacktracker(text)
		r.back = back
		return r, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errTooBig
	}
	re.Longest()
	r.re = re
	return r, nil
}

// find returns the first match: pairs of offsets for the whole and each group, -1
// where a group took no part; nil without a match.
func (r *regex) find(text []byte) []int {
	if all := r.all(text, 1); len(all) > 0 {
		return all[0]
	}
	return nil
}

// matches reports whether there is a match.
func (r *regex) matches(text []byte) bool {
	if r.re != nil {
		return r.re.Match(text)
	}
	return len(r.all(text, 1)) > 0
}

// all returns up to n matches that do not overlap; n < 0 means every one.
func (r *regex) all(text []byte, n int) [][]int {
	if r.word {
		return r.words(text, n)
	}
	if r.back != nil {
		return r.back.all(text, n)
	}
	return r.re.FindAllSubmatchIndex(text, n)
}

// words finds matches with no word character on either side.
func (r *regex) words(text []byte, n int) (found [][]int) {
	for from := 0; from <= len(text) && len(found) != n; {
		var m []int
		if r.back != nil {
			if all := r.back.all(text[from:], 1); len(all) > 0 {
				m = all[0]
			}
		} else {
			m = r.re.FindSubmatchIndex(text[from:])
		}
		if m == nil {
			break
		}
		inner := make([]int, 0, len(m)-2)
		for _, at := range m[2:] {
			if at >= 0 {
				at += from
			}
			inner = append(inner, at)
		}
		found = append(found, inner)
		from = max(inner[1], from+m[0]+1)
	}
	return found
}

// backRune stands for a reference to group n in a translated pattern.
func backRune(n int) rune { return rune(0xF0000 + n) }

// translator turns a POSIX pattern into one of package regexp.
type translator struct {
	regexOptions
	src    string
	at     int
	out    strings.Builder
	groups int
	base   int // groups of the patterns before
	open   []int
	closed map[int]bool
	// atom is where in out the last thing begins that may be repeated, -1 where
	// there is none; repeated says that it already is.
	atom       int
	repeated   bool
	refersBack bool
}

func (t *translator) translate() error {
	t.atom, t.closed = -1, map[int]bool{}
	for t.at < len(t.src) {
		c := t.src[t.at]
		var err error
		switch {
		case c == '\\':
			err = t.escape()
		case c == '[':
			err = t.bracket()
		case c == '.':
			t.at++
			t.put(".")
		case c == '*' && t.atom < 0 && !t.extended:
			t.at++
			t.put(`\*`)
		case (c == '*' || c == '+' || c == '?') && t.extended && t.atom < 0: // repeats nothing
			t.at++
		case c == '*', t.extended && (c == '+' || c == '?'):
			t.at++
			t.repeat(string(c))
		case t.extended && strings.IndexByte("(){|", c) >= 0:
			t.at++
			err = t.operator(c)
		case c == '^' && (t.extended || t.startsHere()):
			t.at++
			t.out.WriteString("^")
			t.atom = -1
		case c == '$' && (t.extended || t.endsHere()):
			t.at++
			t.out.WriteString("$")
			t.atom = -1
			if t.extended {
				t.atom = t.out.Len() - 1
			}
		default:
			r, n := utf8.DecodeRuneInString(t.src[t.at:])
			t.at += n
			if r == utf8.RuneError && n == 1 {
				t.put(`\x{FFFD}`)
			} else {
				t.put(regexp.QuoteMeta(string(r)))
			}
		}
		if err != nil {
			return err
		}
	}
	if len(t.open) > 0 {
		return errParen
	}
	return nil
}

// put adds something that may be repeated.
func (t *translator) put(text string) {
	t.atom, t.repeated = t.out.Len(), false
	t.out.WriteString(text)
}

func (t *translator) repeat(how string) {
	text := t.out.String()
	head, atom := text[:t.atom], text[t.atom:]
	if t.repeated {
		atom = "(?:" + atom + ")"
	}
	t.out.Reset()
	t.out.WriteString(head + atom + how)
	t.repeated = true
}

func (t *translator) startsHere() bool {
	before := t.src[:t.at]
	return before == "" || strings.HasSuffix(before, `\(`) || strings.HasSuffix(before, `\|`) || strings.HasSuffix(before, "\n")
}

func (t *translator) endsHere() bool {
	after := t.src[t.at+1:]
	return after == "" || strings.HasPrefix(after, `\)`) || strings.HasPrefix(after, `\|`) || strings.HasPrefix(after, "\n")
}

// operator handles ( ) { |, which have a backslash in a BRE.
func (t *translator) operator(c byte) error {
	switch c {
	case '(':
		t.groups++
		t.open = append(t.open, t.out.Len(), t.groups)
		t.out.WriteString("(")
		t.atom = -1
	case ')':
		if len(t.open) == 0 {
			if t.extended { // a lone ) is an ordinary character
				t.put(`\)`)
				return nil
			}
			return errParenClose
		}
		t.out.WriteString(")")
		n := len(t.open) - 2
		t.atom, t.repeated = t.open[n], false
		t.closed[t.open[n+1]] = true
		t.open = t.open[:n]
	case '|':
		t.out.WriteString("|")
		t.atom = -1
	case '{':
		return t.interval()
	}
	return nil
}

// interval reads {n}, {n,}, {,m} or {n,m}.
func (t *translator) interval() error {
	end := "}"
	if !t.extended {
		end = `\}`
	}
	text, rest, ok := strings.Cut(t.src[t.at:], end)
	from, to, ranged := strings.Cut(text, ",")
	good := ok && (from == "" && ranged || digits(from)) && (to == "" || digits(to))
	if t.extended && (!good || t.atom < 0) { // as GNU has it: an ordinary character
		t.put(`\{`)
		return nil
	}
	switch {
	case !ok:
		return errBrace
	case !good:
		return errBraceText
	case t.atom < 0:
		return errors.New("Invalid preceding regular expression")
	}
	if from == "" {
		from = "0"
	}
	low, _ := strconv.Atoi(from)
	high, _ := strconv.Atoi(to)
	switch {
	case to != "" && high < low:
		return errBraceText
	case low > 1000 || high > 1000:
		return errTooBig
	}
	t.at = len(t.src) - len(rest)
	switch {
	case !ranged:
		t.repeat("{" + from + "}")
	case to == "":
		t.repeat("{" + from + ",}")
	default:
		t.repeat("{" + from + "," + to + "}")
	}
	return nil
}

func (t *translator) escape() error {
	if t.at+1 == len(t.src) {
		return errTrailing
	}
	c := t.src[t.at+1]
	t.at += 2
	switch {
	case !t.extended && strings.IndexByte("(){|", c) >= 0:
		return t.operator(c)
	case !t.extended && (c == '+' || c == '?'):
		if t.atom < 0 {
			t.put(regexp.QuoteMeta(string(c)))
		} else {
			t.repeat(string(c))
		}
	case c >= '1' && c <= '9':
		n := int(c - '0')
		if !t.closed[n] {
			return errBackref
		}
		t.refersBack = true
		t.put(string(backRune(t.base + n)))
	case strings.IndexByte("wWsSbB", c) >= 0:
		t.put(`\` + string(c))
	case c == '<' || c == '>':
		t.put(`\b`)
	case c == '`':
		t.put(`\A`)
	case c == '\'':
		t.put(`\z`)
	case t.escapes:
		t.put(regexp.QuoteMeta(t.sedEscape(c)))
	default:
		t.at--
		r, n := utf8.DecodeRuneInString(t.src[t.at:])
		t.at += n
		t.put(regexp.QuoteMeta(string(r)))
	}
	return nil
}

// sedEscape is the character of \n, \t, \xHH and their like; the letter itself
// where it stands for nothing.
func (t *translator) sedEscape(c byte) string {
	text, n := sedEscape(t.src[t.at-1:])
	t.at += n - 1
	return text
}

// sedEscape reads what follows a backslash and returns how long that is.
func sedEscape(s string) (text string, n int) {
	c := s[0]
	if at := strings.IndexByte("afnrtv", c); at >= 0 {
		return "\a\f\n\r\t\v"[at : at+1], 1
	}
	most, base := 0, 0
	switch c {
	case 'x':
		most, base = 2, 16
	case 'o':
		most, base = 3, 8
	case 'd':
		most, base = 3, 10
	}
	if most > 0 {
		if value, n := digitsOf(s[1:], most, base); n > 0 {
			return string([]byte{byte(value)}), 1 + n
		}
	}
	_, n = utf8.DecodeRuneInString(s)
	return s[:n], n
}

// bracket translates [...].
func (t *translator) bracket() error {
	s, i := t.src, t.at+1
	var b strings.Builder
	b.WriteByte('[')
	if i < len(s) && s[i] == '^' {
		b.WriteByte('^')
		i++
	}
	for first := true; ; first = false {
		if i >= len(s) {
			return errBracket
		}
		if s[i] == ']' && !first {
			break
		}
		if s[i] == '[' && i+1 < len(s) && s[i+1] == ':' {
			name, _, ok := strings.Cut(s[i+2:], ":]")
			if !ok {
				return errBracket
			}
			if _, known := classes[name]; !known {
				return errClassName
			}
			fmt.Fprintf(&b, "[:%s:]", name)
			i += len(name) + 4
			continue
		}
		from, n, err := t.element(s[i:])
		if err != nil {
			return err
		}
		i += n
		if i+1 < len(s) && s[i] == '-' && s[i+1] != ']' {
			to, n, err := t.element(s[i+1:])
			if err != nil {
				return err
			}
			if to < from {
				return errRange
			}
			i += 1 + n
			fmt.Fprintf(&b, `\x{%X}-\x{%X}`, from, to)
			continue
		}
		fmt.Fprintf(&b, `\x{%X}`, from)
	}
	t.at = i + 1
	b.WriteByte(']')
	t.put(b.String())
	return nil
}

// element reads one character of a bracket expression.
func (t *translator) element(s string) (r rune, n int, err error) {
	if len(s) > 1 && s[0] == '[' && (s[1] == '.' || s[1] == '=') {
		name, _, ok := strings.Cut(s[2:], s[1:2]+"]")
		if !ok || utf8.RuneCountInString(name) != 1 {
			return 0, 0, errBracket
		}
		r, _ = utf8.DecodeRuneInString(name)
		return r, len(name) + 4, nil
	}
	if t.escapes && len(s) > 1 && s[0] == '\\' && strings.IndexByte("afnrtvxod", s[1]) >= 0 {
		if text, n := sedEscape(s[1:]); text != s[1:2] {
			r, _ = utf8.DecodeRuneInString(text)
			return r, n + 1, nil
		}
	}
	r, n = utf8.DecodeRuneInString(s)
	return r, n, nil
}
