package engine

import (
	"fmt"
	"slices"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// FoundView is something that is wrong with the run, and the step after which it
// showed.
type FoundView struct {
	Finding  string `json:"finding"`
	Object   string `json:"object"`
	Call     string `json:"call,omitempty"`
	Sentence string `json:"sentence"`
	Step     int    `json:"step"`
}

// follower keeps a monitor at the tip of the timeline.
type follower struct {
	monitor *judge.Monitor
	// seen is how many steps the monitor knows, cuts how many tails it knows to
	// have been left.
	seen, cuts int
	// points are monitors of earlier steps, to go back to, spacing steps apart.
	points  []followed
	spacing int
	// rest are the findings of the last time that the world was at rest, after
	// step restAt. They hold until a step changes something.
	rest   []judge.Finding
	restAt int
}

type followed struct {
	n       int
	monitor *judge.Monitor
}

// followEvery is how many steps lie between two monitors to go back to at first.
// Whenever there are more than maxFollowed every second one is dropped and the
// spacing doubles: a monitor knows everything that was ever made.
const (
	followEvery = 64
	maxFollowed = 32
)

// newFollower returns one that has seen nothing yet of a scenario's timeline.
func newFollower(s *scenario.Scenario, line *timeline.Timeline) follower {
	w := line.At(0)
	f := follower{monitor: judge.NewMonitor(w, checksOf(s)), cuts: len(line.Cuts()), spacing: followEvery}
	f.points = []followed{{0, f.monitor.Clone()}}
	w.Release()
	return f
}

// play makes choices on a timeline that is at its beginning, and follows them:
// a long run is not played once for its cluster and once for its findings. Its
// error is a *timeline.ReplayError.
func play(s *scenario.Scenario, line *timeline.Timeline, choices []string) (follower, error) {
	f := newFollower(s, line)
	for i, c := range choices {
		ev, err := line.Choose(c)
		if err != nil {
			return f, &timeline.ReplayError{Step: i + 1, Choice: c, Err: err}
		}
		f.see(line.Tip(), ev)
	}
	return f, nil
}

// follow brings the monitor to the tip.
func (e *Engine) follow() {
	f, events := &e.watch, e.line.Events()
	if cuts := e.line.Cuts(); f.monitor != nil && len(cuts) > f.cuts {
		least := slices.Min(cuts[f.cuts:])
		f.cuts = len(cuts)
		if least < f.restAt {
			f.rest = nil // of the tail that was left
		}
		if least < f.seen {
			f.points = slices.DeleteFunc(f.points, func(p followed) bool { return p.n > least })
			p := f.points[len(f.points)-1]
			f.monitor, f.seen = p.monitor.Clone(), p.n
		}
	}
	if f.monitor == nil || f.seen > len(events) {
		*f = newFollower(e.scenario, e.line)
	}
	if f.rest != nil && slices.ContainsFunc(events[f.restAt:], changes) {
		f.rest = nil
	}
	if f.seen == len(events)-1 {
		f.see(e.line.Tip(), events[f.seen])
		return
	}
	if f.seen == len(events) {
		return
	}
	w := e.line.At(f.seen)
	for _, c := range e.line.Choices()[f.seen:] {
		ev, err := w.Choose(c)
		if err != nil {
			panic("engine: step " + c + " does not repeat: " + err.Error()) // it was taken once
		}
		f.see(w, ev)
	}
	w.Release()
}

// changes reports whether a step changed anything that a judgement goes by: a line
// of the terminal that only reads, what was refused and time alone do not.
func changes(ev sim.Event) bool {
	return slices.ContainsFunc(ev.Facts, func(f sim.Fact) bool {
		return f.Kind != sim.FactCall && f.Kind != sim.FactOutput && f.Kind != sim.FactRefused
	})
}

func (f *follower) see(w *sim.World, ev sim.Event) {
	f.monitor.See(w, ev)
	f.seen++
	if f.seen-f.points[len(f.points)-1].n < f.spacing {
		return
	}
	f.points = append(f.points, followed{f.seen, f.monitor.Clone()})
	if len(f.points) <= maxFollowed {
		return
	}
	var kept []followed
	for i, p := range f.points {
		if i%2 == 0 {
			kept = append(kept, p)
		}
	}
	f.points, f.spacing = kept, 2*f.spacing
}

// atRest judges the world where a run came to rest, or did not.
func (e *Engine) atRest(rest sim.Rest) {
	e.follow()
	e.restIs(e.watch.monitor.AtRest(e.line.Tip(), rest))
}

// inLoop judges the world where a run was ended that goes round.
func (e *Engine) inLoop(turns []turn, rounds int) {
	e.follow()
	w := e.line.Tip()
	all := slices.DeleteFunc(e.watch.monitor.AtRest(w, sim.Spinning), func(f judge.Finding) bool { return f.Finding == judge.HotLoop })
	name := objectOf(w)
	e.restIs(append(all, judge.Finding{
		Finding: judge.HotLoop, Object: name, Root: name, Step: w.StepNumber(), Count: 1,
		Sentence: fmt.Sprintf("passes wake each other without end, %d rounds by now: %s", rounds, loopText(turns)),
	}))
}

// restIs takes the findings of the world at the tip; none are findings too.
func (e *Engine) restIs(all []judge.Finding) {
	e.watch.rest, e.watch.restAt = append([]judge.Finding{}, judge.Placed(all)...), e.line.Len()
}

// judged reports whether the world at the tip was judged where a run ended.
func (e *Engine) judged() bool {
	e.follow()
	return e.watch.rest != nil
}

// objectOf names the object that the newest pass was about.
func objectOf(w *sim.World) string {
	ended := w.Passes()
	last := ended[len(ended)-1]
	for _, p := range w.ProcessesHead(0) {
		if last.Process == p.Name {
			k := object.ParseKey(last.Key)
			return w.Name(object.Ref{Group: p.Watched.Group, Kind: p.Kind, Namespace: k.Namespace, Name: k.Name})
		}
	}
	return last.Key
}

// found are the findings of the run, those of its end among them.
func (e *Engine) found() []FoundView {
	e.follow()
	out := []FoundView{}
	for _, f := range judge.Suppress(slices.Concat(e.watch.monitor.Findings(), e.watch.rest)) {
		if len(out) == MaxListed {
			break
		}
		if !e.scenario.Judges(f.Finding) {
			continue
		}
		out = append(out, FoundView{Finding: f.Finding, Object: f.Object, Call: f.Call, Sentence: f.Sentence, Step: f.Step})
	}
	return out
}
