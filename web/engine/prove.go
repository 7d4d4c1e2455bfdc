//go:build !js || scripts

package engine

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/report/verdict"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// proveTask is what a worker explores: one shard of the runs.
type proveTask struct {
	// Document is the whole scenario, with its script.
	Document string   `json:"document"`
	Faults   []string `json:"faults,omitempty"`
	// Schedules are all kinds where nil.
	Schedules  []string            `json:"schedules"`
	Invariants []explore.Invariant `json:"invariants,omitempty"`
	Depth      int                 `json:"depth,omitempty"`
	Shard      int                 `json:"shard"`
	Shards     int                 `json:"shards"`
}

// proveSaid is what a worker says of its shard: the runs since it said something
// last. A run is said once.
type proveSaid struct {
	Shard  int               `json:"shard"`
	Runs   []explore.Outcome `json:"runs"`
	States []string          `json:"states,omitempty"`
	// Done and Total are of its whole plan.
	Done  int    `json:"done"`
	Total int    `json:"total"`
	Over  bool   `json:"over"`
	Error string `json:"error,omitempty"`
}

func (t proveTask) explorer() (*explore.Explorer, error) {
	s, err := scenario.Parse([]byte(t.Document))
	if err != nil {
		return nil, err
	}
	subject, err := explore.Of(s).Wanting(t.Invariants)
	if err != nil {
		return nil, err
	}
	return explore.New(subject, explore.Options{Faults: t.Faults, Schedules: t.Schedules, Depth: t.Depth, Seed: 1, Shard: t.Shard, Shards: t.Shards})
}

// Prover explores one shard in a worker beside the engine. Call Work until it
// reports that nothing is left.
type Prover struct {
	task     proveTask
	explorer *explore.Explorer
	said     int
	known    map[string]bool
	failed   error
}

// NewProver begins a task, as the engine gave it to its port. An error is said
// by the first Work.
func NewProver(task string) *Prover {
	p := &Prover{known: map[string]bool{}}
	if p.failed = json.Unmarshal([]byte(task), &p.task); p.failed == nil {
		p.explorer, p.failed = p.task.explorer()
	}
	return p
}

// Work goes on for about so long. It returns what is to be told the engine.
func (p *Prover) Work(now func() time.Time, slice time.Duration) (said string, more bool) {
	s := proveSaid{Shard: p.task.Shard}
	for began := now(); p.failed == nil && !s.Over; {
		s.Over, p.failed = p.explorer.Step(1)
		if now().Sub(began) >= slice {
			break
		}
	}
	if p.failed != nil {
		s.Error, s.Over = p.failed.Error(), true
	} else {
		all := p.explorer.Outcomes()
		s.Runs, p.said = all[p.said:], len(all)
		s.Done, s.Total = p.explorer.Progress()
		if s.Over {
			s.States = p.explorer.States()
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return string(text), !s.Over
}

// proving is the job of an exploration.
type proving struct {
	port     Port
	scenario *scenario.Scenario
	script   string
	explorer *explore.Explorer
	shards   int
	// over says which shards are done; done is how far each is in the plan.
	over  []bool
	done  []int
	total int
	spent time.Duration
	state string
	err   error
	final *explore.Result
}

// prove begins an exploration; the command is answered when it ends.
func (e *Engine) prove(id int64, text string) error {
	var o ProveOptions
	if text != "" {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			return badInput("prove takes options as JSON: %v", err)
		}
	}
	s, err := e.subject(o)
	if err != nil {
		return err
	}
	e.subjectDoc = s.Source()
	j := &proving{port: e.port, scenario: s, script: s.Controllers[0].Script, shards: 1, state: "running"}
	workers, _ := e.port.(Workers)
	if workers != nil {
		j.shards = o.Workers
		if j.shards <= 0 {
			j.shards = 1 + max(0, min(4, workers.Cores()-1)) // those beside the engine, and itself
		}
	}
	task := func(shard, shards int) proveTask {
		return proveTask{Document: s.Source(), Faults: o.Faults, Schedules: o.Schedules, Invariants: invariants(o.Invariants), Depth: o.Depth, Shard: shard, Shards: shards}
	}
	if _, err := task(0, 1).explorer(); err != nil {
		return err
	}
	e.dropJob()
	var tasks []string
	for shard := 1; shard < j.shards; shard++ {
		t, err := json.Marshal(task(shard, j.shards))
		if err != nil {
			return err
		}
		tasks = append(tasks, string(t))
	}
	if len(tasks) > 0 && workers.StartWorkers(tasks) < len(tasks) {
		workers.StopWorkers()
		j.shards = 1
	}
	if j.explorer, err = task(0, j.shards).explorer(); err != nil {
		return err
	}
	j.over, j.done = make([]bool, j.shards), make([]int, j.shards)
	e.beginJob(id, j)
	return nil
}

// invariants are those of the options as core has them.
func invariants(all []ProveInvariant) []explore.Invariant {
	var out []explore.Invariant
	for _, i := range all {
		out = append(out, explore.Invariant{Name: i.Name, Expr: i.Expr, Always: i.Always})
	}
	return out
}

// subject is the scenario that is to be explored: the one named or the one that
// is open, with the script given or the one that runs now.
func (e *Engine) subject(o ProveOptions) (s *scenario.Scenario, err error) {
	s = e.scenario
	switch {
	case strings.Contains(o.Scenario, "\n"):
		s, err = scenario.Parse([]byte(o.Scenario))
	case o.Scenario != "":
		s, err = scenario.Load(o.Scenario)
	}
	if err != nil {
		return nil, err
	}
	if o.Script != nil {
		return s.WithScript(scriptOf(s), *o.Script)
	}
	if text, ok := e.script(); o.Scenario == "" && ok {
		return s.WithScript(scriptOf(s), text)
	}
	return s, nil
}

// script is the text that was deployed last in place of the first controller's
// program; false where the scenario's own runs.
func (e *Engine) script() (string, bool) {
	p := e.line.World().ProcessesHead(0)[0].Program
	return p.Text, p.Name != ""
}

// scriptOf is what the first controller's script is called.
func scriptOf(s *scenario.Scenario) string {
	if name := s.Controllers[0].Script; name != "" {
		return name
	}
	return ScriptName
}

func (j *proving) work(now func() time.Time, slice time.Duration) bool {
	began := now()
	defer func() { j.spent += now().Sub(began) }()
	for !j.over[0] && j.err == nil && now().Sub(began) < slice {
		j.over[0], j.err = j.explorer.Step(1)
		j.done[0], j.total = j.explorer.Progress()
	}
	j.listen()
	if j.err == nil && !j.allOver() {
		return true
	}
	for told := false; j.err == nil && !told; {
		if told, j.err = j.explorer.Tell(); !told && j.err == nil && now().Sub(began) >= slice {
			return true
		}
	}
	j.state = "done"
	if j.err == nil {
		j.final, j.err = j.explorer.Result()
	}
	if j.err != nil {
		j.state = "failed"
	}
	j.stop()
	return false
}

func (j *proving) allOver() bool {
	for _, over := range j.over {
		if !over {
			return false
		}
	}
	return true
}

// listen takes in what the other workers made.
func (j *proving) listen() {
	if j.shards == 1 {
		return
	}
	for _, text := range j.port.(Workers).Said() {
		var s proveSaid
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			j.err = err
		} else if s.Error != "" {
			j.err = errors.New(s.Error)
		} else {
			j.explorer.Take(s.Runs, s.States)
			j.over[s.Shard], j.done[s.Shard] = s.Over, s.Done
		}
	}
}

func (j *proving) stop() {
	if j.shards > 1 {
		j.port.(Workers).StopWorkers()
	}
}

func (j *proving) pause(paused bool) {
	j.state = "running"
	if paused {
		j.state = "paused"
	}
}

func (j *proving) cancel() {
	j.state = "cancelled"
	j.stop()
}

func (j *proving) end() (json.RawMessage, error) {
	switch {
	case j.err != nil:
		return nil, j.err
	case j.state == "cancelled":
		return nil, &Error{Message: "the exploration was cancelled", Reason: "Interrupted"}
	}
	return verdict.Prove(j.scenario, j.final, verdict.Again{}).JSON(), nil
}

func (j *proving) view() *ProveView {
	v := &ProveView{State: j.state, Total: j.total, Millis: j.spent.Milliseconds(), Workers: j.shards, Script: j.script}
	// Each worker goes through the whole plan and makes the runs of its shard.
	for _, done := range j.done {
		v.Done += done / j.shards
	}
	if v.Done = min(v.Done, v.Total); v.Done > 0 && j.state == "running" {
		v.Left = v.Millis * int64(v.Total-v.Done) / int64(v.Done)
	}
	m := j.explorer.Matrix()
	if j.final != nil {
		m = j.final.Matrix
	}
	v.Faults = m.Faults
	for _, row := range m.Rows {
		r := ProveRow{Site: row.Site, Kind: row.Kind}
		for _, c := range row.Cells {
			r.Cells = append(r.Cells, [4]int{c.Runs, c.Found, c.Stopped, c.Shows})
		}
		v.Rows = append(v.Rows, r)
	}
	if j.err != nil {
		v.Error = j.err.Error()
	}
	if j.final != nil {
		v.Done = v.Total
		v.Findings, v.Stopped = findings(j.final.Findings), findings(j.final.Stopped)
		bounds := ProveBounds(j.final.Bounds)
		v.Bounds = &bounds
	}
	return v
}

func findings(all []judge.Finding) []ProveFinding {
	var out []ProveFinding
	for _, f := range all {
		out = append(out, ProveFinding{
			Finding: f.Finding, Object: f.Object, Call: f.Call, Fault: f.Fault, Sentence: f.Sentence, Choices: f.Choices, Count: f.Count,
		})
	}
	return out
}

// grade plays the life of a lesson with the script that runs now, or with the
// lesson's own program where none was written, and judges it. lesson is a name
// of the library; empty, the scenario that is open.
func (e *Engine) grade(lesson string) (any, error) {
	s, err := e.subject(ProveOptions{Scenario: lesson})
	if err != nil {
		return nil, err
	}
	if text, ok := e.script(); lesson != "" && ok {
		if s, err = s.WithScript(scriptOf(s), text); err != nil {
			return nil, err
		}
	}
	e.subjectDoc = s.Source()
	g, err := grade.Run(s)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(verdict.Graded(s, g, verdict.Again{}).JSON()), nil
}

// checksOf are those of a scenario, ready to be made.
func checksOf(s *scenario.Scenario) *judge.Checks {
	checks, err := judge.Compile(explore.Of(s).Checks)
	if err != nil {
		return nil // a check that does not compile fails when it is graded
	}
	return checks
}

// doubts are what is doubtful in a script.
func doubts(name, text string) []Mark {
	var marks []Mark
	for _, err := range scenario.Doubts(name, text) {
		var at interface{ Position() (line, col int) }
		m := Mark{Message: err.Error()}
		if errors.As(err, &at) {
			m.Line, m.Col = at.Position()
		}
		marks = append(marks, m)
	}
	return marks
}
