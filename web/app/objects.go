package app

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/web/engine"
)

// Entry is one object of the table: as the server and the caches have it, and
// as the server had it before its last change.
type Entry struct {
	engine.ObjectDelta
	// Kind, Namespace and Name are the parts of the key, the group left out.
	Kind, Namespace, Name string
	// Before is the server's object before its last change; zero where there
	// was none or nothing is known.
	Before object.Object
	// CacheBefore is the cache's.
	CacheBefore object.Object
	// ChangedAt is the step of the last change; 0 unknown.
	ChangedAt int
	// epoch is the act during which it changed last.
	epoch int
	// Rev counts the changes of the entry.
	Rev int
	// differs says that the cache holds something else than the server, terminating
	// that the server has it marked for deletion.
	differs, terminating bool
	// held says that the server's has finalizers.
	held bool
}

// Gone reports whether the server does not have the object.
func (e *Entry) Gone() bool { return e.Server.IsZero() }

// Shown is the object as the view has it: the server's, where both are shown.
func (e *Entry) Shown(v ObjectView) object.Object {
	if v == ViewCache {
		return e.Cache
	}
	return e.Server
}

// Prior is what Shown was before the last change.
func (e *Entry) Prior(v ObjectView) object.Object {
	if v == ViewCache {
		return e.CacheBefore
	}
	return e.Before
}

// Differs reports whether a cache that should hold the object holds something
// else than the server.
func (e *Entry) Differs() bool { return e.differs }

// Objects is the table: all objects in their order.
type Objects struct {
	byKey map[string]*Entry
	// All is in the order in which the table shows them.
	All []*Entry
	// epoch counts the acts; what changed during the last one is marked.
	epoch int
	// rank is the order of kinds.
	rank map[string]int
	// rev counts the changes of any entry; counted is what was counted at one.
	rev     int
	counted Counted
	// shape counts the changes of which rows there are; rows are those of one.
	shape int
	rows  rows
	// fresh is what changed during the last act; gone says that something did
	// that has to be dropped.
	fresh []*Entry
	gone  bool
}

// Counted is what a look at every entry tells.
type Counted struct {
	rev int
	// Len is how many objects the server has; Terminating that one is being
	// deleted.
	Len         int
	Terminating bool
	// Finalizers says that one has some.
	Finalizers bool
	// Kinds are those that the server has of each kind, builtins left out, in the
	// order of the table.
	Kinds []KindCount
	// Same is how many a cache has as the server does, Behind are the others.
	Same   int
	Behind []*Entry
}

// KindCount is how many objects there are of a kind.
type KindCount struct {
	Kind string
	N    int
}

// Count looks at every entry, once after each change.
func (o *Objects) Count() *Counted {
	if o.counted.rev == o.rev && o.rev > 0 {
		return &o.counted
	}
	c := Counted{rev: o.rev}
	for _, e := range o.All {
		switch {
		case !e.Cached:
		case e.differs:
			c.Behind = append(c.Behind, e)
		default:
			c.Same++
		}
		if e.Gone() {
			continue
		}
		c.Len++
		c.Terminating = c.Terminating || e.terminating
		c.Finalizers = c.Finalizers || e.held
		if e.Builtin {
			continue
		}
		if n := len(c.Kinds); n == 0 || c.Kinds[n-1].Kind != e.Kind {
			c.Kinds = append(c.Kinds, KindCount{Kind: e.Kind})
		}
		c.Kinds[len(c.Kinds)-1].N++
	}
	o.counted = c
	return &o.counted
}

// Changed is what changed during the last act, in the order of the table. The
// caller leaves it as it is.
func (o *Objects) Changed() []*Entry { return o.fresh }

// Get returns the entry with a key, nil where there is none.
func (o *Objects) Get(key string) *Entry { return o.byKey[key] }

// Fresh reports whether the entry changed during the last act.
func (o *Objects) Fresh(e *Entry) bool { return e.epoch == o.epoch && o.epoch > 0 }

// begin starts an act: earlier marks go, and so do the rows of what is gone.
func (o *Objects) begin() {
	o.epoch++
	o.fresh = nil
	o.drop()
}

// mark notes that an entry changed during the act.
func (o *Objects) mark(e *Entry) {
	if o.Fresh(e) {
		return
	}
	e.epoch = o.epoch
	if o.epoch > 0 {
		i, _ := slices.BinarySearchFunc(o.fresh, e, o.compare)
		o.fresh = slices.Insert(o.fresh, i, e)
	}
}

// drop takes out the rows of what is gone.
func (o *Objects) drop() {
	if !o.gone {
		return
	}
	o.gone = false
	o.shape++
	gone := func(e *Entry) bool { return e.Server.IsZero() && e.Cache.IsZero() }
	for _, e := range o.All {
		if gone(e) {
			delete(o.byKey, e.Key)
		}
	}
	o.All, o.fresh = slices.DeleteFunc(o.All, gone), slices.DeleteFunc(o.fresh, gone)
}

// forget drops everything; kinds are ordered as the scenario has them.
func (o *Objects) forget(s engine.ScenarioInfo) {
	*o = Objects{byKey: map[string]*Entry{}, rank: map[string]int{}, shape: o.shape + 1}
	for i, kind := range append([]string{s.Watched}, s.Owned...) {
		if kind != "" {
			o.rank[kind] = i - 100
		}
	}
}

// take takes over what changed. quiet takes it as the state, not as a change.
func (o *Objects) take(deltas []engine.ObjectDelta, step int, quiet bool) {
	if o.byKey == nil {
		o.forget(engine.ScenarioInfo{})
	}
	var added []*Entry
	for _, d := range deltas {
		if d.Same {
			d.Cache = d.Server
		}
		e := o.byKey[d.Key]
		if e == nil {
			if d.Server.IsZero() && d.Cache.IsZero() {
				continue
			}
			e = newEntry(d)
			o.byKey[d.Key] = e
			added = append(added, e)
		}
		o.change(e, d, step, quiet)
	}
	o.add(added)
}

// add puts entries among those that are there: a few each at its place, since
// sorting all for one would cost more the more there are.
func (o *Objects) add(entries []*Entry) {
	o.shape += len(entries)
	if len(entries) > 1+len(o.All)/64 {
		o.All = append(o.All, entries...)
		slices.SortFunc(o.All, o.compare)
		return
	}
	for _, e := range entries {
		i, _ := slices.BinarySearchFunc(o.All, e, o.compare)
		o.All = slices.Insert(o.All, i, e)
	}
}

func newEntry(d engine.ObjectDelta) *Entry {
	e := &Entry{ObjectDelta: engine.ObjectDelta{Key: d.Key, Builtin: d.Builtin}}
	if ref, ok := object.ParseRef(d.Key); ok {
		e.Kind, e.Namespace, e.Name = ref.Kind, ref.Namespace, ref.Name
	} else {
		e.Name = d.Key
	}
	return e
}

// moved forgets the marks of changes after a step: the view has gone elsewhere.
// What the step in view changed is marked.
func (o *Objects) moved(changed []engine.ObjectChange, step int) {
	o.drop()
	for _, e := range o.All {
		if e.ChangedAt > step {
			e.Before, e.ChangedAt, e.Rev = object.Object{}, 0, e.Rev+1
		}
	}
	for _, c := range changed {
		if e := o.byKey[c.Key]; e != nil {
			e.Before, e.ChangedAt, e.Rev = c.Before, step, e.Rev+1
			o.mark(e)
		}
	}
}

func (o *Objects) change(e *Entry, d engine.ObjectDelta, step int, quiet bool) {
	e.Rev++
	e.terminating, e.held = d.Server.Terminating(), len(d.Server.Finalizers()) > 0
	o.rev++
	if e.Cache.IsZero() != d.Cache.IsZero() {
		o.shape++
	}
	o.gone = o.gone || d.Server.IsZero() && d.Cache.IsZero()
	if quiet {
		if !e.Server.Equal(d.Server) {
			e.Before, e.ChangedAt = object.Object{}, 0
		}
		e.ObjectDelta = d
		e.differs = d.Cached && !d.Server.Equal(d.Cache)
		return
	}
	if !e.Server.Equal(d.Server) {
		if e.epoch != o.epoch || e.ChangedAt == 0 {
			e.Before = e.Server
		}
		e.ChangedAt = step
		o.mark(e)
	}
	if !e.Cache.Equal(d.Cache) {
		e.CacheBefore = e.Cache
	}
	e.ObjectDelta = d
	e.differs = d.Cached && !d.Server.Equal(d.Cache)
}

func (o *Objects) compare(a, b *Entry) int {
	if a.Builtin != b.Builtin {
		if a.Builtin {
			return 1
		}
		return -1
	}
	if d := o.rank[a.Kind] - o.rank[b.Kind]; d != 0 {
		return d
	}
	for _, d := range []int{strings.Compare(a.Kind, b.Kind), strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name)} {
		if d != 0 {
			return d
		}
	}
	return strings.Compare(a.Key, b.Key)
}

// Row is one row of the table: an object, or the heading of a kind.
type Row struct {
	Heading string
	Entry   *Entry
}

// rows are those that were made for a shape of the table.
type rows struct {
	all []Row
	// headings is how many of them are.
	headings int
	shape    int
	filter   string
	view     ObjectView
}

// Rows are the rows that match the filter, in the view. The caller leaves them as
// they are.
func (m *Model) Rows() []Row {
	o := &m.Objects
	if r := &o.rows; r.shape == o.shape && r.filter == m.Filter && r.view == m.View && r.all != nil {
		return r.all
	}
	r := rows{all: make([]Row, 0, len(o.All)+16), shape: o.shape, filter: m.Filter, view: m.View}
	kind := ""
	want := strings.ToLower(strings.TrimSpace(m.Filter))
	for _, e := range o.All {
		switch {
		case want != "" && !strings.Contains(strings.ToLower(e.Key), want):
			continue
		case m.View == ViewCache && e.Cache.IsZero():
			continue
		}
		if e.Kind != kind {
			kind = e.Kind
			r.all = append(r.all, Row{Heading: kind})
			r.headings++
		}
		r.all = append(r.all, Row{Entry: e})
	}
	o.rows = r
	return r.all
}

// InRows is how many objects the rows show.
func (m *Model) InRows() int { return len(m.Rows()) - m.Objects.rows.headings }

// InSight cuts rows to what is in sight, with some before and after, and tells
// how many are left out on both sides.
func (w Window) InSight(rows []Row) (before int, shown []Row, after int) {
	const margin = 6
	first := max(0, min(w.First-margin, len(rows)-w.Count-margin))
	last := min(len(rows), first+w.Count+2*margin)
	return first, rows[first:last], len(rows) - last
}
