package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// cacheReader is the client.Reader over the informers of the controller. What
// none of them holds is asked of the server, where controller-runtime would start
// another informer. Models cache/internal.CacheReader.
type cacheReader struct {
	m *Manager
	// mu guards the maps: tests may explore side by side.
	mu      sync.Mutex
	indexes map[indexKey]client.IndexerFunc
	decoded map[decodedKey]runtime.Object
}

type indexKey struct {
	gvk   schema.GroupVersionKind
	field string
}

// decodedKey is an object as it is stored, and the type that it was decoded to.
type decodedKey struct {
	root *object.Map
	typ  reflect.Type
}

// IndexField implements client.FieldIndexer.
func (r *cacheReader) IndexField(_ context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	gvk, err := apiutil.GVKForObject(obj, r.m.scheme)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.indexes[indexKey{gvk, field}] = extract
	return nil
}

// Get implements client.Reader.
func (r *cacheReader) Get(ctx context.Context, key client.ObjectKey, out client.Object, _ ...client.GetOption) error {
	gvk, req, err := r.request(api.Get, out, key.Namespace)
	if err != nil {
		return err
	}
	req.Name = key.Name
	resp, err := r.do(ctx, req)
	if err != nil {
		return err
	}
	o, err := r.decode(resp.Object, reflect.TypeOf(out))
	if err != nil {
		return err
	}
	reflect.ValueOf(out).Elem().Set(reflect.ValueOf(o).Elem())
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return nil
}

// List implements client.Reader.
func (r *cacheReader) List(ctx context.Context, out client.ObjectList, opts ...client.ListOption) error {
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	gvk, req, err := r.request(api.List, out, o.Namespace)
	if err != nil {
		return err
	}
	if o.LabelSelector != nil {
		req.LabelSelector = o.LabelSelector.String()
	}
	selected, err := r.selector(gvk, o.FieldSelector)
	if err != nil {
		return err
	}
	resp, err := r.do(ctx, req)
	if err != nil {
		return err
	}
	items, err := r.items(gvk, out, resp.List.Items, selected, o.Limit)
	if err != nil {
		return err
	}
	if o.Continue != "" {
		return errors.New("continue list option is not supported by the cache")
	}
	if err := meta.SetList(out, items); err != nil {
		return err
	}
	out.SetResourceVersion(resp.List.ResourceVersion)
	out.SetContinue("continue-not-supported")
	return nil
}

// items decodes what the selector takes of a list, up to a limit; 0 is none.
func (r *cacheReader) items(gvk schema.GroupVersionKind, list client.ObjectList, all []object.Object, selected func(client.Object) bool, limit int64) ([]runtime.Object, error) {
	typ, err := r.itemType(gvk, list)
	if err != nil {
		return nil, err
	}
	var out []runtime.Object
	for _, o := range all {
		if limit > 0 && int64(len(out)) >= limit {
			break
		}
		item, err := r.decode(o, typ)
		if err != nil {
			return nil, err
		}
		item.GetObjectKind().SetGroupVersionKind(gvk)
		if obj, ok := item.(client.Object); ok && selected(obj) {
			out = append(out, item)
		}
	}
	return out, nil
}

func (r *cacheReader) itemType(gvk schema.GroupVersionKind, list client.ObjectList) (reflect.Type, error) {
	if _, ok := list.(*metav1.PartialObjectMetadataList); ok {
		return reflect.TypeFor[*metav1.PartialObjectMetadata](), nil
	}
	item, err := r.m.scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	return reflect.TypeOf(item), nil
}

// request is a read of obj's kind; for a list it is the kind of its items.
func (r *cacheReader) request(verb api.Verb, obj runtime.Object, namespace string) (schema.GroupVersionKind, api.Request, error) {
	gvk, err := apiutil.GVKForObject(obj, r.m.scheme)
	if err != nil {
		return gvk, api.Request{}, err
	}
	if verb == api.List {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	mapping, err := r.m.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return gvk, api.Request{}, err
	}
	if mapping.Scope.Name() == meta.RESTScopeNameRoot {
		namespace = ""
	}
	gvr := object.GVR{Group: mapping.Resource.Group, Version: mapping.Resource.Version, Resource: mapping.Resource.Resource}
	return gvk, api.Request{Verb: verb, GVR: gvr, Namespace: namespace, UserAgent: r.m.options.UserAgent}, nil
}

// do makes the call; the error is one that package apierrors knows.
func (r *cacheReader) do(ctx context.Context, req api.Request) (api.Response, error) {
	p := r.m.passes.of(ctx)
	if p == nil {
		return api.Response{}, errNoPass
	}
	resp, err := p.do(req)
	if err != nil {
		return resp, err
	}
	return resp, asTheirs(resp.Err())
}

// asTheirs makes an error of the server one of client-go.
func asTheirs(err error) error {
	var s *api.Status
	switch {
	case err == nil || !errors.As(err, &s):
		return err
	case s.Code == 0:
		return &url.Error{Op: "Get", URL: "http://cluster", Err: context.DeadlineExceeded}
	}
	out := &apierrors.StatusError{}
	if err := json.Unmarshal(object.EncodeJSON(s.Object().Root()), &out.ErrStatus); err != nil {
		return fmt.Errorf("adapter: a Status: %w", err)
	}
	return out
}

// selector is a field selector by the indexes; all pass where there is none.
func (r *cacheReader) selector(gvk schema.GroupVersionKind, s fields.Selector) (func(client.Object) bool, error) {
	if s == nil || s.Empty() {
		return func(client.Object) bool { return true }, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	requirements := s.Requirements()
	extract := make([]client.IndexerFunc, len(requirements))
	for i, want := range requirements {
		if want.Operator != selection.Equals && want.Operator != selection.DoubleEquals {
			return nil, errors.New("non-exact field matches are not supported by the cache")
		}
		if extract[i] = r.indexes[indexKey{gvk, want.Field}]; extract[i] == nil {
			return nil, fmt.Errorf("Index with name field:%s does not exist", want.Field)
		}
	}
	return func(o client.Object) bool {
		for i, want := range requirements {
			if !slices.Contains(extract[i](o), want.Value) {
				return false
			}
		}
		return true
	}, nil
}

// decode returns an object of the type, the caller's own.
func (r *cacheReader) decode(o object.Object, typ reflect.Type) (runtime.Object, error) {
	const most = 4096
	key := decodedKey{o.Root(), typ}
	r.mu.Lock()
	out, ok := r.decoded[key]
	r.mu.Unlock()
	if ok {
		return out.DeepCopyObject(), nil
	}
	out, ok = reflect.New(typ.Elem()).Interface().(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("adapter: %s is no runtime.Object", typ)
	}
	if err := json.Unmarshal(object.EncodeJSON(o.Root()), out); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.decoded) >= most {
		clear(r.decoded)
	}
	r.decoded[key] = out
	return out.DeepCopyObject(), nil
}
