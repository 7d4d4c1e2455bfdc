// Package schema is what a CustomResourceDefinition says about its objects:
// names and versions, the structural schema that defaults, prunes and
// validates them, and the columns in which they are printed. A definition is
// itself validated here.
//
// A Schema and a CRD are immutable once parsed and may be shared.
//
// Models k8s.io/apiextensions-apiserver/pkg/apiserver/schema (structural,
// defaulting, pruning, objectmeta, listtype), .../pkg/apiserver/validation
// (ratcheting), .../pkg/apis/apiextensions/validation, and
// k8s.io/kube-openapi/pkg/validation/validate, whose words the errors are.
// Where the real server walks a Go map, and so gives several errors in
// changing order, this package goes by sorted key.
package schema
