package report

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// passes words the records of a run.
func passes(records []*sim.Pass) []Pass {
	out := make([]Pass, len(records))
	for i, p := range records {
		out[i] = pass(p)
	}
	return out
}

func pass(p *sim.Pass) Pass {
	out := Pass{
		Pass: p.ID, Process: p.Process, Key: p.Key, Start: p.Start.String(), End: p.End.String(),
		Why: []string{}, Observed: []Reading{}, Diff: []Change{}, Actions: []Action{}, Finalizers: []string{},
		Log: p.Log, Error: p.Error, Died: p.Died,
	}
	for _, w := range p.Why {
		if !slices.Contains(out.Why, w.Text) {
			out.Why = append(out.Why, w.Text)
		}
	}
	if p.Desired != nil {
		d := reading(*p.Desired)
		out.Desired = &d
	}
	for _, o := range p.Observed {
		out.Observed = append(out.Observed, reading(o))
	}
	for _, d := range p.Diff {
		for _, c := range d.Changes {
			out.Diff = append(out.Diff, Change{Object: d.Ref, Verb: d.Verb, Path: c.Path, Op: c.Op, Before: c.Before, After: c.After})
		}
	}
	for _, w := range p.Action {
		out.Actions = append(out.Actions, Action{
			Verb: w.Verb, Object: w.Ref, Subresource: w.Subresource, Outcome: w.Outcome,
			Before: w.Before, After: w.After, Message: w.Message,
		})
	}
	if q := p.Requeue; q != nil {
		out.Requeue = &Requeue{Kind: q.Kind, Delay: q.Delay.String(), Reason: q.Reason}
	}
	if p.Status != nil {
		out.Status = Status{p.Status.Before, p.Status.After}
	}
	out.Finalizers = append(out.Finalizers, p.Left.Finalizers()...)
	if at := p.Left.DeletionTimestamp(); at != "" {
		out.DeletionTimestamp = &at
	}
	return out
}

// reading leaves managedFields out, as kubectl does: no reconciler goes by them.
func reading(r sim.Reading) Reading {
	if _, ok := r.Object.At("metadata", "managedFields"); ok {
		r.Object = r.Object.Unset("metadata", "managedFields")
	}
	return Reading{Object: r.Ref, From: r.From, ResourceVersion: r.ResourceVersion, Value: r.Object}
}

// totals counts the writes of passes by outcome.
func totals(records []*sim.Pass) map[sim.Outcome]int {
	out := map[sim.Outcome]int{}
	for _, o := range Outcomes {
		out[o] = 0
	}
	for _, p := range records {
		for _, w := range p.Action {
			out[w.Outcome]++
		}
	}
	return out
}
