//go:build js && wasm && scripts

package main

import (
	"fmt"
	"os"
)

const runsScripts = true

// runPage ends: the page is the other module's part.
func runPage() {
	fmt.Fprintln(os.Stderr, "this module is an engine")
	os.Exit(2)
}
