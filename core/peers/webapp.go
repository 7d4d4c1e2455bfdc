package peers

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is that of the lab's WebApp.
var GroupVersion = schema.GroupVersion{Group: "lab.example.com", Version: "v1"}

// WebApp is the lab's resource as controller-runtime wants it.
type WebApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   WebAppSpec   `json:"spec,omitzero"`
	Status WebAppStatus `json:"status,omitzero"`
}

// WebAppSpec is what the user wants.
type WebAppSpec struct {
	Message      string `json:"message"`
	Replicas     *int64 `json:"replicas,omitempty"`
	ConfigRef    string `json:"configRef,omitempty"`
	LoadBalancer bool   `json:"loadBalancer,omitempty"`
}

// WebAppStatus is what the controller found.
type WebAppStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	LoadBalancer       *LoadBalancer      `json:"loadBalancer,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

// LoadBalancer is the one in use.
type LoadBalancer struct {
	ID      string `json:"id,omitempty"`
	Address string `json:"address,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (w *WebApp) DeepCopyObject() runtime.Object {
	out := *w
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if w.Spec.Replicas != nil {
		n := *w.Spec.Replicas
		out.Spec.Replicas = &n
	}
	if w.Status.LoadBalancer != nil {
		lb := *w.Status.LoadBalancer
		out.Status.LoadBalancer = &lb
	}
	if w.Status.Conditions != nil {
		out.Status.Conditions = make([]metav1.Condition, len(w.Status.Conditions))
		for i := range w.Status.Conditions {
			w.Status.Conditions[i].DeepCopyInto(&out.Status.Conditions[i])
		}
	}
	return &out
}

// WebAppList is a list of WebApps.
type WebAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []WebApp `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *WebAppList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]WebApp, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*WebApp)
	}
	return &out
}

// AddWebApp makes a scheme know the kind.
func AddWebApp(s *runtime.Scheme) {
	s.AddKnownTypes(GroupVersion, &WebApp{}, &WebAppList{})
	metav1.AddToGroupVersion(s, GroupVersion)
}
