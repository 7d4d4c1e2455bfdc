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
	if out := m.unended(w); rest == sim.TimeUp && len(out) > 0 {
		return out // what else is amiss may be so because nobody sees to it
	}
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
	for _, f := range m.checks.evaluate(w, AtRestTime) {
		out = append(out, m.decided(w, f))
	}
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
				f.Root, f.Call = w.Name(owner), m.released[w.Name(owner)]
				out = append(out, f)
			}
			continue
		}
		f := finding(w, Orphan, ref, fmt.Sprintf("%s is still in the cloud, and %s, which it was made for, is gone: nothing will ever delete it", item.ID, w.Name(owner)))
		f.Root, f.Call = w.Name(owner), m.released[w.Name(owner)]
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
		f.Root, f.Decides = o.root, o.site
		out = append(out, f)
	}
	return out
}

// ownerOf is the watched object that a thing in the cloud was made for.
func (m *Monitor) ownerOf(w *sim.World, item api.CloudItem) (object.Ref, bool) {
	var maker object.Ref
	o, known := m.outside[item.Type+"/"+item.ID]
	if known {
		p, _ := m.process(o.process)
		maker = p.ref(o.key)
	}
	for _, p := range m.procs {
		tag, ok := item.Tags[p.singular]
		if !ok || p.singular == "" {
			continue
		}
		if _, there := w.Server().Find(p.ref(tag)); there || !known {
			return p.ref(tag), true
		}
		// A tag that names nothing may only be written otherwise: who made it knows.
		if _, there := w.Server().Find(maker); !there {
			return p.ref(tag), true
		}
	}
	return maker, known
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
	failing := map[string]*sim.Pass{}
	for _, p := range last(w) {
		if p.Error != "" && !p.Died {
			failing[m.object(w, p)] = p
		}
	}
	var out []Finding
	for _, o := range m.watchedObjects(w) {
		p, _ := m.watches(o.gvr)
		i := slices.IndexFunc(o.now.Finalizers(), func(f string) bool { return m.isOwn(p, f) })
		if !o.now.Terminating() || i < 0 {
			continue
		}
		f := finding(w, StuckDeletion, o.name, fmt.Sprintf("%s is being deleted and waits for %s, which its controller put on and does not take off", o.name, o.now.Finalizers()[i]))
		if p := failing[o.name]; p != nil {
			f.Call = lastCall(p)
			f.Sentence += ": its last pass ended with an error: " + p.Error
		} else if p := m.lastOf(w, o.name); p != nil && len(p.Calls) > 0 {
			f.Decides = Site(p.Calls[len(p.Calls)-1])
		}
		out = append(out, f)
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
			out = append(out, m.aboutStatus(w, o.name, fmt.Sprintf("status.observedGeneration of %s is %d, and its generation is %d: a reader cannot tell that the status is old", o.name, observed, o.now.Generation())))
		case !has && status.Len() > 0 && m.heard[o.name] && declares(w, o.gvr):
			out = append(out, m.aboutStatus(w, o.name, fmt.Sprintf("%s has a status without observedGeneration: a reader cannot tell whether it is of generation %d", o.name, o.now.Generation())))
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

// spinning finds the keys that kept a run from coming to rest: the one that is next,
// and those that are worked on over and over beside it.
func (m *Monitor) spinning(w *sim.World) []Finding {
	next, _ := w.Next()
	most := w.InARow(next)
	var out []Finding
	for _, p := range last(w) {
		start := sim.Act("start", p.Process, p.Key)
		if n := w.InARow(start); start.Equal(next) || n > most/2 {
			out = append(out, m.spins(w, p, n))
		}
	}
	return out
}

// spins says that the passes of a key follow each other, of which the last is of.
func (m *Monitor) spins(w *sim.World, of *sim.Pass, n int) Finding {
	sentence := fmt.Sprintf("%d passes followed each other without end", n)
	for _, p := range slices.Backward(w.Passes()) { // those that only look come in between
		if p.Process == of.Process && p.Key == of.Key && p.Effective() {
			of = p
			sentence += "; each one wakes the next: " + wrote(p)
			break
		}
	}
	f := finding(w, HotLoop, m.object(w, of), sentence)
	f.Call = firstWrite(of)
	if child := m.collected[f.Object]; slices.ContainsFunc(of.Action, func(w sim.Write) bool { return w.Outcome == sim.Created && w.Ref == child }) {
		f.Sentence += fmt.Sprintf(". The collector deletes %s each time: its ownerReference names an owner that is not there", child)
	}
	return f
}

// unended finds the passes that are under way when a run has waited long enough.
func (m *Monitor) unended(w *sim.World) []Finding {
	var out []Finding
	for _, p := range w.InFlight() {
		name := m.object(w, p)
		at := ""
		if len(p.Calls) > 0 {
			at = Site(p.Calls[len(p.Calls)-1])
		}
		f := finding(w, NoRequeue, name, fmt.Sprintf("a pass over %s waits within itself and has not ended %s after the last input: nothing else is seen to meanwhile. End the pass and ask to be called again", name, sim.Patience))
		f.Call = at
		out = append(out, f)
	}
	return out
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
	case p.Error != "" && absent && !m.failsElsewhere(w, p) && !failsOtherwise(p, missing):
		return add(ErrorForMissingDependency, "%s is not there, which is normal: somebody may create it later. The pass ends with an error all the same: %s", missing, p.Error)
	case p.Error != "" && m.over(w, p):
		return nil
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
		f := finding(w, NoRequeue, name, fmt.Sprintf("%s depends on %s, which the controller does not watch, and the pass does not ask to be called again: a change of it will not be noticed", name, d))
		if p.Requeue.Kind != "none" {
			f.Sentence = fmt.Sprintf("%s depends on %s, which the controller does not watch, and the pass asks to be called again only after %s", name, d, p.Requeue.Delay)
		}
		if i := slices.IndexFunc(p.Calls, func(c sim.Call) bool { return finds(c, d) }); i >= 0 {
			f.Call = Site(p.Calls[i])
		}
		return []Finding{f}
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

// failsOtherwise reports whether a pass ended with an error for another reason than
// that what it asked for is not there: its last call failed, or what it decided
// cannot be read.
func failsOtherwise(p *sim.Pass, missing string) bool {
	if p.Undecided {
		return true
	}
	last := p.Calls[len(p.Calls)-1]
	return last.Ref != missing && fails(last)
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
	c := p.Calls[len(p.Calls)-1]
	if p.ErrorLine != "" && c.Outcome != sim.Absent && !fails(c) {
		return p.ErrorLine
	}
	return Site(c)
}

// fails reports whether a call failed.
func fails(c sim.Call) bool {
	switch c.Outcome {
	case sim.Failed, sim.Conflict, sim.Refused, sim.LostReply:
		return true
	}
	return false
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

// Idle stands for the call of a pass that ends well without having made one.
const Idle = "no call at all"

// Erring has for each watched object whose last pass ended with an error the call
// before that, and Idle for one whose last pass did not even look.
func (m *Monitor) Erring(w *sim.World) map[string]string {
	out := map[string]string{}
	for _, p := range last(w) {
		x, known := m.process(p.Process)
		switch call := lastCall(p); {
		case p.Died:
		case call != "":
			out[m.object(w, p)] = call
		case known && p.Error == "" && len(p.Calls) == 0:
			if _, there := w.Server().Find(x.ref(p.Key)); there {
				out[m.object(w, p)] = Idle
			}
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
