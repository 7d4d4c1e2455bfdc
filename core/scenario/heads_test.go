package scenario_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// A build without scripts has the heads of the documents that need them: each
// says what the whole document says.
func TestHeadsApart(t *testing.T) {
	useScripts(t)
	files, err := filepath.Glob("library/heads/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, h := range scenario.Heads() {
		s, err := scenario.Load(h.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Scripts) > 0 {
			want[filepath.Join("library/heads", h.Name+".txtar")] = headText(h)
		}
	}
	if *update {
		for _, f := range files {
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		for file, text := range want {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	if len(files) != len(want) {
		t.Errorf("%d heads for %d documents with scripts", len(files), len(want))
	}
	for file, text := range want {
		got, err := os.ReadFile(file)
		if err != nil || string(got) != text {
			t.Errorf("%s is not the head of its document (%v): go test ./core/scenario -run TestHeadsApart -update writes it", file, err)
		}
	}
}

// headText is a document with nothing but a head.
func headText(h scenario.Head) string {
	var look, cures []any
	for _, l := range h.Look {
		look = append(look, l)
	}
	for _, c := range h.Cures {
		cures = append(cures, object.NewMap(object.Field{Key: "name", Value: c.Name}, object.Field{Key: "title", Value: c.Title}))
	}
	m := object.NewMap(object.Field{Key: "name", Value: h.Name}, object.Field{Key: "title", Value: h.Title}, object.Field{Key: "kind", Value: h.Kind},
		object.Field{Key: "look", Value: object.NewList(look...)}, object.Field{Key: "cures", Value: object.NewList(cures...)})
	return strings.TrimSpace(h.Story) + "\n" + string(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "scenario.yaml", Data: object.EncodeYAML(m)}}}))
}
