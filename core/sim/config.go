package sim

import (
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/schema"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// Semantics is the version of what choices mean. A change after which an old
// list of choices gives other events raises it.
const Semantics = 5

// Kubernetes is the version whose API server and kubectl the world behaves as.
const Kubernetes = "v1.37.2"

// Config is what a world is built of: the part of a run that no choice changes.
type Config struct {
	// Seed is that of uids and generated names.
	Seed uint64
	// Start is when the virtual clock begins.
	Start time.Time
	// Latency is what each call of a pass and each list of an informer takes.
	Latency time.Duration
	// Objects are in the cluster from the beginning, created in this order.
	Objects     []object.Object
	Controllers []ControllerConfig
}

// rules are those that UseRules named.
var rules schema.Evaluator

// UseRules names what evaluates x-kubernetes-validations in every world that is
// made from now on; without it a CRD that has them is refused. It is a part of
// the program and not of a world: call it once, before there is a world.
func UseRules(e schema.Evaluator) { rules = e }

// Kind is what a controller watches, by kind and by resource.
type Kind = controller.Kind

// ControllerConfig is one controller process.
type ControllerConfig struct {
	// Name is the process's, one word.
	Name string
	// For is the resource reconciled, as in webapps.lab.example.com or
	// configmaps; Owns those whose objects lead to their controlling owner, and
	// Watches those that are mapped to it.
	For           string
	Owns, Watches []Source
	// Predicates apply to the events of all sources, ForPredicates to those of
	// For: each by the name that CheckPredicate takes.
	Predicates, ForPredicates []string
	// Resync is the period after which the handlers hear of every cached object
	// again; 0 for never.
	Resync time.Duration
	// New makes the reconciler of a process that starts. The reconciler must
	// not remember anything between two passes: copies of a world share it, and
	// a pass that was under way at a checkpoint is run again on it, against the
	// answers recorded so far.
	New func() reconcile.Reconciler
	// NewFor is New where that is nil: it is told what is reconciled.
	NewFor func(Kind) reconcile.Reconciler
	// Edit is the merge patch of the fault edit; without it that fault there is
	// none. Finalizers in it join those that are there. Conflict is that of the fault conflict: without it an annotation.
	Edit, Conflict *object.Map
	// LiveReads sends gets and lists to the server instead of the cache.
	LiveReads bool
	// Workers is how many keys are worked on at a time; 0 means 1.
	Workers int
	// Queue limits the work queue; the zero value is client-go's default.
	Queue workqueue.Options
}

// Source is a resource that a controller watches beside the one that it
// reconciles.
type Source struct {
	Resource string
	// Predicates must all let an event pass.
	Predicates []string
	// EveryOwner, of one that is owned, makes an object wake all its owners of
	// the right kind and not its controller alone.
	EveryOwner bool
	// MapByField, of one that is mapped, is a path of keys such as
	// spec.configRef: an object wakes those of the reconciled resource in its
	// namespace that have its name there.
	MapByField string
}

// CheckPredicate returns what is wrong with the name of a predicate:
// GenerationChanged, LabelChanged, AnnotationChanged, ResourceVersionChanged,
// And(...), Or(...) and Not(...).
func CheckPredicate(name string) error {
	_, err := controller.ParsePredicate(name)
	return err
}

// SetupError is a Config that builds no world.
type SetupError struct {
	// Object is the index of the object that was refused, -1 for none.
	Object int
	// Controller is the index of the controller at fault, -1 for none.
	Controller int
	Err        error
}

// Error says what was refused and why.
func (e *SetupError) Error() string {
	switch {
	case e.Object >= 0:
		return fmt.Sprintf("object %d of the cluster: %v", e.Object+1, e.Err)
	case e.Controller >= 0:
		return fmt.Sprintf("controller %d: %v", e.Controller+1, e.Err)
	}
	return e.Err.Error()
}

// Unwrap returns the cause.
func (e *SetupError) Unwrap() error { return e.Err }
