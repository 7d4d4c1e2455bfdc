package workqueue

import (
	"slices"
	"sort"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// Why is one reason for a key to be in the queue.
type Why struct {
	// Event is the number of the event that added the key; 0 for none.
	Event int `json:"event"`
	// Text says it in words: "watch MODIFIED WebApp/default/plain rv 1012",
	// "requeueAfter 30s", "backoff 5ms after error: ...".
	Text string `json:"text"`
}

// Item is a key in the queue, as it is looked at or taken. Its Why is shared:
// it must not be changed.
type Item struct {
	Key object.Key
	// Why holds the reasons for which the key was added, oldest first; at most
	// MaxWhy of them. It is never empty for a key that is ready or waiting.
	Why []Why
	// Since is when the first of them came.
	Since time.Time
	// Due is when a waiting key becomes ready; zero for any other.
	Due time.Time
	// Failures is how often AddRateLimited was called since the last Forget.
	Failures int
	// Priority is 0 in a queue without priorities.
	Priority int
	// Seq orders keys that became ready, and waiting keys due at the same time.
	Seq uint64
}

// MaxWhy bounds how many reasons an entry keeps: the oldest ones.
const MaxWhy = 16

// Queue is a rate-limiting work queue of keys. It is not safe for concurrent
// use. Its zero value is of no use: call New.
type Queue struct {
	limits  Options
	bucket  bucket
	seq     uint64
	records *tree.Ordered[record]
	// ready holds the keys that Get may take; waiting those with a delay.
	ready   *tree.Ordered[place]
	waiting *tree.Ordered[place]
	// held are the keys being processed, in order of key; never changed in place.
	held []object.Key
}

// record is all that is known of one key. A key about which there is nothing
// to know has no record.
type record struct {
	key               object.Key
	dirty, processing bool
	failures          int
	// taken is the priority with which a key that is processed was taken.
	taken int
	// now is the entry of a dirty key, later that of a waiting one: a key may be
	// both, but not in a queue with priorities.
	now, later entry
}

// entry is a key's being in the queue. Its seq is 0 where there is none, and
// while it waits for Done to give it one.
type entry struct {
	why      []Why
	since    time.Time
	due      time.Time
	priority int
	seq      uint64
}

func (e entry) place(key object.Key) place { return place{e.due, e.priority, e.seq, key} }

// place is a position in the ready or waiting order.
type place struct {
	due      time.Time
	priority int
	seq      uint64
	key      object.Key
}

func byKey(a, b record) bool { return a.key.Compare(b.key) < 0 }

func byPlace(a, b place) bool {
	if c := a.due.Compare(b.due); c != 0 {
		return c < 0
	}
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	return a.seq < b.seq
}

// New returns an empty queue with the limits given.
func New(limits Options) *Queue {
	return &Queue{
		limits:  limits.withDefaults(),
		records: tree.NewOrdered(byKey),
		ready:   tree.NewOrdered(byPlace),
		waiting: tree.NewOrdered(byPlace),
	}
}

// Clone returns an independent copy, in constant time.
func (q *Queue) Clone() *Queue {
	c := *q
	c.records, c.ready, c.waiting = q.records.Copy(), q.ready.Copy(), q.waiting.Copy()
	return &c
}

// Limits returns the options that the queue goes by, defaults filled in.
func (q *Queue) Limits() Options { return q.limits }

// Add marks key as needing work. A key that is ready already stays where it
// is; one that is being processed becomes ready at Done. Either way why is
// added to its reasons.
func (q *Queue) Add(now time.Time, key object.Key, why Why) {
	q.AddWithOpts(now, key, AddOpts{}, why)
}

func (q *Queue) add(now time.Time, key object.Key, priority int, why []Why) {
	r := q.record(key)
	switch {
	case q.limits.Priority && r.later.seq != 0:
		// The one entry that the key has stops waiting.
		q.waiting.Delete(r.later.place(key))
		r.dirty, r.now, r.later = true, r.later, entry{}
		r.now.due = time.Time{}
		r = q.push(r)
	case !r.dirty:
		r.dirty, r.now = true, entry{since: now, priority: priority}
		if q.limits.Priority || !r.processing {
			r.now.seq = q.next()
		}
		r = q.push(r)
	}
	r.now.why = join(r.now.why, why)
	if priority > r.now.priority {
		q.ready.Delete(r.now.place(key))
		r.now.priority, r.now.seq = priority, q.next()
		r = q.push(r)
	}
	q.set(r)
}

// push makes a dirty record ready, unless it is being processed.
func (q *Queue) push(r record) record {
	if !r.processing {
		q.ready.Set(r.now.place(r.key))
	}
	return r
}

func (q *Queue) next() uint64 {
	q.seq++
	return q.seq
}

// Get takes the key that has been ready for longest, of those with the highest
// priority, and reports whether there was one. The caller owes Done.
func (q *Queue) Get() (Item, bool) {
	first, ok := q.ready.Min()
	if !ok {
		return Item{}, false
	}
	return q.GetKey(first.key)
}

// GetKey takes a key that is ready, whatever its place: a scheduler may try
// every order. It reports false where key is not ready. The caller owes Done.
func (q *Queue) GetKey(key object.Key) (Item, bool) {
	r := q.record(key)
	if !r.dirty || r.processing {
		return Item{}, false
	}
	item := r.readyItem()
	q.ready.Delete(r.now.place(key))
	r.processing, r.dirty, r.taken = true, false, r.now.priority
	at, _ := slices.BinarySearchFunc(q.held, key, object.Key.Compare)
	q.held = slices.Insert(slices.Clone(q.held), at, key)
	r.now = entry{}
	q.set(r)
	return item, true
}

// Done says that the worker of key has finished. A key that was added meanwhile
// becomes ready, behind all others; in a queue with priorities it has the place
// that it got when it was added.
func (q *Queue) Done(key object.Key) {
	r := q.record(key)
	if !r.processing {
		return
	}
	r.processing, r.taken = false, 0
	q.held = slices.DeleteFunc(slices.Clone(q.held), func(k object.Key) bool { return k == key })
	if r.dirty {
		if !q.limits.Priority {
			r.now.seq = q.next()
		}
		r = q.push(r)
	}
	q.set(r)
}

// Len returns how many keys are ready.
func (q *Queue) Len() int { return q.ready.Len() }

// Ready returns the keys that are ready, in the order in which Get takes them.
func (q *Queue) Ready() []Item { return q.ReadyHead(q.ready.Len()) }

// ReadyHead returns the first n of Ready, at the cost of those alone.
func (q *Queue) ReadyHead(n int) []Item {
	n = min(n, q.ready.Len())
	items := make([]Item, 0, n)
	q.ready.Scan(func(p place) bool {
		if len(items) == n {
			return false
		}
		items = append(items, q.record(p.key).readyItem())
		return true
	})
	return items
}

// Busy returns how many keys are being worked on.
func (q *Queue) Busy() int { return len(q.held) }

// Processing returns the keys that are being worked on, in order of key. Dirty
// tells which of them become ready at Done.
func (q *Queue) Processing() []object.Key { return slices.Clone(q.held) }

// Dirty returns the entry of a key that was added while it is being processed,
// and whether there is one.
func (q *Queue) Dirty(key object.Key) (Item, bool) {
	r := q.record(key)
	if !r.dirty || !r.processing {
		return Item{}, false
	}
	return r.readyItem(), true
}

// Added returns every entry, ready, waiting or dirty, in the order in which they
// got their places. A queue with priorities goes by it when the waiting or the
// processing of a key ends.
func (q *Queue) Added() []Item {
	items := append(q.Ready(), q.Waiting()...)
	for _, key := range q.held {
		if item, dirty := q.Dirty(key); dirty {
			items = append(items, item)
		}
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].Seq < items[j].Seq })
	return items
}

// Idle reports whether no key is ready, waiting or processing.
func (q *Queue) Idle() bool {
	return q.ready.Len() == 0 && q.waiting.Len() == 0 && len(q.held) == 0
}

func (r record) readyItem() Item {
	return Item{Key: r.key, Why: r.now.why, Since: r.now.since, Failures: r.failures, Priority: r.now.priority, Seq: r.now.seq}
}

// record returns what is known of key, an empty record for nothing.
func (q *Queue) record(key object.Key) record {
	r, ok := q.records.Get(record{key: key})
	if !ok {
		r.key = key
	}
	return r
}

// set stores r, or drops it where there is nothing left to know.
func (q *Queue) set(r record) {
	if !r.dirty && !r.processing && r.later.seq == 0 && r.failures == 0 {
		q.records.Delete(r)
		return
	}
	q.records.Set(r)
}

// join appends reasons to a list that may be shared with a clone.
func join(to, more []Why) []Why {
	more = more[:min(len(more), MaxWhy-len(to))]
	if len(more) == 0 {
		return to
	}
	return append(slices.Clip(to), more...)
}
