package object

import (
	"encoding/json"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestDecodeEncode(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"b":1,"a":[true,null,"x\n\u00e9é"],"c":{"z":1.5,"y":-0.25e2}}`, `{"a":[true,null,"x\néé"],"b":1,"c":{"y":-25,"z":1.5}}`},
		{`[]`, `[]`}, {`{}`, `{}`}, {` "a" `, `"a"`}, {`1e21`, `1e+21`}, {`1e-7`, `1e-7`},
		{`9223372036854775807`, `9223372036854775807`}, {`9223372036854775808`, `9223372036854776000`},
		{`{"a":1,"a":2}`, `{"a":2}`}, {`"<&>"`, `"<&>"`},
	} {
		v, err := DecodeJSON([]byte(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := string(EncodeJSON(v)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestDecodeErrorsAreEncodingJSONs(t *testing.T) {
	for _, in := range []string{``, `{`, `{"a"}`, `{"a":1,}`, `[1,]`, `01`, `1.`, `tru`, `"a`, "\"a\nb\"", `{} x`, `"\x"`, `-`, `1e999`, `nul`} {
		var any any
		want := json.Unmarshal([]byte(in), &any)
		_, got := DecodeJSON([]byte(in))
		if want == nil || got == nil || got.Error() != want.Error() {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,{"b":null}]}`, `"\ud800"`, `[`, `1e5`, "\"\xff\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := DecodeJSON(b)
		var any any
		if jerr := json.Unmarshal(b, &any); (err == nil) != (jerr == nil) {
			t.Fatalf("%q: ours %v, encoding/json %v", b, err, jerr)
		}
		if err != nil {
			return
		}
		enc := EncodeJSON(v)
		again, err := DecodeJSON(enc)
		if err != nil || string(EncodeJSON(again)) != string(enc) {
			t.Fatalf("%q: %s does not round-trip: %v", b, enc, err)
		}
	})
}

func TestDuplicates(t *testing.T) {
	_, dups, err := DecodeStrict([]byte(`{"a":1,"spec":{"x":[{"n":1,"n":2}],"m":1,"m":2},"a":3}`))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"spec.x[0].n", "spec.m", "a"}, dups); d != "" {
		t.Error(d)
	}
}

func TestUpdatesShareAndNeverMutate(t *testing.T) {
	a := FromMap(map[string]any{"spec": map[string]any{"x": 1, "deep": map[string]any{"y": "z"}}, "status": map[string]any{}})
	before := string(EncodeJSON(a.Root()))
	b := a.Set(2, "spec", "x").Set("new", "metadata", "labels", "k").Unset("status")
	if got := string(EncodeJSON(a.Root())); got != before {
		t.Errorf("the original changed: %s", got)
	}
	if a.Map("spec", "deep") != b.Map("spec", "deep") {
		t.Error("an untouched subtree was copied")
	}
	if want, got := `{"metadata":{"labels":{"k":"new"}},"spec":{"deep":{"y":"z"},"x":2}}`, string(EncodeJSON(b.Root())); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if c := b.Set(2, "spec", "x"); c.Root() != b.Root() {
		t.Error("setting the value that is there made a copy")
	}
}

func TestDiff(t *testing.T) {
	a := FromAny(map[string]any{"x": 1, "l": []any{"a", "b"}, "gone": true, "m": map[string]any{"a.b/c": "1"}})
	b := FromAny(map[string]any{"x": 2, "l": []any{"a", "c", "d"}, "m": map[string]any{"a.b/c": "2"}, "new": nil})
	want := []Change{
		{"gone", "remove", true, nil},
		{"l[1]", "replace", "b", "c"},
		{"l[2]", "add", nil, "d"},
		{`m["a.b/c"]`, "replace", "1", "2"},
		{"new", "add", nil, nil},
		{"x", "replace", int64(1), int64(2)},
	}
	if d := cmp.Diff(want, Diff(a, b)); d != "" {
		t.Error(d)
	}
	if d := Diff(a, FromAny(ToAny(a))); d != nil {
		t.Errorf("equal trees differ: %v", d)
	}
}

func TestRefs(t *testing.T) {
	for _, s := range []string{"WebApp/default/plain", "Namespace/default", "lab.example.com/WebApp/default/plain", "lab.example.com/Thing/x"} {
		r, ok := ParseRef(s)
		if !ok || r.Full() != s {
			t.Errorf("%s: %+v %v prints %s", s, r, ok, r.Full())
		}
	}
	for _, s := range []string{"", "WebApp", "a/b/c/d", "WebApp/", "/x"} {
		if r, ok := ParseRef(s); ok {
			t.Errorf("%q parsed as %+v", s, r)
		}
	}
}

// sample is a WebApp's child of about 1 KB.
func sample(b testing.TB) []byte {
	b.Helper()
	return []byte(`{"apiVersion":"lab.example.com/v1","kind":"WebApp","metadata":{"annotations":{"a.example.com/one":"1","a.example.com/two":"a somewhat longer value that people put there"},"creationTimestamp":"2026-01-01T00:00:00Z","finalizers":["lab.example.com/cloud"],"generation":3,"labels":{"app":"plain","tier":"front","team":"a"},"name":"plain","namespace":"default","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"4f0c7b6e-2b0e-4f43-9f6d-0a1b2c3d4e5f","controller":true}],"resourceVersion":"1042","uid":"5f0c7b6e-2b0e-4f43-9f6d-0a1b2c3d4e5f"},"spec":{"configRef":"shared","loadBalancer":true,"message":"hello from the other side of the cluster","replicas":3},"status":{"conditions":[{"lastTransitionTime":"2026-01-01T00:00:10Z","message":"all of it is there","reason":"AsDesired","status":"True","type":"Ready"}],"loadBalancer":{"address":"203.0.113.1","id":"lb-0001"},"observedGeneration":3,"phase":"Ready"}}`)
}

func BenchmarkDecode(b *testing.B) {
	in := sample(b)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := DecodeJSON(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeMaps(b *testing.B) {
	in := sample(b)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		var m map[string]any
		if err := json.Unmarshal(in, &m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkHold reports the live heap of 10,000 objects in three
// representations: this package's trees, maps of maps, and JSON bytes.
func BenchmarkHold(b *testing.B) {
	in := sample(b)
	for _, c := range []struct {
		name string
		make func() any
	}{
		{"trees", func() any { v, _ := DecodeJSON(in); return v }},
		{"maps", func() any { var m map[string]any; _ = json.Unmarshal(in, &m); return m }},
		{"bytes", func() any { return append([]byte(nil), in...) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				held := make([]any, 10000)
				for i := range held {
					held[i] = c.make()
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
				runtime.KeepAlive(held)
			}
		})
	}
}

// TestWithAll: several keys at once are the same as one after another.
func TestWithAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.Custom(func(t *rapid.T) Field {
			return Field{rapid.StringMatching("[a-p]").Draw(t, "key"), int64(rapid.IntRange(0, 2).Draw(t, "value"))}
		})
		m := NewMap(rapid.SliceOfN(field, 0, 12).Draw(t, "map")...)
		fields := rapid.SliceOfN(field, 0, 12).Draw(t, "fields")
		want := m
		for _, f := range fields {
			want = want.With(f.Key, f.Value)
		}
		before := EncodeJSON(m)
		got := m.WithAll(fields...)
		if !Equal(got, want) || string(EncodeJSON(got)) != string(EncodeJSON(want)) {
			t.Errorf("%s with %v: %s instead of %s", before, fields, EncodeJSON(got), EncodeJSON(want))
		}
		if string(EncodeJSON(m)) != string(before) {
			t.Error("the receiver changed")
		}
		if len(fields) == 0 && got != m {
			t.Error("nothing made a new map")
		}
	})
}
