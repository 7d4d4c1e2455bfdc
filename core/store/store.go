package store

import (
	"iter"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// Change is one write that changed something.
type Change struct {
	Revision int64
	Key      string
	// Type is Added, Modified or Deleted.
	Type api.EventType
	// Object is what is stored after the write. For Deleted it is the object as
	// it was stored last, with the revision of the deletion.
	Object object.Object
	// Old is what was stored before; zero for Added.
	Old object.Object
}

// Store holds objects by key. The zero Store is not usable; New makes one.
type Store struct {
	revision  int64
	compacted int64
	objects   *tree.Hash[object.Object]
	len       int
	history   log
	sorted    sorted
	labels    labels
	// next is Next where nextOf is the revision; nil before somebody asks.
	next   any
	nextOf int64
}

// New returns an empty store. Revisions up to and including revision count as
// compacted.
func New(revision int64) *Store {
	return &Store{revision: revision, compacted: revision, objects: new(tree.Hash[object.Object]), history: newLog(), sorted: newSorted(revision)}
}

// Clone returns an independent store of the same content, in constant time.
func (s *Store) Clone() *Store {
	// So that not each copy has to.
	s.sort()
	return &Store{revision: s.revision, compacted: s.compacted, objects: s.objects.Copy(), len: s.len,
		history: s.history.copy(), sorted: s.sorted.copy(), labels: s.labels.copy()}
}

// Revision is that of the last write.
func (s *Store) Revision() int64 { return s.revision }

// Compacted is the oldest revision from which changes can still be asked for.
func (s *Store) Compacted() int64 { return s.compacted }

// Len returns the number of objects.
func (s *Store) Len() int { return s.len }

// Get returns the object stored at key.
func (s *Store) Get(key string) (object.Object, bool) {
	if s.objects == nil {
		return s.sorted.objects.Get(key)
	}
	return s.objects.Get(key)
}

// Find is Get of a key that is not kept; it returns the key as it is stored, too.
func (s *Store) Find(key []byte) (stored string, o object.Object, ok bool) {
	if s.objects == nil {
		stored = string(key)
		o, ok = s.sorted.objects.Get(stored)
		return stored, o, ok
	}
	return s.objects.Find(key)
}

// Range walks the objects whose key has the prefix, in order of key, from the
// first key that is not below start.
func (s *Store) Range(prefix, start string) iter.Seq2[string, object.Object] {
	return func(yield func(string, object.Object) bool) {
		s.sort()
		s.sorted.objects.Ascend(max(prefix, start), func(key string, o object.Object) bool {
			return strings.HasPrefix(key, prefix) && yield(key, o)
		})
	}
}

// Create stores an object at a key that is free. The object stored, with its
// resourceVersion, is returned. Errors: KeyExists, ResourceVersionSet.
func (s *Store) Create(key string, o object.Object) (object.Object, error) {
	if v, err := ParseRevision(o.ResourceVersion()); err == nil && v != 0 {
		return object.Object{}, &Error{Code: ResourceVersionSet, Key: key}
	}
	return s.Add(key, withRevision(o, s.Next()))
}

// Next is the resourceVersion that the next write gets, a string.
func (s *Store) Next() any {
	if s.next == nil || s.nextOf != s.revision {
		s.next, s.nextOf = FormatRevision(s.revision+1), s.revision
	}
	return s.next
}

// Add is Create of an object whose resourceVersion is Next already. Errors:
// KeyExists.
func (s *Store) Add(key string, o object.Object) (object.Object, error) {
	if !s.objects.Add(key, o) {
		return object.Object{}, &Error{Code: KeyExists, Key: key}
	}
	s.len++
	s.revision++
	s.history.add(s.revision, key, o, object.Object{})
	return o, nil
}

// Update is what GuaranteedUpdate calls with the object stored now, zero where
// there is none; what it returns is stored. An object that it knows to be another
// one may have the resourceVersion Next already.
type Update func(existing object.Object) (object.Object, error)

// GuaranteedUpdate replaces what is stored at key with what update makes of
// it, once pre holds. Where update fails, or returns an equal object, nothing
// is written; the equal object is returned as it is stored. Errors are those
// of pre and of update.
func (s *Store) GuaranteedUpdate(key string, pre Preconditions, update Update) (object.Object, error) {
	existing, ok := s.Get(key)
	if ok {
		if err := pre.Check(key, existing); err != nil {
			return object.Object{}, err
		}
	}
	o, err := update(existing)
	if err != nil {
		return object.Object{}, err
	}
	if rv, _ := o.At("metadata", "resourceVersion"); !object.Same(rv, s.Next()) {
		if ok && withRevision(o, existing.ResourceVersion()).Equal(existing) {
			return existing, nil
		}
		o = withRevision(o, s.Next())
	}
	s.put(key, o, existing)
	return o, nil
}

// Delete removes what is stored at key, once pre holds, and returns it. Errors:
// KeyNotFound and those of pre.
func (s *Store) Delete(key string, pre Preconditions) (object.Object, error) {
	if pre != (Preconditions{}) {
		if existing, ok := s.Get(key); ok {
			if err := pre.Check(key, existing); err != nil {
				return object.Object{}, err
			}
		}
	}
	existing, ok := s.objects.Delete(key)
	if !ok {
		return object.Object{}, &Error{Code: KeyNotFound, Key: key}
	}
	s.revision++
	s.len--
	s.history.add(s.revision, key, object.Object{}, existing)
	return existing, nil
}

// put stores an object whose resourceVersion is Next.
func (s *Store) put(key string, o, old object.Object) {
	s.revision++
	if old.IsZero() {
		s.len++
	}
	s.objects.Set(key, o)
	s.history.add(s.revision, key, o, old)
}

// Changes walks the changes with a revision above after, in order. It returns
// an error of code Compacted where some of them are gone, and of code Future
// where after has not come yet.
func (s *Store) Changes(after int64) (iter.Seq[Change], error) {
	if err := s.reach(after); err != nil {
		return nil, err
	}
	return func(yield func(Change) bool) {
		s.history.ascend(after+1, s.revision, func(revision int64, w *write) bool { return yield(w.change(revision)) })
	}, nil
}

// At returns the store as it was at a revision, to be read only; its history
// is empty. Errors are those of Changes. The cost follows what changed since.
func (s *Store) At(revision int64) (*Store, error) {
	if err := s.reach(revision); err != nil {
		return nil, err
	}
	s.sort()
	then := &Store{revision: revision, compacted: revision, history: newLog(), sorted: s.sorted.copy(), labels: labels{none: true}}
	s.history.descend(revision+1, s.revision, func(w *write) bool {
		then.sorted.put(w.key, w.old)
		return true
	})
	then.sorted.revision, then.len = revision, then.sorted.objects.Len()
	return then, nil
}

func (s *Store) reach(revision int64) error {
	if revision < s.compacted {
		return &Error{Code: Compacted, Revision: revision, Current: s.compacted}
	}
	if revision > s.revision {
		return &Error{Code: Future, Revision: revision, Current: s.revision}
	}
	return nil
}

// Compact forgets the changes up to and including revision. Revisions that
// have not come yet, or are compacted already, are left alone.
func (s *Store) Compact(revision int64) {
	if revision <= s.compacted || revision > s.revision {
		return
	}
	s.sort()
	if s.labels.set != nil {
		s.indexLabels()
	}
	s.history.compact(revision)
	s.compacted = revision
}

// withRevision stamps a resourceVersion.
func withRevision(o object.Object, rv any) object.Object {
	return o.Set(rv, "metadata", "resourceVersion")
}

// FormatRevision prints a revision as a resourceVersion.
func FormatRevision(r int64) string { return strconv.FormatInt(r, 10) }

// ParseRevision reads a resourceVersion, which may be larger than any revision that
// can come; the empty one is 0. The error is
// strconv's, as the real server shows it.
func ParseRevision(rv string) (uint64, error) {
	if rv == "" || rv == "0" {
		return 0, nil
	}
	return strconv.ParseUint(rv, 10, 64)
}
