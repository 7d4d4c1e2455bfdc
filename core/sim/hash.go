package sim

import (
	"math"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Hash is Hasher.Hash with nothing kept from one call to the next.
func (w *World) Hash() (sum [16]byte, ok bool) { return new(Hasher).Hash(w) }

// Hasher tells worlds apart by what can matter for how they go on. It keeps the
// fingerprints of the objects that it has seen, so that of two worlds that share
// most of them the second costs little. The zero value is ready; it is not safe
// for concurrent use.
type Hasher struct {
	prints map[*object.Map]fingerprint
	sum    digest
	// names numbers uids, resourceVersions and the like in the order in which
	// they appear.
	names map[token]uint64
	now   time.Time
	// ages: a program has read the clock.
	ages bool
	ok   bool
}

// Hash returns the same sum for two worlds that go on alike when the same
// choices are made, and different ones for worlds that may not. ok is false
// where that cannot be said: a pass in hand has read the clock or its seed, a
// line of the terminal is under way, or a process remembers something that has
// no method Sum() (sum [16]byte, ok bool).
//
// It holds the cluster, the cloud, the caches, the wires, the queues with
// failures and the times until keys are due, the answers that passes in hand
// have got, what processes remember, what the collector has to do, what is held
// back and what is to be created again. Of uids, resourceVersions, and the ids
// and addresses of the cloud it counts which are the same, not what they are.
//
// Of times the same, unless a pass has ever read the clock: then how many whole
// seconds ago they were counts. A time until a key is due counts to the second
// where it is more than one. Not in it are what only the account of a run needs
// (numbers of steps and passes, causes), how long ago the user acted, and how
// much of the queue's rate over all keys is used up while less than half is. A
// program that goes by the time of day, by fractions of a second, or by whether
// the resourceVersion of one object is above that of another, can tell worlds
// apart that have the same sum.
//
// also are further trees to tell worlds apart by, in which the same names count.
func (h *Hasher) Hash(w *World, also ...*object.Map) (sum [16]byte, ok bool) {
	const most = 1 << 15
	if h.prints == nil || len(h.prints) > most {
		h.prints, h.names = map[*object.Map]fingerprint{}, map[token]uint64{}
	}
	clear(h.names)
	h.sum, h.now, h.ages, h.ok = newDigest(), w.now, w.clocked, w.terminal.run == nil
	h.flag(h.ages)
	for o := range w.server.All() {
		h.tree(o.Object.Root())
	}
	for _, i := range w.cloud.Items() {
		h.item(i)
	}
	h.list(len(w.reborn))
	for _, r := range w.reborn {
		h.text(r.Resource)
		h.tree(r.Object().Root())
	}
	pending := append(w.collector.Pending(), w.collector.Deferred()...)
	h.list(len(pending))
	for _, item := range pending {
		h.text(item.String())
	}
	h.memory(w.terminal.memory)
	for _, p := range w.procs {
		h.process(p)
	}
	for _, m := range also {
		h.tree(m)
	}
	return h.sum.bytes(), h.ok
}

func (h *Hasher) process(p *process) {
	h.flag(p.running)
	h.flag(p.revives)
	p.calm.Scan(func(key string, c calm) bool {
		h.text(key)
		h.sum.word(uint64(min(c.idle, 2)))
		return true
	})
	if !p.running {
		return
	}
	h.sum.word(uint64(max(1, p.config.Workers)))
	h.memory(p.memory)
	h.text(p.program.Name)
	h.text(p.program.Text)
	h.due(p.resyncAt)
	h.flag(p.stale.holding)
	h.sum.word(uint64(p.stale.left))
	for _, s := range p.sources {
		h.source(s)
	}
	h.queue(p)
	h.list(len(p.flights))
	for _, f := range p.flights {
		h.flag(f.rec.pass.ID > p.stale.after)
		h.flight(f)
	}
}

func (h *Hasher) source(s *source) {
	h.sum.word(uint64(s.informer.State()))
	h.flag(s.informer.HasSynced())
	h.due(s.retry)
	h.sum.word(uint64(s.informer.Backoff()))
	objects := s.informer.List("", nil)
	h.list(len(objects))
	for _, o := range objects {
		h.tree(o.Root())
	}
	h.list(len(s.wire))
	for _, e := range s.wire {
		h.flag(e.held)
		h.flag(e.end)
		h.text(string(e.event.Type))
		h.tree(e.event.Object.Root())
	}
}

// queue takes in the queue.
func (h *Hasher) queue(p *process) {
	q := p.ctrl.Queue()
	h.list(q.Len())
	for _, i := range q.Ready() {
		h.text(i.Key.String())
		h.sum.word(uint64(i.Priority))
	}
	h.list(q.WaitingLen())
	for _, i := range q.Waiting() {
		h.text(i.Key.String())
		h.sum.word(uint64(i.Priority))
		h.due(i.Due)
	}
	for _, key := range q.Processing() {
		h.text(key.String())
		h.sum.word(uint64(q.Priority(key)))
		_, dirty := q.Dirty(key)
		h.flag(dirty)
	}
	failing := q.Failing()
	h.list(len(failing))
	for _, i := range failing {
		h.text(i.Key.String())
		h.sum.word(uint64(i.Failures))
	}
	limits := q.Limits()
	if limits.Priority {
		entries := q.Added()
		h.list(len(entries))
		for _, i := range entries {
			h.text(i.Key.String())
			h.sum.word(uint64(i.Priority))
		}
	}
	full := time.Duration(limits.BucketBurst) * time.Second / time.Duration(limits.BucketQPS)
	if debt := q.Debt(h.now); debt > full/2 && !limits.NoBucket {
		h.sum.word(uint64(debt))
	}
}

// flight takes in a pass in hand: what it was given at its start, and the
// answers since. What it waits for follows from those.
func (h *Hasher) flight(f *flight) {
	h.ok = h.ok && !f.run.Clocked()
	h.text(f.key.String())
	h.flag(f.hit)
	h.memory(f.run.Memory())
	exchanges := f.run.Exchanges()
	for _, e := range exchanges {
		if !e.Free() {
			h.reply(e.Reply)
		}
	}
	h.list(len(exchanges))
	if at, sleeps := f.wakes(); sleeps {
		h.due(at)
	}
}

func (h *Hasher) reply(r controller.Reply) {
	h.sum.word(uint64(r.API.Code))
	h.tree(r.API.Object.Root())
	h.tree(r.API.Table.Root())
	h.text(string(r.API.Raw))
	if s := r.API.Status; s != nil {
		h.text(s.Reason)
		h.text(s.Message)
	}
	if l := r.API.List; l != nil {
		h.version(l.ResourceVersion)
		h.list(len(l.Items))
		for _, o := range l.Items {
			h.tree(o.Root())
		}
	}
	h.list(len(r.Events))
	for _, e := range r.Events {
		h.text(string(e.Type))
		h.tree(e.Object.Root())
	}
	h.list(len(r.Cloud.Items))
	for _, i := range r.Cloud.Items {
		h.item(i)
	}
	if r.Cloud.Err != nil {
		h.text(r.Cloud.Err.Error())
	}
}

func (h *Hasher) item(i api.CloudItem) {
	h.text(i.ID)
	h.text(i.Name)
	h.text(i.Address)
	h.tree(object.StringMap(i.Tags))
}

// memory takes in what a process remembers: nothing, or what can sum itself up.
func (h *Hasher) memory(m any) {
	switch m := m.(type) {
	case nil:
		h.flag(false)
	case interface{ Sum() ([16]byte, bool) }:
		sum, ok := m.Sum()
		h.ok = h.ok && ok
		h.sum.text(string(sum[:]))
	default:
		h.ok = false
	}
}

// due takes in a time to come: exactly where it is near.
func (h *Hasher) due(at time.Time) {
	d := at.Sub(h.now)
	switch {
	case at.IsZero() || d < 0:
		d = -1
	case d > time.Second:
		d = d.Round(time.Second)
	}
	h.sum.word(uint64(d))
}

func (h *Hasher) flag(b bool) {
	if b {
		h.sum.word(1)
		return
	}
	h.sum.word(0)
}

func (h *Hasher) list(n int) { h.sum.word(uint64(n)) }

// tree takes in a tree by its fingerprint, with names in the place of what it
// names.
func (h *Hasher) tree(m *object.Map) {
	p, ok := h.prints[m]
	if !ok {
		p = fingerprintOf(m)
		h.prints[m] = p
	}
	h.sum.word(p.sum.a)
	h.sum.word(p.sum.b)
	h.tokens(p.tokens)
}

// text takes in a string that may name things.
func (h *Hasher) text(s string) {
	p := printer{sum: newDigest()}
	p.text(s)
	h.sum.word(p.sum.a)
	h.sum.word(p.sum.b)
	h.tokens(p.tokens)
}

func (h *Hasher) version(rv string) { h.tokens([]token{{version, rv}}) }

func (h *Hasher) tokens(all []token) {
	for _, t := range all {
		if t.kind == moment && h.ages {
			if at, err := time.Parse(time.RFC3339, t.text); err == nil {
				h.sum.word(uint64(math.Floor(h.now.Sub(at).Seconds())))
				continue
			}
		}
		n, known := h.names[t]
		if !known {
			n = uint64(len(h.names))
			h.names[t] = n
		}
		h.sum.word(n)
	}
}

// Memories are what the processes remember, in their order; nil for nothing.
func (w *World) Memories() []any {
	var out []any
	for _, p := range w.procs {
		out = append(out, p.memory)
	}
	return out
}
