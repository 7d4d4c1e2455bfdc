package controller

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// CreateEvent says that an object is new to the cache.
type CreateEvent struct {
	Object object.Object
	// IsInInitialList says that it came with the first list.
	IsInInitialList bool
}

// UpdateEvent says that a cached object was replaced, by itself in a resync.
type UpdateEvent struct{ ObjectOld, ObjectNew object.Object }

// DeleteEvent says that an object has left the cache.
type DeleteEvent struct {
	Object object.Object
	// DeleteStateUnknown says that the deletion itself was missed, so that
	// Object may be stale.
	DeleteStateUnknown bool
}

// GenericEvent is one that no object of the cluster caused.
type GenericEvent struct{ Object object.Object }

// Predicate filters events before keys are made of them: it reports which ones
// to process. It does not touch the cache. String is how it is written in a
// scenario, as ParsePredicate reads it.
type Predicate interface {
	Create(CreateEvent) bool
	Update(UpdateEvent) bool
	Delete(DeleteEvent) bool
	Generic(GenericEvent) bool
	String() string
}

// all lets everything pass; the other predicates narrow its Update.
type all struct{}

func (all) Create(CreateEvent) bool   { return true }
func (all) Update(UpdateEvent) bool   { return true }
func (all) Delete(DeleteEvent) bool   { return true }
func (all) Generic(GenericEvent) bool { return true }

// ResourceVersionChangedPredicate skips updates that keep the resourceVersion:
// resyncs and what a relist repeats.
type ResourceVersionChangedPredicate struct{ all }

// Update implements Predicate.
func (ResourceVersionChangedPredicate) Update(e UpdateEvent) bool {
	return e.ObjectNew.ResourceVersion() != e.ObjectOld.ResourceVersion()
}

// String implements Predicate.
func (ResourceVersionChangedPredicate) String() string { return "ResourceVersionChanged" }

// GenerationChangedPredicate skips updates that keep metadata.generation: those
// of status and of most metadata, and resyncs. Setting deletionTimestamp raises
// the generation, so deletion passes. A kind without generation (ConfigMap) has
// generation 0 for ever: every one of its updates is skipped.
type GenerationChangedPredicate struct{ all }

// Update implements Predicate.
func (GenerationChangedPredicate) Update(e UpdateEvent) bool {
	return e.ObjectNew.Generation() != e.ObjectOld.Generation()
}

// String implements Predicate.
func (GenerationChangedPredicate) String() string { return "GenerationChanged" }

// AnnotationChangedPredicate skips updates that keep the annotations.
type AnnotationChangedPredicate struct{ all }

// Update implements Predicate.
func (AnnotationChangedPredicate) Update(e UpdateEvent) bool {
	return !object.Equal(e.ObjectNew.Annotations(), e.ObjectOld.Annotations())
}

// String implements Predicate.
func (AnnotationChangedPredicate) String() string { return "AnnotationChanged" }

// LabelChangedPredicate skips updates that keep the labels.
type LabelChangedPredicate struct{ all }

// Update implements Predicate.
func (LabelChangedPredicate) Update(e UpdateEvent) bool {
	return !object.Equal(e.ObjectNew.Labels(), e.ObjectOld.Labels())
}

// String implements Predicate.
func (LabelChangedPredicate) String() string { return "LabelChanged" }

// And processes what all of the predicates process.
func And(predicates ...Predicate) Predicate { return and(predicates) }

// Or processes what one of the predicates processes.
func Or(predicates ...Predicate) Predicate { return or(predicates) }

// Not processes what the predicate does not: of creations and deletions, which
// the predicates above all let pass, it lets none.
func Not(predicate Predicate) Predicate { return not{predicate} }

type and []Predicate

func (a and) every(f func(Predicate) bool) bool {
	for _, p := range a {
		if !f(p) {
			return false
		}
	}
	return true
}

func (a and) Create(e CreateEvent) bool {
	return a.every(func(p Predicate) bool { return p.Create(e) })
}

func (a and) Update(e UpdateEvent) bool {
	return a.every(func(p Predicate) bool { return p.Update(e) })
}

func (a and) Delete(e DeleteEvent) bool {
	return a.every(func(p Predicate) bool { return p.Delete(e) })
}

func (a and) Generic(e GenericEvent) bool {
	return a.every(func(p Predicate) bool { return p.Generic(e) })
}

func (a and) String() string { return "And(" + names(a) + ")" }

type or []Predicate

func (o or) some(f func(Predicate) bool) bool {
	for _, p := range o {
		if f(p) {
			return true
		}
	}
	return false
}

func (o or) Create(e CreateEvent) bool {
	return o.some(func(p Predicate) bool { return p.Create(e) })
}

func (o or) Update(e UpdateEvent) bool {
	return o.some(func(p Predicate) bool { return p.Update(e) })
}

func (o or) Delete(e DeleteEvent) bool {
	return o.some(func(p Predicate) bool { return p.Delete(e) })
}

func (o or) Generic(e GenericEvent) bool {
	return o.some(func(p Predicate) bool { return p.Generic(e) })
}

func (o or) String() string { return "Or(" + names(o) + ")" }

type not struct{ predicate Predicate }

func (n not) Create(e CreateEvent) bool   { return !n.predicate.Create(e) }
func (n not) Update(e UpdateEvent) bool   { return !n.predicate.Update(e) }
func (n not) Delete(e DeleteEvent) bool   { return !n.predicate.Delete(e) }
func (n not) Generic(e GenericEvent) bool { return !n.predicate.Generic(e) }
func (n not) String() string              { return "Not(" + n.predicate.String() + ")" }

func names(predicates []Predicate) string {
	words := make([]string, len(predicates))
	for i, p := range predicates {
		words[i] = p.String()
	}
	return strings.Join(words, ", ")
}
