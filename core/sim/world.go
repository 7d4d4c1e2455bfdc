package sim

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// World is the cluster, the cloud and the controllers at one moment. Its zero
// value is of no use: call New.
type World struct {
	config Config
	now    time.Time
	// step is the number of the last event.
	step      int
	server    *apiserver.Server
	cloud     *cloud.Cloud
	collector *collector.Collector
	procs     []*process
	// passes are the records of all passes that ended, oldest first.
	passes []*Pass
	// passID is the ID of the last pass that started.
	passID int
	// seen is the revision up to which changes were passed on.
	seen     int64
	terminal terminal
	// clocked: some pass has asked for the time or its seed.
	clocked bool
	// reborn are objects that are created again once their names are free.
	reborn []api.Request
	// inputAt is when the user last acted.
	inputAt time.Time
	// facts are those of the step in hand.
	facts gathering
	// refused is what of the last step's input was refused beside what was done.
	refused error
	// memo is shared with all copies; nil for none.
	memo *Memo
}

// Memo remembers what passes did after each answer: see controller.Memo.
type Memo = controller.Memo

// NewMemo returns one that remembers nothing.
func NewMemo() *Memo { return controller.NewMemo() }

// Remember has the passes of this world, and of the copies that are made of it,
// go on as those did that are remembered: it comes to the same, and takes less
// time where many worlds are alike.
func (w *World) Remember(m *Memo) { w.memo = m }

// New builds the world of step 0: the objects are there, the processes are
// about to start. The error is a *SetupError.
func New(config Config) (*World, error) {
	definitions := 0
	for _, o := range config.Objects {
		if o.Kind() == "CustomResourceDefinition" {
			definitions++
		}
	}
	w := &World{
		config: config, now: config.Start, inputAt: config.Start,
		server: apiserver.NewBefore(config.Seed, config.Start, definitions), cloud: cloud.New(), collector: collector.New(),
	}
	w.server.SetRules(rules)
	for i, o := range config.Objects {
		// In a browser the collector runs only while others wait.
		runtime.Gosched()
		if err := w.install(o); err != nil {
			return nil, &SetupError{Object: i, Controller: -1, Err: err}
		}
	}
	w.config.Objects = nil
	return w, w.launch(false)
}

// install creates one object of the beginning.
func (w *World) install(o object.Object) error {
	gvk := o.GVK()
	res, ok := w.server.ResourceOf(gvk)
	if !ok {
		return fmt.Errorf("no matches for kind %q in version %q: a CRD must stand before its resources", gvk.Kind, o.APIVersion())
	}
	req := api.Request{Verb: api.Create, GVR: res.GVR, Body: o.Root(), UserAgent: "setup"}
	if res.Namespaced {
		req.Namespace = o.Namespace()
		if req.Namespace == "" {
			req.Namespace = "default"
		}
	}
	return w.server.Do(w.now, req).Err()
}

// Clone returns an independent copy. What both share is immutable, so it costs
// about as much as there are keys in flight.
func (w *World) Clone() *World {
	c := *w
	c.server, c.cloud, c.collector = w.server.Clone(), w.cloud.Clone(), w.collector.Clone()
	c.passes, c.facts, c.reborn = slices.Clip(w.passes), gathering{}, slices.Clip(w.reborn)
	c.terminal = w.terminal.clone()
	c.procs = make([]*process, len(w.procs))
	for i, p := range w.procs {
		c.procs[i] = p.clone(&c)
	}
	return &c
}

// Now is the virtual time; Since the time since the clock began.
func (w *World) Now() time.Time { return w.now }

// Since is the virtual time since the clock began.
func (w *World) Since() time.Duration { return w.now.Sub(w.config.Start) }

// StepNumber is the number of the last event, 0 before the first.
func (w *World) StepNumber() int { return w.step }

// Server is the API server: to be looked at, not to be asked.
func (w *World) Server() *apiserver.Server { return w.server }

// Cloud is the world outside: to be looked at, not to be asked.
func (w *World) Cloud() *cloud.Cloud { return w.cloud }

// Passes are the records of the passes that ended, oldest first.
func (w *World) Passes() []*Pass { return slices.Clip(w.passes) }

// Config is what the world was built of, but for the objects: of those it has
// what it keeps of them.
func (w *World) Config() Config { return w.config }

// ErrNotEnabled is the error of an action that cannot happen now.
var ErrNotEnabled = errors.New("not enabled")

// Choose parses a choice and makes the step.
func (w *World) Choose(choice string) (Event, error) {
	a, err := ParseAction(choice)
	if err != nil {
		return Event{}, &InputError{Err: err}
	}
	e, err := w.Step(a)
	if e.Action == choice {
		// An apply may be megabytes long: it is there once.
		e.Action = choice
	}
	return e, err
}

// Step makes one action happen and returns what came of it. An error means
// that nothing did and the world is as it was: ErrNotEnabled for an action that
// cannot happen now, an *InputError for a user's input that was refused.
func (w *World) Step(a Action) (Event, error) {
	w.facts, w.refused = gathering{}, nil
	if err := w.act(a); err != nil {
		return Event{}, err
	}
	w.step++
	w.settle()
	// It is kept for good, and of an apply it is long: so it has no room to grow.
	e := Event{N: w.step, At: w.Since(), Action: a.String(), Facts: w.facts.all()}
	w.facts = gathering{}
	return e, nil
}

func (w *World) act(a Action) error {
	switch a.Verb {
	case "apply", "delete", "recreate", "patch", "finalize", "unfinalize", "cloud":
		return w.userAct(a)
	case "fault":
		return w.fault(a.Args)
	case "shell":
		return w.userShell(a.Args)
	case "interrupt":
		return w.interrupt()
	case "deploy":
		return w.deploy(a.Args)
	case "workers":
		return w.workers(a.Args)
	case "advance":
		d, err := parsePositive(a.Arg(0))
		if err != nil {
			return err
		}
		w.pass(d)
		w.input()
		return nil
	case "tick":
		due, ok := w.nextTimer()
		if !ok {
			return fmt.Errorf("%w: no timer is set", ErrNotEnabled)
		}
		w.pass(due.Sub(w.now))
		return nil
	case "reload":
		for _, p := range w.procs {
			if p.running {
				p.crash()
			}
			if p.spec.Name != "" || p.resolve() == nil {
				p.restart()
			}
		}
		w.input()
		return nil
	case "gc", "namespace", "crd":
		return w.collect(a)
	case "wake":
		if len(a.Args) == 1 && a.Args[0] == "terminal" {
			return w.wakeTerminal()
		}
		return w.processAct(a)
	case "list", "deliver", "start", "call", "crash", "restart", "resync":
		return w.processAct(a)
	}
	return &InputError{Err: fmt.Errorf("there is no action %q", a.Verb)}
}

// userAct does what a user asks for. A refusal leaves the world as it was: what
// the server drew from its generator on the way is put back.
func (w *World) userAct(a Action) error {
	server := w.server.Clone()
	var facts []Fact
	var err error
	switch a.Verb {
	case "apply":
		facts, err = w.applyText(a.Arg(0))
	case "delete":
		facts, err = w.userDelete(a.Arg(0), a.Arg(1))
	case "recreate":
		facts, err = w.userRecreate(a.Arg(0))
	case "patch":
		facts, err = w.userPatch(a.Arg(0), a.Arg(1))
	case "finalize":
		facts, err = w.userFinalize(a.Arg(0), a.Arg(1))
	case "unfinalize":
		facts, err = w.userUnfinalize(a.Arg(0), a.Arg(1))
	case "cloud":
		facts, err = w.userCloud(a.Args)
	}
	if err != nil && w.server.Revision() == server.Revision() {
		w.server = server
		return err
	}
	w.input()
	for _, f := range facts {
		w.fact(f)
	}
	if err != nil {
		w.refused = err
		w.fact(Fact{Kind: FactRefused, Verb: a.Verb, Text: err.Error(), By: "user"})
	}
	return nil
}

// Refused is what of the last step's input was refused although some of it was
// done: of several documents the first that was, an *InputError with the places
// of all. It is nil where all was done.
func (w *World) Refused() error { return w.refused }

func (w *World) fact(f Fact) { w.facts.add(f) }

// A gathering is facts in their order. A list has as many as there are objects:
// so they lie in pieces until it is known how many, and none is copied to grow.
type gathering struct {
	full [][]Fact
	last []Fact
}

// maxGathered is how many facts a piece has at most.
const maxGathered = 256

func (g *gathering) add(f Fact) {
	if len(g.last) == cap(g.last) {
		if g.last != nil {
			g.full = append(g.full, g.last)
		}
		g.last = make([]Fact, 0, min(max(4, 2*len(g.last)), maxGathered))
	}
	g.last = append(g.last, f)
}

// all are the facts in one slice that has no room to grow; nil where there are
// none.
func (g *gathering) all() []Fact {
	n := len(g.last)
	for _, piece := range g.full {
		n += len(piece)
	}
	if n == 0 {
		return nil
	}
	all := make([]Fact, 0, n)
	for _, piece := range g.full {
		all = append(all, piece...)
	}
	return append(all, g.last...)
}

// input notes that the user acted: every key starts to count anew.
func (w *World) input() {
	w.inputAt = w.now
	for _, p := range w.procs {
		p.calm.Clear()
	}
}

// looked notes that the user does something that changes nothing by itself: a run
// has its time anew, and what has come to rest stays at rest.
func (w *World) looked() {
	w.inputAt = w.now
	for _, p := range w.procs {
		rested := p.calm.Copy()
		rested.Scan(func(key string, c calm) bool {
			c.busy = 0
			p.calm.Set(key, c)
			return true
		})
	}
}

// pass lets time go by.
func (w *World) pass(d time.Duration) { w.now = w.now.Add(d) }

// nextTimer is when the first timer is due, never before now.
func (w *World) nextTimer() (time.Time, bool) {
	first, found := w.terminal.wakes()
	for _, p := range w.procs {
		if !p.running {
			continue
		}
		if due, ok := p.ctrl.Queue().NextDue(); ok && (!found || due.Before(first)) {
			first, found = due, true
		}
		if at := p.resyncAt; !at.IsZero() && (!found || at.Before(first)) {
			first, found = at, true
		}
		for _, f := range p.flights {
			if at, sleeps := f.wakes(); sleeps && (!found || at.Before(first)) {
				first, found = at, true
			}
		}
		for _, s := range p.sources {
			if s.informer.State() == informer.NeedsList && s.retry.After(w.now) && (!found || s.retry.Before(first)) {
				first, found = s.retry, true
			}
		}
	}
	if found && first.Before(w.now) {
		first = w.now
	}
	return first, found
}

// NextTimer is when the first timer is due, since the clock began, and whether
// there is one.
func (w *World) NextTimer() (time.Duration, bool) {
	t, ok := w.nextTimer()
	return t.Sub(w.config.Start), ok
}

// settle passes on what a step caused: changes of the store become facts, go
// to the collector and onto the wires; timers that are due make keys ready.
func (w *World) settle() {
	w.observe()
	w.bear()
	for _, p := range w.procs {
		p.settle()
	}
	w.thawIdle()
}

// observe makes facts of the changes of the store since it last looked.
func (w *World) observe() {
	if w.server.Revision() == w.seen {
		return
	}
	for _, c := range w.server.Changes(w.seen) {
		w.changed(c)
	}
	w.seen = w.server.Revision()
}

func (w *World) changed(c apiserver.Change) {
	f := Fact{Kind: FactWrite, Resource: c.GVR.GroupResource(), Ref: w.name(c.Object.Ref()), Before: c.Old.ResourceVersion(), After: c.Object.ResourceVersion()}
	switch c.Type {
	case api.Added:
		f.Verb = string(Created)
	case api.Deleted:
		f.Verb = string(Deleted)
	default:
		f.Verb = string(Updated)
	}
	w.fact(f)
	w.collector.Observe(collector.Change{Type: c.Type, GVR: c.GVR, Object: c.Object})
}

// collect does one piece of the collector's work.
func (w *World) collect(a Action) error {
	pending := []collector.Item{}
	if next, ok := w.collector.Next(); ok && next.String() == a.String() {
		pending = append(pending, next)
	} else {
		pending = w.collector.Pending()
	}
	for _, item := range pending {
		if item.String() == a.String() {
			w.collector.Step(item, doer{w, collectorAgent})
			w.fact(Fact{Kind: FactCollected, Text: item.String()})
			return nil
		}
	}
	return fmt.Errorf("%w: the collector has no work %q", ErrNotEnabled, a)
}

// collectorAgent is what the collector's requests call themselves.
const collectorAgent = "kube-controller-manager/" + Kubernetes

// doer serves calls at once, for the actors that are not stepped call by call.
type doer struct {
	w     *World
	agent string
}

func (d doer) Do(req api.Request) api.Response {
	if req.UserAgent == "" {
		req.UserAgent = d.agent
	}
	return d.w.server.Do(d.w.now, req)
}

func (d doer) Cloud(req api.CloudRequest) api.CloudResponse { return d.w.cloud.Do(d.w.now, req) }

func (d doer) Now() time.Time { return d.w.now }
