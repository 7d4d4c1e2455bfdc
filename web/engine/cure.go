package engine

import (
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// cure starts the scenario anew with a cure switched on; "" starts it as it is
// broken. What was there is kept.
func (e *Engine) cure(name string) error {
	s, err := scenario.Load(e.scenario.Name)
	if err != nil {
		s = e.scenario
	}
	if name != "" {
		if s, err = s.Cured(name); err != nil {
			return err
		}
	}
	return e.install(s, true)
}

// cureOn is the cure that is switched on, "" where none is.
func (e *Engine) cureOn() string {
	s, err := scenario.Load(e.scenario.Name)
	if err != nil || s.Source() == e.scenario.Source() {
		return ""
	}
	for _, c := range s.Cures {
		if cured, err := s.Cured(c.Name); err == nil && cured.Source() == e.scenario.Source() {
			return c.Name
		}
	}
	return ""
}
