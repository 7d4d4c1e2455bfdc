package judge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Monitor follows one run, event by event, and keeps what its judgements go by:
// who made what, which finalizers are the controllers' own, what others changed.
type Monitor struct {
	checks *Checks
	procs  []watcher
	// rev is the revision up to which changes were looked at.
	rev int64
	// guards are the finalizers that controllers put on, in order.
	guards []string
	// made has the objects that passes created, by uid; outside the things in the
	// cloud, by their refs.
	made, outside map[string]origin
	// kin has the uids of what was made for one object, by that and the kind.
	kin map[string][]string
	// others are the changes of people and other controllers, by object.
	others map[string][]foreign
	// theirs are the labels, annotations and keys of data that others put on what
	// passes made, as paths, by object; ours those that passes of a process wrote
	// on what they made, by process and kind.
	theirs, ours map[string][]string
	// silent has the last change of what the passes of a watched object made and do
	// not own, by that object: nobody tells of it.
	silent map[string]unowned
	// doubles are things of which there are two, within a pass that may repair it.
	doubles []double
	// uncertain says that a create was made of which nobody heard.
	uncertain bool
	// unheard are the watched objects whose status was sent to the main resource,
	// with the call; heard those whose status was sent to the subresource.
	unheard map[string]string
	heard   map[string]bool
	// asked are the objects that the passes of a watched object read and that its
	// spec names: what it depends on.
	asked map[string][]string
	// released has for a watched object the call that last took a finalizer of the
	// controller's off it, until one is put on again.
	released map[string]string
	// erased are objects that a pass deleted before it saw what somebody else had
	// changed there, with that change.
	erased map[string]erasure
	// collected has for a watched object what was made for it and the collector
	// deleted last although it was there. Only words go by it.
	collected map[string]string
	// peaks counts, for a watched object and a kind, how many of it there were at
	// most at the same time.
	peaks    map[string]int
	findings []Finding
	// ends says of each key how its last pass ended.
	ends map[string]string
}

// origin is in whose pass something came about.
type origin struct {
	process, key string
	// root is the watched object's name, kind and ref those of what was made; site
	// is where in the reconciler.
	root, kind, site string
	ref              object.Ref
}

// family is what counts as more of the same.
func (o origin) family() string { return o.root + " " + o.ref.Group + "/" + o.kind }

// foreign is a change that no pass made.
type foreign struct {
	rev      int64
	step     int
	old, now object.Object
}

// erasure is a change that went with the object that a pass deleted.
type erasure struct {
	pass int
	foreign
}

// double is a thing of which there is one more, and the pass that made it.
type double struct {
	pass    int
	item    string
	finding Finding
}

// watcher is one controller process, as far as judging needs it.
type watcher struct {
	name, kind, singular string
	watched              object.GVR
	owned                []object.GVR
	hasStatus            bool
}

// change is one change of the store.
type change struct {
	kind     api.EventType
	gvr      object.GVR
	rev      int64
	old, now object.Object
	name     string
}

// NewMonitor begins to follow a run at the world as it stands. checks may be
// nil.
func NewMonitor(w *sim.World, checks *Checks) *Monitor {
	m := &Monitor{
		checks: checks, rev: w.Server().Revision(),
		made: map[string]origin{}, outside: map[string]origin{}, kin: map[string][]string{}, others: map[string][]foreign{},
		theirs: map[string][]string{}, ours: map[string][]string{}, silent: map[string]unowned{},
		unheard: map[string]string{}, heard: map[string]bool{}, asked: map[string][]string{}, erased: map[string]erasure{}, released: map[string]string{}, collected: map[string]string{}, peaks: map[string]int{}, ends: map[string]string{},
	}
	m.meet(w)
	return m
}

// Clone returns an independent copy.
func (m *Monitor) Clone() *Monitor {
	c := *m
	c.guards, c.findings, c.doubles = slices.Clip(m.guards), slices.Clip(m.findings), slices.Clone(m.doubles)
	c.made, c.outside, c.kin, c.others = maps.Clone(m.made), maps.Clone(m.outside), maps.Clone(m.kin), maps.Clone(m.others)
	c.theirs, c.ours, c.silent = maps.Clone(m.theirs), maps.Clone(m.ours), maps.Clone(m.silent)
	c.unheard, c.heard, c.asked, c.peaks = maps.Clone(m.unheard), maps.Clone(m.heard), maps.Clone(m.asked), maps.Clone(m.peaks)
	c.collected, c.erased, c.released, c.ends = maps.Clone(m.collected), maps.Clone(m.erased), maps.Clone(m.released), maps.Clone(m.ends)
	return &c
}

// Findings are those of what must not be at any time, in the order in which they
// came.
func (m *Monitor) Findings() []Finding { return slices.Clip(m.findings) }

// meet notes which processes there are.
func (m *Monitor) meet(w *sim.World) {
	m.procs = nil
	for _, l := range w.ProcessesHead(0) {
		p := watcher{name: l.Name, kind: l.Kind, watched: l.Watched, owned: l.Owned}
		if res, ok := w.Server().Resource(l.Watched); ok {
			p.singular, p.hasStatus = res.Singular, res.HasStatus
		}
		m.procs = append(m.procs, p)
	}
}

func (m *Monitor) process(name string) (watcher, bool) {
	i := slices.IndexFunc(m.procs, func(p watcher) bool { return p.name == name })
	if i < 0 {
		return watcher{}, false
	}
	return m.procs[i], true
}

// watches finds the process that reconciles a resource.
func (m *Monitor) watches(gvr object.GVR) (watcher, bool) {
	i := slices.IndexFunc(m.procs, func(p watcher) bool {
		return p.watched.Group == gvr.Group && p.watched.Resource == gvr.Resource
	})
	if i < 0 {
		return watcher{}, false
	}
	return m.procs[i], true
}

// ref is the watched object that a key of the process names.
func (p watcher) ref(key string) object.Ref {
	k := object.ParseKey(key)
	return object.Ref{Group: p.watched.Group, Kind: p.kind, Namespace: k.Namespace, Name: k.Name}
}

// origin is the origin of what a call made.
func (m *Monitor) origin(w *sim.World, call sim.Fact, ref object.Ref) origin {
	p, _ := m.process(call.Process)
	return origin{process: call.Process, key: call.Key, root: w.Name(p.ref(call.Key)), kind: ref.Kind, ref: ref}
}

// See takes in what one step did. w is the world after it.
func (m *Monitor) See(w *sim.World, e sim.Event) {
	var call sim.Fact
	changed := false
	for _, f := range e.Facts {
		switch {
		case f.Kind == sim.FactCall && f.Pass != 0:
			call = f
		case f.Kind == sim.FactWrite:
			changed = true
		case f.Kind == sim.FactProcess:
			m.meet(w)
		}
	}
	if changed || w.Server().Revision() != m.rev {
		all := []change{}
		mine := -1
		for i, c := range w.Server().Changes(m.rev) {
			all = append(all, change{c.Type, c.GVR, c.Revision, c.Old, c.Object, w.Name(c.Object.Ref())})
			if call.Pass != 0 && answers(call, all[i]) {
				mine = i // of several changes in a step, what the call did comes last
			}
		}
		for i, c := range all {
			m.change(w, e, call, c, i == mine || call.Verb == string(api.DeleteCollection))
		}
		m.rev = w.Server().Revision()
	}
	if call.Pass != 0 {
		m.called(w, e, call)
	}
	for _, f := range e.Facts {
		switch f.Kind {
		case sim.FactCloud:
			changed = true
			switch {
			case call.Pass == 0:
			case f.Verb == string(sim.Created):
				m.madeOutside(w, e, call, f.Ref)
			case f.Verb == string(sim.Deleted):
				m.deletedOutside(w, e, call, f.Ref)
			}
		case sim.FactCached:
			changed = true
		case sim.FactEnded:
			m.ended(w, f)
		}
	}
	if changed {
		for _, f := range m.checks.evaluate(w, Always) {
			if call.Pass != 0 {
				f.Call = line(w, e, call)
			}
			m.find(f)
		}
	}
}

// called notes what a served call tells.
func (m *Monitor) called(w *sim.World, e sim.Event, call sim.Fact) {
	if call.Outcome == sim.LostReply || call.Outcome == sim.LandedThenDied {
		m.uncertain = true
	}
	if call.Resource == "status" {
		m.note(StatusThroughSpec)
		m.heard[call.Ref] = true
	}
	if verb := api.Verb(call.Verb); call.Resource != "" || verb != api.Update && verb != api.Patch {
		return
	}
	if p := pass(w, call.Pass); p != nil {
		for _, c := range p.Calls {
			if c.Event == e.N && c.StatusIgnored {
				m.note(StatusThroughSpec)
				m.unheard[c.Ref] = Site(c)
			}
		}
	}
}

// change takes in one change of the store: of the pass whose call it answers, of
// the collector, or of somebody else.
func (m *Monitor) change(w *sim.World, e sim.Event, call sim.Fact, c change, mine bool) {
	if _, watched := m.watches(c.gvr); watched && c.now.Terminating() {
		m.note(StuckDeletion)
	}
	switch {
	case mine:
		m.own(w, e, call, c)
	case collects(e.Action):
		if o, made := m.made[c.now.UID()]; made && c.kind == api.Deleted {
			p, _ := m.process(o.process)
			if root, there := w.Server().Find(p.ref(o.key)); there && !root.Terminating() {
				m.collected[o.root] = c.name
			}
		}
	case c.kind == api.Modified:
		list := append(slices.Clip(m.others[c.name]), foreign{c.rev, e.N, c.old, c.now})
		m.others[c.name] = list[max(0, len(list)-8):]
		m.share(c)
	case c.kind == api.Deleted:
		delete(m.others, c.name)
	}
	if !mine {
		m.hush(w, e, c)
	}
	if !mine && c.kind == api.Deleted {
		delete(m.theirs, c.name)
	}
}

// answers reports whether a change is what the call did.
func answers(call sim.Fact, c change) bool {
	switch call.Outcome {
	case sim.Created, sim.Updated, sim.Deleted, sim.LostReply, sim.LandedThenDied:
	default:
		return false
	}
	return call.Ref == c.name && (call.After == c.now.ResourceVersion() || call.After == "" && c.kind == api.Deleted)
}

// collects reports whether an action is the collector's. Of one that applies a
// thousand objects in one text only the verb is read, for each of them.
func collects(action string) bool {
	verb, _, _ := strings.Cut(action, " ")
	return verb == "gc" || verb == "namespace" || verb == "crd"
}

// own judges a change that a pass made.
func (m *Monitor) own(w *sim.World, e sim.Event, call sim.Fact, c change) {
	m.noteChange(c, c.kind == api.Added)
	if c.kind == api.Added {
		o := m.origin(w, call, c.now.Ref())
		o.site = line(w, e, call)
		if m.madeForOthers(w, e, call, c, o) {
			return
		}
		m.made[c.now.UID()] = o
		m.madeAnew(w, e, call, c)
		if o.kind != "Event" {
			// Of what happened there may be any number of notes.
			m.kin[o.family()] = append(slices.Clip(m.kin[o.family()]), c.now.UID())
			m.peak(w, o)
		}
		m.overwritten(w, e, call, c, m.rebuilt(w, call, c))
		m.claim(call, c)
		return
	}
	p, watched := m.watches(c.gvr)
	if c.kind == api.Deleted {
		if f, ok := m.unseen(w, call, c); ok && !abandoned(w, c.old) {
			m.erased[c.name] = erasure{call.Pass, f}
		}
		delete(m.others, c.name)
	}
	if watched {
		m.lets(p, c, line(w, e, call))
		for _, f := range c.now.Finalizers() {
			if !c.old.HasFinalizer(f) && !slices.Contains(m.guards, f) {
				m.guards = append(slices.Clip(m.guards), f)
			}
		}
	}
	var touched []string
	switch {
	case watched:
		touched = m.touchedOfWatched(p, c)
		m.transitions(w, e, call, c)
	default:
		touched = append(m.touchedOfOthers(w, call, c), m.touchedOfShared(c)...)
		m.claim(call, c)
	}
	m.overwritten(w, e, call, c, touched)
}

// lets notes where a finalizer of the controller's comes off what it watches.
func (m *Monitor) lets(p watcher, c change, at string) {
	holds := func(o object.Object) bool {
		return slices.ContainsFunc(o.Finalizers(), func(f string) bool { return m.isOwn(p, f) })
	}
	switch was := holds(c.old); {
	case was && (c.kind == api.Deleted || !holds(c.now)):
		m.released[c.name] = at
	case !was && holds(c.now):
		delete(m.released, c.name)
	}
}

// peak counts how many of a kind there are of one watched object. What an object
// of that name owned that is gone is the collector's, and not one too many.
func (m *Monitor) peak(w *sim.World, o origin) {
	n := 0
	made, _ := w.Server().Find(o.ref)
	owner, owned := made.ControllerOf()
	for _, uid := range m.kin[o.family()] {
		now, ok := w.Server().Find(m.made[uid].ref)
		if !ok || now.UID() != uid || now.Terminating() {
			continue
		}
		if by, has := now.ControllerOf(); owned && has && by.UID != owner.UID {
			continue
		}
		n++
	}
	m.high(o.root, o.kind, n)
}

func (m *Monitor) high(root, kind string, n int) {
	name := root + " " + kind
	m.peaks[name] = max(m.peaks[name], n)
}

// Peaks returns how many there were at most at the same time of what was made:
// "WebApp/default/plain ConfigMap" is 1.
func (m *Monitor) Peaks() map[string]int { return maps.Clone(m.peaks) }

// find adds a finding of something that must not be at any time.
func (m *Monitor) find(f Finding) {
	f.Count = 1
	if i := slices.IndexFunc(m.findings, f.same); i >= 0 {
		m.findings = slices.Clone(m.findings)
		m.findings[i].Count++
		return
	}
	m.findings = append(slices.Clip(m.findings), f)
}

// pass finds the record of a pass, in hand or ended.
func pass(w *sim.World, id int) *sim.Pass {
	for _, p := range w.InFlight() {
		if p.ID == id {
			return p
		}
	}
	for _, p := range slices.Backward(w.Passes()) {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// line says where the call that a step served stands in the reconciler, and what
// it does.
func line(w *sim.World, e sim.Event, call sim.Fact) string {
	if p := pass(w, call.Pass); p != nil {
		for _, c := range slices.Backward(p.Calls) {
			if c.Event == e.N && c.Verb == call.Verb {
				return Site(c)
			}
		}
	}
	return ""
}

// Rest forgets what only matters while passes are under way: at rest every pass
// has seen what others did, and what could be repaired has been. It returns the
// findings and the peaks since the last rest.
func (m *Monitor) Rest() (found []Finding, peaks map[string]int) {
	found, peaks = m.findings, m.peaks
	m.findings, m.doubles, m.others, m.peaks, m.uncertain = nil, nil, map[string][]foreign{}, map[string]int{}, false
	m.erased = map[string]erasure{}
	return found, peaks
}

// Under is what the monitor of a world in which no pass is under way goes by until
// the next rest and after it: a text, and the changes of others. ok is false where
// it has found something since the last rest.
func (m *Monitor) Under(w *sim.World) (text string, changes []*object.Map, ok bool) {
	if len(m.findings) > 0 || len(m.doubles) > 0 {
		return "", nil, false
	}
	var b strings.Builder
	b.WriteString(m.Digest(w))
	fmt.Fprintf(&b, "\nuncertain %v", m.uncertain)
	for _, name := range slices.Sorted(maps.Keys(m.peaks)) {
		fmt.Fprintf(&b, "\npeak %s %d", name, m.peaks[name])
	}
	for _, key := range slices.Sorted(maps.Keys(m.ends)) {
		fmt.Fprintf(&b, "\nended %s %s", key, m.ends[key])
	}
	for _, name := range slices.Sorted(maps.Keys(m.others)) {
		for _, f := range m.others[name] {
			fmt.Fprintf(&b, "\nother %s", name)
			changes = append(changes, f.old.Root(), f.now.Root())
		}
	}
	return b.String(), changes, true
}
