// Package peers holds the cluster of this project against the libraries that
// people test controllers with: the same operations are timed side by side, and
// the same questions are asked of both, with a real API server's recorded
// answers as the judge. What stands between a server and a reconciler (informer,
// queues, handlers, the controller's loop) is played against client-go's and
// controller-runtime's by random sequences; docs/client.md says what differs.
//
// It is a module of its own: what it compares with never becomes a dependency of
// the rest.
package peers
