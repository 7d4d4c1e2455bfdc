package sim_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// A run is a function of the scenario and the choices: the same choices give
// the same events and the same world, byte for byte.
func TestSameChoicesSameBytes(t *testing.T) {
	for seed := range uint64(12) {
		w := lab(t)
		events := walk(w, seed, 250)
		again := lab(t)
		for _, want := range events {
			same(t, "event", step(t, again, want.Action).String(), want.String())
		}
		same(t, "world", account(t, again), account(t, w))
	}
}

// A clone goes on as the world that it was taken from would have, whatever is
// done to the other, in mid-pass too.
func TestClonesAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64Range(0, 1<<20).Draw(t, "seed")
		w := lab(t)
		walk(w, seed, rapid.IntRange(0, 120).Draw(t, "before"))
		before := account(t, w)
		a, b := w.Clone(), w.Clone()
		first := lines(walk(a, seed+1, 40))
		if got := account(t, w); got != before {
			t.Fatal("stepping a clone changed the world")
		}
		walk(w, seed+2, 40)
		if got := account(t, b); got != before {
			t.Fatal("stepping the world changed its clone")
		}
		if second := lines(walk(b, seed+1, 40)); second != first {
			t.Fatalf("two clones differ after the same choices:\n%s\nwant\n%s", second, first)
		}
		if account(t, a) != account(t, b) {
			t.Fatal("the same events, but other worlds")
		}
	})
}

// A clone of a pass in hand makes the rest of the pass by itself.
func TestCloneInMidPass(t *testing.T) {
	w := lab(t)
	for len(w.InFlight()) == 0 || len(w.InFlight()[0].Calls) < 4 {
		a, _ := w.NextInRun()
		step(t, w, a.String())
	}
	key := w.InFlight()[0].Key
	crashed, finished := w.Clone(), w.Clone()
	step(t, crashed, "crash controller")
	rest := toQuiet(t, finished)
	same(t, "rest of the run", join(toQuiet(t, w)), join(rest))
	same(t, "world", account(t, w), account(t, finished))

	last := crashed.Passes()[len(crashed.Passes())-1]
	if last.Key != key || !last.Died || last.Requeue != nil {
		t.Fatalf("the crash left %s", last)
	}
	if n := len(last.Action); n == 0 || last.Action[n-1].Outcome != sim.NotSent {
		t.Fatalf("the write that waited was %v, want not-sent", last.Action)
	}
	step(t, crashed, "restart controller")
	toQuiet(t, crashed)
	if got, want := objectsOf(crashed), objectsOf(w); got != want {
		t.Fatalf("after a crash in mid-pass the run ends with\n%s\nwant\n%s", got, want)
	}
}

// What is refused leaves no trace: the world is the same to the byte, and goes
// on as if nothing had been asked.
func TestRefusedInputChangesNothing(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	step(t, w, `patch WebApp/default/plain "{\"spec\":{\"message\":\"new\"}}"`)
	for len(w.InFlight()) == 0 {
		a, _ := w.NextInRun()
		step(t, w, a.String())
	}
	undisturbed := w.Clone()
	before := account(t, w)
	for _, a := range refused {
		_, err := w.Step(a)
		if err == nil {
			t.Fatalf("%s was not refused", a)
		}
		var in *sim.InputError
		if !errors.As(err, &in) && !errors.Is(err, sim.ErrNotEnabled) {
			t.Errorf("%s: %T: %v, want an InputError or ErrNotEnabled", a, err, err)
		}
		same(t, "after "+a.String()+", world", account(t, w), before)
	}
	same(t, "rest of the run", join(toQuiet(t, w)), join(toQuiet(t, undisturbed)))
	same(t, "world", account(t, w), account(t, undisturbed))
}

var refused = []sim.Action{
	sim.Act("apply", ""),
	sim.Act("apply", "a: [b"),
	sim.Act("apply", "just a string"),
	sim.Act("apply", "kind: WebApp\nmetadata: {name: x}"),
	sim.Act("apply", "apiVersion: lab.example.com/v1\nkind: Nothing\nmetadata: {name: x}"),
	sim.Act("apply", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: x}\nspec: {message: \"\", replicas: 11}"),
	sim.Act("apply", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: x}\nspec: {message: a, unknown: b}"),
	sim.Act("apply", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Not_A_Name}"),
	sim.Act("apply", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: missing}"),
	sim.Act("apply", "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-}"),
	sim.Act("delete", "WebApp/default/nobody"),
	sim.Act("delete", "WebApp/default/plain", "cascade=Sideways"),
	sim.Act("delete", "Nothing/default/plain"),
	sim.Act("delete", "plain"),
	sim.Act("patch", "WebApp/default/plain", "{"),
	sim.Act("patch", "WebApp/default/plain", `{"spec":{"replicas":"many"}}`),
	sim.Act("patch", "WebApp/default/plain", `{"metadata":{"name":"other"}}`),
	sim.Act("unfinalize", "WebApp/default/plain", "lab.example.com/none"),
	sim.Act("cloud", "lb", "delete", "lb-0099"),
	sim.Act("cloud", "lb", "list"),
	sim.Act("advance", "soon"),
	sim.Act("advance", "-1s"),
	sim.Act("list", "controller", "configmaps"),
	sim.Act("deliver", "controller", "secrets"),
	sim.Act("start", "controller", "default/nobody"),
	sim.Act("call", "controller", "default/nobody"),
	sim.Act("call", "nobody", "default/plain"),
	sim.Act("restart", "controller"),
	sim.Act("gc", "ConfigMap/default/nobody"),
	sim.Act("frobnicate"),
}

// Of several documents those that are fine are applied; the refusal is part of
// the event.
func TestApplyGoesOnAfterARefusal(t *testing.T) {
	w := lab(t)
	e := step(t, w, sim.Act("apply", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Bad_Name}\n---\n"+
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n").String())
	if _, ok := w.Server().Find(object.Ref{Kind: "ConfigMap", Namespace: "default", Name: "good"}); !ok {
		t.Error("the second document was not applied")
	}
	if last := e.Facts[1:]; len(last) == 0 || !hasRefusal(e) {
		t.Errorf("no refusal in %s", e)
	}
}

func hasRefusal(e sim.Event) bool {
	for _, f := range e.Facts {
		if f.Kind == sim.FactRefused && f.Text != "" {
			return true
		}
	}
	return false
}

// What is enabled can be done, and nothing else of its kind: every action that
// is listed makes a step.
func TestEnabledActionsCanBeMade(t *testing.T) {
	w := lab(t)
	for i := range 60 {
		for _, a := range w.Enabled() {
			if _, err := w.Clone().Step(a); err != nil {
				t.Fatalf("at step %d %s is enabled and fails: %v", w.StepNumber(), a, err)
			}
		}
		walk(w, uint64(i), 3)
	}
}

// A world restored from a snapshot holds the same cluster, cloud and time, and
// comes to the same end.
func TestRestore(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	restored, err := sim.Restore(w.Config(), w.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := objectsOf(restored), objectsOf(w); got != want {
		t.Fatalf("restored\n%s\nwant\n%s", got, want)
	}
	toQuiet(t, restored)
	if got, want := objectsOf(restored), objectsOf(w); got != want {
		t.Fatalf("the restarted controller changed a cluster at rest:\n%s\nwant\n%s", got, want)
	}
}

// What is to be created again once its name is free is so after a restoration too.
func TestRestoreAwaits(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	step(t, w, "recreate WebApp/default/outside")
	text, err := json.Marshal(w.Snapshot())
	var stored sim.Snapshot
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		t.Fatal(err)
	}
	restored, err := sim.Restore(w.Config(), stored)
	if err != nil {
		t.Fatal(err)
	}
	toQuiet(t, w)
	toQuiet(t, restored)
	for _, x := range []*sim.World{w, restored} {
		if o, ok := x.Server().Find(object.Ref{Group: "lab.example.com", Kind: "WebApp", Namespace: "default", Name: "outside"}); !ok || o.Terminating() {
			t.Errorf("restored %v: it was not created again", x == restored)
		}
	}
}

// With two workers a second key is worked on while the first one waits for a call;
// with one again, it is not.
func TestWorkers(t *testing.T) {
	w := lab(t)
	first := sim.Action{}
	for first.Verb != "start" {
		first, _ = w.Next()
		step(t, w, first.String())
	}
	starts := func() int {
		return len(slices.DeleteFunc(w.Enabled(), func(a sim.Action) bool { return a.Verb != "start" }))
	}
	if n := starts(); n > 0 {
		t.Fatalf("one worker, and %d more could start", n)
	}
	before, _ := w.Hash()
	step(t, w, "workers controller 2")
	if n := starts(); n == 0 {
		t.Error("two workers, and the second does not start")
	}
	if after, _ := w.Hash(); after == before {
		t.Error("the hash does not know of it")
	}
	step(t, w, "workers controller 1")
	if after, _ := w.Hash(); starts() > 0 || after != before {
		t.Error("one worker again is not as before")
	}
	for _, wrong := range []string{"workers controller 0", "workers controller", "workers nobody 2"} {
		if _, err := w.Choose(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
