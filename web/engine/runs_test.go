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
		told, now := list(), list()
		kept, places := runs(told, now)
		var news []string
		for _, i := range places {
			news = append(news, now[i])
		}
		if got := together(told, news, kept); !slices.Equal(got, now) {
			t.Fatalf("seed %d: of %v and %v with %v comes %v, want %v", seed, told, news, kept, got, now)
		}
		for _, item := range news {
			if slices.Contains(told, item) {
				t.Fatalf("seed %d: %s is told again, which stands in %v", seed, item, told)
			}
		}
	}
	// The commonest change: the first goes, the others move up.
	kept, news := runs([]string{"a", "b", "c"}, []string{"b", "c", "d"})
	if !slices.Equal(kept, []Run{{0, 1, 2}}) || !slices.Equal(news, []int{2}) {
		t.Errorf("kept %v and told %v", kept, news)
	}
}
