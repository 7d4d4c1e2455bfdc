package shell

import (
	"fmt"
	"math"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// typeOf is type.
func typeOf(s *sh, args []string) int {
	o := optReader{s: s, name: "type", flags: "afptP", args: args[1:], usage: "type [-afptP] name [name ...]"}
	var word, path, noFunc bool
	for o.next() {
		word, path, noFunc = word || o.opt == 't', path || o.opt == 'p' || o.opt == 'P', noFunc || o.opt == 'f'
	}
	if o.failed {
		return 2
	}
	status := 0
	for _, name := range o.args {
		kind := s.kindOf(name, noFunc)
		switch {
		case kind == "":
			status = 1
			if !word && !path {
				s.errorf("type: %s: not found", name)
			}
		case word:
			fmt.Fprintln(s.stdout(), kind)
		case path:
			if kind == "file" {
				fmt.Fprintln(s.stdout(), "/usr/bin/"+name)
			}
		case kind == "file":
			fmt.Fprintf(s.stdout(), "%s is /usr/bin/%s\n", name, name)
		case kind == "builtin":
			fmt.Fprintf(s.stdout(), "%s is a shell builtin\n", name)
		case kind == "keyword":
			fmt.Fprintf(s.stdout(), "%s is a shell keyword\n", name)
		default:
			fmt.Fprintf(s.stdout(), "%s is a function\n", name)
			s.printFunc(s.funcs[name])
		}
	}
	return status
}

var keywords = "if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc"

func (s *sh) kindOf(name string, noFunc bool) string {
	if wordIn(keywords, name) {
		return "keyword"
	}
	if s.funcs[name] != nil && !noFunc {
		return "function"
	}
	if builtins[name] != nil || name == "exec" {
		return "builtin"
	}
	if _, ok := s.find(name); ok {
		return "file"
	}
	return ""
}

// command runs something that is no function, or tells what a name is.
func command(s *sh, args []string) int {
	o := optReader{s: s, name: "command", flags: "pvV", args: args[1:], usage: "command [-pVv] command [arg ...]"}
	var short, long bool
	for o.next() {
		short, long = short || o.opt == 'v', long || o.opt == 'V'
	}
	if o.failed {
		return 2
	}
	if len(o.args) == 0 {
		return 0
	}
	if long {
		return typeOf(s, append([]string{"type"}, o.args...))
	}
	if !short {
		s.runNoFunc(o.args)
		return s.status
	}
	status := 1
	for _, name := range o.args {
		switch s.kindOf(name, false) {
		case "":
			continue
		case "file":
			if !strings.HasPrefix(name, "/") {
				name = "/usr/bin/" + name
			}
		}
		fmt.Fprintln(s.stdout(), name)
		status = 0
	}
	return status
}

func builtin(s *sh, args []string) int {
	if len(args) < 2 {
		return 0
	}
	b, ok := builtins[args[1]]
	if !ok {
		s.errorf("builtin: %s: not a shell builtin", args[1])
		return 1
	}
	return b(s, args[1:])
}

func umask(s *sh, args []string) int {
	if len(args) == 1 {
		return s.write("umask", fmt.Sprintf("%04o\n", s.umask))
	}
	n := 0
	if _, err := fmt.Sscanf(args[1], "%o", &n); err != nil {
		s.e.stop("refused", "line %d: umask with letters is not supported", s.line)
	}
	s.umask = n
	return 0
}

func times(s *sh, _ []string) int { return s.write("times", "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n") }

// trace is what set -x prints of a command.
func (s *sh) trace(args []string) {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = quoteListed(a)
		if a == "" {
			words[i] = "''"
		}
	}
	s.traceLine(strings.Join(words, " "))
}

func (s *sh) traceAssigns(assigns []*syntax.Assign) {
	for _, a := range assigns {
		value := s.get(a.Name.Value)
		s.traceLine(a.Name.Value + "=" + quoteListed(value))
	}
}

func (s *sh) traceLine(text string) {
	ps4 := s.get("PS4")
	prefix := ""
	if ps4 != "" {
		prefix = strings.Repeat(ps4[:1], s.level) + ps4
	}
	fmt.Fprintln(s.stderr(), prefix+text)
}

// timeClause is the keyword time, on the virtual clock.
func (s *sh) timeClause(c *syntax.TimeClause) {
	start := s.e.Now()
	if c.Stmt != nil {
		s.stmt(c.Stmt)
	}
	d := s.e.Now().Sub(start)
	if c.PosixFormat {
		fmt.Fprintf(s.stderr(), "real %.2f\nuser 0.00\nsys 0.00\n", d.Seconds())
		return
	}
	format := "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS"
	if v := s.lookup("TIMEFORMAT"); v != nil && v.set {
		format = s.get("TIMEFORMAT")
	}
	if format != "" {
		if text, ok := s.timeFormat(format, d); ok {
			fmt.Fprintln(s.stderr(), text)
		}
	}
}

// timeFormat is TIMEFORMAT: of the times only the real one is more than 0.
func (s *sh) timeFormat(format string, real time.Duration) (text string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		digits, long := 3, false
		if c := format[i]; c >= '0' && c <= '9' && i+1 < len(format) {
			digits = min(int(c-'0'), 6)
			i++
		}
		if format[i] == 'l' && i+1 < len(format) {
			long = true
			i++
		}
		d := time.Duration(0)
		switch format[i] {
		case '%':
			b.WriteByte('%')
			continue
		case 'P':
			b.WriteString("0.00")
			continue
		case 'R':
			d = real
		case 'U', 'S':
		default:
			s.errorf("TIMEFORMAT: `%c': invalid format character", format[i])
			return "", false
		}
		d = d.Truncate(time.Second / time.Duration(math.Pow10(digits)))
		if long {
			minutes := int(d.Minutes())
			fmt.Fprintf(&b, "%dm%.*fs", minutes, digits, (d - time.Duration(minutes)*time.Minute).Seconds())
		} else {
			fmt.Fprintf(&b, "%.*f", digits, d.Seconds())
		}
	}
	return b.String(), true
}
