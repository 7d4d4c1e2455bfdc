package words

import (
	"fmt"
	"strconv"
)

func (*english) Share() string      { return "Share" }
func (*english) ShareHint() string  { return "A link to this run" }
func (*english) ShareTitle() string { return "A link to this run" }
func (*english) ShareText(steps int) string {
	return "It holds the scenario and " + count(steps, "choice", "choices") + ": whoever opens it gets the very same timeline. What stands behind the # is never sent to a server."
}
func (*english) ShareMaking() string    { return "Making the link" }
func (*english) ShareLink() string      { return "Link" }
func (*english) ShareSize(n int) string { return strconv.Itoa(n) + " characters" }
func (*english) Copy() string           { return "Copy" }
func (*english) Copied() string         { return "Copied." }
func (*english) LinkTooLong(n, most int) string {
	return fmt.Sprintf("The link would have %d characters, and many programs cut links at %d: share the cluster as a file instead.", n, most)
}
func (*english) LinkUnknown() string {
	return "The link in the address is of a version that this page does not read. Nothing was changed."
}
func (*english) LinkBroken(why string) string {
	return "The link cannot be opened: " + why + ". Nothing was changed."
}
func (*english) LinkAbout(title string, steps int) string {
	return pickText(title, "a run") + " (" + count(steps, "step", "steps") + ")"
}
func (*english) Library() string { return "The library: story and scenarios" }
func (*english) ScenarioKind(kind string) string {
	switch kind {
	case "lab":
		return "The lab"
	case "lesson":
		return "Lessons"
	case "incident":
		return "Incidents"
	}
	return "Scenarios"
}
func (*english) ScenarioOpen() string              { return "open" }
func (*english) StartScenario(title string) string { return "Start " + title }
func (*english) Start() string                     { return "Start" }
func (*english) LookTitle() string                 { return "What to look at" }
func (*english) KeptTitle() string                 { return "Kept runs" }
func (*english) KeptNote() string                  { return "What another run took the place of: the latest 30." }
func (*english) KeptRun(title string, steps int) string {
	return title + ", " + count(steps, "step", "steps")
}
func (*english) TakeUp() string               { return "Take it up again" }
func (*english) DropKept(title string) string { return "Forget " + title }
