package explore

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Replay plays a run that somebody chose and holds it against the one in which the
// user did the same and nothing else was done: it finds what only shows beside
// that, such as an end that is another one. What a user did while the world was
// not at rest counts as done right after what the user had done before, as for a
// fault. stopped are the objects that are left to a person since. A run in which
// such things were done at more than one place of the life is held against
// nothing.
func Replay(s Subject, choices []string) (found, stopped []judge.Finding, err error) {
	c, err := take(s, choices)
	if err != nil || !c.moved || c.apart {
		return nil, nil, err
	}
	s.Life = c.life
	x, err := New(s, Options{})
	if err != nil {
		return nil, nil, err
	}
	x.plain = true
	if err := x.baseline(); err != nil || x.restless {
		return nil, nil, err
	}
	w := s.World()
	defer w.Release()
	r := &state{world: w, monitor: judge.NewMonitor(w, x.checks), all: &x.steps}
	for i, choice := range choices[:c.last+1] {
		if slices.Contains(c.begins, i) {
			r.monitor.Rest()
		}
		if err := r.make(choice); err != nil {
			return nil, nil, err
		}
	}
	run, err := x.finish(r, c.phase, c.acts)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range run.Found {
		found = append(found, f.finding())
	}
	if run.Stopped != "" {
		stopped = append(stopped, run.waiting().finding())
	}
	return found, stopped, nil
}

// chosen is a list of choices, taken apart.
type chosen struct {
	// life is what the user did while the world was at rest, and begins the choices
	// with which each part of it begins.
	life   [][]string
	begins []int
	// moved: something was done otherwise than it would have happened by itself, in
	// one phase of the life or apart in several; last is the last such choice. acts
	// are those of the user's among them.
	moved, apart bool
	phase, last  int
	acts         []sim.Action
}

// take takes choices apart.
func take(s Subject, choices []string) (chosen, error) {
	var c chosen
	var x *Explorer
	w := s.World()
	defer w.Release()
	together := false
	for i, choice := range choices {
		a, err := sim.ParseAction(choice)
		if err != nil {
			return c, err
		}
		next, rest := w.NextInRun()
		byHand := byUser(a.Verb) || a.Verb == "deploy"
		switch {
		case byHand && together:
			c.life[len(c.life)-1] = append(c.life[len(c.life)-1], choice)
		case byHand && rest == sim.Quiet:
			together = true
			c.life, c.begins = append(c.life, []string{choice}), append(c.begins, i)
		case rest == sim.Going && a.Equal(next), rest == sim.Quiet && (a.Verb == "advance" || a.Verb == "resync"):
			together = false
		default:
			together = false
			c.apart = c.apart || c.moved && c.phase != len(c.life)
			c.moved, c.phase, c.last = true, len(c.life), i
			if byHand {
				c.acts = append(c.acts, a)
			} else if a.Verb == "fault" {
				c.acts = append(c.acts, x.acts(w, a)...)
			}
		}
		if _, err := w.Step(a); err != nil {
			return c, fmt.Errorf("explore: %s: %w", a, err)
		}
	}
	return c, nil
}

// make makes a choice.
func (s *state) make(choice string) error {
	a, err := sim.ParseAction(choice)
	if err != nil {
		return err
	}
	return s.take(a)
}
