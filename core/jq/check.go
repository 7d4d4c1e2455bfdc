package jq

import (
	"errors"
	"slices"

	"github.com/itchyny/gojq"
	"github.com/reconcile-playground/reconcile/core/object"
)

// maxCheckSteps is how many steps of a budget (see Runtime.Step) one check of one
// object may take: a check comes with a document, which anybody may have written.
const maxCheckSteps = 10_000

// ErrCheckTooLong is the error of a check that takes more.
var ErrCheckTooLong = errors.New("it does not come to an end")

// Checks compiles expressions over a state, the input, and the object at hand,
// $o: for whoever asks whether they hold. Each returns its last value, as jq's
// exit status goes by, nil where there is none. It keeps the last state, of which many checks are made, and is
// not safe for concurrent use.
type Checks struct {
	state *object.Map
	in    any
}

// Compile compiles one.
func (c *Checks) Compile(text string) (func(state, o *object.Map) (any, error), error) {
	p, err := Compile(text, Options{Vars: []string{"$o"}})
	if err != nil {
		return nil, err
	}
	return c.evaluates(p), nil
}

// Guards compiles what stands before the last "or" of an expression; nil where it
// has none.
func (c *Checks) Guards(text string) (func(state, o *object.Map) (any, error), error) {
	q, err := gojq.Parse(text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	if q.Op != gojq.OpOr {
		return nil, nil
	}
	left := *q.Left
	left.FuncDefs = slices.Concat(q.FuncDefs, left.FuncDefs)
	p, err := compileProgram(text, &left, Options{Vars: []string{"$o"}})
	if err != nil {
		return nil, err
	}
	return c.evaluates(p), nil
}

func (c *Checks) evaluates(p *Program) func(state, o *object.Map) (any, error) {
	return func(state, o *object.Map) (any, error) {
		if state != c.state || c.in == nil {
			c.state, c.in = state, FromTree(state)
		}
		steps := 0
		r := &Runtime{Step: func() error {
			if steps++; steps > maxCheckSteps {
				return ErrCheckTooLong
			}
			return nil
		}}
		var last any
		for v, err := range p.Run(r, c.in, FromTree(o)) {
			if err != nil {
				return nil, err
			}
			last = v
		}
		return last, nil
	}
}
