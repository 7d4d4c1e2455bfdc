package peers

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
	clientgo "k8s.io/client-go/util/workqueue"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// queues are ours and client-go's, which are told the same.
type queues struct {
	ours   *workqueue.Queue
	theirs clientgo.TypedRateLimitingInterface[object.Key]
	held   []object.Key
	log    []string
	began  time.Time
}

func (q *queues) say(format string, args ...any) {
	q.log = append(q.log, fmt.Sprintf("%v: ", time.Since(q.began))+fmt.Sprintf(format, args...))
}

// act makes one random call on both; what is added later is due at a moment of
// its own, since client-go does not order what is due at once.
func (q *queues) act(r *rand.Rand, step int) error {
	time.Sleep(time.Duration(step+1) * time.Nanosecond)
	k := object.Key{Namespace: "default", Name: string(rune('a' + r.IntN(4)))}
	now := time.Now()
	switch r.IntN(8) {
	case 0, 1:
		q.say("Add %s", k.Name)
		q.ours.Add(now, k, workqueue.Why{})
		q.theirs.Add(k)
	case 2:
		d := time.Duration(r.IntN(40)-5)*time.Millisecond + time.Duration(step)*time.Microsecond
		q.say("AddAfter %s %v", k.Name, d)
		q.ours.AddAfter(now, k, d, workqueue.Why{})
		q.theirs.AddAfter(k, d)
	case 3:
		q.say("AddRateLimited %s", k.Name)
		q.ours.AddRateLimited(now, k, workqueue.Why{})
		q.theirs.AddRateLimited(k)
	case 4:
		q.say("Forget %s", k.Name)
		q.ours.Forget(k)
		q.theirs.Forget(k)
	case 5, 6:
		if len(q.held) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(q.held))
			q.say("Done %s", q.held[i].Name)
			q.ours.Done(q.held[i])
			q.theirs.Done(q.held[i])
			q.held = append(q.held[:i], q.held[i+1:]...)
			break
		}
		// Several workers may hold keys at once.
		if q.theirs.Len() == 0 {
			break
		}
		got, _ := q.theirs.Get()
		item, ok := q.ours.Get()
		q.say("Get %s", got.Name)
		if !ok || item.Key != got {
			return fmt.Errorf("Get: client-go gives %v, ours %v, %t", got, item.Key, ok)
		}
		q.held = append(q.held, got)
	case 7:
		d := time.Duration(r.IntN(30)) * time.Millisecond
		q.say("%v pass", d)
		time.Sleep(d)
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
func limits(seed uint64) (workqueue.Options, clientgo.TypedRateLimiter[object.Key]) {
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
	for seed := range uint64(3000) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			options, limiter := limits(seed)
			q := &queues{ours: workqueue.New(options), began: time.Now(), theirs: clientgo.NewTypedRateLimitingQueue(limiter)}
			defer q.theirs.ShutDown()
			for step := range 60 {
				if err := q.act(r, step); err != nil {
					for _, line := range q.log {
						t.Log(line)
					}
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
}
