package app

import (
	"encoding/json"
	"slices"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Speeds are the speeds of play: 1 is one step a second.
var Speeds = []float64{0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100}

// Until says what ends playing: the world is quiet, an object changes, something
// is found to be wrong, or nothing but a person.
type Until string

// What can end playing.
const (
	UntilQuiet   Until = ""
	UntilChange  Until = "change"
	UntilFinding Until = "finding"
	UntilStopped Until = "stopped"
)

// Untils lists them.
var Untils = []Until{UntilQuiet, UntilChange, UntilFinding, UntilStopped}

// The acts on playing and predicting.
type (
	// SetUntil says what ends playing.
	SetUntil struct{ Until Until }
	// TogglePredict switches on that each step is predicted first.
	TogglePredict struct{}
	// Predicted is an answer to the question that is asked.
	Predicted struct{ Answer string }
	// SkipQuestion takes the step without an answer.
	SkipQuestion struct{}
	// SwitchCure starts the scenario anew with a cure, "" with none; where Sure is
	// not set it asks first.
	SwitchCure struct {
		Name string
		Sure bool
	}
	// plotsWanted asks for the figures of the plots anew.
	plotsWanted struct{}
)

// DrawPlots draws the plots into the element with the id "plots".
type DrawPlots struct{ Data json.RawMessage }

func (m *Model) updatePlay(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case SetUntil:
		m.Prefs.Until, m.Menu = msg.Until, ""
		return []Effect{SavePrefs{m.Prefs}, Focus{"menu-play"}}, true
	case TogglePredict:
		m.Prefs.Predict, m.Menu, m.Score = !m.Prefs.Predict, "", Score{}
		return []Effect{SavePrefs{m.Prefs}, Focus{"menu-play"}}, true
	case Predicted:
		return m.predicted(msg.Answer), true
	case SkipQuestion:
		return m.predicted(""), true
	case foretold:
		return m.foretellOn(msg.Action), true
	case SwitchCure:
		if !msg.Sure && m.touched() {
			return m.ask("cure", m.cureTitle(msg.Name), SwitchCure{msg.Name, true}), true
		}
		m.Sheet = Sheet{}
		return m.act(engine.Command{Method: "cure", Name: msg.Name}), true
	case plotsWanted:
		return []Effect{m.send(engine.Command{Method: "plots"}, pending{})}, true
	}
	return nil, false
}

func (m *Model) cureTitle(name string) string {
	for _, c := range m.Scenario.Cures {
		if c.Name == name {
			return c.Title
		}
	}
	return m.Scenario.Title
}

// playOver reports whether what playing goes on until has come: found is how
// many findings there were before the step.
func (m *Model) playOver(found int) bool {
	switch m.Prefs.Until {
	case UntilChange:
		for _, e := range m.Objects.All {
			if m.Objects.Fresh(e) {
				return true
			}
		}
	case UntilFinding:
		return len(m.Found) > found || slices.ContainsFunc(m.Found, func(f engine.FoundView) bool { return f.Step == m.Timeline.Step })
	}
	return false
}

// idle reports whether playing has nothing left to do by itself.
func (m *Model) idle() bool {
	if m.Story != nil && (m.Timeline.Next != "" || m.Timeline.Step <= m.storyEnd()) {
		return m.Timeline.Next == "" && m.Timeline.Step >= min(m.Timeline.Length, m.storyEnd())
	}
	return len(m.Enabled.Items) == 0 || m.Timeline.Quiet && !m.InThePast() && m.Prefs.Until != UntilStopped
}

// refreshPlots asks for the figures where they are shown and have changed.
func (m *Model) refreshPlots() []Effect {
	if m.Drawer != TabPlots || m.plotted == m.Timeline.Step+1 || m.asked("plots") > 0 || m.Running {
		return nil
	}
	return m.Update(plotsWanted{})
}

// plotsTold takes the figures: for a table, and to be drawn.
func (m *Model) plotsTold(result json.RawMessage) []Effect {
	var p engine.Plots
	if json.Unmarshal(result, &p) != nil {
		return nil
	}
	m.Plots, m.plotted = &p, m.Timeline.Step+1
	return []Effect{DrawPlots{result}}
}
