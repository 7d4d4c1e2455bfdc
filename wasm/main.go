//go:build js && wasm

// Command wasm is the one WebAssembly program of the page. static/boot.js starts it twice from one
// compiled module: in the page, with globalThis.reconcileRole "page", and in a Web Worker, with "engine".
package main

import (
	"fmt"
	"os"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/dom"
)

func main() {
	switch role := js.Global().Get("reconcileRole").String(); role {
	case "page":
		dom.Run()
	case "engine":
		runEngine()
	default:
		fmt.Fprintf(os.Stderr, "reconcileRole is %q, want page or engine\n", role)
		os.Exit(2)
	}
}
