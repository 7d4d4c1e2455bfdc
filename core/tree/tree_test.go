package tree

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestMap runs random operations on a Map, its copies and plain maps.
func TestMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct {
			tree  *Map[int]
			hash  *Hash[int]
			model map[string]int
		}
		pairs := []pair{{&Map[int]{}, &Hash[int]{}, map[string]int{}}}
		keys := rapid.SampledFrom([]string{"", "a", "aa", "b", "c", "\xff"})
		for range rapid.IntRange(1, 60).Draw(t, "operations") {
			p := pairs[rapid.IntRange(0, len(pairs)-1).Draw(t, "which")]
			key := keys.Draw(t, "key")
			was, there := p.model[key]
			switch rapid.IntRange(0, 3).Draw(t, "operation") {
			case 0:
				n := rapid.Int().Draw(t, "value")
				if old, replaced := p.tree.Set(key, n); replaced != there || old != was {
					t.Fatalf("set %q: got %d %v, want %d %v", key, old, replaced, was, there)
				}
				if added := p.hash.Add(key, n); added == there {
					t.Fatalf("add %q by hash: %v, there: %v", key, added, there)
				}
				p.hash.Set(key, n)
				p.model[key] = n
			case 1:
				if old, deleted := p.tree.Delete(key); deleted != there || old != was {
					t.Fatalf("delete %q: got %d %v, want %d %v", key, old, deleted, was, there)
				}
				if old, deleted := p.hash.Delete(key); deleted != there || old != was {
					t.Fatalf("delete %q by hash: got %d %v, want %d %v", key, old, deleted, was, there)
				}
				delete(p.model, key)
			case 2:
				pairs = append(pairs, pair{p.tree.Copy(), p.hash.Copy(), maps.Clone(p.model)})
			case 3:
				if v, ok := p.tree.Get(key); ok != there || v != was {
					t.Fatalf("get %q: got %d %v, want %d %v", key, v, ok, was, there)
				}
				if set, v, ok := p.hash.Find([]byte(key)); ok != there || v != was || ok && set != key {
					t.Fatalf("find %q by hash: got %q %d %v, want %d %v", key, set, v, ok, was, there)
				}
			}
		}
		for _, p := range pairs {
			want := slices.Sorted(maps.Keys(p.model))
			var got, back, tail []string
			p.tree.Scan(func(k string, v int) bool { got = append(got, k); return v == p.model[k] })
			p.tree.Reverse(func(k string, _ int) bool { back = append(back, k); return true })
			p.tree.Ascend("b", func(k string, _ int) bool { tail = append(tail, k); return true })
			if !slices.Equal(got, want) || p.tree.Len() != len(want) {
				t.Fatalf("keys: got %q of %d, want %q", got, p.tree.Len(), want)
			}
			slices.Reverse(back)
			if !slices.Equal(back, want) {
				t.Fatalf("reversed: got %q, want %q", back, want)
			}
			if i, _ := slices.BinarySearch(want, "b"); !slices.Equal(tail, want[i:]) {
				t.Fatalf("from b: got %q, want %q", tail, want[i:])
			}
			if k, v, ok := p.tree.Min(); ok != (len(want) > 0) || ok && (k != want[0] || v != p.model[k]) {
				t.Fatalf("min: got %q %d %v of %q", k, v, ok, want)
			}
		}
	})
}

func TestNumbersKeepTheirOrder(t *testing.T) {
	numbers := []int64{0, 1, 255, 256, 1 << 40, 1<<63 - 1}
	for i, n := range numbers {
		if NumberOf(Number(n)) != n {
			t.Errorf("%d does not come back", n)
		}
		if i > 0 && Number(numbers[i-1]) >= Number(n) {
			t.Errorf("%d does not sort after %d", n, numbers[i-1])
		}
	}
}

func TestOrderedCopies(t *testing.T) {
	a := NewOrdered(func(a, b int) bool { return a > b })
	for n := range 1000 {
		a.Set(n)
	}
	b := a.Copy()
	b.Delete(999)
	a.Delete(0)
	if first, _ := a.Min(); first != 999 || a.Len() != 999 {
		t.Errorf("the original: %d of %d", first, a.Len())
	}
	if first, _ := b.Min(); first != 998 || b.Len() != 999 {
		t.Errorf("the copy: %d of %d", first, b.Len())
	}
	var from []int
	b.Ascend(2, func(n int) bool { from = append(from, n); return true })
	if !slices.Equal(from, []int{2, 1, 0}) {
		t.Errorf("from 2 on: %v", from)
	}
}

func TestSet(t *testing.T) {
	var s Set
	s.Insert("b")
	s.Insert("a")
	c := s.Copy()
	s.Delete("a")
	if s.Contains("a") || !c.Contains("a") || s.Len() != 1 || c.Len() != 2 {
		t.Errorf("%d and %d keys", s.Len(), c.Len())
	}
	var keys []string
	c.Ascend("", func(k string) bool { keys = append(keys, k); return true })
	if !slices.Equal(keys, []string{"a", "b"}) {
		t.Errorf("keys %q", keys)
	}
}

// TestManyHashed: branches branch, copies stay apart, and keys of one hash are
// told apart.
func TestManyHashed(t *testing.T) {
	var h Hash[int]
	const n = 20000
	for i := range n {
		h.Set("/registry/configmaps/default/"+strconv.Itoa(i), i)
	}
	c := h.Copy()
	for i := range n {
		key := "/registry/configmaps/default/" + strconv.Itoa(i)
		if i%3 == 0 {
			if v, ok := c.Delete(key); !ok || v != i {
				t.Fatalf("%s: %d %v deleted", key, v, ok)
			}
			if v, ok := c.Delete(key); ok {
				t.Fatalf("%s: %d deleted twice", key, v)
			}
		} else {
			c.Set(key, -i)
		}
	}
	for i := range n {
		key := "/registry/configmaps/default/" + strconv.Itoa(i)
		if v, ok := h.Get(key); !ok || v != i {
			t.Fatalf("%s: %d %v in the original", key, v, ok)
		}
		if v, ok := c.Get(key); ok != (i%3 != 0) || ok && v != -i {
			t.Fatalf("%s: %d %v in the copy", key, v, ok)
		}
	}
	crowd := &branch{}
	for i := range 3 * crowded {
		crowd.entries = append(crowd.entries, entry{7, strconv.Itoa(i), i})
	}
	same := branches{root: crowd}
	crowd.split()
	for i := range 3 * crowded {
		if e, _ := same.walk([]byte(strconv.Itoa(i)), 7, false); e == nil || e.value != i {
			t.Fatalf("%d is lost among keys of one hash", i)
		}
	}
}
