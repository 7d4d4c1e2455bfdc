//go:build js && !scripts

package engine

import (
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// What the larger module does.
func (e *Engine) prove(int64, string) error { return scenario.ErrNoScripts }

func (e *Engine) grade(string) (any, error) { return nil, scenario.ErrNoScripts }

func doubts(string, string) []Mark { return nil }

// checksOf is in jq, which the larger module has.
func checksOf(*scenario.Scenario) *judge.Checks { return nil }
