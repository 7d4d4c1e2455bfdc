package sim

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// read records what a get or a list of the pass returned.
func (r *recorder) read(req api.Request, resp api.Response, from string) {
	if resp.List != nil {
		for _, o := range resp.List.Items {
			r.reading(Reading{Ref: r.world.name(o.Ref()), From: from, ResourceVersion: o.ResourceVersion(), Object: o})
		}
		return
	}
	switch {
	case resp.Err() == nil && !resp.Object.IsZero():
		r.reading(Reading{Ref: r.ref(req), From: from, ResourceVersion: resp.Object.ResourceVersion(), Object: resp.Object})
	case api.IsNotFound(resp.Err()):
		r.reading(Reading{Ref: r.ref(req), From: from, Absent: true})
	}
}

func (r *recorder) readCloud(req api.CloudRequest, resp api.CloudResponse) {
	if req.Verb == api.Get && resp.Err != nil || req.Verb == api.List && resp.Err == nil && len(resp.Items) == 0 {
		ref := cloudRef(req)
		if tags := strings.TrimPrefix(req.String(), "cloud "+req.Type+" list"); req.Verb == api.List && tags != "" {
			ref += tags
		}
		r.observe(Reading{Ref: ref, From: fromCloud, Absent: true})
		return
	}
	for _, item := range resp.Items {
		r.observe(Reading{Ref: item.Type + "/" + item.ID, From: fromCloud, Object: item.Object()})
	}
}

// isWatched reports whether a ref is the object that the pass is about.
func (r *recorder) isWatched(ref string) bool { return ref == r.watchedRef() }

func (r *recorder) watchedRef() string {
	res, ok := r.world.resource(r.watched)
	if !ok {
		return r.key.String()
	}
	return r.world.name(object.Ref{Group: r.watched.Group, Kind: res.Kind, Namespace: r.key.Namespace, Name: r.key.Name})
}

func (r *recorder) reading(in Reading) {
	if !r.isWatched(in.Ref) {
		r.observe(in)
		return
	}
	r.know(in)
	r.pass.Desired, r.pass.Left = &in, in.Object
	if status, _ := in.Object.At("status"); !r.statusRead {
		r.statusRead = true
		r.pass.Status = &StatusChange{Before: status, After: status}
	}
}

func (r *recorder) observe(in Reading) {
	r.know(in)
	r.pass.Observed = r.observed.put(r.pass.Observed, in)
}

func (r *recorder) know(in Reading) { r.known.list = r.known.at.put(r.known.list, in) }

// lastRead is an object as this pass last read it, or as its own last write
// returned it.
func (r *recorder) lastRead(ref string) (object.Object, bool) {
	if i, ok := r.known.at.find(r.known.list, ref); ok {
		return r.known.list[i].Object, true
	}
	return object.Object{}, false
}

// readings is a list of readings, one for each ref.
type readings struct {
	list []Reading
	at   places
}

// places finds the readings of a list by their ref. It is made when it is first
// needed.
type places map[string]int

func (p *places) find(list []Reading, ref string) (int, bool) {
	if *p == nil {
		*p = make(places, len(list))
		for i, r := range list {
			(*p)[r.Ref] = i
		}
	}
	i, ok := (*p)[ref]
	return i, ok
}

// put replaces the reading of the same ref, or adds one.
func (p *places) put(list []Reading, in Reading) []Reading {
	if i, ok := p.find(list, in.Ref); ok {
		list[i] = in
		return list
	}
	(*p)[in.Ref] = len(list)
	return append(list, in)
}

// written takes in the object as a write of the pass returned it: the next
// difference is against that.
func (r *recorder) written(ref string, o object.Object) {
	r.know(Reading{Ref: ref, From: fromServer, ResourceVersion: o.ResourceVersion(), Object: o})
	if !r.isWatched(ref) {
		return
	}
	status, _ := o.At("status")
	r.pass.Left = o
	changed := StatusChange{After: status}
	if r.pass.Status != nil {
		changed.Before = r.pass.Status.Before
	}
	changed.Changes = object.Diff(changed.Before, status)
	r.pass.Status = &changed
}
