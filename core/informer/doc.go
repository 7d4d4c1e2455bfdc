// Package informer keeps a client's copy of one resource: it lists, watches
// from where the list ended, lists again when the server no longer has that
// point (410), and tells handlers what changed after it has updated the copy.
//
// It is passive: it says which request it wants to make and takes the answer,
// whenever somebody brings it. An Informer goes round like this:
//
//	NeedsList --ListRequest--> Listing --Listed--> NeedsWatch --Watched--> Watching
//	    ^                         |                    |  ^                  |
//	    |                       error                  |  +----- Closed -----+
//	    +-------------------------+----- error --------+------ error --------+
//
// The error 429 of a watch leads to NeedsWatch instead. After an error Backoff
// says how long to wait.
//
// What is between the server and Deliver (events on the wire) is not yet in the
// cache: that is the lag that every reader of a cache lives with.
//
// Models k8s.io/client-go/tools/cache: reflector.go, the_real_fifo.go,
// controller.go (processDeltas) and shared_informer.go, with one handler and
// list-then-watch instead of a streamed list. Backoff is the shortest that jitter
// makes of the original's, and starts anew after a success instead of every two
// minutes; a watch that ends at once without an event is not an error.
package informer
