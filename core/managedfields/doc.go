// Package managedfields tracks which client set which field, and merges applied
// configurations: the server's side of server-side apply.
//
// A FieldManager does so for one resource or subresource. Its Update computes
// metadata.managedFields after a create, update or patch; its Apply merges a
// configuration into the live object, finds conflicts, and removes what the
// applier no longer lists. How lists and maps merge is said by a Type: that of a
// custom resource follows from its structural schema, those of built-in kinds
// are written down in a table here.
//
// Comparing and merging is done by sigs.k8s.io/structured-merge-diff, which
// reads the trees of core/object as they are.
//
// Models k8s.io/apimachinery/pkg/util/managedfields and its internal package,
// and k8s.io/kube-openapi/pkg/schemaconv for the types.
package managedfields
