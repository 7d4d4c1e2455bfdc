package collector_test

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/object"
)

var updateGoldens = flag.Bool("update", false, "rewrite the expected output of testdata")

// TestScripts plays testdata/*.txt: lines that begin with "> " are acts, what
// stands below each is what then happened.
//
//	create NAMESPACE/NAME [owner=NAME]... [finalizer=F] [block] [label]  a ConfigMap
//	widget NAME [owner=...]                                             a cluster-scoped custom object
//	delete NAME [POLICY]   unfinalize NAME   disown NAME                acts of a user
//	pending                                                             what the collector would do
//	step [ITEM]                                                         one item, the first where none is named
//	run                                                                 step until nothing is left
//	refuse VERB NAME                                                    the next such request is answered 503
//	show NAME                                                           an object as it is
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			in, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := play(t, string(in))
			if *updateGoldens {
				if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if out != string(in) {
				t.Errorf("%s plays as\n%s", file, out)
			}
		})
	}
}

func play(t *testing.T, script string) string {
	w := newWorld(t)
	var out strings.Builder
	for lines := bufio.NewScanner(strings.NewReader(script)); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			fmt.Fprintln(&out, line)
		}
		act, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		fmt.Fprintln(&out, line)
		w.log = nil
		w.act(strings.Fields(act))
		for _, l := range w.log {
			fmt.Fprintln(&out, l)
		}
	}
	return out.String()
}

// world is a server, a collector that has seen all, and what they did.
type world struct {
	t         *testing.T
	server    *apiserver.Server
	collector *collector.Collector
	seen      int64
	now       time.Time
	log       []string
	refuse    string
	// quiet leaves the requests out of the log.
	quiet bool
}

func newWorld(t *testing.T) *world {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	w := &world{t: t, server: apiserver.New(1, now), collector: collector.New(), now: now, quiet: true}
	for _, crd := range []struct{ plural, kind, scope string }{{"widgets", "Widget", "Cluster"}, {"gadgets", "Gadget", "Namespaced"}} {
		w.mustDo(api.Request{Verb: api.Create, GVR: crdGVR, Body: object.FromAny(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": crd.plural + ".example.com"},
			"spec": map[string]any{"group": "example.com", "scope": crd.scope,
				"names": map[string]any{"plural": crd.plural, "kind": crd.kind},
				"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object"}}}}},
		})})
	}
	w.mustDo(api.Request{Verb: api.Create, GVR: nsGVR, Body: object.FromAny(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "demo"}})})
	w.observe()
	w.quiet = false
	return w
}

var (
	crdGVR    = object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	nsGVR     = object.GVR{Version: "v1", Resource: "namespaces"}
	cmGVR     = object.GVR{Version: "v1", Resource: "configmaps"}
	widgetGVR = object.GVR{Group: "example.com", Version: "v1", Resource: "widgets"}
	gadgetGVR = object.GVR{Group: "example.com", Version: "v1", Resource: "gadgets"}
)

// Do serves the collector and notes what it asks.
func (w *world) Do(r api.Request) api.Response {
	line := "  " + string(r.Verb) + " " + r.Resource
	if r.Subresource != "" {
		line += "/" + r.Subresource
	}
	for _, part := range []string{r.Namespace, r.Name} {
		if part != "" {
			line += " " + part
		}
	}
	var resp api.Response
	if w.refuse == string(r.Verb)+" "+r.Name {
		w.refuse = ""
		resp = api.Response{Code: 503, Status: api.NewServiceUnavailable()}
	} else {
		resp = w.server.Do(w.now, r)
	}
	if r.Verb.Writes() && r.Verb != api.Create {
		if m, ok := r.Body.(*object.Map); ok && r.Verb != api.Update {
			line += " " + strings.ReplaceAll(string(object.EncodeJSON(m.Without("apiVersion").Without("kind").Without("preconditions"))), `"`, "")
		}
	}
	if !w.quiet {
		w.log = append(w.log, fmt.Sprintf("%s: %d", w.hideVersions(line), resp.Code))
	}
	return resp
}

// hideVersions takes what no reader wants to compare out of a line.
func (w *world) hideVersions(line string) string {
	for _, key := range []string{"resourceVersion:", "uid:"} {
		for from := 0; ; {
			i := strings.Index(line[from:], key)
			if i < 0 {
				break
			}
			start := from + i + len(key)
			end := start + strings.IndexAny(line[start:], ",}")
			line = line[:start] + "*" + line[end:]
			from = start
		}
	}
	return line
}

func (w *world) Cloud(api.CloudRequest) api.CloudResponse { panic("the collector calls no cloud") }

func (w *world) Now() time.Time { return w.now }

func (w *world) mustDo(r api.Request) object.Object {
	w.t.Helper()
	resp := w.server.Do(w.now, r)
	if err := resp.Err(); err != nil {
		w.t.Fatalf("%s %s %s: %v", r.Verb, r.Resource, r.Name, err)
	}
	return resp.Object
}

func (w *world) observe() {
	for _, c := range w.server.Changes(w.seen) {
		w.seen = c.Revision
		if !w.quiet {
			w.log = append(w.log, fmt.Sprintf("  %s %s", c.Type, c.Object.Ref()))
		}
		w.collector.Observe(collector.Change{Type: c.Type, GVR: c.GVR, Object: c.Object})
	}
}

// find reads NAME, NAMESPACE/NAME, widget:NAME, gadget:NAMESPACE/NAME, ns:NAME or crd:NAME.
func (w *world) find(arg string) api.Request {
	r := api.Request{GVR: cmGVR, Namespace: "default", Name: arg}
	kind, name, ok := strings.Cut(arg, ":")
	if ok {
		r.Name = name
		r.GVR = map[string]object.GVR{"widget": widgetGVR, "gadget": gadgetGVR, "ns": nsGVR, "crd": crdGVR}[kind]
	}
	if ns, name, ok := strings.Cut(r.Name, "/"); ok {
		r.Namespace, r.Name = ns, name
	}
	if kind != "gadget" && ok {
		r.Namespace = ""
	}
	return r
}

func (w *world) get(arg string) object.Object {
	r := w.find(arg)
	r.Verb = api.Get
	return w.server.Do(w.now, r).Object
}

func (w *world) create(arg string, options []string) {
	r := w.find(arg)
	r.Verb = api.Create
	kinds := map[object.GVR][2]string{cmGVR: {"v1", "ConfigMap"}, widgetGVR: {"example.com/v1", "Widget"}, gadgetGVR: {"example.com/v1", "Gadget"}}
	o := object.FromMap(map[string]any{"apiVersion": kinds[r.GVR][0], "kind": kinds[r.GVR][1], "metadata": map[string]any{"name": r.Name}})
	var owners []any
	for _, option := range options {
		key, value, _ := strings.Cut(option, "=")
		switch key {
		case "finalizer":
			o = o.WithFinalizers(value)
		case "owner", "block":
			owner := w.get(value)
			owners = append(owners, map[string]any{"apiVersion": owner.APIVersion(), "kind": owner.Kind(), "name": owner.Name(), "uid": owner.UID(), "blockOwnerDeletion": key == "block"})
		case "ghost", "misnamed":
			uid := "00000000-0000-0000-0000-000000000000"
			if key == "misnamed" {
				uid = w.get(value).UID()
			}
			owners = append(owners, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "name": "ghost", "uid": uid})
		}
	}
	if owners != nil {
		o = o.Set(owners, "metadata", "ownerReferences")
	}
	r.Body, r.Name = o.Root(), ""
	w.mustDo(r)
}

func (w *world) act(words []string) {
	args := words[1:]
	switch words[0] {
	case "create":
		w.create(args[0], args[1:])
	case "delete":
		r := w.find(args[0])
		r.Verb = api.Delete
		if len(args) > 1 {
			r.PropagationPolicy = &args[1]
		}
		w.mustDo(r)
	case "unfinalize", "disown", "own":
		r := w.find(args[0])
		r.Verb, r.PatchType = api.Patch, api.MergePatch
		field := map[string]string{"unfinalize": "finalizers", "disown": "ownerReferences", "own": "ownerReferences"}[words[0]]
		var value any
		if words[0] == "own" {
			o := w.get(args[1])
			value = []any{map[string]any{"apiVersion": o.APIVersion(), "kind": o.Kind(), "name": o.Name(), "uid": o.UID(), "blockOwnerDeletion": true}}
		}
		r.Body = object.FromAny(map[string]any{"metadata": map[string]any{field: value}})
		w.mustDo(r)
	case "refuse":
		w.refuse = strings.Join(args, " ")
	case "pending":
		for _, item := range w.collector.Pending() {
			w.log = append(w.log, "  "+item.String())
		}
	case "step":
		w.step(strings.Join(args, " "))
	case "run":
		for range 100 {
			if _, ok := w.collector.Next(); !ok {
				return
			}
			w.step("")
		}
		w.t.Error("the collector does not come to rest")
	case "show":
		o := w.get(args[0])
		line := "  gone"
		if !o.IsZero() {
			line = fmt.Sprintf("  terminating=%v finalizers=%v owners=%d", o.Terminating(), o.Finalizers(), len(o.OwnerReferences()))
			for _, c := range o.List("status", "conditions").All() {
				m, _ := c.(*object.Map)
				if cond := object.New(m); cond.Str("status") == "True" {
					line += fmt.Sprintf("\n  %s %s: %s", cond.Str("type"), cond.Str("reason"), cond.Str("message"))
				}
			}
		}
		w.log = append(w.log, line)
	default:
		w.t.Fatalf("no such act: %v", words)
	}
	w.observe()
}

func (w *world) step(name string) {
	item, ok := w.collector.Next()
	if name != "" {
		ok = false
		for _, i := range w.collector.Pending() {
			if i.String() == name {
				item, ok = i, true
			}
		}
	}
	if !ok {
		w.t.Fatalf("%q is not pending", name)
	}
	w.log = append(w.log, item.String())
	if !w.collector.Step(item, w) {
		w.t.Fatalf("%s is not pending", item)
	}
	w.observe()
}
