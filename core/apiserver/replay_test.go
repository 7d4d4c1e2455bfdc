package apiserver_test

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
	"github.com/reconcile-playground/reconcile/core/rules"
)

// recorder is who sent the requests of the recordings, those before a trace too.
const recorder = "recorder/1.0"

// answer is what one step gave.
type answer struct {
	rest.HTTPResponse
	// events are the lines of a watch; nil for any other answer.
	events []any
}

// replay plays a trace against a server of its own.
type replay struct {
	server  *apiserver.Server
	now     time.Time
	tokens  *tokens
	objects map[string]object.Object // as last seen, for the <time> of requests
	// collector has seen the changes up to observed.
	collector *collector.Collector
	observed  int64
	// sending is told of each request of a trace before it is sent; nil for nobody.
	sending func(rest.HTTPRequest)
}

// celRules are evaluated in every replay: the recordings share definitions, and
// some have rules.
var celRules = sync.OnceValue(func() *rules.Evaluator {
	e, err := rules.New()
	if err != nil {
		panic(err)
	}
	return e
})

func newReplay() *replay {
	server := apiserver.New(1, start)
	server.SetRules(celRules())
	return &replay{server: server, now: start, tokens: newTokens(), objects: map[string]object.Object{}, collector: collector.New()}
}

// settle lets the collector work until it has nothing left to do.
func (r *replay) settle() error {
	for range 1000 {
		for _, c := range r.server.Changes(r.observed) {
			r.collector.Observe(collector.Change{Type: c.Type, GVR: c.GVR, Object: c.Object})
			r.observed = c.Revision
		}
		item, ok := r.collector.Next()
		if !ok {
			return nil
		}
		r.collector.Step(item, r)
	}
	return errors.New("the collector does not come to rest")
}

// Do makes the replay the collector's api.Doer.
func (r *replay) Do(req api.Request) api.Response { return r.server.Do(r.now, req) }

// Cloud is never called.
func (r *replay) Cloud(api.CloudRequest) api.CloudResponse { panic("the collector calls no cloud") }

// Now is the replay's time.
func (r *replay) Now() time.Time { return r.now }

// run plays the trace and returns the answers, the events of its watch last,
// and the first difference.
func (r *replay) run(t trace) ([]answer, error) {
	if err := r.setup(t.root.get("setup")); err != nil {
		return nil, err
	}
	beside, err := r.openWatch(t.root)
	if err != nil {
		return nil, err
	}
	r.tokens.whole = t.category == "ssa"
	var answers []answer
	for i, step := range t.root.get("steps").items {
		if t.category == "ssa" {
			r.now = r.now.Add(1100 * time.Millisecond)
		}
		got, err := r.step(step)
		if err == nil {
			err = r.tokens.compareStep(step, got)
		}
		if err != nil {
			return nil, fmt.Errorf("step %d, %s %s: %w", i+1, step.str("method"), step.str("path"), err)
		}
		answers = append(answers, got)
		beside.follow(r)
	}
	if beside == nil {
		return answers, nil
	}
	return append(answers, beside.answer), r.tokens.compareEvents(t.root.get("watch"), beside.answer)
}

func (r *replay) setup(manifests *node) error {
	if manifests == nil {
		return nil
	}
	for _, m := range manifests.items {
		o, err := object.DecodeObject([]byte(m.text()))
		if err != nil {
			return err
		}
		res, ok := r.server.ResourceForKind(o.GVK().Group, o.Kind())
		if !ok {
			return fmt.Errorf("setup: no kind %s", o.GVK())
		}
		resp := r.server.Do(r.now, api.Request{Verb: api.Create, GVR: res.GVR, Namespace: o.Namespace(), Body: o.Root(), UserAgent: recorder})
		if err := resp.Err(); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
	}
	return nil
}

// step sends one request.
func (r *replay) step(step *node) (answer, error) {
	h, err := r.request(step)
	if err != nil {
		return answer{}, err
	}
	if step.flag("waitSettled") {
		if err := r.settle(); err != nil {
			return answer{}, err
		}
	}
	if r.sending != nil {
		r.sending(h)
	}
	got := r.send(h)
	if r.now = r.now.Add(5 * time.Millisecond); got.Code < 300 {
		if v, err := object.DecodeJSON(got.Body); err == nil {
			r.remember(v)
		}
	}
	return got, nil
}

func (r *replay) send(h rest.HTTPRequest) answer {
	req, format, status := rest.Decode(h)
	if status != nil {
		return answer{HTTPResponse: rest.EncodeStatus(status, format)}
	}
	resp := r.server.Do(r.now, req)
	got := answer{HTTPResponse: rest.EncodeResponse(resp, format)}
	if resp.Watch != nil {
		got.events = r.events(req, resp.Watch.Revision, resp.Watch.Initial...)
	}
	return got
}

// events are those of a watch: the first, and what came after a revision.
func (r *replay) events(req api.Request, after int64, first ...api.WatchEvent) []any {
	return encodeEvents(new(rest.Stream), slices.Concat(first, r.server.Watching(req, after)))
}

func encodeEvents(stream *rest.Stream, events []api.WatchEvent) []any {
	out := []any{}
	for _, e := range events {
		out = append(out, mustDecode(stream.Encode(e)))
	}
	return out
}

func mustDecode(text []byte) any {
	v, err := object.DecodeJSON(text)
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, text))
	}
	return v
}

func (r *replay) request(step *node) (rest.HTTPRequest, error) {
	h := rest.HTTPRequest{Method: step.str("method"), ContentType: step.str("contentType"), Accept: step.str("accept"), UserAgent: step.str("userAgent")}
	if h.Accept == "" {
		h.Accept = "application/json"
	}
	if h.UserAgent == "" {
		h.UserAgent = recorder
	}
	var err error
	if h.Path, err = r.tokens.fill(step.str("path")); err != nil {
		return h, err
	}
	if h.Query, err = r.query(step.get("query")); err != nil {
		return h, err
	}
	switch body, raw := step.get("body"), step.get("rawBody"); {
	case raw != nil:
		var text string
		text, err = r.tokens.fill(raw.value.(string))
		h.Body = []byte(text)
	case body != nil:
		known := r.objects[objectKey(h.Path, body.get("metadata").str("name"))]
		filled := body.mapStrings(nil, func(path []string, s string) string {
			if v := valueAt(known, path); s == "<time>" && v != "" {
				return v
			}
			s, ferr := r.tokens.fill(s)
			if ferr != nil {
				err = ferr
			}
			return strings.ReplaceAll(s, "<time>", start.Format(time.RFC3339))
		})
		h.Body = []byte(filled.text())
	}
	return h, err
}

// valueAt is the text at a path, in which lists are gone through by index.
func valueAt(o object.Object, path []string) string {
	var v any = o.Root()
	for _, step := range path {
		switch x := v.(type) {
		case *object.Map:
			v, _ = x.Get(step)
		case *object.List:
			i, err := strconv.Atoi(step)
			if err != nil || i >= x.Len() {
				return ""
			}
			v = x.At(i)
		}
	}
	s, _ := v.(string)
	return s
}

func (r *replay) query(q *node) (string, error) {
	values := url.Values{}
	if q != nil {
		for i, k := range q.keys {
			items := []*node{q.items[i]}
			if q.items[i].kind == '[' {
				items = q.items[i].items
			}
			for _, item := range items {
				v, err := r.tokens.fill(item.value.(string))
				if err != nil {
					return "", err
				}
				values.Add(k, v)
			}
		}
	}
	return values.Encode(), nil
}

// objectKey tells objects apart by their collection's path and their name.
func objectKey(path, name string) string {
	path = strings.TrimSuffix(path, "/status")
	return strings.TrimSuffix(path, "/"+name) + " " + name
}

// remember keeps an object as it was given last.
func (r *replay) remember(v any) {
	m, _ := v.(*object.Map)
	o := object.New(m)
	for _, item := range o.List("items").All() {
		r.remember(item)
	}
	if o.Name() == "" {
		return
	}
	res, ok := r.server.ResourceForKind(o.GVK().Group, o.Kind())
	if ok {
		path := rest.Path(api.Request{GVR: res.GVR, Namespace: o.Namespace()})
		r.objects[objectKey(path, o.Name())] = o
	}
}

// besideWatch is the watch that goes on beside the steps of a trace.
type besideWatch struct {
	answer
	req    api.Request
	stream rest.Stream
	// seen is the revision up to which its events were taken.
	seen int64
	// generation is that of the definition of what is watched, where it has one.
	generation int64
	// ended: a watch of a custom resource ends when its definition changes.
	ended bool
}

// openWatch begins the watch of a trace; nil where it has none.
func (r *replay) openWatch(root *node) (*besideWatch, error) {
	if root.get("watch") == nil {
		return nil, nil
	}
	q, err := r.query(root.get("watchQuery"))
	if err != nil {
		return nil, err
	}
	begin := r.server.Revision()
	h := rest.HTTPRequest{Method: "GET", Path: root.str("watchPath"), Query: fmt.Sprintf("watch=true&resourceVersion=%d&%s", begin, q)}
	got := r.send(h)
	if got.events == nil {
		return nil, fmt.Errorf("the watch was refused: %s", got.Body)
	}
	req, _, _ := rest.Decode(h)
	w := &besideWatch{answer: got, req: req, seen: begin}
	w.generation, _ = r.definitionGeneration(req.GVR)
	return w, nil
}

// follow takes the events that came since.
func (w *besideWatch) follow(r *replay) {
	if w == nil || w.ended {
		return
	}
	if generation, ok := r.definitionGeneration(w.req.GVR); ok && generation != w.generation {
		w.ended = true
		return
	}
	w.events = append(w.events, encodeEvents(&w.stream, r.server.Watching(w.req, w.seen))...)
	w.seen = r.server.Revision()
}

// definitionGeneration is the generation of the definition of a custom resource.
func (r *replay) definitionGeneration(gvr object.GVR) (int64, bool) {
	crds := object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	got := r.server.Do(r.now, api.Request{Verb: api.Get, GVR: crds, Name: gvr.Resource + "." + gvr.Group})
	return got.Object.Generation(), got.Err() == nil
}
