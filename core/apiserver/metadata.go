package apiserver

import (
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

var uidType = textNamed("types.UID")

var ownerReferenceType = structOf("v1", "OwnerReference",
	always("apiVersion", stringType, ""), always("kind", stringType, ""), always("name", stringType, ""), always("uid", uidType, ""),
	pointer("controller", boolType), pointer("blockOwnerDeletion", boolType))

var managedFieldsType = structOf("v1", "ManagedFieldsEntry",
	field("manager", stringType), field("operation", stringType), field("apiVersion", stringType), field("time", timeType),
	field("fieldsType", stringType), pointer("fieldsV1", anyType), field("subresource", stringType))

// objectMetaType is metav1.ObjectMeta.
var objectMetaType = structOf("v1", "ObjectMeta",
	field("name", stringType), field("generateName", stringType), field("namespace", stringType),
	field("selfLink", stringType), field("uid", uidType),
	field("resourceVersion", stringType), field("generation", int64Type),
	field("creationTimestamp", timeType), pointer("deletionTimestamp", timeType), pointer("deletionGracePeriodSeconds", int64Type),
	field("labels", stringMap), field("annotations", stringMap),
	field("ownerReferences", sliceOf(ownerReferenceType)), field("finalizers", stringSlice),
	field("managedFields", sliceOf(managedFieldsType)))

// stamp prints a time as metadata has it: whole seconds, UTC.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// stamp prints the time of the request being served.
func (s *Server) stamp() string {
	if s.stamped == "" || !s.stampedAt.Equal(s.now) {
		s.stamped, s.stampedAt = stamp(s.now), s.now
		s.stampedValue = s.stamped
	}
	return s.stamped
}

// stampValue is stamp as a value, one for all that is written at a time.
func (s *Server) stampValue() any {
	s.stamp()
	return s.stampedValue
}

func setMeta(o object.Object, key string, v any) object.Object { return o.Set(v, "metadata", key) }

func unsetMeta(o object.Object, keys ...string) object.Object {
	meta := o.Map("metadata")
	for _, k := range keys {
		if meta.Has(k) {
			o = o.Unset("metadata", k)
		}
	}
	return o
}

// unread is where metadata of a custom resource holds what an apply left empty in
// it: that is stored, and dropped when it is read, so that the next write changes
// what is stored though it changes nothing else. Of a built-in kind it holds
// what an apply left empty and is looked at exactly, until then. The server keeps it
// to itself.
const unread = ""

// withUnread is metadata as it was read, with what reading it has changed.
func withUnread(given, read any) any {
	m, _ := given.(*object.Map)
	out, _ := read.(*object.Map)
	var dropped []object.Field
	for _, key := range []string{"annotations", "deletionGracePeriodSeconds", "deletionTimestamp", "finalizers", "generateName", "labels", "ownerReferences", "selfLink"} {
		v, given := m.Get(key)
		if now, ok := out.Get(key); given && !(ok && object.Equal(v, now)) {
			dropped = append(dropped, object.Field{Key: key, Value: v})
		}
	}
	if dropped == nil {
		return read
	}
	return out.With(unread, object.NewMap(dropped...))
}

// cleared is metadata without what a write cannot set at all: it goes from what
// was left unread, too.
func cleared(meta *object.Map, keys ...string) *object.Map {
	v, _ := meta.Get(unread)
	was, _ := v.(*object.Map)
	left := was
	for _, key := range keys {
		meta, left = meta.Without(key), left.Without(key)
	}
	switch {
	case left == was:
		return meta
	case left.Len() == 0:
		return meta.Without(unread)
	}
	return meta.With(unread, left)
}

// keepMeta copies keys of metadata from one object to another; a key that from
// lacks goes.
func keepMeta(o, from object.Object, keys ...string) object.Object {
	for _, k := range keys {
		if v, ok := from.At("metadata", k); ok {
			o = o.Set(v, "metadata", k)
		} else {
			o = unsetMeta(o, k)
		}
	}
	return o
}

// keepField copies one field of the root, or drops it where from has none.
func keepField(o, from object.Object, key string) object.Object {
	if v, ok := from.At(key); ok {
		return o.Set(v, key)
	}
	return o.Unset(key)
}

// atAdmission is when the owner references of a patched object are looked at;
// those of one that is sent whole are before, and the warning does not say when.
const atAdmission = " after mutating admission happens"

// dedupOwners drops owner references that stand there twice, with a warning that
// tells when. Models handlers.dedupOwnerReferencesAndAddWarning.
func dedupOwners(o object.Object, when string) (object.Object, []string) {
	refs := o.List("metadata", "ownerReferences")
	if refs.Len() < 2 {
		return o, nil
	}
	kept := object.NewList()
	var twice []string
	for _, ref := range refs.All() {
		if contains(kept, ref) {
			uid, _ := object.At(ref, "uid")
			text, _ := uid.(string)
			twice = append(twice, text)
		} else {
			kept = kept.Append(ref)
		}
	}
	if len(twice) == 0 {
		return o, nil
	}
	return setMeta(o, "ownerReferences", kept), []string{
		".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(twice, ", ")}
}

func contains(l *object.List, v any) bool {
	for _, x := range l.All() {
		if object.Equal(x, v) {
			return true
		}
	}
	return false
}
