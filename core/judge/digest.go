package judge

import (
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// makers says for whom the things in the cloud were made: in the order of what they
// are, and of those that are alike in the order in which they came.
func (m *Monitor) makers(w *sim.World) []string {
	type made struct{ what, root string }
	var all []made
	for _, i := range w.Cloud().Items() {
		if o, ok := m.outside[i.Type+"/"+i.ID]; ok {
			root := o.root
			if at := m.released[root]; at != "" {
				root += ", let go at " + at
			}
			all = append(all, made{i.Type + " " + i.Name + " " + string(object.EncodeJSON(object.StringMap(i.Tags))), root})
		}
	}
	slices.SortStableFunc(all, func(a, b made) int { return strings.Compare(a.what, b.what) })
	var out []string
	for _, a := range all {
		out = append(out, "outside "+a.what+" for "+a.root)
	}
	return out
}

// Digest is what the monitor of a world at rest goes by in what is still to
// come, without what differs between equal runs.
func (m *Monitor) Digest(w *sim.World) string {
	var out []string
	for _, g := range m.guards {
		out = append(out, "guard "+g)
	}
	slices.Sort(out)
	out = append(out, m.makers(w)...)
	for _, root := range slices.Sorted(maps.Keys(m.silent)) {
		if _, ok := m.untoldOf(w, root); ok {
			out = append(out, "silent "+root)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.ours)) {
		out = append(out, "ours "+id+" "+strings.Join(slices.Sorted(slices.Values(m.ours[id])), " "))
	}
	for _, p := range last(w) {
		if p.Error != "" && !m.over(w, p) {
			out = append(out, "fails "+p.Process+" "+p.Key+" "+lastCall(p))
		}
	}
	for o := range w.Server().All() {
		name := w.Name(o.Object.Ref())
		if made, ok := m.made[o.Object.UID()]; ok {
			out = append(out, "made "+name+" for "+made.root)
		}
		if _, ok := m.unheard[name]; ok {
			out = append(out, "unheard "+name)
		}
		if m.heard[name] {
			out = append(out, "heard "+name)
		}
		if theirs := m.theirs[name]; len(theirs) > 0 {
			out = append(out, "theirs "+name+" "+strings.Join(theirs, " "))
		}
		if asked := m.asked[name]; len(asked) > 0 {
			asked = slices.Clone(asked)
			slices.Sort(asked)
			out = append(out, "asked "+name+" "+strings.Join(asked, " "))
		}
	}
	return strings.Join(out, "\n")
}

// over reports whether nobody comes back to what a pass was about: it is gone, and
// its key was lost with the process that had it in its queue.
func (m *Monitor) over(w *sim.World, p *sim.Pass) bool {
	x, known := m.process(p.Process)
	if !known {
		return false
	}
	if _, there := w.Server().Find(x.ref(p.Key)); there {
		return false
	}
	for _, q := range w.Processes() {
		for _, item := range q.Waiting {
			if q.Name == p.Process && item.Key.String() == p.Key {
				return false
			}
		}
	}
	return true
}
