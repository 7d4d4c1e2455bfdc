package store

import (
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// sorted holds the objects in order of their keys, which is copied with the store
// in constant time. As with labels, a write leaves it alone: who walks the objects
// has it brought up to date from the history.
type sorted struct {
	objects *tree.Map[object.Object]
	// revision is up to where it is brought.
	revision int64
}

func newSorted(revision int64) sorted { return sorted{new(tree.Map[object.Object]), revision} }

func (x sorted) copy() sorted { return sorted{x.objects.Copy(), x.revision} }

// put gives a key its object; zero takes it out.
func (x sorted) put(key string, o object.Object) {
	if o.IsZero() {
		x.objects.Delete(key)
	} else {
		x.objects.Set(key, o)
	}
}

// sort brings the objects in order up to date.
func (s *Store) sort() {
	s.history.ascend(s.sorted.revision+1, s.revision, func(_ int64, w *write) bool {
		s.sorted.put(w.key, w.object)
		return true
	})
	s.sorted.revision = s.revision
}
