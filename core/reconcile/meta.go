package reconcile

import (
	"fmt"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Time is a moment as Kubernetes writes it: RFC 3339, in UTC, whole seconds. Its
// zero value is "not set". Models metav1.Time.
type Time struct{ time.Time }

// NewTime returns t cut to whole seconds, as it comes back from the server.
func NewTime(t time.Time) Time { return Time{t.UTC().Truncate(time.Second)} }

// String prints RFC 3339.
func (t Time) String() string { return t.UTC().Format(time.RFC3339) }

// TypeMeta is a typed object's apiVersion and kind. The Client fills them in.
type TypeMeta struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
}

// ObjectMeta is a typed object's metadata. Models metav1.ObjectMeta.
type ObjectMeta struct {
	Name                       string            `json:"name,omitempty"`
	GenerateName               string            `json:"generateName,omitempty"`
	Namespace                  string            `json:"namespace,omitempty"`
	UID                        string            `json:"uid,omitempty"`
	ResourceVersion            string            `json:"resourceVersion,omitempty"`
	Generation                 int64             `json:"generation,omitempty"`
	CreationTimestamp          Time              `json:"creationTimestamp,omitzero"`
	DeletionTimestamp          *Time             `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64            `json:"deletionGracePeriodSeconds,omitempty"`
	Labels                     map[string]string `json:"labels,omitempty"`
	Annotations                map[string]string `json:"annotations,omitempty"`
	OwnerReferences            []OwnerReference  `json:"ownerReferences,omitempty"`
	Finalizers                 []string          `json:"finalizers,omitempty"`
	ManagedFields              *object.List      `json:"managedFields,omitempty"`
}

// GetObjectMeta gives the functions of this package access to the metadata.
func (m *ObjectMeta) GetObjectMeta() *ObjectMeta { return m }

// OwnerReference is one entry of metadata.ownerReferences.
type OwnerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

func (r OwnerReference) isController() bool { return r.Controller != nil && *r.Controller }

// Resource is a kind with its plural: what scheme and RESTMapper tell a client.
type Resource struct {
	object.GVK
	Plural string
}

// GVR returns the resource as requests name it.
func (r Resource) GVR() object.GVR {
	return object.GVR{Group: r.Group, Version: r.Version, Resource: r.Plural}
}

// Object is a typed object, or a list of them: a pointer to a struct with
// TypeMeta and ObjectMeta (or Items) inlined, that knows its kind. A list's
// Resource is that of its items.
type Object interface{ Resource() Resource }

// Metadata is an Object with ObjectMeta in it.
type Metadata interface {
	Object
	GetObjectMeta() *ObjectMeta
}

// KeyFor returns an object's namespace and name.
func KeyFor(o Metadata) Request {
	m := o.GetObjectMeta()
	return Request{Namespace: m.Namespace, Name: m.Name}
}

// ContainsFinalizer reports whether the object has the finalizer.
func ContainsFinalizer(o Metadata, name string) bool {
	return slices.Contains(o.GetObjectMeta().Finalizers, name)
}

// AddFinalizer puts the finalizer on the object at hand and reports whether it
// was not there. It writes nothing.
func AddFinalizer(o Metadata, name string) bool {
	if ContainsFinalizer(o, name) {
		return false
	}
	m := o.GetObjectMeta()
	m.Finalizers = append(slices.Clip(m.Finalizers), name)
	return true
}

// RemoveFinalizer takes the finalizer off the object at hand and reports whether
// it was there. It writes nothing.
func RemoveFinalizer(o Metadata, name string) bool {
	m := o.GetObjectMeta()
	before := len(m.Finalizers)
	m.Finalizers = slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == name })
	return len(m.Finalizers) < before
}

// GetControllerOf returns the owner reference that is the controller; nil for
// none.
func GetControllerOf(o Metadata) *OwnerReference {
	refs := o.GetObjectMeta().OwnerReferences
	for i := range refs {
		if refs[i].isController() {
			return &refs[i]
		}
	}
	return nil
}

// IsControlledBy reports whether owner, this very one by uid, is the object's
// controller.
func IsControlledBy(o, owner Metadata) bool {
	ref := GetControllerOf(o)
	return ref != nil && ref.UID == owner.GetObjectMeta().UID
}

// SetControllerReference makes owner the controller of the object at hand, so
// that the collector deletes it with its owner and its events wake the owner's
// controller. An object that has another controller is an error. It writes
// nothing.
func SetControllerReference(owner, controlled Metadata) error {
	kind, yes := owner.Resource().GVK, true
	ref := OwnerReference{
		APIVersion: kind.APIVersion(), Kind: kind.Kind, Name: owner.GetObjectMeta().Name, UID: owner.GetObjectMeta().UID,
		Controller: &yes, BlockOwnerDeletion: &yes,
	}
	m := controlled.GetObjectMeta()
	if c := GetControllerOf(controlled); c != nil && !refersToSame(*c, ref) {
		return fmt.Errorf("Object %s is already owned by another %s controller %s", KeyFor(controlled), c.Kind, c.Name)
	}
	for i := range m.OwnerReferences {
		if refersToSame(m.OwnerReferences[i], ref) {
			m.OwnerReferences = slices.Clone(m.OwnerReferences)
			m.OwnerReferences[i] = ref
			return nil
		}
	}
	m.OwnerReferences = append(slices.Clip(m.OwnerReferences), ref)
	return nil
}

// refersToSame compares group, kind and name, as upstream does.
func refersToSame(a, b OwnerReference) bool {
	ag, _, _ := object.ParseAPIVersion(a.APIVersion)
	bg, _, _ := object.ParseAPIVersion(b.APIVersion)
	return ag == bg && a.Kind == b.Kind && a.Name == b.Name
}

// Condition is one aspect of an object's state. Models metav1.Condition.
type Condition struct {
	Type string `json:"type"`
	// Status is "True", "False" or "Unknown".
	Status             string `json:"status"`
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	LastTransitionTime Time   `json:"lastTransitionTime,omitzero"`
	Reason             string `json:"reason"`
	Message            string `json:"message"`
}

// SetStatusCondition adds or replaces the condition of the same type, and
// reports whether that changed anything. LastTransitionTime becomes now where
// Status moves, and stays where only the rest does: a condition that takes the
// time of every pass would make every pass a write. Models
// meta.SetStatusCondition.
func SetStatusCondition(conditions *[]Condition, c Condition, now time.Time) bool {
	i := slices.IndexFunc(*conditions, func(have Condition) bool { return have.Type == c.Type })
	if i < 0 {
		c.LastTransitionTime = NewTime(now)
		*conditions = append(slices.Clip(*conditions), c)
		return true
	}
	have := (*conditions)[i]
	c.LastTransitionTime = have.LastTransitionTime
	if have.Status != c.Status || have.LastTransitionTime.IsZero() {
		c.LastTransitionTime = NewTime(now)
	}
	if c == have {
		return false
	}
	*conditions = slices.Clone(*conditions)
	(*conditions)[i] = c
	return true
}
