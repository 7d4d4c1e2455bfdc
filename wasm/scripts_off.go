//go:build js && wasm && !scripts

package main

import (
	"os"

	"github.com/reconcile-playground/reconcile/web/dom"
)

// runsScripts says whether this module runs bash: the one that a first visit loads does not.
const runsScripts = false

func runPage() { dom.Run() }

// runProver ends: exploring is the other module's part.
func runProver() { os.Exit(2) }

// provers are what the other module has.
type provers struct{}

func newProvers() *provers { return nil }
