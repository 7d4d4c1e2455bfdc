package judge

import (
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// guards is what UseGuards named.
var guards func(text string) (Expression, error)

// UseGuards names what compiles the guards of a check: of "a or b or c" the "a or
// b", which say where there is nothing to check; nil where an expression has none.
// Without it each check that is made counts as one that had an occasion. Call it
// where UseExpressions is called.
func UseGuards(f func(text string) (Expression, error)) { guards = f }

// occasions are the checks and the findings that a run gave an occasion to. A nil
// one keeps nothing.
type occasions map[string]bool

func (o occasions) had(name string) {
	if o != nil {
		o[name] = true
	}
}

// WatchOccasions makes the monitors of these checks note what had an occasion.
func (c *Checks) WatchOccasions() { c.occasions = occasions{} }

// HadOccasion reports whether a run gave an occasion to fail to a check of the
// scenario, or to a finding that any reconciler may have. A script that writes
// nothing had none to write twice.
func (c *Checks) HadOccasion(name string) bool { return c.occasions[name] }

// note tells of the occasions; m.checks may be nil.
func (m *Monitor) note(names ...string) {
	if m.checks == nil || m.checks.occasions == nil {
		return
	}
	for _, name := range names {
		m.checks.occasions.had(name)
	}
}

// noteChange tells of what a change of a pass gave an occasion to.
func (m *Monitor) noteChange(c change, added bool) {
	m.note(ForeignWrite, NotIdempotent)
	if added {
		m.note(Duplicate, Orphan)
		return
	}
	m.note(LostUpdate)
	if _, watched := m.watches(c.gvr); watched && c.now.List("status", "conditions").Len() > 0 {
		m.note(transitions)
	}
}

// notePass tells of what a pass that is the last of its key gave an occasion to.
func (m *Monitor) notePass(w *sim.World, p *sim.Pass) {
	m.note(HotLoop, Crashed)
	if _, absent := m.missing(w, p); absent {
		m.note(ErrorForMissingDependency)
	}
	x, _ := m.process(p.Process)
	for _, d := range m.dependencies(w, p) {
		if ref, _ := object.ParseRef(d); !x.told(w, object.ParseKey(p.Key), ref) {
			m.note(NoRequeue)
		}
	}
}

// noteCheck tells that a check is made where its guards do not say that there is
// nothing to check.
func (c *Checks) noteCheck(check compiled, state, o *object.Map) {
	if c.occasions == nil || c.occasions[check.Name] {
		return
	}
	if check.guards != nil {
		if v, err := check.guards(state, o); err == nil && v != nil && v != false {
			return
		}
	}
	c.occasions.had(check.Name)
}
