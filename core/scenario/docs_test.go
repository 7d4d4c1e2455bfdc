package scenario_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

const docs = "../../docs/scenario.md"

// The example of the documentation is a scenario, and its steps print what it
// says.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)\n```txtar\n(.*?)```\n").FindAllSubmatchIndex(page, -1)
	if len(examples) == 0 {
		t.Fatalf("%s has no example", docs)
	}
	at := examples[0]
	doc := page[at[2]:at[3]]
	s, err := scenario.Parse(doc)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := s.RunSteps()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		text := strings.Replace(string(page), s.Steps, scenario.FormatSteps(blocks), 1)
		if err := os.WriteFile(docs, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, b := range blocks {
		if b.Mismatch() {
			t.Errorf("%s, line %d of the example:\n%s\nprints\n%s\nwant\n%s", docs, b.Line, strings.Join(b.Commands, "\n"), b.Got, b.Want)
		}
	}
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
