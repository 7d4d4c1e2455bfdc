package kubectl

import (
	"strconv"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// The time between two looks at a watch that has nothing to tell: it grows with
// the time waited.
const (
	firstLook   = 50 * time.Millisecond
	longestLook = 30 * time.Second
)

// nextLook is how long to wait before the next look, after a time of waiting.
func nextLook(waited time.Duration) time.Duration {
	return min(max(waited/8, firstLook), longestLook)
}

// watch prints what is there, and then the changes, for ever: what runs kubectl
// ends it.
func (g *getting) watch(only bool) error {
	q := g.query()
	q.oneType, q.keepGoing = true, false
	q.form.Live = true
	r := q.do()
	if r.err != nil {
		return r.err
	}
	infos, err := r.infos()
	if err != nil {
		if isNotFound(err) && g.flags.Bool("ignore-not-found") {
			return nil
		}
		return err
	}
	if len(infos) == 0 && !r.lists() {
		return errorf("no objects passed to get")
	}
	if !r.lists() && len(infos) != 1 {
		return errorf("watch is only supported on individual resources and resource collections - %d resources were found", len(infos))
	}
	begin, mapping := int64(0), r.watchedMapping(infos)
	p, err := g.printer(mapping, g.flags.Bool("all-namespaces"), false)
	if err != nil {
		return err
	}
	w := columns.Table(g.out)
	first := api.EventType("")
	if g.flags.Bool("output-watch-events") {
		first = api.Added
	}
	if !only {
		for _, i := range infos {
			if err := g.printWatched(p, w, first, i.object); err != nil {
				return errorf("unable to output the provided object: %v", err)
			}
		}
	}
	begin = r.revision(infos)
	return g.follow(p, w, g.watchRequest(q, r, infos, mapping), begin)
}

// printWatched prints one object; a table that is only printed to be aligned
// goes through the columns.
func (g *getting) printWatched(p printer, w *columns.Writer, event api.EventType, root *object.Map) error {
	if !g.flags.Bool("output-watch-events") {
		event = ""
	}
	var err error
	switch p.(type) {
	case *tablePrinter, *columnsPrinter:
		err = p.print(w, event, root)
		if err == nil {
			err = w.Flush()
		}
	default:
		err = p.print(g.out, event, root)
	}
	g.out.flush()
	return err
}

func (g *getting) watchRequest(q *query, r *result, infos []*info, m *resource) api.Request {
	req := api.Request{Verb: api.Watch, GVR: m.GVR, UserAgent: g.env.UserAgent, Live: true}
	req.As, req.IncludeObject = q.form.As, q.form.IncludeObject
	req.LabelSelector, req.FieldSelector = q.selector, q.field
	if req.UserAgent == "" {
		req.UserAgent = userAgent
	}
	if r.lists() {
		req.Namespace = q.place(m)
		return req
	}
	req.Namespace, req.LabelSelector = infos[0].namespace, ""
	req.FieldSelector = "metadata.name=" + infos[0].name
	return req
}

// follow prints the events of a watch.
func (g *getting) follow(p printer, w *columns.Writer, req api.Request, after int64) error {
	waited, total := time.Duration(0), time.Duration(0)
	for {
		events, err := g.env.Client.Events(req, after)
		if err != nil {
			return nil
		}
		for _, e := range events {
			after = max(after, e.Revision)
			if e.Type == api.Bookmark {
				continue
			}
			if err := g.printWatched(p, w, e.Type, e.Object.Root()); err != nil {
				return err
			}
		}
		if len(events) > 0 {
			waited = 0
		}
		pause := nextLook(waited)
		if timeout := g.requestTimeout(); timeout > 0 {
			if total >= timeout {
				return nil
			}
			pause = min(pause, timeout-total)
		}
		if !g.env.Client.Await(pause) {
			return nil
		}
		waited += pause
		total += pause
	}
}

// lists reports whether whole collections are asked for.
func (r *result) lists() bool { return len(r.watched) > 0 && r.watched[0].name == "" }

func (r *result) watchedMapping(infos []*info) *resource {
	if len(infos) > 0 {
		return infos[0].mapping
	}
	return r.watched[0].mapping
}

// revision is from where a watch goes on: that of the list, or of the object.
func (r *result) revision(infos []*info) int64 {
	last := r.q.revision
	for _, i := range infos {
		n, _ := strconv.ParseInt(object.New(i.object).ResourceVersion(), 10, 64)
		last = max(last, n)
	}
	return last
}
