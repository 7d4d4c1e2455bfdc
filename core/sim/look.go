package sim

import (
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

// ProcessLook is one controller process as it stands. Slices are the looker's.
type ProcessLook struct {
	Name    string
	Running bool
	// Watched is the resource reconciled, Kind its kind.
	Watched object.GVR
	Kind    string
	// Owned are the resources whose objects lead to their owner.
	Owned []object.GVR
	// LiveReads says that gets and lists go to the server.
	LiveReads bool
	// Program is what was deployed last; zero for what the world began with.
	Program Program
	// Workers is how many keys are worked on at a time; Free whether one could
	// take another key now.
	Workers int
	Free    bool
	// Ready and Waiting are the heads of the queue, ReadyLen and WaitingLen how
	// many keys there are; Processing are those that workers hold.
	Ready, Waiting       []workqueue.Item
	ReadyLen, WaitingLen int
	Processing           []object.Key
	Sources              []SourceLook
}

// SourceLook is one informer with its wire.
type SourceLook struct {
	Resource object.GVR
	Kind     string
	// NeedsList says that it waits for its LIST.
	NeedsList bool
	Synced    bool
	// ResourceVersion is that up to which the cache is complete.
	ResourceVersion string
	// Objects is how many are cached.
	Objects int
	// Wire holds the events that are on their way, the next one first; of WireLen
	// in all.
	Wire    []WireEvent
	WireLen int
}

// WireEvent is a watch event on its way, and the step that caused it.
type WireEvent struct {
	api.WatchEvent
	Cause int
}

// BetweenPasses reports that no pass is under way.
func (w *World) BetweenPasses() bool {
	return !slices.ContainsFunc(w.procs, func(p *process) bool { return len(p.flights) > 0 })
}

// Processes are the controller processes as they stand.
func (w *World) Processes() []ProcessLook { return w.ProcessesHead(math.MaxInt) }

// ProcessesHead is Processes with at most n entries in each list of keys and
// events, at the cost of what it lists.
func (w *World) ProcessesHead(n int) []ProcessLook {
	var out []ProcessLook
	for _, p := range w.procs {
		l := ProcessLook{
			Name: p.config.Name, Running: p.running, Watched: p.watched, Kind: p.spec.For.GVK.Kind,
			LiveReads: p.config.LiveReads, Program: p.program, Workers: max(1, p.config.Workers),
		}
		for _, o := range p.spec.Owns {
			l.Owned = append(l.Owned, o.GVR())
		}
		if p.running {
			l.Free = p.free()
			q := p.ctrl.Queue()
			l.Ready, l.Waiting, l.Processing = q.ReadyHead(n), q.WaitingHead(n), q.Processing()
			l.ReadyLen, l.WaitingLen = q.Len(), q.WaitingLen()
		}
		for _, s := range p.sources {
			l.Sources = append(l.Sources, s.look(n))
		}
		out = append(out, l)
	}
	return out
}

func (s *source) look(n int) SourceLook {
	l := SourceLook{
		Resource: s.gvr, Kind: s.kind, NeedsList: s.informer.State() == informer.NeedsList, Synced: s.informer.HasSynced(),
		ResourceVersion: s.informer.ResourceVersion(), Objects: s.informer.Len(),
		WireLen: len(s.wire),
	}
	for _, e := range s.wire[:min(n, len(s.wire))] {
		l.Wire = append(l.Wire, WireEvent{e.event, e.cause})
	}
	return l
}

// InFlight are the records so far of the passes that workers have in hand, in
// the order in which they started.
func (w *World) InFlight() []*Pass {
	var out []*Pass
	for _, p := range w.procs {
		for _, f := range p.flights {
			in := f.rec.snapshot()
			in.Log = strings.Join(f.run.Log(), "\n")
			out = append(out, in)
		}
	}
	return out
}

// Cached is an object as the first process that watches its resource has it in
// its cache; watched is false where none does.
func (w *World) Cached(gvr object.GVR, key object.Key) (o object.Object, watched bool) {
	for _, p := range w.procs {
		for _, s := range p.sources {
			if s.gvr == gvr {
				o, _ = s.informer.Get(key)
				return o, true
			}
		}
	}
	return object.Object{}, false
}

// AllCached are the objects in the caches, each resource from the first process
// that watches it.
func (w *World) AllCached() iter.Seq2[object.GVR, object.Object] {
	return func(yield func(object.GVR, object.Object) bool) {
		seen := map[object.GVR]bool{}
		for _, p := range w.procs {
			for _, s := range p.sources {
				if seen[s.gvr] {
					continue
				}
				seen[s.gvr] = true
				for _, o := range s.informer.List("", nil) {
					if !yield(s.gvr, o) {
						return
					}
				}
			}
		}
	}
}
