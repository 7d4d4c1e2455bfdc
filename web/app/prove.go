package app

import (
	"encoding/json"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// The acts on proving and grading.
type (
	// Prove explores every fault at every call; Proving pauses, resumes or cancels
	// it.
	Prove   struct{}
	Proving struct{ Act string }
	// Grade judges the script by the lesson that is open.
	Grade struct{}
)

// Graded is the grade of a script, as far as the page shows it.
type Graded struct {
	Text   json.RawMessage `json:"-"`
	Passed bool            `json:"passed"`
	Checks []struct {
		Name, Expected, Happened, Finding, Object string
		Passed, NoOccasion                        bool
		Choices                                   []string
	} `json:"checks"`
}

func (m *Model) updateProve(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case Prove:
		if m.Proving() {
			return nil, true
		}
		m.Drawer, m.ProveError = TabProve, ""
		m.Prefs.Drawer = pickSize(m.Prefs.Drawer)
		m.Prove = &engine.ProveView{State: "running", Script: m.plays()}
		return []Effect{m.send(engine.Command{Method: "prove"}, pending{})}, true
	case Proving:
		return []Effect{m.send(engine.Command{Method: "proving", Name: msg.Act}, pending{})}, true
	}
	return nil, false
}

// Proving reports whether an exploration is under way.
func (m *Model) Proving() bool {
	return m.Prove != nil && (m.Prove.State == "running" || m.Prove.State == "paused")
}

// plays is the script that runs now; empty where a program in Go does.
func (m *Model) plays() string {
	name := m.Scenario.Script
	if name == "" {
		name = engine.ScriptName
	}
	if f := m.Files.Get(name); m.Scenario.Script != "" || f != nil && f.Applied != "" {
		return name
	}
	return ""
}

// proveRefused says why an exploration or a grade did not come to its end.
func (m *Model) proveRefused(err *engine.Error) {
	m.ProveError = err.Message
	if m.Prove != nil && m.Prove.Total == 0 {
		m.Prove = nil
	}
}

// graded takes a grade.
func (m *Model) graded(result json.RawMessage) {
	var g Graded
	text := textOf(result)
	m.Drawer = TabLesson
	g.Text = json.RawMessage(text)
	if json.NewDecoder(strings.NewReader(text)).Decode(&g) == nil {
		m.Grade = &g
	}
}
