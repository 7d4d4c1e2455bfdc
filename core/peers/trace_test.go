package peers

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// trace is a recording of a real API server.
type trace struct {
	Setup []map[string]any `json:"setup"`
	Steps []step           `json:"steps"`
}

type step struct {
	Method      string         `json:"method"`
	Path        string         `json:"path"`
	Query       map[string]any `json:"query"`
	ContentType string         `json:"contentType"`
	Body        any            `json:"body"`
	WaitSettled bool           `json:"waitSettled"`
	Response    answer         `json:"response"`
}

// answer is what a step gave: the recording's, ours or the fake client's.
type answer struct {
	Code int `json:"code"`
	// Body is the object, the list or the error.
	Body   map[string]any `json:"body"`
	Events []event        `json:"events"`
}

type event struct {
	Type   string         `json:"type"`
	Object map[string]any `json:"object"`
}

// loadTrace reads a recording: this module's own, or one of the API server's tests.
func loadTrace(t *testing.T, name string) trace {
	t.Helper()
	for _, dir := range []string{"testdata/traces", "../apiserver/testdata/traces"} {
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			continue
		}
		var out trace
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out
	}
	t.Fatalf("no trace %s", name)
	return trace{}
}

// replayer answers the steps of a trace.
type replayer interface {
	step(s step) answer
}

// play replays a trace: tokens of the recording stand for what the replayer
// gave in their place.
func play(tr trace, r replayer) []answer {
	known := tokens{}
	last := map[string]any{}
	var out []answer
	for _, s := range tr.Steps {
		fillTimes(s.Body, last)
		s.Path = known.fill(s.Path).(string)
		s.Body = known.fill(s.Body)
		s.Query, _ = known.fill(s.Query).(map[string]any)
		got := r.step(s)
		known.learn(s.Response.Body, got.Body)
		if m := metadata(got.Body); m["name"] != nil {
			last = m
		}
		out = append(out, got)
	}
	return out
}

// fillTimes puts the times of the object as it was answered last where the
// recording has <time>, which stands for just that.
func fillTimes(body any, last map[string]any) {
	m, _ := body.(map[string]any)
	meta := metadata(m)
	for key, v := range meta {
		if v == "<time>" && last[key] != nil {
			meta[key] = last[key]
		} else if v == "<time>" {
			delete(meta, key)
		}
	}
}

// tokens are what the names in a recording stand for.
type tokens map[string]any

var tokenPattern = regexp.MustCompile(`^(uid|rv|list-rv)-\d+$`)

func (k tokens) learn(recorded, got any) {
	switch r := recorded.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for key, v := range r {
			k.learn(v, g[key])
		}
	case []any:
		g, _ := got.([]any)
		for i, v := range r {
			if i < len(g) {
				k.learn(v, g[i])
			}
		}
	case string:
		if _, ok := k[r]; !ok && got != nil && tokenPattern.MatchString(r) {
			k[r] = got
		}
	}
}

func (k tokens) fill(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, x := range v {
			out[key] = k.fill(x)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = k.fill(x)
		}
		return out
	case string:
		if tokenPattern.MatchString(v) {
			if got, ok := k[v]; ok {
				return got
			}
			return ""
		}
	}
	return v
}

// ourReplay is our API server with the collector of the cluster.
type ourReplay struct {
	server    *apiserver.Server
	collector *collector.Collector
	observed  int64
}

// noRules takes the rules of the recordings' definitions, which no complaint is
// about.
type noRules struct{}

func (noRules) Compile(schema.Compilation) []*api.FieldError { return nil }

func (noRules) Evaluate(schema.Evaluation) schema.Verdict { return schema.Verdict{} }

func newOurReplay(t *testing.T, setup []map[string]any) *ourReplay {
	t.Helper()
	r := &ourReplay{server: apiserver.New(1, start), collector: collector.New()}
	r.server.SetRules(noRules{})
	for _, m := range setup {
		o := object.FromMap(integers(m).(map[string]any))
		res, _ := r.server.ResourceForKind(o.GVK().Group, o.Kind())
		if err := r.Do(api.Request{Verb: api.Create, GVR: res.GVR, Body: o.Root()}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// Do makes the replay the collector's api.Doer.
func (r *ourReplay) Do(req api.Request) api.Response { return r.server.Do(start, req) }

// Cloud is never called.
func (r *ourReplay) Cloud(api.CloudRequest) api.CloudResponse { panic("no cloud here") }

// Now is the time of everything here.
func (r *ourReplay) Now() time.Time { return start }

func (r *ourReplay) settle() {
	for range 1000 {
		for _, c := range r.server.Changes(r.observed) {
			r.collector.Observe(collector.Change{Type: c.Type, GVR: c.GVR, Object: c.Object})
			r.observed = c.Revision
		}
		item, ok := r.collector.Next()
		if !ok {
			return
		}
		r.collector.Step(item, r)
	}
}

func (r *ourReplay) step(s step) answer {
	if s.WaitSettled {
		r.settle()
	}
	query := url.Values{}
	for key, v := range s.Query {
		query.Set(key, fmt.Sprint(v))
	}
	h := rest.HTTPRequest{Method: s.Method, Path: s.Path, Query: query.Encode(), ContentType: s.ContentType,
		Accept: "application/json", UserAgent: "recorder/1.0"}
	if s.Body != nil {
		h.Body = []byte(jsonText(s.Body))
	}
	req, format, status := rest.Decode(h)
	if status != nil {
		return decoded(rest.EncodeStatus(status, format))
	}
	resp := r.Do(req)
	out := decoded(rest.EncodeResponse(resp, format))
	if resp.Watch != nil {
		out.Events = []event{}
		var stream rest.Stream
		for _, e := range slices.Concat(resp.Watch.Initial, r.server.Watching(req, resp.Watch.Revision)) {
			var one event
			if json.Unmarshal(stream.Encode(e), &one) == nil {
				out.Events = append(out.Events, one)
			}
		}
	}
	return out
}

func decoded(h rest.HTTPResponse) answer {
	out := answer{Code: h.Code}
	if json.Unmarshal(h.Body, &out.Body) != nil {
		out.Body = map[string]any{"text": strings.TrimSpace(string(h.Body))}
	}
	return out
}
