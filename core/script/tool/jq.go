package tool

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/reconcile-playground/reconcile/core/jq"
)

func init() { register(map[string]Program{"jq": jqProgram}) }

// Exit statuses of jq.
const (
	jqNull    = 1 // with -e: the last value was false or null
	jqUsage   = 2 // bad usage, or a file that cannot be read
	jqCompile = 3
	jqNothing = 4 // with -e: there was no value
	jqFailed  = 5
)

// jqRun is one run of the command line program jq, as 1.7 has it.
type jqRun struct {
	p       *Proc
	o       *jqOptions
	program *jq.Program
	runtime *jq.Runtime
	out     *sink
	files   []string
	decoder *jq.Decoder
	text    string // of the current input, with -R
	file    string
	queue   []any // what --stream has still to give
	slurped bool
	opened  bool
	status  int
	last    any
	any     bool
	halted  bool
}

func jqProgram(p *Proc) int {
	o, ok := p.jqOptions(p.Args[1:])
	switch {
	case !ok:
		fmt.Fprintln(p.Stderr, o.text)
		return o.status
	case o.version:
		fmt.Fprintln(p.Stdout, "jq-1.7.1")
		return 0
	case o.help:
		fmt.Fprint(p.Stdout, "Usage:\tjq [OPTIONS] FILTER [FILES...]\n\tjq [OPTIONS] -f FILE [FILES...]\n\tjq [OPTIONS] --args FILTER [ARGUMENTS...]\n\tjq [OPTIONS] --jsonargs FILTER [JSON_VALUES...]\n")
		return 0
	case !o.hasProgram:
		o.program = "."
	}
	if o.fromFile {
		text, err := p.slurp(o.program)
		if err != nil {
			fmt.Fprintf(p.Stderr, "jq: Could not open %s: %s\n", o.program, reason(err))
			return jqUsage
		}
		o.program = string(text)
	}
	program, err := jq.Compile(o.program, jq.Options{Vars: o.names})
	if err != nil {
		fmt.Fprintln(p.Stderr, err)
		return jqCompile
	}
	r := &jqRun{p: p, o: o, program: program, out: p.sink(), files: o.files}
	if len(r.files) == 0 {
		r.files = []string{"-"}
	}
	return r.run()
}

func (r *jqRun) run() int {
	r.runtime = &jq.Runtime{Now: r.p.Now, Environ: r.p.environ, Input: r.input, Line: r.line, Named: r.o.named(), Step: r.p.Step,
		File: func() any {
			switch {
			case r.file != "":
				return r.file
			case r.decoder != nil || r.opened:
				return "<stdin>"
			}
			return nil
		},
		Debug: func(text string) { io.WriteString(r.p.Stderr, text) },
	}
	if r.o.null {
		r.evaluate(nil)
	} else {
		for !r.halted {
			v, ok, err := r.next()
			if err != nil {
				r.report(err)
				break
			}
			if !ok {
				break
			}
			r.evaluate(v)
		}
	}
	if r.status == 0 && r.o.exitStatus {
		switch {
		case !r.any:
			r.status = jqNothing
		case r.last == nil || r.last == false:
			r.status = jqNull
		}
	}
	return r.out.done(r.status)
}

// line is the number of lines read.
func (r *jqRun) line() int {
	if r.decoder == nil {
		return 0
	}
	return r.decoder.Line()
}

// evaluate runs the program on one input.
func (r *jqRun) evaluate(input any) {
	for v, err := range r.program.Run(r.runtime, input, r.o.values...) {
		if err != nil {
			r.report(err)
			return
		}
		r.last, r.any = v, true
		if !r.print(v) {
			r.halted = true
			return
		}
	}
}

func (r *jqRun) print(v any) bool {
	if r.o.seq {
		r.out.WriteByte(0x1e)
	}
	if s, ok := v.(string); ok && r.o.raw {
		if r.o.zero && strings.IndexByte(s, 0) >= 0 {
			fmt.Fprintln(r.p.Stderr, "jq: error (at <stdin>:0): Cannot dump a string containing NUL with --raw-output0 option")
			r.status = jqFailed
			return false
		}
		if r.o.style.ASCII {
			s = string(r.o.style.Append(nil, s))
		}
		r.out.WriteString(s)
	} else {
		text := r.o.style.Append(nil, v)
		if len(text) > jq.MaxText {
			r.report(&jq.Error{Value: "output is too long (more than 64 MiB)"})
			return false
		}
		r.out.Write(text)
	}
	switch {
	case r.o.zero:
		return r.out.end(0)
	case r.o.join:
		return true
	}
	return r.out.end('\n')
}

// report tells of what ended a run.
func (r *jqRun) report(err error) {
	var failed *jq.Error
	var parse *jq.ParseError
	var halt *jq.Halt
	switch {
	case errors.As(err, &failed):
		where := "<unknown>"
		if r.decoder != nil || r.o.rawInput && r.opened {
			name := r.file
			if name == "" {
				name = "<stdin>"
			}
			where = fmt.Sprintf("%s:%d", name, r.line())
		}
		r.out.Flush()
		fmt.Fprintf(r.p.Stderr, "jq: error (at %s)%s\n", where, failed)
		r.status = jqFailed
	case errors.As(err, &parse):
		r.out.Flush()
		fmt.Fprintf(r.p.Stderr, "jq: parse error: %s\n", parse.Text)
		r.status, r.halted = jqFailed, true
	case errors.As(err, &halt):
		r.out.Flush()
		if s, ok := halt.Value.(string); ok {
			io.WriteString(r.p.Stderr, s)
		} else if halt.Value != nil {
			fmt.Fprintln(r.p.Stderr, jq.Encode(halt.Value))
		}
		r.status, r.halted, r.o.exitStatus = halt.Code, true, false
	default:
		r.status, r.halted = exitBudget, true
	}
}

// input is next for a program, which may catch what is wrong with the text. There
// is no input after that.
func (r *jqRun) input() (any, bool, error) {
	v, ok, err := r.next()
	var parse *jq.ParseError
	if errors.As(err, &parse) {
		r.opened, r.files = false, nil
		err = &jq.Error{Value: parse.Text}
	}
	return v, ok, err
}

// next is the next input.
func (r *jqRun) next() (v any, ok bool, err error) {
	if len(r.queue) > 0 {
		v, r.queue = r.queue[0], r.queue[1:]
		return v, true, nil
	}
	if r.o.slurp {
		return r.slurp()
	}
	v, ok, err = r.one()
	if ok && err == nil && r.o.stream {
		r.queue = streamed(nil, nil, v)
		return r.next()
	}
	return v, ok, err
}

func (r *jqRun) slurp() (any, bool, error) {
	if r.slurped {
		return nil, false, nil
	}
	r.slurped = true
	if r.o.rawInput {
		var b strings.Builder
		for r.open() {
			b.WriteString(r.text)
		}
		return b.String(), true, nil
	}
	list := []any{}
	for {
		v, ok, err := r.one()
		switch {
		case err != nil:
			return nil, false, err
		case !ok:
			return list, true, nil
		case r.o.stream:
			list = streamed(list, nil, v)
			continue
		}
		list = append(list, v)
	}
}

// one reads a value, or with -R a line.
func (r *jqRun) one() (any, bool, error) {
	for {
		if r.opened {
			if r.o.rawInput {
				if r.text != "" {
					line, rest, _ := strings.Cut(r.text, "\n")
					r.text = rest
					return line, true, nil
				}
			} else if v, ok, err := r.decoder.Next(); ok || err != nil {
				return v, ok, err
			}
		}
		if !r.open() {
			return nil, false, nil
		}
	}
}

// open goes on to the next file.
func (r *jqRun) open() bool {
	for len(r.files) > 0 {
		name := r.files[0]
		r.files = r.files[1:]
		text, err := r.p.slurp(name)
		if err != nil {
			fmt.Fprintf(r.p.Stderr, "jq: error: Could not open file %s: %s\n", name, reason(err))
			r.status = jqUsage
			continue
		}
		if r.file = name; name == "-" {
			r.file = ""
		}
		r.opened = true
		if r.o.rawInput {
			r.text = string(text)
			return true
		}
		r.decoder = jq.NewDecoder(string(text))
		return true
	}
	r.opened = false
	return false
}

// streamed lists the leaves of a value as --stream gives them.
func streamed(list, path []any, v any) []any {
	here := func(key any) []any { return append(append([]any{}, path...), key) }
	switch t := v.(type) {
	case []any:
		if len(t) > 0 {
			for i, item := range t {
				list = streamed(list, here(float64(i)), item)
			}
			return append(list, []any{here(float64(len(t) - 1))})
		}
	case *jq.Object:
		if t.Len() > 0 {
			for _, key := range t.Keys() {
				item, _ := t.Get(key)
				list = streamed(list, here(key), item)
			}
			return append(list, []any{here(t.Keys()[t.Len()-1])})
		}
	}
	return append(list, []any{append([]any{}, path...), v})
}
