//go:build js && wasm

package main

import (
	"errors"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/core/rules/wire"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// celRules says whether the evaluator of x-kubernetes-validations, a program of its own, runs beside this one.
type celRules struct {
	loaded bool
	post   func(engine.Reply)
}

var errRulesNotLoaded = errors.New("x-kubernetes-validations cannot be evaluated: their evaluator has not been loaded in this browser yet. Be online once and try again: it is loaded once and then kept")

// rulesLost is what a step panics with that needs the evaluator where it cannot be loaded: a step that went on would
// come to something else than it does with it.
type rulesLost struct{ err error }

// newCELRules gives every world to come an evaluator that asks the other program, which is loaded when it is asked
// first: whoever asks waits for it.
func newCELRules(post func(engine.Reply)) *celRules {
	r := &celRules{post: post}
	sim.UseRules(wire.NewClient(func(question string) (string, error) {
		if !r.loaded {
			r.load()
		}
		answer := js.Global().Call("reconcileRules", question)
		if answer.Type() != js.TypeString {
			// The evaluator has died. What it would have said is not known, so nothing of this step may be stored.
			panic("the evaluator of CEL rules has ended")
		}
		return answer.String(), nil
	}))
	return r
}

func (r *celRules) load() {
	r.tell(false)
	err := await(js.Global().Call("reconcileLoadRules"))
	r.tell(true)
	if err != nil {
		panic(rulesLost{&engine.Error{Message: errRulesNotLoaded.Error() + ". (" + err.Error() + ") Nothing was changed.", Reason: "RulesNotLoaded"}})
	}
	r.loaded = true
}

// orLost does what may need the evaluator. Its error says that it could not be loaded: then what was done was given
// up in the middle, and the worlds that took part are good for nothing.
func orLost(do func()) (err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case rulesLost:
			err = p.err
		default:
			panic(p)
		}
	}()
	do()
	return nil
}

func (r *celRules) tell(over bool) {
	if r.post != nil {
		r.post(engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Notice: &engine.Notice{Code: "rules-loading", Over: over}}})
	}
}
