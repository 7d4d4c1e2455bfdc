package jq

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/object"
)

// run evaluates a program on a JSON text and returns its values, one a line, and
// at the end the error.
func run(t testing.TB, src, input string, r *Runtime) string {
	t.Helper()
	p, err := Compile(src, Options{})
	if err != nil {
		return err.Error()
	}
	in, err := DecodeOne(input)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for v, err := range p.Run(r, in) {
		if err != nil {
			lines = append(lines, "error"+err.Error())
			break
		}
		lines = append(lines, Encode(v))
	}
	return strings.Join(lines, "\n")
}

// What jq 1.7 does otherwise than 1.6, or than other implementations.
func TestAs17(t *testing.T) {
	for _, tc := range []struct{ src, in, want string }{
		{`.`, `[1.0,1.000,100e-2,1e2,100000000000000000000]`, `[1.0,1.000,1.00,1E+2,100000000000000000000]`},
		{`map(. + 0)`, `[1.0,100000000000000000000]`, `[1,1e+20]`},
		{`.`, `1E1234567890`, `1.7976931348623157e+308`},
		{`., tojson`, `12345678909876543212345`, "12345678909876543212345\n\"12345678909876543212345\""},
		{`.`, `{"b":1,"a":{"d":1,"c":2}}`, `{"b":1,"a":{"d":1,"c":2}}`},
		{`{z:1} + ., keys, keys_unsorted`, `{"b":1,"a":2}`, "{\"z\":1,\"b\":1,\"a\":2}\n[\"a\",\"b\"]\n[\"b\",\"a\"]"},
		{`.a`, `1`, `error: Cannot index number with string "a"`},
		{`.[0]`, `{}`, `error: Cannot index object with number`},
		{`error(null)`, `1`, `error (not a string): null`},
		{`try error(null) catch .`, `1`, `null`},
		{`[limit(0; 1, 2)]`, `null`, `[]`},
		{`[limit(1; 1, error)]`, `null`, `[1]`},
		{`pick(.a.b, .c[1])`, `{"a":{"b":1,"x":2},"c":[1,2],"d":3}`, `{"a":{"b":1},"c":[null,2]}`},
		{`leaf_paths`, `1`, "jq: error: leaf_paths/0 is not defined at <top-level>, line 1:\nleaf_paths\njq: 1 compile error"},
		{`"x" * 0, "x" * 0.5, "ab" * 1.7, "x" * -1`, `1`, "\"\"\n\"\"\n\"ab\"\nnull"},
		{`.[0] == .[1], .[0] < .[1], unique`, `[100000000000000000001,100000000000000000002]`, "false\ntrue\n[100000000000000000001,100000000000000000002]"},
		{`del(.[0], .[0]), del(.[1:], .[0])`, `[1,2,3]`, "[2,3]\n[]"},
		{`(.a | .b) |= empty, .[]?`, `{}`, `{}`},
		{`abs`, `-5`, `5`},
		{`foo | bar(1) | $x`, `1`, "jq: error: foo/0 is not defined at <top-level>, line 1:\nfoo | bar(1) | $x\n" +
			"jq: error: bar/1 is not defined at <top-level>, line 1:\nfoo | bar(1) | $x      \n" +
			"jq: error: $x is not defined at <top-level>, line 1:\nfoo | bar(1) | $x               \njq: 3 compile errors"},
		{`{(1): 2}`, `1`, "jq: error: Cannot use number (1) as object key at <top-level>, line 1:\n{(1): 2} \njq: 1 compile error"},
		{`[splits("a+")]`, `"xaayaz"`, `["x","y","z"]`},
		{`gsub("";"-")`, `"ab"`, `"-a-b-"`},
		{`[sub("(?<a>.)"; "\(.a|ascii_upcase)", "\(.a|ascii_downcase)", "c")]`, `"aB"`, `["AB","aB","cB"]`},
		{`[.[] | tojson]`, `[1.0, "é", null]`, `["1.0","\"é\"","null"]`},
		{`(.[] | select(. >= 2)) |= empty`, `[1,5,3,0,7]`, `[1,0]`},
		{`reduce range(3) as $x (0; empty)`, `null`, `null`},
		{`@base64d`, `"aGVsbG8"`, `"hello"`},
		{`ltrimstr("x"), ascii_downcase?`, `1`, `1`},
		{`getpath(["a","b"])`, `{"a":null}`, `null`},
		{`splits`, `"a"`, "jq: error: splits/0 is not defined at <top-level>, line 1:\nsplits\njq: 1 compile error"},
		{`. as [$a] ?// $a | if ($a | type) == "number" then error("no") else $a end`, `[1]`, `[1]`},
		{`"\(1;2)"`, `1`, "jq: error: syntax error, unexpected ';' (Unix shell quoting issues?) at <top-level>, line 1:\n\"\\(1;2)\"    \njq: 1 compile error"},
		{`$__loc__`, `1`, `{"file":"<top-level>","line":1}`},
		{`try error("\($__loc__)") catch .`, `1`, `"{\"file\":\"<top-level>\",\"line\":1}"`},
		{`implode`, `[65,128512]`, `"A😀"`},
		{`tojson`, `[nan]`, `"[null]"`},
		{`. == 1.0`, `1`, `true`},
		{`[.[] as {a: $x, b: [$y]} | [$x, $y]]`, `[{"a":1,"b":[2]}]`, `[[1,2]]`},
	} {
		if got := run(t, tc.src, tc.in, nil); got != tc.want {
			t.Errorf("%s on %s:\n got %s\nwant %s", tc.src, tc.in, got, tc.want)
		}
	}
}

// The clock, the input and the environment are those that are passed in.
func TestOutsideIsPassedIn(t *testing.T) {
	inputs := []any{1.0, 2.0}
	var said strings.Builder
	r := &Runtime{
		Now:     func() time.Time { return time.Unix(1767225600, 500_000_000) },
		Environ: func() []string { return []string{"A=b=c", "Z="} },
		Input: func() (any, bool, error) {
			if len(inputs) == 0 {
				return nil, false, nil
			}
			v := inputs[0]
			inputs = inputs[1:]
			return v, true, nil
		},
		Debug: func(text string) { said.WriteString(text) },
	}
	got := run(t, `now, (now | todate), $ENV, env.A, input, [inputs], (try input catch .), debug, debug("x")`, `0`, r)
	want := "1767225600.5\n\"2026-01-01T00:00:00Z\"\n{\"A\":\"b=c\",\"Z\":\"\"}\n\"b=c\"\n1\n[2]\n\"break\"\n0\n0"
	if got != want {
		t.Errorf("got %s", got)
	}
	if said.String() != "[\"DEBUG:\",0]\n[\"DEBUG:\",\"x\"]\n" {
		t.Errorf("said %q", said.String())
	}
}

// What grows with every turn is bounded where it is made, by an error that a
// program may catch.
func TestTooLong(t *testing.T) {
	for src, want := range map[string]string{
		`reduce range(64) as $i ([1]; . + .)`:              "array is too long (more than 4,194,304 values)",
		`[range(100) as $i | [range(50000)]] | add`:        "array is too long (more than 4,194,304 values)",
		`reduce range(64) as $i (1; [., .]) | tojson`:      "string is too long (more than 64 MiB)",
		`reduce range(64) as $i (1; {a: ., b: .}) | @text`: "string is too long (more than 64 MiB)",
	} {
		p, err := Compile(src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, ok, err := p.First(nil, nil)
		e := &Error{}
		if ok || !errors.As(err, &e) || e.Value != want {
			t.Errorf("%s: got %v, %v", src, ok, err)
		}
	}
}

// Adding many objects up takes time by their number, and gives what + gives.
func TestAddObjects(t *testing.T) {
	p, err := Compile(`[range(50000) | {(tostring): .}] | add | length, .["49999"], ([{a: 1, b: 2}, {b: 3}, {c: 4, a: 5}] | add | tojson)`, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for v, err := range p.Run(nil, nil) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if want := []any{50000.0, 49999.0, `{"a":5,"b":3,"c":4}`}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Whatever does not end is ended by the budget, or by a bound of its own.
func TestNothingRunsForEver(t *testing.T) {
	over := errors.New("over")
	for _, src := range []string{
		`def f: f; f`, `def f: 1 + f; f`, `[repeat(1)]`, `last(range(infinite))`, `0 | until(false; . + 1)`, `[recurse]|0|[recurse(.)]`,
		`[range(1e12)] | length`, `reduce range(1e12) as $x (0; . + 1)`, `"x" * 1e12`, `[limit(1e15; repeat(1))]`, `last(repeat(.))`,
		`def f: (f, 1); first(f)`, `reduce range(1e9) as $i ("x"; . + .)`, `[.[1e12]?] , (.[1e12] = 1)`, `range(0; 1; 0)`,
		`[while(true; .)] | length`, `label $x | repeat(.)`, `[splits("")]`, `path(repeat(.))`, `[range(1000) | "x" * 60000000]`, `"xx" | last(repeat(. + .))`, `[range(1e5) | "\(.)" * 50000]`, `def f(g): f(g | g); f(1)`,
	} {
		steps := 0
		r := &Runtime{Step: func() error {
			if steps++; steps > 300 {
				return over
			}
			return nil
		}}
		p, err := Compile(src, Options{})
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		for _, err := range p.Run(r, nil) {
			if err != nil && err != over {
				if e := (&Error{}); !errors.As(err, &e) {
					t.Errorf("%s: %v", src, err)
				}
			}
		}
	}
}

// A program of equal text is compiled once.
func TestCompiledOnce(t *testing.T) {
	a, _ := Compile(`.a.b.c | map(1)`, Options{})
	b, _ := Compile(`.a.b.c | map(1)`, Options{})
	c, _ := Compile(`.a.b.c | map(1)`, Options{Vars: []string{"$x"}})
	if a != b || a == c {
		t.Error("the cache does not tell texts and variables apart, or keeps nothing")
	}
}

// Trees go in and come out as they are; a variable has the value given.
func TestTrees(t *testing.T) {
	tree := object.FromAny(map[string]any{"n": int64(9007199254740993), "f": 1.5, "l": []any{"x", nil, true}})
	p, err := Compile(`{"same": ., "o": $o}`, Options{Vars: []string{"$o"}})
	if err != nil {
		t.Fatal(err)
	}
	v, ok, err := p.First(nil, FromTree(tree), "given")
	if err != nil || !ok {
		t.Fatal(err)
	}
	got := ToTree(v).(*object.Map)
	if same, _ := got.Get("same"); !object.Equal(same, tree) {
		t.Errorf("got %s", object.EncodeJSON(same))
	}
	if o, _ := got.Get("o"); o != "given" {
		t.Errorf("the variable is %v", o)
	}
}

// Values never change: what one branch sets another does not see.
func TestValuesStay(t *testing.T) {
	got := run(t, `. as $x | [($x | .a = 1), ($x + {b: 2}), ($x | del(.a)), $x], ([1] as $l | [$l + [2], $l + [3], ($l | .[0] = 9), $l]),
		(reduce (1,2) as $i ([]; . + [$i]) | [. + [3], . + [4], .])`, `{"a":0}`, nil)
	want := `[{"a":1},{"a":0,"b":2},{},{"a":0}]` + "\n" + `[[1,2],[1,3],[9],[1]]` + "\n" + `[[1,2,3],[1,2,4],[1,2]]`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func FuzzRun(f *testing.F) {
	for _, src := range []string{`.`, `.a[]?|select(.>1)`, `reduce .[] as [$a,{b:$c}] (0;.+$a)`, `def f(g;$x): g|$x; f(.;1)`, `"\(1)\(.a)"`, `path(..)`,
		`.[1:2] |= map(.)`, `try error catch .`, `label $f | 1, break $f`, `[.[] as [$a] ?// $a | $a]`, `@sh "x\(.)"`, `sub("(?<x>a)";"\(.x)")`, `to_entries|from_entries`, `.a //= 1`, `limit(3;repeat(.))`} {
		f.Add(src, `{"a":[1,"b",{"c":null}],"b":2.50}`)
	}
	f.Fuzz(func(t *testing.T, src, input string) {
		if len(src) > 200 || len(input) > 1000 {
			return
		}
		in, err := DecodeOne(input)
		if err != nil {
			in = nil
		} else if again, err := DecodeOne(Encode(in)); err != nil || Encode(again) != Encode(in) {
			t.Errorf("%s printed as %s reads as %s", input, Encode(in), Encode(again))
		}
		p, err := Compile(src, Options{})
		if err != nil {
			return
		}
		steps, values := 0, 0
		r := &Runtime{Step: func() error {
			if steps++; steps > 50 {
				return errors.New("over")
			}
			return nil
		}}
		for range p.Run(r, in) {
			if values++; values > 1000 {
				break
			}
		}
	})
}

const benchInput = `{"apiVersion":"v1","items":[{"kind":"ConfigMap","metadata":{"name":"a","namespace":"default","labels":{"app":"x","tier":"web"},"resourceVersion":"12"},"data":{"message":"hello","replicas":"1"}},{"kind":"ConfigMap","metadata":{"name":"b","namespace":"other"},"data":{"message":"bye"}}],"kind":"List"}`

func BenchmarkRun(b *testing.B) {
	for _, src := range []string{`.items[0].metadata.name`, `[.items[] | select(.kind == "ConfigMap") | {name: .metadata.name, data}]`, `.items[].data |= with_entries(.value |= ascii_upcase)`} {
		b.Run(src, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, _ := Compile(src, Options{})
				in, _ := DecodeOne(benchInput)
				for v := range p.Run(nil, in) {
					Encode(v)
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		cache.programs = nil
		Compile(`[.items[] | select(.kind == "ConfigMap") | {name: .metadata.name, data}] | with_entries(.value |= tojson)`, Options{})
	}
}

// A check holds by its last value.
func TestACheckHoldsByItsLastValue(t *testing.T) {
	for text, want := range map[string]any{`true, false`: false, `false, true`: true, `empty`: nil, `.objects[]`: nil, `null, "x"`: "x"} {
		holds, err := new(Checks).Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := holds(object.NewMap(object.Field{Key: "objects", Value: object.NewList()}), nil); err != nil || got != want {
			t.Errorf("%s: %v, %v, want %v", text, got, err, want)
		}
	}
}

// A check that does not end is one that cannot be made; one that looks at every
// object for each is no trouble.
func TestAChecksBudget(t *testing.T) {
	var objects []any
	for i := range 300 {
		objects = append(objects, object.FromAny(map[string]any{"metadata": map[string]any{"name": fmt.Sprint("a", i)}}))
	}
	state := object.NewMap(object.Field{Key: "objects", Value: object.NewList(objects...)})
	checks := new(Checks)
	for text, want := range map[string]error{
		`last(repeat(.))`: ErrCheckTooLong, `[range(1e12)] | length`: ErrCheckTooLong,
		`.objects as $all | all($all[]; .metadata.name as $n | [$all[] | select(.metadata.name == $n)] | length == 1)`: nil,
	} {
		holds, err := checks.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := holds(state, nil); !errors.Is(err, want) || want == nil && v != true {
			t.Errorf("%s: %v, %v", text, v, err)
		}
	}
}
