// Package api is the wire between the two sides of the cluster: what a client
// asks of an API server, what it answers, and what both say of errors. It also
// carries the requests to the cloud, the world outside the cluster.
//
// Values of this package are passed by value and their trees are immutable, so
// they may be kept, logged and replayed. Nothing here knows how either side
// works.
//
// Models k8s.io/apimachinery/pkg/apis/meta/v1 (options, Status) and
// k8s.io/apimachinery/pkg/api/errors.
package api
