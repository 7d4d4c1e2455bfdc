package scenario

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// parseChoices reads a member of choices, one a line; line is that of its
// marker.
func (s *Scenario) parseChoices(f txtar.File, line int) ([]string, error) {
	var out []string
	for i, l := range strings.Split(string(f.Data), "\n") {
		l = strings.TrimSpace(l)
		if l == "" || l[0] == '#' {
			continue
		}
		a, err := parseLine(l)
		if err == nil {
			a, err = s.expand(a)
		}
		if err == nil && !slices.Contains(sim.Verbs, a.Verb) {
			err = fmt.Errorf("there is no action %q", a.Verb)
		}
		if err != nil {
			return nil, &Error{File: f.Name, Line: line + i + 1, Message: err.Error()}
		}
		out = append(out, a.String())
	}
	return out, nil
}

// parseLine reads an action as people write it: as it prints, but the JSON of a
// patch and the line of a shell go on to the end, without quotes.
func parseLine(l string) (sim.Action, error) {
	if rest, ok := strings.CutPrefix(l, "shell "); ok && !strings.HasPrefix(strings.TrimSpace(rest), `"`) {
		return sim.Act("shell", strings.TrimSpace(rest)), nil
	}
	if rest, ok := strings.CutPrefix(l, "patch "); ok {
		if ref, patch, ok := strings.Cut(strings.TrimSpace(rest), " "); ok && strings.HasPrefix(strings.TrimSpace(patch), "{") {
			return sim.Act("patch", ref, strings.TrimSpace(patch)), nil
		}
	}
	return sim.ParseAction(l)
}

// expand puts the text of a file in the place of its name: of files/ for apply,
// of scripts/ for deploy.
func (s *Scenario) expand(a sim.Action) (sim.Action, error) {
	switch {
	case a.Verb == "apply" && len(a.Args) == 1 && !strings.ContainsAny(a.Args[0], "\n:{"):
		text, ok := s.File(a.Args[0])
		if !ok {
			return a, fmt.Errorf("there is no file files/%s", a.Args[0])
		}
		return sim.Act("apply", text), nil
	case a.Verb == "deploy" && len(a.Args) == 2:
		i := slices.IndexFunc(s.Scripts, func(f File) bool { return f.Name == a.Args[1] })
		if i < 0 {
			return a, fmt.Errorf("there is no script scripts/%s", a.Args[1])
		}
		return sim.Act("deploy", a.Args[0], a.Args[1], s.Scripts[i].Text), nil
	}
	return a, nil
}
