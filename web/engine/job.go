package engine

import (
	"encoding/json"
	"strings"
	"time"
)

// ProveOptions are what a prove command asks for, as JSON in its Text. The zero
// value explores what is open: its scenario, with the script that runs now.
type ProveOptions struct {
	// Scenario is a name of the library or a document.
	Scenario string `json:"scenario,omitempty"`
	// Script takes the place of the first controller's program.
	Script *string `json:"script,omitempty"`
	// Faults are kinds, as a list or as a text with commas; all of them where
	// empty or "all". Depth is 1 where not given.
	Faults FaultList `json:"faults,omitempty"`
	Depth  int       `json:"depth,omitempty"`
	// Schedules are kinds of other orders, as faults are given: all of them where
	// not given or "all", none where "none".
	Schedules ScheduleList `json:"schedules,omitempty"`
	// Invariants are wanted beside what the scenario wants.
	Invariants []ProveInvariant `json:"invariants,omitempty"`
	// Workers is how many explore at once, this one included; what the machine
	// has where not given.
	Workers int `json:"workers,omitempty"`
}

// ProveInvariant is what somebody wants of the state, in jq: at rest, or always.
type ProveInvariant struct {
	Name   string `json:"name"`
	Expr   string `json:"expr"`
	Always bool   `json:"always,omitempty"`
}

// FaultList is kinds of faults: a list of texts, or one text with commas as on a
// command line, where "all" is none.
type FaultList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *FaultList) UnmarshalJSON(data []byte) error {
	list, err := kinds(data)
	if *l = list; len(list) == 1 && list[0] == "all" {
		*l = nil
	}
	return err
}

// ScheduleList is kinds of schedules, as a FaultList; "none" is an empty one.
type ScheduleList []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *ScheduleList) UnmarshalJSON(data []byte) error {
	list, err := kinds(data)
	switch *l = list; {
	case len(list) == 1 && list[0] == "all":
		*l = nil
	case len(list) == 1 && list[0] == "none":
		*l = ScheduleList{}
	}
	return err
}

// kinds reads a list of texts, or one text with commas.
func kinds(data []byte) (list []string, err error) {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return list, json.Unmarshal(data, &list)
	}
	for kind := range strings.SplitSeq(text, ",") {
		if kind = strings.TrimSpace(kind); kind != "" {
			list = append(list, kind)
		}
	}
	return list, nil
}

// ProveView is how far an exploration has come.
type ProveView struct {
	// State is running, paused, done, cancelled or failed.
	State string `json:"state"`
	// Done and Total count the runs of the plan, over all workers; Total is 0
	// while the baseline is played.
	Done  int `json:"done"`
	Total int `json:"total"`
	// Millis is how long it has worked; Left how long it may take still, 0 where
	// that is not known.
	Millis  int64 `json:"millis"`
	Left    int64 `json:"left,omitempty"`
	Workers int   `json:"workers"`
	// Script is the program that is explored; empty where it is the scenario's own
	// in Go.
	Script string `json:"script,omitempty"`
	// Faults are the columns of the matrix, Rows its rows.
	Faults []string   `json:"faults"`
	Rows   []ProveRow `json:"rows"`
	// Findings come at the end, Stopped are those that need a person; Bounds are
	// what the verdict is about, nil before the end.
	Findings []ProveFinding `json:"findings,omitempty"`
	Stopped  []ProveFinding `json:"stopped,omitempty"`
	Bounds   *ProveBounds   `json:"bounds,omitempty"`
	// Error says why it failed.
	Error string `json:"error,omitempty"`
}

// ProveBounds are what an exploration went through, as explore.Bounds.
type ProveBounds struct {
	Faults    []string `json:"faults"`
	Depth     int      `json:"depth"`
	Near      int      `json:"near,omitempty"`
	Sample    int      `json:"sample,omitempty"`
	Seed      uint64   `json:"seed"`
	Schedules []string `json:"schedules"`
	Orders    int      `json:"orders"`
	Places    int      `json:"places"`
	Passes    int      `json:"passes"`
	Acts      int      `json:"acts"`
	Runs      int      `json:"runs"`
	States    int      `json:"states"`
	// Restless says that it does not come to rest even without a fault.
	Restless bool `json:"restless,omitempty"`
}

// ProveRow is a call site: how many runs, how many with a finding, how many that
// stopped, and which finding shows it (from 1, of Findings or else of Stopped), for
// each fault. A cell without runs is not reachable.
type ProveRow struct {
	Site string `json:"site"`
	// Kind is that of the object that the call is about.
	Kind  string   `json:"kind,omitempty"`
	Cells [][4]int `json:"cells"`
}

// ProveFinding is a finding of an exploration with the run that shows it.
type ProveFinding struct {
	Finding  string   `json:"finding"`
	Object   string   `json:"object"`
	Call     string   `json:"call,omitempty"`
	Fault    string   `json:"fault,omitempty"`
	Sentence string   `json:"sentence"`
	Choices  []string `json:"choices"`
	Count    int      `json:"count"`
}

// Workers start further workers beside the engine, where there are any: a Port
// that has this method gives them a task each and brings what they say.
type Workers interface {
	// StartWorkers has n workers begin with a task each, and returns how many did.
	StartWorkers(tasks []string) int
	// Said returns what they said since it was asked last, oldest first.
	Said() []string
	// StopWorkers ends them, whatever they do.
	StopWorkers()
	// Cores is how many the machine has.
	Cores() int
}

// job is a long piece of work that goes on between the commands.
type job interface {
	// work goes on for about so long and reports whether there is more.
	work(now func() time.Time, slice time.Duration) bool
	// view is what the page is told of it.
	view() *ProveView
	// end is what the command is answered.
	end() (json.RawMessage, error)
	pause(bool)
	cancel()
}

// Working reports whether there is work between the commands.
func (e *Engine) Working() bool { return e.job != nil && !e.jobPaused }

// Work goes on with it for about 10 ms, and tells the page now and then.
func (e *Engine) Work(now func() time.Time) {
	const slice, tellEvery = 10 * time.Millisecond, 150 * time.Millisecond
	if e.job.work(now, slice) {
		if t := now(); t.Sub(e.jobTold) >= tellEvery {
			e.jobTold = t
			e.post(Reply{ID: e.jobID, Delta: &Delta{EventsFrom: -1, Prove: e.job.view()}})
		}
		return
	}
	e.endJob()
}

// endJob answers the command that began the job, and tells the page how it
// ended.
func (e *Engine) endJob() {
	j, r := e.job, Reply{ID: e.jobID, Done: true}
	e.job, e.jobPaused = nil, false
	result, err := j.end()
	if err != nil {
		r.Error = wireError(err)
	}
	r.Result, r.Delta = result, &Delta{EventsFrom: -1, Prove: j.view()}
	e.post(r)
}

// dropJob cancels the job that is under way, if there is one. Another one starts
// its workers only then: what ends workers ends all of them.
func (e *Engine) dropJob() {
	if e.job != nil {
		e.job.cancel()
		e.endJob()
	}
}

// Leave ends what goes on between the commands, and answers for it: another engine
// takes this one's place.
func (e *Engine) Leave() { e.dropJob() }

// beginJob takes a job up. There is none under way.
func (e *Engine) beginJob(id int64, j job) {
	e.job, e.jobID, e.jobPaused = j, id, false
	e.post(Reply{ID: id, Delta: &Delta{EventsFrom: -1, Prove: j.view()}})
}

// proving pauses, resumes or cancels the job.
func (e *Engine) proving(act string) error {
	if e.job == nil {
		return &Error{Message: "nothing is being explored", Reason: "NotEnabled"}
	}
	switch act {
	case "pause", "resume":
		e.jobPaused = act == "pause"
		e.job.pause(e.jobPaused)
		e.post(Reply{ID: e.jobID, Delta: &Delta{EventsFrom: -1, Prove: e.job.view()}})
	case "cancel":
		e.job.cancel()
		e.endJob()
	default:
		return badInput("proving takes pause, resume or cancel, not %q", act)
	}
	return nil
}
