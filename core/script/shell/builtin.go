package shell

import (
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// builtins run inside the shell and return their exit status.
var builtins map[string]func(*sh, []string) int

// special are the builtins that POSIX calls so: type and command -v tell them
// like the others.
func init() {
	builtins = map[string]func(*sh, []string) int{
		":": succeed, "true": succeed, "false": func(*sh, []string) int { return 1 },
		"echo": echo, "printf": printf, "read": read, "mapfile": mapfile, "readarray": mapfile,
		"test": test, "[": test, "cd": cd, "pwd": pwd, "pushd": pushd, "popd": popd, "dirs": dirs,
		"break": leaveLoop, "continue": leaveLoop, "return": returnFrom, "exit": exit,
		"set": set, "shopt": shopt, "unset": unset, "shift": shift, "getopts": getopts,
		"eval": eval, "source": source, ".": source, "trap": trap, "type": typeOf, "command": command,
		"builtin": builtin, "hash": hashed, "wait": wait, "umask": umask, "times": times, "caller": caller,
		"let": letWords, "declare": declareWords, "typeset": declareWords, "local": declareWords,
		"export": declareWords, "readonly": declareWords, "enable": unsupported, "help": unsupported,
		"alias": unsupported, "unalias": unsupported, "bg": unsupported, "fg": unsupported, "jobs": unsupported,
		"disown": unsupported, "suspend": unsupported, "logout": unsupported, "history": unsupported,
		"fc": unsupported, "bind": unsupported, "complete": unsupported, "compgen": unsupported,
		"compopt": unsupported, "ulimit": unsupported, "kill": unsupported,
	}
}

// hashed: nothing is remembered of where programs stand.
func hashed(s *sh, args []string) int {
	if len(args) == 1 {
		s.e.stop("refused", "line %d: hash without arguments is not supported", s.line)
	}
	return 0
}

func succeed(*sh, []string) int { return 0 }

// unsupported are builtins that would do something else than in bash.
func unsupported(s *sh, args []string) int {
	s.e.stop("refused", "line %d: %s: %s", s.line, args[0], refusedCommands[args[0]])
	return 1
}

func declareWords(s *sh, args []string) int {
	d := &declaration{name: args[0]}
	var items []declItem
	options := true
	for _, arg := range args[1:] {
		if options = options && s.declOption(d, arg); options || d.failed {
			continue
		}
		items = append(items, parseItem(arg))
	}
	s.declare(d, items)
	return s.status
}

func letWords(s *sh, args []string) int {
	if len(args) < 2 {
		s.errorf("let: expression expected")
		return 1
	}
	status := 1
	s.arithmetic("let: ", func() {
		for _, a := range args[1:] {
			status = int(truth(s.arithText(a) == 0))
		}
	})
	return status
}

// loopCount reads the number of loops of break and continue, and that of shift.
func (s *sh) loopCount(args []string) (int, bool) {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return 1, true
	}
	n, ok := number(args[1])
	if !ok {
		s.errorf("%s: %s: numeric argument required", args[0], args[1])
	}
	return n, ok
}

func leaveLoop(s *sh, args []string) int {
	n, ok := s.loopCount(args)
	if s.loops == 0 {
		s.errorf("%s: only meaningful in a `for', `while', or `until' loop", args[0])
		return 0
	}
	if !ok {
		s.status = 128
		s.leave()
		s.e.throw(quit{s.status})
	}
	if n < 1 {
		s.errorf("%s: %s: loop count out of range", args[0], args[1])
		s.flow, s.count = breaking, s.loops
		return 1
	}
	s.flow, s.count = breaking, min(n, s.loops)
	if args[0] == "continue" {
		s.flow = continuing
	}
	s.status = 0
	return 0
}

// exitStatus reads the argument of exit and return.
func (s *sh) exitStatus(args []string) (int, bool) {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return s.status, true
	}
	t := strings.TrimSpace(args[1])
	n, ok := number(strings.TrimPrefix(t, "-"))
	if !ok {
		s.errorf("%s: %s: numeric argument required", args[0], args[1])
		return 2, false
	}
	if strings.HasPrefix(t, "-") {
		n = -n
	}
	return n & 0xff, true
}

func returnFrom(s *sh, args []string) int {
	if len(s.frames) == 0 {
		s.errorf("return: can only `return' from a function or sourced script")
		return 2
	}
	status, _ := s.exitStatus(args)
	s.flow, s.beforeReturn = returning, s.status
	return status
}

func exit(s *sh, args []string) int {
	status, ok := s.exitStatus(args)
	if ok && len(args) > 2 {
		s.errorf("exit: too many arguments")
		return 1
	}
	s.status = status
	s.leave()
	s.flow = exiting
	return s.status
}

func shift(s *sh, args []string) int {
	n, ok := s.loopCount(args)
	if !ok {
		return 1
	}
	if n > len(s.params) {
		if s.shopts["shift_verbose"] {
			s.errorf("shift: %d: shift count out of range", n)
		}
		return 1
	}
	s.params = s.params[n:]
	return 0
}

func unset(s *sh, args []string) int {
	o := optReader{s: s, name: "unset", flags: "fvn", args: args[1:], usage: "unset [-f] [-v] [-n] [name ...]"}
	funcs, vars, refs := false, false, false
	for o.next() {
		funcs, vars, refs = funcs || o.opt == 'f', vars || o.opt == 'v', refs || o.opt == 'n'
	}
	if o.failed {
		return 2
	}
	status := 0
	for _, name := range o.args {
		if !s.unsetOne(name, funcs, vars, refs) {
			status = 1
		}
	}
	return status
}

func (s *sh) unsetOne(name string, funcs, vars, refs bool) bool {
	base, sub, isElem := strings.Cut(name, "[")
	if funcs {
		if s.roFuncs[name] {
			s.errorf("unset: %s: cannot unset: readonly function", name)
			return false
		}
		s.ownFuncs()
		delete(s.funcs, name)
		return true
	}
	if !syntax.ValidName(base) && !vars && !isElem {
		return true
	}
	if !syntax.ValidName(base) {
		s.errorf("unset: `%s': not a valid identifier", name)
		return false
	}
	if !refs {
		if b, key, ok := s.resolve(base); ok {
			base, sub, isElem = b, key+"]", true
		} else {
			base = b
		}
	}
	if isElem {
		return s.unsetElem(base, strings.TrimSuffix(sub, "]"))
	}
	if s.vars[base] == nil && s.funcs[name] != nil && !vars {
		s.ownFuncs()
		delete(s.funcs, name)
		return true
	}
	return s.unset(base)
}

func (s *sh) unsetElem(name, sub string) bool {
	v := s.lookup(name)
	if v == nil {
		return true
	}
	if v.is(readonly) {
		s.errorf("unset: %s: cannot unset: readonly variable", name)
		return false
	}
	v = s.own(s.mine(name))
	if v.dict != nil {
		if strings.ContainsAny(sub, "$`'\"\\") {
			sub = s.keyText(sub)
		}
		v.dict.drop(sub)
		return true
	}
	if sub == "@" || sub == "*" {
		return s.unset(name)
	}
	i := int(s.arithText(s.arithSub(sub)))
	if v.list == nil {
		if i == 0 {
			return s.unset(name)
		}
		s.errorf("unset: %s: not an array variable", name)
		return false
	}
	if i < 0 {
		i += v.list.next()
	}
	if i < 0 {
		s.errorf("unset: [%s]: bad array subscript", sub)
		return false
	}
	v.list.drop(i)
	return true
}

// keyText expands a key that came as a text.
func (s *sh) keyText(sub string) string {
	u, problems := parse(": "+sub, "", 0)
	if problems != nil || len(u.stmts) != 1 {
		return sub
	}
	c, ok := u.stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) != 2 {
		return sub
	}
	old := s.unit
	s.unit = u
	defer func() { s.unit = old }()
	return s.string(c.Args[1])
}

func eval(s *sh, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if strings.TrimSpace(text) == "" {
		return 0
	}
	u, ok := s.parse(text, "eval")
	if !ok {
		return 2
	}
	s.e.enter("calls of eval")
	s.text(u)
	s.e.depth--
	return s.status
}

// source runs a file in this shell.
func source(s *sh, args []string) int {
	name := args[0]
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		s.errorf("%s: filename argument required", name)
		fmt.Fprintf(s.stderr(), "%s: usage: %s filename [arguments]\n", name, name)
		return 2
	}
	text, err := (devices{s.e.Files, s}).ReadFile(s.path(args[0]))
	if err != nil {
		s.errorf("%s: %s", args[0], errno(err))
		return 1
	}
	u, problems := parse(string(text), args[0], 0)
	if u == nil {
		p := problems[0]
		fmt.Fprintf(s.stderr(), "%s: line %d: syntax error: %s\n", args[0], p.Line, p.Reason)
		return 2
	}
	for _, p := range lint(u) {
		if !p.Warning {
			s.e.stop("refused", "%s: line %d: %s", args[0], p.Line, p.Reason)
		}
	}
	s.e.enter("sourced files")
	params, loops, line := s.params, s.loops, s.line
	s.frames = append(s.frames, frame{name: "source", line: s.line, unit: s.unit})
	s.loops = 0
	if len(args) > 1 {
		s.params = args[1:]
	}
	shown := s.hideTraps("DEBUG")
	s.text(u)
	before := s.ended()
	shown()
	top := len(s.frames) - 1
	s.restore(s.frames[top].locals, top+1)
	s.frames = s.frames[:top]
	s.returned(before)
	if len(args) > 1 {
		s.params = params
	}
	s.loops, s.line = loops, line
	s.e.depth--
	return s.status
}

// signals are the names that trap knows.
var signals = strings.Fields("EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS")

func signalName(t string) (string, bool) {
	if n, ok := number(t); ok {
		if n < len(signals) {
			return signals[n], true
		}
		return "", false
	}
	name := strings.TrimPrefix(strings.ToUpper(t), "SIG")
	if slices.Contains(signals, name) || wordIn("ERR DEBUG RETURN", name) {
		return name, true
	}
	return "", false
}

func trap(s *sh, args []string) int {
	o := optReader{s: s, name: "trap", flags: "lp", args: args[1:], usage: "trap [-lp] [[arg] signal_spec ...]"}
	list := len(args) == 1
	for o.next() {
		if o.opt == 'l' {
			s.e.stop("refused", "line %d: trap -l is not supported", s.line)
		}
		list = true
	}
	if o.failed {
		return 2
	}
	if list {
		return s.listTraps(o.args)
	}
	cmd, names := o.args[0], o.args[1:]
	reset := cmd == "-"
	if _, isNumber := number(cmd); len(names) == 0 || isNumber {
		names, reset = o.args, true
	}
	status := 0
	s.parentTraps = nil
	for _, t := range names {
		name, ok := signalName(t)
		switch {
		case !ok:
			s.errorf("trap: %s: invalid signal specification", t)
			status = 1
		case reset:
			delete(s.traps, name)
		default:
			s.traps[name] = cmd
		}
	}
	return status
}

func (s *sh) listTraps(names []string) int {
	order := append(slices.Clone(signals), "DEBUG", "ERR", "RETURN")
	traps := s.traps
	if s.parentTraps != nil {
		traps = s.parentTraps
	}
	for _, name := range order {
		cmd, ok := traps[name]
		if !ok || len(names) > 0 && !slices.ContainsFunc(names, func(t string) bool { n, _ := signalName(t); return n == name }) {
			continue
		}
		if !wordIn("EXIT DEBUG ERR RETURN", name) {
			name = "SIG" + name
		}
		fmt.Fprintf(s.stdout(), "trap -- '%s' %s\n", strings.ReplaceAll(cmd, "'", `'\''`), name)
	}
	return 0
}

func wait(s *sh, args []string) int {
	for _, a := range args[1:] {
		if n, ok := number(a); ok {
			s.errorf("wait: pid %d is not a child of this shell", n)
			return 127
		}
		if a == "-n" {
			return 127
		}
		if strings.HasPrefix(a, "-") {
			continue
		}
		s.errorf("wait: `%s': not a pid or valid job spec", a)
		return 1
	}
	return 0
}

func caller(s *sh, args []string) int {
	n := 0
	if len(args) > 1 {
		var ok bool
		if n, ok = number(args[1]); !ok {
			s.errorf("caller: %s: invalid number", args[1])
			return 1
		}
	}
	i := len(s.frames) - 1 - n
	if i < 0 {
		return 1
	}
	names, sources := s.funcNames(), s.sources()
	if len(args) == 1 {
		return s.write("caller", fmt.Sprintf("%d %s\n", s.frames[i].line, sources[n+1]))
	}
	return s.write("caller", fmt.Sprintf("%d %s %s\n", s.frames[i].line, names[n+1], sources[n+1]))
}
