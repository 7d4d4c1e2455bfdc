package view

import (
	"strconv"

	"github.com/reconcile-playground/reconcile/web/app"
)

// Node is one element or text of the page as it should be. It is a value:
// built afresh by every call of Page, compared with the one before, never
// changed once built.
type Node struct {
	// Tag is the element's name; empty for a text.
	Tag string
	// Key tells siblings apart when their order changes. Siblings have
	// distinct keys or none.
	Key string
	// Text is the text of a text node. It is data, never markup.
	Text  string
	Attrs []Attr
	On    []Handler
	Kids  []*Node
}

// Attr is an attribute. A name that begins with "." is a property of the
// element (".value"), one that begins with "--" a custom property of its
// style; all others are attributes. ".top" names what a scrolled element shows:
// another begins at its top. Names within one element are distinct.
type Attr struct{ Name, Value string }

// Handler says which message an event on the element, or on what is inside it,
// means. Where the message takes a value (app.Valued), it gets the element's.
type Handler struct {
	Event string
	Msg   app.Msg
}

// part is anything that el takes. The functions that make one return it as a
// part: turning a value into an interface takes more code than calling them.
type part interface{ addTo(*Node) }

func (n *Node) addTo(to *Node) {
	if n != nil {
		to.Kids = append(to.Kids, n)
	}
}
func (a Attr) addTo(to *Node) {
	if a.Name != "" {
		to.Attrs = append(to.Attrs, a)
	}
}
func (h Handler) addTo(to *Node) {
	if h.Msg != nil {
		to.On = append(to.On, h)
	}
}

type keyed string

func (k keyed) addTo(to *Node) { to.Key = string(k) }

type text string

func (t text) addTo(to *Node) {
	if t != "" {
		to.Kids = append(to.Kids, &Node{Text: string(t)})
	}
}

type group []*Node

func (g group) addTo(to *Node) {
	for _, n := range g {
		n.addTo(to)
	}
}

// el builds an element of attributes, handlers, a key, texts and elements. Nil
// nodes, empty texts and attributes without a name are left out.
func el(tag string, parts ...part) *Node {
	n := &Node{Tag: tag}
	attrs, kids := 0, 0
	for _, p := range parts {
		switch p := p.(type) {
		case Attr:
			attrs++
		case *Node, text:
			kids++
		case group:
			kids += len(p)
		}
	}
	n.Attrs, n.Kids = make([]Attr, 0, attrs), make([]*Node, 0, kids)
	n.add(parts...)
	return n
}

// add puts more into an element.
func (n *Node) add(parts ...part) {
	for _, p := range parts {
		if p != nil {
			p.addTo(n)
		}
	}
}

func attr(name, value string) part { return Attr{name, value} }
func class(names string) part      { return Attr{"class", names} }
func testid(id string) part        { return Attr{"data-testid", id} }
func label(s string) part          { return Attr{"aria-label", s} }
func key(k string) part            { return keyed(k) }

// present is an attribute that is there or not.
func present(name string, on bool) part {
	if !on {
		return Attr{}
	}
	return Attr{name, ""}
}

// off marks a button that does nothing now. It keeps the focus, which a disabled
// one would lose.
func off(cond bool) part {
	if !cond {
		return Attr{}
	}
	return Attr{"aria-disabled", "true"}
}

// maybe is an attribute that is left out where its value is empty.
func maybe(name, value string) part {
	if value == "" {
		return Attr{}
	}
	return Attr{name, value}
}

// state is an ARIA state: "true" or "false".
func state(name string, on bool) part { return Attr{name, strconv.FormatBool(on)} }

// when returns the node where cond holds and nothing otherwise.
func when(cond bool, n func() *Node) *Node {
	if !cond {
		return nil
	}
	return n()
}

func onClick(m app.Msg) part { return Handler{"click", m} }
func onInput(m app.Msg) part { return Handler{"input", m} }

// span is the commonest element: a class and a text.
func span(classes, s string) *Node {
	n := &Node{Tag: "span"}
	if classes != "" {
		n.Attrs = []Attr{{"class", classes}}
	}
	if s != "" {
		n.Kids = []*Node{{Text: s}}
	}
	return n
}

// whole is a text that is shown as a whole or, where there is no room for it, not
// at all.
func whole(classes, s string) *Node {
	return el("span", class(join("whole", classes)), span("", s))
}

// cutAbove are classes, with "cut" for a text of more letters than there is
// always room for. Every clip costs the browser something at each step, so what
// needs none has none.
func cutAbove(letters int, classes, s string) string {
	return join(classes, pick(len(s) > letters, "cut", ""))
}

// join puts names with a space between, leaving out the empty ones.
func join(names ...string) string {
	var out []byte
	for _, n := range names {
		if n == "" {
			continue
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, n...)
	}
	return string(out)
}

// pick returns yes where cond holds, else no.
func pick(cond bool, yes, no string) string {
	if cond {
		return yes
	}
	return no
}
