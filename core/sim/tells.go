package sim

import (
	"strconv"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Tells returns the keys that a process would work on if what an object holds
// changed, or if it appeared where there is none: through the predicates and
// handlers of all that the process watches. It is how one hears of what one
// depends on.
func (w *World) Tells(process string, ref object.Ref) []object.Key {
	p, err := w.process(process)
	res, served := w.server.ResourceForKind(ref.Group, ref.Kind)
	if err != nil || !served {
		return nil
	}
	n := informer.Notification{Type: informer.Add, From: "watch ADDED", New: object.Object{}.
		Set(res.GVR.APIVersion(), "apiVersion").Set(ref.Kind, "kind").Set(ref.Name, "metadata", "name")}
	if ref.Namespace != "" {
		n.New = n.New.Set(ref.Namespace, "metadata", "namespace")
	}
	if there, ok := w.server.Find(ref); ok {
		n = informer.Notification{Type: informer.Update, From: "watch MODIFIED", Old: there, New: there.Set(strconv.FormatInt(w.server.Revision()+1, 10), "metadata", "resourceVersion")}
		if there.Generation() > 0 {
			n.New = n.New.Set(there.Generation()+1, "metadata", "generation")
		}
	}
	var out []object.Key
	for _, h := range controller.New(p.spec).Handle(w.now, 0, res.GVR, n, p.caches) {
		out = append(out, h.Keys...)
	}
	return out
}
