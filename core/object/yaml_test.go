package object

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unsafe"
)

func TestDecodeYAML(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"a: 1\nb: [x, 2.5, null, true]\nc: {d: '1'}\n", `[{"a":1,"b":["x",2.5,null,true],"c":{"d":"1"}}]`},
		{"a: yes\nb: off\nc: \"yes\"\nd: 2026-01-01\n", `[{"a":true,"b":false,"c":"yes","d":"2026-01-01"}]`},
		{"---\na: 1\n---\n# nothing\n---\nb: 2\n", `[{"a":1},{"b":2}]`},
		{"x: &x {a: 1}\nw: *x\nz:\n  <<: *x\n  b: 2\n", `[{"w":{"a":1},"x":{"a":1},"z":{"a":1,"b":2}}]`},
		{`{"json": ["is", "yaml"]}`, `[{"json":["is","yaml"]}]`},
		{"1: a\ntrue: b\n", `[{"1":"a","true":"b"}]`},
		{"m: |\n  two\n  lines\n", `[{"m":"two\nlines\n"}]`},
	} {
		docs, err := DecodeYAML([]byte(c.in))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		var values []any
		for _, d := range docs {
			values = append(values, d.Value)
		}
		if got := string(EncodeJSON(FromAny(values))); got != c.want {
			t.Errorf("%q: got %s, want %s", c.in, got, c.want)
		}
	}
}

func TestYAMLErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		in        string
		line, col int
		message   string
	}{
		{"a: b: c\n", 1, 5, "mapping values are not allowed in this context"},
		{"a:\n  - x\n b: 1\n", 3, 2, "did not find expected key"},
		{"x: \"abc\ny: 1\n", 1, 4, "found unexpected end of stream"},
		{"k: 1\n\ta: 1\n", 2, 1, "found a tab character that violates indentation"},
		{"a: 1\nb: 2\na: 3\n", 3, 1, `key "a" already set in map (line 1)`},
		{"a: .inf\n", 1, 4, ".inf is no JSON number"},
		{"? [a]\n: b\n", 1, 3, "a key of a JSON object must be a string"},
	} {
		_, err := DecodeYAML([]byte(c.in))
		var y *YAMLError
		if !errors.As(err, &y) {
			t.Errorf("%q: got %v", c.in, err)
			continue
		}
		if y.Line != c.line || y.Col != c.col || y.Message != c.message {
			t.Errorf("%q: got %d:%d %s, want %d:%d %s", c.in, y.Line, y.Col, y.Message, c.line, c.col, c.message)
		}
	}
}

func TestPosition(t *testing.T) {
	docs, err := DecodeYAML([]byte("a: 1\n---\nspec:\n  ports:\n  - name: x\n    port: y\nlabels:\n  a.b/c: d\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path      string
		line, col int
	}{
		{"spec.ports[0].port", 6, 11}, {"spec.ports[1].port", 5, 3}, {"spec.missing", 4, 3}, {"", 3, 1}, {`labels["a.b/c"]`, 8, 10}, {"labels[a.b/c]", 8, 10},
	} {
		if line, col := docs[1].Position(c.path); line != c.line || col != c.col {
			t.Errorf("%s: got %d:%d, want %d:%d", c.path, line, col, c.line, c.col)
		}
	}
}

func TestEncodeYAML(t *testing.T) {
	v := FromAny(map[string]any{
		"s": "yes", "n": "1", "t": "true", "e": "", "multi": "a\nb\n", "list": []any{"a", map[string]any{"k": "v", "l": []any{}}},
		"m": map[string]any{}, "i": 3, "f": 1.5, "z": nil, "colon": "a: b", "date": "2026-01-01T00:00:00Z",
	})
	want := `colon: 'a: b'
date: "2026-01-01T00:00:00Z"
e: ""
f: 1.5
i: 3
list:
- a
- k: v
  l: []
m: {}
multi: |
  a
  b
"n": "1"
s: "yes"
t: "true"
z: null
`
	got := string(EncodeYAML(v))
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	docs, err := DecodeYAML([]byte(got))
	if err != nil || len(docs) != 1 || !Equal(docs[0].Value, v) {
		t.Errorf("it does not round-trip: %v %v", docs, err)
	}
}

// A number without fraction is an integer, however it is spelled: the value
// goes through JSON on its way to the server.
func TestDecodeYAMLIntegers(t *testing.T) {
	docs, err := DecodeYAML([]byte("[1.0, 08, 1e3, 0x10, -0.0, 1e20]"))
	if err != nil {
		t.Fatal(err)
	}
	want := NewList(int64(1), int64(8), int64(1000), int64(16), int64(0), 1e20)
	if got := docs[0].Value; !Equal(got, want) {
		t.Errorf("got %s, want %s", EncodeJSON(got), EncodeJSON(want))
	}
}

func FuzzYAML(f *testing.F) {
	for _, s := range []string{"a: b: c", "x: [", "- - a\n  - b", "a: &x 1\nb: *x", "\"\\u263a\": ~"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		docs, err := DecodeYAML(b)
		if err != nil {
			return
		}
		for _, d := range docs {
			again, err := DecodeYAML(EncodeYAML(d.Value))
			if err != nil || len(again) != 1 || !Equal(again[0].Value, d.Value) {
				t.Fatalf("%q: %s does not round-trip: %v", b, EncodeYAML(d.Value), err)
			}
		}
	})
}

// TestDecodeYAMLText: it reads what DecodeYAML reads, and holds long strings of the
// text once.
func TestDecodeYAMLText(t *testing.T) {
	long := strings.Repeat("what it says, ", 8)
	for _, written := range []string{long + "x", `"` + long + `"`, "'" + long + "'", `"` + long + `\n"`, "|\n  " + long + "\n  more", ">-\n  " + long + "\n  more", `"é` + long + `"`} {
		text := "a: 1\nb:\n- " + long + "\n---\nc: " + written + "\nd: &x " + written + "\ne: *x\n"
		docs, err := DecodeYAMLText(text)
		want, wantErr := DecodeYAML([]byte(text))
		if err != nil || wantErr != nil || len(docs) != len(want) {
			t.Fatalf("%v, %v: %d documents of %q, want %d", err, wantErr, len(docs), text, len(want))
		}
		for i := range docs {
			if got, want := EncodeJSON(docs[i].Value), EncodeJSON(want[i].Value); !bytes.Equal(got, want) {
				t.Errorf("%s of %q, want %s", got, text, want)
			}
		}
	}
	text := "c: \"" + long + "\"\n"
	docs, err := DecodeYAMLText(text)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := docs[0].Value.(*Map).Get("c")
	if s, _ := got.(string); s != long || unsafe.StringData(s) != unsafe.StringData(text[4:]) {
		t.Errorf("%q is not the part of the text that it is", got)
	}
}
