package view

import (
	"strconv"

	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// playMenu picks how fast play goes, what ends it, and whether steps are
// predicted first.
func (p *page) playMenu() *Node {
	w, m := p.w, p.m
	now := m.Prefs.Speed
	if now <= 0 {
		now = 1
	}
	option := func(on bool, msg app.Msg, name string) *Node {
		return button("option", msg, state("aria-pressed", on), text(name))
	}
	return p.menu("play", w.SpeedOf(now), "speed", func() []*Node {
		row := el("div", class("row"))
		for _, s := range app.Speeds {
			row.add(option(s == now, app.SetSpeed{Value: strconv.FormatFloat(s, 'g', -1, 64)}, w.SpeedOf(s)))
		}
		list := []*Node{el("p", class("muted"), text(w.Speed())), row, el("p", class("muted"), text(w.PlayUntil()))}
		for _, u := range app.Untils {
			list = append(list, option(m.Prefs.Until == u, app.SetUntil{Until: u}, w.UntilName(string(u))))
		}
		return append(list, el("hr"), option(m.Prefs.Predict, app.TogglePredict{}, w.Predict()))
	}, attr("title", w.Speed()))
}

// predict is the sheet that asks what will happen.
func (p *page) predict() *Node {
	w, q := p.w, p.m.Question
	row := el("div", class("answers"))
	for i, a := range q.Answers {
		row.add(button("", app.Predicted{Answer: a}, attr("id", "predict-"+itoa(i)), attr("data-answer", a), text(w.Answer(q.Kind, a))))
	}
	return dialog("sheet-narrow", w.PredictTitle(q.Kind),
		el("p", class("mono"), text(q.Action.Action+" "+q.Action.Detail)), row,
		el("div", class("row"), span("muted grow", w.ScoreOf(p.m.Score.Right, p.m.Score.Asked)),
			button("", app.CloseAll{}, text(pick(p.m.GoesOn(), w.Stop(), w.Cancel())), kbd("esc")), button("btn-quiet", app.SkipQuestion{}, text(w.SkipQuestion()))))
}

// plots is the tab of the plots; web/dom draws into the element with the id
// "plots", and beside it stands the same in words.
func (p *page) plots() *Node {
	w, m := p.w, p.m
	words := el("div", class("plot-words"), attr("tabindex", "0"), attr("role", "region"), label(w.PlotsInWords()))
	if d := m.Plots; d != nil && len(d.T) > 0 {
		n := len(d.T) - 1
		peak := 0
		for _, depth := range d.Depth {
			peak = max(peak, depth)
		}
		list := el("ul", class("md-list"), el("li", text(w.PlotQueue(peak, d.Waiting[n]))), el("li", text(w.PlotWrites(d.Effective[n], d.NoOp[n]))))
		for _, total := range d.Totals {
			list.add(el("li", text(w.PlotPasses(total.Key, total.Passes))))
		}
		list.add(el("li", text(w.PlotBackoff(len(d.Backoff), longest(d.Backoff)))))
		words.add(list)
	} else {
		words.add(el("p", class("muted"), text(w.NothingYet())))
	}
	return el("div", class("drawer-body plots-body"), testid("plots"), el("div", attr("id", "plots"), key("plots"), class("plots"), attr("aria-hidden", "true")), words)
}

func longest(points []engine.BackoffPoint) float64 {
	out := 0.0
	for _, b := range points {
		out = max(out, b.Delay)
	}
	return out
}

// cures are the switches of a scenario that has some.
func (p *page) cures() *Node {
	w, s := p.w, p.m.Scenario
	if len(s.Cures) == 0 {
		return nil
	}
	box := el("div", class("cures"), attr("role", "group"), label(w.CuresTitle()), el("h3", text(w.CuresTitle())))
	add := func(name, title, says string) {
		box.add(button("btn-small", app.SwitchCure{Name: name}, attr("data-cure", name), state("aria-pressed", s.Cure == name), text(title)))
		if says != "" {
			box.add(el("p", class("muted"), text(says)))
		}
	}
	add("", w.NoCure(), "")
	for _, c := range s.Cures {
		add(c.Name, c.Title, c.Says)
	}
	return box
}
