//go:build js && wasm

// Package text takes texts of the browser that may be megabytes long. WebAssembly's memory never shrinks, and its
// garbage is collected late: syscall/js makes two copies of a text, this package one.
package text

import (
	"syscall/js"
	"unsafe"
)

// Bytes returns the text that v is, as the caller's own bytes.
func Bytes(v js.Value) []byte {
	array := js.Global().Get("TextEncoder").New().Call("encode", v)
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

// Of returns the text that v is.
func Of(v js.Value) string {
	b := Bytes(v)
	return unsafe.String(unsafe.SliceData(b), len(b)) // nobody else has them
}
