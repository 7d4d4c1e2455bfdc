package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// process is one controller process: informers, a queue, workers. All of it is
// lost in a crash, but for config and calm.
type process struct {
	world   *World
	config  ControllerConfig
	spec    controller.Spec
	watched object.GVR

	running bool
	// program is the one that was deployed last; zero for the config's.
	program Program
	// memory is what the passes remembered: immutable, and gone after a crash.
	memory     any
	reconciler reconcile.Reconciler
	ctrl       *controller.Controller
	sources    []*source
	flights    []*flight
	// revives: the process died of a fault and starts again by itself.
	revives bool
	stale   stale
	// resyncAt is when the handlers hear of everything again; zero for never.
	resyncAt time.Time
	// calm counts, by key, what says whether it has come to rest. It is about
	// the world and not the process's memory, so it outlives a crash.
	calm tree.Map[calm]
}

// calm is what is known of the last passes of one key.
type calm struct {
	// idle counts the last passes in a row without an effective write.
	idle int
	// busy counts the passes in a row that began less than Unhurried after the
	// one before, since the user acted; ended is when the last one ended.
	busy  int
	ended time.Time
}

// source is one informer with its wire from the server.
type source struct {
	gvr      object.GVR
	kind     string
	informer *informer.Informer
	wire     []wired
	// after is the revision up to which events were put on the wire.
	after int64
	// retry is when the informer may ask again after a failure.
	retry time.Time
}

// wired is one event on the wire, and the step that put it there; or the end
// of the watch.
type wired struct {
	event api.WatchEvent
	cause int
	end   bool
	// held: it is not delivered for now, see stale.
	held bool
}

func newProcess(w *World, c ControllerConfig) (*process, error) {
	p := &process{world: w, config: c}
	if err := p.resolve(); err != nil {
		return p, err
	}
	p.restart()
	return p, nil
}

// clone returns a copy that belongs to w.
func (p *process) clone(w *World) *process {
	c := *p
	c.world = w
	c.calm = *p.calm.Copy()
	c.sources = make([]*source, len(p.sources))
	for i, s := range p.sources {
		cs := *s
		cs.informer = s.informer.Clone()
		cs.wire = slices.Clip(s.wire)
		c.sources[i] = &cs
	}
	if p.ctrl != nil {
		c.ctrl = p.ctrl.Clone()
	}
	c.flights = make([]*flight, len(p.flights))
	for i, f := range p.flights {
		c.flights[i] = &flight{key: f.key, run: f.run.Clone(p.reconciler), rec: f.rec.clone(w), seen: f.seen, hit: f.hit}
	}
	return &c
}

func (p *process) release() {
	for _, f := range p.flights {
		f.run.Release()
	}
}

// restart begins with nothing: empty caches, an empty queue, new memory.
func (p *process) restart() {
	p.running, p.revives, p.stale = true, false, stale{}
	if p.config.New != nil {
		p.reconciler = p.config.New()
	} else {
		p.reconciler = p.config.NewFor(p.spec.For.Kind)
	}
	p.ctrl = controller.New(p.spec)
	if p.config.Resync > 0 {
		p.resyncAt = p.world.now.Add(p.config.Resync)
	}
	p.sources, p.flights, p.memory = nil, nil, nil
	for _, gvr := range p.spec.Resources() {
		res, _ := p.world.resource(gvr)
		p.sources = append(p.sources, &source{
			gvr: gvr, kind: res.Kind,
			informer: informer.New(informer.Spec{GVR: gvr, UserAgent: p.agent()}),
		})
	}
}

// crash loses everything that the process held in memory. Calls that waited
// were not sent, unless they are recorded already.
func (p *process) crash() {
	for _, f := range p.flights {
		f.run.Kill()
		f.rec.died()
		p.close(f)
		end := Fact{Kind: FactEnded, Process: p.config.Name, Key: f.key.String(), Pass: f.rec.pass.ID, Outcome: NotSent, Text: "the process died"}
		if c, _ := f.rec.parked(); c.Outcome == LandedThenDied {
			end.Outcome = LandedThenDied
		}
		p.world.fact(end)
	}
	p.running, p.reconciler, p.ctrl, p.sources, p.flights, p.memory = false, nil, nil, nil, nil, nil
}

// close puts a pass's record with those that ended.
func (p *process) close(f *flight) {
	w := p.world
	f.rec.pass.End, f.rec.pass.EndEvent = w.Since(), w.step+1
	f.rec.pass.Log = strings.Join(f.run.Log(), "\n")
	f.rec.pass.Uses = f.run.Uses()
	w.passes = append(w.passes, f.rec.snapshot())
}

func (p *process) agent() string { return p.config.Name + "/v0.0.0" }

// settle puts what changed on the wires and makes ready what is due.
func (p *process) settle() {
	if !p.running {
		return
	}
	for _, s := range p.sources {
		p.pull(s)
	}
	if late := p.world.now.Sub(p.resyncAt); !p.resyncAt.IsZero() && late >= 0 {
		// One that comes late takes the place of all that were missed, as a ticker's does.
		p.resyncAt = p.resyncAt.Add((late/p.config.Resync + 1) * p.config.Resync)
		for _, s := range p.sources {
			p.handle(s, s.informer.Resync(), p.world.step+1)
		}
	}
	for _, key := range p.ctrl.Queue().Promote(p.world.now) {
		p.world.fact(Fact{Kind: FactDue, Process: p.config.Name, Key: key.String()})
	}
}

// pull puts the changes that a watch sends on its wire.
func (p *process) pull(s *source) {
	w := p.world
	if s.informer.State() != informer.Watching || s.after == w.server.Revision() {
		return
	}
	for _, ev := range w.server.Watching(s.informer.WatchRequest(), s.after) {
		p.send(s, ev, w.step)
	}
	s.after = w.server.Revision()
	if _, served := w.resource(s.gvr); !served && (len(s.wire) == 0 || !s.wire[len(s.wire)-1].end) {
		// The definition is gone: the server closes the watch behind its events.
		s.wire = append(s.wire, wired{event: api.WatchEvent{Revision: s.after}, cause: w.step, end: true})
	}
}

// send puts an event on a wire; cause is the step that made the change.
func (p *process) send(s *source, ev api.WatchEvent, cause int) {
	s.wire = append(s.wire, wired{event: ev, cause: cause, held: p.stale.take()})
	p.world.fact(Fact{
		Kind: FactSent, Process: p.config.Name, Resource: s.gvr.GroupResource(), Verb: string(ev.Type),
		Ref: p.world.name(ev.Object.Ref()), After: ev.Object.ResourceVersion(),
	})
}

func (w *World) process(name string) (*process, error) {
	for _, p := range w.procs {
		if p.config.Name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: there is no process %q", ErrNotEnabled, name)
}

func (w *World) processAct(a Action) error {
	p, err := w.process(a.Arg(0))
	if err != nil {
		return err
	}
	if a.Verb == "restart" {
		if p.running {
			return fmt.Errorf("%w: %s is running", ErrNotEnabled, a.Arg(0))
		}
		if p.spec.Name == "" {
			if err := p.resolve(); err != nil {
				return &InputError{Err: err}
			}
		}
		if !p.revives {
			w.input()
		}
		p.restart()
		w.fact(Fact{Kind: FactProcess, Process: p.config.Name, Verb: "started"})
		return nil
	}
	if !p.running {
		return fmt.Errorf("%w: %s has crashed", ErrNotEnabled, a.Arg(0))
	}
	switch a.Verb {
	case "crash":
		p.crash()
		w.input()
		w.fact(Fact{Kind: FactProcess, Process: p.config.Name, Verb: "crashed"})
		return nil
	case "resync":
		w.input()
		return p.resync()
	case "list":
		return p.list(a.Arg(1))
	case "deliver":
		return p.deliver(a.Arg(1))
	case "start":
		return p.start(object.ParseKey(a.Arg(1)))
	case "wake":
		return p.wake(object.ParseKey(a.Arg(1)))
	}
	return p.call(object.ParseKey(a.Arg(1)))
}

func (p *process) source(resource string) (*source, error) {
	for _, s := range p.sources {
		if s.gvr.GroupResource() == resource {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%w: %s does not watch %q", ErrNotEnabled, p.config.Name, resource)
}

// list serves an informer's LIST and opens its watch where the list ended.
func (p *process) list(resource string) error {
	w := p.world
	s, err := p.source(resource)
	if err != nil {
		return err
	}
	if !p.listable(s) {
		return fmt.Errorf("%w: the informer of %s has its list, or waits before it asks again", ErrNotEnabled, resource)
	}
	s.wire = nil
	w.pass(w.config.Latency)
	resp := p.ask(s.informer.ListRequest())
	notes, err := s.informer.Listed(resp)
	call := Fact{Kind: FactCall, Process: p.config.Name, Resource: resource, Verb: "list", Ref: s.kind, Code: resp.Code, Outcome: Found}
	if err != nil {
		call.Outcome, call.Text = Failed, err.Error()
		w.fact(call)
		s.retry = w.now.Add(s.informer.Backoff())
		return nil
	}
	w.fact(call)
	w.fact(Fact{Kind: FactCached, Process: p.config.Name, Resource: resource, Verb: "LIST", After: s.informer.ResourceVersion(), Text: strconv.Itoa(s.informer.Len()) + " objects"})
	p.handle(s, notes, w.step+1)
	p.watch(s)
	return nil
}

// listable reports whether an informer may ask for its list now.
func (p *process) listable(s *source) bool {
	return s.informer.State() == informer.NeedsList && !s.retry.After(p.world.now)
}

// watch opens the informer's watch where its cache ends.
func (p *process) watch(s *source) {
	resp := p.ask(s.informer.WatchRequest())
	if err := s.informer.Watched(resp); err != nil {
		s.retry = p.world.now.Add(s.informer.Backoff())
		return
	}
	s.after = resp.Watch.Revision
	for _, ev := range resp.Watch.Initial {
		p.send(s, ev, p.world.step+1)
	}
}

func (p *process) ask(req api.Request) api.Response { return p.world.server.Do(p.world.now, req) }

// deliver brings the next event of a wire to its cache, and from there to the
// queue.
func (p *process) deliver(resource string) error {
	s, err := p.source(resource)
	if err != nil {
		return err
	}
	if !s.deliverable() {
		return fmt.Errorf("%w: the wire of %s has nothing that is delivered now", ErrNotEnabled, resource)
	}
	next := s.wire[0]
	s.wire = s.wire[1:]
	p.take(s, next)
	return nil
}

// take brings one event to a cache.
func (p *process) take(s *source, next wired) {
	w, resource := p.world, s.gvr.GroupResource()
	if next.end {
		w.fact(Fact{Kind: FactCached, Process: p.config.Name, Resource: resource, Verb: "CLOSED"})
		s.informer.Closed()
		p.watch(s)
		return
	}
	notes := s.informer.Deliver(next.event)
	w.fact(Fact{
		Kind: FactCached, Process: p.config.Name, Resource: resource, Verb: string(next.event.Type),
		Ref: w.name(next.event.Object.Ref()), After: next.event.Object.ResourceVersion(),
	})
	p.handle(s, notes, next.cause)
}

// deliverable reports whether the next event of the wire may be delivered now.
func (s *source) deliverable() bool { return len(s.wire) > 0 && !s.wire[0].held }

// handle passes notifications through predicates and handlers into the queue.
func (p *process) handle(s *source, notes []informer.Notification, cause int) {
	w := p.world
	for _, n := range notes {
		for _, h := range p.ctrl.Handle(w.now, cause, s.gvr, n, p.caches) {
			if h.FilteredBy != "" {
				w.fact(Fact{Kind: FactFiltered, Process: p.config.Name, Ref: w.name(n.Object().Ref()), Text: h.FilteredBy})
			}
			for _, key := range h.Keys {
				w.fact(Fact{Kind: FactQueued, Process: p.config.Name, Key: key.String(), Text: n.String()})
			}
		}
	}
}

func (p *process) caches(gvr object.GVR) *informer.Informer {
	for _, s := range p.sources {
		if s.gvr == gvr {
			return s.informer
		}
	}
	return nil
}

// resync tells the handlers of every watched object again, as the periodic
// resync of an informer does.
func (p *process) resync() error {
	for _, s := range p.sources {
		if s.gvr == p.watched {
			p.handle(s, s.informer.Resync(), p.world.step+1)
		}
	}
	return nil
}

// synced reports whether all informers have their first list: workers start
// no earlier.
func (p *process) synced() bool {
	for _, s := range p.sources {
		if !s.informer.HasSynced() {
			return false
		}
	}
	return true
}

// free reports whether a worker has nothing in hand.
func (p *process) free() bool {
	return len(p.flights) < max(1, p.config.Workers) && p.synced()
}
