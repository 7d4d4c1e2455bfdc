package reconcile

import (
	"context"
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
)

// Wire is how a pass reaches the world. Every call parks the pass until the
// scheduler serves it; the answer may be a fault. Calls are made one at a time,
// on the goroutine that runs Reconcile.
type Wire interface {
	api.Doer
	// At says where in the reconciler the next calls stand, such as
	// "reconcile.sh:41".
	At(line string)
	// Log writes one line for people into the record of the pass.
	Log(line string)
	// Sleep lets virtual time pass; the pass is parked until then, other keys and
	// deliveries go on. Nothing happens where d is not positive.
	Sleep(d time.Duration)
	// Events returns the changes of a revision above after that a watch of req
	// selects, in order; none where there were none yet. It parks like a call.
	// The error is an *api.Status: of a watch that is refused, or of the ERROR
	// event that ends one (410).
	Events(req api.Request, after int64) ([]api.WatchEvent, error)
	// Memory returns what the passes of this process remembered, as it was when
	// this pass began; nil in a process that just started. It is immutable.
	Memory() any
	// Remember changes the process's memory when the pass ends: update is given
	// what is remembered then and returns what takes its place, without changing
	// what it was given. A pass that dies remembers nothing.
	Remember(update func(any) any)
	// Seed is for this pass's own generators; the same in the same run.
	Seed() uint64
}

// Attentive is a Wire that takes notice of which parts of the process's memory a
// pass goes by. A reconciler whose memory has a method Part(name string) string
// tells it of every part before it goes by it, unless the pass has made it itself:
// two processes whose memories differ in other parts alone go on alike.
type Attentive interface {
	Uses(part string)
}

// Interruptible is a Wire whose pass somebody may ask to end.
type Interruptible interface {
	// Await is Sleep for whoever waits for a change, without an end of its own.
	Await(d time.Duration)
	// Interrupted reports whether the pass is to end: its last sleep was cut short.
	// Then it makes no call any more.
	Interrupted() bool
}

type wireKey struct{}

// NewContext returns a context that carries the wire of a pass.
func NewContext(parent context.Context, w Wire) context.Context {
	return context.WithValue(parent, wireKey{}, w)
}

// WireFrom returns the wire of the pass that ctx belongs to. It panics where
// there is none: a reconciler runs in a pass and nowhere else.
func WireFrom(ctx context.Context) Wire {
	w, ok := ctx.Value(wireKey{}).(Wire)
	if !ok {
		panic("reconcile: the context belongs to no pass")
	}
	return w
}

// Now returns the virtual time.
func Now(ctx context.Context) time.Time { return WireFrom(ctx).Now() }

// Logf writes one line into the record of the pass.
func Logf(ctx context.Context, format string, args ...any) {
	WireFrom(ctx).Log(fmt.Sprintf(format, args...))
}
