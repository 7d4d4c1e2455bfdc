package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/informer"
)

// stale is how far a process's deliveries are held back.
type stale struct {
	// holding: some are. left is how many of those that come are held too.
	holding bool
	left    int
	// after is the last pass that had begun before.
	after int
}

// take reports whether an event that comes onto a wire is held.
func (s *stale) take() bool {
	if s.left == 0 {
		return false
	}
	s.left--
	return true
}

// until reports whether the end of a pass ends it.
func (s *stale) until(pass int) bool { return s.holding && pass > s.after }

// hold begins to hold deliveries back.
func (p *process) hold(count string) error {
	n, err := strconv.Atoi(count)
	if err != nil || n < 1 {
		return &InputError{Err: fmt.Errorf("fault stale takes a number of deliveries above zero, not %q", count)}
	}
	if !slices.ContainsFunc(p.sources, (*source).deliverable) {
		return fmt.Errorf("%w: nothing is on its way to %s", ErrNotEnabled, p.config.Name)
	}
	p.stale = stale{holding: true, left: n, after: p.world.passID}
	for p.stale.left > 0 {
		s, at := p.oldestFree()
		if s == nil {
			break
		}
		s.wire = slices.Clone(s.wire)
		s.wire[at].held = p.stale.take()
	}
	return nil
}

// oldestFree finds the oldest event on the process's wires that is not held.
func (p *process) oldestFree() (*source, int) {
	var found *source
	place := 0
	for _, s := range p.sources {
		i := slices.IndexFunc(s.wire, func(e wired) bool { return !e.held })
		if i >= 0 && (found == nil || s.wire[i].event.Revision < found.wire[place].event.Revision) {
			found, place = s, i
		}
	}
	return found, place
}

// thaw lets deliveries go on. Passes that saw what was held back do not say that
// their keys have come to rest.
func (p *process) thaw() {
	if p.stale.holding && !p.config.LiveReads {
		before := p.calm.Copy()
		before.Scan(func(key string, c calm) bool {
			c.idle = 0
			p.calm.Set(key, c)
			return true
		})
	}
	p.stale = stale{}
	for _, s := range p.sources {
		s.wire = slices.Clone(s.wire)
		for i := range s.wire {
			s.wire[i].held = false
		}
	}
}

// thawIdle lets deliveries go on where nothing else can happen soon.
func (w *World) thawIdle() {
	if !slices.ContainsFunc(w.procs, func(p *process) bool { return p.stale.holding }) {
		return
	}
	const soon = time.Minute
	_, next := w.Next()
	if due, timer := w.nextTimer(); next || timer && due.Sub(w.now) <= soon {
		return
	}
	for _, p := range w.procs {
		p.thaw()
	}
}

// holds reports whether an event waits on a wire that is held.
func (p *process) holds() bool {
	return slices.ContainsFunc(p.sources, func(s *source) bool { return len(s.wire) > 0 && s.wire[0].held })
}

func (s *source) watching() bool { return s.informer.State() == informer.Watching }

// repeatable reports whether the next event of a wire can be delivered twice.
func (s *source) repeatable() bool {
	return s.watching() && s.deliverable() && !s.wire[0].end && s.wire[0].event.Type != api.Error
}

// relist drops a watch: what was on its wire is lost, and the server no longer
// knows from where to go on, so that the informer lists again.
func (p *process) relist(resource string) error {
	s, err := p.source(resource)
	if err != nil {
		return err
	}
	if !s.watching() {
		return fmt.Errorf("%w: %s has no watch of %s", ErrNotEnabled, p.config.Name, resource)
	}
	s.wire = nil
	gone := api.Status{Status: api.Failure, Code: 410, Reason: api.ReasonExpired, Message: "too old resource version: " +
		s.informer.ResourceVersion() + " (" + strconv.FormatInt(p.world.server.Revision(), 10) + ")"}
	s.informer.Deliver(api.WatchEvent{Type: api.Error, Object: gone.Object()})
	p.world.fact(Fact{Kind: FactCached, Process: p.config.Name, Resource: resource, Verb: string(api.Error), Code: gone.Code, Text: gone.Message})
	return nil
}

// duplicate delivers the next event of a wire and leaves it there: it is
// delivered once more.
func (p *process) duplicate(resource string) error {
	s, err := p.source(resource)
	if err != nil {
		return err
	}
	if !s.repeatable() {
		return fmt.Errorf("%w: no event is on its way from %s", ErrNotEnabled, resource)
	}
	p.take(s, s.wire[0])
	return nil
}

// refuseList has the server refuse the list of an informer, which asks again
// later.
func (p *process) refuseList(resource string) error {
	s, err := p.source(resource)
	if err != nil {
		return err
	}
	if !p.listable(s) {
		return fmt.Errorf("%w: the informer of %s does not ask for its list", ErrNotEnabled, resource)
	}
	down := api.NewServiceUnavailable()
	p.world.pass(p.world.config.Latency)
	s.informer.ListRequest()
	if _, err := s.informer.Listed(api.Response{Code: down.Code, Status: down}); err == nil {
		return errors.New("sim: a refused list was taken for one")
	}
	s.wire, s.retry = nil, p.world.now.Add(s.informer.Backoff())
	p.world.fact(Fact{Kind: FactCall, Process: p.config.Name, Resource: resource, Verb: "list", Ref: s.kind, Code: down.Code, Outcome: Refused, Text: down.Message})
	return nil
}
