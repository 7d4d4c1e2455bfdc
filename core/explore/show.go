package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Played is a life without faults.
type Played struct {
	// Findings has what is wrong, each with the choices up to where it shows.
	Findings []judge.Finding
	// All are those that Findings leaves out beside, with as many choices as lead
	// to where each shows.
	All []judge.Finding
	// Choices are those of the whole run, Passes how many passes it has.
	Choices []string
	Passes  int
	// Skipped says that checks were not made, for want of what evaluates them.
	Skipped bool
	// Occasion reports whether a check, or a finding that any reconciler may have, had
	// an occasion to show.
	Occasion func(name string) bool
}

// Play plays the life of a subject without faults and judges it.
func Play(s Subject) (*Played, error) {
	x, err := New(s, Options{})
	if err != nil {
		return nil, err
	}
	x.plain = true
	x.checks.WatchOccasions()
	if err := x.baseline(); err != nil {
		return nil, err
	}
	found, err := x.ownFindings()
	all := judge.Placed(x.raw())
	for i := range all {
		all[i].Choices = slices.Clone(x.choices[:min(all[i].Step, len(x.choices))])
	}
	return &Played{found, all, x.choices, x.passes, x.checks.Skipped(), x.checks.HadOccasion}, err
}

// ownFindings are those of the baseline, which needs no fault to go wrong. Each
// has the choices up to where it shows.
func (x *Explorer) ownFindings() ([]judge.Finding, error) {
	out := judge.Placed(merged(judge.Suppress(x.raw())))
	for i := range out {
		out[i].Choices = slices.Clone(x.choices[:min(out[i].Step, len(x.choices))])
		if out[i].Finding == judge.NotIdempotent && out[i].Step > 0 {
			again, err := x.secondPass(out[i])
			if err != nil {
				return nil, err
			}
			out[i].Choices = again
		}
	}
	return out, nil
}

// merged tells of one mistake once: of what is found for several objects in the
// same words, at the same call, or for objects of the same kind where no call is
// known.
func merged(all []judge.Finding) []judge.Finding {
	out, also := []judge.Finding{}, map[int][]string{}
	for _, f := range all {
		i := slices.IndexFunc(out, func(g judge.Finding) bool {
			if f.Finding != g.Finding || f.Check != g.Check {
				return false
			}
			return f.Sentence == g.Sentence || f.Call == g.Call && (f.Call != "" || kindOf(f.Object) == kindOf(g.Object))
		})
		if i < 0 {
			out = append(out, f)
			continue
		}
		out[i].Count += f.Count
		also[i] = append(also[i], f.Object)
	}
	for i := range out {
		if len(also[i]) > 0 {
			out[i].Sentence += ". The same goes for " + strings.Join(also[i], ", ")
		}
	}
	return out
}

func kindOf(object string) string {
	kind, _, _ := strings.Cut(object, "/")
	return kind
}

// raw is all that is wrong with the baseline.
func (x *Explorer) raw() []judge.Finding {
	out := slices.Clone(x.before)
	if len(x.chain) > 0 {
		out = append(out, x.chain[0].all()...)
	}
	return out
}

// secondPass are the choices that show a pass which writes again: those up to
// the rest, and every pass once more.
func (x *Explorer) secondPass(f judge.Finding) ([]string, error) {
	for _, q := range x.quiets {
		if q.state.world.StepNumber() > f.Step || !slices.ContainsFunc(x.nodeAt(q).found, func(g judge.Finding) bool { return identity(g) == identity(f) }) {
			continue
		}
		s := q.state.clone()
		choices := slices.Clone(x.choices[:q.made])
		s.choices = &choices
		_, err := x.repeat(s)
		s.world.Release()
		return choices, err
	}
	return slices.Clone(x.choices[:min(f.Step, len(x.choices))]), nil
}

// nodeAt is the node of a rest of the baseline.
func (x *Explorer) nodeAt(q rested) *node {
	for i := range x.quiets {
		if x.quiets[i].made == q.made {
			return x.chain[i]
		}
	}
	return x.chain[0]
}

// show plays the run that stands for a group once more, for its choices and its
// words.
func (x *Explorer) show(g *group) (judge.Finding, error) {
	e := x.plan[g.best.Index]
	p := &x.spots[e.spot]
	choices := slices.Clone(x.choices[:p.made])
	s := p.state.clone()
	defer s.world.Release()
	s.choices = &choices
	var acts []sim.Action
	var kinds, clauses []string
	hit, at := 0, p.site
	for i, m := range g.best.Moves {
		for range min(i, 1) * g.best.Gap {
			a, _ := s.world.NextInRun()
			if _, err := s.step(a); err != nil {
				return judge.Finding{}, err
			}
		}
		if i > 0 {
			next, _ := s.world.NextInRun()
			at = placeOf(s.world, next).site
		}
		first, err := sim.ParseAction(m.Steps[0])
		if err != nil {
			return judge.Finding{}, err
		}
		if i == 0 {
			acts = append(acts, e.move.acts...)
		} else {
			acts = append(acts, x.acts(s.world, first)...)
		}
		kinds, clauses = append(kinds, m.Kind), append(clauses, clause(m, first, at))
		for _, choice := range m.Steps {
			a, err := sim.ParseAction(choice)
			if err != nil {
				return judge.Finding{}, err
			}
			if _, err := s.step(a); err != nil {
				return judge.Finding{}, err
			}
		}
		hit = s.world.StepNumber()
	}
	all, err := x.without(p.phase, acts)
	if err != nil {
		return judge.Finding{}, err
	}
	f, err := x.until(s, p.phase, g, all[g.best.Like])
	if err != nil {
		return judge.Finding{}, err
	}
	f.Fault, f.Count, f.Choices, f.Call = strings.Join(kinds, "+"), g.count, choices, p.site
	since := ""
	if s.monitor.Erring(s.world)[f.Root] == judge.Idle {
		since = "; since then its passes end before they make a call"
	}
	f.Sentence = strings.Join(clauses, ", and then ") + swallowed(s.world, hit, f) + since + ". What came of it: " + f.Sentence
	return f, nil
}

// until plays on until a finding of the group's shows.
func (x *Explorer) until(s *state, phase int, g *group, want expected) (judge.Finding, error) {
	node := want.node
	for at := phase; ; at++ {
		rest, err := s.quiet()
		if err != nil {
			return judge.Finding{}, err
		}
		if f, ok := x.shown(s, g, rest, node); ok {
			return f, nil
		}
		if at >= len(x.subject.Life) {
			return g.sample, nil
		}
		if err := s.live(x.subject.Life[at]...); err != nil {
			return judge.Finding{}, err
		}
		if node != nil {
			node = node.next
		}
	}
}

// shown looks for the finding of a group in a world at rest.
func (x *Explorer) shown(s *state, g *group, rest sim.Rest, want *node) (judge.Finding, bool) {
	way, _ := s.monitor.Rest()
	same := func(f judge.Finding) bool { return identity(f) == identity(g.sample) }
	if i := slices.IndexFunc(way, same); i >= 0 {
		s.cut(way[i].Step)
		return way[i], true
	}
	found := s.monitor.AtRest(s.world, rest)
	if i := slices.IndexFunc(found, same); i >= 0 {
		return found[i], true
	}
	switch g.finding {
	case judge.NotIdempotent:
		again, err := x.repeat(s)
		if i := slices.IndexFunc(again, same); err == nil && i >= 0 {
			return again[i], true
		}
	case judge.Diverged:
		picture := x.painter.Picture(s.world)
		if want != nil && picture.Text(false) != want.text {
			return g.sample, true
		}
	case judge.Duplicate, judge.Stopped:
		return g.sample, true
	}
	return judge.Finding{}, false
}

// cut leaves out the choices after a step.
func (s *state) cut(step int) {
	if s.choices != nil && step < s.world.StepNumber() {
		*s.choices = (*s.choices)[:max(0, len(*s.choices)-(s.world.StepNumber()-step))]
	}
}

// clause says what a move was; first is its first choice.
func clause(m Move, first sim.Action, what string) string {
	switch m.Kind {
	case Order:
		if what == everyStep {
			return "what could happen came in another order than usual"
		}
		return first.String() + " came before " + what
	case TwoWorkers:
		if what == everyStep {
			return "two workers made passes of two keys at a time, a call of each in turn"
		}
		return "a second worker made a pass of another key in between, just before " + what
	case Resync:
		return "the controller was told of every object once more (a resync) just before " + what
	}
	return map[string]string{
		"crash-before":     "the process died before " + what + " was sent",
		"crash-after":      what + " was carried out, and the process died before it heard of it",
		"lost-reply":       what + " was carried out, and its reply was lost",
		"cloud-lost-reply": what + " was carried out, and its reply was lost",
		"refused":          what + " was refused (503)",
		"cloud-error":      what + " failed, and nothing was done",
		"conflict":         "someone else wrote the object just before " + what,
		"edit":             "the user edited the object just before " + what,
		"delete":           "the user deleted the object just before " + what,
		"recreate":         "the user deleted the object and created it again just before " + what,
		"stale":            "deliveries to the cache were held back",
		"relist":           "the watch was dropped and the informer had to list again",
		"duplicate":        "an event was delivered twice",
	}[m.Kind]
}

// swallowed says how a pass took a call that failed for an answer: it went on, or
// ended as if nothing had been wrong. f is what came of it.
func swallowed(w *sim.World, step int, f judge.Finding) string {
	for _, p := range w.Passes() {
		freed := released(p, step)
		if p.Died || p.StartEvent > step || p.EndEvent < step || p.Error != "" && !freed {
			continue
		}
		for i, c := range p.Calls {
			if c.Event != step || c.Outcome != sim.Refused && c.Outcome != sim.Failed && c.Outcome != sim.LostReply {
				continue
			}
			kind, _, _ := strings.Cut(c.Ref, "/")
			site := judge.Site(c)
			text := "; the pass ends without an error all the same"
			switch goesOn := i < len(p.Calls)-1; {
			case c.Verb == string(api.List) && (goesOn || freed):
				text = fmt.Sprintf("; the pass swallows the failed list: a failed list of %s was read as an empty one", kind)
				if freed {
					text += ", the finalizer comes off, and what it guarded stays for ever"
				}
				return text
			case c.Verb == string(api.Get) && (!strings.Contains(site, " kubectl ") || strings.Contains(site, " kubectl get")):
				text = fmt.Sprintf("; the pass reads the failed get of %s as \"gone\" and ends without an error", kind)
			case slices.ContainsFunc(p.Calls[i+1:], func(again sim.Call) bool { return again.Verb == c.Verb && judge.Site(again) == site }):
				return "; the pass makes the call once more, without looking what became of the first"
			}
			if atOnce := f.Finding == judge.UnguardedCreate || f.Finding == judge.Duplicate; p.Requeue != nil && p.Requeue.Kind == "none" && !atOnce {
				text += ": the event is lost, and nothing brings it back"
			}
			return text
		}
	}
	return ""
}

// released reports whether a pass took a finalizer off after a step.
func released(p *sim.Pass, step int) bool {
	for _, d := range p.Diff {
		for _, c := range d.Changes {
			if strings.HasPrefix(c.Path, "metadata.finalizers") && (c.Op == "remove" || c.Op == "replace") {
				return true
			}
		}
	}
	return slices.ContainsFunc(p.Action, func(w sim.Write) bool {
		outside := strings.HasPrefix(w.Ref, "lb/") || strings.HasPrefix(w.Ref, "db/")
		return w.Outcome == sim.Deleted && !outside
	})
}
