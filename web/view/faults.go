package view

import (
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/app"
)

// faultMenu lists what can go wrong now: at the call that waits, at the
// deliveries, and what can be armed for later.
func (p *page) faultMenu() *Node {
	w, m := p.w, p.m
	classes := "btn-small"
	title := w.Fault()
	if m.Faults.Armed != "" {
		title, classes = w.FaultArmed(m.Faults.Armed), "btn-small armed"
	}
	return p.menu("fault", title, classes, func() []*Node {
		var list []*Node
		if m.Faults.Armed != "" {
			list = append(list, el("p", class("muted"), text(w.FaultArmedNote(m.Faults.Armed))),
				button("", app.Inject{}, text(w.Disarm())), el("hr"))
		}
		calls := m.CallFaults()
		for _, c := range calls {
			list = append(list, el("p", class("muted"), text(w.FaultAtCall(pick(len(calls) > 1, c.Of, ""), c.Call))))
			for _, f := range c.Faults {
				list = append(list, p.fault(f.Kind, f.Kind, f.Action))
			}
		}
		if kinds := m.ArmFaults(); len(kinds) > 0 {
			list = append(list, el("p", class("muted"), text(w.FaultToArm(len(calls) > 0))))
			for _, kind := range kinds {
				list = append(list, p.fault(kind, kind, kind))
			}
		}
		if faults := m.DeliveryFaults(); len(faults) > 0 {
			list = append(list, el("hr"), el("p", class("muted"), text(w.FaultAtDelivery())))
			for _, f := range faults {
				list = append(list, p.fault(f.Kind, f.Kind+" "+f.Target, f.Action))
			}
		}
		return list
	}, attr("title", w.FaultHint()), testid("fault"))
}

func (p *page) fault(kind, name, action string) *Node {
	return button("fault-item", app.Inject{Fault: action}, attr("data-fault", action), span("what mono", name), span("muted", p.w.FaultWhy(kind)))
}

// outcomeSign is the sign of what became of a call, where it did not go well;
// each of the four ways for a write to fail has its own.
func outcomeSign(o sim.Outcome) string {
	switch o {
	case sim.Refused:
		return "⊘"
	case sim.NotSent:
		return "⇥"
	case sim.LostReply:
		return "⇠"
	case sim.LandedThenDied:
		return "†"
	case sim.Conflict:
		return "≠"
	case sim.Failed:
		return "!"
	}
	return ""
}
