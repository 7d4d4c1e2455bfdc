//go:build js && wasm

// Command wasm is the WebAssembly program of the page. static/boot.js starts it twice from one compiled module: in the
// page, with globalThis.reconcileRole "page", and in a Web Worker, with "engine". Built with the tag scripts it is an
// engine that runs bash, kubectl and jq as well, which takes the other one's place when it is first needed.
package main

import (
	"fmt"
	"os"
	"syscall/js"
)

func main() {
	switch role := js.Global().Get("reconcileRole").String(); role {
	case "page":
		runPage()
	case "engine":
		runEngine()
	case "prover":
		runProver()
	default:
		fmt.Fprintf(os.Stderr, "reconcileRole is %q, want page, engine or prover\n", role)
		os.Exit(2)
	}
}
