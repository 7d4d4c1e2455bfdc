// Package rest is the codec between HTTP and package api: method, path, query,
// content type and body of a request, and status code, headers and body of an
// answer. It moves no bytes itself and needs no HTTP library.
//
// Models k8s.io/apiserver/pkg/endpoints/request/requestinfo.go, the content
// negotiation of pkg/endpoints/handlers/negotiation, and on the client's side
// k8s.io/client-go/rest/request.go.
package rest
