package scenario

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Block is a piece of a steps member: command lines, and what they print.
type Block struct {
	// Line is that of the first command, from 1 within the document; comments
	// and empty lines before it are in Lead.
	Line int
	Lead []string
	// Commands are the lines as written; Choices are those that they made.
	Commands, Choices []string
	// Want is the output that the document gives, Got that of the run. Checked
	// says that the document has a line ---- for it.
	Want, Got string
	Checked   bool
}

// Mismatch reports whether the block's output is not the one given.
func (b Block) Mismatch() bool { return b.Got != b.Want }

// Says is what the comments before the commands say, as one text: an act of an
// incident is told by them.
func (b Block) Says() string {
	var words []string
	for _, l := range b.Lead {
		words = append(words, strings.Fields(strings.TrimPrefix(l, "#"))...)
	}
	return strings.Join(words, " ")
}

// RunSteps runs the steps of a scenario from its start and returns its blocks
// with their output. An error is an *Error: a command that there is not, or one
// that was refused where the block did not ask for its output.
//
// Lines up to ---- are commands, those after it are what they print, up to an
// empty line. A block of commands without ---- ends at an empty line and must
// print nothing but what steps print by themselves, which is dropped. Lines
// that begin with # are comments.
//
//	ACTION               any action by its printed name; apply takes a file of files/
//	step [N]             what happens next by itself, N times
//	run                  steps until the world is quiet
//	life [N]             the next N actions of the life, or all that are left, each
//	                     once the world is quiet; then run
//	rerun                every controller looks at every resource again, then run
//	until ACTION         steps until that action has been made
//	show REF [PATH...]   an object as YAML, or the values at JSONPath expressions
//	rv                   the resourceVersions that changed since rv was last asked for
//	events               the events since they were last asked for
//	pass [KEY] [QUESTION...]
//	                     the last pass (of a key), in hand or ended: its answers
//	passes               a line for each pass that ended since they were last asked for
//	queue, wire, cache, cloud
//	                     what is there now
//	output               what the last line of the terminal printed
//	enabled, faults      what could happen now; which faults could be made now
//	clock                the virtual time since the start
//	expect quiet         fails where the world is not at rest
func (s *Scenario) RunSteps() ([]Block, error) {
	blocks, err := parseSteps(s.Steps, s.StepsLine)
	if err != nil {
		return nil, err
	}
	r := &runner{}
	if err := r.begin(s); err != nil {
		return nil, err
	}
	defer r.world.Release()
	for i := range blocks {
		if err := r.block(&blocks[i]); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// FormatSteps prints blocks as a steps member, with the output of the run.
func FormatSteps(blocks []Block) string {
	var b strings.Builder
	for i, k := range blocks {
		for _, l := range k.Lead {
			b.WriteString(l + "\n")
		}
		for _, l := range k.Commands {
			b.WriteString(l + "\n")
		}
		if k.Checked || k.Got != "" {
			b.WriteString("----\n" + k.Got)
		}
		if i < len(blocks)-1 && len(k.Commands) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// parseSteps takes the text of a steps member apart. line is that of its first
// line.
func parseSteps(text string, line int) ([]Block, error) {
	var blocks []Block
	var now Block
	output := false
	end := func() {
		if len(now.Commands) > 0 || len(now.Lead) > 0 {
			blocks = append(blocks, now)
		}
		now, output = Block{}, false
	}
	for i, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		l = strings.TrimSuffix(l, "\r")
		switch {
		case strings.TrimSpace(l) == "" && len(now.Commands) > 0:
			end()
		case output:
			now.Want += l + "\n"
		case l == "----" && len(now.Commands) == 0:
			return nil, &Error{File: "steps", Line: line + i, Message: "output without a command before it"}
		case l == "----":
			now.Checked, output = true, true
		case len(now.Commands) == 0 && (strings.TrimSpace(l) == "" || l[0] == '#'):
			now.Lead = append(now.Lead, l)
		default:
			if len(now.Commands) == 0 {
				now.Line = line + i
			}
			now.Commands = append(now.Commands, l)
		}
	}
	end()
	return blocks, nil
}

// runner is a world that commands are run against.
type runner struct {
	scenario *Scenario
	world    *sim.World
	events   []sim.Event
	// choices are those made since the block began.
	choices []string
	// seen events and told passes were asked for already.
	seen, told int
	// versions are those last asked for.
	versions []version
	out      strings.Builder
	// lived is how many actions of the life were made.
	lived int
}

// begin opens a scenario.
func (r *runner) begin(s *Scenario) error {
	*r = runner{scenario: s, world: s.World()}
	r.versions = r.resourceVersions()
	for _, c := range s.Start {
		if err := r.choose(c); err != nil {
			return &Error{File: "start", Message: fmt.Sprintf("%s: %v", c, err)}
		}
	}
	r.seen, r.told = len(r.events), len(r.world.Passes())
	return nil
}

// live makes actions of the life.
func (r *runner) live(a sim.Action) error {
	n := len(r.scenario.Life)
	if len(a.Args) > 0 {
		k, err := strconv.Atoi(a.Args[0])
		if err != nil || k < 1 || r.lived+k > n {
			return &Error{Message: fmt.Sprintf("life takes a number from 1 to what is left of it, %d, not %q", n-r.lived, a.Args[0])}
		}
		n = r.lived + k
	}
	for ; r.lived < n; r.lived++ {
		if err := r.run(); err != nil {
			return err
		}
		if err := r.choose(r.scenario.Life[r.lived]); err != nil {
			return fmt.Errorf("%s: %w", r.scenario.Life[r.lived], err)
		}
	}
	return r.run()
}

func (r *runner) block(b *Block) error {
	r.out.Reset()
	r.choices = nil
	for i, l := range b.Commands {
		err := r.command(l)
		var bad *Error
		switch {
		case errors.As(err, &bad):
			bad.File, bad.Line = "steps", b.Line+i
			return bad
		case err != nil && !b.Checked:
			return &Error{File: "steps", Line: b.Line + i, Message: fmt.Sprintf("%s: %v", l, err)}
		case err != nil:
			r.print("error: " + err.Error())
		}
	}
	b.Got, b.Choices = r.out.String(), r.choices
	return nil
}

// print adds lines to the output. An empty line would end it, so it shows.
func (r *runner) print(text string) {
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			l = "·"
		}
		r.out.WriteString(strings.TrimRight(l, " ") + "\n")
	}
}

func (r *runner) choose(choice string) error {
	a, err := sim.ParseAction(choice)
	if err != nil {
		return &Error{Message: err.Error()}
	}
	return r.act(a)
}

func (r *runner) act(a sim.Action) error {
	e, err := r.world.Step(a)
	if err == nil {
		r.events, r.choices = append(r.events, e), append(r.choices, a.String())
	}
	return err
}

// command runs one line. An *Error is a line that makes no sense; any other
// error is one of the run.
func (r *runner) command(line string) error {
	a, err := parseLine(line)
	if err != nil {
		return &Error{Message: err.Error()}
	}
	if show, ok := shows[a.Verb]; ok {
		return show(r, a)
	}
	if a.Verb == "cloud" && len(a.Args) == 0 {
		return r.showCloud()
	}
	switch a.Verb {
	case "step":
		n := 1
		if len(a.Args) > 0 {
			if n, err = strconv.Atoi(a.Args[0]); err != nil || n < 1 {
				return &Error{Message: fmt.Sprintf("step takes a number above zero, not %q", a.Args[0])}
			}
		}
		for range n {
			if err := r.next(); err != nil {
				return err
			}
		}
		return nil
	case "run":
		return r.run()
	case "life":
		return r.live(a)
	case "rerun":
		for _, p := range r.world.Processes() {
			if err := r.act(sim.Act("resync", p.Name)); err != nil {
				return err
			}
		}
		return r.run()
	case "until":
		return r.until(sim.Action{Verb: a.Arg(0), Args: a.Args[min(1, len(a.Args)):]})
	case "expect":
		if a.Arg(0) != "quiet" || len(a.Args) != 1 {
			return &Error{Message: "expect knows only: expect quiet"}
		}
		if !r.world.Quiet() {
			return errors.New("the world is not quiet")
		}
		return nil
	}
	if a, err = r.scenario.expand(a); err != nil {
		return &Error{Message: err.Error()}
	}
	return r.act(a)
}

// next makes the step that happens by itself.
func (r *runner) next() error {
	if a, ok := r.world.Next(); ok {
		return r.act(a)
	}
	return r.act(sim.Act("tick"))
}

func (r *runner) run() error {
	for {
		a, rest := r.world.NextInRun()
		switch rest {
		case sim.Going:
			if err := r.act(a); err != nil {
				return err
			}
		case sim.Quiet:
			return nil
		default:
			return fmt.Errorf("the run does not come to rest: %s", rest)
		}
	}
}

// until steps until an action has been made by itself.
func (r *runner) until(want sim.Action) error {
	for {
		a, rest := r.world.NextInRun()
		if rest != sim.Going {
			return fmt.Errorf("%s does not happen: %s", want, rest)
		}
		if err := r.act(a); err != nil {
			return err
		}
		if a.Equal(want) {
			return nil
		}
	}
}

// object finds what a command names.
func (r *runner) object(ref string) (object.Object, error) {
	o, ok := object.ParseRef(ref)
	if !ok {
		return object.Object{}, &Error{Message: fmt.Sprintf("%q is no reference such as WebApp/default/plain", ref)}
	}
	found, ok := r.world.Server().Find(o)
	if !ok {
		return object.Object{}, fmt.Errorf("%s: not there", ref)
	}
	return found, nil
}
