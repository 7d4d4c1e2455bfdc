package managedfields

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// kubectlManager is who applies with `kubectl apply --server-side`: for it the
// annotation of client-side apply counts.
const kubectlManager = "kubectl"

// lastApplied is the annotation in which client-side apply keeps what was
// applied last.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// firstManager gets what was there before an object was first applied.
const firstManager = "before-first-apply"

// application is one apply.
type application struct {
	f            *FieldManager
	live, patch  object.Object
	manager, now string
}

// run returns the merged object, without managedFields, and the new entries. It
// models LastAppliedUpdater and LastAppliedManager around the rest. An error
// comes with the entries too, for its text.
func (a application) run(m *managed, force bool) (object.Object, *managed, error) {
	o, next, err := a.merge(m, force)
	var conflicts merge.Conflicts
	if a.manager != kubectlManager {
		return o, next, err
	}
	if errors.As(err, &conflicts) {
		if allowed, ok := a.clientSideFields(); ok {
			if left := beyond(conflicts, allowed); len(left) > 0 {
				return o, next, left
			}
			o, next, err = a.merge(m, true)
		}
	}
	if err == nil && o.Str("metadata", "annotations", lastApplied) != "" {
		o = a.annotate(o)
	}
	return o, next, err
}

// merge models the managers from SkipNonAppliedManager down to
// structuredMergeManager. m stays as it is.
func (a application) merge(m *managed, force bool) (object.Object, *managed, error) {
	f := a.f
	m = m.clone()
	if len(m.fields) == 0 {
		var err error
		if m, err = f.track(object.Object{}, a.live, m, firstManager, a.now); err != nil {
			return a.live, m, fmt.Errorf("failed to create manager for existing fields: %w", err)
		}
	}
	live, patch, err := a.typed()
	if err != nil {
		return a.live, m, err
	}
	by := f.owner(a.manager, opApply)
	id := by.id()
	m.owners[id] = by
	merged, fields, err := f.updater.Apply(live, patch, fieldpath.APIVersion(f.version), m.fields, id, force)
	if err != nil {
		return a.live, m, err
	}
	m.fields = fields
	o := a.live
	if merged != nil {
		root, _ := object.FromAny(merged.AsValue().Unstructured()).(*object.Map)
		if o, err = f.Complete(object.New(root)); err != nil {
			return o, m, fmt.Errorf("failed to convert new object (%s) to proper version: %w", a.name(), err)
		}
		m.times[id] = a.now
	}
	m.strip(id)
	return o, m, nil
}

// typed checks the configuration and the live object.
func (a application) typed() (live, patch *typed.TypedValue, err error) {
	if given, ok := a.patch.At("metadata", "managedFields"); ok && isEntries(given) {
		return nil, nil, api.NewBadRequest("metadata.managedFields must be nil")
	}
	patch, err = a.f.typ.checked(node{v: a.patch.Root()})
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create typed patch object (%s): %w", a.name(), err)
	}
	live, err = a.f.typ.checked(node{v: a.f.filled(a.live)}, typed.AllowDuplicates)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create typed live object (%s/%s; %s): %w", a.live.Namespace(), a.live.Name(), gvkText(a.live.GVK()), err)
	}
	return live, patch, nil
}

// isEntries reports whether a value reads as managedFields.
func isEntries(v any) bool {
	l, ok := v.(*object.List)
	for _, item := range l.All() {
		if _, isMap := item.(*object.Map); !isMap {
			return false
		}
	}
	return ok
}

// kindOfPatch is the kind that a configuration names; none where its apiVersion
// is none.
func kindOfPatch(o object.Object) object.GVK {
	if _, _, ok := object.ParseAPIVersion(o.APIVersion()); !ok {
		return object.GVK{}
	}
	return o.GVK()
}

// name is the configuration's namespace, name and kind, as it gives them.
func (a application) name() string {
	return a.patch.Namespace() + "/" + a.patch.Name() + "; " + gvkText(a.patch.GVK())
}

// clone returns entries that can be changed apart from these.
func (m *managed) clone() *managed {
	c := newManaged(len(m.fields))
	c.list = m.list
	for _, id := range m.ids() {
		c.fields[id], c.owners[id] = m.fields[id], m.owners[id]
		if t, ok := m.times[id]; ok {
			c.times[id] = t
		}
		c.was[id] = m.was[id]
	}
	return c
}

// clientSideFields are the fields that client-side apply owns and that are still
// as it left them; false where it was not used.
func (a application) clientSideFields() (*fieldpath.Set, bool) {
	v, err := object.DecodeJSON([]byte(a.live.Str("metadata", "annotations", lastApplied)))
	root, ok := v.(*object.Map)
	if err != nil || !ok || object.New(root).APIVersion() != a.f.version {
		return nil, false
	}
	last, err := a.f.typ.checked(node{v: root})
	if err != nil {
		return nil, false
	}
	live, err := a.f.typ.checked(node{v: a.f.filled(a.live)})
	if err != nil {
		return nil, false
	}
	set, err := last.ToFieldSet()
	if err != nil {
		return nil, false
	}
	differs, err := last.Compare(live)
	if err != nil {
		return nil, false
	}
	return set.Difference(differs.Modified).Difference(differs.Added).Difference(differs.Removed), true
}

// beyond are the conflicts about other fields.
func beyond(conflicts merge.Conflicts, allowed *fieldpath.Set) merge.Conflicts {
	var left merge.Conflicts
	for _, c := range conflicts {
		if !allowed.Has(c.Path) {
			left = append(left, c)
		}
	}
	return left
}

// maxAnnotations bounds all annotations together, in bytes.
const maxAnnotations = 256 * 1024

// annotate keeps the annotation of client-side apply true to what was applied,
// where it fits.
func (a application) annotate(o object.Object) object.Object {
	root := a.patch.Root()
	if _, ok := a.patch.At("metadata", "annotations", lastApplied); ok {
		root = object.Unset(root, "metadata", "annotations", lastApplied)
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	if err := enc.Encode(object.ToAny(root)); err != nil {
		return o
	}
	annotated := o.Set(text.String(), "metadata", "annotations", lastApplied)
	size := 0
	for k, v := range annotated.Annotations().All() {
		s, _ := v.(string)
		size += len(k) + len(s)
	}
	if size > maxAnnotations {
		return o.Unset("metadata", "annotations", lastApplied)
	}
	return annotated
}
