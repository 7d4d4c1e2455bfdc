package app

import (
	"encoding/json"
	"time"

	"github.com/reconcile-playground/reconcile/web/engine"
)

// Msg is something that happened: a click, a key, an answer of the engine.
type Msg any

// Valued is a message that takes the value of the element that was changed; of
// one that was clicked it stays as it is.
type Valued interface {
	WithValue(string) Msg
}

// The messages of the engine and of the browser.
type (
	// FromEngine is a reply.
	FromEngine struct{ Reply engine.Reply }
	// EngineState is "restarting" or "crashed".
	EngineState struct{ State string }
	// NewVersion says that a new version of the page waits.
	NewVersion struct{}
	// Pressed is a key, with the names of web/app's key table.
	Pressed struct{ Key Key }
	// Edited is the text of the open file after a change by the person.
	Edited struct{ Text string }
	// Leaving says that the page may go: it is hidden, or is being left.
	Leaving struct{}
	// Imported is the text of a file that the person picked.
	Imported struct{ Name, Text string }
	// Scrolled says which rows of the table are in sight.
	Scrolled struct{ Window }
	// Called is a call of window.reconcile. Text is its first argument where that
	// is a text: then nothing stands in its place in Args.
	Called struct {
		Token  int
		Method string
		Args   []json.RawMessage
		Text   string
	}
	// Nothing does nothing.
	Nothing struct{}
)

// The acts on the cluster.
type (
	// Step takes one action; "" is the first of what can happen.
	Step struct{ Action string }
	// StepCall steps to the next call of a pass.
	StepCall struct{}
	// Run runs to quiet.
	Run struct{}
	// Stop stops a run and playing.
	Stop struct{}
	// Play starts and stops playing.
	Play struct{}
	// PlayTick is the moment for the next step of playing; Of says since when.
	PlayTick struct{ Of int }
	// SetSpeed sets the speed of play, in steps a second.
	SetSpeed struct{ Value string }
	// Back and Forward move the view by one step.
	Back    struct{}
	Forward struct{}
	// Seek moves the view to after a step.
	Seek struct{ N int }
	// SeekTo is Seek to a number in a text.
	SeekTo struct{ Value string }
	// Fork makes the step in view the tip; Branch takes up a tail that was kept.
	Fork   struct{}
	Branch struct{ N int }
	// OldBranch takes up again what was left when the person acted in the past last.
	OldBranch struct{}
	// Advance lets time pass.
	Advance struct{ By time.Duration }
	// Crash and Restart are about the controller.
	Crash   struct{}
	Restart struct{}
	// Rerun makes one full pass over every key and runs to quiet.
	Rerun struct{}
	// Delete deletes an object; where Sure is not set it asks first.
	Delete struct {
		Ref  string
		Sure bool
	}
	// Unfinalize takes a finalizer off by hand.
	Unfinalize struct{ Ref, Name string }
	// PickScenario starts another scenario; where Sure is not set and there is something
	// to lose it asks first.
	PickScenario struct {
		Name string
		Sure bool
	}
	// Reset starts over; where Sure is not set it asks first.
	Reset struct{ Sure bool }
	// Load replaces everything by a document.
	Load struct{ Text string }
)

// The acts on the page.
type (
	// Apply applies the open file; ApplyFiles several by their names.
	Apply      struct{}
	ApplyFiles struct{ Names []string }
	// OpenFile opens a file in the editor.
	OpenFile struct{ Name string }
	// RemoveFile removes a file, after asking.
	RemoveFile struct {
		Name string
		Sure bool
	}
	// SaveFile stores a file's text; it follows an edit after a while.
	SaveFile struct {
		Name string
		Edit int
	}
	// Revert takes the open file back to what was applied last.
	Revert struct{}
	// Select shows an object's YAML.
	Select struct{ Key string }
	// Follow switches whether the selection goes to what a step changed.
	Follow struct{}
	// Show picks whose objects are shown.
	Show struct{ View ObjectView }
	// FilterBy shows only objects whose name or kind holds the value.
	FilterBy struct{ Value string }
	// OpenTab, OpenPane, ToggleMenu, ToggleWhy open parts of the page.
	OpenTab    struct{ Tab DrawerTab }
	OpenPane   struct{ Pane Pane }
	ToggleMenu struct{ Name string }
	ToggleWhy  struct{ Name string }
	// SizeDrawer sets the drawer's size: "", "closed" or "tall".
	SizeDrawer struct{ Size string }
	// FocusOn puts the focus on the element with an id.
	FocusOn struct{ ID string }
	// CloseAll closes menus, sheets and explanations.
	CloseAll struct{}
	// OpenHelp shows the keys.
	OpenHelp struct{}
	// ToggleTheme goes to the next theme; ToggleKeys switches single-letter keys.
	ToggleTheme struct{}
	ToggleKeys  struct{}
	// Confirm does what the open sheet asks about.
	Confirm struct{}
	// MakeReport makes the report; Export downloads it, or the cluster.
	MakeReport struct{}
	Export     struct{ Format string }
	// Import asks for a file.
	Import struct{}
	// StartTour and LeaveTour; DoNext does what the guide suggests.
	StartTour struct{}
	LeaveTour struct{}
	DoNext    struct{}
	// TakeOver takes the cluster from another tab.
	TakeOver struct{}
	// BootAct asks the boot script: "update", "restart", "export", "reset".
	BootAct struct{ Act string }
	// DropToast and DropNotice take a message away.
	DropToast  struct{ ID int }
	DropNotice struct{ Code string }
	// DropEvidence takes away what a second run has shown.
	DropEvidence struct{}
)

// WithValue sets the step.
func (SeekTo) WithValue(v string) Msg { return SeekTo{v} }

// WithValue sets the scenario's name.
func (PickScenario) WithValue(v string) Msg { return PickScenario{Name: v} }

// WithValue sets the text to look for.
func (FilterBy) WithValue(v string) Msg { return FilterBy{v} }
