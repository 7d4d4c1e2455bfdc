// Package kubectl is the kubectl command line over an API client: arguments,
// requests, printers, texts of errors and exit codes are those of kubectl
// 1.37.2, so that a script that runs here runs on a real cluster.
//
// Run reads one command line and runs it. It keeps nothing between calls but
// what follows from the server's discovery documents, and moves no bytes
// itself: files, standard streams and the server are given in an Env.
//
// docs/kubectl.md says what works and what differs from the real one. Models
// k8s.io/kubectl/pkg/cmd, k8s.io/cli-runtime/pkg/resource and pkg/printers.
package kubectl
