//go:build js && wasm

package main

import (
	"encoding/json"
	"errors"
	"runtime/debug"
	"strings"
	"syscall/js"
	"time"

	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/storage"
	"github.com/reconcile-playground/reconcile/web/text"
)

// A worker joins the engine to the messages of the page and to the storage. It is the engine's Port.
type worker struct {
	*provers
	engine *engine.Engine
	db     *storage.DB
	// waiting holds the commands that have come and are not yet served; arrived tells that there are some.
	waiting     []engine.Command
	arrived     chan struct{}
	interrupted bool
	// needsScripts: the command in hand was refused because this engine runs none; the refusal was not posted.
	needsScripts bool
	// opening holds errors back: what cannot be opened is opened in another way.
	opening bool
	// passed says why what is stored was not opened, nil where it was.
	passed *passed
	pause  pause
}

// runEngine serves the page's commands one after another, and does not return.
func runEngine() {
	w := &worker{provers: newProvers(), arrived: make(chan struct{}, 1), pause: newPause()}
	newCELRules(w.Post)
	w.engine = engine.New(w)
	global := js.Global()
	global.Set("reconcileReceive", js.FuncOf(func(_ js.Value, args []js.Value) any {
		w.receive(text.Of(args[0]))
		return nil
	}))
	if state := global.Get("reconcileHandover"); state.Type() == js.TypeString {
		w.takeHandover(text.Bytes(state))
		w.tell()
	}
	global.Call("reconcileListening")
	for range w.arrived {
		w.serve()
	}
}

// serve serves the commands that wait, and works between them while there is work.
func (w *worker) serve() {
	for len(w.waiting) > 0 || w.engine.Working() {
		if len(w.waiting) > 0 {
			command := w.waiting[0]
			w.waiting[0] = engine.Command{} // its text may be long
			w.waiting = w.waiting[1:]
			w.handle(command)
			engine.GiveRoom()
			continue
		}
		w.engine.Work(time.Now)
		w.pause.now()
	}
}

// receive takes one message. It is called by the browser, so it only notes it.
func (w *worker) receive(message string) {
	command, err := engine.ParseCommand(message)
	if err != nil {
		w.refuse(0, &engine.Error{Message: err.Error(), Reason: "BadInput"})
		return
	}
	w.interrupted = w.interrupted || command.Method == "interrupt"
	w.waiting = append(w.waiting, command)
	w.tell()
}

// tell wakes whoever serves; it may have been told already.
func (w *worker) tell() {
	select {
	case w.arrived <- struct{}{}:
	default:
	}
}

func (w *worker) handle(command engine.Command) {
	switch command.Method {
	case "open":
		if w.db == nil {
			w.db = storage.Open(w.tellState)
		}
		w.open(command.ID)
	case "takeover":
		w.takeOver(command.ID)
	case "interrupt":
		// What it was meant for has stopped by now.
		w.interrupted = false
		w.engine.Handle(command)
	default:
		if err := orLost(func() { w.engine.Handle(command) }); err != nil {
			w.goBack()
			w.refuse(command.ID, err)
			return
		}
	}
	if w.needsScripts {
		// Until then nothing is held back: this refusal is the answer.
		w.refuse(command.ID, w.handOver(command))
		w.needsScripts = false
	}
}

// goBack puts the engine where it stood before a command that was given up in the middle.
func (w *worker) goBack() {
	state := w.engine.HandOver()
	w.renew()
	if state == nil {
		return
	}
	records, err := w.load()
	if err == nil {
		err = w.engine.TakeOver(state, records, w.state())
	}
	if err != nil {
		w.open(0)
	}
}

// renew has an empty engine take the place of the one there is, whose work between the commands ends.
func (w *worker) renew() {
	w.engine.Leave()
	w.engine = engine.New(w)
}

// refuse answers a command that the engine never saw.
func (w *worker) refuse(id int64, err error) {
	var e *engine.Error
	if !errors.As(err, &e) {
		e = &engine.Error{Message: err.Error(), Reason: "Internal"}
	}
	w.Post(engine.Reply{ID: id, Done: true, Error: e})
}

// open opens the engine on what is stored. Where that cannot be read, it stays as it is, and the engine
// starts anew in memory.
func (w *worker) open(id int64) {
	// A long run is played again: its garbage is young, and collecting it often takes longer than playing.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	reason := storage.ReasonCorrupted
	records, err := w.load()
	if err == nil {
		w.renew()
		w.opening = true
		if orLost(func() { err = w.engine.Open(id, records, w.state()) }) != nil {
			reason, err = storage.ReasonRules, errRulesNotLoaded
		}
		w.opening = false
	}
	if !runsScripts && engine.ReasonOf(err) == engine.ReasonScripts {
		reason, err = storage.ReasonScripts, w.handOver(engine.Command{ID: id, Method: "open"})
	}
	if err != nil {
		w.passOver(passed{reason, err.Error()})
		w.renew()
		// An error here has been posted as the answer.
		_ = w.engine.Open(id, nil, w.state())
	}
}

// passed is why what is stored was not opened. It stays as it is as long as that holds, whichever engine runs.
type passed struct {
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

func (w *worker) passOver(why passed) {
	w.passed = &why
	w.db.Refuse(why.Reason, why.Detail)
}

func (w *worker) takeOver(id int64) {
	if w.db == nil {
		w.refuse(id, &engine.Error{Message: "nothing is open yet", Reason: "NotEnabled"})
		return
	}
	if err := w.db.TakeOver(); err != nil {
		w.refuse(id, &engine.Error{Message: err.Error(), Reason: "Storage"})
		return
	}
	w.passed = nil
	w.open(id)
}

// load reads what the engine wants to know; nothing where the storage is not fit to be read.
func (w *worker) load() ([]engine.Record, error) {
	state := w.db.State()
	if state.Name == storage.Memory {
		return nil, nil
	}
	var records []engine.Record
	for _, store := range []string{storage.Meta, storage.Objects, storage.Cloud, storage.Files, storage.Choices, storage.Archive} {
		stored, err := w.db.Load(store)
		if err != nil {
			return nil, err
		}
		for _, r := range stored {
			records = append(records, engine.Record{Store: r.Store, Key: r.Key, Value: r.Value, Delete: r.Delete})
		}
	}
	return records, nil
}

func (w *worker) state() *engine.StorageState {
	s := w.db.State()
	used, quota := storage.Estimate()
	return &engine.StorageState{State: s.Name, Reason: s.Reason, Detail: s.Detail, Bytes: used, Quota: quota}
}

// tellState tells the page of a change of the storage's state.
func (w *worker) tellState(storage.State) {
	w.Post(engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Storage: w.state()}})
}

// Commit implements [engine.Port]. Where the storage does not store, the page has been told so and the
// engine goes on in memory: that is no error of the step.
func (w *worker) Commit(batch []engine.Record) error {
	records := make([]storage.Record, len(batch))
	for i, r := range batch {
		records[i] = storage.Record{Store: r.Store, Key: r.Key, Value: r.Value, Later: r.Later, Delete: r.Delete}
	}
	err := w.db.Commit(records)
	var refused *storage.NotStoredError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// Post implements [engine.Port].
func (w *worker) Post(reply engine.Reply) {
	if w.opening && reply.Error != nil {
		return
	}
	if !runsScripts && !w.needsScripts && reply.Done && reply.Error != nil && reply.Error.Reason == engine.ReasonScripts {
		w.needsScripts = true
		return
	}
	// A reply may be megabytes long: so its text is there once.
	var message strings.Builder
	if err := json.NewEncoder(&message).Encode(reply); err != nil {
		_ = json.NewEncoder(&message).Encode(engine.Reply{ID: reply.ID, Done: true, Error: &engine.Error{Message: err.Error(), Reason: "Internal"}})
	}
	js.Global().Call("postMessage", message.String())
}

// Interrupted implements [engine.Port]. It lets the browser deliver messages every few milliseconds: a run
// that stores nothing would never let one in.
func (w *worker) Interrupted() bool {
	w.pause.now()
	return w.interrupted
}

// A pause gives way to the browser's other events, through a message channel: a timer costs 4 ms.
type pause struct {
	channel js.Value
	passed  chan struct{}
	last    time.Time
}

const pauseEvery = 8 * time.Millisecond

func newPause() pause {
	p := pause{channel: js.Global().Get("MessageChannel").New(), passed: make(chan struct{}, 1), last: time.Now()}
	p.channel.Get("port1").Set("onmessage", js.FuncOf(func(js.Value, []js.Value) any {
		p.passed <- struct{}{}
		return nil
	}))
	return p
}

func (p *pause) now() {
	if time.Since(p.last) < pauseEvery {
		return
	}
	p.channel.Get("port2").Call("postMessage", js.Null())
	<-p.passed
	p.last = time.Now()
}
