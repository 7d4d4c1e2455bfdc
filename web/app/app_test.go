package app

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
	"github.com/reconcile-playground/reconcile/web/words"
)

// obj builds an object; more is merged into its root.
func obj(kind, name, rv string, more string) object.Object {
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":%q,"metadata":{"name":%q,"namespace":"default","resourceVersion":%q,"generation":1}%s}`, kind, name, rv, more)
	o, err := object.DecodeObject([]byte(text))
	if err != nil {
		panic(err)
	}
	return o
}

const ready = `,"status":{"observedGeneration":1,"conditions":[{"type":"Ready","status":"True"}]}`

func delta(os ...object.Object) []engine.ObjectDelta {
	var ds []engine.ObjectDelta
	for _, o := range os {
		ds = append(ds, engine.ObjectDelta{Key: o.Kind() + "/default/" + o.Name(), Server: o})
	}
	return ds
}

// full is the first answer of an engine.
func full(objects ...object.Object) *engine.Delta {
	return &engine.Delta{
		Full:     true,
		Scenario: &engine.ScenarioInfo{Name: "lab", Title: "Lab", Watched: "WebApp", Owned: []string{"ConfigMap"}},
		Timeline: &engine.Timeline{},
		Enabled:  &engine.EnabledView{Items: []engine.EnabledItem{{Action: "deliver c webapps", Place: "wire", Default: true}}, Total: 1},
		Objects:  delta(objects...),
		Files: []engine.File{
			{Name: "plain.yaml", Text: "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\n"},
			{Name: "shared.yaml", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shared\n"},
		},
	}
}

// session is a model with an engine that the test plays.
type session struct {
	t *testing.T
	m *Model
	// sent are the commands that have not been answered.
	sent []engine.Command
	// last are the other effects of the last message.
	last []Effect
}

func start(t *testing.T, d *engine.Delta) *session {
	t.Helper()
	s := &session{t: t, m: New(words.English, Prefs{})}
	s.take(s.m.Start())
	s.answer("open", nil, d)
	return s
}

func (s *session) take(effects []Effect) {
	s.last = nil
	for _, e := range effects {
		if send, ok := e.(Send); ok {
			s.sent = append(s.sent, send.Command)
		} else {
			s.last = append(s.last, e)
		}
	}
}

func (s *session) do(msg Msg) { s.take(s.m.Update(msg)) }

// answer answers the oldest command, which is of that method.
func (s *session) answer(method string, result any, d *engine.Delta) {
	s.t.Helper()
	s.reply(method, engine.Reply{Done: true, Delta: d}, result)
}

func (s *session) refuse(method string, err *engine.Error) {
	s.t.Helper()
	s.reply(method, engine.Reply{Done: true, Error: err}, nil)
}

func (s *session) reply(method string, r engine.Reply, result any) {
	s.t.Helper()
	if len(s.sent) == 0 || s.sent[0].Method != method {
		s.t.Fatalf("sent %+v, want %s first", s.sent, method)
	}
	r.ID = s.sent[0].ID
	s.sent = s.sent[1:]
	if result != nil {
		r.Result, _ = json.Marshal(result)
	}
	s.take(s.m.Update(FromEngine{r}))
}

func (s *session) methods() []string {
	var out []string
	for _, c := range s.sent {
		out = append(out, c.Method)
	}
	return out
}

func (s *session) has(want Effect) bool {
	for _, e := range s.last {
		if reflect.DeepEqual(e, want) {
			return true
		}
	}
	return false
}

func TestStepMarksWhatChanged(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", ""), obj("ConfigMap", "x", "11", "")))
	if e := s.m.Objects.Get("WebApp/default/plain"); s.m.Objects.Fresh(e) {
		t.Error("an object of the first answer is marked as changed")
	}
	s.do(Step{})
	s.answer("step", sim.Event{N: 1, Action: "a"}, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 1},
		Events: []engine.EventLine{{N: 1, Text: "deliver"}}, Objects: delta(obj("WebApp", "plain", "12", ""), obj("ConfigMap", "new", "13", ""))})
	e := s.m.Objects.Get("WebApp/default/plain")
	if !s.m.Objects.Fresh(e) || e.Before.ResourceVersion() != "10" || e.Server.ResourceVersion() != "12" || e.ChangedAt != 1 {
		t.Errorf("plain: fresh %v, %s -> %s at %d", s.m.Objects.Fresh(e), e.Before.ResourceVersion(), e.Server.ResourceVersion(), e.ChangedAt)
	}
	if e := s.m.Objects.Get("ConfigMap/default/new"); !s.m.Objects.Fresh(e) || !e.Before.IsZero() {
		t.Error("a new object is not marked as new")
	}
	if s.m.Said != "Step 1: deliver" {
		t.Errorf("said %q", s.m.Said)
	}
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1})
	if s.m.Objects.Fresh(s.m.Objects.Get("WebApp/default/plain")) {
		t.Error("the mark stays after a step that changed nothing")
	}
}

func TestRunKeepsTheStateBeforeIt(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	s.do(Run{})
	if !s.m.Running {
		t.Fatal("not running")
	}
	id := s.sent[0].ID
	for i, rv := range []string{"12", "14"} {
		s.take(s.m.Update(FromEngine{engine.Reply{ID: id, Delta: &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: i + 1, Length: i + 1}, Objects: delta(obj("WebApp", "plain", rv, ""))}}}))
	}
	s.answer("run", nil, nil)
	e := s.m.Objects.Get("WebApp/default/plain")
	if e.Before.ResourceVersion() != "10" || e.Server.ResourceVersion() != "14" || s.m.Running || s.m.Ran != 2 {
		t.Errorf("%s -> %s, running %v, ran %d", e.Before.ResourceVersion(), e.Server.ResourceVersion(), s.m.Running, s.m.Ran)
	}
}

func TestDeletedObjectStaysForOneAct(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Objects: []engine.ObjectDelta{{Key: "WebApp/default/plain"}}})
	e := s.m.Objects.Get("WebApp/default/plain")
	if e == nil || !e.Gone() || len(s.m.Rows()) != 2 {
		t.Fatal("what has just gone is not shown as gone")
	}
	s.do(Step{})
	s.answer("step", nil, nil)
	if s.m.Objects.Get("WebApp/default/plain") != nil || len(s.m.Rows()) != 0 {
		t.Error("what is gone stays")
	}
}

func TestAReloadShowsTheSameObject(t *testing.T) {
	objects := []object.Object{obj("WebApp", "plain", "10", ""), obj("WebApp", "waiting", "11", ""), obj("ConfigMap", "x", "12", "")}
	s := start(t, full(objects...))
	first := s.m.Selected
	s.do(Leaving{})
	if !s.has(SaveShown{Shown{Selected: first}}) {
		t.Errorf("leaving keeps %+v", s.last)
	}
	s.do(Leaving{})
	if len(s.last) != 0 {
		t.Errorf("leaving again does %+v", s.last)
	}
	s.do(Select{"ConfigMap/default/x"})
	s.do(Leaving{})
	want := Shown{Selected: "ConfigMap/default/x", Stays: true}
	if !s.has(SaveShown{want}) {
		t.Fatalf("leaving keeps %+v", s.last)
	}
	again := func(objects ...object.Object) *Model {
		s := &session{t: t, m: New(words.English, Prefs{})}
		s.m.ShowAgain(want)
		s.take(s.m.Start())
		s.answer("open", nil, full(objects...))
		return s.m
	}
	if m := again(objects...); m.Selected != want.Selected || m.Follow {
		t.Errorf("after the reload %s is selected, following: %v", m.Selected, m.Follow)
	}
	if m := again(objects[:2]...); m.Selected != first {
		t.Errorf("after the reload %s is selected in place of what is gone", m.Selected)
	}
}

// Whatever the other tab has stored since stays, unless this one changed that very thing.
func TestPreferencesOfTwoTabs(t *testing.T) {
	was := Prefs{Theme: "dark", TourStep: 2, Stored: true, Columns: Columns{Files: 300}}
	stored := Prefs{Theme: "light", TourStep: 5, NoKeys: true}
	text := stored.Over(Prefs{}, "")
	for _, c := range []struct {
		name         string
		change, want func(p *Prefs)
	}{
		{"nothing", func(*Prefs) {}, func(*Prefs) {}},
		{"set", func(p *Prefs) { p.Drawer = "tall" }, func(p *Prefs) { p.Drawer = "tall" }},
		{"set to something else", func(p *Prefs) { p.Theme = "" }, func(p *Prefs) { p.Theme = "" }},
		{"set anew", func(p *Prefs) { p.Columns.Files = 400 }, func(p *Prefs) { p.Columns.Files = 400 }},
	} {
		now, want := was, stored
		c.change(&now)
		c.want(&want)
		var got Prefs
		if err := json.Unmarshal([]byte(now.Over(was, text)), &got); err != nil || got != want {
			t.Errorf("%s: %+v, want %+v, %v", c.name, got, want, err)
		}
		for _, broken := range []string{"", "null", "[1", "7"} {
			var got Prefs
			if err := json.Unmarshal([]byte(now.Over(was, broken)), &got); err != nil || got != now {
				t.Errorf("%s over %q: %+v, want %+v, %v", c.name, broken, got, now, err)
			}
		}
	}
}

func TestGoodNewsGoesWithTheNextActAndTroubleWhenItIsSolved(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	shown := func() (codes []string) {
		for _, n := range s.m.Notices {
			codes = append(codes, n.Code)
		}
		return codes
	}
	tell := func(code string) {
		s.take(s.m.Update(FromEngine{engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Notice: &engine.Notice{Code: code}}}}))
	}
	step := func(d *engine.Delta) []string {
		s.do(Step{})
		s.answer("step", nil, d)
		return shown()
	}
	for _, code := range []string{"link-opened", "reloaded", "link-differs", "loop", "storage-lost", branchKept} {
		tell(code)
	}
	s.do(MakeReport{})
	s.answer("report", "# Report", nil)
	if n := len(shown()); n != 6 {
		t.Errorf("a report leaves %v", shown())
	}
	s.do(Step{})
	s.refuse("step", &engine.Error{Message: "no", Reason: "NotEnabled"})
	if d := cmp.Diff([]string{"link-opened", "reloaded", "link-differs", "loop", "storage-lost", branchKept}, shown()); d != "" {
		t.Error("after an act that failed: " + d)
	}
	at := func(n int, quiet bool) *engine.Delta {
		return &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: n, Length: n, Quiet: quiet}}
	}
	if d := cmp.Diff([]string{"link-differs", "loop", "storage-lost", branchKept}, step(at(1, false))); d != "" {
		t.Error("after an act: " + d)
	}
	saved := at(2, false)
	saved.Storage = &engine.StorageState{State: "saved"}
	if d := cmp.Diff([]string{"link-differs", "loop", branchKept}, step(saved)); d != "" {
		t.Error("once it is saved: " + d)
	}
	if d := cmp.Diff([]string{"link-differs", branchKept}, step(at(3, true))); d != "" {
		t.Error("once it is quiet: " + d)
	}
	// What is opened says so, though it is an act itself.
	s.do(PickScenario{Name: "lab"})
	opened := full()
	opened.Notice = &engine.Notice{Code: "run-opened"}
	s.answer("scenario", nil, opened)
	if d := cmp.Diff([]string{"run-opened"}, shown()); d != "" {
		t.Error("of another run: " + d)
	}
}

func TestOrderOfRows(t *testing.T) {
	builtin := engine.ObjectDelta{Key: "Namespace/default", Server: obj("Namespace", "default", "1", ""), Builtin: true}
	d := full(obj("Secret", "s", "5", ""), obj("ConfigMap", "b", "4", ""), obj("WebApp", "z", "3", ""), obj("WebApp", "a", "2", ""))
	d.Objects = append([]engine.ObjectDelta{builtin}, d.Objects...)
	s := start(t, d)
	var got []string
	for _, r := range s.m.Rows() {
		if r.Entry == nil {
			got = append(got, r.Heading)
		} else {
			got = append(got, " "+r.Entry.Name)
		}
	}
	want := []string{"WebApp", " a", " z", "ConfigMap", " b", "Secret", " s", "Namespace", " default"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	s.do(FilterBy{"webapp/default/z"})
	if n := len(s.m.Rows()); n != 2 {
		t.Errorf("%d rows match", n)
	}
}

func TestApply(t *testing.T) {
	plain := applied("7", "message: hello")
	s := start(t, full(plain))
	if !s.has(EditorShow{Name: "plain.yaml", Text: s.m.Files.Get("plain.yaml").Text}) {
		t.Fatalf("the first file is not shown: %v", s.last)
	}
	edited := func() bool { return s.m.StateOf(s.m.Files.Current()) == FileEdited }
	s.do(Edited{plainText + "  message: other\n x"})
	if !edited() {
		t.Error("not edited")
	}
	s.do(Apply{})
	if d := cmp.Diff([]string{"file", "apply"}, s.methods()); d != "" {
		t.Fatal(d)
	}
	s.answer("file", nil, nil)
	marks := []engine.Mark{{Line: 2, Col: 1, Message: "bad"}}
	s.refuse("apply", &engine.Error{Message: "error parsing", Reason: "BadInput", Marks: marks})
	if s.m.Files.Error == nil || !s.has(EditorMarks{Marks: marks}) || !edited() {
		t.Errorf("the error is not shown at its place: %v", s.last)
	}
	s.do(Edited{plainText + "  message: other\n"})
	if s.m.Files.Error != nil || !s.has(EditorMarks{}) {
		t.Error("the error stays while the person mends it")
	}
	s.do(Apply{})
	s.answer("file", nil, nil)
	ev := sim.Event{N: 1, Action: "apply", Facts: []sim.Fact{
		{Kind: sim.FactWrite, Verb: "created", Ref: "WebApp/default/plain", After: "7"},
		{Kind: sim.FactWrite, Verb: "updated", Ref: "ConfigMap/default/x", Before: "5", After: "8"}}}
	s.answer("apply", []sim.Event{ev}, &engine.Delta{EventsFrom: -1, Objects: delta(applied("8", "message: other"))})
	want := []Applied{{"WebApp/default/plain", "created", "", "7"}, {"ConfigMap/default/x", "configured", "5", "8"}}
	if d := cmp.Diff(want, s.m.Files.Done); d != "" {
		t.Error(d)
	}
	if s.m.Selected != "WebApp/default/plain" || edited() {
		t.Errorf("selected %q, edited %v", s.m.Selected, edited())
	}
	s.do(Apply{})
	s.answer("apply", []sim.Event{{N: 2, Action: "apply"}}, nil)
	if d := cmp.Diff([]Applied{{What: "unchanged"}}, s.m.Files.Done); d != "" {
		t.Error(d)
	}
}

// What was said to an apply is about its file alone, and is told again when that one is shown.
func TestAComplaintIsShownWithItsFile(t *testing.T) {
	s := start(t, full())
	both := slices.Clone(s.m.Files.List)
	s.do(OpenFile{"plain.yaml"})
	s.do(Apply{})
	s.do(OpenFile{"shared.yaml"})
	marks := []engine.Mark{{Line: 2, Col: 1, Message: "bad"}}
	s.refuse("apply", &engine.Error{Message: "bad", Marks: marks})
	if s.m.Files.Refusal() != nil {
		t.Error("what was said about plain.yaml stands under shared.yaml")
	}
	s.do(Edited{"x"})
	s.do(OpenFile{"plain.yaml"})
	if s.m.Files.Refusal() == nil || !s.has(EditorMarks{Marks: marks}) {
		t.Error("what was said about plain.yaml is not told again")
	}
	s.do(RemoveFile{Name: "plain.yaml", Sure: true})
	if s.m.Files.Error != nil {
		t.Error("what was said of a file outlives it")
	}
	s.sent, s.m.Files.List = nil, both
	s.do(ApplyFiles{Names: []string{"plain.yaml", "shared.yaml"}})
	s.refuse("apply", &engine.Error{Message: "both"})
	if s.m.Files.Refusal() == nil {
		t.Error("what was said about two files is not shown")
	}
	s.do(Edited{"y"})
	if s.m.Files.Error != nil {
		t.Error("it stays while the person mends it")
	}
}

const plainText = "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata:\n  name: plain\n  namespace: default\nspec:\n"

// applied is the WebApp plain as an apply with a spec has left it.
func applied(rv, spec string) object.Object {
	docs, err := object.DecodeYAML([]byte(plainText + "  " + spec))
	if err != nil {
		panic(err)
	}
	o := object.New(docs[0].Value.(*object.Map)).Set(&object.Map{}, "metadata", "annotations")
	return o.Set(string(object.EncodeJSON(o.Root())), "metadata", "annotations", lastApplied).Set(rv, "metadata", "resourceVersion")
}

func TestStateOfFilesIsJudgedByTheirContent(t *testing.T) {
	open := func(text string, objects ...object.Object) *session {
		d := full(objects...)
		d.Files = []engine.File{{Name: "plain.yaml", Text: text}}
		return start(t, d)
	}
	there := applied("7", "message: hello")
	tests := []struct {
		name, text string
		objects    []object.Object
		want       FileState
	}{
		{"as applied", plainText + "  message: hello\n", []object.Object{there}, FileApplied},
		{"written otherwise", "# a note\nkind: WebApp\napiVersion: lab.example.com/v1\nmetadata: {name: plain}\nspec: {message: \"hello\"}\n", []object.Object{there}, FileApplied},
		{"another value", plainText + "  message: other\n", []object.Object{there}, FileEdited},
		{"does not parse", plainText + "  message: other\n x", []object.Object{there}, FileEdited},
		{"gone", plainText + "  message: hello\n", nil, FileNotApplied},
		{"made by another", plainText + "  message: hello\n", []object.Object{obj("WebApp", "plain", "7", "")}, FileNotApplied},
		{"one of two", plainText + "  message: hello\n---\nkind: WebApp\nmetadata:\n  name: b\n", []object.Object{there}, FileNotApplied},
		{"no object", "words\n", []object.Object{there}, FileOther},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(tt.text, tt.objects...)
			f := s.m.Files.Current()
			if got := s.m.StateOf(f); got != tt.want {
				t.Fatalf("it is %q, want %q", got, tt.want)
			}
			s.do(Revert{})
			if want := tt.want == FileEdited; (f.Text != tt.text) != want || want && s.m.StateOf(f) != FileApplied {
				t.Errorf("reverted to %q", f.Text)
			}
		})
	}
	s := open(plainText+"  message: hello\n", there)
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Objects: delta(applied("8", "message: by hand"))})
	if got := s.m.StateOf(s.m.Files.Current()); got != FileEdited {
		t.Errorf("after another apply: %q", got)
	}
}

func TestNewFileCanBeApplied(t *testing.T) {
	s := start(t, full())
	s.do(AddFile{})
	if s.m.Sheet.Kind != "file" || !s.has(Focus{FileNameID}) || len(s.sent) != 0 {
		t.Fatalf("the sheet is %+v, sent %v", s.m.Sheet, s.sent)
	}
	s.do(Pressed{Key{Name: "Enter", Typing: true}})
	if got := s.m.Files.Current().Name; got != "another.yaml" || s.m.Sheet.Kind != "" {
		t.Fatalf("%s is open, the sheet is %+v", got, s.m.Sheet)
	}
	docs, err := object.DecodeYAML([]byte(s.m.Files.Current().Text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%v, %v", docs, err)
	}
	if got := object.New(docs[0].Value.(*object.Map)).Str("spec", "message"); got == "" {
		t.Error("the message, which is required, is empty")
	}
}

func TestANewFileHasTheNameThatItIsGiven(t *testing.T) {
	s := start(t, full())
	w := s.m.Words
	for _, c := range []struct{ typed, why, name, object string }{
		{typed: " ", why: "none"},
		{typed: "plain.yaml", why: "taken", name: "plain.yaml"},
		{typed: "plain", why: "taken", name: "plain.yaml"},
		{typed: "kubectl-edit", why: "taken", name: "kubectl-edit.yaml"},
		{typed: "../x.yaml", why: "bad"}, {typed: "a b.yaml", why: "bad"}, {typed: ".yaml", why: "bad"}, {typed: "-f.yaml", why: "bad"}, {typed: "x.exe", why: "bad"},
		{typed: "ä.yaml", why: "bad"}, {typed: strings.Repeat("a", 59) + ".yaml", why: "bad"},
		{typed: "shop", name: "shop.yaml", object: "shop"},
		{typed: " My_Shop.v2.yml ", name: "My_Shop.v2.yml", object: "my-shop"},
		{typed: "fix.sh", name: "fix.sh"},
	} {
		files := len(s.m.Files.List)
		s.do(AddFile{})
		s.do(NameFile{}.WithValue(c.typed))
		s.do(MakeFile{})
		if c.why != "" {
			if name := strings.TrimSpace(c.typed); c.name == "" {
				c.name = name
			}
			if want := w.FileNameRefused(c.why, c.name); s.m.Sheet.Note != want || len(s.m.Files.List) != files || len(s.sent) != 0 {
				t.Errorf("%q: the sheet says %q, not %q; there are %d files", c.typed, s.m.Sheet.Note, want, len(s.m.Files.List))
			}
			if s.do(NameFile{"x"}); s.m.Sheet.Note != "" {
				t.Errorf("%q is complained of while another name is typed", c.typed)
			}
			s.do(CloseAll{})
			if !s.has(Focus{"new-file"}) {
				t.Errorf("after that the focus goes to %+v", s.last)
			}
			continue
		}
		f := s.m.Files.Current()
		if f.Name != c.name || len(s.sent) != 1 || s.sent[0].Name != c.name || s.sent[0].Text != f.Text || !s.has(EditorFocus{}) {
			t.Errorf("%q: %s is open, sent is %+v", c.typed, f.Name, s.sent)
		}
		if c.object == "" && s.m.StateOf(f) != FileNotApplied || c.object != "" && !strings.Contains(f.Text, "\n  name: "+c.object+"\n") {
			t.Errorf("%q has the text %s", c.typed, f.Text)
		}
		s.answer("file", nil, nil)
	}
}

func TestStartOverDropsWhatWasTyped(t *testing.T) {
	s := start(t, full())
	s.do(Edited{"typed"})
	s.do(Reset{true})
	s.answer("reset", nil, full())
	if got, want := s.m.Files.Current().Text, full().Files[0].Text; got != want {
		t.Errorf("text is %q", got)
	}
}

func TestOfSeveralDocumentsOneIsRefused(t *testing.T) {
	s := start(t, full())
	s.do(Apply{})
	s.reply("apply", engine.Reply{Done: true, Error: &engine.Error{Message: "no", Marks: []engine.Mark{{Line: 9, Message: "no"}}}}, sim.Event{N: 1, Action: "apply", Facts: []sim.Fact{
		{Kind: sim.FactRefused, Text: "no"}, {Kind: sim.FactWrite, Verb: "created", Ref: "WebApp/default/b", After: "3"}}})
	if s.m.Files.Error == nil || s.m.Files.Error.Marks[0].Line != 9 || s.m.Files.Applying {
		t.Errorf("error %v, applying %v", s.m.Files.Error, s.m.Files.Applying)
	}
	if d := cmp.Diff([]Applied{{"WebApp/default/b", "created", "", "3"}}, s.m.Files.Done); d != "" {
		t.Errorf("what was stored all the same: %s", d)
	}
}

func TestObjectsToldInPartsComeTogether(t *testing.T) {
	s := start(t, full())
	before := s.m.Objects.Count().Len
	s.do(Apply{})
	part := func(name string) []engine.ObjectDelta {
		return []engine.ObjectDelta{{Key: "ConfigMap/default/" + name, Server: object.FromMap(map[string]any{"kind": "ConfigMap"})}}
	}
	s.take(s.m.Update(FromEngine{engine.Reply{ID: s.sent[0].ID, Delta: &engine.Delta{Part: true, EventsFrom: -1, Objects: part("b")}}}))
	if s.m.Objects.Count().Len != before {
		t.Error("a part is shown before the rest is there")
	}
	s.answer("apply", sim.Event{N: 1, Action: "apply"}, &engine.Delta{EventsFrom: -1, Objects: part("a")})
	if s.m.Objects.Count().Len != before+2 || s.m.Objects.Get("ConfigMap/default/b") == nil {
		t.Errorf("%d objects, of them %d new", s.m.Objects.Count().Len, s.m.Objects.Count().Len-before)
	}
}

func TestPartsOfAnEngineThatEndedAreForgotten(t *testing.T) {
	s := start(t, full())
	before := s.m.Objects.Count().Len
	s.take(s.m.Update(FromEngine{engine.Reply{Delta: &engine.Delta{Part: true, EventsFrom: -1, Objects: []engine.ObjectDelta{
		{Key: "ConfigMap/default/b", Server: object.FromMap(map[string]any{"kind": "ConfigMap"})}}}}}))
	s.do(EngineState{"restarting"})
	s.answer("open", nil, full())
	if s.m.Objects.Count().Len != before {
		t.Errorf("%d objects, want %d", s.m.Objects.Count().Len, before)
	}
}

func TestEditIsSavedOnceTypingStops(t *testing.T) {
	s := start(t, full())
	s.do(Edited{"a"})
	first := s.last[0].(After).Msg
	s.do(Edited{"ab"})
	second := s.last[0].(After).Msg
	s.do(first)
	if len(s.sent) != 0 {
		t.Fatal("saved while typing")
	}
	s.do(second)
	if len(s.sent) != 1 || s.sent[0].Text != "ab" {
		t.Fatalf("sent %+v", s.sent)
	}
	if !s.m.Unsaved() {
		t.Error("what the storage has not confirmed counts as saved")
	}
	s.answer("file", nil, nil)
	if s.m.Unsaved() {
		t.Error("what is stored counts as not saved")
	}
	s.do(Edited{"abc"})
	if !s.m.Unsaved() {
		t.Error("what was typed just now counts as saved")
	}
	s.do(Leaving{})
	if len(s.sent) != 1 || s.sent[0].Text != "abc" {
		t.Errorf("on leaving the page %+v is sent", s.sent)
	}
}

func TestEngineFilesDoNotOverwriteTyping(t *testing.T) {
	s := start(t, full())
	s.do(Edited{"typed"})
	d := full()
	d.Full = false
	s.do(Step{})
	s.answer("step", nil, d)
	if got := s.m.Files.Current().Text; got != "typed" {
		t.Errorf("text is %q", got)
	}
}

// TestGoingBackMarksWhatTheStepThereChanged: what differs from where the view was
// is no change of the cluster's.
func TestGoingBackMarksWhatTheStepThereChanged(t *testing.T) {
	s := start(t, full(obj("WebApp", "a", "10", ""), obj("WebApp", "b", "11", "")))
	for n, o := range []object.Object{obj("WebApp", "a", "12", ""), obj("WebApp", "b", "13", ""), obj("WebApp", "c", "14", "")} {
		s.do(Step{})
		s.answer("step", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: n + 1, Length: n + 1}, Objects: delta(o)})
	}
	s.do(Seek{1})
	s.answer("seek", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 3},
		Objects: append(delta(obj("WebApp", "b", "11", "")), engine.ObjectDelta{Key: "WebApp/default/c"}),
		Changed: []engine.ObjectChange{{Key: "WebApp/default/a", Before: obj("WebApp", "a", "10", "")}}})
	a, b := s.m.Objects.Get("WebApp/default/a"), s.m.Objects.Get("WebApp/default/b")
	if !s.m.Objects.Fresh(a) || a.Before.ResourceVersion() != "10" || a.ChangedAt != 1 {
		t.Errorf("a: fresh %v, before %s, changed at %d", s.m.Objects.Fresh(a), a.Before.ResourceVersion(), a.ChangedAt)
	}
	if s.m.Objects.Fresh(b) || !b.Before.IsZero() || b.ChangedAt != 0 {
		t.Errorf("b: fresh %v, before %s, changed at %d", s.m.Objects.Fresh(b), b.Before.ResourceVersion(), b.ChangedAt)
	}
	if c := s.m.Objects.Get("WebApp/default/c"); c != nil || len(s.m.Objects.All) != 2 {
		t.Errorf("what is not there yet is shown as gone: %+v", c)
	}
}

func TestWhatAnApplyDidIsSaidUntilTheNextAct(t *testing.T) {
	for name, act := range map[string]func(s *session){
		"a step": func(s *session) {
			s.do(Step{})
			s.answer("step", nil, &engine.Delta{EventsFrom: -1})
		},
		"typing":       func(s *session) { s.do(Edited{"x"}) },
		"another file": func(s *session) { s.do(OpenFile{"b.yaml"}) },
	} {
		d := full()
		d.Files = []engine.File{{Name: "a.yaml", Text: "a"}, {Name: "b.yaml", Text: "b"}}
		s := start(t, d)
		s.do(Apply{})
		s.answer("apply", []sim.Event{{N: 1, Action: "apply"}}, nil)
		if len(s.m.Files.Done) != 1 {
			t.Fatalf("%v", s.m.Files.Done)
		}
		if act(s); len(s.m.Files.Done) != 0 {
			t.Errorf("after %s it says %v", name, s.m.Files.Done)
		}
	}
}

func TestSeekIsClampedAndActsInThePastAreSaid(t *testing.T) {
	s := start(t, full())
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 3, Length: 3}})
	s.do(Seek{99})
	if len(s.sent) != 0 {
		t.Error("a seek to where the view stands is sent")
	}
	s.do(Back{})
	if len(s.sent) != 1 || s.sent[0].N != 2 {
		t.Fatalf("sent %+v", s.sent)
	}
	s.answer("seek", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 2, Length: 3}})
	if g := s.m.Guide(); g.Do != (Seek{3}) || g.SecondDo != (Fork{}) {
		t.Errorf("guide %+v", g)
	}
}

func TestSeekBeforeAnyPassShowsNone(t *testing.T) {
	s := start(t, full())
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Passes: 2, Pass: &sim.Pass{ID: 2, StartEvent: 3}, Timeline: &engine.Timeline{Step: 4, Length: 4}})
	s.do(Seek{2})
	s.answer("seek", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 2, Length: 4}})
	if s.m.Pass != nil || s.m.Passes != 0 {
		t.Errorf("pass %+v of %d", s.m.Pass, s.m.Passes)
	}
}

func TestSelectionIsAlwaysThere(t *testing.T) {
	s := start(t, full(obj("WebApp", "a", "1", ""), obj("WebApp", "b", "2", "")))
	s.do(Select{"WebApp/default/b"})
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Objects: []engine.ObjectDelta{{Key: "WebApp/default/b"}}})
	if s.m.Selected != "WebApp/default/b" {
		t.Error("what has just gone is not shown any more")
	}
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1})
	if s.m.Selected != "WebApp/default/a" {
		t.Errorf("selected %q", s.m.Selected)
	}
}

func TestPlayStepsUntilQuiet(t *testing.T) {
	s := start(t, full())
	s.do(Play{})
	if len(s.sent) != 1 || !s.has(After{time.Second, PlayTick{1}}) {
		t.Fatalf("sent %v, asked for %v", s.sent, s.last)
	}
	s.do(PlayTick{1})
	if len(s.sent) != 1 {
		t.Error("a second step is sent before the first is answered")
	}
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 1, Quiet: true}})
	s.do(PlayTick{1})
	if s.m.Playing || len(s.sent) != 0 {
		t.Error("play goes on when all is quiet")
	}
}

func TestTour(t *testing.T) {
	s := start(t, full())
	at := func(step int, do Msg) {
		t.Helper()
		if s.m.Tour.Step != step {
			t.Fatalf("the tour is at %d, want %d", s.m.Tour.Step, step)
		}
		if g := s.m.Guide(); !reflect.DeepEqual(g.Do, do) {
			t.Fatalf("step %d suggests %#v, want %#v", step, g.Do, do)
		}
	}
	at(1, ApplyFiles{[]string{"plain.yaml"}})
	s.do(DoNext{})
	s.answer("apply", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 1}, Objects: delta(obj("WebApp", "plain", "7", ""))})
	at(2, Step{})
	s.do(DoNext{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Passes: 1, Pass: &sim.Pass{ID: 1}, Timeline: &engine.Timeline{Step: 2, Length: 2}})
	at(3, StepCall{})
	s.do(DoNext{})
	s.answer("stepCall", nil, &engine.Delta{EventsFrom: -1, Passes: 1, Pass: &sim.Pass{ID: 1, EndEvent: 3}, Timeline: &engine.Timeline{Step: 3, Length: 3}})
	at(4, Run{})
	s.do(DoNext{})
	s.answer("run", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 9, Length: 9, Quiet: true}})
	at(4, ApplyFiles{[]string{"shared.yaml"}})
	s.do(DoNext{})
	s.answer("apply", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 10, Length: 10}, Objects: delta(obj("ConfigMap", "shared", "8", ""))})
	at(4, Run{})
	s.do(DoNext{})
	s.answer("run", nil, &engine.Delta{EventsFrom: -1, Passes: 4, Timeline: &engine.Timeline{Step: 20, Length: 20, Quiet: true}, Objects: delta(obj("WebApp", "plain", "9", ready))})
	at(5, Rerun{})
	s.do(DoNext{})
	s.answer("rerun", nil, nil)
	s.answer("run", nil, &engine.Delta{EventsFrom: -1, Passes: 5, Timeline: &engine.Timeline{Step: 25, Length: 25, Quiet: true}})
	at(6, LeaveTour{})
	ev := s.m.Evidence
	if ev == nil || !ev.Done || ev.Objects != 2 || len(ev.Changed) != 0 {
		t.Errorf("evidence %+v", ev)
	}
	s.do(DoNext{})
	if s.m.Touring() || !s.m.Prefs.TourOver {
		t.Error("the tour goes on after its end")
	}
}

// The tour's first step offers the other beginning, where the library has it.
func TestAVisitorMayBeginWithLessonZero(t *testing.T) {
	for _, name := range []string{"lab-0", "lab-1"} {
		d := full(obj("WebApp", "plain", "7", ""))
		d.Scenario.Library = []scenario.Head{{Name: name, Kind: "lesson"}}
		s := start(t, d)
		if got := s.m.Guide().SecondDo; (got == Msg(PickScenario{Name: "lab-0"})) != (name == "lab-0") {
			t.Errorf("with %s in the library the second button does %#v", name, got)
		}
	}
}

// Where what the tour is about has been deleted, a tour that is taken again begins with applying it.
func TestATourTakenAgainWithoutAnObjectBeginsWithApplying(t *testing.T) {
	s := start(t, full(obj("ConfigMap", "shared", "7", "")))
	s.do(LeaveTour{})
	if g := s.m.Guide(); g.Tour != 0 {
		t.Fatalf("the tour goes on: %+v", g)
	}
	s.do(StartTour{})
	want := ApplyFiles{[]string{"plain.yaml"}}
	if g := s.m.Guide(); g.Tour != tourWant || g.Button != s.m.Words.ApplyThem(1) || !reflect.DeepEqual(g.Do, want) {
		t.Fatalf("the tour asks for %+v", g)
	}
	s.do(DoNext{})
	s.answer("apply", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 1, Length: 1}, Objects: delta(obj("WebApp", "plain", "8", ""))})
	if g := s.m.Guide(); g.Tour != tourTravel {
		t.Errorf("then the tour asks for %+v", g)
	}
}

func TestTourGoesOnAfterAReload(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "7", "")))
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1, Passes: 1, Pass: &sim.Pass{ID: 1}, Timeline: &engine.Timeline{Step: 2, Length: 2}})
	if s.m.Tour.Step != tourPass || !s.has(SavePrefs{s.m.Prefs}) {
		t.Fatalf("the tour is at %d, asked for %v", s.m.Tour.Step, s.last)
	}
	again := &session{t: t, m: New(words.English, s.m.Prefs)}
	again.take(again.m.Start())
	again.answer("open", nil, full(obj("WebApp", "plain", "7", "")))
	if !again.m.Touring() || again.m.Tour.Step != tourPass {
		t.Errorf("after a reload it is at %d", again.m.Tour.Step)
	}
	again.do(Reset{true})
	again.answer("reset", nil, full())
	if again.m.Tour.Step != tourWant || again.m.Prefs.TourStep != 0 {
		t.Errorf("after starting over it is at %d", again.m.Tour.Step)
	}
}

// A run that somebody else has played is in the midst of a story that the visitor
// has not seen: there is no tour of it, after a reload neither, unless asked for.
func TestNoTourOfARunFromElsewhere(t *testing.T) {
	played := func() *engine.Delta {
		d := full(obj("WebApp", "plain", "7", ready))
		d.Timeline.Touched, d.Passes = true, 4
		return d
	}
	for method, do := range map[string]Msg{
		"openLink": OpenLink{linkText}, "takeUp": TakeUp{ID: 1},
		"openRun": PanelAct{"send", `{"method":"openRun","text":"[]"}`},
		"load":    PanelAct{"send", `{"method":"load","text":"{}"}`},
	} {
		s := start(t, full())
		if !s.m.Touring() {
			t.Fatal("a first visit has no tour")
		}
		s.do(do)
		s.answer(method, nil, played())
		if s.m.Touring() || s.m.Prefs.TourOver {
			t.Errorf("after %s: touring %v, preferences %+v", method, s.m.Touring(), s.m.Prefs)
		}
		again := &session{t: t, m: New(words.English, s.m.Prefs)}
		again.take(again.m.Start())
		again.answer("open", nil, played())
		if again.m.Touring() {
			t.Errorf("after %s and a reload there is a tour", method)
		}
		again.do(StartTour{})
		if !again.m.Touring() {
			t.Errorf("after %s there is no tour for who asks for it", method)
		}
		s.do(Reset{true})
		s.answer("reset", nil, full())
		if !s.m.Touring() || s.m.Tour.Step != tourWant {
			t.Errorf("from the start after %s the tour is at %d, on %v", method, s.m.Tour.Step, s.m.Touring())
		}
	}
}

func TestEvidenceNamesWhatMoved(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "7", ready)))
	s.do(Rerun{})
	s.answer("rerun", nil, nil)
	s.answer("run", nil, &engine.Delta{EventsFrom: -1, Objects: delta(obj("WebApp", "plain", "8", ready))})
	if d := cmp.Diff([]string{"WebApp/default/plain"}, s.m.Evidence.Changed); d != "" {
		t.Error(d)
	}
}

func TestEvidenceGoesWithTheNextAct(t *testing.T) {
	again := func(t *testing.T, quiet bool) *session {
		s := start(t, full(obj("WebApp", "plain", "7", ready)))
		s.m.Tour.Over = true
		s.do(Rerun{})
		s.answer("rerun", nil, nil)
		s.answer("run", nil, &engine.Delta{EventsFrom: -1, Timeline: &engine.Timeline{Step: 2, Length: 2, Quiet: quiet}})
		return s
	}
	if s := again(t, false); s.m.Evidence != nil {
		t.Error("a run that was stopped is evidence")
	}
	for _, msg := range []Msg{Step{}, StepCall{}, Run{}, Apply{}, ApplyFiles{[]string{"plain.yaml", "shared.yaml"}}, Crash{}, Back{}, Fork{}, Delete{"WebApp/default/plain", true},
		Called{Token: 1, Method: "step"}, DropEvidence{}} {
		t.Run(fmt.Sprintf("%T", msg), func(t *testing.T) {
			s := again(t, true)
			if g := s.m.Guide(); g.Do != (Rerun{}) || g.Key != "a" || g.Close != (DropEvidence{}) {
				t.Fatalf("guide %+v", g)
			}
			s.do(msg)
			if s.m.Evidence != nil {
				t.Error("it stays")
			}
		})
	}
}

func TestNothingIsSaidOfAClusterThatIsNotThere(t *testing.T) {
	m := New(words.English, Prefs{})
	m.Start()
	if g := m.Guide(); g.Title != words.English.Loading() || g.Button != "" {
		t.Errorf("guide %+v", g)
	}
}

func TestNothingToDoIsSaid(t *testing.T) {
	said := func(s *session) string {
		if len(s.m.Toasts) != 1 {
			t.Fatalf("toasts %v", s.m.Toasts)
		}
		return s.m.Toasts[0].Text
	}
	s := start(t, full())
	s.do(Run{})
	s.answer("run", []sim.Event{}, nil)
	if got, want := said(s), words.English.NothingToDo(false); got != want {
		t.Errorf("a run of no step says %q", got)
	}
	s.m.Controller = "crashed"
	s.do(DropToast{s.m.Toasts[0].ID})
	for range 2 {
		s.do(StepCall{})
		s.refuse("stepCall", &engine.Error{Message: "no pass", Reason: "NotEnabled"})
	}
	if got, want := said(s), words.English.DownAct(); got != want {
		t.Errorf("down: %q", got)
	}
	s.m.Controller, s.m.Toasts = "running", nil
	s.do(StepCall{})
	s.refuse("stepCall", &engine.Error{Message: "no pass", Reason: "NotEnabled"})
	if got := said(s); got != "Call: no pass" {
		t.Errorf("refused: %q", got)
	}
	s.m.Enabled, s.m.Toasts = engine.EnabledView{}, nil
	s.do(Pressed{Key{Name: "s"}})
	if got, want := said(s), words.English.NothingToDo(false); got != want {
		t.Errorf("nothing is enabled: %q", got)
	}
	s = start(t, full())
	s.do(Rerun{})
	s.answer("rerun", nil, nil)
	s.answer("run", []sim.Event{}, nil)
	if len(s.m.Toasts) != 0 {
		t.Errorf("the run that follows a rerun says %v", s.m.Toasts)
	}
}

func TestTheBarShowsTheKeyThatDoesIt(t *testing.T) {
	bound := map[string]Msg{"end": Seek{1 << 30}, "Esc": Stop{}, "k": Restart{}}
	for _, b := range Bindings {
		for _, k := range b.Keys {
			if bound[k] == nil {
				bound[k] = b.Msg
			}
		}
	}
	quiet := func(m *Model) { m.Tour.Over, m.Timeline.Quiet = true, true }
	for name, prep := range map[string]func(*Model){
		"apply": func(*Model) {}, "quiet": quiet, "past": func(m *Model) { m.Timeline = engine.Timeline{Step: 1, Length: 3} },
		"down": func(m *Model) { m.Controller = "crashed" }, "running": func(m *Model) { m.Running = true },
		"again": func(m *Model) { m.Tour.Step = tourAgain }, "call": func(m *Model) { m.Tour.Step = tourPass },
		"evidence": func(m *Model) { quiet(m); m.Evidence = &Evidence{Done: true} },
		"end":      func(m *Model) { m.Tour.Step, m.Evidence = TourSteps+1, &Evidence{Done: true} },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, full())
			prep(s.m)
			g := s.m.Guide()
			want := bound[g.Key]
			if _, past := want.(Seek); past {
				want = Seek{s.m.Timeline.Length}
			}
			if g.Key != "g" && !reflect.DeepEqual(want, g.Do) {
				t.Errorf("%q shows the key %q, which does %#v, and does %#v", g.Button, g.Key, want, g.Do)
			}
			if g.Button != "" && g.Key == "" {
				t.Errorf("%q shows no key", g.Button)
			}
		})
	}
}

func TestWhatBecameOfTheCallAtACrash(t *testing.T) {
	dead := func(outcome sim.Outcome) *sim.Pass {
		return &sim.Pass{ID: 1, Died: true, EndEvent: 2, Calls: []sim.Call{{Verb: "update", Outcome: outcome}}}
	}
	line := func(n int, text string) engine.EventLine { return engine.EventLine{N: n, Text: text} }
	tests := []struct {
		name   string
		pass   *sim.Pass
		events []engine.EventLine
		want   string
	}{
		{"no pass", nil, []engine.EventLine{line(1, "start"), line(2, "crash c")}, ""},
		{"not sent", dead(sim.NotSent), []engine.EventLine{line(1, "start"), line(2, "crash c")}, "not-sent"},
		{"landed", dead(sim.LandedThenDied), []engine.EventLine{line(1, "start"), line(2, "crash c")}, "landed-then-died"},
		{"an earlier crash", dead(sim.NotSent), []engine.EventLine{line(1, "start"), line(2, "crash c"), line(3, "restart c"), line(4, "crash c")}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, full())
			s.m.Pass, s.m.Events, s.m.Controller = tt.pass, tt.events, "crashed"
			n := len(tt.events)
			s.m.Timeline = engine.Timeline{Step: n, Length: n}
			if got, want := s.m.Guide().Text, words.English.NextDown(tt.want); got != want {
				t.Errorf("it says %q, want %q", got, want)
			}
		})
	}
}

func TestComplaintsGoWithTheNextSuccess(t *testing.T) {
	s := start(t, full())
	s.do(Step{})
	s.refuse("step", &engine.Error{Message: "no", Reason: "BadInput"})
	if len(s.m.Toasts) != 1 {
		t.Fatalf("toasts %v", s.m.Toasts)
	}
	s.do(Called{Token: 1, Method: "state"})
	s.answer("state", nil, nil)
	if len(s.m.Toasts) != 1 {
		t.Error("a look at the state takes the complaint away")
	}
	s.do(Step{})
	s.answer("step", nil, &engine.Delta{EventsFrom: -1})
	if len(s.m.Toasts) != 0 {
		t.Errorf("after a success there are %v", s.m.Toasts)
	}
}

func TestDeletingSpeaksOfFinalizersWhereThereAreSome(t *testing.T) {
	held := obj("WebApp", "plain", "7", "").Set([]any{"lab.example.com/cloud"}, "metadata", "finalizers")
	s := start(t, full(held, obj("ConfigMap", "x", "8", "")))
	for ref, want := range map[string]string{"WebApp/default/plain": "deleteHeld", "ConfigMap/default/x": "delete"} {
		s.do(Delete{Ref: ref})
		if s.m.Sheet.Key != want {
			t.Errorf("%s is asked about as %q, want %q", ref, s.m.Sheet.Key, want)
		}
	}
}

func TestAnImportIsReadBeforeItIsAskedAbout(t *testing.T) {
	s := start(t, full())
	s.do(Imported{"f.json", "text"})
	if len(s.sent) != 1 || s.sent[0].Method != "inspect" || s.sent[0].Text != "text" || s.m.Sheet.Kind != "" {
		t.Fatalf("sent %v, sheet %+v", s.sent, s.m.Sheet)
	}
	s.refuse("inspect", &engine.Error{Message: "no", Reason: "BadInput"})
	if s.m.Sheet.Kind != "" || len(s.m.Toasts) != 1 {
		t.Fatalf("after a refusal: sheet %+v, toasts %v", s.m.Sheet, s.m.Toasts)
	}
	s.do(Imported{"f.json", "text"})
	s.answer("inspect", engine.Inspection{Title: "T", Cluster: true, Steps: 3}, nil)
	if s.m.Sheet.Kind != "confirm" || s.m.Sheet.About != "f.json" || s.m.Sheet.Note == "" {
		t.Fatalf("sheet %+v", s.m.Sheet)
	}
	s.do(Confirm{})
	if last := s.sent[len(s.sent)-1]; last.Method != "load" || last.Text != "text" {
		t.Fatalf("sent %v", last)
	}
}

func TestDestructiveActsAsk(t *testing.T) {
	for _, msg := range []Msg{Delete{Ref: "WebApp/default/plain"}, Reset{}, PickScenario{Name: "x"}, RemoveFile{Name: "plain.yaml"}} {
		t.Run(fmt.Sprintf("%T", msg), func(t *testing.T) {
			d := full()
			d.Timeline.Touched = true
			s := start(t, d)
			s.do(msg)
			if len(s.sent) != 0 || s.m.Sheet.Kind != "confirm" {
				t.Fatalf("sent %v, sheet %+v", s.sent, s.m.Sheet)
			}
			s.do(Confirm{})
			if len(s.sent) != 1 || s.m.Sheet.Kind != "" {
				t.Errorf("sent %v, sheet %+v", s.sent, s.m.Sheet)
			}
		})
	}
}

// Who has done nothing has nothing to lose, and is not asked: the scenario is picked at once, and the library closes.
func TestPickingAScenarioAsksWhereThereIsSomethingToLose(t *testing.T) {
	s := start(t, full())
	s.do(OpenLibrary{})
	s.do(PickScenario{Name: "lab-1"})
	if last := s.sent[len(s.sent)-1]; last.Method != "scenario" || last.Name != "lab-1" || s.m.Sheet.Kind != "" {
		t.Errorf("sent %v, sheet %+v", s.sent, s.m.Sheet)
	}
	typed := start(t, full())
	typed.do(Edited{"typed"})
	typed.do(PickScenario{Name: "lab-1"})
	if len(typed.sent) != 0 || typed.m.Sheet.Kind != "confirm" {
		t.Errorf("with a text that is not applied: sent %v, sheet %+v", typed.sent, typed.m.Sheet)
	}
}

func TestKeys(t *testing.T) {
	tests := []struct {
		name string
		key  Key
		prep func(*Model)
		want []string
	}{
		{"s steps", Key{Name: "s"}, nil, []string{"step"}},
		{"space steps", Key{Name: " "}, nil, []string{"step"}},
		{"space on a button presses it", Key{Name: " ", Pressing: true}, nil, nil},
		{"a letter on a button is a shortcut", Key{Name: "c", Pressing: true}, nil, []string{"stepCall"}},
		{"an arrow on a button is a shortcut", Key{Name: "ArrowLeft", Pressing: true}, func(m *Model) { m.Timeline = engine.Timeline{Step: 2, Length: 2} }, []string{"seek"}},
		{"an arrow moves what it moves", Key{Name: "ArrowLeft", Moving: true}, func(m *Model) { m.Timeline = engine.Timeline{Step: 2, Length: 2} }, nil},
		{"typing is typing", Key{Name: "s", Typing: true}, nil, nil},
		{"the browser's own keys stay", Key{Name: "r", Mod: true}, nil, nil},
		{"switched off", Key{Name: "s"}, func(m *Model) { m.Prefs.NoKeys = true }, nil},
		{"a sheet takes the keys", Key{Name: "s"}, func(m *Model) { m.Sheet.Kind = "help" }, nil},
		{"k crashes", Key{Name: "k"}, nil, []string{"crash"}},
		{"k restarts what is down", Key{Name: "k"}, func(m *Model) { m.Controller = "crashed" }, []string{"restart"}},
		{"nothing can happen", Key{Name: "s"}, func(m *Model) { m.Enabled = engine.EnabledView{} }, nil},
		{"escape stops a run", Key{Name: "Escape"}, func(m *Model) { m.Running = true }, []string{"interrupt"}},
		{"unknown", Key{Name: "q"}, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, full())
			if tt.prep != nil {
				tt.prep(s.m)
			}
			s.do(Pressed{tt.key})
			if d := cmp.Diff(tt.want, s.methods()); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestBoundKeysAreNotTyped(t *testing.T) {
	s := start(t, full())
	for _, k := range []Key{{Name: "e"}, {Name: " "}, {Name: "End"}} {
		if !s.m.Bound(k) {
			t.Errorf("%+v would be typed into what has the focus after it", k)
		}
	}
	for _, k := range []Key{{Name: "e", Typing: true}, {Name: "e", Mod: true}, {Name: " ", Pressing: true}, {Name: "q"}, {Name: "Tab"}, {Name: "Escape"}} {
		if s.m.Bound(k) {
			t.Errorf("%+v is taken from the browser", k)
		}
	}
}

func TestEscapeClosesOneThingAfterTheOther(t *testing.T) {
	s := start(t, full())
	s.do(ToggleMenu{"export"})
	s.do(OpenHelp{})
	s.m.Menu = "export"
	s.do(Pressed{Key{Name: "Escape"}})
	if s.m.Sheet.Kind != "" || s.m.Menu != "export" || !s.has(Focus{"help"}) {
		t.Fatalf("sheet %+v, menu %q, %v", s.m.Sheet, s.m.Menu, s.last)
	}
	s.do(Pressed{Key{Name: "Escape"}})
	if s.m.Menu != "" || !s.has(Focus{"menu-export"}) {
		t.Errorf("menu %q, %v", s.m.Menu, s.last)
	}
}

func TestCalls(t *testing.T) {
	s := start(t, full())
	raw := func(v string) []json.RawMessage { return []json.RawMessage{json.RawMessage(v)} }
	s.do(Called{Token: 1, Method: "step", Args: raw(`"deliver c webapps"`)})
	if s.sent[0].Action != "deliver c webapps" {
		t.Errorf("sent %+v", s.sent[0])
	}
	s.answer("step", map[string]int{"n": 1}, nil)
	if !s.has(Resolve{1, json.RawMessage(`{"n":1}`)}) {
		t.Errorf("answered %v", s.last)
	}
	s.do(Called{Token: 2, Method: "seek", Args: raw(`4`)})
	if s.sent[0].N != 4 {
		t.Errorf("sent %+v", s.sent[0])
	}
	s.refuse("seek", &engine.Error{Message: "no", Reason: "BadInput"})
	if !s.has(Reject{2, "no", "BadInput"}) || len(s.m.Toasts) != 0 {
		t.Errorf("answered %v, toasts %v", s.last, s.m.Toasts)
	}
	s.do(Called{Token: 3, Method: "grade", Args: raw(`"lab-1"`)})
	if s.sent[0].Name != "lab-1" {
		t.Errorf("sent %+v", s.sent[0])
	}
	s.answer("grade", map[string]any{"passed": true}, nil)
	s.do(Called{Token: 4, Method: "state", Args: nil})
	s.answer("state", map[string]int{"revision": 1}, nil)
	if !s.has(Resolve{4, json.RawMessage(`{"revision":1,"storage":""}`)}) {
		t.Errorf("answered %v", s.last)
	}
	s.do(Called{Token: 4, Method: "state", Args: nil})
	s.do(EngineState{"restarting"})
	if r, ok := s.last[0].(Reject); !ok || r.Token != 4 {
		t.Errorf("a lost call is not answered: %v", s.last)
	}
}

func TestEveryMethodIsAnswered(t *testing.T) {
	for i, method := range Methods {
		s := start(t, full())
		s.do(Called{Token: i + 1, Method: method, Args: []json.RawMessage{json.RawMessage(`"1"`)}})
		if len(s.sent)+len(s.last) == 0 {
			t.Errorf("%s is neither sent nor answered", method)
		}
	}
}

func TestEveryBindingDoesSomethingAndIsNamed(t *testing.T) {
	seen := map[string]string{}
	for _, b := range Bindings {
		if words.English.KeyName(b.Name) == b.Name {
			t.Errorf("%s has no words", b.Name)
		}
		for _, k := range b.Keys {
			if other, ok := seen[k]; ok {
				t.Errorf("%q is both %s and %s", k, other, b.Name)
			}
			seen[k] = b.Name
		}
	}
}

func TestFilesNameTheirObjects(t *testing.T) {
	f := File{Text: "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    name: no\n  name: \"a\"\n---\nkind: WebApp\nmetadata:\n  namespace: other\n  name: b # its name\nspec:\n  name: c\n---\n- not an object\n"}
	if d := cmp.Diff([]string{"ConfigMap/default/a", "WebApp/other/b"}, f.Refs()); d != "" {
		t.Error(d)
	}
}

func TestWindow(t *testing.T) {
	rows := make([]Row, 1000)
	tests := []struct {
		w                    Window
		before, shown, after int
	}{
		{Window{0, 20}, 0, 32, 968},
		{Window{500, 20}, 494, 32, 474},
		{Window{990, 20}, 974, 26, 0},
	}
	for _, tt := range tests {
		before, shown, after := tt.w.InSight(rows)
		if before != tt.before || len(shown) != tt.shown || after != tt.after {
			t.Errorf("%+v: %d, %d, %d", tt.w, before, len(shown), after)
		}
	}
	if before, shown, after := (Window{0, 20}).InSight(rows[:3]); before != 0 || len(shown) != 3 || after != 0 {
		t.Errorf("a short list: %d, %d, %d", before, len(shown), after)
	}
}

func TestFormatsOfTheClock(t *testing.T) {
	w := words.English
	for d, want := range map[time.Duration]string{0: "0.000 s", 30012 * time.Millisecond: "30.012 s", 61500 * time.Millisecond: "1:01.500"} {
		if got := w.ClockAt(d); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
	if got := strings.TrimSpace(w.In(29900 * time.Millisecond)); got != "in 29.9 s" {
		t.Errorf("got %s", got)
	}
}

func TestStoredThingsThatGotLost(t *testing.T) {
	saved := func(touched bool) *engine.Delta {
		d := full(obj("WebApp", "plain", "1", ""))
		d.Storage, d.Timeline.Touched = &engine.StorageState{State: "saved"}, touched
		return d
	}
	reopen := func(prefs Prefs, d *engine.Delta) *session {
		s := &session{t: t, m: New(words.English, prefs)}
		s.take(s.m.Start())
		s.answer("open", nil, d)
		return s
	}
	gone := func(s *session) bool {
		return slices.ContainsFunc(s.m.Notices, func(n engine.Notice) bool { return n.Code == "stored-gone" })
	}

	first := start(t, saved(false))
	if first.m.Prefs.Stored || gone(first) {
		t.Error("a first visit has lost something")
	}
	first.m.reply(engine.Reply{Delta: &engine.Delta{Timeline: &engine.Timeline{Step: 1, Length: 1, Touched: true}}})
	if !first.m.Prefs.Stored {
		t.Fatal("it is not remembered that something is stored")
	}
	if again := reopen(first.m.Prefs, saved(true)); gone(again) || !again.m.Prefs.Stored {
		t.Error("what is there is said to be gone")
	}
	lost := reopen(first.m.Prefs, saved(false))
	if !gone(lost) || !lost.has(SavePrefs{lost.m.Prefs}) || lost.m.Prefs.Stored {
		t.Errorf("nothing is said about what got lost: %+v", lost.m.Prefs)
	}
	if again := reopen(lost.m.Prefs, saved(false)); gone(again) {
		t.Error("it is said twice")
	}
	// Without storage nobody knows, and what storage says is on the banner.
	memory := saved(false)
	memory.Storage.State = "memory"
	if s := reopen(first.m.Prefs, memory); gone(s) || !s.m.Prefs.Stored {
		t.Error("what cannot be read is said to be gone")
	}
	// A person who begins anew has lost nothing.
	first.m.reply(engine.Reply{Delta: saved(false)})
	if gone(first) || first.m.Prefs.Stored {
		t.Error("what the person gave up is said to be gone")
	}
}

func TestReady(t *testing.T) {
	for status, want := range map[string]bool{
		`{}`:                  false,
		`{"phase":"Ready"}`:   true,
		`{"phase":"Pending"}`: false,
		`{"phase":"Ready","observedGeneration":1}`:                                 false,
		`{"phase":"Ready","conditions":[{"type":"Ready","status":"False"}]}`:       false,
		`{"phase":"Pending","conditions":[{"type":"Ready","status":"True"}]}`:      true,
		`{"phase":"Ready","conditions":[{"type":"Synced","status":"False"}]}`:      true,
		`{"observedGeneration":2,"conditions":[{"type":"Ready","status":"True"}]}`: true,
	} {
		o, err := object.DecodeObject([]byte(`{"kind":"WebApp","metadata":{"name":"a","generation":2},"status":` + status + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := IsReady(o); got != want {
			t.Errorf("%s is ready: %v", status, got)
		}
	}
}

// A world at rest in which objects are being deleted is not well: it says which, and what they wait for.
func TestStuckDeletionsAreNamed(t *testing.T) {
	at := "2026-01-01T00:00:00Z"
	st := obj("Namespace", "st", "7", "").Set(at, "metadata", "deletionTimestamp")
	held := obj("ConfigMap", "x", "8", "").Set(at, "metadata", "deletionTimestamp").Set([]any{"example.com/hold"}, "metadata", "finalizers")
	for name, tt := range map[string]struct {
		objects []object.Object
		says    []string
		good    bool
	}{
		"stuck": {[]object.Object{st, held}, []string{"Namespace st", "ConfigMap x", "are Terminating", "finalizer example.com/hold."}, false},
		"one":   {[]object.Object{held}, []string{"ConfigMap x is Terminating"}, false},
		"none":  {[]object.Object{obj("ConfigMap", "x", "8", "")}, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, full(tt.objects...))
			s.m.Tour.Over, s.m.Timeline.Quiet = true, true
			g := s.m.Guide()
			if g.Good != tt.good || strings.Contains(g.Text, "Terminating") == tt.good {
				t.Errorf("good is %v: %s", g.Good, g.Text)
			}
			for _, want := range tt.says {
				if !strings.Contains(g.Text, want) {
					t.Errorf("%q does not say %q", g.Text, want)
				}
			}
		})
	}
}
