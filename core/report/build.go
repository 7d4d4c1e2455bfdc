package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// maxConvergence is how many passes Convergence holds: a run that spins has a
// thousand of each key, and the last ones show the loop.
const maxConvergence = 200

// Build makes the report of the world in view. On a copy of it, it runs to
// quiet, has every controller look at every resource once (the full pass), and
// then once more (the evidence of idempotence). The timeline stays as it is.
//
// A controller that has crashed is restarted on the copy, which Notes says. A
// world that does not come to rest gives a report with a finding. An error
// means that no full pass could be made.
func Build(s *scenario.Scenario, t *timeline.Timeline) (*Report, error) {
	checks, err := checksOf(s)
	if err != nil {
		return nil, err
	}
	b := &builder{choices: append([]string{}, t.Choices()[:t.View()]...)}
	b.world, b.monitor = follow(t, checks)
	defer b.world.Release()
	r := &Report{
		Schema: Schema, Seed: s.Seed, Given: len(b.choices),
		Scenario: Scenario{Name: s.Name, Title: s.Title, Document: s.Source(), Restored: restored(s, t)},
		Versions: Versions{Kubernetes: sim.Kubernetes, Semantics: sim.Semantics},
		Findings: []Finding{}, Notes: []string{},
	}
	if err := b.revive(r); err != nil {
		return nil, err
	}
	rest, err := b.settle()
	if err != nil {
		return nil, err
	}
	before := b.world.Passes()
	found := b.monitor.AtRest(b.world, rest)
	full, err := b.fullPass()
	if err != nil {
		return nil, err
	}
	again, err := b.again(r)
	if err != nil {
		return nil, err
	}
	r.Findings = b.findings(judge.Placed(append(found, again...)))
	r.Omitted = max(0, len(before)-maxConvergence)
	r.before, r.full = before[r.Omitted:], full
	r.Convergence, r.Passes = passes(r.before), passes(r.full)
	r.Totals = totals(b.world.Passes())
	r.Choices = b.choices
	start, now := b.world.Config().Start, b.world.Now()
	r.Clock = Clock{start.Format(time.RFC3339), now.Format(time.RFC3339Nano), now.Sub(start).String()}
	return r, nil
}

// checksOf are what a scenario wants. An error is a *judge.CheckError.
func checksOf(s *scenario.Scenario) (*judge.Checks, error) {
	var all []judge.Check
	for _, c := range s.Checks {
		all = append(all, judge.Check{Name: c.Name, Finding: c.Finding, For: c.For, At: c.At, Expr: c.Expr, Wants: c.Wants, Says: c.Says})
	}
	return judge.Compile(all)
}

// restored reports whether the run began with another cluster than the
// scenario's.
func restored(s *scenario.Scenario, t *timeline.Timeline) bool {
	a, aerr := json.Marshal(s.World().Snapshot())
	b, berr := json.Marshal(t.At(0).Snapshot())
	return aerr != nil || berr != nil || string(a) != string(b)
}

// follow plays a run again up to the step in view, for whoever has to know how
// it came about.
func follow(t *timeline.Timeline, checks *judge.Checks) (*sim.World, *judge.Monitor) {
	w := t.At(0)
	m := judge.NewMonitor(w, checks)
	for i, choice := range t.Choices()[:t.View()] {
		e, err := w.Choose(choice)
		if err != nil {
			panic(fmt.Sprintf("report: step %d (%s) does not repeat: %v", i+1, choice, err))
		}
		m.See(w, e)
	}
	return w, m
}

// builder steps a world, notes the choices and watches what comes of them.
type builder struct {
	world   *sim.World
	monitor *judge.Monitor
	choices []string
}

func (b *builder) step(a sim.Action) error {
	e, err := b.world.Step(a)
	if err != nil {
		return fmt.Errorf("report: %s: %w", a, err)
	}
	b.monitor.See(b.world, e)
	b.choices = append(b.choices, a.String())
	return nil
}

// revive restarts what has crashed.
func (b *builder) revive(r *Report) error {
	for _, p := range b.world.Processes() {
		if p.Running {
			continue
		}
		if err := b.step(sim.Act("restart", p.Name)); err != nil {
			return err
		}
		r.Notes = append(r.Notes, fmt.Sprintf("%s had crashed and was restarted for this report: a full pass needs it", p.Name))
	}
	return nil
}

// settle runs until the world rests, or will not.
func (b *builder) settle() (sim.Rest, error) {
	for {
		a, rest := b.world.NextInRun()
		if rest != sim.Going {
			return rest, nil
		}
		if err := b.step(a); err != nil {
			return rest, err
		}
	}
}

// maxInPass is how many passes of one key a full pass takes in: at rest there
// is one, and a key that comes back and back shows it with three.
const maxInPass = 3

// fullPass has every controller look at every resource, and goes on until
// nothing but timers is left or a key has had maxInPass passes. It returns the
// passes that this took, one for each resource where all is well.
func (b *builder) fullPass() ([]*sim.Pass, error) {
	done := len(b.world.Passes())
	for _, p := range b.world.Processes() {
		if err := b.step(sim.Act("resync", p.Name)); err != nil {
			return nil, err
		}
	}
	for {
		made := b.world.Passes()[done:]
		a, rest := b.world.NextInRun()
		if rest != sim.Going || a.Verb == "tick" || a.Verb == "start" && count(made, a.Arg(0), a.Arg(1)) == maxInPass {
			return made, nil
		}
		if err := b.step(a); err != nil {
			return nil, err
		}
	}
}

// count counts the passes of one key.
func count(passes []*sim.Pass, process, key string) int {
	n := 0
	for _, p := range passes {
		if p.Process == process && p.Key == key {
			n++
		}
	}
	return n
}

// pause is how far apart the two full passes are: more than a second, so that a
// time written in whole seconds shows.
const pause = 1100 * time.Millisecond

// again makes the second full pass and compares the world before and after. It
// returns what is wrong with that pass.
func (b *builder) again(r *Report) ([]Finding, error) {
	old := b.world.Clone()
	if err := b.step(sim.Act("advance", pause.String())); err != nil {
		return nil, err
	}
	second, err := b.fullPass()
	if err != nil {
		return nil, err
	}
	i := Idempotence{Passes: passes(second), ResourceVersions: versions(old, b.world), Cloud: CloudChange{items(old), items(b.world)}}
	for _, p := range second {
		i.Sent += len(p.Action)
		for _, w := range p.Action {
			if w.Effective() {
				i.Writes++
			}
		}
	}
	i.Unchanged = len(old.Cloud().Ledger(0)) == len(b.world.Cloud().Ledger(0))
	for _, v := range i.ResourceVersions {
		i.Unchanged = i.Unchanged && v.Before == v.After
	}
	r.Idempotence = i
	return b.monitor.SecondPass(b.world, second), nil
}

// findings adds those of what must not be at any time, and the choices that show
// each: those up to the step at which it showed, for a report runs on.
func (b *builder) findings(found []Finding) []Finding {
	out := judge.Suppress(append(b.monitor.Findings(), found...))
	for i := range out {
		out[i].Choices = slices.Clone(b.choices[:out[i].Step])
	}
	return out
}

// versions pairs the resourceVersions of two worlds, in the order of the later
// one, then those that are gone.
func versions(old, now *sim.World) []Version {
	out, seen := []Version{}, map[string]bool{}
	for o := range now.Server().All() {
		v := Version{Object: now.Name(o.Object.Ref()), After: o.Object.ResourceVersion()}
		if was, ok := old.Server().Find(o.Object.Ref()); ok {
			v.Before = was.ResourceVersion()
		}
		seen[v.Object] = true
		out = append(out, v)
	}
	for o := range old.Server().All() {
		if name := old.Name(o.Object.Ref()); !seen[name] {
			out = append(out, Version{Object: name, Before: o.Object.ResourceVersion()})
		}
	}
	return out
}

func items(w *sim.World) []string {
	out := []string{}
	for _, i := range w.Cloud().Items() {
		out = append(out, i.Type+"/"+i.ID)
	}
	return out
}
