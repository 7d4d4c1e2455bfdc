package engine

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func TestListsInRuns(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := func() []string {
			var l []string
			for _, n := range r.Perm(9)[:r.IntN(9)] {
				l = append(l, strconv.Itoa(n)+strconv.Itoa(r.IntN(2)))
			}
			slices.Sort(l)
			return l
		}
		// The engine tells three lists one after another; the page follows.
		var told toldList
		var held, lost []string
		for range 3 {
			now := list()
			known := slices.Concat(told.held, told.lost)
			before := held
			kept, news, same := tell(&told, now)
			held, lost = together(held, lost, news, kept)
			if !slices.Equal(held, now) || same != slices.Equal(before, now) {
				t.Fatalf("seed %d: of %v and %v with %v comes %v (the same: %t), want %v after %v", seed, known, news, kept, held, same, now, before)
			}
			if !slices.Equal(inJSON(lost), told.lost) {
				t.Fatalf("seed %d: the page remembers %v, the engine %v", seed, lost, told.lost)
			}
			for _, item := range inJSON(news) {
				if slices.Contains(known, item) {
					t.Fatalf("seed %d: %s is told again, which stands in %v", seed, item, known)
				}
			}
		}
	}
	// What comes back after a while is not told again.
	var told toldList
	for i := range 3 {
		list := []string{"a", "b", "c", "d"}
		if _, news, _ := tell(&told, list[:2]); len(news) != max(0, 2-2*i) {
			t.Errorf("%v is told in round %d", news, i)
		}
		if _, news, _ := tell(&told, list[3:]); len(news) != max(0, 1-i) {
			t.Errorf("%v is told in round %d", news, i)
		}
	}
	// The commonest change: the first goes, the others move up.
	kept, news := runs([]string{"a", "b", "c"}, []string{"b", "c", "d"})
	if !slices.Equal(kept, []Run{{0, 1, 2}}) || !slices.Equal(news, []int{2}) {
		t.Errorf("kept %v and told %v", kept, news)
	}
}

// inJSON are items as tell compares them.
func inJSON[T any](list []T) []string {
	var out []string
	for _, s := range list {
		out = append(out, textIn(s))
	}
	return out
}
