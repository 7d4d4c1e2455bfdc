package engine

import (
	"encoding/hex"
	"encoding/json"
	"hash/fnv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/report"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// State is the answer to "state": what window.reconcile.state() returns, but
// for storage, which the page adds.
type State struct {
	Objects    []object.Object `json:"objects"`
	Cache      []object.Object `json:"cache"`
	Wire       []WireItem      `json:"wire"`
	Queue      []StateQueue    `json:"queue"`
	Pass       *sim.Pass       `json:"pass"`
	Cloud      []api.CloudItem `json:"cloud"`
	Clock      string          `json:"clock"`
	Revision   int64           `json:"revision"`
	Timeline   StateTimeline   `json:"timeline"`
	Controller string          `json:"controller"`
}

// StateQueue is one key of the queue. Due is RFC 3339.
type StateQueue struct {
	Key      string    `json:"key"`
	Due      string    `json:"due"`
	Failures int       `json:"failures"`
	Why      []sim.Why `json:"why"`
}

// StateTimeline says where the view stands.
type StateTimeline struct {
	Step   int `json:"step"`
	Length int `json:"length"`
}

// state is the world in view, whole.
func (e *Engine) state() State {
	w := e.line.World()
	s := State{
		Objects: []object.Object{}, Cache: []object.Object{}, Wire: []WireItem{}, Queue: []StateQueue{}, Cloud: w.Cloud().Items(),
		Clock: w.Now().Format(time.RFC3339Nano), Revision: w.Server().Revision(),
		Timeline: StateTimeline{e.line.View(), e.line.Len()}, Controller: "running",
	}
	if s.Cloud == nil {
		s.Cloud = []api.CloudItem{}
	}
	for o := range w.Server().All() {
		s.Objects = append(s.Objects, o.Object)
	}
	for _, o := range w.AllCached() {
		s.Cache = append(s.Cache, o)
	}
	for _, p := range w.Processes() {
		if !p.Running {
			s.Controller = "crashed"
		}
		for _, src := range p.Sources {
			s.addWire(w, p.Name, src)
		}
		for _, it := range p.Ready {
			s.addQueue(it.Key.String(), it.Since, it.Failures, why(it))
		}
		for _, it := range p.Waiting {
			s.addQueue(it.Key.String(), it.Due, it.Failures, why(it))
		}
	}
	s.Pass, _ = inHand(w)
	return s
}

func (s *State) addWire(w *sim.World, process string, src sim.SourceLook) {
	for _, ev := range src.Wire {
		s.Wire = append(s.Wire, WireItem{
			Process: process, Resource: src.Resource.GroupResource(), Type: string(ev.Type), Ref: w.Name(ev.Object.Ref()),
			ResourceVersion: ev.Object.ResourceVersion(), Event: ev.Cause,
		})
	}
}

func (s *State) addQueue(key string, due time.Time, failures int, why []sim.Why) {
	s.Queue = append(s.Queue, StateQueue{key, due.Format(time.RFC3339Nano), failures, why})
}

// checksum guards against damage on the way, not against malice.
func checksum(text []byte) string {
	h := fnv.New128a()
	h.Write(text)
	return "fnv1a128:" + hex.EncodeToString(h.Sum(nil))
}

func sameCluster(a, b sim.Snapshot) bool {
	x, xerr := json.Marshal(a)
	y, yerr := json.Marshal(b)
	return xerr == nil && yerr == nil && string(x) == string(y)
}

// report returns the report of the world in view as the text of one file.
func (e *Engine) report(format string) (any, error) {
	r, err := report.Build(e.scenario, e.line)
	if err != nil {
		return nil, err
	}
	switch format {
	case "", "json":
		return string(r.JSON()), nil
	case "md":
		return string(r.Markdown()), nil
	case "html":
		return string(r.HTML()), nil
	}
	return nil, badInput("a report comes as json, md or html, not %q", format)
}
