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
