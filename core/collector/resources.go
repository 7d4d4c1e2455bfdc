package collector

import (
	"strings"

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

// elsewhere are kinds that every real cluster has and this one has not: an owner of
// one of them does not exist. Those of cluster scope are marked.
const elsewhere = " v1/Pod v1/ReplicationController v1/ServiceAccount v1/PersistentVolumeClaim v1/Node! v1/PersistentVolume!" +
	" apps/v1/Deployment apps/v1/ReplicaSet apps/v1/StatefulSet apps/v1/DaemonSet batch/v1/Job batch/v1/CronJob "

// kindOf returns the resource of a kind; the zero kind where it is not known.
func (c *Collector) kindOf(apiVersion, name string) kind {
	k, ok := c.kinds.Get(apiVersion + " " + name)
	if ok {
		return k
	}
	full := " " + apiVersion + "/" + name
	scoped := strings.Contains(elsewhere, full+"! ")
	if group, version, _ := object.ParseAPIVersion(apiVersion); scoped || strings.Contains(elsewhere, full+" ") {
		return kind{object.GVR{Group: group, Version: version, Resource: strings.ToLower(name) + "s"}, !scoped}
	}
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
