//go:build js && wasm

// Command crash stands in for the page's program in the tests of what happens when it ends: the role that
// ?panic= names panics, the page once it is ready, the engine as soon as it gets a text.
package main

import (
	"strings"
	"syscall/js"
)

func main() {
	global := js.Global()
	if global.Get("reconcileRole").String() == "page" {
		boot := global.Get("reconcileBoot")
		boot.Call("ready")
		search := global.Get("location").Get("search").String()
		if strings.Contains(search, "panic=page") {
			panic("page broken on purpose")
		}
		if strings.Contains(search, "panic=engine") {
			boot.Call("post", "panic")
		}
		select {}
	}
	text := make(chan string)
	global.Set("reconcileReceive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		go func() { text <- args[0].String() }()
		return nil
	}))
	global.Call("reconcileListening")
	panic("engine broken on purpose: " + <-text)
}
