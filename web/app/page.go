package app

import (
	"encoding/json"
	"slices"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// updatePage takes the acts on the page itself.
func (m *Model) updatePage(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case Select:
		m.Selected, m.Follow = msg.Key, false
	case Follow:
		m.Follow = !m.Follow
		return m.look(), true
	case Show:
		m.View = msg.View
	case FilterBy:
		m.Filter, m.Scroll.First = msg.Value, 0
	case Scrolled:
		m.Scroll = msg.Window
	case OpenTab:
		m.Drawer = msg.Tab
		if m.Pane != PaneFiles {
			m.Pane = PaneTime
		}
		if msg.Tab == TabPlots {
			m.Prefs.Drawer, m.plotted = pickSize(m.Prefs.Drawer), 0
			return m.refreshPlots(), true
		}
		if msg.Tab == TabTerminal {
			m.Prefs.Drawer = pickSize(m.Prefs.Drawer)
			return []Effect{Focus{TerminalID}, Reveal{"terminal-end"}}, true
		}
		if m.Prefs.Drawer == "closed" {
			return m.sizeDrawer(""), true
		}
		if msg.Tab == TabReport && m.Report.Markdown == "" && !m.Report.Wanted {
			return m.makeReport(), true
		}
		return []Effect{Reveal{ID: "log-current"}}, true
	case OpenPane:
		m.Pane = msg.Pane
	case ToggleMenu:
		m.Menu = pickOpen(m.Menu, msg.Name)
		m.Why = ""
	case ToggleWhy:
		m.Why = pickOpen(m.Why, msg.Name)
	case SizeDrawer:
		return m.sizeDrawer(msg.Size), true
	case FocusOn:
		return []Effect{Focus{msg.ID}}, true
	case CloseAll:
		return m.closeAll(), true
	case OpenHelp:
		m.Sheet, m.Menu, m.Why = Sheet{Kind: "help", Back: "help"}, "", ""
		return []Effect{Focus{"sheet-close"}}, true
	case Confirm:
		yes := m.Sheet.Yes
		effects := m.closeAll()
		if yes == nil {
			return effects, true
		}
		return append(effects, m.Update(yes)...), true
	case ToggleTheme:
		m.Prefs.Theme = nextTheme(m.Prefs.Theme)
		return []Effect{SetTheme{m.Prefs.Theme}, SavePrefs{m.Prefs}}, true
	case ToggleKeys:
		m.Prefs.NoKeys = !m.Prefs.NoKeys
		return []Effect{SavePrefs{m.Prefs}}, true
	default:
		return m.updateRest(msg)
	}
	return nil, true
}

func (m *Model) updateRest(msg Msg) ([]Effect, bool) {
	switch msg := msg.(type) {
	case SetSpeed:
		m.Menu = ""
		if json.Unmarshal([]byte(msg.Value), &m.Prefs.Speed) != nil {
			return nil, true
		}
		effects := []Effect{SavePrefs{m.Prefs}, Focus{"menu-play"}}
		if m.Playing {
			effects = append(effects, m.playOn()...)
		}
		return effects, true
	case MakeReport:
		return m.makeReport(), true
	case Export:
		return m.export(msg.Format), true
	case Import:
		m.Menu = ""
		return []Effect{PickFile{}}, true
	case StartTour:
		return m.startTour(), true
	case LeaveTour:
		return m.leaveTour(), true
	case DoNext:
		return m.Update(m.Guide().Do), true
	case BootAct:
		return []Effect{Boot{msg.Act}}, true
	case DropToast:
		m.Toasts = slices.DeleteFunc(m.Toasts, func(t Toast) bool { return t.ID == msg.ID })
	case DropNotice:
		m.dropNotice(msg.Code)
	case DropEvidence:
		return append(m.dropEvidence(), Focus{"step"}), true
	case Nothing:
	default:
		return nil, false
	}
	return nil, true
}

// pickSize is a size of the drawer in which something can be read.
func pickSize(size string) string {
	if size == "closed" {
		return ""
	}
	return size
}

func pickOpen(open, name string) string {
	if open == name {
		return ""
	}
	return name
}

func nextTheme(theme string) string {
	switch theme {
	case "":
		return "light"
	case "light":
		return "dark"
	}
	return ""
}

func (m *Model) sizeDrawer(size string) []Effect {
	m.Prefs.Drawer = size
	return []Effect{SavePrefs{m.Prefs}}
}

// ask opens the sheet that asks before something is lost.
func (m *Model) ask(key, about string, yes Msg) []Effect {
	m.Menu, m.Why = "", ""
	m.Sheet = Sheet{Kind: "confirm", Key: key, About: about, Yes: yes}
	return []Effect{Focus{"confirm-no"}}
}

// closeAll closes one thing after the other: what lies on top first.
func (m *Model) closeAll() []Effect {
	switch {
	case m.Sheet.Kind != "":
		back := m.Sheet.Back
		if m.Sheet.Kind == "predict" {
			// Who does not want to be asked does not want to be asked again at once.
			m.Playing, m.foretelling = false, ""
		}
		m.Sheet = Sheet{}
		if back != "" {
			return []Effect{Focus{back}}
		}
		return []Effect{Focus{"step"}}
	case m.Menu != "":
		open := m.Menu
		m.Menu = ""
		return []Effect{Focus{"menu-" + open}}
	case m.Why != "":
		open := m.Why
		m.Why = ""
		return []Effect{Focus{"why-" + open}}
	}
	return nil
}

// inspected asks before a file that can be imported takes the place of what is
// there.
func (m *Model) inspected(p pending, result json.RawMessage) []Effect {
	var found engine.Inspection
	if json.Unmarshal(result, &found) != nil {
		return nil
	}
	m.Menu, m.Why = "", ""
	m.Sheet = Sheet{Kind: "confirm", Key: "import", About: p.file, Note: m.Words.ImportHolds(found.Title, found.Cluster, found.Steps), Yes: Load{p.text}}
	return []Effect{Focus{"confirm-yes"}}
}

// makeReport asks for the report to be shown.
func (m *Model) makeReport() []Effect {
	m.Report.Wanted = true
	m.Drawer = TabReport
	return []Effect{m.send(engine.Command{Method: "report", Format: "md"}, pending{text: "show"})}
}

// export downloads the cluster, or the report in a format.
func (m *Model) export(format string) []Effect {
	m.Menu = ""
	if format == "cluster" {
		return []Effect{m.send(engine.Command{Method: "export"}, pending{})}
	}
	return []Effect{m.send(engine.Command{Method: "report", Format: format}, pending{text: format})}
}

// reported takes a report: to be shown, or to be downloaded.
func (m *Model) reported(p pending, result json.RawMessage) []Effect {
	text := textOf(result)
	switch p.text {
	case "":
		return nil
	case "show":
		m.Report = Report{Markdown: text, At: m.Timeline.Step}
		return nil
	}
	types := map[string]string{"json": "application/json", "md": "text/markdown", "html": "text/html"}
	name := "reconcile-report." + p.text
	return []Effect{Download{name, types[p.text], text}, m.toast("ok", m.Words.Exported(name))}
}

func (m *Model) exported(result json.RawMessage) []Effect {
	name := "reconcile-cluster.json"
	return []Effect{Download{name, "application/json", textOf(result)}, m.toast("ok", m.Words.Exported(name))}
}

// textOf is a result that is a text, or the text of a result that is a tree.
func textOf(result json.RawMessage) string {
	var s string
	if json.Unmarshal(result, &s) == nil {
		return s
	}
	return string(result)
}
