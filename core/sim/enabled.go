package sim

import (
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Enabled lists what can happen next without the user: first the action that
// Next takes, then the others that wait for nothing but a step, by kind: calls
// of passes in flight in the order in which those started, lists, deliveries,
// starts in the order of the queue, the collector's work. Then tick, where a
// timer is set; then crash or restart of each process.
func (w *World) Enabled() []Action {
	out, _ := w.EnabledHead(-1)
	return out
}

// EnabledHead is Enabled with at most limit starts of each process and limit
// items of the collector's (all of them where it is negative), at the cost of
// what it lists, and how many Enabled would have listed.
func (w *World) EnabledHead(limit int) (list []Action, total int) {
	out := w.natural(limit)
	if next, ok := w.Next(); ok {
		for i, a := range out {
			if a.Equal(next) {
				copy(out[1:i+1], out[:i])
				out[0] = next
				break
			}
		}
	}
	if _, ok := w.nextTimer(); ok {
		out = append(out, Act("tick"))
	}
	for _, p := range w.procs {
		if p.running {
			out = append(out, Act("crash", p.config.Name))
		} else if !p.revives {
			out = append(out, Act("restart", p.config.Name))
		}
	}
	total = len(out)
	for _, p := range w.procs {
		if limit >= 0 && p.running && p.free() {
			total += max(0, p.ctrl.Queue().Len()-limit)
		}
	}
	if limit >= 0 {
		total += max(0, w.collector.Len()-limit)
	}
	return out, total
}

// Next is the action that Step takes where nobody picks one, and whether there
// is one that waits for nothing but a step. A process that a fault killed starts
// again first, and a pass in hand goes on; then
// informers list, then the event that was longest on a wire is delivered, then
// a worker takes the first key of the queue, then the collector works.
func (w *World) Next() (Action, bool) {
	if at, sleeps := w.terminal.wakes(); sleeps && !at.After(w.now) {
		return Act("wake", "terminal"), true
	}
	for _, p := range w.procs {
		if p.revives {
			return Act("restart", p.config.Name), true
		}
		for _, f := range p.flights {
			if a, ok := p.next(f); ok {
				return a, true
			}
		}
	}
	for _, p := range w.procs {
		for _, s := range p.sources {
			if p.listable(s) {
				return Act("list", p.config.Name, s.gvr.GroupResource()), true
			}
		}
	}
	if a, ok := w.oldest(); ok {
		return a, true
	}
	for _, p := range w.procs {
		if p.running && p.free() {
			if key, ok := p.first(); ok {
				return Act("start", p.config.Name, key.String()), true
			}
		}
	}
	if item, ok := w.collector.Next(); ok {
		return collectAction(item.String()), true
	}
	return Action{}, false
}

// oldest delivers the event that has been on a wire for longest.
func (w *World) oldest() (Action, bool) {
	var out Action
	var first int64
	for _, p := range w.procs {
		for _, s := range p.sources {
			if s.deliverable() && (out.Verb == "" || s.wire[0].event.Revision < first) {
				out, first = Act("deliver", p.config.Name, s.gvr.GroupResource()), s.wire[0].event.Revision
			}
		}
	}
	return out, out.Verb != ""
}

// natural lists what waits for nothing but a step; at most limit of the starts
// of each process, all of them where limit is negative.
func (w *World) natural(limit int) []Action {
	var calls, lists, deliveries, starts, collects []Action
	if at, sleeps := w.terminal.wakes(); sleeps && !at.After(w.now) {
		calls = append(calls, Act("wake", "terminal"))
	}
	for _, p := range w.procs {
		if p.revives {
			calls = append(calls, Act("restart", p.config.Name))
		}
		if !p.running {
			continue
		}
		name := p.config.Name
		for _, f := range p.flights {
			if a, ok := p.next(f); ok {
				calls = append(calls, a)
			}
		}
		for _, s := range p.sources {
			if p.listable(s) {
				lists = append(lists, Act("list", name, s.gvr.GroupResource()))
			}
			if s.deliverable() {
				deliveries = append(deliveries, Act("deliver", name, s.gvr.GroupResource()))
			}
		}
		if p.free() {
			n := p.ctrl.Queue().Len()
			if limit >= 0 {
				n = min(n, limit)
			}
			for _, item := range p.ctrl.ReadyHead(n) {
				starts = append(starts, Act("start", name, item.Key.String()))
			}
		}
	}
	n := w.collector.Len()
	if limit >= 0 {
		n = min(n, limit)
	}
	for _, item := range w.collector.PendingHead(n) {
		collects = append(collects, collectAction(item.String()))
	}
	return append(append(append(append(calls, lists...), deliveries...), starts...), collects...)
}

func collectAction(line string) Action {
	a, err := ParseAction(line)
	if err != nil {
		panic("sim: the collector's item does not parse: " + err.Error())
	}
	return a
}

// first is the key that a free worker takes where nobody picks one.
func (p *process) first() (object.Key, bool) {
	ready := p.ctrl.ReadyHead(1)
	if len(ready) == 0 {
		return object.Key{}, false
	}
	return ready[0].Key, true
}

// Patience is how long after the user's last action a run waits, in virtual
// time, for the world to come to rest.
const Patience = 10 * time.Minute

// grace is how much longer what has begun by then may take: the passes of keys that
// were due at the last moment, and a key that tries again after an error.
const grace = time.Minute

// MaxPasses is how many passes of one key a run takes without the user acting
// or the key having to wait for at least Unhurried in between.
const MaxPasses = 1000

// Unhurried is how far apart the passes of one key are at least where they may
// go on for ever: a reconciler that asks again that seldom is no hot loop.
const Unhurried = time.Second

// Rest says how a run stands.
type Rest string

// The ways a run stands: it goes on, it has come to rest, or it will not: time
// is up, or a key is worked on over and over.
const (
	Going    Rest = "going"
	Quiet    Rest = "quiet"
	TimeUp   Rest = "time-up"
	Spinning Rest = "spinning"
)

// NextInRun is what a run to quiet does next. The world is quiet where nothing
// but timers is enabled, and every key that waits for one has made its last two
// passes without an effective write, or the last one where the next is only due
// when the time is up: who asks again every five minutes is seen to be idle once. A
// watch of the terminal that has no end of its own is no reason to go on.
func (w *World) NextInRun() (Action, Rest) {
	a, ok := w.Next()
	switch {
	case ok && a.Verb == "start" && w.spins(a):
		return Action{}, Spinning
	case ok && (a.Verb == "start" || a.Verb == "list" || a.Verb == "wake") && w.now.Sub(w.inputAt) > Patience+grace:
		return Action{}, TimeUp
	case ok:
		return a, Going
	}
	if w.resting(2) {
		return Action{}, Quiet
	}
	due, _ := w.nextTimer()
	switch {
	case due.Sub(w.inputAt) <= Patience:
	case w.resting(1):
		return Action{}, Quiet
	case due.Sub(w.inputAt) <= Patience+grace:
	default:
		return Action{}, TimeUp
	}
	return Act("tick"), Going
}

// Quiet reports whether the world has come to rest.
func (w *World) Quiet() bool {
	_, ok := w.Next()
	return !ok && w.resting(2)
}

// patientFailures is after how many errors in a row a key's backoff is more than
// a second: it waits for something to change, and not for its turn.
const patientFailures = 8

// resting reports whether every key that waits for a timer has made its last
// passes without an effective write, as many as idle says, and is not in the
// middle of trying again.
func (w *World) resting(idle int) bool {
	if w.terminal.run != nil && !w.watches() {
		return false
	}
	for _, p := range w.procs {
		if !p.running {
			continue
		}
		if len(p.flights) > 0 {
			return false // one that sleeps: its pass is not over
		}
		if p.holds() || slices.ContainsFunc(p.sources, (*source).soon) {
			return false
		}
		for _, item := range p.ctrl.Queue().Waiting() {
			if c, _ := p.calm.Get(item.Key.String()); c.idle < idle || item.Failures > 0 && item.Failures < patientFailures {
				return false
			}
		}
	}
	return true
}

// patientLists is the backoff of an informer from which on it waits for something
// to change.
const patientLists = 5 * time.Second

// soon reports whether an informer has no list and is about to ask again.
func (s *source) soon() bool {
	return s.informer.State() == informer.NeedsList && s.informer.Backoff() < patientLists
}

func (w *World) spins(start Action) bool { return w.InARow(start) >= MaxPasses }

// InARow counts the passes of the key that is about to start which followed each
// other in less than Unhurried, since the user acted.
func (w *World) InARow(start Action) int {
	p, err := w.process(start.Arg(0))
	if err != nil {
		return 0
	}
	c, _ := p.calm.Get(start.Arg(1))
	return c.busy
}

// resource finds what the server serves by group, version and plural.
func (w *World) resource(gvr object.GVR) (apiserver.Resource, bool) { return w.server.Resource(gvr) }

// name prints a ref: with its group where two groups share the kind.
func (w *World) name(ref object.Ref) string {
	if w.server.KindIsShared(ref.Group, ref.Kind) {
		return ref.Full()
	}
	return ref.String()
}

// Name prints a ref as the events of this world do: Kind/namespace/name, with
// the group before it where two groups share the kind.
func (w *World) Name(ref object.Ref) string { return w.name(ref) }

// stored is the object that a request is about, as it is in the store.
func (w *World) stored(req api.Request) object.Object {
	res, ok := w.resource(req.GVR)
	if !ok || req.Name == "" {
		return object.Object{}
	}
	o, _ := w.server.Find(object.Ref{Group: req.Group, Kind: res.Kind, Namespace: req.Namespace, Name: req.Name})
	return o
}

// Release frees what a world that is dropped in mid-pass holds: the coroutines
// of its reconcilers. The world can still be looked at, and cloned.
func (w *World) Release() {
	for _, p := range w.procs {
		p.release()
	}
	w.terminal.release()
}
