package managedfields

import (
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/reconcile-playground/reconcile/core/object"
)

// scaleVersion and scalePath are what the subresource scale calls an object's
// replicas.
const scaleVersion = "autoscaling/v1"

var scalePath = fieldpath.MakePathOrDie("spec", "replicas")

// A ScaleHandler carries managedFields over between an object and its Scale.
// Models managedfields.ScaleHandler, whose entries lose their times.
type ScaleHandler struct {
	// Version is the apiVersion of the object.
	Version string
	// Paths are where the replicas stand, by apiVersion; nil for a version
	// without the subresource.
	Paths map[string][]string
}

func (h ScaleHandler) path(version fieldpath.APIVersion) (path fieldpath.Path, known bool) {
	steps, known := h.Paths[string(version)]
	for _, s := range steps {
		path = append(path, fieldpath.PathElement{FieldName: &s})
	}
	return path, known
}

// ToScale are the entries of an object's Scale: who owns the replicas.
func (h ScaleHandler) ToScale(parent *object.List) *object.List {
	m, err := decodeManaged(parent)
	if err != nil {
		return nil
	}
	for _, id := range m.ids() {
		set := m.fields[id]
		if path, _ := h.path(set.APIVersion()); path == nil || !set.Set().Has(path) {
			delete(m.fields, id)
			continue
		}
		m.fields[id] = fieldpath.NewVersionedSet(fieldpath.NewSet(scalePath), scaleVersion, set.Applied())
	}
	return m.encode()
}

// ToParent are the entries of an object, given those of its Scale: who does not
// own the replicas there has lost them.
func (h ScaleHandler) ToParent(parent, scale *object.List) *object.List {
	m, err := decodeManaged(parent)
	if err != nil {
		return parent
	}
	s, err := decodeManaged(scale)
	if err != nil {
		return parent
	}
	for _, id := range m.ids() {
		set := m.fields[id]
		path, known := h.path(set.APIVersion())
		switch _, kept := s.fields[id]; {
		case !known:
			delete(m.fields, id)
		case path == nil || !set.Set().Has(path):
		case kept:
			delete(s.fields, id)
		default:
			rest := set.Set().Difference(fieldpath.NewSet(path))
			if rest.Empty() {
				delete(m.fields, id)
				continue
			}
			m.fields[id] = fieldpath.NewVersionedSet(rest, set.APIVersion(), set.Applied())
		}
	}
	own, _ := h.path(fieldpath.APIVersion(h.Version))
	for _, id := range s.ids() {
		set := s.fields[id]
		if !set.Set().Has(scalePath) {
			continue
		}
		m.fields[id] = fieldpath.NewVersionedSet(fieldpath.NewSet(own), fieldpath.APIVersion(h.Version), set.Applied())
		m.owners[id] = s.owners[id]
	}
	return m.encode()
}
