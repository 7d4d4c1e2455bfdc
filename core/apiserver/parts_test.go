package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

func TestHumanDuration(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-5 * time.Second: "<invalid>", -time.Second: "0s", 0: "0s", 119 * time.Second: "119s",
		2 * time.Minute: "2m", 2*time.Minute + 5*time.Second: "2m5s", 10 * time.Minute: "10m", 179 * time.Minute: "179m",
		3 * time.Hour: "3h", 3*time.Hour + 7*time.Minute: "3h7m", 8 * time.Hour: "8h", 47 * time.Hour: "47h",
		2 * day: "2d", 2*day + 5*time.Hour: "2d5h", 8 * day: "8d", 700 * day: "700d",
		730 * day: "2y", 731 * day: "2y1d", 3000 * day: "8y",
	} {
		if got := humanDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

func TestVersionOrder(t *testing.T) {
	want := []string{"v10", "v2", "v1", "v11beta2", "v10beta3", "v3beta1", "v12alpha1", "v11alpha2", "foo1", "foo10"}
	got := slices.Clone(want)
	slices.Sort(got)
	slices.SortFunc(got, compareVersions)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestLabelSelectors(t *testing.T) {
	labels := object.StringMap(map[string]string{"app": "x", "n": "5", "in": "notin", "empty": ""})
	for text, want := range map[string]any{
		"": true, "app": true, "!app": false, "nope": false, "!nope": true,
		"app=x,n==5": true, "app!=x": false, "nope!=x": true,
		"app in (y, x)": true, "app in ()": false, "empty in ()": true, "app notin (x)": false, "app in (,x)": true,
		"empty in (a,)": true, "app notin (a,)": true, "in in (notin)": true, "in=notin": true, "empty=": true,
		"n>4": true, "n<5": false, "app>4": false,
		"app in x":       "unable to parse requirement: found 'x' expected: '('",
		"app in (x y)":   "unable to parse requirement: found 'y', expected: ',' or ')'",
		"app=x n":        "found 'n', expected: ',' or 'end of string'",
		"app=(":          "unable to parse requirement: found '(', expected: identifier",
		"app in (=":      "unable to parse requirement: found '=', expected: ',', ')' or identifier",
		"!!app":          "unable to parse requirement: found '!', expected: identifier",
		"a/b/c=x":        "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key",
		"app=-x":         "unable to parse requirement: values[0][app]: Invalid value: \"-x\": a valid label must be",
		"app in (ok,-x)": "unable to parse requirement: values[0][app]: Invalid value: \"-x\"",
	} {
		got, err := api.ParseLabelSelector(text)
		switch want := want.(type) {
		case string:
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		case bool:
			if err != nil || (selection{labels: got}).matches(object.New(object.Set(nil, labels, "metadata", "labels"))) != want {
				t.Errorf("%q: not %v, %v", text, want, err)
			}
		}
	}
}

func TestFieldSelectors(t *testing.T) {
	k := eventKind()
	o := object.FromMap(map[string]any{"metadata": map[string]any{"name": "a"}, "reason": `x,y=z\`})
	for text, want := range map[string]any{
		"": true, "metadata.name=a": true, "metadata.name!=a": false, ",metadata.name==a,": true,
		`reason=x\,y\=z\\`: true, "reason=": false, "type=": true,
		`reason=x\y`: `invalid field selector: invalid escape sequence: \y`,
		`reason=x=y`: "invalid field selector: unescaped character in value: 61",
		`reason=x\`:  `invalid field selector: invalid escape sequence: \`,
		"spec=x":     "field label not supported: spec",
		"reason":     "invalid selector: 'reason'; can't understand 'reason'",
	} {
		sel, err := func() (selection, error) {
			sel, status := k.selection(&api.Request{Verb: api.List, Options: api.Options{FieldSelector: text}})
			if status != nil {
				return sel, status
			}
			return sel, nil
		}()
		switch want := want.(type) {
		case string:
			if err == nil || err.Error() != want {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		case bool:
			if err != nil || sel.matches(o) != want {
				t.Errorf("%q: not %v, %v", text, want, err)
			}
		}
	}
}

func TestGoTypes(t *testing.T) {
	inner := structOf("v1", "Inner", field("n", int32Type), pointer("p", boolType), field("list", sliceOf(stringType)), field("when", timeType))
	outer := structOf("v1", "Outer", pointer("inner", inner), field("m", mapOf(int64Type)), field("any", anyType), field("ios", intOrString))
	cases := []struct{ in, want, unknown, err string }{
		{in: `{"inner":{"n":0,"p":false,"list":[]},"m":{},"any":null,"ios":0}`, want: `{"inner":{"p":false},"ios":0}`},
		{in: `{"inner":null,"m":{"a":null},"any":{"x":null}}`, want: `{"any":{"x":null},"m":{"a":0}}`},
		{in: `{"inner":{"list":["a",null],"zz":1},"top":1}`, want: `{"inner":{"list":["a",""]}}`, unknown: "inner.zz top"},
		{in: `{"inner":{"when":"2026-01-01T02:00:00+02:00"}}`, want: `{"inner":{"when":"2026-01-01T00:00:00Z"}}`},
		{in: `{"ios":"http"}`, want: `{"ios":"http"}`},
		{in: `[]`, err: "json: cannot unmarshal array into Go value of type v1.Outer"},
		{in: `{"inner":{"n":"x"}}`, err: "json: cannot unmarshal string into Go struct field Inner.inner.n of type int32"},
		{in: `{"inner":{"n":1.5}}`, err: "json: cannot unmarshal number 1.5 into Go struct field Inner.inner.n of type int32"},
		{in: `{"inner":{"n":4294967296}}`, err: "json: cannot unmarshal number 4294967296 into Go struct field Inner.inner.n of type int32"},
		{in: `{"inner":{"list":[true]}}`, err: "json: cannot unmarshal bool into Go struct field Inner.inner.list of type string"},
		{in: `{"m":{"a":{}}}`, err: "json: cannot unmarshal object into Go struct field Outer.m of type int64"},
		{in: `{"inner":{"when":"soon"}}`, err: `parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"`},
	}
	for _, c := range cases {
		v, err := object.DecodeJSON([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		d := goDecoder{}
		got, err := d.decodeAll(v, outer)
		if fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
			t.Errorf("%s: %v, want %s", c.in, err, c.err)
			continue
		}
		if err == nil && (string(object.EncodeJSON(got)) != c.want || strings.Join(d.unknown, " ") != c.unknown) {
			t.Errorf("%s: %s, unknown %v; want %s, unknown %s", c.in, object.EncodeJSON(got), d.unknown, c.want, c.unknown)
		}
	}
}

func TestTypedCells(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 1, 0, 0, time.UTC)
	cases := []struct {
		kind    string
		v, want any
	}{
		{"integer", int64(1), int64(1)}, {"integer", 1.5, int64(1)}, {"integer", "1", nil},
		{"number", int64(1), 1.0}, {"number", 1.5, 1.5}, {"boolean", true, true}, {"boolean", "true", nil},
		{"date", "2026-01-01T00:00:00Z", "60s"}, {"date", "soon", "<invalid>"}, {"date", "", "<unknown>"}, {"date", int64(1), nil},
	}
	for _, c := range cases {
		if got := typedCell(c.kind, c.v, now); got != c.want {
			t.Errorf("%s of %v: %v, want %v", c.kind, c.v, got, c.want)
		}
	}
}

func TestGeneratedValues(t *testing.T) {
	g := generator{Seed: 1}
	seen := map[string]bool{}
	for range 1000 {
		uid := g.uid()
		if len(uid) != 36 || uid[14] != '4' || !strings.ContainsRune("89ab", rune(uid[19])) || seen[uid] {
			t.Fatalf("uid %s", uid)
		}
		seen[uid] = true
		if name := g.name(strings.Repeat("x", 80)); len(name) != 63 || strings.Trim(name[58:], suffixAlphabet) != "" {
			t.Fatalf("name %s", name)
		}
	}
}
