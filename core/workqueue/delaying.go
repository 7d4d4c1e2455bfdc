package workqueue

import (
	"fmt"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// AddAfter adds key once d has passed, or at once where d is not positive. Of
// several calls for one key the earliest time holds, and the key is added once.
func (q *Queue) AddAfter(now time.Time, key object.Key, d time.Duration, why Why) {
	q.AddWithOpts(now, key, AddOpts{After: d}, why)
}

func (q *Queue) addAfter(now time.Time, key object.Key, d time.Duration, priority int, why []Why) {
	r := q.record(key)
	if q.limits.Priority && r.dirty {
		q.add(now, key, priority, why) // the one entry that the key has is ready already
		return
	}
	due := now.Add(d)
	if r.later.seq == 0 {
		r.later = entry{since: now, due: due, priority: priority, seq: q.next()}
	} else {
		q.waiting.Delete(r.later.place(key))
		if due.Before(r.later.due) {
			r.later.due = due
		}
		if priority > r.later.priority {
			r.later.priority, r.later.seq = priority, q.next()
		}
	}
	r.later.why = join(r.later.why, why)
	q.waiting.Set(r.later.place(key))
	q.set(r)
}

// Next returns when key is ready: now where it is, or will be at Done, the due
// time where it waits, and false where neither.
func (q *Queue) Next(now time.Time, key object.Key) (time.Time, bool) {
	r := q.record(key)
	switch {
	case r.dirty:
		return now, true
	case r.later.seq != 0:
		return r.later.due, true
	}
	return time.Time{}, false
}

// WaitingLen returns how many keys wait.
func (q *Queue) WaitingLen() int { return q.waiting.Len() }

// Waiting returns the keys that were added with a delay, the first due first.
func (q *Queue) Waiting() []Item { return q.WaitingHead(q.waiting.Len()) }

// WaitingHead returns the first n of Waiting, at the cost of those alone.
func (q *Queue) WaitingHead(n int) []Item {
	n = min(n, q.waiting.Len())
	items := make([]Item, 0, n)
	q.waiting.Scan(func(p place) bool {
		if len(items) == n {
			return false
		}
		r := q.record(p.key)
		items = append(items, Item{
			Key: r.key, Why: r.later.why, Since: r.later.since, Due: r.later.due, Failures: r.failures,
			Priority: r.later.priority, Seq: r.later.seq,
		})
		return true
	})
	return items
}

// NextDue returns when the first waiting key is due, and whether there is one.
func (q *Queue) NextDue() (time.Time, bool) {
	first, ok := q.waiting.Min()
	return first.due, ok
}

// Promote adds the waiting keys that are due, the first due first, and returns
// them in that order.
func (q *Queue) Promote(now time.Time) []object.Key {
	var keys []object.Key
	for {
		first, ok := q.waiting.Min()
		if !ok || first.due.After(now) {
			return keys
		}
		q.waiting.Delete(first)
		r := q.record(first.key)
		e := r.later
		r.later = entry{}
		q.set(r)
		q.add(now, r.key, e.priority, e.why)
		keys = append(keys, r.key)
	}
}

// Describe prints the queue on one line:
//
//	ready default/a default/b; waiting default/c +5ms (1 failure); processing default/d (dirty)
//
// Parts that are empty are left out; an empty queue is "empty". A priority that
// is not 0 follows the key in brackets.
func (q *Queue) Describe(now time.Time) string {
	var parts []string
	section := func(name string, words []string) {
		if len(words) > 0 {
			parts = append(parts, name+" "+strings.Join(words, " "))
		}
	}
	var words []string
	for _, it := range q.Ready() {
		words = append(words, it.name()+failures(it.Failures))
	}
	section("ready", words)
	words = nil
	for _, it := range q.Waiting() {
		words = append(words, fmt.Sprintf("%s +%s%s", it.name(), it.Due.Sub(now), failures(it.Failures)))
	}
	section("waiting", words)
	words = nil
	for _, key := range q.Processing() {
		word := key.String()
		if _, dirty := q.Dirty(key); dirty {
			word += " (dirty)"
		}
		words = append(words, word)
	}
	section("processing", words)
	if len(parts) == 0 {
		return "empty"
	}
	return strings.Join(parts, "; ")
}

func (it Item) name() string {
	if it.Priority == 0 {
		return it.Key.String()
	}
	return fmt.Sprintf("%s[%d]", it.Key, it.Priority)
}

func failures(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " (1 failure)"
	}
	return fmt.Sprintf(" (%d failures)", n)
}
