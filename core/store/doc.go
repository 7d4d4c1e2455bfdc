// Package store is etcd in miniature, as an API server uses it: one revision
// counter for everything, a tree of objects by key, the history of changes,
// and compaction of that history.
//
// Every write that changes something takes the next revision, stamps it on the
// object as metadata.resourceVersion and adds one Change. A write that changes
// nothing takes no revision. The state at an older revision, and the changes
// since one, can be asked for as long as they are not compacted.
//
// A Store is cheap to clone: the tree and the history are copy-on-write.
//
// Models k8s.io/apiserver/pkg/storage/etcd3/store.go over go.etcd.io/etcd's
// mvcc.
package store
