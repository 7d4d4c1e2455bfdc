package managedfields

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Config says what a FieldManager manages.
type Config struct {
	// GVK is the kind, in the version of the requests.
	GVK object.GVK
	// Subresource is empty for the resource itself.
	Subresource string
	// Types are the types of the versions of the kind, by apiVersion.
	Types map[string]*Type
	// Custom holds for a custom resource: a version that is not among the types
	// is then an error, and not one that is forgotten.
	Custom bool
	// Changed holds where what is stored may not fit the type: the schema was
	// another one, or there are other versions with other schemas.
	Changed bool
	// Empty is what an object without any field has nonetheless: a struct inside
	// the Go type of a built-in kind is always there. Nil for nothing.
	Empty *object.Map
	// Reset are the fields that a write through here cannot set, by apiVersion:
	// no one comes to own them.
	Reset map[string][]string
	// Complete makes a merged object one of the kind: it converts and defaults.
	Complete func(object.Object) (object.Object, error)
}

// FieldManager keeps metadata.managedFields for writes to one resource or
// subresource. It is safe for concurrent use: it does not change but for what it
// keeps of earlier writes, under known.mu. Models internal.FieldManager and the
// managers that NewDefaultFieldManager stacks.
type FieldManager struct {
	Config
	// version is the apiVersion of GVK.
	version string
	typ     *Type
	updater merge.Updater
	known   *known
}

// New returns a FieldManager. Config.Types holds the type of Config.GVK's
// version.
func New(c Config) *FieldManager {
	version := c.GVK.APIVersion()
	f := &FieldManager{Config: c, version: version, typ: c.Types[version], known: new(known)}
	f.updater = merge.Updater{Converter: versionConverter{f}, IgnoreFilter: map[fieldpath.APIVersion]fieldpath.Filter{}}
	for _, version := range slices.Sorted(maps.Keys(c.Reset)) {
		set := fieldpath.NewSet()
		for _, name := range c.Reset[version] {
			set.Insert(fieldpath.MakePathOrDie(name))
		}
		f.updater.IgnoreFilter[fieldpath.APIVersion(version)] = fieldpath.NewExcludeSetFilter(set)
	}
	return f
}

// stripped are the fields that are never owned.
var stripped = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"),
	fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "creationTimestamp"), fieldpath.MakePathOrDie("metadata", "selfLink"),
	fieldpath.MakePathOrDie("metadata", "uid"), fieldpath.MakePathOrDie("metadata", "clusterName"),
	fieldpath.MakePathOrDie("metadata", "generation"), fieldpath.MakePathOrDie("metadata", "managedFields"),
	fieldpath.MakePathOrDie("metadata", "resourceVersion"),
)

// strip takes what is never owned from one owner.
func (m *managed) strip(id string) {
	vs, ok := m.fields[id]
	if !ok {
		return
	}
	set := vs.Set().Difference(stripped)
	if set.Empty() {
		delete(m.fields, id)
		return
	}
	m.fields[id] = fieldpath.NewVersionedSet(set, vs.APIVersion(), vs.Applied())
}

// Update returns o, as a create, update or patch wants to store it, with its
// managedFields: what differs from live belongs to manager, as of now (a time as
// metadata writes it). live is zero for a create. Where managedFields cannot be
// told, those of live stay: an object that does not fit its type, since that has
// changed, or another version does not know it. Models UpdateNoErrors.
func (f *FieldManager) Update(live, o object.Object, manager, now string) object.Object {
	return withManaged(o, f.Entries(live, o, manager, now))
}

// Entries are the managedFields of what Update returns; nil for none.
func (f *FieldManager) Entries(live, o object.Object, manager, now string) *object.List {
	was, given := live.List("metadata", "managedFields"), o.List("metadata", "managedFields")
	if given == nil || f.Subresource != "" || live.UID() != "" && object.Equal(given, was) {
		if live.IsZero() && f.Subresource == "" {
			if list, ok := f.create(o, manager, now); ok {
				return list
			}
		}
		// The entries are those of the live object.
		if was.Len() == 0 && live.UID() != "" {
			return nil
		}
		if !f.Changed {
			if list, ok := f.quick(live, o, was, manager, now); ok {
				return list
			}
		}
	}
	return f.slow(live, o, manager, now).List("metadata", "managedFields")
}

// slow is Update for every case.
func (f *FieldManager) slow(live, o object.Object, manager, now string) object.Object {
	m := f.decodeLiveOrNew(live, o)
	o = withManaged(o, nil)
	m, err := f.update(withManaged(live, nil), o, m, manager, now)
	if err != nil {
		return withManaged(o, live.List("metadata", "managedFields"))
	}
	return withManaged(o, m.encode())
}

// decodeLiveOrNew decodes the managedFields that a request gives, or those of
// the live object where it gives none that count. One empty entry, or an empty
// list of a built-in kind, resets them.
func (f *FieldManager) decodeLiveOrNew(live, o object.Object) *managed {
	if given := o.List("metadata", "managedFields"); f.Subresource == "" && given != nil {
		if isReset(given) {
			return newManaged(0)
		}
		if given != live.List("metadata", "managedFields") {
			if m, err := decodeManaged(given); err == nil && len(m.fields) > 0 {
				return m
			}
		}
	}
	m, err := decodeManaged(live.List("metadata", "managedFields"))
	if err != nil {
		return newManaged(0)
	}
	return m
}

func isReset(list *object.List) bool {
	if list.Len() != 1 {
		return list.Len() == 0
	}
	m, ok := list.At(0).(*object.Map)
	return ok && m.Len() == 0
}

// update models what stands between FieldManager.Update and Updater.Update. An
// object that is not tracked yet stays so until it is applied.
func (f *FieldManager) update(live, o object.Object, m *managed, manager, now string) (*managed, error) {
	if len(m.fields) == 0 && live.UID() != "" {
		return m, nil
	}
	return f.track(live, o, m, manager, now)
}

func (f *FieldManager) track(live, o object.Object, m *managed, manager, now string) (*managed, error) {
	const self = "current-operation"
	version := fieldpath.APIVersion(f.version)
	is, err := f.typ.checked(node{f.filled(o), true}, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object to smd typed: %w", err)
	}
	was, err := f.typ.checked(node{f.filled(live), true}, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert live object to smd typed: %w", err)
	}
	_, fields, err := f.updater.Update(was, is, version, m.fields, self)
	if err != nil {
		return nil, err
	}
	m.fields = fields
	m.strip(self)
	if vs, ok := fields[self]; ok {
		// The object changed, so this manager has done it now.
		by := f.owner(manager, opUpdate)
		id := by.id()
		delete(fields, self)
		if previous, ok := fields[id]; ok {
			vs = fieldpath.NewVersionedSet(vs.Set().Union(previous.Set()), vs.APIVersion(), vs.Applied())
		}
		fields[id], m.owners[id], m.times[id] = vs, by, now
	}
	m.capUpdates()
	return m, nil
}

func (f *FieldManager) owner(manager, operation string) owner {
	if manager == "" {
		manager = "unknown"
	}
	return owner{manager, operation, f.version, f.Subresource}
}

// filled is the root of an object with what it has nonetheless.
func (f *FieldManager) filled(o object.Object) *object.Map {
	root := o.Root()
	if root == nil {
		root = object.NewMap(object.Field{Key: "apiVersion", Value: f.version}, object.Field{Key: "kind", Value: f.GVK.Kind})
	}
	return fill(root, f.Empty)
}

func fill(m, with *object.Map) *object.Map {
	for k, v := range with.All() {
		have, ok := m.Get(k)
		if !ok {
			m = m.With(k, v)
			continue
		}
		sub, isMap := have.(*object.Map)
		if below, ok := v.(*object.Map); ok && isMap {
			m = m.With(k, fill(sub, below))
		}
	}
	return m
}

// withManaged sets metadata.managedFields, or takes it off.
func withManaged(o object.Object, list *object.List) object.Object {
	if list == nil {
		if _, ok := o.At("metadata", "managedFields"); !ok {
			return o
		}
		return o.Unset("metadata", "managedFields")
	}
	return o.Set(list, "metadata", "managedFields")
}

// Apply merges an applied configuration into live, which is zero where there is
// none, and returns the outcome with its managedFields. An error that is no
// *api.Status is one of the server.
func (f *FieldManager) Apply(live, patch object.Object, manager string, force bool, now string) (object.Object, error) {
	m, err := decodeManaged(live.List("metadata", "managedFields"))
	if err != nil {
		return live, fmt.Errorf("failed to decode managed fields: %w", err)
	}
	if gvk := kindOfPatch(patch); gvk != f.GVK {
		return live, api.NewBadRequest("invalid object type: " + gvkText(gvk))
	}
	a := application{f: f, live: withManaged(live, nil), patch: patch, manager: manager, now: now}
	if a.live.IsZero() {
		a.live = object.New(f.filled(a.live))
	}
	o, m, err := a.run(m, force)
	var conflicts merge.Conflicts
	if errors.As(err, &conflicts) {
		return live, m.conflictStatus(conflicts)
	}
	if err != nil {
		return live, err
	}
	return withManaged(o, m.encode()), nil
}

// gvkText prints as apimachinery's GroupVersionKind does.
func gvkText(gvk object.GVK) string { return gvk.Group + "/" + gvk.Version + ", Kind=" + gvk.Kind }

// versionConverter gives an object the type of another version. Of custom
// resources only the apiVersion changes (conversion strategy None); a built-in
// kind has one version. Models internal.versionConverter.
type versionConverter struct{ f *FieldManager }

// errMissingVersion says that a version is not known any more.
var errMissingVersion = errors.New("no corresponding type")

func (c versionConverter) IsMissingVersionError(err error) bool {
	return errors.Is(err, errMissingVersion)
}

func (c versionConverter) Convert(v *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	val := v.AsValue()
	if val == nil || !val.IsMap() {
		return v, errors.New("failed to convert value to unstructured")
	}
	if from, ok := val.AsMap().Get("apiVersion"); ok && from.IsString() && from.AsString() == string(version) {
		return v, nil
	}
	t := c.f.Types[string(version)]
	if t == nil {
		if c.f.Custom {
			return v, fmt.Errorf("request to convert CR to an invalid group/version: %s", version)
		}
		return v, errMissingVersion
	}
	n, ok := val.(node)
	if !ok {
		n = node{v: object.FromAny(val.Unstructured())}
	}
	root, _ := n.v.(*object.Map)
	return t.checked(node{root.With("apiVersion", string(version)), n.changed})
}
