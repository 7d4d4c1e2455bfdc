package peers

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// queueOp is one call of a priority queue, or the passing of time.
type queueOp struct {
	Verb        string
	Key         object.Key
	After       time.Duration
	RateLimited bool
	Priority    int
	// Nth of the keys held is the one that is done with.
	Nth int
}

var (
	anyKey = rapid.Map(rapid.IntRange(0, 3), func(n int) object.Key {
		return object.Key{Namespace: "default", Name: string(rune('a' + n))}
	})
	// Many delays are the same: what is due at once has an order too.
	anyDelay = rapid.Map(rapid.IntRange(-1, 8), func(n int) time.Duration { return time.Duration(n) * 5 * time.Millisecond })
	anyWait  = rapid.OneOf(anyDelay, rapid.SampledFrom([]time.Duration{0, 1, time.Second, 20 * time.Minute}))
)

var anyQueueOp = rapid.Custom(func(t *rapid.T) queueOp {
	return queueOp{
		Verb:        rapid.SampledFrom([]string{"add", "add", "get", "get", "done", "done", "forget", "pass", "pass"}).Draw(t, "verb"),
		Key:         anyKey.Draw(t, "key"),
		After:       anyWait.Draw(t, "after"),
		RateLimited: rapid.IntRange(0, 3).Draw(t, "rate limited") == 0,
		Priority:    rapid.SampledFrom([]int{-100, 0, 0, 0, 7}).Draw(t, "priority"),
		Nth:         rapid.IntRange(0, 3).Draw(t, "nth"),
	}
})

// priorityQueues are ours and controller-runtime's, which are told the same.
type priorityQueues struct {
	ours   *workqueue.Queue
	theirs priorityqueue.PriorityQueue[object.Key]
	held   []object.Key
}

// taken is what a Get gives.
type taken struct {
	key      object.Key
	priority int
}

// take gets from theirs: nothing where it would wait. What it leaves waiting
// ends with the queue.
func (q *priorityQueues) take() (taken, bool) {
	got := make(chan taken, 1)
	go func() {
		key, priority, shutdown := q.theirs.GetWithPriority()
		if !shutdown {
			got <- taken{key, priority}
		}
	}()
	synctest.Wait()
	select {
	case t := <-got:
		return t, true
	default:
		return taken{}, false
	}
}

func (q *priorityQueues) act(op queueOp) error {
	now := time.Now()
	switch op.Verb {
	case "add":
		opts := workqueue.AddOpts{After: op.After, RateLimited: op.RateLimited, Priority: op.Priority}
		q.ours.AddWithOpts(now, op.Key, opts, workqueue.Why{Text: "drawn"})
		q.theirs.AddWithOpts(priorityqueue.AddOpts{After: op.After, RateLimited: op.RateLimited, Priority: &op.Priority}, op.Key)
	case "get":
		if q.ours.Len() == 0 {
			break
		}
		item, _ := q.ours.Get()
		theirs, ok := q.take()
		if mine := (taken{item.Key, item.Priority}); !ok || theirs != mine || len(item.Why) == 0 {
			return fmt.Errorf("get: controller-runtime gives %v (%t), ours %v for %v", theirs, ok, mine, item.Why)
		}
		if q.ours.Priority(item.Key) != item.Priority {
			return fmt.Errorf("%s was taken with priority %d and is held with %d", item.Key, item.Priority, q.ours.Priority(item.Key))
		}
		q.held = append(q.held, item.Key)
	case "done":
		if op.Nth < len(q.held) {
			q.ours.Done(q.held[op.Nth])
			q.theirs.Done(q.held[op.Nth])
			q.held = append(q.held[:op.Nth], q.held[op.Nth+1:]...)
		}
	case "forget":
		q.ours.Forget(op.Key)
		q.theirs.Forget(op.Key)
	case "pass":
		time.Sleep(op.After)
	}
	return q.agree()
}

// agree compares both once theirs has nothing left to do at this moment. Theirs
// counts a key that is ready and held by a worker; ours calls it dirty.
func (q *priorityQueues) agree() error {
	synctest.Wait()
	q.ours.Promote(time.Now())
	ready := q.ours.Len()
	for _, k := range q.ours.Processing() {
		if _, dirty := q.ours.Dirty(k); dirty {
			ready++
		}
	}
	if theirs := q.theirs.Len(); ready != theirs {
		return fmt.Errorf("%d are ready, of controller-runtime's %d: %s", ready, theirs, q.ours.Describe(time.Now()))
	}
	for n := range 4 {
		k := object.Key{Namespace: "default", Name: string(rune('a' + n))}
		if mine, theirs := q.ours.NumRequeues(k), q.theirs.NumRequeues(k); mine != theirs {
			return fmt.Errorf("%s has failed %d times, in controller-runtime's %d", k, mine, theirs)
		}
	}
	return nil
}

// TestPriorityQueue: sequences of calls give the same in ours with priorities
// and in controller-runtime's: what is taken, when and in which order, also of
// keys that are due at once, that are raised, that are added while they wait, are
// ready or are held.
func TestPriorityQueue(t *testing.T) {
	compared(t, anyQueueOp, 60, func(ops []queueOp) error {
		q := &priorityQueues{ours: workqueue.New(workqueue.Options{Priority: true}), theirs: priorityqueue.New[object.Key]("")}
		defer q.theirs.ShutDown()
		for i, op := range ops {
			if err := q.act(op); err != nil {
				return fmt.Errorf("operation %d, %s: %w", i, op.Verb, err)
			}
			q.abandon()
		}
		return nil
	})
}

// abandon changes a clone of ours, of which the original must not know.
func (q *priorityQueues) abandon() {
	c, now := q.ours.Clone(), time.Now()
	c.AddWithOpts(now, object.Key{Namespace: "default", Name: "a"}, workqueue.AddOpts{Priority: 9}, workqueue.Why{})
	c.Promote(now.Add(time.Hour))
	c.Get()
}
