//go:build js && wasm

package main

import (
	"errors"
	"strings"
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

// rulesKey stands in every definition that has rules, and so in every text that brings one.
const rulesKey = "x-kubernetes-validations"

var errRulesNotLoaded = errors.New(rulesKey + " cannot be evaluated: the evaluator of CEL rules is not loaded. Connect to the network and try again: it is loaded once and then kept")

// newCELRules gives every world to come an evaluator that asks the other program.
func newCELRules(post func(engine.Reply)) *celRules {
	r := &celRules{post: post}
	sim.UseRules(wire.NewClient(func(question string) (string, error) {
		if !r.loaded {
			return "", errRulesNotLoaded
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

// need loads the evaluator where a text speaks of rules, and returns when it runs. On an error nothing may be
// done with the text: without the evaluator it would mean something else.
func (r *celRules) need(texts ...string) error {
	needed := false
	for _, text := range texts {
		needed = needed || strings.Contains(text, rulesKey)
	}
	if r.loaded || !needed {
		return nil
	}
	r.tell(false)
	defer r.tell(true)
	if err := await(js.Global().Call("reconcileLoadRules")); err != nil {
		return &engine.Error{Message: errRulesNotLoaded.Error() + ". (" + err.Error() + ") Nothing was changed.", Reason: "RulesNotLoaded"}
	}
	r.loaded = true
	return nil
}

func (r *celRules) tell(over bool) {
	r.post(engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Notice: &engine.Notice{Code: "rules-loading", Over: over}}})
}
