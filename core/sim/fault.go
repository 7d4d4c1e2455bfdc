package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
)

// FaultKinds are the kinds of faults. A fault is an action that is made instead
// of the call or the delivery that it hits:
//
//	fault crash-before PROCESS KEY      the call is not sent: the process died first
//	fault crash-after PROCESS KEY       the call is carried out, then the process dies
//	fault lost-reply PROCESS KEY        the call is carried out, its reply is lost
//	fault refused PROCESS KEY           503: nothing is carried out
//	fault refused PROCESS list RESOURCE the same for the list of an informer
//	fault conflict PROCESS KEY          someone else writes the object just before
//	fault edit PROCESS KEY              the user edits what is reconciled just before
//	fault delete PROCESS KEY            the user deletes it just before
//	fault recreate PROCESS KEY          and creates it again as soon as its name is free
//	fault cloud-error PROCESS KEY       the call to the cloud fails, nothing is done
//	fault cloud-lost-reply PROCESS KEY  it is done, the reply is lost
//	fault stale PROCESS N               the next N deliveries wait
//	fault relist PROCESS RESOURCE       the watch is dropped and too old to go on (410)
//	fault duplicate PROCESS RESOURCE    the next event is delivered twice
//
// A process that a fault kills starts again by itself, as a Deployment has it:
// restart is what happens next. After a crash nothing of the process's passes
// reaches the server or the cloud.
//
// stale holds the next N events for the process, those on its wires now and then
// those to come, oldest first; others behind one on the same wire wait with it.
// They are held until a pass that began after the fault has ended, or nothing
// else can happen within a minute.
var FaultKinds = []string{
	"crash-before", "crash-after", "lost-reply", "refused", "conflict", "edit", "delete", "recreate",
	"cloud-error", "cloud-lost-reply", "stale", "relist", "duplicate",
}

// The agents of those who are neither the controller nor the collector.
const otherAgent = "other/v1"

// errCloudDown and errCloudSilent are what a caller of the cloud gets.
var (
	errCloudDown   = &api.CloudError{Reason: api.ReasonUnavailable, Message: "the cloud is currently unable to handle the request"}
	errCloudSilent = &api.CloudError{Reason: api.ReasonUnavailable, Message: "no answer from the cloud: context deadline exceeded"}
)

// Faults lists the faults that could be made now, in the order of the calls that
// wait, each in the order of FaultKinds; then those of deliveries. Of stale it
// lists N from 1 to 3.
func (w *World) Faults() []Action {
	var out []Action
	for _, p := range w.procs {
		for _, f := range p.flights {
			c, _ := f.run.Parked()
			for _, kind := range FaultKinds {
				if p.hits(kind, f, c) {
					out = append(out, Act("fault", kind, p.config.Name, f.key.String()))
				}
			}
		}
	}
	for _, p := range w.procs {
		out = append(out, p.faults()...)
	}
	return out
}

// faults lists those that hit lists and deliveries.
func (p *process) faults() []Action {
	var out []Action
	name, waiting := p.config.Name, false
	for _, s := range p.sources {
		waiting = waiting || s.deliverable()
		if p.listable(s) {
			out = append(out, Act("fault", "refused", name, "list", s.gvr.GroupResource()))
		}
	}
	for n := 1; n <= 3 && waiting; n++ {
		out = append(out, Act("fault", "stale", name, strconv.Itoa(n)))
	}
	for _, s := range p.sources {
		if s.watching() {
			out = append(out, Act("fault", "relist", name, s.gvr.GroupResource()))
		}
		if s.repeatable() {
			out = append(out, Act("fault", "duplicate", name, s.gvr.GroupResource()))
		}
	}
	return out
}

// hits reports whether a kind of fault can hit a call.
func (p *process) hits(kind string, f *flight, c controller.Call) bool {
	w := p.world
	switch kind {
	case "crash-before", "crash-after":
		return c.Sleep == 0
	case "cloud-error", "cloud-lost-reply":
		return c.Cloud != nil
	case "lost-reply", "refused":
		return c.API != nil
	case "conflict":
		return p.contested(c) || p.readsAgain(f, c)
	case "edit":
		return c.Sleep == 0 && p.config.Edit != nil && !w.reconciled(p, f.key).IsZero()
	case "delete", "recreate":
		o := w.reconciled(p, f.key)
		return c.Sleep == 0 && !o.IsZero() && !o.Terminating()
	}
	return false
}

// contested reports whether someone else could write what a call is about to
// write: an object that is there, or one by name that is not.
func (p *process) contested(c controller.Call) bool {
	switch {
	case c.API == nil || !c.Writes():
		return false
	case c.API.Verb == api.Create:
		req := *c.API
		req.Name = req.Object().Name()
		return req.Name != "" && p.world.stored(req).IsZero()
	}
	return !p.world.stored(*c.API).IsZero()
}

// readsAgain reports whether a call reads an object that its pass has read before:
// who writes what the first answer said then overwrites a change in between.
// Commands that read before they write, such as kubectl replace, do so.
func (p *process) readsAgain(f *flight, c controller.Call) bool {
	if c.API == nil || c.API.Verb != api.Get || c.FromCache || p.world.stored(*c.API).IsZero() {
		return false
	}
	ref := f.rec.ref(*c.API)
	earlier := f.rec.pass.Calls
	return slices.ContainsFunc(earlier[:max(0, len(earlier)-1)], func(x Call) bool { return x.Ref == ref && x.Verb == string(api.Get) })
}

// reconciled is the object that a key of a process names, zero for none.
func (w *World) reconciled(p *process, key object.Key) object.Object {
	return w.stored(api.Request{GVR: p.watched, Namespace: key.Namespace, Name: key.Name})
}

// fault makes one.
func (w *World) fault(args []string) error {
	if len(args) < 3 || !slices.Contains(FaultKinds, args[0]) {
		return &InputError{Err: fmt.Errorf("usage: fault KIND PROCESS KEY, with one of %q", FaultKinds)}
	}
	kind := args[0]
	p, err := w.process(args[1])
	switch {
	case err != nil:
		return err
	case !p.running:
		return fmt.Errorf("%w: %s has crashed", ErrNotEnabled, args[1])
	case kind == "stale":
		return p.hold(args[2])
	case kind == "relist":
		return p.relist(args[2])
	case kind == "duplicate":
		return p.duplicate(args[2])
	case kind == "refused" && len(args) == 4 && args[2] == "list":
		return p.refuseList(args[3])
	}
	f := p.flight(object.ParseKey(args[2]))
	if f == nil || len(args) != 3 {
		return fmt.Errorf("%w: no pass of %s is waiting for a call", ErrNotEnabled, args[2])
	}
	c, _ := f.run.Parked()
	if !p.hits(kind, f, c) {
		return fmt.Errorf("%w: %s cannot hit %s", ErrNotEnabled, kind, c)
	}
	return p.hit(kind, f, c)
}

// hit makes a fault that hits a call.
func (p *process) hit(kind string, f *flight, c controller.Call) error {
	w := p.world
	f.hit = true
	switch kind {
	case "crash-before":
		p.die()
	case "crash-after":
		w.pass(w.config.Latency)
		f.rec.unheard(p.serve(c), LandedThenDied, "")
		p.called(f)
		w.observe()
		p.die()
	case "lost-reply":
		p.lose(f, c, controller.Reply{API: api.Response{Status: api.NewNoReply()}}, api.NewNoReply())
	case "cloud-lost-reply":
		p.lose(f, c, controller.Reply{Cloud: api.CloudResponse{Err: errCloudSilent}}, errCloudSilent)
	case "refused", "cloud-error":
		w.pass(w.config.Latency)
		s := served{Call: c}
		if c.Cloud != nil {
			s.reply.Cloud.Err = errCloudDown
		} else {
			down := api.NewServiceUnavailable()
			s.before = w.stored(*c.API)
			s.after, s.reply.API = s.before, api.Response{Code: down.Code, Status: down}
		}
		f.rec.answered(s)
		p.called(f)
		p.resume(f, s.reply)
	case "conflict":
		w.contend(p, c)
		return p.call(f.key)
	default:
		if err := w.meddle(kind, p, f.key); err != nil {
			return err
		}
		return p.call(f.key)
	}
	return nil
}

// die crashes the process; it starts again by itself.
func (p *process) die() {
	p.crash()
	p.revives = true
	p.world.fact(Fact{Kind: FactProcess, Process: p.config.Name, Verb: "crashed"})
}

// lose carries a call out and gives the pass another reply: that none came.
func (p *process) lose(f *flight, c controller.Call, instead controller.Reply, err error) {
	w := p.world
	w.pass(w.config.Latency)
	f.rec.unheard(p.serve(c), LostReply, err.Error())
	p.called(f)
	w.observe()
	p.resume(f, instead)
}

// contend has someone else write what a call is about to write: create it, or
// patch it.
func (w *World) contend(p *process, c controller.Call) {
	req := *c.API
	req.Options, req.UserAgent, req.FieldManager = api.Options{}, otherAgent, "other"
	if req.Verb == api.Create {
		req.Body = mark(object.New(req.Object().Root()), 1).Root()
	} else {
		there := w.stored(req)
		n, _ := strconv.Atoi(there.Str("metadata", "annotations", otherAnnotation))
		req.Verb, req.Subresource, req.PatchType, req.Body = api.Patch, "", api.MergePatch, any(mark(object.Object{}, n+1).Root())
		if p.config.Conflict != nil {
			req.Body = p.config.Conflict
		}
	}
	w.byOther(req, "other")
}

// otherAnnotation is what someone else writes on an object.
const otherAnnotation = "other.example.com/n"

func mark(o object.Object, n int) object.Object {
	return o.Set(strconv.Itoa(n), "metadata", "annotations", otherAnnotation)
}

// byOther makes a request of someone else's and tells of it.
func (w *World) byOther(req api.Request, by string) {
	before := w.stored(req)
	resp := w.server.Do(w.now, req)
	rec := recorder{world: w}
	f := Fact{Kind: FactCall, Verb: string(req.Verb), Ref: rec.ref(req), By: by, Code: resp.Code}
	f.Outcome = writeOutcome(req, resp, before, w.stored(req))
	if err := resp.Err(); err != nil {
		f.Text = err.Error()
	}
	w.fact(f)
	w.observe()
}

// meddle has the user edit, delete or recreate what a pass reconciles.
func (w *World) meddle(kind string, p *process, key object.Key) error {
	o := w.reconciled(p, key)
	req := api.Request{GVR: p.watched, Namespace: key.Namespace, Name: key.Name, UserAgent: kubectlAgent}
	switch kind {
	case "edit":
		req.Verb, req.PatchType, req.Body, req.FieldManager = api.Patch, api.MergePatch, joined(p.config.Edit, o), "kubectl-edit"
	case "recreate":
		w.reborn = append(slices.Clip(w.reborn), again(req, manifest(o)))
		fallthrough
	case "delete":
		req.Verb = api.Delete
		req.Body = object.FromAny(map[string]any{"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"})
	default:
		return &InputError{Err: errors.New("no such fault: " + kind)}
	}
	w.input()
	w.byOther(req, "user")
	w.bear()
	return nil
}

// manifest is what the user would create an object from again: the object as it
// is, without what the server and controllers gave it: status, finalizers, owners,
// and annotations in the domain of its group.
func manifest(o object.Object) object.Object {
	bare := object.Object{}.Set(o.Name(), "metadata", "name")
	if o.Namespace() != "" {
		bare = bare.Set(o.Namespace(), "metadata", "namespace")
	}
	for _, kept := range []string{"labels", "annotations"} {
		m := o.Map("metadata", kept).Without(lastApplied)
		for k := range m.All() {
			if domain, _, _ := strings.Cut(k, "/"); kept == "annotations" && domain == o.GVK().Group {
				m = m.Without(k)
			}
		}
		if m.Len() > 0 {
			bare = bare.Set(m, "metadata", kept)
		}
	}
	for k, v := range o.Root().All() {
		if k != "metadata" && k != "status" {
			bare = bare.Set(v, k)
		}
	}
	return annotated(bare)
}

// bear creates again what was deleted, where the name is free by now.
func (w *World) bear() {
	for i := 0; i < len(w.reborn); {
		req := w.reborn[i]
		named := req
		named.Name = req.Object().Name()
		if !w.stored(named).IsZero() {
			i++
			continue
		}
		w.reborn = slices.Delete(slices.Clone(w.reborn), i, i+1)
		w.byOther(req, "user")
	}
}
