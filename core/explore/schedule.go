package explore

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// The kinds of other orders than the baseline's.
const (
	// Order makes something else happen first: an event arrives in mid-pass, a pass
	// begins before an event arrives, another key is worked on first; or, for the
	// whole of what comes of one act of the user's, the newest before the oldest,
	// and deliveries before everything else.
	Order = "order"
	// TwoWorkers makes a whole pass of another key between two calls of a pass; or,
	// for the whole of what comes of one act, two passes a call at a time in turn.
	TwoWorkers = "workers"
	// Resync has the controller told of every object again.
	Resync = "resync"
)

// ScheduleKinds are the kinds of schedules. With the faults edit, delete and
// recreate, which hit every call and the start of every pass, and stale, which
// holds the cache for one to three deliveries, they are what can go another way
// without anything going wrong.
var ScheduleKinds = []string{Order, TwoWorkers, Resync}

// Move is what a run does otherwise than the baseline at one place.
type Move struct {
	// Kind is a fault's or a schedule's, Steps are the choices.
	Kind  string   `json:"kind"`
	Steps []string `json:"steps"`
}

// moved is a fault as a move.
func moved(fault sim.Action) Move { return Move{fault.Arg(0), []string{fault.String()}} }

// move is a move of the plan.
type move struct {
	kind string
	// steps are made first; whole names how it goes on from there, if not as the
	// baseline does.
	steps []sim.Action
	whole string
	// acts are what the user does in it.
	acts []sim.Action
}

// scheduled reports whether a move is no fault: all that happens in it can happen
// anyway.
func (m move) scheduled() bool {
	return m.whole != "" || len(m.steps) == 0 || m.steps[0].Verb != "fault"
}

// everyStep is the place of what goes another way for the whole of a phase.
const everyStep = "every step"

// How a schedule goes on after its first steps.
const (
	between    = "between"
	newest     = "newest"
	deliveries = "deliveries"
	inTurn     = "in turn"
)

// schedules lists what could happen otherwise at a spot.
func (x *Explorer) schedules(i int) []move {
	var out []move
	p := &x.spots[i]
	w, next := p.state.world, p.action
	wants := func(kind string) bool { return slices.Contains(x.options.Schedules, kind) }
	if next.Verb == "start" {
		for _, kind := range []string{"edit", "delete", "recreate"} {
			if acts := x.acts(w, sim.Act("fault", kind, next.Arg(0), next.Arg(1))); slices.Contains(x.options.Faults, kind) && possible(w, acts) {
				out = append(out, move{kind: kind, steps: acts, acts: acts})
			}
		}
	}
	if next.Verb == "" && wants(Order) {
		out = append(out, move{kind: Order, whole: newest}, move{kind: Order, whole: deliveries})
	}
	if next.Verb == "" && wants(TwoWorkers) {
		out = append(out, move{kind: TwoWorkers, whole: inTurn})
	}
	if next.Verb != "" && wants(Order) {
		for _, a := range natural(w) {
			if !a.Equal(next) && (x.options.Unpruned || !x.commutes(i, a)) {
				out = append(out, move{kind: Order, steps: []sim.Action{a}})
			}
		}
	}
	if next.Verb == "call" && wants(TwoWorkers) && others(w, next) {
		out = append(out, move{kind: TwoWorkers, steps: []sim.Action{sim.Act("call", next.Args...)}, whole: between})
	}
	if (next.Verb == "deliver" || next.Verb == "call" && calls(w, next) == 1) && wants(Resync) {
		out = append(out, move{kind: Resync, steps: []sim.Action{sim.Act("resync", next.Arg(0))}})
	}
	return out
}

// possible reports whether the user can do something now.
func possible(w *sim.World, acts []sim.Action) bool {
	c := w.Clone()
	defer c.Release()
	for _, a := range acts {
		if _, err := c.Step(a); err != nil {
			return false
		}
	}
	return len(acts) > 0
}

// natural lists what waits for nothing but a step.
func natural(w *sim.World) []sim.Action {
	return slices.DeleteFunc(w.Enabled(), func(a sim.Action) bool {
		return a.Verb == "tick" || a.Verb == "crash" || a.Verb == "restart"
	})
}

// commutes reports whether it comes to the same when something happens here and
// when it happened one step earlier, which is another run of the plan: an event
// that could be delivered before the call before this one of the same pass. The
// call of a process that reads live touches the server and the cloud, and puts
// what it changed behind what is on the wires; the delivery touches the cache and
// the queue.
func (x *Explorer) commutes(i int, a sim.Action) bool {
	p := &x.spots[i]
	if i == 0 || a.Verb != "deliver" || p.action.Verb != "call" {
		return false
	}
	before := &x.spots[i-1]
	if before.made != p.made-1 || !before.action.Equal(p.action) || before.root != p.root || calls(p.state.world, p.action) < 2 {
		return false
	}
	for _, l := range p.state.world.ProcessesHead(0) {
		if !l.LiveReads {
			return false
		}
	}
	return slices.ContainsFunc(natural(before.state.world), a.Equal)
}

// calls counts the calls that the pass which is next has made, the one that waits
// among them.
func calls(w *sim.World, next sim.Action) int {
	for _, p := range w.InFlight() {
		if p.Process == next.Arg(0) && p.Key == next.Arg(1) {
			return len(p.Calls)
		}
	}
	return 0
}

// others reports whether the process of a call watches more than one object.
func others(w *sim.World, call sim.Action) bool {
	for _, l := range w.ProcessesHead(0) {
		if l.Name != call.Arg(0) {
			continue
		}
		n := 0
		for o := range w.Server().All() {
			if o.GVR.Group == l.Watched.Group && o.GVR.Resource == l.Watched.Resource {
				if n++; n > 1 {
					return true
				}
			}
		}
	}
	return false
}

// schedule makes a move that is no fault and returns the choices that it took.
func (x *Explorer) schedule(s *state, m move) (Move, error) {
	var made []string
	kept := s.choices
	s.choices = &made
	defer func() { s.choices = kept }()
	var err error
	switch m.whole {
	case between:
		err = s.between(m.steps[0])
	case inTurn:
		err = s.inTurn()
	case "":
		for _, a := range m.steps {
			if err = s.take(a); err != nil {
				break
			}
		}
	default:
		err = s.prefer(m.whole)
	}
	return Move{m.kind, made}, err
}

// between has one more worker make a pass of another key before the call that is
// next: one that is ready, or where there is none, one that a resync makes so.
func (s *state) between(call sim.Action) error {
	process, key := call.Arg(0), call.Arg(1)
	n := s.workers(process)
	if err := s.take(sim.Act("workers", process, strconv.Itoa(n+1))); err != nil {
		return err
	}
	other, ok := s.ready(process, key)
	if !ok {
		if err := s.take(sim.Act("resync", process)); err != nil {
			return err
		}
		other, ok = s.ready(process, key)
	}
	if ok {
		if err := s.take(other); err != nil {
			return err
		}
		its := sim.Act("call", other.Args...)
		for range maxSteps {
			if !slices.ContainsFunc(natural(s.world), its.Equal) {
				break
			}
			if err := s.take(its); err != nil {
				return err
			}
		}
	}
	return s.take(sim.Act("workers", process, strconv.Itoa(n)))
}

func (s *state) take(a sim.Action) error {
	if _, err := s.step(a); err != nil {
		return fmt.Errorf("explore: %s: %w", a, err)
	}
	return nil
}

// workers is how many keys a process works on at a time.
func (s *state) workers(process string) int {
	for _, l := range s.world.ProcessesHead(0) {
		if l.Name == process {
			return l.Workers
		}
	}
	return 1
}

// ready finds a start of another key of a process.
func (s *state) ready(process, but string) (sim.Action, bool) {
	for _, a := range natural(s.world) {
		if a.Verb == "start" && a.Arg(0) == process && a.Arg(1) != but {
			return a, true
		}
	}
	return sim.Action{}, false
}

// prefer runs to the next rest by another rule: the newest of what can happen
// first, or deliveries before everything else.
func (s *state) prefer(rule string) error {
	return s.choose(func(all []sim.Action, _ sim.Action) sim.Action {
		if rule == newest {
			return all[len(all)-1]
		}
		if i := slices.IndexFunc(all, func(a sim.Action) bool { return a.Verb == "deliver" }); i >= 0 {
			return all[i]
		}
		return all[0]
	})
}

// inTurn runs to the next rest with one more worker of each process, as soon as a
// key is ready for it, and has the passes in hand make their calls in turn.
func (s *state) inTurn() error {
	before := map[string]int{}
	for _, l := range s.world.ProcessesHead(0) {
		before[l.Name] = l.Workers
		if err := s.take(sim.Act("workers", l.Name, strconv.Itoa(l.Workers+1))); err != nil {
			return err
		}
	}
	err := s.choose(func(all []sim.Action, last sim.Action) sim.Action {
		for _, verb := range []string{"list", "deliver", "start"} {
			if i := slices.IndexFunc(all, func(a sim.Action) bool { return a.Verb == verb }); i >= 0 {
				return all[i]
			}
		}
		var waiting []sim.Action
		for _, a := range all {
			if a.Verb == "call" {
				waiting = append(waiting, a)
			}
		}
		if len(waiting) == 0 {
			return all[0]
		}
		return waiting[(slices.IndexFunc(waiting, last.Equal)+1)%len(waiting)]
	})
	if err != nil {
		return err
	}
	for _, l := range s.world.ProcessesHead(0) {
		if err := s.take(sim.Act("workers", l.Name, strconv.Itoa(before[l.Name]))); err != nil {
			return err
		}
	}
	return nil
}

// choose runs to the next rest and has somebody pick of what waits for nothing
// but a step; last is the call that was made last.
func (s *state) choose(pick func(all []sim.Action, last sim.Action) sim.Action) error {
	began := s.steps
	var last sim.Action
	for {
		a, rest := s.world.NextInRun()
		if rest != sim.Going || s.spent(began, a) != sim.Going {
			return nil
		}
		if all := natural(s.world); a.Verb != "tick" && a.Verb != "restart" && len(all) > 0 {
			a = pick(all, last)
		}
		if a.Verb == "call" {
			last = a
		}
		if err := s.take(a); err != nil {
			return err
		}
	}
}
