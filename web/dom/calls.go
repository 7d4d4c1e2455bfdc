//go:build js

package dom

import (
	"encoding/json"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/text"
)

// calls are the calls of window.reconcile, and of the page that embeds this
// one, that have not been answered.
type calls struct {
	waiting map[int]waiting
	next    int
	ready   func()
}

// waiting is whom to tell.
type waiting struct {
	resolve func(js.Value)
	reject  func(err js.Value)
}

func (c *calls) add(w waiting) int {
	c.next++
	c.waiting[c.next] = w
	return c.next
}

func (c *calls) resolve(token int, result json.RawMessage) {
	w, ok := c.waiting[token]
	if !ok {
		return
	}
	delete(c.waiting, token)
	v := js.Undefined()
	if len(result) > 0 {
		v = js.Global().Get("JSON").Call("parse", string(result))
	}
	w.resolve(v)
}

func (c *calls) reject(token int, message, reason string) {
	w, ok := c.waiting[token]
	if !ok {
		return
	}
	delete(c.waiting, token)
	err := js.Global().Get("Error").New(message)
	err.Set("reason", reason)
	w.reject(err)
}

// promise makes a promise; start gets the two ways to settle it.
func promise(start func(resolve, reject js.Value)) js.Value {
	executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
		start(args[0], args[1])
		return nil
	})
	defer executor.Release()
	return js.Global().Get("Promise").New(executor)
}

// expose sets window.reconcile and listens to the page that embeds this one.
func (p *page) expose() {
	p.calls.waiting = map[int]waiting{}
	api := js.Global().Get("Object").New()
	ready := promise(func(resolve, _ js.Value) {
		p.calls.ready = func() { resolve.Invoke() }
	})
	api.Set("ready", ready)
	for _, method := range app.Methods {
		api.Set(method, js.FuncOf(func(_ js.Value, args []js.Value) any {
			return promise(func(resolve, reject js.Value) {
				token := p.calls.add(waiting{
					resolve: func(v js.Value) { resolve.Invoke(v) },
					reject:  func(err js.Value) { reject.Invoke(err) },
				})
				list, first, bad := arguments(args)
				if bad != "" {
					p.calls.reject(token, bad, "BadInput")
					return
				}
				p.send(app.Called{Token: token, Method: method, Args: list, Text: first})
			})
		}))
	}
	js.Global().Set("reconcile", api)
	js.Global().Call("addEventListener", "message", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.asked(api, ready, args[0])
		return nil
	}))
}

// arguments turns the arguments of a call into JSON; one that has none ends
// them. A first one that is a text, maybe of megabytes, is first instead. bad says
// why one cannot be: it holds itself, or a BigInt.
func arguments(args []js.Value) (out []json.RawMessage, first, bad string) {
	defer func() {
		if r := recover(); r != nil {
			out, bad = nil, r.(js.Error).Error()
		}
	}()
	for i, a := range args {
		if i == 0 && isText(a) {
			first, out = text.Of(a), append(out, nil)
			continue
		}
		value := js.Global().Get("JSON").Call("stringify", a)
		if value.Type() != js.TypeString {
			break
		}
		out = append(out, json.RawMessage(value.String()))
	}
	return out, first, ""
}

// isText reports whether a is a string. Type has no answer for a BigInt, and
// panics.
func isText(a js.Value) (is bool) {
	defer func() {
		if recover() != nil {
			is = false
		}
	}()
	return a.Type() == js.TypeString
}

// asked answers a message {reconcile: {id, method, args}} of another window:
// one of this page's own origin, or of the origin that the page was opened for
// with ?embed=ORIGIN.
func (p *page) asked(api, ready, event js.Value) {
	data := event.Get("data")
	if data.Type() != js.TypeObject || !event.Get("source").Truthy() {
		return
	}
	ask := data.Get("reconcile")
	if ask.Type() != js.TypeObject || ask.Get("method").Type() != js.TypeString {
		return
	}
	origin := event.Get("origin").String()
	if !p.mayAsk(origin) {
		return
	}
	source, id := event.Get("source"), ask.Get("id")
	answer := func(name string, v any) {
		reply := js.Global().Get("Object").New()
		reply.Set("id", id)
		reply.Set(name, v)
		source.Call("postMessage", map[string]any{"reconcile": reply}, origin)
	}
	failed := func(err js.Value) {
		answer("error", map[string]any{"message": err.Get("message").String(), "reason": reasonOf(err)})
	}
	method := ask.Get("method").String()
	result := ready
	if method != "ready" {
		result = p.askMethod(api, method, ask.Get("args"))
	}
	if result.IsUndefined() {
		answer("error", map[string]any{"message": "there is no method " + method, "reason": "BadInput"})
		return
	}
	settle(result, func(v js.Value) { answer("result", v) }, failed)
}

func (p *page) askMethod(api js.Value, method string, args js.Value) js.Value {
	for _, m := range app.Methods {
		if m != method {
			continue
		}
		if !js.Global().Get("Array").Call("isArray", args).Bool() {
			return api.Call(method)
		}
		return api.Get(method).Call("apply", api, args)
	}
	return js.Undefined()
}

func reasonOf(err js.Value) string {
	if r := err.Get("reason"); r.Type() == js.TypeString {
		return r.String()
	}
	return ""
}

func settle(promise js.Value, resolved, rejected func(js.Value)) {
	var ok, bad js.Func
	release := func() { ok.Release(); bad.Release() }
	ok = js.FuncOf(func(_ js.Value, args []js.Value) any { release(); resolved(args[0]); return nil })
	bad = js.FuncOf(func(_ js.Value, args []js.Value) any { release(); rejected(args[0]); return nil })
	promise.Call("then", ok, bad)
}

// mayAsk reports whether a window of that origin may call this page.
func (p *page) mayAsk(origin string) bool {
	location := js.Global().Get("location")
	if origin == "null" {
		return false // any sandboxed page's
	}
	if origin == location.Get("origin").String() {
		return true
	}
	embed := js.Global().Get("URLSearchParams").New(location.Get("search")).Call("get", "embed")
	return embed.Type() == js.TypeString && embed.String() == origin
}
