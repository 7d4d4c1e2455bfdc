//go:build js

package dom

import (
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
)

// editor is the text editor (web/editor) in the element that web/view leaves
// for it. It is made when the first file is shown.
type editor struct {
	page *page
	it   js.Value
	name string
	// showing says that a text is being put in by the page, whatever the
	// editor may say of it.
	showing bool
}

// do does what the model asks of the editor.
func (e *editor) do(effect app.Effect) {
	switch f := effect.(type) {
	case app.EditorShow:
		e.show(f)
	case app.EditorMarks:
		e.marks(f)
	case app.EditorFocus:
		if !e.it.Truthy() {
			return
		}
		if f.Line > 0 {
			e.it.Call("focus", f.Line, max(1, f.Col))
		} else {
			e.it.Call("focus")
		}
	}
}

func (e *editor) show(s app.EditorShow) {
	e.showing = true
	defer func() { e.showing = false }()
	w := e.page.model.Words
	if !e.it.Truthy() {
		if !e.make(s) {
			return
		}
	} else {
		e.it.Call("setDoc", s.Text, s.Keep)
	}
	if s.Name != e.name {
		e.name = s.Name
		e.it.Call("setLang", app.LangOf(s.Name))
		e.it.Call("setLabel", w.Editor(s.Name))
		e.it.Call("setReadOnly", s.Name == "")
	}
}

func (e *editor) make(s app.EditorShow) bool {
	factory := js.Global().Get("ReconcileEditor")
	parent := e.page.doc.Call("getElementById", "editor")
	if !factory.Truthy() || !parent.Truthy() {
		return false
	}
	w := e.page.model.Words
	e.name = s.Name
	e.it = factory.Call("create", parent, map[string]any{
		"doc":   s.Text,
		"lang":  app.LangOf(s.Name),
		"label": w.Editor(s.Name),
		"hint":  w.EditorHint(),
		"onChange": js.FuncOf(func(_ js.Value, args []js.Value) any {
			if !e.showing {
				e.page.send(app.Edited{Text: args[0].String()})
			}
			return nil
		}),
		"onApply": js.FuncOf(func(js.Value, []js.Value) any {
			e.page.send(app.Apply{})
			return nil
		}),
	})
	return true
}

func (e *editor) marks(m app.EditorMarks) {
	if !e.it.Truthy() {
		return
	}
	severity := "error"
	if m.Doubts {
		severity = "warning"
	}
	list := make([]any, len(m.Marks))
	for i, mark := range m.Marks {
		list[i] = map[string]any{"line": mark.Line, "col": max(1, mark.Col), "severity": severity, "message": mark.Message}
	}
	e.it.Call("setMarks", list)
}
