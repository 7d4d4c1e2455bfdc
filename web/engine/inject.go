package engine

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/sim"
)

// FaultsView is what can go wrong: the faults that could be made now, and the
// one that waits.
type FaultsView struct {
	// Items are those that can be made now: of calls, those of the first MaxListed
	// or somewhat more; of deliveries all. Told are those that stand nowhere in Kept.
	Items []FaultItem `json:"items"`
	Kept  []Run       `json:"kept,omitempty"`
	// Armed is the fault that hits the next call or delivery that it can hit.
	Armed string `json:"armed,omitempty"`
	// lost is what the page knows beside Items.
	lost []FaultItem
}

// FaultItem is one fault that can be made now.
type FaultItem struct {
	// Action is its printed name; Kind the fault's, such as lost-reply.
	Action string `json:"action"`
	Kind   string `json:"kind"`
	// Call says that it hits the call that a pass waits for: Target is the key,
	// Detail the call. Others hit the informers: Target is the resource, or how
	// many deliveries wait.
	Call   bool   `json:"call,omitempty"`
	Target string `json:"target"`
	Detail string `json:"detail,omitempty"`
}

// faults lists the faults that can be made in the world in view.
func (e *Engine) faults(w *sim.World) *FaultsView {
	v := &FaultsView{Items: []FaultItem{}, Armed: e.armed}
	calls := waitingCalls(w)
	for _, a := range w.Faults() {
		item := FaultItem{Kind: a.Arg(0), Target: a.Arg(len(a.Args) - 1), Detail: calls[flightID{a.Arg(1), a.Arg(2)}]}
		item.Call = item.Detail != "" && len(a.Args) == 3
		if item.Call && len(v.Items) >= MaxListed*len(sim.FaultKinds) {
			continue
		}
		item.Action = a.String()
		v.Items = append(v.Items, item)
	}
	return v
}

// inject makes a fault: one by its whole name, or the first of its kind that can
// be made now, of the pass in hand before others. Where none can, it is armed:
// it hits the next call or delivery that it can hit. "" disarms.
func (e *Engine) inject(text string) (any, error) {
	a, err := sim.ParseAction(strings.TrimSpace(text))
	if text == "" {
		e.armed = ""
		return nil, nil
	}
	if err != nil {
		return nil, badInput("%v", err)
	}
	if a.Verb != "fault" {
		a = sim.Act("fault", append([]string{a.Verb}, a.Args...)...)
	}
	if !slices.Contains(sim.FaultKinds, a.Arg(0)) {
		return nil, badInput("there is no fault %q; there are %s", a.Arg(0), strings.Join(sim.FaultKinds, ", "))
	}
	if len(a.Args) > 2 {
		return e.choose(a)
	}
	if f, ok := e.faultLike(a.Arg(0), func(f sim.Action) bool { return fits(f, a.Arg(1)) }); ok {
		return e.choose(counted(f, a.Arg(1)))
	}
	e.armed = strings.Join(a.Args, " ")
	return nil, nil
}

// faultLike is the first fault of a kind that can be made and that fits.
func (e *Engine) faultLike(kind string, fits func(sim.Action) bool) (sim.Action, bool) {
	for _, f := range e.line.World().Faults() {
		if f.Arg(0) == kind && fits(f) {
			return f, true
		}
	}
	return sim.Action{}, false
}

// armedFor is what happens in place of an action: the fault that is armed, where
// it can hit the very call, list or delivery.
func (e *Engine) armedFor(a sim.Action) sim.Action {
	kind, arg, _ := strings.Cut(e.armed, " ")
	if kind == "" {
		return a
	}
	f, ok := e.faultLike(kind, func(f sim.Action) bool {
		switch {
		case f.Arg(1) != a.Arg(0) || !fits(f, arg):
			return false
		case a.Verb == "call":
			return len(f.Args) == 3 && f.Arg(2) == a.Arg(1)
		case a.Verb == "deliver":
			return kind == "stale" || f.Arg(2) == a.Arg(1)
		}
		return a.Verb == "list" && f.Arg(2) == "list" && f.Arg(3) == a.Arg(1)
	})
	if !ok {
		return a
	}
	e.armed = ""
	return counted(f, arg)
}

// fits reports whether a fault is of the process, the key or the resource that was
// named, if any was; of stale any count fits.
func fits(f sim.Action, arg string) bool {
	return arg == "" || counts(f, arg) || slices.Contains(f.Args[1:], arg)
}

// counted is the fault with the count that was named, where it has one.
func counted(f sim.Action, arg string) sim.Action {
	if counts(f, arg) {
		return sim.Act("fault", f.Arg(0), f.Arg(1), arg)
	}
	return f
}

func counts(f sim.Action, arg string) bool {
	n, err := strconv.Atoi(arg)
	return f.Arg(0) == "stale" && err == nil && n > 0
}
