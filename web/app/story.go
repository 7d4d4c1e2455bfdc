package app

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Messages of a story.
type (
	// NextAct goes on to the end of the next act.
	NextAct struct{}
	// StoryAgain starts the scenario anew, as it is.
	StoryAgain struct{}
	// BackToStory goes back to where the run left the story.
	BackToStory struct{}
	// branchHere makes the step in view the tip.
	branchHere struct{}
)

// storyNow is how far a story is told, as the panel draws it.
type storyNow struct {
	engine.Story
	// Act is how many acts are over at the step in view; Begun says that the one after
	// them has begun. Over says that all of it is.
	Act   int  `json:"act"`
	Begun bool `json:"begun"`
	Over  bool `json:"over"`
	// Left is the step after which the run went another way, 0 where it did not.
	Left    int  `json:"left"`
	Playing bool `json:"playing"`
	// What there is at the end.
	Passes   int    `json:"passes"`
	Objects  int    `json:"objects"`
	Outside  int    `json:"outside"`
	Revision int64  `json:"revision"`
	Clock    string `json:"clock"`
}

// askStory asks for the acts of what is open, where it is told in acts.
func (m *Model) askStory() []Effect {
	m.Story = nil
	if !m.Scenario.Told {
		return nil
	}
	return []Effect{m.send(engine.Command{Method: "story"}, pending{})}
}

func (m *Model) storyTold(result json.RawMessage) {
	var s engine.Story
	if json.Unmarshal(result, &s) == nil && len(s.Acts) > 0 {
		m.Story = &s
	}
}

// storyEnd is the step after which the story is over.
func (m *Model) storyEnd() int { return m.Story.Acts[len(m.Story.Acts)-1].To }

// Telling reports whether the run is on its way through the story.
func (m *Model) Telling() bool { return m.Story != nil && m.Timeline.Next != "" }

// left is the step after which the run went another way than the story, 0 where it
// did not or the story was over.
func (m *Model) left() int {
	if t := m.Timeline; t.Along < t.Length && t.Along < m.storyEnd() {
		return t.Along
	}
	return 0
}

// acts is how many acts are over at the step in view.
func (m *Model) acts() int {
	n := 0
	for n < len(m.Story.Acts) && m.Story.Acts[n].To <= min(m.Timeline.Step, m.Timeline.Along) {
		n++
	}
	return n
}

// storyNow is nil where there is no story.
func (m *Model) storyNow() *storyNow {
	if m.Story == nil {
		return nil
	}
	s := &storyNow{Story: *m.Story, Act: m.acts(), Left: m.left(), Playing: m.Playing}
	begins := s.From
	if s.Act > 0 {
		begins = s.Acts[s.Act-1].To
	}
	s.Begun = s.Left == 0 && m.Timeline.Step > begins
	if s.Over = s.Act == len(s.Acts); s.Over {
		s.Passes, s.Outside, s.Revision, s.Clock = m.Passes, m.Cloud.Total, m.Revision, m.Clock.Since.String()
		for _, e := range m.Objects.All {
			if !e.Builtin && !e.Gone() {
				s.Objects++
			}
		}
	}
	return s
}

func (m *Model) updateStory(msg Msg) ([]Effect, bool) {
	switch msg.(type) {
	case NextAct:
		return m.nextAct(), true
	case StoryAgain:
		return m.Update(SwitchCure{Name: m.Scenario.Cure}), true
	case BackToStory:
		if m.Story == nil || m.left() == 0 {
			return nil, true
		}
		n := m.left()
		if m.Timeline.Step == n {
			return m.Update(branchHere{}), true
		}
		return m.actThen(engine.Command{Method: "seek", N: n}, branchHere{}), true
	case branchHere:
		return m.act(engine.Command{Method: "fork"}), true
	}
	return nil, false
}

// nextAct goes to the end of the act that is next at the step in view: what was
// played before is only looked at again.
func (m *Model) nextAct() []Effect {
	if m.Story == nil || m.acts() == len(m.Story.Acts) {
		return nil
	}
	m.Playing = false
	to := m.Story.Acts[m.acts()].To
	switch {
	case to <= m.Timeline.Along:
		return m.seek(to)
	case !m.Telling():
		return nil
	}
	return m.act(engine.Command{Method: "playStory", N: to})
}

// storyGuide says what to do next in a story; ok is false where the run goes its own
// way after it.
func (m *Model) storyGuide() (g Guide, ok bool) {
	w := m.Words
	n, all := m.acts(), len(m.Story.Acts)
	switch {
	case m.left() > 0:
		return Guide{Title: w.StoryLeft(m.left()), Text: w.Lesson("left"), Button: w.Lesson("leftDo"), Do: BackToStory{}, Second: w.Step(), SecondDo: Step{}}, true
	case n < all:
		g = Guide{Title: w.StoryAct(n+1, all), Text: m.Story.Acts[n].Says, Button: w.Lesson("act"), Do: NextAct{}, Key: ".", Second: w.Lesson("playDo"), SecondDo: Play{}}
		if m.Playing {
			g.Button, g.Do, g.Key, g.Second, g.SecondDo = w.Pause(), Play{}, "p", "", nil
		} else if n == 0 && m.Timeline.Step == m.Story.From {
			g.Title, g.Text = m.Scenario.Title+".", w.Lesson("story")
			g.Button, g.Do, g.Key, g.Second, g.SecondDo = w.Lesson("playDo"), Play{}, "p", w.Lesson("act"), NextAct{}
			if m.Scenario.Kind == "lesson" {
				g.Second, g.SecondDo = w.Lesson("lessonDo"), OpenFile{m.Scenario.Script}
			}
		}
		return g, true
	case m.Timeline.Step > m.storyEnd() || m.Timeline.Length > m.storyEnd():
		return g, false
	}
	out := m.Story.Outcome
	g = Guide{Title: w.StoryEnd(out.Happens), Text: out.Says, Good: !out.Happens, Bad: out.Happens, Second: w.Lesson("read"), SecondDo: ReadLesson{}}
	next, title, more := m.nextCure()
	switch {
	case more:
		g.Button, g.Do = w.WithCure(title), SwitchCure{Name: next}
	case m.Scenario.Kind == "lesson":
		// Now it is the person's turn, with the script that the lesson begins with.
		g.Button, g.Do = w.Lesson("lessonDo"), SwitchCure{}
	default:
		g.Button, g.Do = w.Lesson("storyAgain"), StoryAgain{}
	}
	return g, true
}

// lookAt shows what a story names: an object, the end of an act, the queue, the log
// or what there is outside.
func (m *Model) lookAt(what string) []Effect {
	switch verb, n, _ := strings.Cut(what, " "); verb {
	case "act":
		at, err := strconv.Atoi(n)
		if m.Story == nil || err != nil || at < 1 || at > len(m.Story.Acts) {
			return nil
		}
		return m.Update(Seek{m.Story.Acts[at-1].To})
	case "queue":
		return m.Update(OpenTab{TabKeys})
	case "log":
		return m.Update(OpenTab{TabLog})
	case "cloud":
		m.Pane = PaneLoop
		return []Effect{Focus{"why-cloud"}}
	}
	m.Pane = PaneObjects
	return append(m.Update(Select{what}), Reveal{ID: "object-" + what})
}

// nextCure is the cure after the one that is switched on.
func (m *Model) nextCure() (name, title string, ok bool) {
	at := 0
	for i, c := range m.Scenario.Cures {
		if c.Name == m.Scenario.Cure {
			at = i + 1
		}
	}
	if at >= len(m.Scenario.Cures) {
		return "", "", false
	}
	return m.Scenario.Cures[at].Name, m.Scenario.Cures[at].Title, true
}
