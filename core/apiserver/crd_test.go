package apiserver_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

const twoVersions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
  - name: v1beta1
    served: true
    storage: false
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
`

var (
	crds   = object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	things = object.GVR{Group: "example.com", Version: "v1", Resource: "things"}
)

func thingServer(t *testing.T) *apiserver.Server {
	t.Helper()
	s := apiserver.New(1, start)
	resp := apply(t, s, twoVersions)
	if resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	if got := resp.Object.Str("spec", "names", "listKind"); got != "ThingList" {
		t.Errorf("listKind %q", got)
	}
	return s
}

func TestVersionsOfOneResource(t *testing.T) {
	s := thingServer(t)
	beta := things
	beta.Version = "v1beta1"
	created := s.Do(start, api.Request{Verb: api.Create, GVR: beta, Namespace: "default", Body: tree(t, "apiVersion: example.com/v1beta1\nkind: Thing\nmetadata: {name: a}\nspec: {size: 1}").Root()})
	if created.Err() != nil || created.Object.APIVersion() != "example.com/v1beta1" {
		t.Fatalf("created %v, %v", created.Object, created.Err())
	}
	got := s.Do(start, api.Request{Verb: api.Get, GVR: things, Namespace: "default", Name: "a"})
	if got.Object.APIVersion() != "example.com/v1" || got.Object.UID() != created.Object.UID() {
		t.Errorf("as v1: %v", got.Object)
	}
	if o, _ := s.Find(object.Ref{Group: "example.com", Kind: "Thing", Namespace: "default", Name: "a"}); o.APIVersion() != "example.com/v1" {
		t.Errorf("stored as %s", o.APIVersion())
	}
	if res, _ := s.ResourceForKind("", "Thing"); res.GVR != things {
		t.Errorf("the preferred resource is %v", res.GVR)
	}
	n := 0
	for o := range s.All() {
		if o.Object.Kind() == "Thing" {
			n++
			if o.GVR != things {
				t.Errorf("listed as %v", o.GVR)
			}
		}
	}
	if n != 1 {
		t.Errorf("one object stands there %d times", n)
	}
	if changes := s.Changes(s.Revision() - 1); len(changes) != 1 || changes[0].GVR != things {
		t.Errorf("changes %v", changes)
	}
	for i, gvr := range []object.GVR{things, beta} {
		events := s.Watching(api.Request{Verb: api.Watch, GVR: gvr}, s.Revision()-1)
		if len(events) != 1 || events[0].Object.APIVersion() != gvr.APIVersion() {
			t.Errorf("watch %d: %v", i, events)
		}
	}
}

func TestDefinitionGoes(t *testing.T) {
	s := thingServer(t)
	if err := apply(t, s, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}").Err(); err != nil {
		t.Fatal(err)
	}
	before := s.Clone()
	gone := s.Do(start, api.Request{Verb: api.Delete, GVR: crds, Name: "things.example.com"})
	if gone.Err() != nil || !gone.Object.Terminating() || !slices.Equal(gone.Object.Finalizers(), []string{"customresourcecleanup.apiextensions.k8s.io"}) {
		t.Fatalf("deleted: %v, %v", gone.Object, gone.Err())
	}
	refused(t, apply(t, s, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: b}"), 403, `things.example.com "b" is forbidden: create not allowed while custom resource definition is terminating`)
	again := s.Do(start, api.Request{Verb: api.Delete, GVR: crds, Name: "things.example.com"})
	if again.Err() != nil || again.Object.DeletionTimestamp() != gone.Object.DeletionTimestamp() || again.Object.Generation() != gone.Object.Generation() {
		t.Errorf("deleted again: %v, %v", again.Object, again.Err())
	}
	if resp := s.Do(start, api.Request{Verb: api.Get, GVR: things, Namespace: "default", Name: "a"}); resp.Err() != nil {
		t.Errorf("its objects go before it does: %v", resp.Err())
	}
	free := s.Do(start, api.Request{Verb: api.Update, GVR: crds, Name: "things.example.com", Subresource: "status", Body: again.Object.WithFinalizers().Root()})
	if free.Err() != nil {
		t.Fatal(free.Err())
	}
	if resp := s.Do(start, api.Request{Verb: api.List, GVR: things}); resp.Code != 404 || string(resp.Raw) != "404 page not found\n" {
		t.Errorf("the resource is still served: %v", resp)
	}
	if resp := before.Do(start, api.Request{Verb: api.List, GVR: things}); resp.List == nil {
		t.Errorf("a clone from before lost it: %v", resp)
	}
}

func TestRulesNeedAnEvaluator(t *testing.T) {
	const withRules = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: rules.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Rule, plural: rules}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-validations: [{rule: "true"}]}}}}
`
	s := apiserver.New(1, start)
	refused(t, apply(t, s, withRules), 422, "the evaluator of CEL rules is not loaded")
	s.SetRules(celRules())
	if err := apply(t, s, withRules).Err(); err != nil {
		t.Error(err)
	}
}

func TestRestoredServerServesDefinitions(t *testing.T) {
	s := thingServer(t)
	r, err := apiserver.Restore(s.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Resources(), r.Resources()); diff != "" {
		t.Errorf("serves other resources (-want +got):\n%s", diff)
	}
	bad := s.Snapshot()
	bad.Store.Objects = append(bad.Store.Objects, bad.Store.Objects[0])
	if _, err := apiserver.Restore(bad); err == nil {
		t.Error("a snapshot with an object twice was taken")
	}
}

func TestEmbeddedMetadata(t *testing.T) {
	s := apiserver.New(1, start)
	const boxes = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Box, plural: boxes}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {inside: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}
`
	if err := apply(t, s, boxes).Err(); err != nil {
		t.Fatal(err)
	}
	const box = "apiVersion: example.com/v1\nkind: Box\nmetadata: {name: a}\ninside: {apiVersion: v1, kind: Pod, metadata: {labels: {a: "
	refused(t, apply(t, s, box+"'no spaces'}}}"), 422, "inside.metadata.labels: Invalid value: \"no spaces\": a valid label must be")
	if err := apply(t, s, box+"b}}}").Err(); err != nil {
		t.Error(err)
	}
}

func TestFinalizerWithoutADomainWarns(t *testing.T) {
	s := thingServer(t)
	resp := apply(t, s, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a, finalizers: [mine.example.com, mine]}")
	want := []string{
		`metadata.finalizers: "mine": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
		`metadata.finalizers: "mine.example.com": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers`,
	}
	if resp.Err() != nil || !slices.Equal(resp.Warnings, want) {
		t.Errorf("%v, warnings %q", resp.Err(), resp.Warnings)
	}
}

// TestNamesOfDefinitions: a name belongs to the first definition of a group that
// asks for it, and to the next one once that is gone. The texts are those of the
// real server.
func TestNamesOfDefinitions(t *testing.T) {
	s := thingServer(t)
	const second = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: others.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: others, singular: other, listKind: OtherList, shortNames: [things, thing]}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
	if resp := apply(t, s, second); resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	others := object.GVR{Group: "example.com", Version: "v1", Resource: "others"}
	conditions := func() (texts []string) {
		o := s.Do(start, api.Request{Verb: api.Get, GVR: crds, Name: "others.example.com"}).Object
		for _, c := range o.List("status", "conditions").All() {
			m, _ := c.(*object.Map)
			one := object.New(m)
			texts = append(texts, one.Str("type")+"="+one.Str("status")+" "+one.Str("reason")+": "+one.Str("message"))
		}
		return append(texts, o.Str("status", "acceptedNames", "plural")+"/"+o.Str("status", "acceptedNames", "kind"))
	}
	want := []string{`NamesAccepted=False KindConflict: "Thing" is already in use`, "Established=False NotAccepted: not all names are accepted", "others/"}
	if d := cmp.Diff(want, conditions()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if resp := s.Do(start, api.Request{Verb: api.List, GVR: others}); resp.Code != 404 {
		t.Errorf("a definition that is not established is served: %d", resp.Code)
	}
	s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: crds, Name: "others.example.com", Body: tree(t, "spec: {names: {kind: Other}}").Root()})
	want[0] = `NamesAccepted=False ShortNamesConflict: ["things" is already in use, "thing" is already in use]`
	want[2] = "others/Other"
	if d := cmp.Diff(want, conditions()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	s.Do(start, api.Request{Verb: api.Delete, GVR: crds, Name: "things.example.com"})
	s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: crds, Name: "things.example.com", Body: tree(t, "metadata: {finalizers: null}").Root()})
	want = []string{"NamesAccepted=True NoConflicts: no conflicts found", "Established=True InitialNamesAccepted: the initial names have been accepted", "others/Other"}
	if d := cmp.Diff(want, conditions()); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if resp := s.Do(start, api.Request{Verb: api.List, GVR: others}); resp.Code != 200 {
		t.Errorf("an established definition is not served: %d", resp.Code)
	}
}

// TestDefinitionStatus: a write to the status of a definition takes metadata
// along, and gives it the fields that are always there.
func TestDefinitionStatus(t *testing.T) {
	s := thingServer(t)
	resp := s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: crds, Name: "things.example.com", Subresource: "status",
		Body: tree(t, "metadata: {labels: {a: b}}\nspec: {scope: Cluster}\nstatus: {storedVersions: null, acceptedNames: null}").Root()})
	if resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	o := resp.Object
	if v, _ := o.At("status", "acceptedNames", "plural"); v != "" || o.Str("spec", "scope") != "Namespaced" || o.Str("metadata", "labels", "a") != "b" ||
		o.List("status", "storedVersions").Len() != 1 {
		t.Errorf("got %v", o)
	}
}
