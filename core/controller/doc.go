// Package controller is the client side of the loop: events pass predicates,
// handlers turn them into keys, keys wait in the queue, a worker runs the
// reconciler on one key in a Pass, and Finish decides what happens to the key.
//
//	informer.Notification -> Predicate -> Handler -> key -> workqueue -> Pass -> Finish
//
// It is passive: it runs when it is called, and a Pass stands still at every
// call until its answer is brought. A process that dies takes all of this with
// it; nothing here is worth storing.
//
// Models sigs.k8s.io/controller-runtime: pkg/internal/controller/controller.go,
// pkg/predicate/predicate.go, pkg/handler/enqueue.go, enqueue_owner.go and
// enqueue_mapped.go, pkg/internal/source/event_handler.go and
// pkg/builder/controller.go.
package controller
