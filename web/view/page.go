// Package view draws the page: a Model of web/app in, a tree of nodes out. Its
// functions are pure, so goldens compare their trees; web/dom puts a tree on
// the document and changes there what has changed.
//
// All text is data: a tree has text nodes and attributes, never markup.
package view

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strconv"

	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/words"
)

// page draws one model. The parts of the page are its methods.
type page struct {
	m *app.Model
	w words.Catalogue
	// first is the action that Step takes.
	first string
	parts *Painter
}

// Painter draws one page again and again. It keeps the parts that many steps
// leave as they are, so that their nodes are the very same as before and need
// no comparing. The zero value is ready; it is not for concurrent use.
type Painter struct {
	// Broken is told of a part that could not be drawn, with the stack; nil where nobody wants to know.
	Broken func(why string)
	kept   map[string]*kept
	turn   int
}

// kept is a part, what it was made from, and when it was used last.
type kept struct {
	from any
	node *Node
	turn int
}

// memo returns the part that was made for a slot from equal inputs, or makes it.
// from holds everything that build reads that may change; it is comparable.
func (p *page) memo(slot string, from any, build func() *Node) *Node {
	k := p.parts.kept[slot]
	if k == nil {
		k = &kept{}
		p.parts.kept[slot] = k
	}
	if k.node == nil || k.from != from {
		k.from, k.node = from, build()
	}
	k.turn = p.parts.turn
	return k.node
}

// Page draws the whole page.
func (r *Painter) Page(m *app.Model) *Node {
	if r.kept == nil {
		r.kept = map[string]*kept{}
	}
	r.turn++
	p := &page{m: m, w: m.Words, first: m.Default().Action, parts: r}
	n := p.all()
	for slot, k := range r.kept {
		if k.turn != r.turn {
			delete(r.kept, slot)
		}
	}
	return n
}

// Page draws one model.
func Page(m *app.Model) *Node { return new(Painter).Page(m) }

func (p *page) all() *Node {
	m := p.m
	return el("div", class("frame"), attr("lang", p.w.Lang()),
		button("skip", app.FocusOn{ID: "loop"}, text(p.w.SkipToLoop())),
		el("div", class("app"), p.widths(), attr("data-pane", string(m.Pane)), attr("data-tab", string(m.Drawer)), maybe("data-drawer", m.Prefs.Drawer), maybe("data-engine", m.Engine),
			present("inert", m.Sheet.Kind != ""),
			p.header(),
			el("div", class("next"), p.banners(), p.guide()),
			// One landmark around all panes: in a narrow window any of them may be the only one.
			el("main", class("content"),
				p.files(),
				el("div", class("loop"), attr("id", "loop"), attr("tabindex", "-1"), p.guarded("panel pipe", p.pipe), p.guarded("panel pass", p.pass)),
				p.panes(),
				p.objects(),
				group(p.dividers()),
				p.drawer(),
			),
		),
		p.sheet(),
		p.toasts(),
		el("p", class("sr"), attr("aria-live", "polite"), attr("id", "said"), text(m.Said)),
	)
}

// guarded is a part of the page, with these classes; where it cannot be drawn, it says so, and the rest goes on.
func (p *page) guarded(classes string, draw func() *Node) (n *Node) {
	defer func() {
		if why := recover(); why != nil {
			n = el("section", class(classes), el("p", class("empty"), attr("role", "alert"), text(p.w.PartBroken(fmt.Sprint(why)))))
			if p.parts.Broken != nil {
				p.parts.Broken(fmt.Sprint(why, "\n", string(debug.Stack())))
			}
		}
	}()
	return draw()
}

// widths are those of the columns that a person gave one.
func (p *page) widths() part {
	var all widths
	for _, d := range p.m.Dividers() {
		if w, _, _, own := p.m.Column(d); own {
			all = append(all, Attr{"--" + string(d), itoa(w) + "px"})
		}
	}
	return all
}

type widths []Attr

func (w widths) addTo(to *Node) { to.Attrs = append(to.Attrs, w...) }

// dividers are the borders between the columns, to be moved by the pointer and
// by keys: see web/dom/events.go.
func (p *page) dividers() []*Node {
	var all []*Node
	percent := func(n int) string { return itoa((n*100 + p.m.Width/2) / p.m.Width) }
	for _, d := range p.m.Dividers() {
		w, least, most, _ := p.m.Column(d)
		all = append(all, el("div", class("divider divider-"+string(d)), key("divider-"+string(d)), attr("role", "separator"), attr("aria-orientation", "vertical"), attr("tabindex", "0"),
			attr("data-divider", string(d)), label(p.w.Divider(string(d))), attr("title", p.w.DividerHint()),
			attr("aria-valuenow", percent(w)), attr("aria-valuemin", percent(least)), attr("aria-valuemax", percent(most)), attr("aria-valuetext", p.w.DividerAt(percent(w))),
			Handler{"dblclick", app.DivideAgain{At: d}}))
	}
	return all
}

// panes is the row of buttons that pick a pane where the window is narrow.
func (p *page) panes() *Node {
	pane := func(at app.Pane, name, classes string) *Node {
		return el("button", attr("type", "button"), class(join("btn", classes)), state("aria-pressed", p.m.Pane == at), onClick(app.OpenPane{Pane: at}), text(name))
	}
	return el("nav", class("panes"), label(p.w.Panes()), el("div", class("seg"),
		pane(app.PaneLoop, p.w.LoopTitle(), "only-small"),
		pane(app.PaneObjects, p.w.ObjectsTitle(), "first-wide"),
		pane(app.PaneFiles, p.w.FilesTitle(), "last-wide"),
		pane(app.PaneTime, p.w.Timeline(), "only-small"),
	))
}

// button is a plain button.
func button(classes string, msg app.Msg, parts ...part) *Node {
	return el("button", append([]part{attr("type", "button"), class(join("btn", classes)), onClick(msg)}, parts...)...)
}

// kbd shows a key.
func kbd(k string) *Node {
	if k == "" {
		return nil
	}
	return el("kbd", attr("aria-hidden", "true"), text(k))
}

// menu is a button that opens a list of buttons.
func (p *page) menu(name, title string, classes string, list func() []*Node, parts ...part) *Node {
	open := p.m.Menu == name
	head := append([]part{attr("id", "menu-"+name), state("aria-expanded", open), text(title), icon("down")}, parts...)
	box := el("div", class("menu"), button(classes, app.ToggleMenu{Name: name}, head...))
	if open {
		items := list()
		if i := slices.IndexFunc(items, func(n *Node) bool { return n != nil && n.Tag == "button" }); i >= 0 {
			items[i].add(attr("id", "menu-first"))
		}
		group(items).addTo(addList(box))
	}
	return box
}

func addList(box *Node) *Node {
	list := el("div", class("menu-list"))
	box.add(list)
	return list
}

// why is the small button that explains a thing, and what it says when open.
func (p *page) why(id, thing, explanation string) group {
	open := p.m.Why == id
	g := group{el("button", attr("type", "button"), class("why"), attr("id", "why-"+id), label(p.w.Why(thing)), state("aria-expanded", open),
		onClick(app.ToggleWhy{Name: id}), text("?"))}
	if open {
		g = append(g, el("p", class("why-text"), attr("role", "status"), text(explanation)))
	}
	return g
}

func (p *page) toasts() *Node {
	box := el("div", class("toasts"), attr("aria-live", "polite"), attr("role", "status"))
	for _, t := range p.m.Toasts {
		box.add(el("div", class(join("toast", pick(t.Level != "", "toast-"+t.Level, ""))), key(strconv.Itoa(t.ID)),
			el("span", class("grow"), text(t.Text)),
			button("btn-quiet btn-small btn-icon", app.DropToast{ID: t.ID}, label(p.w.Dismiss()), icon("close"))))
	}
	return box
}

// icon is one of the page's signs. It says nothing to a screen reader.
func icon(name string) *Node { return icons[name] }

// icons are built once: a sign is the very same node wherever it stands.
var icons = func() map[string]*Node {
	all := make(map[string]*Node, len(strokes))
	for name, paths := range strokes {
		svg := el("svg", class("icon"), attr("viewBox", "0 0 24 24"), attr("aria-hidden", "true"))
		for _, d := range paths {
			svg.add(el("path", attr("d", d)))
		}
		all[name] = svg
	}
	return all
}()

var strokes = map[string][]string{
	"loop":  {"M20 11a8 8 0 0 0-14.9-3M4 13a8 8 0 0 0 14.9 3", "M5 3v5h5M19 21v-5h-5"},
	"down":  {"M7 10l5 5 5-5"},
	"close": {"M6 6l12 12M18 6L6 18"},
	"left":  {"M15 5l-7 7 7 7"},
	"right": {"M9 5l7 7-7 7"},
	"tip":   {"M6 5l7 7-7 7M17 5v14"},
	"play":  {"M8 5l11 7-11 7z"},
	"pause": {"M8 5v14M16 5v14"},
	"theme": {"M12 3a9 9 0 1 0 0 18z", "M12 3a9 9 0 0 1 0 18"},
	"up":    {"M7 14l5-5 5 5"},
	"book":  {"M12 6.5C10 5 7 4.5 3.5 5v13c3.5-.5 6.5 0 8.5 1.5 2-1.5 5-2 8.5-1.5V5c-3.5-.5-6.5 0-8.5 1.5z", "M12 6.5v13"},
	"share": {"M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5", "M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5"},
}
