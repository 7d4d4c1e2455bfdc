package main

import (
	"errors"
	"flag"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// invariants are what somebody wants beside what the scenario wants, as it was written.
type invariants []explore.Invariant

// flags defines the flags that name them.
func (all *invariants) flags(flags *flag.FlagSet) {
	one := func(always bool) func(string) error {
		return func(text string) error {
			name, expr, ok := strings.Cut(text, "=")
			if !ok {
				return errors.New("it is NAME=EXPR")
			}
			*all = append(*all, explore.Invariant{Name: strings.TrimSpace(name), Expr: expr, Always: always})
			return nil
		}
	}
	flags.Func("invariant", "`NAME=EXPR`: a jq expression over the state that holds whenever the world is at rest; may be given several times", one(false))
	flags.Func("always", "`NAME=EXPR`: one that holds after every step", one(true))
}

// words are those flags again.
func (all invariants) words() string {
	line := ""
	for _, i := range all {
		flag := " --invariant "
		if i.Always {
			flag = " --always "
		}
		line += flag + shellWord(i.Name+"="+i.Expr)
	}
	return line
}

// want adds them to a scenario's checks.
func (all invariants) want(s *scenario.Scenario) error {
	subject, err := explore.Of(s).Wanting(all)
	if err != nil {
		return err
	}
	for _, c := range subject.Checks[len(s.Checks):] {
		s.Checks = append(slices.Clip(s.Checks), scenario.Check{Name: c.Name, Finding: c.Finding, At: c.At, Expr: c.Expr, Says: c.Says})
	}
	return nil
}
