package reconcile

import "github.com/reconcile-playground/reconcile/core/object"

// WebApp is the lab's resource: an app that says something.
type WebApp struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata"`

	Spec   WebAppSpec   `json:"spec"`
	Status WebAppStatus `json:"status,omitzero"`
}

// WebAppSpec is what the user wants.
type WebAppSpec struct {
	// Message is what the app says.
	Message string `json:"message"`
	// Replicas is 1 where it is not given.
	Replicas *int64 `json:"replicas,omitempty"`
	// ConfigRef names a ConfigMap of the same namespace that the app depends
	// on; empty for none.
	ConfigRef string `json:"configRef,omitempty"`
	// LoadBalancer asks for a load balancer outside the cluster.
	LoadBalancer bool `json:"loadBalancer,omitempty"`
}

// WebAppStatus is what the controller found and did.
type WebAppStatus struct {
	// ObservedGeneration is the generation that the rest of status speaks of.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Phase is Pending, Ready or Terminating.
	Phase string `json:"phase,omitempty"`
	// LoadBalancer is the one in use; nil where none is wanted.
	LoadBalancer *LoadBalancer `json:"loadBalancer,omitempty"`
	Conditions   []Condition   `json:"conditions,omitempty"`
}

// LoadBalancer names a load balancer in the cloud.
type LoadBalancer struct {
	ID      string `json:"id"`
	Address string `json:"address"`
}

// Resource implements Object.
func (*WebApp) Resource() Resource {
	return Resource{object.GVK{Group: "lab.example.com", Version: "v1", Kind: "WebApp"}, "webapps"}
}

// ConfigMap is the core group's ConfigMap.
type ConfigMap struct {
	TypeMeta   `json:",inline"`
	ObjectMeta `json:"metadata"`

	Data       map[string]string `json:"data,omitempty"`
	BinaryData map[string]string `json:"binaryData,omitempty"`
	Immutable  *bool             `json:"immutable,omitempty"`
}

// Resource implements Object.
func (*ConfigMap) Resource() Resource {
	return Resource{object.GVK{Version: "v1", Kind: "ConfigMap"}, "configmaps"}
}
