// Package timeline keeps a run: its choices, its events, and worlds of earlier
// steps to go back to. It is the only place that knows about "earlier": a world
// knows its present alone, and any past one is the start played again, from
// the nearest checkpoint.
package timeline

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// Spacing is how many steps lie between two checkpoints at first. Whenever
// MaxCheckpoints are held every second one is dropped and the spacing doubles,
// so that memory is bounded and seeking costs at most the spacing.
const (
	Spacing        = 32
	MaxCheckpoints = 128
)

// Timeline is one run and the tails that were left. The zero value is of no
// use: call New.
type Timeline struct {
	start    func() *sim.World
	choices  []string
	events   []sim.Event
	points   []point
	spacing  int
	tip      *sim.World
	view     int
	viewed   *sim.World
	branches []Branch
	// cuts are the steps at which tails were left, in the order of time.
	cuts []int
}

type point struct {
	n     int
	world *sim.World
}

// Branch is a run that was left when the user acted in its past. None is kept twice: no branch is the beginning of
// another one, or of the run.
type Branch struct {
	// At is the step that was acted at; Choices are all of the run's, those
	// before At included.
	At      int      `json:"at"`
	Choices []string `json:"choices"`
}

// New returns the timeline of a run without choices. start builds the world of
// step 0, the same one each time.
func New(start func() *sim.World) *Timeline {
	t := &Timeline{start: start, spacing: Spacing}
	t.reset()
	return t
}

func (t *Timeline) reset() {
	t.choices, t.events = nil, nil
	t.tip = t.start()
	t.points = []point{{0, t.tip.Clone()}}
	t.view, t.viewed = 0, nil
}

// Len returns the number of steps.
func (t *Timeline) Len() int { return len(t.choices) }

// View returns the step in view: Len at the tip.
func (t *Timeline) View() int { return t.view }

// AtTip reports whether the newest step is in view.
func (t *Timeline) AtTip() bool { return t.view == len(t.choices) }

// Choices returns the choices so far; not to be changed.
func (t *Timeline) Choices() []string { return slices.Clip(t.choices) }

// Events returns the events so far; not to be changed.
func (t *Timeline) Events() []sim.Event { return slices.Clip(t.events) }

// Branches returns the tails that were left, oldest first; not to be changed.
func (t *Timeline) Branches() []Branch { return slices.Clip(t.branches) }

// Cuts returns the steps at which tails were left, in the order of time: whoever
// has seen k of them knows the steps up to the least of those after the k-th;
// not to be changed.
func (t *Timeline) Cuts() []int { return slices.Clip(t.cuts) }

// Tip returns the world after the last step: to be looked at, not to be
// stepped.
func (t *Timeline) Tip() *sim.World { return t.tip }

// World returns the world in view: to be looked at, not to be stepped.
func (t *Timeline) World() *sim.World {
	if t.AtTip() {
		return t.tip
	}
	if t.viewed == nil {
		t.viewed = t.At(t.view)
	}
	return t.viewed
}

// At returns the world after n steps. It is the caller's: stepping it changes
// nothing else.
func (t *Timeline) At(n int) *sim.World {
	if n == len(t.choices) {
		return t.tip.Clone()
	}
	i, found := slices.BinarySearchFunc(t.points, n, func(p point, n int) int { return p.n - n })
	if !found {
		i--
	}
	w := t.points[i].world.Clone()
	for k := t.points[i].n; k < n; k++ {
		if _, err := w.Choose(t.choices[k]); err != nil {
			// It was taken once, in this very world.
			panic(fmt.Sprintf("timeline: step %d (%s) does not repeat: %v", k+1, t.choices[k], err))
		}
	}
	return w
}

// Seek moves the view to after step n and returns the world there. It panics
// where n is not within 0 and Len.
func (t *Timeline) Seek(n int) *sim.World {
	if n < 0 || n > len(t.choices) {
		panic(fmt.Sprintf("timeline: seek to %d of %d", n, len(t.choices)))
	}
	if n != t.view {
		t.leave()
		t.view = n
	}
	return t.World()
}

// leave drops the world in view, with the coroutines that it holds in mid-pass.
func (t *Timeline) leave() {
	if t.viewed != nil {
		t.viewed.Release()
		t.viewed = nil
	}
}

// Choose makes a choice in the world in view. In the past it starts a branch:
// the old tail is kept and the view is at the new tip. An error means that
// nothing has changed.
func (t *Timeline) Choose(choice string) (sim.Event, error) {
	if !t.AtTip() {
		// A choice that is refused must not cost the user the tail in view.
		try := t.World().Clone()
		_, err := try.Choose(choice)
		try.Release()
		if err != nil {
			return sim.Event{}, err
		}
		t.Fork()
	}
	e, err := t.tip.Choose(choice)
	if err != nil {
		return sim.Event{}, err
	}
	t.choices = append(t.choices, choice)
	t.events = append(t.events, e)
	t.view = len(t.choices)
	if i := slices.IndexFunc(t.branches, func(b Branch) bool { return slices.Equal(b.Choices, t.choices) }); i >= 0 {
		t.branches = slices.Delete(slices.Clone(t.branches), i, i+1)
	}
	if t.view-t.points[len(t.points)-1].n >= t.spacing {
		t.checkpoint()
	}
	return e, nil
}

func (t *Timeline) checkpoint() {
	t.points = append(t.points, point{t.view, t.tip.Clone()})
	if len(t.points) <= MaxCheckpoints {
		return
	}
	kept := t.points[:0]
	for i, p := range t.points {
		if i%2 == 0 {
			kept = append(kept, p)
		}
	}
	clear(t.points[len(kept):])
	t.points = kept
	t.spacing *= 2
}

// Fork makes the step in view the tip; the steps after it become a branch. At
// the tip there is nothing to do.
func (t *Timeline) Fork() {
	if t.AtTip() {
		return
	}
	tip := t.World()
	t.keep(Branch{t.view, t.choices})
	t.cut(t.view, tip)
}

// keep adds a run as the newest branch, in place of those that it begins with or that begin with it; the longest of
// them is what is kept.
func (t *Timeline) keep(b Branch) {
	others := slices.DeleteFunc(slices.Clone(t.branches), func(o Branch) bool {
		if begins(o.Choices, b.Choices) {
			b.Choices = o.Choices
			return true
		}
		return begins(b.Choices, o.Choices)
	})
	t.branches = append(others, b)
}

// Keeps reports whether a branch begins with those choices.
func (t *Timeline) Keeps(choices []string) bool {
	return slices.ContainsFunc(t.branches, func(b Branch) bool { return begins(b.Choices, choices) })
}

// begins reports whether choices begin with those of first.
func begins(choices, first []string) bool {
	return len(choices) >= len(first) && slices.Equal(choices[:len(first)], first)
}

func (t *Timeline) cut(n int, tip *sim.World) {
	t.choices = slices.Clip(t.choices[:n])
	t.events = slices.Clip(t.events[:n])
	t.points = slices.DeleteFunc(t.points, func(p point) bool { return p.n > n })
	t.tip.Release()
	t.cuts = append(t.cuts, n)
	t.tip, t.viewed, t.view = tip, nil, n
}

// Switch makes branch i the current run; the one it replaces becomes a branch.
// It panics where there is no such branch. An error is a *ReplayError: the
// steps before it stand, and the branch is kept.
func (t *Timeline) Switch(i int) error {
	b := t.branches[i]
	t.branches = slices.Delete(slices.Clone(t.branches), i, i+1)
	n := 0
	for n < min(len(t.choices), len(b.Choices)) && t.choices[n] == b.Choices[n] {
		n++
	}
	t.Seek(n)
	t.Fork()
	if err := t.replay(b.Choices, n); err != nil {
		t.branches = append(t.branches, b)
		return err
	}
	return nil
}

// Restore adds branches that were kept elsewhere.
func (t *Timeline) Restore(branches []Branch) {
	for _, b := range branches {
		if !begins(t.choices, b.Choices) {
			t.keep(b)
		}
	}
}

// ReplayError says at which step a list of choices no longer repeats.
type ReplayError struct {
	// Step counts from 1.
	Step   int
	Choice string
	Err    error
}

// Error says step, choice and cause.
func (e *ReplayError) Error() string {
	return fmt.Sprintf("step %d (%s) no longer repeats: %v", e.Step, e.Choice, e.Err)
}

// Unwrap returns the cause.
func (e *ReplayError) Unwrap() error { return e.Err }

// Replay makes all the choices, one after the other. The error is a
// *ReplayError; the steps before it stand.
func (t *Timeline) Replay(choices []string) error { return t.replay(choices, 0) }

func (t *Timeline) replay(choices []string, from int) error {
	for i, c := range choices[from:] {
		if _, err := t.Choose(c); err != nil {
			return &ReplayError{from + i + 1, c, err}
		}
	}
	return nil
}
