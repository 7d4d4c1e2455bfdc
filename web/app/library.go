package app

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

// OpenLibrary shows the scenarios, the story of this one, and what was kept.
type OpenLibrary struct{}

// kinds are those that have an order of their own.
var kinds = []string{"lab", "", "lesson", "incident"}

// Kinds are the kinds of the scenarios of the library, in the order in which
// they are shown.
func (m *Model) Kinds() []string {
	var out []string
	for _, s := range m.Scenario.Library {
		if !slices.Contains(out, s.Kind) {
			out = append(out, s.Kind)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return slices.Index(kinds, a) - slices.Index(kinds, b) })
	return out
}

// LibraryOf are the scenarios of a kind.
func (m *Model) LibraryOf(kind string) []scenario.Head {
	var out []scenario.Head
	for _, s := range m.Scenario.Library {
		if s.Kind == kind {
			out = append(out, s)
		}
	}
	return out
}

func (m *Model) openLibrary() []Effect {
	m.Sheet, m.Menu, m.Why = Sheet{Kind: "library", Back: "library"}, "", ""
	return []Effect{Focus{"sheet-close"}}
}
