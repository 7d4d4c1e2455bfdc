package view

import (
	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// prove is the tab of the fault matrix: every fault at every call.
func (p *page) prove() *Node {
	w, m := p.w, p.m
	row := el("div", class("row"), button("btn-main btn-small", app.Prove{}, testid("prove"), off(m.Proving()), text(w.Prove())))
	if m.Proving() {
		act, name := "pause", w.PauseProving()
		if m.Prove.State == "paused" {
			act, name = "resume", w.ResumeProving()
		}
		row.add(button("btn-small", app.Proving{Act: act}, text(name)), button("btn-small", app.Proving{Act: "cancel"}, text(w.Cancel())))
	}
	row.add(button("btn-small", app.Grade{}, testid("grade"), text(w.Grade())))
	body := el("div", class("drawer-body"), testid("prove-panel"), attr("tabindex", "0"), attr("role", "region"), label(w.ProveTitle()), row)
	if m.ProveError != "" {
		body.add(el("p", class("fault-text"), attr("role", "alert"), text(m.ProveError)))
	}
	if m.Grade != nil {
		body.add(p.grade(m.Grade))
	}
	if m.Prove == nil {
		body.add(el("p", class("muted"), text(w.ProveNote())))
		return body
	}
	body.add(p.proveProgress(m.Prove), p.matrix(m.Prove))
	for _, f := range m.Prove.Findings {
		body.add(p.proved(f, "tag-fault"))
	}
	for _, f := range m.Prove.Stopped {
		body.add(p.proved(f, "tag-wait"))
	}
	return body
}

// proveProgress says how far it has come, or what the verdict is and within which
// bounds.
func (p *page) proveProgress(v *engine.ProveView) *Node {
	w := p.w
	if v.Bounds != nil {
		b := v.Bounds
		return el("p", testid("verdict"), attr("data-state", v.State), attr("role", "status"), el("strong", text(w.Verdict(len(v.Findings), len(v.Stopped)))),
			text(" "+w.Bounds(b.Runs, b.Orders, b.States, b.Places, len(b.Faults), b.Depth, b.Passes, b.Seed)))
	}
	return el("p", testid("verdict"), attr("data-state", v.State), el("progress", attr("max", itoa(max(1, v.Total))), attr(".value", itoa(v.Done)), label(w.ProveTitle())),
		text(" "+w.ProveProgress(v.State, v.Done, v.Total, v.Left)))
}

// matrix is the table of call sites and faults.
func (p *page) matrix(v *engine.ProveView) *Node {
	w := p.w
	if len(v.Rows) == 0 {
		return nil
	}
	head := el("tr", el("th", attr("scope", "col"), text(w.CallSite())))
	for _, f := range v.Faults {
		head.add(el("th", attr("scope", "col"), attr("title", w.FaultWhy(f)), text(f)))
	}
	rows := el("tbody")
	for _, r := range v.Rows {
		tr := el("tr", key(r.Site), el("th", attr("scope", "row"), class("mono"), text(r.Site)))
		for _, cell := range r.Cells {
			state, sign := "good", "✓"
			switch {
			case cell[0] == 0:
				state, sign = "none", "·"
			case cell[1] > 0:
				state, sign = "bad", "✗"
			case cell[2] > 0:
				state, sign = "stopped", "‖"
			}
			tr.add(el("td", class("cell-"+state), attr("data-cell", state), attr("title", w.Cell(state, cell[0], cell[1])),
				el("span", attr("aria-hidden", "true"), text(sign)), span("sr", w.Cell(state, cell[0], cell[1]))))
		}
		rows.add(tr)
	}
	return el("div", class("matrix-wrap"), el("table", class("matrix"), el("thead", head), rows))
}

func (p *page) proved(f engine.ProveFinding, tone string) *Node {
	w := p.w
	return el("div", class("proved"), attr("data-finding", f.Finding), span("tag "+tone, f.Finding),
		el("div", class("grow"), el("strong", class("mono"), text(f.Object)), el("p", text(f.Sentence)),
			el("p", class("muted mono"), text(join(f.Fault, f.Call)))),
		span("muted", w.Times(f.Count)),
		button("btn-small", app.OpenRun{Choices: f.Choices}, text(w.OpenRun())))
}

// grade is what a lesson's checks say.
func (p *page) grade(g *app.Graded) *Node {
	w := p.w
	list := el("ul", class("library"), testid("lesson"))
	for _, c := range g.Checks {
		item := el("li", attr("data-check", c.Name), span(pick(c.Passed, "tag tag-ok", "tag tag-fault"), w.Check(c.Passed)),
			el("div", class("grow"), el("strong", text(c.Name)), el("p", text(w.Expected(c.Expected))), when(!c.Passed, func() *Node { return el("p", text(w.Happened(c.Happened))) })))
		if len(c.Choices) > 0 {
			item.add(button("btn-small", app.OpenRun{Choices: c.Choices}, text(w.OpenRun())))
		}
		list.add(item)
	}
	return el("div", el("p", attr("role", "status"), el("strong", text(w.Passed(g.Passed)))), list)
}
