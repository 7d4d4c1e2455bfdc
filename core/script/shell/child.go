package shell

import (
	"fmt"
	"github.com/reconcile-playground/reconcile/core/script/tool"
	"io"
	"strings"
)

// builtinProgram is a builtin that also stands on the PATH, for xargs and find.
func (s *sh) builtinProgram(p *tool.Proc) int {
	c := s.fork()
	c.setFd(0, &stream{r: p.Stdin})
	c.setFd(1, &stream{w: p.Stdout})
	c.setFd(2, &stream{w: p.Stderr})
	c.dir = p.Dir
	return c.child(func() { c.status = builtins[p.Args[0]](c, p.Args) })
}

// bash is the program: -c and a text, a file, or a script on its input.
func (s *sh) bash(p *tool.Proc) int {
	args := p.Args[1:]
	c := s.fork()
	for _, name := range sortedKeys(c.vars) {
		if v := c.vars[name]; !v.is(exported) && v.dynamic == nil {
			delete(c.vars, name)
		}
	}
	env := p.Environ()
	c.initVars()
	c.setEnv(env)
	c.funcs, c.shared, c.frames, c.opts, c.level, c.guarded = s.exportedFuncs(), false, nil, options{}, 0, 0
	c.shopts, c.traps, c.dir = map[string]bool{}, map[string]string{}, p.Dir
	c.setFd(0, &stream{r: p.Stdin})
	c.setFd(1, &stream{w: p.Stdout})
	c.setFd(2, &stream{w: p.Stderr})
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "-c" && args[0] != "-s" {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		letters, command := strings.CutSuffix(args[0][1:], "c")
		for _, l := range []byte(letters) {
			if !c.setLetter(l, true) {
				return 2
			}
		}
		args = args[1:]
		if command {
			args = append([]string{"-c"}, args...)
			break
		}
	}
	return c.bashText(p, args)
}

func (c *sh) bashText(p *tool.Proc, args []string) int {
	name, text := "bash", ""
	switch {
	case len(args) > 1 && args[0] == "-c":
		text = args[1]
		if len(args) > 2 {
			name, c.params = args[2], args[3:]
		} else {
			c.params = nil
		}
	case len(args) > 0 && args[0] != "-s":
		return c.runFile(args)
	default:
		all, err := io.ReadAll(p.Stdin)
		if err != nil {
			return 1
		}
		text, c.params = string(all), args[min(1, len(args)):]
	}
	return c.runText(name, text)
}

// script runs a file that is named by its path.
func (s *sh) script(args []string) int {
	info, err := s.e.Files.Stat(s.path(args[0]))
	switch {
	case err != nil:
		s.errorf("%s: %s", args[0], errno(err))
		return 127
	case info.IsDir():
		s.errorf("%s: Is a directory", args[0])
		return 126
	case info.Mode().Perm()&0o111 == 0:
		s.errorf("%s: Permission denied", args[0])
		return 126
	}
	return s.bash(s.proc(append([]string{"bash"}, args...)))
}

func (c *sh) runFile(args []string) int {
	text, err := (devices{c.e.Files, c}).ReadFile(c.path(args[0]))
	if err != nil {
		fmt.Fprintf(c.stderr(), "bash: %s: %s\n", args[0], errno(err))
		return 127
	}
	c.params = args[1:]
	return c.runText(args[0], string(text))
}

func (c *sh) runText(name, text string) int {
	u, problems := parse(text, name, 0)
	if u == nil {
		fmt.Fprintf(c.stderr(), "%s: line %d: syntax error: %s\n", name, problems[0].Line, problems[0].Reason)
		return 2
	}
	for _, p := range lint(u) {
		if !p.Warning {
			c.e.stop("refused", "%s: line %d: %s", name, p.Line, p.Reason)
		}
	}
	c.name0 = name
	return c.child(func() { c.text(u) })
}
