package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// English is the page's first language.
var English Catalogue = &english{}

type english struct{}

func (*english) Lang() string { return "en" }

// General.

func (*english) Title() string             { return "Reconcile Playground" }
func (*english) SkipToLoop() string        { return "Skip to the loop" }
func (*english) Panes() string             { return "Panes" }
func (*english) Close() string             { return "Close" }
func (*english) Cancel() string            { return "Cancel" }
func (*english) Dismiss() string           { return "Dismiss" }
func (*english) Why(thing string) string   { return "Why: " + thing }
func (*english) In(d time.Duration) string { return "in " + short(d) }
func (*english) More(n int) string         { return "and " + strconv.Itoa(n) + " more" }
func (*english) Missing(ref string) string { return ref + " not found" }

// short prints a duration with three digits at most.
func short(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < time.Second:
		return strconv.FormatFloat(float64(d)/1e6, 'f', -1, 64) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(float64(d.Round(10*time.Millisecond))/1e9, 'f', -1, 64) + " s"
	case d < time.Hour:
		d = d.Round(time.Second)
		return units(int(d/time.Minute), "min", int(d%time.Minute/time.Second), "s")
	}
	d = d.Round(time.Minute)
	return units(int(d/time.Hour), "h", int(d%time.Hour/time.Minute), "min")
}

// units prints a number of units and what is left over.
func units(n int, unit string, rest int, small string) string {
	s := strconv.Itoa(n) + " " + unit
	if rest != 0 {
		s += " " + strconv.Itoa(rest) + " " + small
	}
	return s
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// Controls.

func (*english) Scenario() string { return "Scenario" }
func (*english) Steps() string    { return "Steps" }
func (*english) Back() string     { return "Back" }
func (*english) BackHint() string {
	return "Show the step before; acting there starts a branch and keeps what came after"
}
func (*english) Step() string     { return "Step" }
func (*english) StepHint() string { return "One event: the marked one happens next" }
func (*english) Call() string     { return "Call" }
func (*english) CallHint() string { return "On to the next API call inside a pass" }
func (*english) Run() string      { return "Run" }
func (*english) RunHint() string  { return "Run to quiet: until nothing is left to do" }
func (*english) Play() string     { return "Play" }
func (*english) Pause() string    { return "Pause" }
func (*english) Stop() string     { return "Stop" }
func (*english) Speed() string    { return "Speed of play: 1× is one step a second" }
func (*english) Pick() string     { return "Pick" }
func (*english) PickHint() string { return "Pick any event that can happen now" }
func (*english) PickNote(n int) string {
	return count(n, "thing", "things") + " can happen now, in any order."
}
func (*english) ActionName(action string) string {
	if action == "tick" {
		return "time passes to the next timer"
	}
	return action
}
func (*english) TakenByStep() string { return "Step" }
func (*english) Clock() string       { return "The virtual clock: let time pass" }
func (*english) ClockAt(since time.Duration) string {
	if since < time.Minute {
		return fmt.Sprintf("%.3f s", since.Seconds())
	}
	return fmt.Sprintf("%d:%06.3f", int(since/time.Minute), (since % time.Minute).Seconds())
}
func (*english) Advance(d time.Duration) string { return "Advance " + short(d) }
func (*english) AdvanceToNext(d time.Duration) string {
	return "To the next timer, " + short(d)
}
func (*english) AdvanceNote(now string) string {
	return "It is " + now + " in the cluster. Time passes only when you say so."
}
func (*english) Crash() string       { return "Crash" }
func (*english) CrashHint() string   { return "Kill the controller: its cache, queue and pass are gone" }
func (*english) Restart() string     { return "Restart" }
func (*english) RestartHint() string { return "Start the controller: it begins with a list" }
func (*english) Export() string      { return "Export" }
func (*english) ExportReport(format string) string {
	return "Report as " + format
}
func (*english) ExportCluster() string { return "Cluster as a file" }
func (*english) ImportCluster() string { return "Import a cluster or a scenario (.json, .txtar)" }
func (*english) ResetCluster() string  { return "Start over" }
func (*english) Theme(now string) string {
	switch now {
	case "light":
		return "Theme: light"
	case "dark":
		return "Theme: dark"
	}
	return "Theme: as the system"
}
func (*english) Help() string { return "Keys and signs" }

// Loop.

func (*english) LoopTitle() string { return "The loop" }
func (*english) LoopNote() string  { return "past the cache only the key travels" }
func (*english) APIServer() string { return "API server" }
func (*english) APIServerWhy() string {
	return "The one place where the truth is kept. Every change gets the next number of one revision counter: that is the resourceVersion."
}
func (*english) ControllerManager() string { return "controller manager" }
func (*english) Watch() string             { return "Watch" }
func (*english) WatchWhy() string {
	return "A watch sends every change to whoever listens. On the way it takes time; until it arrives, the controller does not know."
}
func (*english) InformerCache() string { return "Informer cache" }
func (*english) InformerCacheWhy() string {
	return "The controller's own copy of the objects, filled by list and watch. It may be behind the server, so what is read here may be old."
}
func (*english) WorkQueue() string { return "Work queue" }
func (*english) WorkQueueWhy() string {
	return "Holds names, not events: ten changes to one object are one key. A key that failed waits longer each time; one that asked to be called again waits as long as it asked."
}
func (*english) Reconciler() string { return "Reconciler" }
func (*english) ReconcilerWhy() string {
	return "Gets a key and nothing else. It reads what is wanted and what is there, writes the difference, and says whether to be called again."
}
func (*english) Cloud() string { return "Cloud" }
func (*english) CloudWhy() string {
	return "What is outside the cluster is not garbage collected: only a finalizer makes sure that it is taken down before the object goes."
}
func (*english) AtRevision(rev int64) string { return "at " + strconv.FormatInt(rev, 10) }
func (*english) OnTheWire(n int) string {
	if n == 0 {
		return "empty"
	}
	return strconv.Itoa(n) + " on the wire"
}
func (*english) CacheAt(rv string, behind int) string {
	if rv == "" {
		return "empty"
	}
	return "at " + rv
}
func (*english) QueueCounts(keys int) string {
	if keys == 0 {
		return "empty"
	}
	return count(keys, "key", "keys")
}
func (*english) Idle(last string) string {
	if last == "" {
		return "idle"
	}
	return "idle, the last pass was " + last
}
func (*english) Down() string      { return "down" }
func (*english) DownTitle() string { return "The controller is down." }
func (*english) WorkerOn(key string, calls int) string {
	if calls == 0 {
		return key
	}
	return key + ", call " + strconv.Itoa(calls)
}
func (*english) OutsideTheCluster() string { return "outside the cluster" }
func (*english) CloudOrphan(kind string) string {
	return "orphan: its " + kind + " is gone"
}
func (*english) ArrowWatch() string          { return "watch" }
func (*english) ArrowDeliver() string        { return "deliver" }
func (*english) ArrowKey() string            { return "only the key" }
func (*english) ArrowTake() string           { return "take" }
func (*english) ArrowWrites() string         { return "writes" }
func (*english) ArrowReadsAndWrites() string { return "reads and writes" }
func (*english) ArrowCloud() string          { return "cloud calls" }
func (*english) ReadsCache() string          { return "reads: cache" }
func (*english) ReadsLive() string           { return "reads: live" }
func (*english) ControllerState(running bool) string {
	if running {
		return "controller running"
	}
	return "controller down"
}
func (*english) NothingHere() string          { return "empty" }
func (*english) NothingOnWire() string        { return "nothing on its way" }
func (*english) NotSynced() string            { return "not synced" }
func (*english) CacheSame(n int) string       { return strconv.Itoa(n) + " up to date" }
func (*english) CacheBehind(rv string) string { return "still " + rv }
func (*english) CacheMissing() string         { return "missing" }
func (*english) CacheGone() string            { return "still there" }
func (*english) QueueReady() string           { return "ready" }
func (*english) QueueFailed(n int, due string) string {
	return "failed " + strconv.Itoa(n) + "×, " + due
}
func (*english) QueueProcessing() string { return "in hand" }
func (*english) InFlight() string        { return "in flight" }
func (*english) CanHappen(first bool) string {
	if first {
		return "(happens next)"
	}
	return "(can happen now)"
}

// Passes.

func (*english) PassTitle() string       { return "This pass" }
func (*english) PassLast() string        { return "Last pass" }
func (*english) PassNone() string        { return "no pass yet: six questions wait for an answer" }
func (*english) PassEnded(id int) string { return "pass " + strconv.Itoa(id) }
func (*english) PassWaiting(n int, call, line string) string {
	s := "waits at call " + strconv.Itoa(n) + ": " + call
	if line != "" {
		s += " (" + line + ")"
	}
	return s
}
func (*english) PassDied() string { return "the controller died in this pass" }
func (*english) Desired() string  { return "Desired" }
func (*english) DesiredWhy() string {
	return "What does spec want? Read anew in every pass: the event that woke it is not passed on."
}
func (*english) Observed() string { return "Observed" }
func (*english) ObservedWhy() string {
	return "What is really there? Nobody remembers how far the last pass got: the cluster itself is the record."
}
func (*english) Difference() string { return "Difference" }
func (*english) DifferenceWhy() string {
	return "What of it is not as it should be? Where nothing differs, nothing is written."
}
func (*english) Action() string { return "Action" }
func (*english) ActionWhy() string {
	return "The writes that close the difference. A write that changes nothing keeps the resourceVersion and wakes nobody."
}
func (*english) Requeue() string { return "Requeue" }
func (*english) RequeueWhy() string {
	return "Should it be called again? Only where no watch would tell: after a delay for what is missing, with backoff after an error."
}
func (*english) Status() string { return "Status" }
func (*english) StatusWhy() string {
	return "What is reported back, through the status subresource and only when it differs. observedGeneration says which spec it is about."
}
func (*english) NotReadYet() string     { return "not read yet" }
func (*english) NotComparedYet() string { return "not compared yet" }
func (*english) NotDecidedYet() string  { return "not decided yet" }
func (*english) NotReportedYet() string { return "not reported yet" }
func (*english) NotReached() string     { return "not reached" }
func (*english) ReadFrom(from, rv string) string {
	if rv == "" {
		return "from the " + from
	}
	return "rv " + rv + ", " + from
}
func (*english) ReadNothing() string  { return "nothing else was read" }
func (*english) NoDifference() string { return "none: it found nothing to change" }
func (*english) NoWrites() string     { return "nothing to write" }
func (*english) RequeueNone() string  { return "no: it is called again when a watch tells of a change" }
func (*english) RequeueAfter(d time.Duration, reason string) string {
	if reason == "" {
		return "again in " + short(d)
	}
	return "again in " + short(d) + ": " + reason
}
func (*english) RequeueBackoff(d time.Duration, failures int) string {
	return fmt.Sprintf("error %d in a row: again in %s", failures, short(d))
}
func (*english) RequeueDropped() string { return "terminal error: not again" }
func (*english) StatusSame() string     { return "unchanged: nothing to report" }
func (*english) StatusNotReached() string {
	return "unchanged: the pass ended in an error before it reported"
}
func (*english) Outcome(outcome string) string {
	switch outcome {
	case "not-sent":
		return "not sent"
	case "lost-reply":
		return "landed, reply lost"
	case "landed-then-died":
		return "landed, then died"
	case "absent":
		return "not found"
	}
	return outcome
}

// Objects.

func (*english) ObjectsTitle() string { return "Objects" }
func (*english) ObjectsTable() string { return "Table of objects" }
func (*english) ObjectTitle() string  { return "Object" }
func (*english) ObjectsCount(shown, all int) string {
	if shown >= all {
		return strconv.Itoa(all)
	}
	return strconv.Itoa(shown) + " of " + strconv.Itoa(all)
}
func (*english) ViewLabel() string     { return "Whose view" }
func (*english) ViewServer() string    { return "Server" }
func (*english) ViewCache() string     { return "Cache" }
func (*english) ViewBoth() string      { return "Both" }
func (*english) FilterObjects() string { return "Filter by name" }
func (*english) ColumnObject() string  { return "object" }
func (*english) Columns() [4][2]string {
	return [4][2]string{{"generation", "gen."}, {"observed", "obs."}, {"finalizers", "final."}, {"deletion", "del."}}
}
func (*english) OwnedBy(name string) string { return "of " + name }
func (*english) IsNew() string              { return "new" }
func (*english) IsGone() string             { return "gone" }
func (*english) Terminating() string        { return "Terminating" }
func (*english) TerminatingShort() string   { return "ending" }
func (*english) NotInCacheShort() string    { return "missing" }
func (*english) StatusBehind() string       { return "behind" }
func (*english) NotInCache() string         { return "not in cache" }
func (*english) NoObjects() string          { return "Nothing here." }
func (*english) NothingSelected() string {
	return "Pick an object to see its YAML and what changed last."
}
func (*english) LastChangeAt(step int) string       { return "changed at step " + strconv.Itoa(step) }
func (*english) Follow() string                     { return "Follow" }
func (*english) FollowHint() string                 { return "Show the object that a step changed" }
func (*english) Delete() string                     { return "Delete" }
func (*english) Finalizers() string                 { return "Finalizers" }
func (*english) RemoveFinalizer(name string) string { return "Remove " + name }
func (*english) RemoveFinalizerNote() string {
	return "By hand, as with kubectl patch: what the finalizer guarded is no longer guarded."
}
func (*english) YAMLOf(key string) string { return "YAML of " + key }

// Files.

func (*english) FilesTitle() string { return "Files" }
func (*english) FilesNote() string  { return "what you want" }

func (*english) LessonTitle(number, title string) string { return number + ". " + title }
func (*english) BeginWithZero() string                   { return "Lesson 0 first" }

func (*english) WholeAnswer() string  { return "The whole answer" }
func (*english) NewFile() string      { return "New" }
func (*english) NewFileName() string  { return "another" }
func (*english) NewFileTitle() string { return "A new file" }
func (*english) FileName() string     { return "Name" }
func (*english) FileNameHint() string {
	return "Its ending says what it is: .yaml or .json for what you want, .sh for a script."
}
func (*english) MakeFile() string { return "Create it" }
func (*english) FileNameRefused(why, name string) string {
	switch why {
	case "none":
		return "A file needs a name."
	case "taken":
		return "There is a file " + name + " already. Open that one, or take another name."
	}
	return "That cannot be a file's name. It has letters of a to z, digits, - and _, begins with a letter or a digit, has 63 characters at most, and ends in .yaml, .yml, .json or .sh."
}
func (*english) RemoveFile(name string) string { return "Remove " + name }
func (*english) RevertFile() string            { return "Revert" }
func (*english) FileApplied() string           { return "in the cluster" }
func (*english) FileEdited() string            { return "edited" }
func (*english) FileNotApplied() string        { return "not applied" }
func (*english) FileRefused() string           { return "refused" }
func (*english) Editor(file string) string     { return "Editor: " + file }
func (*english) EditorHint() string {
	return "Ctrl Enter applies; Escape, then Tab leaves."
}
func (*english) Apply() string    { return "Apply" }
func (*english) Applying() string { return "Applying" }
func (*english) Applied(what string) string {
	if what == "rolledOut" {
		return "rolled out: the controller restarts with it"
	}
	return what
}
func (*english) AtLine(line, col int) string {
	if col == 0 {
		return "line " + strconv.Itoa(line) + ":"
	}
	return fmt.Sprintf("line %d, column %d:", line, col)
}

// Drawer.

func (*english) Timeline() string { return "Timeline" }
func (*english) Log() string      { return "Log" }
func (*english) Report() string   { return "Report" }
func (*english) StepOf(step, length int) string {
	return fmt.Sprintf("step %d of %d", step, length)
}
func (*english) LaneUser() string     { return "user" }
func (*english) LaneServer() string   { return "server" }
func (*english) LaneCache() string    { return "cache" }
func (*english) LaneQueue() string    { return "queue" }
func (*english) LaneWorker() string   { return "worker" }
func (*english) Scrub() string        { return "Step in view" }
func (*english) EarlierStep() string  { return "One step back" }
func (*english) LaterStep() string    { return "One step forward" }
func (*english) ToTip() string        { return "To the latest step" }
func (*english) Earlier(n int) string { return strconv.Itoa(n) + " earlier" }
func (*english) NothingYet() string   { return "Nothing has happened yet." }
func (*english) PartBroken(why string) string {
	return "This part could not be drawn: " + why + ". The cluster is unharmed: go on with the rest of the page, take another step, or reload it."
}
func (*english) DrawerTaller() string { return "Make the drawer taller" }
func (*english) DrawerClosed() string { return "Close the drawer" }
func (*english) DrawerOpen() string   { return "Open the drawer" }
func (*english) Divider(column string) string {
	switch column {
	case "files":
		return "Width of the files"
	case "objects":
		return "Width of the objects"
	}
	return "Width of the right column"
}
func (*english) DividerAt(percent string) string { return percent + " % of the window" }
func (*english) DividerHint() string {
	return "Drag it, or move it with the arrow keys; a double click or Enter brings the usual width back"
}
func (*english) Branch() string    { return "Go on from here" }
func (*english) OldBranch() string { return "Back to the old branch" }
func (*english) BranchBack(length int) string {
	return "That branch is current again: " + count(length, "step", "steps") + ". The other one is kept in its place."
}
func (*english) Branches(n int) string {
	return count(n, "branch kept", "branches kept")
}
func (*english) BranchFrom(step, length int, acts []string, more int) string {
	done := strings.Join(acts, "; ")
	switch {
	case done == "":
		done = "it was left to run"
	case more > 0:
		done += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("From step %d, %s: %s", step, count(length, "step", "steps"), done)
}
func (*english) BranchesNote() string {
	return "What was left when somebody acted in the past. Take one up: this one is kept in its place."
}
func (*english) MakeReport() string { return "Make the report" }
func (*english) RunReport() string  { return "See the report" }
func (*english) ReportNone() string {
	return "A report of the last full pass: per resource desired, observed, difference, action, requeue, status; and a second pass as the evidence that nothing moves."
}
func (*english) ReportCopy() string {
	return "Made on a copy of the cluster that first ran to quiet; the cluster itself stays where it is."
}
func (*english) ReportStale(step int) string   { return "as of step " + strconv.Itoa(step) }
func (*english) Download(format string) string { return "Download " + format }

// Guide.

func (*english) GuideLabel() string { return "What to do next" }
func (*english) Next() string       { return "Next" }
func (*english) TourStep(n, of, part, parts int) string {
	if parts < 2 {
		return fmt.Sprintf("%d of %d", n, of)
	}
	return fmt.Sprintf("%d%c of %d", n, 'a'+rune(part-1), of)
}
func (*english) LeaveTour() string { return "Leave the tour" }
func (*english) StartTour() string { return "Start the tour" }
func (*english) TourAgain(possible bool) string {
	if !possible {
		return ""
	}
	return "Take the tour"
}

func (*english) Tour(step, variant int) (title, text string) {
	switch step {
	case 1:
		if variant == 0 {
			return "Say what you want.", "A controller makes a cluster match what you ask for: here you see how, step by step. Three files describe three WebApps, a sample kind of resource. Applying them stores your wish in the API server; nobody has acted on it yet."
		}
		return "This is what is wanted.", "A controller makes a cluster match what is asked for. The API server holds three WebApps, a sample kind, and nobody has acted on them yet. What can happen next is marked blue: take the first step."
	case 2:
		return "Watch the news travel.", "A change goes over the watch into the controller's cache; from there only its name, the key, enters the queue. Step until a worker takes one."
	case 3:
		return "One pass, call by call.", "The reconciler got a key and nothing else. Its reads answer the first two questions below, each write shows the difference and the action at once; status and requeue come last. Reads of the cache are not stopped at."
	case 4:
		switch variant {
		case 1:
			return "One of them waits.", "It refers to a ConfigMap that is not there. That is no error: it asked to be called again in 30 s. Create what is missing, and nobody will tell the controller."
		case 2:
			return "Let the timer find it.", "Run again: when the delay is over the pass looks once more, and now finds what it needs."
		}
		return "Let it run.", "Run takes one event after the other until nothing is left to do. The WebApp outside gets its child ConfigMap, and a load balancer in the cloud."
	case 5:
		return "Converged. Now run it again.", "Every WebApp is Ready. A reconciler may run at any time, any number of times: make one more full pass and watch the resourceVersion column."
	}
	return "", ""
}

func (*english) TourEnd() string {
	return "Now break it: edit a message, delete a child, or crash the controller in mid-pass. It finds its way back."
}
func (*english) FinishTour() string { return "Done" }
func (*english) ApplyThem(n int) string {
	return "Apply " + count(n, "file", "files")
}
func (*english) ApplyFile(name string) string { return "Apply " + name }
func (*english) NextCall() string             { return "Next call" }
func (*english) RunAgain() string             { return "Run it again" }

func (*english) NextFor(verb, target, detail string) (title, text string) {
	switch verb {
	case "list":
		return "The informer lists " + target + ".", "It begins with all there is and watches from that revision on, so that nothing in between is missed."
	case "deliver":
		return "A change reaches the cache: " + both(target, detail) + ".", "Until then the controller works from its old copy. Its key enters the queue, if a predicate lets it."
	case "start":
		return "A worker takes " + target + ".", "It is not told what happened: it looks at everything again."
	case "call":
		return "The pass makes its next call: " + pickText(detail, target) + ".", "Between two calls anything can happen; pick another event to try."
	case "gc", "namespace", "crd":
		return collecting(detail, target)
	case "tick":
		return "Nothing is left but a timer.", "Step lets time pass until it is due."
	case "restart":
		return "The controller is down.", "The cluster goes on without it."
	}
	return both(verb, target) + ".", detail
}

// collecting is what a controller of the controller manager does next, and why.
func collecting(reason, target string) (title, text string) {
	const own = " The collector is a process of its own and comes when it comes."
	switch reason {
	case "namespace":
		return "The namespace controller empties " + target + ".", "It deletes what is in there, and lets the namespace go once nothing is left."
	case "crd":
		return "The definition " + target + " is being deleted.", "Its finalizer deletes all objects of that kind first, and lets it go once none is left."
	case "orphan":
		return "The garbage collector orphans what " + target + " owns.", "It is deleted and its children stay: they lose their ownerReferences, then it loses its finalizer orphan."
	case "foreground":
		return "The garbage collector looks at " + target + ".", "It is deleted in the foreground: it goes once no child blocks it, by losing its finalizer foregroundDeletion."
	case "waiting":
		return "The garbage collector takes " + target + ".", "Its owner is still there: deleted in the foreground, it waits for this one to go first."
	case "partly":
		return "The garbage collector looks at " + target + ".", "It stays, for one of its owners does; the references to those that are gone or going come off." + own
	case "there":
		return "The garbage collector looks at " + target + ".", "It makes sure that its owners are there." + own
	case "absent":
		return "The garbage collector looks for " + target + ".", "Others name it as their owner, or it has just gone: if it is not there they have no owner." + own
	}
	return "The garbage collector takes " + target + ".", "Its owner is gone." + own
}

func (*english) Collects(reason string) string {
	return map[string]string{
		"namespace": "is being deleted", "crd": "is being deleted", "orphan": "leaves its children", "foreground": "waits for its children",
		"waiting": "its owner waits for it", "partly": "an owner is gone, another is there", "there": "are its owners there?",
		"absent": "is it there?", "gone": "its owner is gone",
	}[reason]
}

func both(a, b string) string { return strings.TrimSpace(a + " " + b) }

func pickText(a, b string) string {
	if a == "" {
		return b
	}
	return a
}

func (*english) NextQuiet() string {
	return "Nothing is left to do. Edit a file and apply it, delete a child to see it come back, crash the controller, or run it again to see that nothing moves."
}
func (*english) NextOrphan(ids []string) string {
	return "Nothing is left to do, and that is the trouble: " + strings.Join(ids, ", ") + " in the cloud belongs to no resource any more, so no controller will ever look for it."
}
func (*english) NextPending(names []string) string {
	rest := " is not ready. Select it to read its status."
	if len(names) > 1 {
		rest = " are not ready. Select one to read its status."
	}
	return "Nothing is left to do but to look again now and then: " + strings.Join(names, ", ") + rest
}
func (*english) NextTerminating(names, finalizers []string) string {
	is, it := " is Terminating and does not go", "it"
	if len(names) > 1 {
		is, it = " are Terminating and do not go", "them"
	}
	if more := len(names) - 3; more > 0 {
		names = append(slices.Clone(names[:3]), strconv.Itoa(more)+" more")
	}
	s := strings.Join(names, ", ") + is
	if len(finalizers) == 0 {
		return s + ". Select " + it + " to see what is left."
	}
	word := "finalizer "
	if len(finalizers) > 1 {
		word = "finalizers "
	}
	return s + " before somebody takes off the " + word + strings.Join(finalizers, ", ") + "."
}
func (*english) NextFailing(keys []string, why string, cures bool) (title, text string) {
	title, text = count(len(keys), "key fails", "keys fail")+".", "Every pass of "+strings.Join(keys, ", ")+" ends with an error, and is only tried again"
	if why != "" {
		text += ": " + why
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	if cures {
		return title, text + " Look at the log, then switch on a cure."
	}
	return title, text + " Look at the log, then put right what is missing or roll out another script."
}
func (*english) SeeLog() string { return "See the log" }
func (*english) NextDown(outcome string) string {
	s := "Its cache and its queue are gone; the API server has lost nothing."
	switch outcome {
	case "not-sent":
		s += " The call that its pass was about to make was not sent."
	case "landed-then-died":
		s += " The last call of its pass had landed; the controller died before it knew."
	}
	return s + " Restart it: it lists, and looks at everything."
}
func (*english) NextPast() string {
	return "You are looking at an earlier step; what is stored stands at the latest one. Acting here starts a branch and keeps the old one."
}
func (*english) InThePast(step int) string {
	if step == 0 {
		return "Before the first step."
	}
	return "After step " + strconv.Itoa(step) + "."
}
func (*english) QuietTitle() string { return "Quiet." }
func (*english) Loading() string    { return "Loading the cluster." }
func (*english) Opening(method string, percent int) (title, text string) {
	title = map[string]string{"openLink": "Opening the link…", "load": "Importing…", "reset": "Starting over…", "takeUp": "Opening the run…", "openRun": "Opening the run…"}[method]
	if percent < 0 {
		return pickText(title, "Opening the scenario…"), "What you see is still what was there before."
	}
	return pickText(title, "Opening the scenario…"), fmt.Sprintf("What runs its scripts is being loaded, %d %%. What you see is still what was there before.", percent)
}
func (*english) OpeningWait() string {
	return "Something else is being opened: wait until it is there."
}
func (*english) Working() string { return "Running to quiet." }
func (*english) EvidenceTitle(same bool) string {
	if same {
		return "Every resourceVersion stayed."
	}
	return "Something moved."
}
func (*english) Evidence(objects int, changed []string) string {
	if len(changed) == 0 {
		return "Every key got one more pass, and not one of " + count(objects, "object", "objects") + " changed: that is idempotence."
	}
	return "One more pass over every key changed " + strings.Join(changed, ", ") + "."
}

// Sheets.

func (*english) HelpTitle() string { return "Keys and signs" }
func (*english) FidelityLink() string {
	return "How true is it? What was recorded of a real API server, and what differs here"
}
func (*english) FidelityShort() string { return "How true is it?" }
func (*english) ScriptsLink() string {
	return "Reconcilers in bash: what a script and the terminal may use"
}
func (*english) HelpIntro() string {
	return "Everything waits for a step. What can happen next is marked blue where it happens; click it there, or take the first with Step. Export keeps a cluster as a file; Import there takes one back, or a scenario document (.txtar)."
}
func (*english) Keys() string { return "Keys" }
func (*english) KeyName(name string) string {
	switch name {
	case "step":
		return "Step: the next event"
	case "call":
		return "Call: the next API call of a pass"
	case "run":
		return "Run to quiet"
	case "play":
		return "Play, pause"
	case "act":
		return "The next act of an incident"
	case "back":
		return "Look one step back"
	case "forward":
		return "Look one step forward"
	case "tip":
		return "To the latest step"
	case "oldBranch":
		return "After acting in the past: back to the old branch"
	case "next":
		return "Do what the button in the bar on top does"
	case "pick":
		return "Pick any event that can happen"
	case "fault":
		return "Make something go wrong"
	case "tick":
		return "Let time pass to the next timer"
	case "crash":
		return "Crash or restart the controller"
	case "again":
		return "Run it again: one more full pass"
	case "delete":
		return "Delete the selected object"
	case "editor":
		return "To the editor"
	case "objects":
		return "To the objects"
	case "nextObject":
		return "Select the next object"
	case "previousObject":
		return "Select the object before"
	case "view":
		return "Server, cache, both"
	case "drawer":
		return "Drawer taller, closed, open"
	case "terminal":
		return "To the terminal"
	case "report":
		return "Make the report"
	case "export":
		return "Export and import"
	case "theme":
		return "Light, dark, as the system"
	case "help":
		return "This sheet"
	case "close":
		return "Close, or stop a run"
	case "apply":
		return "Apply the file in the editor"
	case "leaveEditor":
		return "Leave the editor: escape, then tab"
	}
	return name
}
func (*english) NoKeys() string      { return "Switch off keys of a single letter" }
func (*english) LegendTitle() string { return "Signs" }
func (*english) Legend() [][2]string {
	return [][2]string{
		{"+", "added"}, {"±", "changed"}, {"−", "deleted"}, {"≠", "the cache differs from the server"},
		{"▸", "can happen now"}, {"⚙", "the controller manager's to do"}, {"◷", "waits for its time"}, {"!", "failed"}, {"✓", "done, as it should be"}, {"∅", "not found"},
		{"⊘", "refused: nothing was stored"}, {"⇥", "not sent"}, {"⇠", "landed, its reply lost"}, {"†", "landed, then the controller died"},
	}
}
func (*english) ImportHolds(title string, cluster bool, steps int) string {
	if cluster {
		return "It holds a cluster, " + count(steps, "step", "steps") + " into \"" + title + "\"."
	}
	return "It holds a scenario, \"" + title + "\", which starts at its beginning."
}
func (*english) Confirm(key, about string) (title, text, yes string) {
	switch key {
	case "delete":
		return "Delete " + about + "?", "It goes from the API server at once; what it owns is collected after it.", "Delete"
	case "deleteHeld":
		return "Delete " + about + "?", "It has a finalizer: it is marked as being deleted, and goes once the controller has cleaned up and taken the finalizer off. While the controller is down, it stays.", "Delete"
	case "scenario":
		return "Start another scenario?", "It takes the place of this one, whose cluster, files and timeline are kept: the library lists them, to be taken up again.", "Start it"
	case "link":
		return "Open " + about + "?", "It takes the place of what you have here, which is kept: the library lists it, to be taken up again.", "Open it"
	case "cure":
		return "Start anew: " + about + "?", "The scenario begins again with it. The run that you have is kept: the library lists it.", "Start"
	case "dropKept":
		return "Forget " + about + "?", "The kept run goes for good.", "Forget it"
	case "reset":
		return "Start over?", "The first scenario begins anew. The cluster, the files and the timeline here are kept: the library lists them, to be taken up again.", "Start over"
	case "import":
		return "Import " + about + "?", "It takes the place of the cluster, the files and the timeline here, which are kept: the library lists them.", "Import"
	case "removeFile":
		return "Remove " + about + "?", "The file goes from the editor. What was applied from it stays in the cluster.", "Remove"
	}
	return about, "", "Yes"
}

// Notices.

func (*english) EngineState(state string) string {
	if state == "restarting" {
		return "The engine is starting again from what is stored."
	}
	return "The engine has stopped. The cluster is stored as of the last finished step."
}
func (*english) RestartEngine() string { return "Start it again" }
func (*english) ForcedRestart() string { return "the engine was started again before it answered" }
func (*english) StorageState(state string) string {
	switch state {
	case "saved":
		return "saved in this browser"
	case "saving":
		return "saving"
	case "memory":
		return "not saved: memory only"
	case "full":
		return "not saved: storage is full"
	case "foreign-tab":
		return "held by another tab"
	}
	return "opening"
}
func (*english) StorageWhy(state, reason, detail string) string {
	var s string
	switch {
	case state == "foreign-tab":
		s = "Another tab holds this cluster. You can look around here; what you do is kept in memory only."
	case state == "full":
		s = "The browser's storage is full: steps since then are kept in memory only. Export the cluster to keep it."
	case reason == "Corrupted":
		s = "What was stored cannot be read and has been left as it is. You work in memory; export what is stored, or delete it."
	case reason == "RulesNotLoaded":
		return "What is stored has rules in CEL, and their evaluator could not be loaded. It has been left as it is: connect to the network and reload. Until then you work in memory."
	case reason == "ScriptsNotLoaded":
		return "What is stored has a reconciler in bash, and what runs it could not be loaded. It has been left as it is: connect to the network and reload. Until then you work in memory."
	case reason == "NewerFormat":
		s = "What is stored was written by a newer version of this page and has been left as it is. You work in memory."
	case reason == "Blocked":
		s = "The browser does not let this page store anything. Everything works, in memory only: export the cluster to keep it."
	default:
		s = "Nothing can be stored here. Everything works, in memory only: export the cluster to keep it."
	}
	if detail != "" {
		s += " (" + local(detail) + ")"
	}
	return s
}

// local puts the time at the end of a text on the reader's own clock.
func local(text string) string {
	at := strings.LastIndexByte(text, ' ') + 1
	t, err := time.Parse(time.RFC3339, text[at:])
	if err != nil {
		return text
	}
	return text[:at] + t.Local().Format("15:04 on 2 January")
}
func (*english) TakeOver() string     { return "Take over" }
func (*english) ExportStored() string { return "Export what is stored" }
func (*english) ResetStored() string  { return "Delete what is stored" }
func (*english) Notice(code, detail string, n int) string {
	switch code {
	case "reloaded":
		return "The page was reloaded, and that was a crash of the controller: its cache and queue were memory and are gone. The cluster is as of the last step; the controller begins with a list."
	case "replay-differs":
		return fmt.Sprintf("Replaying the timeline differs from what is stored at step %d. The stored objects win; the old timeline is archived.", n)
	case "imported":
		return "The cluster was imported."
	case "link-opened":
		return "The run of the link was opened: " + count(n, "step", "steps") + "."
	case "run-opened-at":
		return fmt.Sprintf("The run that shows it was opened at step %d, where it goes wrong. Go on along the timeline to see what comes of it.", n)
	case "run-opened":
		return "The run that shows it was opened: " + count(n, "step", "steps") + "."
	case "run-differs":
		return strings.TrimSpace(fmt.Sprintf("The run no longer goes as it did: it differs at step %d. %s", n, detail))
	case "taken-up":
		return "The run that was kept is open again: " + count(n, "step", "steps") + "."
	case "link-differs":
		return strings.TrimSpace(fmt.Sprintf("The run of the link no longer goes as it did: it differs at step %d. %s", n, detail))
	case "storage-lost":
		return "The storage was lost. You work in memory from here on; export the cluster to keep it."
	case "stored-gone":
		return "What you had stored here is gone: this browser has thrown its storage away, as some do after a crash or when the disk is full. The page begins anew. An exported file or a link brings a run back."
	case "branch-kept":
		return fmt.Sprintf("You acted in the past: a new branch begins with step %d. The old one is kept: go back to it here, or later from the timeline.", n)
	case "rules-loading":
		return "Loading the evaluator of CEL rules: it comes once, and is kept."
	case "scripts-loading":
		return fmt.Sprintf("Loading what runs scripts (bash, kubectl, jq), %d %%: it comes once, and is kept. The rest of the page goes on.", n)
	case "loop":
		return fmt.Sprintf("It goes round in circles, %d times by now: %s. The run was stopped; it would go on for ever.", n, detail)
	case "not-quiet":
		return "It did not come to rest: after ten virtual minutes passes still write. Look for the loop in the timeline."
	}
	return both(code, detail)
}
func (*english) NewVersion() string    { return "A new version of this page is ready." }
func (*english) UseNewVersion() string { return "Use it" }
func (*english) Failed(method, why string) string {
	return actName(method) + ": " + why
}

// actName is a command by the name of its button.
func actName(method string) string {
	switch method {
	case "step", "run", "crash", "restart", "delete", "apply", "export", "report":
		return strings.ToUpper(method[:1]) + method[1:]
	case "stepCall":
		return "Call"
	case "inject":
		return "Fault"
	case "setScript":
		return "Roll out"
	case "rerun":
		return "Run it again"
	case "advance":
		return "Letting time pass"
	case "unfinalize":
		return "Taking the finalizer off"
	case "seek", "fork", "branch":
		return "Moving along the timeline"
	case "file":
		return "Saving the file"
	case "load", "inspect":
		return "Import"
	case "openLink":
		return "Opening the link"
	case "story", "playStory":
		return "The story"
	case "link":
		return "Making the link"
	case "takeUp", "dropKept":
		return "Kept runs"
	case "scenario", "open":
		return "Opening the scenario"
	case "reset":
		return "Start over"
	case "takeover":
		return "Take over"
	}
	return method
}

func (*english) DownAct() string { return "The controller is down: restart it (k)." }
func (*english) NothingToDo(timer bool) string {
	if timer {
		return "Nothing is left to do before the next timer: let time pass (t), apply, delete, or run it again (a)."
	}
	return "Nothing is left to do: apply, delete, or run it again (a)."
}
func (*english) Exported(name string) string { return name + " was downloaded." }
func (*english) Announce(step int, line string) string {
	return "Step " + strconv.Itoa(step) + ": " + line
}
