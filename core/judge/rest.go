package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Attentive is how long a reconciler may wait before it looks again at what it
// depends on and nobody tells it of.
const Attentive = 5 * time.Minute

// AtRest judges a world that has come to rest, or will not: what it left behind,
// what its last passes did, and what the scenario's checks say.
func (m *Monitor) AtRest(w *sim.World, rest sim.Rest) []Finding {
	if rest == sim.Spinning {
		// Little else can be said of a world that is not at rest.
		out := append(m.stuck(w), m.spinning(w)...)
		return append(out, slices.DeleteFunc(m.statuses(w), func(f Finding) bool { return f.Finding != StatusThroughSpec })...)
	}
	out := m.orphans(w)
	out = append(out, m.stuck(w)...)
	out = append(out, m.statuses(w)...)
	for _, p := range last(w) {
		m.notePass(w, p)
		out = append(out, m.lastPass(w, p, rest)...)
	}
	out = append(out, m.checks.evaluate(w, AtRestTime)...)
	if rest == sim.TimeUp && len(out) == 0 {
		out = append(out, finding(w, NotIdempotent, "", fmt.Sprintf("%s after the last input the world has not come to rest", sim.Patience)))
	}
	return out
}

func finding(w *sim.World, name, object, sentence string) Finding {
	return Finding{Finding: name, Object: object, Root: object, Sentence: sentence, Step: w.StepNumber(), Count: 1}
}

// orphans finds what was made for an object that is gone: in the cloud by who
// made it or by its tag, as in webapp=default/a; in the cluster by who made it.
func (m *Monitor) orphans(w *sim.World) []Finding {
	var out []Finding
	for _, item := range w.Cloud().Items() {
		ref := item.Type + "/" + item.ID
		owner, ok := m.ownerOf(w, item)
		if !ok {
			continue
		}
		if now, there := w.Server().Find(owner); there {
			if p, _ := m.watches(m.gvrOf(owner)); !slices.ContainsFunc(now.Finalizers(), func(f string) bool { return m.isOwn(p, f) }) {
				f := finding(w, Orphan, ref, fmt.Sprintf("%s is still in the cloud, and %s, which it was made for, has no finalizer of the controller's any more: nothing will delete it", item.ID, w.Name(owner)))
				f.Root = w.Name(owner)
				out = append(out, f)
			}
			continue
		}
		f := finding(w, Orphan, ref, fmt.Sprintf("%s is still in the cloud, and %s, which it was made for, is gone: nothing will ever delete it", item.ID, w.Name(owner)))
		f.Root = w.Name(owner)
		out = append(out, f)
	}
	for _, uid := range slices.Sorted(maps.Keys(m.made)) {
		o := m.made[uid]
		p, _ := m.process(o.process)
		now, there := w.Server().Find(o.ref)
		if !there || now.UID() != uid || now.Terminating() || o.kind == "Event" {
			continue
		}
		if _, there := w.Server().Find(p.ref(o.key)); there {
			continue
		}
		f := finding(w, Orphan, w.Name(o.ref), fmt.Sprintf("%s is still there, and %s, which it was made for, is gone: it has no ownerReference that the collector could go by", w.Name(o.ref), o.root))
		if len(now.OwnerReferences()) > 0 {
			f.Sentence = fmt.Sprintf("%s is still there, and %s, which it was made for, is gone: its ownerReference names another owner", w.Name(o.ref), o.root)
		}
		f.Root = o.root
		out = append(out, f)
	}
	return out
}

// ownerOf is the watched object that a thing in the cloud was made for.
func (m *Monitor) ownerOf(w *sim.World, item api.CloudItem) (object.Ref, bool) {
	for _, p := range m.procs {
		if tag, ok := item.Tags[p.singular]; ok && p.singular != "" {
			return p.ref(tag), true
		}
	}
	if o, ok := m.outside[item.Type+"/"+item.ID]; ok {
		p, _ := m.process(o.process)
		return p.ref(o.key), true
	}
	return object.Ref{}, false
}

// gvrOf is the resource of a watched object.
func (m *Monitor) gvrOf(ref object.Ref) object.GVR {
	for _, p := range m.procs {
		if p.kind == ref.Kind && p.watched.Group == ref.Group {
			return p.watched
		}
	}
	return object.GVR{}
}

// stuck finds deletions that wait for a finalizer of the controllers'.
func (m *Monitor) stuck(w *sim.World) []Finding {
	var out []Finding
	for _, o := range m.watchedObjects(w) {
		p, _ := m.watches(o.gvr)
		if !o.now.Terminating() {
			continue
		}
		for _, f := range o.now.Finalizers() {
			if m.isOwn(p, f) {
				out = append(out, finding(w, StuckDeletion, o.name, fmt.Sprintf("%s is being deleted and waits for %s, which its controller put on and does not take off", o.name, f)))
				break
			}
		}
	}
	return out
}

// watchedObjects are the objects that the processes reconcile.
func (m *Monitor) watchedObjects(w *sim.World) []change {
	var out []change
	for o := range w.Server().All() {
		if _, ok := m.watches(o.GVR); ok {
			out = append(out, change{gvr: o.GVR, now: o.Object, name: w.Name(o.Object.Ref())})
		}
	}
	return out
}

// statuses finds what status does not say of the present.
func (m *Monitor) statuses(w *sim.World) []Finding {
	var out []Finding
	for _, o := range m.watchedObjects(w) {
		if o.now.Terminating() {
			continue
		}
		if call, ok := m.unheard[o.name]; ok && !m.heard[o.name] {
			f := finding(w, StatusThroughSpec, o.name, fmt.Sprintf("the status of %s was sent to the main resource, which ignores it: status goes through the status subresource", o.name))
			f.Call = call
			out = append(out, f)
		}
		status := o.now.Map("status")
		observed, has := o.now.Int("status", "observedGeneration")
		if has || m.heard[o.name] {
			m.note(StaleStatus)
		}
		switch {
		case has && observed < o.now.Generation():
			out = append(out, finding(w, StaleStatus, o.name, fmt.Sprintf("status.observedGeneration of %s is %d, and its generation is %d: a reader cannot tell that the status is old", o.name, observed, o.now.Generation())))
		case !has && status.Len() > 0 && m.heard[o.name] && declares(w, o.gvr):
			out = append(out, finding(w, StaleStatus, o.name, fmt.Sprintf("%s has a status without observedGeneration: a reader cannot tell whether it is of generation %d", o.name, o.now.Generation())))
		}
	}
	return out
}

// declares reports whether the definition of a custom kind names
// status.observedGeneration.
func declares(w *sim.World, gvr object.GVR) bool {
	crd, ok := w.Server().Find(object.Ref{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition", Name: gvr.GroupResource()})
	if !ok {
		return false
	}
	for _, v := range crd.List("spec", "versions").All() {
		if _, ok := object.At(v, "schema", "openAPIV3Schema", "properties", "status", "properties", "observedGeneration"); ok {
			return true
		}
	}
	return false
}

// spinning finds the key that kept a run from coming to rest.
func (m *Monitor) spinning(w *sim.World) []Finding {
	a, _ := w.Next()
	sentence := fmt.Sprintf("%d passes followed each other without end", w.InARow(a))
	for _, p := range last(w) {
		if p.Process != a.Arg(0) || p.Key != a.Arg(1) {
			continue
		}
		if p.Effective() {
			sentence += "; each one wakes the next: " + wrote(p)
		}
		f := finding(w, HotLoop, m.object(w, p), sentence)
		f.Call = firstWrite(p)
		return []Finding{f}
	}
	return nil
}

// lastPass judges the last pass of a key.
func (m *Monitor) lastPass(w *sim.World, p *sim.Pass, rest sim.Rest) []Finding {
	name := m.object(w, p)
	add := func(kind, format string, args ...any) []Finding {
		f := finding(w, kind, name, fmt.Sprintf(format, args...))
		f.Call = lastCall(p)
		return []Finding{f}
	}
	switch missing, absent := m.missing(w, p); {
	case p.Error != "" && absent && !m.failsElsewhere(w, p):
		return add(ErrorForMissingDependency, "%s is not there, which is normal: somebody may create it later. The pass ends with an error all the same: %s", missing, p.Error)
	case p.Error != "":
		return add(Crashed, "the last pass ended with an error: %s", p.Error)
	case p.Requeue == nil:
		return nil
	case p.Requeue.Kind == "after" && p.Requeue.Delay < sim.Unhurried:
		return add(HotLoop, "it asks to be called again every %s, without end", p.Requeue.Delay)
	case rest == sim.TimeUp && p.Effective() && hurried(w, p):
		return add(HotLoop, "%s after the last input its passes still follow each other and write: %s", sim.Patience, wrote(p))
	case rest == sim.TimeUp && p.Effective():
		return add(NotIdempotent, "%s after the last input its passes still write: %s", sim.Patience, wrote(p))
	}
	if d, ok := m.untold(w, p); ok {
		if p.Requeue.Kind == "none" {
			return add(NoRequeue, "%s depends on %s, which the controller does not watch, and the pass does not ask to be called again: a change of it will not be noticed", name, d)
		}
		return add(NoRequeue, "%s depends on %s, which the controller does not watch, and the pass asks to be called again only after %s", name, d, p.Requeue.Delay)
	}
	return nil
}

// failsElsewhere reports whether the passes of an object for which nothing is
// missing end with the same error.
func (m *Monitor) failsElsewhere(w *sim.World, p *sim.Pass) bool {
	return slices.ContainsFunc(last(w), func(q *sim.Pass) bool {
		_, absent := m.missing(w, q)
		return q.Error == p.Error && !absent
	})
}

// hurried reports whether the pass before of the same key ended less than
// Unhurried before this one began.
func hurried(w *sim.World, p *sim.Pass) bool {
	for _, q := range slices.Backward(w.Passes()) {
		if q.ID < p.ID && q.Key == p.Key && q.Process == p.Process {
			return p.Start-q.End < sim.Unhurried
		}
	}
	return false
}

// SecondPass judges the passes over a world in which nothing has changed: those
// that wrote.
func (m *Monitor) SecondPass(w *sim.World, second []*sim.Pass) []Finding {
	var out []Finding
	for _, p := range second {
		name := m.object(w, p)
		if !p.Effective() {
			continue
		}
		if i := slices.IndexFunc(out, func(f Finding) bool { return f.Object == name }); i >= 0 {
			out[i].Count++
			continue
		}
		f := finding(w, NotIdempotent, name, "a second pass over an unchanged world wrote again: "+wrote(p))
		f.Call = firstWrite(p)
		out = append(out, f)
	}
	return out
}

// object names what a pass is about.
func (m *Monitor) object(w *sim.World, p *sim.Pass) string {
	if x, ok := m.process(p.Process); ok {
		return w.Name(x.ref(p.Key))
	}
	return p.Key
}

// last returns the last pass of each key, in the order of the passes.
func last(w *sim.World) []*sim.Pass {
	seen := map[string]bool{}
	var out []*sim.Pass
	for _, p := range slices.Backward(w.Passes()) {
		if id := p.Process + " " + p.Key; !seen[id] {
			seen[id] = true
			out = append(out, p)
		}
	}
	slices.Reverse(out)
	return out
}

// wrote names the first write of a pass that changed something.
func wrote(p *sim.Pass) string {
	i := slices.IndexFunc(p.Action, sim.Write.Effective)
	if i < 0 {
		return "nothing"
	}
	return p.Action[i].String()
}

func firstWrite(p *sim.Pass) string {
	for _, c := range p.Calls {
		if c.Effective() {
			return Site(c)
		}
	}
	return ""
}

func lastCall(p *sim.Pass) string {
	if len(p.Calls) == 0 || p.Error == "" {
		return ""
	}
	return Site(p.Calls[len(p.Calls)-1])
}

// depends notes what a pass read that the spec of its object names.
func (m *Monitor) depends(w *sim.World, p *sim.Pass) {
	if p.Desired == nil || p.Desired.Object.IsZero() {
		return
	}
	spec, _ := p.Desired.Object.At("spec")
	names := words(nil, spec)
	root := m.object(w, p)
	for _, o := range p.Observed {
		ref, ok := object.ParseRef(o.Ref)
		if !ok || o.From == "cloud" || !slices.Contains(names, ref.Name) || slices.Contains(m.asked[root], o.Ref) {
			continue
		}
		m.asked[root] = append(slices.Clip(m.asked[root]), o.Ref)
	}
}

// words lists the texts in a tree.
func words(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(out, v)
	case *object.Map:
		for _, x := range v.All() {
			out = words(out, x)
		}
	case *object.List:
		for _, x := range v.All() {
			out = words(out, x)
		}
	}
	return out
}

// dependencies are what the object of a pass names in its spec, as it stands,
// and its passes read, without what they made of it.
func (m *Monitor) dependencies(w *sim.World, p *sim.Pass) []string {
	x, ok := m.process(p.Process)
	if !ok {
		return nil
	}
	root, there := w.Server().Find(x.ref(p.Key))
	if !there || root.Terminating() {
		return nil
	}
	spec, _ := root.At("spec")
	names := words(nil, spec)
	var out []string
	for _, name := range m.asked[m.object(w, p)] {
		ref, _ := object.ParseRef(name)
		if !slices.Contains(names, ref.Name) {
			continue
		}
		if now, there := w.Server().Find(ref); there {
			if _, made := m.made[now.UID()]; made || slices.ContainsFunc(now.OwnerReferences(), func(r object.OwnerReference) bool { return r.UID == root.UID() }) {
				continue
			}
		}
		out = append(out, name)
	}
	return out
}

// missing finds what a pass asked for, its object depends on, and is not there.
func (m *Monitor) missing(w *sim.World, p *sim.Pass) (string, bool) {
	for _, d := range m.dependencies(w, p) {
		if slices.ContainsFunc(p.Calls, func(c sim.Call) bool { return c.Ref == d && c.Outcome == sim.Absent }) {
			return d, true
		}
	}
	return "", false
}

// untold finds what the object of a pass depends on where nothing will tell of
// its changes in good time.
func (m *Monitor) untold(w *sim.World, p *sim.Pass) (string, bool) {
	if p.Requeue.Kind != "none" && p.Requeue.Delay <= Attentive {
		return "", false
	}
	x, _ := m.process(p.Process)
	for _, d := range m.dependencies(w, p) {
		if ref, _ := object.ParseRef(d); !x.told(w, object.ParseKey(p.Key), ref) {
			return d, true
		}
	}
	return "", false
}

// told reports whether the process hears of a change of what an object depends on:
// the change wakes it, or it is of the same kind and wakes another pass, which may
// see to both.
func (p watcher) told(w *sim.World, key object.Key, d object.Ref) bool {
	keys := w.Tells(p.name, d)
	return slices.Contains(keys, key) || d.Kind == p.kind && d.Group == p.watched.Group && len(keys) > 0
}

// RootOf is the watched object that a thing belongs to: itself, or the one in
// whose pass it was made, or that owns it; empty for what is nobody's.
func (m *Monitor) RootOf(w *sim.World, name string) string {
	if o, ok := m.outside[name]; ok {
		return o.root
	}
	ref, ok := object.ParseRef(name)
	if !ok {
		return ""
	}
	now, there := w.Server().Find(ref)
	if !there {
		return ""
	}
	if o, ok := m.made[now.UID()]; ok {
		return o.root
	}
	for _, o := range m.watchedObjects(w) {
		if o.name == name || slices.ContainsFunc(now.OwnerReferences(), func(r object.OwnerReference) bool { return r.UID == o.now.UID() }) {
			return o.name
		}
	}
	return ""
}

// Refusals says for each watched object whose controller waits for a person why
// it does: what a condition that is False says, or the log of its last pass. A
// pass that ends with an error or writes does not wait.
func (m *Monitor) Refusals(w *sim.World) map[string]string {
	out := map[string]string{}
	for _, p := range last(w) {
		x, ok := m.process(p.Process)
		if !ok || p.Error != "" || p.Effective() || p.Died {
			continue
		}
		now, there := w.Server().Find(x.ref(p.Key))
		if !there {
			continue
		}
		for _, v := range now.List("status", "conditions").All() {
			c, _ := v.(*object.Map)
			if text(c, "status") == "False" && text(c, "reason") != "" {
				out[m.object(w, p)] = strings.TrimSuffix(text(c, "reason")+": "+text(c, "message"), ": ")
			}
		}
		if line, ok := givesUp(p.Log); ok {
			out[m.object(w, p)] = line
		}
	}
	return out
}

// Erring has for each watched object whose last pass ended with an error the call
// before that.
func (m *Monitor) Erring(w *sim.World) map[string]string {
	out := map[string]string{}
	for _, p := range last(w) {
		if call := lastCall(p); call != "" && !p.Died {
			out[m.object(w, p)] = call
		}
	}
	return out
}

// givesUp finds the line of a log that says that a person is needed.
func givesUp(log string) (string, bool) {
	for _, line := range strings.Split(log, "\n") {
		low := strings.ToLower(line)
		for _, word := range []string{"refus", "person", "manual", "by hand", "not mine", "not ours", "will not touch", "needs attention"} {
			if strings.Contains(low, word) {
				return strings.TrimSpace(line), true
			}
		}
	}
	return "", false
}
