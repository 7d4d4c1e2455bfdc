package scenario_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// Everything in the library reads as what it is: an incident shows the broken
// form and each of its cures, a lesson has its tasks, three hints and a
// solution; all of them speak of the same kind.
func TestLibrary(t *testing.T) {
	useScripts(t)
	lab, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scenario.Names() {
		s, err := scenario.Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if s.Name != name || s.Title == s.Name || len(s.Story) < 80 {
			t.Errorf("%s: name %q, title %q, a story of %d characters", name, s.Name, s.Title, len(s.Story))
		}
		kind, rest, _ := strings.Cut(name, "-")
		switch {
		case kind == "incident":
			checkIncident(t, s)
		case kind == "lab" && rest != "":
			checkLesson(t, s)
		}
		for _, crd := range s.Objects() {
			if crd.Kind() == "CustomResourceDefinition" && !object.Equal(plainSchema(crd), plainSchema(lab.Objects()[0])) {
				t.Errorf("%s: its definition of WebApp is not the lab's", name)
			}
		}
	}
}

// The last lesson gives a project to take away; a test of core/peers compiles it.
func TestDownloads(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the page loads them when they are asked for")
	}
	useScripts(t)
	s, err := scenario.Load("lab-9")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range s.Downloads {
		names = append(names, f.Name)
	}
	for _, want := range []string{"go.mod", "cmd/main.go", "internal/controller/webapp_controller.go", "config/crd/webapps.yaml"} {
		if !slices.Contains(names, want) {
			t.Errorf("there is no %s among %v", want, names)
		}
	}
	for _, f := range s.Files {
		if slices.Contains(names, f.Name) {
			t.Errorf("the editor has %s", f.Name)
		}
	}
}

func checkIncident(t *testing.T, s *scenario.Scenario) {
	t.Helper()
	if s.Kind != "incident" || len(s.Look) == 0 || len(s.Cures) == 0 || !strings.Contains(s.Steps, "----") {
		t.Errorf("%s: kind %q, %d things to look at, %d cures, steps %q", s.Name, s.Kind, len(s.Look), len(s.Cures), s.Steps)
	}
	for _, c := range s.Cures {
		if c.Says == "" || !strings.Contains(c.Steps, "----") {
			t.Errorf("%s: the cure %s says %q and has the steps %q", s.Name, c.Name, c.Says, c.Steps)
		}
	}
}

func checkLesson(t *testing.T, s *scenario.Scenario) {
	t.Helper()
	if s.Kind != "lesson" || len(s.Tasks) == 0 || len(s.Hints) != 3 || len(s.Look) == 0 || len(s.Fails) == 0 || len(s.Life) == 0 || len(s.Checks) == 0 {
		t.Errorf("%s: kind %q, %d tasks, %d hints, fails %v, a life of %d, %d checks", s.Name, s.Kind, len(s.Tasks), len(s.Hints), s.Fails, len(s.Life), len(s.Checks))
	}
	if _, err := s.Solved(); err != nil {
		t.Errorf("%s: its solution: %v", s.Name, err)
	}
	if !slices.ContainsFunc(s.Scripts, func(f scenario.File) bool { return f.Name == "reconcile.sh" }) {
		t.Errorf("%s: there is no reconcile.sh to begin with", s.Name)
	}
}

// plainSchema is a definition's only version, as the server serves it.
func plainSchema(crd object.Object) any {
	return crd.List("spec", "versions")
}
