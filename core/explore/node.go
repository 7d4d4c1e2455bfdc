package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// state is a run under way.
type state struct {
	world   *sim.World
	monitor *judge.Monitor
	// choices are noted where they are wanted.
	choices *[]string
	steps   int
	// all counts the steps of all runs.
	all *int
}

func (s state) clone() *state {
	s.world, s.monitor = s.world.Clone(), s.monitor.Clone()
	return &s
}

// step makes one action happen.
func (s *state) step(a sim.Action) (sim.Event, error) {
	e, err := s.world.Step(a)
	if err != nil {
		return e, err
	}
	s.monitor.See(s.world, e)
	s.steps++
	*s.all++
	if s.choices != nil {
		*s.choices = append(*s.choices, a.String())
	}
	return e, nil
}

// The bounds of one stretch of a run, from what the user does to the next rest.
// A run that goes on for longer and has made that many passes of one key in a row
// will not come to rest; one that takes its time may take more steps.
const (
	maxSteps    = 1500
	maxInARow   = 50
	maxAllSteps = 8000
)

// quiet runs until the world rests, or will not.
func (s *state) quiet() (sim.Rest, error) {
	began := s.steps
	for {
		a, rest := s.world.NextInRun()
		if rest == sim.Going {
			rest = s.spent(began, a)
		}
		if rest != sim.Going {
			return rest, nil
		}
		if _, err := s.step(a); err != nil {
			return rest, fmt.Errorf("explore: %s: %w", a, err)
		}
	}
}

// spent says how a stretch stands that began at a step: it goes on, or has taken
// more than its bounds.
func (s *state) spent(began int, next sim.Action) sim.Rest {
	switch n := s.steps - began; {
	case n >= maxSteps && next.Verb == "start" && s.world.InARow(next) >= maxInARow:
		return sim.Spinning
	case n >= maxAllSteps:
		return sim.TimeUp
	}
	return sim.Going
}

// node is a world at rest at one place of the life, and all that comes of it
// without any more faults. It is immutable, and one stands for all worlds that
// cannot be told from it.
type node struct {
	// at is the place: the index of the action of the life that is next.
	at      int
	rest    sim.Rest
	picture *judge.Picture
	// text is the picture's, to be compared.
	text string
	// found is what is wrong at this rest; way what was wrong on the way from
	// here to next, which is nil at the end of the life.
	found, way []judge.Finding
	// peaks are those on the way to next.
	peaks map[string]int
	// refuses says why each watched object waits for a person, by its name; errs
	// at which call its passes fail.
	refuses, errs map[string]string
	// roots has the watched object of each thing of the picture.
	roots map[string]string
	next  *node
	// step is the number of the last step of the world that it was made of; span how
	// many steps there are from here to next.
	step, span int
	// memories are what the processes remember, uses the parts of it that passes
	// went by from here to next, and at this rest.
	memories []any
	uses     []string
	parts    *parts
}

// parts is what of the memories at a node all goes by that comes of it.
type parts struct {
	names  []string
	values string
}

// use notes which parts of the memory passes went by.
func (n *node) use(passes []*sim.Pass) {
	for _, p := range passes {
		for _, part := range p.Uses {
			if name := p.Process + " " + part; !slices.Contains(n.uses, name) {
				n.uses = append(n.uses, name)
			}
		}
	}
}

// goesBy are the parts that matter from here on: those that this stretch and those
// after it go by. What a pass writes before it reads is not among them, so that
// worlds whose files differ in nothing else are one. It is asked for once all that
// comes of the node is known.
func (n *node) goesBy(w []string) *parts {
	if n.parts == nil {
		p := &parts{names: slices.Clone(n.uses)}
		if n.next != nil {
			p.names = append(p.names, n.next.goesBy(w).names...)
		}
		slices.Sort(p.names)
		p.names = slices.Compact(p.names)
		p.values = partsOf(p.names, n.memories, w)
		n.parts = p
	}
	return n.parts
}

// partsOf prints parts of memories; processes are their names.
func partsOf(names []string, memories []any, processes []string) string {
	var b strings.Builder
	for i, m := range memories {
		b.WriteString(processes[i])
		switch m := m.(type) {
		case nil:
			b.WriteString(" nothing\n")
		case interface{ Part(name string) string }:
			b.WriteByte('\n')
			for _, name := range names {
				if process, part, _ := strings.Cut(name, " "); process == processes[i] {
					fmt.Fprintf(&b, "%s %q\n", part, m.Part(part))
				}
			}
		case interface{ Sum() ([16]byte, bool) }:
			sum, _ := m.Sum()
			fmt.Fprintf(&b, " %x\n", sum)
		}
	}
	return b.String()
}

// tellable reports whether what processes remember can be told apart.
func tellable(memories []any) bool {
	return !slices.ContainsFunc(memories, func(m any) bool {
		switch m := m.(type) {
		case nil, interface{ Part(name string) string }:
			return false
		case interface{ Sum() ([16]byte, bool) }:
			_, ok := m.Sum()
			return !ok
		}
		return true
	})
}

// all lists what is wrong from a rest on.
func (n *node) all() []judge.Finding {
	var out []judge.Finding
	for ; n != nil; n = n.next {
		out = append(append(out, n.found...), n.way...)
	}
	return out
}

// from is all, with the steps of a run that came to the node at a step, whichever
// run the node was made of.
func (n *node) from(step int) []judge.Finding {
	var out []judge.Finding
	for ; n != nil; n = n.next {
		for _, f := range append(slices.Clone(n.found), n.way...) {
			f.Step += step - n.step
			out = append(out, f)
		}
		step += n.span
	}
	return out
}

// key is what a rest goes by in what is still to come.
type key string

// keyOf is all but what the processes remember. Worlds that it does not tell apart
// are another each.
func keyOf(at int, rest sim.Rest, picture *judge.Picture, s *state) (k key, tells bool) {
	tells = true
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s\n%s\n%s\n", at, rest, picture.Text(true), s.monitor.Digest(s.world))
	if rest != sim.Quiet {
		// It is cut short in the middle of something: all of that matters.
		sum, ok := s.world.Hash()
		tells = ok
		fmt.Fprintf(&b, "%x\n", sum)
	}
	for _, o := range s.world.Awaited() {
		fmt.Fprintf(&b, "awaited %s\n", object.EncodeJSON(o.Root()))
	}
	for _, p := range s.world.Processes() {
		fmt.Fprintf(&b, "%s %v %d\n", p.Name, p.Running, p.ReadyLen)
		for _, item := range p.Waiting {
			// How long a key still waits only matters while it may come due amid
			// what the user does next: beyond that, the order is what counts.
			wait := item.Due.Sub(s.world.Now())
			soon := "later"
			if wait < time.Second {
				soon = wait.Truncate(100 * time.Millisecond).String()
			}
			fmt.Fprintf(&b, "%s %d %s\n", item.Key, item.Failures, soon)
		}
		for _, src := range p.Sources {
			fmt.Fprintf(&b, "%s %v %d %d\n", src.Resource, src.NeedsList, src.Objects, src.WireLen)
		}
	}
	sum := digest.SHA256([]byte(b.String()))
	return key(sum[:16]), tells
}

// like finds a node that a world cannot be told from.
func (x *Explorer) like(k key, memories []any) (*node, bool) {
	if x.options.Unpruned || !tellable(memories) {
		return nil, false
	}
	for _, n := range x.nodes[k] {
		if p := n.goesBy(x.processes()); p.values == partsOf(p.names, memories, x.processes()) {
			return n, true
		}
	}
	return nil, false
}

// processes are the names of the controller processes.
func (x *Explorer) processes() []string {
	if x.names == nil {
		w := x.subject.World()
		for _, c := range w.Config().Controllers {
			x.names = append(x.names, c.Name)
		}
		w.Release()
	}
	return x.names
}

// settle judges a world at rest and plays the rest of the life from it, unless
// that has been done for a world like it.
func (x *Explorer) settle(s *state, at int, rest sim.Rest) (*node, error) {
	n, known, err := x.judged(s, at, rest)
	if err != nil || known || at == len(x.subject.Life) {
		return n, err
	}
	done := len(s.world.Passes())
	if err := s.live(x.subject.Life[at]...); err != nil {
		return nil, err
	}
	if rest, err = s.quiet(); err != nil {
		return nil, err
	}
	n.use(s.world.Passes()[done:])
	n.span = s.world.StepNumber() - n.step
	n.way, n.peaks = s.monitor.Rest()
	n.next, err = x.settle(s, at+1, rest)
	return n, err
}

// judged judges a world at rest, unless that has been done for a world like it.
func (x *Explorer) judged(s *state, at int, rest sim.Rest) (n *node, known bool, err error) {
	picture := x.painter.Picture(s.world)
	k, tells := keyOf(at, rest, picture, s)
	memories := s.world.Memories()
	if tells {
		if n, known = x.like(k, memories); known {
			return n, true, nil
		}
	}
	n = &node{at: at, rest: rest, step: s.world.StepNumber(), memories: memories, errs: s.monitor.Erring(s.world), roots: map[string]string{}}
	n.picture = n.lasting(s, picture)
	n.text = n.picture.Text(false)
	n.found = s.monitor.AtRest(s.world, rest)
	if rest == sim.Quiet {
		passes, err := x.again(s, n)
		n.use(passes)
		if err != nil {
			return nil, false, err
		}
	}
	x.nodes[k] = append(x.nodes[k], n)
	return n, false, nil
}

// lasting leaves out what belongs to an object that is being deleted: how far it
// had come before is chance.
func (n *node) lasting(s *state, all *judge.Picture) *judge.Picture {
	going := map[string]bool{}
	for o := range s.world.Server().All() {
		if o.Object.Terminating() {
			going[s.world.Name(o.Object.Ref())] = true
		}
	}
	out := &judge.Picture{}
	for _, t := range all.Things {
		root := s.monitor.RootOf(s.world, t.Ref)
		n.roots[t.Name] = root
		if root == t.Ref || !going[root] {
			out.Things = append(out.Things, t)
		}
	}
	return out
}

// live has the user act. An action that the server refuses, because a fault
// changed what it is about, is left out, as a user would see it fail.
func (s *state) live(choices ...string) error {
	for _, choice := range choices {
		a, err := sim.ParseAction(choice)
		if err != nil {
			return err
		}
		var refused *sim.InputError
		if _, err = s.step(a); err != nil && !errors.As(err, &refused) {
			return fmt.Errorf("explore: %s: %w", a, err)
		}
	}
	return nil
}

// pause is how far apart two passes are that must do the same: more than a
// second, so that a time written in whole seconds shows.
const pause = 1100 * time.Millisecond

// again has a copy of a world at rest make every pass once more, notes what that
// shows, and returns those passes: what is written again, and what is refused
// still. A pass that a fault hit does not stand for what the reconciler makes of
// the world.
func (x *Explorer) again(s *state, n *node) ([]*sim.Pass, error) {
	c := s.clone()
	c.choices = nil
	defer c.world.Release()
	done := len(c.world.Passes())
	found, err := x.repeat(c)
	n.found, n.refuses = append(n.found, found...), c.monitor.Refusals(c.world)
	return c.world.Passes()[done:], err
}

// erring is the call at which the passes of the finding's object fail, at the
// first rest from here on at which they do.
func (n *node) erring(f judge.Finding) string {
	for ; n != nil; n = n.next {
		if call := n.errs[f.Root]; call != "" {
			return call
		}
	}
	return ""
}

// repeat makes every pass once more, and again where that wrote something: what
// was left to do may be done late, but not over and over.
func (x *Explorer) repeat(s *state) ([]judge.Finding, error) {
	var second []*sim.Pass
	for range 2 {
		done := len(s.world.Passes())
		if err := x.fullPass(s); err != nil {
			return nil, err
		}
		second = s.world.Passes()[done:]
		if !slices.ContainsFunc(second, (*sim.Pass).Effective) {
			return nil, nil
		}
	}
	return s.monitor.SecondPass(s.world, second), nil
}

// fullPass has every controller look at every object.
func (x *Explorer) fullPass(s *state) error {
	done := len(s.world.Passes())
	if _, err := s.step(sim.Act("advance", pause.String())); err != nil {
		return err
	}
	for _, p := range s.world.Processes() {
		if p.Running {
			if _, err := s.step(sim.Act("resync", p.Name)); err != nil {
				return err
			}
		}
	}
	for range maxSteps {
		a, rest := s.world.NextInRun()
		if rest != sim.Going || a.Verb == "tick" || a.Verb == "start" && counted(s.world.Passes()[done:], a) >= 3 {
			break
		}
		if _, err := s.step(a); err != nil {
			return err
		}
	}
	return nil
}

// counted counts the passes of the key that is about to start.
func counted(passes []*sim.Pass, start sim.Action) int {
	n := 0
	for _, p := range passes {
		if p.Process == start.Arg(0) && p.Key == start.Arg(1) {
			n++
		}
	}
	return n
}
