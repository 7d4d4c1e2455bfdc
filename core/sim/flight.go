package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// flight is a pass that a worker has in hand.
type flight struct {
	key  object.Key
	run  *controller.Pass
	rec  *recorder
	seen int
	// hit says that a fault hit one of its calls.
	hit bool
}

// env is what a pass sees without asking the server.
func (p *process) env() controller.Env {
	w := p.world
	e := controller.Env{Now: w.now, Memory: p.memory, Seed: seed(w.config.Seed, w.passID), Memo: w.memo}
	e.Discover = func(req api.Request) api.Response { return w.server.Do(w.now, req) }
	if !p.config.LiveReads {
		e.Read = func(req api.Request) (api.Response, bool) {
			if inf := p.caches(req.GVR); inf != nil {
				return inf.Answer(req)
			}
			return api.Response{}, false
		}
	}
	return e
}

// seed is that of one pass. Models splitmix64.
func seed(run uint64, pass int) uint64 {
	x := run + uint64(pass)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// start gives a ready key to a worker and runs the reconciler to its first
// call to the server, or to its end.
func (p *process) start(key object.Key) error {
	w := p.world
	if !p.free() {
		return fmt.Errorf("%w: no worker is free", ErrNotEnabled)
	}
	item, ok := p.ctrl.Take(key)
	if !ok {
		return fmt.Errorf("%w: %s is not ready in the queue", ErrNotEnabled, key)
	}
	w.passID++
	f := &flight{key: key, rec: &recorder{world: w, watched: p.watched, key: key}}
	f.rec.pass = Pass{ID: w.passID, Process: p.config.Name, Key: key.String(), Start: w.Since(), StartEvent: w.step + 1}
	for _, why := range item.Why {
		f.rec.pass.Why = append(f.rec.pass.Why, Why{why.Event, why.Text})
	}
	p.flights = append(p.flights, f)
	if c, ok := p.calm.Get(key.String()); ok && w.now.Sub(c.ended) >= Unhurried {
		c.busy = 0
		p.calm.Set(key.String(), c)
	}
	w.fact(Fact{Kind: FactStarted, Process: p.config.Name, Key: key.String(), Pass: w.passID})
	f.run = controller.Start(p.reconciler, key, p.env())
	p.follow(f)
	return nil
}

// call serves the call that a pass waits for.
func (p *process) call(key object.Key) error {
	w := p.world
	f := p.flight(key)
	if f == nil {
		return fmt.Errorf("%w: no pass of %s is waiting for a call", ErrNotEnabled, key)
	}
	c, _ := f.run.Parked()
	if c.Sleep > 0 {
		return fmt.Errorf("%w: the pass of %s sleeps", ErrNotEnabled, key)
	}
	w.pass(w.config.Latency)
	s := p.serve(c)
	f.rec.answered(s)
	p.called(f)
	w.observe()
	p.resume(f, s.reply)
	return nil
}

// served is a call that was carried out.
type served struct {
	controller.Call
	reply controller.Reply
	// before and after are the object in the store when the request arrived and
	// when it had been carried out, zero where there was none.
	before, after object.Object
}

// serve carries out a call of the process.
func (p *process) serve(c controller.Call) served {
	w := p.world
	s := served{Call: c}
	if c.Cloud != nil {
		before := w.cloud.Changes()
		s.reply.Cloud = w.cloud.Do(w.now, *c.Cloud)
		w.outside(before, p.config.Name)
		return s
	}
	req := *c.API
	if req.UserAgent == "" {
		req.UserAgent = p.agent()
	}
	s.API = &req
	if c.Events {
		s.reply = w.watched(req, c.After)
		return s
	}
	s.before = w.stored(req)
	s.reply.API = w.server.Do(w.now, req)
	s.after = w.stored(req)
	return s
}

// outside makes facts of what changed in the cloud after the first n changes.
func (w *World) outside(n int, by string) {
	for _, e := range w.cloud.Ledger(n) {
		w.fact(Fact{Kind: FactCloud, Verb: e.Verb, Ref: e.Item.Type + "/" + e.Item.ID, By: by})
	}
}

// watched answers Wire.Events: what a watch from a revision has to tell.
func (w *World) watched(req api.Request, after int64) controller.Reply {
	req.ResourceVersion = strconv.FormatInt(after, 10)
	resp := w.server.Do(w.now, req)
	if resp.Err() != nil {
		return controller.Reply{API: resp}
	}
	events := w.server.Watching(req, after)
	if len(events) == 1 && events[0].Type == api.Error {
		o := events[0].Object
		code, _ := o.Int("code")
		return controller.Reply{API: api.Response{Code: 200, Status: &api.Status{
			Status: api.Failure, Code: int(code), Reason: o.Str("reason"), Message: o.Str("message"),
		}}}
	}
	return controller.Reply{API: resp, Events: events}
}

// called tells what became of the call that a pass made last.
func (p *process) called(f *flight) {
	done, _ := f.rec.parked()
	p.world.fact(Fact{
		Kind: FactCall, Process: p.config.Name, Key: f.key.String(), Pass: f.rec.pass.ID, Verb: done.Verb, Ref: done.Ref,
		Resource: done.Subresource, Before: done.Before, After: done.After, Code: done.Code, Outcome: done.Outcome, Text: done.Message,
	})
}

// resume brings a pass the answer that it waits for, and runs it to its next
// call or to its end.
func (p *process) resume(f *flight, reply controller.Reply) {
	f.run.Resume(p.env(), reply)
	f.seen++
	p.follow(f)
}

// wake ends the sleep of a pass.
func (p *process) wake(key object.Key) error {
	f := p.flight(key)
	if f == nil || !f.due(p.world.now) {
		return fmt.Errorf("%w: no pass of %s has slept long enough", ErrNotEnabled, key)
	}
	f.rec.slept()
	p.resume(f, controller.Reply{})
	return nil
}

// wakes is when the sleep ends in which a pass is; false for one that waits for
// an answer.
func (f *flight) wakes() (time.Time, bool) {
	c, _ := f.run.Parked()
	return c.Wakes()
}

// due reports whether a sleeping pass has slept long enough.
func (f *flight) due(now time.Time) bool {
	at, sleeps := f.wakes()
	return sleeps && !at.After(now)
}

// next is the action that takes a pass on, and whether there is one now: not
// while it sleeps.
func (p *process) next(f *flight) (Action, bool) {
	at, sleeps := f.wakes()
	switch {
	case !sleeps:
		return Act("call", p.config.Name, f.key.String()), true
	case at.After(p.world.now):
		return Action{}, false
	}
	return Act("wake", p.config.Name, f.key.String()), true
}

func (p *process) flight(key object.Key) *flight {
	for _, f := range p.flights {
		if f.key == key {
			return f
		}
	}
	return nil
}

// follow records what the reconciler did since it was last looked at: reads
// that the cache answered, then the next call, or its end.
func (p *process) follow(f *flight) {
	p.world.clocked = p.world.clocked || f.run.Clocked()
	exchanges := f.run.Exchanges()
	for ; f.seen < len(exchanges); f.seen++ {
		e := exchanges[f.seen]
		if e.Free() {
			continue
		}
		f.rec.cached(*e.API, e.Reply.API, e.Line)
	}
	if c, ok := f.run.Parked(); ok {
		switch {
		case c.Sleep > 0:
			f.rec.sleeping(c)
		case c.Cloud != nil:
			f.rec.sentCloud(*c.Cloud, c.Line)
		default:
			f.rec.sent(*c.API, c.Line)
		}
		return
	}
	p.finish(f)
}

// finish takes the decision about the key and frees the worker.
func (p *process) finish(f *flight) {
	w := p.world
	result, err, _ := f.run.Ended()
	d := p.ctrl.Finish(w.now, w.step+1, f.key, result, err)
	p.flights = slices.DeleteFunc(slices.Clone(p.flights), func(g *flight) bool { return g == f })
	rq := &Requeue{Kind: string(d.Kind), Delay: d.Delay, Reason: d.Reason, Failures: d.Failures, Note: d.Note}
	if next, ok := p.ctrl.Queue().Next(w.now, f.key); ok {
		due := next.Sub(w.config.Start)
		rq.Due = &due
	}
	f.rec.pass.Requeue = rq
	if err != nil {
		f.rec.pass.Error, f.rec.pass.Undecided = err.Error(), reconcile.IsUndecided(err)
		var at interface{ Line() string }
		if errors.As(err, &at) {
			f.rec.pass.ErrorLine = at.Line()
		}
	}
	p.memory = f.run.Remembered(p.memory)
	if p.stale.until(f.rec.pass.ID) {
		p.thaw()
	}
	p.count(f)
	p.close(f)
	w.fact(Fact{Kind: FactEnded, Process: p.config.Name, Key: f.key.String(), Pass: f.rec.pass.ID, Outcome: Outcome(d.Kind), Delay: d.Delay, Text: d.Reason})
}

// count notes whether the pass wrote anything, and when it ended. One that a fault
// hit does not say that its key has come to rest: it saw what will not last.
func (p *process) count(f *flight) {
	c, _ := p.calm.Get(f.key.String())
	c.idle++
	c.busy++
	if f.hit || f.rec.pass.Effective() {
		c.idle = 0
	}
	c.ended = p.world.now
	p.calm.Set(f.key.String(), c)
}

// Effective reports whether a write of the pass changed the cluster or the
// cloud.
func (p *Pass) Effective() bool {
	return slices.ContainsFunc(p.Action, Write.Effective)
}

// Effective reports whether the write changed the cluster or the cloud.
func (w Write) Effective() bool { return effective(w.Outcome, w.Landed) }

// Effective reports whether the call changed the cluster or the cloud.
func (c Call) Effective() bool { return effective(c.Outcome, c.Landed) }

// effective reports whether an outcome is a change; landed is what the caller
// never heard. What was refused has changed nothing, whoever heard of it.
func effective(outcome, landed Outcome) bool {
	if outcome == LostReply || outcome == LandedThenDied {
		outcome = landed
	}
	return outcome == Created || outcome == Updated || outcome == Deleted
}
