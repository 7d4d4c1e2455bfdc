package sim

import (
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Snapshot is what outlives every process: the cluster, the cloud and the
// time. As JSON it can be stored and sent.
type Snapshot struct {
	Now    time.Time          `json:"now"`
	Server apiserver.Snapshot `json:"server"`
	Cloud  cloud.Snapshot     `json:"cloud"`
	// Awaited are objects that the user creates again as soon as their names are
	// free.
	Awaited []object.Object `json:"awaited,omitempty"`
}

// Snapshot returns what outlives the processes, as it stands.
func (w *World) Snapshot() Snapshot {
	return Snapshot{Now: w.now, Server: w.server.Snapshot(), Cloud: w.cloud.Snapshot(), Awaited: w.Awaited()}
}

// Restore builds a world of step 0 around a cluster that exists already: the
// processes are about to start. Objects of config are not installed again. A
// process whose kinds the cluster no longer serves has crashed: it can be
// restarted once they are back.
func Restore(config Config, s Snapshot) (*World, error) {
	server, err := apiserver.Restore(s.Server)
	if err != nil {
		return nil, err
	}
	server.SetRules(rules)
	outside, err := cloud.Restore(s.Cloud)
	if err != nil {
		return nil, err
	}
	if s.Now.Before(config.Start) {
		config.Start = s.Now
	}
	w := &World{config: config, now: s.Now, inputAt: s.Now, server: server, cloud: outside, collector: collector.New(), seen: server.Revision()}
	for _, o := range s.Awaited {
		if res, ok := server.ResourceOf(o.GVK()); ok {
			w.reborn = append(w.reborn, again(api.Request{GVR: res.GVR, Namespace: o.Namespace(), UserAgent: kubectlAgent}, o))
		}
	}
	for o := range server.All() {
		w.collector.Observe(collector.Change{Type: api.Added, GVR: o.GVR, Object: o.Object})
	}
	return w, w.launch(true)
}

// launch makes the processes and puts what they watch on their wires.
func (w *World) launch(lenient bool) error {
	for i, c := range w.config.Controllers {
		p, err := newProcess(w, c)
		if err != nil && !lenient {
			return &SetupError{Object: -1, Controller: i, Err: err}
		}
		w.procs = append(w.procs, p)
	}
	w.settle()
	w.facts = gathering{}
	return nil
}
