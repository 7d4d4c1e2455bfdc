package view

import (
	"strings"

	"github.com/reconcile-playground/reconcile/web/app"
)

// terminal is the user's shell: a log and an input line.
func (p *page) terminal() *Node {
	w, t := p.w, p.m.Terminal
	log := el("div", class("term-log"), attr("tabindex", "0"), attr("role", "log"), label(w.TerminalLog()))
	if len(t.Lines) == 0 {
		log.add(el("p", class("muted"), text(w.TerminalNone())))
	}
	for i, l := range t.Lines {
		log.add(p.termLine(l, i == len(t.Lines)-1))
	}
	input := el("textarea", class("field mono grow"), attr("id", app.TerminalID), attr("rows", itoa(min(strings.Count(t.Text, "\n")+1, 8))), attr("autocomplete", "off"), attr("autocapitalize", "off"), attr("spellcheck", "false"),
		label(w.TerminalInput()), attr("aria-describedby", "terminal-hint"), attr(".value", t.Text), onInput(app.Typed{}))
	prompt := el("div", class("term-prompt"), el("span", class("mono"), attr("aria-hidden", "true"), text("$")), input)
	if t.Busy {
		prompt.add(button("btn-small", app.Stop{}, text(w.Stop())))
	} else {
		prompt.add(button("btn-small btn-main", app.RunLine{}, text(w.TerminalRun())))
	}
	offers := el("p", class("term-offers mono muted"), attr("role", "status"), attr("id", "terminal-hint"))
	for _, o := range t.Offers {
		offers.add(span("", o))
	}
	switch {
	case len(t.Offers) > 0:
	case t.Unfinished():
		text(w.TerminalMore()).addTo(offers)
	default:
		text(w.TerminalHint()).addTo(offers)
	}
	return el("div", class("drawer-body terminal"), testid("terminal"), log, prompt, offers)
}

// termLine shows one line that was run. What is brought into sight of the last one begins with the end of what was
// typed: of an output that is longer than the log its beginning is seen, and else all of it.
func (p *page) termLine(l app.TermLine, last bool) *Node {
	typed := "$ " + l.Line
	at := strings.LastIndexByte(typed, '\n')
	n := el("div", maybe("id", pick(last, "terminal-end", "")), el("div", class("term-in mono"), text(typed[at+1:])))
	box := el("div", class("term-line"), attr("data-code", itoa(l.Code)))
	if at > 0 {
		box.add(el("div", class("term-in mono"), text(typed[:at])))
	}
	box.add(n)
	if l.Cut {
		n.add(el("p", class("muted"), text(p.w.TerminalCut())))
	}
	for _, piece := range l.Pieces() {
		n.add(el("pre", class(pick(piece.Errs, "term-err", "term-out")), text(piece.Text)))
	}
	if l.Code != 0 {
		n.add(span("tag tag-fault", p.w.TerminalCode(l.Code)))
	}
	if l.Stopped != "" {
		n.add(span("muted", " "+p.w.TerminalStopped(l.Stopped)))
	}
	return box
}
