package workqueue

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func key(name string) object.Key { return object.Key{Namespace: "default", Name: name} }

func names(items []Item) []string {
	var out []string
	for _, it := range items {
		out = append(out, it.Key.Name)
	}
	return out
}

func because(text string) Why { return Why{Event: len(text), Text: text} }

func TestKeyIsInTheQueueOnce(t *testing.T) {
	q := New(Options{})
	q.Add(start, key("a"), because("one"))
	q.Add(start, key("b"), because("two"))
	q.Add(start.Add(time.Second), key("a"), because("three"))
	if got := names(q.Ready()); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("ready %v, want a before b, each once", got)
	}
	item, ok := q.Get()
	if !ok || item.Key != key("a") || len(item.Why) != 2 || item.Why[1].Text != "three" || item.Since != start {
		t.Fatalf("got %+v, want a with both reasons, since the first", item)
	}
}

func TestKeyAddedWhileProcessedComesBackAtDone(t *testing.T) {
	q := New(Options{})
	q.Add(start, key("a"), because("one"))
	q.Get()
	q.Add(start, key("a"), because("two"))
	q.Add(start, key("b"), because("three"))
	if _, ok := q.GetKey(key("a")); ok {
		t.Fatal("a was taken while it is being processed")
	}
	if got, want := q.Describe(start), "ready default/b; processing default/a (dirty)"; got != want {
		t.Fatalf("queue is %q, want %q", got, want)
	}
	q.Done(key("a"))
	if got := names(q.Ready()); !slices.Equal(got, []string{"b", "a"}) {
		t.Fatalf("ready %v, want a behind b", got)
	}
}

func TestEarlierDelayWins(t *testing.T) {
	q := New(Options{})
	q.AddAfter(start, key("a"), 30*time.Second, because("late"))
	q.AddAfter(start, key("b"), 20*time.Second, because("other"))
	q.AddAfter(start, key("a"), 10*time.Second, because("early"))
	q.AddAfter(start, key("a"), time.Minute, because("later still"))
	if got := names(q.Waiting()); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("waiting %v", got)
	}
	if due, ok := q.NextDue(); !ok || !due.Equal(start.Add(10*time.Second)) {
		t.Fatalf("next due %v", due)
	}
	if got := q.Promote(start.Add(10*time.Second - 1)); got != nil {
		t.Fatalf("promoted %v before it was due", got)
	}
	if got := q.Promote(start.Add(time.Hour)); len(got) != 2 || got[0] != key("a") {
		t.Fatalf("promoted %v", got)
	}
	item, _ := q.Get()
	if item.Key != key("a") || len(item.Why) != 3 || !item.Due.IsZero() {
		t.Fatalf("got %+v, want a with its three reasons", item)
	}
}

func TestWaitingAndReadyAtOnce(t *testing.T) {
	q := New(Options{})
	q.AddAfter(start, key("a"), time.Second, because("timer"))
	q.Add(start, key("a"), because("event"))
	q.Get()
	q.Done(key("a"))
	if q.Len() != 0 || len(q.Waiting()) != 1 {
		t.Fatalf("queue is %q, want a waiting on: an event does not cancel a timer", q.Describe(start))
	}
}

// The delays are those of DefaultTypedItemBasedRateLimiter's formula.
func TestBackoffDoublesUpToTheCap(t *testing.T) {
	q := New(Options{NoBucket: true})
	want := 5 * time.Millisecond
	for n := range 40 {
		if got := q.AddRateLimited(start, key("a"), because("error")); got != want {
			t.Fatalf("failure %d: delay %v, want %v", n+1, got, want)
		}
		want = min(2*want, 1000*time.Second)
	}
	if got := q.NumRequeues(key("a")); got != 40 {
		t.Fatalf("%d requeues", got)
	}
	q.Forget(key("a"))
	if got := q.AddRateLimited(start, key("a"), because("error")); got != 5*time.Millisecond {
		t.Fatalf("after Forget the delay is %v", got)
	}
}

func TestBucketHoldsBackManyKeys(t *testing.T) {
	q := New(Options{})
	now := start
	delay := func(n int) time.Duration {
		return q.AddRateLimited(now, key(fmt.Sprint(n)), because("error"))
	}
	for n := range 100 {
		if got := delay(n); got != 5*time.Millisecond {
			t.Fatalf("key %d of the burst waits %v", n, got)
		}
	}
	if got := delay(100); got != 100*time.Millisecond {
		t.Fatalf("the first key after the burst waits %v", got)
	}
	if got := delay(101); got != 200*time.Millisecond {
		t.Fatalf("the second key after the burst waits %v", got)
	}
	if got := q.Debt(now); got != 10200*time.Millisecond {
		t.Fatalf("the bucket's debt is %v", got)
	}
	now = now.Add(time.Hour)
	if got := delay(102); got != 5*time.Millisecond {
		t.Fatalf("a full bucket holds back by %v", got)
	}
}

func TestReasonsAreBounded(t *testing.T) {
	q := New(Options{})
	for n := range 3 * MaxWhy {
		q.Add(start, key("a"), Why{Event: n})
	}
	item, _ := q.Get()
	if len(item.Why) != MaxWhy || item.Why[MaxWhy-1].Event != MaxWhy-1 {
		t.Fatalf("%d reasons are kept, the last from event %d", len(item.Why), item.Why[len(item.Why)-1].Event)
	}
}

func TestDescribe(t *testing.T) {
	q := New(Options{})
	if got := q.Describe(start); got != "empty" {
		t.Fatalf("%q", got)
	}
	q.Add(start, key("a"), because("x"))
	q.AddRateLimited(start, key("c"), because("x"))
	q.AddRateLimited(start, key("c"), because("x"))
	want := "ready default/a; waiting default/c +5ms (2 failures)"
	if got := q.Describe(start); got != want {
		t.Fatalf("%q, want %q", got, want)
	}
	if q.Idle() {
		t.Fatal("idle with keys in it")
	}
}
