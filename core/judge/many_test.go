package judge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// manyApplied plays the lab after n WebApps were applied in one text.
func manyApplied(b *testing.B, n int) (*sim.World, []sim.Event, []*sim.World) {
	s, err := scenario.Load("lab")
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: many-%d}\nspec: {message: hi}\n---\n", i)
	}
	first := s.World()
	w := first.Clone()
	var events []sim.Event
	var worlds []*sim.World
	step := func(a sim.Action) {
		e, err := w.Step(a)
		if err != nil {
			b.Fatal(err)
		}
		events, worlds = append(events, e), append(worlds, w.Clone())
	}
	step(sim.Act("apply", text.String()))
	for {
		a, rest := w.NextInRun()
		if rest != sim.Going {
			return first, events, worlds
		}
		step(a)
	}
}

// BenchmarkSee is what following a run costs where there are many objects: the
// cost of a step must not grow with their number.
func BenchmarkSee(b *testing.B) {
	for _, n := range []int{100, 400} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			first, events, worlds := manyApplied(b, n)
			for b.Loop() {
				m := judge.NewMonitor(first, nil)
				for i, e := range events {
					m.See(worlds[i], e)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(events)), "ns/step")
		})
	}
}
