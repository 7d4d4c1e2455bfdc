package reconcile

import (
	"context"
	"errors"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Request says which object to reconcile, by name alone: not what happened to
// it, nor whether it still exists. Namespace is empty for a cluster-scoped one.
type Request = object.Key

// Result says when to be called again. The zero value says: when something
// that is watched changes.
type Result struct {
	// RequeueAfter asks to be called again after this time, if it is positive,
	// and clears the key's failures. It is a Go duration: 1 is a nanosecond.
	RequeueAfter time.Duration
	// Requeue asks to be called again with the key's backoff.
	//
	// Deprecated: return an error or set RequeueAfter, as upstream says.
	Requeue bool
	// Priority is that of the key when it comes back, after an error too; nil
	// keeps the one that it had. It counts in a queue with priorities alone.
	Priority *int
	// Reason says why, in one word, for the report: "DependencyNotFound".
	Reason string
}

// IsZero reports whether the result asks for nothing.
func (r Result) IsZero() bool { return r == Result{} }

// Repeatable is a Reconciler whose passes make the same calls and decide the same
// whenever they have the same key and memory and get the same answers, but for what
// they ask of the Wire's clock and seed.
type Repeatable interface {
	Reconciler
	// Twin returns what else a pass goes by, and of the memory that it begins with:
	// two passes with equal ones are alike. It can be the key of a map.
	Twin(memory any) any
}

// Reconciler brings one object closer to what is desired.
type Reconciler interface {
	// Reconcile makes one pass. It must be idempotent: over an unchanged world
	// that is as desired it writes nothing.
	//
	// A non-nil error means that the Result is ignored and the key is tried
	// again with its backoff; unless it is a TerminalError, which is not tried
	// again until something changes. A panic counts as an error. With a nil
	// error the key's failures are cleared, and Result says what is next.
	//
	// ctx carries the Wire; it is cancelled when the process dies.
	Reconcile(ctx context.Context, req Request) (Result, error)
}

// Func is a function that is a Reconciler.
type Func func(context.Context, Request) (Result, error)

// Reconcile calls f.
func (f Func) Reconcile(ctx context.Context, req Request) (Result, error) { return f(ctx, req) }

// TerminalError wraps an error that trying again cannot cure: the key is
// dropped until something that is watched changes. Its failures are kept.
func TerminalError(wrapped error) error { return &terminalError{wrapped} }

// IsTerminal reports whether a TerminalError is in err's chain.
func IsTerminal(err error) bool {
	var t *terminalError
	return errors.As(err, &t)
}

type terminalError struct{ err error }

func (e *terminalError) Unwrap() error { return e.err }

func (e *terminalError) Error() string {
	if e.err == nil {
		return "nil terminal error"
	}
	return "terminal error: " + e.err.Error()
}

func (e *terminalError) Is(target error) bool {
	var t *terminalError
	return errors.As(target, &t)
}

// Undecided wraps an error of the Result itself: what a reconciler decided cannot
// be read, though its work is done.
func Undecided(wrapped error) error { return &undecided{wrapped} }

// IsUndecided reports whether an Undecided is in err's chain.
func IsUndecided(err error) bool {
	var u *undecided
	return errors.As(err, &u)
}

type undecided struct{ err error }

func (e *undecided) Unwrap() error { return e.err }

func (e *undecided) Error() string { return e.err.Error() }
