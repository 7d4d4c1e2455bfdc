package jq

import (
	"errors"
	"testing"
)

var errSpent = errors.New("spent")

// Work within one function is charged, so that a budget ends what does not end.
func TestWorkIsCharged(t *testing.T) {
	const doubled = `reduce range(40) as $i ([1]; [., .])`
	for _, src := range []string{
		`[range(300000)] | . - map(-. - 1)`,
		`[range(300000)] as $a | $a | contains([range(300000)])`,
		doubled + ` as $a | ` + doubled + ` | . == $a`,
		doubled + ` as $a | ` + doubled + ` | contains($a)`,
		doubled + ` | flatten`,
		doubled + ` | [., .] | unique`,
		`reduce range(40) as $i ({"x": 1}; {"a": ., "b": .}) | . * . | . * .`,
		`[range(3000)] | map([range(3000)]) | repeat(transpose | empty)`,
		`("x" * 10000000) as $s | repeat($s | test("y") | empty)`,
		`("x" * 10000000) as $s | repeat($s | contains("y") | empty)`,
		`[range(1000000)] | repeat(add | empty)`,
		`[range(1000000)] | repeat(min | empty)`,
		`[range(200000)] | reduce range(200000) as $i (.; .[$i] = 0)`,
		`[range(200000)] | reduce range(200000) as $i (.; del(.[0]))`,
		`reduce range(200000) as $i ({}; .["k\($i)"] = $i) | reduce range(200000) as $i (.; del(.["k\($i)"]))`,
		`[range(300000)] | sort_by(-.) | group_by(. % 7) | repeat(sort | empty)`,
		`reduce range(200) as $i ([]; [., .]) | repeat(try error(.[0] + 1) catch empty)`,
		`("ab" * 4000000) | repeat(splits("z") | empty)`,
		`def f: reduce range(300) as $i (.; . + "x") | f; "" | f`,
		`repeat("x" * 60000000 | length | empty)`,
		`repeat([limit(100000; repeat("x"))] | join(",") | empty)`,
		`[range(100000)] as $a | repeat($a | indices([99999]) | empty)`,
		`[[range(1000000)]] | repeat(tojson | empty)`,
	} {
		p, err := Compile(src, Options{})
		if err != nil {
			t.Fatal(err)
		}
		steps := 0
		r := &Runtime{Step: func() error {
			if steps++; steps > 3000 {
				return errSpent
			}
			return nil
		}}
		for _, e := range p.Run(r, nil) {
			err = e
		}
		if err != errSpent {
			t.Errorf("%s ends with %v", src, err)
		}
	}
}

// A value that is nested too deeply to be walked is refused, not walked.
func TestDeepValues(t *testing.T) {
	const deep = `reduce range(100010) as $i (1; [.])`
	for src, want := range map[string]string{
		"(" + deep + ") == (" + deep + ")":            "error: a value is nested too deeply (more than 100,000)",
		deep + " | contains(" + deep + ")":            "error: a value is nested too deeply (more than 100,000)",
		deep + " | flatten":                           "error: a value is nested too deeply (more than 100,000)",
		deep + " | tojson | .[100000:100025]":         `"[<skipped: too deep>]]]]]"`,
		deep + " | delpaths([[range(1)|0]]) | length": "0",
	} {
		if got := run(t, src, "null", nil); got != want {
			t.Errorf("%s: got %.200s, want %s", src, got, want)
		}
	}
}
