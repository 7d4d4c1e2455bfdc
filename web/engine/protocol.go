// Package engine is what the worker does: it holds the timeline, takes commands
// from the page and answers with what changed. It knows neither a browser nor
// IndexedDB: a Port commits its records and posts its replies.
//
// Command, Reply and Delta are the wire between worker and page, as plain JSON.
package engine

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Command is one request of the page. Which fields count depends on Method:
//
//	open                      (first of all) loads what is stored, or Scenario where nothing is; answers a Delta with Full set
//	load      Text            a scenario document (txtar) or an exported cluster (JSON): takes the place of what was there, which is kept
//	inspect   Text            what load would take, as an Inspection; nothing changes
//	scenario  Name            a scenario of the library by its name: likewise
//	apply     Text            the user's kubectl apply of YAML, one or many documents
//	delete    Ref, Policy     Policy is "", Background, Foreground or Orphan
//	unfinalize Ref, Name      takes one finalizer off by hand
//	patch     Ref, Text       a merge patch in JSON by the user
//	setScript Text, Name, Ref rolls a script out in place of controller Ref ("" the only one); Name is the editor's file
//	kubectl   Text            one kubectl command, with or without the word, as a user;   shell: any line of the terminal
//	prove     Text            explores every fault at every call: Text is ProveOptions as JSON; answered at the end, told in Delta.Prove
//	progress  Text            stores how far the person has come with the lessons, whatever JSON that is
//	grade     Name            plays the life of lesson Name ("" what is open) with the script that runs now, and judges it
//	proving   Name            pause, resume or cancel what prove began
//	step      Action          Action "" is the first of Enabled
//	stepCall                  to the next API call inside a pass: steps until a call has been served
//	run                       steps until quiet; progress comes as Replies without Done
//	advance   Duration        "30s"
//	inject    Name            makes the fault, or the first of its kind; where none can be made it is armed; "" disarms
//	crash, restart            Name is the process; "" the only one
//	seek      N               the view moves to after step N; storage stays at the tip
//	back                      seek one step back
//	fork                      makes the step in view the tip; the old tail is kept as a branch
//	branch    N               makes kept branch N the current one
//	file      Name, Text      stores an editor file; Text "" with Remove deletes it
//	rerun                     asks the controller for one full pass over every key (as a resync does)
//	enabled, state, report    Format: json, md, html;   export     (results: see docs/page.md)
//	link                      the run as the text of a link: see Link
//	openLink  Text            plays the run of a link; what was there is kept
//	openRun   Text            opens the run of a finding: its choices as JSON, of what was proved or graded last
//	takeUp    N               makes a kept run the current one, which is kept in turn; dropKept forgets it
//	plots                     figures over virtual time: see Plots
//	cure      Name            starts the scenario anew with a cure switched on, "" with none; what was there is kept
//	story                     how the scenario is told: a Story; from then on Timeline says how far the run goes along it
//	playStory N               goes on with the story up to step N, 0 for the next choice alone
//	interrupt                 stops a run after its current step
//	reset                     starts Scenario "lab" anew; what was there is kept
type Command struct {
	ID       int64  `json:"id"`
	Method   string `json:"method"`
	Text     string `json:"text,omitempty"`
	Name     string `json:"name,omitempty"`
	Ref      string `json:"ref,omitempty"`
	Policy   string `json:"policy,omitempty"`
	Action   string `json:"action,omitempty"`
	Duration string `json:"duration,omitempty"`
	Format   string `json:"format,omitempty"`
	N        int    `json:"n,omitempty"`
	Remove   bool   `json:"remove,omitempty"`
}

// Message is the command as it is sent: head, then text, which may be long. It follows the JSON of the rest on lines of
// its own, as it is: so neither side has more of it than one copy.
func (c Command) Message() (head, text string) {
	text, c.Text = c.Text, ""
	return textIn(c) + "\n", text
}

// ParseCommand reads what Message gave, of which it keeps the text.
func ParseCommand(message string) (c Command, err error) {
	head, text, _ := strings.Cut(message, "\n")
	err = json.Unmarshal([]byte(head), &c)
	c.Text = text
	return c, err
}

// Reply answers a Command. A long command sends several with the same ID; the
// last has Done set. A Reply without ID tells of something nobody asked for.
type Reply struct {
	ID   int64 `json:"id,omitempty"`
	Done bool  `json:"done,omitempty"`
	// Result is the command's own answer: the Event of a step ("step"), an
	// array of Events (apply, run, ...), the state, the report's text.
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	// Marks are doubts about the text that was sent, which was taken all the same.
	Marks []Mark `json:"marks,omitempty"`
	// Delta is what changed for the page; nil where nothing did.
	Delta *Delta `json:"delta,omitempty"`
}

// Error is a refused command: nothing has changed. (Of an apply of several
// documents some may be refused: then the Reply has the Event of those that
// were not as its Result.)
type Error struct {
	Message string `json:"message"`
	// Reason is a Kubernetes Reason, or BadInput, NotEnabled, NotImplemented,
	// Storage, Interrupted, ScriptsNotLoaded, Internal.
	Reason string `json:"reason"`
	// Marks are places in the text that was sent.
	Marks []Mark `json:"marks,omitempty"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Mark is one complaint about one place of a text. Line and Col count from 1;
// Col 0 is the whole line.
type Mark struct {
	Line    int    `json:"line"`
	Col     int    `json:"col,omitempty"`
	Field   string `json:"field,omitempty"`
	Message string `json:"message"`
}

// Delta is what changed for the page. Fields that are nil have not changed;
// slices that have changed come whole, but for Objects and Events.
type Delta struct {
	// Part says that Objects are the first of those of a Delta that is still to
	// come, and nothing else is said: many objects are told in parts, so that
	// none is a text of many megabytes.
	Part bool `json:"part,omitempty"`
	// Full says that the page forgets what it knew.
	Full     bool          `json:"full,omitempty"`
	Scenario *ScenarioInfo `json:"scenario,omitempty"`
	Clock    *Clock        `json:"clock,omitempty"`
	// Revision is the store's; 0 where unchanged.
	Revision int64     `json:"revision,omitempty"`
	Timeline *Timeline `json:"timeline,omitempty"`
	// EventsFrom is how many events the page keeps before it appends Events;
	// -1 keeps all.
	EventsFrom int         `json:"eventsFrom"`
	Events     []EventLine `json:"events,omitempty"`
	// Objects are the objects that differ from what the page was told last.
	Objects []ObjectDelta `json:"objects,omitempty"`
	// Changed is what the step in view changed on the server, told where the view
	// has gone elsewhere than one step on: what differs in Objects is then no
	// change of the cluster's. nil where it has not.
	Changed []ObjectChange `json:"changed"`
	Wire    *WireView      `json:"wire,omitempty"`
	Queue   *QueueView     `json:"queue,omitempty"`
	// Caches is nil where unchanged, empty where no process runs.
	Caches []CacheView `json:"caches"`
	Cloud  *CloudView  `json:"cloud,omitempty"`
	// Pass is the pass in hand, else the last one that ended. Passes is how
	// many there were.
	Pass   *sim.Pass `json:"pass,omitempty"`
	Passes int       `json:"passes,omitempty"`
	// Enabled is what can happen next, the default first; at most MaxListed.
	Enabled *EnabledView `json:"enabled,omitempty"`
	// Faults is what can go wrong.
	Faults *FaultsView `json:"faults,omitempty"`
	// Controller is "running" or "crashed"; "" unchanged.
	Controller string        `json:"controller,omitempty"`
	Storage    *StorageState `json:"storage,omitempty"`
	Files      []File        `json:"files,omitempty"`
	// Found is what is wrong with the run; nil where unchanged.
	Found []FoundView `json:"found"`
	// Kept are the runs that others took the place of; nil where unchanged.
	Kept []KeptRun `json:"kept"`
	// Progress is how far the person has come with the lessons, as it was stored; nil
	// where unchanged.
	Progress json.RawMessage `json:"progress,omitempty"`
	// Prove is how far an exploration has come.
	Prove *ProveView `json:"prove,omitempty"`
	// Notice is something to be said aloud once: its Code picks the words.
	Notice *Notice `json:"notice,omitempty"`
}

// MaxListed bounds the lists of a Delta that show places of the pipeline; each
// has the total beside it.
const MaxListed = 50

// ScenarioInfo says what is being played.
type ScenarioInfo struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Story string `json:"story,omitempty"`
	// Reads is "live" or "cache".
	Reads string `json:"reads"`
	// Watched is the kind that the controller reconciles, such as WebApp;
	// Owned the kinds it owns.
	Watched string   `json:"watched"`
	Owned   []string `json:"owned,omitempty"`
	// Kind is lab, lesson, incident or empty; Look says what to look at; Cures
	// can be switched on.
	Kind  string              `json:"kind,omitempty"`
	Look  []string            `json:"look,omitempty"`
	Cures []scenario.CureHead `json:"cures,omitempty"`
	// Cure is the one that is switched on.
	Cure string `json:"cure,omitempty"`
	// Tasks say what must hold in the end, Hints what to try; Script is the file of
	// the first controller's script, Solution that of the one that solves the lesson.
	Tasks    []string `json:"tasks,omitempty"`
	Hints    []string `json:"hints,omitempty"`
	Script   string   `json:"script,omitempty"`
	Solution string   `json:"solution,omitempty"`
	// Told says that it is told in acts: see Command "story".
	Told bool `json:"told,omitempty"`
	// Graded says that there are checks to grade by.
	Graded bool `json:"graded,omitempty"`
	// Source is the document of a lesson or an incident, whose panel shows parts of it.
	Source string `json:"source,omitempty"`
	// Env names the resource of the first controller as
	// variables of a shell.
	Env string `json:"env,omitempty"`
	// Library are the scenarios that can be picked.
	Library []scenario.Head `json:"library,omitempty"`
}

// Clock is the virtual clock.
type Clock struct {
	// Now is RFC 3339 with fractions; Since is the time since the start.
	Now   string        `json:"now"`
	Since time.Duration `json:"since"`
	// NextTimer is when the next timer is due; nil where there is none.
	NextTimer *time.Duration `json:"nextTimer,omitempty"`
}

// Timeline says where the view stands.
type Timeline struct {
	Step   int `json:"step"`
	Length int `json:"length"`
	// Branches are tails that were left, oldest first.
	Branches []Branch `json:"branches,omitempty"`
	// Quiet says that nothing but timers is enabled and passes write nothing.
	Quiet bool `json:"quiet,omitempty"`
	// Judged says that a run has come to its end at the tip, and what shows only
	// there has been judged.
	Judged bool `json:"judged,omitempty"`
	// Along is how many of its steps are those of the story, 0 before that was asked
	// for; Next the story's next choice, empty where the run has left it or it is over.
	Along int    `json:"along,omitempty"`
	Next  string `json:"next,omitempty"`
	// Touched says that the person has made something of this run, so that it is
	// kept when another one takes its place.
	Touched bool `json:"touched,omitempty"`
}

// Story is how a scenario is told: acts, one after the other, and how it ends. It
// begins after step From.
type Story struct {
	From    int              `json:"from"`
	Acts    []StoryAct       `json:"acts"`
	Outcome scenario.Outcome `json:"outcome"`
}

// StoryAct is one act: what it says, the step after which it is over, and what is to
// be seen then. Holds says that it is what the document says.
type StoryAct struct {
	Says  string `json:"says"`
	To    int    `json:"to"`
	Shows string `json:"shows,omitempty"`
	Holds bool   `json:"holds"`
}

// Branch is a tail that was left when the user acted in the past.
type Branch struct {
	// At is the step it left from, Length its own length in whole steps.
	At     int `json:"at"`
	Length int `json:"length"`
	// Acts are the first of what was done on it, other than to let it run, in
	// the words of the log; More is how many there are beside these.
	Acts []string `json:"acts,omitempty"`
	More int      `json:"more,omitempty"`
}

// EventLine is one event as the timeline and the log show it.
type EventLine struct {
	N  int           `json:"n"`
	At time.Duration `json:"at"`
	// Lane is user, server, cache, queue, worker, collector or clock.
	Lane string `json:"lane"`
	// Text is the event in one readable line, without number and time.
	Text string `json:"text"`
	// Level is "", "warning" (refused, conflict, backoff) or "fault".
	Level string `json:"level,omitempty"`
	// Outcome is what became of a pass's call, where it did not go well.
	Outcome string `json:"outcome,omitempty"`
	Key     string `json:"key,omitempty"`
	Pass    int    `json:"pass,omitempty"`
	// Writes counts the objects that changed.
	Writes int `json:"writes,omitempty"`
	// Spans: Started and Ended mark a pass's first and last event.
	Started bool `json:"started,omitempty"`
	Ended   bool `json:"ended,omitempty"`
}

// ObjectDelta is one object, as the server and the caches have it now.
type ObjectDelta struct {
	// Key is the object's ref: Kind/namespace/name, with the group before it
	// where two groups share the kind.
	Key string `json:"key"`
	// Server is the object in the store, zero where it is not there.
	Server object.Object `json:"server"`
	// Cache is the object in the informer's cache, zero where it is not there.
	// Cached says whether an informer watches the kind at all.
	// Same says that it is the very object of the server: Cache is not told.
	Cache  object.Object `json:"cache,omitzero"`
	Cached bool          `json:"cached,omitempty"`
	Same   bool          `json:"same,omitempty"`
	// Builtin marks objects that every cluster starts with (namespaces, CRDs of
	// the scenario): shown after the user's own.
	Builtin bool `json:"builtin,omitempty"`
}

// ObjectChange is an object that a step changed, as it was before; zero where
// the step made it.
type ObjectChange struct {
	Key    string        `json:"key"`
	Before object.Object `json:"before"`
}

// WireView is what is on its way from the server to the caches.
type WireView struct {
	Items []WireItem `json:"items"`
	Total int        `json:"total"`
}

// WireItem is one watch event on the wire.
type WireItem struct {
	Process  string `json:"process"`
	Resource string `json:"resource"`
	Type     string `json:"type"`
	Ref      string `json:"ref"`
	// ResourceVersion is that of the change.
	ResourceVersion string `json:"resourceVersion"`
	// Event is the step whose write put it there.
	Event int `json:"event"`
	// Action is the action that delivers it, where it is the first of its wire.
	Action string `json:"action,omitempty"`
}

// QueueView is the work queue: ready keys in order, then waiting ones by due.
type QueueView struct {
	// Items are those that stand nowhere in Kept.
	Items []QueueItem `json:"items"`
	Kept  []Run       `json:"kept,omitempty"`
	Total int         `json:"total"`
	// Processing are the keys that workers hold.
	Processing []string `json:"processing,omitempty"`
	// Priorities says that keys have priorities.
	Priorities bool `json:"priorities,omitempty"`
	// lost is what the page knows beside Items.
	lost []QueueItem
}

// QueueItem is one key in the queue. Its JSON is what window.reconcile.state() gives.
type QueueItem struct {
	Process string `json:"process"`
	Key     string `json:"key"`
	// Due is when it is ready, since the start; Ready that it is.
	Due      time.Duration `json:"due"`
	Ready    bool          `json:"ready"`
	Failures int           `json:"failures"`
	Why      []sim.Why     `json:"why"`
	// Causes lead back from the last of Why to the write that caused it, and on to
	// what had woken whoever wrote.
	Causes []Cause `json:"causes,omitempty"`
	// Priority is its place in a queue with priorities: the higher first.
	Priority int `json:"priority,omitempty"`
	// Action starts it; "" where no worker is free or it is not ready.
	Action string `json:"action,omitempty"`
}

// CacheView is one informer's cache.
type CacheView struct {
	Process  string `json:"process"`
	Resource string `json:"resource"`
	Kind     string `json:"kind"`
	Synced   bool   `json:"synced"`
	// ResourceVersion is the last that it has seen; Behind counts the events
	// on its wire.
	ResourceVersion string `json:"resourceVersion"`
	Objects         int    `json:"objects"`
	Behind          int    `json:"behind"`
	// Action is its LIST, where it waits for one.
	Action string `json:"action,omitempty"`
}

// CloudView is the world outside the cluster.
type CloudView struct {
	Items []api.CloudItem `json:"items"`
	Total int             `json:"total"`
}

// EnabledView is what can happen next.
type EnabledView struct {
	// Items are those that stand nowhere in Kept.
	Items []EnabledItem `json:"items"`
	Kept  []Run         `json:"kept,omitempty"`
	Total int           `json:"total"`
	// lost is what the page knows beside Items.
	lost []EnabledItem
}

// EnabledItem is one action that can be taken.
type EnabledItem struct {
	// Action is its printed name: what "step" takes.
	Action string `json:"action"`
	// Place is where the picture marks it: server, wire, cache, queue, worker,
	// collector, clock or process.
	Place string `json:"place"`
	// Target is the object, key or resource it is about.
	Target string `json:"target,omitempty"`
	// Detail says more, such as "MODIFIED rv 1012" or "PUT ConfigMap/default/a".
	Detail string `json:"detail,omitempty"`
	// Reason is why the collector has it to do, see reasonTo.
	Reason string `json:"reason,omitempty"`
	// Default marks the one that Step takes.
	Default bool `json:"default,omitempty"`
}

// StorageState says where the cluster is kept.
type StorageState struct {
	// State is saved, memory, full or foreign-tab.
	State string `json:"state"`
	// Reason is why it is not saved: Unavailable, Blocked, Quota, Corrupted,
	// NewerFormat, OtherTab; Detail is the browser's own text.
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Bytes and Quota as the browser estimates them; 0 unknown.
	Bytes int64 `json:"bytes,omitempty"`
	Quota int64 `json:"quota,omitempty"`
}

// File is one file of the editor.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
	// Applied is the text as it was applied last, or as it came; empty in
	// records of versions that did not keep it.
	Applied string `json:"applied,omitempty"`
}

// Notice is something to be said once.
type Notice struct {
	// Code picks the words: reloaded, replay-differs, imported, storage-lost,
	// branch-kept, not-quiet, rules-loading, scripts-loading, link-opened, link-differs,
	// run-opened, run-opened-at, run-differs, taken-up, loop.
	Code   string `json:"code"`
	Detail string `json:"detail,omitempty"`
	N      int    `json:"n,omitempty"`
	// Over takes what was said under the code back.
	Over bool `json:"over,omitempty"`
}

// Port is the engine's way out. Calls come from one goroutine, one at a time.
type Port interface {
	// Commit writes the records in one transaction and returns once they are
	// durable. An error means that none was written.
	Commit([]Record) error
	// Post sends a reply to the page.
	Post(Reply)
	// Interrupted reports whether the page asked to stop a long command.
	Interrupted() bool
}
