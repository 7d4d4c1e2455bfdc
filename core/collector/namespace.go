package collector

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

var namespaceGVR = object.GVR{Version: "v1", Resource: "namespaces"}

// finalizerKubernetes is the finalizer in a namespace's spec.
const finalizerKubernetes = "kubernetes"

func (c *Collector) observeNamespace(ch Change) {
	t := task{Namespace, ch.Object.Name()}
	if ch.Type == api.Deleted {
		c.queue.remove(t)
		c.waiting.Delete(t.key())
		return
	}
	if _, waits := c.waiting.Get(t.key()); ch.Object.Terminating() && !waits && ch.Object.List("spec", "finalizers").Len() > 0 {
		c.queue.add(t)
	}
}

// remains counts what a namespace still holds.
type remains struct {
	resources, finalizers map[string]int
	// last is the last list that showed something.
	last *api.ObjectList
}

// syncNamespace deletes all that a terminating namespace holds, says in its
// status what is left, and where nothing is takes the finalizer off its spec.
// Models namespacedResourcesDeleter.Delete.
func (c *Collector) syncNamespace(name string, do api.Doer) error {
	ns, err := get(do, kind{gvr: namespaceGVR}, "", name)
	if err != nil || ns.IsZero() || !ns.Terminating() || ns.List("spec", "finalizers").Len() == 0 {
		return err
	}
	left := remains{resources: map[string]int{}, finalizers: map[string]int{}}
	for _, gvr := range c.namespacedResources() {
		if err := deleteAll(do, gvr, name); err != nil {
			return err
		}
		if err := left.count(do, gvr, name); err != nil {
			return err
		}
	}
	if left.last != nil {
		c.putOff(task{Namespace, name}, left.last)
	}
	with := ns
	for _, cond := range left.conditions() {
		with = setCondition(with, cond, do.Now())
	}
	if !with.Equal(ns) {
		if ns, err = update(do, namespaceGVR, "status", with); err != nil {
			return err
		}
	}
	if left.last != nil {
		return nil
	}
	var kept []string
	for _, v := range ns.List("spec", "finalizers").All() {
		if f, _ := v.(string); f != finalizerKubernetes {
			kept = append(kept, f)
		}
	}
	_, err = update(do, namespaceGVR, "finalize", ns.Set(object.Strings(kept...), "spec", "finalizers"))
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

// namespacedResources lists the resources to empty, each once, by group and name.
func (c *Collector) namespacedResources() []object.GVR {
	var found []object.GVR
	c.kinds.Scan(func(_ string, k kind) bool {
		same := func(other object.GVR) bool { return other.Group == k.gvr.Group && other.Resource == k.gvr.Resource }
		if k.namespaced && !slices.ContainsFunc(found, same) {
			found = append(found, k.gvr)
		}
		return true
	})
	sort.SliceStable(found, func(i, j int) bool {
		if a, b := found[i].Group, found[j].Group; a != b {
			return a < b
		}
		return found[i].Resource < found[j].Resource
	})
	return found
}

// deleteAll deletes a collection; a resource that is no longer served has none.
func deleteAll(do api.Doer, gvr object.GVR, namespace string) error {
	body := object.FromAny(map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"})
	r := do.Do(api.Request{Verb: api.DeleteCollection, GVR: gvr, Namespace: namespace, Body: body, UserAgent: userAgent})
	if api.IsNotFound(r.Err()) {
		return nil
	}
	return r.Err()
}

func (m *remains) count(do api.Doer, gvr object.GVR, namespace string) error {
	r := do.Do(api.Request{Verb: api.List, GVR: gvr, Namespace: namespace, UserAgent: userAgent})
	if err := r.Err(); err != nil {
		if api.IsNotFound(err) {
			return nil
		}
		return err
	}
	if r.List == nil || len(r.List.Items) == 0 {
		return nil
	}
	m.last = r.List
	m.resources[gvr.Resource+"."+gvr.Group] += len(r.List.Items)
	for _, o := range r.List.Items {
		for _, f := range o.Finalizers() {
			m.finalizers[f]++
		}
	}
	return nil
}

// conditions words what is left, in the order in which the real one lists them.
func (m *remains) conditions() []condition {
	content := condition{"NamespaceContentRemaining", "False", "ContentRemoved", "All content successfully removed"}
	if len(m.resources) > 0 {
		var parts []string
		for _, r := range slices.Sorted(maps.Keys(m.resources)) {
			parts = append(parts, fmt.Sprintf("%s has %d resource instances", r, m.resources[r]))
		}
		content = condition{content.typ, "True", "SomeResourcesRemain", "Some resources are remaining: " + strings.Join(parts, ", ")}
	}
	finalizers := condition{"NamespaceFinalizersRemaining", "False", "ContentHasNoFinalizers", "All content-preserving finalizers finished"}
	if len(m.finalizers) > 0 {
		var parts []string
		for _, f := range slices.Sorted(maps.Keys(m.finalizers)) {
			parts = append(parts, fmt.Sprintf("%s in %d resource instances", f, m.finalizers[f]))
		}
		finalizers = condition{finalizers.typ, "True", "SomeFinalizersRemain", "Some content in the namespace has finalizers remaining: " + strings.Join(parts, ", ")}
	}
	return []condition{
		{"NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered", "All resources successfully discovered"},
		{"NamespaceDeletionGroupVersionParsingFailure", "False", "ParsedGroupVersions", "All legacy kube types successfully parsed"},
		{"NamespaceDeletionContentFailure", "False", "ContentDeleted", "All content successfully deleted, may be waiting on finalization"},
		content, finalizers,
	}
}
