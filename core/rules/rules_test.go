package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rules"
	"github.com/reconcile-playground/reconcile/core/schema"
)

func evaluator(t testing.TB) *rules.Evaluator {
	t.Helper()
	e, err := rules.New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// value reads YAML.
func value(t testing.TB, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	docs, err := object.DecodeYAML([]byte("root: " + strings.ReplaceAll(text, "\n", "\n  ")))
	if err != nil {
		t.Fatal(err)
	}
	v, _ := object.At(docs[0].Value, "root")
	return v
}

func schemaOf(t testing.TB, text string) *schema.Schema {
	t.Helper()
	m, ok := value(t, text).(*object.Map)
	if !ok {
		t.Fatalf("no schema: %s", text)
	}
	return schema.Parse(m)
}

// told is what an evaluation finds, a line each.
func told(v schema.Verdict) []string {
	out := []string{}
	for _, e := range v.Errors {
		out = append(out, e.Error())
	}
	for _, w := range v.Warnings {
		out = append(out, "warning: "+w)
	}
	return out
}

func evaluate(t testing.TB, s *schema.Schema, obj, old string) []string {
	t.Helper()
	q := schema.Evaluation{Schema: s, Resource: true, Value: value(t, obj), Budget: schema.RuleBudget}
	if old != "" {
		q.Old, q.Ratchet = value(t, old), true
	}
	return told(evaluator(t).Evaluate(q))
}

const spec = `
type: object
properties:
  spec:
    type: object
    properties: `

// withSpec is a resource whose spec has properties, in flow style, and rules
// around it.
func withSpec(t testing.TB, properties, validations string) *schema.Schema {
	return schemaOf(t, strings.Replace(spec, "    type: object\n    properties:", "    type: object\n    x-kubernetes-validations: "+validations+"\n    properties:", 1)+properties)
}

func TestEvaluate(t *testing.T) {
	const everything = `{a: {type: integer}, b: {type: string}, namespace: {type: string}, "x-y.z": {type: integer}, at: {type: string, format: date-time}, wait: {type: string, format: duration},
      port: {x-kubernetes-int-or-string: true}, none: {type: string, nullable: true}, labels: {type: object, additionalProperties: {type: string}},
      set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
      list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer}}}}}`
	const obj = `{apiVersion: v1, kind: X, metadata: {name: n}, spec: {a: 3, b: hello, namespace: ns, "x-y.z": 7, at: "2026-01-02T03:04:05Z", wait: 90s, port: "80%", none: null, labels: {x: z},
      set: [a, b], list: [{k: a, v: 1}, {k: b, v: 2}]}}`
	for _, rule := range []string{
		`self.a == 3 && self.b.startsWith('he')`, `self.__namespace__ == 'ns' && self.namespace == 'ns'`, `self.x__dash__y__dot__z == 7`,
		`self.at.getFullYear() == 2026`, `self.wait > duration('1m')`, `type(self.port) == string && self.port == '80%'`, `!has(self.none)`,
		`self.labels.all(k, v, k == 'x' && v == 'z')`, `self.labels.x == 'z'`, `self.set == ['b', 'a']`, `self.set + ['a', 'c'] == ['c', 'a', 'b']`,
		`self.list.exists_one(e, e.k == 'b')`, `self.list.map(e, e.v).sum() == 3`, `self.list.filter(e, e.v > 1).size() == 1`, `self.?missing.orValue('x') == 'x'`,
		`[3, 1, 2].max() == 3 && [1, 2].isSorted() && [1, 2].indexOf(2) == 1`, `'abc 123'.find('[0-9]+') == '123' && '1 2'.findAll('[0-9]') == ['1', '2']`,
		`url('https://a.example:80/x?q=1').getHostname() == 'a.example' && isURL('https://a')`, `quantity('1.5Gi').isGreaterThan(quantity('1G'))`,
		`quantity('500m').add(quantity('500m')) == quantity('1')`, `ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.2.3')`,
		`!format.dns1123Label().validate('ok').hasValue() && format.named('uuid').hasValue()`, `semver('1.2.3').isLessThan(semver('1.10.0')) && isSemver('v1.2', true)`,
		`sets.contains([1, 2], [2])`, `'%s-%d'.format(['a', 1]) == 'a-1' && 'A'.lowerAscii() == 'a'`, `'a,b'.split(',').join('-') == 'a-b'`,
		`[1, 2, 2].distinct() == [1, 2] && [[1], [2]].flatten() == [1, 2]`,
	} {
		if got := evaluate(t, withSpec(t, strings.Replace(everything, "{a:", "{missing: {type: string}, a:", 1), `[{rule: "`+rule+`"}]`), obj, ""); len(got) > 0 {
			t.Errorf("%s: %s", rule, got)
		}
	}
}

func TestTexts(t *testing.T) {
	const obj, props = `{spec: {a: 3, list: [{k: a}]}}`, `{a: {type: integer}, list: {type: array, items: {type: object, properties: {k: {type: string}}}}}`
	for _, c := range []struct{ name, validations, want string }{
		{"default text", `[{rule: "self.a > 3"}]`, `spec: Invalid value: failed rule: self.a > 3`},
		{"message", `[{rule: "self.a > 3", message: " more "}]`, `spec: Invalid value: more`},
		{"message expression", `[{rule: "self.a > 3", message: x, messageExpression: "'%d is few'.format([self.a])"}]`, `spec: Invalid value: 3 is few`},
		{"one that fails", `[{rule: "self.a > 3", message: x, messageExpression: "self.list[5].k"}]`, `spec: Invalid value: x`},
		{"one that is empty", `[{rule: "self.a > 3", messageExpression: "' '"}]`, `spec: Invalid value: failed rule: self.a > 3`},
		{"forbidden, with a path", `[{rule: "self.a > 3", message: never, reason: FieldValueForbidden, fieldPath: ".a"}]`, `spec.a: Forbidden: never`},
		{"required", `[{rule: "has(self.b)", message: b is needed, reason: FieldValueRequired, fieldPath: .a}]`, `spec: Invalid value: "object": rule compile error: compilation failed: ERROR: <input>:1:4: undefined field 'b'` + "\n | has(self.b)\n | ...^"},
		{"duplicate", `[{rule: "self.a > 3", reason: FieldValueDuplicate}]`, `spec: Duplicate value`},
		{"an error", `[{rule: "self.list[7].k == ''"}]`, `spec: Invalid value: "object": index out of bounds: 7 evaluating rule: self.list[7].k == ''`},
		{"division", `[{rule: "1 / (self.a - 3) == 1", message: "text"}]`, `spec: Invalid value: "object": division by zero evaluating rule: text`},
	} {
		if d := cmp.Diff([]string{c.want}, evaluate(t, withSpec(t, props, c.validations), obj, "")); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func TestTransitions(t *testing.T) {
	const props = `{a: {type: integer}, fixed: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf", message: fixed}]},
      once: {type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || self == oldSelf.value()", optionalOldSelf: true, message: once}, {rule: "self != 'never'", message: never}]},
      list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}, v: {type: integer, x-kubernetes-validations: [{rule: "self >= oldSelf", message: grows}]}}}}}`
	s := withSpec(t, props, `[{rule: "self.a < 5", message: too much, fieldPath: .a}]`)
	for _, c := range []struct{ name, obj, old, want string }{
		{"a create has no old self", `{spec: {fixed: x}}`, "", ""},
		{"changed", `{spec: {fixed: z}}`, `{spec: {fixed: x}}`, `spec.fixed: Invalid value: "z": fixed`},
		{"added", `{spec: {fixed: z}}`, `{spec: {}}`, ""},
		{"optional, at first", `{spec: {once: never}}`, "", `spec.once: Invalid value: "never": never`},
		{"optional, later", `{spec: {once: b}}`, `{spec: {once: a}}`, `spec.once: Invalid value: "b": once`},
		{"found by its key", `{spec: {list: [{k: b, v: 1}, {k: a, v: 2}]}}`, `{spec: {list: [{k: a, v: 2}, {k: b, v: 3}]}}`, `spec.list[0].v: Invalid value: 1: grows`},
		{"unchanged and wrong", `{spec: {a: 7}, other: 1}`, `{spec: {a: 7}}`, `warning: spec.a: Invalid value: too much`},
		{"changed and wrong", `{spec: {a: 8}}`, `{spec: {a: 7}}`, `spec.a: Invalid value: too much`},
	} {
		want := []string{}
		if c.want != "" {
			want = append(want, c.want)
		}
		obj, old := strings.Replace(c.obj, "spec: {", "spec: {a: 1, ", 1), strings.Replace(c.old, "spec: {", "spec: {a: 1, ", 1)
		if strings.Contains(c.obj, "{a:") {
			obj, old = c.obj, c.old
		}
		if d := cmp.Diff(want, evaluate(t, s, obj, old)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

func compile(t testing.TB, text string) []string {
	t.Helper()
	out := []string{}
	for _, e := range evaluator(t).Compile(schema.Compilation{Schema: schemaOf(t, text), Path: "schema"}) {
		out = append(out, e.Error())
	}
	return out
}

func TestCompile(t *testing.T) {
	const hint = " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
	rule := func(text string) string {
		return `{"Rule":"` + text + `","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`
	}
	for _, c := range []struct {
		name, schema string
		want         []string
	}{
		{"sound", `{type: object, x-kubernetes-validations: [{rule: "self.metadata.name == 'x'"}]}`, []string{}},
		{"no bool", `{type: object, x-kubernetes-validations: [{rule: "1"}]}`,
			[]string{`schema.x-kubernetes-validations[0].rule: Invalid value: ` + rule("1") + `: cel expression must evaluate to a bool`}},
		{"unknown", `{type: object, x-kubernetes-validations: [{rule: "x == 1"}]}`,
			[]string{`schema.x-kubernetes-validations[0].rule: Invalid value: ` + rule("x == 1") + ": compilation failed: ERROR: <input>:1:1: undeclared reference to 'x' (in container '')\n | x == 1\n | ^"}},
		{"uncorrelated", `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: integer, x-kubernetes-validations: [{rule: "self == oldSelf"}]}}}}`,
			[]string{`schema.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within schema.properties[l]`}},
		{"no old self", `{type: object, x-kubernetes-validations: [{rule: "true", optionalOldSelf: true}]}`,
			[]string{`schema.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`}},
		{"too dear", `{type: object, properties: {l: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`,
			[]string{`schema.properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x` + hint,
				`schema.properties[l].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
				`schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x` + hint}},
		{"bounded", `{type: object, properties: {l: {type: array, maxItems: 20, items: {type: string, maxLength: 10}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`, []string{}},
		{"presence", `{type: object, properties: {l: {type: array, maxItems: 50, items: {type: object, properties: {a: {type: string}, b: {type: string}}}, x-kubernetes-validations: [{rule: "self.all(x, has(x.a) == has(x.b))"}]}}}`, []string{}},
		{"part of a split", `{type: object, properties: {t: {type: string, maxLength: 253, x-kubernetes-validations: [{rule: "!format.dns1123Subdomain().validate(self.split('/')[0]).hasValue()"}]}}}`, []string{}},
		{"no type", `{type: object, properties: {u: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}}`,
			[]string{`schema.properties[u].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations`}},
		{"later functions", `{type: object, x-kubernetes-validations: [{rule: "[1].includes(1)"}]}`,
			[]string{`schema.x-kubernetes-validations[0].rule: Invalid value: ` + rule("[1].includes(1)") + ": compilation failed: ERROR: <input>:1:13: undeclared reference to 'includes' (in container '')\n | [1].includes(1)\n | ............^"}},
	} {
		if d := cmp.Diff(c.want, compile(t, c.schema)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}

// What a stored definition uses stays allowed, and what is as it was stored is
// never too dear.
func TestCompileStored(t *testing.T) {
	s := schemaOf(t, `{type: object, x-kubernetes-validations: [{rule: "[1].includes(1)"}]}`)
	if errs := evaluator(t).Compile(schema.Compilation{Schema: s, Path: "schema", Stored: []*schema.Schema{s}}); len(errs) > 0 {
		t.Error(errs[0])
	}
	dear := schemaOf(t, `{type: object, properties: {l: {type: array, maxItems: 1000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x + y + x + y < 5))"}]}}}`)
	for _, unchanged := range []bool{false, true} {
		errs := evaluator(t).Compile(schema.Compilation{Schema: dear, Path: "schema", Unchanged: unchanged})
		if unchanged == (len(errs) > 0) {
			t.Errorf("unchanged %t: %d errors", unchanged, len(errs))
		}
	}
}

func TestBudgets(t *testing.T) {
	big := `{spec: {l: [` + strings.TrimSuffix(strings.Repeat("1, ", 2000), ", ") + `]}}`
	const props = `{l: {type: array, items: {type: integer}}}`
	call := evaluate(t, withSpec(t, props, `[{rule: "self.l.all(x, self.l.all(y, x == y))"}, {rule: "false"}]`), big, "")
	want := []string{`spec: Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.l.all(x, self.l.all(y, x == y))`}
	if d := cmp.Diff(want, call); d != "" {
		t.Error(d)
	}
	v := evaluator(t).Evaluate(schema.Evaluation{Schema: withSpec(t, props, `[{rule: "self.l.all(x, x == 1)"}, {rule: "false"}]`), Resource: true, Value: value(t, big), Budget: 100})
	want = []string{`spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run`}
	if d := cmp.Diff(want, told(v)); d != "" || v.Budget >= 0 {
		t.Error(d, v.Budget)
	}
}

// An evaluator that has answered before answers as a new one does.
func TestEvaluatorHasNoMemory(t *testing.T) {
	used := evaluator(t)
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(-5, 5).Draw(t, "limit")
		q := schema.Evaluation{
			Schema: schema.Parse(object.FromMap(map[string]any{"type": "object", "properties": map[string]any{"a": map[string]any{"type": "integer",
				"x-kubernetes-validations": []any{map[string]any{"rule": "self < " + string(object.EncodeJSON(int64(limit)))}}}}}).Root()),
			Resource: rapid.Bool().Draw(t, "resource"), Budget: schema.RuleBudget,
			Value: object.FromMap(map[string]any{"a": rapid.IntRange(-9, 9).Draw(t, "a")}).Root(),
		}
		fresh, err := rules.New()
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if d := cmp.Diff(told(fresh.Evaluate(q)), told(used.Evaluate(q))); d != "" {
				t.Fatal(d)
			}
		}
	})
}

func FuzzRule(f *testing.F) {
	for _, text := range []string{
		`self.a > 1`, `self.list.all(x, x.k == 'a')`, `quantity(self.b).add(quantity('1e2000000000')).isGreaterThan(quantity('1'))`, `semver(self.b).major() == 1`,
		`self.b.matches('(') || self.b.find('[') == ''`, `oldSelf.a == self.a`, `self.?a.optMap(x, x + 1).orValue(0) > 0`, `"%s %f %e %x".format([self.a, 1.5, 2.5, 'x']) == ''`,
		`ip(self.b).isLoopback() || cidr('::/0').containsIP(ip(self.b))`, `format.named(self.b).value().validate('').hasValue()`, `self.set + self.set == self.set`, `((((((((((`,
	} {
		f.Add(text, `"10"`)
	}
	e := evaluator(f)
	f.Fuzz(func(t *testing.T, text, b string) {
		node := func(optional bool) *schema.Schema {
			return schema.Parse(object.FromMap(map[string]any{"type": "object", "properties": map[string]any{
				"a": map[string]any{"type": "integer"}, "b": map[string]any{"type": "string"},
				"set":  map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}},
				"list": map[string]any{"type": "array", "items": map[string]any{"type": "object", "properties": map[string]any{"k": map[string]any{"type": "string"}}}},
			}, "x-kubernetes-validations": []any{map[string]any{"rule": text, "messageExpression": text, "optionalOldSelf": optional}}}).Root())
		}
		o := object.FromMap(map[string]any{"a": 1, "b": b, "set": []any{"x", b}, "list": []any{map[string]any{"k": b}}}).Root()
		for _, optional := range []bool{false, true} {
			s := node(optional)
			var errs []*api.FieldError
			errs = append(errs, e.Compile(schema.Compilation{Schema: s, Path: "schema"})...)
			v := e.Evaluate(schema.Evaluation{Schema: s, Resource: true, Value: o, Old: o, Ratchet: true, Budget: schema.RuleBudget})
			for _, err := range append(errs, v.Errors...) {
				_ = err.Error()
			}
			if v.Budget > schema.RuleBudget {
				t.Errorf("the budget grew to %d", v.Budget)
			}
		}
	})
}
