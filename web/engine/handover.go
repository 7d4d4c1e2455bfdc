package engine

import (
	"encoding/json"

	"github.com/reconcile-playground/reconcile/core/judge"
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

	// Rest are the findings of the last rest, after step RestAt; nil where they do not
	// hold any more.
	Rest   []foundAtRest `json:"rest,omitzero"`
	RestAt int           `json:"restAt,omitempty"`

	Progress json.RawMessage `json:"progress,omitempty"`
}

// foundAtRest is a finding with all of what a report does not tell.
type foundAtRest struct {
	judge.Finding
	Root, Decides string
	Step          int
	Because       bool
}

// handedOver are findings as they are handed over; nil stays nil.
func handedOver(all []judge.Finding) []foundAtRest {
	if all == nil {
		return nil
	}
	out := []foundAtRest{}
	for _, f := range all {
		out = append(out, foundAtRest{f, f.Root, f.Decides, f.Step, f.Because})
	}
	return out
}

// takenOver are findings that were handed over; nil stays nil.
func takenOver(all []foundAtRest) []judge.Finding {
	if all == nil {
		return nil
	}
	out := []judge.Finding{}
	for _, f := range all {
		f.Finding.Root, f.Finding.Decides, f.Finding.Step, f.Finding.Because = f.Root, f.Decides, f.Step, f.Because
		out = append(out, f.Finding)
	}
	return out
}

// HandOver returns what TakeOver of another engine needs; nil where nothing is
// open.
func (e *Engine) HandOver() []byte {
	if e.line == nil {
		return nil
	}
	e.follow()
	text, err := json.Marshal(handover{
		Scenario: e.scenario.Source(), Base: e.base, Choices: e.line.Choices(), Branches: e.line.Branches(),
		View: e.line.View(), Files: e.files, Archived: e.stored.archived, Aside: e.aside, LastKept: e.lastKept,
		Armed: e.armed, Subject: e.subjectDoc, Progress: e.lessons,
		Rest: handedOver(e.watch.rest), RestAt: e.watch.restAt,
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
	watch.rest, watch.restAt = takenOver(h.Rest), h.RestAt
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
