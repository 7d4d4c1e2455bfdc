//go:build js

package dom

import (
	"encoding/json"
	"syscall/js"
)

// drawPlots draws the plots into their element, with what draws them loaded when
// it is first used.
func (p *page) drawPlots(data json.RawMessage) {
	w := p.model.Words
	texts := func(list []string) []any {
		out := make([]any, len(list))
		for i, s := range list {
			out[i] = s
		}
		return out
	}
	p.withFile("plots.js", func(plots js.Value) js.Value {
		element := p.doc.Call("getElementById", "plots")
		if element.Truthy() {
			plots.Call("draw", element, js.Global().Get("JSON").Call("parse", string(data)), texts(w.PlotNames()), texts(w.PlotSeries()))
		}
		return js.Global().Get("Promise").Call("resolve")
	}, func(_ js.Value, err string) {
		if err != "" {
			js.Global().Get("console").Call("error", "the plots were not drawn: "+err)
		}
	})
}
