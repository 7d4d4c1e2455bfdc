package tree

import "sync/atomic"

// Hash is a map in no order, copied in constant time as a Map is. Where a Map
// compares a key with some of each level, it finds it by its hash: among many
// keys a Get is several times faster. A zero Hash is empty and ready.
type Hash[V any] struct {
	root *branch
	// owner owns the branches that may be written to.
	owner uint64
}

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
	owner   uint64
	below   *[fan]*branch
	entries []entry
}

type entry struct {
	hash  uint32
	key   string
	value any
}

// hash sums a key up, eight bytes at a time.
func hash(key string) uint32 {
	const odd = 0x9e3779b97f4a7c15
	h := uint64(len(key)) * odd
	for len(key) >= 8 {
		h = (h ^ (uint64(key[0]) | uint64(key[1])<<8 | uint64(key[2])<<16 | uint64(key[3])<<24 |
			uint64(key[4])<<32 | uint64(key[5])<<40 | uint64(key[6])<<48 | uint64(key[7])<<56)) * odd
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
	b, h := t.root, hash(key)
	for at := h; b != nil; at >>= bits {
		if b.below == nil {
			if i := b.find(h, key); i >= 0 {
				return b.entries[i].value.(V), true
			}
			break
		}
		b = b.below[at%fan]
	}
	var none V
	return none, false
}

func (b *branch) find(h uint32, key string) int {
	for i := range b.entries {
		if e := &b.entries[i]; e.hash == h && e.key == key {
			return i
		}
	}
	return -1
}

// Set gives key a value.
func (t *Hash[V]) Set(key string, v V) {
	e := entry{hash(key), key, v}
	at, slot := e.hash, &t.root
	for depth := 0; ; depth++ {
		b := own(slot, t.owner)
		if b.below == nil {
			if i := b.find(e.hash, key); i >= 0 {
				b.entries[i] = e
				return
			}
			if len(b.entries) < crowded || depth*bits >= 32 {
				b.entries = append(b.entries, e)
				return
			}
			b.split(depth)
		}
		slot = &b.below[at%fan]
		at >>= bits
	}
}

// split makes branches of the entries of one.
func (b *branch) split(depth int) {
	b.below = new([fan]*branch)
	for _, e := range b.entries {
		sub := own(&b.below[e.hash>>(depth*bits)%fan], b.owner)
		sub.entries = append(sub.entries, e)
	}
	b.entries = nil
}

// Delete takes key out and returns its value, if it had one.
func (t *Hash[V]) Delete(key string) (old V, deleted bool) {
	h, slot := hash(key), &t.root
	for at := h; *slot != nil; at >>= bits {
		b := own(slot, t.owner)
		if b.below == nil {
			i, last := b.find(h, key), len(b.entries)-1
			if i < 0 {
				break
			}
			old = b.entries[i].value.(V)
			b.entries[i] = b.entries[last]
			b.entries[last] = entry{}
			b.entries = b.entries[:last]
			return old, true
		}
		slot = &b.below[at%fan]
	}
	return old, false
}

// own makes a branch one that the owner may write to: a copy where it is
// another's, a new one where there is none.
func own(slot **branch, owner uint64) *branch {
	b := *slot
	switch {
	case b == nil:
		b = &branch{owner: owner}
	case b.owner == owner:
		return b
	default:
		c := &branch{owner: owner, entries: append([]entry(nil), b.entries...)}
		if b.below != nil {
			below := *b.below
			c.below = &below
		}
		b = c
	}
	*slot = b
	return b
}
