//go:build js

package dom

import (
	"encoding/json"
	"strings"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
)

// do does what the model asks of the browser.
func (p *page) do(effects []app.Effect) {
	var reveal []string
	for _, effect := range effects {
		switch e := effect.(type) {
		case app.Send:
			p.post(e)
		case app.Focus:
			p.element(e.ID, func(v js.Value) {
				v.Call("focus")
				if e.ID == app.FileNameID {
					v.Call("select") // what is typed takes its place
				}
			})
		case app.Reveal:
			reveal = append(reveal, e.ID)
		case app.Download:
			p.download(e)
		case app.PickFile:
			p.pickFile()
		case app.SavePrefs:
			p.savePrefs(e.Prefs)
		case app.SaveShown:
			saveShown(e.Shown)
		case app.SetTheme:
			p.setTheme(e.Theme)
		case app.After:
			p.after(e)
		case app.Resolve:
			p.calls.resolve(e.Token, e.Result)
		case app.Reject:
			p.calls.reject(e.Token, e.Message, e.Reason)
		case app.Boot:
			p.bootAct(e.Act)
		case app.SaveZip:
			p.withFile("bundle.js", func(file js.Value) js.Value { return file.Call("save", e.What, e.From) }, p.told)
		case app.MergeProgress:
			p.withFile("panels.js", func(file js.Value) js.Value { return file.Call("merge", e.Text, e.Known, p.act) }, p.told)
		case app.DrawPlots:
			p.drawPlots(e.Data)
		case app.PackLink, app.ReadLink, app.Copy:
			p.doLinks(effect)
		default:
			p.editor.do(effect)
		}
	}
	if len(reveal) > 0 {
		// Names of objects have no spaces.
		js.Global().Call("ReconcileReveal", strings.Join(reveal, " "))
	}
}

func (p *page) element(id string, f func(js.Value)) {
	if v := p.doc.Call("getElementById", id); v.Truthy() {
		f(v)
	}
}

func (p *page) post(s app.Send) {
	head, text := s.Command.Message()
	p.boot.Call("post", js.ValueOf([]any{head, text}).Call("join", ""))
}

func (p *page) after(a app.After) {
	var f js.Func
	f = js.FuncOf(func(js.Value, []js.Value) any {
		f.Release()
		p.send(a.Msg)
		return nil
	})
	js.Global().Call("setTimeout", f, a.Delay.Milliseconds())
}

// download offers a text as a file.
func (p *page) download(d app.Download) {
	global := js.Global()
	blob := global.Get("Blob").New([]any{d.Text}, map[string]any{"type": d.Type + ";charset=utf-8"})
	url := global.Get("URL").Call("createObjectURL", blob)
	a := p.doc.Call("createElement", "a")
	a.Set("href", url)
	a.Set("download", d.Name)
	a.Call("click")
	var f js.Func
	f = js.FuncOf(func(js.Value, []js.Value) any {
		f.Release()
		global.Get("URL").Call("revokeObjectURL", url)
		return nil
	})
	global.Call("setTimeout", f, 60_000)
}

// pickFile lets the person pick a file and reads it.
func (p *page) pickFile() {
	input := p.doc.Call("createElement", "input")
	input.Set("type", "file")
	input.Set("accept", ".json,.txtar,.txt")
	var changed js.Func
	changed = js.FuncOf(func(js.Value, []js.Value) any {
		changed.Release()
		files := input.Get("files")
		if files.Length() == 0 {
			return nil
		}
		file := files.Index(0)
		name := file.Get("name").String()
		then(file.Call("text"), func(v js.Value) { p.send(app.Imported{Name: name, Text: v.String()}) })
		return nil
	})
	input.Call("addEventListener", "change", changed)
	input.Call("click")
}

// then calls f with what a promise brings; of one that fails the reason goes to
// the console.
func then(promise js.Value, f func(js.Value)) {
	settle(promise, f, func(err js.Value) { js.Global().Get("console").Call("error", err) })
}

// setTheme says when the style of the dark theme counts.
func (p *page) setTheme(theme string) {
	media := "(prefers-color-scheme: dark)"
	switch theme {
	case "light":
		media = "not all"
	case "dark":
		media = "all"
	}
	p.element("dark", func(link js.Value) { link.Set("media", media) })
}

func (p *page) bootAct(act string) {
	switch act {
	case "update":
		if p.boot.Get("update").Truthy() {
			p.boot.Call("update")
		}
	case "restart":
		p.boot.Call("restartEngine")
	case "export":
		then(p.boot.Call("exportStored"), func(js.Value) {})
	case "reset":
		then(p.boot.Call("resetStored"), func(js.Value) {})
	}
}

// prefsKey is where the preferences are kept in localStorage, shownKey what is
// shown in sessionStorage, of which each tab has its own.
const (
	prefsKey = "reconcile-preferences"
	shownKey = "reconcile-shown"
)

// storage is where the browser remembers. It panics where that is denied: of what
// throws only calls can be recovered from, so it is asked for by one.
func storage(name string) js.Value {
	return js.Global().Get("Reflect").Call("get", js.Global(), name)
}

// remembered reads what the browser keeps under a key: the zero value where it
// keeps nothing, or what is not understood.
func remembered[T any](where, key string) (v T) {
	defer func() { recover() }()
	if text := storage(where).Call("getItem", key); text.Truthy() {
		var read T
		if json.Unmarshal([]byte(text.String()), &read) == nil {
			v = read
		}
	}
	return v
}

// loadPrefs reads the preferences; a browser that keeps none gives the usual.
func loadPrefs() app.Prefs { return remembered[app.Prefs]("localStorage", prefsKey) }

func (p *page) savePrefs(prefs app.Prefs) {
	// Where it is refused nothing is remembered.
	defer func() { recover() }()
	stored := ""
	if v := storage("localStorage").Call("getItem", prefsKey); v.Truthy() {
		stored = v.String()
	}
	storage("localStorage").Call("setItem", prefsKey, prefs.Over(p.prefs, stored))
	p.prefs = prefs
}

// loadShown reads what this tab showed before it was loaded anew.
func loadShown() app.Shown { return remembered[app.Shown]("sessionStorage", shownKey) }

func saveShown(shown app.Shown) {
	defer func() { recover() }()
	text, err := json.Marshal(shown)
	if err != nil {
		return
	}
	storage("sessionStorage").Call("setItem", shownKey, string(text))
}
