package app

import (
	"encoding/json"
	"slices"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// PanelAct is an act of a panel that a file loaded later draws (web/panels): send
// a command of the engine, as JSON; grade; prove; step by an action; pick and cure by name;
// open a file; take along lab or project.
type PanelAct struct{ Name, Arg string }

// SaveZip packs what is taken along, lab or project, and offers it as a file.
type SaveZip struct{ What, From string }

// MergeProgress adds a file of progress with the lessons to what is known.
type MergeProgress struct{ Text, Known string }

// ReadLesson opens the tab of the lesson, wherever one is.
type ReadLesson struct{}

// Failed says that the browser did not do what was asked.
type Failed struct{ Text string }

// TabLesson is the tab of the story, the tasks and the grade.
const TabLesson DrawerTab = "lesson"

// PanelID is the element that a panel is drawn into.
const PanelID = "panel"

// panel is what the panels are drawn from, beside the scenario.
type panel struct {
	Tab      DrawerTab          `json:"tab"`
	Cure     string             `json:"cure"`
	Progress json.RawMessage    `json:"progress,omitempty"`
	Next     scenario.Head      `json:"next"`
	Grade    json.RawMessage    `json:"grade,omitempty"`
	Grading  bool               `json:"grading"`
	Found    []engine.FoundView `json:"found"`
	Quiet    bool               `json:"quiet"`
	Judged   bool               `json:"judged"`
	Queue    *engine.QueueView  `json:"queue,omitempty"`
	Since    int64              `json:"since,omitempty"`
	// Texts are what the steps did that Queue names.
	Texts map[int]string `json:"texts,omitempty"`
	// Several says that the keys are of several controllers.
	Several bool              `json:"several,omitempty"`
	Prove   *engine.ProveView `json:"prove"`
	Error   string            `json:"error"`
	// Away says that a run is open that shows what was found; Script that there is
	// one, and Ran the text that was graded.
	Away   bool   `json:"away"`
	Script bool   `json:"script"`
	Ran    string `json:"ran,omitempty"`
	// Plays is the script that Prove plays, or has played.
	Plays string `json:"plays,omitempty"`
	// Told is how far the story is told, nil where there is none.
	Told *storyNow `json:"told,omitempty"`
	// Whys explain the faults of Prove.
	Whys []string `json:"whys,omitempty"`
}

// Panel is what the open panel is drawn from, and its scenario, as JSON; empty
// where none is open.
func (m *Model) Panel() (now, of string) {
	switch m.Drawer {
	case TabLesson, TabProve, TabFound, TabKeys:
	default:
		return "", ""
	}
	if !m.Ready {
		return "", ""
	}
	p := panel{Tab: m.Drawer, Cure: m.Scenario.Cure, Progress: m.Progress, Grading: m.grading(), Found: m.Found, Prove: m.Prove, Error: m.ProveError,
		Away: m.Shown, Script: m.HasScript(), Quiet: m.Timeline.Quiet, Judged: m.Timeline.Judged}
	if m.Drawer == TabLesson || m.Drawer == TabFound {
		p.Told = m.storyNow()
	}
	p.Next, _ = m.nextLesson()
	p.Next.Story, p.Next.Look = "", nil
	if m.Grade != nil {
		p.Grade = m.Grade.Text
		if f := m.Files.Get(m.Scenario.Script); f != nil {
			p.Ran = f.Applied
		}
	}
	if m.Drawer == TabKeys {
		p.Queue, p.Since, p.Texts, p.Several = &m.Queue, m.Clock.Since.Milliseconds(), map[int]string{}, m.Several()
		for _, item := range m.Queue.Items {
			for _, c := range item.Causes {
				p.Texts[c.Event] = m.EventText(c.Event)
			}
		}
	}
	p.Plays = m.plays()
	if m.Drawer == TabProve && m.Prove != nil {
		p.Plays = m.Prove.Script
		for _, f := range m.Prove.Faults {
			p.Whys = append(p.Whys, m.Words.FaultWhy(f))
		}
	}
	if m.scenarioText == "" {
		s := m.Scenario
		s.Library = nil
		m.scenarioText = encode(s)
	}
	return encode(p), m.scenarioText
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // it is made of plain values
	}
	return string(text)
}

// teaches reports whether the open scenario is a lesson or an incident.
func (m *Model) teaches() bool { return m.Scenario.Kind == "lesson" || m.Scenario.Kind == "incident" }

// nextLesson is the scenario of the same kind that follows.
func (m *Model) nextLesson() (scenario.Head, bool) {
	all := m.LibraryOf(m.Scenario.Kind)
	i := slices.IndexFunc(all, func(h scenario.Head) bool { return h.Name == m.Scenario.Name })
	if i < 0 || i+1 >= len(all) || !m.teaches() {
		return scenario.Head{}, false
	}
	return all[i+1], true
}

func (m *Model) grading() bool { return m.asked("grade") > 0 }

func (m *Model) updatePanel(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case PanelAct:
		return m.panelAct(msg), true
	case Grade:
		return m.gradeMine(), true
	case ReadLesson:
		m.Pane = PaneTime
		return m.Update(OpenTab{TabLesson}), true
	case Failed:
		return []Effect{m.toast("fault", msg.Text)}, true
	}
	return nil, false
}

func (m *Model) panelAct(a PanelAct) []Effect {
	switch a.Name {
	case "send":
		var c engine.Command
		if json.Unmarshal([]byte(a.Arg), &c) != nil {
			return nil
		}
		if c.Method != "progress" && m.Opening() != "" {
			return []Effect{m.wait()}
		}
		var typed []Effect
		f := m.Files.Get(c.Name)
		if f != nil {
			// What was typed last is stored before another text takes its place: what is not would stay.
			typed = m.store(f)
		}
		switch c.Method {
		case "setScript":
			m.Files.Of, m.Files.Error, m.Files.Doubts = c.Name, nil, nil
			return append(append(typed, m.dropEvidence()...), m.send(c, pending{act: true, file: c.Name, text: c.Text}))
		case "file":
			if f == nil {
				m.Files.List = append(m.Files.List, &File{Name: c.Name, Text: c.Text, Stored: c.Text})
			}
		}
		return append(typed, m.act(c)...)
	case "grade":
		return m.Update(Grade{})
	case "pick":
		return m.Update(PickScenario{Name: a.Arg})
	case "cure":
		return m.Update(SwitchCure{Name: a.Arg})
	case "prove":
		return m.Update(Prove{})
	case "step":
		return m.Update(Step{Action: a.Arg})
	case "open":
		return m.Update(OpenFile{a.Arg})
	case "play":
		return m.Update(Play{})
	case "act":
		return m.Update(NextAct{})
	case "again":
		return m.Update(StoryAgain{})
	case "mine":
		return m.Update(BackToMine{})
	case "backToStory":
		return m.Update(BackToStory{})
	case "look":
		return m.lookAt(a.Arg)
	}
	// The document may be long: it comes when it is asked for.
	return []Effect{m.send(engine.Command{Method: "source"}, pending{text: a.Name})}
}

// takeAlong makes a zip of the scenario, whose document has come, and its files.
func (m *Model) takeAlong(zip, source string) []Effect {
	from := takeaway{Name: m.Scenario.Name, Source: source, Env: m.Scenario.Env, Script: m.Scenario.Script}
	for _, f := range m.Files.List {
		from.Files = append(from.Files, engine.File{Name: f.Name, Text: f.Text})
	}
	return []Effect{SaveZip{zip, encode(from)}}
}

// takeaway is what a zip is made of.
type takeaway struct {
	Name   string        `json:"name"`
	Source string        `json:"source"`
	Env    string        `json:"env"`
	Script string        `json:"script"`
	Files  []engine.File `json:"files"`
}

// gradeMine has the script judged as it stands in the editor: what was edited is
// rolled out first.
func (m *Model) gradeMine() []Effect {
	if m.grading() {
		return nil
	}
	m.Drawer, m.ProveError, m.Grade = TabLesson, "", nil
	m.Prefs.Drawer = pickSize(m.Prefs.Drawer)
	f := m.Files.Current()
	if f == nil || !f.IsScript() {
		f = m.Files.Get(m.Scenario.Script)
	}
	if f != nil && f.Name != m.Scenario.Solution && m.StateOf(f) == FileEdited {
		return m.rollOutThen(f, Grade{})
	}
	return []Effect{m.send(engine.Command{Method: "grade"}, pending{})}
}

// opened turns to what another scenario wants to be read first.
func (m *Model) opened() {
	if m.teaches() {
		m.Drawer = TabLesson
		m.Prefs.Drawer = pickSize(m.Prefs.Drawer)
	} else if m.Drawer == TabLesson {
		m.Drawer = TabTimeline
	}
}

// lessonGuide says what to do first in a lesson or an incident, and where to go
// once it is graded; ok is false in between.
func (m *Model) lessonGuide() (g Guide, ok bool) {
	step := ""
	next, more := m.nextLesson()
	held := 0
	switch {
	case m.grading():
		return Guide{Title: m.Words.Lesson("grading"), Text: m.Words.Lesson("gradingNote")}, true
	case m.Grade != nil && m.Grade.Passed && m.Scenario.Kind == "lesson":
		step, g.Good, g.Do = "over", true, ReadLesson{}
		if more {
			step, g.Do = "next", PickScenario{Name: next.Name, Sure: true}
		}
	case m.Grade != nil:
		for _, c := range m.Grade.Checks {
			if c.Passed && !c.NoOccasion {
				held++
			}
		}
		step, g.Do = "again", Grade{}
	case !m.teaches() || m.Timeline.Touched || m.Timeline.Step < m.Timeline.Length:
		return g, false
	case m.Scenario.Kind == "lesson":
		step, g.Do = "lesson", OpenFile{m.Scenario.Script}
	default:
		step, g.Do = "incident", Run{}
	}
	about := m.Scenario.Title + "."
	if step == "next" {
		about = next.Title + "."
	}
	if step == "again" {
		about = m.Words.Checks(held, len(m.Grade.Checks))
	}
	g.Title, g.Text, g.Button = about, m.Words.Lesson(step), m.Words.Lesson(step+"Do")
	if m.Drawer != TabLesson || m.Pane != PaneTime {
		g.Second, g.SecondDo = m.Words.Lesson("read"), ReadLesson{}
	}
	return g, true
}

// progressFormat stands at the head of a file of progress with the lessons.
const progressFormat = "reconcile.progress/"

// Learned is how far the person has come with each lesson, as far as lists say it.
func (m *Model) Learned() map[string]Learned {
	var all map[string]Learned
	_ = json.Unmarshal(m.Progress, &all) // nothing is known where it does not parse
	return all
}

// Learned is how far the person has come with a lesson.
type Learned struct {
	Passed       bool
	Held, Checks int
}
