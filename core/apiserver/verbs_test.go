package apiserver_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

// tree builds an object from YAML.
func tree(t testing.TB, text string) object.Object {
	t.Helper()
	docs, err := object.DecodeYAML([]byte(text))
	if err != nil || len(docs) != 1 {
		t.Fatalf("%v: %s", err, text)
	}
	return object.New(docs[0].Value.(*object.Map))
}

// apply creates an object by its kind.
func apply(t testing.TB, s *apiserver.Server, text string) api.Response {
	t.Helper()
	o := tree(t, text)
	res, ok := s.ResourceForKind(o.GVK().Group, o.Kind())
	if !ok {
		t.Fatalf("no kind %s", o.GVK())
	}
	ns := o.Namespace()
	if res.Namespaced && ns == "" {
		ns = "default"
	}
	return s.Do(start, api.Request{Verb: api.Create, GVR: res.GVR, Namespace: ns, Body: o.Root()})
}

func refused(t *testing.T, resp api.Response, code int, message string) {
	t.Helper()
	if resp.Code != code || resp.Status == nil || !strings.Contains(resp.Status.Message, message) {
		t.Errorf("code %d, %v; want %d, %q", resp.Code, resp.Err(), code, message)
	}
}

func TestRefusals(t *testing.T) {
	const meta = "apiVersion: v1\nkind: ConfigMap\nmetadata: "
	cases := []struct{ name, body, message string }{
		{"resourceVersion on create", meta + "{name: a, resourceVersion: '7'}", "resourceVersion should not be set on objects to be created"},
		{"finalizer without a domain", meta + "{name: a, finalizers: [x]}", "metadata.finalizers[0]: Invalid value: \"x\": name is neither a standard finalizer name nor is it fully qualified"},
		{"bad data key", meta + "{name: a}\ndata: {'a b': x}", "data[a b]: Invalid value: \"a b\": a valid config key must consist of"},
		{"key twice", meta + "{name: a}\ndata: {a: x}\nbinaryData: {a: eA==}", "data[a]: Invalid value: \"a\": duplicate of key present in binaryData"},
		{"both collectors' finalizers", meta + "{name: a, finalizers: [orphan, foregroundDeletion]}", "finalizer orphan and foregroundDeletion cannot be both set"},
		{"service without ports", "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {}", "spec.ports: Required value"},
		{"service name", "apiVersion: v1\nkind: Service\nmetadata: {name: a.b}\nspec: {ports: [{port: 80}]}", "metadata.name: Invalid value: \"a.b\": must not contain dots"},
		{"event elsewhere", "apiVersion: v1\nkind: Event\nmetadata: {name: a}\ninvolvedObject: {namespace: b}", "involvedObject.namespace: Invalid value: \"b\": does not match event.namespace"},
	}
	s := apiserver.New(1, start)
	for _, c := range cases {
		before := s.Revision()
		resp := apply(t, s, c.body)
		if resp.Err() == nil || !strings.Contains(resp.Err().Error(), c.message) {
			t.Errorf("%s: %v, want %q", c.name, resp.Err(), c.message)
		}
		if s.Revision() != before {
			t.Errorf("%s: something was written", c.name)
		}
	}
}

func TestNamespaceMustBeThere(t *testing.T) {
	s := apiserver.New(1, start)
	refused(t, apply(t, s, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: none}"), 404, `namespaces "none" not found`)
	namespaces := object.GVR{Version: "v1", Resource: "namespaces"}
	if err := apply(t, s, "apiVersion: v1\nkind: Namespace\nmetadata: {name: going}").Err(); err != nil {
		t.Fatal(err)
	}
	if err := s.Do(start, api.Request{Verb: api.Delete, GVR: namespaces, Name: "going"}).Err(); err != nil {
		t.Fatal(err)
	}
	resp := apply(t, s, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: going}")
	refused(t, resp, 403, `configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated`)
	if causes := resp.Status.Details.Causes; len(causes) != 1 || causes[0].Reason != "NamespaceTerminating" {
		t.Errorf("causes %v", causes)
	}
	// The collector's last act.
	ns, _ := s.Find(object.Ref{Kind: "Namespace", Name: "going"})
	resp = s.Do(start, api.Request{Verb: api.Update, GVR: namespaces, Name: "going", Subresource: "finalize", Body: ns.Unset("spec", "finalizers").Root()})
	if resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	if _, ok := s.Find(object.Ref{Kind: "Namespace", Name: "going"}); ok {
		t.Error("the namespace is still there")
	}
}

func TestImmutableConfigMap(t *testing.T) {
	s := apiserver.New(1, start)
	if err := apply(t, s, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\nimmutable: true").Err(); err != nil {
		t.Fatal(err)
	}
	patch := func(text string) api.Response {
		return s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: configMaps, Namespace: "default", Name: "a", Body: tree(t, text).Root()})
	}
	refused(t, patch("data: {k: w}"), 422, "data: Forbidden: field is immutable when `immutable` is set")
	refused(t, patch("immutable: null"), 422, "immutable: Forbidden: field is immutable when `immutable` is set")
	if err := patch("metadata: {labels: {a: b}}").Err(); err != nil {
		t.Error(err)
	}
}

func TestDryRunChangesNothing(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	before := s.Revision()
	for _, req := range []api.Request{
		{Verb: api.Delete, Name: "a", Options: api.Options{DryRun: []string{"All"}}},
		{Verb: api.Delete, Name: "a", Body: tree(t, "dryRun: [All]\npropagationPolicy: Foreground").Root()},
		{Verb: api.DeleteCollection, Options: api.Options{DryRun: []string{"All"}}},
		{Verb: api.Create, Body: configMap("b", "1"), Options: api.Options{DryRun: []string{"All"}}},
		{Verb: api.Update, Name: "a", Body: configMap("a", "2"), Options: api.Options{DryRun: []string{"All"}}},
	} {
		req.GVR, req.Namespace = configMaps, "default"
		if resp := s.Do(start, req); resp.Err() != nil {
			t.Errorf("%s: %v", req.Verb, resp.Err())
		}
		if s.Revision() != before {
			t.Errorf("%s wrote", req.Verb)
		}
	}
}

func TestServiceAddresses(t *testing.T) {
	s := apiserver.New(1, start)
	seen := map[string]bool{}
	for _, name := range []string{"a", "b", "c"} {
		resp := apply(t, s, "apiVersion: v1\nkind: Service\nmetadata: {name: "+name+"}\nspec: {ports: [{port: 80}]}")
		if resp.Err() != nil {
			t.Fatal(resp.Err())
		}
		ip := resp.Object.Str("spec", "clusterIP")
		if ip == "" || seen[ip] {
			t.Errorf("%s has the address %q, taken %v", name, ip, seen)
		}
		seen[ip] = true
		if port := resp.Object.List("spec", "ports").At(0); !object.Equal(port, tree(t, "{port: 80, protocol: TCP, targetPort: 80}").Root()) {
			t.Errorf("port %s", object.EncodeJSON(port))
		}
	}
	services := object.GVR{Version: "v1", Resource: "services"}
	resp := s.Do(start, api.Request{Verb: api.List, GVR: services, Namespace: "default", As: api.AsTable, Options: api.Options{IncludeObject: "None"}})
	row := object.New(resp.Table.List("rows").At(0).(*object.Map)).List("cells")
	if want := object.NewList("a", "ClusterIP", "10.96.0.10", "<none>", "80/TCP", "0s", "<none>"); !object.Equal(row, want) {
		t.Errorf("row %s, want %s", object.EncodeJSON(row), object.EncodeJSON(want))
	}
}

func TestUnsupportedPatchTypes(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	resp := s.Do(start, api.Request{Verb: api.Patch, PatchType: "text/plain", GVR: configMaps, Namespace: "default", Name: "a", RawBody: []byte("{}")})
	refused(t, resp, 415, "415: Unsupported Media Type")
}

func TestMetadataIsValidatedOnUpdate(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	for text, message := range map[string]string{
		"metadata: {labels: {a: 'no spaces'}}":    "metadata.labels: Invalid value: \"no spaces\": a valid label must be",
		"metadata: {finalizers: ['a b']}":         "metadata.finalizers: Invalid value: \"a b\": name part must consist of",
		"metadata: {finalizers: [a]}":             "metadata.finalizers[0]: Invalid value: \"a\": name is neither a standard finalizer name",
		"metadata: {ownerReferences: [{uid: u}]}": "metadata.ownerReferences[0].apiVersion: Required value: must not be empty",
	} {
		resp := s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: configMaps, Namespace: "default", Name: "a", Body: tree(t, text).Root()})
		refused(t, resp, 422, message)
	}
}

func TestDeletePreconditions(t *testing.T) {
	s := thingServer(t)
	create(t, s, configMap("a", "1"))
	options := tree(t, "preconditions: {uid: other}").Root()
	refused(t, s.Do(start, api.Request{Verb: api.Delete, GVR: configMaps, Namespace: "default", Name: "a", Body: options}), 409,
		`Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (`)
	refused(t, s.Do(start, api.Request{Verb: api.Delete, GVR: crds, Name: "things.example.com", Body: options}), 409,
		`Operation cannot be fulfilled on customresourcedefinitions.apiextensions.k8s.io "things.example.com": precondition failed: UID in precondition: other, UID in object meta: `)
}

// A dry run names what it found by the key without the prefix of the store.
func TestPreconditionsNameTheKey(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	body := tree(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, uid: 'Key: /registry/'}").Root()
	for key, options := range map[string]api.Options{"/registry/configmaps/default/a": {}, "/configmaps/default/a": {DryRun: []string{"All"}}} {
		refused(t, s.Do(start, api.Request{Verb: api.Update, GVR: configMaps, Namespace: "default", Name: "a", Body: body, Options: options}), 409,
			"Key: "+key+", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: Key: /registry/, UID in object meta: ")
	}
}
