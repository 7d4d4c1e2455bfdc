//go:build js

// Package dom is the page in the browser: it puts the trees of web/view on the
// document, turns events into messages for web/app, and does what web/app asks
// of the browser. It is started by Run and speaks to the engine through the
// boot script (static/boot.js).
package dom

import (
	"encoding/json"
	"math"
	"runtime/debug"
	"slices"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/text"
	"github.com/reconcile-playground/reconcile/web/view"
	"github.com/reconcile-playground/reconcile/web/words"
)

// page is the running page. Everything happens in callbacks of the browser,
// one at a time; none of them blocks.
type page struct {
	doc     js.Value
	boot    js.Value
	model   *app.Model
	painter view.Painter
	tree    *view.Mounted[handle]
	on      *document
	editor  *editor
	calls   calls
	shown   bool
	// prefs are the preferences as this tab read or stored them last.
	prefs app.Prefs
	// dirty says that the document is behind the model, waiting that a frame
	// has been asked for.
	dirty, waiting bool
	frame          js.Func
	// act is what panels call.
	act js.Func
	// panel is what the open panel was drawn from.
	panel string
	// row is the height of a row of the table, in pixels.
	row float64
}

// Run draws the page and serves it until the page goes. It does not return.
func Run() {
	// The page's heap is small and its work comes in short bursts: collecting
	// less often keeps the collector out of most of them.
	debug.SetGCPercent(400)
	global := js.Global()
	p := &page{
		doc:  global.Get("document"),
		boot: global.Get("reconcileBoot"),
	}
	p.on = newDocument(p.doc.Call("getElementById", "app"))
	p.prefs = loadPrefs()
	p.model = app.New(words.English, p.prefs)
	p.model.ShowAgain(loadShown())
	p.painter.Broken = func(why string) { global.Get("console").Call("error", why) }
	p.editor = &editor{page: p}
	p.act = p.newAct()
	p.frame = js.FuncOf(func(js.Value, []js.Value) any {
		p.waiting = false
		if p.dirty {
			p.draw()
		}
		return nil
	})
	p.model.Update(p.resized())
	p.draw()
	p.listen()
	p.expose()
	p.connect()
	p.do(p.model.Start())
	p.watchLinks()
	select {}
}

// connect joins the page to the boot script.
func (p *page) connect() {
	p.boot.Set("receive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.receive(text.Bytes(args[0]))
		return nil
	}))
	p.boot.Set("onengine", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.send(app.EngineState{State: args[0].String()})
		return nil
	}))
	p.boot.Set("onscripts", js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.send(app.ScriptsLoading{Percent: 100 * args[0].Int() / max(1, args[1].Int())})
		return nil
	}))
	p.boot.Set("onupdate", js.FuncOf(func(js.Value, []js.Value) any {
		p.send(app.NewVersion{})
		return nil
	}))
	if p.boot.Get("update").Truthy() {
		p.send(app.NewVersion{})
	}
}

// receive takes a text of the engine. What a long command tells on its way is
// drawn with the next frame; an answer is drawn at once, so that it is there
// before the promise of a caller is resolved.
func (p *page) receive(message []byte) {
	var r engine.Reply
	if err := json.Unmarshal(message, &r); err != nil {
		js.Global().Get("console").Call("error", "the engine's answer does not parse: "+err.Error())
		return
	}
	effects := p.model.Update(app.FromEngine{Reply: r})
	if r.Done || r.Error != nil || !p.shown {
		p.draw()
	} else {
		p.drawSoon()
	}
	p.do(effects)
	engine.GiveRoom()
	if !p.shown && (p.model.Ready || r.Error != nil) {
		p.shown = true
		p.boot.Call("ready")
		p.measure()
		p.calls.ready()
	}
}

// send gives a message to the model and does what is asked for. What came of it
// is drawn with the next frame, or at once where something is asked of what is
// drawn: a key and the engine's answer to it are mostly drawn together.
func (p *page) send(msg app.Msg) {
	effects := p.model.Update(msg)
	switch {
	case slices.ContainsFunc(effects, needsDrawn):
		p.draw()
	case p.model.Stale:
		p.drawSoon()
	}
	p.do(effects)
}

func needsDrawn(e app.Effect) bool {
	switch e.(type) {
	case app.Focus, app.Reveal, app.Resolve, app.EditorShow, app.EditorFocus:
		return true
	}
	return false
}

func (p *page) drawSoon() {
	p.dirty = true
	if !p.waiting {
		p.waiting = true
		js.Global().Call("requestAnimationFrame", p.frame)
	}
}

// draw brings the document up to the model.
func (p *page) draw() {
	p.dirty = false
	tree := p.painter.Page(p.model)
	if p.tree == nil {
		p.tree = view.Mount(p.on, tree)
		p.on.Append(root, p.tree.Handle())
		p.on.flush()
		return
	}
	active := p.doc.Get("activeElement")
	p.tree.Patch(p.on, tree)
	p.on.flush()
	p.drawPanel()
	if active.Truthy() && !active.Get("isConnected").Bool() {
		p.refocus()
	}
}

// refocus gives the focus a place when the element that had it has gone: to
// what happens next in the loop, else to Step.
func (p *page) refocus() {
	next := p.doc.Call("querySelector", ".chip.first")
	if !next.Truthy() {
		next = p.doc.Call("getElementById", "step")
	}
	if next.Truthy() {
		next.Call("focus")
	}
}

// resized is how wide the window and the letters of code are.
func (p *page) resized() app.Resized {
	style := js.Global().Call("getComputedStyle", p.doc.Get("documentElement"))
	letter := 0.0
	if drawing := p.doc.Call("createElement", "canvas").Call("getContext", "2d"); drawing.Truthy() {
		drawing.Set("font", "100px "+style.Call("getPropertyValue", "--mono").String())
		letter = drawing.Call("measureText", "0").Get("width").Float() / 100 * view.LetterHeight * p.rem(style)
	}
	return app.Resized{Width: js.Global().Get("innerWidth").Int(), Letter: letter}
}

// rem is the size that the page's sizes are told in, in pixels.
func (p *page) rem(style js.Value) float64 {
	return js.Global().Call("parseFloat", style.Get("fontSize")).Float()
}

// measure tells the model which rows of the table are in sight.
func (p *page) measure() {
	table := p.doc.Call("getElementById", "table")
	if !table.Truthy() {
		return
	}
	if p.row == 0 {
		p.row = view.RowHeight * p.rem(js.Global().Call("getComputedStyle", p.doc.Get("documentElement")))
	}
	first := int(table.Get("scrollTop").Float() / p.row)
	count := max(10, int(math.Ceil(table.Get("clientHeight").Float()/p.row))+1)
	now := p.model.Scroll
	if count != now.Count || first-now.First > 4 || now.First-first > 4 {
		p.send(app.Scrolled{Window: app.Window{First: first, Count: count}})
	}
}
