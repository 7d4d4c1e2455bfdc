//go:build js && wasm

package main

import (
	"encoding/json"
	"errors"
	"syscall/js"

	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/storage"
)

// The engine of the module that a first visit loads runs no scripts. When a command needs one, the page loads the
// larger module, and its engine takes this one's place with the same cluster, timeline and view.

// handover goes from the one engine to the other: State is what Engine.HandOver said, null where nothing was open;
// Commands are those that are still to be served.
type handover struct {
	State    json.RawMessage  `json:"state"`
	Commands []engine.Command `json:"commands"`
	// Passed is what the next one must not write over either.
	Passed *passed `json:"passed,omitempty"`
}

var errScriptsNotLoaded = errors.New("what runs scripts has not been loaded in this browser yet. Be online once and try again: it is loaded once and then kept")

// await waits for a promise and returns its rejection as an error.
func await(promise js.Value) error {
	done := make(chan error, 1)
	resolved := js.FuncOf(func(js.Value, []js.Value) any {
		done <- nil
		return nil
	})
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- errors.New(js.Global().Call("String", args[0]).String())
		return nil
	})
	defer resolved.Release()
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	return <-done
}

// handOver has the larger module loaded and ends this engine. It returns only where that failed: then nothing of
// the command may be done.
func (w *worker) handOver(command engine.Command) error {
	w.notify("scripts-loading", false)
	err := await(js.Global().Call("reconcileLoadScripts"))
	w.notify("scripts-loading", true)
	if err != nil {
		return &engine.Error{Message: errScriptsNotLoaded.Error() + ". (" + err.Error() + ") Nothing was changed.", Reason: engine.ReasonScripts}
	}
	h := handover{State: json.RawMessage("null"), Commands: append([]engine.Command{command}, w.waiting...), Passed: w.passed}
	if state := w.engine.HandOver(); state != nil {
		h.State = state
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	js.Global().Call("reconcileHandOver", string(text))
	select {}
}

// takeHandover goes on where the engine before this one stood. Where that does not succeed, what is stored is opened
// as after a reload.
func (w *worker) takeHandover(text []byte) {
	var h handover
	if err := json.Unmarshal(text, &h); err != nil {
		panic(err) // the same build wrote it
	}
	w.waiting = h.Commands
	if string(h.State) == "null" {
		return
	}
	w.db = storage.Open(w.tellState)
	if h.Passed != nil {
		w.passOver(*h.Passed)
	}
	records, err := w.load()
	if err == nil {
		lost := orLost(func() { err = w.engine.TakeOver(h.State, records, w.state()) })
		err = errors.Join(err, lost)
	}
	if err != nil {
		w.open(0)
	}
}

func (w *worker) notify(code string, over bool) {
	w.Post(engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Notice: &engine.Notice{Code: code, Over: over}}})
}
