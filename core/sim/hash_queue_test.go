package sim

import (
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// With priorities a key that was added while it is worked on has its place
// already, before or behind others: the worlds go on differently.
func TestHashKnowsThePlaceOfADirtyKey(t *testing.T) {
	sum := func(priority bool, again ...string) digest {
		c := controller.New(controller.Spec{Queue: workqueue.Options{Priority: priority}})
		q, now := c.Queue(), time.Time{}
		q.Add(now, object.Key{Name: "a"}, workqueue.Why{})
		q.Get()
		for _, name := range again {
			q.Add(now, object.Key{Name: name}, workqueue.Why{})
		}
		h := Hasher{sum: newDigest(), now: now}
		h.queue(&process{ctrl: c})
		return h.sum
	}
	if sum(true, "a", "b") == sum(true, "b", "a") {
		t.Error("with priorities, two orders have one sum")
	}
	if sum(false, "a", "b") != sum(false, "b", "a") {
		t.Error("without priorities, a key goes to the end at Done whatever the order was")
	}
}
