package sim_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// failer is a *testing.T or a *rapid.T.
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// lab is the world of the lab with its first choices made.
func lab(t failer) *sim.World {
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

func step(t failer, w *sim.World, choice string) sim.Event {
	t.Helper()
	e, err := w.Choose(choice)
	if err != nil {
		t.Fatalf("%s: %v", choice, err)
	}
	return e
}

// toQuiet runs a world until it rests and returns the lines of the events.
func toQuiet(t failer, w *sim.World) []string {
	t.Helper()
	var lines []string
	for {
		a, rest := w.NextInRun()
		switch rest {
		case sim.Quiet:
			return lines
		case sim.Going:
			lines = append(lines, step(t, w, a.String()).String())
		default:
			t.Fatalf("the run does not come to rest: %s", rest)
		}
	}
}

const webApp = "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: %s}\nspec: %s\n"

// inputs are things that a user, or someone else, might do; some of them are
// refused in some worlds.
var inputs = []sim.Action{
	sim.Act("apply", fmt.Sprintf(webApp, "plain", "{message: hello, replicas: 2}")),
	sim.Act("apply", fmt.Sprintf(webApp, "outside", "{message: out there, loadBalancer: true}")),
	sim.Act("apply", fmt.Sprintf(webApp, "waiting", "{message: both, loadBalancer: true, configRef: shared}")),
	sim.Act("apply", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\ndata: {base: common ground}\n"),
	sim.Act("patch", "WebApp/default/plain", `{"spec":{"loadBalancer":true}}`),
	sim.Act("patch", "WebApp/default/plain", `{"spec":{"loadBalancer":false,"replicas":null}}`),
	sim.Act("patch", "WebApp/default/outside", `{"metadata":{"labels":{"team":"blue | \"green\""}}}`),
	sim.Act("patch", "ConfigMap/default/plain-config", `{"data":{"message":"mine"}}`),
	sim.Act("patch", "ConfigMap/default/shared", `{"data":{"base":"new ground"}}`),
	sim.Act("delete", "ConfigMap/default/outside-config"),
	sim.Act("delete", "ConfigMap/default/shared"),
	sim.Act("delete", "WebApp/default/plain", "cascade=Foreground"),
	sim.Act("delete", "WebApp/default/outside"),
	sim.Act("delete", "WebApp/default/waiting", "cascade=Orphan"),
	sim.Act("unfinalize", "WebApp/default/outside", "lab.example.com/cloud"),
	sim.Act("cloud", "lb", "delete", "lb-0001"),
	sim.Act("advance", "7s"),
	sim.Act("reload"),
	sim.Act("resync", "controller"),
}

// walk makes n steps drawn from what is enabled, and now and then an input or a
// fault. The
// same seed and world give the same walk.
func walk(w *sim.World, seed uint64, n int) []sim.Event {
	draw := rand.New(rand.NewPCG(seed, 1))
	var events []sim.Event
	for len(events) < n {
		all := w.Enabled()
		if len(all) == 0 || draw.IntN(8) == 0 {
			all = inputs
		}
		if faults := w.Faults(); len(faults) > 0 && draw.IntN(6) == 0 {
			all = faults
		}
		a := all[draw.IntN(len(all))]
		if a.Verb == "crash" && draw.IntN(4) > 0 {
			continue
		}
		if e, err := w.Step(a); err == nil {
			events = append(events, e)
		}
	}
	return events
}

func lines(events []sim.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.String() + "\n")
	}
	return b.String()
}

// account is everything about a world that can be looked at.
func account(t failer, w *sim.World) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"step": w.StepNumber(), "snapshot": w.Snapshot(), "enabled": w.Enabled(), "passes": w.Passes(),
		"inFlight": w.InFlight(), "processes": w.Processes(), "quiet": w.Quiet(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// same fails with the first line that differs.
func same(t failer, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Fatalf("%s: line %d is\n%s\nwant\n%s", what, i+1, a, b)
		}
	}
}

func join(lines []string) string { return strings.Join(lines, "\n") }

// objectsOf prints every object but for what depends on when things happened.
func objectsOf(w *sim.World) string {
	var b strings.Builder
	for o := range w.Server().All() {
		x := o.Object.Unset("metadata", "managedFields").Unset("metadata", "resourceVersion").Unset("metadata", "uid").Unset("metadata", "ownerReferences")
		text, _ := x.MarshalJSON()
		b.Write(append(text, '\n'))
	}
	for _, i := range w.Cloud().Items() {
		b.WriteString(i.Type + "/" + i.ID + " " + i.Name + "\n")
	}
	return b.String()
}
