package shell

import (
	"maps"
	"strings"

	"github.com/reconcile-playground/reconcile/core/script/tool"
	"mvdan.cc/sh/v3/syntax"
)

// ownFuncs makes the table of functions the shell's own before it is changed.
func (s *sh) ownFuncs() {
	if s.shared {
		s.funcs = maps.Clone(s.funcs)
		s.shared = false
	}
}

// exportedFuncs are the functions that a program which is started gets.
func (s *sh) exportedFuncs() map[string]*function {
	funcs := maps.Clone(s.funcs)
	maps.DeleteFunc(funcs, func(_ string, f *function) bool { return !f.exported })
	return funcs
}

// call runs a simple command. Models execute_simple_command.
func (s *sh) call(st *syntax.Stmt, c *syntax.CallExpr) {
	s.line = s.at(st.Pos())
	s.subst = -1
	open := len(s.subs)
	args := s.fields(c.Args)
	if len(args) == 0 {
		s.bare(st, c)
		s.setPipes(s.status)
		s.closeSubs(open)
		return
	}
	if s.opts.xtrace {
		s.trace(args)
	}
	saved, ok := s.redirect(st.Redirs)
	if !ok {
		s.undo(saved)
		s.closeSubs(open)
		s.status = 1
		s.setPipes(1)
		return
	}
	if args[0] == "exec" && s.funcs["exec"] == nil {
		s.exec(args[1:], c, &saved)
	} else {
		s.withTemp(c.Assigns, func() { s.run(args) })
	}
	s.undo(saved)
	s.closeSubs(open)
	s.setPipes(s.status)
	s.last = args[len(args)-1]
}

// bare is a command of assignments and redirections alone, in this order.
func (s *sh) bare(st *syntax.Stmt, c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if !s.assignment(a) {
			s.e.throw(discard{status: 1})
		}
	}
	status := max(0, s.subst)
	if s.opts.xtrace && len(c.Assigns) > 0 {
		s.traceAssigns(c.Assigns)
	}
	saved, ok := s.redirect(st.Redirs)
	s.undo(saved)
	if !ok {
		status = 1
	}
	s.status = status
}

// withTemp runs something with the assignments that stand before a command.
func (s *sh) withTemp(assigns []*syntax.Assign, run func()) {
	if len(assigns) == 0 {
		run()
		return
	}
	type old struct {
		name string
		v    *variable
	}
	var olds []old
	for _, a := range assigns {
		n := a.Name.Value
		if prev := s.vars[n]; prev != nil && prev.is(readonly) {
			s.report("%s: readonly variable", n)
			continue
		}
		value := s.value(a.Value)
		if a.Append {
			value = s.get(n) + value
		}
		olds = append(olds, old{n, s.vars[n]})
		s.vars[n] = &variable{name: n, attr: exported, set: true, str: value, owner: s, level: len(s.frames)}
		s.noticed(n)
	}
	run()
	for i := len(olds) - 1; i >= 0; i-- {
		if olds[i].v == nil {
			delete(s.vars, olds[i].name)
		} else {
			s.vars[olds[i].name] = olds[i].v
		}
		if olds[i].name == "IFS" {
			s.noticed("IFS")
		}
	}
}

// run finds and runs what the first word names.
func (s *sh) run(args []string) {
	name := args[0]
	if f, ok := s.funcs[name]; ok {
		s.callFunc(f, args)
		return
	}
	s.runNoFunc(args)
}

// runNoFunc is run without functions.
func (s *sh) runNoFunc(args []string) {
	if b, ok := builtins[args[0]]; ok && !s.off[args[0]] {
		status := b(s, args)
		if s.flow == onward || s.flow == exiting || s.flow == returning {
			s.status = status
		}
		return
	}
	s.status = s.program(args)
}

// callFunc runs a function.
func (s *sh) callFunc(f *function, args []string) {
	s.e.enter("functions")
	old, loops, unit, line := s.params, s.loops, s.unit, s.line
	s.frames = append(s.frames, frame{name: args[0], line: line, unit: unit})
	shown := s.hideTraps("DEBUG ERR RETURN")
	s.params, s.loops, s.unit = args[1:], 0, f.unit
	s.debug()
	s.stmt(f.decl.Body)
	s.returned(s.ended())
	s.params, s.loops, s.unit, s.line = old, loops, unit, line
	shown()
	top := len(s.frames) - 1
	if opts := s.frames[top].opts; opts != nil {
		s.opts = *opts
	}
	s.restore(s.frames[top].locals, top+1)
	s.frames = s.frames[:top]
	s.e.depth--
}

// hideTraps takes away traps that a function or a file does not have; it returns what
// brings them back, where the function set none of its own.
func (s *sh) hideTraps(names string) (show func()) {
	hidden := map[string]string{}
	for _, name := range strings.Fields(names) {
		kept := s.opts.functrace
		if name == "ERR" {
			kept = s.opts.errtrace
		}
		if cmd, set := s.traps[name]; set && !kept {
			hidden[name] = cmd
			delete(s.traps, name)
		}
	}
	return func() {
		for _, name := range sortedKeys(hidden) {
			if _, set := s.traps[name]; !set {
				s.traps[name] = hidden[name]
			}
		}
	}
}

// exec replaces the shell by a program, or, without one, keeps the redirections.
func (s *sh) exec(args []string, c *syntax.CallExpr, saved *[]savedFd) {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		for _, a := range c.Assigns {
			s.assignment(a)
		}
		*saved = nil
		s.status = 0
		return
	}
	if _, ok := s.find(args[0]); !ok {
		s.errorf("exec: %s: not found", args[0])
		s.status = 127
		s.leave()
		s.flow = exiting
		return
	}
	s.withTemp(c.Assigns, func() { s.status = s.program(args) })
	delete(s.traps, "EXIT")
	s.flow = exiting
}

// find looks a program up on the PATH, or as a file.
func (s *sh) find(name string) (tool.Program, bool) {
	if base, ok := strings.CutPrefix(name, "/usr/bin/"); ok && !strings.Contains(base, "/") {
		return s.find(base)
	}
	if base, ok := strings.CutPrefix(name, "/bin/"); ok && !strings.Contains(base, "/") {
		return s.find(base)
	}
	if strings.Contains(name, "/") || name == "" {
		return nil, false
	}
	if p, ok := s.e.Program(name); ok {
		return p, true
	}
	switch name {
	case "bash", "sh":
		return s.bash, true
	case "echo", "printf", "test", "[", "true", "false", "pwd", "kill":
		return s.builtinProgram, true
	}
	return nil, false
}

// program runs a program of the PATH and returns its exit status.
func (s *sh) program(args []string) int {
	p, ok := s.find(args[0])
	if !ok {
		return s.notFound(args)
	}
	if s.e.At != nil {
		s.e.At(s.where(), s.line, s.from(), args)
	}
	return s.start(p, s.proc(args))
}

// notFound is a command that is no program: a script of its own, or nothing.
func (s *sh) notFound(args []string) int {
	name := args[0]
	if strings.Contains(name, "/") {
		return s.script(args)
	}
	s.errorf("%s: command not found", name)
	return 127
}

// start runs a program; one that writes to nobody is killed by SIGPIPE.
func (s *sh) start(p tool.Program, proc *tool.Proc) (status int) {
	s.e.tick()
	defer func() {
		if _, ok := s.e.flying.(sigpipe); ok {
			s.e.flying = nil
			recover()
			status = 141
		}
	}()
	return p(proc) & 0xff
}

// proc is what a program sees of the shell.
func (s *sh) proc(args []string) *tool.Proc {
	p := &tool.Proc{
		Args: args, Stdin: s.stdin(), Stdout: s.stdout(), Stderr: s.stderr(), Dir: s.dir,
		Getenv: func(name string) (string, bool) {
			if v := s.lookup(name); v != nil && v.is(exported) && v.set && !v.array() {
				return v.str, true
			}
			return "", false
		},
		Environ: s.environ, Files: devices{s.e.Files, s}, Now: s.e.Now, Sleep: s.e.sleep, Await: s.e.await, Rand: s.e.Rand,
		Step: func() error { s.e.tick(); s.e.late(); return nil },
	}
	p.Run = func(p tool.Proc) int { return s.runFrom(&p) }
	p.Find = func(name string) bool {
		_, ok := s.find(name)
		return ok || strings.Contains(name, "/")
	}
	p.Deadline = s.e.deadline
	return p
}

// environ lists the exported variables.
func (s *sh) environ() []string {
	var env []string
	for _, name := range sortedKeys(s.vars) {
		if v := s.vars[name]; v.is(exported) && v.set && !v.array() {
			env = append(env, name+"="+v.str)
		}
	}
	return env
}

// runFrom runs a program that another one names, as xargs does.
func (s *sh) runFrom(p *tool.Proc) int {
	c := s.fork()
	c.funcs, c.shared = s.exportedFuncs(), false
	c.dir = p.Dir
	c.setFd(0, &stream{r: p.Stdin})
	c.setFd(1, &stream{w: p.Stdout})
	c.setFd(2, &stream{w: p.Stderr})
	if p.Environ != nil {
		c.setEnv(p.Environ())
	}
	return c.child(func() {
		prog, ok := c.find(p.Args[0])
		if !ok {
			c.status = c.notFoundFrom(p)
			return
		}
		if s.e.At != nil {
			s.e.At(s.where(), s.line, s.from(), p.Args)
		}
		c.status = c.start(prog, c.proc(p.Args))
	})
}

func (s *sh) notFoundFrom(p *tool.Proc) int {
	if strings.Contains(p.Args[0], "/") {
		return s.script(p.Args)
	}
	s.errorf("%s: command not found", p.Args[0])
	return 127
}

// setEnv makes the exported variables those of a list.
func (s *sh) setEnv(env []string) {
	for _, name := range sortedKeys(s.vars) {
		if v := s.vars[name]; v.is(exported) {
			delete(s.vars, name)
		}
	}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		if !syntax.ValidName(name) {
			continue
		}
		s.vars[name] = &variable{name: name, attr: exported, set: true, str: value, owner: s}
	}
}
