package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// treePrinter prints commands as declare -f and BASH_COMMAND show them. Models
// print_cmd.c.
type treePrinter struct {
	unit   *Unit
	b      strings.Builder
	indent int
	// skip is how many commands are printed where the text stands.
	skip int
	// functions is how many bodies of functions are open: there each command has a
	// line of its own.
	functions int
	// bodies are here-documents whose text is still to come.
	bodies []*syntax.Redirect
	// ended: a here-document came last, and ended the line.
	ended bool
}

// functionText is a function as declare -f prints it.
func functionText(f *function) string {
	p := &treePrinter{unit: f.unit}
	p.b.WriteString(f.decl.Name.Value + " () \n")
	p.body(f.decl.Body)
	return p.b.String() + "\n"
}

// commandText is a command as BASH_COMMAND shows it.
func commandText(u *Unit, st *syntax.Stmt) string {
	p := &treePrinter{unit: u, skip: 1}
	p.command(st)
	p.flush("")
	return p.b.String()
}

func (p *treePrinter) put(texts ...string) {
	for _, t := range texts {
		p.b.WriteString(t)
	}
}

func (p *treePrinter) newline(text string) {
	p.put("\n", strings.Repeat(" ", p.indent), text)
}

func (p *treePrinter) semicolon() {
	if text := p.b.String(); !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "&") {
		p.put(";")
	}
}

// body is the body of a function.
func (p *treePrinter) body(st *syntax.Stmt) {
	p.put(strings.Repeat(" ", p.indent), "{ \n")
	p.functions++
	p.indent += 4
	if block, ok := st.Cmd.(*syntax.Block); ok {
		p.list(block.Stmts)
	} else {
		p.command(&syntax.Stmt{Cmd: st.Cmd, Negated: st.Negated, Position: st.Position})
	}
	p.flush("")
	p.indent -= 4
	p.functions--
	if len(st.Redirs) > 0 {
		p.newline("} ")
		p.redirections(st.Redirs)
		return
	}
	p.newline("}")
}

// list prints commands in sequence.
func (p *treePrinter) list(list []*syntax.Stmt) {
	for i, st := range list {
		if i > 0 {
			p.next()
		}
		p.command(st)
	}
}

// next goes from one command to the one after it.
func (p *treePrinter) next() {
	if len(p.bodies) > 0 {
		p.flush("")
	} else if !p.ended {
		p.put(";")
	}
	p.ended = false
	if p.functions > 0 {
		p.put("\n")
		return
	}
	p.put(" ")
	p.skip++
}

// flush prints the here-documents whose text is still to come, after what
// connects the command with the next one.
func (p *treePrinter) flush(connector string) {
	p.put(connector)
	if len(p.bodies) == 0 {
		return
	}
	p.put("\n")
	for _, r := range p.bodies {
		p.put(p.document(r), delimiter(r), "\n")
	}
	if connector != "" {
		p.put(" ")
	}
	p.bodies, p.ended = nil, true
}

// source is the text of a node, with the commands inside $( ) and <( ) printed
// anew.
func (p *treePrinter) source(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	var b strings.Builder
	syntax.Walk(n, func(x syntax.Node) bool {
		if q, ok := x.(*syntax.SglQuoted); ok && q.Dollar {
			text := unescape(q.Value, ansiC)
			b.WriteString(p.unit.piece(from, q.Pos().Offset()) + "'" + strings.ReplaceAll(text, "'", `'\''`) + "'")
			from = q.End().Offset()
			return false
		}
		var stmts []*syntax.Stmt
		opening := "$("
		switch x := x.(type) {
		case *syntax.CmdSubst:
			stmts = x.Stmts
			if x.Backquotes {
				return false
			}
		case *syntax.ProcSubst:
			stmts, opening = x.Stmts, x.Op.String()
		default:
			return true
		}
		if len(stmts) == 0 {
			return false
		}
		inner := &treePrinter{unit: p.unit, skip: 1}
		inner.list(stmts)
		inner.flush("")
		b.WriteString(p.unit.piece(from, x.Pos().Offset()) + opening + inner.b.String() + ")")
		from = x.End().Offset()
		return false
	})
	return b.String() + p.unit.piece(from, to)
}

// piece is a part of the text.
func (u *Unit) piece(from, to uint) string {
	all := uint(len(u.text))
	from, to = min(from, all), min(to, all)
	return u.text[from:max(from, to)]
}

func (p *treePrinter) words(list []*syntax.Word, between string) {
	for i, w := range list {
		if i > 0 {
			p.put(between)
		}
		p.put(p.source(w))
	}
}

// command prints one command, at the indentation.
func (p *treePrinter) command(st *syntax.Stmt) {
	if p.skip > 0 {
		p.skip--
	} else {
		p.put(strings.Repeat(" ", p.indent))
	}
	cmd := st.Cmd
	if t, ok := cmd.(*syntax.TimeClause); ok {
		p.put("time ")
		if t.PosixFormat {
			p.put("-p ")
		}
		if t.Stmt == nil {
			return
		}
		st, cmd = t.Stmt, t.Stmt.Cmd
	}
	if st.Negated {
		p.put("! ")
	}
	switch c := cmd.(type) {
	case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, nil:
		p.simple(cmd)
		if len(st.Redirs) > 0 {
			if cmd != nil {
				p.put(" ")
			}
			p.redirections(st.Redirs)
		}
		return
	case *syntax.FuncDecl:
		p.put("function ", c.Name.Value, " () \n")
		p.body(c.Body)
	default:
		p.compound(c)
	}
	if len(st.Redirs) > 0 {
		p.put(" ")
		p.redirections(st.Redirs)
	}
}

func (p *treePrinter) simple(cmd syntax.Command) {
	var texts []string
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		for _, a := range c.Assigns {
			texts = append(texts, p.assign(a))
		}
		for _, w := range c.Args {
			texts = append(texts, p.source(w))
		}
	case *syntax.DeclClause:
		texts = append(texts, c.Variant.Value)
		for _, a := range c.Args {
			texts = append(texts, p.assign(a))
		}
	case *syntax.LetClause:
		texts = append(texts, p.source(c))
	}
	p.put(strings.Join(texts, " "))
}

// assign is an assignment; the elements of an array are apart by one blank.
func (p *treePrinter) assign(a *syntax.Assign) string {
	if a.Array == nil {
		return p.source(a)
	}
	elems := make([]string, len(a.Array.Elems))
	for i, e := range a.Array.Elems {
		if e.Index != nil {
			elems[i] = "["
		}
		elems[i] += p.source(e)
	}
	return p.unit.piece(a.Pos().Offset(), a.Array.Lparen.Offset()) + "(" + strings.Join(elems, " ") + ")"
}

func (p *treePrinter) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.Block:
		p.put("{ ")
		if p.functions == 0 {
			p.skip++
			p.list(c.Stmts)
			p.flush("")
			p.semicolon()
			p.put(" }")
			return
		}
		p.put("\n")
		p.indent += 4
		p.list(c.Stmts)
		p.flush("")
		p.indent -= 4
		p.newline("}")
	case *syntax.Subshell:
		p.put("( ")
		p.skip++
		p.list(c.Stmts)
		p.flush("")
		p.put(" )")
	case *syntax.BinaryCmd:
		p.binary(c)
	case *syntax.IfClause:
		p.ifClause(c)
	case *syntax.WhileClause:
		word := "while "
		if c.Until {
			word = "until "
		}
		p.put(word)
		p.skip++
		p.list(c.Cond)
		p.flush("")
		p.semicolon()
		p.put(" do\n")
		p.block(c.Do)
		p.newline("done")
	case *syntax.ForClause:
		p.put(p.forHead(c.Loop))
		p.newline("do\n")
		p.block(c.Do)
		p.newline("done")
	case *syntax.CaseClause:
		p.caseClause(c)
	case *syntax.TestClause:
		p.put("[[ ", p.test(c.X), " ]]")
	case *syntax.ArithmCmd:
		p.put(p.unit.piece(c.Pos().Offset(), c.End().Offset()))
	}
}

// block is what stands between do and done, or after then.
func (p *treePrinter) block(list []*syntax.Stmt) {
	p.indent += 4
	p.list(list)
	p.flush("")
	p.indent -= 4
	p.semicolon()
}

func (p *treePrinter) binary(c *syntax.BinaryCmd) {
	p.skip++
	x := c.X
	op := c.Op.String()
	if c.Op == syntax.PipeAll {
		// |& is 2>&1 and a pipe.
		both := *x
		both.Redirs = append(slices.Clone(x.Redirs), &syntax.Redirect{Op: syntax.DplOut, N: &syntax.Lit{Value: "2"}, Word: &syntax.Word{}})
		x, op = &both, "|"
	}
	p.command(x)
	if op == "|" {
		p.flush(" |")
		p.put(" ")
	} else {
		p.flush(" " + op + " ")
	}
	p.skip++
	p.command(c.Y)
}

func (p *treePrinter) ifClause(c *syntax.IfClause) {
	p.put("if ")
	p.skip++
	p.list(c.Cond)
	p.semicolon()
	p.put(" then\n")
	p.block(c.Then)
	switch {
	case c.Else == nil:
		p.newline("fi")
		return
	case c.Else.ThenPos.IsValid():
		// elif is an if of its own.
		p.newline("else\n")
		p.indent += 4
		p.put(strings.Repeat(" ", p.indent))
		p.ifClause(c.Else)
		p.indent -= 4
		p.semicolon()
	default:
		p.newline("else\n")
		p.block(c.Else.Then)
	}
	p.newline("fi")
}

// forHead is a for without its body.
func (p *treePrinter) forHead(loop syntax.Loop) string {
	switch l := loop.(type) {
	case *syntax.WordIter:
		text := "for " + l.Name.Value + " in "
		if !l.InPos.IsValid() {
			return text + `"$@";`
		}
		for i, w := range l.Items {
			if i > 0 {
				text += " "
			}
			text += p.source(w)
		}
		return text + ";"
	case *syntax.CStyleLoop:
		parts := []string{"1", "1", "1"}
		for i, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			if x != nil {
				parts[i] = p.unit.piece(x.Pos().Offset(), x.End().Offset())
			}
		}
		return "for ((" + strings.Join(parts, "; ") + "))"
	}
	return ""
}

func (p *treePrinter) caseClause(c *syntax.CaseClause) {
	p.put("case ", p.source(c.Word), " in ")
	p.indent += 4
	for _, item := range c.Items {
		p.newline("")
		p.words(item.Patterns, " | ")
		p.put(")\n")
		p.indent += 4
		p.list(item.Stmts)
		p.indent -= 4
		p.flush("")
		p.newline(item.Op.String())
	}
	p.indent -= 4
	p.newline("esac")
}

func (p *treePrinter) test(x syntax.TestExpr) string {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return "( " + p.test(x.X) + " )"
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return "! " + p.test(x.X)
		}
		return x.Op.String() + " " + p.source(x.X)
	case *syntax.BinaryTest:
		if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
			return p.test(x.X) + " " + x.Op.String() + " " + p.test(x.Y)
		}
		return p.source(x.X) + " " + x.Op.String() + " " + p.source(x.Y)
	}
	return "-n " + p.source(x)
}
