package apiserver

import (
	"encoding/json"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// Head is a Snapshot without objects and history: what changes with every
// write, whatever it is about. With the objects it makes a Snapshot again.
func (s *Server) Head() Snapshot {
	gen, err := json.Marshal(s.gen)
	if err != nil {
		panic(err) // two numbers always encode
	}
	return Snapshot{
		Store:     store.Snapshot{Revision: s.store.Revision(), Compacted: s.store.Compacted(), Objects: []store.Entry{}, Changes: []store.Record{}},
		Generator: gen,
	}
}

// StorageKey is where the object of a resource is stored, as etcd's keys are
// written; empty for a resource that is not served.
func (s *Server) StorageKey(gvr object.GVR, key object.Key) string {
	k, ok := s.kinds.byGVR[gvr]
	if !ok {
		return ""
	}
	return k.key(key.Namespace, key.Name)
}

// Resource returns what is served under group, version and plural.
func (s *Server) Resource(gvr object.GVR) (Resource, bool) {
	k, ok := s.kinds.byGVR[gvr]
	if !ok {
		return Resource{}, false
	}
	return k.Resource, true
}
