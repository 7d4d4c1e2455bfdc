package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// Engine holds one cluster's timeline and serves commands about it. It is used
// from one goroutine. Its zero value is of no use: call New.
type Engine struct {
	port     Port
	scenario *scenario.Scenario
	// base is the cluster that the timeline starts from, nil for the
	// scenario's own.
	base  *sim.Snapshot
	line  *timeline.Timeline
	files []File
	// told is what the page was told last.
	told told
	// stored is what storage was given last.
	stored stored
	// watch judges the run.
	watch follower
	// subjectDoc is the document of what was proved or graded last.
	subjectDoc string
	// tale is the story of the scenario, once it was asked for.
	tale *tale
	// armed is a fault that waits for something that it can hit.
	armed string
	// aside are the runs that others took the place of, oldest first.
	aside []kept
	// lastKept is the ID of the run that was put aside last, whether it is there
	// still or not.
	lastKept int
	// lessons is how far the person has come with the lessons, as the page has it.
	lessons json.RawMessage
	// notice waits to be said with the next delta.
	notice *Notice
	// job goes on between the commands; jobID is the command that began it, and
	// jobTold when the page was told of it last.
	job       job
	jobID     int64
	jobPaused bool
	jobTold   time.Time
}

// New returns an engine that has to be opened: by Open, or by a command that
// loads a scenario.
func New(port Port) *Engine { return &Engine{port: port} }

// Handle serves one command and posts its replies.
func (e *Engine) Handle(cmd Command) {
	if cmd.Method == "prove" && e.line != nil {
		// It is answered when it ends: see Work.
		if err := e.prove(cmd.ID, cmd.Text); err != nil {
			e.post(Reply{ID: cmd.ID, Done: true, Error: wireError(err)})
		}
		return
	}
	result, err := e.serve(cmd)
	r := Reply{ID: cmd.ID, Done: true}
	if p, ok := result.(partly); ok {
		result, r.Error = p.event, wireError(p.refused)
	}
	if w, ok := result.(doubted); ok {
		result, r.Marks = w.event, w.marks
	}
	if err != nil {
		r.Error = wireError(err)
	} else if result != nil {
		text, jerr := json.Marshal(result)
		if jerr != nil {
			r.Error = &Error{Message: jerr.Error(), Reason: "Internal"}
		}
		r.Result = text
	}
	if e.line != nil {
		r.Delta = e.delta(false)
	}
	e.post(r)
}

// partObjects is how many objects one message tells of at most.
const partObjects = 64

// post tells of the objects that are too many for one message in messages
// before it.
func (e *Engine) post(r Reply) {
	if r.Delta != nil {
		for len(r.Delta.Objects) > partObjects {
			// In a browser the collector runs only while others wait.
			runtime.Gosched()
			part := r.Delta.Objects[:partObjects]
			r.Delta.Objects = r.Delta.Objects[partObjects:]
			e.port.Post(Reply{ID: r.ID, Delta: &Delta{Part: true, EventsFrom: -1, Objects: part}})
		}
	}
	e.port.Post(r)
}

func (e *Engine) serve(cmd Command) (any, error) {
	switch cmd.Method {
	case "load":
		return e.load(cmd.Text)
	case "scenario":
		return nil, e.pick(cmd.Name)
	case "openLink":
		return e.openLink(cmd.ID, cmd.Text)
	case "openRun":
		return e.openRun(cmd.ID, cmd.Text)
	case "reset":
		return nil, e.pick("lab")
	}
	if e.line == nil {
		return nil, &Error{Message: "no scenario is open", Reason: "NotEnabled"}
	}
	switch cmd.Method {
	case "apply":
		return e.apply(cmd.Text, cmd.Name)
	case "delete":
		a := sim.Act("delete", cmd.Ref)
		if cmd.Policy != "" {
			a.Args = append(a.Args, "cascade="+cmd.Policy)
		}
		return e.choose(a)
	case "unfinalize":
		return e.choose(sim.Act("unfinalize", cmd.Ref, cmd.Name))
	case "patch":
		return e.choose(sim.Act("patch", cmd.Ref, cmd.Text))
	case "advance":
		return e.choose(sim.Act("advance", cmd.Duration))
	case "crash", "restart":
		return e.process(cmd.Method, cmd.Name)
	case "setScript":
		return e.setScript(cmd.Text, cmd.Name, cmd.Ref)
	case "kubectl":
		return e.kubectl(cmd.ID, cmd.Text)
	case "shell":
		return e.shell(cmd.ID, cmd.Text, "")
	case "cure":
		return nil, e.cure(cmd.Name)
	case "inject":
		return e.inject(cmd.Name)
	case "step":
		return e.step(cmd.Action)
	case "stepCall":
		return e.stepCall(cmd.ID)
	case "run":
		return e.run(cmd.ID)
	case "rerun":
		return e.rerun(cmd.ID)
	case "grade":
		return e.grade(cmd.Name)
	case "progress":
		if !json.Valid([]byte(cmd.Text)) {
			return nil, badInput("the progress is no JSON")
		}
		e.lessons, e.told.progress = json.RawMessage(cmd.Text), false
		return nil, e.commit([]Record{record(storeMeta, metaProgress, e.lessons)})
	case "proving":
		return nil, e.proving(cmd.Name)
	case "interrupt":
		return nil, nil
	case "takeUp":
		return nil, e.takeUp(cmd.N)
	case "dropKept":
		return nil, e.dropKept(cmd.N)
	}
	return e.tell(cmd)
}

// tell serves the commands that ask about what is there, and those of the story.
func (e *Engine) tell(cmd Command) (any, error) {
	switch cmd.Method {
	case "story":
		return e.recount()
	case "playStory":
		return e.playStory(cmd.ID, cmd.N)
	case "enabled":
		return e.enabledNames(), nil
	case "state":
		return e.state(), nil
	case "plots":
		return e.plots(), nil
	case "inspect":
		return inspect(cmd.Text)
	case "report":
		return e.report(cmd.Format)
	case "export":
		return e.export()
	case "link":
		return e.link()
	case "source":
		return e.scenario.Source(), nil
	}
	return nil, e.travel(cmd)
}

// travel serves the commands that move along the timeline, or keep what stands
// beside it.
func (e *Engine) travel(cmd Command) error {
	n := e.line.View()
	switch cmd.Method {
	case "file":
		return e.file(cmd)
	case "back":
		n--
	case "seek":
		n = cmd.N
	case "fork":
		if n < e.line.Len() {
			e.notice = &Notice{Code: "branch-kept", N: n + 1}
		}
		e.line.Fork()
		return e.commitAll()
	case "branch":
		if cmd.N < 0 || cmd.N >= len(e.line.Branches()) {
			return badInput("there is no branch %d", cmd.N)
		}
		if err := playable(e.line.Branches()[cmd.N].Choices); err != nil {
			return err
		}
		err := e.line.Switch(cmd.N)
		if stored := e.commitAll(); err == nil {
			err = stored
		}
		return err
	default:
		return &Error{Message: fmt.Sprintf("there is no command %q", cmd.Method), Reason: "NotImplemented"}
	}
	if n < 0 || n > e.line.Len() {
		return badInput("step %d is not within 0 and %d", n, e.line.Len())
	}
	e.line.Seek(n)
	return nil
}

func badInput(format string, args ...any) *Error {
	return &Error{Message: fmt.Sprintf(format, args...), Reason: "BadInput"}
}

// wireError words an error for the page, with the places it is about.
func wireError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	out := &Error{Message: err.Error(), Reason: "BadInput"}
	var in *sim.InputError
	var status *api.Status
	var doc *scenario.Error
	switch {
	case errors.As(err, &status) && status.Reason != "":
		out.Reason = status.Reason
	case errors.Is(err, sim.ErrNotEnabled):
		out.Reason = "NotEnabled"
	case errors.Is(err, scenario.ErrNoScripts), errors.Is(err, sim.ErrNoPrograms), errors.Is(err, sim.ErrNoShell):
		out.Reason = ReasonScripts
	}
	if errors.As(err, &in) {
		out.Marks = marks(in)
	}
	if errors.As(err, &doc) && doc.Line > 0 {
		out.Marks = []Mark{{Line: doc.Line, Col: doc.Col, Field: doc.Field, Message: doc.Message}}
	}
	return out
}

func marks(in *sim.InputError) []Mark {
	if len(in.All) == 0 {
		if in.Line == 0 {
			return nil
		}
		return []Mark{{Line: in.Line, Col: in.Col, Field: in.Field, Message: in.Error()}}
	}
	out := make([]Mark, len(in.All))
	for i, p := range in.All {
		out[i] = Mark{Line: p.Line, Col: p.Col, Field: p.Field, Message: p.Error()}
	}
	return out
}
