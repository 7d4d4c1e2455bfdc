//go:build js && wasm

// Command rules is the WebAssembly program that evaluates x-kubernetes-validations. static/worker.js starts
// it beside the engine when rules are first needed: cel-go is as large as all the rest of the page.
package main

import (
	"fmt"
	"os"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/core/rules"
	"github.com/reconcile-playground/reconcile/core/rules/wire"
)

func main() {
	evaluator, err := rules.New()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := wire.NewServer(evaluator)
	// The engine calls it: a question as text, the answer as text.
	js.Global().Set("reconcileRules", js.FuncOf(func(_ js.Value, args []js.Value) any {
		return server.Answer(args[0].String())
	}))
	select {}
}
