// Package adapter runs a reconciler written for controller-runtime, unchanged,
// over the simulated API server: as a reconcile.Reconciler of this project, which
// explore.Run proves.
//
// The client that it gives is controller-runtime's own. Beneath it there is no
// network: an HTTP request becomes one call of the pass that makes it, which can
// be stepped, and hit by any fault. Reads go where controller-runtime sends them,
// to the cache of the controller's informers or to the server.
//
// What a reconciler owes for this: it remembers nothing between two passes, makes
// its calls on the goroutine that Reconcile runs on, and asks the Manager for the
// time where it does more with it than writing it down. A time of the host that
// it writes into an object, as meta.SetStatusCondition does, is stored as the
// virtual one.
package adapter
