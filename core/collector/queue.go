package collector

import "github.com/reconcile-playground/reconcile/core/tree"

// task is an entry of the queue: a uid to look at, or the name of a namespace
// or definition.
type task struct {
	work Work
	id   string
}

func (t task) key() string { return string(t.work) + " " + t.id }

// queue holds tasks first in, first out, each once.
type queue struct {
	order *tree.Map[task]
	place *tree.Map[int64]
	next  int64
}

func newQueue() *queue {
	return &queue{order: &tree.Map[task]{}, place: &tree.Map[int64]{}}
}

func (q *queue) clone() *queue {
	return &queue{order: q.order.Copy(), place: q.place.Copy(), next: q.next}
}

func (q *queue) add(t task) {
	if _, ok := q.place.Get(t.key()); ok {
		return
	}
	q.place.Set(t.key(), q.next)
	q.order.Set(tree.Number(q.next), t)
	q.next++
}

func (q *queue) remove(t task) {
	if at, ok := q.place.Delete(t.key()); ok {
		q.order.Delete(tree.Number(at))
	}
}

func (q *queue) each(visit func(task) bool) {
	q.order.Scan(func(_ string, t task) bool { return visit(t) })
}

// first returns the first task that fits.
func (q *queue) first(fits func(task) bool) (found task, ok bool) {
	q.each(func(t task) bool {
		if fits(t) {
			found, ok = t, true
		}
		return !ok
	})
	return found, ok
}
