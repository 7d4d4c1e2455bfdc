package scenario_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

const incidents = "../../docs/incidents.md"

// The page on incidents and lessons is what the library says.
func TestIncidentsPage(t *testing.T) {
	useScripts(t)
	want := incidentsPage(t)
	if *update {
		if err := os.WriteFile(incidents, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(incidents)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the library says: go test ./core/scenario -run TestIncidentsPage -update writes it", incidents)
	}
}

func incidentsPage(t *testing.T) string {
	t.Helper()
	var lessons, cases strings.Builder
	for _, name := range scenario.Names() {
		s, err := scenario.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		switch s.Kind {
		case "lesson":
			fmt.Fprintf(&lessons, "\n### %s\n\n`%s`\n\n%s\n\nWhat must hold:\n\n", s.Title, s.Name, s.Story)
			for i, task := range s.Tasks {
				fmt.Fprintf(&lessons, "%d. %s\n", i+1, task)
			}
			fmt.Fprintf(&lessons, "\nAs it begins it is graded with: %s.\n", strings.Join(s.Fails, ", "))
		case "incident":
			fmt.Fprintf(&cases, "\n### %s\n\n`%s`\n\n%s\n\nWhat to look at:\n\n", s.Title, s.Name, s.Story)
			for _, l := range s.Look {
				fmt.Fprintf(&cases, "- %s\n", l)
			}
			fmt.Fprintf(&cases, "\nHow it ends: %s\n\nWhat can be switched on:\n\n", s.Outcome.Says)
			for _, c := range s.Cures {
				fmt.Fprintf(&cases, "- **%s** (`%s`): %s Then: %s\n", c.Title, c.Name, c.Says, c.Outcome.Says)
			}
		}
	}
	return `# Incidents and lessons

All of these come with the product: pick one in the page, or run it with ` + "`reconcile run --scenario NAME`" + `.
The scenario of each is in ` + "`core/scenario/library`" + `; its acts, in the broken and in each cured form, are run by
` + "`go test ./core/scenario`" + `. This page is generated from them.

## Incidents

What operators are called at night for: a reconciler as people write it, what it does, and cures to switch on.
` + cases.String() + `
## Lessons

Each begins with a script that does not do it yet. ` + "`reconcile grade --lesson NAME --script FILE`" + ` says what is missing;
without a script it grades the lesson's solution.
` + lessons.String()
}
