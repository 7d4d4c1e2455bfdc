package app

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// Inject makes a fault by its printed name, or arms one by its kind; "" disarms.
type Inject struct{ Fault string }

// CallFaults are the faults that can hit the call of the pass in hand.
func (m *Model) CallFaults() (call string, faults []engine.FaultItem) {
	for _, f := range m.Faults.Items {
		if f.Call && (m.Pass == nil || f.Target == m.Pass.Key) {
			call, faults = f.Detail, append(faults, f)
		}
	}
	return call, faults
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

// ArmFaults are the kinds of faults that can be armed: those of calls which no
// call waits for.
func (m *Model) ArmFaults() []string {
	var kinds []string
	_, now := m.CallFaults()
	for _, kind := range sim.FaultKinds {
		can := kind != "stale" && kind != "relist" && kind != "duplicate"
		for _, f := range now {
			can = can && f.Kind != kind
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
