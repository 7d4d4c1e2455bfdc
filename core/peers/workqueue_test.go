package peers

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
	clientgo "k8s.io/client-go/util/workqueue"
	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// queues are ours and client-go's, which are told the same.
type queues struct {
	ours   *workqueue.Queue
	theirs clientgo.TypedRateLimitingInterface[object.Key]
	held   []object.Key
	calls  int
}

// callOp is one call of a rate-limiting queue, or the passing of time.
type callOp struct {
	Verb  string
	Key   object.Key
	After time.Duration
	// Nth of the keys held is the one that is done with.
	Nth int
}

var anyCallOp = rapid.Custom(func(t *rapid.T) callOp {
	verbs := []string{"Add", "Add", "AddAfter", "AddRateLimited", "Forget", "Get", "Done", "pass"}
	return callOp{
		Verb:  rapid.SampledFrom(verbs).Draw(t, "verb"),
		Key:   anyKey.Draw(t, "key"),
		After: anyWait.Draw(t, "after"),
		Nth:   rapid.IntRange(0, 3).Draw(t, "nth"),
	}
})

// act makes one call on both; what is added later is due at a moment of its own,
// since client-go does not order what is due at once.
func (q *queues) act(op callOp) error {
	q.calls++
	time.Sleep(time.Duration(q.calls) * time.Nanosecond)
	now := time.Now()
	switch op.Verb {
	case "Add":
		q.ours.Add(now, op.Key, workqueue.Why{})
		q.theirs.Add(op.Key)
	case "AddAfter":
		d := op.After + time.Duration(q.calls)*time.Microsecond
		q.ours.AddAfter(now, op.Key, d, workqueue.Why{})
		q.theirs.AddAfter(op.Key, d)
	case "AddRateLimited":
		q.ours.AddRateLimited(now, op.Key, workqueue.Why{})
		q.theirs.AddRateLimited(op.Key)
	case "Forget":
		q.ours.Forget(op.Key)
		q.theirs.Forget(op.Key)
	case "Done":
		if op.Nth < len(q.held) {
			q.ours.Done(q.held[op.Nth])
			q.theirs.Done(q.held[op.Nth])
			q.held = slices.Delete(q.held, op.Nth, op.Nth+1)
		}
	case "Get":
		// Several workers may hold keys at once.
		if q.theirs.Len() == 0 {
			break
		}
		got, _ := q.theirs.Get()
		item, ok := q.ours.Get()
		if !ok || item.Key != got {
			return fmt.Errorf("client-go gives %v, ours %v, %t", got, item.Key, ok)
		}
		q.held = append(q.held, got)
	case "pass":
		time.Sleep(op.After)
	}
	return q.compare()
}

// compare looks at both once client-go's goroutines have nothing left to do.
func (q *queues) compare() error {
	synctest.Wait()
	q.ours.Promote(time.Now())
	if a, b := q.ours.Len(), q.theirs.Len(); a != b {
		return fmt.Errorf("%d are ready, of client-go's %d", a, b)
	}
	for c := 'a'; c < 'e'; c++ {
		k := object.Key{Namespace: "default", Name: string(c)}
		if a, b := q.ours.NumRequeues(k), q.theirs.NumRequeues(k); a != b {
			return fmt.Errorf("%s has failed %d times, in client-go's %d", k.Name, a, b)
		}
	}
	return nil
}

// limits are those of client-go's default with a small bucket, and, every other
// time, those of controller-runtime: backoff alone.
func limits(seed int) (workqueue.Options, clientgo.TypedRateLimiter[object.Key]) {
	backoff := clientgo.NewTypedItemExponentialFailureRateLimiter[object.Key](5*time.Millisecond, 1000*time.Second)
	if seed%2 == 0 {
		return workqueue.Options{NoBucket: true}, backoff
	}
	bucket := &clientgo.TypedBucketRateLimiter[object.Key]{Limiter: rate.NewLimiter(10, 3)}
	return workqueue.Options{BucketQPS: 10, BucketBurst: 3}, clientgo.NewTypedMaxOfRateLimiter(backoff, bucket)
}

// TestWorkqueue: sequences of calls give the same in ours and in client-go's,
// whose clock is the bubble's: Add while ready and while processing, AddAfter
// before Add and after it, backoff and Forget, several keys held at once.
func TestWorkqueue(t *testing.T) {
	for seed, name := range []string{"backoff", "backoff and bucket"} {
		t.Run(name, func(t *testing.T) {
			compared(t, anyCallOp, 60, func(ops []callOp) error {
				options, limiter := limits(seed)
				q := &queues{ours: workqueue.New(options), theirs: clientgo.NewTypedRateLimitingQueue(limiter)}
				defer q.theirs.ShutDown()
				for i, op := range ops {
					if err := q.act(op); err != nil {
						return fmt.Errorf("operation %d, %s: %w", i, op.Verb, err)
					}
				}
				return nil
			})
		})
	}
}
