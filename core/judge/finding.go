package judge

import (
	"cmp"
	"slices"
)

// The findings, by name. Order has them from the most specific to the most
// general.
const (
	// UnguardedCreate: something outside was made while no finalizer was stored.
	UnguardedCreate = "unguarded-create"
	// Duplicate: more than one where one is wanted.
	Duplicate = "duplicate"
	// Orphan: something outside, or a child, that nobody owns any more.
	Orphan = "orphan"
	// StuckDeletion: a deletion waits for a finalizer that nobody takes off.
	StuckDeletion = "stuck-deletion"
	// ForeignWrite: an object or a field of others was touched.
	ForeignWrite = "foreign-write"
	// LostUpdate: someone else's change was overwritten unseen.
	LostUpdate = "lost-update"
	// StatusThroughSpec: status is sent through the main resource alone.
	StatusThroughSpec = "status-through-spec"
	// StaleStatus: observedGeneration is behind.
	StaleStatus = "stale-status"
	// ErrorForMissingDependency: what is not there yet is treated as an error.
	ErrorForMissingDependency = "error-for-missing-dependency"
	// NoRequeue: nothing will tell of a change of what the object depends on.
	NoRequeue = "no-requeue"
	// HotLoop: passes follow each other in less than a second, without end.
	HotLoop = "hot-loop"
	// NotIdempotent: a pass over an unchanged world writes.
	NotIdempotent = "not-idempotent"
	// Crashed: the reconciler errs at rest.
	Crashed = "crashed"
	// WrongState: the desired state is not reached.
	WrongState = "wrong-state"
	// Diverged: the final objects are not those of the run without the fault.
	Diverged = "diverged"
	// Stopped is a verdict of its own: the reconciler refuses to guess, says so,
	// and needs a person.
	Stopped = "stopped"
)

// Order lists the findings, the most specific first.
var Order = []string{
	UnguardedCreate, Duplicate, Orphan, StuckDeletion, ForeignWrite, LostUpdate, StatusThroughSpec, StaleStatus,
	ErrorForMissingDependency, NoRequeue, HotLoop, NotIdempotent, Crashed, WrongState, Diverged, Stopped,
}

// Finding is something that is wrong, by its name, with the choices that show
// it.
type Finding struct {
	Finding string `json:"finding"`
	// Object is what it is about: WebApp/default/plain, lb/lb-0002.
	Object string `json:"object"`
	// Call is where in the reconciler the call stands that went wrong, or that
	// the fault hit; Fault is the fault's name. Both may be empty.
	Call  string `json:"call"`
	Fault string `json:"fault"`
	// Sentence says what went wrong in the reader's words.
	Sentence string `json:"sentence"`
	// Choices are the shortest that show it; Count is how often it was found.
	Choices []string `json:"choices"`
	Count   int      `json:"count"`
	// Check is the name of the check or the invariant that failed, where one did.
	Check string `json:"check,omitempty"`

	// Root is the watched object in whose passes it came about, as far as that
	// is known.
	Root string `json:"-"`
	// Step is the number of the event after which it showed.
	Step int `json:"-"`
	// Decides is, of what shows at rest, the call on which it turns: Call without a
	// fault. Because says that it comes of what another finding tells of, at Decides.
	Decides string `json:"-"`
	Because bool   `json:"-"`
}

// Rank is the place of a finding's name in Order; an unknown one comes last.
func Rank(name string) int {
	if i := slices.Index(Order, name); i >= 0 {
		return i
	}
	return len(Order)
}

// transitions is the name of the check of the times of transitions.
const transitions = "lastTransitionTime"

// hides lists, for a finding, the more general ones that it explains: of the
// same object they have the same cause.
var hides = map[string][]string{
	UnguardedCreate:           {Orphan, WrongState, Diverged},
	Duplicate:                 {Orphan, HotLoop, NotIdempotent, WrongState, Diverged},
	Orphan:                    {WrongState, Diverged},
	StuckDeletion:             {HotLoop, NotIdempotent, Crashed, WrongState, Diverged},
	ForeignWrite:              {LostUpdate, HotLoop, NotIdempotent, WrongState, Diverged},
	LostUpdate:                {WrongState, Diverged},
	StatusThroughSpec:         {StaleStatus, HotLoop, NotIdempotent, WrongState, Diverged},
	StaleStatus:               {WrongState, Diverged},
	ErrorForMissingDependency: {StaleStatus, NoRequeue, HotLoop, NotIdempotent, Crashed, WrongState, Diverged},
	NoRequeue:                 {NotIdempotent, WrongState, Diverged},
	HotLoop:                   {NotIdempotent, Diverged},
	NotIdempotent:             {Diverged},
	Crashed:                   {StaleStatus, NoRequeue, NotIdempotent, WrongState, Diverged},
	WrongState:                {Diverged},
}

// Suppress sorts findings, the most specific first, and leaves out those that
// another one of the same object explains. Of equal ones the first stays, with the
// count of all.
func Suppress(in []Finding) []Finding { return suppress(in, false) }

// SuppressStrictly is Suppress for a run in which one thing went wrong: of each
// object the most specific finding stays.
func SuppressStrictly(in []Finding) []Finding { return suppress(in, true) }

func suppress(in []Finding, strictly bool) []Finding {
	all := slices.Clone(in)
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(Rank(a.Finding), Rank(b.Finding)), cmp.Compare(a.Step, b.Step))
	})
	out := []Finding{}
	for _, f := range all {
		if i := slices.IndexFunc(out, f.same); i >= 0 {
			out[i].Count += f.Count
			continue
		}
		if slices.ContainsFunc(all, func(g Finding) bool { return g.hides(f) }) {
			continue
		}
		if strictly && slices.ContainsFunc(out, func(g Finding) bool { return root(g) == root(f) && g.Finding != f.Finding }) {
			continue
		}
		out = append(out, f)
	}
	return out
}

// Placed names for each finding that has no call the one on which it turns, as far
// as that is known: for what shows without a fault.
func Placed(in []Finding) []Finding {
	out := slices.Clone(in)
	for i := range out {
		out[i].Call = cmp.Or(out[i].Call, out[i].Decides)
	}
	return out
}

// same reports whether two findings are one: of the same object, or of the same
// call in the passes of the same object.
func (f Finding) same(g Finding) bool {
	if f.Finding != g.Finding || f.Check != g.Check && f.Finding == WrongState {
		return false
	}
	// What a scenario's check finds too is the same thing twice.
	if f.Finding != WrongState && f.Root == g.Root && (f.Check == "") != (g.Check == "") {
		return true
	}
	return f.Object == g.Object || f.Call != "" && f.Call == g.Call && f.Root != "" && f.Root == g.Root
}

// hides reports whether a finding is why there is another one.
func (f Finding) hides(g Finding) bool {
	switch {
	case g.Because && !f.Because && f.Decides == g.Decides && root(f) == root(g):
		return true // nobody told of a child that has no owner
	case g.Object == "" && f.Object != "":
		return true // that the world as a whole does not come to rest
	case g.Check == transitions && (f.Finding == HotLoop || f.Finding == NotIdempotent) && (root(f) == root(g) || f.Call == g.Call):
		return true // the time that is written in every pass is why
	case root(f) != root(g):
		return false
	case f.Call != "" && f.Call == g.Call && Rank(g.Finding) >= Rank(HotLoop) && Rank(f.Finding) < Rank(g.Finding):
		return true // the same call
	}
	return slices.Contains(hides[f.Finding], g.Finding)
}

// Explains reports whether g, of a run with a fault, comes of f, which is there
// without one: of the same object and the same, or as specific where g only says
// how things stand in the end; or of another object and the same, at the same call.
func (f Finding) Explains(g Finding) bool {
	if f.Finding == g.Finding && f.Check == g.Check && f.Decides != "" && f.Decides == g.Decides {
		return true
	}
	outcome := Rank(g.Finding) >= Rank(StaleStatus) && Rank(f.Finding) <= Rank(g.Finding)
	same := root(f) == root(g) || f.Object == g.Object && f.Object != ""
	return f.hides(g) || same && (f.Finding == g.Finding || outcome)
}

func root(f Finding) string {
	if f.Root != "" {
		return f.Root
	}
	return f.Object
}
