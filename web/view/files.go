package view

import (
	"strings"

	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// files is the pane of what the person writes. The editor itself is not drawn
// here: web/dom puts it into the element with the id "editor".
func (p *page) files() *Node {
	w, m := p.w, p.m
	list := el("ul", class("file-list"), label(w.FilesTitle()))
	for _, f := range m.Files.List {
		list.add(el("li", key(f.Name),
			el("button", attr("type", "button"), class("file"), attr("data-file", f.Name), onClick(app.OpenFile{Name: f.Name}),
				currentIf(f.Name == m.Files.Open), span("file-name", f.Name), p.fileTag(f))))
	}
	open := m.Files.Current()
	return el("section", class("panel files"), label(w.FilesTitle()),
		el("div", class("panel-head"), el("h2", text(w.FilesTitle())), span("muted grow", pick(m.HasScript(), w.FilesNote(), "")),
			button("btn-small", app.AddFile{}, attr("id", "new-file"), text(w.NewFile())),
			when(!m.HasScript(), func() *Node {
				return button("btn-small", app.AddScript{}, attr("id", "new-script"), attr("title", w.NewScriptHint()), text(w.NewScript()))
			}),
			when(open != nil, func() *Node {
				return button("btn-small btn-quiet btn-icon", app.RemoveFile{Name: open.Name}, label(w.RemoveFile(open.Name)), attr("title", w.RemoveFile(open.Name)), icon("close"))
			})),
		list,
		el("div", class("editor"), attr("id", "editor"), testid("editor"), key("editor")),
		p.applyError(),
		el("div", class("apply-bar"), key("apply-bar"),
			button("btn-main", app.Apply{}, testid("apply"), off(open == nil || m.Files.Applying),
				text(pick(m.Files.Applying, w.Applying(), pick(open != nil && open.IsScript(), w.RollOut(), w.Apply()))), kbd("ctrl ⏎")),
			when(open != nil && m.StateOf(open) == app.FileEdited, func() *Node { return button("", app.Revert{}, text(w.RevertFile())) }),
			p.applyOut(),
		),
	)
}

// newFile is the sheet that asks for the name of a new file.
func (p *page) newFile() *Node {
	w, s := p.w, p.m.Sheet
	return dialog("sheet-narrow share", w.NewFileTitle(),
		el("label", text(w.FileName()+" "), el("input", class("field mono"), attr("id", app.FileNameID), testid(app.FileNameID), attr("autocomplete", "off"), attr("spellcheck", "false"),
			maybe("aria-invalid", pick(s.Note != "", "true", "")), attr("aria-describedby", "file-name-note"), attr(".value", s.About), onInput(app.NameFile{}))),
		el("p", attr("id", "file-name-note"), class(pick(s.Note != "", "fault-text", "muted")), attr("role", "status"), text(pick(s.Note != "", s.Note, w.FileNameHint()))),
		el("div", class("row"),
			button("", app.CloseAll{}, text(w.Cancel())),
			button("btn-main", app.MakeFile{}, testid("file-make"), text(w.MakeFile()))))
}

func currentIf(on bool) part {
	if !on {
		return Attr{}
	}
	return attr("aria-current", "true")
}

func (p *page) fileTag(f *app.File) *Node {
	if p.m.Files.Error != nil && p.m.Files.Of == f.Name {
		return span("tag tag-fault", p.w.FileRefused())
	}
	if f.IsScript() && p.m.StateOf(f) == app.FileApplied {
		return span("tag tag-ok", p.w.ScriptRuns())
	}
	switch p.m.StateOf(f) {
	case app.FileApplied:
		return span("tag tag-ok", p.w.FileApplied())
	case app.FileEdited:
		return span("tag tag-wait", p.w.FileEdited())
	case app.FileNotApplied:
		return span("tag", p.w.FileNotApplied())
	}
	return nil
}

// applyError is what was said to the last apply; an empty element is there
// before, so that a screen reader says the text when it comes.
func (p *page) applyError() *Node {
	err, doubts := p.m.Files.Refusal(), p.m.Files.Doubts
	box := el("div", key("apply-error"), testid("apply-error"), attr("id", "apply-error"), attr("role", "alert"))
	switch {
	case err == nil && len(doubts) > 0 && p.m.Files.Of == p.m.Files.Open:
		err = &engine.Error{Message: p.w.ScriptDoubts(), Marks: doubts}
		box.add(class("apply-error doubts"))
	case err == nil:
		box.add(attr("hidden", ""))
		return box
	default:
		box.add(class("apply-error"))
	}
	box.add(attr("tabindex", "0"))
	if len(err.Marks) == 0 {
		text(err.Message).addTo(box)
		return box
	}
	// What the server says is what people search for: it is told in full, at its place where there is one, below the
	// places where there are several; only a long answer, which may hold the whole patch, is folded away.
	list := el("ul")
	said := map[engine.Mark]bool{}
	for _, mark := range err.Marks {
		if !said[mark] {
			list.add(el("li", span("mono", p.w.AtLine(mark.Line, mark.Col)+" "), text(mark.Message)))
		}
		said[mark] = true
	}
	if p.m.Files.Refusal() == nil {
		text(err.Message).addTo(box)
		box.add(list)
		return box
	}
	const long = 400
	if at := err.Marks[0]; len(said) == 1 && len(err.Message) <= long && strings.Contains(err.Message, at.Message) {
		box.add(el("ul", el("li", span("mono", p.w.AtLine(at.Line, at.Col)+" "), text(err.Message))))
		return box
	}
	box.add(list)
	whole := el("details", class("whole"), key("whole"), el("summary", text(p.w.WholeAnswer())), text(err.Message))
	if len(err.Message) <= long {
		whole.add(attr("open", ""))
	}
	box.add(whole)
	return box
}

func (p *page) applyOut() *Node {
	out := el("span", class("apply-out"), key("apply-out"), attr("role", "status"))
	for i, d := range p.m.Files.Done {
		if i == 4 {
			out.add(span("muted", p.w.More(len(p.m.Files.Done)-i)))
			break
		}
		line := el("span", class("apply-line"), span(join("tag", pick(d.What == "unchanged", "", "tag-ok")), p.w.Applied(d.What)))
		if d.Ref != "" {
			line.add(span("mono", " "+shortRef(d.Ref)+" "), versions(d.Before, d.After))
		}
		out.add(line)
	}
	return out
}
