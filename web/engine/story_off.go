//go:build js && !scripts

package engine

import "github.com/reconcile-playground/reconcile/core/scenario"

// tale is of the larger module.
type tale struct{}

// What the larger module does: it knows what the acts of a story print.
func (e *Engine) recount() (any, error) { return nil, scenario.ErrNoScripts }

func (e *Engine) playStory(int64, int) (any, error) { return nil, scenario.ErrNoScripts }

func (e *Engine) along(*Timeline) {}

func (e *Engine) onStory() bool { return false }
