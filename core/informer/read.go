package informer

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Get returns the cached object, and whether there is one.
func (i *Informer) Get(key object.Key) (object.Object, bool) { return i.cache.get(key) }

// Len returns how many objects are cached.
func (i *Informer) Len() int { return i.cache.objects.Len() }

// List returns the cached objects of a namespace ("" for all) that the selector
// selects, in order of key. The cost follows the number of objects that have one
// of the labels asked for with "=", where there is one.
func (i *Informer) List(namespace string, sel api.LabelSelector) []object.Object {
	candidates := i.cache.in(namespace)
	if key, value, ok := sel.Exact(); ok {
		candidates = i.cache.with(label(key, value))
	}
	var out []object.Object
	for o := range candidates {
		if (namespace == "" || o.Namespace() == namespace) && sel.Matches(o.Labels()) {
			out = append(out, o)
		}
	}
	return out
}

// OwnedBy returns the cached objects that have an owner reference with this
// uid, in order of key.
func (i *Informer) OwnedBy(uid string) []object.Object {
	return slices.Collect(i.cache.with(ownedBy(uid)))
}

// Answer answers a get or a list from the cache, as a client that reads from it
// does: a missing object is 404 with the server's own words, a list has no
// resourceVersion. It reports false for what only the server can answer: other
// verbs, subresources, tables, field selectors, a selector that does not parse,
// and anything before the first list.
func (i *Informer) Answer(req api.Request) (api.Response, bool) {
	if !i.synced || req.GVR != i.spec.GVR || req.Subresource != "" || req.As != api.AsObject || req.FieldSelector != "" ||
		i.spec.Namespace != "" && req.Namespace != i.spec.Namespace {
		return api.Response{}, false
	}
	switch req.Verb {
	case api.Get:
		o, ok := i.Get(object.Key{Namespace: req.Namespace, Name: req.Name})
		if !ok {
			s := api.NewNotFound(req.GVR, req.Name)
			return api.Response{Code: s.Code, Status: s}, true
		}
		return api.Response{Code: 200, Object: o}, true
	case api.List:
		sel, err := api.ParseLabelSelector(req.LabelSelector)
		if err != nil {
			return api.Response{}, false
		}
		items := i.List(req.Namespace, sel)
		return api.Response{Code: 200, List: &api.ObjectList{GVK: i.listKind(items), Items: items}}, true
	}
	return api.Response{}, false
}

func (i *Informer) listKind(items []object.Object) object.GVK {
	gvk := object.GVK{Group: i.spec.Group, Version: i.spec.Version, Kind: "List"}
	if len(items) > 0 {
		gvk.Kind = items[0].Kind() + "List"
	}
	return gvk
}
