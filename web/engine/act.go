package engine

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// choose makes one choice, commits it and returns its event. A refused choice
// changes nothing. Where the commit fails the step stands in memory, and the
// page is told; the next commit writes what this one did not.
func (e *Engine) choose(a sim.Action) (sim.Event, error) {
	left, cuts, branches := e.line.Choices(), len(e.line.Cuts()), e.line.Branches()
	ev, err := e.line.Choose(a.String())
	if err != nil {
		return sim.Event{}, err
	}
	switch {
	case len(e.line.Cuts()) != cuts:
		// A run of which the last step is done again is no branch.
		e.notice = &Notice{Code: "branch-kept", N: ev.N, Over: !e.line.Keeps(left)}
	case len(e.line.Branches()) == len(branches):
		e.lost(e.commitStep(ev))
		return ev, nil
	case !e.line.Keeps(branches[len(branches)-1].Choices):
		// The one that was left last was done again to its end.
		e.notice = &Notice{Code: "branch-kept", Over: true}
	}
	e.lost(e.commitAll())
	return ev, nil
}

// partly is the result of an input of which some was done and some refused.
type partly struct {
	event   sim.Event
	refused error
}

// apply gives documents to the server. A file that they were the text of keeps
// it beside what is typed from then on.
func (e *Engine) apply(text, file string) (any, error) {
	ev, err := e.choose(sim.Act("apply", text))
	if err != nil {
		return nil, err
	}
	if refused := e.line.Tip().Refused(); refused != nil {
		return partly{ev, refused}, nil
	}
	for i := range e.files {
		if f := &e.files[i]; f.Name == file && f.Applied != text {
			f.Applied = text
			e.lost(e.commitFiles())
		}
	}
	return ev, nil
}

// lost tells the page of a commit that failed, if it did.
func (e *Engine) lost(err error) {
	if err != nil {
		e.notice = &Notice{Code: "storage-lost", Detail: err.Error()}
	}
}

// process crashes or restarts a process; restart of a running one is both.
func (e *Engine) process(verb, name string) (any, error) {
	procs := e.line.World().ProcessesHead(0)
	if name == "" {
		if len(procs) > 1 {
			return nil, badInput("name the process: there are %d", len(procs))
		}
		name = procs[0].Name
	}
	var events []sim.Event
	for _, p := range procs {
		if p.Name == name && p.Running && verb == "restart" {
			ev, err := e.choose(sim.Act("crash", name))
			if err != nil {
				return nil, err
			}
			events = append(events, ev)
		}
	}
	ev, err := e.choose(sim.Act(verb, name))
	if err != nil {
		return nil, err
	}
	return append(events, ev), nil
}

// step takes the action named, or the first of those enabled: a timer where
// nothing else is left.
func (e *Engine) step(name string) (any, error) {
	if name != "" {
		a, err := sim.ParseAction(name)
		if err != nil {
			return nil, badInput("%v", err)
		}
		return e.choose(e.armedFor(a))
	}
	a, ok := e.first()
	if !ok {
		if err := e.down(); err != nil {
			return nil, err
		}
		return nil, &Error{Message: "nothing can happen until you act: apply, delete, advance the clock, or run it again", Reason: "NotEnabled"}
	}
	return e.choose(e.armedFor(a))
}

// down is the error of an act that waits for a process that has crashed, nil
// where all run.
func (e *Engine) down() error {
	for _, p := range e.line.World().ProcessesHead(0) {
		if !p.Running {
			return &Error{Message: p.Name + " has crashed, and nothing happens without it: restart it first", Reason: "NotEnabled"}
		}
	}
	return nil
}

// first is the action that Step takes where nobody picks one.
func (e *Engine) first() (sim.Action, bool) {
	w := e.line.World()
	if a, ok := w.Next(); ok {
		return a, true
	}
	if _, ok := w.NextTimer(); ok {
		return sim.Act("tick"), true
	}
	return sim.Action{}, false
}

// stepCall steps until a call of a pass has been served.
func (e *Engine) stepCall(id int64) (any, error) {
	var events []sim.Event
	for {
		a, rest := e.line.World().NextInRun()
		if rest != sim.Going {
			if len(events) == 0 {
				if err := e.down(); err != nil {
					return nil, err
				}
				return nil, &Error{Message: "no pass has a call to make: nothing is queued that would start one", Reason: "NotEnabled"}
			}
			return events, nil
		}
		ev, err := e.choose(e.armedFor(a))
		if err != nil {
			return events, err
		}
		events = append(events, ev)
		if a.Verb == "call" || e.port.Interrupted() {
			return events, nil
		}
		e.progress(id, len(events))
	}
}

// progressEvery is how many steps of a run the page waits to be told of.
const progressEvery = 16

func (e *Engine) progress(id int64, steps int) {
	if steps%progressEvery == 0 {
		e.post(Reply{ID: id, Delta: e.delta(false)})
	}
}

// run steps until the world is quiet.
func (e *Engine) run(id int64) (any, error) {
	events, err := e.toQuiet(id)
	return events, err
}

func (e *Engine) toQuiet(id int64) ([]sim.Event, error) {
	events, since := []sim.Event{}, e.line.Len()
	for {
		a, rest := e.line.World().NextInRun()
		if rest != sim.Going {
			if rest != sim.Quiet {
				e.notice = &Notice{Code: "not-quiet", Detail: string(rest), N: len(events)}
			}
			e.atRest(rest)
			return events, nil
		}
		ev, err := e.choose(e.armedFor(a))
		if err != nil {
			return events, err
		}
		events = append(events, ev)
		if e.port.Interrupted() || len(events)%progressEvery == 0 && e.spinning(since) {
			return events, nil
		}
		e.progress(id, len(events))
	}
}

// rerun asks every running controller to look at every key again, and runs to
// quiet: the full pass whose evidence is that no resourceVersion moves.
func (e *Engine) rerun(id int64) (any, error) {
	events := []sim.Event{}
	for _, p := range e.line.World().ProcessesHead(0) {
		if err := e.down(); err != nil {
			return nil, err
		}
		ev, err := e.choose(sim.Act("resync", p.Name))
		if err != nil {
			return nil, err
		}
		events = append(events, ev)
	}
	more, err := e.toQuiet(id)
	return append(events, more...), err
}

// file keeps one file of the editor.
func (e *Engine) file(cmd Command) error {
	if cmd.Name == "" {
		return badInput("a file needs a name")
	}
	at := -1
	for i, f := range e.files {
		if f.Name == cmd.Name {
			at = i
		}
	}
	switch {
	case cmd.Remove && at >= 0:
		e.files = append(e.files[:at:at], e.files[at+1:]...)
	case cmd.Remove:
		return badInput("there is no file %q", cmd.Name)
	case at >= 0:
		e.files[at].Text = cmd.Text
	default:
		f := File{Name: cmd.Name, Text: cmd.Text, Applied: cmd.Text}
		if strings.HasSuffix(cmd.Name, ".sh") {
			// A program is applied when it is rolled out.
			f.Applied = ""
		}
		e.files = append(e.files, f)
	}
	return e.commitFiles()
}

func (e *Engine) enabledNames() []string {
	names := []string{}
	for _, a := range e.line.World().Enabled() {
		names = append(names, a.String())
	}
	return names
}
