//go:build js && wasm && !scripts

package main

import "github.com/reconcile-playground/reconcile/web/dom"

// runsScripts says whether this module runs bash: the one that a first visit loads does not.
const runsScripts = false

func runPage() { dom.Run() }
