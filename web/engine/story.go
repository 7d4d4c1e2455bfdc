//go:build !js || scripts

package engine

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// tale is a scenario's story with the choices that it makes.
type tale struct {
	of      *scenario.Scenario
	choices []string
	story   *Story
}

// recount answers how the scenario that is open is told. Its acts are played in a world
// of their own first: so the choices of each are known, and what is to be seen then.
func (e *Engine) recount() (any, error) {
	s := e.scenario
	if e.tale != nil && e.tale.of == s {
		return e.tale.story, nil
	}
	if s.Outcome == nil {
		return nil, badInput("%s has no story of acts", s.Name)
	}
	blocks, err := s.RunSteps()
	if err != nil {
		return nil, err
	}
	t := &tale{of: s, choices: slices.Clone(s.Start), story: &Story{From: len(s.Start), Outcome: *s.Outcome}}
	for _, b := range blocks {
		t.choices = append(t.choices, b.Choices...)
		act := StoryAct{Says: b.Says(), To: len(t.choices), Shows: strings.TrimRight(b.Got, "\n"), Holds: !b.Mismatch()}
		t.story.Acts = append(t.story.Acts, act)
	}
	e.tale = t
	return t.story, nil
}

// along says how far the run has gone along the story, and what comes next there.
func (e *Engine) along(t *Timeline) {
	if e.tale == nil || e.tale.of != e.scenario || e.base != nil {
		return
	}
	t.Along = e.followed()
	if all := e.tale.choices; t.Along == t.Length && t.Along < len(all) {
		t.Next = all[t.Along]
	}
}

// onStory reports whether all of the run is the story's.
func (e *Engine) onStory() bool {
	return e.tale != nil && e.tale.of == e.scenario && e.base == nil && e.followed() == e.line.Len()
}

// followed is how many steps of the run are the story's.
func (e *Engine) followed() int {
	made, all, n := e.line.Choices(), e.tale.choices, 0
	for n < min(len(made), len(all)) && made[n] == all[n] {
		n++
	}
	return n
}

// playStory goes on with the story up to a step, or by one where it is 0. What it
// comes to at the end of an act is judged.
func (e *Engine) playStory(id int64, to int) (any, error) {
	if _, err := e.recount(); err != nil {
		return nil, err
	}
	all := e.tale.choices
	e.line.Seek(e.line.Len())
	n := e.line.Len()
	if !e.onStory() || n >= len(all) {
		return nil, &Error{Message: "the run has gone another way than the story, or the story is over", Reason: "NotEnabled"}
	}
	if to == 0 {
		to = n + 1
	}
	events := []sim.Event{}
	for n < min(to, len(all)) {
		a, err := sim.ParseAction(all[n])
		if err != nil {
			return events, err
		}
		ev, err := e.choose(a)
		if err != nil {
			return events, err
		}
		events = append(events, ev)
		if n++; slices.ContainsFunc(e.tale.story.Acts, func(a StoryAct) bool { return a.To == n }) {
			e.judgeHere()
		}
		if e.port.Interrupted() {
			break
		}
		e.progress(id, len(events))
	}
	return events, nil
}

// judgeHere judges the world at the tip where nothing more happens by itself, or
// where the passes since the story began wake each other.
func (e *Engine) judgeHere() {
	if _, rest := e.line.World().NextInRun(); rest != sim.Going {
		e.atRest(rest)
		return
	}
	if turns, rounds, _ := e.loop(e.line.Tip(), e.tale.story.From); rounds >= loopRounds {
		e.inLoop(turns, rounds)
	}
}
