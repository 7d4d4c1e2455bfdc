package store

import (
	"iter"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// labels is the index of labels: each label of each object is an entry of a
// sorted set, which is copied with the store in constant time. A write leaves it
// alone: who asks has it brought up to date from the history, so that what nobody
// asks for costs nothing. etcd has no such index; the real server's cache walks
// all objects of a kind.
type labels struct {
	// set is nil until somebody asks.
	set *tree.Set
	// revision is up to where it is brought.
	revision int64
	// none is true of a store of the past, which is not worth an index.
	none bool
}

func (l labels) copy() labels {
	if l.set != nil {
		l.set = l.set.Copy()
	}
	return l
}

// labelEntry is the entry of one label. Neither part of a label has a "=".
func labelEntry(label, value, key string) string { return label + "=" + value + "\x00" + key }

// indexLabels brings the index up to date.
func (s *Store) indexLabels() {
	l := &s.labels
	if l.set == nil {
		l.set = new(tree.Set)
		s.sort()
		s.sorted.objects.Scan(func(key string, o object.Object) bool {
			l.index(key, o, object.Object{})
			return true
		})
	} else {
		s.history.ascend(l.revision+1, s.revision, func(_ int64, w *write) bool {
			l.index(w.key, w.object, w.old)
			return true
		})
	}
	l.revision = s.revision
}

// index brings the entries of a key from those of old to those of o; either may
// be zero.
func (l *labels) index(key string, o, old object.Object) {
	now, was := o.Labels(), old.Labels()
	if now == was || object.Equal(now, was) {
		return
	}
	for label, v := range was.All() {
		if text, ok := v.(string); ok {
			l.set.Delete(labelEntry(label, text, key))
		}
	}
	for label, v := range now.All() {
		if text, ok := v.(string); ok {
			l.set.Insert(labelEntry(label, text, key))
		}
	}
}

// many is from how many objects on there is an index.
const many = 64

// Labelled walks the objects of Range that have the label with that value, in
// the same order. Where the store has no index, is small, or most objects have the label,
// ok is false: the caller had better walk the Range.
func (s *Store) Labelled(prefix, start, label, value string) (found iter.Seq2[string, object.Object], ok bool) {
	if s.labels.none || s.len <= many {
		return nil, false
	}
	s.indexLabels()
	under := labelEntry(label, value, "")
	var keys []string
	most := 16 + s.len/8
	s.labels.set.Ascend(under+max(prefix, start), func(entry string) bool {
		if !strings.HasPrefix(entry, under+prefix) {
			return false
		}
		keys = append(keys, entry[len(under):])
		return len(keys) <= most
	})
	if len(keys) > most {
		return nil, false
	}
	return func(yield func(string, object.Object) bool) {
		for _, key := range keys {
			if o, ok := s.Get(key); ok && !yield(key, o) {
				return
			}
		}
	}, true
}
