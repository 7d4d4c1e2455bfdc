package app

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Tour is the guided tour of a first visit: five steps, each done when the
// cluster shows it, however the person got there.
type Tour struct {
	// Step is the current step from 1; past TourSteps the tour has ended and
	// says what it has shown.
	Step int
	Over bool
	// From is the step of the timeline at which the tour began.
	From int
}

// TourSteps is how many steps the tour has.
const TourSteps = 5

// The steps of the tour.
const (
	tourWant = 1 + iota
	tourTravel
	tourPass
	tourConverge
	tourAgain
)

// tourAway stands for the step of the tour while a run is open that began
// elsewhere, by a link, a file or what was kept: the story is untrue of it.
const tourAway = -1

// tourScenario is the scenario that the tour is about.
const tourScenario = "lab"

// Touring reports whether the tour is on.
func (m *Model) Touring() bool {
	return m.Ready && !m.Tour.Over && m.Scenario.Name == tourScenario && (m.Tour.Step <= TourSteps || m.Evidence != nil)
}

// tourProgress goes on while steps are done, and remembers how far it is, so
// that a reload goes on from there.
func (m *Model) tourProgress() []Effect {
	if !m.Touring() || m.InThePast() {
		return nil
	}
	for m.Tour.Step <= TourSteps && m.tourDone(m.Tour.Step) {
		m.Tour.Step++
	}
	return m.rememberTour(m.Tour.Step)
}

// rememberTour keeps the step of the tour; the last one that can be taken up
// again is the last that asks for something.
func (m *Model) rememberTour(step int) []Effect {
	step = min(step, TourSteps)
	if step == 1 {
		step = 0
	}
	if step == m.Prefs.TourStep {
		return nil
	}
	m.Prefs.TourStep = step
	return []Effect{SavePrefs{m.Prefs}}
}

func (m *Model) tourDone(step int) bool {
	switch step {
	case tourWant:
		return len(m.Watched()) > 0 && (m.Timeline.Step > m.Tour.From || m.Passes > 0)
	case tourTravel:
		return m.Passes > 0
	case tourPass:
		return m.Passes > 1 || m.Pass != nil && m.Pass.EndEvent > 0
	case tourConverge:
		return m.Converged()
	case tourAgain:
		return m.Evidence != nil && m.Evidence.Done
	}
	return false
}

// Watched are the objects that the controller reconciles, as the server has
// them.
func (m *Model) Watched() []*Entry {
	var out []*Entry
	for _, e := range m.Objects.All {
		if e.Kind == m.Scenario.Watched && !e.Gone() && m.Scenario.Watched != "" {
			out = append(out, e)
		}
	}
	return out
}

// Converged reports whether the world is quiet and every watched object says
// that it is ready.
func (m *Model) Converged() bool {
	watched := m.Watched()
	return m.Timeline.Quiet && len(watched) > 0 && !slices.ContainsFunc(watched, func(e *Entry) bool { return !IsReady(e.Server) })
}

// IsReady reports whether an object's condition Ready is True, or its phase Ready
// where it has no such condition, of this generation where it tells.
func IsReady(o object.Object) bool {
	if seen, ok := o.Int("status", "observedGeneration"); ok && seen != o.Generation() {
		return false
	}
	for _, c := range o.List("status", "conditions").All() {
		m, ok := c.(*object.Map)
		if !ok {
			continue
		}
		if t, _ := m.Get("type"); t == "Ready" {
			s, _ := m.Get("status")
			return s == "True"
		}
	}
	return o.Str("status", "phase") == "Ready"
}

// Evidence is what a second run over a quiet world shows: that nothing moved.
type Evidence struct {
	before map[string]string
	// Done says that the run has ended.
	Done bool
	// Objects is how many objects there are; Changed those whose
	// resourceVersion did not stay.
	Objects int
	Changed []string
}

// rerun asks for a pass over every key and watches what it changes.
func (m *Model) rerun() []Effect {
	effects := m.dropEvidence()
	ev := &Evidence{before: map[string]string{}}
	for _, e := range m.Objects.All {
		if !e.Gone() {
			ev.before[e.Key] = e.Server.ResourceVersion()
		}
	}
	m.Evidence = ev
	return append(effects, m.actThen(rerunCommand, rerunRun{})...)
}

// dropEvidence forgets what a second run has shown: it is said of the world as
// that run left it. A tour that has ended with it is over.
func (m *Model) dropEvidence() []Effect {
	m.Evidence = nil
	if m.Tour.Over || m.Tour.Step <= TourSteps {
		return nil
	}
	m.Tour.Over, m.Prefs.TourOver, m.Prefs.TourStep = true, true, 0
	return []Effect{SavePrefs{m.Prefs}}
}

// rerunRun and rerunDone follow each other once rerun has been answered.
type (
	rerunRun  struct{}
	rerunDone struct{}
)

func (m *Model) rerunEnded() []Effect {
	ev := m.Evidence
	if ev == nil {
		return nil
	}
	ev.Done, ev.Objects = true, 0
	for _, e := range m.Objects.All {
		rv := e.Server.ResourceVersion()
		if !e.Gone() {
			ev.Objects++
		}
		if rv != ev.before[e.Key] {
			ev.Changed = append(ev.Changed, e.Key)
		}
	}
	if len(ev.Changed) == 0 && !m.Timeline.Quiet {
		// The run was stopped before its end, which shows nothing.
		m.Evidence = nil
	}
	return m.tourProgress()
}

func (m *Model) startTour() []Effect {
	m.Tour, m.Evidence, m.Sheet = Tour{Step: 1, From: m.Timeline.Step}, nil, Sheet{}
	m.Prefs.TourOver, m.Prefs.TourStep = false, 0
	m.tourProgress()
	return []Effect{SavePrefs{m.Prefs}, Focus{"guide-do"}}
}

func (m *Model) leaveTour() []Effect {
	m.Tour.Over, m.Evidence = true, nil
	m.Prefs.TourOver, m.Prefs.TourStep = true, 0
	return []Effect{SavePrefs{m.Prefs}, Focus{"step"}}
}
