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

func (f *FakeClient) get(name string, into *WebApp) error {
	return f.WithWatch.Get(context.Background(), types.NamespacedName{Namespace: "default", Name: name}, into)
}

// Stored implements Peer.
func (f *FakeClient) Stored(name string) (string, int64, error) {
	var w WebApp
	err := f.get(name, &w)
	return w.Spec.Message, w.Status.ObservedGeneration, err
}

// Ready implements Peer.
func (f *FakeClient) Ready(op, name string, n int) (func() error, error) {
	ctx := context.Background()
	w := new(WebApp)
	if op != "create" && op != "get" {
		if err := f.get(name, w); err != nil {
			return nil, err
		}
	}
	switch op {
	case "get":
		return func() error { return f.get(name, new(WebApp)) }, nil
	case "create":
		w = fakeWebApp(0)
		w.Name = name
		return func() error { return f.Create(ctx, w) }, nil
	case "update":
		w.Spec.Message = message(n)
		return func() error { return f.Update(ctx, w) }, nil
	case "status update":
		w.Status = WebAppStatus{ObservedGeneration: int64(n), Phase: "Ready"}
		return func() error { return f.Status().Update(ctx, w) }, nil
	case "merge patch":
		p := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"message":%q}}`, message(n)))
		return func() error { return f.Patch(ctx, w, p) }, nil
	case "apply":
		u := client.ApplyConfigurationFromUnstructured(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": GroupVersion.String(), "kind": "WebApp",
			"metadata": map[string]any{"namespace": "default", "name": name},
			"spec":     map[string]any{"message": message(n)},
		}})
		return func() error { return f.Apply(ctx, u, client.FieldOwner("peer"), client.ForceOwnership) }, nil
	case "list by label":
		labels := client.MatchingLabels{"group": groupOfName(name)}
		return func() error {
			var l WebAppList
			err := f.List(ctx, &l, client.InNamespace("default"), labels)
			return wholeGroup(len(l.Items), err)
		}, nil
	case "delete":
		return func() error { return f.Delete(ctx, w) }, nil
	}
	return nil, unknown(op)
}
