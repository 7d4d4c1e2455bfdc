package explore

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// tail is how a run goes on from a world between two passes to its next rest, and
// what comes of it. One stands for all runs that come to a world like that.
type tail struct {
	node *node
	// way is what was wrong until the rest, by the steps since; peaks are those of
	// the whole stretch.
	way   []judge.Finding
	peaks map[string]int
	steps int
}

// since is the arrival of a run whose world is at the beginning of the tail.
func (t *tail) since(s *state) arrival {
	out := arrival{peaks: t.peaks, step: s.world.StepNumber() + t.steps, made: s.steps + t.steps}
	for _, f := range t.way {
		f.Step += s.world.StepNumber()
		out.way = append(out.way, f)
	}
	return out
}

// passed is a world that a run came by, and the number of its step.
type passed struct {
	key  key
	step int
}

// under is what a world between two passes of one phase goes by; false where one
// is in hand, or where that cannot be told.
func (x *Explorer) under(s *state, phase int, next sim.Action) (key, bool) {
	if x.options.Unpruned || next.Verb != "start" && next.Verb != "list" || !s.world.BetweenPasses() {
		return "", false
	}
	text, changes, ok := s.monitor.Under(s.world)
	if !ok {
		return "", false
	}
	sum, ok := x.hasher.Hash(s.world, changes...)
	if !ok {
		return "", false
	}
	all := digest.SHA256(fmt.Appendf(nil, "%d %x\n%s", phase, sum, text))
	return key(all[:16]), true
}

// remember has the worlds that a run came by stand for those like them.
func (x *Explorer) remember(by []passed, came arrival, n *node) {
	for _, p := range by {
		t := &tail{node: n, peaks: came.peaks, steps: came.step - p.step}
		for _, f := range came.way {
			f.Step -= p.step
			t.way = append(t.way, f)
		}
		x.tails[p.key] = t
	}
}

// arrive runs to the next rest of a phase and plays the rest of the life from
// there, or ends where that was seen before.
func (x *Explorer) arrive(s *state, phase int) (arrival, *node, error) {
	var by []passed
	began := s.steps
	for {
		a, rest := s.world.NextInRun()
		if rest == sim.Going {
			rest = s.spent(began, a)
		}
		if rest != sim.Going {
			way, peaks := s.monitor.Rest()
			came := arrival{way, peaks, s.world.StepNumber(), s.steps}
			n, err := x.settle(s, phase, rest)
			if err == nil && rest == sim.Quiet {
				x.remember(by, came, n)
			}
			return came, n, err
		}
		if k, ok := x.under(s, phase, a); ok {
			if t := x.tails[k]; t != nil {
				came := t.since(s)
				x.remember(by, came, t.node)
				return came, t.node, nil
			}
			by = append(by, passed{k, s.world.StepNumber()})
		}
		if err := s.take(a); err != nil {
			return arrival{}, nil, err
		}
	}
}
