package view

import (
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/web/app"
)

func (p *page) header() *Node {
	return el("header", class("head"),
		p.memo("brand", nil, func() *Node {
			return el("div", class("brand"), icon("loop"), el("h1", class("brand"), span("", p.w.Title())))
		}),
		p.scenario(),
		el("div", class("transport"), attr("role", "group"), label(p.w.Steps()), p.transport(), p.nextMenu()),
		el("div", class("acts"), p.clock(), p.crash()),
		p.tools(),
	)
}

func (p *page) tools() *Node {
	type inputs struct {
		theme string
		open  bool
	}
	return p.memo("tools", inputs{p.m.Prefs.Theme, p.m.Menu == "export"}, func() *Node {
		return el("div", class("tools"),
			button("btn-quiet btn-icon", app.OpenShare{}, attr("id", "share"), testid("share"), attr("title", p.w.ShareHint()), label(p.w.Share()), icon("share")), p.exportMenu(),
			button("btn-quiet btn-icon", app.ToggleTheme{}, label(p.w.Theme(p.m.Prefs.Theme)), attr("title", p.w.Theme(p.m.Prefs.Theme)), icon("theme")),
			button("btn-quiet btn-icon", app.OpenHelp{}, attr("id", "help"), label(p.w.Help()), attr("title", p.w.Help()), text("?")),
		)
	})
}

func (p *page) scenario() *Node {
	type inputs struct {
		library     *scenario.Head
		name, title string
	}
	s := &p.m.Scenario
	in := inputs{nil, s.Name, s.Title}
	if len(s.Library) > 0 {
		in.library = &s.Library[0]
	}
	return p.memo("scenario", in, p.makeScenario)
}

func (p *page) makeScenario() *Node {
	m := p.m
	list := el("select", class("btn scenario"), testid("scenario"), label(p.w.Scenario()), Handler{"change", app.PickScenario{}})
	option := func(to *Node, name, title string) {
		to.add(el("option", attr("value", name), present("selected", name == m.Scenario.Name), text(title)))
	}
	known := false
	for _, kind := range m.Kinds() {
		to := list
		if len(m.Kinds()) > 1 {
			to = el("optgroup", attr("label", p.w.ScenarioKind(kind)))
			list.add(to)
		}
		for _, s := range m.LibraryOf(kind) {
			known = known || s.Name == m.Scenario.Name
			option(to, s.Name, p.titleOf(s))
		}
	}
	if !known {
		option(list, m.Scenario.Name, m.Scenario.Title)
	}
	list.add(attr(".value", m.Scenario.Name))
	return el("div", class("pick"), list, button("btn-quiet btn-icon", app.OpenLibrary{}, attr("id", "library"), testid("library"),
		label(p.w.Library()), attr("title", p.w.Library()), icon("book")))
}

func (p *page) transport() *Node {
	type inputs struct {
		nothing, running, playing, start, open bool
		prefs                                  app.Prefs
	}
	m := p.m
	opening := m.Opening() != ""
	in := inputs{len(m.Enabled.Items) == 0 || opening, m.Running, m.Playing, m.Timeline.Step == 0 || opening, m.Menu == "play", m.Prefs}
	return p.memo("transport", in, func() *Node { return p.makeTransport(in.nothing, in.start) })
}

func (p *page) makeTransport(nothing, start bool) *Node {
	m, w := p.m, p.w
	run := button("", app.Run{}, testid("run"), attr("title", w.RunHint()), off(nothing), text(w.Run()), kbd("r"))
	if m.Running {
		run = button("", app.Stop{}, testid("run"), attr("title", w.Stop()), text(w.Stop()), kbd("esc"))
	}
	playing := pick(m.Playing, w.Pause(), w.Play())
	return el("div", class("seg"),
		button("", app.Back{}, testid("back"), attr("title", w.BackHint()), off(start), text(w.Back()), kbd("b")),
		button("btn-main", app.Step{}, testid("step"), attr("id", "step"), attr("title", w.StepHint()), off(nothing), text(w.Step()), kbd("s")),
		button("", app.StepCall{}, testid("step-call"), attr("title", w.CallHint()), off(nothing), text(w.Call()), kbd("c")),
		run,
		button("btn-icon", app.Play{}, state("aria-pressed", m.Playing), label(playing), attr("title", playing), icon(pick(m.Playing, "pause", "play"))),
		p.playMenu(),
	)
}

// nextMenu lists everything that can happen next, to be picked in any order.
func (p *page) nextMenu() *Node {
	return p.menu("next", p.w.Pick(), "", func() []*Node {
		list := []*Node{el("p", class("muted"), text(p.w.PickNote(p.m.Enabled.Total)))}
		for _, item := range p.m.Enabled.Items {
			list = append(list, button("mono", app.Step{Action: item.Action}, attr("data-action", item.Action),
				span("what", p.w.ActionName(item.Action)), when(item.Detail+item.Reason != "", func() *Node { return span("muted", item.Detail+p.w.Collects(item.Reason)) }),
				when(item.Default, func() *Node { return span("tag tag-accent", p.w.TakenByStep()) })))
		}
		return list
	}, attr("title", p.w.PickHint()))
}

func (p *page) clock() *Node {
	w := p.w
	return p.menu("clock", w.ClockAt(p.m.Clock.Since), "clock", func() []*Node {
		var list []*Node
		if d, ok := p.m.UntilNext(); ok {
			list = append(list, button("", app.Advance{By: d}, text(w.AdvanceToNext(d)), kbd("t")))
		}
		for _, d := range []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute} {
			list = append(list, button("", app.Advance{By: d}, text(w.Advance(d))))
		}
		return append(list, el("p", class("muted"), text(w.AdvanceNote(p.m.Clock.Now))))
	}, testid("clock"), attr("title", w.Clock()), attr("data-value", p.m.Clock.Now))
}

func (p *page) crash() *Node {
	if p.m.Controller == "crashed" {
		return button("btn-main", app.Restart{}, key("restart"), testid("restart"), attr("title", p.w.RestartHint()), text(p.w.Restart()), kbd("k"))
	}
	return button("btn-danger", app.Crash{}, key("crash"), testid("crash"), attr("title", p.w.CrashHint()), text(p.w.Crash()), kbd("k"))
}

func (p *page) exportMenu() *Node {
	w := p.w
	return p.menu("export", w.Export(), "btn-quiet", func() []*Node {
		return []*Node{
			button("", app.Export{Format: "html"}, text(w.ExportReport("HTML"))),
			button("", app.Export{Format: "md"}, text(w.ExportReport("Markdown"))),
			button("", app.Export{Format: "json"}, text(w.ExportReport("JSON"))),
			el("hr"),
			button("", app.Export{Format: "cluster"}, text(w.ExportCluster())),
			button("", app.Import{}, text(w.ImportCluster())),
			el("hr"),
			button("btn-danger", app.Reset{}, text(w.ResetCluster())),
		}
	}, testid("export"))
}

// banners are what stays said until it is dealt with.
func (p *page) banners() *Node {
	m, w := p.m, p.w
	box := el("div", class("banners"), attr("role", "status"))
	add := func(n *Node) { box.add(n) }
	if m.Engine != "" {
		add(el("div", class("banner banner-fault"), key("engine"), span("grow", w.EngineState(m.Engine)),
			button("btn-small", app.BootAct{Act: "restart"}, text(w.RestartEngine()))))
	}
	if s := m.Storage; s.State != "" && s.State != "saved" {
		n := el("div", class("banner"), key("storage"), span("grow", w.StorageWhy(s.State, s.Reason, s.Detail)))
		if s.State == "foreign-tab" {
			n.add(button("btn-small", app.TakeOver{}, text(w.TakeOver())))
		}
		n.add(button("btn-small", app.Export{Format: "cluster"}, text(w.ExportCluster())))
		if s.Reason == "Corrupted" || s.Reason == "NewerFormat" {
			n.add(button("btn-small", app.BootAct{Act: "export"}, text(w.ExportStored())),
				button("btn-small btn-danger", app.BootAct{Act: "reset"}, text(w.ResetStored())))
		}
		add(n)
	}
	for _, n := range m.Notices {
		add(el("div", class("banner banner-info"), key("notice-"+n.Code), span("grow", w.Notice(n.Code, n.Detail, n.N)),
			when(n.Code == "branch-kept" && m.LeftBranch(), func() *Node {
				return button("btn-small", app.OldBranch{}, attr("id", "old-branch"), testid("old-branch"), text(w.OldBranch()), kbd("u"))
			}),
			when(n.Code == "scripts-loading", func() *Node {
				return el("progress", attr("max", "100"), attr(".value", itoa(n.N)), label(w.Notice(n.Code, "", n.N)))
			}),
			button("btn-small btn-icon btn-quiet", app.DropNotice{Code: n.Code}, label(w.Dismiss()), icon("close"))))
	}
	if m.UpdateWaits {
		add(el("div", class("banner banner-info"), key("update"), span("grow", w.NewVersion()),
			button("btn-small", app.BootAct{Act: "update"}, text(w.UseNewVersion()))))
	}
	return box
}

// guide is the bar that says what to do next.
func (p *page) guide() *Node {
	g, w := p.m.Guide(), p.w
	head := el("div", class("guide-label"))
	if g.Tour > 0 {
		dots := el("ol", class("dots"), attr("aria-hidden", "true"))
		for i := 1; i <= app.TourSteps; i++ {
			dots.add(el("li", class(pick(i < g.Tour, "done", pick(i == g.Tour, "now", "")))))
		}
		head.add(dots, span("", w.TourStep(min(g.Tour, app.TourSteps), app.TourSteps, g.Part, g.Parts)))
	} else {
		head.add(span("", w.Next()))
	}
	n := el("section", class(join("guide", pick(g.Good, "guide-ok", pick(g.Bad, "guide-bad", "")))), label(w.GuideLabel()), testid("guide"), attr("data-tour", strconv.Itoa(g.Tour)), head,
		el("p", class("guide-text"), el("strong", text(pick(g.Bad, "✗ ", "")+g.Title)), text(" "+g.Text)))
	if g.Button != "" {
		n.add(button("btn-main", g.Do, attr("id", "guide-do"), testid("guide-do"), text(g.Button), kbd(g.Key)))
	}
	if g.Second != "" {
		n.add(button("btn-quiet", g.SecondDo, text(g.Second)))
	}
	if g.Close != nil {
		n.add(button("btn-quiet btn-icon", g.Close, label(w.Dismiss()), attr("title", w.Dismiss()), icon("close")))
	}
	if g.Tour > 0 && g.Tour <= app.TourSteps {
		n.add(button("btn-quiet", app.LeaveTour{}, text(w.LeaveTour())))
	}
	return n
}
