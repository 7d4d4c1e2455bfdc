package app

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// The menu offers what can hit the calls that wait, that of the pass in hand first,
// whichever process it is of; what can hit none of them can be armed.
func TestFaultsOfTheCallsThatWait(t *testing.T) {
	d := full()
	d.Pass = &sim.Pass{ID: 1, Process: "c", Key: "default/plain"}
	d.Faults = &engine.FaultsView{Items: []engine.FaultItem{
		{Action: "fault refused a default/plain", Kind: "refused", Call: true, Target: "default/plain", Detail: "get x"},
		{Action: "fault refused c default/plain", Kind: "refused", Call: true, Target: "default/plain", Detail: "update y"},
		{Action: "fault crash-after a default/plain", Kind: "crash-after", Call: true, Target: "default/plain", Detail: "get x"},
		{Action: "fault stale c 2", Kind: "stale", Target: "2"},
	}}
	s := start(t, d)
	var got []string
	for _, c := range s.m.CallFaults() {
		got = append(got, fmt.Sprint(c.Of, ": ", c.Call, " ", len(c.Faults)))
	}
	if want := []string{"c default/plain: update y 1", "a default/plain: get x 2"}; !slices.Equal(got, want) || len(s.m.DeliveryFaults()) != 1 {
		t.Errorf("at %q, want %q; deliveries: %+v", got, want, s.m.DeliveryFaults())
	}
	arm := s.m.ArmFaults()
	if !slices.Contains(arm, "cloud-error") {
		t.Errorf("cloud-error cannot be armed for a later call, only %q", arm)
	}
	for _, kind := range []string{"refused", "crash-after", "stale"} {
		if slices.Contains(arm, kind) {
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
