//go:build js && wasm

package storage

import (
	"syscall/js"
	"time"
)

const (
	lockName = "reconcile-cluster"
	// releasedIn is how long the lock of a worker that was just terminated may linger.
	releasedIn = time.Second
)

// A lock is a Web Lock that this worker holds until it lets go, dies, or is robbed.
type lock struct {
	resolve js.Value
}

func (l *lock) release() {
	l.resolve.Invoke()
}

// takeLock takes the cluster's lock. held is nil where the browser has no Web Locks; free is false only
// where another tab has the lock and keeps it.
func (db *DB) takeLock(steal bool) (held *lock, free bool) {
	navigator := js.Global().Get("navigator")
	if !navigator.Truthy() || !navigator.Get("locks").Truthy() {
		return nil, true
	}
	options := map[string]any{"steal": true}
	if !steal {
		// The wait also lets a worker of this very tab, terminated a moment ago, lose its lock.
		signal := js.Global().Get("AbortSignal").Call("timeout", releasedIn.Milliseconds())
		options = map[string]any{"signal": signal}
	}
	granted := make(chan *lock, 1)
	refused := make(chan struct{}, 1)
	var run, fail js.Func
	run = js.FuncOf(func(js.Value, []js.Value) any {
		var resolve js.Value
		executor := js.FuncOf(func(_ js.Value, args []js.Value) any {
			resolve = args[0]
			return nil
		})
		defer executor.Release()
		until := js.Global().Get("Promise").New(executor)
		granted <- &lock{resolve}
		return until
	})
	// The promise fails when the wait is over, and later when another tab steals the lock.
	fail = js.FuncOf(func(js.Value, []js.Value) any {
		select {
		case refused <- struct{}{}:
		default:
		}
		return nil
	})
	navigator.Get("locks").Call("request", lockName, options, run).Call("catch", fail)
	select {
	case held = <-granted:
	case <-refused:
		return nil, false
	}
	go func() {
		<-refused
		db.robbed(held)
	}()
	return held, true
}

// robbed notes that another tab has taken the lock.
func (db *DB) robbed(held *lock) {
	db.mu.Lock()
	current := db.lock == held
	db.mu.Unlock()
	if current {
		db.setState(State{Name: ForeignTab, Reason: ReasonOtherTab, Detail: "another tab has taken the cluster over"})
	}
}
