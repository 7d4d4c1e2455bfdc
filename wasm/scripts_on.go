//go:build js && wasm && scripts

package main

import (
	"fmt"
	"os"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
)

const runsScripts = true

func init() {
	scenario.UseScripts(func(name, text string) (scenario.Script, error) {
		p, err := script.Compile(name, text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}, script.Shell)
}

// runPage ends: the page is the other module's part.
func runPage() {
	fmt.Fprintln(os.Stderr, "this module is an engine")
	os.Exit(2)
}
