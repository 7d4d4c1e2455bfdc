package scenario_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

const docs = "../../docs/scenario.md"

// The examples of the documentation are scenarios, and their steps print what
// they say.
func TestDocumentedExamples(t *testing.T) {
	page, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)\n```txtar\n(.*?)```\n").FindAllStringSubmatch(string(page), -1)
	if len(examples) < 2 {
		t.Fatalf("%s has %d examples", docs, len(examples))
	}
	useScripts(t)
	text := string(page)
	for _, e := range examples {
		s, err := scenario.Parse([]byte(e[1]))
		if err != nil {
			t.Fatal(err)
		}
		text = strings.Replace(text, s.Steps, documented(t, s), 1)
		for _, c := range s.Cures {
			cured, err := s.Cured(c.Name)
			if err != nil {
				t.Fatal(err)
			}
			text = strings.Replace(text, c.Steps, documented(t, cured), 1)
		}
	}
	if *update && text != string(page) {
		if err := os.WriteFile(docs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// documented runs the steps of an example and returns them with what they print.
func documented(t *testing.T, s *scenario.Scenario) string {
	t.Helper()
	blocks, err := s.RunSteps()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if b.Mismatch() && !*update {
			t.Errorf("%s, line %d of an example:\n%s\nprints\n%s\nwant\n%s", docs, b.Line, strings.Join(b.Commands, "\n"), b.Got, b.Want)
		}
	}
	return scenario.FormatSteps(blocks)
}

// Everything that a scenario may hold is in the documentation: the fields that
// Parse knows, which it names itself, and the commands of the steps.
func TestDocumentationNamesEverything(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	_, err = scenario.Parse([]byte("-- scenario.yaml --\nnothing: 1\n"))
	_, again := scenario.Parse([]byte("-- scenario.yaml --\ncontrollers:\n- nothing: 1\n"))
	known := regexp.MustCompile(`known are (.*)`)
	var words []string
	for _, e := range []error{err, again} {
		m := known.FindStringSubmatch(e.Error())
		if m == nil {
			t.Fatalf("no list of what is known in %v", e)
		}
		words = append(words, strings.Split(m[1], ", ")...)
	}
	words = append(words, scenario.StepCommands()...)
	for _, w := range words {
		if !regexp.MustCompile("(?m)^\\| .*`" + w + "[` ].* \\|").Match(text) {
			t.Errorf("%s does not explain %s", docs, w)
		}
	}
}
