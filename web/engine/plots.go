package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// Plots are figures over virtual time, up to the step in view.
type Plots struct {
	// T are times in seconds since the start; the others have one value for each.
	T []float64 `json:"t"`
	// Depth is how many keys are ready, Waiting how many wait for their time.
	Depth   []int `json:"depth"`
	Waiting []int `json:"waiting"`
	// Effective and NoOp count the writes of passes so far: those that changed
	// something, and those that did not.
	Effective []int `json:"effective"`
	NoOp      []int `json:"noOp"`
	// Keys are the keys with the most passes, Passes how many each had so far.
	Keys   []string `json:"keys"`
	Passes [][]int  `json:"passes"`
	// Backoff are the delays after errors.
	Backoff []BackoffPoint `json:"backoff"`
	// Totals has the passes of every key.
	Totals []KeyTotal `json:"totals"`
}

// BackoffPoint is one delay after an error, in seconds.
type BackoffPoint struct {
	T     float64 `json:"t"`
	Key   string  `json:"key"`
	Delay float64 `json:"delay"`
}

// KeyTotal is how many passes a key had.
type KeyTotal struct {
	Key    string `json:"key"`
	Passes int    `json:"passes"`
}

// How many points a plot has at most, and how many keys it tells apart.
const (
	maxPoints   = 2000
	plottedKeys = 6
)

// tally follows the queue and the writes by the facts alone.
type tally struct {
	ready, waiting  map[string]bool
	effective, noOp int
	passes          map[string]int
	// several says that the keys are of several processes.
	several bool
	backoff []BackoffPoint
}

func (e *Engine) newTally() *tally {
	return &tally{ready: map[string]bool{}, waiting: map[string]bool{}, passes: map[string]int{}, several: len(e.line.World().ProcessesHead(0)) > 1}
}

func (t *tally) take(ev sim.Event) {
	for _, f := range ev.Facts {
		id := f.Process + " " + f.Key
		switch f.Kind {
		case sim.FactQueued:
			if f.Delay > 0 {
				t.waiting[id] = true
			} else {
				t.ready[id] = true
				delete(t.waiting, id)
			}
		case sim.FactDue:
			t.ready[id] = true
			delete(t.waiting, id)
		case sim.FactStarted:
			delete(t.ready, id)
			if t.several {
				f.Key += " by " + f.Process
			}
			t.passes[f.Key]++
		case sim.FactProcess:
			if f.Verb == "crashed" {
				own := func(id string, _ bool) bool { return strings.HasPrefix(id, f.Process+" ") }
				maps.DeleteFunc(t.ready, own)
				maps.DeleteFunc(t.waiting, own)
			}
		case sim.FactCall:
			if f.Pass != 0 {
				t.wrote(f.Outcome)
			}
		case sim.FactEnded:
			if f.Delay > 0 {
				t.waiting[id] = true
			}
			if f.Outcome == "backoff" {
				t.backoff = append(t.backoff, BackoffPoint{ev.At.Seconds(), f.Key, f.Delay.Seconds()})
			}
		}
	}
}

func (t *tally) wrote(o sim.Outcome) {
	switch o {
	case sim.Created, sim.Updated, sim.Deleted, sim.LostReply, sim.LandedThenDied:
		t.effective++
	case sim.Unchanged:
		t.noOp++
	}
}

// plots returns the figures up to the step in view.
func (e *Engine) plots() Plots {
	events := e.line.Events()[:e.line.View()]
	all := e.newTally()
	for _, ev := range events {
		all.take(ev)
	}
	p := Plots{T: []float64{}, Depth: []int{}, Waiting: []int{}, Effective: []int{}, NoOp: []int{}, Keys: []string{}, Passes: [][]int{}, Backoff: all.backoff, Totals: []KeyTotal{}}
	if p.Backoff == nil {
		p.Backoff = []BackoffPoint{}
	}
	for _, key := range slices.Sorted(maps.Keys(all.passes)) {
		p.Totals = append(p.Totals, KeyTotal{key, all.passes[key]})
	}
	slices.SortStableFunc(p.Totals, func(a, b KeyTotal) int { return b.Passes - a.Passes })
	for _, total := range p.Totals[:min(len(p.Totals), plottedKeys)] {
		p.Keys, p.Passes = append(p.Keys, total.Key), append(p.Passes, []int{})
	}
	every := len(events)/maxPoints + 1
	t := e.newTally()
	for i, ev := range events {
		t.take(ev)
		if i%every == 0 || i == len(events)-1 {
			p.add(ev, t)
		}
	}
	return p
}

// add adds one point. Of one moment the last one counts, and of the queue's depth
// the highest.
func (p *Plots) add(ev sim.Event, t *tally) {
	if at := ev.At.Seconds(); len(p.T) == 0 || p.T[len(p.T)-1] != at {
		p.T = append(p.T, at)
		p.Depth, p.Waiting = append(p.Depth, 0), append(p.Waiting, 0)
		p.Effective, p.NoOp = append(p.Effective, 0), append(p.NoOp, 0)
		for i := range p.Passes {
			p.Passes[i] = append(p.Passes[i], 0)
		}
	}
	n := len(p.T) - 1
	p.Depth[n], p.Waiting[n] = max(p.Depth[n], len(t.ready)), len(t.waiting)
	p.Effective[n], p.NoOp[n] = t.effective, t.noOp
	for i, key := range p.Keys {
		p.Passes[i][n] = t.passes[key]
	}
}
