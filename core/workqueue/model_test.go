package workqueue

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
)

// model is client-go's queue written down as its source has it: sets, a slice
// and a list of waiting entries, without regard to cost.
type model struct {
	queue             []object.Key
	dirty, processing map[object.Key]bool
	failures          map[object.Key]int
	waiting           []waiting
}

type waiting struct {
	key object.Key
	due time.Time
}

func newModel() *model {
	return &model{dirty: map[object.Key]bool{}, processing: map[object.Key]bool{}, failures: map[object.Key]int{}}
}

func (m *model) add(k object.Key) {
	if m.dirty[k] {
		return
	}
	m.dirty[k] = true
	if !m.processing[k] {
		m.queue = append(m.queue, k)
	}
}

func (m *model) addAfter(now time.Time, k object.Key, d time.Duration) {
	if d <= 0 {
		m.add(k)
		return
	}
	due := now.Add(d)
	for i := range m.waiting {
		if m.waiting[i].key == k {
			if m.waiting[i].due.After(due) {
				m.waiting[i].due = due
			}
			return
		}
	}
	m.waiting = append(m.waiting, waiting{k, due})
}

func (m *model) addRateLimited(now time.Time, k object.Key) {
	d := min(5*time.Millisecond<<min(m.failures[k], 30), 1000*time.Second)
	m.failures[k]++
	m.addAfter(now, k, d)
}

func (m *model) get(k object.Key) bool {
	i := slices.Index(m.queue, k)
	if i < 0 {
		return false
	}
	m.queue = slices.Delete(m.queue, i, i+1)
	m.processing[k] = true
	delete(m.dirty, k)
	return true
}

func (m *model) done(k object.Key) {
	if !m.processing[k] {
		return
	}
	delete(m.processing, k)
	if m.dirty[k] {
		m.queue = append(m.queue, k)
	}
}

func (m *model) promote(now time.Time) {
	// Those that are due at once keep the order in which they began to wait.
	due := slices.Clone(m.waiting)
	slices.SortStableFunc(due, func(a, b waiting) int { return a.due.Compare(b.due) })
	for _, w := range due {
		if w.due.After(now) {
			break
		}
		m.add(w.key)
		m.waiting = slices.DeleteFunc(m.waiting, func(o waiting) bool { return o.key == w.key })
	}
}

// agree compares everything that can be seen of the queue with the model.
func (m *model) agree(t *rapid.T, q *Queue) {
	var ready, busy []object.Key
	for _, it := range q.Ready() {
		ready = append(ready, it.Key)
		if len(it.Why) == 0 {
			t.Fatalf("%s is ready for no reason", it.Key)
		}
	}
	if !slices.Equal(ready, m.queue) {
		t.Fatalf("ready %v, model %v", ready, m.queue)
	}
	for k := range m.processing {
		busy = append(busy, k)
		if _, dirty := q.Dirty(k); dirty != m.dirty[k] {
			t.Fatalf("%s dirty is %v", k, dirty)
		}
	}
	slices.SortFunc(busy, object.Key.Compare)
	if got := q.Processing(); !slices.Equal(got, busy) {
		t.Fatalf("processing %v, model %v", got, busy)
	}
	due := map[object.Key]time.Time{}
	for _, w := range m.waiting {
		due[w.key] = w.due
	}
	got := map[object.Key]time.Time{}
	last := time.Time{}
	for _, it := range q.Waiting() {
		got[it.Key] = it.Due
		if it.Due.Before(last) {
			t.Fatalf("%s is out of order", it.Key)
		}
		last = it.Due
	}
	if !reflect.DeepEqual(got, due) {
		t.Fatalf("waiting %v, model %v", got, due)
	}
	for k, n := range m.failures {
		if q.NumRequeues(k) != n {
			t.Fatalf("%s has %d failures, model %d", k, q.NumRequeues(k), n)
		}
	}
}

// A random sequence of operations gives the same as the model, and an abandoned
// clone, changed at random, has no influence on it.
func TestQueueAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, m, now := New(Options{NoBucket: true}), newModel(), start
		anyKey := rapid.Map(rapid.IntRange(0, 4), func(n int) object.Key { return key(fmt.Sprint(n)) })
		anyDelay := rapid.Map(rapid.IntRange(-1, 6), func(n int) time.Duration { return time.Duration(n) * 10 * time.Millisecond })
		why := because("drawn")
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				q.Add(now, k, why)
				m.add(k)
			},
			"addAfter": func(t *rapid.T) {
				k, d := anyKey.Draw(t, "key"), anyDelay.Draw(t, "delay")
				q.AddAfter(now, k, d, why)
				m.addAfter(now, k, d)
			},
			"addRateLimited": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				q.AddRateLimited(now, k, why)
				m.addRateLimited(now, k)
			},
			"forget": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				q.Forget(k)
				delete(m.failures, k)
			},
			"get": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				if _, ok := q.GetKey(k); ok != m.get(k) {
					t.Fatalf("GetKey(%s) is %v", k, ok)
				}
			},
			"getFirst": func(t *rapid.T) {
				it, ok := q.Get()
				if ok != (len(m.queue) > 0) || ok && it.Key != m.queue[0] {
					t.Fatalf("Get gives %v %v", it.Key, ok)
				}
				m.get(it.Key)
			},
			"done": func(t *rapid.T) {
				k := anyKey.Draw(t, "key")
				q.Done(k)
				m.done(k)
			},
			"promote": func(t *rapid.T) {
				now = now.Add(max(0, anyDelay.Draw(t, "time")))
				q.Promote(now)
				m.promote(now)
			},
			"abandonClone": func(t *rapid.T) {
				c := q.Clone()
				k := anyKey.Draw(t, "key")
				c.Add(now, k, because("in the clone"))
				c.AddRateLimited(now, k, because("in the clone"))
				c.Get()
				c.Promote(now.Add(time.Hour))
			},
			"": func(t *rapid.T) { m.agree(t, q) },
		})
	})
}
