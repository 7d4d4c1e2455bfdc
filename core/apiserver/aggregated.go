package apiserver

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
)

// aggregated is the APIGroupDiscoveryList of the core group or of all others,
// the built-in ones first. It is made once for a table of kinds. Models
// k8s.io/apiserver/pkg/endpoints/discovery/aggregated.
func (t *kinds) aggregated(core bool) *object.Map {
	kept := &t.groups
	if core {
		kept = &t.core
	}
	if m := kept.Load(); m != nil {
		return m
	}
	var items []any
	for _, custom := range []bool{false, true} {
		for _, name := range t.groupNames(custom) {
			if (name == "") == core {
				items = append(items, t.discoveredGroup(name))
			}
		}
	}
	m := object.NewMap(object.Field{Key: "kind", Value: "APIGroupDiscoveryList"}, object.Field{Key: "apiVersion", Value: "apidiscovery.k8s.io/v2"},
		object.Field{Key: "metadata", Value: object.NewMap()}, object.Field{Key: "items", Value: object.NewList(items...)})
	if !kept.CompareAndSwap(nil, m) {
		return kept.Load()
	}
	return m
}

// groupNames lists the groups of custom resources, or all others.
func (t *kinds) groupNames(custom bool) []string {
	var out []string
	for _, k := range t.list {
		if k.Custom == custom && !slices.Contains(out, k.GVR.Group) {
			out = append(out, k.GVR.Group)
		}
	}
	return out
}

func (t *kinds) discoveredGroup(group string) *object.Map {
	var names []string
	for _, k := range t.list {
		if k.GVR.Group == group && !slices.Contains(names, k.GVR.Version) {
			names = append(names, k.GVR.Version)
		}
	}
	slices.SortStableFunc(names, compareVersions)
	versions := make([]any, len(names))
	for i, v := range names {
		var resources []any
		for _, k := range t.list {
			if k.GVR.Group == group && k.GVR.Version == v {
				resources = append(resources, k.discovered())
			}
		}
		versions[i] = object.NewMap(object.Field{Key: "version", Value: v}, object.Field{Key: "freshness", Value: "Current"},
			object.Field{Key: "resources", Value: object.NewList(resources...)})
	}
	meta := object.NewMap()
	if group != "" {
		meta = meta.With("name", group)
	}
	return object.NewMap(object.Field{Key: "metadata", Value: meta},
		object.Field{Key: "versions", Value: object.NewList(versions...)})
}

// discovered is a kind's entry.
func (k *kind) discovered() *object.Map {
	scope := "Cluster"
	if k.Namespaced {
		scope = "Namespaced"
	}
	kind := object.NewMap(object.Field{Key: "group", Value: k.GVR.Group}, object.Field{Key: "version", Value: k.GVR.Version}, object.Field{Key: "kind", Value: k.Kind})
	m := object.NewMap(object.Field{Key: "resource", Value: k.GVR.Resource}, object.Field{Key: "singularResource", Value: k.Singular},
		object.Field{Key: "scope", Value: scope}, object.Field{Key: "responseKind", Value: kind},
		object.Field{Key: "verbs", Value: object.Strings(k.verbs...)})
	if len(k.ShortNames) > 0 {
		m = m.With("shortNames", object.Strings(k.ShortNames...))
	}
	if len(k.Categories) > 0 {
		m = m.With("categories", object.Strings(k.Categories...))
	}
	var subs []any
	for _, name := range []string{"finalize", "status"} {
		if _, ok := k.subresources[name]; ok {
			entry := k.apiSubresource(name)
			verbs, _ := entry.Get("verbs")
			subs = append(subs, object.NewMap(object.Field{Key: "subresource", Value: name}, object.Field{Key: "responseKind", Value: kind},
				object.Field{Key: "verbs", Value: verbs}))
		}
	}
	if k.scales() {
		subs = append(subs, object.NewMap(object.Field{Key: "subresource", Value: scaleSubresource},
			object.Field{Key: "responseKind", Value: object.FromAny(map[string]any{"group": "autoscaling", "version": "v1", "kind": "Scale"})},
			object.Field{Key: "verbs", Value: object.Strings("get", "patch", "update")}))
	}
	if len(subs) > 0 {
		m = m.With("subresources", object.NewList(subs...))
	}
	return m
}
