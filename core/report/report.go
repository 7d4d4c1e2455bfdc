package report

import (
	"bytes"
	"encoding/json"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// Schema names the format of JSON. A change that a reader of the old format
// would trip over raises the number.
const Schema = "reconcile.report/v1"

// Report is the account of one run. Durations are Go duration strings, times
// RFC 3339. Slices are empty rather than nil.
type Report struct {
	Schema   string   `json:"schema"`
	Scenario Scenario `json:"scenario"`
	Seed     uint64   `json:"seed"`
	// Choices are those that were given, then those that Build made itself.
	// Given is the number of the former.
	Choices  []string `json:"choices"`
	Given    int      `json:"given"`
	Versions Versions `json:"versions"`
	Clock    Clock    `json:"clock"`
	// Passes are those of one full pass over every resource, made at rest.
	Passes []Pass `json:"passes"`
	// Convergence are the passes before it, oldest first: what did the work.
	// Omitted is how many of the oldest were left out of it.
	Convergence []Pass `json:"convergence"`
	Omitted     int    `json:"omitted"`
	// Totals counts the writes of all passes by outcome.
	Totals      map[sim.Outcome]int `json:"totals"`
	Idempotence Idempotence         `json:"idempotence"`
	Findings    []Finding           `json:"findings"`
	// Notes say what the reader should know about how the report was made.
	Notes []string `json:"notes"`

	// before and full are the records behind Convergence and Passes.
	before, full []*sim.Pass
}

// Scenario is the scenario of the run; Document is the whole of it.
type Scenario struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Document string `json:"document"`
	// Restored says that the run did not begin with the scenario's cluster, but
	// with one that was imported or restored from storage: the document alone
	// does not replay it.
	Restored bool `json:"restored"`
}

// Versions are what the numbers and texts of the report depend on.
type Versions struct {
	// Kubernetes is the version whose behaviour is simulated.
	Kubernetes string `json:"kubernetes"`
	// Semantics is the version of what choices mean.
	Semantics int `json:"semantics"`
}

// Clock is the virtual time at both ends of the run.
type Clock struct {
	Start   string `json:"start"`
	End     string `json:"end"`
	Elapsed string `json:"elapsed"`
}

// Pass is one pass over one resource, as its six answers.
type Pass struct {
	// Pass is the number of the pass in the run, from 1.
	Pass    int    `json:"pass"`
	Process string `json:"process"`
	Key     string `json:"key"`
	// Why says what put the key in the queue, oldest first, each reason once.
	Why []string `json:"why"`
	// Start and End are virtual times since the start of the clock.
	Start string `json:"start"`
	End   string `json:"end"`
	// Desired is the resource as the pass last read it; null where it did not.
	Desired *Reading `json:"desired"`
	// Observed is everything else that it read.
	Observed []Reading `json:"observed"`
	// Diff is what each write would change, against the object as this pass
	// last read it.
	Diff    []Change `json:"diff"`
	Actions []Action `json:"actions"`
	// Requeue is null where the process died in mid-pass.
	Requeue *Requeue `json:"requeue"`
	Status  Status   `json:"status"`
	// Finalizers and DeletionTimestamp are those of the resource as the pass
	// left it.
	Finalizers        []string `json:"finalizers"`
	DeletionTimestamp *string  `json:"deletionTimestamp"`
	Log               string   `json:"log"`
	Error             string   `json:"error"`
	Died              bool     `json:"died"`
}

// Reading is an object as it was read. Value is null where there was none.
type Reading struct {
	Object string `json:"object"`
	// From is cache, server or cloud.
	From            string        `json:"from"`
	ResourceVersion string        `json:"resourceVersion"`
	Value           object.Object `json:"value"`
}

// Change is one path that a write would change. The path is empty for an
// object that is created or deleted.
type Change struct {
	Object string `json:"object"`
	Verb   string `json:"verb"`
	Path   string `json:"path"`
	Op     string `json:"op"`
	Before any    `json:"before"`
	After  any    `json:"after"`
}

// Action is one write. Before and After are the object's resourceVersions, both
// empty for things in the cloud.
type Action struct {
	Verb        string      `json:"verb"`
	Object      string      `json:"object"`
	Subresource string      `json:"subresource"`
	Outcome     sim.Outcome `json:"outcome"`
	Before      string      `json:"before"`
	After       string      `json:"after"`
	Message     string      `json:"message"`
}

// Requeue is what was decided about the key at the end of a pass.
type Requeue struct {
	// Kind is none, after, backoff or dropped.
	Kind   string `json:"kind"`
	Delay  string `json:"delay"`
	Reason string `json:"reason"`
}

// Status is the resource's status as the pass found and left it.
type Status struct {
	Before any `json:"before"`
	After  any `json:"after"`
}

// Idempotence is what a second full pass did: nothing, if all is well.
type Idempotence struct {
	Passes []Pass `json:"passes"`
	// Writes counts the writes of the second pass that changed something, Sent
	// all that were sent.
	Writes int `json:"writes"`
	Sent   int `json:"sent"`
	// ResourceVersions has every object of the cluster, before the second pass
	// and after it; empty where there was none.
	ResourceVersions []Version `json:"resourceVersions"`
	// Cloud lists the things in the cloud.
	Cloud CloudChange `json:"cloud"`
	// Unchanged says that every resourceVersion stayed, and the cloud.
	Unchanged bool `json:"unchanged"`
}

// Version is an object's resourceVersion before and after.
type Version struct {
	Object string `json:"object"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// CloudChange lists what was in the cloud before and after.
type CloudChange struct {
	Before []string `json:"before"`
	After  []string `json:"after"`
}

// Finding is something that is wrong, as core/judge found it.
type Finding = judge.Finding

// Outcomes are the outcomes of writes, in the order in which totals are
// printed. Totals has every one of them.
var Outcomes = []sim.Outcome{
	sim.Created, sim.Updated, sim.Unchanged, sim.Deleted, sim.Conflict, sim.Refused,
	sim.NotSent, sim.LostReply, sim.LandedThenDied, sim.Failed,
}

// JSON returns the report as indented JSON. Fields are always there and in the
// same order.
func (r *Report) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		panic(err) // strings, numbers and trees always encode
	}
	return b.Bytes()
}
