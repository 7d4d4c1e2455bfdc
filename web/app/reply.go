package app

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// reply takes an answer of the engine: what changed, then what became of the
// command.
func (m *Model) reply(r engine.Reply) []Effect {
	var effects []Effect
	p, ok := m.pending[r.ID]
	if p.act {
		m.Objects.begin()
		// What an apply did is said until the next act.
		m.Files.Done = nil
		m.acted = r.Error == nil
		p.act = false
		m.pending[r.ID] = p
	}
	other := r.Error == nil && otherRun(p.method) && r.Delta != nil && r.Delta.Full
	if other {
		// Another cluster brings its own files: nothing typed into the old ones stays.
		m.Files.List, m.Files.Error, m.Files.Done, m.Files.Doubts = nil, nil, nil, nil
		m.Terminal, m.Playing, m.foretelling = Terminal{}, false, ""
		effects = m.rememberTour(tourOf(p.method, r.Delta))
	}
	before := m.lastKept()
	if r.Delta != nil {
		effects = append(effects, m.take(r.Delta)...)
	}
	if other {
		effects = append(effects, m.arrived(p, before)...)
	}
	if !ok {
		return effects
	}
	if !r.Done && r.Error == nil {
		return effects
	}
	delete(m.pending, r.ID)
	if p.method == "run" {
		m.Running = m.asked("run") > 0
	}
	if p.token != 0 {
		effects = append(effects, m.answer(p, r))
	}
	if p.method == "shell" && p.token == 0 {
		return append(effects, m.ranLine(p, r.Result, r.Error)...)
	}
	if r.Error != nil {
		return append(effects, m.refused(p, r)...)
	}
	switch p.method {
	case "state", "enabled", "report", "export", "inspect", "file", "interrupt", "link", "source", "plots", "prove", "proving", "grade", "progress", "story":
	default:
		// A complaint about what was done before is answered by what works now.
		m.Toasts = slices.DeleteFunc(m.Toasts, func(t Toast) bool { return t.Level == "fault" })
	}
	if p.method == "setScript" && p.token == 0 {
		effects = append(effects, m.rolledOut(p, r.Marks)...)
	}
	effects = append(effects, m.done(p, r.Result)...)
	if p.then != nil {
		effects = append(effects, m.Update(p.then)...)
	}
	return effects
}

// otherRun reports whether a command brings another cluster, with files of its
// own.
func otherRun(method string) bool {
	switch method {
	case "scenario", "load", "reset", "openLink", "openRun", "takeUp", "cure":
		return true
	}
	return false
}

// tourOf is where the tour stands in another run: at its beginning where that is
// a scenario from its start, nowhere in one that somebody has played.
func tourOf(method string, d *engine.Delta) int {
	switch {
	case method == "scenario", method == "reset", method == "load" && (d.Timeline == nil || !d.Timeline.Touched):
		return 0
	}
	return tourAway
}

// arrived takes that another run is open; before is the run that was kept last
// before it took the place of one.
func (m *Model) arrived(p pending, before int) []Effect {
	if p.method == "openRun" {
		// It is about what was found, which stays to be read on; from it one goes back.
		if last := m.lastKept(); !m.Shown && last > before {
			m.Mine = last
		}
		m.Shown = true
		return nil
	}
	m.Shown, m.Mine = false, 0
	if p.back {
		return m.openFile(m.Files.Open)
	}
	m.Grade = nil
	if !m.Proving() {
		m.Prove, m.ProveError = nil, ""
	}
	m.opened()
	if m.Scenario.Kind == "lesson" {
		return m.openFile(m.Scenario.Script)
	}
	// What has the same name there is read from its beginning, too.
	return m.openFile(m.Files.Open)
}

// lastKept is the run that was kept last, 0 where there is none.
func (m *Model) lastKept() int {
	if n := len(m.Kept); n > 0 {
		return m.Kept[n-1].ID
	}
	return 0
}

// done takes the success of a command of the page's own.
func (m *Model) done(p pending, result json.RawMessage) []Effect {
	switch p.method {
	case "apply":
		return m.applied(p, result)
	case "inspect":
		return m.inspected(p, result)
	case "report":
		return m.reported(p, result)
	case "source":
		return m.takeAlong(p.text, textOf(result))
	case "export":
		return m.exported(result)
	case "link":
		if p.token != 0 {
			return nil
		}
		return []Effect{PackLink{Text: textOf(result)}}
	case "scenario", "load", "reset", "openLink", "openRun", "takeUp", "cure":
		m.Evidence, m.Plots, m.plotted = nil, nil, 0
		m.Report = Report{}
	case "step", "stepCall", "run", "advance", "inject", "playStory":
		if p.method == "run" && p.token == 0 && p.then == nil && len(events(result)) == 0 {
			return []Effect{m.nothingToDo()}
		}
		if p.found > 0 && m.playOver(p.found-1) {
			m.Playing = false
		}
		effects := append(m.judged(p, result), m.refreshPlots()...)
		return append(append(effects, m.say()...), m.look()...)
	case "crash", "restart", "delete", "unfinalize":
		return append(m.refusedFacts(result), m.say()...)
	case "grade":
		m.graded(result)
	case "story":
		m.storyTold(result)
	case "plots":
		return m.plotsTold(result)
	case "seek":
		if p.found > 0 && m.playOver(p.found-1) {
			m.Playing = false
		}
		return append(m.refreshPlots(), m.say()...)
	case "branch":
		return append(append(m.refreshPlots(), m.say()...), m.toast("ok", m.Words.BranchBack(m.Timeline.Length)))
	}
	return nil
}

// say tells a screen reader what the last step was, and brings its line into
// sight.
func (m *Model) say() []Effect {
	n := m.Timeline.Step
	if n == 0 || n > len(m.Events) {
		return nil
	}
	m.Said = m.Words.Announce(n, m.Events[n-1].Text)
	effects := []Effect{Reveal{"beat-now"}, Reveal{"place-live"}}
	if m.Drawer == TabLog {
		effects = append(effects, Reveal{ID: "log-current"})
	}
	return effects
}

// look turns the page's attention to what just changed.
func (m *Model) look() []Effect {
	if e := m.Objects.Get(m.Selected); !m.Follow || e != nil && m.Objects.Fresh(e) {
		return nil
	}
	for _, e := range m.Objects.Changed() {
		if !e.Builtin {
			m.Selected = e.Key
			return nil
		}
	}
	return nil
}

// refused takes the failure of a command.
func (m *Model) refused(p pending, r engine.Reply) []Effect {
	m.Playing, m.foretelling = false, ""
	err := r.Error
	switch p.method {
	case "prove", "grade":
		m.proveRefused(err)
		return nil
	case "setScript":
		return m.applyRefused(p, err)
	case "apply":
		// Of several documents some may have been stored all the same.
		m.Files.Done = written(r.Result)
		return m.applyRefused(p, err)
	case "report":
		m.Report.Wanted = false
	case "run":
		if err.Reason == "Interrupted" {
			return m.say()
		}
	case "interrupt":
		return nil
	}
	if p.token != 0 {
		return nil
	}
	effects := m.dropEvidence()
	if err.Reason == "NotEnabled" && m.Controller == "crashed" {
		return append(effects, m.nothingToDo())
	}
	return append(effects, m.toast("fault", m.Words.Failed(p.method, err.Message)))
}

// refusedFacts shows what the server said to an input that it refused.
func (m *Model) refusedFacts(result json.RawMessage) []Effect {
	for _, e := range events(result) {
		for _, f := range e.Facts {
			if f.Kind == sim.FactRefused {
				return []Effect{m.toast("fault", f.Text)}
			}
		}
	}
	return nil
}

// events reads a result that is one event or several.
func events(result json.RawMessage) []sim.Event {
	var many []sim.Event
	if strings.HasPrefix(strings.TrimSpace(string(result)), "[") {
		if json.Unmarshal(result, &many) == nil {
			return many
		}
		return nil
	}
	var one sim.Event
	if json.Unmarshal(result, &one) != nil || one.Action == "" {
		return nil
	}
	return []sim.Event{one}
}

// take takes over what changed for the page.
func (m *Model) take(d *engine.Delta) []Effect {
	var effects []Effect
	if d.Part {
		m.parts = append(m.parts, d.Objects...)
		return nil
	}
	if len(m.parts) > 0 {
		d.Objects, m.parts = append(m.parts, d.Objects...), nil
	}
	if d.Full {
		m.forget()
	}
	if d.Scenario != nil {
		m.Scenario, m.scenarioText = *d.Scenario, ""
		if d.Full {
			m.Objects.forget(m.Scenario)
		}
	}
	m.takePlaces(d)
	if d.Timeline != nil {
		if m.Running && d.Timeline.Length > m.Timeline.Length {
			m.Ran += d.Timeline.Length - m.Timeline.Length
		}
		m.Timeline = *d.Timeline
		if m.Pass != nil && m.Pass.StartEvent > m.Timeline.Step {
			// The view has moved to before any pass.
			m.Pass, m.Passes = nil, 0
		}
	}
	if d.EventsFrom >= 0 && d.EventsFrom < len(m.Events) {
		m.Events = m.Events[:d.EventsFrom:d.EventsFrom]
	}
	m.Events = append(m.Events, d.Events...)
	m.Objects.take(d.Objects, m.Timeline.Step, d.Full || d.Changed != nil)
	if d.Changed != nil {
		m.Objects.moved(d.Changed, m.Timeline.Step)
	}
	if d.Files != nil {
		effects = append(effects, m.takeFiles(d.Files)...)
	}
	if d.Kept != nil {
		m.Kept = d.Kept
	}
	if d.Progress != nil {
		m.Progress = d.Progress
	}
	m.Notices = slices.DeleteFunc(m.Notices, func(n engine.Notice) bool {
		return m.settled(n) || d.Notice != nil && n.Code == d.Notice.Code
	})
	m.acted = false
	if d.Notice != nil && !d.Notice.Over {
		m.Notices = append(m.Notices, *d.Notice)
	}
	first := d.Full && !m.Ready
	if first {
		m.opened()
	}
	if d.Full {
		m.Ready, m.Engine = true, ""
		m.Tour = Tour{Step: max(1, m.Prefs.TourStep), Over: m.Prefs.TourOver || m.Prefs.TourStep == tourAway, From: m.Timeline.Step}
	}
	effects = append(effects, m.watchStored(first)...)
	m.selectFirst()
	if d.Full {
		effects = append(append(effects, m.askStory()...), m.readLink()...)
	}
	return append(effects, m.tourProgress()...)
}

// watchStored remembers whether something of the person's is stored, and says so
// where it is no longer there when the page opens: a browser may throw its storage
// away as a whole, as Chromium does with one that was damaged when it was killed.
func (m *Model) watchStored(first bool) []Effect {
	if m.Storage.State != "saved" || m.Prefs.Stored == m.Timeline.Touched {
		return nil
	}
	if first && m.Prefs.Stored {
		m.Notices = append(m.Notices, engine.Notice{Code: "stored-gone"})
	}
	m.Prefs.Stored = m.Timeline.Touched
	return []Effect{SavePrefs{m.Prefs}}
}

func (m *Model) takePlaces(d *engine.Delta) {
	set(&m.Clock, d.Clock)
	set(&m.Wire, d.Wire)
	if d.Queue != nil {
		m.Queue = d.Queue.After(m.Queue)
	}
	if d.Enabled != nil {
		m.Enabled = d.Enabled.After(m.Enabled)
	}
	set(&m.Cloud, d.Cloud)
	if d.Faults != nil {
		m.Faults = d.Faults.After(m.Faults)
	}
	if d.Prove != nil {
		m.Prove = d.Prove
	}
	if d.Found != nil {
		m.Found = d.Found
	}
	set(&m.Storage, d.Storage)
	if d.Caches != nil {
		m.Caches = d.Caches
	}
	if d.Pass != nil {
		m.Pass = trees(d.Pass)
	}
	if d.Passes != 0 || d.Full {
		m.Passes = d.Passes
	}
	if d.Revision != 0 {
		m.Revision = d.Revision
	}
	if d.Controller != "" {
		m.Controller = d.Controller
	}
}

// trees turns the values of a pass that came as JSON into trees.
func trees(p *sim.Pass) *sim.Pass {
	all := func(list []object.Change) {
		for i := range list {
			list[i].Before, list[i].After = object.FromAny(list[i].Before), object.FromAny(list[i].After)
		}
	}
	for _, d := range p.Diff {
		all(d.Changes)
	}
	if p.Status != nil {
		all(p.Status.Changes)
	}
	return p
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// forget drops what is known of the cluster, not what is known of the person.
func (m *Model) forget() {
	m.Clock, m.Revision, m.Timeline = engine.Clock{}, 0, engine.Timeline{}
	m.Events, m.Pass, m.Passes = nil, nil, 0
	m.Notices, m.Evidence, m.Report = nil, nil, Report{}
	m.Wire, m.Queue, m.Caches = engine.WireView{}, engine.QueueView{}, nil
	m.Cloud, m.Enabled, m.Controller = engine.CloudView{}, engine.EnabledView{}, "running"
	m.Faults, m.Found = engine.FaultsView{}, nil
	m.Objects.forget(m.Scenario)
	m.Scroll.First = 0
}

// selectFirst selects an object where what was selected is not there.
func (m *Model) selectFirst() {
	if m.Objects.Get(m.Selected) != nil {
		return
	}
	m.Selected = m.Default().Target
	if m.Objects.Get(m.Selected) != nil {
		return
	}
	m.Selected = ""
	for _, e := range m.Objects.All {
		if !e.Builtin {
			m.Selected = e.Key
			return
		}
	}
}
