package view

import (
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// mostSteps is how many steps the lanes show at most, laneBlock how many stand together,
// so that a new one leaves the others as they are; logLines how many lines the log
// beside them, and fullLog that of its own tab. shortLine is how many letters of
// a line are shown beside the lanes where it is not known how many fit.
const (
	shortLine = 100
	mostSteps = 36
	laneBlock = 8
	logLines  = 5
	tallLog   = 22
	fullLog   = 400
)

func (p *page) drawer() *Node {
	m, w := p.m, p.w
	tab := func(t app.DrawerTab, name string) *Node {
		return el("button", attr("type", "button"), class("tab"), attr("id", "tab-"+string(t)), currentIf(m.Drawer == t), onClick(app.OpenTab{Tab: t}), text(name))
	}
	size, sizeName := "tall", w.DrawerTaller()
	switch m.Prefs.Drawer {
	case "tall":
		size, sizeName = "closed", w.DrawerClosed()
	case "closed":
		size, sizeName = "", w.DrawerOpen()
	}
	type inputs struct {
		open  app.DrawerTab
		kind  string
		found int
	}
	tabs := p.memo("tabs", inputs{m.Drawer, m.Scenario.Kind, len(m.Found)}, func() *Node {
		return el("div", class("tabs"), tab(app.TabLesson, w.LessonTab(m.Scenario.Kind)), tab(app.TabTimeline, w.Timeline()), tab(app.TabLog, w.Log()), tab(app.TabKeys, w.QueueKeys()), tab(app.TabPlots, w.PlotsTitle()),
			tab(app.TabFound, w.FindingsOf(len(m.Found))), tab(app.TabReport, w.Report()), tab(app.TabProve, w.ProveTitle()), tab(app.TabTerminal, w.Terminal()))
	})
	return el("section", class("panel time"), testid("timeline"), label(w.Timeline()),
		attr("data-step", itoa(m.Timeline.Step)), attr("data-length", itoa(m.Timeline.Length)),
		el("div", class("panel-head tabbed"), tabs,
			p.scrub(), p.branches(), p.storage(),
			button("btn-small btn-quiet btn-icon", app.SizeDrawer{Size: size}, label(sizeName), attr("title", sizeName), icon(pick(size == "closed", "down", "up")))),
		p.guarded("drawer-body", p.drawerBody))
}

// drawerBody is what the open tab shows.
func (p *page) drawerBody() *Node {
	m, w := p.m, p.w
	// A closed drawer is hidden by the style: as the one pane of a small window it is open.
	switch m.Drawer {
	case app.TabLog:
		return p.log("full-log", fullLog)
	case app.TabFound:
		return panel("findings", w.Findings())
	case app.TabKeys:
		return panel("keys", w.QueueKeys())
	case app.TabPlots:
		return p.plots()
	case app.TabLesson:
		return panel("lesson", w.LessonTab(m.Scenario.Kind))
	case app.TabProve:
		return panel("prove-panel", w.ProveTitle())
	case app.TabTerminal:
		return p.terminal()
	case app.TabReport:
		return p.report()
	}
	return el("div", class("time-body"), p.lanes(), p.log("", logLinesOf(m.Prefs.Drawer)))
}

// panel is an element that a file loaded later draws into: see web/panels.
func panel(id, name string) *Node {
	return el("div", class("drawer-body "+id), attr("id", app.PanelID), key(id), testid(id), attr("tabindex", "0"), attr("role", "region"), label(name))
}

func (p *page) branches() *Node {
	m, w := p.m, p.w
	if len(m.Timeline.Branches) == 0 {
		return nil
	}
	return p.menu("branches", w.Branches(len(m.Timeline.Branches)), "btn-small btn-quiet", func() []*Node {
		list := []*Node{el("p", class("muted"), text(w.BranchesNote()))}
		for i, b := range m.Timeline.Branches {
			list = append(list, button("branch", app.Branch{N: i}, text(w.BranchFrom(b.At, b.Length, b.Acts, b.More))))
		}
		return list
	})
}

func (p *page) storage() *Node {
	s := p.m.Storage
	if s.State == "saved" && p.m.Unsaved() {
		s.State = "saving"
	}
	tone := ""
	switch s.State {
	case "saved":
		tone = "tag-ok"
	case "", "saving":
	default:
		tone = "tag-wait"
	}
	return el("span", class(join("tag", tone)), testid("storage-state"), attr("data-value", s.State), text(p.w.StorageState(s.State)))
}

// logLinesOf is how many lines fit beside the lanes.
func logLinesOf(drawer string) int {
	if drawer == "tall" {
		return tallLog
	}
	return logLines
}

// around is the part of n items around the current one that is shown.
func around(current, n, show int) (first, last int) {
	last = min(n, max(current+show/3, show))
	return max(0, last-show), last
}

func (p *page) log(classes string, show int) *Node {
	m := p.m
	box := el("div", class(join("log", classes)), attr("tabindex", "0"), attr("role", "region"), label(p.w.Log()))
	// What is shown beside the lanes stays within sight, the current step last but one.
	first, last := around(m.Timeline.Step, len(m.Events), show)
	if first > 0 && show >= tallLog {
		box.add(button("log-line btn-quiet", app.Seek{N: max(1, first-show/2)}, text(p.w.Earlier(first))))
	}
	_, room := p.drawerRooms()
	for _, e := range m.Events[first:last] {
		if classes == "" {
			shown, cut := p.fitted(e.Text, room-p.numberWidth(e.N))
			box.add(p.logLine(e, shown, cut))
		} else {
			box.add(p.logLine(e, e.Text, ""))
		}
	}
	if len(m.Events) == 0 {
		box.add(el("p", class("empty"), text(p.w.NothingYet())))
	}
	return box
}

// numberWidth is the width of a step's number in the log; style.css has its least.
func (p *page) numberWidth(n int) float64 {
	return max(2.6*p.m.Letter/.6, float64(len(itoa(n)))*p.m.Letter)
}

// logLine is one line of the log, of which that much is shown.
func (p *page) logLine(e engine.EventLine, shown, cut string) *Node {
	type inputs struct {
		text, shown, cut string
		now, later       bool
	}
	in := inputs{e.Text, shown, cut, e.N == p.m.Timeline.Step, e.N > p.m.Timeline.Step}
	return p.memo("log "+itoa(e.N), in, func() *Node {
		n := el("button", attr("type", "button"), class(join("log-line", pick(in.later, "later", ""), pick(e.Level != "", "log-"+e.Level, ""))),
			key(itoa(e.N)), currentIf(in.now), maybe("title", pick(shown != e.Text, e.Text, "")), onClick(app.Seek{N: e.N}), span("n", itoa(e.N)), span(join("t", cut), shown))
		if in.now {
			n.add(attr("id", "log-current"))
		}
		return n
	})
}

var laneNames = []string{"user", "server", "cache", "queue", "worker"}

// laneOf is the row of an event's lane; the collector works on the server, the
// clock moves the queue.
func laneOf(lane string) int {
	switch lane {
	case "user":
		return 0
	case "server", "collector":
		return 1
	case "cache":
		return 2
	case "queue", "clock":
		return 3
	}
	return 4
}

// mark is one event, or one write, in the lanes.
type mark struct {
	row, col, width int
	sign, text      string
	event           engine.EventLine
	write           bool
}

func (p *page) lanes() *Node {
	m, w := p.m, p.w
	steps := p.laneSteps()
	first, last := around(m.Timeline.Step, len(m.Events), steps)
	// The strip moves by whole blocks, and never so that the step in view is out of sight.
	first = (first + laneBlock - 1) / laneBlock * laneBlock
	last = min(len(m.Events), first+steps)
	grid := el("div", class("lane-grid"), attr("--steps", itoa(steps)))
	titles := []string{w.LaneUser(), w.LaneServer(), w.LaneCache(), w.LaneQueue(), w.LaneWorker()}
	for i, name := range laneNames {
		grid.add(el("span", class("lane-name row-"+itoa(i)), key(name), text(titles[i])), el("span", class("lane-rule row-"+itoa(i)), key("rule-"+name)))
	}
	// Each mark has its place on the strip for good; only the strip is moved.
	events := m.Events[first:last]
	strip := el("div", class("lane-strip"), key("strip"), attr("--first", itoa(first)), el("div", class("lane-bars"), key("bars"), group(spans(events))))
	blocks := make([]*Node, (len(events)+laneBlock-1)/laneBlock)
	for _, k := range marks(events, m.Timeline.Step-first-1, steps) {
		i := k.col / laneBlock
		if blocks[i] == nil {
			n := itoa(first + i*laneBlock + 1)
			now := first+i*laneBlock < m.Timeline.Step && m.Timeline.Step <= first+(i+1)*laneBlock
			blocks[i] = el("div", class(join("lane-block", pick(now, "has-now", ""))), key("block-"+n), attr("--n", n))
		}
		blocks[i].add(p.mark(k))
	}
	group(blocks).addTo(strip)
	if m.Timeline.Step > first && m.Timeline.Step <= last {
		strip.add(el("span", class("cursor"), key("cursor"), attr("--n", itoa(m.Timeline.Step))))
	}
	grid.add(el("div", class("lane-box"), key("box"), strip))
	return el("div", class("lanes"), grid)
}

// spans are the passes behind the worker's marks.
func spans(events []engine.EventLine) []*Node {
	var out []*Node
	from, pass := 0, 0
	add := func(to int) {
		out = append(out, el("span", class("bar row-4"), key("pass-"+itoa(pass)), attr("--n", itoa(events[from].N)), attr("--w", itoa(to-from+1))))
		pass = 0
	}
	for i, e := range events {
		switch {
		case e.Pass == 0:
		case e.Pass != pass:
			if pass != 0 {
				add(max(from, i-1))
			}
			from, pass = i, e.Pass
			if !e.Started && i > 0 {
				from = 0
			}
		}
		if e.Ended && e.Pass != 0 && e.Pass == pass {
			add(i)
		}
	}
	if pass != 0 {
		add(len(events) - 1)
	}
	return out
}

// marks are the events in their lanes, which show so many steps. What is told beside one ends at the
// playhead, which stands behind the column current; beside the current one it
// lies over it.
func marks(events []engine.EventLine, current, steps int) []mark {
	var out []mark
	lastIn := map[int]int{}
	add := func(k mark) {
		// The one before in this lane may be as wide as the space up to here.
		if at, ok := lastIn[k.row]; ok {
			out[at].width = min(8, k.col-out[at].col)
		}
		lastIn[k.row] = len(out)
		out = append(out, k)
	}
	for i, e := range events {
		row := laneOf(e.Lane)
		add(mark{row: row, col: i, sign: signOf(e), text: brief(e), event: e, width: 8})
		if e.Writes > 0 && row != 1 {
			add(mark{row: 1, col: i, sign: "±", text: "", event: e, write: true, width: 8})
		}
	}
	for i := range out {
		space := steps - out[i].col
		if out[i].col < current {
			space = min(space, current-out[i].col+1)
		}
		out[i].width = max(1, min(out[i].width, space))
		if out[i].width < 2 {
			out[i].text = ""
		}
	}
	return out
}

// brief is what of an event's line is told beside its mark: the verb, where the
// lane does not tell it, and the object's name.
func brief(e engine.EventLine) string {
	head, rest, _ := strings.Cut(e.Text, " · ")
	first, _, _ := strings.Cut(rest, " · ")
	first, _, _ = strings.Cut(first, " rv ")
	first, _, _ = strings.Cut(first, ": ")
	verb, args, _ := strings.Cut(head, " ")
	switch verb {
	case "start":
		return object.ParseKey(args).Name
	case "deliver":
		_, ref, _ := strings.Cut(first, " ")
		return lastName(ref)
	case "call":
		words := strings.Fields(first)
		if n := len(words); n > 0 {
			words[n-1] = lastName(words[n-1])
		}
		return strings.Join(words, " ")
	case "apply":
		return lastName(strings.TrimPrefix(first, "apply "))
	case "time":
		return lastName(first)
	}
	return lastName(args)
}

func lastName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// signOf is the mark of an event.
func signOf(e engine.EventLine) string {
	if sign := outcomeSign(sim.Outcome(e.Outcome)); sign != "" {
		return sign
	}
	verb, rest, _ := strings.Cut(e.Text, " ")
	switch {
	case e.Lane == "server" && e.Writes > 0:
		return "±"
	case verb == "deliver":
		typ, _, _ := strings.Cut(strings.TrimPrefix(rest, "· "), " ")
		sign, _ := change(typ)
		return sign
	}
	return verbSign(verb)
}

func verbSign(verb string) string {
	switch verb {
	case "apply", "patch", "finalize", "unfinalize", "deploy":
		return "✎"
	case "$":
		return "$"
	case "fault":
		return "!"
	case "delete", "cloud":
		return "−"
	case "list":
		return "≡"
	case "start":
		return "▸"
	case "call":
		return "•"
	case "tick", "time", "advance":
		return "◷"
	case "crash":
		return "!"
	case "restart", "reload":
		return "↻"
	case "gc", "namespace", "crd":
		return "✕"
	}
	return "·"
}

func (p *page) mark(k mark) *Node {
	e, at := k.event, itoa(k.col%laneBlock+1)
	type inputs struct {
		text, shown string
		width       int
		now, later  bool
	}
	now := e.N == p.m.Timeline.Step
	column, _ := p.drawerRooms()
	// Beside the text are the sign, a gap and, of the current mark, paddings.
	beside := 20.0
	if now {
		beside += 6
	}
	shown, cut := p.fitted(k.text, float64(k.width)*column-beside)
	if len(shown) < 4 && shown != k.text {
		shown = ""
	}
	if cut == "" {
		// It is no wider than what it shows: more room each step would be a change each step.
		k.width = min(k.width, int((beside+textWidth(shown, p.m.Letter))/column)+1)
	}
	in := inputs{e.Text, shown, k.width, now, e.N > p.m.Timeline.Step}
	id := itoa(e.N)
	return p.memo(pick(k.write, "write ", "mark ")+id, in, func() *Node {
		classes := join("ev row-"+itoa(k.row), pick(in.now, "now", ""), pick(in.later, "later", ""), pick(e.Level != "", "ev-"+e.Level, ""), pick(e.Outcome != "", "out-"+e.Outcome, ""))
		sign := el("i", attr("aria-hidden", "true"), text(k.sign))
		if k.write {
			// The button for the event is in its own lane; this one is a mark.
			return el("span", class(classes), key("write-"+id), attr("--n", at), attr("--w", itoa(k.width)), attr("aria-hidden", "true"), sign)
		}
		return el("button", attr("type", "button"), class(classes), key("ev-"+id), attr("--n", at), attr("--w", itoa(k.width)),
			attr("title", id+" "+e.Text), label(join(shown, id, e.Text)), onClick(app.Seek{N: e.N}), sign, when(shown != "", func() *Node { return span(cut, shown) }))
	})
}

func (p *page) scrub() *Node {
	m, w := p.m, p.w
	t := m.Timeline
	return el("div", class("scrub"),
		button("btn-small btn-icon", app.Back{}, label(w.EarlierStep()), off(t.Step == 0), icon("left")),
		el("input", attr("type", "range"), label(w.Scrub()), attr("min", "0"), attr("max", strconv.Itoa(t.Length)), attr(".value", strconv.Itoa(t.Step)),
			attr("aria-valuetext", w.StepOf(t.Step, t.Length)), onInput(app.SeekTo{})),
		button("btn-small btn-icon", app.Forward{}, label(w.LaterStep()), off(t.Step >= t.Length), icon("right")),
		button("btn-small btn-icon", app.Seek{N: t.Length}, label(w.ToTip()), attr("title", w.ToTip()), off(t.Step >= t.Length), icon("tip")),
		span("mono", itoa(t.Step)+" / "+itoa(t.Length)))
}

func (p *page) report() *Node {
	m, w := p.m, p.w
	row := el("div", class("row"),
		button("btn-main btn-small", app.MakeReport{}, testid("report-make"), off(m.Report.Wanted), text(w.MakeReport())))
	if m.Report.Markdown != "" {
		row.add(
			button("btn-small", app.Export{Format: "html"}, text(w.Download("HTML"))),
			button("btn-small", app.Export{Format: "md"}, text(w.Download("Markdown"))),
			button("btn-small", app.Export{Format: "json"}, text(w.Download("JSON"))))
		if m.Report.At != m.Timeline.Step {
			row.add(span("tag tag-wait", w.ReportStale(m.Report.At)))
		}
	}
	body := el("p", class("muted"), text(w.ReportNone()))
	if m.Report.Markdown != "" {
		row.add(el("span", class("muted"), text(w.ReportCopy())))
		body = p.memo("report", m.Report.Markdown, func() *Node { return markdown(m.Report.Markdown) })
	}
	return el("div", class("drawer-body"), testid("report"), attr("tabindex", "0"), attr("role", "region"), label(w.Report()), row, body)
}
