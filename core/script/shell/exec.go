package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// function is a function with the text that it stands in. It never changes.
type function struct {
	decl *syntax.FuncDecl
	unit *Unit
	// exported: a bash that the script starts has it too.
	exported bool
}

// discard unwinds to the next command of the text: an expansion failed. Where
// the fault is one of an expression, errexit does not end the shell, as bash has it.
type discard struct {
	status     int
	expression bool
}

// quit unwinds the whole shell.
type quit struct{ status int }

// main runs the text of a shell to its end, and its EXIT trap.
func (s *sh) main(u *Unit) {
	s.within(func() {
		s.text(u)
		s.leave()
	})
}

// within is the boundary of a shell: what ends one is caught here.
func (s *sh) within(run func()) {
	defer func() {
		switch r := s.e.flying.(type) {
		case quit:
			s.status = r.status
		case discard:
			s.status = r.status
		case sigpipe:
			s.status = 141
		default:
			return
		}
		s.e.flying = nil
		recover()
	}()
	run()
}

// fatal prints a message and ends the shell.
func (s *sh) fatal(status int, format string, args ...any) {
	s.errorf(format, args...)
	s.status = status
	s.leave()
	s.e.throw(quit{s.status})
}

// leave runs the EXIT trap, once, where the shell ends.
func (s *sh) leave() {
	if s.e.Left != nil && s.level == 0 {
		s.e.Left(s.where(), s.line, s.from())
		s.e.Left = nil
	}
	cmd, ok := s.traps["EXIT"]
	if !ok || cmd == "" {
		return
	}
	delete(s.traps, "EXIT")
	status := s.status
	s.flow = onward
	s.runTrap(cmd)
	if s.flow != exiting {
		s.status = status
	}
	s.flow = exiting
}

// runTrap runs the text of a trap; $? is its own until it has run.
func (s *sh) runTrap(cmd string) {
	u, ok := s.parse(cmd, "trap")
	if !ok {
		return
	}
	in := s.inTrap
	s.inTrap = true
	line := s.line
	s.text(u)
	s.line = line
	s.inTrap = in
}

// text runs the commands of a text one by one. A failed expansion ends the
// command that it stands in, not the text.
func (s *sh) text(u *Unit) {
	old := s.unit
	s.unit = u
	depth := len(s.frames)
	failed := false
	for i, st := range u.stmts {
		if failed && u.same[i] {
			continue
		}
		if failed = !s.top(st); s.flow != onward {
			break
		}
		if len(s.frames) > depth { // a command was left in the middle of functions
			s.unwindTo(depth)
		}
	}
	s.unit = old
}

// top runs one command of a text; it reports false where an expansion failed.
func (s *sh) top(st *syntax.Stmt) (done bool) {
	loops, guarded, unit, fds, params := s.loops, s.guarded, s.unit, s.fds, s.params
	defer func() {
		d, ok := s.e.flying.(discard)
		if !ok {
			return
		}
		s.e.flying = nil
		recover()
		s.loops, s.guarded, s.unit, s.fds, s.params = loops, guarded, unit, fds, params
		s.status = d.status
		s.inTest = false
		s.arithPrefix = ""
		if s.level > 0 || s.opts.errexit && !d.expression {
			s.leave()
			s.flow = exiting
		}
	}()
	s.stmt(st)
	return true
}

func (s *sh) unwindTo(depth int) {
	for len(s.frames) > depth {
		f := s.frames[len(s.frames)-1]
		s.restore(f.locals, len(s.frames))
		s.frames = s.frames[:len(s.frames)-1]
	}
}

// stmts runs commands in sequence.
func (s *sh) stmts(list []*syntax.Stmt) {
	for _, st := range list {
		if s.stmt(st); s.flow != onward {
			return
		}
	}
}

// guard runs commands whose failure is looked at.
func (s *sh) guard(list []*syntax.Stmt) {
	s.guarded++
	s.stmts(list)
	s.guarded--
}

// stmt runs one command with its redirections, !, and what follows a failure.
// Models execute_command_internal of execute_cmd.c.
func (s *sh) stmt(st *syntax.Stmt) {
	s.e.tick()
	s.e.over()
	if st.Negated {
		s.guarded++
	}
	trapped := s.traps["ERR"] != "" && s.stage != st
	s.command(st)
	if st.Negated {
		s.guarded--
		if s.flow == onward {
			s.status = int(truth(s.status == 0))
		}
		return
	}
	if s.status != 0 && s.guarded == 0 && s.flow == onward && watched(st.Cmd) {
		s.failed(trapped)
	}
}

// watched: a failure of these commands is one of errexit and of the ERR trap.
func watched(cmd syntax.Command) bool {
	switch c := cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.Subshell, *syntax.ArithmCmd, *syntax.TestClause, *syntax.LetClause, *syntax.DeclClause:
		return true
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	}
	return false
}

// failed runs the ERR trap, where there was one before the command, and ends the shell where errexit is on.
func (s *sh) failed(trapped bool) {
	if cmd := s.traps["ERR"]; cmd != "" && trapped && !s.inErr {
		status := s.status
		s.inErr = true
		s.runTrap(cmd)
		s.inErr = false
		if s.flow != onward {
			return
		}
		s.status = status
	}
	if s.opts.errexit {
		s.leave()
		s.flow = exiting
	}
}

// ended stops a return at the function or the file that it was in. It returns
// the status that was before the return.
func (s *sh) ended() int {
	if s.flow != returning {
		return s.status
	}
	s.flow = onward
	return s.beforeReturn
}

// returned runs the RETURN trap, where a function or a sourced file has ended.
// $? in it is the status that was before the return.
func (s *sh) returned(before int) {
	if s.flow != onward {
		return
	}
	status := s.status
	s.status = before
	s.quietTrap("RETURN")
	if s.flow == onward {
		s.status = status
	}
}

// debug runs the DEBUG trap before a command.
func (s *sh) debug() { s.quietTrap("DEBUG") }

// quietTrap runs a trap that leaves $? as it was, and not within itself.
func (s *sh) quietTrap(name string) {
	cmd := s.traps[name]
	if cmd == "" || s.inTrap {
		return
	}
	status, pipes := s.status, s.pipes
	s.runTrap(cmd)
	if s.flow == onward {
		s.status, s.pipes = status, pipes
	}
}

// note keeps a simple command for BASH_COMMAND, which stands still in a trap.
func (s *sh) note(st *syntax.Stmt) {
	switch st.Cmd.(type) {
	case *syntax.Subshell:
		if !s.inTrap {
			s.ran = ran{unit: s.unit, stmt: st}
		}
	case *syntax.CaseClause, *syntax.CallExpr, *syntax.TestClause, *syntax.ArithmCmd, *syntax.DeclClause, *syntax.LetClause:
		if !s.inTrap {
			s.ran = ran{unit: s.unit, stmt: st}
			if s.traps["DEBUG"] != "" {
				s.line = s.at(st.Pos())
				s.debug()
			}
		}
	}
}

func (s *sh) command(st *syntax.Stmt) {
	s.note(st)
	switch c := st.Cmd.(type) {
	case *syntax.CallExpr:
		s.call(st, c)
		return
	case *syntax.FuncDecl:
		s.declareFunc(c)
		return
	}
	s.line = s.at(st.Pos())
	if len(st.Redirs) == 0 {
		s.compound(st.Cmd)
		return
	}
	open := len(s.subs)
	saved, ok := s.redirect(st.Redirs)
	if ok {
		s.compound(st.Cmd)
	} else {
		s.status = 1
		s.setPipes(1)
	}
	s.undo(saved)
	s.closeSubs(open)
}

func (s *sh) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case nil:
		s.status = 0
	case *syntax.Block:
		s.stmts(c.Stmts)
	case *syntax.Subshell:
		s.subshell(c.Stmts)
	case *syntax.BinaryCmd:
		s.binary(c)
	case *syntax.IfClause:
		s.ifClause(c)
	case *syntax.WhileClause:
		s.while(c)
	case *syntax.ForClause:
		s.forLoop(c)
	case *syntax.CaseClause:
		s.caseClause(c)
	case *syntax.TestClause:
		s.testClause(c)
	case *syntax.ArithmCmd:
		s.status = 1
		s.arithmetic("((: ", func() { s.status = int(truth(s.arithWord(s.unit.arith[c]) == 0)) })
		s.setPipes(s.status)
	case *syntax.LetClause:
		s.let(c)
	case *syntax.DeclClause:
		s.declClause(c)
	case *syntax.TimeClause:
		s.timeClause(c)
	default:
		s.e.stop("refused", "line %d: this command is not supported", s.line)
	}
}

// subshell runs commands in a copy of the shell.
func (s *sh) subshell(list []*syntax.Stmt) {
	c := s.fork()
	s.status = c.child(func() { c.stmts(list) })
	s.setPipes(s.status)
}

// child runs a forked shell to its end.
func (s *sh) child(run func()) int {
	s.e.enter("subshells")
	bytes := s.e.bytes
	s.within(func() {
		run()
		s.flow = onward
		s.leave()
	})
	s.e.bytes = bytes
	s.e.depth--
	return s.status
}

func (s *sh) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		s.guarded++
		s.stmt(c.X)
		s.guarded--
		if s.flow == onward && (s.status == 0) == (c.Op == syntax.AndStmt) {
			s.stmt(c.Y)
		}
	default:
		s.pipeline(c)
	}
}

func (s *sh) ifClause(c *syntax.IfClause) {
	for c != nil {
		if len(c.Cond) == 0 { // else
			s.stmts(c.Then)
			return
		}
		s.guard(c.Cond)
		if s.flow != onward {
			return
		}
		if s.status == 0 {
			s.stmts(c.Then)
			return
		}
		c = c.Else
	}
	s.status = 0
}

func (s *sh) caseClause(c *syntax.CaseClause) {
	s.subst = -1
	text := s.string(c.Word)
	s.status = 0
	run := false
	for _, item := range c.Items {
		if !run {
			for _, p := range item.Patterns {
				pat := newPattern(s.e, s.pattern(p), s.shopts["extglob"], s.shopts["nocasematch"])
				if run = pat.match(text); run {
					break
				}
			}
		}
		if !run {
			continue
		}
		s.status = 0
		s.stmts(item.Stmts)
		if s.flow != onward || item.Op == syntax.Break {
			return
		}
		run = item.Op == syntax.Fallthrough
	}
}

func (s *sh) let(c *syntax.LetClause) {
	for _, x := range c.Exprs {
		s.status = 1
		s.arithmetic("let: ", func() { s.status = int(truth(s.arithNode(x) == 0)) })
	}
	s.setPipes(s.status)
}

func (s *sh) declareFunc(c *syntax.FuncDecl) {
	name := c.Name.Value
	old := s.funcs[name]
	if old != nil && s.roFuncs[name] {
		s.errorf("%s: readonly function", name)
		s.status = 1
		return
	}
	s.ownFuncs()
	s.funcs[name] = &function{c, s.unit, old != nil && old.exported}
	s.status = 0
}
