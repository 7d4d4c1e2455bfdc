package sim

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Outcome is what became of one call. The four ways for a write to fail are
// kept apart: refused (503: the server could not take it; what it says no to is
// an error or a conflict), not-sent (the process died first),
// lost-reply (it landed, the caller does not know) and landed-then-died.
type Outcome string

// The outcomes. Found and Absent are those of reads; a list that holds nothing
// and a watch that tells nothing are Absent. Slept is that of a sleep.
const (
	Created        Outcome = "created"
	Updated        Outcome = "updated"
	Unchanged      Outcome = "unchanged"
	Deleted        Outcome = "deleted"
	Conflict       Outcome = "conflict"
	Refused        Outcome = "refused"
	NotSent        Outcome = "not-sent"
	LostReply      Outcome = "lost-reply"
	LandedThenDied Outcome = "landed-then-died"
	Failed         Outcome = "error"
	Slept          Outcome = "slept"
	Found          Outcome = "found"
	Absent         Outcome = "absent"
)

// Pass is the record of one pass of a reconciler over one key, as its six
// answers. It is derived from the calls alone; the reconciler has no part in
// it. A record is never changed once handed out.
type Pass struct {
	// ID counts the passes of the run from 1.
	ID      int    `json:"id"`
	Process string `json:"process"`
	Key     string `json:"key"`
	// Why says what put the key in the queue, oldest first.
	Why []Why `json:"why,omitempty"`
	// Start and End are the times and events of both; End and EndEvent are
	// zero while the pass is in flight.
	Start      time.Duration `json:"start"`
	End        time.Duration `json:"end,omitempty"`
	StartEvent int           `json:"startEvent"`
	EndEvent   int           `json:"endEvent,omitempty"`

	// Calls are all calls in order, reads of the cache included. The last one
	// of a pass in flight is parked: its Outcome is empty.
	Calls []Call `json:"calls"`

	// Desired is the watched object as the pass last read it; nil before it
	// has. Object is empty where it was not found.
	Desired *Reading `json:"desired"`
	// Observed is everything else that was read, each as last read.
	Observed []Reading `json:"observed"`
	// Diff is what each write but those of status would change, computed
	// against the object as this pass last read it when the write is sent.
	Diff []Difference `json:"diff"`
	// Action is each write with what became of it.
	Action []Write `json:"action"`
	// Requeue is the decision; nil while the pass is in flight.
	Requeue *Requeue `json:"requeue"`
	// Status is the watched object's status before and after; nil before the
	// object was read.
	Status *StatusChange `json:"status"`
	// Left is the watched object as the pass left it: as its last write
	// returned it, or else as it was read.
	Left object.Object `json:"-"`
	// Log is what the reconciler wrote for people.
	Log string `json:"log,omitempty"`
	// Error is the error it returned; Died that its process crashed.
	Error string `json:"error,omitempty"`
	Died  bool   `json:"died,omitempty"`
	// Undecided says that the error is one of what the reconciler decided, which
	// cannot be read.
	Undecided bool `json:"-"`
	// ErrorLine is where in the reconciler the error came about, where it says so.
	ErrorLine string `json:"-"`
	// Uses names the parts of what the process remembered that the pass went by.
	Uses []string `json:"-"`
}

// Why is one cause of a key's being queued: the event of the run it goes back
// to, and the cause in words.
type Why struct {
	Event int    `json:"event"`
	Text  string `json:"text"`
}

// Call is one call of a pass.
type Call struct {
	// Verb is the request's: get, list, watch, create, update, patch, delete; or
	// sleep.
	Verb string `json:"verb"`
	// Ref is what was asked of, such as ConfigMap/default/plain-config, a
	// kind for a list, lb/lb-0001 or lb for the cloud.
	Ref string `json:"ref"`
	// Subresource is "status" or empty.
	Subresource string `json:"subresource,omitempty"`
	// Resource and Selector are what a list asked for: which kind, and which of it, by
	// labels and fields; all where Selector is empty.
	Resource object.GVR `json:"-"`
	Selector string     `json:"-"`
	// StatusIgnored says that a write to the main resource carries a status that
	// the server takes no notice of.
	StatusIgnored bool `json:"statusIgnored,omitempty"`
	// From is where the answer comes from: cache, server or cloud; empty for a
	// sleep.
	From string `json:"from"`
	// Line is where in the reconciler the call stands, such as reconcile.sh:41.
	Line string `json:"line,omitempty"`
	// Code is the HTTP status code, 0 for the cloud and for no answer.
	Code    int     `json:"code,omitempty"`
	Outcome Outcome `json:"outcome,omitempty"`
	// Landed is what the answer would have said that never came, where Outcome is
	// LostReply or LandedThenDied and the call is a write.
	Landed  Outcome `json:"landed,omitempty"`
	Message string  `json:"message,omitempty"`
	// Before and After are resourceVersions; After that of an object read.
	Before string        `json:"before,omitempty"`
	After  string        `json:"after,omitempty"`
	At     time.Duration `json:"at"`
	// Event is the number of the step that served it.
	Event int `json:"event,omitempty"`
}

// Reading is one object (or item of the cloud) as it was read.
type Reading struct {
	Ref string `json:"ref"`
	// From is cache, server or cloud.
	From            string        `json:"from"`
	ResourceVersion string        `json:"resourceVersion,omitempty"`
	Absent          bool          `json:"absent,omitempty"`
	Object          object.Object `json:"object"`
}

// Difference is what one write would change.
type Difference struct {
	Ref     string          `json:"ref"`
	Verb    string          `json:"verb"`
	Changes []object.Change `json:"changes"`
}

// Write is one write with its outcome.
type Write struct {
	Verb        string  `json:"verb"`
	Ref         string  `json:"ref"`
	Subresource string  `json:"subresource,omitempty"`
	Outcome     Outcome `json:"outcome,omitempty"`
	// Landed is what became of it where the pass did not hear.
	Landed Outcome `json:"landed,omitempty"`
	// Before is the resourceVersion before the write, After that after it;
	// equal where nothing changed, empty where there is no such object.
	Before  string `json:"before,omitempty"`
	After   string `json:"after,omitempty"`
	Message string `json:"message,omitempty"`
}

// Requeue is the decision at the end of a pass, as controller-runtime takes it.
type Requeue struct {
	// Kind is none, after, backoff or dropped.
	Kind string `json:"kind"`
	// Delay is how long the decision lets the key wait. Due is when it is ready
	// again, since the clock began: earlier where it waited already or was added
	// meanwhile, nil where nothing but an event brings it back.
	Delay  time.Duration  `json:"delay,omitempty"`
	Due    *time.Duration `json:"due,omitempty"`
	Reason string         `json:"reason,omitempty"`
	// Note warns of a result that was ignored.
	Note string `json:"note,omitempty"`
	// Failures counts the errors in a row of this key.
	Failures int `json:"failures,omitempty"`
}

// StatusChange is the watched object's status as first read and as after the
// pass's last write of it.
type StatusChange struct {
	Before  any             `json:"before"`
	After   any             `json:"after"`
	Changes []object.Change `json:"changes"`
}
