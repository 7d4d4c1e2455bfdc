package app

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// Inject makes a fault by its printed name, or arms one by its kind; "" disarms.
type Inject struct{ Fault string }

// WaitingCall is a call that a pass waits for, with the faults that can hit it.
type WaitingCall struct {
	// Of is the process and the key of the pass, as actions name them.
	Of, Call string
	Faults   []engine.FaultItem
}

// CallFaults are the calls that wait, that of the pass in hand first.
func (m *Model) CallFaults() []WaitingCall {
	var calls []WaitingCall
	for _, f := range m.Faults.Items {
		if !f.Call {
			continue
		}
		of := strings.TrimPrefix(f.Action, "fault "+f.Kind+" ")
		i := slices.IndexFunc(calls, func(c WaitingCall) bool { return c.Of == of })
		if i < 0 {
			i = len(calls)
			if m.Pass != nil && of == sim.Act(m.Pass.Process, m.Pass.Key).String() {
				i = 0
			}
			calls = slices.Insert(calls, i, WaitingCall{Of: of, Call: f.Detail})
		}
		calls[i].Faults = append(calls[i].Faults, f)
	}
	return calls
}

// DeliveryFaults are the faults that can hit lists and deliveries.
func (m *Model) DeliveryFaults() []engine.FaultItem {
	var faults []engine.FaultItem
	for _, f := range m.Faults.Items {
		if !f.Call {
			faults = append(faults, f)
		}
	}
	return faults
}

// ArmFaults are the kinds of faults of calls that no call which waits can be hit
// by: they can be armed for a later one.
func (m *Model) ArmFaults() []string {
	var kinds []string
	for _, kind := range sim.FaultKinds {
		can := kind != "stale" && kind != "relist" && kind != "duplicate"
		for _, f := range m.Faults.Items {
			can = can && !(f.Call && f.Kind == kind)
		}
		if can {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

func (m *Model) inject(fault string) []Effect {
	return m.act(engine.Command{Method: "inject", Name: strings.TrimSpace(fault)})
}
