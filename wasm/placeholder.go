//go:build js && wasm

package main

import (
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/storage"
)

// runPage shows that the page runs and what the engine answers.
func runPage() {
	boot := js.Global().Get("reconcileBoot")
	app := js.Global().Get("document").Call("getElementById", "app")
	boot.Set("receive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		app.Set("textContent", "engine: "+args[0].String())
		return nil
	}))
	boot.Call("post", "hello")
	boot.Call("ready")
	select {}
}

// runEngine answers each text with itself.
func runEngine() {
	global := js.Global()
	storage.Open(nil)
	global.Set("reconcileReceive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		global.Call("postMessage", args[0].String())
		return nil
	}))
	global.Call("reconcileListening")
	select {}
}
