package scenario

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Teaching is what a lesson or an incident says to people, and what they can
// switch on. All of it is empty for a plain scenario.
type Teaching struct {
	// Kind is lab, lesson, incident or empty.
	Kind string
	// Look says what to look at, in order, one thing a text.
	Look []string
	// Cures can be switched on, each by itself: see Cured.
	Cures []Cure
	// Tasks say what must hold in the end, Hints what to try, in order.
	Tasks, Hints []string
	// Solution names the member of Scripts that solves the lesson in the place of
	// the first controller's script.
	Solution string
	// Fails are the findings that the lesson's own script is graded with; Demands
	// what it is graded by of what any reconciler owes: all of it where empty.
	Fails, Demands []string
	// Outcome is how it ends, as it stands: nil where nothing is told. On is the
	// cure that is switched on, empty for none.
	Outcome *Outcome
	On      string
}

// Outcome is how an incident ends, and what shows it.
type Outcome struct {
	// Happens says that what the incident is about came about.
	Happens bool `json:"happens"`
	// Says tells it to people.
	Says string `json:"says"`
	// See names what to look at: an object or a thing in the cloud by its reference,
	// queue, log, or the end of an act, such as "act 2".
	See []string `json:"see,omitempty"`
	// Finds are the findings of the run, by name.
	Finds []string `json:"finds,omitempty"`
}

// Cure is a change that can be switched on in a scenario: of the program, of the
// settings, or nothing but another way to act, which Says names.
type Cure struct {
	// Name is a word; Title and Says are for people.
	Name, Title, Says string
	// Controller is whose script and settings change: the first where not given.
	Controller string
	// Script names the member of Scripts that takes the place of the program.
	Script string
	// Setting holds fields of the controller that change, and latency and seed
	// of the scenario. A null takes a field away.
	Setting *object.Map
	// Steps are the test of the cured scenario, the member steps/NAME; StepsLine
	// is where they begin in the document.
	Steps     string
	StepsLine int
	// Outcome is how it ends then.
	Outcome *Outcome
}

// ofScenario are the fields of Cure.Setting that are the scenario's.
var ofScenario = []string{"latency", "seed"}

// teachingFields are the fields of the settings that are read here.
var teachingFields = []string{"kind", "look", "cures", "tasks", "hints", "solution", "fails", "demands", "outcome", "cured"}

func (r *reader) teaching(m *object.Map) Teaching {
	t := Teaching{
		Look: r.strings(m, "", "look"), Tasks: r.strings(m, "", "tasks"), Hints: r.strings(m, "", "hints"),
		Solution: r.str(m, "", "solution", ""), Fails: r.strings(m, "", "fails"), Demands: r.strings(m, "", "demands"),
		Outcome: r.outcome(m, "", true), On: r.str(m, "", "cured", ""),
	}
	if _, ok := m.Get("kind"); ok {
		t.Kind = r.word(m, "", "kind", "", "lab", "lesson", "incident")
	}
	v, ok := m.Get("cures")
	if !ok {
		return t
	}
	l, ok := v.(*object.List)
	if !ok {
		r.fail("cures", "must be a list of cures such as {name: re-read, title: Read it again, script: cured.sh}")
		return t
	}
	for i, item := range l.All() {
		path := fmt.Sprintf("cures[%d]", i)
		c := r.cure(item, path)
		if slices.ContainsFunc(t.Cures, func(b Cure) bool { return b.Name == c.Name }) {
			r.fail(path+".name", "%q is the name of another cure", c.Name)
		}
		t.Cures = append(t.Cures, c)
	}
	return t
}

func (r *reader) cure(item any, path string) Cure {
	m, ok := item.(*object.Map)
	if !ok {
		r.fail(path, "must be a map")
		return Cure{}
	}
	r.fields(m, path, "name", "title", "says", "controller", "script", "setting", "outcome")
	c := Cure{
		Name: r.str(m, path, "name", ""), Title: r.str(m, path, "title", ""), Says: r.str(m, path, "says", ""),
		Controller: r.str(m, path, "controller", ""), Script: r.str(m, path, "script", ""), Outcome: r.outcome(m, path, false),
	}
	if c.Name == "" || strings.ContainsAny(c.Name, " \t\"/") {
		r.fail(path+".name", "must be one word, not %q", c.Name)
	}
	if c.Title == "" {
		r.fail(path, "title is missing: what the cure does, in a few words")
	}
	if v, ok := m.Get("setting"); ok {
		if c.Setting, ok = v.(*object.Map); !ok || c.Setting.Len() == 0 {
			r.fail(path+".setting", "must hold fields of a controller, such as {predicates: [GenerationChanged]}, not %s", object.EncodeJSON(v))
		}
	}
	return c
}

// outcome reads how it ends; happens is what holds where the document does not say.
func (r *reader) outcome(m *object.Map, path string, happens bool) *Outcome {
	v, ok := m.Get("outcome")
	if !ok {
		return nil
	}
	path = object.JoinPath(path, "outcome")
	o, ok := v.(*object.Map)
	if !ok {
		r.fail(path, "must be a map such as {says: Nothing moves any more.}")
		return nil
	}
	r.fields(o, path, "happens", "says", "see", "finds")
	out := &Outcome{Happens: r.flag(o, path, "happens", happens), Says: r.str(o, path, "says", ""), See: r.strings(o, path, "see"), Finds: r.strings(o, path, "finds")}
	if out.Says == "" {
		r.fail(path, "says is missing: what is to be seen at the end")
	}
	return out
}

// checkTeaching holds what the settings name against what the document has. The
// lines of its errors count within scenario.yaml.
func (s *Scenario) checkTeaching() error {
	has := func(script string) bool {
		return script == "" || slices.ContainsFunc(s.Scripts, func(f File) bool { return f.Name == script })
	}
	if !has(s.Solution) {
		return &Error{File: "scenario.yaml", Field: "solution", Message: "there is no member scripts/" + s.Solution}
	}
	if s.On != "" && !slices.ContainsFunc(s.Cures, func(c Cure) bool { return c.Name == s.On }) {
		return &Error{File: "scenario.yaml", Field: "cured", Message: fmt.Sprintf("there is no cure %q", s.On)}
	}
	for i, c := range s.Cures {
		path := fmt.Sprintf("cures[%d]", i)
		if !has(c.Script) {
			return &Error{File: "scenario.yaml", Field: path + ".script", Message: "there is no member scripts/" + c.Script}
		}
		if c.Name == s.On {
			s.Steps, s.StepsLine, s.Outcome = c.Steps, c.StepsLine, c.Outcome
		}
		if c.Controller != "" && !slices.ContainsFunc(s.Controllers, func(k Controller) bool { return k.Name == c.Controller }) {
			return &Error{File: "scenario.yaml", Field: path + ".controller", Message: fmt.Sprintf("there is no controller %q", c.Controller)}
		}
	}
	return nil
}

// addSteps takes the test of a cure.
func (s *Scenario) addSteps(cure, text string, line int) error {
	i := slices.IndexFunc(s.Cures, func(c Cure) bool { return c.Name == cure })
	if i < 0 {
		return &Error{File: "steps/" + cure, Line: line, Message: fmt.Sprintf("there is no cure %q in scenario.yaml", cure)}
	}
	s.Cures[i].Steps, s.Cures[i].StepsLine = text, line+1
	return nil
}

// Cured returns the scenario with a cure switched on: a document of its own, which
// names the cure and has its steps and its outcome. The lines of the steps are those
// that they have here.
func (s *Scenario) Cured(name string) (*Scenario, error) {
	i := slices.IndexFunc(s.Cures, func(c Cure) bool { return c.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s has no cure %q", ErrUnknown, s.Name, name)
	}
	cure := s.Cures[i]
	at := max(0, slices.IndexFunc(s.Controllers, func(k Controller) bool { return k.Name == cure.Controller }))
	cured, err := s.changed(func(root *object.Map) *object.Map { return cure.apply(root, at) })
	if err != nil {
		return nil, err
	}
	cured.StepsLine = cure.StepsLine
	return cured, nil
}

// Hides reports whether a script is the solution of a lesson, and nothing else:
// nobody is shown it who does not ask for it.
func (s *Scenario) Hides(script string) bool {
	return s.Kind == "lesson" && script == s.Solution && !slices.ContainsFunc(s.Cures, func(c Cure) bool { return c.Script == script })
}

// Judges reports whether a finding counts here: a lesson may ask for less than what
// any reconciler owes.
func (s *Scenario) Judges(finding string) bool {
	return len(s.Demands) == 0 || slices.Contains(s.Demands, finding)
}

// Solved returns a lesson with its solution in the place of the first
// controller's script.
func (s *Scenario) Solved() (*Scenario, error) {
	if s.Solution == "" {
		return nil, fmt.Errorf("%w: %s has no solution", ErrUnknown, s.Name)
	}
	return s.changed(func(root *object.Map) *object.Map { return Cure{Script: s.Solution}.apply(root, 0) })
}

// apply makes the change in the settings.
func (c Cure) apply(root *object.Map, controller int) *object.Map {
	v, _ := root.Get("controllers")
	var items []any
	for _, item := range v.(*object.List).All() {
		items = append(items, item)
	}
	k := items[controller].(*object.Map)
	if c.Script != "" {
		k = k.With("reconciler", ofScript).With("script", c.Script)
	}
	set := func(m *object.Map, field string, v any) *object.Map {
		if v == nil {
			return m.Without(field)
		}
		return m.With(field, v)
	}
	for field, v := range c.Setting.All() {
		if slices.Contains(ofScenario, field) {
			root = set(root, field, v)
		} else {
			k = set(k, field, v)
		}
	}
	items[controller] = k
	if c.Name != "" {
		root = root.With("cured", c.Name)
	}
	return root.With("controllers", object.NewList(items...))
}

// changed is the document with other settings.
func (s *Scenario) changed(settings func(*object.Map) *object.Map) (*Scenario, error) {
	a := txtar.Parse([]byte(s.source))
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == "scenario.yaml" })
	a.Files[i].Data = changedSettings(a.Files[i].Data, settings)
	return Parse(txtar.Format(a))
}

// changedSettings changes a text of settings that was parsed before.
func changedSettings(text []byte, change func(*object.Map) *object.Map) []byte {
	docs, err := object.DecodeYAML(text)
	if err != nil {
		panic(err)
	}
	return object.EncodeYAML(change(docs[0].Value.(*object.Map)))
}
