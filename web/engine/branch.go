package engine

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/core/timeline"
)

// maxActs is how many acts of a branch the page is told of.
const maxActs = 3

// branches says what is on each branch.
func branches(list []timeline.Branch) []Branch {
	var out []Branch
	for _, b := range list {
		told := Branch{At: b.At, Length: len(b.Choices) - b.At}
		for _, choice := range b.Choices[b.At:] {
			a, err := sim.ParseAction(choice)
			if err != nil || !isAct(a.Verb) {
				continue
			}
			if len(told.Acts) == maxActs {
				told.More++
				continue
			}
			told.Acts = append(told.Acts, actText(a))
		}
		out = append(out, told)
	}
	return out
}

// isAct reports whether a choice is more than to let happen what can happen.
func isAct(verb string) bool {
	switch verb {
	case "list", "deliver", "start", "call", "wake", "gc", "namespace", "crd", "tick", "interrupt":
		return false
	}
	return true
}

// actText words an act without the texts that it takes.
func actText(a sim.Action) string {
	switch a.Verb {
	case "apply":
		return strings.TrimSpace("apply " + strings.Join(namesIn(a.Arg(0)), ", "))
	case "patch":
		return "patch " + a.Arg(0)
	}
	line, _, _ := strings.Cut(headline(a, sim.Event{}), "\n")
	if r := []rune(line); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return line
}

// namesIn are the objects of a text, the first of them where there are many.
func namesIn(text string) []string {
	docs, err := object.DecodeYAML([]byte(text))
	if err != nil {
		return nil
	}
	var names []string
	for _, d := range docs {
		root, ok := d.Value.(*object.Map)
		if !ok {
			continue
		}
		if len(names) == maxActs {
			return append(names, "…")
		}
		o := object.New(root)
		names = append(names, o.Kind()+"/"+o.Name())
	}
	return names
}
