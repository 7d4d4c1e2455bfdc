package store

import (
	"sync/atomic"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// log holds the changes by their revisions, each of which is one change. Copies
// share what they have, and the one that goes on first goes on in place.
type log struct {
	chunks *tree.Map[*chunk]
	// last is the chunk of the last change, nil for none.
	last *chunk
}

// perChunk is how many revisions a chunk is for.
const perChunk = 8

// chunk holds the writes of the revisions of which it is the quotient. A place
// is written to once, so who shares a chunk reads of it what was there then.
type chunk struct {
	// used is up to where it is taken.
	used   atomic.Int32
	writes [perChunk]write
}

// write is a Change as it is kept.
type write struct {
	key string
	// object is what is stored after it, old what was before; zero for nothing.
	object, old object.Object
	// last is the Object of a deletion, made when somebody first asks.
	last atomic.Pointer[object.Map]
}

// kind is that of the Change.
func (w *write) kind() api.EventType {
	switch {
	case w.object.IsZero():
		return api.Deleted
	case w.old.IsZero():
		return api.Added
	}
	return api.Modified
}

// change is the write as the Change of a revision.
func (w *write) change(revision int64) Change {
	c := Change{revision, w.key, w.kind(), w.object, w.old}
	if c.Type == api.Deleted {
		if w.last.Load() == nil {
			w.last.CompareAndSwap(nil, withRevision(w.old, FormatRevision(revision)).Root())
		}
		c.Object = object.New(w.last.Load())
	}
	return c
}

// set makes it one of what is stored at a key.
func (w *write) set(key string, o, old object.Object) { w.key, w.object, w.old = key, o, old }

func newLog() log { return log{chunks: new(tree.Map[*chunk])} }

func (l *log) copy() log { return log{l.chunks.Copy(), l.last} }

func chunkKey(revision int64) string { return tree.Number(revision / perChunk) }

// add adds a write of the revision after the last one.
func (l *log) add(revision int64, key string, o, old object.Object) {
	at := int32(revision % perChunk)
	switch {
	case at == 0 || l.last == nil:
		l.last = new(chunk)
	case l.last.used.CompareAndSwap(at, at+1):
		l.last.writes[at].set(key, o, old)
		return
	default:
		// A copy has gone on there.
		own := new(chunk)
		for i := range at {
			w := &l.last.writes[i]
			own.writes[i].set(w.key, w.object, w.old)
			own.writes[i].last.Store(w.last.Load())
		}
		l.last = own
	}
	l.last.used.Store(at + 1)
	l.last.writes[at].set(key, o, old)
	l.chunks.Set(chunkKey(revision), l.last)
}

// ascend walks the writes of the revisions from from to to, which are there.
func (l *log) ascend(from, to int64, visit func(revision int64, w *write) bool) {
	if from > to {
		return
	}
	l.chunks.Ascend(chunkKey(from), func(_ string, c *chunk) bool {
		for from <= to {
			if !visit(from, &c.writes[from%perChunk]) {
				return false
			}
			if from++; from%perChunk == 0 {
				return from <= to
			}
		}
		return false
	})
}

// descend is ascend the other way.
func (l *log) descend(from, to int64, visit func(w *write) bool) {
	l.chunks.Reverse(func(_ string, c *chunk) bool {
		for to >= from {
			if !visit(&c.writes[to%perChunk]) {
				return false
			}
			if to--; (to+1)%perChunk == 0 {
				return to >= from
			}
		}
		return false
	})
}

// compact forgets chunks that hold nothing after a revision.
func (l *log) compact(revision int64) {
	for {
		key, _, ok := l.chunks.Min()
		if !ok || (tree.NumberOf(key)+1)*perChunk-1 > revision {
			return
		}
		l.chunks.Delete(key)
	}
}
