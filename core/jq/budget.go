package jq

// machine is a run at work.
type machine struct {
	*Runtime
	depth int
	ticks int
	// thrown is the error that unwinds the run.
	thrown error
}

// maxCalls bounds how deeply functions call each other.
const maxCalls = 40000

// tick asks the budget now and then.
func (m *machine) tick() error {
	if m.ticks++; m.ticks%ticksPerStep == 0 && m.Step != nil {
		return m.Step()
	}
	return nil
}

// ticksPerStep is how many small steps are one of the budget.
const ticksPerStep = 128

// charge asks the budget for n small steps at once.
func (m *machine) charge(n int) error {
	before := m.ticks / ticksPerStep
	if m.ticks += n; m.Step == nil {
		return nil
	}
	for range m.ticks/ticksPerStep - before {
		if err := m.Step(); err != nil {
			return err
		}
	}
	return nil
}

// spend is charge for what has no error to return, as a comparison within a sort:
// it unwinds the run.
func (m *machine) spend(n int) {
	if m == nil {
		return
	}
	if err := m.charge(n); err != nil {
		m.throw(err)
	}
}

// throw unwinds the run with an error.
func (m *machine) throw(err error) {
	m.thrown = err
	panic(err)
}

// maxNest bounds how deeply a value that is walked may be nested.
const maxNest = 100_000

// deep refuses a value that is nested too deeply to be walked.
func (m *machine) deep(depth int) {
	if m != nil && depth > maxNest {
		m.throw(failf("a value is nested too deeply (more than 100,000)"))
	}
}

// looked charges for what a function reads through from end to end.
func (m *machine) looked(v any) {
	switch v := v.(type) {
	case string:
		m.spend(len(v) / 64)
	case []any:
		m.spend(len(v) / 32)
	case *Object:
		m.spend(len(v.keys) / 32)
	}
}

// made charges for a long string, array or object, so that memory is bounded with
// the budget, and refuses a string that is too long.
func (m *machine) made(v any) error {
	n := 0
	switch v := v.(type) {
	case string:
		if n = len(v) / 32; len(v) > MaxText {
			return failf("string is too long (more than 64 MiB)")
		}
	case []any:
		n = len(v) / 8
	case *Object:
		n = len(v.keys) / 2
	}
	if n < 32 {
		return nil
	}
	return m.charge(n)
}
