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
)

var update = flag.Bool("update", false, "write what the steps of the scenarios print into them")

// TestScenarios opens every scenario, runs its steps and compares what they
// print. RECONCILE_SCENARIOS=DIR runs the scenarios of that folder instead.
func TestScenarios(t *testing.T) {
	patterns := []string{"library/*.txtar", "testdata/*.txtar"}
	if dir := os.Getenv("RECONCILE_SCENARIOS"); dir != "" {
		patterns = []string{filepath.Join(dir, "*.txtar")}
	}
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
	blocks, err := s.RunSteps()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if *update {
		rewrite(t, file, doc, blocks)
		return
	}
	for _, b := range blocks {
		if b.Mismatch() {
			t.Errorf("%s:%d: %s\nprints\n%s\nwant\n%s\nSee it again: go test ./core/scenario -run 'TestScenarios/%s'; -update takes it over.",
				file, b.Line, strings.Join(b.Commands, "\n"), b.Got, b.Want, strings.TrimSuffix(filepath.Base(file), ".txtar"))
		}
	}
}

func rewrite(t *testing.T, file string, doc []byte, blocks []scenario.Block) {
	archive := txtar.Parse(doc)
	for i, f := range archive.Files {
		if f.Name == "steps" {
			archive.Files[i].Data = []byte(scenario.FormatSteps(blocks))
		}
	}
	if text := txtar.Format(archive); !bytes.Equal(text, doc) {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
