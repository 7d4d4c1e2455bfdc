package judge

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Site says where a call stands and what it does: reconcile.sh:41 cloud lb
// create, webapp.go:190 list lb.
func Site(c sim.Call) string {
	if strings.Contains(c.Line, " ") {
		return c.Line // a script's line has the command already
	}
	kind, _, _ := strings.Cut(c.Ref, "/")
	words := []string{c.Line, c.Verb, kind}
	if c.Subresource != "" {
		words = append(words, c.Subresource)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// madeOutside judges something that a pass made in the cloud.
func (m *Monitor) madeOutside(w *sim.World, e sim.Event, call sim.Fact, ref string) {
	kind, id, _ := strings.Cut(ref, "/")
	item, ok := w.Cloud().Item(id)
	if !ok {
		return
	}
	o := m.origin(w, call, object.Ref{Kind: kind, Name: id})
	m.outside[ref] = o
	m.note(UnguardedCreate, Duplicate, Orphan, NotIdempotent)
	p, _ := m.process(call.Process)
	root, there := w.Server().Find(p.ref(call.Key))
	guarded := there && slices.ContainsFunc(root.Finalizers(), func(f string) bool { return m.isOwn(p, f) })
	if !guarded {
		text := "%s was made for %s while no finalizer of the controller's is stored on it: were it deleted now, nobody would be left who knows of %[1]s. Store the finalizer first"
		switch {
		case !there:
			text = "%s was made for %s while that is not there any more: nobody is left who knows of %[1]s. Look at deletionTimestamp, and make nothing for what is being deleted"
		case root.Terminating():
			text = "%s was made for %s while that is being deleted and no finalizer of the controller's is stored on it any more: nobody will be left who knows of %[1]s. Make nothing for what is being deleted"
		}
		m.find(Finding{
			Finding: UnguardedCreate, Object: ref, Root: o.root, Step: e.N, Call: line(w, e, call),
			Sentence: fmt.Sprintf(text, id, o.root),
		})
	}
	n := 0
	var same []string
	for _, other := range w.Cloud().Items() {
		if m.outside[other.Type+"/"+other.ID].root == o.root && other.Type == kind {
			n++
		}
		if other.Type == kind && alike(other, item) {
			same = append(same, other.ID)
		}
	}
	m.high(o.root, kind, n)
	if len(same) > 1 {
		advice := "look for it by its tag before making one"
		if len(item.Tags) == 0 {
			advice = "tag what you make, and look for it by the tag before making one"
		}
		m.doubles = append(slices.Clip(m.doubles), double{call.Pass, ref, Finding{
			Finding: Duplicate, Object: ref, Root: o.root, Step: e.N, Call: line(w, e, call),
			Sentence: fmt.Sprintf("%s was made for %s although %s was there: %s", id, o.root, same[0], advice),
		}})
	}
}

// deletedOutside judges something that a pass deleted in the cloud: what was made
// for another object that is there is that one's.
func (m *Monitor) deletedOutside(w *sim.World, e sim.Event, call sim.Fact, ref string) {
	_, id, _ := strings.Cut(ref, "/")
	var item api.CloudItem
	for _, entry := range w.Cloud().Ledger(0) {
		if entry.Item.ID == id {
			item = entry.Item
			break
		}
	}
	owner, ok := m.ownerOf(w, item)
	if _, there := w.Server().Find(owner); !ok || !there {
		return
	}
	if mine := m.origin(w, call, owner).root; w.Name(owner) != mine {
		m.find(Finding{
			Finding: ForeignWrite, Object: ref, Root: w.Name(owner), Step: e.N, Call: line(w, e, call),
			Sentence: fmt.Sprintf("%s was made for %s, and a pass over %s deleted it: go by the whole of its tag", id, w.Name(owner), mine),
		})
	}
}

// alike reports whether two things are for the same: by their tags, or by their
// names where they have none.
func alike(a, b api.CloudItem) bool {
	if len(a.Tags) > 0 || len(b.Tags) > 0 {
		return maps.Equal(a.Tags, b.Tags)
	}
	return a.Name == b.Name
}

// ended judges what a pass left: two of a thing are forgiven within the pass
// that cleans up after a create of which nobody heard.
func (m *Monitor) ended(w *sim.World, f sim.Fact) {
	var rest []double
	for _, d := range m.doubles {
		if d.pass != f.Pass {
			rest = append(rest, d)
			continue
		}
		_, id, _ := strings.Cut(d.item, "/")
		item, there := w.Cloud().Item(id)
		n := 0
		for _, other := range w.Cloud().Items() {
			if there && other.Type == item.Type && alike(other, item) {
				n++
			}
		}
		if !m.uncertain || n > 1 {
			m.find(d.finding)
		}
	}
	m.doubles = rest
	if p := pass(w, f.Pass); p != nil {
		m.depends(w, p)
		m.ends[f.Process+" "+f.Key] = howEnded(p)
	}
}

// howEnded is what a rest is judged by of a pass that ended before.
func howEnded(p *sim.Pass) string {
	end := fmt.Sprintf("%v %v %q %q %q %q", p.Died, p.Effective(), lastCall(p), p.Error, p.ErrorLine, p.Log)
	if p.Requeue != nil && p.Requeue.Kind != "backoff" {
		end += " " + p.Requeue.String()
	}
	return end
}

// isOwn reports whether a finalizer is the controllers': put on by one of them,
// or named by the domain of the watched group.
func (m *Monitor) isOwn(p watcher, finalizer string) bool {
	return slices.Contains(m.guards, finalizer) || inDomain(finalizer, p.watched.Group)
}

// inDomain reports whether a qualified name belongs to a group.
func inDomain(name, group string) bool {
	domain, _, qualified := strings.Cut(name, "/")
	return group != "" && qualified && (domain == group || strings.HasSuffix(domain, "."+group))
}

// mayNote reports whether an annotation is for the controller of a group's kinds
// to write. The kinds of the core group leave it no name of its own: there it is
// any but those of Kubernetes and of the someone else who causes conflicts.
func mayNote(name, group string) bool {
	if group != "" {
		return inDomain(name, group)
	}
	return !inDomain(name, "kubernetes.io") && !inDomain(name, "k8s.io") && !inDomain(name, "other.example.com")
}

// lastApplied is kubectl's own note: replace keeps it up to date as apply does,
// and nobody who calls kubectl has a say in it.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// overwritten makes findings of what a pass changed that was not its own: a lost
// update where it put back what somebody else had just changed, a foreign write
// where it did so on its own account.
func (m *Monitor) overwritten(w *sim.World, e sim.Event, call sim.Fact, c change, touched []string) {
	root := m.origin(w, call, c.now.Ref()).root
	if f, paths := m.lost(w, call, c); len(paths) > 0 {
		m.find(Finding{
			Finding: LostUpdate, Object: c.name, Root: root, Step: e.N, Call: line(w, e, call),
			Sentence: fmt.Sprintf("%s was overwritten with what was read before somebody else's change of step %d: %s. Send the resourceVersion that was read, or only the fields that are yours", c.name, f.step, strings.Join(paths, ", ")),
		})
		touched = slices.DeleteFunc(touched, func(t string) bool {
			return slices.ContainsFunc(paths, func(p string) bool { return p == t || strings.HasPrefix(p, t+".") || strings.HasPrefix(t, p) })
		})
	}
	if len(touched) == 0 {
		return
	}
	sentence := trespass(c.name, root, touched)
	if _, watched := m.watches(c.gvr); !watched && m.made[c.now.UID()].root == root && c.kind != api.Deleted {
		sentence = wiped(c.name, root, touched)
	}
	m.find(Finding{Finding: ForeignWrite, Object: c.name, Root: root, Step: e.N, Call: line(w, e, call), Sentence: sentence})
}

// deleted stands among the paths that were changed for the whole object.
const deleted = "it: it was deleted"

// trespass says what of an object a pass over root changed that was not its own.
func trespass(name, root string, touched []string) string {
	switch {
	case touched[0] == deleted && name != root:
		return fmt.Sprintf("%s belongs to others, and a pass over %s deleted it", name, root)
	case touched[0] == deleted:
		return fmt.Sprintf("a pass over %s deleted it, which only its user does", root)
	case name != root:
		return fmt.Sprintf("%s belongs to others, and a pass over %s changed %s", name, root, strings.Join(touched, ", "))
	}
	return fmt.Sprintf("a pass over %s changed what belongs to others there: %s", root, strings.Join(touched, ", "))
}

// lost finds a change of somebody else's that the pass had not seen when it
// began to read the object, and that its write put back.
func (m *Monitor) lost(w *sim.World, call sim.Fact, c change) (foreign, []string) {
	if len(m.others[c.name]) == 0 || c.kind != api.Modified {
		return foreign{}, nil
	}
	p := pass(w, call.Pass)
	_, watched := m.watches(c.gvr)
	for _, f := range m.others[c.name] {
		if p == nil || f.now.UID() != c.now.UID() || saw(p, c.name, f) {
			continue
		}
		paths := reverted(nil, "", f.old.Root(), f.now.Root(), c.now.Root())
		for _, name := range f.now.Finalizers() {
			if !f.old.HasFinalizer(name) && c.old.HasFinalizer(name) && !c.now.HasFinalizer(name) {
				paths = append(paths, "metadata.finalizers ("+name+")")
			}
		}
		paths = slices.DeleteFunc(paths, func(path string) bool {
			for _, mine := range []string{"status", "metadata.managedFields", "metadata.resourceVersion", "metadata.generation"} {
				if strings.HasPrefix(path, mine) {
					return true
				}
			}
			// What a child holds is the controller's to put right.
			return !watched && !strings.HasPrefix(path, "metadata.")
		})
		if len(paths) > 0 {
			return f, paths
		}
	}
	return foreign{}, nil
}

// unseen is the first change of somebody else's to an object that a pass had not
// seen when it deleted it.
func (m *Monitor) unseen(w *sim.World, call sim.Fact, c change) (foreign, bool) {
	p := pass(w, call.Pass)
	for _, f := range m.others[c.name] {
		if p != nil && f.now.UID() == c.now.UID() && !saw(p, c.name, f) {
			return f, true
		}
	}
	return foreign{}, false
}

// abandoned reports whether an object's controller is gone: the collector will
// delete it, with all that is noted there.
func abandoned(w *sim.World, o object.Object) bool {
	_, had := o.ControllerOf()
	return had && !controlled(w, o)
}

// madeAnew judges an object that a pass made again after it had deleted it: what
// somebody else had noted there meanwhile is lost.
func (m *Monitor) madeAnew(w *sim.World, e sim.Event, call sim.Fact, c change) {
	gone, ok := m.erased[c.name]
	if !ok || gone.pass != call.Pass {
		return
	}
	paths := slices.DeleteFunc(reverted(nil, "", gone.old.Root(), gone.now.Root(), c.now.Root()), func(path string) bool {
		return !strings.HasPrefix(path, "metadata.annotations") && !strings.HasPrefix(path, "metadata.labels")
	})
	if len(paths) > 0 {
		m.find(Finding{
			Finding: LostUpdate, Object: c.name, Root: m.origin(w, call, c.now.Ref()).root, Step: e.N, Call: line(w, e, call),
			Sentence: fmt.Sprintf("%s was deleted and made anew, without somebody else's change of step %d: %s. Change what is there instead", c.name, gone.step, strings.Join(paths, ", ")),
		})
	}
}

// saw reports whether a pass knew of a change when it first read the object, or
// began after it without reading the object at all.
func saw(p *sim.Pass, name string, f foreign) bool {
	for _, c := range p.Calls {
		if c.Ref == name && c.Verb == string(api.Get) && c.After != "" {
			rev, err := strconv.ParseInt(c.After, 10, 64)
			return err != nil || rev >= f.rev
		}
	}
	return f.step < p.StartEvent
}

// reverted lists the paths that a change from old to now changed and that stand
// in later as they did in old.
func reverted(out []string, path string, old, now, later any) []string {
	if object.Equal(old, now) {
		return out
	}
	if object.Equal(old, later) {
		return append(out, path)
	}
	a, aMap := old.(*object.Map)
	b, bMap := now.(*object.Map)
	c, cMap := later.(*object.Map)
	if !bMap || !cMap || !aMap && old != nil {
		return out
	}
	for k := range union(a, b) {
		x, _ := a.Get(k)
		y, _ := b.Get(k)
		z, _ := c.Get(k)
		out = reverted(out, object.JoinPath(path, k), x, y, z)
	}
	return out
}

// transitions judges the conditions of a status: the time of a transition is
// that of a change of the condition's status, and of nothing else.
func (m *Monitor) transitions(w *sim.World, e sim.Event, call sim.Fact, c change) {
	was := map[string]*object.Map{}
	for _, v := range c.old.List("status", "conditions").All() {
		if cond, ok := v.(*object.Map); ok {
			was[text(cond, "type")] = cond
		}
	}
	for _, v := range c.now.List("status", "conditions").All() {
		cond, _ := v.(*object.Map)
		old := was[text(cond, "type")]
		if old == nil || text(old, "status") != text(cond, "status") {
			continue
		}
		if a, b := text(old, "lastTransitionTime"), text(cond, "lastTransitionTime"); a != b && a != "" {
			m.find(Finding{
				Finding: WrongState, Object: c.name, Root: c.name, Step: e.N, Call: line(w, e, call), Check: transitions,
				Sentence: fmt.Sprintf("the condition %s stayed %s, and its lastTransitionTime moved from %s to %s: it moves only with the status", text(cond, "type"), text(cond, "status"), a, b),
			})
		}
	}
}

func text(m *object.Map, key string) string {
	v, _ := m.Get(key)
	s, _ := v.(string)
	return s
}
