package view

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

func itoa(n int) string { return strconv.Itoa(n) }

func tags(t map[string]string) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(t)) {
		out = append(out, k+"="+t[k])
	}
	return strings.Join(out, " ")
}

// beat is one of the six questions with its answer.
type beat struct {
	id, title, why string
	// answer is nil while nothing is known.
	answer  []*Node
	unknown string
	now     bool
}

func (p *page) pass() *Node {
	type inputs struct {
		pass   *sim.Pass
		acting bool
		why    string
	}
	in := inputs{p.m.Pass, p.m.Acting(), ""}
	if strings.HasPrefix(p.m.Why, "beat-") {
		in.why = p.m.Why
	}
	return p.memo("pass", in, p.makePass)
}

func (p *page) makePass() *Node {
	w, ps := p.w, p.m.Pass
	title, key, note := w.PassTitle(), "", w.PassNone()
	if ps != nil {
		key = ps.Key
		note = w.PassEnded(ps.ID)
		if !p.m.Acting() {
			title = w.PassLast()
		} else if n := len(ps.Calls); n > 0 && ps.Calls[n-1].Outcome == "" {
			note = w.PassWaiting(n, ps.Calls[n-1].Verb+" "+ps.Calls[n-1].Ref, ps.Calls[n-1].Line)
		}
	}
	list := el("div", class("beats"))
	for i, b := range p.beats() {
		list.add(p.beat(i+1, b))
	}
	return el("section", class("panel pass"), label(title), testid("pass"),
		el("div", class("panel-head"), el("h2", text(title)), el("span", class("mono cut"), maybe("title", key), text(key)), el("span", class("muted grow end"), maybe("title", note), text(note))), list)
}

// longBeat is how many lines of an answer are always shown whole; of more it is
// scrolled where there is no room for all.
const longBeat = 2

func (p *page) beat(n int, b beat) *Node {
	known, long := b.answer != nil, len(b.answer) > longBeat
	body := el("div", class(join("beat-body", pick(long, "beat-long", ""))))
	switch {
	case long:
		body.add(attr("tabindex", "0"), attr("role", "group"), label(b.title), el("div", class("lines"), group(b.answer)))
	case known:
		body.Kids = b.answer
	default:
		body.Kids = []*Node{{Text: b.unknown}}
	}
	return el("section", class(join("beat", pick(known, "", "unknown"), pick(b.now, "now", ""), pick(long, "long", ""))), testid("beat-"+b.id), maybe("id", pick(b.now, "beat-now", "")), label(b.title),
		el("span", class("beat-n"), attr("aria-hidden", "true"), text(itoa(n))),
		el("div", class("beat-head"), el("h3", text(b.title)), p.why("beat-"+b.id, b.title, b.why)), body)
}

func (p *page) beats() []beat {
	w, ps := p.w, p.m.Pass
	if ps == nil {
		ps = &sim.Pass{}
	}
	acting := p.m.Acting()
	unread, undecided, unreported := w.NotReadYet(), w.NotDecidedYet(), w.NotReportedYet()
	uncompared := w.NotComparedYet()
	if ps.Died {
		unread, uncompared, undecided, unreported = w.NotReached(), w.NotReached(), w.NotReached(), w.NotReached()
	}
	list := []beat{
		{id: "desired", title: w.Desired(), why: w.DesiredWhy(), answer: p.desired(ps), unknown: unread},
		{id: "observed", title: w.Observed(), why: w.ObservedWhy(), answer: p.observed(ps), unknown: unread},
		{id: "diff", title: w.Difference(), why: w.DifferenceWhy(), answer: p.difference(ps), unknown: uncompared},
		{id: "action", title: w.Action(), why: w.ActionWhy(), answer: p.action(ps), unknown: undecided},
		{id: "requeue", title: w.Requeue(), why: w.RequeueWhy(), answer: p.requeue(ps), unknown: undecided},
		{id: "status", title: w.Status(), why: w.StatusWhy(), answer: p.status(ps), unknown: unreported},
	}
	if acting && len(ps.Calls) > 0 {
		list[beatOf(ps)].now = true
	}
	return list
}

// beatOf is which question the call in flight belongs to.
func beatOf(ps *sim.Pass) int {
	c := ps.Calls[len(ps.Calls)-1]
	switch {
	case c.Subresource == "status" && c.Verb != "get":
		return 5
	case c.Verb == "get" || c.Verb == "list":
		if ps.Desired == nil {
			return 0
		}
		return 1
	}
	return 3
}

// finished reports whether a pass has come to its own end: what it has not done
// by then it had no need to do.
func finished(ps *sim.Pass) bool { return ps.EndEvent > 0 && !ps.Died }

func kv(k, v string) *Node { return el("span", class("kv"), span("k", k), text(v)) }

// desired shows the fields of spec of the object that was read.
func (p *page) desired(ps *sim.Pass) []*Node {
	d := ps.Desired
	if d == nil {
		return nil
	}
	if d.Absent {
		return []*Node{span("", p.w.Missing(d.Ref))}
	}
	box := el("div", class("mono beat-list"))
	for k, v := range d.Object.Map("spec").All() {
		box.add(kv(k, inline(v)))
	}
	if d.Object.Terminating() {
		box.add(span("tag tag-wait", p.w.Terminating()))
	}
	box.add(span("k", p.w.ReadFrom(d.From, d.ResourceVersion)))
	return []*Node{box}
}

func (p *page) observed(ps *sim.Pass) []*Node {
	if len(ps.Observed) == 0 {
		if finished(ps) {
			return []*Node{span("", p.w.ReadNothing())}
		}
		return nil
	}
	box := el("div", class("mono beat-list"))
	for _, r := range ps.Observed {
		if r.Absent {
			box.add(span("", p.w.Missing(shortRef(r.Ref))))
			continue
		}
		n := el("span", class("kv"), text(shortRef(r.Ref)))
		switch {
		case r.ResourceVersion != "":
			n.add(span("k", r.ResourceVersion))
		case r.From == "cloud":
			n.add(span("k", r.Object.Str("address")))
		}
		box.add(n)
	}
	return []*Node{box}
}

// shortRef leaves the namespace out.
func shortRef(s string) string {
	r, ok := object.ParseRef(s)
	if !ok || r.Name == "" {
		return s
	}
	return r.Kind + "/" + r.Name
}

func (p *page) difference(ps *sim.Pass) []*Node {
	if len(ps.Diff) == 0 {
		if finished(ps) {
			return []*Node{span("", p.w.NoDifference())}
		}
		return nil
	}
	var out []*Node
	for _, d := range ps.Diff {
		line := el("div", class("mono diff"), span("muted", d.Verb+" "+shortRef(d.Ref)+" "))
		if len(d.Changes) == 0 {
			line.add(span("", p.w.NoDifference()))
		}
		p.changes(line, leaves(d.Changes))
		out = append(out, line)
	}
	return out
}

// maxChanges is how many paths of one difference are shown.
const maxChanges = 6

func (p *page) changes(line *Node, list []object.Change) {
	for i, c := range list {
		if i == maxChanges {
			line.add(span("muted", p.w.More(len(list)-i)))
			return
		}
		line.add(changeNode(c))
	}
}

// leaves splits what was added or removed as a whole into its fields, down to
// plain values. Of a whole object it leaves out what only names it.
func leaves(list []object.Change) []object.Change {
	var out []object.Change
	for _, c := range list {
		if c.Path == "metadata.ownerReferences" {
			c.Before, c.After = owners(c.Before), owners(c.After)
		}
		whole, before := c.After, false
		if c.Op == "remove" {
			whole, before = c.Before, true
		}
		m, ok := whole.(*object.Map)
		if c.Op == "replace" && c.Before == nil {
			c.Op = "add"
		}
		if c.Op == "replace" || !ok || m.Len() == 0 {
			out = append(out, c)
			continue
		}
		for k, v := range m.All() {
			if c.Path == "" && (k == "apiVersion" || k == "kind") || c.Path == "metadata" && (k == "name" || k == "namespace") {
				continue
			}
			field := object.Change{Path: object.JoinPath(c.Path, k), Op: c.Op, After: v}
			if before {
				field.Before, field.After = v, nil
			}
			out = append(out, leaves([]object.Change{field})...)
		}
	}
	// What is wanted comes before what labels it.
	sort.SliceStable(out, func(i, j int) bool { return metadataLast(out[i]) < metadataLast(out[j]) })
	return out
}

// owners is a list of owner references in the words of a ref.
func owners(v any) any {
	list, ok := v.(*object.List)
	if !ok {
		return v
	}
	var names []string
	for _, item := range list.All() {
		if m, ok := item.(*object.Map); ok {
			o := object.New(m)
			names = append(names, o.Str("kind")+"/"+o.Str("name"))
		}
	}
	return strings.Join(names, ", ")
}

func metadataLast(c object.Change) int {
	if strings.HasPrefix(c.Path, "metadata") {
		return 1
	}
	return 0
}

// changeNode shows a path with what goes and what comes.
func changeNode(c object.Change) *Node {
	name := el("span", class("k"))
	if short := shortPath(c.Path); short != c.Path {
		name.add(attr("title", c.Path), text(short+" "))
	} else {
		name.add(text(c.Path + " "))
	}
	n := el("span", class("path"), name)
	if c.Op != "add" {
		n.add(valueNode("minus", "− ", c.Before))
	}
	if c.Op != "remove" {
		n.add(valueNode("plus", "+ ", c.After))
	}
	return n
}

// valueNode shows a value behind its sign; a short one stays on one line with it.
func valueNode(classes, sign string, v any) *Node {
	s := inline(v)
	return span(join(classes, pick(len(s) <= 40, "short", "")), sign+s)
}

// shortPath leaves out metadata, and the domain of a label or an annotation.
func shortPath(path string) string {
	rest, ok := strings.CutPrefix(path, "metadata.")
	if !ok {
		return path
	}
	field, name, ok := strings.Cut(rest, `["`)
	name, closed := strings.CutSuffix(name, `"]`)
	if !ok || !closed || strings.Contains(name, `"`) {
		return rest
	}
	return field + "." + name[strings.LastIndexByte(name, '/')+1:]
}

// inline prints a value on one line, cut where it is long; a list of plain texts
// without its brackets.
func inline(v any) string {
	s, ok := v.(string)
	if texts, all := plainTexts(v); all {
		s, ok = strings.Join(texts, ", "), true
	}
	if !ok {
		s = string(object.EncodeJSON(v))
	}
	return beginning(s, 120)
}

// beginning is a text of that many letters at most.
func beginning(s string, letters int) string {
	if len(s) <= letters {
		return s
	}
	n, end := 0, 0
	for at := range s {
		switch n++; n {
		case letters:
			end = at
		case letters + 1:
			return s[:end] + "…"
		}
	}
	return s
}

// plainTexts are the items of a list of texts that is not empty.
func plainTexts(v any) ([]string, bool) {
	list, ok := v.(*object.List)
	if !ok || list.Len() == 0 {
		return nil, false
	}
	var out []string
	for _, item := range list.All() {
		s, ok := item.(string)
		if !ok || s == "" {
			return nil, false
		}
		out = append(out, s)
	}
	return out, true
}

func (p *page) action(ps *sim.Pass) []*Node {
	if len(ps.Action) == 0 {
		if finished(ps) {
			return []*Node{span("", p.w.NoWrites())}
		}
		return nil
	}
	var out []*Node
	for _, a := range ps.Action {
		line := el("div", class("mono write"), text(a.Verb+" "+shortRef(a.Ref)))
		if a.Subresource != "" {
			line.add(span("muted", " "+a.Subresource))
		}
		switch {
		case a.Outcome == "":
			line.add(span("k", " "+a.Before+" → …"))
		case a.Before != a.After:
			line.add(text(" "), versions(a.Before, a.After))
		case a.After != "":
			line.add(span("k", " "+a.After))
		}
		line.add(text(" "), p.outcome(a.Outcome))
		if a.Message != "" {
			line.add(span("fault-text", " "+a.Message))
		}
		if why := p.w.OutcomeWhy(string(a.Outcome)); why != "" {
			line.add(span("out-why", " "+why))
		}
		out = append(out, line)
	}
	return out
}

// versions shows old -> new.
func versions(before, after string) *Node {
	n := el("span", class("chg"))
	if before != "" {
		n.add(el("del", text(before)))
	}
	if before != "" && after != "" {
		n.add(el("span", attr("aria-hidden", "true"), text("→")))
	}
	if after != "" {
		n.add(el("ins", text(after)))
	}
	return n
}

func (p *page) outcome(o sim.Outcome) *Node {
	switch o {
	case "":
		return span("tag tag-accent", p.w.InFlight())
	case sim.Created, sim.Updated, sim.Deleted:
		return span("tag tag-ok", p.w.Outcome(string(o)))
	case sim.Unchanged, sim.Found, sim.Absent:
		return span("tag", p.w.Outcome(string(o)))
	}
	// Refused and not sent have left nothing behind; the others have, unseen.
	return el("span", class(join("tag out", pick(o == sim.LostReply || o == sim.LandedThenDied || o == sim.Failed, "tag-fault", "tag-wait"), "out-"+string(o))),
		attr("data-outcome", string(o)), attr("title", p.w.OutcomeWhy(string(o))), el("b", attr("aria-hidden", "true"), text(outcomeSign(o))), text(p.w.Outcome(string(o))))
}

func (p *page) requeue(ps *sim.Pass) []*Node {
	w := p.w
	if ps.Died {
		return []*Node{span("tag tag-fault", w.PassDied())}
	}
	r := ps.Requeue
	if r == nil {
		return nil
	}
	switch r.Kind {
	case "after":
		return []*Node{span("", w.RequeueAfter(r.Delay, r.Reason))}
	case "backoff":
		return []*Node{span("tag tag-fault", w.RequeueBackoff(r.Delay, r.Failures)), span("fault-text", " "+pick(ps.Error != "", ps.Error, r.Reason))}
	case "dropped":
		return []*Node{span("tag tag-fault", w.RequeueDropped()), span("fault-text", " "+pick(ps.Error != "", ps.Error, r.Reason))}
	}
	return []*Node{span("", w.RequeueNone())}
}

func (p *page) status(ps *sim.Pass) []*Node {
	s := ps.Status
	if o := unseen(ps); o != "" {
		return []*Node{p.outcome(o)}
	}
	if s == nil || len(s.Changes) == 0 && !finished(ps) {
		return nil
	}
	if len(s.Changes) == 0 && ps.Error != "" {
		return []*Node{span("muted", p.w.StatusNotReached())}
	}
	if len(s.Changes) == 0 {
		return []*Node{span("", p.w.StatusSame())}
	}
	line := el("div", class("mono diff"))
	p.changes(line, leaves(s.Changes))
	return []*Node{line}
}

// unseen is what became of the status where the last write of it landed and the pass
// never heard so; else "".
func unseen(ps *sim.Pass) sim.Outcome {
	for _, c := range slices.Backward(ps.Calls) {
		if c.Subresource == "status" && c.Verb != "get" {
			if c.Outcome == sim.LostReply || c.Outcome == sim.LandedThenDied {
				return c.Outcome
			}
			break
		}
	}
	return ""
}
