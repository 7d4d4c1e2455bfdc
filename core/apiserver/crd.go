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
	return []any{o.Str("spec", "scope"), strings.Join(versions, ","), o.Str("metadata", "creationTimestamp"), o.Str("spec", "group"),
		o.Str("spec", "names", "kind"), strings.Join(short, ","), conditionTrue(o, "Established")}
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
		nullRows:    true,
	}
	k.strategy = strategy{
		defaults: schema.DefaultCRD,
		structs: map[string]any{
			"spec":   map[string]any{"names": map[string]any{}},
			"status": map[string]any{"acceptedNames": map[string]any{}, "conditions": nil},
		},
		reset: map[string][]string{"": {"status"}, "status": {"spec"}},
		prepareForCreate: func(_ *Server, o object.Object) object.Object {
			o = completeStatus(addStoredVersion(setMeta(o.Unset("status"), "generation", int64(1))))
			return schema.CoerceDefaults(o, decodeEmbeddedMeta)
		},
		prepareForUpdate: func(_ *Server, o, old object.Object) object.Object {
			o = schema.CoerceDefaults(addStoredVersion(keepField(o, old, "status")), decodeEmbeddedMeta)
			if !sameBesidesMetadata(o, old) {
				o = setMeta(o, "generation", old.Generation()+1)
			}
			return o
		},
		validate: func(s *Server, o object.Object) []*api.FieldError {
			errs := validateObjectMeta(o, object.Object{}, false, func(name string, prefix bool) []string {
				bad := nameIsDNSSubdomain(name, prefix)
				if name != o.Str("spec", "names", "plural")+"."+o.Str("spec", "group") {
					bad = append(bad, `must be spec.names.plural+"."+spec.group`)
				}
				return bad
			})
			_, more := schema.ParseCRD(o, s.checker())
			return append(append(errs, more...), schema.CheckStoredVersions(o)...)
		},
		validateUpdate: func(s *Server, o, old object.Object, subresource string) []*api.FieldError {
			errs := validateObjectMetaUpdate(o, old)
			if subresource == "status" {
				return errs
			}
			_, more := schema.ParseCRDUpdate(o, old, s.checker())
			return append(errs, more...)
		},
		subresources: map[string]func(o, old object.Object) object.Object{
			// Metadata comes along, as with the real one, finalizers too: so its
			// cleanup ends.
			"status": func(o, old object.Object) object.Object { return completeStatus(keepField(o, old, "spec")) },
		},
		deletion: startCleanup,
		warnings: crdWarnings,
	}
	return k
}

// completeStatus gives a status the fields that its Go type always has.
func completeStatus(o object.Object) object.Object {
	if _, ok := o.At("status", "conditions"); !ok {
		o = o.Set(nil, "status", "conditions")
	}
	for _, name := range []string{"plural", "kind"} {
		if _, ok := o.At("status", "acceptedNames", name); !ok {
			o = o.Set("", "status", "acceptedNames", name)
		}
	}
	return o
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
		o = setMeta(o, "deletionTimestamp", s.stamp())
		if !o.HasFinalizer(cleanupFinalizer) {
			o = o.WithFinalizers(append(o.Finalizers(), cleanupFinalizer)...)
		}
		conditions := o.List("status", "conditions").Append(object.FromAny(map[string]any{
			"type": "Terminating", "status": "True", "reason": "InstanceDeletionPending", "lastTransitionTime": s.stamp(),
			"message": "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"}))
		return o.Set(conditions, "status", "conditions"), nil
	})
	return marked, true, err
}

// afterWrite serves what a definition defines.
func (s *Server) afterWrite(k *kind, o object.Object) {
	if k.GVR.Resource != "customresourcedefinitions" || k.Custom {
		return
	}
	if !o.Terminating() && !s.named(o).Equal(o) {
		s.nameAgain(k, o)
		return
	}
	s.define(o)
}

// define serves what a definition defines, once it is established.
func (s *Server) define(o object.Object) {
	if !conditionTrue(o, "Established") {
		s.kinds = s.kinds.withCRD(o.Name(), nil, nil)
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
	for _, o := range s.store.Range(crdPrefix, "") {
		s.define(o)
	}
}

func (s *Server) checker() schema.Checker {
	return schema.Checker{Rules: s.rules, Decode: decodeEmbeddedMeta, Metadata: embeddedMeta}
}

// afterDelete ends the serving of what a deleted definition defined. Another
// definition that waited for its names may have them.
func (s *Server) afterDelete(k *kind, o object.Object) {
	if k.GVR.Resource != "customresourcedefinitions" || k.Custom {
		return
	}
	s.kinds = s.kinds.withCRD(o.Name(), nil, nil)
	for _, other := range s.store.Range(crdPrefix, "") {
		if other.Str("spec", "group") == o.Str("spec", "group") {
			s.afterWrite(k, other)
		}
	}
}
