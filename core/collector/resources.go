package collector

import (
	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// kind is where objects of a kind are found.
type kind struct {
	gvr        object.GVR
	namespaced bool
}

// builtin are the kinds that are there before any object of theirs is seen.
// Those of custom resources are learned from their definitions.
var builtin = []struct {
	apiVersion, kindName, resource string
	namespaced                     bool
}{
	{"v1", "ConfigMap", "configmaps", true},
	{"v1", "Namespace", "namespaces", false},
	{"v1", "Secret", "secrets", true},
	{"v1", "Service", "services", true},
}

var crdGVR = object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// learn notes a kind; what stalled for want of it is tried again.
func (c *Collector) learn(apiVersion, name string, k kind) {
	key := apiVersion + " " + name
	if _, known := c.kinds.Get(key); known {
		return
	}
	c.kinds.Set(key, k)
	c.stalled.Scan(func(_ string, t task) bool {
		c.queue.add(t)
		return true
	})
	c.stalled.Clear()
}

// kindOf returns the resource of a kind; the zero kind where it is not known.
func (c *Collector) kindOf(apiVersion, name string) kind {
	k, _ := c.kinds.Get(apiVersion + " " + name)
	return k
}

// errUnknownKind stalls an attempt until the kind is there.
type errUnknownKind struct{ apiVersion, kind string }

func (e errUnknownKind) Error() string {
	return "no matches for kind \"" + e.kind + "\" in version \"" + e.apiVersion + "\""
}

// userAgent is the name under which the collector's writes are recorded.
const userAgent = "kube-controller-manager"

// get reads an object of a kind; a nil error with no object means that it is
// not there.
func get(do api.Doer, k kind, namespace, name string) (object.Object, error) {
	if !k.namespaced {
		namespace = ""
	}
	r := do.Do(api.Request{Verb: api.Get, GVR: k.gvr, Namespace: namespace, Name: name, UserAgent: userAgent})
	if api.IsNotFound(r.Err()) {
		return object.Object{}, nil
	}
	return r.Object, r.Err()
}

// mergeMetadata patches metadata of the object as it was read: a change made
// since then is a conflict.
func mergeMetadata(do api.Doer, gvr object.GVR, read object.Object, field string, value any) error {
	body := object.FromAny(map[string]any{"metadata": map[string]any{"uid": read.UID(), "resourceVersion": read.ResourceVersion(), field: value}})
	r := do.Do(api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: gvr, Namespace: read.Namespace(), Name: read.Name(), Body: body, UserAgent: userAgent})
	if api.IsNotFound(r.Err()) {
		return nil
	}
	return r.Err()
}

// update writes a whole object to a subresource.
func update(do api.Doer, gvr object.GVR, subresource string, o object.Object) (object.Object, error) {
	r := do.Do(api.Request{Verb: api.Update, GVR: gvr, Namespace: o.Namespace(), Name: o.Name(), Subresource: subresource, Body: o.Root(), UserAgent: userAgent})
	return r.Object, r.Err()
}
