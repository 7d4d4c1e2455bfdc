package engine

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// Cause is one step on the way back from a key in the queue to what put it
// there: the step, whose event says what it did. The first is the nearest.
type Cause struct {
	Event int `json:"event"`
	// Key is the key of the pass that made the step or ended with it, and the process
	// where there are several; empty where none did.
	Key string `json:"key,omitempty"`
}

// maxCauses bounds how far back causes are told.
const maxCauses = 4

// causes goes back from a cause of a key's being queued: to the write, to what
// had queued the pass that made it, and so on.
func (e *Engine) causes(w *sim.World, event int) []Cause {
	var out []Cause
	for event > 0 && event <= e.line.Len() && len(out) < maxCauses {
		ev := e.line.Events()[event-1]
		c := Cause{Event: event}
		p := passOf(w, ev, sim.FactCall, sim.FactEnded)
		if p != nil {
			c.Key = of(w, p, " by ")
		}
		out = append(out, c)
		if p == nil || len(p.Why) == 0 || p.Why[len(p.Why)-1].Event >= event {
			break
		}
		event = p.Why[len(p.Why)-1].Event
	}
	return out
}

// of names the key of a pass, and its process where there are several.
func of(w *sim.World, p *sim.Pass, process string) string {
	if len(w.ProcessesHead(0)) < 2 {
		return p.Key
	}
	return p.Key + process + p.Process
}

// passOf is the pass that a fact of one of these kinds tells of, such as that whose
// call an event served; nil where none.
func passOf(w *sim.World, ev sim.Event, kinds ...sim.FactKind) *sim.Pass {
	for _, f := range ev.Facts {
		if !slices.Contains(kinds, f.Kind) || f.Pass == 0 {
			continue
		}
		if ended := w.Passes(); f.Pass <= len(ended) && ended[f.Pass-1].ID == f.Pass {
			return ended[f.Pass-1]
		}
		return passByID(w, f.Pass)
	}
	return nil
}

func passByID(w *sim.World, id int) *sim.Pass {
	for _, p := range w.InFlight() {
		if p.ID == id {
			return p
		}
	}
	ended := w.Passes()
	for i := len(ended) - 1; i >= 0; i-- {
		if ended[i].ID == id {
			return ended[i]
		}
	}
	return nil
}

// turn is one link of a chain of causes: a pass wrote, and that woke a key.
type turn struct{ pass, write, woke string }

// How many rounds of the same causes are a loop, and how many end a run; a round
// has at most maxPeriod turns.
const (
	loopRounds = 5
	stopRounds = 20
	maxPeriod  = 4
)

// loop finds a loop in the causes of the newest pass, as far back as step since:
// the turns of one round, and how many rounds there were; nil where passes do
// not wake each other by the same writes again and again. Which process a pass is
// of is told, and makes no loop shorter: over says that there were enough rounds
// of the keys alone.
func (e *Engine) loop(w *sim.World, since int) (round []turn, rounds int, over bool) {
	var chain, keys []turn
	ended := w.Passes()
	if len(ended) == 0 {
		return nil, 0, false
	}
	for p := ended[len(ended)-1]; p != nil && len(p.Why) > 0 && len(chain) < maxPeriod*(stopRounds+1); {
		event := p.Why[len(p.Why)-1].Event
		if event <= since || event >= p.StartEvent || event > e.line.Len() {
			break
		}
		ev := e.line.Events()[event-1]
		by := passOf(w, ev, sim.FactCall)
		if by == nil {
			break
		}
		keys = append(keys, turn{by.Key, writeOf(ev), p.Key})
		chain = append(chain, turn{of(w, by, " by "), writeOf(ev), of(w, p, " for ")})
		p = by
	}
	round, rounds = roundsOf(keys)
	over = rounds >= stopRounds
	if told, n := roundsOf(chain); told != nil {
		round, rounds = told, n
	}
	return round, rounds, over
}

// roundsOf finds the shortest round that a chain begins with again and again.
func roundsOf(chain []turn) ([]turn, int) {
	for period := 1; period <= maxPeriod; period++ {
		n := period
		for n < len(chain) && chain[n] == chain[n-period] {
			n++
		}
		if n/period >= loopRounds {
			return chain[:period], n / period
		}
	}
	return nil, 0
}

// writeOf is the write of an event: its call and object.
func writeOf(ev sim.Event) string {
	for _, f := range ev.Facts {
		if f.Kind == sim.FactCall && f.Pass != 0 {
			verb := f.Verb
			if f.Resource == "status" {
				verb += " status"
			}
			return verb + " " + f.Ref
		}
	}
	return ""
}

// spinning ends a run that goes round: it says which loop it is.
func (e *Engine) spinning(since int) bool {
	turns, rounds, over := e.loop(e.line.Tip(), since)
	if !over {
		return false
	}
	e.notice = &Notice{Code: "loop", N: rounds, Detail: loopText(turns)}
	e.inLoop(turns, rounds)
	return true
}

// loopText names a loop: which write of which pass wakes which key.
func loopText(turns []turn) string {
	var parts []string
	for i := len(turns) - 1; i >= 0; i-- {
		t := turns[i]
		parts = append(parts, "the pass of "+t.pass+" makes "+t.write+", the watch of which queues "+t.woke)
	}
	return strings.Join(parts, "; ")
}
