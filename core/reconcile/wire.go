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
