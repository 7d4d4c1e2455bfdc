package view

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
	"github.com/reconcile-playground/reconcile/web/app"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// maxChips is how many things a place shows; more are counted.
const maxChips = 6

// lastCalls is how many calls of a pass its place shows.
const lastCalls = 3

// chip is one thing in a place of the loop. With an action it can be clicked
// to happen next.
type chip struct {
	// key tells apart those whose place in the list is not what they are about: one
	// that no act is about takes the element of whatever stood in its place.
	key string
	// ns, name and kind are the thing's name; ns and kind give way first.
	ns, name, kind string
	// sign is a glyph, said the word that it stands for.
	sign, said string
	note       string
	classes    string
	action     string
	// waits says that it could happen, were a worker free: it stays a button that
	// does nothing meanwhile.
	waits bool
	title string
	// item is the class of the item of the list.
	item string
}

// chip draws a chip of a place in a room of so many pixels.
func (p *page) chip(place string, c chip, room float64) *Node {
	type inputs struct {
		chip         chip
		first        bool
		room, letter float64
	}
	in := inputs{c, c.action != "" && c.action == p.first, room, p.m.Letter}
	return p.memo("chip "+place+" "+c.key, in, func() *Node { return p.makeChip(c, room) })
}

func (p *page) makeChip(c chip, room float64) *Node {
	name, all := c.needs(p.m.Letter)
	cut := pick(room > 0 && name <= room, "", "cut")
	if c.kind != "" && c.sign != "" && room > 0 && all > room {
		// A kind that has no room is said with the sign.
		c.said, c.kind, all = join(c.said, c.kind), "", name
	}
	button := c.action != "" || c.waits
	tag := pick(button, "button", "div")
	box := el(tag, class(p.chipClasses(c)), maybe("title", c.title))
	if button {
		// Its name says what is not shown as a text, too. What is shown is part of it:
		// the sign is the style's to show, and spaces are between the others there, too.
		can := ""
		if c.action != "" {
			can = p.w.CanHappen(c.action == p.first)
		}
		box.add(attr("type", "button"), label(join(c.said, pick(c.ns != "", c.ns+"/", "")+c.name, c.kind, c.note, can)), off(c.waits))
		if c.action != "" {
			box.add(attr("data-action", c.action), onClick(app.Step{Action: c.action}))
		}
	}
	switch {
	case c.sign == "":
	case c.said == "" || button:
		box.add(el("span", class("sign"), attr("data-sign", c.sign), attr("aria-hidden", "true")))
	default:
		box.add(el("span", class("sign"), attr("data-sign", c.sign), attr("role", "img"), label(c.said)))
	}
	what := el("span", class(join(pick(c.kind == "", "what", ""), "full", cut)))
	switch {
	case c.ns == "":
	case c.ns != "default":
		what.add(span("ns", c.ns+"/"))
	case !button:
		// The namespace that nearly everything is in is said, not shown.
		what.add(span("sr", "default/"))
	}
	what.add(text(c.name))
	if c.kind != "" {
		what = el("span", class(join("what", pick(room > 0 && all <= room, "", "cut"))), what, span("kind", " "+c.kind))
	}
	box.add(what)
	if c.note != "" {
		box.add(span(join("note", pick(len(c.note) > 8, cut, "")), " "+c.note))
	}
	return el("li", key(c.key), maybe("class", c.item), box)
}

func (p *page) chipClasses(c chip) string {
	return join("chip", pick(c.action != "", "can", ""), pick(c.action != "" && c.action == p.first, "first", ""), c.classes)
}

// place is one station of the loop.
type place struct {
	id, testid, title, note, why string
	chips                        []chip
	// more is how many things are not shown, earlier how many calls came before
	// the first that is.
	more, earlier int
	empty         string
	classes       string
}

func (p *page) place(s place) *Node {
	live := false
	list := el("ul", label(s.title))
	room := p.chipRoom(s.id)
	p.earlierCalls(list, s)
	for i, c := range s.chips {
		if i == maxChips {
			s.more += len(s.chips) - i
			break
		}
		live = live || c.action != "" && c.action == p.first
		list.add(p.chip(s.id, c, room))
	}
	if s.more > 0 {
		list.add(el("li", el("div", class("chip ghost"), text(p.w.More(s.more)))))
	}
	if len(s.chips) == 0 {
		list.add(el("li", el("div", class("chip ghost"), text(s.empty))))
	}
	p.below(list, s)
	if len(list.Kids) > 2 || s.id == "cloud" && len(s.chips) > 0 {
		list.add(attr("tabindex", "0"))
	}
	return el("section", class(join("place p-"+s.id, s.classes, pick(live, "live", ""), pick(p.m.Why == s.id, "asked", ""))), testid(s.testid), maybe("id", pick(live, "place-live", "")), label(s.title),
		el("div", class("place-head"), el("h3", text(s.title)), whole("muted", s.note), p.why(s.id, s.title, s.why)), list)
}

// below says how many things lie below the edge of a place that shows two or,
// in a high window, three: the style shows one of both while they do.
func (p *page) below(list *Node, s place) {
	if s.id == "work" || s.id == "cloud" {
		return
	}
	n := len(s.chips)
	if s.more > 0 {
		n = min(n, maxChips) + s.more
	}
	for rows := 2; rows <= 3; rows++ {
		if n > rows {
			list.add(el("li", class("below rows-"+itoa(rows)), key("below-"+itoa(rows)), attr("aria-hidden", "true"),
				el("div", class("chip ghost"), text(p.w.More(n-rows+1)))))
		}
	}
}

// earlierCalls says how many calls of the pass came before those in sight.
// Where a place shows two things only, the third last is not among them.
func (p *page) earlierCalls(list *Node, s place) {
	if s.id != "work" {
		return
	}
	add := func(classes string, n int) {
		if n > 0 {
			list.add(el("li", class(classes), key(classes), el("div", class("chip ghost"), text(p.w.Earlier(n)))))
		}
	}
	if len(s.chips) > 0 && s.chips[0].item != "" {
		add("early-2", s.earlier+1)
	} else {
		add("early-2", s.earlier)
	}
	add("early-3", s.earlier)
}

func (p *page) arrow(classes, words string) *Node {
	return p.memo("arrow "+classes, words, func() *Node {
		return el("div", class("arrow "+classes), attr("aria-hidden", "true"), el("i"), span("", words))
	})
}

func (p *page) pipe() *Node {
	w, m := p.w, p.m
	writes := pick(m.Scenario.Reads == "live", w.ArrowReadsAndWrites(), w.ArrowWrites())
	return el("section", class("panel pipe"), label(w.LoopTitle()),
		el("div", class("panel-head"), el("h2", text(w.LoopTitle())), whole("muted", w.LoopNote()),
			beside("fidelity.html", w.FidelityShort(), class("aside"), attr("title", w.FidelityLink())),
			p.faultMenu(),
			span("tag tag-accent", pick(m.Scenario.Reads == "live", w.ReadsLive(), w.ReadsCache())),
			span(join("tag", pick(m.Controller == "crashed", "tag-fault", "tag-ok")), w.ControllerState(m.Controller != "crashed"))),
		el("div", class("pipe-grid"),
			p.place(p.server()), p.arrow("a-w1", w.ArrowWatch()), p.place(p.wire()), p.arrow("a-w2", w.ArrowDeliver()), p.place(p.cache()),
			p.arrow("a-down down", w.ArrowKey()), p.place(p.queue()), p.arrow("a-take left", w.ArrowTake()), p.place(p.worker()),
			p.arrow("a-up up", writes), p.arrow("a-out down", w.ArrowCloud()), p.place(p.cloud()),
		))
}

// change is the sign and the word of a change.
func change(typ string) (sign, said string) {
	switch typ {
	case "ADDED", "created":
		return "+", typ
	case "DELETED", "deleted":
		return "−", typ
	}
	return "±", typ
}

// taken are the actions that a place's own things stand for.
func (p *page) others(taken map[string]bool, places ...string) []chip {
	var chips []chip
	for _, item := range p.m.Enabled.Items {
		for _, at := range places {
			if item.Place == at && !taken[item.Action] {
				verb, _, _ := strings.Cut(item.Action, " ")
				chips = append(chips, chip{key: "do-" + item.Action, name: verb + " " + item.Target, sign: "▸", note: item.Detail + p.w.Collects(item.Reason), action: item.Action, title: item.Action})
			}
		}
	}
	return chips
}

func (p *page) server() place {
	s := place{id: "api", testid: "server", title: p.w.APIServer(), note: p.w.AtRevision(p.m.Revision), why: p.w.APIServerWhy(), empty: p.w.NothingHere()}
	s.chips = append(p.others(nil, "server"), p.manager()...)
	for _, e := range p.m.Objects.Changed() {
		if len(s.chips) >= maxChips {
			s.more++
			continue
		}
		c := freshChip(e)
		c.key = "fresh-" + itoa(len(s.chips))
		s.chips = append(s.chips, c)
	}
	for _, k := range p.m.Objects.Count().Kinds {
		s.chips = append(s.chips, chip{key: "kind-" + k.Kind, name: k.Kind, note: itoa(k.N)})
	}
	return s
}

// manager are what the controller manager could do next at the server: its sign tells them from what the server does.
func (p *page) manager() []chip {
	var chips []chip
	for _, item := range p.m.Enabled.Items {
		a, err := sim.ParseAction(item.Action)
		if item.Place != "collector" || err != nil || len(a.Args) == 0 {
			continue
		}
		// The last word is what it is about, the one before how.
		words := append([]string{a.Verb}, a.Args...)
		c := chip{key: "do-" + item.Action, name: words[len(words)-1], sign: "⚙", said: p.w.ControllerManager(), note: words[len(words)-2], action: item.Action,
			title: p.w.ControllerManager() + ": " + item.Action}
		if ref, ok := object.ParseRef(c.name); ok && a.Verb == "gc" {
			c.ns, c.name, c.kind = ref.Namespace, ref.Name, ref.Kind
		}
		chips = append(chips, c)
	}
	return chips
}

// freshChip is an object that has just changed.
func freshChip(e *app.Entry) chip {
	c := chip{ns: e.Namespace, name: e.Name, kind: e.Kind, note: e.Server.ResourceVersion(), classes: "fresh", title: e.Key}
	switch {
	case e.Gone():
		c.sign, c.said = change("deleted")
	case e.Before.IsZero():
		c.sign, c.said = change("created")
	default:
		c.sign, c.said = change("updated")
	}
	return c
}

func (p *page) wire() place {
	wire := p.m.Wire
	s := place{id: "wire", testid: "wire", title: p.w.Watch(), note: p.w.OnTheWire(wire.Total), why: p.w.WatchWhy(), empty: p.w.NothingOnWire(), more: wire.Total - len(wire.Items)}
	taken := map[string]bool{}
	for _, item := range wire.Items {
		ref, _ := object.ParseRef(item.Ref)
		c := chip{key: item.Process + " " + item.Resource + item.Ref + item.ResourceVersion + item.Type, ns: ref.Namespace, name: ref.Name, kind: ref.Kind, note: item.ResourceVersion, action: item.Action, title: item.Type + " " + item.Ref}
		c.sign, c.said = change(item.Type)
		if p.m.Several() {
			c.kind = join(c.kind, "→ "+item.Process)
		}
		if c.name == "" {
			c.name = item.Ref
		}
		taken[item.Action] = true
		s.chips = append(s.chips, c)
	}
	s.chips = append(p.others(taken, "wire"), s.chips...)
	return s
}

func (p *page) cache() place {
	s := place{id: "cache", testid: "cache", title: p.w.InformerCache(), why: p.w.InformerCacheWhy(), empty: p.w.NothingHere()}
	taken := map[string]bool{}
	behind, rv := 0, ""
	for _, c := range p.m.Caches {
		behind += c.Behind
		if len(c.ResourceVersion) > len(rv) || len(c.ResourceVersion) == len(rv) && c.ResourceVersion > rv {
			rv = c.ResourceVersion
		}
		if c.Action != "" {
			taken[c.Action] = true
			s.chips = append(s.chips, chip{key: "list-" + c.Process + c.Resource, name: "LIST " + c.Kind, sign: "▸", note: p.w.NotSynced(), action: c.Action, title: c.Action})
		}
	}
	if p.m.Controller == "crashed" {
		rv = ""
	}
	s.note = p.w.CacheAt(rv, behind)
	count := p.m.Objects.Count()
	for _, e := range count.Behind {
		if len(s.chips) >= maxChips {
			s.more++
			continue
		}
		c := p.behindChip(e)
		c.key = "behind-" + itoa(len(s.chips))
		s.chips = append(s.chips, c)
	}
	if count.Same > 0 {
		s.chips = append(s.chips, chip{key: "same", name: p.w.CacheSame(count.Same), sign: "✓", classes: "good"})
	}
	s.chips = append(p.others(taken, "cache"), s.chips...)
	return s
}

// behindChip is an object that the cache has otherwise than the server.
func (p *page) behindChip(e *app.Entry) chip {
	c := chip{ns: e.Namespace, name: e.Name, kind: e.Kind, sign: "≠", classes: "behind", title: e.Key}
	switch {
	case e.Cache.IsZero():
		c.note = p.w.CacheMissing()
	case e.Gone():
		c.note = p.w.CacheGone()
	default:
		c.note = p.w.CacheBehind(e.Cache.ResourceVersion())
	}
	return c
}

func (p *page) queue() place {
	q := p.m.Queue
	s := place{id: "queue", testid: "queue", title: p.w.WorkQueue(), why: p.w.WorkQueueWhy(), empty: p.w.NothingHere(), more: q.Total - len(q.Items)}
	taken := map[string]bool{}
	tick, hasTick := p.m.ActionAt("clock", "")
	later := 0
	for _, item := range q.Items {
		action := item.Action
		if !item.Ready {
			later++
			if hasTick && later == 1 {
				action, taken[tick.Action] = tick.Action, true
			}
		}
		if len(s.chips) >= maxChips {
			s.more++
			continue
		}
		s.chips = append(s.chips, p.queueChip(item, action))
	}
	for _, held := range q.Processing {
		k := object.ParseKey(held)
		s.chips = append(s.chips, chip{key: "held-" + held, ns: k.Namespace, name: k.Name, sign: "⟳", note: p.w.QueueProcessing(), classes: "ghosted"})
	}
	// Those in hand are listed with those that wait, so they count.
	s.note = p.w.QueueCounts(q.Total + len(q.Processing))
	// What else stands in the queue is told with its key, or counted.
	s.chips = append(s.chips, p.others(taken, "clock")...)
	return s
}

func (p *page) queueChip(item engine.QueueItem, action string) chip {
	k := object.ParseKey(item.Key)
	c := chip{key: item.Process + item.Key + pick(item.Ready, "", " later"), ns: k.Namespace, name: k.Name, kind: pick(p.m.Several(), item.Process, ""), action: action, waits: item.Ready && action == "", title: whyText(item)}
	c.sign, c.note = "▸", p.w.QueueReady()
	if !item.Ready {
		c.sign, c.note = "◷", p.w.In(item.Due-p.m.Clock.Since)
	}
	if p.m.Queue.Priorities {
		c.note = join(p.w.Priority(item.Priority)+",", c.note)
	}
	if item.Failures > 0 {
		c.sign, c.note, c.classes = "!", p.w.QueueFailed(item.Failures, c.note), "bad"
	}
	return c
}

// whyText says why a key is in the queue.
func whyText(item engine.QueueItem) string {
	texts := []string{item.Key}
	for _, why := range item.Why {
		texts = append(texts, why.Text)
	}
	return strings.Join(texts, "\n")
}

func (p *page) worker() place {
	m, w := p.m, p.w
	s := place{id: "work", testid: "worker", title: w.Reconciler(), note: w.Idle(""), why: w.ReconcilerWhy(), empty: w.NothingHere()}
	taken := map[string]bool{}
	if m.Controller == "crashed" {
		s.note, s.classes = w.Down(), "down"
		s.chips = p.others(nil, "process", "worker")
		return s
	}
	if m.Pass != nil {
		acting := m.Acting()
		s.note = w.Idle(m.Pass.Key)
		call := engine.EnabledItem{}
		if acting {
			s.note = w.WorkerOn(m.Pass.Key, len(m.Pass.Calls))
			call, _ = m.ActionAt("worker", m.Pass.Key)
		}
		// The newest calls are the ones to see; the rest is counted.
		s.earlier = max(0, len(m.Pass.Calls)-lastCalls)
		for i, c := range m.Pass.Calls[s.earlier:] {
			k := p.callChip(s.earlier+i, c, call.Action, taken)
			k.classes = join(k.classes, pick(acting, "", "past"))
			s.chips = append(s.chips, k)
		}
		if len(s.chips) == lastCalls {
			s.chips[0].item = "third"
		}
	}
	s.chips = append(s.chips, p.others(taken, "worker")...)
	return s
}

func (p *page) callChip(i int, c sim.Call, action string, taken map[string]bool) chip {
	ref := c.Ref
	if r, ok := object.ParseRef(ref); ok && r.Name != "" {
		ref = r.Kind + "/" + r.Name
	}
	out := chip{key: "call-" + itoa(i), name: c.Verb + " " + ref, title: c.Verb + " " + c.Ref + " " + c.Line}
	if c.Subresource != "" {
		out.kind = c.Subresource
	}
	if c.From == "cloud" && !strings.HasPrefix(out.name, "cloud") {
		out.name = "cloud " + c.Verb + " " + c.Ref
	}
	if c.Outcome == "" {
		out.sign, out.note, out.action = "▸", p.w.InFlight(), action
		taken[action] = true
		return out
	}
	out.sign, out.classes = "✓", "good"
	switch c.Outcome {
	case sim.Conflict, sim.Refused, sim.NotSent, sim.LostReply, sim.LandedThenDied, sim.Failed:
		out.sign, out.classes = outcomeSign(c.Outcome), "bad"
	case sim.Absent:
		out.sign, out.classes = "∅", ""
	}
	out.note = p.w.Outcome(string(c.Outcome))
	if c.Outcome == sim.Found {
		out.note = pick(c.From == "cloud", "", c.After)
	}
	return out
}

func (p *page) cloud() place {
	s := place{id: "cloud", testid: "cloud", title: p.w.Cloud(), note: p.w.OutsideTheCluster(), why: p.w.CloudWhy(), empty: p.w.NothingHere(),
		more: p.m.Cloud.Total - len(p.m.Cloud.Items)}
	for _, item := range p.m.Cloud.Items {
		c := chip{key: item.ID, name: item.ID, kind: tags(item.Tags), title: item.Type + " " + item.Name + " " + item.Address}
		if p.m.Orphan(item) {
			c.sign, c.note, c.classes = "⚠", p.w.CloudOrphan(p.m.Scenario.Watched), "bad"
		}
		s.chips = append(s.chips, c)
	}
	return s
}
