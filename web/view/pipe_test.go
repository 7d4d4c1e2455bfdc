package view

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/web/engine"
)

func TestAnItemInTheCloudWithoutItsObjectIsMarked(t *testing.T) {
	m := midPass()
	item := func(owner string) api.CloudItem {
		return api.CloudItem{ID: "lb-" + owner, Type: "lb", Tags: map[string]string{"webapp": owner}}
	}
	m.Cloud = engine.CloudView{Items: []api.CloudItem{item("default/outside"), item("default/gone"), item("other/outside"), {ID: "lb-free"}}, Total: 4}
	for _, c := range newPage(m).cloud().chips {
		orphan := c.key == "lb-default/gone" || c.key == "lb-other/outside"
		if got := c.sign != "" && strings.Contains(c.note, "orphan: its WebApp is gone"); got != orphan {
			t.Errorf("%s is marked as an orphan: %v, want %v", c.key, got, orphan)
		}
	}
}

// What lies below the edge of a place is counted for both of its heights.
func TestPlacesSayHowMuchLiesBelowTheirEdge(t *testing.T) {
	p := newPage(midPass())
	for _, test := range []struct {
		chips, more int
		two, three  string
	}{
		{chips: 2},
		{chips: 3, two: "and 2 more"},
		{chips: 4, two: "and 3 more", three: "and 2 more"},
		{chips: maxChips + 1, two: "and 6 more", three: "and 5 more"},
		{chips: 1, more: 5, two: "and 5 more", three: "and 4 more"},
	} {
		s := place{id: "queue", more: test.more}
		for i := range test.chips {
			s.chips = append(s.chips, chip{key: itoa(i), name: itoa(i)})
		}
		got := map[string]string{}
		walk(p.place(s), func(n *Node) {
			if k := get(n, "class"); strings.HasPrefix(k, "below ") {
				got[k] = n.Kids[0].Kids[0].Text
			}
		})
		if got["below rows-2"] != test.two || got["below rows-3"] != test.three {
			t.Errorf("%d things and %d more: %q, want %q with two rows and %q with three", test.chips, test.more, got, test.two, test.three)
		}
	}
}
