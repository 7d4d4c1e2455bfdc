package adapter_test

import (
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	queueVersion   = schema.GroupVersion{Group: "queue.example.com", Version: "v1"}
	clusterVersion = schema.GroupVersion{Group: "cluster.example.com", Version: "v1"}

	workloadsVersion = schema.GroupVersion{Group: "workloads.example.com", Version: "v1"}
)

func addKnown(s *runtime.Scheme) {
	s.AddKnownTypes(queueVersion, &Broker{}, &BrokerList{})
	metav1.AddToGroupVersion(s, queueVersion)
	s.AddKnownTypes(clusterVersion, &ControlPlane{}, &ControlPlaneList{}, &Machine{}, &MachineList{})
	metav1.AddToGroupVersion(s, clusterVersion)
	// The server does not serve the group apps: the type has another here.
	s.AddKnownTypes(workloadsVersion, &appsv1.StatefulSet{}, &appsv1.StatefulSetList{})
	metav1.AddToGroupVersion(s, workloadsVersion)
}

// Broker is a message broker with volumes.
type Broker struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Replicas int64 `json:"replicas,omitempty"`
		Storage  int64 `json:"storage,omitempty"`
	} `json:"spec,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (b *Broker) DeepCopyObject() runtime.Object {
	out := *b
	b.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// BrokerList is a list of them.
type BrokerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Broker `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *BrokerList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = copied(l.Items, (*Broker).DeepCopyObject)
	return &out
}

// ControlPlane has one Machine.
type ControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Version string `json:"version,omitempty"`
	} `json:"spec,omitempty"`
	Status struct {
		ObservedGeneration int64  `json:"observedGeneration,omitempty"`
		Phase              string `json:"phase,omitempty"`
	} `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (c *ControlPlane) DeepCopyObject() runtime.Object {
	out := *c
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// ControlPlaneList is a list of them.
type ControlPlaneList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []ControlPlane `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *ControlPlaneList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = copied(l.Items, (*ControlPlane).DeepCopyObject)
	return &out
}

// Machine belongs to a ControlPlane.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec struct {
		Version string `json:"version,omitempty"`
	} `json:"spec,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (m *Machine) DeepCopyObject() runtime.Object {
	out := *m
	m.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// MachineList is a list of them.
type MachineList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Machine `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *MachineList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = copied(l.Items, (*Machine).DeepCopyObject)
	return &out
}

func copied[T any](items []T, deep func(*T) runtime.Object) []T {
	out := make([]T, len(items))
	for i := range items {
		out[i] = *any(deep(&items[i])).(*T)
	}
	return out
}
