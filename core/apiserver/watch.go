package apiserver

import (
	"errors"
	"math"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// Change is one write that changed something.
type Change struct {
	Revision int64
	// Type is Added, Modified or Deleted.
	Type api.EventType
	// Key is where the object is stored, as etcd's keys are written.
	Key string
	GVR object.GVR
	// Object is the object after the write; for Deleted as it was stored last,
	// with the revision of the deletion. Old is what was stored before; zero
	// for Added.
	Object, Old object.Object
}

// Changes returns what changed after a revision, of all kinds, in order; nil
// where nothing did. What is compacted is left out. The cost follows what
// changed.
func (s *Server) Changes(after int64) []Change {
	changes, err := s.store.Changes(min(max(after, s.store.Compacted()), s.store.Revision()))
	if err != nil {
		return nil
	}
	var out []Change
	for c := range changes {
		gvr := gvrOfKey(s.kinds, c)
		out = append(out, Change{c.Revision, c.Type, c.Key, gvr, unsetMeta(c.Object, unread), unsetMeta(c.Old, unread)})
	}
	return out
}

// gvrOfKey names the resource of a change; where its definition is gone since,
// the key and the object still tell.
func gvrOfKey(t *kinds, c store.Change) object.GVR {
	if k := t.ofKey(c.Key); k != nil {
		return k.GVR
	}
	gvk := c.Object.GVK()
	path := strings.Split(strings.TrimPrefix(c.Key, "/registry/"), "/")
	return object.GVR{Group: gvk.Group, Version: gvk.Version, Resource: path[min(1, len(path)-1)]}
}

// watch accepts a watch. Its events are asked for with Watching.
func (s *Server) watch(k *kind, req *api.Request) api.Response {
	sel, status := k.selection(req)
	if status != nil {
		return failed(status)
	}
	rv, err := store.ParseRevision(req.ResourceVersion)
	if err != nil {
		return failed(plainError(invalid("resourceVersion", req.ResourceVersion, err.Error()).Error()))
	}
	if status := checkInclude(req); status != nil {
		return failed(status)
	}
	if req.As == api.AsUnstreamed {
		return failed(notAcceptable("only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"))
	}
	initial := rv == 0
	if req.SendInitialEvents != nil {
		initial = *req.SendInitialEvents
	}
	if !initial {
		from := s.Revision()
		if rv > 0 {
			// From what can never come there is never anything to tell.
			from = int64(min(rv, math.MaxInt64))
		}
		return api.Response{Code: 200, Watch: &api.WatchStart{Revision: from}}
	}
	start := &api.WatchStart{Revision: s.Revision()}
	if rv > uint64(s.Revision()) {
		start.Initial = []api.WatchEvent{{Type: api.Error, Object: tooLarge(rv, s.Revision()).Object(), Revision: s.Revision()}}
		return api.Response{Code: 200, Watch: start}
	}
	if req.As == api.AsWrongPartial {
		return api.Response{Code: 200, Watch: start}
	}
	for _, o := range s.store.Range(k.prefix(req.Namespace), "") {
		if sel.matches(o) {
			rv, _ := store.ParseRevision(o.ResourceVersion())
			start.Initial = append(start.Initial, s.watchEvent(k, req, api.Added, o, int64(rv)))
		}
	}
	if req.AllowWatchBookmarks {
		start.Initial = append(start.Initial, s.initialEnd(k, req))
	}
	return api.Response{Code: 200, Watch: start}
}

// initialEnd is the BOOKMARK that ends the initial events.
func (s *Server) initialEnd(k *kind, req *api.Request) api.WatchEvent {
	o := object.FromMap(map[string]any{"apiVersion": k.GVR.APIVersion(), "kind": k.Kind,
		"metadata": map[string]any{"resourceVersion": store.FormatRevision(s.Revision()), "annotations": map[string]any{initialEventsEnd: "true"}}})
	return api.WatchEvent{Type: api.Bookmark, Object: s.watched(k, req, o), Revision: s.Revision()}
}

// initialEventsEnd annotates the bookmark that ends the initial events.
const initialEventsEnd = "k8s.io/initial-events-end"

// Watching returns the events of a watch that came after a revision, in order:
// the changes of the objects that the watch request selects. An object that
// comes to be selected is ADDED, one that ceases to be is DELETED. Where after
// is compacted the only event is the ERROR that ends the watch. A watch of a
// resource whose definition is gone still has the events from before that; it
// is the caller's to end it. A request that Do would refuse has no events.
func (s *Server) Watching(req api.Request, after int64) []api.WatchEvent {
	k, ok := s.kinds.byGVR[req.GVR]
	if !ok {
		k = formerKind(req.GVR)
	}
	sel, status := k.selection(&req)
	if status != nil || req.As == api.AsWrongPartial {
		// An event is no list: the real server ends the watch before the first.
		return nil
	}
	changes, err := s.store.Changes(after)
	var refused *store.Error
	if errors.As(err, &refused) {
		if refused.Code == store.Future {
			return nil
		}
		return []api.WatchEvent{{Type: api.Error, Object: expired(refused.Error()).Object(), Revision: after}}
	}
	var out []api.WatchEvent
	prefix := k.prefix(req.Namespace)
	for c := range changes {
		if !strings.HasPrefix(c.Key, prefix) {
			continue
		}
		if kind, o, ok := sel.event(c); ok {
			out = append(out, s.watchEvent(k, &req, kind, o, c.Revision))
		}
	}
	return out
}

// formerKind stands in for a custom resource whose definition is gone.
func formerKind(gvr object.GVR) *kind {
	return &kind{Resource: Resource{GVR: gvr, Namespaced: true, Custom: true}, storagePath: gvr.Group + "/" + gvr.Resource}
}

// event is what a watch with this selection sees of a change.
func (sel selection) event(c store.Change) (api.EventType, object.Object, bool) {
	was := !c.Old.IsZero() && sel.matches(c.Old)
	is := c.Type != api.Deleted && sel.matches(c.Object)
	switch {
	case is && was:
		return api.Modified, c.Object, true
	case is:
		return api.Added, c.Object, true
	case was && c.Type == api.Deleted:
		return api.Deleted, c.Object, true
	case was:
		// It carries the object as it was selected last, at this revision.
		return api.Deleted, setMeta(c.Old, "resourceVersion", store.FormatRevision(c.Revision)), true
	}
	return "", object.Object{}, false
}

func (s *Server) watchEvent(k *kind, req *api.Request, kind api.EventType, o object.Object, revision int64) api.WatchEvent {
	return api.WatchEvent{Type: kind, Object: s.watched(k, req, k.served(o)), Revision: revision}
}

// watched gives an event's object in the form that was asked for.
func (s *Server) watched(k *kind, req *api.Request, o object.Object) object.Object {
	switch req.As {
	case api.AsTable:
		return s.table(k, req, []object.Object{o}, object.NewMap(object.Field{Key: "resourceVersion", Value: o.ResourceVersion()}))
	case api.AsPartial:
		return partial(req, o)
	}
	return o
}
