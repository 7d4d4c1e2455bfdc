package apiserver

import (
	"fmt"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// namespaceLabel is set on every namespace to its name.
const namespaceLabel = "kubernetes.io/metadata.name"

// namespacePrefix is where namespaces are stored.
const namespacePrefix = "/registry/namespaces/"

// namespaceKind models k8s.io/kubernetes/pkg/registry/core/namespace.
func namespaceKind() *kind {
	condition := structOf("v1", "NamespaceCondition", always("type", stringType, ""), always("status", stringType, ""),
		always("lastTransitionTime", timeType, nil), field("reason", stringType), field("message", stringType))
	k := coreKind("Namespace", "namespaces", []string{"ns"},
		field("spec", structOf("v1", "NamespaceSpec", field("finalizers", &goType{kind: goSlice, name: "[]v1.FinalizerName", elem: stringType}))),
		field("status", structOf("v1", "NamespaceStatus", field("phase", stringType), field("conditions", sliceOf(condition)))))
	k.Namespaced, k.HasStatus = false, true
	k.verbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}
	k.Columns = []*schema.Column{
		column("Status", "string", "The status of the namespace"),
		builtinAge,
	}
	k.cells = func(o object.Object, now time.Time) []any { return []any{o.Str("status", "phase"), age(o, now)} }
	k.strategy = strategy{
		unconditional: true, fieldLabels: atPaths("status.phase"),
		structs: map[string]any{"spec": map[string]any{}, "status": map[string]any{}},
		reset:   map[string][]string{"": {"status"}, "status": {"spec"}, "finalize": {"status"}},
		defaults: func(o object.Object) object.Object {
			if name := o.Name(); name != "" {
				o = o.Set(name, "metadata", "labels", namespaceLabel)
			}
			if o.Str("status", "phase") == "" {
				o = o.Set("Active", "status", "phase")
			}
			return o
		},
		prepareForCreate: func(_ *Server, o object.Object) object.Object {
			finalizers := o.List("spec", "finalizers")
			if !contains(finalizers, kubernetesFinalizer) {
				finalizers = finalizers.Append(kubernetesFinalizer)
			}
			o = o.Set(o.Name(), "metadata", "labels", namespaceLabel)
			return o.Set(finalizers, "spec", "finalizers").Set(map[string]any{"phase": "Active"}, "status")
		},
		prepareForUpdate: func(_ *Server, o, old object.Object) object.Object {
			o = o.Set(old.Name(), "metadata", "labels", namespaceLabel)
			return keepField(keepField(o, old, "spec"), old, "status")
		},
		validate:       func(_ *Server, o object.Object) []*api.FieldError { return validateNamespace(o) },
		validateUpdate: validateNamespaceUpdate,
		subresources: map[string]func(o, old object.Object) object.Object{
			"status": func(o, old object.Object) object.Object { return keepField(o, old, "spec") },
			// A write to /finalize may change all but the status.
			"finalize": func(o, old object.Object) object.Object {
				if o.Map("spec") == nil {
					o = o.Set(map[string]any{}, "spec")
				}
				return keepField(o, old, "status")
			},
		},
		deletion: startTermination,
	}
	return k
}

// kubernetesFinalizer stands in a namespace's spec until the namespace is empty.
const kubernetesFinalizer = "kubernetes"

// validateNamespace models core validation.ValidateNamespace.
func validateNamespace(o object.Object) []*api.FieldError {
	errs := validateCoreMeta(o, false, nameIsDNSLabel)
	for _, v := range o.List("spec", "finalizers").All() {
		errs = append(errs, validateFinalizerName(v, "spec.finalizers")...)
	}
	return errs
}

func validateFinalizerName(v any, path string) []*api.FieldError {
	name, _ := v.(string)
	var errs []*api.FieldError
	for _, msg := range api.IsLabelKey(name) {
		errs = append(errs, invalid(path, name, msg))
	}
	return append(errs, validateKubeFinalizer(path, name)...)
}

// validateNamespaceUpdate checks what each of a namespace's paths takes.
func validateNamespaceUpdate(_ *Server, o, old object.Object, subresource string) []*api.FieldError {
	errs := validateCoreMetaUpdate(o, old)
	switch subresource {
	case "":
		return append(validateNamespace(o), errs...)
	case "finalize":
		for i, v := range o.List("spec", "finalizers").All() {
			errs = append(errs, validateFinalizerName(v, fmt.Sprintf("spec.finalizers[%d]", i))...)
		}
	case "status":
		phase := o.Str("status", "phase")
		if !o.Terminating() && phase != "Active" {
			errs = append(errs, invalid("status.Phase", phase, "may only be 'Active' if `deletionTimestamp` is empty"))
		}
		if o.Terminating() && phase != "Terminating" {
			errs = append(errs, invalid("status.Phase", phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"))
		}
	}
	return errs
}

// protectedNamespace reports whether a namespace may not be deleted.
func protectedNamespace(name string) bool {
	return name == "default" || name == "kube-system" || name == "kube-public"
}

// namespaceFinalizers are an object's finalizers with those that a propagation
// policy asks for. A namespace takes orphanDependents=false for foreground.
func namespaceFinalizers(o object.Object, opts deleteOptions) []string {
	orphan, foreground := o.HasFinalizer(orphanFinalizer), o.HasFinalizer(foregroundFinalizer)
	switch {
	case opts.orphan != nil:
		orphan, foreground = *opts.orphan, !*opts.orphan
	case opts.propagation != nil:
		orphan, foreground = *opts.propagation == "Orphan", *opts.propagation == "Foreground"
	}
	out := slices.DeleteFunc(o.Finalizers(), func(f string) bool { return f == orphanFinalizer || f == foregroundFinalizer })
	if orphan {
		out = append(out, orphanFinalizer)
	}
	if foreground {
		out = append(out, foregroundFinalizer)
	}
	return out
}

// startTermination marks a namespace as Terminating; the collector empties it
// and then takes `kubernetes` out of spec.finalizers.
func startTermination(s *Server, k *kind, o object.Object, opts deleteOptions) (object.Object, bool, error) {
	if protectedNamespace(o.Name()) {
		return o, false, k.forbiddenStatus(o.Name(), "this namespace may not be deleted")
	}
	if o.Terminating() {
		return o, o.List("spec", "finalizers").Len() > 0, nil
	}
	marked, err := s.write(k, k.key("", o.Name()), noPreconditions, func(o object.Object) (object.Object, error) {
		o = o.WithFinalizers(namespaceFinalizers(o, opts)...)
		return setMeta(o, "deletionTimestamp", s.stamp()).Set("Terminating", "status", "phase"), nil
	})
	return marked, true, err
}
