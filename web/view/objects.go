package view

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/web/app"
)

// RowHeight is the height of a row of the table in rem; web/dom turns scroll
// positions into rows with it.
const RowHeight = 2

func (p *page) objects() *Node {
	return el("div", class("objs"), p.guarded("panel table-panel", p.table), p.guarded("panel detail", p.detail))
}

func (p *page) table() *Node {
	m, w := p.m, p.w
	rows := m.Rows()
	view := func(v app.ObjectView, name string) *Node {
		return button("btn-small", app.Show{View: v}, state("aria-pressed", m.View == v), text(name))
	}
	var filter *Node
	if len(m.Objects.All) > 12 || m.Filter != "" {
		filter = el("input", class("field filter"), attr("type", "search"), label(w.FilterObjects()), attr("placeholder", w.FilterObjects()),
			attr(".value", m.Filter), onInput(app.FilterBy{}))
	}
	return el("section", class("panel table-panel"), label(w.ObjectsTitle()),
		el("div", class("panel-head"), el("h2", text(w.ObjectsTitle())), span("muted grow", w.ObjectsCount(m.InRows(), m.Objects.Count().Len)), filter,
			el("div", class("seg"), attr("role", "group"), label(w.ViewLabel()),
				view(app.ViewServer, w.ViewServer()), view(app.ViewCache, w.ViewCache()), view(app.ViewBoth, w.ViewBoth()))),
		el("div", class("table-wrap"), attr("id", "table"), attr("data-scroll", "rows"), attr("tabindex", "0"), attr("role", "region"), label(w.ObjectsTable()),
			el("table", class(join("table", "view-"+string(m.View), pick(m.Objects.Count().Terminating, "has-del", ""), pick(m.Objects.Count().Finalizers, "has-fin", ""))), p.memo("thead", nil, p.tableHead), p.tableBody(rows))),
	)
}

// tableHead names the fields, in short where a column is too narrow for the name.
func (p *page) tableHead() *Node {
	th := func(classes, title string, parts ...part) *Node {
		return el("th", append([]part{attr("scope", "col"), maybe("class", classes), attr("title", title)}, parts...)...)
	}
	row := el("tr", th("c-name", p.w.ColumnObject(), text(p.w.ColumnObject())),
		// It is broken between its words.
		th("num c-version", "metadata.resourceVersion", text("resource\u200bVersion")))
	for i, c := range []struct{ classes, field string }{
		{"num c-gen", "metadata.generation"}, {"num c-obs", "status.observedGeneration"}, {"c-fin", "metadata.finalizers"}, {"c-del", "metadata.deletionTimestamp"},
	} {
		words := p.w.Columns()[i]
		row.add(th(c.classes, c.field, twoWords("", words[0], words[1])))
	}
	return el("thead", row)
}

func (p *page) tableBody(rows []app.Row) *Node {
	body := el("tbody")
	before, shown, after := p.m.Scroll.InSight(rows)
	spacer := func(k string, n int) {
		if n > 0 {
			body.add(el("tr", class("spacer"), key(k), attr("aria-hidden", "true"),
				el("td", attr("colspan", "6"), attr("--h", strconv.FormatFloat(float64(n)*RowHeight, 'g', -1, 64)+"rem"))))
		}
	}
	spacer("before", before)
	for _, r := range shown {
		if r.Entry == nil {
			body.add(el("tr", class("group"), key("kind-"+r.Heading), el("th", attr("colspan", "6"), attr("scope", "rowgroup"), text(r.Heading))))
			continue
		}
		body.add(p.row(r.Entry))
	}
	spacer("after", after)
	if len(rows) == 0 {
		body.add(el("tr", key("none"), el("td", attr("colspan", "6"), class("empty"), text(p.w.NoObjects()))))
	}
	return body
}

// row is one object. Its cells carry the values for programs to read.
func (p *page) row(e *app.Entry) *Node {
	type inputs struct {
		entry           *app.Entry
		rev             int
		view            app.ObjectView
		selected, fresh bool
	}
	selected := e.Key == p.m.Selected
	return p.memo("row "+e.Key, inputs{e, e.Rev, p.m.View, selected, p.m.Objects.Fresh(e)}, func() *Node { return p.makeRow(e, selected) })
}

func (p *page) makeRow(e *app.Entry, selected bool) *Node {
	return el("tr", class(join(pick(selected, "sel", ""), pick(e.Gone(), "gone", ""))), key(e.Key), testid("object-row"), attr("data-key", e.Key),
		p.nameCell(e, selected),
		p.cell(e, "num", "resourceVersion", fieldVersion),
		p.cell(e, "num", "generation", fieldGeneration),
		p.cell(e, "num", "observedGeneration", fieldObserved),
		p.cell(e, "", "finalizers", fieldFinalizers),
		p.cell(e, "", "deletionTimestamp", fieldDeletion),
	)
}

func (p *page) nameCell(e *app.Entry, selected bool) *Node {
	b := el("button", attr("type", "button"), class("obj-link"), attr("id", "object-"+e.Key), currentIf(selected), attr("title", e.Key),
		onClick(app.Select{Key: e.Key}), span(cutAbove(8, "obj-name", e.Name), e.Name))
	add := func(n *Node) { b.add(n) }
	o := e.Shown(p.m.View)
	tagged := true
	switch {
	case e.Gone():
		add(span("tag tag-fault", p.w.IsGone()))
	case p.m.Objects.Fresh(e) && e.Before.IsZero():
		add(span("tag tag-accent", p.w.IsNew()))
	case e.Differs() && p.m.View == app.ViewBoth && e.Cache.IsZero():
		add(twoWords("tag tag-wait", p.w.NotInCache(), p.w.NotInCacheShort()))
	case o.Terminating():
		add(twoWords("tag tag-wait", p.w.Terminating(), p.w.TerminatingShort()))
	case behind(o):
		add(span("tag tag-wait", p.w.StatusBehind()))
	case o.Str("status", "phase") != "" && e.Kind == p.m.Scenario.Watched && !app.IsReady(o):
		add(span("tag tag-wait", o.Str("status", "phase")))
	default:
		tagged = false
		add(when(app.IsReady(o), func() *Node {
			return el("span", class("ok-sign"), attr("role", "img"), label("Ready"), attr("title", "Ready"), text("✓"))
		}))
	}
	// Whose it is comes last: it is the first to give way.
	var more []string
	if e.Namespace != "" && e.Namespace != "default" {
		more = append(more, e.Namespace)
	}
	if owner, ok := o.ControllerOf(); ok {
		more = append(more, p.w.OwnedBy(owner.Name))
	}
	if len(more) > 0 {
		add(whole("owner", strings.Join(more, " ")))
	}
	return el("td", class(join("name", pick(tagged, "cut", ""))), b)
}

// twoWords says a shorter word where there is no room for the long one.
func twoWords(classes, long, short string) *Node {
	return el("span", class(join(classes, "two")), el("span", class("short"), attr("aria-hidden", "true"), text(short)), span("long", long))
}

// behind reports whether the status is about an earlier generation.
func behind(o object.Object) bool {
	seen, ok := o.Int("status", "observedGeneration")
	return ok && seen < o.Generation()
}

// The fields of an object that the table shows; empty where unset.
func fieldVersion(o object.Object) string { return o.ResourceVersion() }
func fieldGeneration(o object.Object) string {
	if g := o.Generation(); g != 0 {
		return strconv.FormatInt(g, 10)
	}
	return ""
}
func fieldObserved(o object.Object) string {
	if g, ok := o.Int("status", "observedGeneration"); ok {
		return strconv.FormatInt(g, 10)
	}
	return ""
}
func fieldFinalizers(o object.Object) string { return strings.Join(o.Finalizers(), ",") }
func fieldDeletion(o object.Object) string   { return o.DeletionTimestamp() }

// shortValue is how a value is shown: the names of finalizers without their
// domain, the time of a day without the day.
func shortValue(field, v string) string {
	switch field {
	case "finalizers":
		parts := strings.Split(v, ",")
		for i, f := range parts {
			parts[i] = f[strings.LastIndexByte(f, '/')+1:]
		}
		return strings.Join(parts, ", ")
	case "deletionTimestamp":
		if _, clock, ok := strings.Cut(v, "T"); ok {
			return strings.TrimSuffix(clock, "Z")
		}
	}
	return v
}

func (p *page) cell(e *app.Entry, classes, field string, get func(object.Object) string) *Node {
	now := get(e.Shown(p.m.View))
	prior := get(e.Prior(p.m.View))
	changed := p.m.Objects.Fresh(e) && !e.Gone() && p.m.View != app.ViewCache && now != prior
	td := el("td", maybe("class", join(classes, pick(changed, "cut", ""))), attr("data-field", field), attr("data-value", now))
	show := shortValue(field, now)
	if now != show {
		td.add(attr("title", now))
	}
	if p.m.View == app.ViewBoth && e.Cached {
		if cached := get(e.Cache); cached != now {
			differ := " ≠ " + orDash(shortValue(field, cached))
			td.add(el("span", class("both"), attr("title", orDash(show)+differ), text(orDash(show)), el("span", class("ne"), text(differ))))
			return td
		}
	}
	switch {
	case changed:
		td.add(versions(shortValue(field, prior), pick(now == "", "–", show)))
	case now == "":
		td.add(span("none", "–"))
	default:
		td.add(span(cutAbove(4, "cell", show), show))
	}
	return td
}

func orDash(s string) string { return pick(s == "", "–", s) }

// detail is the selected object.
func (p *page) detail() *Node {
	w := p.w
	e := p.m.Objects.Get(p.m.Selected)
	if e == nil {
		return el("section", class("panel detail"), label(w.ObjectTitle()), el("div", class("panel-head"), el("h2", text(w.ObjectTitle()))), el("p", class("empty"), text(w.NothingSelected())))
	}
	head := el("div", class("panel-head"), el("h2", class("cut"), attr("title", e.Kind+" "+e.Name), text(e.Kind+" "+e.Name)), whole("muted", p.detailNote(e)),
		button("btn-small btn-quiet", app.Follow{}, state("aria-pressed", p.m.Follow), attr("title", w.FollowHint()), text(w.Follow())))
	if !e.Gone() {
		if fs := e.Server.Finalizers(); len(fs) > 0 {
			head.add(p.finalizers(e, fs))
		}
		head.add(button("btn-small btn-danger", app.Delete{Ref: e.Key}, testid("delete"), text(w.Delete())))
	}
	type inputs struct {
		entry *app.Entry
		rev   int
		view  app.ObjectView
	}
	body := p.memo("yaml", inputs{e, e.Rev, p.m.View}, func() *Node { return p.detailBody(e) })
	return el("section", class("panel detail"), label(w.ObjectTitle()), testid("detail"), attr("data-object", e.Key), head, body)
}

func (p *page) detailNote(e *app.Entry) string {
	if e.ChangedAt == 0 {
		return e.Namespace
	}
	return p.w.LastChangeAt(e.ChangedAt)
}

func (p *page) finalizers(e *app.Entry, names []string) *Node {
	return p.menu("finalizers", p.w.Finalizers(), "btn-small", func() []*Node {
		list := []*Node{el("p", class("muted"), text(p.w.RemoveFinalizerNote()))}
		for _, f := range names {
			list = append(list, button("btn-danger", app.Unfinalize{Ref: e.Key, Name: f}, text(p.w.RemoveFinalizer(f))))
		}
		return list
	})
}

func (p *page) detailBody(e *app.Entry) *Node {
	w := p.w
	switch {
	case p.m.View == app.ViewBoth && e.Differs():
		both := el("div", class("yaml-grid"), attr(".top", e.Key))
		server, cache := sides(e)
		both.add(
			el("div", attr("tabindex", "0"), attr("role", "region"), label(w.ViewServer()), el("div", class("yaml-title"), text(w.ViewServer()+" "+e.Server.ResourceVersion())), yamlNode(server, fitsHalf)),
			el("div", attr("tabindex", "0"), attr("role", "region"), label(w.ViewCache()), el("div", class("yaml-title"), text(w.ViewCache()+" "+e.Cache.ResourceVersion())), yamlNode(cache, fitsHalf)))
		return both
	case p.m.View == app.ViewCache:
		return p.yamlBox(e.Key, yamlText(folded(e.Cache).Root()))
	case e.ChangedAt == 0:
		return p.yamlBox(e.Key, yamlText(folded(e.Server).Root()))
	}
	return p.yamlBox(e.Key, yamlDiff(folded(e.Before).Root(), folded(e.Server).Root()))
}

// lastApplied is the annotation in which kubectl keeps what was applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// folded leaves out what is long and no help here: who owns which field, and
// the text that kubectl keeps of the last apply.
func folded(o object.Object) object.Object {
	if o.IsZero() {
		return o
	}
	if o.Annotations().Has(lastApplied) {
		o = o.Set("…", "metadata", "annotations", lastApplied)
	}
	return o.Unset("metadata", "managedFields")
}

// sides splits the difference between server and cache into two texts.
func sides(e *app.Entry) (server, cache []yamlLine) {
	for _, l := range yamlDiff(folded(e.Cache).Root(), folded(e.Server).Root()) {
		switch l.mark {
		case ' ':
			server, cache = append(server, l), append(cache, l)
		case '+':
			server = append(server, l)
		case '-':
			cache = append(cache, l)
		case '~':
			server = append(server, yamlLine{mark: '!', text: l.text + l.after})
			cache = append(cache, yamlLine{mark: '!', text: l.text + l.before})
		}
	}
	return slices.Clip(server), slices.Clip(cache)
}

// yamlBox shows the YAML of the object with a key. It is the same box for all of
// them, which costs the browser less than a new one; that of another begins at its
// top.
func (p *page) yamlBox(k string, ls []yamlLine) *Node {
	box := yamlNode(ls, fitsWhole)
	box.add(attr(".top", k), attr("tabindex", "0"), attr("role", "region"), label(p.w.YAMLOf(k)))
	return box
}

// So many letters fit in a line of an object's YAML where its column is as narrow as it gets: where it has the whole
// of it, and where two stand beside each other.
const (
	fitsWhole = 34
	fitsHalf  = 20
)

// yamlNode shows lines; those without a mark that follow each other are one text,
// which costs the browser a fraction of as many. One with more letters than fits stands alone: what does not fit goes
// on further in than the line begins, where it cannot be taken for a field.
func yamlNode(ls []yamlLine, fits int) *Node {
	box := el("div", class("yaml"))
	var plain []string
	flush := func() {
		if len(plain) > 0 {
			box.add(span("ln", strings.Join(plain, "\n")))
		}
		plain = plain[:0]
	}
	for _, l := range ls {
		var hang part
		if len(l.text)+len(l.before)+len(l.after) > fits {
			hang = attr("--hang", itoa(min(len(l.text)-len(strings.TrimLeft(l.text, " "))+2, fits/2))+"ch")
		}
		if l.mark == ' ' && hang == nil {
			plain = append(plain, l.text)
			continue
		}
		flush()
		switch l.mark {
		case '+':
			box.add(el("ins", class("ln add"), hang, text(l.text)))
		case '-':
			box.add(el("del", class("ln del"), hang, text(l.text)))
		case '~':
			box.add(el("span", class("ln chgd"), hang, text(l.text), el("del", text(l.before)), text(" "), el("ins", text(l.after))))
		case ' ':
			box.add(el("span", class("ln"), hang, text(l.text)))
		default:
			box.add(el("span", class("ln chgd"), hang, text(l.text)))
		}
	}
	flush()
	return box
}
