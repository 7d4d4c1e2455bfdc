package engine

import (
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// reasonTo says why the controller manager has something to do, and with which
// object: namespace, crd, orphan and foreground are their deletions. Of an
// object that is looked at for its owners it is what they are at present: gone,
// waiting (they are deleted in the foreground), partly (some are there and
// others are not) or there; absent where the object itself is gone.
func reasonTo(w *sim.World, a sim.Action) (reason, target string) {
	first := a.Arg(0)
	switch {
	case a.Verb != "gc":
		return a.Verb, first
	case a.Arg(1) != "":
		return first, a.Arg(1)
	}
	ref, _ := object.ParseRef(first)
	o, ok := w.Server().Find(ref)
	if !ok {
		return "absent", first
	}
	var solid, dangling, waiting bool
	for _, r := range o.OwnerReferences() {
		switch owner, there := ownerOf(w, r, ref.Namespace); {
		case !there:
			dangling = true
		case owner.Terminating() && owner.HasFinalizer("foregroundDeletion"):
			waiting = true
		default:
			solid = true
		}
	}
	switch {
	case solid && (dangling || waiting):
		return "partly", first
	case waiting:
		return "waiting", first
	case dangling:
		return "gone", first
	}
	return "there", first
}

// ownerOf finds the object that a reference names: one of the namespace of the
// object that has it, or one of none.
func ownerOf(w *sim.World, r object.OwnerReference, namespace string) (object.Object, bool) {
	ref := object.Ref{Kind: r.Kind, Namespace: namespace, Name: r.Name}
	ref.Group, _, _ = object.ParseAPIVersion(r.APIVersion)
	for range 2 {
		if o, ok := w.Server().Find(ref); ok && o.UID() == r.UID {
			return o, true
		}
		ref.Namespace = ""
	}
	return object.Object{}, false
}
