package script_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
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
func newLabWire(t *testing.T) *labWire {
	w := &labWire{wire: newWire(t)}
	w.server = apiserver.New(1, w.now)
	s := labScenario(t)
	objects := s.Objects
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

func labScenario(t *testing.T) *scenario.Scenario {
	t.Helper()
	scenario.UseScripts(readScript, script.Shell)
	t.Cleanup(func() { scenario.UseScripts(nil, nil) })
	text, err := os.ReadFile("../scenario/library/lab.txtar")
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// labScripts are the reconcilers in testdata/lab: those that need a program that
// is not there are left out.
func labScripts(t *testing.T) map[string]string {
	t.Helper()
	names, _ := filepath.Glob("testdata/lab/*.sh")
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := tool.Lookup("jq"); ok || !bytes.Contains(text, []byte("$(jq ")) {
			texts[filepath.Base(name)] = string(text)
		}
	}
	if len(texts) == 0 {
		t.Fatal("no scripts")
	}
	return texts
}

// Each of the lab's scripts passes every check of the lab's whole life.
func TestLabScripts(t *testing.T) {
	for name, text := range labScripts(t) {
		t.Run(name, func(t *testing.T) {
			with, err := labScenario(t).WithScript("reconcile.sh", text)
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
	t := &testing.T{}
	for name, text := range labScripts(t) {
		b.Run(name, func(b *testing.B) {
			w := newLabWire(t)
			p, err := script.Compile("reconcile.sh", text)
			if err != nil {
				b.Fatal(err)
			}
			r := p.Reconciler("WebApp", "webapps", "lab.example.com", "v1")
			ctx := reconcile.NewContext(context.Background(), w)
			key := reconcile.Request{Namespace: "default", Name: "outside"}
			pass := func() {
				if _, err := r.Reconcile(ctx, key); err != nil {
					b.Fatal(err, w.log)
				}
			}
			pass()
			pass()
			before := w.revision()
			b.ReportAllocs()
			for b.Loop() {
				pass()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "passes/s")
			if w.revision() != before {
				b.Error("a pass over what is as desired changes something")
			}
		})
	}
}

func readScript(name, text string) (scenario.Script, error) {
	p, err := script.Compile(name, text)
	if err != nil {
		return nil, err
	}
	return p, nil
}
