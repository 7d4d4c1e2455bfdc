// Package collector is the part of kube-controller-manager that a reconciler
// relies on: the garbage collector (owner references; background, foreground
// and orphan deletion), the end of namespaces and of custom resource
// definitions.
//
// A Collector is passive. It is fed every change of every object in order of
// revision, says what it would do next, and does one piece of it when told. It
// sees the cluster only through those changes and through the requests that it
// makes, so that its view may lag behind as a real one's does.
//
// Models k8s.io/kubernetes/pkg/controller/garbagecollector (graph_builder.go,
// garbagecollector.go, operations.go), pkg/controller/namespace/deletion, and
// k8s.io/apiextensions-apiserver/pkg/controller/finalizer. What their workers
// do at once or after a delay is done here in one order, when stepped; an
// attempt that waits for something is made again when that something changes.
package collector
