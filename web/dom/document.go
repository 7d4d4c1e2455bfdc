//go:build js

package dom

import (
	"strings"
	"syscall/js"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/web/view"
)

// handle is the number of a node of the document; root is the element that holds
// them all.
type handle int

const root handle = 0

// document puts trees on the browser's document. What is asked of it is noted,
// and done by flush in one call of web/dom/patch.mjs: calls into the browser one
// by one, and the references that they give, cost several times what they do.
type document struct {
	apply js.Value
	// changes is what was asked for since the last flush.
	changes []byte
	names   map[string]int
	// next is the next number for a node, but that those in free go first.
	next     handle
	free     []handle
	handlers map[handle][]view.Handler
}

var _ view.Document[handle] = (*document)(nil)

func newDocument(holder js.Value) *document {
	return &document{
		apply:    js.Global().Call("ReconcilePatch", holder),
		names:    map[string]int{},
		next:     root + 1,
		handlers: map[handle][]view.Handler{},
	}
}

// The changes, in the order in which web/dom/patch.mjs has them.
const (
	makeElement = iota
	makeSVG
	makeText
	setText
	setAttr
	removeAttr
	appendNode
	insertNode
	removeNode
	listen
)

// flush makes the changes.
func (d *document) flush() {
	if len(d.changes) == 0 {
		return
	}
	d.apply.Invoke(string(d.changes))
	d.changes = d.changes[:0]
}

// escape says that a number of 30 bits follows: every unit is below the
// surrogates.
const escape = 0x7fff

func (d *document) number(n int) {
	if n < escape {
		d.changes = utf8.AppendRune(d.changes, rune(n))
		return
	}
	for _, unit := range [...]int{escape, n >> 15, n & 0x7fff} {
		d.changes = utf8.AppendRune(d.changes, rune(unit))
	}
}

func (d *document) change(kind int, nodes ...handle) {
	d.number(kind)
	for _, n := range nodes {
		d.number(int(n))
	}
}

// text notes a text behind its length in UTF-16 units.
func (d *document) text(s string) {
	units, ascii := 0, true
	for i := 0; i < len(s); i++ {
		ascii = ascii && s[i] < utf8.RuneSelf
	}
	if ascii {
		units = len(s)
	} else {
		// The browser would count what is no text otherwise than Go.
		s = strings.ToValidUTF8(s, "\uFFFD")
		for _, r := range s {
			units++
			if r > 0xffff {
				units++
			}
		}
	}
	d.number(units)
	d.changes = append(d.changes, s...)
}

// name notes a name by its number, with its text where it is new.
func (d *document) name(s string) {
	n, known := d.names[s]
	if !known {
		n = len(d.names)
		d.names[s] = n
	}
	d.number(n)
	if !known {
		d.text(s)
	}
}

func (d *document) handle() handle {
	if n := len(d.free); n > 0 {
		h := d.free[n-1]
		d.free = d.free[:n-1]
		return h
	}
	d.next++
	return d.next - 1
}

func (d *document) Element(tag string, svg bool) handle {
	h := d.handle()
	kind := makeElement
	if svg {
		kind = makeSVG
	}
	d.change(kind, h)
	d.name(tag)
	return h
}

func (d *document) Text(s string) handle {
	h := d.handle()
	d.change(makeText, h)
	d.text(s)
	return h
}

func (d *document) SetText(h handle, s string) {
	d.change(setText, h)
	d.text(s)
}

// SetAttr sets an attribute, a property (".value", ".checked") or a custom
// property of the element's style ("--c").
func (d *document) SetAttr(h handle, name, value string) {
	d.change(setAttr, h)
	d.name(name)
	d.text(value)
}

func (d *document) RemoveAttr(h handle, name string) {
	d.change(removeAttr, h)
	d.name(name)
}

func (d *document) Append(parent, child handle)         { d.change(appendNode, parent, child) }
func (d *document) Insert(parent, child, before handle) { d.change(insertNode, parent, child, before) }
func (d *document) Remove(_, child handle)              { d.change(removeNode, child) }

// drawnValue is the name of the property of a select that holds the value as it
// was drawn last.
const drawnValue = "reconcileDrawn"

// handlersOf is the name of the property of an element that finds its handlers.
const handlersOf = "reconcileHandlers"

func (d *document) Listen(h handle, handlers []view.Handler) {
	if _, listens := d.handlers[h]; !listens {
		d.change(listen, h)
	}
	d.handlers[h] = handlers
}

func (d *document) Forget(h handle) {
	delete(d.handlers, h)
	d.free = append(d.free, h)
}

// find returns the handler for an event and the element that has it, going up
// from where the event happened.
func (d *document) find(target js.Value, event string) (view.Handler, js.Value, bool) {
	for v := target; v.Truthy(); v = v.Get("parentNode") {
		id := v.Get(handlersOf)
		if id.Type() != js.TypeNumber {
			continue
		}
		for _, h := range d.handlers[handle(id.Int())] {
			if h.Event == event {
				return h, v, true
			}
		}
	}
	return view.Handler{}, js.Value{}, false
}
