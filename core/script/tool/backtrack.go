package tool

import (
	"errors"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// backtracker matches patterns that refer back to a group or look around, which
// regexp cannot: by trying. A reference stands in the tree as the literal
// backRune, \K as keepRune, and looking around as groups with the names of lookGroups.
type backtracker struct {
	root   *syntax.Regexp
	groups int
	// over: a search was given up.
	over bool
}

// maxTries bounds the work of one search.
const maxTries = 2_000_000

func newBacktracker(pattern string) (*backtracker, error) {
	root, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, errors.New("Invalid regular expression")
	}
	return &backtracker{root: root, groups: root.MaxCap()}, nil
}

// attempt is one search at work.
type attempt struct {
	text  []byte
	caps  []int
	tries int
	// keep is where \K was met; -1 where it was not.
	keep int
}

func (b *backtracker) all(text []byte, n int) (found [][]int) {
	a := &attempt{text: text}
	for from, last := 0, -1; from <= len(text) && len(found) != n; {
		m := a.search(b, from)
		if m == nil {
			break
		}
		if m[1] > m[0] || m[0] != last { // an empty match beside the one before does not count
			found = append(found, m)
		}
		last, from = m[1], m[1]
		if m[1] == m[0] {
			_, size := utf8.DecodeRune(text[from:])
			from += max(size, 1)
		}
	}
	return found
}

func (a *attempt) search(b *backtracker, from int) []int {
	for ; from <= len(a.text) && a.tries < maxTries; from++ {
		a.caps = make([]int, 2*b.groups+2)
		for i := range a.caps {
			a.caps[i] = -1
		}
		a.keep = -1
		end := -1
		if a.match(b.root, from, func(i int) bool { end = i; return true }) {
			a.caps[0], a.caps[1] = from, end
			if a.keep >= 0 {
				a.caps[0] = a.keep
			}
			return a.caps
		}
	}
	b.over = b.over || a.tries >= maxTries
	return nil
}

// match tries re at i and calls then with each place where it may end, the
// longest first, until that returns true.
func (a *attempt) match(re *syntax.Regexp, i int, then func(int) bool) bool {
	if a.tries++; a.tries > maxTries {
		return false
	}
	switch re.Op {
	case syntax.OpEmptyMatch:
		return then(i)
	case syntax.OpLiteral:
		return a.literal(re, 0, i, then)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		r, n := utf8.DecodeRune(a.text[i:])
		return n > 0 && inClass(re, r) && then(i+n)
	case syntax.OpCapture:
		for _, l := range lookGroups {
			if strings.HasPrefix(re.Name, l.name) {
				end, ok := a.look(re.Name, re.Sub[0], i)
				return ok && then(end)
			}
		}
		from, to := a.caps[2*re.Cap], a.caps[2*re.Cap+1]
		if a.match(re.Sub[0], i, func(end int) bool {
			f, t := a.caps[2*re.Cap], a.caps[2*re.Cap+1]
			a.caps[2*re.Cap], a.caps[2*re.Cap+1] = i, end
			if then(end) {
				return true
			}
			a.caps[2*re.Cap], a.caps[2*re.Cap+1] = f, t
			return false
		}) {
			return true
		}
		a.caps[2*re.Cap], a.caps[2*re.Cap+1] = from, to
		return false
	case syntax.OpStar:
		return a.repeat(re, 0, -1, i, then)
	case syntax.OpPlus:
		return a.repeat(re, 1, -1, i, then)
	case syntax.OpQuest:
		return a.repeat(re, 0, 1, i, then)
	case syntax.OpRepeat:
		return a.repeat(re, re.Min, re.Max, i, then)
	case syntax.OpConcat:
		return a.concat(re.Sub, i, then)
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if a.match(sub, i, then) {
				return true
			}
		}
		return false
	}
	return a.assertion(re.Op, i) && then(i)
}

func (a *attempt) concat(subs []*syntax.Regexp, i int, then func(int) bool) bool {
	if len(subs) == 0 {
		return then(i)
	}
	return a.match(subs[0], i, func(end int) bool { return a.concat(subs[1:], end, then) })
}

func (a *attempt) repeat(re *syntax.Regexp, least, most, i int, then func(int) bool) bool {
	lazy := re.Flags&syntax.NonGreedy != 0
	if lazy && least == 0 && then(i) {
		return true
	}
	if most != 0 && a.match(re.Sub[0], i, func(end int) bool {
		return (end > i || least > 0) && a.repeat(re, max(least-1, 0), max(most-1, min(most, -1)), end, then)
	}) {
		return true
	}
	return !lazy && least == 0 && then(i)
}

func (a *attempt) literal(re *syntax.Regexp, at, i int, then func(int) bool) bool {
	for ; at < len(re.Rune); at++ {
		want := re.Rune[at]
		if want == keepRune {
			old := a.keep
			if a.keep = i; a.literal(re, at+1, i, then) {
				return true
			}
			a.keep = old
			return false
		}
		if n := int(want) - int(backRune(0)); n > 0 && n < len(a.caps)/2 {
			from, to := a.caps[2*n], a.caps[2*n+1]
			if from < 0 || !a.same(i, from, to, re.Flags&syntax.FoldCase != 0) {
				return false
			}
			i += to - from
			continue
		}
		r, n := utf8.DecodeRune(a.text[i:])
		if n == 0 || r != want && (re.Flags&syntax.FoldCase == 0 || unicode.ToLower(r) != unicode.ToLower(want)) {
			return false
		}
		i += n
	}
	return then(i)
}

func (a *attempt) same(i, from, to int, fold bool) bool {
	if i+to-from > len(a.text) {
		return false
	}
	for j := from; j < to; j++ {
		x, y := a.text[j], a.text[i+j-from]
		if x != y && (!fold || unicode.ToLower(rune(x)) != unicode.ToLower(rune(y))) {
			return false
		}
	}
	return true
}

func inClass(re *syntax.Regexp, r rune) bool {
	switch re.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpAnyCharNotNL:
		return r != '\n'
	}
	for j := 0; j+1 < len(re.Rune); j += 2 {
		if r >= re.Rune[j] && r <= re.Rune[j+1] {
			return true
		}
	}
	return false
}

func (a *attempt) assertion(op syntax.Op, i int) bool {
	word := func(at int) bool {
		if at < 0 || at >= len(a.text) {
			return false
		}
		c := a.text[at]
		return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	switch op {
	case syntax.OpBeginText:
		return i == 0
	case syntax.OpEndText:
		return i == len(a.text)
	case syntax.OpBeginLine:
		return i == 0 || a.text[i-1] == '\n'
	case syntax.OpEndLine:
		return i == len(a.text) || a.text[i] == '\n'
	case syntax.OpWordBoundary:
		return word(i-1) != word(i)
	case syntax.OpNoWordBoundary:
		return word(i-1) == word(i)
	}
	return false
}
