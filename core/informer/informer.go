package informer

import (
	"errors"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Spec says what an informer watches.
type Spec struct {
	object.GVR
	// Namespace is empty for all of them.
	Namespace     string
	LabelSelector string
	UserAgent     string
}

// State is where an informer stands.
type State int

// The states, in the order in which a healthy informer passes through them.
const (
	// NeedsList: the next thing it does is ListRequest.
	NeedsList State = iota
	// Listing: it waits for Listed.
	Listing
	// NeedsWatch: the next thing it does is WatchRequest.
	NeedsWatch
	// Watching: it takes events.
	Watching
)

// String names the state.
func (s State) String() string {
	return [...]string{"needs list", "listing", "needs watch", "watching"}[s]
}

// Type is what a handler is told.
type Type string

// The types of notifications. Sync is an update that changes nothing: handlers
// get it as OnUpdate with the same object, or the same resourceVersion, twice.
const (
	Add    Type = "add"
	Update Type = "update"
	Delete Type = "delete"
	Sync   Type = "sync"
)

// Notification is one call of a handler, made after the cache was updated.
type Notification struct {
	Type Type
	// Old is the object before: zero for Add; for Delete the last known state.
	Old object.Object
	// New is the object after: zero for Delete.
	New object.Object
	// InitialList says that an Add is part of the first list.
	InitialList bool
	// FinalStateUnknown says that a Delete was noticed by a list, so that Old
	// may be older than the object was when it went.
	FinalStateUnknown bool
	// From is what brought it: "watch ADDED", "watch MODIFIED",
	// "watch DELETED", "list", "relist" or "resync".
	From string
}

// Object returns New, or Old for a Delete.
func (n Notification) Object() object.Object {
	if n.Type == Delete {
		return n.Old
	}
	return n.New
}

// String prints the notification on one line:
// "watch MODIFIED WebApp/default/plain rv 1012".
func (n Notification) String() string {
	o := n.Object()
	s := n.From + " " + o.Ref().String()
	if n.Type == Delete && n.FinalStateUnknown {
		return s + " gone"
	}
	return s + " rv " + o.ResourceVersion()
}

// Informer is one list, one watch and the cache filled by them. It is not safe
// for concurrent use.
type Informer struct {
	spec  Spec
	state State
	cache cache
	// rv is the resourceVersion up to which the cache is complete.
	rv string
	// synced: a list has been taken in.
	synced bool
	// unavailable: the server refused to list at rv, so list at the newest;
	// atOnce: that list does not wait.
	unavailable, atOnce bool
	failures            int
}

// New returns an informer that needs its first list.
func New(spec Spec) *Informer { return &Informer{spec: spec, cache: newCache()} }

// Clone returns an independent copy, in constant time.
func (i *Informer) Clone() *Informer {
	c := *i
	c.cache = i.cache.clone()
	return &c
}

// Spec returns what is watched.
func (i *Informer) Spec() Spec { return i.spec }

// State returns where the informer stands.
func (i *Informer) State() State { return i.state }

// HasSynced reports whether the first list has been taken in: until then the
// cache says nothing, and controllers do not start their workers.
func (i *Informer) HasSynced() bool { return i.synced }

// ResourceVersion returns the point up to which the cache is complete, "" before
// the first list. Models LastSyncResourceVersion.
func (i *Informer) ResourceVersion() string { return i.rv }

// Backoff returns how long to wait before the next request, after the failures
// since the last success: 800 ms doubling to 30 s, 0 after none. A watch that
// ended with an error is a failure too.
func (i *Informer) Backoff() time.Duration {
	if i.failures == 0 || i.atOnce {
		return 0
	}
	const first, longest = 800 * time.Millisecond, 30 * time.Second
	return min(longest, first<<min(i.failures-1, 6))
}

// ListRequest begins a list: it returns the request to make. The first list
// takes any state the server has (resourceVersion 0), a later one a state that
// is not older than what was seen.
func (i *Informer) ListRequest() api.Request {
	i.state = Listing
	req := i.request(api.List)
	switch {
	case i.unavailable:
	case i.rv == "":
		req.ResourceVersion = "0"
	default:
		req.ResourceVersion = i.rv
	}
	return req
}

// Listed takes the answer to ListRequest: the cache becomes the list, and
// handlers hear what that changed, deletions first, each part in order of key.
// A failed list changes nothing but the state; its error is returned. Where the
// server does not have the version asked for, the newest is asked for at once.
func (i *Informer) Listed(resp api.Response) ([]Notification, error) {
	err := resp.Err()
	if err == nil && resp.List == nil {
		err = errors.New("the answer is no list")
	}
	if err != nil {
		i.state = NeedsList
		if i.atOnce = unavailable(resp) && !i.atOnce; i.atOnce {
			i.unavailable = true
		} else {
			i.failures++
		}
		return nil, err
	}
	from := "relist"
	if !i.synced {
		from = "list"
	}
	notes := i.replace(resp.List.Items, from)
	i.state, i.rv = NeedsWatch, resp.List.ResourceVersion
	i.synced, i.unavailable, i.atOnce, i.failures = true, false, false, 0
	return notes, nil
}

func (i *Informer) replace(items []object.Object, from string) []Notification {
	next := newCache()
	for _, o := range items {
		next.set(o)
	}
	var notes []Notification
	for old := range i.cache.all() {
		if _, still := next.get(old.Key()); !still {
			notes = append(notes, Notification{Type: Delete, Old: old, FinalStateUnknown: true, From: from})
		}
	}
	for o := range next.all() {
		notes = append(notes, i.changed(o, from))
	}
	i.cache = next
	return notes
}

// changed says what handlers hear of an object that is about to be stored.
func (i *Informer) changed(o object.Object, from string) Notification {
	old, known := i.cache.get(o.Key())
	n := Notification{Type: Update, Old: old, New: o, From: from}
	switch {
	case !known:
		n.Type, n.InitialList = Add, !i.synced
	case old.ResourceVersion() == o.ResourceVersion():
		n.Type = Sync
	}
	return n
}

// WatchRequest returns the watch to start: from where the cache ends.
func (i *Informer) WatchRequest() api.Request {
	req := i.request(api.Watch)
	req.ResourceVersion, req.AllowWatchBookmarks = i.rv, true
	return req
}

// Watched takes the answer to WatchRequest. A watch that was refused means a
// new list, but for too many requests (429), after which it is asked for again;
// its error is returned.
func (i *Informer) Watched(resp api.Response) error {
	if err := resp.Err(); err != nil {
		i.failed(resp.Code)
		return err
	}
	i.state, i.failures = Watching, 0
	return nil
}

// failed says that there is no watch, for the reason that code gives.
func (i *Informer) failed(code int) {
	i.failures++
	i.state = NeedsList
	if code == tooManyRequests {
		i.state = NeedsWatch
	}
}

// Closed says that the watch ended without an error, as all watches do in time:
// the next one starts where it ended.
func (i *Informer) Closed() {
	if i.state == Watching {
		i.state = NeedsWatch
	}
}

// Deliver takes one event of the watch: it updates the cache and returns what
// handlers hear of it, nothing for a bookmark. An ERROR ends the watch: after too
// many requests (429) the informer watches again, after any other (410 above all)
// it lists again. Without a running watch the event is dropped.
func (i *Informer) Deliver(ev api.WatchEvent) []Notification {
	if i.state != Watching {
		return nil
	}
	var n Notification
	switch ev.Type {
	case api.Added, api.Modified:
		n = i.changed(ev.Object, "watch "+string(ev.Type))
		i.cache.set(ev.Object)
	case api.Deleted:
		n = Notification{Type: Delete, Old: ev.Object, From: "watch " + string(ev.Type)}
		i.cache.delete(ev.Object.Key())
	case api.Bookmark:
		i.rv = ev.Object.ResourceVersion()
		return nil
	case api.Error:
		code, _ := ev.Object.Int("code")
		i.failed(int(code))
		return nil
	default:
		return nil
	}
	i.rv = ev.Object.ResourceVersion()
	return []Notification{n}
}

// Resync returns a Sync of every cached object, in order of key: the periodic
// replay that lets a controller see again what it may have missed.
func (i *Informer) Resync() []Notification {
	var notes []Notification
	for o := range i.cache.all() {
		notes = append(notes, Notification{Type: Sync, Old: o, New: o, From: "resync"})
	}
	return notes
}

func (i *Informer) request(verb api.Verb) api.Request {
	return api.Request{
		Verb: verb, GVR: i.spec.GVR, Namespace: i.spec.Namespace, UserAgent: i.spec.UserAgent,
		Options: api.Options{LabelSelector: i.spec.LabelSelector},
	}
}

const tooManyRequests = 429

// unavailable reports whether an answer says that the server does not have the
// version asked for: any more, or yet. Models isExpiredError and
// isTooLargeResourceVersionError.
func unavailable(resp api.Response) bool {
	switch s := resp.Status; {
	case s == nil:
		return false
	case s.Reason == api.ReasonExpired || s.Reason == api.ReasonGone:
		return true
	default:
		return s.Details != nil && slices.ContainsFunc(s.Details.Causes, func(c api.Cause) bool {
			return c.Reason == "ResourceVersionTooLarge"
		})
	}
}
