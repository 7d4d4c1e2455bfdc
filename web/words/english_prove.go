package words

import (
	"fmt"
	"time"
)

func (*english) ProveTitle() string { return "Prove" }
func (*english) Prove() string      { return "Prove it" }
func (*english) ProveNote() string {
	return "Every fault at every call and every delivery of the scenario's life: each run goes on to its end and is judged. What goes wrong comes with the shortest run that shows it."
}
func (*english) PauseProving() string  { return "Pause" }
func (*english) ResumeProving() string { return "Go on" }
func (*english) ProveProgress(state string, done, total int, left int64) string {
	if total == 0 {
		return "Playing the run without faults"
	}
	s := fmt.Sprintf("%d of %d runs", done, total)
	if state == "paused" {
		return s + ", paused"
	}
	if left > 0 {
		s += ", about " + short((time.Duration(left) * time.Millisecond).Round(time.Second)) + " left"
	}
	return s
}
func (*english) Verdict(findings, stopped int) string {
	switch {
	case findings > 0:
		return count(findings, "thing goes wrong", "things go wrong") + "."
	case stopped > 0:
		return "Nothing goes wrong, but sometimes a person is needed."
	}
	return "Nothing goes wrong."
}
func (*english) Bounds(runs, orders, states, places, faults, depth, passes int, seed uint64) string {
	return fmt.Sprintf("Within these bounds: %s, %d faults at %d places, depth %d, other orders in %s, %s, seed %d, %d distinct states.",
		count(runs, "run", "runs"), faults, places, depth, count(orders, "of them", "of them"), count(passes, "pass", "passes"), seed, states)
}
func (*english) CallSite() string { return "call" }
func (*english) Cell(state string, runs, bad int) string {
	switch state {
	case "none":
		return "not reachable"
	case "bad":
		return fmt.Sprintf("%d of %d go wrong", bad, runs)
	case "stopped":
		return "stops and needs a person"
	}
	return count(runs, "run", "runs") + ", all well"
}
func (*english) Times(n int) string { return fmt.Sprintf("%d×", n) }
func (*english) OpenRun() string    { return "Open this run" }
func (*english) Grade() string      { return "Grade it" }
func (*english) Check(passed bool) string {
	if passed {
		return "✓ passed"
	}
	return "✗ failed"
}
func (*english) Passed(passed bool) string {
	if passed {
		return "Passed: every check holds."
	}
	return "Not yet: not every check holds."
}
func (*english) Expected(s string) string { return "Expected: " + s }
func (*english) Happened(s string) string { return "Happened: " + s }
