package apiserver_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

var services = object.GVR{Version: "v1", Resource: "services"}

const patchedService = `
apiVersion: v1
kind: Service
metadata: {name: a, labels: {x: "1", "y": "2"}, finalizers: [a.example.com/a, b.example.com/b]}
spec: {selector: {app: a}, ports: [{name: web, port: 80}, {name: dns, port: 53, protocol: UDP}]}`

// patchAs sends a patch as it is written.
func patchAs(s *apiserver.Server, kind api.PatchType, gvr object.GVR, name, text, validation string) api.Response {
	return s.Do(start, api.Request{Verb: api.Patch, GVR: gvr, Namespace: "default", Name: name,
		Options:   api.Options{FieldValidation: validation},
		PatchType: kind, RawBody: []byte(text), RawType: string(kind)})
}

// TestStrategicPatch: what each patch makes of the same Service; parts of the
// object are compared as JSON, at a path joined by dots.
func TestStrategicPatch(t *testing.T) {
	for _, c := range []struct{ patch, path, want string }{
		{`{"spec":{"ports":[{"port":80,"name":"http"}]}}`, "spec.ports",
			`[{"name":"http","port":80,"protocol":"TCP","targetPort":80},{"name":"dns","port":53,"protocol":"UDP","targetPort":53}]`},
		{`{"spec":{"ports":[{"port":443,"name":"tls"}]}}`, "spec.ports",
			`[{"name":"tls","port":443,"protocol":"TCP","targetPort":443},{"name":"web","port":80,"protocol":"TCP","targetPort":80},{"name":"dns","port":53,"protocol":"UDP","targetPort":53}]`},
		{`{"spec":{"ports":[{"$patch":"delete","port":53}]}}`, "spec.ports", `[{"name":"web","port":80,"protocol":"TCP","targetPort":80}]`},
		{`{"spec":{"ports":[{"$patch":"replace"},{"port":1}]}}`, "spec.ports", `[{"port":1,"protocol":"TCP","targetPort":1}]`},
		{`{"spec":{"$setElementOrder/ports":[{"port":53},{"port":80}]}}`, "spec.ports",
			`[{"name":"dns","port":53,"protocol":"UDP","targetPort":53},{"name":"web","port":80,"protocol":"TCP","targetPort":80}]`},
		{`{"metadata":{"finalizers":["c.example.com/c"]}}`, "metadata.finalizers", `["c.example.com/c","a.example.com/a","b.example.com/b"]`},
		{`{"metadata":{"$deleteFromPrimitiveList/finalizers":["a.example.com/a"]}}`, "metadata.finalizers", `["b.example.com/b"]`},
		{`{"metadata":{"labels":{"x":null,"z":"3"}}}`, "metadata.labels", `{"y":"2","z":"3"}`},
		{`{"metadata":{"labels":{"$patch":"replace","z":"3"}}}`, "metadata.labels", `{"z":"3"}`},
		{`{"metadata":{"labels":{"$retainKeys":["y","z"],"z":"3"}}}`, "metadata.labels", `{"y":"2","z":"3"}`},
		{`{"metadata":{"labels":{"$patch":"delete"}}}`, "metadata.labels", `null`},
		{`{"spec":{"selector":{"app":"b","tier":null}}}`, "spec.selector", `{"app":"b"}`},
		{`{"kind":"Other"}`, "kind", `"Service"`},
		{`{"spec":{"ports":[{"port":80,"targetPort":8080.0},{"port":53,"$patch":"delete"}]}}`, "spec.ports",
			`[{"name":"web","port":80,"protocol":"TCP","targetPort":8080}]`},
		{`null`, "metadata.resourceVersion", `"1001"`},
		{`{}`, "metadata.resourceVersion", `"1001"`},
		{`{"metadata":{"labels":{"gone":null}}}`, "metadata.resourceVersion", `"1001"`},
	} {
		s := apiserver.New(1000, start)
		before := apply(t, s, patchedService)
		if before.Err() != nil {
			t.Fatal(before.Err())
		}
		resp := patchAs(s, api.StrategicMergePatch, services, "a", c.patch, "")
		if c.path == "metadata.resourceVersion" {
			c.want = string(object.EncodeJSON(before.Object.ResourceVersion()))
		}
		got, _ := resp.Object.At(strings.Split(c.path, ".")...)
		if text := string(object.EncodeJSON(got)); resp.Err() != nil || text != c.want {
			t.Errorf("%s: %v\n got %s\nwant %s", c.patch, resp.Err(), text, c.want)
		}
	}
}

// TestStrategicPatchRefused: codes and whole texts.
func TestStrategicPatchRefused(t *testing.T) {
	for _, c := range []struct {
		patch, validation string
		code              int
		message           string
	}{
		{`{`, "", 400, "invalid JSON patch"},
		{`[1]`, "", 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{`{"spec":{"ports":[{"name":"x"}]}}`, "", 500, "map: map[name:x] does not contain declared merge key: port"},
		{`{"spec":{"ports":[{"port":80,"$patch":"frob"}]}}`, "", 500, "unknown patch type: frob in map: map[$patch:frob port:80]"},
		{`{"spec":{"$patch":"merge"}}`, "", 500, "unknown patch type: merge in map: map[$patch:merge]"},
		{`{"metadata":{"$deleteFromPrimitiveList":["x"]}}`, "", 400, "invalid patch format of primitive list"},
		{`{"metadata":{"labels":{"$retainKeys":"x"}}}`, "", 400, "invalid patch format of retainKeys"},
		{`{"metadata":{"labels":{"$retainKeys":["x"],"z":"1"}}}`, "", 400, "invalid patch format of retainKeys"},
		{`{"metadata":{"$setElementOrder":[]}}`, "", 400, "invalid patch format of setElementOrder list"},
		{`{"spec":{"$setElementOrder/ports":[{"port":80}],"ports":[{"port":53}]}}`, "", 500,
			"The order in patch list:\n[map[port:53]]\n doesn't match $setElementOrder list:\n[map[port:80]]\n"},
		{`{"spec":{"$setElementOrder/nope":[]}}`, "", 500, `unable to find api field in struct ServiceSpec for the json field "nope"`},
		{`{"metadata":{"labels":{"x":1}}}`, "", 422,
			` "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[x:1]]]": cannot convert int64 to string`},
		{`{"metadata":{"finalizers":"x"}}`, "", 422,
			` "" is invalid: patch: Invalid value: "map[metadata:map[finalizers:x]]": cannot restore slice from string`},
		{`{"spec":{"type":true}}`, "", 422, ` "" is invalid: patch: Invalid value: "map[spec:map[type:true]]": unrecognized type: string`},
		{`{"spec":{"type":1}}`, "", 422, ` "" is invalid: patch: Invalid value: "map[spec:map[type:1]]": cannot convert int64 to v1.ServiceType`},
		{`{"spec":{"sessionAffinityConfig":"x"}}`, "", 422, ` "" is invalid: patch: Invalid value: "map[spec:map[sessionAffinityConfig:x]]": cannot restore struct from: string`},
		{`{"spec":{"$setElementOrder/ports":["web"]}}`, "", 500, "value for key 0 is not a map"},
		{`{"data":{"a":null}}`, "Strict", 422, ` "" is invalid: patch: Invalid value: "map[data:map[]]": strict decoding error: unknown field "data"`},
		{`{"spec":"x"}`, "", 422, ` "" is invalid: patch: Invalid value: "map[spec:x]": cannot restore struct from: string`},
		{`{"spec":{"nope":1}}`, "Strict", 422,
			` "" is invalid: patch: Invalid value: "map[spec:map[nope:1]]": strict decoding error: unknown field "spec.nope"`},
		{`{"metadata":{"name":"b"}}`, "", 400, "the name of the object (b) does not match the name on the URL (a)"},
		{`{"metadata":{"name":"b","namespace":"c"}}`, "", 400, "the namespace of the provided object does not match the namespace sent on the request"},
		{`{"metadata":null}`, "", 400, "the name of the object (a based on URL) was undeterminable: name must be provided"},
	} {
		s := apiserver.New(1000, start)
		apply(t, s, patchedService)
		resp := patchAs(s, api.StrategicMergePatch, services, "a", c.patch, c.validation)
		if resp.Code != c.code || resp.Err() == nil || resp.Err().Error() != c.message {
			t.Errorf("%s: %d, %v\nwant %d, %s", c.patch, resp.Code, resp.Err(), c.code, c.message)
		}
	}
}

const widgetDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {plural: widgets, kind: Widget}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`

// TestPatchTypes: each kind names the patches that it takes.
func TestPatchTypes(t *testing.T) {
	s := apiserver.New(1000, start)
	widgets := object.GVR{Group: "example.com", Version: "v1", Resource: "widgets"}
	if resp := apply(t, s, widgetDefinition); resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	refused(t, patchAs(s, api.StrategicMergePatch, widgets, "a", `{}`, ""), 415,
		"the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml")
	refused(t, patchAs(s, "application/x", services, "a", `{}`, ""), 415, "415: Unsupported Media Type")
	resp := s.Do(start, api.Request{Verb: api.Patch, GVR: crds, Name: "widgets.example.com", PatchType: api.StrategicMergePatch,
		RawBody: []byte(`{"metadata":{"labels":{"a":"b"}},"spec":{"versions":[]}}`)})
	refused(t, resp, 422, "spec.versions: Invalid value")
}

// TestJSONPatchIsDecodedStrictly: operations have types, and fields that none
// of them has are named.
func TestJSONPatchIsDecodedStrictly(t *testing.T) {
	for _, c := range []struct {
		patch, validation string
		code              int
		message, warning  string
	}{
		{`{}`, "", 400, "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp", ""},
		{`[1]`, "", 400, "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp", ""},
		{`[{"op":1}]`, "", 400, "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string", ""},
		{`[`, "", 400, "invalid JSON patch", ""},
		{`null`, "", 200, "", ""},
		{`[{"op":"test","path":"/data/k","value":"1","more":2}]`, "", 200, "", `json patch unknown field "[0].more"`},
		{`[{"op":"test","op":"test","path":"/data/k","value":"1"}]`, "", 200, "", `json patch duplicate field "[0].op"`},
		{`[{"op":"test","path":"/data/k","value":"1","more":2}]`, "Ignore", 200, "", ""},
		{`[{"op":"test","path":"/data/k","value":"1","more":2}]`, "Strict", 422, `strict decoding error: json patch unknown field "[0].more"`, ""},
	} {
		s := apiserver.New(1000, start)
		create(t, s, configMap("a", "1"))
		resp := patchAs(s, api.JSONPatch, configMaps, "a", c.patch, c.validation)
		if c.message != "" {
			refused(t, resp, c.code, c.message)
		} else if resp.Err() != nil || strings.Join(resp.Warnings, "; ") != c.warning {
			t.Errorf("%s: %v, warnings %q, want %q", c.patch, resp.Err(), resp.Warnings, c.warning)
		}
	}
}
