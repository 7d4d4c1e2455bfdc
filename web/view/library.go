package view

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/app"
)

// library is the sheet of the scenarios: the story of the one that is open, all
// that can be opened, and the runs that others took the place of.
func (p *page) library() *Node {
	w, m := p.w, p.m
	box := dialog("", m.Scenario.Title, append(p.story(), p.cures())...)
	sheet := box.Kids[0]
	for _, kind := range m.Kinds() {
		sheet.add(el("h3", text(w.ScenarioKind(kind))))
		list := el("ul", class("library"))
		for _, s := range m.LibraryOf(kind) {
			list.add(p.shelf(s))
		}
		sheet.add(list)
	}
	if len(m.Kept) > 0 {
		sheet.add(el("h3", text(w.KeptTitle())), el("p", class("muted"), text(w.KeptNote())))
		list := el("ul", class("library"))
		for _, k := range m.Kept {
			title := w.KeptRun(k.Title, k.Steps)
			list.add(el("li", key("kept-"+itoa(k.ID)), el("span", class("grow"), text(title)),
				button("btn-small", app.TakeUp{ID: k.ID}, text(w.TakeUp())),
				button("btn-small btn-quiet btn-icon", app.DropKept{ID: k.ID}, label(w.DropKept(title)), attr("title", w.DropKept(title)), icon("close"))))
		}
		sheet.add(list)
	}
	sheet.add(el("div", class("row"), button("btn-main", app.CloseAll{}, attr("id", "sheet-close"), text(w.Close()))))
	return box
}

// story is what the open scenario says of itself.
func (p *page) story() []*Node {
	s := p.m.Scenario
	var out []*Node
	for _, part := range paragraphs(s.Story) {
		out = append(out, el("p", text(part)))
	}
	if len(s.Look) > 0 {
		list := el("ul", class("md-list"))
		for _, look := range s.Look {
			list.add(el("li", text(look)))
		}
		out = append(out, el("h3", text(p.w.LookTitle())), list)
	}
	return out
}

// titleOf is a scenario's title, with the number of a lesson.
func (p *page) titleOf(s scenario.Head) string {
	if n, ok := strings.CutPrefix(s.Name, "lab-"); ok && s.Kind == "lesson" {
		return p.w.LessonTitle(n, s.Title)
	}
	return s.Title
}

func (p *page) shelf(s scenario.Head) *Node {
	first := ""
	if parts := paragraphs(s.Story); len(parts) > 0 {
		first = parts[0]
	}
	item := el("li", key(s.Name), attr("data-scenario", s.Name), el("div", class("grow"), el("strong", text(p.titleOf(s))), el("p", class("muted"), text(first))))
	if s.Name == p.m.Scenario.Name {
		item.add(span("tag tag-accent", p.w.ScenarioOpen()))
	}
	if at, ok := p.m.Learned()[s.Name]; ok {
		item.add(el("span", class(join("tag", pick(at.Passed, "tag-ok", ""))), testid("learned"), text(p.w.Learned(at.Passed, at.Held, at.Checks))))
	}
	item.add(button("btn-small", app.PickScenario{Name: s.Name}, label(p.w.StartScenario(s.Title)), text(p.w.Start())))
	return item
}

// paragraphs are the paragraphs of a text, each on one line.
func paragraphs(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, "\n\n") {
		if part = strings.Join(strings.Fields(part), " "); part != "" {
			out = append(out, part)
		}
	}
	return out
}
