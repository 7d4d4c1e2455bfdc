// Package workqueue is the queue between event handlers and workers: fair
// (keys are taken in the order in which they became ready), stingy (a key that
// waits or is being worked on is in it once, however often it was added),
// delayed and rate limited.
//
// It is passive. Time is passed in, nothing waits, and nothing becomes ready
// until somebody calls Promote. A key is in one of these states:
//
//	ready       added, taken by Get next; stands in the dirty set
//	processing  taken, its worker has not called Done yet
//	dirty       added again while processing: Done makes it ready
//	waiting     added with a delay; Promote adds it once it is due
//
// A key may wait and be ready or processing at the same time, as in client-go.
// Failures and the delay computed from them are kept per key until Forget.
//
// With Options.Priority it is the queue that controller-runtime has by default:
// keys have priorities, and a key has one entry, so it waits or is ready, and
// keeps the place that it got when it was added.
//
// Unlike the originals', every entry knows why it is there.
//
// Models k8s.io/client-go/util/workqueue: queue.go, delaying_queue.go,
// rate_limiting_queue.go and default_rate_limiters.go; and controller-runtime's
// pkg/controller/priorityqueue. Shutting down, metrics
// and blocking are left out: a crash drops the whole queue.
package workqueue
