// Package jq runs programs of jq 1.7. The grammar is github.com/itchyny/gojq's
// parser; what it gives is evaluated here, because gojq's own evaluator sorts the
// keys of objects, words its errors otherwise, and reads the clock. Here the keys
// of an object keep their order, errors have jq's texts, time and input are
// passed in, and a budget stops what does not end.
//
// Values are nil, bool, float64, Number (a literal that a float64 would print
// otherwise), string, []any and *Object. They never change.
//
// docs/jq.md lists what differs from jq.
package jq

import (
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/itchyny/gojq"
)

// Options are what a program is compiled with.
type Options struct {
	// Vars names the variables that Run gets values for, each with its "$".
	Vars []string
}

// Program is a compiled program. It is immutable and may be shared.
type Program struct {
	main   node
	global *scope
	vars   int
}

// Runtime is what a run sees of the outside. The zero value has no input, no
// environment, and a clock that stands at the Unix epoch.
type Runtime struct {
	Now func() time.Time
	// Environ lists NAME=value.
	Environ func() []string
	// Input is the next value for input and inputs; ok is false at the end.
	Input func() (v any, ok bool, err error)
	// Line and File are for input_line_number and input_filename.
	Line func() int
	File func() any
	// Debug takes what debug and stderr say, ready to print.
	Debug func(text string)
	// Named is $ARGS.
	Named any
	// Step is asked now and then; an error ends the run with that error.
	Step func() error
}

var cache struct {
	sync.Mutex
	programs map[string]*Program
}

// maxCached bounds how many compiled programs are kept.
const maxCached = 512

// Compile compiles a program. Equal texts with equal variables are compiled once.
// The error is a *CompileError.
func Compile(src string, o Options) (*Program, error) {
	key := strings.Join(o.Vars, "\x00") + "\x00\x00" + src
	cache.Lock()
	p := cache.programs[key]
	cache.Unlock()
	if p != nil {
		return p, nil
	}
	q, err := gojq.Parse(src)
	if err != nil {
		return nil, syntaxError(src, err)
	}
	p, err = compileProgram(src, q, o)
	if err != nil {
		return nil, err
	}
	cache.Lock()
	if cache.programs == nil || len(cache.programs) >= maxCached {
		cache.programs = map[string]*Program{}
	}
	cache.programs[key] = p
	cache.Unlock()
	return p, nil
}

// Run evaluates the program on a value, lazily. vars are the values of
// Options.Vars. The last pair has an error where the run failed: an *Error, a
// *Halt, or what Step said.
func (p *Program) Run(r *Runtime, input any, vars ...any) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		if r == nil {
			r = &Runtime{}
		}
		s := p.global
		for i := range p.vars {
			var v any
			if i < len(vars) {
				v = vars[i]
			}
			s = &scope{parent: s, value: v}
		}
		m := &machine{Runtime: r}
		err := m.run(p.main, s, input, func(v any) bool { return yield(v, nil) })
		if err == errStopped {
			return
		}
		if _, broke := err.(*breaking); broke {
			err = &Error{Value: "break"}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// run evaluates the program; what spend throws is its error.
func (m *machine) run(main node, s *scope, input any, yield func(any) bool) (err error) {
	defer func() {
		if m.thrown != nil {
			recover()
			err = m.thrown
		}
	}()
	return main(m, s, input, nil, func(v any, _ *trail) error {
		if !yield(v) {
			return errStopped
		}
		return nil
	})
}

// First evaluates the program and returns its first value; ok is false where
// there is none.
func (p *Program) First(r *Runtime, input any, vars ...any) (v any, ok bool, err error) {
	for v, err := range p.Run(r, input, vars...) {
		return v, err == nil, err
	}
	return nil, false, nil
}
