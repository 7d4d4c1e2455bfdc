package app

import (
	"encoding/json"
	"slices"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/words"
)

// Model is everything that the page shows. Only Update changes it.
type Model struct {
	Words words.Catalogue
	Prefs Prefs

	// Ready says that the engine has answered with the whole state once.
	Ready bool
	// Engine is "" while it runs, "restarting" or "crashed".
	Engine string
	// Update says that a new version of the page waits.
	UpdateWaits bool

	Scenario   engine.ScenarioInfo
	Clock      engine.Clock
	Revision   int64
	Timeline   engine.Timeline
	Events     []engine.EventLine
	Objects    Objects
	Wire       engine.WireView
	Queue      engine.QueueView
	Caches     []engine.CacheView
	Cloud      engine.CloudView
	Pass       *sim.Pass
	Passes     int
	Enabled    engine.EnabledView
	Faults     engine.FaultsView
	Controller string
	Storage    engine.StorageState

	Files Files

	// Kept are the runs that others took the place of.
	Kept  []engine.KeptRun
	Share Share

	// Selected is the key of the object whose YAML is shown.
	Selected string
	// shown is what was remembered last of what this tab shows.
	shown Shown
	// Follow says that the selection goes to what a step changed.
	Follow bool
	// View is what of the objects is shown.
	View   ObjectView
	Filter string
	// Scroll is the first row in sight of the table of objects, and how many.
	Scroll Window

	Drawer DrawerTab
	Pane   Pane
	// Width is the window's, in pixels; Letter that of a letter of code where it is
	// smallest. 0 unknown.
	Width  int
	Letter float64
	// Menu, Why and Sheet name what is open; "" nothing.
	Menu  string
	Why   string
	Sheet Sheet

	// Playing says that steps follow each other by themselves.
	Playing bool
	// playNo counts how often playing began, or changed its speed.
	playNo int
	// Running says that a long command is under way.
	Running bool
	// Ran counts the steps that the long command has made.
	Ran int

	Terminal Terminal
	// Found is what is wrong with the run.
	Found []engine.FoundView
	// Plots are the figures as they were asked for last; nil before.
	Plots *engine.Plots
	// plotted is one more than the step that they are about.
	plotted int
	// Prove is how far an exploration has come, nil before one; Grade the last
	// grade; ProveError why either came to nothing.
	Prove      *engine.ProveView
	Grade      *Graded
	ProveError string
	// Progress is how far the person has come with each lesson.
	Progress json.RawMessage
	// Shown says that a run is open that shows what was found; Mine is the kept run
	// to go back to from it, 0 where there was nothing to keep.
	Shown bool
	Mine  int
	// Question is what is asked before a step; Score what came of the answers.
	Question Question
	Score    Score
	// foretelling is what a Call or a Run goes on to whose steps are predicted; "" none.
	foretelling string

	// Story is how the scenario is told, nil where it is not.
	Story *engine.Story

	Tour     Tour
	Evidence *Evidence
	Report   Report
	Toasts   []Toast
	// Said is what a screen reader is to say next.
	Said string
	// Notices are banners, oldest first.
	Notices []engine.Notice

	// acted says that an act was done since notices were looked through.
	acted bool

	// Stale says whether the last message changed anything that is shown.
	Stale bool

	// linkFound is a link in the page's address that was not read yet.
	linkFound string
	// linkReading says that one is being read, and held are the calls of
	// window.reconcile that came meanwhile: they are for the run of the link.
	linkReading bool
	held        []Called
	// scenarioText is Scenario as panels are told of it; empty before.
	scenarioText string
	// parts are objects of a delta whose rest is still to come.
	parts     []engine.ObjectDelta
	pending   map[int64]pending
	nextID    int64
	nextToast int
}

// pending is a command that has not been answered.
type pending struct {
	method string
	// token is the caller's of window.reconcile, 0 for the page itself.
	token int
	// act says that marks of earlier changes go when the answer comes.
	act bool
	// then is what to do once it is done without an error.
	then Msg
	// file is the file that an apply came from, edits the words after kubectl edit.
	file, edits string
	text        string
	// question was asked before the step, and answered so.
	question *Question
	answer   string
	// found is how many findings there were.
	found int
	// back says that it goes back from a run that shows what was found.
	back bool
}

// Prefs is what the page remembers of a person, apart from any cluster.
type Prefs struct {
	// Theme is "" for the system's, "light" or "dark".
	Theme string `json:"theme,omitempty"`
	// TourOver says that the tour was left or finished.
	TourOver bool `json:"tourOver,omitempty"`
	// TourStep is where the tour stands, 0 at its beginning, tourAway while a run
	// is open that it does not tell of.
	TourStep int `json:"tourStep,omitempty"`
	// NoKeys switches shortcuts of a single letter off.
	NoKeys bool `json:"noKeys,omitempty"`
	// Drawer is "", "closed" or "tall".
	Drawer string `json:"drawer,omitempty"`
	// Columns are the widths of columns.
	Columns Columns `json:"columns,omitzero"`
	// Speed is the speed of play, in steps a second; 0 is one.
	Speed float64 `json:"speed,omitempty"`
	// Until is what ends playing; Predict asks before each step.
	Until   Until `json:"until,omitempty"`
	Predict bool  `json:"predict,omitempty"`
	// Stored says that a run of which the person has made something is stored.
	// The preferences are kept apart from it: they tell when it has gone.
	Stored bool `json:"stored,omitempty"`
}

// ObjectView says whose objects the table shows.
type ObjectView string

// The views of the objects.
const (
	ViewServer ObjectView = "server"
	ViewCache  ObjectView = "cache"
	ViewBoth   ObjectView = "both"
)

// DrawerTab is what the drawer shows.
type DrawerTab string

// The tabs of the drawer.
const (
	TabTimeline DrawerTab = "timeline"
	TabLog      DrawerTab = "log"
	TabReport   DrawerTab = "report"
	TabTerminal DrawerTab = "terminal"
	TabFound    DrawerTab = "found"
	TabKeys     DrawerTab = "keys"
	TabPlots    DrawerTab = "plots"
	TabProve    DrawerTab = "prove"
)

// Pane is the part of the page that a narrow window shows.
type Pane string

// The panes.
const (
	PaneLoop    Pane = "loop"
	PaneObjects Pane = "objects"
	PaneFiles   Pane = "files"
	PaneTime    Pane = "time"
)

// Sheet is what lies over the page: its Kind is "" for nothing, "help",
// "share", "library", "predict", "file" or "confirm". A confirmation names in About what it is about and says in Yes
// what happens then; Key picks its words.
type Sheet struct {
	Kind, Key, About string
	// Note says more of what a confirmation is about. Of a file that is to be made About
	// is the name, and Note why it was refused.
	Note string
	Yes  Msg
	// Back is the id of the element that gets the focus back.
	Back string
}

// Toast is a short message that goes by itself.
type Toast struct {
	ID int
	// Level is "ok", "fault" or "".
	Level, Text string
}

// Report is the report as it was last made.
type Report struct {
	// Markdown is the report in its md form; empty before one was made.
	Markdown string
	// At is the step it was made after.
	At int
	// Wanted says that one is being made.
	Wanted bool
}

// Window is the part of a long list that is in sight, in rows.
type Window struct{ First, Count int }

// New returns the page before anything is known.
func New(w words.Catalogue, p Prefs) *Model {
	return &Model{
		Words:      w,
		Prefs:      p,
		View:       ViewServer,
		Follow:     true,
		Drawer:     TabTimeline,
		Pane:       PaneLoop,
		Scroll:     Window{0, 40},
		Controller: "running",
		Tour:       Tour{Over: p.TourOver, Step: 1},
		pending:    map[int64]pending{},
	}
}

// Start is what to ask for at the beginning.
func (m *Model) Start() []Effect {
	return []Effect{SetTheme{m.Prefs.Theme}, m.send(engine.Command{Method: "open"}, pending{})}
}

// branchKept is the code of the notice that acting in the past has started a branch.
const branchKept = "branch-kept"

// LeftBranch reports whether the person has just left a branch by acting in the
// past, and not heard enough of it: the newest of the branches that are kept.
func (m *Model) LeftBranch() bool {
	return len(m.Timeline.Branches) > 0 && slices.ContainsFunc(m.Notices, func(n engine.Notice) bool { return n.Code == branchKept })
}

// settled reports whether a notice has had its time: what it complains of is so no
// longer, or it is good news alone and something else has been done since.
func (m *Model) settled(n engine.Notice) bool {
	switch n.Code {
	case "loop", "not-quiet":
		return m.Timeline.Quiet && !m.InThePast()
	case "storage-lost":
		return m.Storage.State == "saved"
	case "reloaded", "imported", "link-opened", "run-opened", "run-opened-at", "taken-up":
		return m.acted
	}
	return false
}

func (m *Model) dropNotice(code string) {
	m.Notices = slices.DeleteFunc(m.Notices, func(n engine.Notice) bool { return n.Code == code })
}

// InThePast reports whether the view stands before the tip.
func (m *Model) InThePast() bool { return m.Timeline.Step < m.Timeline.Length }

// EventText is what step n did, in one line; empty for one that is not known.
func (m *Model) EventText(n int) string {
	if n < 1 || n > len(m.Events) {
		return ""
	}
	return m.Events[n-1].Text
}

// Several reports whether there are several controllers, so that things are told
// with whose they are.
func (m *Model) Several() bool {
	return slices.ContainsFunc(m.Caches, func(c engine.CacheView) bool { return c.Process != m.Caches[0].Process })
}

// Acting reports whether a pass is in flight.
func (m *Model) Acting() bool { return m.Pass != nil && m.Pass.EndEvent == 0 && !m.Pass.Died }

// Default is the action that Step takes; "" where nothing can happen.
func (m *Model) Default() engine.EnabledItem {
	for _, item := range m.Enabled.Items {
		if item.Default {
			return item
		}
	}
	return engine.EnabledItem{}
}

// ActionAt returns the action that can be taken in a place for a target.
func (m *Model) ActionAt(place, target string) (engine.EnabledItem, bool) {
	for _, item := range m.Enabled.Items {
		if item.Place == place && (target == "" || item.Target == target) {
			return item, true
		}
	}
	return engine.EnabledItem{}, false
}
