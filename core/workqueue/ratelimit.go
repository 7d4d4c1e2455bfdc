package workqueue

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Options are a queue's rate limits. The zero value of each field stands for
// client-go's default, DefaultTypedControllerRateLimiter.
type Options struct {
	// BaseDelay is the delay after a key's first failure, 5 ms; it doubles with
	// each further one.
	BaseDelay time.Duration
	// MaxDelay caps it, 1000 s.
	MaxDelay time.Duration
	// BucketQPS is how many keys a second may be added rate limited, over all
	// keys, once the burst is used up: 10.
	BucketQPS int
	// BucketBurst is how many may be added at once: 100.
	BucketBurst int
	// NoBucket leaves the limit over all keys out, as controller-runtime does
	// since v0.23.
	NoBucket bool
	// Priority makes it the queue that controller-runtime uses since v0.23: keys
	// of a higher priority are taken first, and a key has one entry, so that
	// adding it ends its waiting. Without numbers for a bucket it has none.
	Priority bool
}

func (o Options) withDefaults() Options {
	if o.BaseDelay == 0 {
		o.BaseDelay = 5 * time.Millisecond
	}
	if o.MaxDelay == 0 {
		o.MaxDelay = 1000 * time.Second
	}
	if o.Priority && o.BucketQPS == 0 && o.BucketBurst == 0 {
		o.NoBucket = true
	}
	if o.BucketQPS == 0 {
		o.BucketQPS = 10
	}
	if o.BucketBurst == 0 {
		o.BucketBurst = 100
	}
	return o
}

// AddOpts say how a key is added: at once, or later.
type AddOpts struct {
	// After is how long the key waits; not positive for not at all.
	After time.Duration
	// RateLimited counts a failure and makes the key wait as AddRateLimited says,
	// or for After where that is shorter and the queue has priorities.
	RateLimited bool
	// Priority: higher ones are taken first. Of several for one key the highest
	// holds; a key that is raised goes behind those that have it already. A queue
	// without priorities ignores it.
	Priority int
}

// AddWithOpts adds key as opts say, and returns for how long it was asked to
// wait. Models priorityqueue.AddWithOpts.
func (q *Queue) AddWithOpts(now time.Time, key object.Key, opts AddOpts, why Why) time.Duration {
	after := opts.After
	if opts.RateLimited {
		limit := q.limit(now, key)
		if !q.limits.Priority || after == 0 || limit < after {
			after = limit
		}
	}
	if !q.limits.Priority {
		opts.Priority = 0
	}
	if after <= 0 {
		q.add(now, key, opts.Priority, []Why{why})
		return 0
	}
	q.addAfter(now, key, after, opts.Priority, []Why{why})
	return after
}

// Priority returns the priority with which a key that is being processed was
// taken, 0 for any other.
func (q *Queue) Priority(key object.Key) int { return q.record(key).taken }

// AddRateLimited counts a failure of key, adds it after the delay that the rate
// limits ask for, and returns that delay: the longer one of the key's own
// backoff and of the bucket, of which one token is taken in any case.
func (q *Queue) AddRateLimited(now time.Time, key object.Key, why Why) time.Duration {
	return q.AddWithOpts(now, key, AddOpts{RateLimited: true}, why)
}

// limit counts a failure of key and returns the delay for it.
func (q *Queue) limit(now time.Time, key object.Key) time.Duration {
	r := q.record(key)
	delay := q.limits.backoff(r.failures)
	r.failures++
	q.set(r)
	if !q.limits.NoBucket {
		delay = max(delay, q.bucket.reserve(now, q.limits))
	}
	return delay
}

// Forget clears the failures of key: its next backoff starts from BaseDelay. It
// takes nothing out of the queue.
func (q *Queue) Forget(key object.Key) {
	r := q.record(key)
	r.failures = 0
	q.set(r)
}

// NumRequeues returns how many failures of key were counted since Forget.
func (q *Queue) NumRequeues(key object.Key) int { return q.record(key).failures }

// Failing returns the keys with failures, in order of key, with nothing but Key
// and Failures set.
func (q *Queue) Failing() []Item {
	var items []Item
	q.records.Scan(func(r record) bool {
		if r.failures > 0 {
			items = append(items, Item{Key: r.key, Failures: r.failures})
		}
		return true
	})
	return items
}

// Debt is how long the bucket would take to be full again: 0 for a full one,
// more than BucketBurst/BucketQPS seconds where keys wait for tokens.
func (q *Queue) Debt(now time.Time) time.Duration { return max(0, q.bucket.full.Sub(now)) }

// backoff is BaseDelay * 2^failures, capped. Models
// ItemExponentialFailureRateLimiter.
func (o Options) backoff(failures int) time.Duration {
	d := o.BaseDelay
	for range failures {
		if d > o.MaxDelay/2 {
			return o.MaxDelay
		}
		d *= 2
	}
	return min(d, o.MaxDelay)
}

// bucket is a token bucket that starts full. Instead of a count of tokens it
// keeps the time at which it is full again, which is exact.
type bucket struct{ full time.Time }

// reserve takes a token, one of the future where there is none left, and
// returns how long it takes until that token is there. Models
// golang.org/x/time/rate.
func (b *bucket) reserve(now time.Time, o Options) time.Duration {
	token := time.Second / time.Duration(o.BucketQPS)
	if b.full.Before(now) {
		b.full = now
	}
	b.full = b.full.Add(token)
	return max(0, b.full.Sub(now)-token*time.Duration(o.BucketBurst))
}
