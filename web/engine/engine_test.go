package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// memory is a Port that keeps records as a database does, and replies.
type memory struct {
	records map[string]Record
	replies []Reply
	fail    error
	commits int
	written int
}

func newMemory() *memory { return &memory{records: map[string]Record{}} }

func (m *memory) Commit(batch []Record) error {
	if m.fail != nil {
		return m.fail
	}
	m.commits++
	m.written += len(batch)
	for _, r := range batch {
		key := r.Store + "/" + r.Key
		if r.Delete {
			delete(m.records, key)
		} else {
			m.records[key] = Record{Store: r.Store, Key: r.Key, Value: r.Text()}
		}
	}
	return nil
}

func (m *memory) Post(r Reply)      { m.replies = append(m.replies, r) }
func (m *memory) Interrupted() bool { return false }

func (m *memory) all() []Record {
	var out []Record
	for _, k := range slices.Sorted(maps.Keys(m.records)) {
		out = append(out, m.records[k])
	}
	return out
}

// page keeps what a page would know from the deltas it gets.
type page struct {
	t       *testing.T
	port    *memory
	engine  *Engine
	events  []EventLine
	objects map[string]ObjectDelta
	last    Delta
	queue   QueueView
	enabled EnabledView
	faults  FaultsView
	wire    WireView
	cloud   CloudView
	caches  []CacheView
	notices []string
	id      int64
}

func open(t *testing.T, port *memory) *page {
	t.Helper()
	p := &page{t: t, port: port, engine: New(port), objects: map[string]ObjectDelta{}}
	if err := p.engine.Open(1, port.all(), nil); err != nil {
		t.Fatal(err)
	}
	p.take()
	return p
}

// take folds the replies into what the page knows and returns the last.
func (p *page) take() Reply {
	var last Reply
	for _, r := range p.port.replies {
		last = r
		if r.Delta == nil {
			continue
		}
		d := *r.Delta
		if d.Full {
			p.events, p.objects = nil, map[string]ObjectDelta{}
		}
		if d.EventsFrom >= 0 {
			p.events = p.events[:d.EventsFrom]
		}
		p.events = append(p.events, d.Events...)
		for _, o := range d.Objects {
			if o.Same {
				o.Cache = o.Server
			}
			if o.Server.IsZero() && o.Cache.IsZero() {
				delete(p.objects, o.Key)
			} else {
				p.objects[o.Key] = o
			}
		}
		if d.Queue != nil {
			p.queue = d.Queue.After(p.queue)
		}
		if d.Enabled != nil {
			p.enabled = d.Enabled.After(p.enabled)
		}
		if d.Faults != nil {
			p.faults = d.Faults.After(p.faults)
		}
		if d.Wire != nil {
			p.wire = *d.Wire
		}
		if d.Cloud != nil {
			p.cloud = *d.Cloud
		}
		if d.Caches != nil {
			p.caches = d.Caches
		}
		if d.Notice != nil {
			p.notices = append(p.notices, d.Notice.Code)
		}
		p.last = d
	}
	p.port.replies = nil
	return last
}

// do serves a command and requires success.
func (p *page) do(cmd Command) Reply {
	p.t.Helper()
	r := p.try(cmd)
	if r.Error != nil {
		p.t.Fatalf("%s: %s (%s)", cmd.Method, r.Error.Message, r.Error.Reason)
	}
	return r
}

func (p *page) try(cmd Command) Reply {
	p.id++
	cmd.ID = p.id
	p.engine.Handle(cmd)
	r := p.take()
	p.agrees()
	return r
}

// agrees checks that what the page was told in deltas is what is there.
func (p *page) agrees() {
	p.t.Helper()
	w := p.engine.line.World()
	n := map[string]bool{}
	for s := range w.Server().All() {
		key := w.Name(s.Object.Ref())
		n[key] = true
		if got := p.objects[key]; !got.Server.Equal(s.Object) {
			p.t.Fatalf("the page has another %s than the server", key)
		}
	}
	for _, o := range w.AllCached() {
		key := w.Name(o.Ref())
		n[key] = true
		if got := p.objects[key]; !got.Cache.Equal(o) {
			p.t.Fatalf("the page has another cached %s than the cache", key)
		}
	}
	for key := range p.objects {
		if !n[key] {
			p.t.Fatalf("the page still shows %s", key)
		}
	}
	if len(p.events) != p.engine.line.Len() {
		p.t.Fatalf("the page has %d events, the timeline %d", len(p.events), p.engine.line.Len())
	}
	for i, ev := range p.events {
		if ev.N != i+1 {
			p.t.Fatalf("event %d of the page is number %d", i+1, ev.N)
		}
	}
}

func (p *page) rv(key string) string { return p.objects[key].Server.ResourceVersion() }

// What has not changed is not told again; of the faults that can be made, only what is new.
func TestWhatStaysIsToldOnce(t *testing.T) {
	p := open(t, newMemory())
	for range 60 {
		p.do(Command{Method: "enabled"})
		if d := p.last; d.Wire != nil || d.Cloud != nil || d.Caches != nil || d.Queue != nil || d.Enabled != nil || d.Faults != nil {
			t.Fatalf("after nothing at all is told: %+v", d)
		}
		p.do(Command{Method: "step"})
		want := p.engine.faults(p.engine.line.World())
		if d := cmp.Diff(inJSON(want.Items), inJSON(p.faults.Items)); d != "" {
			t.Fatalf("the page has other faults than there are: %s", d)
		}
		if d := p.last.Faults; d != nil && len(d.Items) == len(want.Items) && len(d.Items) > len(sim.FaultKinds) {
			t.Errorf("all of %d faults are told again", len(d.Items))
		}
	}
	full := p.engine.delta(true)
	for name, pair := range map[string][2]any{"wire": {p.wire, *full.Wire}, "cloud": {p.cloud, *full.Cloud}, "caches": {p.caches, full.Caches}} {
		if d := cmp.Diff(pair[1], pair[0]); d != "" {
			t.Errorf("the page has another %s than there is: %s", name, d)
		}
	}
}

func TestMainJob(t *testing.T) {
	p := open(t, newMemory())
	if len(p.events) != 5 || p.wire.Total != 3 {
		t.Fatalf("the lab opens with %d events and %d on the wire", len(p.events), p.wire.Total)
	}
	p.do(Command{Method: "run"})
	if !p.last.Timeline.Quiet {
		t.Fatal("the lab does not come to rest")
	}
	for _, key := range []string{"WebApp/default/plain", "WebApp/default/outside"} {
		if got := p.objects[key].Server.Str("status", "phase"); got != "Ready" {
			t.Errorf("%s is %q", key, got)
		}
	}
	if got := p.objects["WebApp/default/waiting"].Server.Str("status", "phase"); got != "Pending" {
		t.Errorf("waiting is %q", got)
	}
	if p.cloud.Total != 1 {
		t.Errorf("%d things in the cloud", p.cloud.Total)
	}
	before := map[string]string{}
	for key := range p.objects {
		before[key] = p.rv(key)
	}
	revision := p.last.Revision
	p.do(Command{Method: "rerun"})
	after := map[string]string{}
	for key := range p.objects {
		after[key] = p.rv(key)
	}
	if d := cmp.Diff(before, after); d != "" || p.last.Revision != revision {
		t.Errorf("a second pass moved something: %s", d)
	}
}

func TestReloadAnywhere(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	for i := range 40 {
		r := p.try(Command{Method: "step"})
		if r.Error != nil {
			break
		}
		if i == 20 {
			p.do(Command{Method: "delete", Ref: "WebApp/default/outside"})
		}
		q := open(t, &memory{records: maps.Clone(port.records)})
		if q.engine.base != nil || !slices.Contains(q.notices, "reloaded") {
			t.Fatalf("after step %d the reload says %v", i, q.notices)
		}
		for key, o := range p.objects {
			if !o.Server.IsZero() && !q.objects[key].Server.Equal(o.Server) {
				t.Fatalf("after step %d the reload has another %s", i, key)
			}
		}
		if got := q.events[len(q.events)-1].Text; !strings.HasPrefix(got, "reload") {
			t.Fatalf("the reload is no step: %s", got)
		}
		q.do(Command{Method: "run"})
		if !q.last.Timeline.Quiet {
			t.Fatalf("after a reload at step %d the world does not come to rest", i)
		}
	}
}

func TestObjectsWin(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	key := storeObjects + "//registry/lab.example.com/webapps/default/plain"
	r, ok := port.records[key]
	if !ok {
		t.Fatalf("no record %s among %v", key, slices.Sorted(maps.Keys(port.records)))
	}
	r.Value = strings.Replace(r.Value, `"message":"hello"`, `"message":"from elsewhere"`, 1)
	port.records[key] = r
	q := open(t, port)
	if !slices.Contains(q.notices, "replay-differs") {
		t.Errorf("said %v", q.notices)
	}
	if got := q.objects["WebApp/default/plain"].Server.Str("spec", "message"); got != "from elsewhere" {
		t.Errorf("the stored object lost: %q", got)
	}
	archived := 0
	for k := range port.records {
		if strings.HasPrefix(k, storeArchive) {
			archived++
		}
	}
	if archived != 1 {
		t.Errorf("%d archived timelines", archived)
	}
	// The new beginning is as good as any: it can be played and reloaded.
	q.do(Command{Method: "run"})
	again := open(t, port)
	if again.notices[0] != "reloaded" {
		t.Errorf("the second reload says %v", again.notices)
	}
}

func TestRefusedInputLosesNothing(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	length, commits := p.engine.line.Len(), p.port.commits
	for _, c := range []struct {
		cmd    Command
		reason string
		mark   Mark
	}{
		{Command{Method: "apply", Text: "a: b: c\n"}, "BadInput", Mark{Line: 1, Col: 5}},
		{Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: x\n  replicas: 11\n"}, "Invalid", Mark{Line: 7, Col: 13, Field: "spec.replicas"}},
		{Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: Webapp\nmetadata:\n  name: plain\n"}, "BadInput", Mark{Line: 2, Col: 7, Field: "kind"}},
		{Command{Method: "apply", Text: ""}, "BadInput", Mark{Line: 1, Col: 1}},
		{Command{Method: "apply", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\nspec:\n  message: x\n  foo: 1\n"}, "Invalid", Mark{Line: 7, Col: 8, Field: "spec.foo"}},
		{Command{Method: "apply", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n  namespace: nowhere\n"}, "NotFound", Mark{Line: 5, Col: 14, Field: "metadata.namespace"}},
		{Command{Method: "delete", Ref: "WebApp/default/nobody"}, "NotFound", Mark{}},
		{Command{Method: "advance", Duration: "soon"}, "BadInput", Mark{}},
		{Command{Method: "step", Action: "start controller default/plain"}, "NotEnabled", Mark{}},
		{Command{Method: "step", Action: "jump \"x"}, "BadInput", Mark{}},
		{Command{Method: "seek", N: 10000}, "BadInput", Mark{}},
		{Command{Method: "load", Text: "nonsense"}, "BadInput", Mark{Line: 1}},
		{Command{Method: "load", Text: "{}"}, "BadInput", Mark{}},
		{Command{Method: "inspect", Text: "nonsense"}, "BadInput", Mark{Line: 1}},
		{Command{Method: "inspect", Text: "{\"format\""}, "BadInput", Mark{}},
		{Command{Method: "fly"}, "NotImplemented", Mark{}},
	} {
		r := p.try(c.cmd)
		if r.Error == nil || r.Error.Reason != c.reason {
			t.Errorf("%s %q: %+v, want reason %s", c.cmd.Method, c.cmd.Text, r.Error, c.reason)
			continue
		}
		if c.mark.Line > 0 {
			if len(r.Error.Marks) == 0 {
				t.Errorf("%q: no mark", c.cmd.Text)
				continue
			}
			got := r.Error.Marks[0]
			got.Message = ""
			if d := cmp.Diff(c.mark, got); d != "" {
				t.Errorf("%q: %s", c.cmd.Text, d)
			}
		}
	}
	if p.engine.line.Len() != length || p.port.commits != commits {
		t.Errorf("%d steps and %d commits came of refused input", p.engine.line.Len()-length, p.port.commits-commits)
	}
}

func TestOfSeveralDocumentsOneIsRefused(t *testing.T) {
	p := open(t, newMemory())
	length := p.engine.line.Len()
	const head = "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  namespace: default\n  name: "
	r := p.try(Command{Method: "apply", Text: head + "one\nspec:\n  message: a\n---\n" + head + "two\nspec: {}\n---\n" + head + "three\nspec:\n  message: c\n"})
	if r.Error == nil || r.Error.Reason != "Invalid" || len(r.Error.Marks) == 0 || r.Error.Marks[0].Line < 8 {
		t.Fatalf("error %+v", r.Error)
	}
	var ev sim.Event
	if err := json.Unmarshal(r.Result, &ev); err != nil {
		t.Fatal(err)
	}
	var written []string
	for _, f := range ev.Facts {
		if f.Kind == sim.FactWrite {
			written = append(written, f.Ref)
		}
	}
	if d := cmp.Diff([]string{"WebApp/default/one", "WebApp/default/three"}, written); d != "" {
		t.Error(d)
	}
	if p.engine.line.Len() != length+1 || r.Delta == nil {
		t.Errorf("%d steps, delta %v", p.engine.line.Len()-length, r.Delta)
	}
}

func TestManyObjectsAreToldInParts(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	var docs []string
	for i := range 3*partObjects + 1 {
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many-%d\n  namespace: default\n", i))
	}
	p.engine.Handle(Command{ID: 7, Method: "apply", Text: strings.Join(docs, "---\n")})
	told := 0
	for i, r := range port.replies {
		if r.ID != 7 || r.Delta == nil || len(r.Delta.Objects) > partObjects || r.Done != (i == len(port.replies)-1) || r.Delta.Part == r.Done {
			t.Errorf("reply %d: %+v", i, r)
		}
		told += len(r.Delta.Objects)
	}
	if told != len(docs) || len(port.replies) != 4 {
		t.Errorf("%d objects told in %d replies", told, len(port.replies))
	}
}

func TestTravelAndBranch(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	tip := p.engine.line.Len()
	p.do(Command{Method: "seek", N: 7})
	if p.last.Timeline.Step != 7 || p.last.Timeline.Length != tip {
		t.Errorf("the view is at %+v", p.last.Timeline)
	}
	p.do(Command{Method: "back"})
	p.do(Command{Method: "delete", Ref: "WebApp/default/plain"})
	if len(p.last.Timeline.Branches) != 1 || p.last.Timeline.Length != 7 {
		t.Errorf("acting in the past gives %+v", p.last.Timeline)
	}
	q := open(t, &memory{records: maps.Clone(port.records)})
	if len(q.engine.line.Branches()) != 1 {
		t.Error("the branch is lost in a reload")
	}
	p.do(Command{Method: "branch", N: 0})
	if p.engine.line.Len() != tip || len(p.engine.line.Branches()) != 1 {
		t.Errorf("back on the old tail: %d steps, %d branches", p.engine.line.Len(), len(p.engine.line.Branches()))
	}
	if p.rv("WebApp/default/plain") == "" {
		t.Error("plain is still deleted")
	}
}

// TestTravelTellsWhatTheStepChanged: wherever the view goes, what it is told to
// have changed is what the step there wrote, from what was there before.
func TestTravelTellsWhatTheStepChanged(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	if p.last.Changed != nil {
		t.Error("a run is told as a journey")
	}
	tip := p.engine.line.Len()
	for _, n := range []int{tip - 1, tip - 2, 7, 8, 3, 0, 1, tip} {
		p.do(Command{Method: "seek", N: n})
		if p.last.Changed == nil {
			t.Fatalf("at %d nothing is told", n)
		}
		var want, got []string
		if n > 0 {
			for _, f := range p.engine.line.Events()[n-1].Facts {
				if f.Kind == sim.FactWrite {
					want = append(want, f.Ref+" from "+f.Before)
				}
			}
		}
		for _, c := range p.last.Changed {
			got = append(got, c.Key+" from "+c.Before.ResourceVersion())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("at %d: %s", n, d)
		}
	}
	p.do(Command{Method: "seek", N: 5})
	p.do(Command{Method: "crash"})
	if p.last.Changed != nil {
		t.Error("a step in the past is told as a journey")
	}
	p.do(Command{Method: "branch", N: 0})
	if p.last.Changed == nil {
		t.Error("taking up a branch is told as a step")
	}
}

func TestBranchesSayWhatWasDoneOnThem(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	p.do(Command{Method: "apply", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n"})
	p.do(Command{Method: "patch", Ref: "ConfigMap/default/a", Text: `{"data":{"k":"v"}}`})
	p.do(Command{Method: "crash"})
	p.do(Command{Method: "restart"})
	p.do(Command{Method: "seek", N: 7})
	p.do(Command{Method: "crash"})
	want := Branch{At: 7, Length: p.last.Timeline.Branches[0].Length, Acts: []string{"apply ConfigMap/a, ConfigMap/b", "patch ConfigMap/default/a", "crash controller"}, More: 1}
	if d := cmp.Diff([]Branch{want}, p.last.Timeline.Branches); d != "" {
		t.Error(d)
	}
	p.do(Command{Method: "branch", N: 0})
	want = Branch{At: 7, Length: 1, Acts: []string{"crash controller"}}
	if d := cmp.Diff([]Branch{want}, p.last.Timeline.Branches); d != "" {
		t.Error(d)
	}
}

func TestInspectSaysWhatLoadWouldTake(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	before := p.engine.line.Len()
	var text string
	if err := json.Unmarshal(p.do(Command{Method: "export"}).Result, &text); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		text:                       fmt.Sprintf(`{"title":"Lab: three WebApps","cluster":true,"steps":%d}`, before),
		p.engine.scenario.Source(): `{"title":"Lab: three WebApps"}`,
	} {
		if got := string(p.do(Command{Method: "inspect", Text: text}).Result); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if p.engine.line.Len() != before {
		t.Error("it was loaded")
	}
}

func TestExportImport(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	p.do(Command{Method: "file", Name: "mine.yaml", Text: "# <img onerror>"})
	var text string
	if err := json.Unmarshal(p.do(Command{Method: "export"}).Result, &text); err != nil {
		t.Fatal(err)
	}
	q := open(t, newMemory())
	q.do(Command{Method: "load", Text: text})
	if d := cmp.Diff(p.objects, q.objects); d != "" {
		t.Errorf("imported: %s", d)
	}
	if d := cmp.Diff(p.engine.files, q.engine.files); d != "" {
		t.Errorf("files: %s", d)
	}
	broken := strings.Replace(text, "mine.yaml", "yours.yaml", 1)
	if r := q.try(Command{Method: "load", Text: broken}); r.Error == nil || !strings.Contains(r.Error.Message, "checksum") {
		t.Errorf("a damaged file: %+v", r.Error)
	}
	if d := cmp.Diff(p.objects, q.objects); d != "" {
		t.Errorf("a refused import changed something: %s", d)
	}
}

// A branch of an imported cluster is what somebody else wrote.
func TestImportedBranchesAreNotTrusted(t *testing.T) {
	p := open(t, newMemory())
	var x exported
	if err := json.Unmarshal([]byte(textOf(t, p.do(Command{Method: "export"}))), &x); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		branch timeline.Branch
		says   string
	}{
		{timeline.Branch{At: 2, Choices: []string{"tick"}}, "branch 1"},
		{timeline.Branch{At: -1, Choices: []string{"tick"}}, "branch 1"},
		{timeline.Branch{Choices: []string{"fault x", "fault", "", `"`, "patch", "apply", "deploy"}}, ""},
	} {
		x.Branches = []timeline.Branch{c.branch}
		x.Sum = x.sum()
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		port := newMemory()
		r := open(t, port).try(Command{Method: "load", Text: string(text)})
		switch {
		case c.says == "" && (r.Error != nil || r.Delta.Timeline.Branches[0].Length != len(c.branch.Choices)):
			t.Errorf("%+v: %+v", c.branch, r)
		case c.says != "" && (r.Error == nil || !strings.Contains(r.Error.Message, c.says)):
			t.Errorf("%+v is taken: %+v", c.branch, r.Error)
		}
		open(t, port)
	}
}

// textOf is an answer that is a text.
func textOf(t *testing.T, r Reply) (text string) {
	t.Helper()
	if err := json.Unmarshal(r.Result, &text); err != nil {
		t.Fatal(err)
	}
	return text
}

func TestStorageRefusesAndTheRunGoesOn(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	port.fail = errors.New("QuotaExceededError")
	p.do(Command{Method: "run"})
	if !p.last.Timeline.Quiet {
		t.Error("the run stopped")
	}
	if !slices.Contains(p.notices, "storage-lost") {
		t.Errorf("said %v", p.notices)
	}
	// Once it writes again, everything is there: no hole is left.
	port.fail = nil
	p.do(Command{Method: "advance", Duration: "1s"})
	q := open(t, port)
	if q.notices[0] != "reloaded" || q.engine.line.Len() != p.engine.line.Len()+1 {
		t.Errorf("the reload says %v, with %d steps of %d", q.notices, q.engine.line.Len(), p.engine.line.Len())
	}
}

// TestDefinitionGone takes the CRD away under a running controller: the watch
// ends, lists are answered 404 and tried again with a backoff, nothing spins, and
// what is stored stays whole.
func TestDefinitionGone(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	p.do(Command{Method: "delete", Ref: "WebApp/default/outside"})
	p.do(Command{Method: "run"})
	p.do(Command{Method: "delete", Ref: "CustomResourceDefinition/webapps.lab.example.com"})
	p.do(Command{Method: "run"})
	if n := p.engine.line.Len(); n > 200 {
		t.Errorf("the run took %d steps", n)
	}
	for key, o := range p.objects {
		if strings.HasPrefix(key, "WebApp/") || strings.HasSuffix(key, "-config") {
			t.Errorf("%s is still there: server %v, cache %v", key, !o.Server.IsZero(), !o.Cache.IsZero())
		}
	}
	p.do(Command{Method: "report", Format: "json"})
	q := open(t, port)
	if q.notices[0] != "reloaded" {
		t.Errorf("the reload says %v", q.notices)
	}
	q.do(Command{Method: "run"})
	var text string
	if err := json.Unmarshal(q.do(Command{Method: "export"}).Result, &text); err != nil {
		t.Fatal(err)
	}
	r := open(t, newMemory())
	r.do(Command{Method: "load", Text: text})
	r.do(Command{Method: "run"})
}

// What the library has is loaded by its name.
func TestLoadByName(t *testing.T) {
	q := open(t, newMemory())
	q.do(Command{Method: "load", Text: "incident-stuck-finalizer"})
	if name := q.engine.scenario.Name; name != "incident-stuck-finalizer" {
		t.Errorf("loaded %s", name)
	}
}

// TestBranchesWriteWhatIsNew counts the records of an act in the past.
func TestBranchesWriteWhatIsNew(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	for range 20 {
		p.do(Command{Method: "rerun"})
	}
	p.do(Command{Method: "back"})
	port.written = 0
	p.do(Command{Method: "delete", Ref: "WebApp/default/plain"})
	if port.written > 15 {
		t.Errorf("one step back and a delete wrote %d records", port.written)
	}
	q := open(t, &memory{records: maps.Clone(port.records)})
	if len(q.engine.line.Branches()) != 1 || q.notices[0] != "reloaded" {
		t.Errorf("%d branches, %v", len(q.engine.line.Branches()), q.notices)
	}
	p.do(Command{Method: "branch", N: 0})
	q = open(t, port)
	if len(q.engine.line.Branches()) != 1 || q.notices[0] != "reloaded" {
		t.Errorf("after switching: %d branches, %v", len(q.engine.line.Branches()), q.notices)
	}
}

// A run that is left and done again to its end is no branch any more, nor said to be one, nor stored.
func TestABranchThatIsDoneAgain(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	tip := p.engine.line.Len()
	p.do(Command{Method: "seek", N: tip - 2})
	if p.do(Command{Method: "step"}); len(p.last.Timeline.Branches) != 1 || p.last.Notice == nil || p.last.Notice.Over {
		t.Errorf("one of two steps: %+v, %+v", p.last.Timeline, p.last.Notice)
	}
	if p.do(Command{Method: "step"}); len(p.last.Timeline.Branches) != 0 || p.last.Notice == nil || p.last.Notice.Code != "branch-kept" || !p.last.Notice.Over {
		t.Errorf("both steps: %+v, %+v", p.last.Timeline, p.last.Notice)
	}
	q := open(t, port)
	if len(q.engine.line.Branches()) != 0 || q.engine.line.Len() != tip+1 || q.notices[0] != "reloaded" {
		t.Errorf("after a reload: %d steps, %d branches, %v", q.engine.line.Len(), len(q.engine.line.Branches()), q.notices)
	}
	p.do(Command{Method: "back"})
	if p.do(Command{Method: "step"}); p.last.Notice == nil || !p.last.Notice.Over {
		t.Errorf("the last step again: %+v", p.last.Notice)
	}
}

// While a run is done again from where another one was left, that one stays told of as the old branch.
func TestAnOlderBranchThatIsDoneAgain(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	tip := p.engine.line.Len()
	for _, other := range []struct {
		at   int
		wait string
	}{{tip - 1, "1s"}, {tip - 2, "2s"}} {
		p.do(Command{Method: "seek", N: other.at})
		p.do(Command{Method: "advance", Duration: other.wait})
	}
	p.do(Command{Method: "seek", N: tip - 2})
	if p.do(Command{Method: "step"}); p.last.Notice == nil || p.last.Notice.Over || len(p.last.Timeline.Branches) != 3 {
		t.Errorf("one of two steps: %+v, %+v", p.last.Timeline, p.last.Notice)
	}
	if p.do(Command{Method: "step"}); p.last.Notice != nil || len(p.last.Timeline.Branches) != 2 {
		t.Errorf("both steps: %+v, %+v", p.last.Timeline, p.last.Notice)
	}
}

func TestCrashAndStuckDeletion(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	p.do(Command{Method: "crash"})
	if p.last.Controller != "crashed" || p.queue.Total != 0 {
		t.Errorf("after the crash: %s, %d keys", p.last.Controller, p.queue.Total)
	}
	p.do(Command{Method: "delete", Ref: "WebApp/default/outside"})
	p.do(Command{Method: "run"})
	if r := p.try(Command{Method: "step"}); r.Error == nil || !strings.Contains(r.Error.Message, "restart") {
		t.Errorf("a step without a controller: %+v", r.Error)
	}
	if p.caches == nil || len(p.caches) != 0 {
		t.Errorf("without a controller there are caches: %v", p.caches)
	}
	o := p.objects["WebApp/default/outside"].Server
	if !o.Terminating() || !o.HasFinalizer("lab.example.com/cloud") {
		t.Errorf("without a controller: %s", o.DeletionTimestamp())
	}
	p.do(Command{Method: "restart"})
	p.do(Command{Method: "run"})
	if _, there := p.objects["WebApp/default/outside"]; there || p.cloud.Total != 0 {
		t.Errorf("with a controller the deletion does not end: %d in the cloud", p.cloud.Total)
	}
}

// TestLeftInTheCloud takes the finalizer off by hand while the controller is
// down: what that leaves is a finding of the report.
func TestLeftInTheCloud(t *testing.T) {
	p := open(t, newMemory())
	p.do(Command{Method: "run"})
	p.do(Command{Method: "crash"})
	p.do(Command{Method: "delete", Ref: "WebApp/default/outside"})
	p.do(Command{Method: "unfinalize", Ref: "WebApp/default/outside", Name: "lab.example.com/cloud"})
	p.do(Command{Method: "restart"})
	p.do(Command{Method: "run"})
	var text string
	if err := json.Unmarshal(p.do(Command{Method: "report", Format: "json"}).Result, &text); err != nil {
		t.Fatal(err)
	}
	var report struct {
		Findings []struct{ Finding, Object string }
	}
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 1 || report.Findings[0].Finding != "orphan" || report.Findings[0].Object != "lb/lb-0001" {
		t.Errorf("findings: %+v", report.Findings)
	}
}

// TestSecondTab opens a cluster that another tab holds: nothing crashed, so no
// reload is recorded.
func TestSecondTab(t *testing.T) {
	port := newMemory()
	p := open(t, port)
	p.do(Command{Method: "run"})
	other := &memory{records: maps.Clone(port.records)}
	e := New(other)
	if err := e.Open(1, other.all(), &StorageState{State: "foreign-tab"}); err != nil {
		t.Fatal(err)
	}
	if e.line.Len() != p.engine.line.Len() || other.replies[0].Delta.Notice != nil {
		t.Errorf("%d steps instead of %d, notice %+v", e.line.Len(), p.engine.line.Len(), other.replies[0].Delta.Notice)
	}
}

// TestHostileNames takes names that are markup through every text of a delta.
func TestHostileNames(t *testing.T) {
	p := open(t, newMemory())
	evil := `<img src=x onerror=alert(1)>`
	p.do(Command{Method: "patch", Ref: "WebApp/default/plain", Text: fmt.Sprintf(`{"spec":{"message":%q}}`, evil)})
	if got := p.objects["WebApp/default/plain"].Server.Str("spec", "message"); got != evil {
		t.Errorf("the message is %q", got)
	}
}

func BenchmarkStep(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			port := newMemory()
			e := New(port)
			if err := e.Open(1, nil, nil); err != nil {
				b.Fatal(err)
			}
			for i := range n {
				e.Handle(Command{Method: "apply", Text: fmt.Sprintf("apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: a%d\nspec:\n  message: hi\n", i)})
			}
			for b.Loop() {
				port.replies = nil
				e.Handle(Command{Method: "step"})
			}
		})
	}
}
