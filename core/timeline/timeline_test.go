package timeline_test

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

func lab(t testing.TB) (*scenario.Scenario, *timeline.Timeline) {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	line := timeline.New(s.World)
	if err := line.Replay(s.Start); err != nil {
		t.Fatal(err)
	}
	return s, line
}

func choose(t testing.TB, line *timeline.Timeline, choice string) {
	t.Helper()
	if _, err := line.Choose(choice); err != nil {
		t.Fatalf("%s: %v", choice, err)
	}
}

// lengthen makes choices drawn from what is enabled until the run has n steps.
func lengthen(t testing.TB, line *timeline.Timeline, seed uint64, n int) {
	t.Helper()
	draw := rand.New(rand.NewPCG(seed, 2))
	for line.Len() < n {
		all := line.World().Enabled()
		if faults := line.World().Faults(); len(faults) > 0 && draw.IntN(12) == 0 {
			all = faults
		}
		a := all[draw.IntN(len(all))]
		switch {
		case a.Verb == "crash" && draw.IntN(20) > 0:
			continue
		case draw.IntN(6) == 0:
			a = sim.Act("resync", "controller")
		case draw.IntN(6) == 0:
			a = sim.Act("patch", "WebApp/default/plain", `{"spec":{"message":"`+string(rune('a'+draw.IntN(26)))+`"}}`)
		}
		var in *sim.InputError // of what a fault deleted, say
		if _, err := line.Choose(a.String()); err != nil && !errors.Is(err, sim.ErrNotEnabled) && !errors.As(err, &in) {
			t.Fatalf("%s: %v", a, err)
		}
	}
}

func account(t testing.TB, w *sim.World) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"step": w.StepNumber(), "snapshot": w.Snapshot(), "enabled": w.Enabled(), "passes": w.Passes(),
		"inFlight": w.InFlight(), "processes": w.Processes(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every step that is sought is the world that was there, wherever the
// checkpoints lie, and looking changes nothing.
func TestSeekEqualsReplay(t *testing.T) {
	s, line := lab(t)
	lengthen(t, line, 3, 150)
	tip := account(t, line.Tip())
	want := []string{}
	w := s.World()
	for i := range line.Len() + 1 {
		want = append(want, account(t, w))
		if i < line.Len() {
			if _, err := w.Choose(line.Choices()[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	order := rand.New(rand.NewPCG(4, 4)).Perm(line.Len() + 1)
	for _, n := range order {
		if got := account(t, line.Seek(n)); got != want[n] {
			t.Fatalf("step %d is\n%s\nwant\n%s", n, got, want[n])
		}
		if line.View() != n || line.AtTip() != (n == line.Len()) {
			t.Fatalf("sought %d, in view %d, at the tip %v", n, line.View(), line.AtTip())
		}
	}
	if account(t, line.Tip()) != tip || len(line.Branches()) != 0 {
		t.Fatal("seeking changed the run")
	}
}

// No run is kept twice: neither one that is done again nor the beginning of one.
func TestABranchIsKeptOnce(t *testing.T) {
	_, line := lab(t)
	lengthen(t, line, 8, 60)
	old := slices.Clone(line.Choices())
	kept := func(when string, want ...[]string) {
		t.Helper()
		same := slices.EqualFunc(line.Branches(), want, func(b timeline.Branch, c []string) bool { return slices.Equal(b.Choices, c) })
		if !same {
			t.Fatalf("%s: kept are %v, want %v", when, line.Branches(), want)
		}
	}
	line.Seek(50)
	for _, c := range old[50:59] {
		choose(t, line, c)
	}
	kept("one step before the end", old)
	line.Seek(52)
	choose(t, line, "advance 1s")
	kept("the beginning of what is kept was left", old)
	if b := line.Branches()[0]; b.At != 52 {
		t.Fatalf("it was left last at step %d", b.At)
	}
	other := slices.Clone(line.Choices())
	if err := line.Switch(0); err != nil {
		t.Fatal(err)
	}
	kept("after switching", other)
	line.Seek(50)
	for _, c := range old[50:] {
		choose(t, line, c)
	}
	kept("the run was done again to its end", other)
	line.Restore([]timeline.Branch{{At: 3, Choices: other[:40]}, {At: 3, Choices: old[:50]}, {At: 1, Choices: slices.Concat(other, other)}})
	kept("what older versions kept", slices.Concat(other, other))
}

// What At returns is the caller's.
func TestAtIsACopy(t *testing.T) {
	_, line := lab(t)
	lengthen(t, line, 5, 80)
	for _, n := range []int{0, 31, 32, 40, 80} {
		want := account(t, line.At(n))
		w := line.At(n)
		for range 10 {
			if _, err := w.Step(w.Enabled()[0]); err != nil {
				t.Fatal(err)
			}
		}
		if got := account(t, line.At(n)); got != want {
			t.Fatalf("stepping a world of step %d changed step %d", n, n)
		}
	}
}

// Acting in the past keeps the old tail, to the byte, and switching back
// brings back everything.
func TestActingInThePastKeepsTheTail(t *testing.T) {
	_, line := lab(t)
	lengthen(t, line, 6, 120)
	old, oldTip := slices.Clone(line.Choices()), account(t, line.Tip())

	line.Seek(50)
	choose(t, line, "advance 1s")
	if line.Len() != 51 || !line.AtTip() {
		t.Fatalf("after acting at step 50 the run has %d steps, in view %d", line.Len(), line.View())
	}
	branches := line.Branches()
	if len(branches) != 1 || branches[0].At != 50 || !slices.Equal(branches[0].Choices, old) {
		t.Fatalf("the tail that was left is %v", branches)
	}
	lengthen(t, line, 7, 100)
	other, otherTip := slices.Clone(line.Choices()), account(t, line.Tip())

	if err := line.Switch(0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(line.Choices(), old) || account(t, line.Tip()) != oldTip {
		t.Fatal("the branch is not the run that was left")
	}
	if len(line.Branches()) != 1 || !slices.Equal(line.Branches()[0].Choices, other) {
		t.Fatalf("the run that was replaced is not kept: %v", line.Branches())
	}
	if err := line.Switch(0); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(line.Choices(), other) || account(t, line.Tip()) != otherTip {
		t.Fatal("switching twice is not where it began")
	}
}

func TestForkAtTheTipDoesNothing(t *testing.T) {
	_, line := lab(t)
	line.Fork()
	if len(line.Branches()) != 0 {
		t.Fatal("there was no tail to leave")
	}
	line.Seek(2)
	line.Fork()
	if line.Len() != 2 || len(line.Branches()) != 1 {
		t.Fatalf("after a fork at step 2 the run has %d steps and %d branches", line.Len(), len(line.Branches()))
	}
}

// A choice that is refused in the past costs nobody the tail in view.
func TestRefusedChoiceInThePast(t *testing.T) {
	_, line := lab(t)
	lengthen(t, line, 8, 60)
	before := account(t, line.Tip())
	line.Seek(20)
	there := account(t, line.World())
	for _, choice := range []string{"start controller default/nobody", `apply "a: ["`, `"`, "delete WebApp/default/nobody"} {
		if _, err := line.Choose(choice); err == nil {
			t.Fatalf("%s was not refused", choice)
		}
	}
	if line.Len() != 60 || line.View() != 20 || len(line.Branches()) != 0 {
		t.Fatalf("length %d, view %d, branches %v", line.Len(), line.View(), line.Branches())
	}
	if account(t, line.World()) != there || account(t, line.Tip()) != before {
		t.Fatal("a refused choice changed a world")
	}
}

// A list of choices that does not repeat says at which step, and what came
// before it stands.
func TestReplayError(t *testing.T) {
	_, line := lab(t)
	before := line.Len()
	err := line.Replay([]string{"advance 1s", "advance 2s", "call controller default/plain", "advance 3s"})
	var replay *timeline.ReplayError
	if !errors.As(err, &replay) || replay.Step != 3 || replay.Choice != "call controller default/plain" || !errors.Is(err, sim.ErrNotEnabled) {
		t.Fatalf("%#v", err)
	}
	if line.Len() != before+2 {
		t.Fatalf("%d steps, want %d", line.Len(), before+2)
	}
}

// However long the run, there are at most MaxCheckpoints, spread over all of
// it, and any step can be sought.
func TestLongRun(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: ten thousand steps")
	}
	s, line := lab(t)
	lengthen(t, line, 9, 10_000)
	points := line.Points()
	if len(points) > timeline.MaxCheckpoints || points[0] != 0 {
		t.Fatalf("%d checkpoints, the first at %d", len(points), points[0])
	}
	widest := line.Len() - points[len(points)-1]
	for i := 1; i < len(points); i++ {
		widest = max(widest, points[i]-points[i-1])
	}
	if most := 4 * timeline.Spacing; widest > most {
		t.Fatalf("%d steps between two checkpoints of a run of %d, want at most %d", widest, line.Len(), most)
	}
	w := s.World()
	for i, c := range line.Choices() {
		if i%2500 == 1234 {
			if got, want := account(t, line.At(i)), account(t, w); got != want {
				t.Fatalf("step %d is not what it was", i)
			}
		}
		if _, err := w.Choose(c); err != nil {
			t.Fatal(err)
		}
	}
}

// A seek in a run of 5,000 steps costs at most the steps between two
// checkpoints.
func BenchmarkSeek(b *testing.B) {
	_, line := lab(b)
	lengthen(b, line, 10, 5000)
	draw := rand.New(rand.NewPCG(11, 11))
	b.ReportAllocs()
	for b.Loop() {
		line.Seek(draw.IntN(line.Len() + 1))
	}
}

// A step includes keeping its event, and now and then a checkpoint.
func BenchmarkChoose(b *testing.B) {
	_, line := lab(b)
	n := line.Len()
	for b.Loop() {
		n++
		lengthen(b, line, uint64(n), n)
	}
}
