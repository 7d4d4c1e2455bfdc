// Package peers holds the cluster of this project against the libraries that
// people test controllers with: the same operations are timed side by side, and
// the same questions are asked of both, with a real API server's recorded
// answers as the judge.
//
// It is a module of its own: what it compares with never becomes a dependency of
// the rest.
package peers
