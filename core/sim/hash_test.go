package sim_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// stripped is objectsOf without times, and with the names in it numbered, so
// that runs can be compared that drew other ones.
func stripped(w *sim.World) string {
	text := objectsOf(w)
	for _, i := range w.Cloud().Ledger(0) {
		text = strings.ReplaceAll(text, i.Item.ID, "lb")
		text = strings.ReplaceAll(text, `"`+i.Item.Address+`"`, `"address"`)
	}
	for o := range w.Server().All() {
		for _, path := range [][]string{{"metadata", "creationTimestamp"}, {"metadata", "deletionTimestamp"}} {
			if at := o.Object.Str(path...); at != "" {
				text = strings.ReplaceAll(text, at, "then")
			}
		}
		for _, c := range o.Object.List("status", "conditions").All() {
			if at := object.New(c.(*object.Map)).Str("lastTransitionTime"); at != "" {
				text = strings.ReplaceAll(text, at, "then")
			}
		}
	}
	return text
}

// A hash is the world's: a clone has it, the same run has it, and a step that
// changes anything that matters changes it.
func TestHashIsTheWorlds(t *testing.T) {
	var h sim.Hasher
	for seed := range uint64(6) {
		w, again := lab(t), lab(t)
		for _, e := range walk(w, seed, 120) {
			before, _ := h.Hash(again)
			step(t, again, e.Action)
			after, _ := h.Hash(again)
			if before == after && matters(e) {
				t.Fatalf("seed %d: %s changes nothing in the hash", seed, e)
			}
		}
		a, okA := h.Hash(w)
		b, okB := h.Hash(again)
		if c, okC := w.Clone().Hash(); a != b || a != c || okA != okB || okA != okC {
			t.Fatalf("seed %d: %x, the same run %x, a clone %x", seed, a, b, c)
		}
	}
}

// matters reports whether an event changed the store, a cache or a queue.
func matters(e sim.Event) bool {
	for _, f := range e.Facts {
		switch f.Kind {
		case sim.FactWrite, sim.FactSent, sim.FactCloud, sim.FactStarted, sim.FactEnded, sim.FactProcess:
			return true
		}
	}
	return false
}

// Worlds with one hash go on alike: the same happens next, up to the same
// objects. They are found where other orders of the same steps meet, and where
// faults are overcome.
func TestSameHashGoesOnAlike(t *testing.T) {
	type meeting struct {
		world *sim.World
		how   string
	}
	var h sim.Hasher
	seen := map[[16]byte]meeting{}
	met, visited := 0, 0
	for seed := range uint64(30) {
		w := lab(t)
		draw := rand.New(rand.NewPCG(seed, 2))
		how := ""
		for range 60 {
			all := append(w.Enabled(), w.Faults()...)
			a := all[draw.IntN(len(all))]
			if draw.IntN(3) > 0 {
				a = w.Enabled()[0]
			}
			if a.Verb == "crash" {
				continue
			}
			step(t, w, a.String())
			how += a.String() + "\n"
			sum, ok := h.Hash(w)
			visited++
			if !ok {
				continue
			}
			if m, there := seen[sum]; there {
				met++
				alike(t, m.world.Clone(), w.Clone(), m.how, how)
				continue
			}
			seen[sum] = meeting{w.Clone(), how}
		}
	}
	t.Logf("%d states, %d of them seen before", visited, met)
	if met < visited/20 {
		t.Errorf("of %d states only %d were seen before", visited, met)
	}
}

func alike(t *testing.T, a, b *sim.World, how ...string) {
	t.Helper()
	for range 200 {
		x, restA := a.NextInRun()
		y, restB := b.NextInRun()
		if !x.Equal(y) || restA != restB {
			t.Fatalf("two worlds with one hash go on with %s (%s) and %s (%s)\n%s", x, restA, y, restB, strings.Join(how, "\nand\n"))
		}
		if restA != sim.Going {
			break
		}
		step(t, a, x.String())
		step(t, b, y.String())
	}
	same(t, "objects", stripped(a), stripped(b))
	a.Release()
	b.Release()
}

// A run that a fault hit comes back to where the run without it was, most of the
// time: that is what makes trying all of them cheap.
func TestFaultedRunsRejoin(t *testing.T) {
	var h sim.Hasher
	base := faultLab(t)
	path := map[[16]byte]bool{}
	var points []*sim.World
	for {
		if sum, ok := h.Hash(base); ok {
			path[sum] = true
		}
		points = append(points, base.Clone())
		a, rest := base.NextInRun()
		if rest != sim.Going {
			break
		}
		step(t, base, a.String())
	}
	rejoined, runs, steps := 0, 0, 0
	for _, p := range points {
		for _, f := range p.Faults() {
			if k := f.Arg(0); k == "edit" || k == "delete" || k == "recreate" || k == "conflict" {
				continue // they end elsewhere
			}
			w := p.Clone()
			step(t, w, f.String())
			runs++
			for {
				if sum, ok := h.Hash(w); ok && path[sum] {
					rejoined++
					break
				}
				a, rest := w.NextInRun()
				if rest != sim.Going {
					break
				}
				step(t, w, a.String())
				steps++
			}
			w.Release()
		}
	}
	t.Logf("%d runs, %d rejoined, %d steps", runs, rejoined, steps)
	if rejoined < runs*8/10 {
		t.Errorf("of %d runs with one fault %d came back to the run without", runs, rejoined)
	}
}

func BenchmarkHash(b *testing.B) {
	s := lab(b)
	var h sim.Hasher
	for range 20 {
		a, _ := s.NextInRun()
		step(b, s, a.String())
		h.Hash(s)
	}
	b.ReportAllocs()
	for b.Loop() {
		h.Hash(s)
	}
}
