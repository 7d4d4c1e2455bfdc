package app

import (
	"encoding/json"
	"time"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Effect is something that Update asks of the browser.
type Effect any

// The effects.
type (
	// Send sends a command to the engine.
	Send struct{ Command engine.Command }
	// Focus puts the focus on the element with an id, once it is drawn.
	Focus struct{ ID string }
	// Reveal scrolls the element with an id into sight, once it is drawn.
	Reveal struct{ ID string }
	// Download offers a text as a file.
	Download struct{ Name, Type, Text string }
	// PickFile lets the person pick a file; Imported follows.
	PickFile struct{}
	// SavePrefs remembers the preferences.
	SavePrefs struct{ Prefs Prefs }
	// SaveShown remembers what this tab shows.
	SaveShown struct{ Shown Shown }
	// SetTheme sets the theme: "" follows the system.
	SetTheme struct{ Theme string }
	// EditorShow puts a file into the editor. With Keep it is the same file
	// with another text, and the cursor stays.
	EditorShow struct {
		Name, Text string
		Keep       bool
	}
	// EditorMarks shows complaints in the editor in place of the earlier ones; with
	// Doubts they are no more than that.
	EditorMarks struct {
		Marks  []engine.Mark
		Doubts bool
	}
	// EditorFocus puts the cursor into the editor, at a place if one is given.
	EditorFocus struct{ Line, Col int }
	// After sends a message after a while.
	After struct {
		Delay time.Duration
		Msg   Msg
	}
	// Resolve and Reject answer a call of window.reconcile.
	Resolve struct {
		Token  int
		Result json.RawMessage
	}
	Reject struct {
		Token           int
		Message, Reason string
	}
	// Boot asks the boot script for something: see BootAct.
	Boot struct{ Act string }
)
