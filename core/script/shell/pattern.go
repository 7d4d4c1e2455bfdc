package shell

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pattern is a compiled shell pattern. Models sm_loop.c of glob.
type pattern struct {
	e     *engine
	nodes []pnode
	// literal is the text of a pattern without anything special.
	literal   string
	isLiteral bool
	fold      bool
	stars     int
}

type pkind uint8

const (
	pLit pkind = iota
	pAny
	pStar
	pSet
	pExt
)

type pnode struct {
	kind pkind
	r    rune
	set  *charset
	// op is what stands before the group of pExt: one of ?*+@!
	op   byte
	alts [][]pnode
}

type charset struct {
	not    bool
	ranges [][2]rune
	tests  []func(rune) bool
}

// compile reads a pattern, in which a backslash quotes.
func (s *sh) compile(text string) *pattern {
	return newPattern(s.e, text, s.shopts["extglob"] || s.inTest, s.inTest && s.shopts["nocasematch"])
}

func newPattern(e *engine, text string, ext, fold bool) *pattern {
	p := &pattern{e: e, fold: fold}
	r := patternReader{text: text, ext: ext, fold: fold}
	p.nodes = r.sequence("")
	p.isLiteral = !fold
	var b strings.Builder
	for _, n := range p.nodes {
		switch n.kind {
		case pLit:
			b.WriteRune(n.r)
			continue
		case pStar, pExt:
			p.stars++
		}
		p.isLiteral = false
	}
	p.literal = b.String()
	return p
}

// isPattern reports whether a text has anything special in it.
func isPattern(text string, ext bool) bool {
	r := patternReader{text: text, ext: ext}
	for _, n := range r.sequence("") {
		if n.kind != pLit {
			return true
		}
	}
	return false
}

type patternReader struct {
	text      string
	at        int
	ext, fold bool
}

// sequence reads up to one of the characters of until, or the end.
func (r *patternReader) sequence(until string) []pnode {
	var nodes []pnode
	for r.at < len(r.text) {
		c := r.text[r.at]
		if strings.IndexByte(until, c) >= 0 {
			break
		}
		if r.ext && strings.IndexByte("?*+@!", c) >= 0 && r.at+1 < len(r.text) && r.text[r.at+1] == '(' {
			if n, ok := r.group(c); ok {
				nodes = append(nodes, n)
				continue
			}
		}
		switch c {
		case '*':
			r.at++
			if len(nodes) == 0 || nodes[len(nodes)-1].kind != pStar {
				nodes = append(nodes, pnode{kind: pStar})
			}
			continue
		case '?':
			r.at++
			nodes = append(nodes, pnode{kind: pAny})
			continue
		case '[':
			if n, ok := r.bracket(); ok {
				nodes = append(nodes, n)
				continue
			}
		case '\\':
			if r.at+1 < len(r.text) {
				r.at++
			}
		}
		c2, size := utf8.DecodeRuneInString(r.text[r.at:])
		if c2 == utf8.RuneError && size == 1 {
			c2 = rune(r.text[r.at]) | invalid
		}
		r.at += size
		nodes = append(nodes, pnode{kind: pLit, r: r.folded(c2)})
	}
	return nodes
}

// invalid marks a byte that is no UTF-8.
const invalid = 1 << 24

func (r *patternReader) folded(c rune) rune {
	if r.fold {
		return unicode.ToLower(c)
	}
	return c
}

func (r *patternReader) group(op byte) (pnode, bool) {
	start := r.at
	n := pnode{kind: pExt, op: op}
	r.at += 2
	for {
		n.alts = append(n.alts, r.sequence("|)"))
		if r.at >= len(r.text) {
			r.at = start
			return n, false
		}
		r.at++
		if r.text[r.at-1] == ')' {
			return n, true
		}
	}
}

// bracket reads [...]; without its end it is a literal bracket.
func (r *patternReader) bracket() (pnode, bool) {
	t := r.text
	i := r.at + 1
	set := &charset{}
	if i < len(t) && (t[i] == '!' || t[i] == '^') {
		set.not = true
		i++
	}
	first := true
	for i < len(t) {
		if t[i] == ']' && !first {
			r.at = i + 1
			return pnode{kind: pSet, set: set}, true
		}
		first = false
		if strings.HasPrefix(t[i:], "[:") {
			if end := strings.Index(t[i:], ":]"); end > 0 {
				if test, ok := charClasses[t[i+2:i+end]]; ok {
					set.tests = append(set.tests, test)
				}
				i += end + 2
				continue
			}
		}
		lo, n := bracketChar(t[i:])
		i += n
		hi := lo
		if i+1 < len(t) && t[i] == '-' && t[i+1] != ']' {
			hi, n = bracketChar(t[i+1:])
			i += 1 + n
		}
		set.ranges = append(set.ranges, [2]rune{r.folded(lo), r.folded(hi)})
	}
	return pnode{}, false
}

func bracketChar(t string) (rune, int) {
	for _, kind := range []string{"=", "."} {
		if strings.HasPrefix(t, "["+kind) {
			if end := strings.Index(t, kind+"]"); end > 2 {
				c, _ := utf8.DecodeRuneInString(t[2:])
				return c, end + 2
			}
		}
	}
	if t[0] == '\\' && len(t) > 1 {
		c, n := utf8.DecodeRuneInString(t[1:])
		return c, n + 1
	}
	c, n := utf8.DecodeRuneInString(t)
	return c, n
}

func ascii(f func(byte) bool) func(rune) bool {
	return func(r rune) bool { return r < 0x80 && f(byte(r)) }
}

var charClasses = map[string]func(rune) bool{
	"alpha": unicode.IsLetter, "digit": ascii(func(c byte) bool { return c >= '0' && c <= '9' }),
	"alnum": func(r rune) bool { return unicode.IsLetter(r) || r >= '0' && r <= '9' },
	"upper": unicode.IsUpper, "lower": unicode.IsLower, "space": unicode.IsSpace,
	"blank": func(r rune) bool { return r == ' ' || r == '\t' },
	"punct": func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) },
	"cntrl": unicode.IsControl, "print": unicode.IsPrint, "graph": func(r rune) bool { return unicode.IsGraphic(r) && r != ' ' },
	"xdigit": ascii(func(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }),
	"word":   func(r rune) bool { return unicode.IsLetter(r) || r >= '0' && r <= '9' || r == '_' },
}

func (c *charset) has(r rune, fold bool) bool {
	if fold {
		r = unicode.ToLower(r)
	}
	for _, x := range c.ranges {
		if r >= x[0] && r <= x[1] {
			return !c.not
		}
	}
	for _, test := range c.tests {
		if test(r) {
			return !c.not
		}
	}
	return c.not
}

// matcher is one use of a pattern.
type matcher struct {
	p    *pattern
	text string
	// seen marks pairs of a node and a place that were tried, at the top level.
	seen []bool
}

// run matches nodes from a place on, and calls then with every place at which
// they end, until it returns true.
func (m *matcher) run(nodes []pnode, at int, top bool, then func(int) bool) bool {
	m.p.e.labour(10)
	for i, n := range nodes {
		if n.kind == pStar || n.kind == pExt {
			return m.branch(nodes[i:], at, top, then)
		}
		if at >= len(m.text) {
			return false
		}
		r, size := utf8.DecodeRuneInString(m.text[at:])
		if r == utf8.RuneError && size == 1 {
			r = rune(m.text[at]) | invalid
		}
		switch n.kind {
		case pLit:
			if r != n.r && !(m.p.fold && unicode.ToLower(r) == n.r) {
				return false
			}
		case pSet:
			if !n.set.has(r, m.p.fold) {
				return false
			}
		}
		at += size
	}
	return then(at)
}

// branch matches nodes that begin with a star or a group.
func (m *matcher) branch(nodes []pnode, at int, top bool, then func(int) bool) bool {
	if top && m.p.stars > 1 {
		if m.seen == nil {
			m.p.e.labour(len(m.text))
			m.seen = make([]bool, (len(m.p.nodes)+1)*(len(m.text)+1))
		}
		k := len(nodes)*(len(m.text)+1) + at
		if m.seen[k] {
			return false
		}
		m.seen[k] = true
	}
	n, rest := nodes[0], nodes[1:]
	if n.kind == pStar {
		for {
			if m.run(rest, at, top, then) {
				return true
			}
			if at >= len(m.text) {
				return false
			}
			_, size := utf8.DecodeRuneInString(m.text[at:])
			at += size
		}
	}
	after := func(end int) bool { return m.run(rest, end, top, then) }
	switch n.op {
	case '@':
		return m.any(n.alts, at, after)
	case '?':
		return after(at) || m.any(n.alts, at, after)
	case '*':
		return after(at) || m.repeat(n.alts, at, after)
	case '+':
		return m.repeat(n.alts, at, after)
	}
	// !( ): every end at which none of the alternatives matches.
	for end := at; end <= len(m.text); end++ {
		part := &matcher{p: &pattern{e: m.p.e, fold: m.p.fold}, text: m.text[at:end]}
		if !part.any(n.alts, 0, func(e int) bool { return e == end-at }) && after(end) {
			return true
		}
	}
	return false
}

func (m *matcher) any(alts [][]pnode, at int, then func(int) bool) bool {
	for _, alt := range alts {
		if m.run(alt, at, false, then) {
			return true
		}
	}
	return false
}

func (m *matcher) repeat(alts [][]pnode, at int, then func(int) bool) bool {
	return m.any(alts, at, func(end int) bool {
		return then(end) || end > at && m.repeat(alts, end, then)
	})
}

// match reports whether the whole text fits.
func (p *pattern) match(t string) bool {
	if p.isLiteral {
		return t == p.literal
	}
	m := matcher{p: p, text: t}
	return m.run(p.nodes, 0, true, func(end int) bool { return end == len(t) })
}

// prefix returns the length of the shortest or longest start of the text that
// fits, -1 where none does.
func (p *pattern) prefix(t string, long bool) int {
	if p.isLiteral {
		if strings.HasPrefix(t, p.literal) {
			return len(p.literal)
		}
		return -1
	}
	if n := len(p.nodes); n > 0 && p.nodes[n-1].kind == pStar && long && p.stars == 1 {
		if m := (matcher{p: p, text: t}); m.run(p.nodes[:n-1], 0, false, func(int) bool { return true }) {
			return len(t)
		}
		return -1
	}
	best := -1
	m := matcher{p: p, text: t}
	m.run(p.nodes, 0, true, func(end int) bool {
		if best < 0 || (end > best) == long {
			best = end
		}
		return false
	})
	return best
}

// suffix returns where the shortest or longest end of the text begins that fits,
// -1 where none does.
func (p *pattern) suffix(t string, long bool) int {
	if p.isLiteral {
		if strings.HasSuffix(t, p.literal) {
			return len(t) - len(p.literal)
		}
		return -1
	}
	if long {
		for at := 0; at <= len(t); at++ {
			if utf8.RuneStart(at2(t, at)) && p.match(t[at:]) {
				return at
			}
		}
		return -1
	}
	for at := len(t); at >= 0; at-- {
		if utf8.RuneStart(at2(t, at)) && p.match(t[at:]) {
			return at
		}
	}
	return -1
}

func at2(t string, i int) byte {
	if i >= len(t) {
		return 0
	}
	return t[i]
}
