package scenario_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
)

var update = flag.Bool("update", false, "write what the steps of the scenarios print into them")

// TestScenarios opens every scenario, runs its steps and compares what they
// print. RECONCILE_SCENARIOS=DIR runs the scenarios of that folder instead.
func TestScenarios(t *testing.T) {
	patterns := []string{"library/*.txtar", "testdata/*.txtar"}
	if dir := os.Getenv("RECONCILE_SCENARIOS"); dir != "" {
		patterns = []string{filepath.Join(dir, "*.txtar")}
	}
	useScripts(t)
	ran := 0
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			ran++
			t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runFile(t, file) })
		}
	}
	if ran == 0 {
		t.Fatalf("no scenario in %s", patterns)
	}
}

func runFile(t *testing.T, file string) {
	doc, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(doc)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	texts := map[string]string{}
	check := func(member, program string, s *scenario.Scenario) {
		blocks, err := s.RunSteps()
		if err != nil {
			t.Fatalf("%s: %s: %v", file, program, err)
		}
		texts[member] = scenario.FormatSteps(blocks)
		for _, b := range blocks {
			if b.Mismatch() && !*update {
				t.Errorf("%s:%d: %s\n%s\nprints\n%s\nwant\n%s\nSee it again: go test ./core/scenario -run 'TestScenarios/%s'; -update takes it over.",
					file, b.Line, program, strings.Join(b.Commands, "\n"), b.Got, b.Want, strings.TrimSuffix(filepath.Base(file), ".txtar"))
			}
		}
	}
	check("steps", "as it stands", s)
	for _, c := range s.Cures {
		cured, err := s.Cured(c.Name)
		if err != nil {
			t.Fatalf("%s: the cure %s: %v", file, c.Name, err)
		}
		check("steps/"+c.Name, "with the cure "+c.Name, cured)
	}
	if *update {
		rewrite(t, file, doc, texts)
	}
}

// useScripts has scenarios run bash, as the command line does.
func useScripts(t *testing.T) {
	t.Helper()
	read := func(name, text string) (scenario.Script, error) {
		p, err := script.Compile(name, text)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
	scenario.UseScripts(read, script.Shell)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
}

// rewrite puts what steps print into a document.
func rewrite(t *testing.T, file string, doc []byte, texts map[string]string) {
	archive := txtar.Parse(doc)
	for i, f := range archive.Files {
		if text, ok := texts[f.Name]; ok {
			archive.Files[i].Data = []byte(text)
		}
	}
	if text := txtar.Format(archive); !bytes.Equal(text, doc) {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
