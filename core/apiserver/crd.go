package apiserver

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// cleanupFinalizer holds a definition until its objects are gone.
const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io"

// crdPath and crdPrefix are where definitions are stored.
const (
	crdPath   = "apiextensions.k8s.io/customresourcedefinitions"
	crdPrefix = "/registry/" + crdPath + "/"
)

// crdKind is CustomResourceDefinition. Models
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition.
func crdKind() *kind {
	k := &kind{
		Resource: Resource{
			GVR:  object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
			Kind: "CustomResourceDefinition", ListKind: "CustomResourceDefinitionList", Singular: "customresourcedefinition",
			ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, HasStatus: true,
			Columns: []*schema.Column{{Name: "Created At", Type: "date", Description: ageColumn.Description}},
		},
		typed: structOf("v1", "CustomResourceDefinition", field("apiVersion", stringType), field("kind", stringType),
			pointer("metadata", objectMetaType), pointer("spec", anyType), pointer("status", anyType)),
		internal:    "apiextensions.CustomResourceDefinition",
		storagePath: crdPath,
		verbs:       []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		cells:       func(o object.Object, _ time.Time) []any { return []any{o.Str("metadata", "creationTimestamp")} },
	}
	k.strategy = strategy{
		defaults: schema.DefaultCRD,
		structs: map[string]any{
			"spec":   map[string]any{"names": map[string]any{}},
			"status": map[string]any{"acceptedNames": map[string]any{}, "conditions": nil},
		},
		reset: map[string][]string{"": {"status"}, "status": {"spec"}},
		prepareForCreate: func(s *Server, o object.Object) object.Object {
			o = setMeta(o.Unset("status"), "generation", int64(1))
			done := establish(o, stamp(s.now))
			stored, _ := done.At("status", "storedVersions")
			return s.track(k, asAPIServer("status"), o.Set(stored, "status", "storedVersions"), done)
		},
		prepareForUpdate: func(o, old object.Object) object.Object {
			o = keepField(o, old, "status")
			if !sameBesidesMetadata(o, old) {
				o = setMeta(o, "generation", old.Generation()+1)
			}
			return o
		},
		validate: func(s *Server, o object.Object) []*api.FieldError {
			errs := validateObjectMeta(o, false, nameIsDNSSubdomain)
			_, more := schema.ParseCRD(o, s.evaluators()...)
			return append(errs, more...)
		},
		validateUpdate: func(s *Server, o, old object.Object, _ string) []*api.FieldError {
			_, errs := schema.ParseCRDUpdate(o, old, s.evaluators()...)
			return errs
		},
		subresources: map[string]func(o, old object.Object) object.Object{
			// Finalizers come along, as with the real one: so its cleanup ends.
			"status": func(o, old object.Object) object.Object {
				return keepMeta(keepField(old, o, "status"), o, "finalizers", "resourceVersion", "managedFields")
			},
		},
		deletion: startCleanup,
	}
	return k
}

// establish sets the status of a definition whose names are free: the real
// server's controllers do so within a moment, here it is done at once.
func establish(o object.Object, now string) object.Object {
	condition := func(kind, reason, message string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now}
	}
	stored := []string{}
	for _, v := range o.List("spec", "versions").All() {
		if m, ok := v.(*object.Map); ok && object.New(m).Bool("storage") {
			stored = append(stored, object.New(m).Str("name"))
		}
	}
	names, _ := o.At("spec", "names")
	return o.Set(map[string]any{
		"acceptedNames":  names,
		"storedVersions": stored,
		"conditions": []map[string]any{
			condition("NamesAccepted", "NoConflicts", "no conflicts found"),
			condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
		},
	}, "status")
}

// startCleanup marks a definition as being deleted and holds it until the
// collector has removed its objects.
func startCleanup(s *Server, k *kind, o object.Object) (object.Object, bool, error) {
	if o.Terminating() {
		return o, false, nil
	}
	marked, err := s.write(k, k.key("", o.Name()), noPreconditions, func(o object.Object) (object.Object, error) {
		o = setMeta(o, "deletionTimestamp", stamp(s.now))
		if o.Generation() > 0 {
			o = setMeta(o, "generation", o.Generation()+1)
		}
		if !o.HasFinalizer(cleanupFinalizer) {
			o = o.WithFinalizers(append(o.Finalizers(), cleanupFinalizer)...)
		}
		conditions := o.List("status", "conditions").Append(object.FromAny(map[string]any{
			"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending", "lastTransitionTime": stamp(s.now),
			"message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"}))
		return o.Set(conditions, "status", "conditions"), nil
	})
	return marked, true, err
}

// definition returns the CustomResourceDefinition of a custom resource.
func (s *Server) definition(k *kind) object.Object {
	o, _ := s.store.Get(crdPrefix + k.crd.Name)
	return o
}

// afterWrite serves what a definition defines.
func (s *Server) afterWrite(k *kind, o object.Object) {
	if k.GVR.Resource != "customresourcedefinitions" || k.Custom {
		return
	}
	// It was validated before it was stored, its rules too.
	crd, _ := schema.ParseCRD(o)
	s.kinds = s.kinds.withCRD(o.Name(), crd, s.rules)
}

// SetRules gives the server an evaluator of x-kubernetes-validations. Without
// one a definition that has such rules is refused, and the rules of one that is
// stored already are not evaluated.
func (s *Server) SetRules(rules schema.Evaluator) {
	s.rules = rules
	s.serveStored()
}

// serveStored serves what the stored definitions define.
func (s *Server) serveStored() {
	k := crdKind()
	for _, o := range s.store.Range(crdPrefix, "") {
		s.afterWrite(k, o)
	}
}

func (s *Server) evaluators() []schema.Evaluator {
	if s.rules == nil {
		return nil
	}
	return []schema.Evaluator{s.rules}
}

// afterDelete ends that.
func (s *Server) afterDelete(k *kind, o object.Object) {
	if k.GVR.Resource == "customresourcedefinitions" && !k.Custom {
		s.kinds = s.kinds.withCRD(o.Name(), nil, nil)
	}
}
