package sim

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
)

// flight is a pass that a worker has in hand.
type flight struct {
	key  object.Key
	run  *controller.Pass
	rec  *recorder
	seen int
}

// env is what a pass sees without asking the server.
func (p *process) env() controller.Env {
	e := controller.Env{Now: p.world.now}
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
	w.pass(w.config.Latency)
	var reply controller.Reply
	if c.Cloud != nil {
		before := w.cloud.Changes()
		reply.Cloud = w.cloud.Do(w.now, *c.Cloud)
		f.rec.servedCloud(*c.Cloud, reply.Cloud)
		for _, e := range w.cloud.Ledger(before) {
			w.fact(Fact{Kind: FactCloud, Verb: e.Verb, Ref: e.Item.Type + "/" + e.Item.ID, By: p.config.Name})
		}
	} else {
		req := *c.API
		if req.UserAgent == "" {
			req.UserAgent = p.agent()
		}
		before := w.stored(req)
		reply.API = w.server.Do(w.now, req)
		f.rec.served(req, reply.API, before, w.stored(req))
	}
	done, _ := f.rec.parked()
	w.fact(Fact{
		Kind: FactCall, Process: p.config.Name, Key: key.String(), Pass: f.rec.pass.ID, Verb: done.Verb, Ref: done.Ref,
		Resource: done.Subresource, Before: done.Before, After: done.After, Code: done.Code, Outcome: done.Outcome, Text: done.Message,
	})
	w.observe()
	f.run.Resume(p.env(), reply)
	f.seen++
	p.follow(f)
	return nil
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
	exchanges := f.run.Exchanges()
	for ; f.seen < len(exchanges); f.seen++ {
		e := exchanges[f.seen]
		f.rec.cached(*e.API, e.Reply.API, e.Line)
	}
	if c, ok := f.run.Parked(); ok {
		if c.Cloud != nil {
			f.rec.sentCloud(*c.Cloud, c.Line)
		} else {
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
		f.rec.pass.Error = err.Error()
	}
	p.count(f)
	p.close(f)
	w.fact(Fact{Kind: FactEnded, Process: p.config.Name, Key: f.key.String(), Pass: f.rec.pass.ID, Outcome: Outcome(d.Kind), Delay: d.Delay, Text: d.Reason})
}

// count notes whether the pass wrote anything, and when it ended.
func (p *process) count(f *flight) {
	c, _ := p.calm.Get(f.key.String())
	c.idle++
	c.busy++
	if f.rec.pass.Effective() {
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
func (w Write) Effective() bool {
	switch w.Outcome {
	case Created, Updated, Deleted, LostReply, LandedThenDied:
		return true
	}
	return false
}
