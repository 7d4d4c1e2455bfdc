//go:build js

package dom

import (
	"slices"
	"syscall/js"

	"honnef.co/go/js/dom/v2"

	"github.com/reconcile-playground/reconcile/web/app"
)

// listen puts one listener for each kind of event on the document; which
// element an event is about is found from its target. Events are wrapped by hand
// as elements are, see handle.
func (p *page) listen() {
	on := func(event string, f func(*dom.BasicEvent)) {
		p.doc.Call("addEventListener", event, js.FuncOf(func(_ js.Value, args []js.Value) any {
			f(&dom.BasicEvent{Value: args[0]})
			return nil
		}))
	}
	for _, event := range []string{"click", "input", "change", "dblclick"} {
		on(event, func(e *dom.BasicEvent) { p.happened(event, e) })
	}
	on("keydown", p.pressed)
	p.listenDividers(on)
	// A page that is hidden may never be shown again.
	leaving := js.FuncOf(func(js.Value, []js.Value) any {
		p.send(app.Leaving{})
		return nil
	})
	p.doc.Call("addEventListener", "visibilitychange", leaving)
	js.Global().Call("addEventListener", "pagehide", leaving)
	// Scrolling and resizing come in floods: they are looked at once a frame.
	waiting := false
	look := js.FuncOf(func(js.Value, []js.Value) any {
		waiting = false
		p.measure()
		return nil
	})
	later := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if list := args[0].Get("target"); is(list, ".place ul, .yaml") {
			list.Call("toggleAttribute", "data-scrolled", list.Get("scrollTop").Float() > 0)
		}
		if !waiting {
			waiting = true
			js.Global().Call("requestAnimationFrame", look)
		}
		return nil
	})
	p.doc.Call("addEventListener", "scroll", later, map[string]any{"capture": true, "passive": true})
	js.Global().Call("addEventListener", "resize", js.FuncOf(func(this js.Value, args []js.Value) any {
		p.row = 0
		p.send(p.resized())
		return later.Invoke(args[0])
	}))
}

// listenDividers moves the borders between columns with the pointer.
func (p *page) listenDividers(on func(string, func(*dom.BasicEvent))) {
	var moving app.Divider
	move := func(e *dom.BasicEvent, over bool) {
		x, window := e.Get("clientX").Int(), js.Global().Get("innerWidth").Int()
		if moving == app.DivideFiles {
			// The pointer is in the middle of the gap beside the column.
			p.send(app.Divide{At: moving, To: x - dividerMiddle, Over: over})
		} else {
			p.send(app.Divide{At: moving, To: window - x - dividerMiddle, Over: over})
		}
	}
	on("pointerdown", func(e *dom.BasicEvent) {
		if at := divider(e.Get("target")); at != "" && e.Get("button").Int() == 0 {
			moving = at
			e.Get("target").Call("setPointerCapture", e.Get("pointerId"))
		}
	})
	on("pointermove", func(e *dom.BasicEvent) {
		if moving != "" {
			move(e, false)
		}
	})
	for _, end := range []string{"pointerup", "pointercancel"} {
		on(end, func(e *dom.BasicEvent) {
			if moving != "" && end == "pointerup" {
				move(e, true)
			}
			moving = ""
		})
	}
}

// dividerMiddle is how far the middle of a divider is from the column whose width
// it sets, in pixels.
const dividerMiddle = 5

// divider is which divider an element is; empty for others.
func divider(target js.Value) app.Divider {
	if !is(target, ".divider") {
		return ""
	}
	return app.Divider(target.Call("getAttribute", "data-divider").String())
}

func (p *page) happened(event string, e *dom.BasicEvent) {
	h, element, ok := p.on.find(e.Get("target"), event)
	if !ok {
		// A click beside an open menu or explanation closes it.
		if event == "click" && (p.model.Menu != "" || p.model.Why != "") && p.model.Sheet.Kind == "" && !inside(e.Get("target"), ".menu-list, .why-text") {
			p.model.Menu, p.model.Why = "", ""
			p.drawSoon()
		}
		return
	}
	if element.Call("getAttribute", "aria-disabled").Truthy() {
		return
	}
	msg := h.Msg
	// A click brings no value: a button says by itself what it is about.
	if v, ok := msg.(app.Valued); ok && event != "click" {
		msg = v.WithValue(element.Get("value").String())
	}
	if was := element.Get(drawnValue); was.Type() == js.TypeString {
		// A list shows what is so, and what was picked once it is: it may be refused.
		element.Set("value", was)
	}
	p.send(msg)
	if event == "input" && p.dirty {
		// What is drawn is to know what was typed before a key changes it, which may come before the next frame.
		p.draw()
	}
}

func inside(target js.Value, selector string) bool {
	return target.Truthy() && target.Get("closest").Truthy() && target.Call("closest", selector).Truthy()
}

// is reports whether the target itself is one of those selected.
func is(target js.Value, selector string) bool {
	return target.Truthy() && target.Get("matches").Truthy() && target.Call("matches", selector).Truthy()
}

// pressed turns a key into a message. Where it has a meaning here, the browser
// does not do its own with it.
func (p *page) pressed(e *dom.BasicEvent) {
	if e.DefaultPrevented() || e.Get("altKey").Bool() || e.Get("isComposing").Bool() {
		return
	}
	target := e.Get("target")
	k := app.Key{
		Name:     e.Get("key").String(),
		Mod:      e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool(),
		Typing:   inside(target, "input:not([type=range]):not([type=checkbox]), textarea, select, .editor-host, [contenteditable]"),
		Pressing: inside(target, "button, a, input, summary"),
		Moving:   is(target, "input[type=range], [tabindex='0']"),
		Terminal: is(target, "#"+app.TerminalID),
		Shift:    e.Get("shiftKey").Bool(),
	}
	if at := divider(target); at != "" && !k.Mod && slices.Contains(app.DividerKeys, k.Name) {
		e.PreventDefault()
		p.send(app.DivideKey{At: at, Key: k.Name})
		return
	}
	if k.Name == "Tab" && p.model.Sheet.Kind != "" {
		p.keepInside(e)
		return
	}
	if p.model.Bound(k) {
		e.PreventDefault()
	}
	p.send(app.Pressed{Key: k})
}

// keepInside keeps Tab within the sheet that lies over the page.
func (p *page) keepInside(e *dom.BasicEvent) {
	all := p.doc.Call("querySelectorAll", ".sheet button, .sheet input, .sheet [tabindex='0']")
	n := all.Length()
	if n == 0 {
		return
	}
	first, last, active := all.Index(0), all.Index(n-1), p.doc.Get("activeElement")
	switch {
	case e.Get("shiftKey").Bool() && active.Equal(first):
		e.PreventDefault()
		last.Call("focus")
	case !e.Get("shiftKey").Bool() && active.Equal(last):
		e.PreventDefault()
		first.Call("focus")
	}
}
