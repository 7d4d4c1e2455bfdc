package app

import (
	"encoding/json"
	"testing"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// The menu offers what can hit the call of the pass in hand; without one, what
// can be armed.
func TestFaultsOfTheCallInHand(t *testing.T) {
	d := full()
	d.Pass = &sim.Pass{ID: 1, Key: "default/plain"}
	d.Faults = &engine.FaultsView{Items: []engine.FaultItem{
		{Action: "fault refused c default/other", Kind: "refused", Call: true, Target: "default/other", Detail: "get x"},
		{Action: "fault refused c default/plain", Kind: "refused", Call: true, Target: "default/plain", Detail: "update y"},
		{Action: "fault stale c 2", Kind: "stale", Target: "2"},
	}}
	s := start(t, d)
	call, faults := s.m.CallFaults()
	if call != "update y" || len(faults) != 1 || len(s.m.DeliveryFaults()) != 1 {
		t.Errorf("at %q: %+v; deliveries: %+v", call, faults, s.m.DeliveryFaults())
	}
	for _, kind := range s.m.ArmFaults() {
		if kind == "refused" || kind == "stale" {
			t.Errorf("%s can be armed", kind)
		}
	}
	s.m.Menu = "fault"
	s.do(Inject{"fault refused c default/plain"})
	if len(s.sent) != 1 || s.sent[0].Method != "inject" || s.sent[0].Name != "fault refused c default/plain" || s.m.Menu != "" {
		t.Errorf("sent %+v, menu %q", s.sent, s.m.Menu)
	}
	s.answer("inject", nil, nil)
	s.do(Called{Token: 4, Method: "inject", Args: []json.RawMessage{json.RawMessage(`"lost-reply"`)}})
	if len(s.sent) != 1 || s.sent[0].Name != "lost-reply" {
		t.Errorf("window.reconcile sent %+v", s.sent)
	}
}
