package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Options bound an exploration.
type Options struct {
	// Faults are the kinds to make; all of sim.FaultKinds where empty.
	Faults []string
	// Schedules are the kinds of other orders to try, one in a run and without
	// faults; all of ScheduleKinds where nil.
	Schedules []string
	// Depth is how many faults a run has at most: 1 where not given, or 2.
	Depth int
	// Near keeps the second fault of a pair within the next passes of the key that
	// the first one hit: that many of them; 2 where not given.
	Near int
	// Sample makes one in so many runs with two faults, drawn by Seed; all of them
	// where it is 0 or 1.
	Sample int
	Seed   uint64
	// Shard and Shards have this explorer make only its part of so many, the runs of
	// about every Shards-th stretch of the plan; 0 Shards is 1.
	Shard, Shards int
	// Unpruned plays every run to its end, those too that come to the same as another,
	// and runs the reconciler in each pass.
	Unpruned bool
}

// Explorer explores a subject in slices: Step until it reports that all is done,
// then Result.
type Explorer struct {
	subject Subject
	options Options
	checks  *judge.Checks
	painter *judge.Painter
	nodes   map[key][]*node
	// tails are what comes of worlds between two passes.
	tails  map[key]*tail
	walks  map[key]walk
	hasher sim.Hasher
	// memo is what passes of scripts did after each answer; nil where all are run.
	memo  *sim.Memo
	names []string
	// others are the states that other workers told apart.
	others map[string]bool
	// quiets are the rests of the baseline: before each action of the life, and
	// at its end; chain is what comes of the first.
	quiets []rested
	chain  []*node
	// spots are where faults hit, in the order of the baseline.
	spots []spot
	// after are the runs without the fault to which those with it must come, by
	// what the user did.
	after map[string][]expected
	// plan has every run, next is the first that was not made.
	plan []entry
	next int
	runs []Outcome
	// choices are those of the baseline; before is what was wrong on the way to
	// its first rest.
	choices  []string
	before   []judge.Finding
	restless bool
	// plain says that no fault is going to be made.
	plain  bool
	passes int
	// limit is after how many choices the baseline tells nothing that is wanted, 0
	// for never.
	limit int
	// only keeps the spots of one phase alone, where it is not 0.
	only    int
	account *account
	steps   int
}

// rested is a rest of the baseline, with how many choices led to it.
type rested struct {
	state state
	made  int
}

// spot is a call or a delivery of the baseline, and the world that is about to
// make it.
type spot struct {
	place
	state state
	made  int
	// phase is the place in the life: 0 before its first action, n after the nth.
	phase  int
	action sim.Action
}

// place is where a fault hits.
type place struct {
	// site is what the matrix calls it, wrote the last write that the pass made
	// before it; root is the key of the pass, kind that of the object called about.
	site, wrote, root, kind string
	// reads says that the call changes nothing.
	reads bool
}

// entry is one run of the plan: a move at a spot.
type entry struct {
	spot int
	move move
}

// New prepares an exploration. An error is a *judge.CheckError.
func New(s Subject, o Options) (*Explorer, error) {
	checks, err := judge.Compile(s.Checks)
	if err != nil {
		return nil, err
	}
	if o.Depth > 2 {
		return nil, fmt.Errorf("a run has at most two faults, not %d", o.Depth)
	}
	o.Depth, o.Shards, o.Sample = max(1, o.Depth), max(1, o.Shards), max(1, o.Sample)
	if o.Near == 0 {
		o.Near = 2
	}
	if len(o.Faults) == 0 {
		o.Faults = sim.FaultKinds
	}
	if o.Schedules == nil {
		o.Schedules = ScheduleKinds
	}
	for _, k := range o.Schedules {
		if !slices.Contains(ScheduleKinds, k) {
			return nil, fmt.Errorf("there is no schedule %q; there are %q", k, ScheduleKinds)
		}
	}
	for _, f := range o.Faults {
		if !slices.Contains(sim.FaultKinds, f) {
			return nil, fmt.Errorf("there is no fault %q; there are %q", f, sim.FaultKinds)
		}
	}
	memo := sim.NewMemo()
	if o.Unpruned {
		memo = nil
	}
	return &Explorer{
		subject: s, options: o, checks: checks, painter: judge.NewPainter(), memo: memo,
		nodes: map[key][]*node{}, tails: map[key]*tail{}, walks: map[key]walk{}, others: map[string]bool{}, after: map[string][]expected{},
	}, nil
}

// Run explores a subject to the end.
func Run(s Subject, o Options) (*Result, error) {
	x, err := New(s, o)
	if err != nil {
		return nil, err
	}
	for {
		done, err := x.Step(1000)
		if err != nil {
			return nil, err
		}
		if done {
			return x.Result()
		}
	}
}

// Step goes on with about so many runs and reports whether all are done. The
// first one plays the baseline.
func (x *Explorer) Step(runs int) (done bool, err error) {
	if x.quiets == nil {
		if err := x.baseline(); err != nil {
			return false, err
		}
		x.lay()
	}
	for ; x.next < len(x.plan) && runs > 0; x.next++ {
		if x.shard(x.next) != x.options.Shard {
			continue
		}
		made, err := x.explore(x.next)
		if err != nil {
			return false, err
		}
		runs -= made
	}
	return x.next == len(x.plan), nil
}

// shard is whose run an entry of the plan is. A worker takes stretches of it: moves
// that stand side by side come to the same states. Each of few workers has eight
// stretches at least, so that they are done at about the same time.
func (x *Explorer) shard(index int) int {
	const most = 100
	stretch := min(most, max(1, len(x.plan)/(8*x.options.Shards)))
	return index / stretch % x.options.Shards
}

// Progress is how far an exploration has come, in entries of its plan.
func (x *Explorer) Progress() (done, total int) { return x.next, len(x.plan) }

// Steps is how many steps were made, over all runs.
func (x *Explorer) Steps() int { return x.steps }

// baseline plays the life without faults and notes where faults could hit.
func (x *Explorer) baseline() error {
	w := x.world()
	defer w.Release()
	s := &state{world: w, monitor: judge.NewMonitor(w, x.checks), choices: &x.choices, all: &x.steps}
	done := 0
	for phase := 0; ; phase++ {
		rest, err := x.walk(s, phase)
		if err != nil {
			return err
		}
		if phase > 0 {
			x.chain[phase-1].use(s.world.Passes()[done:])
			x.chain[phase-1].span = s.world.StepNumber() - x.chain[phase-1].step
		}
		done = len(s.world.Passes())
		// What was wrong on the way is noted with the rest before.
		found, peaks := s.monitor.Rest()
		if phase > 0 {
			x.chain[phase-1].way, x.chain[phase-1].peaks = found, peaks
		} else {
			x.before = found
		}
		if rest == sim.Going { // it was to be shorter
			break
		}
		n, _, err := x.judged(s, phase, rest)
		if err != nil {
			return err
		}
		if phase > 0 {
			x.chain[phase-1].next = n
		}
		x.chain = append(x.chain, n)
		kept := s.clone()
		kept.choices = nil
		x.quiets = append(x.quiets, rested{*kept, len(x.choices)})
		if rest != sim.Quiet {
			x.restless = true
		}
		if phase == len(x.subject.Life) {
			break
		}
		if err := s.live(x.subject.Life[phase]...); err != nil {
			return err
		}
	}
	x.passes = len(s.world.Passes())
	return nil
}

// walk runs the baseline to its next rest and keeps the worlds at which faults
// could hit.
func (x *Explorer) walk(s *state, phase int) (sim.Rest, error) {
	began := s.steps
	x.spot(s, phase, sim.Action{})
	for {
		a, rest := s.world.NextInRun()
		if rest != sim.Going {
			return rest, nil
		}
		if rest := s.spent(began, a); rest != sim.Going || x.limit > 0 && len(x.choices) >= x.limit {
			return rest, nil
		}
		if a.Verb != "tick" {
			x.spot(s, phase, a)
		}
		if _, err := s.step(a); err != nil {
			return rest, fmt.Errorf("explore: %s: %w", a, err)
		}
	}
}

// spot keeps the world as it is about to do something, or to begin a phase.
func (x *Explorer) spot(s *state, phase int, next sim.Action) {
	if x.plain || x.only != 0 && phase != x.only {
		return
	}
	kept := s.clone()
	kept.choices, kept.steps = nil, 0
	x.spots = append(x.spots, spot{placeOf(s.world, next), *kept, len(x.choices), phase, next})
}

// placeOf names a call by its place in the reconciler, what is delivered or
// collected by its kind, and the whole of a phase where nothing is next.
func placeOf(w *sim.World, a sim.Action) place {
	switch a.Verb {
	case "":
		return place{site: everyStep, reads: true}
	case "list", "deliver":
		return place{site: a.Verb + " " + a.Arg(1), reads: true}
	case "start":
		return place{site: "start of a pass", root: a.Arg(1), reads: true}
	case "call":
	default:
		return place{site: "collector", reads: true}
	}
	out := place{site: "call", root: a.Arg(1)}
	for _, p := range w.InFlight() {
		if p.Process != a.Arg(0) || p.Key != a.Arg(1) || len(p.Calls) == 0 {
			continue
		}
		c := p.Calls[len(p.Calls)-1]
		out.site, out.reads = judge.Site(c), !api.Verb(c.Verb).Writes()
		out.kind, _, _ = strings.Cut(c.Ref, "/")
		for _, b := range slices.Backward(p.Calls[:len(p.Calls)-1]) {
			if b.Effective() {
				out.wrote = judge.Site(b)
				break
			}
		}
	}
	return out
}

// lay makes the plan: the faults of each spot, in order. A run that does not come
// to rest even without faults is reason enough to stop there.
func (x *Explorer) lay() {
	if x.restless {
		return
	}
	for i, p := range x.spots {
		for _, f := range x.faults(p.state.world, p.action) {
			x.plan = append(x.plan, entry{i, move{kind: f.Arg(0), steps: []sim.Action{f}, acts: x.acts(p.state.world, f)}})
		}
		for _, m := range x.schedules(i) {
			x.plan = append(x.plan, entry{i, m})
		}
	}
}

// faults lists those that hit the action that is next.
func (x *Explorer) faults(w *sim.World, next sim.Action) []sim.Action {
	var out []sim.Action
	for _, f := range w.Faults() {
		if slices.Contains(x.options.Faults, f.Arg(0)) && hits(f, next) {
			out = append(out, f)
		}
	}
	return out
}

// hits reports whether a fault is about the action that is next.
func hits(f, next sim.Action) bool {
	if f.Arg(1) != next.Arg(0) {
		return false
	}
	switch kind := f.Arg(0); next.Verb {
	case "call":
		return len(f.Args) == 3 && f.Arg(2) == next.Arg(1) && kind != "stale" && kind != "relist" && kind != "duplicate"
	case "list":
		return len(f.Args) == 4 && f.Arg(3) == next.Arg(1)
	case "deliver":
		return kind == "stale" || (kind == "relist" || kind == "duplicate") && f.Arg(2) == next.Arg(1)
	}
	return false
}
