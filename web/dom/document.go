//go:build js

package dom

import (
	"strings"
	"syscall/js"

	"honnef.co/go/js/dom/v2"

	"github.com/reconcile-playground/reconcile/web/view"
)

// handle is a node of the document. Elements are wrapped by hand in dom's basic
// types: dom's own wrapping compares constructors, which costs 0.2 ms an
// element, and nothing here asks for more than a basic element.
type handle struct {
	node *dom.BasicNode
	// element is nil for a text.
	element *dom.BasicElement
	// id is the key of the element's handlers, 0 where it has none.
	id int
}

// document puts trees on the browser's document.
type document struct {
	doc      js.Value
	handlers map[int][]view.Handler
	nextID   int
}

var _ view.Document[*handle] = (*document)(nil)

const svgNamespace = "http://www.w3.org/2000/svg"

func (d *document) Element(tag string, svg bool) *handle {
	var v js.Value
	if svg {
		v = d.doc.Call("createElementNS", svgNamespace, tag)
	} else {
		v = d.doc.Call("createElement", tag)
	}
	node := &dom.BasicNode{Value: v}
	return &handle{node: node, element: &dom.BasicElement{BasicNode: node}}
}

func (d *document) Text(s string) *handle {
	return &handle{node: &dom.BasicNode{Value: d.doc.Call("createTextNode", s)}}
}

func (d *document) SetText(h *handle, s string) { h.node.SetNodeValue(s) }

// SetAttr sets an attribute, a property (".value", ".checked") or a custom
// property of the element's style ("--c").
func (d *document) SetAttr(h *handle, name, value string) {
	switch {
	case strings.HasPrefix(name, "--"):
		h.node.Get("style").Call("setProperty", name, value)
	case name == ".checked":
		h.node.Set("checked", true)
	case strings.HasPrefix(name, "."):
		if h.node.Get(name[1:]).String() != value {
			h.node.Set(name[1:], value)
		}
		if name == ".value" && h.node.Get("localName").String() == "select" {
			h.node.Set(drawnValue, value)
		}
	default:
		h.element.SetAttribute(name, value)
	}
}

func (d *document) RemoveAttr(h *handle, name string) {
	switch {
	case strings.HasPrefix(name, "--"):
		h.node.Get("style").Call("removeProperty", name)
	case name == ".checked":
		h.node.Set("checked", false)
	case strings.HasPrefix(name, "."):
		h.node.Set(name[1:], "")
	default:
		h.element.RemoveAttribute(name)
	}
}

func (d *document) Append(parent, child *handle) { parent.node.AppendChild(child.node) }
func (d *document) Insert(parent, child, before *handle) {
	parent.node.InsertBefore(child.node, before.node)
}
func (d *document) Remove(parent, child *handle) { parent.node.Call("removeChild", child.node.Value) }

// drawnValue is the name of the property of a select that holds the value as it
// was drawn last.
const drawnValue = "reconcileDrawn"

// handlersOf is the name of the property of an element that finds its handlers.
const handlersOf = "reconcileHandlers"

func (d *document) Listen(h *handle, handlers []view.Handler) {
	if h.id == 0 {
		if len(handlers) == 0 {
			return
		}
		d.nextID++
		h.id = d.nextID
		h.node.Set(handlersOf, h.id)
	}
	d.handlers[h.id] = handlers
}

func (d *document) Forget(h *handle) { delete(d.handlers, h.id) }

// find returns the handler for an event and the element that has it, going up
// from where the event happened.
func (d *document) find(target js.Value, event string) (view.Handler, js.Value, bool) {
	for v := target; v.Truthy(); v = v.Get("parentNode") {
		id := v.Get(handlersOf)
		if id.Type() != js.TypeNumber {
			continue
		}
		for _, h := range d.handlers[id.Int()] {
			if h.Event == event {
				return h, v, true
			}
		}
	}
	return view.Handler{}, js.Value{}, false
}
