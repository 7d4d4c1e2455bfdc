package app

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// lesson is a page with the first of two lessons open.
func lesson(t *testing.T) *session {
	d := full(obj("WebApp", "plain", "10", ""))
	d.Scenario.Name, d.Scenario.Title, d.Scenario.Kind, d.Scenario.Script, d.Scenario.Solution = "lab-1", "One", "lesson", "reconcile.sh", "solution.sh"
	d.Scenario.Library = []scenario.Head{{Name: "lab", Kind: "lab"}, {Name: "lab-1", Title: "One", Kind: "lesson"}, {Name: "lab-2", Title: "Two", Kind: "lesson", Story: "long"}}
	d.Files = []engine.File{{Name: "plain.yaml", Text: "a"}, {Name: "reconcile.sh", Text: "exit 0", Applied: "exit 0"}}
	s := start(t, d)
	s.m.Tour.Over, s.m.Prefs.TourOver = true, true
	return s
}

// A lesson opens with its tasks, says what to do first, has what stands in the
// editor graded, and leads on to the next one.
func TestLessonLeadsOn(t *testing.T) {
	s := lesson(t)
	if s.m.Drawer != TabLesson {
		t.Errorf("it opens with %s", s.m.Drawer)
	}
	s.m.Timeline.Touched = false
	if g := s.m.Guide(); g.Title != "One." || g.Do != (OpenFile{"reconcile.sh"}) || g.SecondDo != (ReadLesson{}) {
		t.Errorf("first the guide says %+v", g)
	}
	if s.m.Files.Open != "reconcile.sh" {
		t.Errorf("the editor shows %s", s.m.Files.Open)
	}
	s.do(Edited{"exit 1"})
	s.do(PanelAct{Name: "grade"})
	if got := strings.Join(s.methods(), " "); got != "file setScript" {
		t.Fatalf("grading an edited script sends %s", got)
	}
	s.answer("file", nil, nil)
	s.answer("setScript", nil, nil)
	if len(s.sent) != 1 || s.sent[0].Method != "grade" || s.m.Guide().Title != s.m.Words.Lesson("grading") {
		t.Fatalf("then %+v, and the guide says %q", s.sent, s.m.Guide().Title)
	}
	s.answer("grade", `{"passed":false,"checks":[{"name":"a","passed":true},{"name":"b"}]}`, nil)
	if g := s.m.Guide(); !strings.HasPrefix(g.Title, "1 of 2") || g.Do != (Grade{}) {
		t.Errorf("with one check of two the guide says %+v", g)
	}
	s.do(Grade{})
	s.answer("grade", `{"passed":true,"checks":[{"name":"a","passed":true},{"name":"b","passed":true}]}`, nil)
	if g := s.m.Guide(); g.Do != (PickScenario{Name: "lab-2", Sure: true}) || !g.Good {
		t.Errorf("when it is solved the guide says %+v", g)
	}
}

// The starting script takes the place of what was typed a moment ago, and not yet
// stored.
func TestStartingScriptComesBack(t *testing.T) {
	s := lesson(t)
	s.do(OpenFile{"reconcile.sh"})
	s.do(Edited{"exit 3"})
	s.do(PanelAct{Name: "send", Arg: `{"method":"setScript","name":"reconcile.sh","text":"exit 0"}`})
	if got := strings.Join(s.methods(), " "); got != "file setScript" {
		t.Fatalf("it sends %s", got)
	}
	s.answer("file", nil, nil)
	s.answer("setScript", nil, &engine.Delta{EventsFrom: -1, Files: []engine.File{{Name: "reconcile.sh", Text: "exit 0", Applied: "exit 0"}}})
	if f := s.m.Files.Get("reconcile.sh"); f.Text != "exit 0" || !s.has(EditorShow{"reconcile.sh", "exit 0", true}) {
		t.Errorf("the file is %q, and the page does %v", f.Text, s.last)
	}
}

// What the panel is drawn from holds the next lesson and the grade; an unknown
// act does nothing harmful.
func TestPanelIsTold(t *testing.T) {
	s := lesson(t)
	s.take(s.m.Update(FromEngine{engine.Reply{Delta: &engine.Delta{EventsFrom: -1, Progress: json.RawMessage(`{"lab-1":{"passed":true,"held":2,"checks":2}}`)}}}))
	now, of := s.m.Panel()
	var told struct {
		Next     struct{ Name, Story string }
		Progress map[string]struct{ Passed bool }
	}
	if err := json.Unmarshal([]byte(now), &told); err != nil || told.Next.Name != "lab-2" || told.Next.Story != "" || !told.Progress["lab-1"].Passed {
		t.Errorf("the panel is told %s (%v)", now, err)
	}
	if !strings.Contains(of, `"solution":"solution.sh"`) || strings.Contains(of, "lab-2") {
		t.Errorf("of the scenario it is told %s", of)
	}
	if got := s.m.Learned()["lab-1"]; !got.Passed || got.Held != 2 {
		t.Errorf("the library is told %+v", got)
	}
	s.do(OpenTab{TabTimeline})
	if now, of := s.m.Panel(); now+of != "" {
		t.Errorf("with the panel closed it is told %s", now)
	}
	s.do(PanelAct{"send", `{"method":`})
	if len(s.sent) != 0 {
		t.Errorf("half a command is sent as %+v", s.sent)
	}
	s.do(PanelAct{"lab", ""})
	s.answer("source", "the document", nil)
	if !s.has(SaveZip{"lab", encode(takeaway{Name: "lab-1", Source: "the document", Script: "reconcile.sh", Files: []engine.File{{Name: "plain.yaml", Text: "a"}, {Name: "reconcile.sh", Text: "exit 0"}}})}) {
		t.Errorf("taking the lab along asks for %v", s.last)
	}
	s.do(Imported{Name: "p.json", Text: `{"format":"reconcile.progress/v1","lessons":{}}`})
	if len(s.sent) != 0 || s.m.Sheet.Kind != "" {
		t.Error("a file of progress is taken for a cluster")
	}
}

// What is doubtful in a script that runs is marked until it is edited.
func TestDoubtsAreMarked(t *testing.T) {
	s := lesson(t)
	s.do(OpenFile{"reconcile.sh"})
	s.do(Apply{})
	doubt := engine.Mark{Line: 1, Col: 2, Message: "hm"}
	s.reply("setScript", engine.Reply{Done: true, Marks: []engine.Mark{doubt}}, nil)
	if !s.has(EditorMarks{Marks: []engine.Mark{doubt}, Doubts: true}) || s.m.Files.Error != nil {
		t.Errorf("a doubt does %v", s.last)
	}
	s.do(Edited{"exit 0\n"})
	if !s.has(EditorMarks{}) || s.m.Files.Doubts != nil {
		t.Error("the doubt stays while the person mends it")
	}
}

// kubectl edit opens the editor; applying there sends what was changed. What runs in
// the terminal can be stopped.
func TestKubectlEdit(t *testing.T) {
	s := start(t, full(obj("WebApp", "plain", "10", "")))
	typed(s, "kubectl edit webapp plain")
	press(s, Key{Name: "Enter"})
	if len(s.sent) != 1 || s.sent[0].Text != "kubectl get webapp plain -o yaml" {
		t.Fatalf("sent %+v", s.sent)
	}
	s.do(Stop{})
	if len(s.sent) != 2 || s.sent[1].Method != "interrupt" {
		t.Errorf("stopping sends %+v", s.sent)
	}
	s.answer("shell", engine.Output{Stdout: "kind: WebApp\n"}, nil)
	s.answer("interrupt", nil, nil)
	f := s.m.Files.Current()
	if f == nil || f.Text != "kind: WebApp\n" || s.m.Terminal.Lines[0].Stdout != s.m.Words.TerminalEdit()+"\n" {
		t.Fatalf("the editor has %+v", f)
	}
	s.answer("file", nil, nil)
	s.do(Edited{"kind: WebApp\nspec: {}\n"})
	s.do(Apply{})
	s.answer("file", nil, nil)
	if len(s.sent) != 1 || s.sent[0].Text != "KUBE_EDITOR=- kubectl edit webapp plain <<'END-OF-FILE'\nkind: WebApp\n======= edited =======\nkind: WebApp\nspec: {}\nEND-OF-FILE" {
		t.Fatalf("applying sends %+v", s.sent)
	}
	s.answer("shell", engine.Output{Stderr: "Conflict", Code: 1}, nil)
	if s.m.Files.Error == nil || s.m.Files.Error.Message != "Conflict" || s.m.Files.Applying {
		t.Errorf("a refusal is %+v", s.m.Files.Error)
	}
	s.do(Apply{})
	s.answer("shell", engine.Output{Stdout: "edited"}, nil)
	if s.m.Files.Get(f.Name) != nil || s.m.Files.Applying {
		t.Error("the file stays when it was taken")
	}
}
