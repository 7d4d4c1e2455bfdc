package schema

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

func tree(t testing.TB, text string) *object.Map {
	t.Helper()
	o, err := object.DecodeObject([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o.Root()
}

// webapp is the definition that the recordings of the real server share.
func webapp(t testing.TB) *CRD {
	t.Helper()
	text, err := os.ReadFile("testdata/webapp.json")
	if err != nil {
		t.Fatal(err)
	}
	crd, errs := ParseCRD(DefaultCRD(object.New(tree(t, string(text)))))
	if len(errs) > 0 {
		t.Fatal(texts(errs))
	}
	return crd
}

func texts(errs []*api.FieldError) []string {
	var out []string
	for _, e := range errs {
		out = append(out, e.Error())
	}
	return out
}

func TestReadCRD(t *testing.T) {
	crd := webapp(t)
	v := crd.Storage()
	got := fmt.Sprint(crd.Name, crd.GVK("v1"), crd.GVR("v1"), crd.ListKind, crd.Singular, crd.ShortNames, crd.Namespaced, v.Name, v.Served, v.HasStatus, v.Columns[3].JSONPath, v.Columns[4].Priority)
	want := `webapps.lab.example.comlab.example.com/v1, Kind=WebApplab.example.com/v1, Resource=webappsWebAppListwebapp[wa]truev1truetrue.status.conditions[?(@.type=="Ready")].status1`
	if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("got %s", got)
	}
}

// The texts of this table are those of the recordings.
func TestValidateAsRecorded(t *testing.T) {
	s := webapp(t).Storage().Schema
	for _, c := range []struct {
		object string
		want   []string
	}{
		{`{"spec":{"message":5}}`, []string{`spec.message: Invalid value: "integer": spec.message in body must be of type string: "integer"`}},
		{`{"spec":{"message":"x","replicas":1.5}}`, []string{
			`spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"`,
			`<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.replicas`}},
		{`{"spec":{"message":"x","replicas":99999999999999999999}}`, []string{
			`spec.replicas: Invalid value: "number": spec.replicas in body must be of type integer: "number"`,
			`<nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.replicas`,
			`spec.replicas: Invalid value: 1e+20: spec.replicas in body should be less than or equal to 10`}},
		{`{"spec":{"message":"x","replicas":2.0}}`, nil},
		{`{"spec":{"message":"x","data":{"a":1}}}`, []string{`spec.data.a: Invalid value: "integer": spec.data.a in body must be of type string: "integer"`}},
		{`{"spec":{"message":"x","ports":[{"name":"a","port":"80"}]}}`, []string{`spec.ports[0].port: Invalid value: "string": spec.ports[0].port in body must be of type integer: "string"`}},
		{`{"spec":{"message":"x","weight":true}}`, []string{`spec.weight: Invalid value: "boolean": spec.weight in body must be of type integer,string: "boolean"`}},
		{`{"spec":{"message":"x","weight":1.5}}`, []string{`spec.weight: Invalid value: "number": spec.weight in body must be of type integer,string: "number"`}},
		{`{"spec":{"message":"x","weight":"5%"}}`, nil},
		{`{"spec":[]}`, []string{`spec: Invalid value: "array": spec in body must be of type object: "array"`}},
		{`{}`, []string{`spec: Required value`}},
		{`{"spec":{"ports":[{"port":1},{"port":2}]}}`, []string{
			`spec.ports[0].name: Required value`, `spec.ports[1].name: Required value`, `spec.message: Required value`, `spec.ports[1]: Duplicate value: {}`}},
		{`{"spec":{"message":"x","mode":1}}`, []string{
			`spec.mode: Invalid value: "integer": spec.mode in body must be of type string: "integer"`,
			`spec.mode: Unsupported value: 1: supported values: "A", "B"`}},
		{`{"spec":{"message":""}}`, []string{`spec.message: Invalid value: "": spec.message in body should be at least 1 chars long`}},
		{`{"spec":{"message":"x","code":"ABC"}}`, []string{`spec.code: Invalid value: "ABC": spec.code in body should match '^[a-z]{3}$'`}},
		{`{"spec":{"message":"x","code":"abcdefghi"}}`, []string{`spec.code: Too long: may not be more than 8 bytes`}},
		{`{"spec":{"message":"x","args":["1","2","3","4"]}}`, []string{`spec.args: Too many: 4: must have at most 3 items`}},
		{`{"spec":{"message":"x","tags":["a","b","a","a"]}}`, []string{`spec.tags[2]: Duplicate value: "a"`}},
		{`{"spec":{"message":"x","ports":[{"name":"p","port":1},{"name":"p","port":2}]}}`, []string{`spec.ports[1]: Duplicate value: {"name":"p"}`}},
		{`{"spec":{"message":"x","note":null,"extra":{"any":[null]}}}`, nil},
	} {
		if d := cmp.Diff(c.want, texts(s.Validate(tree(t, c.object), nil))); d != "" {
			t.Errorf("%s: -want +got\n%s", c.object, d)
		}
	}
}

func TestStatusTextsLeaveStatusOut(t *testing.T) {
	s := webapp(t).Storage().Schema
	old, now := tree(t, `{"spec":{"message":5}}`), tree(t, `{"spec":{"message":5},"status":{"phase":5}}`)
	want := []string{`status.phase: Invalid value: "integer": phase in body must be of type string: "integer"`}
	if d := cmp.Diff(want, texts(s.ValidateStatus(now, old))); d != "" {
		t.Error(d)
	}
	open := Parse(tree(t, `{"properties":{"status":{"type":"object","additionalProperties":{"type":"string"}}}}`))
	want = []string{`status.a: Invalid value: "integer": .a in body must be of type string: "integer"`}
	if d := cmp.Diff(want, texts(open.ValidateStatus(tree(t, `{"status":{"a":1}}`), tree(t, `{}`)))); d != "" {
		t.Error(d)
	}
}

// TestRatcheting: what was invalid before the update, and has not changed, is
// let pass where the update can be matched with it.
func TestRatcheting(t *testing.T) {
	s := Parse(tree(t, `{"type":"object","properties":{
		"size":{"type":"integer","maximum":10},"name":{"type":"string"},
		"atomic":{"type":"array","items":{"type":"integer","maximum":10}},
		"map":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"],
			"items":{"type":"object","required":["k"],"properties":{"k":{"type":"string"},"v":{"type":"integer","maximum":10}}}},
		"set":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
		"either":{"type":"object","properties":{"a":{"type":"integer"}},"anyOf":[{"properties":{"a":{"maximum":10}}}]}}}`))
	for _, c := range []struct {
		old, now string
		errors   int
	}{
		{`{"size":50}`, `{"size":50,"name":"x"}`, 0},
		{`{"size":50}`, `{"size":51}`, 1},
		{`{"name":"x"}`, `{"size":50}`, 1},
		{`{"atomic":[50]}`, `{"atomic":[50],"name":"x"}`, 0},
		{`{"atomic":[50]}`, `{"atomic":[50,1]}`, 1},
		{`{"map":[{"k":"a","v":50},{"k":"b"}]}`, `{"map":[{"k":"c"},{"k":"a","v":50}]}`, 0},
		{`{"map":[{"k":"a","v":50}]}`, `{"map":[{"k":"b","v":50}]}`, 1},
		{`{"set":["a","a"]}`, `{"set":["a","a","b","b"]}`, 0},
		{`{"set":["a"]}`, `{"set":["a","a"]}`, 1},
		{`{"either":{"a":50}}`, `{"either":{"a":50},"name":"x"}`, 0},
	} {
		if errs := s.Validate(tree(t, c.now), tree(t, c.old)); len(errs) != c.errors {
			t.Errorf("%s to %s: %d errors, want %d: %v", c.old, c.now, len(errs), c.errors, texts(errs))
		}
	}
}

func TestJunctorTexts(t *testing.T) {
	for _, c := range []struct {
		schema, value string
		want          []string
	}{
		{`{"anyOf":[{"minimum":5},{"multipleOf":2}]}`, `3`, []string{
			`<nil>: Invalid value: "": "v" must validate at least one schema (anyOf)`, `v: Invalid value: 3: v in body should be greater than or equal to 5`}},
		{`{"oneOf":[{"minimum":1},{"minimum":2}]}`, `3`, []string{`<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found 2 valid alternatives`}},
		{`{"oneOf":[{"minimum":5}]}`, `3`, []string{
			`<nil>: Invalid value: "": "v" must validate one and only one schema (oneOf). Found none valid`, `v: Invalid value: 3: v in body should be greater than or equal to 5`}},
		{`{"allOf":[{"minimum":5},{"maximum":9}]}`, `3`, []string{
			`v: Invalid value: 3: v in body should be greater than or equal to 5`, `<nil>: Invalid value: "": "v" must validate all the schemas (allOf)`}},
		{`{"not":{"minimum":1}}`, `3`, []string{`<nil>: Invalid value: "": "v" must not validate the schema (not)`}},
		{`{"exclusiveMinimum":true,"minimum":3}`, `3`, []string{`v: Invalid value: 3: v in body should be greater than 3`}},
		{`{"multipleOf":0.5}`, `1.3`, []string{`v: Invalid value: 1.3: v in body should be a multiple of 0.5`}},
		{`{"minProperties":1}`, `{}`, []string{`v: Invalid value: 0: v in body should have at least 1 properties`}},
		{`{"maxProperties":1}`, `{"a":1,"b":2}`, []string{`v: Too many: 2: must have at most 1 item`}},
		{`{"minItems":1}`, `[]`, []string{`v: Invalid value: 0: v in body should have at least 1 items`}},
		{`{"type":"string","format":"date-time"}`, `"yesterday"`, []string{`v: Invalid value: "yesterday": v in body must be of type date-time: "yesterday"`}},
		{`{"type":"integer","format":"int32"}`, `3000000000`, []string{`<nil>: Invalid value: "": Checked value must be of type integer with format int32 in v`}},
		{`{"additionalProperties":false}`, `{"a":1}`, []string{`v: Invalid value: "a": v.a in body is a forbidden property`}},
	} {
		s := Parse(object.NewMap(object.Field{Key: "properties", Value: object.NewMap(object.Field{Key: "v", Value: tree(t, c.schema)})}))
		v := tree(t, `{"v":`+c.value+`}`)
		if d := cmp.Diff(c.want, texts(s.Validate(v, nil))); d != "" {
			t.Errorf("%s of %s: -want +got\n%s", c.schema, c.value, d)
		}
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		format    string
		good, bad []string
	}{
		{"date-time", []string{"2026-01-01T00:00:00Z", "2026-01-01t00:00:00.5+01:00"}, []string{"2026-01-01", "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z"}},
		{"date", []string{"2024-02-29"}, []string{"2026-02-29", "26-1-1"}},
		{"duration", []string{"1h30m", "3 days", "-1.5s"}, []string{"", "soon", "5"}},
		{"email", []string{"a@b.c", "A B <a.b@c.example>"}, []string{"a", "@b", "a@", "a b@c"}},
		{"hostname", []string{"a", "a.example.com"}, []string{"", "-a", "a..b"}},
		{"ipv4", []string{"10.0.0.1", "010.0.0.1"}, []string{"10.0.0", "::1", "256.0.0.1"}},
		{"ipv6", []string{"::1", "fe80::1"}, []string{"10.0.0.1", "::1%eth0", ":::"}},
		{"cidr", []string{"10.0.0.0/8", "::/0"}, []string{"10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1"}},
		{"mac", []string{"aa:bb:cc:dd:ee:ff", "aabb.ccdd.eeff"}, []string{"aa:bb", "aa:bb:cc:dd:ee:fg"}},
		{"uuid", []string{"01234567-89ab-cdef-0123-456789abcdef"}, []string{"0123"}},
		{"uri", []string{"http://x/y", "/path"}, []string{"x", ""}},
		{"byte", []string{"YWJj"}, []string{"", "YWJ", "Y+/$"}},
		{"isbn", []string{"0321751043", "978-0321751041"}, []string{"0321751044"}},
		{"creditcard", []string{"4111 1111 1111 1111"}, []string{"4111 1111 1111 1112"}},
		{"k8s-short-name", []string{"a-b"}, []string{"A", "a.b", strings.Repeat("a", 64)}},
		{"k8s-long-name", []string{"a.b"}, []string{"a..b"}},
		{"password", []string{"", "any"}, nil},
	} {
		for _, v := range c.good {
			if !matchesFormat(c.format, v) {
				t.Errorf("%q is no %s", v, c.format)
			}
		}
		for _, v := range c.bad {
			if matchesFormat(c.format, v) {
				t.Errorf("%q passes for %s", v, c.format)
			}
		}
	}
}

func TestPruneAsRecorded(t *testing.T) {
	s := webapp(t).Storage().Schema
	in := tree(t, `{"apiVersion":"x/v1","kind":"K","metadata":{"any":1},"spec":{"message":"x","nope":1,"extra":{"kept":{"y":1}},"ports":[{"name":"a","zz":1}]},"top":1}`)
	out, dropped := s.Prune(in)
	if d := cmp.Diff([]string{"spec.nope", "spec.ports[0].zz", "top"}, dropped); d != "" {
		t.Error(d)
	}
	want := `{"apiVersion":"x/v1","kind":"K","metadata":{"any":1},"spec":{"extra":{"kept":{"y":1}},"message":"x","ports":[{"name":"a"}]}}`
	if got := string(object.EncodeJSON(out)); got != want {
		t.Errorf("got %s", got)
	}
	if again, more := s.Prune(out); again != out || more != nil {
		t.Error("pruning what is pruned makes a copy or drops more")
	}
	if _, dropped := (*Schema)(nil).Prune(in); strings.Join(dropped, " ") != "spec top" {
		t.Errorf("without a schema %v is dropped", dropped)
	}
}

func TestDefaultsAndNulls(t *testing.T) {
	s := Parse(tree(t, `{"type":"object","properties":{
		"n":{"type":"integer","default":1},"maybe":{"type":"string","nullable":true,"default":"none"},"plain":{"type":"string"},
		"sub":{"type":"object","properties":{"x":{"type":"string","default":"y"}}},
		"made":{"type":"object","default":{"z":"1"},"properties":{"z":{"type":"string"},"w":{"type":"string","default":"2"}}},
		"list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"string","default":"y"}}}},
		"map":{"type":"object","additionalProperties":{"type":"integer","default":3}}}}`))
	for _, c := range []struct{ in, want string }{
		{`{}`, `{"made":{"w":"2","z":"1"},"maybe":"none","n":1}`},
		{`{"n":null,"maybe":null,"plain":null,"made":{}}`, `{"made":{"w":"2"},"maybe":null,"n":1}`},
		{`{"n":0,"maybe":"","made":{"w":""},"sub":{},"list":[{},{"x":""}],"map":{"a":null,"b":0}}`,
			`{"list":[{"x":"y"},{"x":""}],"made":{"w":""},"map":{"a":3,"b":0},"maybe":"","n":0,"sub":{"x":"y"}}`},
	} {
		in := tree(t, c.in)
		out := s.Default(s.DropNulls(in))
		if got := string(object.EncodeJSON(out)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		if again := s.Default(s.DropNulls(out)); again != out {
			t.Errorf("%s: defaulting twice makes a copy", c.in)
		}
	}
}

// countingRules notes what it is asked.
type countingRules struct{ compiled, evaluated int }

func (c *countingRules) Compile(Compilation) []*api.FieldError { c.compiled++; return nil }

func (c *countingRules) Evaluate(Evaluation) Verdict {
	c.evaluated++
	return Verdict{Errors: []*api.FieldError{{Type: api.FieldInvalid, Field: "spec", Value: "x", Detail: "a rule says no"}}}
}

func TestRulesNeedAnEvaluator(t *testing.T) {
	crd := DefaultCRD(object.New(tree(t, `{"metadata":{"name":"foos.example.com"},"spec":{"group":"example.com","scope":"Cluster","names":{"plural":"foos","kind":"Foo"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","required":["spec"],
		"properties":{"spec":{"type":"string","x-kubernetes-validations":[{"rule":"self == oldSelf"}]}}}}}]}}`)))
	_, errs := ParseCRD(crd)
	want := []string{`spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]: Forbidden: x-kubernetes-validations cannot be evaluated: the evaluator of CEL rules is not loaded`}
	if d := cmp.Diff(want, texts(errs)); d != "" {
		t.Error(d)
	}
	rules := &countingRules{}
	c, errs := ParseCRD(crd, Checker{Rules: rules})
	if len(errs) > 0 || rules.compiled != 1 || !c.HasRules() {
		t.Errorf("compiled %d times: %v", rules.compiled, texts(errs))
	}
	s := c.Storage().Schema
	errs, _ = s.Check(Write{Object: tree(t, `{"spec":"x"}`), Rules: rules})
	if d := cmp.Diff([]string{`spec: Invalid value: "x": a rule says no`}, texts(errs)); d != "" {
		t.Error(d)
	}
	errs, _ = s.Check(Write{Object: tree(t, `{}`), Rules: rules})
	want = []string{`spec: Required value`, `<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation`}
	if d := cmp.Diff(want, texts(errs)); d != "" || rules.evaluated != 1 {
		t.Errorf("evaluated %d times\n%s", rules.evaluated, d)
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","x-kubernetes-preserve-unknown-fields":true},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["b"]}}}`), []byte(`{"a":[{"b":null},null,1]}`))
	f.Add([]byte(`{"additionalProperties":{"anyOf":[{"format":"email"},{"not":{"enum":[1,null]}}],"default":{}},"minProperties":2}`), []byte(`{"x":null,"y":1.5}`))
	f.Fuzz(func(t *testing.T, schemaText, objectText []byte) {
		raw, err := object.DecodeObject(schemaText)
		if err != nil {
			return
		}
		o, err := object.DecodeObject(objectText)
		if err != nil {
			return
		}
		before := string(object.EncodeJSON(o.Root()))
		s := Parse(raw.Root())
		pruned, _ := s.Prune(o.Root())
		if again, more := s.Prune(pruned); !object.Equal(again, pruned) || more != nil {
			t.Errorf("pruning twice drops %v more", more)
		}
		s.Default(s.DropNulls(pruned))
		s.Validate(o.Root(), nil)
		s.Validate(pruned, o.Root())
		s.ValidateStatus(o.Root(), pruned)
		crd := object.FromMap(map[string]any{"metadata": map[string]any{"name": "x"}, "spec": map[string]any{"versions": []any{
			map[string]any{"name": "v1", "schema": map[string]any{"openAPIV3Schema": raw.Root()}, "subresources": map[string]any{"status": map[string]any{}}}}}})
		_, errs := ParseCRD(DefaultCRD(crd))
		for _, e := range errs {
			_ = e.Error()
		}
		if after := string(object.EncodeJSON(o.Root())); after != before {
			t.Errorf("%s became %s", before, after)
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	s := webapp(b).Storage().Schema
	o := tree(b, `{"apiVersion":"lab.example.com/v1","kind":"WebApp","metadata":{"name":"plain","namespace":"default"},"spec":{"message":"hello","replicas":3,"ports":[{"name":"a","port":80}]},"status":{"phase":"Ready","observedGeneration":3,"conditions":[{"type":"Ready","status":"True","reason":"AsDesired"}]}}`)
	for b.Loop() {
		pruned, _ := s.Prune(o)
		if errs := s.Validate(s.Default(s.DropNulls(pruned)), o); len(errs) > 0 {
			b.Fatal(texts(errs))
		}
	}
}
