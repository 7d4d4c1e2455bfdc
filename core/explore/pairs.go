package explore

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// second is a run with a second fault, some steps after the first one.
type second struct {
	gap   int
	fault sim.Action
	cause string
	run   Outcome
}

// later is second where the walk has come on by some more steps.
func (r second) later(steps, gap int) second {
	r.gap += gap
	r.run.Steps += gap
	r.run.Found = slices.Clone(r.run.Found)
	for i := range r.run.Found {
		r.run.Found[i].Step += steps
	}
	return r
}

// walk is what comes of a walk from a world between two passes on; step and gap
// are the numbers of that world's step in the run and in the walk.
type walk struct {
	runs      []second
	step, gap int
}

// met is such a world, and how many runs had been made before.
type met struct {
	key             key
	step, gap, runs int
}

// pairs makes the runs with a second fault: along the run with the first one, up
// to the end of the next passes of the key that it hit, or the next rest.
func (x *Explorer) pairs(index int, s *state, causes []string) (int, error) {
	defer s.world.Release()
	e := x.plan[index]
	all, err := x.seconds(index, s, e)
	if err != nil {
		return 0, err
	}
	made := 0
	p := &x.spots[e.spot]
	for i, r := range all {
		if r.cause == "" {
			continue // not of the sample
		}
		run := r.run
		run.Gap, run.Causes = r.gap, append(slices.Clone(causes), r.cause)
		x.keep(index, i+1, p, []Move{moved(e.move.steps[0]), moved(r.fault)}, run)
		made++
	}
	return made, nil
}

// seconds makes them. Where the walk comes to a world like one that another walk
// came by, what came of that one is what comes of it.
func (x *Explorer) seconds(index int, s *state, e entry) ([]second, error) {
	p := &x.spots[e.spot]
	var all []second
	var by []met
	ended, began := 0, s.steps
	for {
		a, rest := s.world.NextInRun()
		if rest != sim.Going || s.spent(began, a) != sim.Going || ended >= x.options.Near {
			break
		}
		if k, ok := x.walking(s, p, e.move.acts, ended, a); ok {
			if known, ok := x.walks[k]; ok {
				for _, r := range known.runs {
					all = append(all, r.later(s.world.StepNumber()-known.step, s.steps-began-known.gap))
				}
				break
			}
			by = append(by, met{k, s.world.StepNumber(), s.steps - began, len(all)})
		}
		for _, f := range x.faults(s.world, a) {
			r := second{gap: s.steps - began, fault: f}
			if x.drawn(index, len(all)+1) {
				if err := x.hit(s, p, e.move.acts, a, &r); err != nil {
					return nil, err
				}
			}
			all = append(all, r)
		}
		ev, err := s.step(a)
		if err != nil {
			return nil, fmt.Errorf("explore: %s: %w", a, err)
		}
		for _, f := range ev.Facts {
			if f.Kind == sim.FactEnded && (p.root == "" || f.Key == p.root) {
				ended++
			}
		}
	}
	for _, c := range by {
		x.walks[c.key] = walk{all[c.runs:], c.step, c.gap}
	}
	return all, nil
}

// hit makes the run in which a fault hits the action that is next.
func (x *Explorer) hit(s *state, p *spot, acts []sim.Action, next sim.Action, r *second) error {
	c := s.clone()
	defer c.world.Release()
	ev, err := c.step(r.fault)
	if err != nil {
		return fmt.Errorf("explore: %s: %w", r.fault, err)
	}
	r.cause = placeOf(s.world, next).cause(r.fault, ev)
	r.run, err = x.finish(c, p.phase, append(slices.Clone(acts), x.acts(s.world, r.fault)...))
	return err
}

// walking is what a walk goes by at a world; false where that cannot be told, or
// where not all runs are made.
func (x *Explorer) walking(s *state, p *spot, acts []sim.Action, ended int, next sim.Action) (key, bool) {
	if x.options.Sample > 1 {
		return "", false
	}
	k, ok := x.under(s, p.phase, next)
	return key(fmt.Sprint(string(k), ended, p.root, acts)), ok
}

// drawn reports whether a pair is one of the sample.
func (x *Explorer) drawn(index, pair int) bool {
	n := x.options.Seed ^ uint64(index)<<20 ^ uint64(pair)
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return (n^n>>31)%uint64(x.options.Sample) == 0
}
