package object

import (
	"slices"
	"time"
)

// Object is one Kubernetes object, immutable. Its zero value is "no object".
type Object struct{ root *Map }

// New wraps a tree. The tree is not checked; the API server does that.
func New(root *Map) Object { return Object{root} }

// FromMap builds an Object from a Go literal, for tests and reconcilers.
func FromMap(m map[string]any) Object { return Object{FromAny(m).(*Map)} }

// IsZero reports whether there is no object.
func (o Object) IsZero() bool { return o.root == nil }

// Root returns the whole tree; nil for no object.
func (o Object) Root() *Map { return o.root }

// Equal reports deep equality.
func (o Object) Equal(p Object) bool {
	return o.IsZero() == p.IsZero() && Equal(o.root, p.root)
}

// At returns the value at a path of map keys.
func (o Object) At(path ...string) (any, bool) { return At(o.root, path...) }

// Str returns the string at path, or "" where there is none.
func (o Object) Str(path ...string) string {
	v, _ := At(o.root, path...)
	s, _ := v.(string)
	return s
}

// Int returns the integer at path and whether there is one.
func (o Object) Int(path ...string) (int64, bool) {
	v, _ := At(o.root, path...)
	n, ok := v.(int64)
	return n, ok
}

// Bool returns the boolean at path, false where there is none.
func (o Object) Bool(path ...string) bool {
	v, _ := At(o.root, path...)
	b, _ := v.(bool)
	return b
}

// Map returns the map at path; nil where there is none.
func (o Object) Map(path ...string) *Map {
	v, _ := At(o.root, path...)
	m, _ := v.(*Map)
	return m
}

// List returns the list at path; nil where there is none.
func (o Object) List(path ...string) *List {
	v, _ := At(o.root, path...)
	l, _ := v.(*List)
	return l
}

// Set returns the object with the value at path set. v goes through FromAny.
func (o Object) Set(v any, path ...string) Object { return Object{Set(o.root, FromAny(v), path...)} }

// Unset returns the object without what is at path.
func (o Object) Unset(path ...string) Object { return Object{Unset(o.root, path...)} }

// APIVersion returns apiVersion.
func (o Object) APIVersion() string { return o.Str("apiVersion") }

// Kind returns kind.
func (o Object) Kind() string { return o.Str("kind") }

// GVK returns apiVersion and kind taken apart.
func (o Object) GVK() GVK {
	group, version, _ := ParseAPIVersion(o.APIVersion())
	return GVK{group, version, o.Kind()}
}

// Name returns metadata.name.
func (o Object) Name() string { return o.Str("metadata", "name") }

// Namespace returns metadata.namespace.
func (o Object) Namespace() string { return o.Str("metadata", "namespace") }

// Key returns namespace and name.
func (o Object) Key() Key { return Key{o.Namespace(), o.Name()} }

// Ref returns group, kind, namespace and name.
func (o Object) Ref() Ref {
	gvk := o.GVK()
	return Ref{gvk.Group, gvk.Kind, o.Namespace(), o.Name()}
}

// UID returns metadata.uid.
func (o Object) UID() string { return o.Str("metadata", "uid") }

// ResourceVersion returns metadata.resourceVersion.
func (o Object) ResourceVersion() string { return o.Str("metadata", "resourceVersion") }

// Generation returns metadata.generation, 0 where unset.
func (o Object) Generation() int64 {
	n, _ := o.Int("metadata", "generation")
	return n
}

// Labels returns metadata.labels; nil where unset.
func (o Object) Labels() *Map { return o.Map("metadata", "labels") }

// Annotations returns metadata.annotations; nil where unset.
func (o Object) Annotations() *Map { return o.Map("metadata", "annotations") }

// Finalizers returns metadata.finalizers in their order; items that are no
// strings are left out.
func (o Object) Finalizers() []string {
	var out []string
	for _, v := range o.List("metadata", "finalizers").All() {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// HasFinalizer reports whether metadata.finalizers holds name.
func (o Object) HasFinalizer(name string) bool { return slices.Contains(o.Finalizers(), name) }

// WithFinalizers returns the object with metadata.finalizers set; the key goes
// where names is empty.
func (o Object) WithFinalizers(names ...string) Object {
	if len(names) == 0 {
		return o.Unset("metadata", "finalizers")
	}
	return o.Set(Strings(names...), "metadata", "finalizers")
}

// DeletionTimestamp returns metadata.deletionTimestamp as written, "" where unset.
func (o Object) DeletionTimestamp() string { return o.Str("metadata", "deletionTimestamp") }

// Terminating reports whether a deletionTimestamp is set.
func (o Object) Terminating() bool { return o.DeletionTimestamp() != "" }

// CreationTimestamp returns metadata.creationTimestamp; the zero time where it
// is unset or does not parse.
func (o Object) CreationTimestamp() time.Time {
	t, _ := time.Parse(time.RFC3339, o.Str("metadata", "creationTimestamp"))
	return t
}

// OwnerReference is one entry of metadata.ownerReferences.
type OwnerReference struct {
	APIVersion, Kind, Name, UID    string
	Controller, BlockOwnerDeletion bool
}

// OwnerReferences returns metadata.ownerReferences in their order.
func (o Object) OwnerReferences() []OwnerReference {
	var out []OwnerReference
	for _, v := range o.List("metadata", "ownerReferences").All() {
		if m, ok := v.(*Map); ok {
			r := Object{m}
			out = append(out, OwnerReference{
				APIVersion: r.APIVersion(), Kind: r.Kind(), Name: r.Str("name"), UID: r.Str("uid"),
				Controller: r.Bool("controller"), BlockOwnerDeletion: r.Bool("blockOwnerDeletion"),
			})
		}
	}
	return out
}

// ControllerOf returns the owner reference with controller true, and whether
// there is one. Models metav1.GetControllerOf.
func (o Object) ControllerOf() (OwnerReference, bool) {
	for _, r := range o.OwnerReferences() {
		if r.Controller {
			return r, true
		}
	}
	return OwnerReference{}, false
}
