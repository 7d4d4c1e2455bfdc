package workqueue

import (
	"slices"
	"testing"
	"time"
)

func TestHigherPriorityIsTakenFirst(t *testing.T) {
	q := New(Options{Priority: true})
	q.AddWithOpts(start, key("low"), AddOpts{Priority: -100}, because("list"))
	q.AddWithOpts(start, key("lower, raised"), AddOpts{Priority: -100}, because("list"))
	q.Add(start, key("event"), because("event"))
	q.AddWithOpts(start, key("lower, raised"), AddOpts{Priority: 0}, because("event"))
	want := []string{"event", "lower, raised", "low"}
	if got := names(q.Ready()); !slices.Equal(got, want) {
		t.Fatalf("ready %v, want %v: a raised key goes behind those that had the priority before", got, want)
	}
	if got, want := q.Describe(start), "ready default/event default/lower, raised default/low[-100]"; got != want {
		t.Fatalf("queue is %q, want %q", got, want)
	}
	q.GetKey(key("low"))
	if got := q.Priority(key("low")); got != -100 {
		t.Fatalf("taken with priority %d", got)
	}
}

func TestWithPrioritiesAKeyHasOneEntry(t *testing.T) {
	q := New(Options{Priority: true})
	q.AddAfter(start, key("a"), time.Second, because("timer"))
	q.Add(start, key("b"), because("event"))
	q.Add(start, key("a"), because("event"))
	if got := names(q.Ready()); !slices.Equal(got, []string{"a", "b"}) || q.WaitingLen() != 0 {
		t.Fatalf("queue is %q, want a ready, at the place at which it began to wait", q.Describe(start))
	}
	q.AddAfter(start, key("b"), time.Second, because("timer"))
	if q.WaitingLen() != 0 {
		t.Fatalf("queue is %q, want b ready alone", q.Describe(start))
	}
	if item, _ := q.Get(); len(item.Why) != 2 {
		t.Fatalf("got %+v, want both reasons", item)
	}
}

func TestWithPrioritiesADirtyKeyKeepsItsPlace(t *testing.T) {
	q := New(Options{Priority: true})
	q.Add(start, key("a"), because("one"))
	q.Get()
	q.Add(start, key("a"), because("two"))
	q.Add(start, key("b"), because("three"))
	if got := names(q.Added()); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("the order of places is %v, want that in which the keys were added", got)
	}
	c := q.Clone()
	q.Done(key("a"))
	if got := names(q.Ready()); !slices.Equal(got, []string{"a", "b"}) {
		t.Fatalf("ready %v, want a where it was when it was added", got)
	}
	if got, want := c.Describe(start), "ready default/b; processing default/a (dirty)"; got != want {
		t.Fatalf("the clone is %q, want %q", got, want)
	}
}

func TestWithPrioritiesThereIsNoBucket(t *testing.T) {
	for _, tc := range []struct {
		options Options
		bucket  bool
	}{
		{Options{}, true},
		{Options{Priority: true}, false},
		{Options{Priority: true, BucketQPS: 10}, true},
	} {
		if got := !New(tc.options).Limits().NoBucket; got != tc.bucket {
			t.Errorf("%+v has a bucket: %t, want %t", tc.options, got, tc.bucket)
		}
	}
}
