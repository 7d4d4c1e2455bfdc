package peers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "sigs.k8s.io/controller-runtime" // what the project is built of belongs to go.mod
)

// The project that the last lesson gives to take away compiles with the
// libraries of this module, whose versions its go.mod names.
func TestScaffoldCompiles(t *testing.T) {
	doc, err := os.ReadFile("../scenario/library/downloads/lab-9.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := downloads(string(doc))
	if len(files) == 0 {
		t.Fatal("the lesson has no files to take away")
	}
	here, err := filepath.Abs("scaffold")
	if err != nil {
		t.Fatal(err)
	}
	// The files stand in an overlay, as packages of this module.
	dir, replace := t.TempDir(), map[string]string{}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		text = strings.ReplaceAll(text, `"example.com/webapp/`, `"github.com/reconcile-playground/reconcile/core/peers/scaffold/`)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(here, name)] = file
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-overlay", file, "-o", filepath.Join(dir, "manager"), "./scaffold/cmd")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("go build: %v\n%s", err, out)
	}
	ours, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(files["go.mod"]) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "k8s.io/") || strings.HasPrefix(line, "sigs.k8s.io/") {
			if !strings.Contains(string(ours), "\t"+line+"\n") {
				t.Errorf("go.mod of the project has %s, which is not the version here", line)
			}
		}
	}
}

// downloads are the members download/PATH of a scenario, by their paths.
func downloads(doc string) map[string]string {
	files := map[string]string{}
	name := ""
	for line := range strings.Lines(doc) {
		if member, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(line, " --\n") {
			name, ok = strings.CutPrefix(strings.TrimSuffix(member, " --\n"), "download/")
			if !ok {
				name = ""
			}
			continue
		}
		if name != "" {
			files[name] += line
		}
	}
	return files
}
