// Package rules evaluates x-kubernetes-validations with cel-go. It is the
// schema.Evaluator of programs that link it; the page loads it when it first
// needs it. Models k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel and
// k8s.io/apiserver/pkg/cel at Kubernetes 1.37.
package rules
