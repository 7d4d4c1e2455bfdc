package tool

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// keepRune stands for \K in a translated pattern: the match begins there.
const keepRune = rune(0xF1000)

// The names of groups that stand for looking ahead and behind.
var lookGroups = []struct{ perl, name string }{{"(?=", "ahead"}, {"(?!", "notahead"}, {"(?<=", "behind"}, {"(?<!", "notbehind"}, {"(?>", "atomic"}}

// notPerl are beginnings of groups that are refused.
var notPerl = []string{"(?|", "(?(", "(?R", "(?&", "(?+", "(?#", "(*"}

// compilePerl compiles a pattern of grep -P. What package regexp has is left to
// it; looking around, \K and references back are tried, as a backtracker does.
func compilePerl(pattern string, o regexOptions) (*regex, error) {
	text, tries, err := translatePerl(pattern)
	if err != nil {
		return nil, err
	}
	switch {
	case o.whole:
		text = `\A(?:` + text + `)\z`
	case o.word:
		text, tries = `(?P<notbehindw>\w)(?:`+text+`)(?P<notaheadw>\w)`, true
	}
	if o.fold {
		text = "(?i)" + text
	}
	root, err := syntax.Parse(text, syntax.Perl)
	switch {
	case err != nil:
		return nil, perlError(err)
	case !looksBehind(root):
		return nil, errors.New("lookbehind assertion is not fixed length")
	}
	r := &regex{}
	if tries {
		r.back, err = newBacktracker(text)
		return r, err
	}
	r.re, err = regexp.Compile(text)
	return r, err
}

// translatePerl writes a pattern as package regexp has it. tries says that only a
// backtracker can match it.
func translatePerl(src string) (text string, tries bool, err error) {
	var b strings.Builder
	var groups []int // the number here of each group that Perl counts
	made := 0
	for i := 0; i < len(src); {
		rest := src[i:]
		switch {
		case rest[0] == '\\' && len(rest) > 1:
			piece, n, backs, err := perlEscape(rest, groups)
			if err != nil {
				return "", false, err
			}
			b.WriteString(piece)
			tries = tries || backs
			i += n
		case rest[0] == '[':
			n := classEnd(rest)
			b.WriteString(strings.ReplaceAll(rest[:n], `\h`, ` \t`))
			i += n
		case rest[0] == '(':
			made++
			n := 1
			switch name := lookName(rest); {
			case name != "":
				tries = true
				n = len(lookFor(rest))
				fmt.Fprintf(&b, "(?P<%s%d>", name, made)
			case refusedGroup(rest) != "":
				return "", false, fmt.Errorf("-P has no %s here", refusedGroup(rest))
			default:
				if strings.HasPrefix(rest, "(?") && !strings.HasPrefix(rest, "(?P<") && !strings.HasPrefix(rest, "(?<") {
					made--
				} else {
					groups = append(groups, made)
				}
				b.WriteByte('(')
			}
			i += n
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String(), tries, nil
}

func lookFor(rest string) string {
	for _, l := range lookGroups {
		if strings.HasPrefix(rest, l.perl) {
			return l.perl
		}
	}
	return ""
}

func lookName(rest string) string {
	for _, l := range lookGroups {
		if strings.HasPrefix(rest, l.perl) {
			return l.name
		}
	}
	return ""
}

func refusedGroup(rest string) string {
	for _, t := range notPerl {
		if strings.HasPrefix(rest, t) {
			return t
		}
	}
	return ""
}

// perlEscape reads what begins with a backslash.
func perlEscape(rest string, groups []int) (text string, n int, tries bool, err error) {
	switch c := rest[1]; c {
	case 'K':
		return string(keepRune), 2, true, nil
	case 'h':
		return `[ \t]`, 2, false, nil
	case 'H':
		return `[^ \t]`, 2, false, nil
	case 'R':
		return `(?:\r\n|\n|\r)`, 2, false, nil
	case 'N':
		return `[^\n]`, 2, false, nil
	case 'Z':
		return `\z`, 2, false, nil
	case 'e':
		return `\x1b`, 2, false, nil
	case 'g', 'k', 'G', 'X', 'C':
		return "", 0, false, fmt.Errorf(`-P has no \%c here`, c)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		k, _ := strconv.Atoi(rest[1:2])
		if k > len(groups) {
			return "", 0, false, errors.New("reference to non-existent subpattern")
		}
		return string(backRune(groups[k-1])), 2, true, nil
	case 'Q':
		quoted, after, found := strings.Cut(rest[2:], `\E`)
		if !found {
			return regexp.QuoteMeta(quoted), len(rest), false, nil
		}
		return regexp.QuoteMeta(quoted), len(rest) - len(after), false, nil
	case '<', '>', '"', '\'', '`', ' ', '=', ':', ';', ',', '@', '#', '%', '&', '~', '!', '/', '-', '_':
		return regexp.QuoteMeta(string(c)), 2, false, nil
	}
	return rest[:2], 2, false, nil
}

// classEnd is how long a class in brackets is.
func classEnd(s string) int {
	i := 1
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for i < len(s) {
		switch {
		case s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], "[:"):
			if end := strings.Index(s[i:], ":]"); end > 0 {
				i += end + 1
			}
		case s[i] == ']':
			return i + 1
		}
		i++
	}
	return len(s)
}

// perlError words an error as PCRE does.
func perlError(err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case syntax.ErrMissingParen:
		return errors.New("missing closing parenthesis")
	case syntax.ErrUnexpectedParen:
		return errors.New("unmatched closing parenthesis")
	case syntax.ErrMissingBracket:
		return errors.New("missing terminating ] for character class")
	case syntax.ErrMissingRepeatArgument:
		return errors.New("quantifier does not follow a repeatable item")
	case syntax.ErrTrailingBackslash:
		return errors.New(`\ at end of pattern`)
	case syntax.ErrInvalidRepeatSize:
		return errors.New("numbers out of order in {} quantifier")
	case syntax.ErrInvalidCharRange:
		return errors.New("range out of order in character class")
	case syntax.ErrInvalidRepeatOp:
		return fmt.Errorf("-P has no quantifier %s here", e.Expr)
	}
	return fmt.Errorf("-P has no %s here", e.Expr)
}

// looksBehind reports whether all that looks behind is as long in each case as it
// is in any other, as Perl wants it.
func looksBehind(re *syntax.Regexp) bool {
	for _, sub := range re.Sub {
		if !looksBehind(sub) {
			return false
		}
	}
	if re.Op != syntax.OpCapture || !strings.Contains(re.Name, "behind") {
		return true
	}
	cases := re.Sub
	if cases[0].Op == syntax.OpAlternate {
		cases = cases[0].Sub
	}
	for _, c := range cases {
		if _, fixed := fixedLength(c); !fixed {
			return false
		}
	}
	return true
}

// fixedLength is how many characters a pattern matches, where that is one number.
func fixedLength(re *syntax.Regexp) (n int, fixed bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, true
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		return 0, false
	case syntax.OpRepeat:
		n, fixed = fixedLength(re.Sub[0])
		return n * re.Min, fixed && re.Min == re.Max
	case syntax.OpAlternate:
		n, fixed = fixedLength(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			m, ok := fixedLength(sub)
			fixed = fixed && ok && m == n
		}
		return n, fixed
	}
	fixed = true
	if re.Op == syntax.OpCapture && lookAround(re.Name) {
		return 0, true
	}
	for _, sub := range re.Sub {
		m, ok := fixedLength(sub)
		n, fixed = n+m, fixed && ok
	}
	return n, fixed
}

// lookAround reports whether a group's name is that of one that looks around.
func lookAround(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, "not"), "ahead") || strings.HasPrefix(strings.TrimPrefix(name, "not"), "behind")
}

// look tries what looks ahead or behind at i, or what is matched once and for all.
// It returns where the match goes on.
func (a *attempt) look(name string, sub *syntax.Regexp, i int) (end int, ok bool) {
	saved := append([]int(nil), a.caps...)
	found, end := false, i
	switch {
	case strings.Contains(name, "behind"):
		for from := i; from >= 0 && !found; from-- {
			found = a.match(sub, from, func(end int) bool { return end == i })
		}
	case strings.HasPrefix(name, "atomic"):
		found = a.match(sub, i, func(at int) bool { end = at; return true })
	default:
		found = a.match(sub, i, func(int) bool { return true })
	}
	if strings.HasPrefix(name, "not") {
		a.caps, found = saved, !found
	}
	return end, found
}
