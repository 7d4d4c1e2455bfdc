package kubectl

import (
	"io"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// listing is one run of kubectl events. Models cmd/events.
type listing struct {
	*call
	everywhere bool
	selector   string
	types      []string
	printer    printer
	headed     bool
}

func (c *call) events() error {
	l := &listing{call: c, everywhere: c.flags.Bool("all-namespaces"), types: c.flags.List("types")}
	if err := l.about(c.flags.Text("for")); err != nil {
		return err
	}
	if c.flags.Text("output") != "" || c.flags.Text("template") != "" {
		p, err := c.operationPrinter("", false)
		if err != nil {
			return err
		}
		if j, ok := p.(*jsonPrinter); ok {
			j.shape = eventListShape
		}
		l.printer = p
	}
	for _, t := range l.types {
		if !strings.EqualFold(t, "Normal") && !strings.EqualFold(t, "Warning") {
			return errorf("valid --types are Normal or Warning")
		}
	}
	namespace := c.namespace
	if l.everywhere {
		namespace = ""
	}
	if c.flags.Bool("watch") {
		return l.watch(namespace)
	}
	list, err := c.eventList(namespace, l.selector)
	if err != nil {
		return err
	}
	var kept []object.Object
	for _, o := range list {
		if l.wanted(o) {
			kept = append(kept, o)
		}
	}
	if len(kept) == 0 {
		if l.everywhere {
			c.complain("No events found.\n")
		} else {
			c.complain("No events found in " + c.namespace + " namespace.\n")
		}
		return nil
	}
	sortEvents(kept)
	return l.print(kept)
}

// eventListShape prints a list of events as Go prints it.
var eventListShape = newShape("kind apiVersion metadata items", map[string]*shape{"items": newShape(
	"kind apiVersion metadata involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series action related reportingComponent reportingInstance",
	map[string]*shape{"metadata": metaShape, "involvedObject": newShape("kind namespace name uid apiVersion resourceVersion fieldPath", nil), "source": newShape("component host", nil)})})

// about reads --for TYPE/NAME.
func (l *listing) about(text string) error {
	if text == "" {
		return nil
	}
	seg := strings.Split(text, "/")
	switch {
	case len(seg) == 1:
		return errorf("--for must be in resource/name form")
	case len(seg) > 2:
		return errorf("arguments in resource/name form may not have more than one slash")
	}
	m, err := l.mapper()
	if err != nil {
		return err
	}
	r, err := m.resource(strings.ToLower(seg[0]))
	if err != nil {
		return &exit{1, err.Error()}
	}
	l.selector = "involvedObject.kind=" + r.Kind + ",involvedObject.apiVersion=" + r.APIVersion() + ",involvedObject.name=" + seg[1]
	return nil
}

func (l *listing) wanted(o object.Object) bool {
	for _, t := range l.types {
		if strings.EqualFold(t, o.Str("type")) {
			return true
		}
	}
	return len(l.types) == 0
}

func (l *listing) print(list []object.Object) error {
	if l.printer != nil {
		items := make([]any, len(list))
		for i, o := range list {
			items[i] = o.Root()
		}
		return l.printer.print(l.out, "", object.NewMap(object.Field{Key: "apiVersion", Value: "v1"}, object.Field{Key: "kind", Value: "EventList"},
			object.Field{Key: "metadata", Value: object.NewMap()}, object.Field{Key: "items", Value: object.NewList(items...)}))
	}
	w := columns.Table(l.out)
	if !l.headed && !l.flags.Bool("no-headers") {
		if l.everywhere {
			_, _ = io.WriteString(w, "NAMESPACE\t")
		}
		_, _ = io.WriteString(w, "LAST SEEN\tTYPE\tREASON\tOBJECT\tMESSAGE\n")
	}
	l.headed = true
	now := l.env.Client.Now()
	for _, o := range list {
		if l.everywhere {
			_, _ = io.WriteString(w, o.Namespace()+"\t")
		}
		about := o.Str("involvedObject", "kind") + "/" + o.Str("involvedObject", "name")
		cells := []string{eventAge(o, now), o.Str("type"), o.Str("reason"), about, strings.TrimSpace(o.Str("message"))}
		_, _ = io.WriteString(w, columns.Escape(strings.Join(cells, "\t"))+"\n")
	}
	return w.Flush()
}

func (l *listing) watch(namespace string) error {
	req := api.Request{Verb: api.Watch, GVR: object.GVR{Version: "v1", Resource: "events"}, Namespace: namespace, Live: true, UserAgent: userAgent}
	req.FieldSelector = l.selector
	resp := l.do(req)
	if err := resp.Err(); err != nil || resp.Watch == nil {
		return err
	}
	events, after := resp.Watch.Initial, resp.Watch.Revision
	waited := time.Duration(0)
	for {
		for _, e := range events {
			after = max(after, e.Revision)
			if e.Type == api.Deleted || !l.wanted(e.Object) {
				continue
			}
			if err := l.print([]object.Object{e.Object}); err != nil {
				return err
			}
			l.out.flush()
		}
		pause := nextLook(waited)
		if !l.env.Client.Await(pause) {
			return nil
		}
		waited += pause
		var err error
		if events, err = l.env.Client.Events(req, after); err != nil {
			return nil
		}
	}
}
