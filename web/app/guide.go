package app

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/engine"
)

var rerunCommand = engine.Command{Method: "rerun"}

// Guide is what the page says about what to do next. It always says something.
type Guide struct {
	// Tour is the tour's step, 0 outside the tour; TourSteps+1 at its end.
	Tour int
	// Part is which part of the step it is, of Parts, where it has several.
	Part, Parts int
	Title, Text string
	// Button does Do; empty where there is nothing to do.
	Button string
	Do     Msg
	// Key is the shortcut that does the same.
	Key string
	// Second is another thing that one may do.
	Second   string
	SecondDo Msg
	// Close takes the text away; nil where it stays.
	Close Msg
	// Good says that the text is good news, Bad that something is wrong.
	Good, Bad bool
}

// Guide returns what to do next. A button that has no key of its own has the one
// that does what the bar suggests.
func (m *Model) Guide() Guide {
	g := m.guide()
	if g.Button != "" && g.Key == "" {
		g.Key = "g"
	}
	return g
}

func (m *Model) guide() Guide {
	w := m.Words
	switch {
	case !m.Ready:
		return Guide{Title: w.Loading()}
	case m.Opening() != "":
		return m.openingGuide()
	case m.InThePast():
		return Guide{Title: w.InThePast(m.Timeline.Step), Text: w.NextPast(), Button: w.ToTip(), Do: Seek{m.Timeline.Length}, Key: "end",
			Second: w.Branch(), SecondDo: Fork{}}
	case m.Running:
		return Guide{Title: w.Working(), Text: w.StepOf(m.Timeline.Step, m.Timeline.Length), Button: w.Stop(), Do: Stop{}, Key: "Esc"}
	}
	if m.Shown && !m.grading() && (m.Grade == nil || !m.Grade.Passed) {
		return m.shownGuide()
	}
	if m.Story != nil && m.Grade == nil && !m.grading() && m.Evidence == nil {
		if g, ok := m.storyGuide(); ok {
			return g
		}
	}
	switch {
	case m.Controller == "crashed":
		return Guide{Title: w.DownTitle(), Text: w.NextDown(m.callAtCrash()), Button: w.Restart(), Do: Restart{}, Key: "k"}
	case len(m.failing()) > 0 && m.Grade == nil && !m.grading():
		return m.failingGuide()
	case m.Touring():
		return m.tourGuide()
	case m.Evidence != nil && m.Evidence.Done:
		return m.evidenceGuide()
	}
	if g, ok := m.lessonGuide(); ok {
		return g
	}
	return m.nextGuide()
}

// shownGuide says what to do with a run that shows what was found.
func (m *Model) shownGuide() Guide {
	w := m.Words
	g := Guide{Title: w.Lesson("shown"), Text: w.Lesson("shownText"), Button: w.Lesson("shownDo"), Do: BackToMine{}}
	if m.Controller == "crashed" {
		g.Second, g.SecondDo = w.Restart(), Restart{}
	} else if m.Default().Action != "" {
		g.Second, g.SecondDo = w.Step(), Step{}
	}
	return g
}

func (m *Model) evidenceGuide() Guide {
	w, ev := m.Words, m.Evidence
	return Guide{Title: w.EvidenceTitle(len(ev.Changed) == 0), Text: w.Evidence(ev.Objects, ev.Changed),
		Button: w.RunAgain(), Do: Rerun{}, Key: "a", Second: w.RunReport(), SecondDo: MakeReport{}, Close: DropEvidence{}, Good: len(ev.Changed) == 0}
}

// nextGuide says what Step would do, or what to try where nothing is left.
func (m *Model) nextGuide() Guide {
	w := m.Words
	next := m.Default()
	if m.Timeline.Quiet || next.Action == "" {
		text := w.NextQuiet()
		if !m.Converged() && len(m.Watched()) > 0 {
			text = w.NextPending(m.notReady())
		}
		orphans := m.orphans()
		stuck, finalizers := m.stuck()
		if len(stuck) > 0 {
			text = w.NextTerminating(stuck, finalizers)
		}
		if len(orphans) > 0 {
			text = w.NextOrphan(orphans)
		}
		return Guide{Title: w.QuietTitle(), Text: text, Button: w.RunAgain(), Do: Rerun{}, Key: "a", Second: w.TourAgain(m.Prefs.TourOver && m.Scenario.Name == tourScenario),
			SecondDo: StartTour{}, Good: len(orphans)+len(stuck) == 0}
	}
	verb, _, _ := strings.Cut(next.Action, " ")
	// What has a reason has no detail.
	title, text := w.NextFor(verb, next.Target, next.Reason+next.Detail)
	return Guide{Title: title, Text: text, Button: w.Step(), Do: Step{}, Key: "s"}
}

// failing are the keys of a world at rest whose passes end with an error again
// and again.
func (m *Model) failing() []string {
	var keys []string
	if !m.Timeline.Quiet {
		return nil
	}
	for _, item := range m.Queue.Items {
		if item.Failures > 0 && !slices.Contains(keys, item.Key) {
			keys = append(keys, item.Key)
		}
	}
	return keys
}

// failingGuide says which keys fail and why, and what to do about it.
func (m *Model) failingGuide() Guide {
	w, keys := m.Words, m.failing()
	g := Guide{Button: w.SeeLog(), Do: OpenTab{TabLog}, Second: w.RunAgain(), SecondDo: Rerun{}, Bad: true}
	if m.teaches() {
		g.Second, g.SecondDo = w.Lesson("read"), ReadLesson{}
	}
	g.Title, g.Text = w.NextFailing(keys, m.errorOf(keys), len(m.Scenario.Cures) > 0)
	return g
}

// longestError is how much of an error the bar says.
const longestError = 120

// errorOf is the error of the last pass, in short, where it was one of these keys';
// else empty.
func (m *Model) errorOf(keys []string) string {
	if m.Pass == nil || !slices.Contains(keys, m.Pass.Key) {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(m.Pass.Error), "\n")
	line := []rune(lines[len(lines)-1])
	if len(line) > longestError {
		return string(line[:longestError]) + "…"
	}
	return string(line)
}

// callAtCrash is what became of the call that the controller was making when it
// crashed last; empty where it made none.
func (m *Model) callAtCrash() string {
	ps := m.Pass
	if ps == nil || !ps.Died || len(ps.Calls) == 0 || ps.EndEvent > len(m.Events) {
		return ""
	}
	for _, e := range m.Events[ps.EndEvent:min(m.Timeline.Step, len(m.Events))] {
		if strings.HasPrefix(e.Text, "crash") {
			return ""
		}
	}
	return string(ps.Calls[len(ps.Calls)-1].Outcome)
}

// notReady names the watched objects that are not ready.
func (m *Model) notReady() []string {
	var names []string
	for _, e := range m.Watched() {
		if !IsReady(e.Server) {
			names = append(names, e.Name)
		}
	}
	return names
}

// stuck are the objects that are being deleted in a world at rest, as kind and
// name, and the finalizers that they wait for, each once.
func (m *Model) stuck() (names, finalizers []string) {
	if !m.Objects.Count().Terminating {
		return nil, nil
	}
	for _, e := range m.Objects.All {
		if e.Gone() || !e.Server.Terminating() {
			continue
		}
		names = append(names, e.Kind+" "+e.Name)
		for _, f := range e.Server.Finalizers() {
			if !slices.Contains(finalizers, f) {
				finalizers = append(finalizers, f)
			}
		}
	}
	return names, finalizers
}

// tourGuide is the current step of the tour. A step whose work is partly done
// asks for the rest alone.
func (m *Model) tourGuide() Guide {
	w := m.Words
	g := Guide{Tour: m.Tour.Step, Button: w.Step(), Do: Step{}, Key: "s"}
	variant := 0
	switch m.Tour.Step {
	case tourWant:
		if files := m.filesToApply(); len(files) > 0 && len(m.Watched()) == 0 {
			g.Button, g.Do, g.Key = w.ApplyThem(len(files)), ApplyFiles{files}, ""
		} else {
			variant = 1
		}
		if slices.ContainsFunc(m.Scenario.Library, func(s scenario.Head) bool { return s.Name == lessonZero }) {
			g.Second, g.SecondDo = w.BeginWithZero(), PickScenario{Name: lessonZero}
		}
	case tourPass:
		g.Button, g.Do, g.Key = w.NextCall(), StepCall{}, "c"
	case tourConverge:
		g, variant = m.tourConvergeGuide(g)
		g.Part, g.Parts = variant+1, convergeParts
	case tourAgain:
		g.Button, g.Do, g.Key = w.RunAgain(), Rerun{}, "a"
	case TourSteps + 1:
		ev := m.Evidence
		return Guide{Tour: m.Tour.Step, Title: w.EvidenceTitle(len(ev.Changed) == 0), Text: w.Evidence(ev.Objects, ev.Changed) + " " + w.TourEnd(),
			Button: w.FinishTour(), Do: LeaveTour{}, Second: w.RunReport(), SecondDo: MakeReport{}, Good: true}
	}
	g.Title, g.Text = w.Tour(m.Tour.Step, variant)
	return g
}

// lessonZero is the other place where a first visitor may begin.
const lessonZero = "lab-0"

// convergeParts is how many parts the tour's step of converging has.
const convergeParts = 3

// tourConvergeGuide: run to quiet; then what is missing is made; then run again.
func (m *Model) tourConvergeGuide(g Guide) (Guide, int) {
	w := m.Words
	g.Button, g.Do, g.Key = w.Run(), Run{}, "r"
	if !m.Timeline.Quiet {
		if len(m.missingFiles()) == 0 && m.Timeline.Step > 0 && m.dependencyThere() {
			return g, 2
		}
		return g, 0
	}
	if files := m.missingFiles(); len(files) > 0 {
		g.Button, g.Do, g.Key = w.ApplyFile(files[0]), ApplyFiles{files[:1]}, ""
		return g, 1
	}
	return g, 2
}

// dependencyThere reports whether an object of a kind that is owned exists
// without an owner: what others depend on.
func (m *Model) dependencyThere() bool {
	return slices.ContainsFunc(m.Objects.All, func(e *Entry) bool {
		return !e.Builtin && !e.Gone() && slices.Contains(m.Scenario.Owned, e.Kind) && len(e.Server.OwnerReferences()) == 0
	})
}

// filesToApply are the files that name objects of the watched kind which are
// not in the cluster.
func (m *Model) filesToApply() []string {
	var names []string
	for _, f := range m.Files.List {
		if in, known := m.InCluster(f); known && !in && m.namesWatched(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

// missingFiles are the other files whose objects are not in the cluster.
func (m *Model) missingFiles() []string {
	var names []string
	for _, f := range m.Files.List {
		if in, known := m.InCluster(f); known && !in && !m.namesWatched(f) {
			names = append(names, f.Name)
		}
	}
	return names
}

func (m *Model) namesWatched(f *File) bool {
	return slices.ContainsFunc(f.Refs(), func(ref string) bool { return strings.HasPrefix(ref, m.Scenario.Watched+"/") })
}

// Orphan reports whether an item in the cloud, which names its watched object
// in a tag, has outlived it.
func (m *Model) Orphan(item api.CloudItem) bool {
	owner := item.Tags[strings.ToLower(m.Scenario.Watched)]
	if owner == "" {
		return false
	}
	k := object.ParseKey(owner)
	return !slices.ContainsFunc(m.Objects.All, func(e *Entry) bool {
		return e.Kind == m.Scenario.Watched && e.Namespace == k.Namespace && e.Name == k.Name && !e.Gone()
	})
}

func (m *Model) orphans() []string {
	var ids []string
	for _, item := range m.Cloud.Items {
		if m.Orphan(item) {
			ids = append(ids, item.ID)
		}
	}
	return ids
}
