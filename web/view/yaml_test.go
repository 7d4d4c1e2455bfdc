package view

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

func tree(t *testing.T, s string) *object.Map {
	t.Helper()
	if s == "" {
		return nil
	}
	o, err := object.DecodeObject([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return o.Root()
}

func lines(ls []yamlLine) string {
	var b strings.Builder
	for _, l := range ls {
		b.WriteString(string(l.mark) + l.text)
		if l.mark == '~' {
			b.WriteString(l.before + " -> " + l.after)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestYAMLDiff(t *testing.T) {
	tests := []struct{ name, before, now, want string }{
		{"new object", "", `{"kind":"A","apiVersion":"v1","metadata":{"namespace":"b","name":"a"},"status":{"x":1},"spec":{}}`,
			"+apiVersion: v1\n+kind: A\n+metadata:\n+  name: a\n+  namespace: b\n+spec: {}\n+status:\n+  x: 1\n"},
		{"deleted object", `{"kind":"A"}`, "", "-kind: A\n"},
		{"a value", `{"spec":{"a":1,"b":"x"}}`, `{"spec":{"a":2,"b":"x"}}`, " spec:\n~  a: 1 -> 2\n   b: x\n"},
		{"keys come and go", `{"a":{"x":1}}`, `{"b":[1,{"c":2,"d":3}]}`, "-a:\n-  x: 1\n+b:\n+- 1\n+- c: 2\n+  d: 3\n"},
		{"a list's first item goes", `{"f":["a","b","c"]}`, `{"f":["b","c"]}`, " f:\n-- a\n - b\n - c\n"},
		{"an item of maps changes", `{"c":[{"t":"R","s":"False"}]}`, `{"c":[{"t":"R","s":"True"}]}`, " c:\n~- s: \"False\" -> \"True\"\n   t: R\n"},
		{"scalar becomes map", `{"a":"x"}`, `{"a":{"b":1}}`, "-a: x\n+a:\n+  b: 1\n"},
		{"empty map appears", `{}`, `{"a":{}}`, "+a: {}\n"},
		{"block", `{}`, `{"a":"l1\nl2\n","b":"l1\n l2"}`, "+a: |\n+  l1\n+  l2\n+b: |-\n+  l1\n+   l2\n"},
		{"nested lists", `{}`, `{"a":[[1,2],[]]}`, "+a:\n+-\n+  - 1\n+  - 2\n+- []\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lines(yamlDiff(tree(t, tt.before), tree(t, tt.now))); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
}

func TestYAMLScalar(t *testing.T) {
	for _, s := range []string{"plain", "default/a", "lab.example.com/v1", "a-b", "out there, v2", "v1.2.3", "203.0.113.1", "2026-01-01T00:00:00Z x", "x: y"[:1], "한국어"} {
		if got := yamlScalar(s); got != s {
			t.Errorf("%q is quoted: %s", s, got)
		}
	}
	for _, s := range []string{"", "true", "No", "1", "0x1f", "1e3", "-", "- a", " a", "a ", "a: b", "a:", "a #b", "#a", "*a", "&a", "[a", "{a", "null", "~", "a\tb", "a\nb", "@a", "%a", "`", "!x", "+1.5", ".5"} {
		if got := yamlScalar(s); got == s {
			t.Errorf("%q is not quoted", s)
		}
	}
}
