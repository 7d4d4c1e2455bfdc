package engine

import (
	"encoding/json"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// ReasonScripts is the Reason of an error of an engine that runs no scripts:
// nothing was done, and one that runs them would do it.
const ReasonScripts = "ScriptsNotLoaded"

// ReasonOf is the Reason under which the page hears of an error; "" for nil.
func ReasonOf(err error) string {
	if err == nil {
		return ""
	}
	return wireError(err).Reason
}

// handover is all that an engine knows and another one needs to go on from
// there, as if it were the same: nothing is lost, so nothing is reloaded.
type handover struct {
	Scenario string            `json:"scenario"`
	Base     *sim.Snapshot     `json:"base,omitempty"`
	Choices  []string          `json:"choices"`
	Branches []timeline.Branch `json:"branches,omitempty"`
	View     int               `json:"view"`
	Files    []File            `json:"files"`
	Archived int               `json:"archived,omitempty"`
	Aside    []kept            `json:"aside,omitempty"`
	LastKept int               `json:"lastKept,omitempty"`
	Armed    string            `json:"armed,omitempty"`
	Subject  string            `json:"subject,omitempty"`

	Progress json.RawMessage `json:"progress,omitempty"`
}

// HandOver returns what TakeOver of another engine needs; nil where nothing is
// open.
func (e *Engine) HandOver() []byte {
	if e.line == nil {
		return nil
	}
	text, err := json.Marshal(handover{
		Scenario: e.scenario.Source(), Base: e.base, Choices: e.line.Choices(), Branches: e.line.Branches(),
		View: e.line.View(), Files: e.files, Archived: e.stored.archived, Aside: e.aside, LastKept: e.lastKept,
		Armed: e.armed, Subject: e.subjectDoc, Progress: e.lessons,
	})
	if err != nil {
		panic(err) // it is made of plain values
	}
	return text
}

// TakeOver opens the engine where the one stood that said text in HandOver, and
// posts a full delta. records are what is stored: they are not read but for
// what they hold already. On an error nothing is open.
func (e *Engine) TakeOver(text []byte, records []Record, state *StorageState) error {
	var h handover
	if err := json.Unmarshal(text, &h); err != nil {
		return err
	}
	s, err := scenario.ParseText(h.Scenario)
	if err != nil {
		return err
	}
	line, err := begin(s, h.Base)
	if err != nil {
		return err
	}
	watch, err := play(s, line, h.Choices)
	if err != nil {
		return err
	}
	line.Restore(h.Branches)
	e.scenario, e.base, e.line, e.files, e.aside, e.lessons, e.watch = s, h.Base, line, h.Files, h.Aside, h.Progress, watch
	if c, ok, err := readCluster(records); err == nil && ok {
		e.remember(c)
	}
	e.stored.archived, e.lastKept, e.armed, e.subjectDoc = h.Archived, h.LastKept, h.Armed, h.Subject
	line.Seek(h.View)
	if err := e.commitAll(); err != nil {
		return err
	}
	d := e.delta(true)
	d.Storage = state
	e.post(Reply{Delta: d})
	return nil
}
