// Package apiserver does what a kube-apiserver does: it takes requests, keeps
// objects with their metadata, generation, status and finalizers as the real
// one does, serves custom resources by their definitions, and answers in the
// real one's words.
//
// A Server is passive and deterministic: Do serves one request at the time
// that is passed in, and uids and name suffixes come from a seeded generator
// which is part of the server. Clone is cheap, whatever the server holds.
//
// Models k8s.io/apiserver/pkg/registry/generic/registry/store.go with
// pkg/registry/rest/{create,update,delete}.go, the handlers of
// pkg/endpoints/handlers, k8s.io/apiextensions-apiserver for custom resources,
// and the strategies in k8s.io/kubernetes/pkg/registry/core for the built-in
// kinds.
package apiserver
