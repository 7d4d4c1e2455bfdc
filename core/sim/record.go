package sim

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// The places that an answer comes from.
const (
	fromCache  = "cache"
	fromServer = "server"
	fromCloud  = "cloud"
)

// recorder builds the record of a pass from its calls, as they are sent and
// answered. The record under construction is its own; copies go out.
type recorder struct {
	pass Pass
	// watched is the resource reconciled, key the object's name.
	watched object.GVR
	key     object.Key
	world   *World
	// known are the objects as this pass last read them, or as its own writes
	// returned them.
	known readings
	// observed finds the places in pass.Observed.
	observed places
	// status is the watched object's status as first read.
	statusRead bool
}

// clone returns a recorder that builds on without touching the receiver's.
func (r *recorder) clone(w *World) *recorder {
	c := *r
	c.world = w
	p := &c.pass
	p.Calls, p.Observed = slices.Clone(p.Calls), slices.Clone(p.Observed)
	p.Diff, p.Action = slices.Clone(p.Diff), slices.Clone(p.Action)
	c.known.list = slices.Clone(r.known.list)
	c.known.at, c.observed = nil, nil
	return &c
}

// snapshot returns a copy of the record that will not change any more.
func (r *recorder) snapshot() *Pass {
	c := r.clone(r.world).pass
	if c.Status != nil {
		s := *c.Status
		c.Status = &s
	}
	return &c
}

// ref names what a request asks for.
func (r *recorder) ref(req api.Request) string {
	res, ok := r.world.resource(req.GVR)
	if !ok {
		return req.Ref().String()
	}
	if req.Name == "" && req.Verb != api.Create {
		if req.Namespace == "" {
			return res.Kind
		}
		return res.Kind + "/" + req.Namespace
	}
	name := req.Name
	if name == "" {
		if name = req.Object().Name(); name == "" {
			name = req.Object().Str("metadata", "generateName") + "*"
		}
	}
	return r.world.name(object.Ref{Group: req.Group, Kind: res.Kind, Namespace: req.Namespace, Name: name})
}

func cloudRef(req api.CloudRequest) string {
	if req.ID != "" {
		return req.Type + "/" + req.ID
	}
	return req.Type
}

// cached records a read that the cache answered, in one go.
func (r *recorder) cached(req api.Request, resp api.Response, line string) {
	r.pass.Calls = append(r.pass.Calls, Call{Verb: string(req.Verb), Ref: r.ref(req), Resource: req.GVR, Selector: req.LabelSelector + req.FieldSelector, From: fromCache, Line: line, At: r.world.Since(), Event: r.world.step + 1})
	r.read(req, resp, fromCache)
	c := &r.pass.Calls[len(r.pass.Calls)-1]
	c.Code, c.After, c.Outcome = resp.Code, resp.Object.ResourceVersion(), readOutcome(resp)
}

// sent records a request that is on its way: what it would change is computed
// now, against the object as this pass last read it.
func (r *recorder) sent(req api.Request, line string) {
	call := Call{Verb: string(req.Verb), Ref: r.ref(req), Resource: req.GVR, Selector: req.LabelSelector + req.FieldSelector, Subresource: req.Subresource, From: fromServer, Line: line, At: r.world.Since()}
	if req.Verb.Writes() {
		base, _ := r.lastRead(call.Ref)
		call.Before = base.ResourceVersion()
		call.StatusIgnored = r.world.ignoresStatus(req)
		r.pass.Action = append(r.pass.Action, Write{Verb: call.Verb, Ref: call.Ref, Subresource: call.Subresource, Before: call.Before})
		if changes, ok := r.wouldChange(req, base); ok && req.Subresource == "" {
			r.pass.Diff = append(r.pass.Diff, Difference{Ref: call.Ref, Verb: call.Verb, Changes: changes})
		}
	}
	r.pass.Calls = append(r.pass.Calls, call)
}

// sentCloud records a call to the cloud that is on its way.
func (r *recorder) sentCloud(req api.CloudRequest, line string) {
	call := Call{Verb: string(req.Verb), Ref: cloudRef(req), From: fromCloud, Line: line, At: r.world.Since()}
	if req.Verb.Writes() {
		r.pass.Action = append(r.pass.Action, Write{Verb: call.Verb, Ref: call.Ref})
		d := Difference{Ref: call.Ref, Verb: call.Verb}
		switch req.Verb {
		case api.Create:
			wanted := object.FromAny(map[string]any{"name": req.Name, "tags": object.StringMap(req.Tags)})
			d.Changes = []object.Change{{Op: "add", After: wanted}}
		case api.Delete:
			base, _ := r.lastRead(call.Ref)
			d.Changes = []object.Change{{Op: "remove", Before: base.Root()}}
		}
		r.pass.Diff = append(r.pass.Diff, d)
	}
	r.pass.Calls = append(r.pass.Calls, call)
}

// sleeping records that the pass lets time go by; slept that it was enough.
func (r *recorder) sleeping(c controller.Call) {
	r.pass.Calls = append(r.pass.Calls, Call{Verb: "sleep", Ref: c.Sleep.String(), Line: c.Line, At: r.world.Since()})
}

func (r *recorder) slept() {
	c, _ := r.parked()
	c.Outcome, c.Event, c.At = Slept, r.world.step+1, r.world.Since()
}

// servedEvents records what a watch had to tell.
func (r *recorder) servedEvents(req api.Request, reply controller.Reply) {
	c, _ := r.parked()
	c.Code, c.Event, c.At, c.Outcome = reply.API.Code, r.world.step+1, r.world.Since(), Found
	switch err := reply.API.Err(); {
	case err != nil:
		c.Outcome, c.Message = readOutcome(reply.API), err.Error()
	case len(reply.Events) == 0:
		c.Outcome = Absent
	}
	if req.As != api.AsObject {
		return
	}
	for _, e := range reply.Events {
		if e.Type == api.Bookmark {
			continue
		}
		in := Reading{Ref: r.world.name(e.Object.Ref()), From: fromServer, ResourceVersion: e.Object.ResourceVersion(), Object: e.Object}
		if e.Type == api.Deleted {
			in = Reading{Ref: in.Ref, From: fromServer, Absent: true}
		}
		r.reading(in)
	}
}

// parked returns the call that waits, the last one; and its write, if it is one.
func (r *recorder) parked() (*Call, *Write) {
	c := &r.pass.Calls[len(r.pass.Calls)-1]
	if !api.Verb(c.Verb).Writes() {
		return c, nil
	}
	return c, &r.pass.Action[len(r.pass.Action)-1]
}

// answered records that the parked call was carried out and its answer came.
func (r *recorder) answered(s served) {
	switch {
	case s.Cloud != nil:
		r.servedCloud(*s.Cloud, s.reply.Cloud)
	case s.Events:
		r.servedEvents(*s.API, s.reply)
	default:
		r.served(*s.API, s.reply.API, s.before, s.after)
	}
}

// unheard records that the parked call was carried out and the pass never got
// its answer: it knows no more than before.
func (r *recorder) unheard(s served, outcome Outcome, message string) {
	c, wr := r.parked()
	c.Event, c.At, c.Outcome, c.Message = r.world.step+1, r.world.Since(), outcome, message
	if wr == nil {
		return
	}
	if s.Cloud != nil {
		c.Landed = cloudOutcome(*s.Cloud, s.reply.Cloud)
		if items := s.reply.Cloud.Items; len(items) > 0 {
			c.Ref = items[0].Type + "/" + items[0].ID
		}
	} else {
		c.Landed = writeOutcome(*s.API, s.reply.API, s.before, s.after)
		c.Before, c.After = s.before.ResourceVersion(), s.after.ResourceVersion()
		if o := s.reply.API.Object; s.API.Verb == api.Create && s.reply.API.Err() == nil {
			c.Ref, c.After = r.world.name(o.Ref()), o.ResourceVersion()
		}
	}
	wr.Ref, wr.Outcome, wr.Landed, wr.Before, wr.After, wr.Message = c.Ref, c.Outcome, c.Landed, c.Before, c.After, c.Message
}

// served records the answer to the parked request. before and after are the
// object in the store when the request arrived and when it had been served,
// zero where there was none.
func (r *recorder) served(req api.Request, resp api.Response, before, after object.Object) {
	c, wr := r.parked()
	c.Code, c.Event, c.At = resp.Code, r.world.step+1, r.world.Since()
	if err := resp.Err(); err != nil {
		c.Message = err.Error()
	}
	if wr == nil {
		c.Outcome, c.After = readOutcome(resp), resp.Object.ResourceVersion()
		r.read(req, resp, fromServer)
		return
	}
	c.Outcome = writeOutcome(req, resp, before, after)
	c.Before, c.After = before.ResourceVersion(), after.ResourceVersion()
	if req.Verb == api.Create {
		c.After = resp.Object.ResourceVersion()
	}
	if resp.Err() == nil && resp.Object.Kind() != "" {
		if c.Ref = r.world.name(resp.Object.Ref()); req.Verb != api.Delete {
			r.written(c.Ref, resp.Object)
		}
	}
	wr.Ref, wr.Outcome, wr.Before, wr.After, wr.Message = c.Ref, c.Outcome, c.Before, c.After, c.Message
}

// servedCloud records the cloud's answer to the parked call.
func (r *recorder) servedCloud(req api.CloudRequest, resp api.CloudResponse) {
	c, wr := r.parked()
	c.Event, c.At = r.world.step+1, r.world.Since()
	if resp.Err != nil {
		c.Message = resp.Err.Error()
	}
	c.Outcome = cloudOutcome(req, resp)
	if wr == nil {
		r.readCloud(req, resp)
		return
	}
	if c.Outcome == Created {
		c.Ref = req.Type + "/" + resp.Items[0].ID
		r.know(Reading{Ref: c.Ref, From: fromCloud, Object: resp.Items[0].Object()})
	}
	wr.Ref, wr.Outcome, wr.Message = c.Ref, c.Outcome, c.Message
}

// cloudOutcome tells from the cloud's answer what became of a call.
func cloudOutcome(req api.CloudRequest, resp api.CloudResponse) Outcome {
	switch {
	case resp.Err != nil && isGone(resp.Err) && req.Verb.Writes():
		return Unchanged
	case resp.Err != nil && isGone(resp.Err):
		return Absent
	case resp.Err != nil && isDown(resp.Err):
		return Refused
	case resp.Err != nil:
		return Failed
	case req.Verb == api.Create:
		return Created
	case req.Verb == api.Delete:
		return Deleted
	case req.Verb == api.List && len(resp.Items) == 0:
		return Absent
	}
	return Found
}

func isGone(err error) bool { return cloudReason(err) == api.ReasonNotFound }

func isDown(err error) bool { return cloudReason(err) == api.ReasonUnavailable }

func cloudReason(err error) string {
	if e, ok := err.(*api.CloudError); ok {
		return e.Reason
	}
	return ""
}

// died records that the process died. A parked call that nothing was recorded of
// was not sent.
func (r *recorder) died() {
	r.pass.Died = true
	if len(r.pass.Calls) == 0 {
		return
	}
	c, wr := r.parked()
	if c.Outcome != "" {
		return
	}
	c.Outcome, c.After = NotSent, c.Before
	if wr != nil {
		wr.Outcome, wr.After = c.Outcome, c.After
	}
}

func readOutcome(resp api.Response) Outcome {
	switch {
	case resp.List != nil && len(resp.List.Items) == 0:
		return Absent
	case resp.Err() == nil:
		return Found
	case api.IsNotFound(resp.Err()):
		return Absent
	case api.ReasonForError(resp.Err()) == api.ReasonServiceUnavailable:
		return Refused
	}
	return Failed
}

// writeOutcome tells from the object in the store before and after what became
// of a write. A delete that only marks the object, since a finalizer holds it,
// has updated it.
func writeOutcome(req api.Request, resp api.Response, before, after object.Object) Outcome {
	if err := resp.Err(); err != nil {
		switch api.ReasonForError(err) {
		case api.ReasonConflict:
			return Conflict
		case api.ReasonNotFound:
			if req.Verb == api.Delete {
				return Unchanged
			}
			return Failed
		case api.ReasonServiceUnavailable:
			return Refused
		}
		return Failed
	}
	switch {
	case req.Verb == api.Create:
		return Created
	case req.Verb == api.DeleteCollection:
		return Deleted
	case after.IsZero() && before.IsZero():
		return Unchanged
	case after.IsZero():
		return Deleted
	case before.IsZero():
		return Created
	case before.ResourceVersion() == after.ResourceVersion():
		return Unchanged
	}
	return Updated
}

// wouldChange is what a write would make of the object as it was last read. It
// reports false where that cannot be said: a patch of something never read.
func (r *recorder) wouldChange(req api.Request, base object.Object) ([]object.Change, bool) {
	res, _ := r.world.resource(req.GVR)
	bare := func(o object.Object) *object.Map { return bare(o, res.HasStatus) }
	switch req.Verb {
	case api.Create:
		return []object.Change{{Op: "add", After: req.Object().Root()}}, true
	case api.Delete:
		return []object.Change{{Op: "remove", Before: base.Root()}}, true
	case api.Update:
		return object.Diff(bare(base), bare(req.Object())), true
	case api.Patch:
		if base.IsZero() {
			return nil, false
		}
		switch req.PatchType {
		case api.ApplyPatch:
			after, ok := r.world.server.Applied(req, base)
			return object.Diff(bare(base), bare(after)), ok
		case api.StrategicMergePatch:
			body, _ := req.Body.(*object.Map)
			m, err := patch.Strategic(base.Root(), body, patch.MergingOf(base.GVK()))
			if err != nil {
				return nil, false
			}
			return object.Diff(bare(base), bare(object.New(m))), true
		case api.MergePatch:
			m, _ := patch.Merge(base.Root(), req.Body).(*object.Map)
			return object.Diff(bare(base), bare(object.New(m))), true
		case api.JSONPatch:
			l, _ := req.Body.(*object.List)
			after, err := patch.JSON(base.Root(), l)
			m, _ := after.(*object.Map)
			if err != nil || m == nil {
				return nil, false
			}
			return object.Diff(bare(base), bare(object.New(m))), true
		}
	}
	return nil, false
}

// bare leaves out what only the server writes, and what a write to the main
// resource does not reach: status, where it is a subresource.
func bare(o object.Object, hasStatus bool) *object.Map {
	if o.IsZero() {
		return nil
	}
	for _, k := range []string{"managedFields", "resourceVersion", "generation", "creationTimestamp", "uid"} {
		o = o.Unset("metadata", k)
	}
	if hasStatus {
		o = o.Unset("status")
	}
	return o.Root()
}
