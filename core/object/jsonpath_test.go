package object

import (
	"strings"
	"testing"
)

const pathDoc = `{"items":[
 {"kind":"Pod","metadata":{"name":"a","labels":{"app.example.com/x":"1","n":"<&>"}},"spec":{"replicas":3,"ratio":1.5,"on":true,"none":null},
  "status":{"conditions":[{"type":"Ready","status":"True"},{"type":"Live","status":"False"}]}},
 {"kind":"Svc","metadata":{"name":"b"},"spec":{"replicas":1}}]}`

// The answers are those of k8s.io/client-go/util/jsonpath.
func TestJSONPath(t *testing.T) {
	doc, err := DecodeJSON([]byte(pathDoc))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ template, want string }{
		{`{.items[0].metadata.name}`, `a`},
		{`{.items[*].metadata.name}`, `a b`},
		{`{$.items[-1].metadata.name}`, `b`},
		{`{@.items[0:1].kind}-{.items[:2].kind}`, `Pod-Pod Svc`},
		{`{.items[::2].kind}`, `Pod`},
		{`{.items[0].metadata['name','none']}`, `a`},
		{`{.items[0,1].kind}`, `Pod Svc`},
		{`{.items[0].metadata.labels.app\.example\.com/x}`, `1`},
		{`{.items[0].metadata.labels['app\.example\.com/x']}`, `1`},
		{`{.items[0].metadata.labels}`, `{"app.example.com/x":"1","n":"\u003c\u0026\u003e"}`},
		{`{.items[0].metadata.labels.n}`, `<&>`},
		{`{.items[0].spec.ratio} {.items[0].spec.on} {.items[0].spec.replicas}`, `1.5 true 3`},
		{`{.items[0].spec.none}`, `null`},
		{`{.items[0].status.conditions[?(@.type=="Ready")].status}`, `True`},
		{`{.items[?(@.spec.replicas>1)].metadata.name}`, `a`},
		{`{.items[?(@.spec.replicas<=1)].metadata.name}`, `b`},
		{`{.items[?(@.status)].metadata.name}`, `a`},
		{`{.items[?(@.kind!='Pod')].metadata.name}`, `b`},
		{`{..name}`, `a b`},
		{`{.items[0].status..type}`, `Ready Live`},
		{`{.items[0].spec.*}`, `null true 1.5 3`},
		{`{range .items[*]}{.metadata.name}={.spec.replicas}{"\n"}{end}done`, "a=3\nb=1\ndone"},
		{`{range .items[*]}{range .status.conditions[*]}{.type},{end};{end}`, `Ready,Live,;;`},
		{`{"it's"} {'a "b"'}`, `it's a "b"`},
		{`plain`, `plain`},
		{``, ``},
		{`{.none}`, ``},
	} {
		p, err := ParseJSONPath(c.template)
		if err != nil {
			t.Errorf("%s: %v", c.template, err)
			continue
		}
		for range 2 { // an evaluation leaves nothing behind
			if got, err := p.Print(doc, true); err != nil || got != c.want {
				t.Errorf("%s prints %q, %v; want %q", c.template, got, err, c.want)
			}
		}
	}
}

func TestJSONPathErrors(t *testing.T) {
	doc, err := DecodeJSON([]byte(pathDoc))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ template, want string }{
		{`{.items`, `unclosed action`},
		{`{.items[}`, `unterminated array`},
		{`{.items[x]}`, `invalid array index x`},
		{`{"abc}`, `unterminated quoted string`},
		{`{....name}`, `invalid multiple recursive descent`},
		{`{.items[?(@.a==1}`, `unterminated filter`},
		{`{.items[?(@.a==1)}`, `unclosed array expect ]`},
		{`{*}`, `unrecognized character in action: U+002A '*'`},
		{`{+}`, `cannot parse number +`},
		{`{.none}`, `none is not found`},
		{`{.items[5]}`, `array index out of bounds: index 5, length 2`},
		{`{.items[1:0]}`, `starting index 1 is greater than ending index 0`},
		{`{.items[0].spec[0]}`, `map[string]interface {} is not array or slice`},
		{`{.items[::0]}`, `step must be > 0`},
		{`{.items[?(@.kind>1)]}`, `incompatible types for comparison`},
		{`{.items[?(@.spec=='x')]}`, `invalid type for comparison`},
		{`{.items[?(@.kind<>'x')]}`, `unrecognized filter operator <>`},
		{`{end}`, `not in range, nothing to end`},
		{`{foo}`, `unrecognized identifier foo`},
	} {
		p, err := ParseJSONPath(c.template)
		if err == nil {
			_, err = p.Print(doc, false)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.template, err, c.want)
		}
	}
}

func FuzzJSONPath(f *testing.F) {
	for _, s := range []string{`{range .items[*]}{.metadata.name}{"\n"}{end}`, `{..a[?(@.b=="c")]['x','y'][1:-1:2]}`, `{`, `}{`, `{.a\.b}`} {
		f.Add(s)
	}
	doc, err := DecodeJSON([]byte(pathDoc))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, template string) {
		p, err := ParseJSONPath(template)
		if err != nil {
			return
		}
		first, err1 := p.Print(doc, true)
		second, err2 := p.Print(doc, true)
		if first != second || (err1 == nil) != (err2 == nil) {
			t.Errorf("%q prints %q and then %q", template, first, second)
		}
		if !strings.ContainsAny(template, "{") && first != template {
			t.Errorf("plain text %q prints %q", template, first)
		}
	})
}
