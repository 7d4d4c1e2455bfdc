package tool

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

func init() {
	register(map[string]Program{"env": env, "printenv": printenv, "envsubst": envsubst, "xargs": xargs})
}

// environ lists the exported variables.
func (p *Proc) environ() []string {
	if p.Environ == nil {
		return nil
	}
	return p.Environ()
}

// withEnviron is p with other exported variables.
func (p *Proc) withEnviron(list []string) *Proc {
	child := *p
	slices.Sort(list)
	child.Environ = func() []string { return list }
	child.Getenv = func(name string) (string, bool) {
		for _, kv := range list {
			if v, ok := strings.CutPrefix(kv, name+"="); ok {
				return v, true
			}
		}
		return "", false
	}
	return &child
}

// setEnviron sets NAME=value in a sorted list.
func setEnviron(list []string, kv string) []string {
	name, _, _ := strings.Cut(kv, "=")
	return append(unsetEnviron(list, name), kv)
}

func unsetEnviron(list []string, name string) []string {
	return slices.DeleteFunc(list, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
}

func env(p *Proc) int {
	g := grammar{short: "+iu:C:S:0v", long: []string{"ignore-environment=i", "unset=u:", "chdir=C:", "split-string=S:", "null=0"}, status: 125}
	opts, rest, status, ok := p.options(g)
	if !ok {
		return status
	}
	list, end, dir := slices.Clone(p.environ()), "\n", p.Dir
	for _, o := range opts {
		switch o.name {
		case "i":
			list = nil
		case "u":
			list = unsetEnviron(list, o.arg)
		case "0":
			end = "\x00"
		case "C":
			dir = p.abs(o.arg)
			if st, err := p.Files.Stat(dir); err != nil || !st.IsDir() {
				p.complain("cannot change directory to '%s': No such file or directory", o.arg)
				return 125
			}
		case "S":
			rest = append(strings.Fields(o.arg), rest...)
		}
	}
	if len(rest) > 0 && rest[0] == "-" {
		list, rest = nil, rest[1:]
	}
	for len(rest) > 0 && strings.Contains(rest[0], "=") {
		list, rest = setEnviron(list, rest[0]), rest[1:]
	}
	if len(rest) == 0 {
		out := p.sink()
		for _, kv := range list {
			out.WriteString(kv + end)
		}
		return out.done(0)
	}
	if p.Run == nil {
		p.complain("no other program can be run here")
		return 125
	}
	child := p.withEnviron(list)
	child.Dir = dir
	if !p.found(rest[0], "‘%s’: No such file or directory") {
		return 127
	}
	return child.run(rest)
}

func printenv(p *Proc) int {
	if len(p.Args) == 1 {
		return env(p)
	}
	status := 0
	for _, name := range p.Args[1:] {
		if v, ok := p.exported(name); ok {
			fmt.Fprintln(p.Stdout, v)
		} else {
			status = 1
		}
	}
	return status
}

// exported looks a variable up among the exported ones alone.
func (p *Proc) exported(name string) (string, bool) {
	for _, kv := range p.environ() {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

func envsubst(p *Proc) int {
	opts, rest, status, ok := p.options(grammar{short: "v", long: []string{"variables=v"}})
	if !ok {
		return status
	}
	var only []string
	if len(rest) > 0 {
		substitute(rest[0], func(name string) string {
			only = append(only, name)
			return ""
		}, func(string) bool { return true })
	}
	out := p.sink()
	if len(opts) > 0 {
		for _, name := range only {
			out.str(name)
		}
		return out.done(0)
	}
	text, err := p.readAll(p.Stdin)
	if err != nil {
		return p.complain("error while reading \"standard input\": %s", reason(err))
	}
	out.WriteString(substitute(string(text), func(name string) string {
		v, _ := p.exported(name)
		return v
	}, func(name string) bool { return len(rest) == 0 || among(only, name) }))
	return out.done(0)
}

// substitute replaces $NAME and ${NAME} where wanted says so.
func substitute(text string, value func(string) string, wanted func(string) bool) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		braces := strings.HasPrefix(rest, "{")
		name := strings.TrimPrefix(rest, "{")
		n := 0
		for n < len(name) && (name[n] == '_' || name[n]|0x20 >= 'a' && name[n]|0x20 <= 'z' || n > 0 && name[n] >= '0' && name[n] <= '9') {
			n++
		}
		after := name[n:]
		if n == 0 || braces && !strings.HasPrefix(after, "}") {
			b.WriteByte('$')
			text = rest
			continue
		}
		if name = name[:n]; braces {
			after = after[1:]
		}
		if wanted(name) {
			b.WriteString(value(name))
		} else {
			b.WriteString("$" + rest[:len(rest)-len(after)])
		}
		text = after
	}
}

// builder is xargs at work.
type builder struct {
	p                 *Proc
	command           []string
	replace           string
	most, lines       int
	noEmpty, trace    bool
	delim             int // -1: blanks and quotes
	exitIfLarge       bool
	status            int
	pending           []string
	pendingLines, ran int
}

func xargs(p *Proc) int {
	g := grammar{short: "+0a:d:E:I:i::L:l::n:oprs:tP:x", long: []string{"null=0", "arg-file=a:", "delimiter=d:", "replace=i?", "max-lines=l?",
		"max-args=n:", "no-run-if-empty=r", "verbose=t", "max-procs=P:", "max-chars=s:", "exit=x"}}
	opts, rest, status, ok := p.options(g)
	if !ok {
		return status
	}
	x := &builder{p: p, command: rest, delim: -1}
	if len(rest) == 0 {
		x.command = []string{"echo"}
	}
	in := p.Stdin
	for _, o := range opts {
		switch o.name {
		case "0":
			x.delim = 0
		case "d":
			text, _ := unescape(o.arg, false)
			if len(text) != 1 {
				return p.complain("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", o.arg)
			}
			x.delim = int(text[0])
		case "I", "i":
			if x.replace = o.arg; o.arg == "" {
				x.replace = "{}"
			}
		case "L", "l", "n":
			n, err := strconv.Atoi(o.arg)
			if o.name == "l" && o.arg == "" {
				n, err = 1, nil
			}
			if err != nil || n < 1 {
				return p.complain("invalid number \"%s\" for -%s option", o.arg, o.name)
			}
			if o.name == "n" {
				x.most = n
			} else {
				x.lines = n
			}
		case "r":
			x.noEmpty = true
		case "t":
			x.trace = true
		case "a":
			f, err := p.open(o.arg)
			if err != nil {
				return p.complain("Cannot open input file ‘%s’: %s", o.arg, reason(err))
			}
			defer f.Close()
			in = f
		case "p", "E":
			return p.complain("option -%s is not supported here", o.name)
		}
	}
	if p.Run == nil {
		return p.complain("no other program can be run here")
	}
	return x.run(in)
}

func (x *builder) run(in io.Reader) int {
	text, err := x.p.readAll(in)
	if err != nil {
		return x.p.complain("read error: %s", reason(err))
	}
	var alive bool
	switch {
	case x.delim >= 0:
		alive = x.delimited(string(text))
	case x.replace != "":
		alive = x.perLine(string(text))
	default:
		alive = x.words(string(text))
	}
	if alive && (len(x.pending) > 0 || x.ran == 0 && !x.noEmpty && x.replace == "") {
		x.flush()
	}
	return x.status
}

func (x *builder) delimited(text string) bool {
	sep := string(rune(x.delim))
	text = strings.TrimSuffix(text, sep)
	if text == "" {
		return true
	}
	for _, item := range strings.Split(text, sep) {
		if !x.add(item) || x.lines > 0 && !x.lineEnds() {
			return false
		}
	}
	return true
}

// perLine takes whole lines, without leading blanks; quotes work as between words.
func (x *builder) perLine(text string) bool {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			continue
		}
		item, _, ok := x.quoted(line, true)
		if !ok || !x.add(item) {
			return false
		}
	}
	return true
}

// words splits at blanks, with quotes and backslashes.
func (x *builder) words(text string) bool {
	for text != "" {
		switch text[0] {
		case '\n':
			if !x.lineEnds() {
				return false
			}
			text = text[1:]
			continue
		case ' ', '\t', '\r', '\v', '\f':
			text = text[1:]
			continue
		}
		item, rest, ok := x.quoted(text, false)
		if !ok || !x.add(item) {
			return false
		}
		if x.lines > 0 && len(rest) > 1 && (rest[0] == ' ' || rest[0] == '\t') && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "\n") {
			rest = strings.TrimLeft(rest, " \t")[1:] // a trailing blank goes on
		}
		text = rest
	}
	return true
}

func (x *builder) lineEnds() bool {
	if len(x.pending) == 0 {
		return true
	}
	if x.pendingLines++; x.lines > 0 && x.pendingLines >= x.lines {
		return x.flush()
	}
	return true
}

// quoted takes one word, or the whole line.
func (x *builder) quoted(text string, whole bool) (item, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if line := strings.IndexByte(text[i+1:], '\n'); end < 0 || line >= 0 && line < end {
				name := map[byte]string{'\'': "single", '"': "double"}[c]
				x.status = x.p.complain("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", name)
				return "", "", false
			}
			b.WriteString(text[i+1 : i+1+end])
			i += end + 1
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case !whole && (c == ' ' || c == '\t' || c == '\n'):
			return b.String(), text[i:], true
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), "", true
}

// add gives the command one more argument; false ends it all.
func (x *builder) add(item string) bool {
	if x.replace != "" {
		args := make([]string, len(x.command))
		for i, a := range x.command {
			args[i] = strings.ReplaceAll(a, x.replace, item)
		}
		return x.exec(args)
	}
	x.pending = append(x.pending, item)
	if x.most > 0 && len(x.pending) >= x.most || len(x.pending) >= 5000 {
		return x.flush()
	}
	return true
}

func (x *builder) flush() bool {
	args := append(slices.Clone(x.command), x.pending...)
	x.pending, x.pendingLines = nil, 0
	return x.exec(args)
}

func (x *builder) exec(args []string) bool {
	if !x.p.step() {
		x.status = exitBudget
		return false
	}
	x.ran++
	if x.trace {
		fmt.Fprintln(x.p.Stderr, strings.Join(args, " "))
	}
	if !x.p.found(args[0], "%s: No such file or directory") {
		x.status = 127
		return false
	}
	child := *x.p
	child.Args, child.Stdin = args, strings.NewReader("")
	switch code := x.p.Run(child); {
	case code == 255:
		x.p.complain("%s: exited with status 255; aborting", args[0])
		x.status = 124
		return false
	case code == 127, code == 126:
		x.status = code
		return false
	case code >= 128:
		x.status = 125
		return false
	case code != 0:
		x.status = 123
	}
	return true
}
