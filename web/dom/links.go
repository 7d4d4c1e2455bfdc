//go:build js

package dom

import (
	"strings"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/app"
)

// What is read of a link at most: letters, and bytes once unpacked.
const (
	linkLetters = 1 << 20
	linkBytes   = 16 << 20
)

// watchLinks tells the model of a link in the page's address, now and later.
func (p *page) watchLinks() {
	found := func() {
		hash := strings.TrimPrefix(js.Global().Get("location").Get("hash").String(), "#")
		if strings.HasPrefix(hash, "run") && strings.Contains(hash, ".") {
			p.send(app.LinkFound{Packed: hash})
		}
	}
	found()
	js.Global().Call("addEventListener", "hashchange", js.FuncOf(func(js.Value, []js.Value) any {
		found()
		return nil
	}))
}

// doLinks does what the model asks about links.
func (p *page) doLinks(effect app.Effect) {
	switch e := effect.(type) {
	case app.PackLink:
		p.withFile("link.js", func(link js.Value) js.Value { return link.Call("pack", e.Text) }, func(v js.Value, err string) {
			location := js.Global().Get("location")
			address := location.Get("origin").String() + location.Get("pathname").String() + "#" + app.LinkPrefix
			if err == "" {
				address += v.String()
			}
			p.send(app.LinkMade{Token: e.Token, URL: address, Err: err})
		})
	case app.ReadLink:
		location, history := js.Global().Get("location"), js.Global().Get("history")
		history.Call("replaceState", js.Null(), "", location.Get("pathname").String()+location.Get("search").String())
		if e.Packed == "" {
			return
		}
		letters := strings.TrimPrefix(e.Packed, app.LinkPrefix)
		p.withFile("link.js", func(link js.Value) js.Value { return link.Call("unpack", letters, linkLetters, linkBytes) }, func(v js.Value, err string) {
			if err != "" {
				p.send(app.LinkRead{Err: err})
				return
			}
			p.send(app.LinkRead{Text: v.String()})
		})
	case app.Copy:
		p.copy(e.Text)
	}
}

// withFile loads a file that no first visit needs, calls what it offers, and
// hands on what the promise brings, or why it failed.
func (p *page) withFile(name string, call func(js.Value) js.Value, done func(v js.Value, err string)) {
	failed := func(err js.Value) { done(js.Undefined(), reasonText(err)) }
	settle(p.boot.Call("later", name), func(file js.Value) {
		defer func() {
			switch why := recover().(type) {
			case nil:
			case js.Error:
				// Its stack goes to the console; what is shown is what it says.
				js.Global().Get("console").Call("error", why.Value)
				failed(why.Value)
			default:
				panic(why)
			}
		}()
		settle(call(file), func(v js.Value) { done(v, "") }, failed)
	}, failed)
}

func reasonText(err js.Value) string {
	if err.Type() == js.TypeObject && err.Get("message").Type() == js.TypeString {
		return err.Get("message").String()
	}
	return js.Global().Call("String", err).String()
}

// copy puts a text into the clipboard where the browser lets it.
func (p *page) copy(text string) {
	clipboard := js.Global().Get("navigator").Get("clipboard")
	if !clipboard.Truthy() {
		p.element("share-link", func(v js.Value) { v.Call("select") })
		return
	}
	settle(clipboard.Call("writeText", text), func(js.Value) { p.send(app.Copied{}) }, func(js.Value) {
		p.element("share-link", func(v js.Value) { v.Call("select") })
	})
}
