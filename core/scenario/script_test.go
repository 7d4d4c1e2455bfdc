package scenario_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// words stands in for a language: a line for each word.
//
//	get NAME       reads a ConfigMap
//	list           lists ConfigMaps
//	sleep DURATION
//	watch          reads the events since revision 1
//	remember WORD  and log what was remembered
//	wrong          does not compile
type words struct {
	lines []string
	of    string
}

type mistake struct{ line int }

func (m mistake) Error() string             { return "there is no word wrong" }
func (m mistake) Position() (line, col int) { return m.line, 3 }

func readWords(_, text string) (scenario.Script, error) {
	p := words{lines: strings.Split(strings.TrimSpace(text), "\n")}
	for i, l := range p.lines {
		if l == "  wrong" {
			return nil, mistake{i + 1}
		}
	}
	return p, nil
}

func (p words) Reconciler(kind, plural, group, version string) reconcile.Reconciler {
	p.of = strings.Join([]string{kind, plural, group, version}, " ")
	return p
}

func (p words) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	w := reconcile.WireFrom(ctx)
	w.Log(p.of)
	return reconcile.Result{}, run(w, req.Namespace, p.lines, w.Log)
}

func run(w reconcile.Wire, namespace string, lines []string, print func(string)) error {
	maps := api.Request{GVR: object.GVR{Version: "v1", Resource: "configmaps"}, Namespace: namespace}
	for _, l := range lines {
		verb, rest, _ := strings.Cut(l, " ")
		switch verb {
		case "get":
			req := maps
			req.Verb, req.Name = api.Get, rest
			resp := w.Do(req)
			if err := resp.Err(); err != nil {
				return err
			}
			print(rest + " rv " + resp.Object.ResourceVersion())
		case "discover":
			print(strconv.Itoa(w.Do(api.Request{Verb: api.Discover, Path: "/api/v1"}).Code))
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				return err
			}
			w.Sleep(d)
			print("slept until " + w.Now().Format(time.TimeOnly))
		case "watch":
			events, err := w.Events(maps, 1000)
			if err != nil {
				return err
			}
			for _, e := range events {
				print(string(e.Type) + " " + e.Object.Name())
			}
		case "remember":
			was, _ := w.Memory().(string)
			print("remembered" + was)
			w.Remember(func(m any) any { s, _ := m.(string); return s + " " + rest })
		}
	}
	return nil
}

func runWords(w reconcile.Wire, line, stdin string) (stdout, stderr, order string, code int) {
	var out strings.Builder
	err := run(w, "default", append(strings.Split(line, "; "), strings.Fields(stdin)...), func(s string) { out.WriteString(s + "\n") })
	if err != nil {
		return out.String(), err.Error() + "\n", "", 1
	}
	return out.String(), "", "", 0
}

const wordy = `
-- scenario.yaml --
controllers:
- for: configmaps
  reconciler: script
  script: words.sh
-- cluster/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
-- start --
list controller configmaps
-- scripts/words.sh --
`

func wordsWorld(t *testing.T, script string) *sim.World {
	t.Helper()
	scenario.UseScripts(readWords, runWords)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
	s, err := scenario.Parse([]byte(wordy + script))
	if err != nil {
		t.Fatal(err)
	}
	w := s.World()
	for _, c := range s.Start {
		choose(t, w, c)
	}
	return w
}

func choose(t *testing.T, w *sim.World, choice string) sim.Event {
	t.Helper()
	e, err := w.Choose(choice)
	if err != nil {
		t.Fatalf("%s: %v", choice, err)
	}
	return e
}

func TestScriptsNeedAProgram(t *testing.T) {
	_, err := scenario.Parse([]byte(wordy + "get a\n"))
	if !errors.Is(err, scenario.ErrNoScripts) || err.Error() != "scripts/words.sh:13: this build runs no scripts" {
		t.Fatalf("%v, want ErrNoScripts with its place", err)
	}
	scenario.UseScripts(readWords, runWords)
	defer scenario.UseScripts(nil, nil)
	_, err = scenario.Parse([]byte(wordy + "get a\n  wrong\n"))
	if want := "scripts/words.sh:15:3: there is no word wrong"; err == nil || err.Error() != want {
		t.Fatalf("%v, want %s", err, want)
	}
	_, err = scenario.Parse([]byte(strings.Replace(wordy, "script: words.sh", "script: other.sh", 1)))
	if want := "scenario.yaml:2: controllers[0].script: there is no member scripts/other.sh"; err == nil || err.Error() != want {
		t.Fatalf("%v, want %s", err, want)
	}
}

// A pass sleeps while the world goes on, and reads what came meanwhile; a clone
// taken while it sleeps goes on as it does.
func TestPassSleeps(t *testing.T) {
	w := wordsWorld(t, "remember one\ndiscover\nsleep 2s\nwatch\nget a\n")
	choose(t, w, "start controller default/a")
	if e := w.Enabled(); e[0].String() != "tick" || w.Quiet() {
		t.Fatalf("while the pass sleeps there could happen %v; quiet: %v", e, w.Quiet())
	}
	choose(t, w, `apply "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"`)
	choose(t, w, "deliver controller configmaps")
	choose(t, w, "tick")
	c := w.Clone()
	for _, w := range []*sim.World{w, c} {
		choose(t, w, "wake controller default/a")
		choose(t, w, "call controller default/a")
		choose(t, w, "call controller default/a")
		p := w.Passes()
		if len(p) != 1 {
			t.Fatalf("%d passes ended", len(p))
		}
		want := "ConfigMap configmaps  v1\nremembered\n200\nslept until 00:00:02\nADDED a\nADDED b\na rv "
		if !strings.HasPrefix(p[0].Log, want) {
			t.Errorf("the pass says\n%s\nwant\n%s", p[0].Log, want)
		}
		if n := len(p[0].Calls); n != 3 || p[0].Calls[0].Verb != "sleep" || p[0].Calls[0].Outcome != sim.Slept || p[0].Calls[1].Verb != "watch" {
			t.Errorf("the calls are %+v, want sleep, watch, get", p[0].Calls)
		}
		choose(t, w, "start controller default/b")
		if log := w.Clone(); len(log.InFlight()) != 1 {
			t.Fatal("the second pass does not sleep")
		}
		choose(t, w, "tick")
		choose(t, w, "wake controller default/b")
		choose(t, w, "call controller default/b")
		choose(t, w, "call controller default/b")
		if got := w.Passes()[1].Log; !strings.Contains(got, "remembered one\n") {
			t.Errorf("the second pass says\n%s\nwant what the first remembered", got)
		}
	}
}

// What is remembered is gone after a crash, and a pass that died remembers
// nothing.
func TestMemoryDiesWithTheProcess(t *testing.T) {
	w := wordsWorld(t, "remember one\nget a\n")
	choose(t, w, "start controller default/a")
	choose(t, w, "crash controller")
	choose(t, w, "restart controller")
	choose(t, w, "list controller configmaps")
	for range 2 {
		choose(t, w, "start controller default/a")
		choose(t, w, "call controller default/a")
		choose(t, w, "resync controller")
	}
	p := w.Passes()
	if first, second := p[1].Log, p[2].Log; !strings.Contains(first, "remembered\n") || !strings.Contains(second, "remembered one\n") {
		t.Errorf("the passes say\n%s\nand\n%s", first, second)
	}
}

func TestShell(t *testing.T) {
	w := wordsWorld(t, "get a\n")
	e := choose(t, w, `shell "get a; remember x" watch`)
	if f := e.Facts[len(e.Facts)-1]; f.Kind != sim.FactOutput || !strings.HasPrefix(f.Text, "a rv 10") || !strings.HasSuffix(f.Text, "\nremembered\nADDED a\n") || f.Code != 0 {
		t.Fatalf("the line printed %s", e)
	}
	if again, err := sim.ParseEvent(e.String()); err != nil || again.String() != e.String() {
		t.Errorf("the event does not parse back: %v", err)
	}
	e = choose(t, w, `shell "get nobody"`)
	if f := e.Facts[len(e.Facts)-1]; f.Stderr != "configmaps \"nobody\" not found\n" || f.Code != 1 {
		t.Errorf("the line printed %s", e)
	}
	choose(t, w, `shell "sleep 5s; remember y"`)
	if _, err := w.Choose(`shell "get a"`); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("a second line meanwhile: %v", err)
	}
	c := w.Clone()
	for _, w := range []*sim.World{w, c} {
		choose(t, w, "tick")
		e = choose(t, w, "wake terminal")
		if f := e.Facts[len(e.Facts)-1]; f.Text != "slept until 00:00:05\nremembered x\n" {
			t.Errorf("the line that slept printed %s", e)
		}
	}
	choose(t, w, `shell "sleep 5s"`)
	choose(t, w, "interrupt")
	if _, busy := w.Busy(); busy {
		t.Error("the terminal is busy after interrupt")
	}
}

func TestWithScript(t *testing.T) {
	scenario.UseScripts(readWords, runWords)
	defer scenario.UseScripts(nil, nil)
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithScript("mine.sh", "get a\n"); err != nil {
		t.Fatal(err)
	}
	if s, err = s.WithScript("mine.sh", "get b\n"); err != nil {
		t.Fatal(err)
	}
	k := s.Controllers[0]
	if k.Reconciler != "script" || k.Script != "mine.sh" || k.Reads != "live" || k.Owns[0].Resource != "configmaps" || s.Scripts[0].Text != "get b\n" {
		t.Errorf("the lab with a script is %+v with %q", k, s.Scripts)
	}
	if _, err := s.WithScript("mine.sh", "get a\n  wrong\n"); err == nil || !strings.Contains(err.Error(), "scripts/mine.sh:") {
		t.Errorf("a script that does not compile: %v", err)
	}
}

// The lab's life comes to rest after each of its actions, and leaves nothing.
func TestLabLife(t *testing.T) {
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	w := s.World()
	for _, c := range append(s.Start, append([]string{""}, s.Life...)...) {
		if c != "" {
			choose(t, w, c)
		}
		if len(w.Passes()) == 0 && c != "" {
			continue
		}
		for a, rest := w.NextInRun(); rest != sim.Quiet; a, rest = w.NextInRun() {
			if rest != sim.Going {
				t.Fatalf("after %s: %s", c, rest)
			}
			choose(t, w, a.String())
		}
	}
	for o := range w.Server().All() {
		if k := o.Object.Kind(); k == "WebApp" || k == "ConfigMap" {
			t.Errorf("%s is left", o.Object.Ref())
		}
	}
	if items := w.Cloud().Items(); len(items) > 0 || len(s.Life) < 10 || len(s.Checks) < 10 {
		t.Errorf("left in the cloud: %v; %d actions, %d checks", items, len(s.Life), len(s.Checks))
	}
}
