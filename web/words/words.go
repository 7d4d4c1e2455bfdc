// Package words is the catalogue of everything that the page says to a
// person. A language is one type with one method per text, so that a text that
// is missing in a language does not compile. Kubernetes' own words, names of
// fields, verbs and the server's messages are not translated and do not pass
// through here.
package words

import "time"

// Catalogue is one language. Texts are plain: no markup, no line breaks.
type Catalogue interface {
	// Lang is the language's BCP 47 tag, such as "en".
	Lang() string

	General
	Controls
	Loop
	Passes
	Objects
	Files
	Drawer
	Guide
	Sheets
	Faults
	Insight
	Proofs
	Shell
	Links
	Lessons
	Notices
}

// General is what several parts of the page say.
type General interface {
	Title() string
	SkipToLoop() string
	Panes() string
	Close() string
	Cancel() string
	Dismiss() string
	// Why names the small button behind which a sentence explains a thing.
	Why(thing string) string
	// In says when something is due, from now.
	In(d time.Duration) string
	// More says that n things are not shown.
	More(n int) string
	// Missing says that what was looked for is not there.
	Missing(ref string) string
}

// Controls is the header. A name that ends in Hint is shown on hovering.
type Controls interface {
	Scenario() string
	Steps() string
	Back() string
	BackHint() string
	Step() string
	StepHint() string
	Call() string
	CallHint() string
	Run() string
	RunHint() string
	Play() string
	Pause() string
	Stop() string
	Speed() string
	// Pick opens the list of all that can happen; TakenByStep marks the first.
	Pick() string
	PickHint() string
	PickNote(n int) string
	TakenByStep() string
	// ActionName is an action as the list shows it.
	ActionName(action string) string
	Clock() string
	// ClockAt is the clock's face: the time since the start.
	ClockAt(since time.Duration) string
	Advance(d time.Duration) string
	AdvanceToNext(d time.Duration) string
	AdvanceNote(now string) string
	Crash() string
	CrashHint() string
	Restart() string
	RestartHint() string
	Export() string
	ExportReport(format string) string
	ExportCluster() string
	ImportCluster() string
	ResetCluster() string
	// Theme names the button that changes the theme, by the one that is on.
	Theme(now string) string
	Help() string
}

// Loop is the picture of the pipeline: its places, each with a sentence on why
// it is there, what joins them, and what is in them.
type Loop interface {
	LoopTitle() string
	LoopNote() string
	APIServer() string
	// ControllerManager is whose work the garbage collector and the like are.
	ControllerManager() string
	APIServerWhy() string
	Watch() string
	WatchWhy() string
	InformerCache() string
	InformerCacheWhy() string
	WorkQueue() string
	WorkQueueWhy() string
	Reconciler() string
	ReconcilerWhy() string
	Cloud() string
	CloudWhy() string

	AtRevision(rev int64) string
	OnTheWire(n int) string
	CacheAt(rv string, behind int) string
	QueueCounts(keys int) string
	// Idle says that the worker waits; last is the key it had, empty for none.
	Idle(last string) string
	Down() string
	WorkerOn(key string, calls int) string
	OutsideTheCluster() string
	// CloudOrphan marks an item whose object of that kind is gone.
	CloudOrphan(kind string) string

	ArrowWatch() string
	ArrowDeliver() string
	ArrowKey() string
	ArrowTake() string
	ArrowWrites() string
	ArrowReadsAndWrites() string
	ArrowCloud() string
	ReadsCache() string
	ReadsLive() string
	ControllerState(running bool) string

	NothingHere() string
	NothingOnWire() string
	NotSynced() string
	CacheSame(n int) string
	CacheBehind(rv string) string
	CacheMissing() string
	CacheGone() string
	QueueReady() string
	QueueFailed(n int, due string) string
	QueueProcessing() string
	InFlight() string
	// CanHappen is added to the name of what can be clicked to happen next;
	// first is what Step takes.
	CanHappen(first bool) string
}

// Passes is the six questions of a pass.
type Passes interface {
	PassTitle() string
	PassLast() string
	PassNone() string
	PassEnded(id int) string
	PassWaiting(n int, call, line string) string
	PassDied() string

	Desired() string
	DesiredWhy() string
	Observed() string
	ObservedWhy() string
	Difference() string
	DifferenceWhy() string
	Action() string
	ActionWhy() string
	Requeue() string
	RequeueWhy() string
	Status() string
	StatusWhy() string

	NotReadYet() string
	NotComparedYet() string
	NotDecidedYet() string
	NotReportedYet() string
	// NotReached says that the pass died before the question.
	NotReached() string
	ReadFrom(from, rv string) string
	ReadNothing() string
	NoDifference() string
	NoWrites() string
	RequeueNone() string
	RequeueAfter(d time.Duration, reason string) string
	RequeueBackoff(d time.Duration, failures int) string
	RequeueDropped() string
	StatusSame() string
	StatusNotReached() string
	// Outcome puts what became of a call, such as "landed-then-died", in words.
	Outcome(outcome string) string
}

// Objects is the table of objects and the object that is selected.
type Objects interface {
	ObjectsTitle() string
	ObjectsTable() string
	ObjectTitle() string
	ObjectsCount(shown, all int) string
	ViewLabel() string
	ViewServer() string
	ViewCache() string
	ViewBoth() string
	FilterObjects() string
	ColumnObject() string
	// Columns head generation, observedGeneration, finalizers and deletionTimestamp: a
	// word, and a shorter one for where there is no room.
	Columns() [4][2]string
	OwnedBy(name string) string
	IsNew() string
	IsGone() string
	Terminating() string
	NotInCache() string
	// TerminatingShort and NotInCacheShort say the same in one short word.
	TerminatingShort() string
	NotInCacheShort() string
	// StatusBehind says that the status is about an earlier generation.
	StatusBehind() string
	NoObjects() string
	NothingSelected() string
	LastChangeAt(step int) string
	Follow() string
	FollowHint() string
	Delete() string
	Finalizers() string
	RemoveFinalizer(name string) string
	RemoveFinalizerNote() string
	YAMLOf(key string) string
}

// Files is the editor's pane.
type Files interface {
	FilesTitle() string
	FilesNote() string
	// LessonTitle is the title of a lesson with its number.
	LessonTitle(number, title string) string
	// BeginWithZero offers lesson 0.
	BeginWithZero() string
	NewFile() string
	WholeAnswer() string
	// NewFileName is a file's name without its ending.
	NewFileName() string
	NewFileTitle() string
	FileName() string
	FileNameHint() string
	MakeFile() string
	// FileNameRefused says why a file cannot have a name: none, taken or bad.
	FileNameRefused(why, name string) string
	RemoveFile(name string) string
	RevertFile() string
	FileApplied() string
	FileEdited() string
	FileNotApplied() string
	FileRefused() string
	Editor(file string) string
	EditorHint() string
	Apply() string
	Applying() string
	// Applied says what an apply did: "created", "configured" or "unchanged",
	// as kubectl has it.
	Applied(what string) string
	AtLine(line, col int) string
}

// Drawer is the lower part: timeline, log, report.
type Drawer interface {
	Timeline() string
	Log() string
	Report() string
	StepOf(step, length int) string
	LaneUser() string
	LaneServer() string
	LaneCache() string
	LaneQueue() string
	LaneWorker() string
	Scrub() string
	EarlierStep() string
	LaterStep() string
	ToTip() string
	Earlier(n int) string
	NothingYet() string
	// PartBroken says why a part of the page could not be drawn, and how to go on.
	PartBroken(why string) string
	DrawerTaller() string
	DrawerClosed() string
	DrawerOpen() string
	// Divider names what moves the width of a column, files, objects or side; DividerAt is where
	// it stands, in percent of the window.
	Divider(column string) string
	DividerAt(percent string) string
	DividerHint() string
	Branch() string
	OldBranch() string
	BranchBack(length int) string
	Branches(n int) string
	BranchesNote() string
	// BranchFrom names a branch by where it left and what was done on it; more acts are not named.
	BranchFrom(step, length int, acts []string, more int) string
	MakeReport() string
	RunReport() string
	ReportNone() string
	ReportCopy() string
	ReportStale(step int) string
	Download(format string) string
}

// Guide is the bar that says what to do next.
type Guide interface {
	GuideLabel() string
	Next() string
	// TourStep is where the tour stands; part counts from 1, parts is 1 for a step of one.
	TourStep(n, of, part, parts int) string
	LeaveTour() string
	StartTour() string
	TourAgain(possible bool) string
	// Tour is the title and the text of a step of the tour. A variant says
	// what of the step is left to do.
	Tour(step, variant int) (title, text string)
	TourEnd() string
	FinishTour() string
	ApplyThem(n int) string
	ApplyFile(name string) string
	NextCall() string
	RunAgain() string
	// NextFor says what the next action is and what it means. The detail of what the
	// collector does is its reason, see engine.EnabledItem.
	NextFor(verb, target, detail string) (title, text string)
	// Collects says in a few words why the controller manager has something to do;
	// empty for what it does not do.
	Collects(reason string) string
	NextQuiet() string
	NextOrphan(ids []string) string
	NextPending(names []string) string
	// NextTerminating says of a world at rest that objects are being deleted and do
	// not go, and which finalizers they wait for.
	NextTerminating(names, finalizers []string) string
	// NextFailing is said where the passes of keys fail and are only tried again:
	// why is the error of one of them, cures that the scenario has cures.
	NextFailing(keys []string, why string, cures bool) (title, text string)
	SeeLog() string
	DownTitle() string
	// NextDown says what a crash has left. outcome is what became of the call
	// that was in hand, such as "not-sent"; empty where none was.
	NextDown(outcome string) string
	NextPast() string
	InThePast(step int) string
	QuietTitle() string
	// Loading is said until the cluster is there.
	Loading() string
	// Opening says which command opens another run, and how far what runs its scripts
	// is loaded, in per cent, -1 where that is not loaded.
	Opening(method string, percent int) (title, text string)
	// OpeningWait is said to an act by then.
	OpeningWait() string
	Working() string
	EvidenceTitle(same bool) string
	Evidence(objects int, changed []string) string
}

// Sheets is what lies over the page.
type Sheets interface {
	HelpTitle() string
	HelpIntro() string
	FidelityLink() string
	// FidelityShort is how FidelityLink begins.
	FidelityShort() string
	ScriptsLink() string
	Keys() string
	KeyName(name string) string
	NoKeys() string
	LegendTitle() string
	// Legend is signs and what they mean.
	Legend() [][2]string
	// ImportHolds says what is in a file that may be imported.
	ImportHolds(title string, cluster bool, steps int) string
	// Confirm asks before key is done to about.
	Confirm(key, about string) (title, text, yes string)
}

// Faults is what can go wrong, and how it looks when it did.
type Faults interface {
	Fault() string
	FaultHint() string
	// FaultArmed names the menu while a fault waits; FaultArmedNote explains.
	FaultArmed(kind string) string
	FaultArmedNote(kind string) string
	Disarm() string
	FaultAtCall(of, call string) string
	FaultToArm(waits bool) string
	FaultAtDelivery() string
	// FaultWhy says what a kind of fault does.
	FaultWhy(kind string) string
	// OutcomeWhy says what an outcome means for who made the call; empty for one
	// that needs no explanation.
	OutcomeWhy(outcome string) string
}

// Insight is playing, predicting, and what is to be seen of the run as a whole.
type Insight interface {
	SpeedOf(s float64) string
	PlayUntil() string
	UntilName(until string) string
	Predict() string
	PredictTitle(kind string) string
	Answer(kind, answer string) string
	SkipQuestion() string
	ScoreOf(right, asked int) string
	Judged(right bool, kind, truth string, score, asked int) string
	Findings() string
	FindingsOf(n int) string
	QueueKeys() string
	PlotsTitle() string
	PlotsInWords() string
	// PlotNames are the titles of the four plots, PlotSeries the names of their
	// lines.
	PlotNames() []string
	PlotSeries() []string
	PlotQueue(peak, waiting int) string
	PlotWrites(effective, noOp int) string
	PlotPasses(key string, n int) string
	PlotBackoff(n int, longest float64) string
	CuresTitle() string
	NoCure() string
}

// Proofs is the tab of the fault matrix; what is in it is said in panels.en.json.
type Proofs interface {
	ProveTitle() string
}

// Shell is scripts and the terminal.
type Shell interface {
	Terminal() string
	TerminalLog() string
	TerminalInput() string
	TerminalHint() string
	// TerminalMore says that a here-document or a quote is open.
	TerminalMore() string
	TerminalNone() string
	TerminalRun() string
	TerminalCut() string
	// TerminalEdit says that an object is in the editor.
	TerminalEdit() string
	TerminalCode(code int) string
	// TerminalStopped says why a line did not end by itself: why is an
	// engine.Output's Stopped.
	TerminalStopped(why string) string
	NewScript() string
	NewScriptHint() string
	RollOut() string
	ScriptRuns() string
}

// Links is links and the runs that are kept.
type Links interface {
	Share() string
	ShareHint() string
	ShareTitle() string
	ShareText(steps int) string
	ShareMaking() string
	ShareLink() string
	ShareSize(n int) string
	Copy() string
	Copied() string
	LinkTooLong(n, most int) string
	LinkUnknown() string
	LinkBroken(why string) string
	// LinkAbout names the run of a link.
	LinkAbout(title string, steps int) string
	Library() string
	// ScenarioKind heads the scenarios of a kind: lab, lesson, incident or "".
	ScenarioKind(kind string) string
	ScenarioOpen() string
	StartScenario(title string) string
	Start() string
	LookTitle() string
	KeptTitle() string
	KeptNote() string
	KeptRun(title string, steps int) string
	TakeUp() string
	DropKept(title string) string
}

// Notices is banners, toasts and what a screen reader is told.
type Notices interface {
	EngineState(state string) string
	RestartEngine() string
	ForcedRestart() string
	StorageState(state string) string
	StorageWhy(state, reason, detail string) string
	TakeOver() string
	ExportStored() string
	ResetStored() string
	Notice(code, detail string, n int) string
	NewVersion() string
	UseNewVersion() string
	// Failed says that a command, such as "stepCall", was refused.
	Failed(method, why string) string
	// DownAct says that nothing happens while the controller is down;
	// NothingToDo that nothing is left, or with timer that only time is.
	DownAct() string
	NothingToDo(timer bool) string
	Exported(name string) string
	Announce(step int, line string) string
}
