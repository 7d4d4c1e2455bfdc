package view

import "github.com/reconcile-playground/reconcile/web/app"

// sheet is what lies over the page, nil where nothing does.
func (p *page) sheet() *Node {
	switch p.m.Sheet.Kind {
	case "help":
		return p.help()
	case "confirm":
		return p.confirm()
	case "predict":
		return p.predict()
	case "library":
		return p.library()
	case "share":
		return p.share()
	case "file":
		return p.newFile()
	}
	return nil
}

func dialog(classes, title string, kids ...*Node) *Node {
	box := el("div", class(join("sheet", classes)), attr("role", "dialog"), attr("aria-modal", "true"), attr("aria-labelledby", "sheet-title"),
		el("h2", attr("id", "sheet-title"), text(title)))
	group(kids).addTo(box)
	return el("div", class("veil"), key("sheet"), box)
}

func (p *page) confirm() *Node {
	s := p.m.Sheet
	title, words, yes := p.w.Confirm(s.Key, s.About)
	main := "btn-main"
	switch s.Key {
	case "delete", "deleteHeld", "reset":
		main = "btn-danger"
	}
	return dialog("sheet-narrow", title,
		when(s.Note != "", func() *Node { return el("p", text(s.Note)) }),
		el("p", text(words)),
		el("div", class("row"),
			button("", app.CloseAll{}, attr("id", "confirm-no"), text(p.w.Cancel())),
			button(main, app.Confirm{}, attr("id", "confirm-yes"), testid("confirm"), text(yes))))
}

func (p *page) help() *Node {
	w := p.w
	keys := el("dl", class("keys"))
	for _, b := range app.Bindings {
		dt := el("dt")
		for _, k := range b.Keys {
			dt.add(el("kbd", text(keyName(k))))
		}
		keys.add(el("div", dt, el("dd", text(w.KeyName(b.Name)))))
	}
	keys.add(el("div", el("dt", el("kbd", text("ctrl ⏎"))), el("dd", text(w.KeyName("apply")))),
		el("div", el("dt", el("kbd", text("esc")), el("kbd", text("tab"))), el("dd", text(w.KeyName("leaveEditor")))))
	return dialog("", w.HelpTitle(),
		el("p", text(w.HelpIntro())),
		el("p", beside("fidelity.html", w.FidelityLink())),
		el("p", beside("scripts.html", w.ScriptsLink())),
		el("h3", text(w.Keys())), keys,
		el("label", class("check"), el("input", attr("type", "checkbox"), attr("id", "no-keys"), present(".checked", p.m.Prefs.NoKeys), Handler{"change", app.ToggleKeys{}}),
			text(" "+w.NoKeys())),
		el("h3", text(w.LegendTitle())), p.legend(),
		el("div", class("row"),
			button("", app.StartTour{}, text(w.StartTour())),
			button("btn-main", app.CloseAll{}, attr("id", "sheet-close"), text(w.Close()))))
}

// beside is a link to a document beside the page.
func beside(file, words string, parts ...part) *Node {
	n := el("a", attr("href", file), attr("target", "_blank"), attr("rel", "noopener"), text(words))
	n.add(parts...)
	return n
}

func (p *page) legend() *Node {
	box := el("ul", class("legend"))
	for _, l := range p.w.Legend() {
		box.add(el("li", el("span", class("mono"), text(l[0])), text(" "+l[1])))
	}
	return box
}

func keyName(k string) string {
	switch k {
	case " ":
		return "space"
	case "ArrowLeft":
		return "←"
	case "ArrowRight":
		return "→"
	case "Escape":
		return "esc"
	}
	return k
}
