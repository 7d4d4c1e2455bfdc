package view

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/words"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", path, d)
	}
}

func parse(s string) object.Object {
	o, err := object.DecodeObject([]byte(s))
	if err != nil {
		panic(err)
	}
	return o
}

const (
	outsideOld = `{"apiVersion":"lab.example.com/v1","kind":"WebApp","metadata":{"name":"outside","namespace":"default","resourceVersion":"1039","generation":1,"finalizers":["lab.example.com/cloud"]},"spec":{"message":"out there","loadBalancer":true},"status":{"observedGeneration":1,"phase":"Ready","conditions":[{"type":"Ready","status":"True"}]}}`
	outsideNew = `{"apiVersion":"lab.example.com/v1","kind":"WebApp","metadata":{"name":"outside","namespace":"default","resourceVersion":"1046","generation":2,"finalizers":["lab.example.com/cloud"]},"spec":{"message":"v2","loadBalancer":true},"status":{"observedGeneration":1,"phase":"Ready","conditions":[{"type":"Ready","status":"True"}]}}`
	child      = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"outside-config","namespace":"default","resourceVersion":"1033","ownerReferences":[{"kind":"WebApp","name":"outside","uid":"u","controller":true}]},"data":{"message":"out there"}}`
)

// midPass is a model in the middle of a pass, a step after an edit.
func midPass() *app.Model {
	m := app.New(words.English, app.Prefs{TourOver: true})
	var id int64
	give := func(d *engine.Delta) { m.Update(app.FromEngine{Reply: engine.Reply{ID: id, Done: true, Delta: d}}) }
	cached := func(key, server, cache string) engine.ObjectDelta {
		d := engine.ObjectDelta{Key: key, Server: parse(server), Cached: true}
		if cache != "" {
			d.Cache = parse(cache)
		}
		return d
	}
	timer := 60 * time.Second
	give(&engine.Delta{
		Full:     true,
		Scenario: &engine.ScenarioInfo{Name: "lab", Title: "Lab: three WebApps", Reads: "cache", Watched: "WebApp", Owned: []string{"ConfigMap"}},
		Clock:    &engine.Clock{Now: "2026-01-01T00:00:30.012Z", Since: 30012 * time.Millisecond, NextTimer: &timer},
		Revision: 1039, Timeline: &engine.Timeline{}, EventsFrom: -1,
		Enabled: &engine.EnabledView{Items: []engine.EnabledItem{{Action: "tick", Place: "clock", Default: true}}, Total: 1},
		Objects: []engine.ObjectDelta{cached("WebApp/default/outside", outsideOld, outsideOld), cached("ConfigMap/default/outside-config", child, child)},
		Files:   []engine.File{{Name: "outside.yaml", Text: "kind: WebApp\nmetadata:\n  name: outside\n"}},
	})
	for _, e := range m.Update(app.Step{}) {
		if s, ok := e.(app.Send); ok {
			id = s.Command.ID
		}
	}
	give(&engine.Delta{
		Revision: 1046, Timeline: &engine.Timeline{Step: 3, Length: 3}, EventsFrom: -1,
		Events: []engine.EventLine{
			{N: 1, Lane: "user", Text: "apply · WebApp/default/outside rv 1039 → 1046", Writes: 1},
			{N: 2, Lane: "worker", Text: "start default/outside", Pass: 7, Started: true},
			{N: 3, Lane: "server", Text: "call of default/outside · get ConfigMap/default/outside-config", Pass: 7},
		},
		Objects: []engine.ObjectDelta{cached("WebApp/default/outside", outsideNew, outsideOld)},
		Wire: &engine.WireView{Items: []engine.WireItem{{Process: "c", Resource: "webapps", Type: "MODIFIED", Ref: "WebApp/default/outside", ResourceVersion: "1046", Action: "deliver c webapps"}},
			Total: 3},
		Queue: &engine.QueueView{Items: []engine.QueueItem{
			{Process: "c", Key: "default/plain", Ready: true, Why: []sim.Why{{Event: 1, Text: "WebApp/default/plain ADDED"}}, Action: "start c default/plain"},
			{Process: "c", Key: "default/waiting", Due: 59912 * time.Millisecond},
			{Process: "c", Key: "other/bad", Due: 30052 * time.Millisecond, Failures: 4}}, Total: 3, Processing: []string{"default/outside"}},
		Caches: []engine.CacheView{{Process: "c", Resource: "webapps", Kind: "WebApp", Synced: true, ResourceVersion: "1044", Behind: 1},
			{Process: "c", Resource: "configmaps", Kind: "ConfigMap", Action: "list c configmaps"}},
		Cloud: &engine.CloudView{Items: []api.CloudItem{{ID: "lb-0001", Type: "lb", Name: "outside", Address: "203.0.113.1", Tags: map[string]string{"webapp": "default/outside"}}}, Total: 1},
		Pass:  passInFlight(), Passes: 7,
		Enabled: &engine.EnabledView{Items: []engine.EnabledItem{
			{Action: "deliver c webapps", Place: "wire", Target: "WebApp/default/outside", Detail: "MODIFIED rv 1046", Default: true},
			{Action: "list c configmaps", Place: "cache", Target: "configmaps"},
			{Action: "start c default/plain", Place: "queue", Target: "default/plain"},
			{Action: "call c default/outside", Place: "worker", Target: "default/outside"},
			{Action: "gc ConfigMap/default/old", Place: "collector", Target: "ConfigMap/default/old"},
			{Action: "tick", Place: "clock"}}, Total: 6},
		Storage: &engine.StorageState{State: "saved"},
	})
	return m
}

func passInFlight() *sim.Pass {
	return &sim.Pass{
		ID: 7, Process: "c", Key: "default/outside", StartEvent: 2,
		Calls: []sim.Call{
			{Verb: "get", Ref: "WebApp/default/outside", From: "cache", Outcome: sim.Found, After: "1046"},
			{Verb: "list", Ref: "lb", From: "cloud", Outcome: sim.Found},
			{Verb: "update", Ref: "ConfigMap/default/outside-config", From: "server", Line: "reconcile.go:41", Before: "1033"},
		},
		Desired:  &sim.Reading{Ref: "WebApp/default/outside", From: "cache", ResourceVersion: "1046", Object: parse(outsideNew)},
		Observed: []sim.Reading{{Ref: "ConfigMap/default/outside-config", From: "cache", ResourceVersion: "1033", Object: parse(child)}, {Ref: "ConfigMap/default/shared", Absent: true}},
		Diff:     []sim.Difference{{Ref: "ConfigMap/default/outside-config", Verb: "update", Changes: []object.Change{{Path: "data.message", Op: "replace", Before: "out there", After: "v2"}}}},
		Action:   []sim.Write{{Verb: "update", Ref: "ConfigMap/default/outside-config", Before: "1033"}},
	}
}

// ended is the same pass at its end.
func ended() *sim.Pass {
	ps := passInFlight()
	ps.EndEvent = 9
	ps.Calls[2].Outcome = sim.Conflict
	ps.Action = []sim.Write{
		{Verb: "update", Ref: "ConfigMap/default/outside-config", Before: "1033", After: "1047", Outcome: sim.Updated},
		{Verb: "patch", Ref: "WebApp/default/outside", Subresource: "status", Before: "1046", Outcome: sim.Conflict, Message: "the object has been modified"}}
	ps.Requeue = &sim.Requeue{Kind: "backoff", Delay: 5 * time.Millisecond, Failures: 1}
	ps.Error = "the object has been modified"
	ps.Status = &sim.StatusChange{Changes: []object.Change{{Path: "observedGeneration", Op: "replace", Before: int64(1), After: int64(2)}}}
	return ps
}

func newPage(m *app.Model) *page {
	return &page{m: m, w: m.Words, first: m.Default().Action, parts: &Painter{kept: map[string]*kept{}}}
}

func TestGoldens(t *testing.T) {
	m := midPass()
	p := newPage(m)
	golden(t, "pipe", Print(p.pipe()))
	golden(t, "pass", Print(p.pass()))
	golden(t, "objects", Print(p.objects()))
	golden(t, "lanes", Print(p.lanes()))
	golden(t, "guide", Print(p.guide()))
	m.View = app.ViewBoth
	golden(t, "objects-both", Print(newPage(m).objects()))
	m.Pass = ended()
	golden(t, "pass-ended", Print(newPage(m).pass()))
	m.Pass = nil
	golden(t, "pass-none", Print(newPage(m).pass()))
	m.Controller = "crashed"
	golden(t, "crashed", Print(newPage(m).place(newPage(m).worker()))+Print(newPage(m).crash())+Print(newPage(m).guide()))
	m.Update(app.Delete{Ref: "WebApp/default/outside"})
	golden(t, "confirm", Print(newPage(m).sheet()))
}

func TestWhatADeadPassDidNotReachIsSaid(t *testing.T) {
	answers := func(ps *sim.Pass) map[string]string {
		m := midPass()
		m.Pass = ps
		got := map[string]string{}
		for _, b := range newPage(m).beats() {
			if b.answer == nil {
				got[b.id] = b.unknown
			}
		}
		return got
	}
	w := words.English
	flight := passInFlight()
	flight.Status = &sim.StatusChange{}
	if d := cmp.Diff(map[string]string{"requeue": w.NotDecidedYet(), "status": w.NotReportedYet()}, answers(flight)); d != "" {
		t.Errorf("in flight: %s", d)
	}
	dead := passInFlight()
	dead.Died, dead.EndEvent, dead.Status, dead.Diff, dead.Action = true, 4, &sim.StatusChange{}, nil, nil
	if d := cmp.Diff(map[string]string{"diff": w.NotReached(), "action": w.NotReached(), "status": w.NotReached()}, answers(dead)); d != "" {
		t.Errorf("dead: %s", d)
	}
	unsent := passInFlight()
	unsent.Died, unsent.EndEvent, unsent.Status = true, 5, &sim.StatusChange{}
	unsent.Calls = append(unsent.Calls, sim.Call{Verb: "patch", Ref: "WebApp/default/outside", Subresource: "status", Outcome: sim.NotSent})
	if d := cmp.Diff(map[string]string{"status": w.NotReached()}, answers(unsent)); d != "" {
		t.Errorf("not sent: %s", d)
	}
	unsent.Calls[len(unsent.Calls)-1].Outcome = sim.LandedThenDied
	if d := cmp.Diff(map[string]string{}, answers(unsent)); d != "" {
		t.Errorf("landed: %s", d)
	}
	lost := passInFlight()
	lost.EndEvent, lost.Error, lost.Status = 6, "status: no answer", &sim.StatusChange{}
	lost.Calls = append(lost.Calls, sim.Call{Verb: "patch", Ref: "WebApp/default/outside", Subresource: "status", Outcome: sim.LostReply})
	if got := outcomeOf(lost); got != "lost-reply" {
		t.Errorf("the status of a pass whose reply was lost is told as %q", got)
	}
}

// outcomeOf is what the status beat of a pass says became of the status.
func outcomeOf(ps *sim.Pass) string {
	out := ""
	for _, n := range (&page{w: words.English}).status(ps) {
		out += get(n, "data-outcome")
	}
	return out
}

// walk calls f for every node of a tree.
func walk(n *Node, f func(*Node)) {
	f(n)
	for _, k := range n.Kids {
		walk(k, f)
	}
}

func get(n *Node, name string) string {
	v, _ := value(n.Attrs, name)
	return v
}

// Two things of one name, and two pieces of the controller manager's work, do not look the same.
func TestChipsOfOneNameDiffer(t *testing.T) {
	m := midPass()
	m.Update(app.FromEngine{Reply: engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Enabled: &engine.EnabledView{Total: 3, Items: []engine.EnabledItem{
		{Action: "gc ConfigMap/default/same", Place: "collector"}, {Action: "gc foreground ConfigMap/team/same", Place: "collector"}, {Action: "namespace same", Place: "collector"}}}}}})
	got := map[string]bool{}
	for _, c := range newPage(m).server().chips[:3] {
		got[c.ns+"/"+c.name+" "+c.kind+" "+c.note+" "+c.sign+c.said] = true
	}
	for _, want := range []string{"default/same ConfigMap gc", "team/same ConfigMap foreground", "/same  namespace"} {
		if !got[want+" ⚙controller manager"] {
			t.Errorf("%q is not among %v", want, got)
		}
	}
	p := newPage(m)
	e := &app.Entry{Namespace: "team", Name: "same"}
	for _, c := range []chip{p.behindChip(e), freshChip(e)} {
		if c.ns != "team" {
			t.Errorf("the namespace of %+v is not told", c)
		}
	}
}

func TestLinesTooLongForAColumnHang(t *testing.T) {
	long := strings.Repeat("x", fitsWhole)
	got := Print(yamlNode([]yamlLine{{mark: ' ', text: "a:"}, {mark: ' ', text: "    b: " + long}, {mark: ' ', text: "c: d"}, {mark: '+', text: "  - " + long}, {mark: '~', text: "e: ", before: long, after: "x"}}, fitsWhole))
	want := strings.Join([]string{`div class=yaml`, `  span class=ln "a:"`, `  span class=ln --hang=6ch "    b: ` + long + `"`, `  span class=ln "c: d"`, `  ins class=ln add --hang=4ch "  - ` + long + `"`, `  span class=ln chgd --hang=2ch`}, "\n")
	if !strings.HasPrefix(got, want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestHostileTextStaysText(t *testing.T) {
	const bad = `<img src=x onerror="alert(1)">`
	m := app.New(words.English, app.Prefs{})
	o := parse(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","namespace":"default","resourceVersion":"1"}}`).
		Set(bad, "metadata", "labels", bad).Set(bad, "data", bad)
	m.Update(app.FromEngine{Reply: engine.Reply{Delta: &engine.Delta{Full: true, Timeline: &engine.Timeline{Step: 1, Length: 1}, EventsFrom: -1,
		Scenario: &engine.ScenarioInfo{Name: bad, Title: bad}, Events: []engine.EventLine{{N: 1, Text: bad}},
		Objects: []engine.ObjectDelta{{Key: "ConfigMap/default/x", Server: o}}, Files: []engine.File{{Name: bad, Text: bad}}}}})
	seen := 0
	walk(Page(m), func(n *Node) {
		if n.Tag != "" && strings.ContainsAny(n.Tag, "<>\" ") {
			t.Errorf("an element is named %q", n.Tag)
		}
		for _, a := range n.Attrs {
			if strings.ContainsAny(a.Name, "<>\"= ") || strings.HasPrefix(a.Name, "on") {
				t.Errorf("an attribute is named %q", a.Name)
			}
		}
		if strings.Contains(n.Text, bad) {
			seen++
		}
	})
	if seen < 3 {
		t.Errorf("the text is shown %d times", seen)
	}
}

// pages are models of every kind of state.
func pages() map[string]*app.Model {
	out := map[string]*app.Model{"opening": app.New(words.English, app.Prefs{}), "mid-pass": midPass()}
	for name, msg := range map[string]app.Msg{
		"help": app.OpenHelp{}, "menu-next": app.ToggleMenu{Name: "next"}, "menu-clock": app.ToggleMenu{Name: "clock"}, "menu-export": app.ToggleMenu{Name: "export"},
		"menu-finalizers": app.ToggleMenu{Name: "finalizers"}, "why": app.ToggleWhy{Name: "wire"}, "why-beat": app.ToggleWhy{Name: "beat-diff"},
		"log": app.OpenTab{Tab: app.TabLog}, "report": app.OpenTab{Tab: app.TabReport}, "closed": app.SizeDrawer{Size: "closed"}, "tall": app.SizeDrawer{Size: "tall"},
		"cache": app.Show{View: app.ViewCache}, "both": app.Show{View: app.ViewBoth}, "confirm": app.Reset{}, "engine": app.EngineState{State: "crashed"},
		"new-version": app.NewVersion{},
	} {
		m := midPass()
		m.Update(msg)
		out[name] = m
	}
	m := midPass()
	m.Storage = engine.StorageState{State: "memory", Reason: "Corrupted", Detail: "x"}
	m.Notices = []engine.Notice{{Code: "reloaded"}}
	m.Files.Error = &engine.Error{Message: "bad", Marks: []engine.Mark{{Line: 2, Col: 3, Message: "bad"}}}
	m.Timeline.Branches = []engine.Branch{{At: 2, Length: 3}}
	m.Toasts = []app.Toast{{ID: 1, Level: "fault", Text: "x"}}
	out["troubles"] = m
	return out
}

func TestEveryPageIsWellFormed(t *testing.T) {
	broken, _, _ := strings.Cut(words.English.PartBroken("|"), "|")
	for name, m := range pages() {
		t.Run(name, func(t *testing.T) {
			ids := map[string]bool{}
			walk(Page(m), func(n *Node) {
				checkNode(t, n)
				if strings.HasPrefix(n.Text, broken) {
					t.Error(n.Text)
				}
				if id := get(n, "id"); id != "" {
					if ids[id] {
						t.Errorf("id %q is there twice", id)
					}
					ids[id] = true
				}
			})
			for _, id := range []string{"editor", "table", "step", "loop"} {
				if !ids[id] {
					t.Errorf("no element has the id %q", id)
				}
			}
		})
	}
}

func checkNode(t *testing.T, n *Node) {
	t.Helper()
	names := map[string]bool{}
	for _, a := range n.Attrs {
		if names[a.Name] {
			t.Errorf("%s has %s twice", n.Tag, a.Name)
		}
		names[a.Name] = true
	}
	if names["style"] {
		t.Errorf("%s has an inline style, which the page's policy refuses", n.Tag)
	}
	keys := map[string]bool{}
	for _, k := range n.Kids {
		if k.Key != "" && keys[k.Tag+" "+k.Key] {
			t.Errorf("%s has two children %s with the key %q", n.Tag, k.Tag, k.Key)
		}
		keys[k.Tag+" "+k.Key] = true
	}
	if (n.Tag == "button" || n.Tag == "select" || n.Tag == "input") && named(n) == "" {
		t.Errorf("a %s has no name: %s", n.Tag, Print(n))
	}
	for _, h := range n.On {
		if _, valued := h.Msg.(app.Valued); valued && n.Tag == "button" {
			t.Errorf("a button has no value to give to %T: %s", h.Msg, Print(n))
		}
	}
	if len(n.On) > 0 && n.Tag != "button" && n.Tag != "select" && n.Tag != "input" {
		t.Errorf("a %s takes events: the keyboard does not reach it", n.Tag)
	}
}

// named is what a screen reader calls a control.
func named(n *Node) string {
	if l := get(n, "aria-label"); l != "" {
		return l
	}
	if get(n, "id") == "no-keys" {
		return "its label"
	}
	var b strings.Builder
	walk(n, func(k *Node) {
		if get(k, "aria-hidden") == "" {
			b.WriteString(k.Text)
		}
	})
	return strings.TrimSpace(b.String())
}

func TestTestids(t *testing.T) {
	found := map[string]bool{}
	for _, m := range pages() {
		for range 2 {
			walk(Page(m), func(n *Node) { found[get(n, "data-testid")] = true })
			m.Controller = "crashed"
		}
	}
	for _, id := range []string{"scenario", "editor", "apply", "apply-error", "step", "step-call", "run", "back", "crash", "restart", "clock", "object-row",
		"queue", "cache", "wire", "beat-desired", "beat-observed", "beat-diff", "beat-action", "beat-requeue", "beat-status", "timeline", "report", "export", "storage-state"} {
		if !found[id] {
			t.Errorf("no element has data-testid %q", id)
		}
	}
	row := newPage(midPass()).row(midPass().Objects.Get("WebApp/default/outside"))
	fields := map[string]string{}
	walk(row, func(n *Node) {
		if f := get(n, "data-field"); f != "" {
			fields[f] = get(n, "data-value")
		}
	})
	want := map[string]string{"resourceVersion": "1046", "generation": "2", "observedGeneration": "1", "finalizers": "lab.example.com/cloud", "deletionTimestamp": ""}
	if d := cmp.Diff(want, fields); d != "" || get(row, "data-key") != "WebApp/default/outside" {
		t.Errorf("%s: %s", get(row, "data-key"), d)
	}
}

func TestPainterDrawsTheSameAsAFreshPage(t *testing.T) {
	var r Painter
	m := midPass()
	for _, msg := range []app.Msg{app.Nothing{}, app.Show{View: app.ViewBoth}, app.Select{Key: "ConfigMap/default/outside-config"}, app.Seek{N: 1}, app.Show{View: app.ViewServer}, app.ToggleMenu{Name: "next"}} {
		m.Update(msg)
		if d := cmp.Diff(Print(Page(m)), Print(r.Page(m))); d != "" {
			t.Errorf("after %T%+v:\n%s", msg, msg, d)
		}
	}
}

func many(n int) *app.Model {
	m := midPass()
	ds := make([]engine.ObjectDelta, n)
	for i := range ds {
		name := "x-" + strconv.Itoa(i)
		o := parse(child).Set(name, "metadata", "name")
		ds[i] = engine.ObjectDelta{Key: "ConfigMap/default/" + name, Server: o, Cache: o, Cached: true}
	}
	m.Update(app.FromEngine{Reply: engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Objects: ds}}})
	return m
}

func BenchmarkPage1000(b *testing.B) {
	m := many(1000)
	var r Painter
	b.ReportAllocs()
	for b.Loop() {
		r.Page(m)
	}
}

func BenchmarkDecodeDelta(b *testing.B) {
	text, err := json.Marshal(engine.Reply{Delta: &engine.Delta{Pass: passInFlight(), EventsFrom: -1, Objects: []engine.ObjectDelta{{Key: "a", Server: parse(outsideNew), Cache: parse(outsideOld)}}}})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var r engine.Reply
		if err := json.Unmarshal(text, &r); err != nil {
			b.Fatal(err)
		}
	}
}

// A bar that says that something is wrong is told apart by more than its colour.
func TestGuideOfWhatIsWrong(t *testing.T) {
	m := midPass()
	m.Timeline.Quiet, m.Queue.Items = true, []engine.QueueItem{{Key: "default/outside", Failures: 8}}
	got := Print(newPage(m).guide())
	for _, want := range []string{"guide-bad", "✗ 1 key fails."} {
		if !strings.Contains(got, want) {
			t.Errorf("the bar has no %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "guide-ok") {
		t.Errorf("the bar is green:\n%s", got)
	}
}

// A part that cannot be drawn says why, and leaves the others as they are.
func TestAPartThatFails(t *testing.T) {
	var none *app.Entry
	page, told := newPage(midPass()), ""
	page.parts.Broken = func(why string) { told += why }
	n := page.guarded("panel pass", func() *Node { return el("p", text(none.Name)) })
	if got := Print(n); !strings.Contains(got, "class=panel pass") || !strings.Contains(got, "nil pointer dereference") || !strings.Contains(got, "role=alert") || strings.Contains(got, "goroutine") {
		t.Errorf("it shows\n%s", got)
	}
	if !strings.Contains(told, "nil pointer dereference") || !strings.Contains(told, "view_test.go") {
		t.Errorf("of where it failed is told %q", told)
	}
}

// Wherever the step in view stands, its mark and the playhead are in the lanes.
func TestLanesShowTheStepInView(t *testing.T) {
	for _, width := range []int{0, 320, 390, 760, 1440} {
		m := midPass()
		m.Update(app.Resized{Width: width, Letter: 7.25})
		lanesShowTheStepInView(t, m)
	}
}

func lanesShowTheStepInView(t *testing.T, m *app.Model) {
	m.Events = nil
	for n := 1; n <= 120; n++ {
		m.Events = append(m.Events, engine.EventLine{N: n, Lane: "cache", Text: "deliver · ADDED ConfigMap/default/a rv 1"})
		m.Timeline.Length = n
		for _, step := range []int{n, n / 2, 1} {
			m.Timeline.Step = step
			keys := map[string]int{}
			walk(newPage(m).lanes(), func(n *Node) { keys[n.Key]++ })
			if step > 0 && (keys["ev-"+itoa(step)] != 1 || keys["cursor"] != 1) {
				t.Fatalf("at step %d of %d, %d pixels: %d marks, %d playheads", step, n, m.Width, keys["ev-"+itoa(step)], keys["cursor"])
			}
		}
	}
}

// cuts are the texts of a tree that the style cuts.
func cuts(n *Node) []string {
	var out []string
	walk(n, func(n *Node) {
		if strings.HasSuffix(" "+get(n, "class"), " cut") {
			for _, k := range n.Kids {
				out = append(out, strings.TrimSpace(k.Text))
			}
		}
	})
	return out
}

// What fits has no clip; what may not has one.
func TestWhatThereIsRoomForIsNotCut(t *testing.T) {
	drawn := func(width int, letter float64, c chip) []string {
		m := midPass()
		m.Update(app.Resized{Width: width, Letter: letter})
		p := newPage(m)
		return cuts(p.chip("api", c, p.chipRoom("api")))
	}
	short, long := chip{name: "plain", sign: "▸", note: "ready"}, chip{name: "outside-config", kind: "ConfigMap", sign: "+", note: "not in the cache"}
	for _, c := range []struct {
		width  int
		letter float64
		chip   chip
		want   []string
	}{
		{1440, 7.25, short, nil},
		{1440, 7.25, chip{name: "outside", kind: "Web", note: "1"}, nil},
		{1440, 7.25, chip{name: "outside", kind: "ConfigMap", note: "1039", sign: "+"}, nil},
		{1440, 7.25, chip{name: "outside", kind: "ConfigMap", note: "1039"}, []string{"", ""}},
		{1440, 7.25, long, []string{"outside-config", "not in the cache"}},
		{1440, 14, short, []string{"plain"}},
		{1440, 7.25, chip{name: "한국어한국어한국어한국어"}, []string{"한국어한국어한국어한국어"}},
		{720, 7.25, short, []string{"plain"}},
		{390, 7.25, short, nil},
		{1440, 0, short, []string{"plain"}},
	} {
		if d := cmp.Diff(c.want, drawn(c.width, c.letter, c.chip)); d != "" {
			t.Errorf("%+v at %d pixels, letters of %v: %s", c.chip, c.width, c.letter, d)
		}
	}
	m := midPass()
	m.Update(app.Resized{Width: 1440, Letter: 7.25})
	p := newPage(m)
	if got := append(cuts(p.lanes()), cuts(p.log("", logLines))...); got != nil {
		t.Errorf("beside a mark or in the log %q is cut", got)
	}
	column, line := p.drawerRooms()
	for _, c := range []struct {
		text, want string
		room       float64
	}{
		{"outside-config", "outside-config", 14 * 7.25}, {"outside-config", "outside-conf…", 14*7.25 - 1}, {"x", "", 3}, {"한국어", "한국어", 3},
	} {
		if got, _ := p.fitted(c.text, c.room); got != c.want {
			t.Errorf("in %v pixels %q is %q, not %q", c.room, c.text, got, c.want)
		}
	}
	if column < 25 || column > 26 || line < 400 || line > 412 {
		t.Errorf("a column of the lanes has %v pixels, a line of the log %v", column, line)
	}
}
