package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// unowned is a change of what passes made and whose owner they did not name.
type unowned struct {
	name, site string
	step       int
	gone       bool
}

// hush notes a change that nobody tells a controller of which owns such things: it
// is of what a pass made without a reference to the object that it is for, as the
// one that controls it.
func (m *Monitor) hush(w *sim.World, e sim.Event, c change) {
	o, ok := m.made[c.now.UID()]
	if !ok || c.kind == api.Added {
		return
	}
	p, _ := m.process(o.process)
	owns := slices.ContainsFunc(p.owned, func(g object.GVR) bool { return g.Group == c.gvr.Group && g.Resource == c.gvr.Resource })
	if by, controlled := c.old.ControllerOf(); !owns || controlled && by.Kind == p.kind && by.Name == object.ParseKey(o.key).Name {
		return
	}
	m.silent[o.root] = unowned{c.name, o.site, e.N, c.kind == api.Deleted}
}

// untoldOf is the last change of what the passes of an object made and do not own,
// where none of them has begun since.
func (m *Monitor) untoldOf(w *sim.World, root string) (unowned, bool) {
	u, ok := m.silent[root]
	if !ok {
		return u, false
	}
	p := m.lastOf(w, root)
	return u, p != nil && p.StartEvent < u.step
}

// lastOf is the last pass over an object; nil where there is none.
func (m *Monitor) lastOf(w *sim.World, root string) *sim.Pass {
	for _, p := range slices.Backward(w.Passes()) {
		if m.object(w, p) == root {
			return p
		}
	}
	return nil
}

// lastCallOn is where the last call stands, in the passes over an object, that is
// one of those asked for: the last that changed something, or else the last.
func (m *Monitor) lastCallOn(w *sim.World, root string, is func(sim.Call) bool) string {
	site := ""
	for _, p := range slices.Backward(w.Passes()) {
		if m.object(w, p) != root {
			continue
		}
		for _, c := range slices.Backward(p.Calls) {
			switch {
			case !is(c):
			case c.Effective():
				return Site(c)
			case site == "":
				site = Site(c)
			}
		}
	}
	return site
}

// aboutStatus is a finding of what a status does not say.
func (m *Monitor) aboutStatus(w *sim.World, root, sentence string) Finding {
	f := finding(w, StaleStatus, root, sentence)
	f.Decides = m.lastCallOn(w, root, func(c sim.Call) bool { return c.Ref == root && c.Subresource == "status" })
	return f
}

// decided finds for a check that fails the call on which it turns, and says where
// nobody could know.
func (m *Monitor) decided(w *sim.World, f Finding) Finding {
	kind, created := strings.CutPrefix(f.Decides, "create ")
	kind, status := strings.CutSuffix(kind, "/status")
	if f.Decides = ""; kind == "" {
		return f
	}
	if u, ok := m.untoldOf(w, f.Root); ok && strings.HasPrefix(u.name, kind+"/") {
		did := "changed"
		if u.gone {
			did = "deleted"
		}
		f.Sentence += fmt.Sprintf(": it was %s, and no watch tells of that, for %s was made without an ownerReference to %s with controller true", did, u.name, f.Root)
		f.Decides, f.Because = u.site, true
		return f
	}
	of := func(c sim.Call) bool {
		what, _, _ := strings.Cut(c.Ref, "/")
		return what == kind && (c.Subresource == "status") == status
	}
	if created {
		f.Decides = m.lastCallOn(w, f.Root, func(c sim.Call) bool { return of(c) && c.Outcome == sim.Created })
	}
	if f.Decides == "" {
		f.Decides = m.lastCallOn(w, f.Root, of)
	}
	return f
}
