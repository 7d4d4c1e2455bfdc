package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// shareable are the parts of an object where others may have keys of their own
// beside the controller's.
var shareable = [][]string{{"metadata", "labels"}, {"metadata", "annotations"}, {"data"}, {"binaryData"}}

// keyed yields the keys of the shareable parts of an object, as paths, with what
// stands there.
func keyed(o object.Object) func(func(string, any) bool) {
	return func(yield func(string, any) bool) {
		for _, part := range shareable {
			at := strings.Join(part, ".")
			for k, v := range o.Map(part...).All() {
				if !yield(object.JoinPath(at, k), v) {
					return
				}
			}
		}
	}
}

// held is what stands at a path that keyed yields; nil for nothing.
func held(o object.Object, path string) any {
	for p, v := range keyed(o) {
		if p == path {
			return v
		}
	}
	return nil
}

// kindOfChild is under which m.ours has what a process writes.
func kindOfChild(call sim.Fact, o object.Object) string {
	return call.Process + " " + o.GVK().Group + "/" + o.Kind()
}

// claim notes the keys that a pass wrote: they are the controller's, whoever
// writes them later.
func (m *Monitor) claim(call sim.Fact, c change) {
	id := kindOfChild(call, c.now)
	for path, v := range keyed(c.now) {
		if object.Equal(v, held(c.old, path)) || slices.Contains(m.theirs[c.name], path) || slices.Contains(m.ours[id], path) {
			continue
		}
		m.ours[id] = append(slices.Clip(m.ours[id]), path)
	}
}

// share notes the keys that somebody else put on what a pass made, and forgets
// those that are gone. The fault conflict's note counts for nothing: what is on a
// child beside what is desired is ignored.
func (m *Monitor) share(c change) {
	made, ok := m.made[c.now.UID()]
	if !ok {
		return
	}
	ours := m.ours[made.process+" "+made.ref.Group+"/"+made.kind]
	var theirs []string
	for path := range keyed(c.now) {
		noted := strings.Contains(path, lastApplied) || strings.Contains(path, Note)
		isNew := held(c.old, path) == nil && !noted && !slices.Contains(ours, path)
		if isNew || slices.Contains(m.theirs[c.name], path) {
			theirs = append(theirs, path)
		}
	}
	m.theirs[c.name] = theirs
}

// touchedOfShared lists the keys of others that a pass took from what a pass had
// made, or wrote over.
func (m *Monitor) touchedOfShared(c change) []string {
	if c.kind != api.Modified || len(m.theirs[c.name]) == 0 {
		return nil
	}
	var out, left []string
	for _, path := range m.theirs[c.name] {
		now := held(c.now, path)
		if !object.Equal(held(c.old, path), now) {
			out = append(out, path)
		}
		if now != nil {
			left = append(left, path)
		}
	}
	m.theirs[c.name] = left
	return out
}

// rebuilt lists the keys of others that were on an object which a pass deleted
// and then made anew without them.
func (m *Monitor) rebuilt(w *sim.World, call sim.Fact, c change) []string {
	theirs := m.theirs[c.name]
	delete(m.theirs, c.name)
	p := pass(w, call.Pass)
	if p == nil || !slices.ContainsFunc(p.Calls, func(x sim.Call) bool { return x.Ref == c.name && x.Outcome == sim.Deleted }) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(theirs), func(path string) bool { return held(c.now, path) != nil })
}

// wiped says what a pass over root took from what others keep on name.
func wiped(name, root string, paths []string) string {
	return fmt.Sprintf("a pass over %s did away with what others put on %s: %s. Send the fields that are yours, and no others", root, name, strings.Join(paths, ", "))
}
