//go:build js

package dom

import (
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
)

// drawPanel draws the panel that is open into its element, where what it is drawn
// from has changed, with the file that draws it loaded when it is first used.
func (p *page) drawPanel() {
	data, of := p.model.Panel()
	if data+of == p.panel {
		return
	}
	p.panel = data + of
	if data == "" {
		return
	}
	p.withFile("panels.js", func(panels js.Value) js.Value {
		// What is drawn is the newest, whatever was asked for while it was loaded.
		if element := p.doc.Call("getElementById", app.PanelID); element.Truthy() {
			now, of := p.model.Panel()
			panels.Call("draw", element, now, of, p.act)
		}
		return js.Global().Get("Promise").Call("resolve")
	}, func(_ js.Value, err string) {
		if err != "" {
			// In its place, where something is looked for, and again with what is drawn next.
			p.element(app.PanelID, func(element js.Value) { element.Set("textContent", err) })
			p.panel = ""
		}
	})
}

// newAct is what the panels call with the name of an act and its argument.
func (p *page) newAct() js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.send(app.PanelAct{Name: args[0].String(), Arg: args[1].String()})
		return nil
	})
}

// told shows why something that was asked of the browser failed.
func (p *page) told(_ js.Value, err string) {
	if err != "" {
		p.send(app.Failed{Text: err})
	}
}
