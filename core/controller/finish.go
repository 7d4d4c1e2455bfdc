package controller

import (
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// DecisionKind says what becomes of a key at the end of a pass.
type DecisionKind string

// The decisions.
const (
	// None: nothing more to do until something changes.
	None DecisionKind = "none"
	// After: again after RequeueAfter.
	After DecisionKind = "after"
	// Backoff: again after the rate limits' delay.
	Backoff DecisionKind = "backoff"
	// Dropped: a terminal error; not again until something changes.
	Dropped DecisionKind = "dropped"
)

// Decision is what Finish did with a key.
type Decision struct {
	Kind DecisionKind
	// Delay is how long the key waits.
	Delay time.Duration
	// Reason is the error's text, or the Result's Reason.
	Reason string
	// Failures counts the key's rate-limited requeues since the last Forget.
	Failures int
	// Note warns of a Result that was ignored.
	Note string
}

// String prints the decision on one line: "after 30s: DependencyNotFound".
func (d Decision) String() string {
	s := string(d.Kind)
	if d.Delay > 0 {
		s += " " + d.Delay.String()
	}
	if d.Reason != "" {
		s += ": " + d.Reason
	}
	return s
}

// ignored is controller-runtime's warning, shortened by its link.
const ignored = "Reconciler returned both a result with either RequeueAfter or Requeue set and a non-nil error. " +
	"RequeueAfter and Requeue will always be ignored if the error is non-nil."

// Finish takes what the reconciler returned for a key and decides what becomes
// of it; then the worker is done with the key, which may make it ready at once.
// event is the number of the event in which this happens.
//
//	error            rate limited; the Result is ignored
//	terminal error   dropped; failures are kept
//	RequeueAfter     failures forgotten, added after that time
//	Requeue          rate limited
//	nothing          failures forgotten
//
// A key that comes back has the Result's Priority, else the one with which it
// was taken.
//
// Models Controller.reconcileHandler and processNextWorkItem.
func (c *Controller) Finish(now time.Time, event int, key object.Key, result reconcile.Result, err error) Decision {
	defer c.queue.Done(key)
	d := Decision{Kind: None, Reason: result.Reason}
	why := workqueue.Why{Event: event}
	opts := workqueue.AddOpts{Priority: c.queue.Priority(key)}
	if result.Priority != nil {
		opts.Priority = *result.Priority
	}
	switch {
	case err != nil:
		d.Reason = err.Error()
		if result.RequeueAfter > 0 || result.Requeue {
			d.Note = ignored
		}
		if reconcile.IsTerminal(err) {
			d.Kind = Dropped
			break
		}
		why.Text = "backoff after error: " + err.Error()
		opts.RateLimited = true
		d.Kind, d.Delay = Backoff, c.queue.AddWithOpts(now, key, opts, why)
	case result.RequeueAfter > 0:
		why.Text = fmt.Sprintf("requeueAfter %s", result.RequeueAfter)
		c.queue.Forget(key)
		opts.After = result.RequeueAfter
		d.Kind, d.Delay = After, c.queue.AddWithOpts(now, key, opts, why)
	case result.Requeue:
		why.Text = "requeue"
		opts.RateLimited = true
		d.Kind, d.Delay = Backoff, c.queue.AddWithOpts(now, key, opts, why)
	default:
		c.queue.Forget(key)
	}
	d.Failures = c.queue.NumRequeues(key)
	return d
}
