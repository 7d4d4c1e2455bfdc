package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// waitingFor is the lab's world at the first moment at which a pass of a key
// waits for a call with this verb of this ref.
func waitingFor(t *testing.T, key, verb, ref string) *sim.World {
	t.Helper()
	w := faultLab(t)
	until(t, w, func() bool {
		for _, p := range w.InFlight() {
			if c := p.Calls[len(p.Calls)-1]; p.Key == key && c.Outcome == "" && c.Verb == verb && c.Ref == ref {
				return true
			}
		}
		return false
	})
	return w
}

// faultLab is lab with a patch for the fault edit.
func faultLab(t *testing.T) *sim.World {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	w := s.World()
	for _, c := range s.Start {
		step(t, w, c)
	}
	return w
}

// until makes the steps that happen by themselves until something is so.
func until(t *testing.T, w *sim.World, so func() bool) {
	t.Helper()
	for !so() {
		a, rest := w.NextInRun()
		if rest != sim.Going {
			t.Fatalf("it does not happen: %s", rest)
		}
		step(t, w, a.String())
	}
}

// endOf runs the pass of a key to its end and returns its record.
func endOf(t *testing.T, w *sim.World, key string) *sim.Pass {
	t.Helper()
	last := func() *sim.Pass {
		all := w.Passes()
		if len(all) == 0 || all[len(all)-1].Key != key {
			return nil
		}
		return all[len(all)-1]
	}
	for last() == nil || len(w.InFlight()) > 0 {
		step(t, w, "call controller "+key)
	}
	return last()
}

const noReply = "Unable to connect to the server: context deadline exceeded"

// Each fault of a call has its own outcome, its own answer to the caller, and its
// own effect on the world; afterwards the world comes to the same end.
func TestFaultsOfCalls(t *testing.T) {
	const child, app = "ConfigMap/default/plain-config", "WebApp/default/plain"
	calm := lab(t)
	toQuiet(t, calm)
	for _, c := range []struct {
		fault, key, verb, ref string
		outcome               sim.Outcome
		// error is a part of the pass's error, "" for none; landed: the write did.
		error          string
		landed, differ bool
	}{
		{"crash-before", "default/plain", "create", child, sim.NotSent, "", false, false},
		{"crash-after", "default/plain", "create", child, sim.LandedThenDied, "", true, false},
		{"lost-reply", "default/plain", "create", child, sim.LostReply, noReply, true, false},
		{"refused", "default/plain", "create", child, sim.Refused, "the server is currently unable to handle the request", false, false},
		{"conflict", "default/plain", "create", child, sim.Failed, `configmaps "plain-config" already exists`, true, true},
		{"conflict", "default/plain", "update", app, sim.Conflict, "Operation cannot be fulfilled on webapps.lab.example.com", true, true},
		{"lost-reply", "default/plain", "update", app, sim.LostReply, noReply, true, false},
		{"edit", "default/plain", "update", app, sim.Conflict, "Operation cannot be fulfilled", true, true},
		{"delete", "default/plain", "create", child, sim.Created, "", true, true},
		{"recreate", "default/plain", "create", child, sim.Created, "", true, true},
		{"cloud-error", "default/outside", "create", "lb", sim.Refused, "the cloud is currently unable to handle the request", false, false},
		{"cloud-lost-reply", "default/outside", "create", "lb/lb-0001", sim.LostReply, "no answer from the cloud: context deadline exceeded", true, false},
		{"crash-after", "default/outside", "create", "lb/lb-0001", sim.LandedThenDied, "", true, false},
	} {
		t.Run(c.fault+" of "+c.verb+" "+c.ref, func(t *testing.T) {
			asked, _, _ := strings.Cut(c.ref, "/lb-")
			w := waitingFor(t, c.key, c.verb, asked)
			fault := "fault " + c.fault + " controller " + c.key
			if !slices.ContainsFunc(w.Faults(), func(a sim.Action) bool { return a.String() == fault }) {
				t.Fatalf("Faults does not list %s but %v", fault, w.Faults())
			}
			twin := w.Clone()
			same(t, "the same fault of a clone", step(t, twin, fault).String(), step(t, w, fault).String())
			crash := strings.HasPrefix(c.fault, "crash")
			p := w.Passes()[max(0, len(w.Passes())-1):]
			if !crash {
				p = []*sim.Pass{endOf(t, w, c.key)}
			}
			wr := p[0].Action[slices.IndexFunc(p[0].Action, func(x sim.Write) bool { return x.Ref == c.ref && x.Verb == c.verb })]
			if wr.Outcome != c.outcome || p[0].Died != crash {
				t.Errorf("the write is %+v, died %v; want %s", wr, p[0].Died, c.outcome)
			}
			if !strings.Contains(p[0].Error, c.error) || c.error == "" && p[0].Error != "" && c.fault != "recreate" {
				t.Errorf("the pass's error is %q, want %q", p[0].Error, c.error)
			}
			if c.outcome == sim.LostReply && wr.Effective() != c.landed {
				t.Errorf("the lost write counts as effective: %v", wr.Effective())
			}
			if crash {
				if a, _ := w.Next(); a.String() != "restart controller" {
					t.Errorf("after the crash %s is next", a)
				}
			}
			toQuiet(t, w)
			if got, want := objectsOf(w), objectsOf(calm); (got == want) == c.differ && c.fault != "recreate" {
				t.Errorf("the run ends with\n%s\nof a calm one\n%s", got, want)
			}
		})
	}
}

// A user's crash stays one; a fault's ends by itself.
func TestWhoRestarts(t *testing.T) {
	w := waitingFor(t, "default/plain", "create", "ConfigMap/default/plain-config")
	c := w.Clone()
	step(t, w, "crash controller")
	for a, ok := w.Next(); ok; a, ok = w.Next() {
		if a.Verb == "restart" {
			t.Fatal("a process that the user crashed restarts by itself")
		}
		step(t, w, a.String())
	}
	step(t, c, "fault crash-before controller default/plain")
	restarts := 0
	for _, a := range c.Enabled() {
		if a.Verb == "restart" {
			restarts++
		}
	}
	if restarts != 1 {
		t.Errorf("restart is enabled %d times", restarts)
	}
}

// recreate waits for the finalizer, and then the object is another one.
func TestRecreateWaitsForTheName(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	uid := func() string {
		o, _ := w.Server().Find(object.Ref{Group: "lab.example.com", Kind: "WebApp", Namespace: "default", Name: "outside"})
		return o.UID()
	}
	first := uid()
	step(t, w, "resync controller")
	until(t, w, func() bool {
		p := w.InFlight()
		return len(p) > 0 && p[0].Key == "default/outside"
	})
	step(t, w, "fault recreate controller default/outside")
	if uid() != first {
		t.Fatal("the object is another one while its finalizer holds it")
	}
	toQuiet(t, w)
	if again := uid(); again == first || again == "" {
		t.Errorf("at the end there is uid %q, was %q", again, first)
	}
	if items := w.Cloud().Items(); len(items) != 1 || items[0].ID != "lb-0002" {
		t.Errorf("the cloud holds %v", items)
	}
}

// A write that the server refused has changed nothing, whether its reply was lost
// or the process died of it.
func TestUnheardRefusal(t *testing.T) {
	for _, kind := range []string{"lost-reply", "crash-after"} {
		for want, before := range map[bool]string{true: "", false: "delete WebApp/default/outside"} {
			w := waitingFor(t, "default/outside", "patch", "WebApp/default/outside")
			if before != "" {
				step(t, w, before)
			}
			step(t, w, "fault "+kind+" controller default/outside")
			all := append(w.Passes(), w.InFlight()...)
			if p := all[len(all)-1]; p.Key != "default/outside" || p.Effective() != want {
				t.Errorf("%s after %q: effective %v of %s", kind, before, p.Effective(), p)
			}
		}
	}
}

// What is held stays on its wire while a pass sees the old cache, and comes
// after.
func TestStale(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	step(t, w, `patch WebApp/default/plain "{\"spec\":{\"message\":\"two\"}}"`)
	step(t, w, `patch ConfigMap/default/plain-config "{\"data\":{\"message\":\"drift\"}}"`)
	step(t, w, "fault stale controller 1")
	if _, err := w.Choose("deliver controller webapps.lab.example.com"); err == nil {
		t.Fatal("an event that is held was delivered")
	}
	until(t, w, func() bool { return len(w.InFlight()) > 0 })
	if p := w.InFlight()[0]; p.Desired.Object.Str("spec", "message") != "hello" {
		t.Errorf("the pass reads %v, want the old object", p.Desired.Object)
	}
	if w.Quiet() {
		t.Error("the world is quiet while an event is held")
	}
	endOf(t, w, "default/plain")
	if a, _ := w.Next(); a.String() != "deliver controller webapps.lab.example.com" {
		t.Errorf("after the pass %s is next", a)
	}
	toQuiet(t, w)

	// Nothing else can happen: what is held comes.
	step(t, w, `patch WebApp/default/plain "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"`)
	step(t, w, `patch WebApp/default/plain "{\"metadata\":{\"labels\":{\"a\":\"c\"}}}"`)
	step(t, w, "delete WebApp/default/waiting")
	step(t, w, "fault stale controller 7")
	toQuiet(t, w)
	if _, gone := w.Server().Find(object.Ref{Kind: "ConfigMap", Namespace: "default", Name: "waiting-config"}); gone {
		t.Error("the child of what was deleted is still there")
	}
	for o := range w.Server().All() {
		if c, watched := w.Cached(o.GVR, o.Object.Key()); watched && c.ResourceVersion() != o.Object.ResourceVersion() {
			t.Errorf("at rest the cache has %s rv %s, the server %s", o.Object.Ref(), c.ResourceVersion(), o.Object.ResourceVersion())
		}
	}
}

// A dropped watch loses what was on it, and the list brings it back, the
// deletions too; a duplicate changes nothing.
func TestRelistAndDuplicate(t *testing.T) {
	w := lab(t)
	toQuiet(t, w)
	step(t, w, "delete ConfigMap/default/plain-config")
	step(t, w, "fault duplicate controller configmaps")
	step(t, w, "deliver controller configmaps")
	before := objectsOf(w)
	toQuiet(t, w)
	if objectsOf(w) == before {
		t.Error("the child did not come back")
	}
	step(t, w, "delete ConfigMap/default/outside-config")
	step(t, w, "fault relist controller configmaps")
	if a, _ := w.Next(); a.String() != "list controller configmaps" {
		t.Errorf("after the watch was dropped %s is next", a)
	}
	e := step(t, w, "fault refused controller list configmaps")
	if !strings.Contains(e.String(), "outcome=refused") {
		t.Errorf("the refused list is %s", e)
	}
	toQuiet(t, w)
	if _, there := w.Server().Find(object.Ref{Kind: "ConfigMap", Namespace: "default", Name: "outside-config"}); !there {
		t.Error("a deletion that the watch lost was not noticed")
	}
}

// Every fault that is listed can be made, and the world comes to rest after it.
func TestFaultsCanBeMade(t *testing.T) {
	w := faultLab(t)
	kinds := map[string]bool{}
	for n := 0; ; n++ {
		for _, a := range w.Faults() {
			kinds[a.Arg(0)] = true
			c := w.Clone()
			if e, err := c.Step(a); err != nil {
				t.Fatalf("step %d: %s: %v", w.StepNumber(), a, err)
			} else if again, err := sim.ParseEvent(e.String()); err != nil || again.String() != e.String() {
				t.Fatalf("the event does not parse back: %v: %s", err, e)
			}
			if n%5 == 0 {
				toQuiet(t, c)
			}
			c.Release()
		}
		a, rest := w.NextInRun()
		if rest != sim.Going {
			break
		}
		step(t, w, a.String())
	}
	for _, k := range sim.FaultKinds {
		if !kinds[k] {
			t.Errorf("no fault %s was possible in the whole run", k)
		}
	}
}
