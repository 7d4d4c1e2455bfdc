package apiserver

import (
	"slices"
	"strings"
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

// crdColumns model the tableconvertor of customresourcedefinition.
var crdColumns = []*schema.Column{
	column("Scope", "string", "Cluster/Namespaced"), column("Versions", "string", "Served versions"),
	column("Created At", "date", ageColumn.Description), wide("Group", "string", "API group"),
	wide("Kind", "string", "CustomResource kind"), wide("ShortNames", "string", "Short names"), wide("Established", "boolean", "Established status"),
}

func crdCells(o object.Object, _ time.Time) []any {
	var versions []string
	for _, v := range o.List("spec", "versions").All() {
		m, _ := v.(*object.Map)
		version := object.New(m)
		name := version.Str("name")
		if version.Bool("storage") {
			name += "(storage)"
		}
		if version.Bool("served") {
			versions = append(versions, name)
		}
	}
	slices.Sort(versions)
	var short []string
	for _, v := range o.List("spec", "names", "shortNames").All() {
		s, _ := v.(string)
		short = append(short, s)
	}
	established := false
	for _, v := range o.List("status", "conditions").All() {
		m, _ := v.(*object.Map)
		c := object.New(m)
		established = established || c.Str("type") == "Established" && c.Str("status") == "True"
	}
	return []any{o.Str("spec", "scope"), strings.Join(versions, ","), o.Str("metadata", "creationTimestamp"), o.Str("spec", "group"),
		o.Str("spec", "names", "kind"), strings.Join(short, ","), established}
}

// crdKind is CustomResourceDefinition. Models
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition.
func crdKind() *kind {
	k := &kind{
		Resource: Resource{
			GVR:  object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
			Kind: "CustomResourceDefinition", ListKind: "CustomResourceDefinitionList", Singular: "customresourcedefinition",
			ShortNames: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, HasStatus: true,
			Columns: crdColumns,
		},
		typed: structOf("v1", "CustomResourceDefinition", field("apiVersion", stringType), field("kind", stringType),
			pointer("metadata", objectMetaType), pointer("spec", crdSpecType), pointer("status", crdStatusType)),
		internal:    "apiextensions.CustomResourceDefinition",
		oldVersion:  "v1beta1",
		storagePath: crdPath,
		verbs:       []string{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		cells:       crdCells,
	}
	k.strategy = strategy{
		defaults: schema.DefaultCRD,
		structs: map[string]any{
			"spec":   map[string]any{"names": map[string]any{}},
			"status": map[string]any{"acceptedNames": map[string]any{}, "conditions": nil},
		},
		reset: map[string][]string{"": {"status"}, "status": {"spec"}},
		prepareForCreate: func(s *Server, o object.Object) object.Object {
			o = addStoredVersion(setMeta(o.Unset("status"), "generation", int64(1)))
			return s.track(k, asAPIServer("status"), o, establish(o, stamp(s.now)))
		},
		created: func(o object.Object) object.Object {
			return o.Set(nil, "status", "conditions").Set(map[string]any{"plural": "", "kind": ""}, "status", "acceptedNames")
		},
		prepareForUpdate: func(o, old object.Object) object.Object {
			o = addStoredVersion(keepField(o, old, "status"))
			if !sameBesidesMetadata(o, old) {
				o = setMeta(o, "generation", old.Generation()+1)
			}
			return o
		},
		validate: func(s *Server, o object.Object) []*api.FieldError {
			errs := validateObjectMeta(o, false, func(name string, prefix bool) []string {
				bad := nameIsDNSSubdomain(name, prefix)
				if name != o.Str("spec", "names", "plural")+"."+o.Str("spec", "group") {
					bad = append(bad, `must be spec.names.plural+"."+spec.group`)
				}
				return bad
			})
			_, more := schema.ParseCRD(o, s.evaluators()...)
			return append(append(errs, more...), schema.CheckStoredVersions(o)...)
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
		warnings: crdWarnings,
	}
	return k
}

// addStoredVersion notes the version in which objects are stored from now on.
func addStoredVersion(o object.Object) object.Object {
	stored := o.List("status", "storedVersions")
	for _, v := range o.List("spec", "versions").All() {
		m, _ := v.(*object.Map)
		if version := object.New(m); version.Bool("storage") {
			if name := version.Str("name"); !contains(stored, name) {
				o = o.Set(stored.Append(name), "status", "storedVersions")
			}
			break
		}
	}
	return o
}

// establish sets the status of a definition whose names are free: the real
// server's controllers do so within a moment, here it is done at once; only
// the answer to the create does not show it yet.
func establish(o object.Object, now string) object.Object {
	condition := func(kind, reason, message string) map[string]any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "message": message, "lastTransitionTime": now}
	}
	names, _ := o.At("spec", "names")
	return o.Set(names, "status", "acceptedNames").Set([]map[string]any{
		condition("NamesAccepted", "NoConflicts", "no conflicts found"),
		condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
	}, "status", "conditions")
}

// crdWarnings warn of what is doubtful in a definition and was not there before.
func crdWarnings(o, old object.Object) []string {
	now, _ := schema.ParseCRD(o)
	if old.IsZero() {
		return now.Warnings(nil)
	}
	before, _ := schema.ParseCRD(old)
	return now.Warnings(before)
}

// startCleanup marks a definition as being deleted and holds it until the
// collector has removed its objects.
func startCleanup(s *Server, k *kind, o object.Object, _ deleteOptions) (object.Object, bool, error) {
	if o.Terminating() {
		return o, false, nil
	}
	marked, err := s.write(k, k.key("", o.Name()), noPreconditions, func(o object.Object) (object.Object, error) {
		o = setMeta(o, "deletionTimestamp", stamp(s.now))
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
