package grade

import (
	"slices"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// Grade is what came of grading.
type Grade struct {
	// Passed says that every check did.
	Passed bool `json:"passed"`
	// Checks are those of the scenario, then those that hold for all.
	Checks []Check `json:"checks"`
	// Findings are what was wrong, the most specific first.
	Findings []judge.Finding `json:"findings"`
	// Skipped says that the scenario has checks which this build cannot evaluate.
	Skipped bool `json:"skipped,omitempty"`
	// Passes is how many passes the run has, Choices are all of its choices.
	Passes  int      `json:"passes"`
	Choices []string `json:"choices"`
}

// Check is one thing that was checked.
type Check struct {
	Name string `json:"name"`
	// Expected says what holds where all is well, Happened what did.
	Expected string `json:"expected"`
	Happened string `json:"happened"`
	Passed   bool   `json:"passed"`
	// NoOccasion says that the run gave it no occasion to fail: a script that writes
	// nothing breaks no rule for writes, and has shown nothing.
	NoOccasion bool `json:"noOccasion,omitempty"`
	// Finding is the name of the finding that it is where it fails, Object what it
	// is about, Choices the run that shows it. All are empty where it passed.
	Finding string   `json:"finding"`
	Object  string   `json:"object"`
	Choices []string `json:"choices"`
	// Count is for how many objects, or how often, it failed.
	Count int `json:"count"`
}

// transition is the name of judge's check of the times of transitions.
const transition = "lastTransitionTime"

// owed are what any reconciler owes, where a lesson does not demand less, by the finding of one that does not.
var owed = []struct{ finding, check, expected string }{
	{judge.UnguardedCreate, "", "nothing is made outside the cluster before a finalizer guards it"},
	{judge.Duplicate, "", "there are never two of what is wanted once"},
	{judge.Orphan, "", "nothing stays behind that nobody owns"},
	{judge.StuckDeletion, "", "a deletion comes to its end"},
	{judge.ForeignWrite, "", "what belongs to others is left alone"},
	{judge.LostUpdate, "", "nobody's change is overwritten unseen"},
	{judge.StatusThroughSpec, "", "status goes through the status subresource"},
	{judge.StaleStatus, "", "status.observedGeneration keeps up with the generation"},
	{judge.ErrorForMissingDependency, "", "what is not there yet is no error"},
	{judge.NoRequeue, "", "what nobody tells of is asked for again"},
	{judge.HotLoop, "", "passes do not follow each other without end"},
	{judge.NotIdempotent, "", "a pass over an unchanged world writes nothing"},
	{judge.Crashed, "", "no pass ends with an error at rest"},
	{judge.WrongState, transition, "the time of a transition moves only with the condition's status"},
}

// Run grades the reconcilers of a scenario.
func Run(s *scenario.Scenario) (*Grade, error) { return Of(explore.Of(s)) }

// Of grades a subject.
func Of(s explore.Subject) (*Grade, error) {
	played, err := explore.Play(s)
	if err != nil {
		return nil, err
	}
	judges := func(finding string) bool { return s.Judges == nil || s.Judges(finding) }
	found := slices.DeleteFunc(slices.Clone(played.Findings), func(f judge.Finding) bool { return f.Check == "" && !judges(f.Finding) })
	g := &Grade{Passed: len(found) == 0, Checks: []Check{}, Findings: found, Skipped: played.Skipped, Passes: played.Passes, Choices: played.Choices}
	for _, c := range s.Checks {
		if played.Skipped {
			break
		}
		g.add(played, c.Name, c.Expects(), func(f judge.Finding) bool { return f.Check == c.Name })
	}
	for _, o := range owed {
		if !judges(o.finding) {
			continue
		}
		name := o.finding
		if o.check != "" {
			name = o.check
		}
		g.add(played, name, o.expected, func(f judge.Finding) bool {
			// A check of the scenario may find what any reconciler owes.
			return f.Finding == o.finding && (f.Check == o.check || o.finding != judge.WrongState)
		})
	}
	g.Passed = g.Passed && !slices.ContainsFunc(g.Checks, func(c Check) bool { return !c.Passed })
	return g, nil
}

// add adds a check and how it came out.
func (g *Grade) add(played *explore.Played, name, expected string, is func(judge.Finding) bool) {
	c := Check{Name: name, Expected: expected, Happened: "so it is", Passed: true, NoOccasion: !played.Occasion(name), Choices: []string{}}
	if c.NoOccasion {
		c.Happened = "no occasion yet"
	}
	for _, f := range played.All {
		if !is(f) {
			continue
		}
		if c.Count += f.Count; !c.Passed {
			continue
		}
		c.NoOccasion = false
		c.Passed, c.Happened, c.Finding, c.Object, c.Choices = false, f.Sentence, f.Finding, f.Object, slices.Clone(f.Choices)
	}
	g.Checks = append(g.Checks, c)
}
