package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

func init() {
	register(map[string]Program{
		"cat": cat, "tac": tac, "rev": rev, "head": head, "tail": tail, "tee": tee, "wc": wc, "yes": yes,
		"true": func(*Proc) int { return 0 }, "false": func(*Proc) int { return 1 },
		"echo": echo,
	})
}

// looks is how cat shows what it copies.
type looks struct{ number, nonBlank, ends, tabs, squeeze, visible bool }

func cat(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "AbeEnstTuv", long: []string{"show-all=A", "number-nonblank=b",
		"show-ends=E", "number=n", "squeeze-blank=s", "show-tabs=T", "show-nonprinting=v"}})
	if !ok {
		return status
	}
	var l looks
	for _, o := range opts {
		switch o.name {
		case "A":
			l.visible, l.ends, l.tabs = true, true, true
		case "b":
			l.nonBlank = true
		case "e":
			l.visible, l.ends = true, true
		case "E":
			l.ends = true
		case "n":
			l.number = true
		case "s":
			l.squeeze = true
		case "t":
			l.visible, l.tabs = true, true
		case "T":
			l.tabs = true
		case "v":
			l.visible = true
		}
	}
	if l == (looks{}) {
		return p.copyAll(names)
	}
	out, count, blank := p.sink(), 0, false
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		empty := len(line) == 0
		if l.squeeze && empty && blank {
			return true
		}
		blank = empty
		if l.nonBlank && !empty || l.number && !l.nonBlank {
			count++
			fmt.Fprintf(out, "%6d\t", count)
		}
		out.Write(l.show(line))
		if ended && l.ends {
			out.WriteByte('$')
		}
		return !ended || out.end('\n')
	})
	return out.done(status)
}

func (l looks) show(line []byte) []byte {
	if !l.visible && !l.tabs {
		return line
	}
	var b []byte
	for _, c := range line {
		if c >= 0x80 && l.visible {
			b = append(b, "M-"...)
			c &= 0x7f
		}
		switch {
		case c == '\t' && l.tabs, c != '\t' && c < ' ' && l.visible:
			b = append(b, '^', c+'@')
		case c == 0x7f && l.visible:
			b = append(b, "^?"...)
		default:
			b = append(b, c)
		}
	}
	return b
}

// copyAll copies inputs as they are.
func (p *Proc) copyAll(names []string) int {
	var broken error
	buf := make([]byte, 16<<10)
	status := p.inputs(names, func(_ string, s *source) error {
		for {
			n, err := s.from.Read(buf)
			if n > 0 {
				if _, broken = p.Stdout.Write(buf[:n]); broken != nil {
					return errStop
				}
			}
			if err != nil {
				return err
			}
			if !p.step() {
				return errBudget
			}
		}
	})
	if broken != nil {
		return p.broken(broken)
	}
	return status
}

func tac(p *Proc) int {
	_, names, status, ok := p.options(grammar{})
	if !ok {
		return status
	}
	out := p.sink()
	status = p.inputs(names, func(_ string, s *source) error {
		text, err := p.readAll(s)
		for len(text) > 0 {
			at := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
			out.Write(text[at:])
			text = text[:at]
		}
		return err
	})
	return out.done(status)
}

func rev(p *Proc) int {
	_, names, status, ok := p.options(grammar{})
	if !ok {
		return status
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		runes := []rune(string(line))
		slices.Reverse(runes)
		out.WriteString(string(runes))
		return !ended || out.end('\n')
	})
	return out.done(status)
}

// portion is what head and tail print of each input.
type portion struct {
	n            int64
	bytes        bool
	other        bool // head: all but the last n; tail: from the nth on
	quiet, shout bool
}

var portionGrammar = grammar{short: "c:n:qvzfF", long: []string{"bytes=c:", "lines=n:", "quiet=q", "silent=q", "verbose=v", "follow=f"}}

// portion reads the options of head and tail; sign is what stands in front of a
// number for the other way of counting.
func (p *Proc) portion(sign byte) (part portion, names []string, status int, ok bool) {
	part.n = 10
	args := slices.Clone(p.Args[1:])
	if len(args) > 0 {
		old, valid := oldForm(args[0], sign)
		if valid && sign == '+' && len(args) > 2 && args[1] != "--" {
			return part, nil, p.complain("option used in invalid context -- %c", args[0][1]), false
		}
		if valid {
			args = append(old, args[1:]...)
		}
	}
	opts, names, err := portionGrammar.parse(args)
	if err != nil {
		return part, nil, p.misuse(portionGrammar, err.Error()), false
	}
	for _, o := range opts {
		switch o.name {
		case "c", "n":
			part.bytes = o.name == "c"
			text := o.arg
			part.other = len(text) > 0 && text[0] == sign
			n, good := number(strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+"))
			if !good {
				what := map[bool]string{false: "lines", true: "bytes"}[part.bytes]
				return part, nil, p.complain("invalid number of %s: ‘%s’", what, text), false
			}
			part.n = n
		case "q":
			part.quiet = true
		case "v":
			part.shout = true
		case "f", "F":
			return part, nil, p.complain("option -%s is not supported here: nothing would ever end it", o.name), false
		}
	}
	return part, names, 0, true
}

// oldForm reads the old form of head's and tail's options: -5, -5c, tail +5l.
func oldForm(arg string, sign byte) (opts []string, ok bool) {
	if len(arg) < 2 || arg[0] != '-' && arg[0] != '+' || arg[0] == '+' && sign != '+' {
		return nil, false
	}
	letters := strings.TrimLeft(arg[1:], "0123456789")
	count := strings.TrimSuffix(arg[1:], letters)
	if count == "" {
		return nil, false
	}
	if arg[0] == '+' {
		count = "+" + count
	}
	counts := "-n"
	for _, c := range letters {
		switch {
		case c == 'c':
			counts = "-c"
		case c == 'l':
			counts = "-n"
		case c == 'b':
			counts, count = "-c", count+"b"
		case c == 'f' && sign == '+', (c == 'q' || c == 'v') && sign == '-':
			opts = append(opts, "-"+string(c))
		default:
			return nil, false
		}
	}
	return append(opts, counts+count), true
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// each prints the part of every input, under a heading where there are several.
func (part portion) each(p *Proc, names []string, show func(s *source, out *sink) error) int {
	out, first := p.sink(), true
	heading := part.shout || len(names) > 1 && !part.quiet
	status := p.inputs(names, func(name string, s *source) error {
		if heading {
			if name == "-" {
				name = "standard input"
			}
			if !first {
				out.WriteByte('\n')
			}
			fmt.Fprintf(out, "==> %s <==\n", name)
		}
		first = false
		err := show(s, out)
		if out.Flush() != nil {
			return errStop
		}
		return err
	})
	return out.done(status)
}

func head(p *Proc) int {
	part, names, status, ok := p.portion('-')
	if !ok {
		return status
	}
	return part.each(p, names, func(s *source, out *sink) error {
		switch {
		case part.other:
			text, err := p.readAll(s)
			out.Write(text[:part.fromEnd(text)])
			return err
		case part.bytes:
			_, err := io.CopyN(out, s, part.n)
			s.giveBack(0)
			return err
		}
		for range part.n {
			line, ended, err := s.line()
			if err != nil {
				return err
			}
			out.Write(line)
			if ended && !out.end('\n') {
				return errStop
			}
		}
		s.giveBack(0)
		return nil
	})
}

func tail(p *Proc) int {
	part, names, status, ok := p.portion('+')
	if !ok {
		return status
	}
	return part.each(p, names, func(s *source, out *sink) error {
		text, err := p.readAll(s)
		if errors.Is(err, io.EOF) {
			err = nil
		}
		if part.other {
			out.Write(text[part.fromStart(text):])
		} else {
			out.Write(text[part.fromEnd(text):])
		}
		return err
	})
}

// fromEnd is where the last n bytes or lines begin.
func (part portion) fromEnd(text []byte) int {
	if part.bytes {
		return max(0, len(text)-int(part.n))
	}
	if part.n == 0 {
		return len(text)
	}
	at := len(bytes.TrimSuffix(text, []byte("\n")))
	for range part.n {
		at = bytes.LastIndexByte(text[:at], '\n')
		if at < 0 {
			return 0
		}
	}
	return at + 1
}

// fromStart is where the nth byte or line begins, from 1.
func (part portion) fromStart(text []byte) int {
	if part.bytes {
		return min(len(text), max(0, int(part.n)-1))
	}
	at := 0
	for range max(0, part.n-1) {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

func tee(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "ai", long: []string{"append=a", "ignore-interrupts=i"}})
	if !ok {
		return status
	}
	flag := Truncate
	for _, o := range opts {
		if o.name == "a" {
			flag = Append
		}
	}
	outs := []io.Writer{p.Stdout}
	for _, name := range names {
		w, err := p.create(name, flag)
		if err != nil {
			status = p.complain("%s: %s", name, reason(err))
			continue
		}
		defer w.Close()
		outs = append(outs, w)
	}
	buf := make([]byte, 4096)
	for {
		n, err := p.Stdin.Read(buf)
		for i, w := range outs {
			if _, failed := w.Write(buf[:n]); failed != nil && i == 0 {
				return p.broken(failed)
			}
		}
		if err != nil {
			return status
		}
		if !p.step() {
			return exitBudget
		}
	}
}

func yes(p *Proc) int {
	text := "y"
	if len(p.Args) > 1 {
		text = strings.Join(p.Args[1:], " ")
	}
	out := p.sink()
	for out.str(text) {
	}
	return out.done(exitBudget)
}

func echo(p *Proc) int {
	args, end, escapes := p.Args[1:], "\n", false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		for _, c := range args[0][1:] {
			switch c {
			case 'n':
				end = ""
			case 'e', 'E':
				escapes = c == 'e'
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var stop bool
		if text, stop = unescape(text, true); stop {
			end = ""
		}
	}
	out := p.sink()
	out.WriteString(text + end)
	return out.done(0)
}
