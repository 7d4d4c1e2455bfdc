package store

import (
	"errors"
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// Snapshot is a store as plain JSON: the objects at its revision and the
// changes that led there since the compacted one.
type Snapshot struct {
	Revision  int64   `json:"revision"`
	Compacted int64   `json:"compacted"`
	Objects   []Entry `json:"objects"`
	// Changes are those after Compacted.
	Changes []Record `json:"changes"`
}

// Entry is one object of a Snapshot.
type Entry struct {
	Key    string        `json:"key"`
	Object object.Object `json:"object"`
}

// Record is one Change of a Snapshot.
type Record struct {
	Revision int64         `json:"revision"`
	Key      string        `json:"key"`
	Type     api.EventType `json:"type"`
	Object   object.Object `json:"object"`
	Old      object.Object `json:"old"`
}

// Snapshot copies the store out. Entries are in order of key, records in order
// of revision.
func (s *Store) Snapshot() Snapshot {
	out := Snapshot{Revision: s.revision, Compacted: s.compacted, Objects: []Entry{}, Changes: []Record{}}
	s.sort()
	s.sorted.objects.Scan(func(key string, o object.Object) bool {
		out.Objects = append(out.Objects, Entry{key, o})
		return true
	})
	s.history.ascend(s.compacted+1, s.revision, func(revision int64, w *write) bool {
		out.Changes = append(out.Changes, Record(w.change(revision)))
		return true
	})
	return out
}

// Restore builds the store that a Snapshot was taken of. Every revision is one
// change, so changes that a snapshot lacks at its beginning, or all of them,
// count as compacted. A snapshot that contradicts itself is refused.
func Restore(snap Snapshot) (*Store, error) {
	if snap.Compacted > snap.Revision {
		return nil, fmt.Errorf("compacted revision %d lies after revision %d", snap.Compacted, snap.Revision)
	}
	s := New(snap.Revision)
	for _, e := range snap.Objects {
		if e.Key == "" || e.Object.IsZero() {
			return nil, errors.New("an object without key or content")
		}
		if _, twice := s.sorted.objects.Set(e.Key, e.Object); twice {
			return nil, fmt.Errorf("two objects at %s", e.Key)
		}
		s.objects.Set(e.Key, e.Object)
	}
	s.len = s.sorted.objects.Len()
	last := snap.Revision - int64(len(snap.Changes))
	if last < snap.Compacted {
		return nil, fmt.Errorf("%d changes since revision %d, with the store at %d", len(snap.Changes), snap.Compacted, snap.Revision)
	}
	s.compacted = last
	for _, c := range snap.Changes {
		if c.Revision != last+1 {
			return nil, fmt.Errorf("change of revision %d after %d, with the store at %d", c.Revision, last, snap.Revision)
		}
		last = c.Revision
		o := c.Object
		if c.Type == api.Deleted {
			o = object.Object{}
		}
		s.history.add(c.Revision, c.Key, o, c.Old)
	}
	return s, nil
}
