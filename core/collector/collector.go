package collector

import (
	"slices"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// Change is one change of one object, as the store made it.
type Change struct {
	Type api.EventType
	GVR  object.GVR
	// Object is the object after the change; for Deleted as it was last.
	Object object.Object
}

// Work is the kind of an Item.
type Work string

// The kinds of work.
const (
	// Collect looks whether an object still has an owner, and deletes it or
	// takes the references to owners that are gone off it.
	Collect Work = "gc"
	// Foreground lets go of an owner whose dependents are gone.
	Foreground Work = "foreground"
	// Orphan takes the references to a dying owner off its dependents.
	Orphan Work = "orphan"
	// Namespace empties a namespace that is being deleted, then ends it.
	Namespace Work = "namespace"
	// CRD deletes the objects of a definition that is being deleted, then ends it.
	CRD Work = "crd"
)

// Item is one thing that the collector would do. It is comparable.
type Item struct {
	Work Work
	Ref  object.Ref
}

// String prints "gc ConfigMap/default/a", "gc foreground WebApp/default/a",
// "gc orphan WebApp/default/a", "namespace demo" or "crd webapps.lab.example.com".
func (i Item) String() string {
	switch i.Work {
	case Collect:
		return "gc " + i.Ref.String()
	case Foreground, Orphan:
		return "gc " + string(i.Work) + " " + i.Ref.String()
	}
	return string(i.Work) + " " + i.Ref.Name
}

// Collector is the state of the controllers: what they have seen and what they
// mean to look at.
type Collector struct {
	// nodes holds what is known of each uid; a node is replaced, never changed.
	nodes *tree.Map[*node]
	// dependents holds an edge for each reference to an owner.
	dependents *tree.Set
	// absent holds owners that are known not to exist.
	absent *tree.Set
	// kinds maps apiVersion and kind to the resource.
	kinds *tree.Map[kind]
	// stalled are tasks that failed for a reason that only a change can mend.
	stalled *tree.Map[task]
	// waiting are tasks of namespaces and definitions that wait for objects to
	// go, with the revision at which those were still there.
	waiting *tree.Map[wait]
	queue   *queue
}

// New returns a collector that has seen nothing.
func New() *Collector {
	c := &Collector{
		nodes: &tree.Map[*node]{}, dependents: &tree.Set{}, absent: &tree.Set{},
		kinds: &tree.Map[kind]{}, stalled: &tree.Map[task]{}, waiting: &tree.Map[wait]{}, queue: newQueue(),
	}
	for _, b := range builtin {
		c.learn(b.apiVersion, b.kindName, kind{object.GVR{Version: "v1", Resource: b.resource}, b.namespaced})
	}
	return c
}

// Clone returns an independent copy, at a cost that does not depend on how much
// was seen.
func (c *Collector) Clone() *Collector {
	return &Collector{
		nodes: c.nodes.Copy(), dependents: c.dependents.Copy(), absent: c.absent.Copy(), kinds: c.kinds.Copy(),
		stalled: c.stalled.Copy(), waiting: c.waiting.Copy(), queue: c.queue.clone(),
	}
}

// Observe takes note of a change. Its cost follows the owners and dependents
// of that object alone.
func (c *Collector) Observe(ch Change) {
	o := ch.Object
	if ch.Type != api.Deleted {
		c.learn(o.APIVersion(), o.Kind(), kind{ch.GVR, o.Namespace() != ""})
	}
	if ch.Type == api.Deleted {
		c.wake(o)
	}
	switch {
	case isEvent(ch.GVR):
		return
	case ch.GVR.Group == crdGVR.Group && ch.GVR.Resource == crdGVR.Resource:
		c.observeCRD(ch)
	}
	c.observeNode(ch)
	if ch.GVR.Group == "" && ch.GVR.Resource == "namespaces" {
		// The real one waits for five seconds, in which others come first.
		c.observeNamespace(ch)
	}
}

// isEvent: events are never collected, and so are no part of the graph.
func isEvent(r object.GVR) bool {
	return r.Resource == "events" && (r.Group == "" || r.Group == "events.k8s.io")
}

// wait is a task that is put off until an object goes after a revision.
type wait struct {
	task  task
	since int64
}

// putOff notes that a task waits: list is the answer that showed what is left.
func (c *Collector) putOff(t task, list *api.ObjectList) {
	since, _ := strconv.ParseInt(list.ResourceVersion, 10, 64)
	c.waiting.Set(t.key(), wait{t, since})
}

// wake queues what waited for the object to go.
func (c *Collector) wake(o object.Object) {
	revision, err := strconv.ParseInt(o.ResourceVersion(), 10, 64)
	for _, t := range []task{{Namespace, o.Namespace()}, {CRD, c.kindOf(o.APIVersion(), o.Kind()).gvr.GroupResource()}} {
		if w, ok := c.waiting.Get(t.key()); ok && (err != nil || revision > w.since) {
			c.waiting.Delete(t.key())
			c.queue.add(t)
		}
	}
}

// Pending lists what the collector would do, in its own order.
func (c *Collector) Pending() []Item { return c.PendingHead(c.Len()) }

// Len is at least how many items are pending.
func (c *Collector) Len() int { return c.queue.place.Len() }

// Deferred lists what waits for something to change before it is pending.
func (c *Collector) Deferred() []Item {
	var items []Item
	c.stalled.Scan(func(_ string, t task) bool {
		items = append(items, c.item(t))
		return true
	})
	c.waiting.Scan(func(_ string, w wait) bool {
		items = append(items, c.item(w.task))
		return true
	})
	return items
}

// PendingHead returns the first n of Pending, at the cost of those alone.
func (c *Collector) PendingHead(n int) []Item {
	if n <= 0 {
		return nil
	}
	var items []Item
	seen := map[Item]bool{}
	c.queue.each(func(t task) bool {
		if i := c.item(t); !seen[i] {
			seen[i] = true
			items = append(items, i)
		}
		return len(items) < n
	})
	return items
}

// Next returns the first of Pending.
func (c *Collector) Next() (Item, bool) {
	t, ok := c.queue.first(func(task) bool { return true })
	return c.item(t), ok
}

// item describes a task as what it is at present.
func (c *Collector) item(t task) Item {
	if t.work == Namespace || t.work == CRD {
		return Item{t.work, object.Ref{Name: t.id}}
	}
	n, ok := c.nodes.Get(t.id)
	if !ok {
		return Item{Work: t.work, Ref: object.Ref{Name: t.id}}
	}
	work := t.work
	if work == Collect && n.deletingDependents {
		work = Foreground
	}
	return Item{work, n.ref}
}

// Step does one item of Pending: one attempt, which may take several requests.
// It reports whether there was such an item. Requests that fail for a reason
// that may pass leave the item pending, behind the others.
func (c *Collector) Step(i Item, do api.Doer) bool {
	t, ok := c.queue.first(func(t task) bool { return c.item(t) == i })
	if !ok {
		return false
	}
	c.queue.remove(t)
	var err error
	switch t.work {
	case Orphan:
		err = c.attemptToOrphan(t.id, do)
	case Namespace:
		err = c.syncNamespace(t.id, do)
	case CRD:
		err = c.syncCRD(t.id, do)
	default:
		err = c.attemptToDelete(t.id, do)
	}
	switch {
	case err == nil:
	case mayPass(err):
		c.queue.add(t)
	default:
		c.stalled.Set(t.key(), t)
	}
	return true
}

// mayPass reports whether it makes sense to try again at once.
func mayPass(err error) bool {
	return slices.Contains([]string{api.ReasonConflict, api.ReasonServiceUnavailable, api.ReasonTimeout, api.ReasonInternalError}, api.ReasonForError(err))
}
