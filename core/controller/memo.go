package controller

import (
	"maps"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

// Memo remembers what passes did after each answer, so that a pass which gets the
// answers that another one got goes on as that one did, without its reconciler being
// run. It serves reconcilers that are reconcile.Repeatable; many worlds may share
// one, one after another.
type Memo struct {
	begins map[begin]*after
	size   int
}

// maxMemo is how much a Memo remembers before it begins anew: some 50 MB, of which
// most is held by others too.
const maxMemo = 20_000

// NewMemo returns one that remembers nothing.
func NewMemo() *Memo { return &Memo{begins: map[begin]*after{}} }

// begin is what a pass begins with.
type begin struct {
	twin any
	key  reconcile.Request
}

// after is what passes did after an answer, up to their next call or their end.
type after struct {
	reply Reply
	// now is the time then, where the reconciler asked for it.
	now     time.Time
	clocked bool
	// inline are the calls that needed nobody else, call is the one after them.
	inline  []Exchange
	call    Call
	state   passState
	result  reconcile.Result
	err     error
	log     []string
	updates []func(any) any
	uses    []string
	next    []*after
}

// enter has a pass that begins remember, where it may.
func (m *Memo) enter(p *Pass) {
	r, ok := p.reconciler.(reconcile.Repeatable)
	if m == nil || !ok {
		return
	}
	if m.size >= maxMemo {
		m.begins, m.size = map[begin]*after{}, 0
	}
	b := begin{r.Twin(p.memory), p.key}
	if m.begins[b] == nil {
		m.begins[b] = &after{}
	}
	p.memo, p.at = m, m.begins[b]
}

// known finds what a pass did before that got the same answer at the same place; nil
// where none did.
func (p *Pass) known(env Env, reply Reply) *after {
	if p.at != nil {
		for _, a := range p.at.next {
			if a.fits(env, reply) {
				return a
			}
		}
	}
	return nil
}

// follow has a pass do what another one did.
func (p *Pass) follow(a *after, now time.Time) {
	p.at = a
	for _, e := range a.inline {
		e.At, e.Now = now, now
		p.record(e)
	}
	p.call, p.state, p.result, p.err = a.call, a.state, a.result, a.err
	p.call.At = now
	p.log, p.updates = append(p.log, a.log...), append(p.updates, a.updates...)
	for _, part := range a.uses {
		p.use(part)
	}
	p.clocked = p.clocked || a.clocked
}

// fits reports whether a pass that gets this answer goes on so.
func (a *after) fits(env Env, reply Reply) bool {
	if a.clocked && !a.now.Equal(env.Now) || !a.reply.equal(reply) {
		return false
	}
	for _, e := range a.inline {
		c := e.Call
		resp, ok := env.answer(&c)
		if !ok || c.FromCache != e.FromCache || !(Reply{API: resp}).equal(e.Reply) {
			return false
		}
	}
	return true
}

// learn runs the coroutine on after an answer and remembers what comes of it.
func (p *Pass) learn(now time.Time, reply Reply) {
	inline, log, updates, uses, clocked := len(p.exchanges), len(p.log), len(p.updates), len(p.uses), p.clocked
	p.clocked = false
	p.advance()
	a := &after{reply: reply, now: now, clocked: p.clocked, call: p.call, state: p.state, result: p.result, err: p.err}
	p.clocked = p.clocked || clocked
	if p.at == nil {
		return
	}
	if p.seeded {
		p.at = nil // no other pass has this seed
		return
	}
	a.inline, a.log = slices.Clone(p.exchanges[inline:]), slices.Clone(p.log[log:])
	a.updates, a.uses = slices.Clone(p.updates[updates:]), slices.Clone(p.uses[uses:])
	p.at.next, p.at = append(p.at.next, a), a
	p.memo.size++
}

// equal reports whether two answers are the same to a reconciler; it may say no of
// watches that are.
func (r Reply) equal(s Reply) bool {
	return r.Interrupted == s.Interrupted && r.Events == nil && s.Events == nil && equal(r.API, s.API) &&
		equalError(r.Cloud.Err, s.Cloud.Err) && slices.EqualFunc(r.Cloud.Items, s.Cloud.Items, func(a, b api.CloudItem) bool {
		return a.ID == b.ID && a.Type == b.Type && a.Name == b.Name && a.Address == b.Address && maps.Equal(a.Tags, b.Tags)
	})
}

func equalError(a, b error) bool {
	x, ok := a.(*api.CloudError)
	y, also := b.(*api.CloudError)
	return a == b || ok && also && *x == *y
}

func equal(r, s api.Response) bool {
	return r.Code == s.Code && same(r.Object, s.Object) && same(r.Table, s.Table) && r.RawType == s.RawType &&
		r.Watch == nil && s.Watch == nil && string(r.Raw) == string(s.Raw) && slices.Equal(r.Warnings, s.Warnings) &&
		equalStatus(r.Status, s.Status) && equalList(r.List, s.List)
}

// same compares objects, by what differs most first.
func same(a, b object.Object) bool {
	return a.Root() == b.Root() || a.ResourceVersion() == b.ResourceVersion() && object.Equal(a.Root(), b.Root())
}

func equalStatus(a, b *api.Status) bool {
	if a == nil || b == nil {
		return a == b
	}
	x, y := *a, *b
	x.Details, y.Details = nil, nil
	if x != y || a.Details == nil || b.Details == nil {
		return x == y && a.Details == b.Details
	}
	d, e := a.Details, b.Details
	return d.Name == e.Name && d.Group == e.Group && d.Kind == e.Kind && d.UID == e.UID &&
		d.RetryAfterSeconds == e.RetryAfterSeconds && slices.Equal(d.Causes, e.Causes)
}

func equalList(a, b *api.ObjectList) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.ResourceVersion == b.ResourceVersion && a.GVK == b.GVK && a.Continue == b.Continue &&
		(a.RemainingItemCount == b.RemainingItemCount || a.RemainingItemCount != nil && b.RemainingItemCount != nil && *a.RemainingItemCount == *b.RemainingItemCount) &&
		slices.EqualFunc(a.Items, b.Items, same)
}
