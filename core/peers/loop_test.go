package peers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"pgregory.net/rapid"
	upstream "sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
	mine "github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// loopOp is something that happens to a controller: a key is added, a pass ends,
// time passes.
type loopOp struct {
	Verb        string
	Key         object.Key
	After       time.Duration
	RateLimited bool
	Priority    int
	// Nth of the passes in hand is the one that ends, with Outcome.
	Nth int
	Outcome
}

// Outcome is what a reconciler returns, or that it panics.
type Outcome struct {
	Failure      string
	RequeueAfter time.Duration
	Requeue      bool
	Prioritized  bool
}

var anyLoopOp = rapid.Custom(func(t *rapid.T) loopOp {
	failures := []string{"", "", "", "", "error", "error", "terminal", "wrapped", "joined", "panic"}
	return loopOp{
		Verb:        rapid.SampledFrom([]string{"add", "add", "add later", "end", "end", "end", "pass"}).Draw(t, "verb"),
		Key:         anyKey.Draw(t, "key"),
		After:       anyWait.Draw(t, "after"),
		RateLimited: rapid.IntRange(0, 3).Draw(t, "rate limited") == 0,
		Priority:    rapid.SampledFrom([]int{-100, 0, 0, 7}).Draw(t, "priority"),
		Nth:         rapid.IntRange(0, 2).Draw(t, "nth"),
		Outcome: Outcome{
			Failure:      rapid.SampledFrom(failures).Draw(t, "failure"),
			RequeueAfter: rapid.OneOf(rapid.Just(time.Duration(0)), anyWait).Draw(t, "requeue after"),
			Requeue:      rapid.IntRange(0, 4).Draw(t, "requeue") == 0,
			Prioritized:  rapid.IntRange(0, 4).Draw(t, "prioritized") == 0,
		},
	}
})

// fail returns the error of the outcome, made by means of terminal, or panics.
func (o Outcome) fail(terminal func(error) error) error {
	err := errors.New("drawn")
	switch o.Failure {
	case "error":
		return err
	case "terminal":
		return terminal(err)
	case "wrapped":
		return fmt.Errorf("wrapped: %w", terminal(nil))
	case "joined":
		return errors.Join(err, terminal(err))
	case "panic":
		panic("drawn")
	}
	return nil
}

// loop is our controller and controller-runtime's, with reconcilers that do what
// they are told.
type loop struct {
	ours    *controller.Controller
	theirs  priorityqueue.PriorityQueue[object.Key]
	ordered bool // what is due at once has an order in theirs
	held    []object.Key
	op      int

	lock    sync.Mutex
	started []string
	orders  map[object.Key]chan loopOp
}

// begin says on which key and when a pass begins. client-go's bucket counts in
// fractions, which cost it a nanosecond now and then.
func begin(key object.Key) string {
	return fmt.Sprintf("%s at %s", key, time.Now().Round(time.Microsecond).Format("15:04:05.000000"))
}

// Reconcile is the reconciler of theirs.
func (l *loop) Reconcile(ctx context.Context, key object.Key) (reconcile.Result, error) {
	l.lock.Lock()
	l.started = append(l.started, begin(key))
	orders := make(chan loopOp)
	l.orders[key] = orders
	l.lock.Unlock()
	var op loopOp
	select {
	case op = <-orders:
	case <-ctx.Done():
		return reconcile.Result{}, nil
	}
	result := reconcile.Result{RequeueAfter: op.RequeueAfter, Requeue: op.Requeue} //nolint:staticcheck // it is still obeyed
	if op.Prioritized {
		result.Priority = &op.Priority
	}
	return result, op.fail(reconcile.TerminalError)
}

// end ends a pass of both.
func (l *loop) end(op loopOp) {
	if op.Nth >= len(l.held) {
		return
	}
	key := l.held[op.Nth]
	l.held = slices.Delete(l.held, op.Nth, op.Nth+1)
	l.lock.Lock()
	orders := l.orders[key]
	l.lock.Unlock()
	orders <- op
	pass := controller.Start(mine.Func(func(context.Context, mine.Request) (mine.Result, error) {
		result := mine.Result{RequeueAfter: op.RequeueAfter, Requeue: op.Requeue}
		if op.Prioritized {
			result.Priority = &op.Priority
		}
		return result, op.fail(mine.TerminalError)
	}), key, controller.Env{Now: time.Now()})
	result, err, _ := pass.Ended()
	l.ours.Finish(time.Now(), 0, key, result, err)
}

func (l *loop) act(op loopOp) error {
	if l.op++; !l.ordered {
		// Every key is due at a moment of its own.
		time.Sleep(time.Duration(l.op) * time.Microsecond)
		op.After += time.Duration(l.op) * 10 * time.Millisecond
		op.RequeueAfter += time.Duration(l.op) * 10 * time.Millisecond
	}
	now, q := time.Now(), l.ours.Queue()
	switch op.Verb {
	case "add":
		q.AddWithOpts(now, op.Key, workqueue.AddOpts{Priority: op.Priority}, workqueue.Why{})
		l.theirs.AddWithOpts(priorityqueue.AddOpts{Priority: &op.Priority}, op.Key)
	case "add later":
		q.AddWithOpts(now, op.Key, workqueue.AddOpts{After: op.After, RateLimited: op.RateLimited, Priority: op.Priority}, workqueue.Why{})
		l.theirs.AddWithOpts(priorityqueue.AddOpts{After: op.After, RateLimited: op.RateLimited, Priority: &op.Priority}, op.Key)
	case "end":
		l.end(op)
	case "pass":
		end := now.Add(op.After)
		for {
			due, ok := q.NextDue()
			if !ok || due.After(end) {
				break
			}
			if !l.ordered {
				due = due.Add(2 * time.Nanosecond) // as above: theirs may begin that much later
			}
			time.Sleep(time.Until(due))
			if err := l.agree(); err != nil {
				return err
			}
		}
		time.Sleep(time.Until(end))
	}
	return l.agree()
}

// agree lets free workers take keys and compares which passes began, and when.
func (l *loop) agree() error {
	synctest.Wait()
	q := l.ours.Queue()
	q.Promote(time.Now())
	var began []string
	for {
		ready := l.ours.ReadyHead(1)
		if len(ready) == 0 {
			break
		}
		key := ready[0].Key
		l.ours.Take(key)
		l.held = append(l.held, key)
		began = append(began, begin(key))
	}
	l.lock.Lock()
	theirs := l.started
	l.started = nil
	l.lock.Unlock()
	// Which of several workers woken at once comes first is up to chance.
	slices.Sort(began)
	slices.Sort(theirs)
	if !slices.Equal(began, theirs) {
		return fmt.Errorf("controller-runtime begins %s, ours %s", strings.Join(theirs, ", "), strings.Join(began, ", "))
	}
	for n := range 4 {
		k := object.Key{Namespace: "default", Name: string(rune('a' + n))}
		if a, b := q.NumRequeues(k), l.theirs.NumRequeues(k); a != b {
			return fmt.Errorf("%s has failed %d times, in controller-runtime %d", k, a, b)
		}
	}
	return nil
}

// played makes both controllers and plays ops on them.
func played(workers int, options workqueue.Options, limiter clientgo.TypedRateLimiter[object.Key], ops []loopOp) error {
	l := &loop{ordered: options.Priority, orders: map[object.Key]chan loopOp{}}
	l.ours = controller.New(controller.Spec{MaxConcurrentReconciles: workers, Queue: options})
	yes := true
	theirs, err := upstream.NewTypedUnmanaged("peers", upstream.TypedOptions[object.Key]{
		MaxConcurrentReconciles: workers, Reconciler: l, SkipNameValidation: &yes, UsePriorityQueue: &options.Priority, RateLimiter: limiter,
	})
	if err != nil {
		return err
	}
	if err := theirs.Watch(source.TypedFunc[object.Key](func(_ context.Context, q clientgo.TypedRateLimitingInterface[object.Key]) error {
		l.theirs = q.(priorityqueue.PriorityQueue[object.Key])
		return nil
	})); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { _ = theirs.Start(ctx) }()
	synctest.Wait()
	for i, op := range ops {
		if err := l.act(op); err != nil {
			return fmt.Errorf("operation %d, %s: %w", i, op.Verb, err)
		}
	}
	return nil
}

// TestControllerLoop: whatever a reconciler returns, the same keys are worked on
// at the same moments in ours and in controller-runtime's, with both queues and
// one worker or more: errors with and without a result, terminal ones, panics,
// delays, keys added before a delay is over and while they are worked on.
func TestControllerLoop(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprintf("priorities, %d workers", workers), func(t *testing.T) {
			compared(t, anyLoopOp, 60, func(ops []loopOp) error {
				return played(workers, workqueue.Options{Priority: true}, nil, ops)
			})
		})
		t.Run(fmt.Sprintf("client-go's queue, %d workers", workers), func(t *testing.T) {
			compared(t, anyLoopOp, 60, func(ops []loopOp) error {
				options, limiter := limits(1)
				return played(workers, options, limiter, ops)
			})
		})
	}
}
