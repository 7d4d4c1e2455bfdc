package script_test

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/grade"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/script"
	"github.com/reconcile-playground/reconcile/core/script/tool"
)

// labWire is a wire to an API server, without faults.
type labWire struct {
	*wire
	server *apiserver.Server
}

func (w *labWire) Do(req api.Request) api.Response { return w.server.Do(w.now, req) }

// revision is that of the last change in the cluster.
func (w *labWire) revision() string {
	return w.Do(api.Request{Verb: api.List, GVR: object.GVR{Version: "v1", Resource: "configmaps"}}).List.ResourceVersion
}

// newLabWire has the lab's definition and its WebApps.
func newLabWire(t testing.TB) *labWire {
	w := &labWire{wire: newWire(t)}
	w.server = apiserver.New(1, w.now)
	s := labScenario(t)
	objects := s.Objects()
	for _, f := range s.Files {
		docs, err := object.DecodeYAML([]byte(f.Text))
		if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, object.New(docs[0].Value.(*object.Map)))
	}
	for _, o := range objects {
		req := api.Request{Verb: api.Create, Namespace: o.Namespace(), Body: o.Root(), GVR: resourceOf(o)}
		if err := w.server.Do(w.now, req).Err(); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func resourceOf(o object.Object) object.GVR {
	switch o.Kind() {
	case "CustomResourceDefinition":
		return object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	case "WebApp":
		return object.GVR{Group: "lab.example.com", Version: "v1", Resource: "webapps"}
	}
	return object.GVR{Version: "v1", Resource: strings.ToLower(o.Kind()) + "s"}
}

func labScenario(t testing.TB) *scenario.Scenario {
	t.Helper()
	scenario.UseScripts(readScript, script.Shell)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The reconcilers of the lab lie in the binary, so that a browser runs them too.
//
//go:embed testdata/lab/*.sh
var labFiles embed.FS

// labScripts are the lab's reconcilers, each with its name, in the order of these.
// Those that need a program that is not there are left out.
func labScripts(t testing.TB) []labScript {
	t.Helper()
	entries, err := labFiles.ReadDir("testdata/lab")
	if err != nil {
		t.Fatal(err)
	}
	var out []labScript
	for _, e := range entries {
		text, err := labFiles.ReadFile("testdata/lab/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tool.Lookup("jq"); ok || !bytes.Contains(text, []byte("$(jq ")) {
			out = append(out, labScript{e.Name(), string(text)})
		}
	}
	if len(out) == 0 {
		t.Fatal("no scripts")
	}
	return out
}

type labScript struct{ name, text string }

// Each of the lab's scripts passes every check of the lab's whole life.
func TestLabScripts(t *testing.T) {
	for _, sh := range labScripts(t) {
		t.Run(sh.name, func(t *testing.T) {
			with, err := labScenario(t).WithScript("reconcile.sh", sh.text)
			if err != nil {
				t.Fatal(err)
			}
			g, err := grade.Run(with)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range g.Checks {
				if !c.Passed {
					t.Errorf("%s: %s; %s", c.Name, c.Expected, c.Happened)
				}
			}
			for _, f := range g.Findings {
				t.Error(f.Sentence)
			}
		})
	}
}

// BenchmarkLabScript is one pass of a script of the lab over a WebApp that is as
// desired, without the simulation around it.
func BenchmarkLabScript(b *testing.B) {
	for _, sh := range labScripts(b) {
		b.Run(sh.name, func(b *testing.B) {
			l := newLabPass(b)
			l.compile(sh.text)
			l.pass()
			l.pass()
			before := l.wire.revision()
			b.ReportAllocs()
			for b.Loop() {
				l.pass()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "passes/s")
			if l.wire.revision() != before {
				b.Error("a pass over what is as desired changes something")
			}
		})
	}
}

// BenchmarkFirstRun is the first pass after an edit: the script is read, and each
// of its jq programs compiled, since none of them was seen before.
func BenchmarkFirstRun(b *testing.B) {
	for _, sh := range labScripts(b) {
		b.Run(sh.name, func(b *testing.B) {
			l, n := newLabPass(b), 0
			for b.Loop() {
				n++
				l.compile(strings.ReplaceAll(sh.text, "jq ", fmt.Sprintf("jq --arg edit%d x ", n)))
				l.pass()
			}
		})
	}
}

// labPass runs passes over the WebApp outside.
type labPass struct {
	b      *testing.B
	wire   *labWire
	script reconcile.Reconciler
}

func newLabPass(b *testing.B) *labPass { return &labPass{b: b, wire: newLabWire(b)} }

func (l *labPass) compile(text string) {
	p, err := script.Compile("reconcile.sh", text)
	if err != nil {
		l.b.Fatal(err)
	}
	l.script = p.Reconciler("WebApp", "webapps", "lab.example.com", "v1")
}

func (l *labPass) pass() {
	ctx := reconcile.NewContext(context.Background(), l.wire)
	if _, err := l.script.Reconcile(ctx, reconcile.Request{Namespace: "default", Name: "outside"}); err != nil {
		l.b.Fatal(err, l.wire.log)
	}
}

func readScript(name, text string) (scenario.Script, error) {
	p, err := script.Compile(name, text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
