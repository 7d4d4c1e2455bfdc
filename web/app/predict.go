package app

import (
	"encoding/json"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// Question is what is asked before a step is shown.
type Question struct {
	// Kind is version (will a resourceVersion change?), ends (what comes after the
	// call?) or queued (will a key be queued, and when?).
	Kind string
	// Answers are those to choose from.
	Answers []string
	// Action is the step that is asked about.
	Action engine.EnabledItem
}

// The answers.
const (
	Yes     = "yes"
	No      = "no"
	Another = "another"
	Done    = "done"
	AtOnce  = "at-once"
	Later   = "later"
)

// Score counts what was predicted.
type Score struct{ Right, Asked int }

// question is what to ask before an action; ok is false where there is nothing
// to foresee.
func (m *Model) question(action string) (q Question, ok bool) {
	q.Action = m.Default()
	for _, item := range m.Enabled.Items {
		if item.Action == action {
			q.Action = item
		}
	}
	verb, _, _ := strings.Cut(q.Action.Action, " ")
	switch call, _, _ := strings.Cut(q.Action.Detail, " "); {
	case verb == "deliver":
		q.Kind, q.Answers = "queued", []string{No, AtOnce, Later}
	case verb != "call":
		return q, false
	case call == "get" || call == "list":
		q.Kind, q.Answers = "ends", []string{Another, Done, AtOnce, Later}
	default:
		q.Kind, q.Answers = "version", []string{Yes, No}
	}
	return q, true
}

// askFirst asks about a step that is to be predicted.
func (m *Model) askFirst(action string) ([]Effect, bool) {
	if !m.Prefs.Predict || m.InThePast() {
		return nil, false
	}
	q, ok := m.question(action)
	if !ok {
		return nil, false
	}
	m.Question, m.Menu, m.Why = q, "", ""
	m.Sheet = Sheet{Kind: "predict", Back: "step"}
	return []Effect{Focus{"predict-0"}}, true
}

// predicted takes the step; "" is no answer.
func (m *Model) predicted(answer string) []Effect {
	q := m.Question
	m.Sheet = Sheet{}
	effects := m.dropEvidence()
	p := pending{act: true}
	if m.Playing {
		p.found = len(m.Found) + 1
	}
	if answer != "" {
		p.question, p.answer = &q, answer
	}
	return append(effects, m.send(engine.Command{Method: "step", Action: q.Action.Action}, p), Focus{"step"})
}

// judged says whether a prediction came true, and keeps the score.
func (m *Model) judged(p pending, result json.RawMessage) []Effect {
	if p.question == nil {
		return nil
	}
	var facts []sim.Fact
	for _, ev := range events(result) {
		facts = append(facts, ev.Facts...)
	}
	truth := p.question.truth(facts)
	m.Score.Asked++
	level := "fault"
	if truth == p.answer {
		m.Score.Right++
		level = "ok"
	}
	return []Effect{m.toast(level, m.Words.Judged(truth == p.answer, p.question.Kind, truth, m.Score.Right, m.Score.Asked))}
}

// truth is the answer that the facts of the step give.
func (q *Question) truth(facts []sim.Fact) string {
	answer := No
	if q.Kind == "ends" {
		answer = Another
	}
	for _, f := range facts {
		switch {
		case q.Kind == "version" && f.Kind == sim.FactWrite:
			return Yes
		case q.Kind == "ends" && f.Kind == sim.FactEnded, q.Kind == "queued" && f.Kind == sim.FactQueued:
			switch {
			case f.Delay > 0:
				return Later
			case q.Kind == "ends" && f.Outcome != "backoff":
				return Done
			}
			return AtOnce
		}
	}
	return answer
}
