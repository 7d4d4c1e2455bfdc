package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/benhoyt/goawk/interp"
	"github.com/benhoyt/goawk/lexer"
	"github.com/benhoyt/goawk/parser"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func init() { register(map[string]Program{"awk": awk, "gawk": awk, "mawk": awk}) }

var awkGrammar = grammar{short: "+F:v:f:bW:", status: 2, long: []string{"field-separator=F:", "assign=v:", "file=f:", "posix", "re-interval"},
	usage: "Usage: awk [-F fs][-v var=value][prog | -f progfile][file ...]"}

// awk runs github.com/benhoyt/goawk, cut off from the host: files are read from
// the memory tree, and what would start a program or write a file is refused
// before the run.
func awk(p *Proc) int {
	opts, rest, status, ok := p.options(awkGrammar)
	if !ok {
		return status
	}
	var vars, sources []string
	for _, o := range opts {
		switch o.name {
		case "F":
			sep := o.arg
			if sep == "t" {
				sep = "\t"
			}
			vars = append(vars, "FS", sep)
		case "v":
			name, value, good := strings.Cut(o.arg, "=")
			if !good {
				p.complain("argument of -v must have the form name=value: %s", o.arg)
				return 2
			}
			vars = append(vars, name, value)
		case "f":
			text, err := p.slurp(o.arg)
			if err != nil {
				p.complain("cannot open %s (%s)", o.arg, reason(err))
				return 2
			}
			sources = append(sources, string(text))
		}
	}
	for i := 1; i < len(vars); i += 2 {
		text, err := lexer.Unescape(vars[i])
		if err == nil {
			vars[i] = text
		}
	}
	if sources == nil {
		if len(rest) == 0 {
			fmt.Fprintln(p.Stderr, awkGrammar.usage)
			return 2
		}
		sources, rest = rest[:1], rest[1:]
	}
	return p.runAwk(strings.Join(sources, "\n"), vars, rest)
}

// awkRun is one run: what the program reads, file after file, and what it calls.
type awkRun struct {
	p       *Proc
	names   []string
	current io.ReadCloser
	name    string
	failed  error
	turn    chan struct{}
	over    error
	// made counts the bytes of strings that are not charged yet.
	made int
}

func (p *Proc) runAwk(src string, vars, args []string) (status int) {
	r := &awkRun{p: p}
	src, err := sandboxed(src)
	if err == nil {
		src, err = guarded(src)
	}
	if err == nil {
		src, err = withArguments(src, args)
	}
	if err == nil {
		var prog *parser.Program
		if prog, err = parser.ParseProgram([]byte(src), &parser.ParserConfig{Funcs: r.functions()}); err == nil {
			return r.run(prog, vars, args)
		}
	}
	var pe *parser.ParseError
	if errors.As(err, &pe) {
		err = fmt.Errorf("line %d: syntax error: %s", pe.Position.Line, pe.Message)
	}
	p.complain("%s", err)
	return 2
}

// functions are what other awks have built in, and FILENAME.
func (r *awkRun) functions() map[string]any {
	return map[string]any{
		"FILENAME__": func() string { return r.name },
		"cat__":      r.joined,
		"rep__":      r.replacement,
		"systime":    func() float64 { return float64(r.p.Now().Unix()) },
		"strftime": func(args ...string) string {
			layout, t := "%a %b %e %H:%M:%S %Z %Y", r.p.Now()
			if len(args) > 0 {
				layout = args[0]
			}
			if len(args) > 1 {
				t = time.Unix(int64(looseFloat(args[1])), 0)
			}
			return strftime.Format(t.UTC(), layout)
		},
	}
}

func (r *awkRun) run(prog *parser.Program, vars, args []string) (status int) {
	out := r.p.sink()
	config := &interp.Config{Stdin: r, Output: out, Error: r.p.Stderr, Argv0: "awk", Vars: vars, NoExec: true, NoFileReads: true,
		Chars: true, Funcs: r.functions(), Environ: []string{}, Args: r.arguments(args)}
	for _, kv := range r.p.environ() {
		name, value, _ := strings.Cut(kv, "=")
		config.Environ = append(config.Environ, name, value)
	}
	machine, err := interp.New(prog)
	if err != nil {
		r.p.complain("%s", err)
		return 2
	}
	defer func() {
		if r.current != nil {
			r.current.Close()
		}
		// A fault of the interpreter's must not end the engine; other panics are how
		// the shell ends a program from outside.
		switch what := recover().(type) {
		case nil:
		case runtime.Error, string:
			r.p.complain("internal error: %v", what)
			status = 2
		default:
			panic(what)
		}
	}()
	r.turn = make(chan struct{}, 1)
	r.turn <- struct{}{}
	status, err = machine.ExecuteContext(r, config)
	switch {
	case r.over != nil:
		return exitBudget
	case r.failed != nil:
		out.Flush()
		r.p.complain("cannot open %s (%s)", r.name, reason(r.failed))
		return 2
	case err != nil:
		if flushed := out.Flush(); flushed != nil {
			return r.p.broken(flushed)
		}
		r.p.complain("%s", err)
		return 2
	}
	return out.done(status)
}

// arguments replaces each file by "-": the interpreter then reads from r, which
// opens one file for each.
func (r *awkRun) arguments(args []string) []string {
	list := make([]string, 0, len(args))
	for _, a := range args {
		name, _, assigns := strings.Cut(a, "=")
		if assigns && isName(name) || a == "" {
			list = append(list, a)
			continue
		}
		r.names = append(r.names, a)
		list = append(list, "-")
	}
	if len(r.names) == 0 {
		r.names = []string{"-"}
	}
	return list
}

func isName(s string) bool {
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	return strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// Read reads the current file, and says io.EOF once between two files.
func (r *awkRun) Read(b []byte) (int, error) {
	if r.current == nil {
		if len(r.names) == 0 {
			return 0, io.EOF
		}
		name := r.names[0]
		r.names = r.names[1:]
		if r.name = name; name == "-" {
			r.name = ""
		}
		f, err := r.p.open(name)
		if err == nil {
			if st, stErr := r.p.Files.Stat(r.p.abs(name)); name != "-" && stErr == nil && st.IsDir() {
				err = errIsDir
			}
		}
		if err != nil {
			r.name, r.failed = name, err
			return 0, err
		}
		r.current = f
	}
	n, err := r.current.Read(b)
	if n == 0 && errors.Is(err, io.EOF) {
		r.current.Close()
		r.current = nil
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

// An awkRun is the context of its run. The interpreter asks Done now and then
// whether it is to end; it is told to ask Err each time, and Err asks the budget.
var _ context.Context = (*awkRun)(nil)

// Deadline implements context.Context.
func (r *awkRun) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value implements context.Context.
func (r *awkRun) Value(any) any { return nil }

// Done implements context.Context.
func (r *awkRun) Done() <-chan struct{} { return r.turn }

// Err implements context.Context.
func (r *awkRun) Err() error {
	if len(r.turn) == 0 {
		r.turn <- struct{}{}
	}
	// A thousand operations may make as many elements of an array: each hundred
	// are one of the budget.
	for i := 0; i < 10 && r.over == nil && r.p.Step != nil; i++ {
		r.over = r.p.Step()
	}
	return r.over
}
