package explore

import (
	"cmp"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Wrong is a finding of a run, with what tells its cause.
type Wrong struct {
	judge.Finding
	// Of and Failed are the finding's Root and Check, which it does not hand over
	// itself.
	Of     string `json:"of,omitempty"`
	Failed string `json:"failed,omitempty"`
	// Errs is the call at which the passes of the object end with an error at the
	// rest where it shows.
	Errs string `json:"errs,omitempty"`
}

// finding is the whole of it.
func (f Wrong) finding() judge.Finding {
	out := f.Finding
	out.Root, out.Check = f.Of, f.Failed
	return out
}

// waiting is the verdict that the reconciler left something to a person.
func (run Outcome) waiting() Wrong {
	text := run.Waits + " is left to a person, and its controller says so: " + run.Stopped
	return Wrong{Finding: judge.Finding{Finding: judge.Stopped, Object: run.Waits, Sentence: text, Count: 1}, Of: run.Waits}
}

// unanswered begins the cause of a run in which a pass went on without the answer
// to a call: whatever comes of it, that is the mistake.
const unanswered = "no answer to "

// cause says what a fault was to the reconciler, so that runs which go wrong by
// the same cause are told of once: to die or to give up between two writes is one
// thing, however it came about.
func (p place) cause(fault sim.Action, e sim.Event) string {
	kind := fault.Arg(0)
	for _, f := range e.Facts {
		if f.Kind != sim.FactEnded || f.Key != p.root || f.Outcome != "backoff" && f.Outcome != sim.NotSent {
			continue
		}
		switch landed := kind == "crash-after" || kind == "lost-reply" || kind == "cloud-lost-reply"; {
		case landed && !p.reads:
			return "ends after " + p.site
		case p.wrote != "":
			return "ends after " + p.wrote
		}
		return "ends before a write"
	}
	switch kind {
	case "lost-reply", "cloud-lost-reply", "refused", "cloud-error":
		return unanswered + p.site
	case "delete", "recreate":
		return "deleted"
	}
	return kind
}

// group are runs that went wrong for the same cause, as far as can be told.
type group struct {
	finding string
	best    Outcome
	sample  judge.Finding
	count   int
	// near is the run for which the user has to do least, as far as can be told
	// before it is shortened, and far says how much that is.
	near    Outcome
	nearest judge.Finding
	far     int
	// runs are all of them, told what is told of them.
	runs []Outcome
	told judge.Finding
}

// causes names what a finding of a run goes by: the call that went wrong where that
// is known; the call at which its passes fail ever since; what each move was to
// the reconciler.
func (f Wrong) causes(run Outcome) []string {
	switch {
	case f.Finding.Finding == judge.Stopped:
		return []string{judge.Stopped + " " + run.Stopped}
	case slices.ContainsFunc(run.Causes, func(c string) bool { return strings.HasPrefix(c, unanswered) }):
	case f.Call != "" && command(f.Call) != command(f.Errs):
		return []string{f.Finding.Finding + " " + f.Failed + " " + f.Call}
	case f.Errs != "":
		return []string{"errs at " + f.Errs}
	}
	var out []string
	for _, cause := range run.Causes {
		if !strings.HasPrefix(cause, unanswered) {
			cause += " " + f.Finding.Finding
		}
		out = append(out, cause)
	}
	return out
}

// groups puts the runs that went wrong together by cause, in the order in which
// the causes came up. Each has the most specific of its findings, and of the runs
// with that the shortest stands for all: the one with the fewest faults, then the
// fewest steps. A run with two faults that goes wrong as one of them does alone is
// one of those.
func (x *Explorer) groups() []*group {
	var out []*group
	at := map[string]*group{}
	for depth := 1; depth <= x.options.Depth; depth++ {
		for _, run := range x.runs {
			if len(run.Moves) != depth {
				continue
			}
			found := run.Found
			if run.Stopped != "" {
				found = append(slices.Clip(found), run.waiting())
			}
			counted := map[*group]bool{}
			for _, f := range found {
				names := f.causes(run)
				name := strings.Join(names, "+")
				if i := slices.IndexFunc(names, func(n string) bool { return at[n] != nil }); i >= 0 {
					name = names[i]
				}
				g := at[name]
				if g == nil {
					g = &group{finding: f.Finding.Finding, best: run, sample: f.finding(), near: run, nearest: f.finding(), far: x.far(run, f.finding())}
					at[name] = g
					out = append(out, g)
				}
				if !counted[g] {
					g.count++
					g.runs = append(g.runs, run)
					counted[g] = true
				}
				g.take(run, f, x.far(run, f.finding()))
			}
		}
	}
	return x.atOneCall(out)
}

// atOneCall puts groups together that go wrong in the same way at the same call: of
// one command in the script, from wherever its function was called, about the same
// kind of object.
func (x *Explorer) atOneCall(all []*group) []*group {
	var out []*group
	for _, g := range all {
		i := slices.IndexFunc(out, func(h *group) bool {
			a, b := x.spots[x.plan[g.best.Index].spot], x.spots[x.plan[h.best.Index].spot]
			return g.finding == h.finding && g.sample.Check == h.sample.Check && len(g.best.Moves) == len(h.best.Moves) &&
				a.kind == b.kind && command(a.site) == command(b.site) && strings.Contains(a.site, ":")
		})
		if i < 0 {
			out = append(out, g)
			continue
		}
		out[i].join(g)
	}
	return out
}

// command is a call's site without where its function was called from.
func command(site string) string {
	at, _, _ := strings.Cut(site, ", from line ")
	return at
}

// join takes the runs of another group in.
func (g *group) join(h *group) {
	for _, run := range h.runs {
		if !slices.ContainsFunc(g.runs, func(r Outcome) bool { return r.Index == run.Index && r.Pair == run.Pair }) {
			g.runs, g.count = append(g.runs, run), g.count+1
		}
	}
	if cmp.Or(cmp.Compare(len(h.best.Moves), len(g.best.Moves)), cmp.Compare(h.best.Steps, g.best.Steps)) < 0 {
		g.best, g.sample = h.best, h.sample
	}
	if cmp.Or(cmp.Compare(len(h.near.Moves), len(g.near.Moves)), cmp.Compare(h.far, g.far)) < 0 {
		g.near, g.nearest, g.far = h.near, h.nearest, h.far
	}
}

// take has a run stand for the group where it shows a more specific finding, or
// the same in a shorter way.
func (g *group) take(run Outcome, f Wrong, far int) {
	if judge.Rank(f.Finding.Finding) > judge.Rank(g.finding) {
		return
	}
	rank := cmp.Compare(judge.Rank(f.Finding.Finding), judge.Rank(g.finding))
	if cmp.Or(rank, cmp.Compare(len(run.Moves), len(g.best.Moves)), cmp.Compare(run.Steps, g.best.Steps)) < 0 {
		g.best, g.sample = run, f.finding()
	}
	if cmp.Or(rank, cmp.Compare(len(run.Moves), len(g.near.Moves)), cmp.Compare(far, g.far)) < 0 {
		g.near, g.nearest, g.far = run, f.finding(), far
	}
	if rank < 0 {
		g.finding = f.Finding.Finding
	}
}
