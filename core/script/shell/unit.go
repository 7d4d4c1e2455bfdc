package shell

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Unit is a parsed text. It is never changed after Parse, so many runs may share
// it.
type Unit struct {
	// file is what messages call it; empty for the script itself.
	file string
	text string
	// base is added to the lines of a text that stands inside another.
	base  int
	stmts []*syntax.Stmt
	// same marks the commands that begin on the line on which the one before ends:
	// a failed expansion ends those too.
	same []bool
	// timed: SECONDS is read somewhere, so the time of the start matters.
	timed bool
	arith map[syntax.Node]arithSource
	keys  map[syntax.ArithmExpr]*syntax.Word
	exts  map[*syntax.ExtGlob]*syntax.Word
	// braced are the words in which braces are expanded.
	braced map[*syntax.Word]*syntax.Word
	inner  map[*syntax.SglQuoted]*syntax.Word
	// quoted: the delimiter of a here-document is, so nothing in it is expanded.
	quoted map[*syntax.Redirect]bool
}

// Problem is why a text is refused, or, with Warning, what is doubtful in it.
type Problem struct {
	Line, Col  int
	Reason     string
	Suggestion string
	Warning    bool
}

// Parse reads a script. Where a problem is no warning the Unit is nil.
func Parse(text string) (*Unit, []Problem) {
	u, problems := parse(text, "", 0)
	if u == nil {
		return nil, problems
	}
	problems = lint(u)
	for _, p := range problems {
		if !p.Warning {
			return nil, problems
		}
	}
	return u, problems
}

// parse reads a text without judging it.
func parse(text, file string, base int) (*Unit, []Problem) {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	f, err := p.Parse(strings.NewReader(text), file)
	if err != nil {
		p := problemOf(err)
		p.Suggestion = suggestFor(text, p)
		return nil, []Problem{p}
	}
	u := &Unit{
		file: file, text: text, base: base, stmts: f.Stmts,
		arith: map[syntax.Node]arithSource{}, keys: map[syntax.ArithmExpr]*syntax.Word{},
		exts: map[*syntax.ExtGlob]*syntax.Word{}, quoted: map[*syntax.Redirect]bool{},
		inner:  map[*syntax.SglQuoted]*syntax.Word{},
		braced: map[*syntax.Word]*syntax.Word{},
	}
	u.timed = strings.Contains(text, "SECONDS") || strings.Contains(text, ")T")
	for i, st := range f.Stmts {
		u.same = append(u.same, i > 0 && st.Pos().Line() == f.Stmts[i-1].End().Line())
	}
	syntax.Walk(f, u.prepare)
	return u, nil
}

func problemOf(err error) Problem {
	var pe syntax.ParseError
	var le syntax.LangError
	switch {
	case errors.As(err, &pe):
		return Problem{Line: int(pe.Pos.Line()), Col: int(pe.Pos.Col()), Reason: pe.Text}
	case errors.As(err, &le):
		text := le.Error()
		if _, rest, ok := strings.Cut(text, ": "); ok {
			text = rest
		}
		return Problem{Line: int(le.Pos.Line()), Col: int(le.Pos.Col()), Reason: text}
	}
	return Problem{Line: 1, Col: 1, Reason: err.Error()}
}

// inSubscript finds the subscript that a line breaks off in.
var inSubscript = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*\[[^]]*$|\(.*\[[^]]*$`)

// suggestFor is what to write instead of what cannot be read.
func suggestFor(text string, p Problem) string {
	lines := strings.Split(text, "\n")
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	line := lines[p.Line-1]
	if before := line[:min(max(p.Col-1, 0), len(line))]; inSubscript.MatchString(before) {
		return `the key of an associative array between double quotes: m["a b"]`
	}
	return ""
}

// regroup gives a condition of [[ ]] the order in which bash reads it: ! binds its
// own term alone, and && binds closer than ||. The parser groups all from the right.
func regroup(x syntax.TestExpr) syntax.TestExpr {
	terms, ops := testTerms(x)
	var all, some syntax.TestExpr
	var or *syntax.BinaryTest
	for i, t := range terms {
		switch {
		case i == 0:
			all = t
			continue
		case ops[i-1].Op == syntax.AndTest:
			all = &syntax.BinaryTest{OpPos: ops[i-1].OpPos, Op: syntax.AndTest, X: all, Y: t}
			continue
		}
		some, or, all = eitherOf(some, or, all), ops[i-1], t
	}
	return eitherOf(some, or, all)
}

func eitherOf(x syntax.TestExpr, or *syntax.BinaryTest, y syntax.TestExpr) syntax.TestExpr {
	if x == nil {
		return y
	}
	return &syntax.BinaryTest{OpPos: or.OpPos, Op: syntax.OrTest, X: x, Y: y}
}

// testTerms are the terms between the && and || of one condition, and these.
func testTerms(x syntax.TestExpr) (terms []syntax.TestExpr, ops []*syntax.BinaryTest) {
	switch n := x.(type) {
	case *syntax.BinaryTest:
		if n.Op == syntax.AndTest || n.Op == syntax.OrTest {
			terms, ops = testTerms(n.X)
			right, more := testTerms(n.Y)
			return append(terms, right...), append(append(ops, n), more...)
		}
	case *syntax.UnaryTest:
		if n.Op == syntax.TsNot {
			terms, ops = testTerms(n.X)
			terms[0] = &syntax.UnaryTest{OpPos: n.OpPos, Op: syntax.TsNot, X: terms[0]}
			return terms, ops
		}
	}
	return []syntax.TestExpr{x}, nil
}

// prepare notes for a node what its evaluation needs of the text.
func (u *Unit) prepare(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.TestClause:
		n.X = regroup(n.X)
	case *syntax.ParenTest:
		n.X = regroup(n.X)
	case *syntax.ArithmExp:
		left := n.Left.Offset() + 3
		if n.Bracket {
			left--
		}
		u.noteArith(n, left, n.Right.Offset())
	case *syntax.ArithmCmd:
		u.noteArith(n, n.Left.Offset()+2, n.Right.Offset())
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{n.Init, n.Cond, n.Post} {
			u.noteExpr(x)
		}
	case *syntax.LetClause:
		for _, x := range n.Exprs {
			u.noteExpr(x)
			src := u.arith[x]
			src.text = strings.ReplaceAll(src.text, "'", "")
			u.arith[x] = src
		}
	case *syntax.ParamExp:
		u.noteIndex(n.Index)
		if n.Slice != nil {
			u.noteExpr(n.Slice.Offset)
			u.noteExpr(n.Slice.Length)
		}
		u.noteInner(n)
	case *syntax.Assign:
		u.noteIndex(n.Index)
	case *syntax.ArrayElem:
		u.noteIndex(n.Index)
		u.braces(n.Value)
	case *syntax.CallExpr:
		for _, word := range n.Args {
			u.braces(word)
		}
	case *syntax.WordIter:
		for _, word := range n.Items {
			u.braces(word)
		}
	case *syntax.ExtGlob:
		if strings.ContainsAny(n.Pattern.Value, "$`'\"") {
			u.exts[n] = u.document(n.Pattern.Pos().Offset(), n.Pattern.End().Offset())
		}
	case *syntax.Redirect:
		u.noteHeredoc(n)
	}
	return true
}

// noteInner: in "${x:-'a'}" the single quotes are no quotes.
func (u *Unit) noteInner(n *syntax.ParamExp) {
	if n.Exp == nil || n.Exp.Word == nil {
		return
	}
	for _, part := range n.Exp.Word.Parts {
		if q, ok := part.(*syntax.SglQuoted); ok && !q.Dollar && strings.ContainsAny(q.Value, "$`\\") {
			u.inner[q] = u.document(q.Left.Offset()+1, q.Right.Offset())
		}
	}
}

func (u *Unit) braces(word *syntax.Word) {
	if word == nil {
		return
	}
	if c := *word; syntax.SplitBraces(&c) && hasBraces(&c) {
		u.braced[word] = &c
	}
}

func (u *Unit) noteHeredoc(r *syntax.Redirect) {
	if r.Op != syntax.Hdoc && r.Op != syntax.DashHdoc {
		return
	}
	for _, part := range r.Word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok || strings.IndexByte(lit.Value, '\\') >= 0 {
			u.quoted[r] = true
		}
	}
	if r.Op == syntax.Hdoc || r.Hdoc == nil {
		return
	}
	start := true
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			start = false
			continue
		}
		lines := strings.SplitAfter(lit.Value, "\n")
		for i, line := range lines {
			if i > 0 || start {
				lines[i] = strings.TrimLeft(line, "\t")
			}
		}
		start = strings.HasSuffix(lit.Value, "\n")
		lit.Value = strings.Join(lines, "")
	}
}

// verbatim is the text of a here-document in which nothing is expanded.
func (u *Unit) verbatim(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	var b strings.Builder
	for _, part := range r.Hdoc.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// source is an expression as it stands in the text.
func (u *Unit) source(x syntax.ArithmExpr) string {
	return u.text[x.Pos().Offset():x.End().Offset()]
}

func (u *Unit) noteExpr(x syntax.ArithmExpr) {
	if x != nil {
		u.noteArith(x, x.Pos().Offset(), x.End().Offset())
	}
}

func (u *Unit) noteArith(n syntax.Node, from, to uint) {
	text := u.text[from:to]
	if !strings.ContainsAny(text, "$`\\") {
		u.arith[n] = arithSource{text: text}
		return
	}
	u.arith[n] = arithSource{word: u.document(from, to)}
}

// document parses a part of the text as if it stood between double quotes. The
// nodes keep their places.
func (u *Unit) document(from, to uint) *syntax.Word {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	word, err := p.Document(strings.NewReader(u.padding(from) + u.text[from:to]))
	if err != nil || word == nil {
		return &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: u.text[from:to]}}}
	}
	if lit, ok := word.Parts[0].(*syntax.Lit); ok && from > 0 {
		c := *lit
		c.Value = c.Value[min(from, uint(len(c.Value))):]
		word.Parts[0] = &c
	}
	syntax.Walk(word, u.prepare)
	return word
}

// padding is blank text up to a place, with the same lines.
func (u *Unit) padding(to uint) string {
	b := []byte(u.text[:to])
	for i, c := range b {
		if c != '\n' {
			b[i] = ' '
		}
	}
	return string(b)
}

// noteIndex prepares a subscript for both kinds of arrays: as an expression, and
// as a word that is a key.
func (u *Unit) noteIndex(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	u.noteExpr(x)
	if word, ok := x.(*syntax.Word); ok {
		u.keys[x] = word
		return
	}
	from, to := x.Pos().Offset(), x.End().Offset()
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	var words []*syntax.Word
	err := p.Words(strings.NewReader(u.padding(from)+u.text[from:to]), func(w *syntax.Word) bool {
		words = append(words, w)
		return true
	})
	if err != nil || len(words) != 1 {
		u.keys[x] = u.document(from, to)
		return
	}
	syntax.Walk(words[0], u.prepare)
	u.keys[x] = words[0]
}

// extGlob is the text between the parentheses, expanded.
func (u *Unit) extGlob(s *sh, p *syntax.ExtGlob) string {
	word, ok := u.exts[p]
	if !ok {
		return p.Pattern.Value
	}
	w := words{s: s, mode: toText}
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			w.text = append(w.text, lit.Value...)
			continue
		}
		w.part(part, false, false, false)
	}
	return string(w.text)
}

// parse reads a text at run time: of eval, source, trap.
func (s *sh) parse(text, what string) (*Unit, bool) {
	key := what + "\x00" + text
	u := s.e.parsed[key]
	if u == nil {
		var problems []Problem
		u, problems = parse(text, "", 0)
		if u == nil {
			p := problems[0]
			s.errorf("%s: line %d: syntax error: %s", what, s.line+p.Line-1, p.Reason)
			return nil, false
		}
		for _, p := range lint(u) {
			if !p.Warning {
				s.e.stop("refused", "line %d: %s: %s", s.line, what, p.Reason)
			}
		}
		if len(s.e.parsed) > 1000 {
			s.e.parsed = map[string]*Unit{}
		}
		s.e.parsed[key] = u
	}
	c := *u
	c.base = s.line - 1
	if s.unit != nil {
		c.file = s.unit.file
	}
	return &c, true
}

// at is the line of a place of the running text.
func (s *sh) at(pos syntax.Pos) int { return int(pos.Line()) + s.unit.base }
