package collector

import (
	"errors"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// attemptToDelete looks at one uid and does the one thing that it finds
// necessary. Models GarbageCollector.attemptToDeleteItem.
func (c *Collector) attemptToDelete(uid string, do api.Doer) error {
	n, ok := c.nodes.Get(uid)
	if !ok || n.beingDeleted && !n.deletingDependents {
		return nil
	}
	k := c.kindOf(n.apiVersion, n.ref.Kind)
	if k.gvr.Resource == "" {
		return errUnknownKind{n.apiVersion, n.ref.Kind}
	}
	latest, err := get(do, k, n.ref.Namespace, n.ref.Name)
	switch {
	case err != nil:
		return err
	case latest.IsZero() || latest.UID() != n.uid:
		c.removeNode(n)
		return nil
	case n.deletingDependents:
		return c.processDeletingDependents(n, k, latest, do)
	}
	owners := latest.OwnerReferences()
	if len(owners) == 0 {
		return nil
	}
	groups, err := c.classify(n, owners, do)
	if err != nil || groups.unresolvable {
		return err
	}
	switch {
	case len(groups.solid) > 0:
		if len(groups.dangling)+len(groups.waiting) == 0 {
			return nil
		}
		return removeOwners(do, k.gvr, latest, append(groups.dangling, groups.waiting...))
	case len(groups.waiting) > 0 && len(c.dependentsOf(n.uid)) > 0:
		if err := c.breakCircle(n, k, latest, do); err != nil {
			return err
		}
		return c.delete(n, k, latest, "Foreground", do)
	}
	policy := "Background"
	if latest.HasFinalizer(finalizerOrphan) {
		policy = "Orphan"
	} else if latest.HasFinalizer(finalizerForeground) {
		policy = "Foreground"
	}
	return c.delete(n, k, latest, policy, do)
}

// groups are the owners of an object by what has become of them, by uid.
type groups struct {
	// solid exist; dangling do not; waiting wait for their dependents to go.
	solid, dangling, waiting []string
	// unresolvable: a cluster-scoped object names a namespaced owner.
	unresolvable bool
}

// classify asks the server for each owner that is not known to be absent.
// Models classifyReferences and isDangling.
func (c *Collector) classify(n *node, owners []object.OwnerReference, do api.Doer) (groups, error) {
	var g groups
	for _, r := range owners {
		if c.absent.Contains(absence(r.APIVersion, r.Kind, "", r.Name, r.UID)) ||
			c.absent.Contains(absence(r.APIVersion, r.Kind, n.ref.Namespace, r.Name, r.UID)) {
			g.dangling = append(g.dangling, r.UID)
			continue
		}
		k := c.kindOf(r.APIVersion, r.Kind)
		if k.gvr.Resource == "" {
			return g, errUnknownKind{r.APIVersion, r.Kind}
		}
		if k.namespaced && n.ref.Namespace == "" {
			return groups{unresolvable: true}, nil
		}
		owner, err := get(do, k, n.ref.Namespace, r.Name)
		switch {
		case err != nil:
			return g, err
		case owner.IsZero() || owner.UID() != r.UID:
			c.absent.Insert(absence(r.APIVersion, r.Kind, c.ownerNamespace(r, n), r.Name, r.UID))
			g.dangling = append(g.dangling, r.UID)
		case owner.Terminating() && owner.HasFinalizer(finalizerForeground):
			g.waiting = append(g.waiting, r.UID)
		default:
			g.solid = append(g.solid, r.UID)
		}
	}
	return g, nil
}

// removeOwners takes the references to the uids off an object.
func removeOwners(do api.Doer, gvr object.GVR, o object.Object, uids []string) error {
	var kept []any
	for _, v := range o.List("metadata", "ownerReferences").All() {
		m, _ := v.(*object.Map)
		if uid := object.New(m).Str("uid"); !slices.Contains(uids, uid) {
			kept = append(kept, v)
		}
	}
	if len(kept) == o.List("metadata", "ownerReferences").Len() {
		return nil
	}
	return mergeMetadata(do, gvr, o, "ownerReferences", object.NewList(kept...))
}

// breakCircle makes the references of an object non-blocking where one of its
// dependents waits for dependents too: they might wait for each other.
func (c *Collector) breakCircle(n *node, k kind, o object.Object, do api.Doer) error {
	if !slices.ContainsFunc(c.dependentsOf(n.uid), func(d *node) bool { return d.deletingDependents }) {
		return nil
	}
	refs := o.List("metadata", "ownerReferences")
	blocked := refs
	for i, v := range refs.All() {
		if m, ok := v.(*object.Map); ok && object.New(m).Bool("blockOwnerDeletion") {
			refs = refs.With(i, m.With("blockOwnerDeletion", false))
		}
	}
	if refs == blocked {
		return nil
	}
	if err := mergeMetadata(do, k.gvr, o, "ownerReferences", refs); err != nil {
		return err
	}
	return errUnblocked
}

// errUnblocked puts the deletion off until the owner, which nothing blocks any
// more, was looked at: the real one runs into a conflict with its own patch.
var errUnblocked = errors.New("its owners are no longer blocked")

// delete sends the DELETE, on condition that the object is still what was read:
// somebody may have given it a living owner meanwhile.
func (c *Collector) delete(n *node, k kind, latest object.Object, policy string, do api.Doer) error {
	if latest.IsZero() {
		c.removeNode(n)
		return nil
	}
	body := object.FromAny(map[string]any{
		"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": policy,
		"preconditions": map[string]any{"uid": latest.UID(), "resourceVersion": latest.ResourceVersion()},
	})
	r := do.Do(api.Request{Verb: api.Delete, GVR: k.gvr, Namespace: n.ref.Namespace, Name: n.ref.Name, Body: body, UserAgent: userAgent})
	if api.IsNotFound(r.Err()) {
		c.removeNode(n)
		return nil
	}
	return r.Err()
}

// processDeletingDependents lets an owner go once nothing blocks it, else makes
// sure that what blocks it is looked at.
func (c *Collector) processDeletingDependents(n *node, k kind, latest object.Object, do api.Doer) error {
	blocking := c.blockingDependents(n.uid)
	if len(blocking) == 0 {
		return removeFinalizer(do, k.gvr, latest, finalizerForeground)
	}
	for _, d := range blocking {
		if !d.deletingDependents && !d.beingDeleted {
			c.enqueue(d)
		}
	}
	return nil
}

func removeFinalizer(do api.Doer, gvr object.GVR, o object.Object, name string) error {
	if !o.HasFinalizer(name) {
		return nil
	}
	kept := slices.DeleteFunc(o.Finalizers(), func(f string) bool { return f == name })
	return mergeMetadata(do, gvr, o, "finalizers", object.Strings(kept...))
}

// attemptToOrphan takes the references to a dying owner off its dependents,
// then lets it go. Models attemptToOrphanWorker.
func (c *Collector) attemptToOrphan(uid string, do api.Doer) error {
	n, ok := c.nodes.Get(uid)
	if !ok {
		return nil
	}
	for _, d := range c.dependentsOf(uid) {
		k := c.kindOf(d.apiVersion, d.ref.Kind)
		latest, err := get(do, k, d.ref.Namespace, d.ref.Name)
		if err != nil {
			return err
		}
		if latest.IsZero() || latest.UID() != d.uid {
			continue
		}
		if err := removeOwners(do, k.gvr, latest, []string{uid}); err != nil {
			return err
		}
	}
	k := c.kindOf(n.apiVersion, n.ref.Kind)
	latest, err := get(do, k, n.ref.Namespace, n.ref.Name)
	if err != nil || latest.UID() != uid {
		return err
	}
	return removeFinalizer(do, k.gvr, latest, finalizerOrphan)
}
