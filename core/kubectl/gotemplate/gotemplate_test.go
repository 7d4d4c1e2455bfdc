package gotemplate

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

const data = `{"name":"a","n":3,"big":1234567,"f":1.5,"on":true,"none":null,"list":["x","y"],"items":[{"name":"p","n":1},{"name":"q","n":2}],
"map":{"k":"v","a.b":"w"},"b64":"aGk=","empty":[],"text":"<a href='x'>"}`

func tree(t *testing.T) any {
	v, err := object.DecodeJSON([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestExecute(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"{{.name}} {{.n}} {{.big}} {{.f}} {{.on}} {{.none}} {{.nope}} {{.nope.deeper}}", "a 3 1234567 1.5 true <no value> <no value> <no value>"},
		{"{{.map}} {{.list}} {{.empty}}", "map[a.b:w k:v] [x y] []"},
		{"{{range .items}}{{.name}}{{.n}};{{end}}{{range .empty}}x{{else}}none{{end}}", "p1;q2;none"},
		{"{{range $i, $e := .list}}{{$i}}={{$e}},{{end}}", "0=x,1=y,"},
		{"{{range $k, $v := .map}}{{$k}}:{{$v}} {{end}}", "a.b:w k:v "},
		{"{{range .list}}{{if eq . \"y\"}}{{break}}{{end}}{{.}}{{end}}", "x"},
		{"{{range .list}}{{if eq . \"x\"}}{{continue}}{{end}}{{.}}{{end}}", "y"},
		{"{{if and .on (gt .n 2)}}yes{{else}}no{{end}} {{or .empty .name}} {{not .on}}", "yes a false"},
		{"{{with .map}}{{.k}}{{end}}{{with .nope}}x{{else}}-{{end}}", "v-"},
		{"{{$x := .name}}{{$x = \"b\"}}{{$x}} {{$.name}}", "b a"},
		{"{{index .map \"a.b\"}} {{index .list 1}} {{(index .items 0).name}} {{len .list}} {{slice .name 0 1}}", "w y p 2 a"},
		{"{{printf \"%s-%v-%q\" .name .n .text}} {{print 1 2 \"x\"}}{{println}}", "a-3-\"<a href='x'>\" 1 2x\n"},
		{"{{.b64 | base64decode}} {{exists . \"map\" \"k\"}} {{exists . \"map\" \"z\"}}", "hi true false"},
		{"{{html .text}} {{urlquery \"a b\"}}", "&lt;a href=&#39;x&#39;&gt; a+b"},
		{"{{define \"t\"}}[{{.}}]{{end}}{{template \"t\" .name}}", "[a]"},
		{"a {{- .name -}} b", "aab"},
	} {
		tmpl, err := Parse("output", c.text, false)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got, err := tmpl.Execute(tree(t)); err != nil || got != c.want {
			t.Errorf("%s: %q %v, want %q", c.text, got, err, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		text, want string
		strict     bool
	}{
		{"{{.name.x}}", "at <.name.x>: can't evaluate field x in type interface {}", false},
		{"{{.none.x}}", "at <.none.x>: nil pointer evaluating interface {}.x", false},
		{"{{.nope}}", `at <.nope>: map has no entry for key "nope"`, true},
		{"{{index .list 5}}", "error calling index: index out of range: 5", false},
		{"{{eq .n 3.0}}", "at <eq .n 3.0>: error calling eq: incompatible types for comparison: int64 and float64", false},
		{"{{lt .map 3}}", "error calling lt: invalid type for comparison", false},
		{"{{len .n}}", "error calling len: len of type int64", false},
		{"{{not}}", "wrong number of args for not: want 1 got 0", false},
		{"{{template \"z\"}}", `template "z" not defined`, false},
		{"{{define \"t\"}}{{template \"t\"}}{{end}}{{template \"t\"}}", "exceeded maximum template depth", false},
	} {
		tmpl, err := Parse("output", c.text, c.strict)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if _, err := tmpl.Execute(tree(t)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
	for _, text := range []string{"{{.a", "{{nofunc}}", "{{end}}", "{{range}}"} {
		if _, err := Parse("output", text, false); err == nil {
			t.Errorf("%s: parsed", text)
		}
	}
}

func TestWhatWasPrintedBeforeAnError(t *testing.T) {
	tmpl, err := Parse("output", "a{{.name.x}}b", false)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := tmpl.Execute(tree(t)); out != "a" || err == nil {
		t.Errorf("%q %v", out, err)
	}
}
