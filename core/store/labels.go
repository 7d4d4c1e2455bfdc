package store

import (
	"iter"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// The store knows which keys hold objects of a label: each label of each object
// is an entry of a sorted set, which is copied with the store in constant time.
// etcd has no such index; the real server's cache walks all objects of a kind.

// labelEntry is the entry of one label. Neither part of a label has a "=".
func labelEntry(label, value, key string) string { return label + "=" + value + "\x00" + key }

// index brings the entries of a key from those of old to those of o; either may
// be zero.
func (s *Store) index(key string, o, old object.Object) {
	now, was := o.Labels(), old.Labels()
	if s.labels == nil || now == was || object.Equal(now, was) {
		return
	}
	for label, v := range was.All() {
		if text, ok := v.(string); ok {
			s.labels.Delete(labelEntry(label, text, key))
		}
	}
	for label, v := range now.All() {
		if text, ok := v.(string); ok {
			s.labels.Insert(labelEntry(label, text, key))
		}
	}
}

// Labelled walks the objects of Range that have the label with that value, in
// the same order. Where the store has no index, or most objects have the label,
// ok is false: the caller had better walk the Range.
func (s *Store) Labelled(prefix, start, label, value string) (found iter.Seq2[string, object.Object], ok bool) {
	if s.labels == nil {
		return nil, false
	}
	under := labelEntry(label, value, "")
	var keys []string
	most := 16 + s.objects.Len()/8
	s.labels.Ascend(under+max(prefix, start), func(entry string) bool {
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
			if o, ok := s.objects.Get(key); ok && !yield(key, o) {
				return
			}
		}
	}, true
}
