package tree

import (
	"encoding/binary"
	"sync/atomic"
)

// Hash is a map in no order, copied in constant time as a Map is. Where a Map
// compares a key with some of each level, it finds it by its hash: among many
// keys a Get is several times faster. A zero Hash is empty and ready.
type Hash[V any] struct{ branches }

// owners counts the owners there were. Nothing but who owns what depends on it.
var owners atomic.Uint64

const (
	// fan is how many branches one has, of bits of a hash.
	bits = 5
	fan  = 1 << bits
	// crowded is how many entries a branch holds before it branches.
	crowded = 12
)

// branch is a part of a Hash: it has branches, or else entries.
type branch struct {
	owner uint64
	// depth is how many branches are above it.
	depth   int
	below   *[fan]*branch
	entries []entry
}

type entry struct {
	hash  uint32
	key   string
	value any
}

// hash sums a key up, eight bytes at a time.
func hash(key []byte) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(len(key)) * odd
	for len(key) >= 8 {
		h = (h ^ binary.LittleEndian.Uint64(key)) * odd
		h ^= h >> 29
		key = key[8:]
	}
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * odd
	}
	h ^= h >> 32
	return uint32(h*odd>>32) ^ uint32(h)
}

// Copy returns an independent copy.
func (t *Hash[V]) Copy() *Hash[V] {
	c := *t
	t.owner, c.owner = owners.Add(1), owners.Add(1)
	return &c
}

// Get returns the value of key, and whether there is one.
func (t *Hash[V]) Get(key string) (V, bool) {
	_, v, ok := t.Find([]byte(key))
	return v, ok
}

// Find is Get of a key that is not kept; it returns the key as it was set, too.
func (t *Hash[V]) Find(key []byte) (set string, v V, ok bool) {
	if e, _ := t.walk(key, hash(key), false); e != nil {
		return e.key, e.value.(V), true
	}
	return "", v, false
}

// Set gives key a value.
func (t *Hash[V]) Set(key string, v V) {
	if e := t.place(key, v); e != nil {
		e.value = v
	}
}

// Add is Set of a key that is not there; false says that it is.
func (t *Hash[V]) Add(key string, v V) bool { return t.place(key, v) == nil }

// Delete takes key out and returns its value, if it had one.
func (t *Hash[V]) Delete(key string) (old V, deleted bool) {
	e, b := t.walk([]byte(key), hash([]byte(key)), true)
	if e == nil {
		return old, false
	}
	old = e.value.(V)
	last := len(b.entries) - 1
	*e = b.entries[last]
	b.entries[last] = entry{}
	b.entries = b.entries[:last]
	return old, true
}

// branches are those of a Hash.
type branches struct {
	root *branch
	// owner owns the branches that may be written to.
	owner uint64
}

// walk returns the branch whose entries a key is or would be among, and its entry,
// nil where there is none. To write, the way there is made the owner's.
func (t *branches) walk(key []byte, h uint32, write bool) (*entry, *branch) {
	slot := &t.root
	for depth := 0; ; depth++ {
		b := *slot
		if write {
			b = own(slot, t.owner, depth)
		}
		if b == nil {
			return nil, nil
		}
		if b.below == nil {
			for i := range b.entries {
				if e := &b.entries[i]; e.hash == h && e.key == string(key) {
					return e, b
				}
			}
			return nil, b
		}
		slot = &b.below[h>>(depth*bits)%fan]
	}
}

// place adds an entry, or returns the one that the key has.
func (t *branches) place(key string, v any) *entry {
	h := hash([]byte(key))
	for {
		e, b := t.walk([]byte(key), h, true)
		if e != nil {
			return e
		}
		if len(b.entries) < crowded || b.depth*bits >= 32 {
			b.entries = append(b.entries, entry{h, key, v})
			return nil
		}
		b.split()
	}
}

// split makes branches of the entries of one.
func (b *branch) split() {
	b.below = new([fan]*branch)
	for _, e := range b.entries {
		sub := own(&b.below[e.hash>>(b.depth*bits)%fan], b.owner, b.depth+1)
		sub.entries = append(sub.entries, e)
	}
	b.entries = nil
}

// own makes a branch one that the owner may write to: a copy where it is
// another's, a new one where there is none.
func own(slot **branch, owner uint64, depth int) *branch {
	b := *slot
	switch {
	case b == nil:
		b = &branch{owner: owner, depth: depth}
	case b.owner == owner:
		return b
	default:
		c := &branch{owner: owner, depth: depth, entries: append([]entry(nil), b.entries...)}
		if b.below != nil {
			below := *b.below
			c.below = &below
		}
		b = c
	}
	*slot = b
	return b
}
