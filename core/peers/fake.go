package peers

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// FakeClient is controller-runtime's fake client as a Peer.
type FakeClient struct {
	client.WithWatch
	// Full gives it client-go's whole scheme, and what is its default for
	// server-side apply; else it knows WebApps alone.
	Full bool
	held *WebApp
}

// Name implements Peer.
func (f *FakeClient) Name() string {
	if f.Full {
		return "fake client, client-go's scheme"
	}
	return "fake client, one kind"
}

func fakeBuilder(full bool) *fake.ClientBuilder {
	s := runtime.NewScheme()
	AddWebApp(s)
	b := fake.NewClientBuilder().WithScheme(s).WithStatusSubresource(&WebApp{})
	if !full {
		return b.WithTypeConverters(managedfields.NewDeducedTypeConverter())
	}
	if err := clientgoscheme.AddToScheme(s); err != nil {
		panic(err)
	}
	return b
}

func fakeWebApp(i int) *WebApp {
	return &WebApp{
		TypeMeta:   metav1.TypeMeta{APIVersion: GroupVersion.String(), Kind: "WebApp"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: nameOf(i), Labels: map[string]string{"group": groupOf(i), "app": "web"}},
		Spec:       WebAppSpec{Message: message(0)},
	}
}

// Fill implements Peer.
func (f *FakeClient) Fill(n int) error {
	all := make([]client.Object, n)
	for i := range all {
		all[i] = fakeWebApp(i)
	}
	f.WithWatch = fakeBuilder(f.Full).WithObjects(all...).Build()
	return nil
}

// Hold implements Peer.
func (f *FakeClient) Hold(name string) error {
	f.held = &WebApp{}
	return f.WithWatch.Get(context.Background(), types.NamespacedName{Namespace: "default", Name: name}, f.held)
}

// Stored implements Peer.
func (f *FakeClient) Stored(name string) (string, int64, error) {
	var w WebApp
	err := f.WithWatch.Get(context.Background(), types.NamespacedName{Namespace: "default", Name: name}, &w)
	return w.Spec.Message, w.Status.ObservedGeneration, err
}

// Get implements Peer.
func (f *FakeClient) Get(name string) error {
	return f.WithWatch.Get(context.Background(), types.NamespacedName{Namespace: "default", Name: name}, &WebApp{})
}

// Create implements Peer.
func (f *FakeClient) Create(name string) error {
	w := fakeWebApp(0)
	w.Name = name
	return f.WithWatch.Create(context.Background(), w)
}

// Update implements Peer.
func (f *FakeClient) Update(n int) error {
	f.held.Spec.Message = message(n)
	return f.WithWatch.Update(context.Background(), f.held)
}

// UpdateStatus implements Peer.
func (f *FakeClient) UpdateStatus(n int) error {
	f.held.Status = WebAppStatus{ObservedGeneration: int64(n), Phase: "Ready"}
	return f.WithWatch.Status().Update(context.Background(), f.held)
}

// MergePatch implements Peer.
func (f *FakeClient) MergePatch(n int) error {
	body := fmt.Appendf(nil, `{"spec":{"message":%q}}`, message(n))
	return f.WithWatch.Patch(context.Background(), f.held, client.RawPatch(types.MergePatchType, body))
}

// Apply implements Peer.
func (f *FakeClient) Apply(n int) error {
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": GroupVersion.String(), "kind": "WebApp",
		"metadata": map[string]any{"namespace": "default", "name": f.held.Name},
		"spec":     map[string]any{"message": message(n)},
	}}
	return f.WithWatch.Apply(context.Background(), client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("peer"), client.ForceOwnership)
}

// ListByLabel implements Peer.
func (f *FakeClient) ListByLabel(group int) (int, error) {
	var l WebAppList
	err := f.WithWatch.List(context.Background(), &l, client.InNamespace("default"), client.MatchingLabels{"group": fmt.Sprintf("g%d", group)})
	return len(l.Items), err
}

// Delete implements Peer.
func (f *FakeClient) Delete(name string) error {
	return f.WithWatch.Delete(context.Background(), &WebApp{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}})
}
