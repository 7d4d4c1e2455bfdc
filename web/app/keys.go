package app

import (
	"slices"
	"time"
)

// Key is one press: its name as KeyboardEvent.key has it, and what else held.
type Key struct {
	Name string
	// Mod is Ctrl, or Cmd on a Mac.
	Mod bool
	// Typing says that the focus is where text is typed; Pressing that it is on
	// something that space and Enter press; Moving that it is on something that
	// space, arrows and End move.
	Typing, Pressing, Moving bool
	// Terminal says that it is in the terminal's line; Shift that it was held.
	Terminal, Shift bool
}

// Binding is one line of the help sheet: a name for words, the keys that do
// it, and the message.
type Binding struct {
	Name string
	Keys []string
	Msg  Msg
}

// Bindings are the keys, in the order of the help sheet.
var Bindings = []Binding{
	{"step", []string{"s", " "}, Step{}},
	{"call", []string{"c"}, StepCall{}},
	{"run", []string{"r"}, Run{}},
	{"play", []string{"p"}, Play{}},
	{"act", []string{"."}, NextAct{}},
	{"back", []string{"b", "ArrowLeft"}, Back{}},
	{"forward", []string{"f", "ArrowRight"}, Forward{}},
	{"tip", []string{"End"}, Seek{1 << 30}},
	{"oldBranch", []string{"u"}, OldBranch{}},
	{"next", []string{"g"}, DoNext{}},
	{"pick", []string{"n"}, ToggleMenu{"next"}},
	{"fault", []string{"i"}, ToggleMenu{"fault"}},
	{"tick", []string{"t"}, timer{}},
	{"crash", []string{"k"}, crashOrRestart{}},
	{"again", []string{"a"}, Rerun{}},
	{"delete", []string{"Delete"}, deleteSelected{}},
	{"editor", []string{"e"}, focusEditor{}},
	{"objects", []string{"o"}, focusObjects{}},
	{"nextObject", []string{"]"}, moveSelection{1}},
	{"previousObject", []string{"["}, moveSelection{-1}},
	{"view", []string{"v"}, nextView{}},
	{"drawer", []string{"d"}, nextDrawer{}},
	{"terminal", []string{"\\"}, OpenTab{TabTerminal}},
	{"report", []string{"m"}, MakeReport{}},
	{"export", []string{"x"}, ToggleMenu{"export"}},
	{"theme", []string{"l"}, ToggleTheme{}},
	{"help", []string{"?"}, OpenHelp{}},
	{"close", []string{"Escape"}, CloseAll{}},
}

// Messages that only a key sends: what they mean depends on the model.
type (
	timer          struct{}
	crashOrRestart struct{}
	deleteSelected struct{}
	focusEditor    struct{}
	focusObjects   struct{}
	moveSelection  struct{ by int }
	nextView       struct{}
	nextDrawer     struct{}
)

// pressed does what a key means now.
func (m *Model) pressed(k Key) []Effect {
	if k.Terminal && m.Sheet.Kind == "" && m.typingBound(k) {
		return m.typing(k)
	}
	if k.Name == "Escape" {
		if m.Sheet.Kind == "" && m.Menu == "" && m.Why == "" && !k.Typing {
			return m.stop()
		}
		return m.closeAll()
	}
	if k.Name == "Enter" && k.Typing && m.Sheet.Kind == "file" {
		return m.Update(MakeFile{})
	}
	if m.Sheet.Kind != "" || k.Typing || k.Mod || m.Prefs.NoKeys && len(k.Name) == 1 {
		return nil
	}
	if k.native() {
		return nil
	}
	for _, b := range Bindings {
		for _, name := range b.Keys {
			if name == k.Name {
				return m.keyed(b.Msg)
			}
		}
	}
	return nil
}

// Bound reports whether a press means something here, so that the browser is
// not to do its own with it.
func (m *Model) Bound(k Key) bool {
	if k.Terminal && m.Sheet.Kind == "" {
		return m.typingBound(k)
	}
	if m.Sheet.Kind != "" || k.Typing || k.Mod || k.native() || m.Prefs.NoKeys && len(k.Name) == 1 {
		return false
	}
	for _, b := range Bindings {
		if b.Msg != (CloseAll{}) && slices.Contains(b.Keys, k.Name) {
			return true
		}
	}
	return false
}

// native reports whether the press belongs to what has the focus.
func (k Key) native() bool {
	switch k.Name {
	case " ", "Enter":
		return k.Pressing || k.Moving
	case "ArrowLeft", "ArrowRight", "End":
		return k.Moving
	}
	return false
}

func (m *Model) keyed(msg Msg) []Effect {
	switch msg := msg.(type) {
	case timer:
		if m.Clock.NextTimer == nil {
			return nil
		}
		return m.Update(Advance{max(0, *m.Clock.NextTimer-m.Clock.Since)})
	case crashOrRestart:
		if m.Controller == "crashed" {
			return m.Update(Restart{})
		}
		return m.Update(Crash{})
	case deleteSelected:
		if e := m.Objects.Get(m.Selected); e != nil && !e.Gone() {
			return m.Update(Delete{Ref: e.Key})
		}
	case focusEditor:
		m.Pane = PaneFiles
		return []Effect{EditorFocus{}}
	case focusObjects:
		if m.Pane != PaneObjects {
			m.Pane = PaneObjects
		}
		return []Effect{Focus{"object-" + m.Selected}}
	case moveSelection:
		return m.move(msg.by)
	case nextView:
		next := map[ObjectView]ObjectView{ViewServer: ViewCache, ViewCache: ViewBoth, ViewBoth: ViewServer}
		return m.Update(Show{next[m.View]})
	case nextDrawer:
		next := map[string]string{"": "tall", "tall": "closed", "closed": ""}
		return m.sizeDrawer(next[m.Prefs.Drawer])
	default:
		if menu, ok := msg.(ToggleMenu); ok {
			effects := m.Update(msg)
			if m.Menu == menu.Name {
				return append(effects, Focus{"menu-first"})
			}
			return append(effects, Focus{"menu-" + menu.Name})
		}
		return m.Update(msg)
	}
	return nil
}

// move moves the selection in the table.
func (m *Model) move(by int) []Effect {
	rows := m.Rows()
	at := -1
	for i, r := range rows {
		if r.Entry != nil && r.Entry.Key == m.Selected {
			at = i
		}
	}
	for i := at + by; i >= 0 && i < len(rows); i += by {
		if e := rows[i].Entry; e != nil {
			m.Selected, m.Follow = e.Key, false
			return []Effect{Reveal{ID: "object-" + e.Key}}
		}
	}
	return nil
}

// UntilNext is how long it is to the next timer; ok is false where none runs.
func (m *Model) UntilNext() (d time.Duration, ok bool) {
	if m.Clock.NextTimer == nil {
		return 0, false
	}
	return max(0, *m.Clock.NextTimer-m.Clock.Since), true
}
