package controller

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// Pass is one run of a reconciler over one key. It runs as a coroutine: Start
// runs it to its first call, Resume from one call to the next, and in between it
// stands still. What it has done so far is its key and the answers it got;
// everything else can be had again from those, so a Pass can be cloned at any
// call.
//
// A pass that has not ended holds a coroutine: call Release or Kill before
// dropping it.
type Pass struct {
	key        reconcile.Request
	reconciler reconcile.Reconciler
	started    time.Time
	exchanges  []Exchange
	// call is the one that has no answer yet, of a pass parked or killed.
	call Call
	log  []string
	// memory and seed are what the process gave the pass; updates are what it
	// wants remembered. clocked: it asked for the time or the seed.
	memory          any
	seed            uint64
	updates         []func(any) any
	clocked, seeded bool
	// uses names the parts of memory that the pass went by.
	uses   []string
	state  passState
	result reconcile.Result
	err    error
	// run is nil where the coroutine has to be made again first.
	run *coroutine
	// at is how far the pass has come in memo; nil where it is not followed.
	memo *Memo
	at   *after
}

type passState int

const (
	parked passState = iota
	ended
	killed
)

// coroutine is a reconciler standing at a call.
type coroutine struct {
	wire   *wire
	next   func() (Call, bool)
	stop   func()
	cancel context.CancelFunc
}

// Start begins a pass and runs it to its first call that needs an answer from
// outside, or to its end.
func Start(r reconcile.Reconciler, key reconcile.Request, env Env) *Pass {
	p := &Pass{key: key, reconciler: r, started: env.Now, memory: env.Memory, seed: env.Seed}
	env.Memo.enter(p)
	if a := p.known(env, Reply{}); a != nil {
		p.follow(a, env.Now)
		return p
	}
	p.begin(env, nil)
	p.learn(env.Now, Reply{})
	return p
}

// Clone returns an independent copy of the pass. A copy that is resumed makes
// its coroutine first, by running r from the start against the answers recorded
// so far: r must be in the state in which the reconciler was at Start. A
// reconciler without state of its own is cloned into itself.
func (p *Pass) Clone(r reconcile.Reconciler) *Pass {
	c := *p
	c.reconciler, c.run = r, nil
	// Neither of the two may append into what they share.
	c.exchanges, c.log, c.updates, c.uses = slices.Clip(p.exchanges), slices.Clip(p.log), slices.Clip(p.updates), slices.Clip(p.uses)
	p.exchanges, p.log, p.updates, p.uses = c.exchanges, c.log, c.updates, c.uses
	return &c
}

// Key returns the key.
func (p *Pass) Key() reconcile.Request { return p.key }

// Started returns the virtual time of Start.
func (p *Pass) Started() time.Time { return p.started }

// Exchanges returns the calls that were answered, those answered by the cache
// included, in order. The slice must not be changed.
func (p *Pass) Exchanges() []Exchange { return p.exchanges }

// Clocked reports whether the pass asked for the time or for its seed: what it
// does may depend on them.
func (p *Pass) Clocked() bool { return p.clocked }

// Uses names the parts of what the process remembered that the pass went by, as
// its reconciler told: of the rest it did not depend.
func (p *Pass) Uses() []string { return p.uses }

// Memory returns what the process remembered when the pass began.
func (p *Pass) Memory() any { return p.memory }

// Remembered returns what is to be remembered of a pass that ended, given what
// is remembered so far.
func (p *Pass) Remembered(memory any) any {
	if p.state == ended {
		for _, update := range p.updates {
			memory = update(memory)
		}
	}
	return memory
}

// Log returns the lines that the reconciler wrote for people.
func (p *Pass) Log() []string { return p.log }

// Parked returns the call at which the pass stands, and whether it stands at
// one.
func (p *Pass) Parked() (Call, bool) {
	if p.state != parked {
		return Call{}, false
	}
	return p.call, true
}

// Unanswered returns the call that a pass is parked at, or was killed at.
func (p *Pass) Unanswered() (Call, bool) { return p.call, p.state != ended }

// Resume answers the call at which the pass is parked and runs it to its next
// one, or to its end. It panics where the pass is not parked.
func (p *Pass) Resume(env Env, reply Reply) {
	if p.state != parked {
		panic("controller: Resume of a pass that is not parked")
	}
	asked := Exchange{Call: p.call, Reply: reply, Now: env.Now}
	if a := p.known(env, reply); a != nil {
		p.Release()
		p.record(asked)
		p.follow(a, env.Now)
		return
	}
	if p.run == nil && !p.revive() {
		return
	}
	p.record(asked)
	w := p.run.wire
	w.env, w.now, w.reply = env, env.Now, reply
	p.learn(env.Now, reply)
}

// Ended returns what the reconciler returned, and whether it has. A panic is an
// error: "panic: ... [recovered]".
func (p *Pass) Ended() (reconcile.Result, error, bool) {
	return p.result, p.err, p.state == ended
}

// Kill ends the pass as a crash does: the call at which it is parked is never
// answered, what its deferred functions want is never sent, and it has no
// result.
func (p *Pass) Kill() {
	if p.state == parked {
		p.state = killed
	}
	p.Release()
}

// Killed reports whether the pass was killed before it ended.
func (p *Pass) Killed() bool { return p.state == killed }

// Release frees the coroutine of a pass that may never be resumed. The pass
// stays as it is: Resume makes the coroutine again.
func (p *Pass) Release() {
	if p.run == nil {
		return
	}
	r := p.run
	p.run = nil
	r.wire.dead = true
	r.cancel()
	r.stop()
}

// use notes a part of memory that the pass goes by.
func (p *Pass) use(part string) {
	if !slices.Contains(p.uses, part) {
		p.uses = append(p.uses, part)
	}
}

func (p *Pass) record(e Exchange) { p.exchanges = append(p.exchanges, e) }

// begin makes the coroutine; replay answers its first calls.
func (p *Pass) begin(env Env, replay []Exchange) {
	ctx, cancel := context.WithCancel(context.Background())
	w := &wire{pass: p, env: env, now: p.started, replay: replay}
	next, stop := iter.Pull(func(yield func(Call) bool) {
		w.yield = yield
		p.reconcile(reconcile.NewContext(ctx, w), w)
	})
	p.run = &coroutine{wire: w, next: next, stop: stop, cancel: cancel}
}

// reconcile is the body of the coroutine. Models Controller.Reconcile.
func (p *Pass) reconcile(ctx context.Context, w *wire) {
	defer func() {
		r := recover()
		if w.dead || r == nil {
			return
		}
		p.result, p.state = reconcile.Result{}, ended
		if d, ok := r.(divergence); ok {
			p.err = d
			return
		}
		p.err = fmt.Errorf("panic: %v [recovered]", r)
	}()
	w.running = true
	result, err := p.reconciler.Reconcile(ctx, p.key)
	if !w.dead {
		p.result, p.err, p.state = result, err, ended
	}
}

// advance runs the coroutine to its next call or to its end.
func (p *Pass) advance() {
	if call, ok := p.run.next(); ok {
		p.call = call
		return
	}
	p.call = Call{}
	p.run.cancel()
	p.run = nil
}

// revive makes the coroutine of a clone by going through the record up to the
// call at which it is parked. It reports false where the reconciler did
// something else, which ends the pass with an error.
func (p *Pass) revive() bool {
	p.log, p.updates = nil, nil
	p.begin(Env{}, p.exchanges)
	call, ok := p.run.next()
	if ok && call.same(p.call) {
		return true
	}
	d, is := p.err.(divergence)
	switch {
	case ok:
		d = divergence{len(p.exchanges) + 1, p.call, call.String()}
	case !is:
		d = divergence{len(p.exchanges) + 1, p.call, "nothing"}
	}
	p.Release()
	p.result, p.err, p.state = reconcile.Result{}, d, ended
	return false
}
