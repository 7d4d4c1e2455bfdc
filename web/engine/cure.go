package engine

import (
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// cure starts the scenario anew with a cure switched on; "" starts it as it is
// broken. What was there is kept. With the cure that is on already it is the very
// same scenario, whatever the library has under its name.
func (e *Engine) cure(name string) error {
	if name == e.scenario.On {
		return e.install(e.scenario)
	}
	s, err := scenario.Load(e.scenario.Name)
	if err != nil {
		s = e.scenario
	}
	if name != "" {
		if s, err = s.Cured(name); err != nil {
			return err
		}
	}
	return e.install(s)
}
