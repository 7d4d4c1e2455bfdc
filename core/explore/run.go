package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Outcome is one run of the plan, and how it came out.
type Outcome struct {
	// Index is its place in the plan, Pair that of the second fault within it, from
	// 1; 0 for a run with one fault.
	Index int `json:"index"`
	Pair  int `json:"pair,omitempty"`
	// Site is the call or the delivery that the first move hit, Root the object in
	// whose pass, Moves what was done: a schedule, or one or two faults.
	Site  string `json:"site"`
	Root  string `json:"root,omitempty"`
	Moves []Move `json:"moves"`
	// Causes say what each move was to the reconciler.
	Causes []string `json:"causes"`
	// Gap is how many steps lie between two faults, Steps how many choices the run
	// has up to where it shows.
	Gap   int `json:"gap,omitempty"`
	Steps int `json:"steps"`
	// Like is which of the runs without the fault it is held against.
	Like int `json:"like,omitempty"`
	// Found is what was wrong, Stopped why the reconciler waits for a person, Waits
	// with which object.
	Found   []Wrong `json:"found,omitempty"`
	Stopped string  `json:"stopped,omitempty"`
	Waits   string  `json:"waits,omitempty"`
}

// explore makes the runs of one entry of the plan and returns how many.
func (x *Explorer) explore(index int) (int, error) {
	e := x.plan[index]
	p := &x.spots[e.spot]
	s := p.state.clone()
	defer s.world.Release()
	if e.move.scheduled() {
		first, err := x.schedule(s, e.move)
		if err != nil {
			return 0, err
		}
		run, err := x.finish(s, p.phase, e.move.acts)
		if err != nil {
			return 0, err
		}
		run.Causes = []string{e.move.kind + " " + p.site}
		x.keep(index, 0, p, []Move{first}, run)
		return 1, nil
	}
	fault := e.move.steps[0]
	ev, err := s.step(fault)
	if err != nil {
		return 0, fmt.Errorf("explore: %s: %w", fault, err)
	}
	made, causes := 0, []string{p.cause(fault, ev)}
	if x.options.Depth > 1 {
		if made, err = x.pairs(index, s.clone(), causes); err != nil {
			return 0, err
		}
	}
	run, err := x.finish(s, p.phase, e.move.acts)
	if err != nil {
		return 0, err
	}
	run.Causes = causes
	x.keep(index, 0, p, []Move{moved(fault)}, run)
	return made + 1, nil
}

// keep notes a run and where it stands in the matrix.
func (x *Explorer) keep(index, pair int, p *spot, moves []Move, run Outcome) {
	run.Index, run.Pair, run.Site, run.Root, run.Moves = index, pair, p.site, p.root, moves
	run.Steps += p.made
	x.runs = append(x.runs, run)
}

// finish runs a world in which a fault was made to the end of its life, or to
// where that was seen before, and holds it against the run without the fault.
func (x *Explorer) finish(s *state, phase int, acts []sim.Action) (Outcome, error) {
	came, n, err := x.arrive(s, phase)
	if err != nil {
		return Outcome{}, err
	}
	all, err := x.without(phase, acts)
	if err != nil {
		return Outcome{}, err
	}
	var best Outcome
	for i, want := range all {
		run := x.compare(came, n, want)
		if i == 0 || len(run.Found) < len(best.Found) {
			best, best.Like = run, i
		}
	}
	return best, nil
}

// expected is the run without the fault: what was wrong on its way to the rest
// after the phase, and that rest.
type expected struct {
	way   []judge.Finding
	peaks map[string]int
	node  *node
}

// without are the runs to one of which one with the fault must come: the
// baseline, or the one in which the user does the same right after what the user
// did last. Of two things that a user does the first may or may not have been
// acted on before the second, and one of them may be lost with an object that is
// being deleted, which makes several such runs.
func (x *Explorer) without(phase int, acts []sim.Action) ([]expected, error) {
	if len(acts) == 0 {
		out := expected{way: x.before, node: x.chain[phase]}
		if phase > 0 {
			out.way, out.peaks = x.chain[phase-1].way, x.chain[phase-1].peaks
		}
		return []expected{out}, nil
	}
	var name strings.Builder
	fmt.Fprint(&name, phase)
	for _, a := range acts {
		name.WriteString("\n" + a.String())
	}
	if known, ok := x.after[name.String()]; ok {
		return known, nil
	}
	e, err := x.acted(phase, acts, false)
	if err != nil {
		return nil, err
	}
	out := []expected{e}
	if len(acts) > 1 {
		if e, err = x.acted(phase, acts, true); err != nil {
			return nil, err
		}
		out = append(out, e)
		for i := range acts {
			alone, err := x.without(phase, acts[i:i+1])
			if err != nil {
				return nil, err
			}
			out = append(out, alone...)
		}
	}
	x.after[name.String()] = out
	return out, nil
}

// acted has the user do something at the beginning of a phase; where apart is
// set, each thing once the world has come to rest after the one before.
func (x *Explorer) acted(phase int, acts []sim.Action, apart bool) (out expected, err error) {
	s := x.start(phase)
	defer s.world.Release()
	var rest sim.Rest
	for i, a := range acts {
		if err := s.live(a.String()); err != nil {
			return out, err
		}
		if apart || i == len(acts)-1 {
			if rest, err = s.quiet(); err != nil {
				return out, err
			}
		}
	}
	out.way, out.peaks = s.monitor.Rest()
	out.node, err = x.settle(s, phase, rest)
	return out, err
}

// start is a copy of the baseline right after the action of the life that a
// phase begins with.
func (x *Explorer) start(phase int) *state {
	if phase == 0 {
		w := x.world()
		return &state{world: w, monitor: judge.NewMonitor(w, x.checks), all: &x.steps}
	}
	s := x.quiets[phase-1].state.clone()
	if err := s.live(x.subject.Life[phase-1]...); err != nil {
		panic("explore: the baseline does not repeat: " + err.Error())
	}
	return s
}

// world is the subject's, whose passes of scripts are run once for all that get the
// same answers.
func (x *Explorer) world() *sim.World {
	w := x.subject.World()
	w.Remember(x.memo)
	return w
}

// acts is what the user did in a fault, as the user's own actions.
func (x *Explorer) acts(before *sim.World, fault sim.Action) []sim.Action {
	kind := fault.Arg(0)
	ref, going := "", false
	for _, l := range before.ProcessesHead(0) {
		if l.Name == fault.Arg(1) {
			key := object.ParseKey(fault.Arg(2))
			at := object.Ref{Group: l.Watched.Group, Kind: l.Kind, Namespace: key.Namespace, Name: key.Name}
			o, _ := before.Server().Find(at)
			ref, going = before.Name(at), o.Terminating()
		}
	}
	switch kind {
	case "edit":
		for _, c := range before.Config().Controllers {
			if c.Name == fault.Arg(1) && c.Edit != nil {
				return edits(ref, c.Edit, going)
			}
		}
	case "delete", "recreate":
		return []sim.Action{sim.Act(kind, ref)}
	}
	return nil
}

// edits are what the fault edit does, as the user's own actions: the finalizers that
// it puts on join others, and none are put on what is going.
func edits(ref string, patch *object.Map, going bool) []sim.Action {
	finalizers := object.New(patch).Finalizers()
	if len(finalizers) == 0 {
		return []sim.Action{sim.Act("patch", ref, string(object.EncodeJSON(patch)))}
	}
	out := []sim.Action{sim.Act("patch", ref, string(object.EncodeJSON(object.Unset(patch, "metadata", "finalizers"))))}
	for i := 0; i < len(finalizers) && !going; i++ {
		out = append(out, sim.Act("finalize", ref, finalizers[i]))
	}
	return out
}

// arrival is how a run came to its first rest after what was done otherwise: what
// was wrong and how much there was on the way, the number of its last step, and how
// many steps it made since then.
type arrival struct {
	way        []judge.Finding
	peaks      map[string]int
	step, made int
}

// compare holds a run against the one without the fault.
func (x *Explorer) compare(came arrival, got *node, want expected) Outcome {
	known := map[string]bool{}
	wanted := append(slices.Clone(want.way), want.node.all()...)
	for _, f := range wanted {
		known[identity(f)] = true
	}
	for _, f := range x.chain[0].all() {
		known[identity(f)] = true
	}
	var found, usual []judge.Finding
	for _, f := range append(slices.Clone(came.way), got.from(came.step)...) {
		if known[identity(f)] {
			usual = append(usual, f)
		} else {
			found = append(found, f)
		}
	}
	if !slices.ContainsFunc(found, func(f judge.Finding) bool { return f.Finding == judge.Duplicate }) {
		found = append(found, tooMany(came.peaks, want.peaks, came.step)...)
	}
	step := came.step
	for a, b := got, want.node; a != b && a != nil && b != nil; a, b = a.next, b.next {
		if a.text != b.text {
			found = append(found, diverged(a, b, step))
			break
		}
		step += a.span
	}
	run := Outcome{Steps: came.made}
	for _, f := range judge.SuppressStrictly(found) {
		if f.Finding == judge.Diverged {
			usual = wanted // to differ from what goes wrong itself is no news
		}
		if !x.explained(f) && !explain(usual, f) {
			run.Found = append(run.Found, Wrong{Finding: f, Of: f.Root, Failed: f.Check, Errs: got.erring(f)})
		}
	}
	if len(run.Found) > 0 {
		run.Steps += run.Found[0].Step - came.step
	}
	x.stopped(&run, got, want.node)
	return run
}

// identity tells findings of two runs apart.
func identity(f judge.Finding) string { return f.Finding + " " + f.Root + " " + f.Check }

// explained reports whether the run without faults has a finding of the same
// object that is as specific: what comes of that is no news.
func (x *Explorer) explained(f judge.Finding) bool {
	return explain(x.raw(), f)
}

func explain(all []judge.Finding, f judge.Finding) bool {
	return slices.ContainsFunc(all, func(g judge.Finding) bool { return g.Explains(f) })
}

// stopped turns what a reconciler says it refuses into a verdict of its own.
func (x *Explorer) stopped(run *Outcome, got, want *node) {
	var rest []Wrong
	for _, f := range run.Found {
		reason := ""
		if f.Finding.Finding == judge.WrongState || f.Finding.Finding == judge.Diverged {
			for a, b := got, want; a != b && a != nil && b != nil; a, b = a.next, b.next {
				if text, refuses := a.refuses[f.Of]; refuses && b.refuses[f.Of] != text && !x.usual(text) {
					reason = text
					break
				}
			}
		}
		if reason == "" {
			rest = append(rest, f)
		} else {
			run.Stopped, run.Waits = reason, f.Of
		}
	}
	run.Found = rest
}

// usual reports whether the reconciler says so without any fault too: then it is
// how things are, such as a dependency that is not there, and no refusal.
func (x *Explorer) usual(text string) bool {
	for _, n := range x.chain {
		if slices.Contains(slices.Sorted(maps.Values(n.refuses)), text) {
			return true
		}
	}
	return false
}

// tooMany finds kinds of which there were more at a time than without the fault.
func tooMany(got, want map[string]int, step int) []judge.Finding {
	var out []judge.Finding
	for _, name := range slices.Sorted(maps.Keys(got)) {
		most, known := want[name]
		if !known || got[name] <= most {
			continue
		}
		root, kind, _ := strings.Cut(name, " ")
		out = append(out, judge.Finding{
			Finding: judge.Duplicate, Object: root, Root: root, Step: step, Count: 1,
			Sentence: fmt.Sprintf("for a while there were %d of %s for %s, where there is otherwise never more than %d", got[name], kind, root, most),
		})
	}
	return out
}

// diverged words how a rest differs from the one without the fault.
func diverged(got, want *node, step int) judge.Finding {
	first, lines := judge.Differences(want.picture, got.picture, 3)
	root := got.roots[first]
	if root == "" {
		root = want.roots[first]
	}
	return judge.Finding{
		Finding: judge.Diverged, Object: first, Root: root, Step: step, Count: 1,
		Sentence: "in the end the world is not as it would have been: " + strings.Join(lines, "; "),
	}
}
