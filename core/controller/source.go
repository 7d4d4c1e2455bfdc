package controller

import (
	"slices"
	"sort"

	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Kind names what is watched: by kind, as objects and owner references do, and
// by resource, as requests do.
type Kind struct {
	object.GVK
	Resource string
	// ClusterScoped says that its objects have no namespace.
	ClusterScoped bool
}

// GVR returns the resource.
func (k Kind) GVR() object.GVR {
	return object.GVR{Group: k.Group, Version: k.Version, Resource: k.Resource}
}

// Watch is one source of events: a kind, what keys its events give, and which
// ones do.
type Watch struct {
	Kind
	// Predicates must all let an event pass.
	Predicates []Predicate
	// EveryOwner makes an owned object wake all of its owners of the right
	// kind, not the one that is its controller alone. Models MatchEveryOwner.
	EveryOwner bool
	// Map gives the keys for an object that is mapped. It is nil for the
	// other sources.
	Map MapFunc
}

// MapFunc gives the keys that an event of an object wakes; of an update it is
// asked for the object before and after. It may look into the process's caches.
// Models handler.EnqueueRequestsFromMapFunc.
type MapFunc func(o object.Object, caches Caches) []object.Key

// Caches finds the informer of a resource in the process; nil for none.
type Caches func(object.GVR) *informer.Informer

// MapByField maps an object to those objects of a resource, in the same
// namespace, that hold its name at a path of keys: a ConfigMap to the WebApps
// whose spec.configRef is its name.
func MapByField(gvr object.GVR, path ...string) MapFunc {
	return func(o object.Object, caches Caches) []object.Key {
		inf := caches(gvr)
		if inf == nil {
			return nil
		}
		var keys []object.Key
		for _, candidate := range inf.List(o.Namespace(), nil) {
			if candidate.Str(path...) == o.Name() {
				keys = append(keys, candidate.Key())
			}
		}
		return keys
	}
}

// role says what a source is to its controller.
type role string

const (
	forRole    role = "for"
	ownsRole   role = "owns"
	mappedRole role = "watches"
)

// keys returns the keys that a notification of the source wakes, each once:
// mapped ones in the order of Map, of the object before and then of the object
// after; others sorted.
func (s source) keys(owner Kind, n informer.Notification, caches Caches) []object.Key {
	var keys []object.Key
	for _, o := range []object.Object{n.Old, n.New} {
		if o.IsZero() {
			continue
		}
		switch s.role {
		case forRole:
			keys = append(keys, o.Key())
		case ownsRole:
			keys = append(keys, ownerKeys(o, owner, s.EveryOwner)...)
		case mappedRole:
			keys = append(keys, s.Map(o, caches)...)
		}
	}
	if s.role != mappedRole {
		sort.SliceStable(keys, func(i, j int) bool { return keys[i].Compare(keys[j]) < 0 })
	}
	return once(keys)
}

// once drops what is in keys already.
func once(keys []object.Key) []object.Key {
	seen := make(map[object.Key]bool, len(keys))
	return slices.DeleteFunc(keys, func(k object.Key) bool {
		again := seen[k]
		seen[k] = true
		return again
	})
}

// ownerKeys returns the keys of an object's owners of a kind: of group and kind,
// whatever the version and the uid. A reference whose apiVersion is malformed
// hides those after it. Models enqueueRequestForOwner.
func ownerKeys(o object.Object, owner Kind, every bool) []object.Key {
	refs := o.OwnerReferences()
	if !every {
		refs = nil
		if ref, ok := o.ControllerOf(); ok {
			refs = append(refs, ref)
		}
	}
	var keys []object.Key
	for _, ref := range refs {
		group, _, ok := object.ParseAPIVersion(ref.APIVersion)
		if !ok {
			break
		}
		if group == owner.Group && ref.Kind == owner.GVK.Kind {
			key := object.Key{Namespace: o.Namespace(), Name: ref.Name}
			if owner.ClusterScoped {
				key.Namespace = ""
			}
			keys = append(keys, key)
		}
	}
	return keys
}

// passes returns the name of the first predicate that keeps the notification
// back, "" where all let it pass. Models internal/source.EventHandler.
func passes(predicates []Predicate, n informer.Notification) string {
	for _, p := range predicates {
		ok := true
		switch n.Type {
		case informer.Add:
			ok = p.Create(CreateEvent{n.New, n.InitialList})
		case informer.Update, informer.Sync:
			ok = p.Update(UpdateEvent{n.Old, n.New})
		case informer.Delete:
			ok = p.Delete(DeleteEvent{n.Old, n.FinalStateUnknown})
		}
		if !ok {
			return p.String()
		}
	}
	return ""
}
