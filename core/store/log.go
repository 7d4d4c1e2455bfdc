package store

import (
	"sync/atomic"

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

// chunk holds the changes of the revisions of which it is the quotient. A place
// is written to once, so who shares a chunk reads of it what was there then.
type chunk struct {
	// used is up to where it is taken.
	used    atomic.Int32
	changes [perChunk]Change
}

func newLog() log { return log{chunks: new(tree.Map[*chunk])} }

func (l *log) copy() log { return log{l.chunks.Copy(), l.last} }

func chunkKey(revision int64) string { return tree.Number(revision / perChunk) }

// add adds the change of the revision after the last one.
func (l *log) add(c Change) {
	at := int32(c.Revision % perChunk)
	switch {
	case at == 0 || l.last == nil:
		l.last = new(chunk)
	case l.last.used.CompareAndSwap(at, at+1):
		l.last.changes[at] = c
		return
	default:
		// A copy has gone on there.
		own := new(chunk)
		copy(own.changes[:at], l.last.changes[:at])
		l.last = own
	}
	l.last.used.Store(at + 1)
	l.last.changes[at] = c
	l.chunks.Set(chunkKey(c.Revision), l.last)
}

// ascend walks the changes of the revisions from from to to, which are there.
func (l *log) ascend(from, to int64, visit func(*Change) bool) {
	if from > to {
		return
	}
	l.chunks.Ascend(chunkKey(from), func(_ string, c *chunk) bool {
		for from <= to {
			if !visit(&c.changes[from%perChunk]) {
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
func (l *log) descend(from, to int64, visit func(*Change) bool) {
	l.chunks.Reverse(func(_ string, c *chunk) bool {
		for to >= from {
			if !visit(&c.changes[to%perChunk]) {
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
