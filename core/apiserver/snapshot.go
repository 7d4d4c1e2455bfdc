package apiserver

import (
	"encoding/json"
	"fmt"

	"github.com/reconcile-playground/reconcile/core/store"
)

// Snapshot is a server as plain JSON: its store with the history that is kept,
// and how far its generator is.
type Snapshot struct {
	Store     store.Snapshot  `json:"store"`
	Generator json.RawMessage `json:"generator"`
}

// Snapshot copies the server out.
func (s *Server) Snapshot() Snapshot {
	snap := s.Head()
	snap.Store = s.store.Snapshot()
	return snap
}

// Head is a Snapshot without objects and history: what changes with every
// write, whatever it is about. With the objects it makes a Snapshot again.
func (s *Server) Head() Snapshot {
	gen, err := json.Marshal(s.gen)
	if err != nil {
		// Two numbers always encode.
		panic(err)
	}
	return Snapshot{
		Store:     store.Snapshot{Revision: s.store.Revision(), Compacted: s.store.Compacted(), Objects: []store.Entry{}, Changes: []store.Record{}},
		Generator: gen,
	}
}

// Restore builds the server that a Snapshot was taken of. A snapshot that
// contradicts itself is refused.
func Restore(snap Snapshot) (*Server, error) {
	st, err := store.Restore(snap.Store)
	if err != nil {
		return nil, fmt.Errorf("restoring the store: %w", err)
	}
	s := &Server{store: st, kinds: newKinds(builtinKinds())}
	if err := json.Unmarshal(snap.Generator, &s.gen); err != nil {
		return nil, fmt.Errorf("restoring the generator: %w", err)
	}
	s.serveStored()
	return s, nil
}
