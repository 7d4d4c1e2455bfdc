//go:build js && wasm && scripts

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/reconcile-playground/reconcile/core/jq"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
	"github.com/reconcile-playground/reconcile/web/engine"
)

const runsScripts = true

func init() {
	// Exploring makes worlds and drops them: what is swept more seldom costs less, and what lives is small.
	debug.SetGCPercent(300)
	scenario.UseScripts(func(name, text string) (scenario.Script, error) {
		p, err := script.Compile(name, text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}, script.Shell)
	checks := new(jq.Checks)
	judge.UseExpressions(checks.Compile)
	judge.UseGuards(checks.Guards)
}

// runPage ends: the page is the other module's part.
func runPage() {
	fmt.Fprintln(os.Stderr, "this module is an engine")
	os.Exit(2)
}

// tellEvery is how often a prover says what it made.
const tellEvery = 100 * time.Millisecond

// runProver explores the shard that is its task, and waits for its end.
func runProver() {
	newCELRules(nil)
	p := engine.NewProver(js.Global().Get("reconcileTask").String())
	for more := true; more; {
		var said string
		said, more = p.Work(time.Now, tellEvery)
		js.Global().Call("postMessage", said)
	}
	select {}
}

// provers are the workers of an engine that explores. They are the engine's Workers.
type provers struct {
	said  []string
	heard js.Func
}

func newProvers() *provers {
	p := &provers{}
	p.heard = js.FuncOf(func(_ js.Value, args []js.Value) any {
		p.said = append(p.said, args[0].String())
		return nil
	})
	js.Global().Set("reconcileSaid", p.heard)
	return p
}

// StartWorkers implements [engine.Workers].
func (p *provers) StartWorkers(tasks []string) int {
	p.said = nil
	text, err := json.Marshal(tasks)
	if err != nil {
		panic(err) // they are strings
	}
	return js.Global().Call("reconcileStartWorkers", string(text)).Int()
}

// Said implements [engine.Workers].
func (p *provers) Said() []string {
	said := p.said
	p.said = nil
	return said
}

// StopWorkers implements [engine.Workers].
func (p *provers) StopWorkers() {
	js.Global().Call("reconcileStopWorkers")
	p.said = nil
}

// Cores implements [engine.Workers].
func (p *provers) Cores() int {
	n := js.Global().Get("navigator").Get("hardwareConcurrency")
	if n.Type() != js.TypeNumber {
		return 2
	}
	return n.Int()
}
