package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

func init() { register(map[string]Program{"sed": sed}) }

var sedGrammar = grammar{short: "bsnrzuEe:f:i::l:V", long: []string{"quiet=n", "silent=n", "expression=e:", "file=f:", "in-place=i?",
	"regexp-extended=r", "separate=s", "unbuffered=u", "null-data=z", "posix", "sandbox", "line-length=l:", "follow-symlinks"},
	usage: "Usage: sed [OPTION]... {script-only-if-no-other-script} [input-file]..."}

// editor is sed at work.
type editor struct {
	p                  *Proc
	cmds               []*command
	quiet, separate    bool
	inPlace            bool
	suffix             string
	delim              byte
	files              []string
	input              *source
	close              func() error
	name               string
	next               []byte // the line after the current one, read to know which is the last
	nextEnded, hasNext bool
	line               int
	space, hold        []byte
	ended              bool // the current line had an end
	unended            bool // what was printed last had none
	appended           []func()
	out                *sink
	writers            map[string]io.WriteCloser
	readers            map[string]*source
	lastRe             *regex
	replaced           bool
	status, code       int
	steps              int
}

// maxSpace is how much the pattern space and the hold space hold together at most.
const maxSpace = 4 << 20

// What a command makes sed do next.
type verdict int

const (
	goOn     verdict = iota
	endCycle         // print the space, take the next line
	drop             // take the next line
	restart          // begin again with what is left
	quit             // print the space, end
	abort            // end
)

func sed(p *Proc) int {
	opts, rest, status, ok := p.options(sedGrammar)
	if !ok {
		return status
	}
	e := &editor{p: p, delim: '\n', writers: map[string]io.WriteCloser{}, readers: map[string]*source{}}
	var scripts []string
	parser := &sedParser{}
	for _, o := range opts {
		switch o.name {
		case "n":
			e.quiet = true
		case "e":
			scripts = append(scripts, o.arg)
		case "f":
			text, err := p.slurp(o.arg)
			if err != nil {
				p.complain("couldn't open file %s: %s", o.arg, reason(err))
				return 4
			}
			scripts = append(scripts, strings.TrimSuffix(string(text), "\n"))
		case "i":
			e.inPlace, e.separate, e.suffix = true, true, o.arg
		case "r", "E":
			parser.extended = true
		case "s":
			e.separate = true
		case "z":
			e.delim = 0
		}
	}
	if scripts == nil {
		if len(rest) == 0 {
			fmt.Fprintln(p.Stderr, sedGrammar.usage)
			return 1
		}
		scripts, rest = rest[:1], rest[1:]
	}
	parser.src = strings.Join(scripts, "\n")
	if strings.HasPrefix(parser.src, "#n\n") || parser.src == "#n" {
		e.quiet = true
	}
	if err := parser.parse(); err != nil {
		p.complain("%s", err)
		var se *sedError
		if errors.As(err, &se) && se.at < 0 {
			return 4
		}
		return 1
	}
	e.cmds, e.files = parser.cmds, rest
	if len(rest) == 0 {
		e.files = []string{"-"}
	}
	return e.run()
}

func (e *editor) run() int {
	e.out = e.p.sink()
	for _, c := range e.cmds { // files to write are there even where nothing is written
		name := c.text
		if c.sub != nil {
			name = c.sub.file
		} else if c.verb != 'w' && c.verb != 'W' {
			name = ""
		}
		if name != "" {
			if status := e.openWriter(name); status != 0 {
				return status
			}
		}
	}
	for e.advance() {
		v := e.cycle()
		for v == restart {
			v = e.cycle()
		}
		if v == quit || v == abort {
			break
		}
	}
	e.finishFile()
	for _, c := range e.cmds {
		name := c.text
		if c.sub != nil {
			name = c.sub.file
		}
		if w := e.writers[name]; w != nil {
			w.Close()
		}
	}
	if e.status == 0 {
		e.status = e.code
	}
	return e.out.done(e.status)
}

func (e *editor) openWriter(name string) int {
	if e.writers[name] != nil {
		return 0
	}
	if name == "/dev/stdout" {
		e.writers[name] = nopWriteCloser{e.out}
		return 0
	}
	w, err := e.p.create(name, Truncate)
	if err != nil {
		e.p.complain("couldn't open file %s: %s", name, reason(err))
		return 4
	}
	e.writers[name] = w
	return 0
}

// advance makes the next line the current one; false at the end of all.
func (e *editor) advance() bool {
	if !e.fill() {
		return false
	}
	e.space, e.ended = append(e.space[:0], e.next...), e.nextEnded
	e.hasNext, e.replaced = false, false
	e.line++
	return true
}

// fill reads a line ahead; false when nothing is left. In place and with -s only
// the end of the current file is looked for, once a line has been read from it.
func (e *editor) fill() bool {
	for !e.hasNext {
		if e.input == nil && !e.openNext() {
			return false
		}
		line, ended, err := e.input.line()
		if err == nil {
			e.next, e.nextEnded, e.hasNext = line, ended, true
			return true
		}
		if !errors.Is(err, io.EOF) {
			if errors.Is(err, errBudget) {
				e.status = exitBudget
				e.files = nil
			} else {
				e.p.complain("couldn't read %s: %s", e.name, reason(err))
				e.status = 2
			}
		}
		e.finishFile()
	}
	return true
}

func (e *editor) openNext() bool {
	for len(e.files) > 0 {
		e.name, e.files = e.files[0], e.files[1:]
		if st, err := e.p.Files.Stat(e.p.abs(e.name)); err == nil && st.IsDir() && e.name != "-" {
			if e.inPlace {
				e.p.complain("couldn't edit %s: not a regular file", e.name)
				e.status = 4
			} else {
				e.p.complain("couldn't read %s: Is a directory", e.name)
				e.status = 2
			}
			continue
		}
		r, err := e.p.open(e.name)
		if err != nil {
			e.p.complain("can't read %s: %s", e.name, reason(err))
			e.status = 2
			continue
		}
		e.input, e.close = e.p.source(r), r.Close
		e.input.delim = e.delim
		if e.separate {
			e.line = 0
		}
		if e.inPlace {
			e.begin()
		}
		return true
	}
	return false
}

// begin collects the output of a file that is edited in place.
func (e *editor) begin() {
	buf, stdout := &bytes.Buffer{}, e.out
	inner := *e.p
	inner.Stdout = buf
	e.out = inner.sink()
	name, closing := e.p.abs(e.name), e.close
	e.close = func() error {
		closing()
		e.out.Flush()
		e.out = stdout
		perm := fs.FileMode(0o644)
		if st, err := e.p.Files.Stat(name); err == nil {
			perm = st.Mode().Perm()
		}
		if e.suffix != "" {
			backup := name + e.suffix
			if strings.Contains(e.suffix, "*") {
				backup = e.p.abs(strings.ReplaceAll(e.suffix, "*", e.name))
			}
			if err := e.p.Files.Rename(name, backup); err != nil {
				return err
			}
		}
		return e.p.Files.WriteFile(name, buf.Bytes(), perm)
	}
}

func (e *editor) finishFile() {
	if e.input == nil {
		return
	}
	if !e.inPlace {
		ahead := 0
		if e.hasNext {
			ahead = len(e.next) + 1
		}
		e.input.giveBack(ahead)
	} else {
		e.unended = false
	}
	if err := e.close(); err != nil {
		e.p.complain("couldn't edit %s: %s", e.name, reason(err))
		e.status = 4
	}
	e.input = nil
}

// last reports whether the current line is the last one.
func (e *editor) last() bool {
	if !e.separate {
		return !e.fill()
	}
	if e.hasNext {
		return false
	}
	if e.input == nil {
		return true
	}
	line, ended, err := e.input.line()
	if err != nil {
		return true
	}
	e.next, e.nextEnded, e.hasNext = line, ended, true
	return false
}

func (e *editor) write(w io.Writer, text []byte, ended bool) {
	if w == io.Writer(e.out) {
		if e.unended {
			e.out.WriteByte(e.delim)
		}
		e.out.Write(text)
		if e.unended = !ended; ended {
			e.out.end(e.delim)
		}
		return
	}
	w.Write(text)
	w.Write([]byte{e.delim})
}

func (e *editor) print(text []byte) { e.write(e.out, text, e.ended) }

func (e *editor) flushAppended() {
	for _, f := range e.appended {
		f()
	}
	e.appended = nil
}

// cycle runs the script on the current line.
func (e *editor) cycle() verdict {
	v := e.commands()
	if (v == goOn || v == endCycle || v == quit) && !e.quiet {
		e.print(e.space)
	}
	if v != abort || len(e.appended) > 0 {
		e.flushAppended()
	}
	if e.out.Buffered() == 0 { // the buffer went out: is there still a reader?
		if err := e.out.Flush(); err != nil {
			return abort
		}
	}
	return v
}

func (e *editor) commands() verdict {
	for at := 0; at < len(e.cmds); {
		before := e.steps / 1024
		e.steps += 1 + len(e.space)/64 // what a command does takes as long as its line
		for range e.steps/1024 - before {
			if !e.p.step() {
				e.status = exitBudget
				return abort
			}
		}
		if len(e.space)+len(e.hold) > maxSpace {
			e.status = e.p.complain("memory exhausted")
			return abort
		}
		c := e.cmds[at]
		at++
		selected := e.selects(c)
		if e.status == 1 {
			return abort
		}
		if selected == c.negate {
			if c.verb == '{' {
				at = c.block
			}
			continue
		}
		switch c.verb {
		case 'b':
			at = c.block
		case 't', 'T':
			if e.replaced == (c.verb == 't') {
				at = c.block
			}
			e.replaced = false
		default:
			if v := e.execute(c); v != goOn {
				return v
			}
		}
	}
	return goOn
}

func exitCode(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}
