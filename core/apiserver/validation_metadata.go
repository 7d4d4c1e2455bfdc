package apiserver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

func invalid(path string, v any, detail string) *api.FieldError {
	return &api.FieldError{Type: api.FieldInvalid, Field: path, Value: v, Detail: detail}
}

func required(path, detail string) *api.FieldError {
	return &api.FieldError{Type: api.FieldRequired, Field: path, Detail: detail}
}

func forbidden(path, detail string) *api.FieldError {
	return &api.FieldError{Type: api.FieldForbidden, Field: path, Detail: detail}
}

// notSupported is field.NotSupported: the detail lists what is supported.
func notSupported(path string, v any, supported ...string) *api.FieldError {
	quoted := make([]string, len(supported))
	for i, s := range supported {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return &api.FieldError{Type: api.FieldNotSupported, Field: path, Value: v, Detail: "supported values: " + strings.Join(quoted, ", ")}
}

const fieldImmutable = "field is immutable"

// validateObjectMeta checks metadata of an object. What it shares with old, zero
// for a new object, is right. Models apimachinery's
// validation.ValidateObjectMetaAccessor.
func validateObjectMeta(o, old object.Object, namespaced bool, check nameCheck) []*api.FieldError {
	var errs []*api.FieldError
	meta, before := object.New(o.Map("metadata")), object.New(old.Map("metadata"))
	if gen := meta.Str("generateName"); gen != "" {
		for _, msg := range check(gen, true) {
			errs = append(errs, invalid("metadata.generateName", gen, msg))
		}
	}
	if name := meta.Str("name"); name == "" {
		errs = append(errs, required("metadata.name", "name or generateName is required"))
	} else {
		for _, msg := range check(name, false) {
			errs = append(errs, invalid("metadata.name", name, msg))
		}
	}
	ns := meta.Str("namespace")
	switch {
	case !namespaced && ns != "":
		errs = append(errs, forbidden("metadata.namespace", "not allowed on this type"))
	case namespaced && ns == "":
		errs = append(errs, required("metadata.namespace", ""))
	case namespaced:
		for _, msg := range nameIsDNSLabel(ns, false) {
			errs = append(errs, invalid("metadata.namespace", ns, msg))
		}
	}
	if n, _ := meta.Int("generation"); n < 0 {
		errs = append(errs, invalid("metadata.generation", n, "must be greater than or equal to 0"))
	}
	errs = append(errs, validateKept(o, meta, before)...)
	if changed(meta, before, "finalizers") {
		errs = append(errs, validateFinalizers(o.Finalizers())...)
	}
	if changed(meta, before, "managedFields") {
		errs = append(errs, validateManagedFields(o)...)
	}
	return errs
}

// changed reports whether a field of metadata is not the very same as before.
func changed(meta, before object.Object, key string) bool {
	v, _ := meta.Root().Get(key)
	was, _ := before.Root().Get(key)
	return !object.Same(v, was)
}

// validateKept checks of metadata what every write checks.
func validateKept(o, meta, before object.Object) []*api.FieldError {
	var errs []*api.FieldError
	if changed(meta, before, "labels") {
		errs = validateLabels(o.Labels())
	}
	if changed(meta, before, "annotations") {
		errs = append(errs, validateAnnotations(o.Annotations())...)
	}
	if changed(meta, before, "ownerReferences") {
		errs = append(errs, validateOwnerReferences(o)...)
	}
	return errs
}

// maxSubresource bounds the subresource of an entry of managedFields.
const maxSubresource = 256

// validateManagedFields checks what clients may write of metadata.managedFields;
// what does not decode was dropped before.
func validateManagedFields(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	for i, v := range o.List("metadata", "managedFields").All() {
		m, _ := v.(*object.Map)
		entry := object.New(m)
		for _, err := range validateFieldManager("manager", entry.Str("manager")) {
			err.Field = fmt.Sprintf("metadata.managedFields[%d].manager", i)
			errs = append(errs, err)
		}
		if len(entry.Str("subresource")) > maxSubresource {
			errs = append(errs, &api.FieldError{Type: api.FieldTooLong, Field: fmt.Sprintf("metadata.managedFields[%d].subresource", i),
				Detail: fmt.Sprintf("may not be more than %d bytes", maxSubresource)})
		}
	}
	return errs
}

func validateLabels(labels *object.Map) []*api.FieldError {
	var errs []*api.FieldError
	for k, v := range labels.All() {
		for _, msg := range api.IsLabelKey(k) {
			errs = append(errs, invalid("metadata.labels", k, msg))
		}
		s, _ := v.(string)
		for _, msg := range api.IsLabelValue(s) {
			errs = append(errs, invalid("metadata.labels", s, msg))
		}
	}
	return errs
}

// totalAnnotationSizeLimit is 256 KiB.
const totalAnnotationSizeLimit = 256 * 1024

func validateAnnotations(annotations *object.Map) []*api.FieldError {
	var errs []*api.FieldError
	size := 0
	for k, v := range annotations.All() {
		for _, msg := range api.IsLabelKey(strings.ToLower(k)) {
			errs = append(errs, invalid("metadata.annotations", k, msg))
		}
		s, _ := v.(string)
		size += len(k) + len(s)
	}
	if size > totalAnnotationSizeLimit {
		errs = append(errs, &api.FieldError{Type: api.FieldTooLong, Field: "metadata.annotations",
			Detail: fmt.Sprintf("may not be more than %d bytes", totalAnnotationSizeLimit)})
	}
	return errs
}

func validateOwnerReferences(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	controller := ""
	for i, r := range o.OwnerReferences() {
		path := fmt.Sprintf("metadata.ownerReferences[%d]", i)
		errs = append(errs, validateOwnerReference(path, r)...)
		if !r.Controller {
			continue
		}
		name := r.Kind + "/" + r.Name
		if controller != "" {
			errs = append(errs, invalid("metadata.ownerReferences", ownerReferencesText(o.OwnerReferences()),
				fmt.Sprintf("Only one reference can have Controller set to true. Found \"true\" in references for %v and %v", controller, name)))
		} else {
			controller = name
		}
	}
	return errs
}

func validateOwnerReference(path string, r object.OwnerReference) []*api.FieldError {
	var errs []*api.FieldError
	const empty = "must not be empty"
	group, version, ok := object.ParseAPIVersion(r.APIVersion)
	switch {
	case r.APIVersion == "":
		errs = append(errs, required(path+".apiVersion", empty))
	case !ok:
		errs = append(errs, invalid(path+".apiVersion", r.APIVersion, "must be <group>/<version> or <version>"))
	case version == "":
		errs = append(errs, invalid(path+".apiVersion", r.APIVersion, "must be <group>/<version> or <version>"))
	}
	if r.Kind == "" {
		errs = append(errs, required(path+".kind", empty))
	}
	if r.Name == "" {
		errs = append(errs, required(path+".name", empty))
	}
	if r.UID == "" {
		errs = append(errs, required(path+".uid", empty))
	}
	if group == "" && version == "v1" && r.Kind == "Event" {
		errs = append(errs, invalid(path, ownerReferenceText(r), "/v1, Kind=Event is disallowed from being an owner"))
	}
	return errs
}

// rawJSON is a value that error texts print as it is: Go structs are printed
// in the order of their fields, not sorted.
type rawJSON string

// String returns the text.
func (r rawJSON) String() string { return string(r) }

func ownerReferencesText(refs []object.OwnerReference) rawJSON {
	texts := make([]string, len(refs))
	for i, r := range refs {
		texts[i] = string(ownerReferenceText(r))
	}
	return rawJSON("[" + strings.Join(texts, ",") + "]")
}

func ownerReferenceText(r object.OwnerReference) rawJSON {
	quote := func(s string) string { return string(object.EncodeJSON(s)) }
	s := `{"apiVersion":` + quote(r.APIVersion) + `,"kind":` + quote(r.Kind) + `,"name":` + quote(r.Name) + `,"uid":` + quote(r.UID)
	if r.Controller {
		s += `,"controller":true`
	}
	if r.BlockOwnerDeletion {
		s += `,"blockOwnerDeletion":true`
	}
	return rawJSON(s + "}")
}

// Finalizers that belong to the garbage collector.
const (
	orphanFinalizer     = "orphan"
	foregroundFinalizer = "foregroundDeletion"
)

func validateFinalizers(finalizers []string) []*api.FieldError {
	var errs []*api.FieldError
	orphan, foreground := false, false
	for _, f := range finalizers {
		for _, msg := range api.IsLabelKey(f) {
			errs = append(errs, invalid("metadata.finalizers", f, msg))
		}
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	if orphan && foreground {
		errs = append(errs, invalid("metadata.finalizers", object.Strings(finalizers...),
			"finalizer orphan and foregroundDeletion cannot be both set"))
	}
	return errs
}

// validateKubeFinalizers is what built-in kinds demand beyond that: a domain.
func validateKubeFinalizers(o object.Object) []*api.FieldError {
	var errs []*api.FieldError
	for i, f := range o.Finalizers() {
		errs = append(errs, validateKubeFinalizer(fmt.Sprintf("metadata.finalizers[%d]", i), f)...)
	}
	return errs
}

func validateKubeFinalizer(path, name string) []*api.FieldError {
	if strings.Contains(name, "/") || standardFinalizer(name) {
		return nil
	}
	return []*api.FieldError{invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")}
}

func standardFinalizer(name string) bool {
	return name == "kubernetes" || name == orphanFinalizer || name == foregroundFinalizer
}

// validateObjectMetaUpdate checks metadata of a changed object. Models
// apimachinery's validation.ValidateObjectMetaAccessorUpdate.
func validateObjectMetaUpdate(o, old object.Object) []*api.FieldError {
	var errs []*api.FieldError
	if old.Terminating() {
		errs = append(errs, validateNoNewFinalizers(o.Finalizers(), old.Finalizers())...)
	}
	meta, before := object.New(o.Map("metadata")), object.New(old.Map("metadata"))
	if meta.Str("resourceVersion") == "" {
		errs = append(errs, invalid("metadata.resourceVersion", "", "must be specified for an update"))
	}
	n, _ := meta.Int("generation")
	if was, _ := before.Int("generation"); n < was {
		errs = append(errs, invalid("metadata.generation", n, "must not be decremented"))
	}
	for _, key := range [...]string{"name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		v, _ := meta.Root().Get(key)
		was, _ := before.Root().Get(key)
		if !object.Equal(v, was) {
			errs = append(errs, invalid("metadata."+key, v, fieldImmutable))
		}
	}
	errs = append(errs, validateKept(o, meta, before)...)
	if changed(meta, before, "managedFields") {
		errs = append(errs, validateManagedFields(o)...)
	}
	return errs
}

func validateNoNewFinalizers(now, old []string) []*api.FieldError {
	had := map[string]bool{}
	for _, f := range old {
		had[f] = true
	}
	var extra []string
	for _, f := range now {
		if !had[f] {
			had[f] = true
			extra = append(extra, f)
		}
	}
	if len(extra) == 0 {
		return nil
	}
	slices.Sort(extra)
	return []*api.FieldError{forbidden("metadata.finalizers",
		fmt.Sprintf("no new finalizers can be added if the object is being deleted, found new finalizers %#v", extra))}
}
