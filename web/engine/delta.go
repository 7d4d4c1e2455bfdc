package engine

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/store"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// told is what the page knows, so that a delta holds the rest.
type told struct {
	// full says that the page has to be told everything.
	full bool
	// step is the step in view; events is how many the page has, and cuts how
	// many tails it knows to have been left.
	events int
	cuts   int
	step   int
	// branches are those that the page has, as they were after so many cuts.
	branches   []Branch
	branchCuts int
	judged     bool
	touched    bool
	// tale is the story along which the run was told to go.
	tale *tale
	// objects are the trees the page has, by key.
	objects map[string]toldObject
	pass    [3]int
	files   bool
	aside   bool
	// progress says that the page knows how far the person has come.
	progress bool
	live     bool
	found    []FoundView
	// What the page knows of the places that seldom change as a whole.
	queue, enabled, faults toldList
	queueRest              *QueueView
	enabledRest            *EnabledView
	armed                  string
	wire                   *WireView
	caches                 *[]CacheView
	cloud                  *CloudView
}

type toldObject struct{ server, cache *object.Map }

// delta is what changed since the page was told last.
func (e *Engine) delta(full bool) *Delta {
	full = full || e.told.objects == nil
	w := e.line.World()
	d := &Delta{Full: full, EventsFrom: -1}
	before := e.told.step
	touched, known := e.events(d, full)
	if full {
		e.told.objects = map[string]toldObject{}
		e.told.queue, e.told.enabled, e.told.faults = toldList{}, toldList{}, toldList{}
		e.told.queueRest, e.told.enabledRest, e.told.armed = nil, nil, ""
		e.told.wire, e.told.caches, e.told.cloud = nil, nil, nil
	}
	// A script that was rolled out may read otherwise than what it took the place of.
	if live := w.ProcessesHead(0)[0].LiveReads; full || live != e.told.live {
		d.Scenario, e.told.live = e.info(w), live
	}
	if known {
		for _, ref := range touched {
			e.object(d, w, ref)
		}
	} else {
		e.allObjects(d, w)
	}
	if !full && !known && e.elsewhere(d, before) {
		d.Changed = e.changed(w)
	}
	e.places(d, w)
	if full || !e.told.files {
		d.Files, e.told.files = slices.Clone(e.files), true
	}
	if found := e.found(); full || !slices.Equal(found, e.told.found) {
		d.Found, e.told.found = found, found
	}
	if full || !e.told.aside {
		d.Kept, e.told.aside = e.keptRuns(), true
	}
	if full || !e.told.progress {
		d.Progress, e.told.progress = e.lessons, true
	}
	d.Notice, e.notice = e.notice, nil
	e.told.step = e.line.View()
	return d
}

// events adds the events that the page lacks, and returns the objects that they
// touch. known is false where the view has moved otherwise than by those.
func (e *Engine) events(d *Delta, full bool) (touched []object.Ref, known bool) {
	all := e.line.Events()
	from := min(e.told.events, len(all))
	if full {
		from = 0
	}
	for _, n := range e.line.Cuts()[min(e.told.cuts, len(e.line.Cuts())):] {
		from = min(from, n)
	}
	e.told.cuts = len(e.line.Cuts())
	known = !full && from == e.told.events && e.told.step == from && e.line.View() == len(all)
	if from != e.told.events || full {
		d.EventsFrom = from
	}
	w := e.line.Tip()
	for _, ev := range all[from:] {
		d.Events = append(d.Events, eventLine(ev))
		for _, f := range ev.Facts {
			switch f.Kind {
			case sim.FactWrite, sim.FactCached:
				if f.Verb == "LIST" {
					known = false
				}
				if ref, ok := object.ParseRef(f.Ref); ok {
					touched = append(touched, e.grouped(w, ref, f.Resource))
				}
			case sim.FactProcess:
				known = false
			}
		}
		if ev.Action == "reload" {
			known = false
		}
	}
	e.told.events = len(all)
	if d.EventsFrom >= 0 || len(d.Events) > 0 || e.told.step != e.line.View() || len(e.told.branches) != len(e.line.Branches()) || e.told.judged != e.judged() || e.told.tale != e.tale || e.told.touched != e.touched() || full {
		d.Timeline = e.timeline()
		e.told.judged, e.told.touched, e.told.tale = d.Timeline.Judged, d.Timeline.Touched, e.tale
	}
	return touched, known
}

// elsewhere reports whether the view has gone from step before otherwise than by
// the events that are told.
func (e *Engine) elsewhere(d *Delta, before int) bool {
	return before+len(d.Events) != e.line.View() || d.EventsFrom >= 0 && d.EventsFrom != before
}

// changed is what the step in view changed on the server.
func (e *Engine) changed(w *sim.World) []ObjectChange {
	list := []ObjectChange{}
	n := e.line.View()
	if n == 0 {
		return list
	}
	first := int64(0)
	for _, f := range e.line.Events()[n-1].Facts {
		rv, err := store.ParseRevision(f.After)
		if f.Kind == sim.FactWrite && err == nil && (first == 0 || rv < uint64(first)) {
			first = int64(rv)
		}
	}
	if first == 0 {
		return list
	}
	for _, c := range w.Server().Changes(first - 1) {
		key := w.Name(c.Object.Ref())
		if !slices.ContainsFunc(list, func(o ObjectChange) bool { return o.Key == key }) {
			list = append(list, ObjectChange{Key: key, Before: c.Old})
		}
	}
	return list
}

// grouped fills in the group of a ref that a fact names with its resource.
func (e *Engine) grouped(w *sim.World, ref object.Ref, resource string) object.Ref {
	for _, r := range w.Server().Resources() {
		if r.GVR.GroupResource() == resource {
			ref.Group = r.GVR.Group
		}
	}
	return ref
}

func (e *Engine) timeline() *Timeline {
	t := &Timeline{Step: e.line.View(), Length: e.line.Len(), Quiet: e.line.World().Quiet(), Judged: e.judged(), Touched: e.touched()}
	if n := len(e.line.Cuts()); n != e.told.branchCuts || len(e.told.branches) != len(e.line.Branches()) {
		e.told.branches, e.told.branchCuts = branches(e.line.Branches()), n
	}
	t.Branches = e.told.branches
	e.along(t)
	return t
}

func (e *Engine) info(w *sim.World) *ScenarioInfo {
	p := w.ProcessesHead(0)[0]
	s := &ScenarioInfo{Name: e.scenario.Name, Title: e.scenario.Title, Story: e.scenario.Story, Reads: "cache", Watched: p.Kind}
	if p.LiveReads {
		s.Reads = "live"
	}
	for _, src := range p.Sources {
		if src.Kind != p.Kind {
			s.Owned = append(s.Owned, src.Kind)
		}
	}
	head := e.scenario.Head()
	s.Kind, s.Look, s.Cures = head.Kind, head.Look, head.Cures
	s.Library, s.Cure = scenario.Heads(), e.scenario.On
	s.Tasks, s.Hints, s.Solution, s.Script = e.scenario.Tasks, e.scenario.Hints, e.scenario.Solution, e.scenario.Controllers[0].Script
	s.Told = e.scenario.Outcome != nil
	if s.Kind == "lesson" || s.Kind == "incident" {
		s.Source = e.scenario.Source()
	}
	s.Graded = len(e.scenario.Checks) > 0
	s.Env = "KIND=" + word(p.Kind) + "\nPLURAL=" + word(p.Watched.Resource) + "\nGROUP=" + word(p.Watched.Group) + "\nVERSION=" + word(p.Watched.Version) + "\nOWNS='"
	for _, r := range p.Owned {
		s.Env += word(r.GroupResource()) + " "
	}
	s.Env += "'\n"
	return s
}

// word is a name as a shell reads it: a cluster that was not made by this server
// may name its kinds as it likes.
func word(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '.' {
			return r
		}
		return -1
	}, name)
}

// object adds one object where it is not as the page has it.
func (e *Engine) object(d *Delta, w *sim.World, ref object.Ref) {
	server, _ := w.Server().Find(ref)
	var cache object.Object
	cached := false
	builtin := false
	for _, r := range w.Server().Resources() {
		if r.Kind == ref.Kind && r.GVR.Group == ref.Group {
			cache, cached = w.Cached(r.GVR, ref.Key())
			builtin = r.Kind == "Namespace" || r.Kind == "CustomResourceDefinition"
		}
	}
	key := w.Name(ref)
	now := toldObject{server.Root(), cache.Root()}
	before := e.told.objects[key]
	if before == now {
		return
	}
	if now == (toldObject{}) {
		delete(e.told.objects, key)
	} else {
		e.told.objects[key] = now
	}
	o := ObjectDelta{Key: key, Server: server, Cache: cache, Cached: cached, Builtin: builtin}
	if cached && now.server == now.cache {
		o.Cache, o.Same = object.Object{}, true
	}
	d.Objects = append(d.Objects, o)
}

// allObjects compares everything there is with what the page has.
func (e *Engine) allObjects(d *Delta, w *sim.World) {
	seen := map[string]bool{}
	look := func(ref object.Ref) {
		if key := w.Name(ref); !seen[key] {
			seen[key] = true
			e.object(d, w, ref)
		}
	}
	for s := range w.Server().All() {
		look(s.Object.Ref())
	}
	for _, o := range w.AllCached() {
		look(o.Ref())
	}
	for _, key := range slices.Sorted(maps.Keys(e.told.objects)) {
		if !seen[key] {
			delete(e.told.objects, key)
			d.Objects = append(d.Objects, ObjectDelta{Key: key})
		}
	}
}

// places adds the pipeline's places. They are small: at most MaxListed entries
// each.
func (e *Engine) places(d *Delta, w *sim.World) {
	d.Clock = &Clock{Now: w.Now().Format(time.RFC3339Nano), Since: w.Since()}
	if next, ok := w.NextTimer(); ok {
		d.Clock.NextTimer = &next
	}
	d.Revision = w.Server().Revision()
	d.Controller = "running"
	caches := []CacheView{}
	wire, queue := &WireView{Items: []WireItem{}}, &QueueView{Items: []QueueItem{}}
	for _, p := range w.ProcessesHead(MaxListed) {
		if !p.Running {
			d.Controller = "crashed"
		}
		e.addQueue(queue, w, p)
		for _, s := range p.Sources {
			addWire(wire, w, p.Name, s)
			c := CacheView{
				Process: p.Name, Resource: s.Resource.GroupResource(), Kind: s.Kind, Synced: s.Synced,
				ResourceVersion: s.ResourceVersion, Objects: s.Objects, Behind: s.WireLen,
			}
			if s.NeedsList {
				c.Action = sim.Act("list", p.Name, c.Resource).String()
			}
			caches = append(caches, c)
		}
	}
	for _, k := range e.scenario.Controllers {
		queue.Priorities = queue.Priorities || k.Queue.Priority
	}
	d.Wire = news(&e.told.wire, wire)
	if changed := news(&e.told.caches, &caches); changed != nil {
		d.Caches = *changed
	}
	d.Queue = e.queueNews(queue)
	items := w.Cloud().Items()
	d.Cloud = news(&e.told.cloud, &CloudView{Items: slices.Clip(items[:min(len(items), MaxListed)]), Total: len(items)})
	d.Enabled, d.Faults = e.enabledNews(e.enabled(w)), e.faultsNews(e.faults(w))
	pass, passes := inHand(w)
	if now := passMark(pass); d.Full || now != e.told.pass {
		e.told.pass = now
		d.Pass, d.Passes = pass, passes
	}
}

// news is what there is now where it differs from what was told, which it
// becomes; else nil.
func news[T any](told **T, now *T) *T {
	if *told != nil && reflect.DeepEqual(*told, now) {
		return nil
	}
	*told = now
	return now
}

// passMark changes whenever the record of a pass does.
func passMark(p *sim.Pass) [3]int {
	if p == nil {
		return [3]int{}
	}
	return [3]int{p.ID, len(p.Calls), p.EndEvent}
}

func addWire(v *WireView, w *sim.World, process string, s sim.SourceLook) {
	v.Total += s.WireLen
	for i, ev := range s.Wire {
		if len(v.Items) == MaxListed {
			return
		}
		item := WireItem{
			Process: process, Resource: s.Resource.GroupResource(), Type: string(ev.Type), Ref: w.Name(ev.Object.Ref()),
			ResourceVersion: ev.Object.ResourceVersion(), Event: ev.Cause,
		}
		if i == 0 {
			item.Action = sim.Act("deliver", process, item.Resource).String()
		}
		v.Items = append(v.Items, item)
	}
}

func (e *Engine) addQueue(v *QueueView, w *sim.World, p sim.ProcessLook) {
	v.Total += p.ReadyLen + p.WaitingLen
	for _, k := range p.Processing {
		v.Processing = append(v.Processing, k.String())
	}
	start := w.Now().Add(-w.Since())
	for _, it := range p.Ready {
		if len(v.Items) == MaxListed {
			return
		}
		q := QueueItem{Process: p.Name, Key: it.Key.String(), Due: it.Since.Sub(start), Ready: true, Failures: it.Failures, Priority: it.Priority, Why: why(it), Causes: e.causesOf(w, it)}
		if p.Free {
			q.Action = sim.Act("start", p.Name, q.Key).String()
		}
		v.Items = append(v.Items, q)
	}
	for _, it := range p.Waiting {
		if len(v.Items) == MaxListed {
			return
		}
		v.Items = append(v.Items, QueueItem{
			Process: p.Name, Key: it.Key.String(), Due: it.Due.Sub(start), Failures: it.Failures, Priority: it.Priority, Why: why(it), Causes: e.causesOf(w, it),
		})
	}
}

// causesOf goes back from the last cause of a key's being queued.
func (e *Engine) causesOf(w *sim.World, it workqueue.Item) []Cause {
	if len(it.Why) == 0 {
		return nil
	}
	return e.causes(w, it.Why[len(it.Why)-1].Event)
}

// why lists the causes of a key's being queued, never nil.
func why(it workqueue.Item) []sim.Why {
	out := []sim.Why{}
	for _, y := range it.Why {
		out = append(out, sim.Why{Event: y.Event, Text: y.Text})
	}
	return out
}

// inHand is the pass that a worker has in hand, else the last that ended, and
// how many there were.
func inHand(w *sim.World) (*sim.Pass, int) {
	ended := w.Passes()
	flying := w.InFlight()
	n := len(ended) + len(flying)
	if len(flying) > 0 {
		return flying[0], n
	}
	if len(ended) > 0 {
		return ended[len(ended)-1], n
	}
	return nil, 0
}

// enabled lists what can happen next, in the order of the world's, the one that
// Step takes marked.
func (e *Engine) enabled(w *sim.World) *EnabledView {
	first, _ := e.first()
	calls := waitingCalls(w)
	actions, total := w.EnabledHead(MaxListed)
	v := &EnabledView{Items: []EnabledItem{}, Total: total}
	for _, a := range actions[:min(len(actions), MaxListed)] {
		item := EnabledItem{Action: a.String(), Default: a.Equal(first)}
		item.Place, item.Target = place(a)
		switch a.Verb {
		case "call":
			item.Detail = calls[flightID{a.Arg(0), a.Arg(1)}]
		case "deliver":
			item.Detail = delivery(w, a)
		case "gc", "namespace", "crd":
			item.Reason, item.Target = reasonTo(w, a)
		}
		v.Items = append(v.Items, item)
	}
	return v
}

// flightID names a pass in flight.
type flightID struct{ process, key string }

// waitingCalls are the calls that the passes in flight wait for.
func waitingCalls(w *sim.World) map[flightID]string {
	calls := map[flightID]string{}
	for _, p := range w.InFlight() {
		c := p.Calls[len(p.Calls)-1]
		calls[flightID{p.Process, p.Key}] = strings.TrimSpace(c.Verb+" "+c.Subresource) + " " + c.Ref
	}
	return calls
}

// delivery is what a deliver delivers.
func delivery(w *sim.World, a sim.Action) string {
	for _, p := range w.ProcessesHead(1) {
		for _, s := range p.Sources {
			if p.Name == a.Arg(0) && s.Resource.GroupResource() == a.Arg(1) && len(s.Wire) > 0 {
				o := s.Wire[0].Object
				return fmt.Sprintf("%s %s rv %s", s.Wire[0].Type, w.Name(o.Ref()), o.ResourceVersion())
			}
		}
	}
	return ""
}

// place is where the picture marks an action, and what it is about.
func place(a sim.Action) (place, target string) {
	switch a.Verb {
	case "list":
		return "cache", a.Arg(1)
	case "deliver":
		return "wire", a.Arg(1)
	case "start":
		return "queue", a.Arg(1)
	case "call":
		return "worker", a.Arg(1)
	case "tick":
		return "clock", ""
	case "crash", "restart":
		return "process", a.Arg(0)
	}
	return "collector", a.Arg(0)
}
