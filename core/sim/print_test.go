package sim_test

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/sim"
)

func FuzzParseAction(f *testing.F) {
	for _, a := range inputs {
		f.Add(a.String())
	}
	f.Add(`apply "a`)
	f.Add(`"apply x" ""`)
	f.Add("call  controller   default/plain ")
	f.Add(`a b"c"d`)
	f.Fuzz(func(t *testing.T, line string) {
		a, err := sim.ParseAction(line)
		if err != nil {
			return
		}
		b, err := sim.ParseAction(a.String())
		if err != nil {
			t.Fatalf("%q parses, its print %q does not: %v", line, a, err)
		}
		if !a.Equal(b) || a.String() != b.String() {
			t.Fatalf("%q is %q, printed and parsed %q", line, a, b)
		}
	})
}

func TestParseActionErrors(t *testing.T) {
	for line, want := range map[string]string{
		"":             "an empty line is no action",
		"   ":          "an empty line is no action",
		`""`:           "an empty line is no action",
		`apply "a`:     "column 7: a quoted word does not end",
		`apply "a"b`:   "column 10: a space is missing after a quoted word",
		`apply "\q" x`: "column 7: a quoted word does not end",
	} {
		if _, err := sim.ParseAction(line); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add(`12 1m0.3s call controller default/plain | call verb=create ref=lb/lb-0001 | write before=1 after=2 text="a | \"b\""`)
	f.Add(`1 0s apply "x | y" | refused text=no`)
	f.Add(`1 0s a | b pass=x`)
	f.Fuzz(func(t *testing.T, line string) {
		e, err := sim.ParseEvent(line)
		if err != nil {
			return
		}
		again, err := sim.ParseEvent(e.String())
		if err != nil {
			t.Fatalf("%q parses, its print %q does not: %v", line, e, err)
		}
		if again.String() != e.String() {
			t.Fatalf("%q, printed and parsed %q", e, again)
		}
	})
}

// Whatever stands in an event, it is read back as it was.
func TestEventRoundTrip(t *testing.T) {
	text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,12}`), rapid.String(), rapid.Just(` | a="b" \`))
	duration := rapid.Map(rapid.Int64(), func(n int64) time.Duration { return time.Duration(n) })
	kinds := rapid.SampledFrom([]sim.FactKind{sim.FactWrite, sim.FactCall, sim.FactEnded, sim.FactRefused, sim.FactCollected})
	rapid.Check(t, func(t *rapid.T) {
		action := sim.Act(rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "verb"), rapid.SliceOfN(text, 0, 3).Draw(t, "args")...)
		want := sim.Event{N: rapid.IntRange(0, 1<<30).Draw(t, "n"), At: duration.Draw(t, "at"), Action: action.String()}
		for range rapid.IntRange(0, 3).Draw(t, "facts") {
			want.Facts = append(want.Facts, sim.Fact{
				Kind: kinds.Draw(t, "kind"), Process: text.Draw(t, "process"), Resource: text.Draw(t, "resource"), Key: text.Draw(t, "key"),
				Pass: rapid.IntRange(0, 99).Draw(t, "pass"), Verb: text.Draw(t, "factVerb"), Ref: text.Draw(t, "ref"),
				Before: text.Draw(t, "before"), After: text.Draw(t, "after"), By: text.Draw(t, "by"), Code: rapid.IntRange(0, 599).Draw(t, "code"),
				Outcome: sim.Outcome(text.Draw(t, "outcome")), Delay: duration.Draw(t, "delay"), Text: text.Draw(t, "text"),
			})
		}
		got, err := sim.ParseEvent(want.String())
		if err != nil {
			t.Fatalf("%q: %v", want, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q\nis read back as\n%#v\nwant\n%#v", want, got, want)
		}
	})
}

// Every event of a long walk reads back, and its action is a choice that can be
// made.
func TestEventsOfAWalkReadBack(t *testing.T) {
	for _, want := range walk(lab(t), 7, 400) {
		got, err := sim.ParseEvent(want.String())
		if err != nil {
			t.Fatalf("%s: %v", want, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\nis read back as\n%s", want, got)
		}
		if a, err := sim.ParseAction(got.Action); err != nil || a.String() != got.Action {
			t.Fatalf("the action %q is read as %q, %v", got.Action, a, err)
		}
	}
}
