package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// fakeReplay is the fake client, asked by requests that are calls of a client:
// as a test asks it that was written with care, with the status subresource named
// and the custom objects typed.
type fakeReplay struct {
	client client.WithWatch
	kinds  map[string]schema.GroupVersionKind
}

func newFakeReplay(setup []map[string]any) *fakeReplay {
	s := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(s); err != nil {
		panic(err)
	}
	r := &fakeReplay{kinds: map[string]schema.GroupVersionKind{
		"configmaps": {Version: "v1", Kind: "ConfigMap"}, "namespaces": {Version: "v1", Kind: "Namespace"},
	}}
	b := fake.NewClientBuilder().WithScheme(s).WithReturnManagedFields()
	for _, m := range setup {
		u := unstructured.Unstructured{Object: m}
		plural, _, _ := unstructured.NestedString(m, "spec", "names", "plural")
		if u.GetKind() == "Namespace" {
			b = b.WithObjects(&u)
		}
		if plural == "" {
			continue
		}
		kind, _, _ := unstructured.NestedString(m, "spec", "names", "kind")
		group, _, _ := unstructured.NestedString(m, "spec", "group")
		gvk := schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}
		r.kinds[plural] = gvk
		s.AddKnownTypeWithName(gvk, &looseObject{})
		s.AddKnownTypeWithName(gvk.GroupVersion().WithKind(kind+"List"), &looseList{})
		if versions, _, _ := unstructured.NestedSlice(m, "spec", "versions"); hasStatus(versions) {
			of := &looseObject{}
			of.SetGroupVersionKind(gvk)
			b = b.WithStatusSubresource(of)
		}
	}
	r.client = b.Build()
	return r
}

func hasStatus(versions []any) bool {
	for _, v := range versions {
		m, _ := v.(map[string]any)
		if _, ok, _ := unstructured.NestedMap(m, "subresources", "status"); ok {
			return true
		}
	}
	return false
}

// looseObject is a typed object of any custom kind.
type looseObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   map[string]any `json:"spec,omitempty"`
	Status map[string]any `json:"status,omitempty"`
	X      any            `json:"x,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (o *looseObject) DeepCopyObject() runtime.Object {
	out := *o
	o.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec, out.Status = runtime.DeepCopyJSON(o.Spec), runtime.DeepCopyJSON(o.Status)
	return &out
}

type looseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`
	Items           []looseObject `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *looseList) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]looseObject, len(l.Items))
	for i := range l.Items {
		out.Items[i] = *l.Items[i].DeepCopyObject().(*looseObject)
	}
	return &out
}

// typed makes the object that a client holds of a tree: custom kinds are
// looseObjects, the others stay trees.
func typed(u *unstructured.Unstructured) client.Object {
	if u.GroupVersionKind().Group == "" {
		return u
	}
	o := &looseObject{}
	if err := json.Unmarshal([]byte(jsonText(u.Object)), o); err != nil {
		panic(err)
	}
	return o
}

// treeOf is what a client's object says.
func treeOf(o any) map[string]any {
	var out map[string]any
	if err := json.Unmarshal([]byte(jsonText(o)), &out); err != nil {
		panic(err)
	}
	return out
}

// target is what a path is about.
type target struct {
	kind                         schema.GroupVersionKind
	namespace, name, subresource string
}

func (r *fakeReplay) target(path string) target {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	rest := parts[2:]
	if parts[0] == "apis" {
		rest = parts[3:]
	}
	var t target
	if len(rest) > 2 && rest[0] == "namespaces" {
		t.namespace, rest = rest[1], rest[2:]
	}
	rest = append(rest, "", "")
	t.kind, t.name, t.subresource = r.kinds[rest[0]], rest[1], rest[2]
	return t
}

func (r *fakeReplay) step(s step) answer {
	t := r.target(s.Path)
	ctx := context.Background()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	if m, ok := s.Body.(map[string]any); ok && s.Method != "PATCH" && s.Method != "DELETE" {
		u.Object = runtime.DeepCopyJSON(integers(m).(map[string]any))
	}
	u.SetGroupVersionKind(t.kind)
	if t.namespace != "" {
		u.SetNamespace(t.namespace)
	}
	if s.Method != "POST" && s.Method != "PUT" {
		u.SetName(t.name)
	}
	o := typed(u)
	code := 200
	var err error
	switch {
	case s.Method == "GET" && s.Query["watch"] == "true":
		return r.watch(ctx, t, s)
	case s.Method == "GET" && t.name == "":
		return r.list(ctx, t, s)
	case s.Method == "GET":
		err = r.client.Get(ctx, types.NamespacedName{Namespace: t.namespace, Name: t.name}, o)
	case s.Method == "POST":
		code, err = 201, r.client.Create(ctx, o)
	case s.Method == "PUT" && t.subresource == "status":
		err = r.client.Status().Update(ctx, o)
	case s.Method == "PUT":
		err = r.client.Update(ctx, o)
	case s.Method == "PATCH":
		err = r.patch(ctx, o, t, s)
	case s.Method == "DELETE" && t.name == "":
		err = r.client.DeleteAllOf(ctx, o, client.InNamespace(t.namespace))
	case s.Method == "DELETE":
		err = r.client.Delete(ctx, o, deleteOptions(s)...)
	}
	if err != nil {
		return failure(err)
	}
	return answer{Code: code, Body: treeOf(o)}
}

// integers turns the whole numbers of decoded JSON into integers.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = integers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = integers(x)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

func deleteOptions(s step) []client.DeleteOption {
	m, _ := s.Body.(map[string]any)
	var out []client.DeleteOption
	if p, ok := m["propagationPolicy"].(string); ok {
		out = append(out, client.PropagationPolicy(metav1.DeletionPropagation(p)))
	}
	if pre, ok := m["preconditions"].(map[string]any); ok {
		p := client.Preconditions{}
		if uid, ok := pre["uid"].(string); ok {
			id := types.UID(uid)
			p.UID = &id
		}
		if rv, ok := pre["resourceVersion"].(string); ok {
			p.ResourceVersion = &rv
		}
		out = append(out, p)
	}
	return out
}

func (r *fakeReplay) patch(ctx context.Context, o client.Object, t target, s step) error {
	body, err := json.Marshal(s.Body)
	if err != nil {
		return err
	}
	p := client.RawPatch(types.PatchType(s.ContentType), body)
	if t.subresource == "status" {
		return r.client.Status().Patch(ctx, o, p)
	}
	var opts []client.PatchOption
	if m, ok := s.Query["fieldManager"].(string); ok {
		opts = append(opts, client.FieldOwner(m))
	}
	if s.Query["force"] == "true" {
		opts = append(opts, client.ForceOwnership)
	}
	return r.client.Patch(ctx, o, p, opts...)
}

func (r *fakeReplay) selectors(t target, s step) ([]client.ListOption, *answer) {
	opts := []client.ListOption{client.InNamespace(t.namespace)}
	if text, ok := s.Query["labelSelector"].(string); ok {
		sel, err := labels.Parse(text)
		if err != nil {
			// A client cannot even ask.
			return nil, &answer{Code: 400, Body: map[string]any{"message": err.Error()}}
		}
		opts = append(opts, client.MatchingLabelsSelector{Selector: sel})
	}
	if text, ok := s.Query["fieldSelector"].(string); ok {
		sel, err := fields.ParseSelector(text)
		if err != nil {
			return nil, &answer{Code: 400, Body: map[string]any{"message": err.Error()}}
		}
		opts = append(opts, client.MatchingFieldsSelector{Selector: sel})
	}
	return opts, nil
}

func (r *fakeReplay) list(ctx context.Context, t target, s step) answer {
	opts, refused := r.selectors(t, s)
	if refused != nil {
		return *refused
	}
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(t.kind.GroupVersion().WithKind(t.kind.Kind + "List"))
	if err := r.client.List(ctx, l, opts...); err != nil {
		return failure(err)
	}
	items := make([]any, len(l.Items))
	for i := range l.Items {
		items[i] = l.Items[i].Object
	}
	return answer{Code: 200, Body: map[string]any{"items": items, "metadata": map[string]any{"resourceVersion": l.GetResourceVersion()}}}
}

// watch takes what a watch has to say when it begins: in a real cluster, all that
// happened since its resourceVersion.
func (r *fakeReplay) watch(ctx context.Context, t target, s step) answer {
	opts, refused := r.selectors(t, s)
	if refused != nil {
		return *refused
	}
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(t.kind.GroupVersion().WithKind(t.kind.Kind + "List"))
	rv, _ := s.Query["resourceVersion"].(string)
	w, err := r.client.Watch(ctx, l, append(opts, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: rv}})...)
	if err != nil {
		return failure(err)
	}
	defer w.Stop()
	out := answer{Code: 200, Events: []event{}}
	for {
		select {
		case e := <-w.ResultChan():
			out.Events = append(out.Events, event{string(e.Type), treeOf(e.Object)})
		default:
			return out
		}
	}
}

func failure(err error) answer {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		st := status.Status()
		return answer{Code: int(st.Code), Body: map[string]any{"message": st.Message, "reason": string(st.Reason)}}
	}
	return answer{Body: map[string]any{"message": fmt.Sprintf("no Status: %v", err)}}
}
