package words

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// What the panels say stands in their catalogue, and nothing else does.
func TestPanelsHaveTheirWords(t *testing.T) {
	text, err := os.ReadFile("panels.en.json")
	if err != nil {
		t.Fatal(err)
	}
	var words map[string]string
	if err := json.Unmarshal(text, &words); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../panels/*.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no panels: %v", err)
	}
	quoted := map[string]bool{}
	for _, file := range files {
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`\bsay\("(\w+)"`).FindAllStringSubmatch(string(code), -1) {
			if words[m[1]] == "" {
				t.Errorf("%s says %q, which is no key of panels.en.json", file, m[1])
			}
		}
		for _, m := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(string(code), -1) {
			quoted[m[1]] = true
		}
	}
	for key := range words {
		if !quoted[key] {
			t.Errorf("no panel says %q", key)
		}
	}
}
