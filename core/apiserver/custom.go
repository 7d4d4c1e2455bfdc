package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// customVerbs are a custom resource's, in the order of its discovery document.
var customVerbs = []string{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}

// terminatingVerbs are those of a definition that is being deleted.
var terminatingVerbs = []string{"delete", "deletecollection", "get", "list", "watch"}

// customKinds are the kinds that a definition serves, one for each version.
// rules may be nil.
func customKinds(crd *schema.CRD, rules schema.Evaluator) []*kind {
	var out []*kind
	types := customTypes(crd)
	for _, v := range crd.Versions {
		if !v.Served {
			continue
		}
		k := &kind{
			Resource: Resource{
				GVR: crd.GVR(v.Name), Kind: crd.Kind, ListKind: crd.ListKind, Singular: crd.Singular,
				ShortNames: crd.ShortNames, Categories: crd.Categories,
				Namespaced: crd.Namespaced, HasStatus: v.HasStatus, Custom: true,
			},
			storagePath: crd.Group + "/" + crd.Plural, verbs: customVerbs,
			crd: crd, version: v, rules: rules,
			coerces: !crd.SameSchemas() || crd.Generation > 1 || v.HasStatus && v.Schema.FillsIn("status"),
		}
		if crd.Terminating {
			k.verbs = terminatingVerbs
		}
		if stored := crd.Storage(); stored != nil {
			k.storageVersion = crd.GVR(stored.Name).APIVersion()
		}
		if k.Columns = describedColumns(v.Columns); len(k.Columns) == 0 {
			k.Columns = []*schema.Column{ageColumn}
		}
		for _, c := range k.Columns {
			path, err := object.ParseJSONPath("{" + c.JSONPath + "}")
			if err != nil {
				path = nil
			}
			k.paths = append(k.paths, path)
		}
		k.strategy, k.managers = customStrategy(k), customManagers(k, types)
		k.fieldLabels = map[string]func(object.Object) string{}
		for _, path := range v.Selectable {
			k.fieldLabels[strings.TrimPrefix(path, ".")] = nil
		}
		out = append(out, k)
	}
	return out
}

// describedColumns are columns of which each says something of itself; those of
// the definition stay as they are.
func describedColumns(columns []*schema.Column) []*schema.Column {
	out := make([]*schema.Column, len(columns))
	for i, c := range columns {
		own := *c
		if own.Description == "" {
			own.Description = "Custom resource definition column (in JSONPath format): " + own.JSONPath
		}
		out[i] = &own
	}
	return out
}

// ageColumn is what a definition without printer columns shows.
var ageColumn = &schema.Column{Name: "Age", Type: "date", JSONPath: ".metadata.creationTimestamp",
	Description: "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"}

// customStrategy models customResourceStrategy and statusStrategy of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func customStrategy(k *kind) strategy {
	st := strategy{
		prepareForCreate: func(_ *Server, o object.Object) object.Object {
			if k.HasStatus {
				o = o.Unset("status")
			}
			return o
		},
		prepareForUpdate: func(s *Server, o, old object.Object) object.Object {
			if k.HasStatus {
				o = keepField(o, old, "status")
			}
			if !sameBesidesMetadata(o, old) {
				o = s.nextGeneration(o, old)
			}
			return o
		},
		validate: func(_ *Server, o object.Object) []*api.FieldError {
			if errs := k.validateTypeMeta(o); len(errs) > 0 {
				return errs
			}
			errs, _ := k.version.Schema.Check(schema.Write{Object: o.Root(), Rules: k.rules, Metadata: embeddedMeta,
				Found: once(validateObjectMeta(o, object.Object{}, k.Namespaced, nameIsDNSSubdomain)), Beside: k.validateScale(o, "")})
			return errs
		},
		validateUpdate: func(s *Server, o, old object.Object, subresource string) []*api.FieldError {
			w := schema.Write{Object: o.Root(), Old: old.Root(), Settled: !k.coerces, Status: subresource == "status", Rules: k.rules, Metadata: embeddedMeta}
			if w.Found = k.validateTypeMeta(o); len(w.Found) > 0 {
				w.Unlike = true
			} else {
				w.Found, w.Beside = once(validateObjectMetaUpdate(o, old)), k.validateScale(o, subresource)
			}
			errs, warnings := k.version.Schema.Check(w)
			s.warned = warnings
			return errs
		},
		warnings: customWarnings,
	}
	if k.HasStatus {
		st.subresources = map[string]func(o, old object.Object) object.Object{
			// A write to /status takes status and nothing else but who wrote it.
			"status": func(o, old object.Object) object.Object {
				return keepMeta(keepField(old, o, "status"), o, "managedFields")
			},
		}
	}
	return st
}

// embeddedMeta checks the metadata of an object inside an object. Models
// objectmeta.validateEmbeddedResource.
func embeddedMeta(meta *object.Map, path string) []*api.FieldError {
	d := goDecoder{}
	v, err := d.decodeAll(meta, objectMetaType)
	if err != nil {
		return []*api.FieldError{invalid(path, meta, err.Error())}
	}
	m, _ := v.(*object.Map)
	o := object.New(object.NewMap(object.Field{Key: "metadata", Value: m}))
	if o.Name() == "" {
		// It needs no name, which validation would miss.
		o = setMeta(o, "name", "fakename")
	}
	errs := validateObjectMeta(o, object.Object{}, o.Namespace() != "", nameIsPathSegment)
	for _, e := range errs {
		e.Field = path + strings.TrimPrefix(e.Field, "metadata")
	}
	return errs
}

func sameBesidesMetadata(a, b object.Object) bool {
	if a.Root().Len() != b.Root().Len() {
		return false
	}
	for key, v := range a.Root().All() {
		if w, ok := b.Root().Get(key); !ok || key != "metadata" && !object.Equal(v, w) {
			return false
		}
	}
	return true
}

// validateTypeMeta refuses an object of another kind or version.
func (k *kind) validateTypeMeta(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	if o.Kind() != k.Kind {
		errs = append(errs, invalid("kind", o.Kind(), "must be "+k.Kind))
	}
	if want := k.apiVersion(); o.APIVersion() != want {
		errs = append(errs, invalid("apiVersion", o.GVK().APIVersion(), "must be "+want))
	}
	return errs
}

// deprecation warns of a version that is not to be used any more, whatever is
// asked of it.
func (k *kind) deprecation() []string {
	switch {
	case k.version == nil || !k.version.Deprecated:
		return nil
	case k.version.DeprecationWarning != "":
		return []string{k.version.DeprecationWarning}
	}
	text := fmt.Sprintf("%s %s is deprecated", k.GVR.APIVersion(), k.Kind)
	if better := k.replacement(); better != "" {
		text += fmt.Sprintf("; use %s/%s %s", k.GVR.Group, better, k.Kind)
	}
	return []string{text}
}

// replacement is the best served version that is newer and not deprecated.
func (k *kind) replacement() string {
	best := ""
	for _, v := range k.crd.Versions {
		newer := v.Served && !v.Deprecated && compareVersions(v.Name, k.version.Name) < 0
		if newer && (best == "" || compareVersions(v.Name, best) < 0) {
			best = v.Name
		}
	}
	return best
}

// customWarnings warn of finalizers that a write adds, sorted. Models
// generateWarningsFromObj.
func customWarnings(o, old object.Object) []string {
	if o.List("metadata", "finalizers").Len() == 0 {
		return nil
	}
	var out []string
	for _, f := range slices.Compact(slices.Sorted(slices.Values(o.Finalizers()))) {
		if old.HasFinalizer(f) || strings.Contains(f, "/") || standardFinalizer(f) {
			continue
		}
		how := ""
		if strings.Contains(f, ".") {
			how = " including a path (/)"
		}
		out = append(out, fmt.Sprintf("metadata.finalizers: %q: prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers", f, how))
	}
	return out
}
