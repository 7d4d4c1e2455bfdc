package explore

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// attempts is how many shorter lives are tried for one run.
const attempts = 16

// shortest tells of a group by the shortest run that is found for it: the shortest
// one as it is, or that for which the user has to do least, whichever is shorter
// when all is left out that is not needed.
func (x *Explorer) shortest(g *group) (judge.Finding, error) {
	f, err := x.show(g)
	if err != nil {
		return f, err
	}
	f = x.shorten(g, f)
	if g.near.Index == g.best.Index && g.near.Pair == g.best.Pair {
		return f, nil
	}
	h := *g
	h.best, h.sample = g.near, g.nearest
	other, err := x.show(&h)
	if err != nil {
		return f, err
	}
	if other = x.shorten(&h, other); len(other.Choices) < len(f.Choices) {
		return other, nil
	}
	return f, nil
}

// far is a measure of how much a run takes before it goes wrong: what the user
// does to the object until then, and the steps since the user acted last.
func (x *Explorer) far(run Outcome, f judge.Finding) int {
	phase, name, acts := x.spots[x.plan[run.Index].spot].phase, nameOf(f), 0
	for _, a := range x.flat() {
		if a.phase <= phase && strings.Contains(a.choice, name) {
			acts++
		}
	}
	const actIsWorth = 10
	before := 0
	if phase > 0 {
		before = x.quiets[phase-1].made
	}
	return acts*actIsWorth + run.Steps - before
}

// nameOf is the name of the object that a finding goes back to; empty for none.
func nameOf(f judge.Finding) string {
	root := f.Root
	if root == "" {
		root = f.Object
	}
	return root[strings.LastIndexByte(root, '/')+1:]
}

// shorten looks for a shorter run that shows what a group's run does: one in which
// the user does less, and the same move is made at the same place.
func (x *Explorer) shorten(g *group, f judge.Finding) judge.Finding {
	phase := x.spots[x.plan[g.best.Index].spot].phase
	if phase == 0 {
		return f
	}
	return x.leaveOut(f, phase, nameOf(g.sample), func(kept []bool) (judge.Finding, bool) { return x.attempt(g, kept) })
}

// shortenOwn is shorten for what goes wrong without any move.
func (x *Explorer) shortenOwn(f judge.Finding) judge.Finding {
	phase := 0
	for phase < len(x.quiets)-1 && x.quiets[phase].made < len(f.Choices) {
		phase++
	}
	if phase == 0 {
		return f
	}
	return x.leaveOut(f, phase, nameOf(f), func(kept []bool) (judge.Finding, bool) {
		y := x.less(kept, 0)
		y.plain, y.limit = true, len(f.Choices)
		if y.baseline() != nil {
			return f, false
		}
		own, err := y.ownFindings()
		i := slices.IndexFunc(own, func(g judge.Finding) bool { return identity(g) == identity(f) })
		if err != nil || i < 0 {
			return f, false
		}
		return own[i], true
	})
}

// leaveOut has the user do less, as long as an attempt shows the same in fewer
// steps: first only what speaks of the object, or what came up to the phase in
// which it goes wrong, and then one act less at a time.
func (x *Explorer) leaveOut(f judge.Finding, phase int, name string, attempt func(kept []bool) (judge.Finding, bool)) judge.Finding {
	acts := x.flat()
	kept := make([]bool, len(acts))
	left := attempts
	try := func(keep func(i int, a act) bool) bool {
		some := make([]bool, len(acts))
		for i, a := range acts {
			some[i] = keep(i, a)
		}
		if left == 0 || !slices.Contains(some, true) || slices.Equal(some, kept) {
			return false
		}
		left--
		shorter, ok := attempt(some)
		if !ok || len(shorter.Choices) >= len(f.Choices) {
			return false
		}
		shorter.Count = f.Count
		f, kept = shorter, some
		return true
	}
	for i := range kept {
		kept[i] = true
	}
	about := func(a act) bool { return name != "" && strings.Contains(a.choice, name) }
	if !try(func(_ int, a act) bool { return about(a) && a.phase <= phase }) && !try(func(_ int, a act) bool { return about(a) }) {
		try(func(_ int, a act) bool { return a.phase <= phase })
	}
	for i := range slices.Backward(acts) {
		if kept[i] {
			try(func(j int, _ act) bool { return kept[j] && j != i })
		}
	}
	return f
}

// act is one thing that the user does, and the phase that begins with it.
type act struct {
	phase  int
	choice string
}

func (x *Explorer) flat() []act {
	var out []act
	for i, together := range x.subject.Life {
		for _, choice := range together {
			out = append(out, act{i + 1, choice})
		}
	}
	return out
}

// attempt makes the run of a group once more, in a life of which only some is
// kept, and reports whether it goes wrong in the same way.
func (x *Explorer) attempt(g *group, kept []bool) (judge.Finding, bool) {
	e := x.plan[g.best.Index]
	p := &x.spots[e.spot]
	y := x.less(kept, p.phase)
	if y == nil || y.baseline() != nil || y.restless {
		return judge.Finding{}, false
	}
	i := y.find(p.action.String(), p.site, x.nth(e.spot))
	if i < 0 {
		return judge.Finding{}, false
	}
	y.plan = []entry{{i, e.move}}
	y.options.Depth, y.options.Shards, y.options.Shard = 1, 1, 0
	if !e.move.scheduled() {
		y.plan[0].move.acts = y.acts(y.spots[i].state.world, e.move.steps[0])
	}
	if len(g.best.Moves) > 1 {
		action, site, err := x.second(g)
		if err != nil || !y.pair(g.best.Moves[1], action, site) {
			return judge.Finding{}, false
		}
	} else if _, err := y.explore(0); err != nil || len(y.runs) != 1 {
		return judge.Finding{}, false
	}
	run := y.runs[0]
	h := &group{finding: g.finding, best: run, count: g.count}
	at := slices.IndexFunc(run.Found, func(f Wrong) bool { return identity(f.finding()) == identity(g.sample) })
	switch {
	case at >= 0:
		h.sample = run.Found[at].finding()
	case g.finding == judge.Stopped && run.Stopped != "":
		h.sample = run.waiting().finding()
	default:
		return judge.Finding{}, false
	}
	f, err := y.show(h)
	return f, err == nil
}

// second is what the second fault of a group's run hits: the action, and where.
func (x *Explorer) second(g *group) (action, site string, err error) {
	e := x.plan[g.best.Index]
	s := x.spots[e.spot].state.clone()
	defer s.world.Release()
	if err := s.take(e.move.steps[0]); err != nil {
		return "", "", err
	}
	for range g.best.Gap {
		a, _ := s.world.NextInRun()
		if err := s.take(a); err != nil {
			return "", "", err
		}
	}
	a, _ := s.world.NextInRun()
	return a.String(), placeOf(s.world, a).site, nil
}

// pair makes the run of the only entry of the plan with a second fault, where the
// same action stands at the same site for the first time after the first fault.
func (y *Explorer) pair(second Move, action, site string) bool {
	e := y.plan[0]
	p := &y.spots[e.spot]
	s := p.state.clone()
	defer s.world.Release()
	fault, err := sim.ParseAction(second.Steps[0])
	if err != nil || s.take(e.move.steps[0]) != nil {
		return false
	}
	for gap := range maxSteps {
		a, rest := s.world.NextInRun()
		if rest != sim.Going {
			return false
		}
		if a.String() != action || placeOf(s.world, a).site != site {
			if s.take(a) != nil {
				return false
			}
			continue
		}
		acts := append(slices.Clone(e.move.acts), y.acts(s.world, fault)...)
		if s.take(fault) != nil {
			return false
		}
		run, err := y.finish(s, p.phase, acts)
		if err != nil {
			return false
		}
		run.Gap = gap
		y.keep(0, 1, p, []Move{moved(e.move.steps[0]), second}, run)
		return true
	}
	return false
}

// less is an explorer of a life of which only some is kept, which keeps the spots
// of what was a phase; nil where nothing of that phase is kept. Phase 0 is for none.
func (x *Explorer) less(kept []bool, phase int) *Explorer {
	y := &Explorer{
		subject: x.subject, options: x.options, checks: x.checks, painter: x.painter, memo: x.memo,
		nodes: map[key][]*node{}, tails: map[key]*tail{}, walks: map[key]walk{}, others: map[string]bool{}, after: map[string][]expected{},
	}
	y.subject.Life = nil
	before := 0
	for i, a := range x.flat() {
		if !kept[i] {
			continue
		}
		if a.phase != before {
			y.subject.Life, before = append(y.subject.Life, nil), a.phase
		}
		last := len(y.subject.Life) - 1
		y.subject.Life[last] = append(y.subject.Life[last], a.choice)
		if a.phase == phase {
			y.only = last + 1
		}
	}
	if y.only == 0 && phase > 0 {
		return nil
	}
	return y
}

// nth counts the spots of the same phase before one that are as it is.
func (x *Explorer) nth(i int) int {
	p, n := &x.spots[i], 0
	for j := range x.spots[:i] {
		if q := &x.spots[j]; q.phase == p.phase && q.site == p.site && q.action.Equal(p.action) {
			n++
		}
	}
	return n
}

// find finds the nth spot with an action at a site, or the last one before it.
func (x *Explorer) find(action, site string, nth int) int {
	at := -1
	for i := range x.spots {
		if q := &x.spots[i]; q.site == site && q.action.String() == action {
			if at = i; nth == 0 {
				break
			}
			nth--
		}
	}
	return at
}
