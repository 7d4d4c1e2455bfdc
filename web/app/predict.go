package app

import (
	"encoding/json"
	"slices"
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
	// ready are the keys that are ready in a queue by then, inHand those that a worker
	// has, each of a process.
	ready, inHand []string
}

// The answers.
const (
	Yes     = "yes"
	No      = "no"
	Another = "another"
	Done    = "done"
	AtOnce  = "at-once"
	Later   = "later"
	Already = "already"
)

// What a Call or a Run goes on to, by the engine's command for it.
const (
	toCall  = "stepCall"
	toQuiet = "run"
)

// foretold says that a step of such a Call or Run was made, or, without an action, the
// one from which it goes on.
type foretold struct{ Action string }

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
	case verb == "deliver" && m.Queue.Total > len(m.Queue.Items):
		// Whether a key is there already is not known of all.
		return q, false
	case verb == "deliver":
		q.Kind, q.Answers = "queued", []string{No, AtOnce, Later, Already}
		for _, item := range m.Queue.Items {
			if item.Ready {
				q.ready = append(q.ready, item.Process+" "+item.Key)
			}
		}
		q.inHand = m.Queue.Processing
	case verb != "call":
		return q, false
	case call == "get" || call == "list":
		q.Kind, q.Answers = "ends", []string{Another, Done, AtOnce, Later}
	default:
		q.Kind, q.Answers = "version", []string{Yes, No}
	}
	return q, true
}

// askFirst asks about a step that is to be predicted. Where something else is read, a
// Run or playing ends there.
func (m *Model) askFirst(action string) ([]Effect, bool) {
	if !m.Prefs.Predict || m.InThePast() {
		return nil, false
	}
	q, ok := m.question(action)
	if !ok {
		return nil, false
	}
	if m.Sheet.Kind != "" {
		m.foretelling, m.Playing = "", false
		return nil, true
	}
	m.Question, m.Menu, m.Why = q, "", ""
	m.Sheet = Sheet{Kind: "predict", Back: "step"}
	return []Effect{Focus{"predict-0"}}, true
}

// goOn makes a Call or a Run; where its steps are to be predicted, one by one: from a
// step that is under way, and from one that is asked about.
func (m *Model) goOn(to string) []Effect {
	if !m.Prefs.Predict || m.InThePast() || m.Telling() || m.Timeline.Quiet {
		return m.act(engine.Command{Method: to})
	}
	m.foretelling = to
	if id := m.newest("step"); id != 0 {
		p := m.pending[id]
		p.then = foretold{}
		m.pending[id] = p
		return nil
	}
	if m.Sheet.Kind == "predict" {
		return nil
	}
	return m.foretellStep()
}

// GoesOn reports whether more steps follow the one that is asked about.
func (m *Model) GoesOn() bool { return m.Playing || m.foretelling != "" }

// foretellStep takes the next step, after asking where there is something to foresee.
func (m *Model) foretellStep() []Effect {
	effects, asked := m.askFirst("")
	if !asked {
		next := m.Default().Action
		effects = append(m.dropEvidence(), m.actThen(engine.Command{Method: "step", Action: next}, foretold{next})...)
	}
	return effects
}

// foretellOn goes on after a step, unless it was the last of the Call or the Run.
func (m *Model) foretellOn(action string) []Effect {
	if m.foretelling == toCall && strings.HasPrefix(action, "call ") || m.Timeline.Quiet || m.InThePast() || len(m.Enabled.Items) == 0 {
		m.foretelling = ""
	}
	if m.foretelling == "" {
		return nil
	}
	return m.foretellStep()
}

// predicted takes the step; "" is no answer.
func (m *Model) predicted(answer string) []Effect {
	q := m.Question
	m.Sheet = Sheet{}
	effects := m.dropEvidence()
	p := pending{act: true}
	if m.foretelling != "" {
		p.then = foretold{q.Action.Action}
	}
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
		case q.Kind == "ends" && f.Kind == sim.FactEnded:
			switch {
			case f.Outcome == "backoff":
				return AtOnce
			case f.Delay > 0:
				return Later
			}
			return Done
		case q.Kind == "queued" && f.Kind == sim.FactQueued:
			// Of several keys the one that comes first is told.
			answer = sooner(answer, q.queued(f))
		}
	}
	return answer
}

// queued is what becomes of a key that a handler adds to the queue.
func (q *Question) queued(f sim.Fact) string {
	switch {
	case slices.Contains(q.inHand, f.Key):
		return Later
	case slices.Contains(q.ready, f.Process+" "+f.Key):
		return Already
	}
	return AtOnce
}

func sooner(a, b string) string {
	order := []string{AtOnce, Later, Already, No}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}
