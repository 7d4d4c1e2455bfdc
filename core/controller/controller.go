package controller

import (
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// Spec is what one says of a controller when building it. Models
// builder.ControllerManagedBy(mgr).For(...).Owns(...).Watches(...).
type Spec struct {
	Name string
	// For is what is reconciled: its own events give its own key.
	For Watch
	// Owns are kinds whose objects wake their controller owner.
	Owns []Watch
	// Watches are kinds whose objects are mapped to keys; each needs a Map.
	Watches []Watch
	// Predicates apply to the events of every source, before its own ones.
	// Models WithEventFilter.
	Predicates []Predicate
	// MaxConcurrentReconciles is how many keys may be worked on at once; 0
	// stands for 1. One key is never worked on twice at once.
	MaxConcurrentReconciles int
	// Queue are the rate limits.
	Queue workqueue.Options
}

// source is a Watch with its place in the Spec.
type source struct {
	Watch
	role role
}

func (s Spec) sources() []source {
	out := []source{{s.For, forRole}}
	for _, w := range s.Owns {
		out = append(out, source{w, ownsRole})
	}
	for _, w := range s.Watches {
		out = append(out, source{w, mappedRole})
	}
	return out
}

// Resources returns the resources that the controller needs informers of, each
// once, in the order of the Spec.
func (s Spec) Resources() []object.GVR {
	var out []object.GVR
	for _, src := range s.sources() {
		if gvr := src.GVR(); !slices.Contains(out, gvr) {
			out = append(out, gvr)
		}
	}
	return out
}

// Controller is a Spec and its queue. It is not safe for concurrent use.
type Controller struct {
	spec    Spec
	sources []source
	queue   *workqueue.Queue
}

// New returns a controller with an empty queue, as a process has it that just
// started.
func New(spec Spec) *Controller {
	return &Controller{spec: spec, sources: spec.sources(), queue: workqueue.New(spec.Queue)}
}

// Clone returns an independent copy, in constant time.
func (c *Controller) Clone() *Controller {
	d := *c
	d.queue = c.queue.Clone()
	return &d
}

// Spec returns what the controller was made of.
func (c *Controller) Spec() Spec { return c.spec }

// Queue returns the queue, to look at and to promote what is due.
func (c *Controller) Queue() *workqueue.Queue { return c.queue }

// LowPriority is that of keys for which nothing has changed: of the objects of
// the first list, and of updates that keep the resourceVersion. It counts in a
// queue with priorities alone. Models handler.WithLowPriorityWhenUnchanged.
const LowPriority = -100

func priority(n informer.Notification) int {
	if n.InitialList || n.Type == informer.Sync {
		return LowPriority
	}
	return 0
}

// Handled is what one source made of one notification.
type Handled struct {
	// Source is "for", "owns" or "watches".
	Source string
	// FilteredBy names the predicate that kept the event back; then there are
	// no keys.
	FilteredBy string
	// Keys are those that were added to the queue; none where an object has no
	// owner of the right kind, say.
	Keys []object.Key
}

// Handle takes a notification of an informer of gvr through the predicates and
// handlers of each source that watches it, and adds the keys to the queue. event
// is the number of the event in which this happens.
func (c *Controller) Handle(now time.Time, event int, gvr object.GVR, n informer.Notification, caches Caches) []Handled {
	var out []Handled
	for _, s := range c.sources {
		if s.GVR() != gvr {
			continue
		}
		h := Handled{Source: string(s.role), FilteredBy: passes(c.spec.Predicates, n)}
		if h.FilteredBy == "" {
			h.FilteredBy = passes(s.Predicates, n)
		}
		if h.FilteredBy == "" {
			h.Keys = s.keys(c.spec.For.Kind, n, caches)
		}
		for _, key := range h.Keys {
			opts := workqueue.AddOpts{Priority: priority(n)}
			c.queue.AddWithOpts(now, key, opts, workqueue.Why{Event: event, Text: n.String()})
		}
		out = append(out, h)
	}
	return out
}

// Ready returns the keys that a free worker could take now, in the order of the
// queue; none where all workers are busy.
func (c *Controller) Ready() []workqueue.Item { return c.ReadyHead(c.queue.Len()) }

// ReadyHead returns the first n of Ready, at the cost of those alone.
func (c *Controller) ReadyHead(n int) []workqueue.Item {
	if c.queue.Busy() >= max(1, c.spec.MaxConcurrentReconciles) {
		return nil
	}
	return c.queue.ReadyHead(n)
}

// SetWorkers sets how many keys are worked on at a time from now on.
func (c *Controller) SetWorkers(n int) { c.spec.MaxConcurrentReconciles = n }

// Take gives a ready key to a worker, and reports false where it is not ready
// or no worker is free. The caller owes Finish.
func (c *Controller) Take(key object.Key) (workqueue.Item, bool) {
	if c.queue.Busy() >= max(1, c.spec.MaxConcurrentReconciles) {
		return workqueue.Item{}, false
	}
	return c.queue.GetKey(key)
}
