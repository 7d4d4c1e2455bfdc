package app

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Update takes one message and returns what is to be asked of the browser, in
// order.
func (m *Model) Update(msg Msg) []Effect {
	m.Stale = true
	for _, part := range []func(Msg) ([]Effect, bool){m.waits, m.updateWorld, m.updateFiles, m.updateLinks, m.updateTerminal, m.updatePlay, m.updateStory, m.updatePanel, m.updateProve, m.updateColumns, m.updatePage} {
		if effects, ok := part(msg); ok {
			return effects
		}
	}
	return m.updateBrowser(msg)
}

// updateBrowser takes what comes from the engine and the browser.
func (m *Model) updateBrowser(msg Msg) []Effect {
	switch msg := msg.(type) {
	case FromEngine:
		return m.reply(msg.Reply)
	case EngineState:
		return m.engineState(msg.State)
	case NewVersion:
		m.UpdateWaits = true
	case ScriptsLoading:
		for i := range m.Notices {
			if m.Notices[i].Code == "scripts-loading" {
				m.Notices[i].N = msg.Percent
			}
		}
	case Pressed:
		return m.pressed(msg.Key)
	case Called:
		return m.called(msg)
	case rerunRun:
		return m.actThen(engine.Command{Method: "run"}, rerunDone{})
	case rerunDone:
		return m.rerunEnded()
	case Imported:
		if strings.Contains(msg.Text[:min(len(msg.Text), 200)], progressFormat) {
			// It adds to what is known, and takes the place of nothing.
			return []Effect{MergeProgress{msg.Text, string(m.Progress)}}
		}
		return []Effect{m.send(engine.Command{Method: "inspect", Text: msg.Text}, pending{file: msg.Name, text: msg.Text})}
	}
	return nil
}

// updateWorld takes the acts on the cluster.
func (m *Model) updateWorld(msg Msg) ([]Effect, bool) {
	if len(m.Enabled.Items) == 0 && !m.Telling() {
		switch msg.(type) {
		case Step, StepCall, Run:
			if !m.Ready {
				return nil, true
			}
			return []Effect{m.nothingToDo()}, true
		}
	}
	switch msg := msg.(type) {
	case Step:
		if msg.Action == "" && m.Telling() && !m.InThePast() && m.Timeline.Next != m.Default().Action {
			return m.act(engine.Command{Method: "playStory"}), true
		}
		if effects, asked := m.askFirst(msg.Action); asked {
			return effects, true
		}
		return m.act(engine.Command{Method: "step", Action: msg.Action}), true
	case StepCall:
		return m.goOn(toCall), true
	case Run:
		return m.goOn(toQuiet), true
	case Stop:
		return m.stop(), true
	case Play:
		return m.play(), true
	case PlayTick:
		return m.playTick(msg.Of), true
	case Advance:
		return m.act(engine.Command{Method: "advance", Duration: msg.By.String()}), true
	case Inject:
		return m.inject(msg.Fault), true
	case Crash:
		return m.act(engine.Command{Method: "crash"}), true
	case Restart:
		return m.act(engine.Command{Method: "restart"}), true
	case Rerun:
		return m.rerun(), true
	case Unfinalize:
		m.Menu = ""
		return m.act(engine.Command{Method: "unfinalize", Ref: msg.Ref, Name: msg.Name}), true
	case Delete:
		if !msg.Sure {
			key := "delete"
			if e := m.Objects.Get(msg.Ref); e != nil && len(e.Server.Finalizers()) > 0 {
				key = "deleteHeld"
			}
			return m.ask(key, msg.Ref, Delete{msg.Ref, true}), true
		}
		return m.act(engine.Command{Method: "delete", Ref: msg.Ref}), true
	case PickScenario:
		return m.pick(msg), true
	case Reset:
		if !msg.Sure {
			return m.ask("reset", "", Reset{true}), true
		}
		return m.act(engine.Command{Method: "reset"}), true
	case Load:
		return m.act(engine.Command{Method: "load", Text: msg.Text}), true
	case TakeOver:
		return m.act(engine.Command{Method: "takeover"}), true
	}
	return m.updateTime(msg)
}

// pick starts a scenario, or asks first.
func (m *Model) pick(msg PickScenario) []Effect {
	if !msg.Sure && m.touched() {
		return m.ask("scenario", msg.Name, PickScenario{msg.Name, true})
	}
	var effects []Effect
	if m.Sheet.Kind != "" {
		effects = m.closeAll() // the library, from which it was picked
	}
	return append(effects, m.act(engine.Command{Method: "scenario", Name: msg.Name})...)
}

// updateTime takes the moves of the view.
func (m *Model) updateTime(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case Back:
		return m.seek(m.Timeline.Step - 1), true
	case Forward:
		return m.seek(m.Timeline.Step + 1), true
	case Seek:
		return m.seek(msg.N), true
	case SeekTo:
		n := 0
		if json.Unmarshal([]byte(msg.Value), &n) != nil {
			return nil, true
		}
		return m.seek(n), true
	case Fork:
		return m.act(engine.Command{Method: "fork"}), true
	case Branch:
		m.dropNotice(branchKept)
		return m.act(engine.Command{Method: "branch", N: msg.N}), true
	case OldBranch:
		if !m.LeftBranch() {
			return nil, true
		}
		effects, _ := m.updateTime(Branch{len(m.Timeline.Branches) - 1})
		return append(effects, Focus{"step"}), true
	}
	return nil, false
}

// send gives a command its number and remembers it until it is answered.
func (m *Model) send(c engine.Command, p pending) Effect {
	m.nextID++
	c.ID = m.nextID
	p.method = c.Method
	m.pending[c.ID] = p
	return Send{c}
}

// act sends a command that may change what is shown: once it is answered, the
// marks of earlier changes go. A command that the engine has yet to answer is
// waited for by the engine, not here.
func (m *Model) act(c engine.Command) []Effect { return m.actThen(c, nil) }

func (m *Model) actThen(c engine.Command, then Msg) []Effect {
	m.Stale = m.Menu != "" || c.Method == "run"
	m.Menu = ""
	if c.Method == "run" {
		m.Running, m.Ran = true, 0
	}
	var effects []Effect
	if then == nil {
		effects = m.dropEvidence()
	}
	return append(effects, m.send(c, pending{act: true, then: then}))
}

func (m *Model) seek(n int) []Effect {
	n = max(0, min(n, m.Timeline.Length))
	if n == m.Timeline.Step || m.asked("seek") > 1 {
		return nil
	}
	playing := m.Playing
	m.Playing = false
	effects := m.act(engine.Command{Method: "seek", N: n})
	m.Stale = m.Stale || playing
	return effects
}

// asked counts the commands of a method that have not been answered.
func (m *Model) asked(method string) int {
	n := 0
	for _, p := range m.pending {
		if p.method == method {
			n++
		}
	}
	return n
}

// newest is the command of a method that was sent last of those that have not been
// answered, 0 where there is none.
func (m *Model) newest(method string) int64 {
	last := int64(0)
	for id, p := range m.pending {
		if p.method == method {
			last = max(last, id)
		}
	}
	return last
}

func (m *Model) stop() []Effect {
	m.Playing, m.foretelling = false, ""
	if !m.Running && !m.Terminal.Busy {
		return nil
	}
	return []Effect{m.send(engine.Command{Method: "interrupt"}, pending{})}
}

// usualSpeed is how many steps a second play makes.
const usualSpeed = 1

func (m *Model) pause() time.Duration {
	speed := m.Prefs.Speed
	if speed <= 0 {
		speed = usualSpeed
	}
	return time.Duration(float64(time.Second) / speed)
}

func (m *Model) play() []Effect {
	m.Playing = !m.Playing
	if !m.Playing {
		return nil
	}
	return m.playOn()
}

// playOn makes a step at once, from which on the pauses are those of the speed now.
func (m *Model) playOn() []Effect {
	m.playNo++
	effects := m.playTick(m.playNo)
	m.Stale = true
	return effects
}

// playTick makes the next step of playing. A tick that was asked for before playing
// last began is nobody's: two of them would be twice the speed.
func (m *Model) playTick(of int) []Effect {
	if !m.Playing || of != m.playNo {
		return nil
	}
	if m.idle() {
		m.Playing = false
		return nil
	}
	method := "step"
	if m.Telling() {
		method = "playStory"
	}
	next := After{m.pause(), PlayTick{of}}
	if m.asked(method) > 0 || m.asked("step") > 0 || m.asked("seek") > 0 || m.Sheet.Kind == "predict" {
		return []Effect{next}
	}
	c := engine.Command{Method: method}
	if m.InThePast() {
		// Playing in the past shows again what happened; it branches nothing.
		c = engine.Command{Method: "seek", N: m.Timeline.Step + 1}
	} else if method == "step" || m.Timeline.Next == m.Default().Action {
		if effects, asked := m.askFirst(""); asked {
			return append(effects, next)
		}
	}
	return append(m.dropEvidence(), m.send(c, pending{act: true, found: len(m.Found) + 1}), next)
}

// engineState takes what the boot script says of the engine.
func (m *Model) engineState(state string) []Effect {
	m.Engine, m.Playing, m.Running, m.foretelling = state, false, false, ""
	// Of what was told in parts the rest will not come.
	m.parts = nil
	effects := m.rejectAll()
	if state == "restarting" {
		effects = append(effects, m.send(engine.Command{Method: "open"}, pending{}))
	}
	return effects
}

// rejectAll answers the callers of window.reconcile whose commands are lost.
func (m *Model) rejectAll() []Effect {
	var effects []Effect
	for id := int64(1); id <= m.nextID; id++ {
		if p, ok := m.pending[id]; ok && p.token != 0 {
			effects = append(effects, Reject{p.token, m.Words.ForcedRestart(), "Internal"})
		}
		delete(m.pending, id)
	}
	return effects
}

// nothingToDo says why nothing happens.
func (m *Model) nothingToDo() Effect {
	if m.Controller == "crashed" {
		return m.toast("", m.Words.DownAct())
	}
	return m.toast("", m.Words.NothingToDo(m.Clock.NextTimer != nil))
}

func (m *Model) toast(level, text string) Effect {
	m.Toasts = slices.DeleteFunc(m.Toasts, func(t Toast) bool { return t.Text == text })
	m.nextToast++
	m.Toasts = append(m.Toasts, Toast{m.nextToast, level, text})
	if len(m.Toasts) > 3 {
		m.Toasts = m.Toasts[len(m.Toasts)-3:]
	}
	stay := 5 * time.Second
	if level == "fault" {
		stay = 12 * time.Second
	}
	return After{stay, DropToast{m.nextToast}}
}
