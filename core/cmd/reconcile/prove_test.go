package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What prove tells of is played again by run, from the choices of each finding to
// the end: it repeats, and what went wrong is there to be seen.
func TestFindingsAreShownByRun(t *testing.T) {
	for script, want := range map[string]string{
		"swallowed-list": "lb-0001 is still in the cloud",
		"duplicate":      "lb-0002 was made for WebApp/default/outside although lb-0001 was there",
	} {
		file := "../../grade/testdata/wrong/" + script + ".sh"
		out, errs, status := reconcile("", "prove", "--script", file, "--faults", "cloud-error,crash-after", "--schedules", "none", "--format", "json")
		if status != exitFindings || errs != "" {
			t.Fatalf("%s: exit status %d: %s", script, status, errs)
		}
		var p struct {
			Findings []struct {
				Finding, Sentence string
				Choices           []string
			}
		}
		if err := json.Unmarshal([]byte(out), &p); err != nil || len(p.Findings) == 0 {
			t.Fatalf("%s: %d findings, %v", script, len(p.Findings), err)
		}
		shown := false
		for _, f := range p.Findings {
			out, errs, _ := reconcile(strings.Join(f.Choices, "\n"), "run", "--script", file, "--choices", "-")
			if errs != "" {
				t.Errorf("%s: the choices of %s do not repeat: %s", script, f.Finding, errs)
			}
			shown = shown || strings.Contains(f.Sentence, want) && strings.Contains(out, want)
		}
		if !shown {
			t.Errorf("%s: run does not tell of %q", script, want)
		}
	}
}
