package apiserver

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/managedfields"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// Resource is one kind of object that the server serves, in one version.
type Resource struct {
	GVR                      object.GVR
	Kind, ListKind, Singular string
	ShortNames, Categories   []string
	Namespaced, HasStatus    bool
	// Custom is true for a resource that a CustomResourceDefinition defines.
	Custom bool
	// Columns are those of a Table, without the name's column. A column of a
	// built-in kind has no JSONPath.
	Columns []*schema.Column
}

// GVK returns the kind with group and version.
func (r Resource) GVK() object.GVK {
	return object.GVK{Group: r.GVR.Group, Version: r.GVR.Version, Kind: r.Kind}
}

// kind is a Resource with all that is needed to serve it. It is immutable and
// shared by all clones of a server.
type kind struct {
	Resource
	strategy
	// typed is the Go type that a built-in kind decodes into.
	typed *goType
	// internal is the Go type that it converts to: "core.ConfigMap".
	internal string
	// oldVersion is one that is known but not served.
	oldVersion string
	// versionText is the apiVersion of GVR, where newKinds has noted it, and head
	// are the apiVersion and kind that all new objects share.
	versionText string
	head        []object.Field
	// storagePath is the part of a key between /registry/ and the namespace.
	storagePath string
	// storageVersion is the apiVersion of stored objects.
	storageVersion string
	// verbs are those of discovery, in its order.
	verbs []string
	// managers keep managedFields, by subresource; "" is the resource itself.
	managers map[string]*managedfields.FieldManager
	// coerces holds where what is stored may not fit the version's schema: there
	// are other versions with other schemas, or there was another one, or a create
	// drops a status that the schema fills in.
	coerces bool
	// crd and version are set for a custom resource, rules too, where there is an evaluator.
	crd     *schema.CRD
	version *schema.Version
	rules   schema.Evaluator
	// paths are where the columns of a custom resource look; nil for one that
	// does not parse.
	paths []*object.JSONPath
	// ownName: the name is among the columns.
	ownName bool
	// nullRows: a Table of none has null for rows.
	nullRows bool
	// cells prints the columns of a built-in kind.
	cells func(o object.Object, now time.Time) []any
}

// strategy is what differs between kinds when they are written. Models the
// rest.RESTCreateStrategy and its siblings.
type strategy struct {
	// unconditional allows a PUT without resourceVersion.
	unconditional bool
	// fieldLabels can be selected by, beside metadata.name and metadata.namespace. Each
	// tells the text that it stands for; nil is what is at the path of its name.
	fieldLabels map[string]func(object.Object) string
	// createsOnUpdate makes a PUT of what is not there a create.
	createsOnUpdate bool
	// returnsDeleted answers a DELETE with the object and not with a Status.
	returnsDeleted bool
	// noGarbageCollection ignores propagation policies.
	noGarbageCollection bool
	// structs are what the Go type of a built-in kind always has, without
	// metadata.
	structs map[string]any
	// exact is a map that is looked at exactly where nothing may change: empty is
	// not the same as none.
	exact string
	// reset are the fields that a write cannot set, by subresource.
	reset map[string][]string

	// Each of these may be nil, for nothing to do.

	// defaults fills in what is missing, on every decoding.
	defaults func(o object.Object) object.Object
	// begin comes before all else of a write, but for that of a subresource; old is
	// zero on a create.
	begin func(s *Server, o, old object.Object) (object.Object, []*api.FieldError)
	// prepareForCreate and prepareForUpdate set what clients may not.
	prepareForCreate func(s *Server, o object.Object) object.Object
	prepareForUpdate func(s *Server, o, old object.Object) object.Object
	validate         func(s *Server, o object.Object) []*api.FieldError
	validateUpdate   func(s *Server, o, old object.Object, subresource string) []*api.FieldError
	// deletion takes the first DELETE of an object over; it says whether that
	// was all.
	deletion func(s *Server, k *kind, o object.Object, opts deleteOptions) (object.Object, bool, error)
	// subresources makes of what was sent to a subresource, and of what is
	// stored, what shall be stored.
	subresources map[string]func(o, old object.Object) object.Object
	// warnings are given on create and update; old is zero on a create.
	warnings func(o, old object.Object) []string
}

// key is where an object of this kind is stored.
func (k *kind) key(namespace, name string) string {
	var room [128]byte
	return string(k.appendKey(room[:0], namespace, name))
}

// appendKey appends a key.
func (k *kind) appendKey(b []byte, namespace, name string) []byte {
	b = append(append(append(b, "/registry/"...), k.storagePath...), '/')
	if k.Namespaced && namespace != "" {
		b = append(append(b, namespace...), '/')
	}
	return append(b, name...)
}

// lookUp returns what is stored of a kind under a name, with the key as the store
// has it: an object has one key, however often it is written.
func (s *Server) lookUp(k *kind, namespace, name string) (key string, o object.Object, ok bool) {
	var room [128]byte
	asked := k.appendKey(room[:0], namespace, name)
	if key, o, ok = s.store.Find(asked); !ok {
		key = string(asked)
	}
	return key, o, ok
}

// prefix is that of all keys of a namespace, or of all namespaces.
func (k *kind) prefix(namespace string) string {
	p := "/registry/" + k.storagePath + "/"
	if k.Namespaced && namespace != "" {
		p += namespace + "/"
	}
	return p
}

// apiVersion is that of what is served.
func (k *kind) apiVersion() string {
	if k.versionText == "" {
		return k.GVR.APIVersion()
	}
	return k.versionText
}

// served is a stored object in the version of this kind. What it lacks the
// version in which it is stored fills in; of that, what the version of this kind
// knows is served. Models the decoder and the converter of
// crdConversionRESTOptionsGetter.
func (k *kind) served(o object.Object) object.Object {
	o = unsetMeta(o, unread)
	if o.IsZero() || !k.coerces {
		if !o.IsZero() && o.APIVersion() != k.apiVersion() {
			o = o.Set(k.apiVersion(), "apiVersion")
		}
		return o
	}
	version := o.GVK().Version
	root, _ := k.applySchema(o.Root(), nil, version)
	if version != k.GVR.Version {
		root, _ = k.pruneTo(root, k.GVR.Version)
		root = root.With("apiVersion", k.apiVersion())
	}
	return object.New(root)
}

// stored is an object in the version in which it is stored, as it comes back
// from there: without a null that an apply left and that reading it again would
// drop, with numbers as JSON has them, and with what the schema of that version
// knows. existing is what it replaces, zero for nothing: what is the very same
// there is so already.
func (k *kind) stored(o, existing object.Object) object.Object {
	if o.IsZero() || !k.Custom {
		return unsetMeta(o, unread)
	}
	root := o.Root()
	if !plain(root, k.settled(existing), true) {
		root = wholeNumbers(k.version.Schema.DropNulls(root)).(*object.Map)
	}
	if k.storageVersion == "" || o.APIVersion() == k.storageVersion {
		return object.New(root)
	}
	_, version, _ := object.ParseAPIVersion(k.storageVersion)
	root, _ = k.pruneTo(root, version)
	return unsetMeta(object.New(root.With("apiVersion", k.storageVersion)), unread)
}

// plain reports whether there is neither a null nor a float, but in metadata of
// the root and in what is the very same in was.
func plain(x any, was any, root bool) bool {
	if was != nil && object.Same(x, was) {
		return true
	}
	switch v := x.(type) {
	case nil, float64:
		return false
	case *object.Map:
		before, _ := was.(*object.Map)
		for key, sub := range v.All() {
			old, _ := before.Get(key)
			if !(root && key == "metadata") && !plain(sub, old, false) {
				return false
			}
		}
	case *object.List:
		for _, sub := range v.All() {
			if !plain(sub, nil, false) {
				return false
			}
		}
	}
	return true
}

// wholeNumbers makes of floats without a fraction what JSON makes of them. A
// tree without such is returned itself.
func wholeNumbers(x any) any {
	switch v := x.(type) {
	case float64:
		return object.WholeNumber(v)
	case *object.Map:
		out := v
		for k, sub := range v.All() {
			if y := wholeNumbers(sub); y != sub {
				out = out.With(k, y)
			}
		}
		return out
	case *object.List:
		out := v
		for i, sub := range v.All() {
			if y := wholeNumbers(sub); y != sub {
				out = out.With(i, y)
			}
		}
		return out
	}
	return x
}

// kinds is what a server serves: an immutable table.
type kinds struct {
	// list is in order of group, version and resource.
	list  []*kind
	byGVR map[object.GVR]*kind
	// byPath finds the kinds of one storage path: the versions of a resource.
	byPath map[string]*kind
	// core and groups are what aggregated made, once it was asked.
	core, groups atomic.Pointer[object.Map]
}

func newKinds(list []*kind) *kinds {
	t := &kinds{list: slices.Clone(list), byGVR: map[object.GVR]*kind{}, byPath: map[string]*kind{}}
	slices.SortStableFunc(t.list, func(a, b *kind) int { return compareGVR(a.GVR, b.GVR) })
	for _, k := range t.list {
		if k.versionText == "" {
			k.versionText = k.GVR.APIVersion()
			k.head = []object.Field{{Key: "apiVersion", Value: k.versionText}, {Key: "kind", Value: k.Kind}}
		}
		t.byGVR[k.GVR] = k
		if first, ok := t.byPath[k.storagePath]; !ok || k.storageVersion == k.GVR.APIVersion() && first.storageVersion != first.GVR.APIVersion() {
			t.byPath[k.storagePath] = k
		}
	}
	return t
}

func compareGVR(a, b object.GVR) int {
	if c := strings.Compare(a.Group, b.Group); c != 0 {
		return c
	}
	if c := strings.Compare(a.Version, b.Version); c != 0 {
		return c
	}
	return strings.Compare(a.Resource, b.Resource)
}

// withCRD replaces the kinds of one definition; a nil crd removes them.
func (t *kinds) withCRD(name string, crd *schema.CRD, rules schema.Evaluator) *kinds {
	var list []*kind
	for _, k := range t.list {
		if k.crd == nil || k.crd.Name != name {
			list = append(list, k)
		}
	}
	if crd != nil {
		list = append(list, customKinds(crd, rules)...)
	}
	return newKinds(list)
}

// ofKey returns the kind whose objects are stored at a key: for a custom
// resource, in its storage version.
func (t *kinds) ofKey(key string) *kind {
	rest := strings.TrimPrefix(key, "/registry/")
	// A storage path has one or two segments.
	first, tail, _ := strings.Cut(rest, "/")
	if k, ok := t.byPath[first]; ok {
		return k
	}
	second, _, _ := strings.Cut(tail, "/")
	return t.byPath[first+"/"+second]
}

// builtin returns the built-in kind of that name.
func (t *kinds) builtin(gvk object.GVK) *kind {
	for _, k := range t.list {
		if !k.Custom && k.GVK() == gvk {
			return k
		}
	}
	return nil
}

// Resources lists what the server serves, in order of group, version and
// resource.
func (s *Server) Resources() []Resource {
	out := make([]Resource, len(s.kinds.list))
	for i, k := range s.kinds.list {
		out[i] = k.Resource
	}
	return out
}

// ResourceForKind finds the resource of a kind. The group may be left out
// ("any group that serves this kind"), the versions of one kind being tried in
// order of Kubernetes' priority.
func (s *Server) ResourceForKind(group, kind string) (Resource, bool) {
	k := s.kindFor(group, kind)
	if k == nil {
		return Resource{}, false
	}
	return k.Resource, true
}

// ResourceOf finds the resource of a kind in the version that it names; without
// a version it has none.
func (s *Server) ResourceOf(gvk object.GVK) (Resource, bool) {
	for _, k := range s.kinds.list {
		if k.GVK() == gvk {
			return k.Resource, true
		}
	}
	return Resource{}, false
}

func (s *Server) kindFor(group, name string) *kind {
	var best *kind
	for _, k := range s.kinds.list {
		if k.Kind != name || group != "" && k.GVR.Group != group {
			continue
		}
		if best == nil || best.GVR.Group == k.GVR.Group && compareVersions(k.GVR.Version, best.GVR.Version) < 0 {
			best = k
		}
	}
	return best
}

// StorageKey is where the object of a resource is stored, as etcd's keys are
// written; empty for a resource that is not served.
func (s *Server) StorageKey(gvr object.GVR, key object.Key) string {
	k, ok := s.kinds.byGVR[gvr]
	if !ok {
		return ""
	}
	return k.key(key.Namespace, key.Name)
}

// Resource returns what is served under group, version and plural.
func (s *Server) Resource(gvr object.GVR) (Resource, bool) {
	k, ok := s.kinds.byGVR[gvr]
	if !ok {
		return Resource{}, false
	}
	return k.Resource, true
}

// KindIsShared reports whether another group serves a kind of this name, so
// that the name alone does not tell which is meant.
func (s *Server) KindIsShared(group, kind string) bool {
	for _, k := range s.kinds.list {
		if k.Kind == kind && k.GVR.Group != group {
			return true
		}
	}
	return false
}
