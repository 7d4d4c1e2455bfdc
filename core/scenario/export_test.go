package scenario

import (
	"maps"
	"slices"
)

// StepCommands returns the commands of the steps beside actions.
func StepCommands() []string {
	return append(slices.Sorted(maps.Keys(shows)), "step", "run", "life", "rerun", "until", "expect", "cloud")
}
