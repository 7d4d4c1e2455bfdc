package collector

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// The finalizers that propagation policies leave on an owner.
const (
	finalizerForeground = "foregroundDeletion"
	finalizerOrphan     = "orphan"
)

// node is what is known of one uid.
type node struct {
	uid        string
	apiVersion string
	ref        object.Ref
	owners     []object.OwnerReference
	// virtual is a uid that is only known as somebody's owner.
	virtual bool
	// deletingDependents and orphaning: it is being deleted, in foreground or
	// to leave its dependents behind.
	beingDeleted, deletingDependents, orphaning bool
	// finalizers are those of what is being deleted.
	finalizers *object.List
}

// matches reports whether a reference names the node by the right coordinates.
func (n *node) matches(r object.OwnerReference, namespace string) bool {
	return n.apiVersion == r.APIVersion && n.ref.Kind == r.Kind && n.ref.Name == r.Name &&
		(n.ref.Namespace == "" || n.ref.Namespace == namespace)
}

// edge is an entry of dependents; those of one owner stand together, in order
// of their names.
func edge(owner string, dependent *node) string {
	return owner + "\x00" + dependent.ref.Full() + "\x00" + dependent.uid
}

// dependentsOf lists the nodes that name an owner.
func (c *Collector) dependentsOf(owner string) []*node {
	var out []*node
	prefix := owner + "\x00"
	c.dependents.Ascend(prefix, func(key string) bool {
		if !strings.HasPrefix(key, prefix) {
			return false
		}
		if n, ok := c.nodes.Get(key[strings.LastIndexByte(key, 0)+1:]); ok {
			out = append(out, n)
		}
		return true
	})
	return out
}

// blockingDependents are the dependents that keep an owner from going first.
func (c *Collector) blockingDependents(owner string) []*node {
	return slices.DeleteFunc(c.dependentsOf(owner), func(n *node) bool {
		return !slices.ContainsFunc(n.owners, func(r object.OwnerReference) bool { return r.UID == owner && r.BlockOwnerDeletion })
	})
}

func (c *Collector) enqueue(n *node) { c.queue.add(task{Collect, n.uid}) }

// observeNode models GraphBuilder.processGraphChanges.
func (c *Collector) observeNode(ch Change) {
	o := ch.Object
	old, found := c.nodes.Get(o.UID())
	defer c.resume(ch)
	if ch.Type == api.Deleted {
		if found {
			c.removeNode(old)
		}
		return
	}
	n := &node{
		uid: o.UID(), apiVersion: o.APIVersion(), ref: o.Ref(), owners: o.OwnerReferences(), beingDeleted: o.Terminating(),
		deletingDependents: o.Terminating() && o.HasFinalizer(finalizerForeground),
		orphaning:          o.Terminating() && o.HasFinalizer(finalizerOrphan),
	}
	if n.beingDeleted {
		n.finalizers = o.List("metadata", "finalizers")
		if found && old.beingDeleted && !object.Equal(old.finalizers, n.finalizers) {
			c.wake(o)
		}
	}
	c.nodes.Set(n.uid, n)
	switch {
	case !found:
		c.addOwners(n, n.owners)
	case old.virtual:
		// It need not be looked for any more.
		c.queue.remove(task{Collect, n.uid})
		// Those who named it otherwise have named nobody.
		for _, d := range c.dependentsOf(n.uid) {
			if !slices.ContainsFunc(d.owners, func(r object.OwnerReference) bool { return r.UID == n.uid && n.matches(r, d.ref.Namespace) }) {
				c.enqueue(d)
			}
		}
		c.addOwners(n, n.owners)
	default:
		c.changeOwners(old, n)
	}
	c.transitions(old, n)
}

// resume queues what stalled for want of a change of this object, behind what the
// change itself gives reason for.
func (c *Collector) resume(ch Change) {
	for _, w := range []Work{Collect, Orphan} {
		if t, ok := c.stalled.Delete((task{w, ch.Object.UID()}).key()); ok && ch.Type != api.Deleted {
			c.queue.add(t)
		}
	}
}

// addOwners links a node to its owners. An owner that was never seen is looked
// for; a reference that cannot be right is looked into.
func (c *Collector) addOwners(n *node, owners []object.OwnerReference) {
	for _, r := range owners {
		c.dependents.Insert(edge(r.UID, n))
		owner, ok := c.nodes.Get(r.UID)
		if !ok {
			v := &node{uid: r.UID, apiVersion: r.APIVersion, virtual: true,
				ref: object.Ref{Kind: r.Kind, Namespace: c.ownerNamespace(r, n), Name: r.Name}}
			v.ref.Group, _, _ = object.ParseAPIVersion(r.APIVersion)
			c.nodes.Set(v.uid, v)
			c.enqueue(v)
		} else if !owner.matches(r, n.ref.Namespace) {
			c.enqueue(n)
		}
	}
}

func (c *Collector) ownerNamespace(r object.OwnerReference, dependent *node) string {
	if k := c.kindOf(r.APIVersion, r.Kind); k.gvr.Resource != "" && !k.namespaced {
		return ""
	}
	return dependent.ref.Namespace
}

// changeOwners compares the references before and after an update. An owner in
// foreground deletion that is no longer blocked is looked at.
func (c *Collector) changeOwners(old, n *node) {
	has := func(refs []object.OwnerReference, uid string) (object.OwnerReference, bool) {
		i := slices.IndexFunc(refs, func(r object.OwnerReference) bool { return r.UID == uid })
		if i < 0 {
			return object.OwnerReference{}, false
		}
		return refs[i], true
	}
	for _, r := range old.owners {
		now, still := has(n.owners, r.UID)
		if !still {
			c.dependents.Delete(edge(r.UID, old))
		}
		if r.BlockOwnerDeletion && !now.BlockOwnerDeletion {
			if owner, ok := c.nodes.Get(r.UID); ok && owner.deletingDependents {
				c.enqueue(owner)
			}
		}
	}
	var added []object.OwnerReference
	for _, r := range n.owners {
		if _, was := has(old.owners, r.UID); !was {
			added = append(added, r)
		}
	}
	c.addOwners(n, added)
}

// transitions queues what an owner's deletion starts. Models processTransitions.
func (c *Collector) transitions(old, n *node) {
	if n.orphaning && (old == nil || !old.orphaning) {
		c.queue.add(task{Orphan, n.uid})
		return
	}
	if n.deletingDependents && (old == nil || !old.deletingDependents) {
		for _, d := range c.dependentsOf(n.uid) {
			c.enqueue(d)
		}
		c.enqueue(n)
	}
}

// removeNode takes a node out of the graph: its dependents are looked at, and
// so is an owner that waited for it.
func (c *Collector) removeNode(n *node) {
	c.nodes.Delete(n.uid)
	c.queue.remove(task{Collect, n.uid})
	c.queue.remove(task{Orphan, n.uid})
	for _, r := range n.owners {
		c.dependents.Delete(edge(r.UID, n))
	}
	dependents := c.dependentsOf(n.uid)
	if len(dependents) > 0 {
		c.absent.Insert(absence(n.apiVersion, n.ref.Kind, n.ref.Namespace, n.ref.Name, n.uid))
	}
	for _, d := range dependents {
		c.enqueue(d)
	}
	for _, r := range n.owners {
		if owner, ok := c.nodes.Get(r.UID); ok && owner.deletingDependents {
			c.enqueue(owner)
		}
	}
}

func absence(apiVersion, kind, namespace, name, uid string) string {
	return strings.Join([]string{apiVersion, kind, namespace, name, uid}, "\x00")
}
