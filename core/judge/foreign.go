package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// touchedOfWatched lists the paths of the watched object that a pass changed and
// that are not its to change: all but status, its own finalizers and the
// annotations that it may note.
func (m *Monitor) touchedOfWatched(p watcher, c change) []string {
	var out []string
	_, made := m.made[c.now.UID()]
	if c.kind == api.Deleted {
		for _, f := range c.old.Finalizers() {
			if !m.isOwn(p, f) {
				out = append(out, "metadata.finalizers ("+f+")")
			}
		}
		if !c.old.Terminating() && !made {
			out = append(out, deleted)
		}
		return out
	}
	for k := range union(c.old.Root(), c.now.Root()) {
		a, _ := c.old.At(k)
		b, _ := c.now.At(k)
		switch k {
		case "apiVersion", "kind", "metadata":
			continue
		case "status":
			if p.hasStatus {
				continue
			}
		}
		if !object.Equal(a, b) {
			out = append(out, k)
		}
	}
	for _, f := range c.old.Finalizers() {
		if !c.now.HasFinalizer(f) && !m.isOwn(p, f) {
			out = append(out, "metadata.finalizers ("+f+")")
		}
	}
	if c.now.Terminating() && !c.old.Terminating() && !made {
		out = append(out, deleted)
	}
	for _, part := range []string{"labels", "annotations", "ownerReferences"} {
		a, _ := c.old.At("metadata", part)
		b, _ := c.now.At("metadata", part)
		if object.Equal(a, b) {
			continue
		}
		x, _ := a.(*object.Map)
		y, _ := b.(*object.Map)
		for k := range union(x, y) {
			was, _ := x.Get(k)
			is, _ := y.Get(k)
			if !object.Equal(was, is) && (part != "annotations" || !mayNote(k, p.watched.Group) && k != lastApplied) {
				out = append(out, object.JoinPath("metadata."+part, k))
			}
		}
		if part == "ownerReferences" {
			out = append(out, "metadata.ownerReferences")
		}
	}
	return out
}

// union yields the keys of both maps, in order.
func union(a, b *object.Map) func(func(string) bool) {
	keys := append(slices.Clone(a.Keys()), b.Keys()...)
	slices.Sort(keys)
	return slices.Values(slices.Compact(keys))
}

// touchedOfOthers lists what a pass changed of an object that is nobody's
// business but its owner's: not made by a pass, and controlled by another. To
// take over what nobody controls, by a reference, is fine.
func (m *Monitor) touchedOfOthers(w *sim.World, call sim.Fact, c change) []string {
	p, _ := m.process(call.Process)
	root, there := w.Server().Find(p.ref(call.Key))
	if o, made := m.made[c.now.UID()]; made && !m.controlledByAnother(w, c.old, o, call) {
		return nil
	}
	owned := func(o object.Object) bool {
		return there && slices.ContainsFunc(o.OwnerReferences(), func(r object.OwnerReference) bool { return r.UID == root.UID() })
	}
	if owned(c.old) {
		return nil
	}
	if !controlled(w, c.old) && c.kind == api.Modified && owned(c.now) && !m.named(w, call, root, c) {
		return nil
	}
	if c.kind == api.Deleted || c.now.Terminating() && !c.old.Terminating() {
		if abandoned(w, c.old) {
			return nil
		}
		return []string{deleted}
	}
	var out []string
	for _, d := range object.Diff(plain(c.old), plain(c.now)) {
		out = append(out, d.Path)
	}
	return out
}

// controlledByAnother reports whether what a pass of another key made is still
// controlled by the object of that key.
func (m *Monitor) controlledByAnother(w *sim.World, child object.Object, o origin, call sim.Fact) bool {
	if o.process != call.Process || o.key == call.Key {
		return false
	}
	p, _ := m.process(o.process)
	maker, there := w.Server().Find(p.ref(o.key))
	by, controlled := child.ControllerOf()
	return there && controlled && by.UID == maker.UID()
}

// madeForOthers judges an object that a pass made in the cluster and reports whether
// it is not its own: what its object only refers to, as fooRef does, is somebody
// else's to make.
func (m *Monitor) madeForOthers(w *sim.World, e sim.Event, call sim.Fact, c change, o origin) bool {
	p, _ := m.process(call.Process)
	root, there := w.Server().Find(p.ref(call.Key))
	if of := pass(w, call.Pass); !there && of != nil && of.Desired != nil {
		root, there = of.Desired.Object, true
	}
	if !there || len(c.now.OwnerReferences()) > 0 {
		return false
	}
	spec, _ := root.At("spec")
	path := refersTo("spec", spec, c.now.Name())
	if path == "" {
		return false
	}
	m.find(Finding{
		Finding: ForeignWrite, Object: c.name, Root: o.root, Step: e.N, Call: line(w, e, call),
		Sentence: fmt.Sprintf("%s is what %s of %s refers to, which others make and change, and a pass over %[3]s made it", c.name, path, o.root),
	})
	return true
}

// refersTo is the path of a field fooRef, or of a name within one, that names an
// object; empty where there is none.
func refersTo(path string, v any, name string) string {
	m, ok := v.(*object.Map)
	if !ok {
		return ""
	}
	for k, x := range m.All() {
		at := object.JoinPath(path, k)
		if x == name && (strings.HasSuffix(k, "Ref") || k == "name" && strings.HasSuffix(path, "Ref")) {
			return at
		}
		if found := refersTo(at, x, name); found != "" {
			return found
		}
	}
	return ""
}

// controlled reports whether an object has a controlling owner that is there: one
// of another uid is gone, and the collector would take what it left.
func controlled(w *sim.World, o object.Object) bool {
	by, has := o.ControllerOf()
	if !has {
		return false
	}
	group, _, _ := object.ParseAPIVersion(by.APIVersion)
	for _, namespace := range []string{o.Namespace(), ""} {
		if owner, there := w.Server().Find(object.Ref{Group: group, Kind: by.Kind, Namespace: namespace, Name: by.Name}); there && owner.UID() == by.UID {
			return true
		}
	}
	return false
}

// named reports whether a root names an object in its spec that its pass has not
// tried to make: then it is what the root depends on, and not for it to take over.
func (m *Monitor) named(w *sim.World, call sim.Fact, root object.Object, c change) bool {
	spec, _ := root.At("spec")
	if !slices.Contains(words(nil, spec), c.now.Name()) {
		return false
	}
	p := pass(w, call.Pass)
	return p == nil || !slices.ContainsFunc(p.Calls, func(x sim.Call) bool { return x.Ref == c.name && x.Verb == string(api.Create) })
}

// plain leaves out what only the server writes.
func plain(o object.Object) *object.Map {
	for _, k := range []string{"managedFields", "resourceVersion", "generation"} {
		o = o.Unset("metadata", k)
	}
	return o.Root()
}
