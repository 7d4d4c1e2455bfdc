package tool

import (
	"bytes"
	"strings"
	"testing"
)

func TestGuardedText(t *testing.T) {
	for src, want := range map[string]string{
		`BEGIN { s = s s }`:                           `BEGIN { s = cat__(s s) }`,
		`{ print a b }`:                               `{ print a b }`,
		`{ x = a " " -1 }`:                            `{ x = cat__(a " " -1) }`,
		`{ x = f(a b) (c) }`:                          `{ x = cat__(f(cat__(a b)) (c)) }`,
		`{ if (a b == c) y = 1 }`:                     `{ if (cat__(a b) == c) y = 1 }`,
		`{ x = substr(a, 1, 2) "z" # c d` + "\n}":     `{ x = cat__(substr(a, 1, 2) "z") # c d` + "\n}",
		`{ s = sprintf("%s", a b) }`:                  `{ s = cat__(sprintf("%s", cat__(a b))) }`,
		`{ gsub(/a/, "b" c) }`:                        `{ gsub(/a/, rep__( cat__("b" c), $0)) }`,
		`{ gsub(/a/, "b", x[1]) }`:                    `{ gsub(/a/, rep__( "b",  x[1]), x[1]) }`,
		`{ a[i " " j] = $1 $NF; n = NF - 1 }`:         `{ a[cat__(i " " j)] = cat__($1 $NF); n = NF - 1 }`,
		`{ c ? x = 1 : y = a b }`:                     `{ c ? x = 1 : y = cat__(a b) }`,
		`function f(a, b) { return a b } { f(1, 2) }`: `function f(a, b) { return cat__(a b) } { f(1, 2) }`,
		`/re/ { i++; x = i++ "k" }`:                   `/re/ { i++; x = cat__(i++ "k") }`,
		`!seen[$1 $2]++`:                              `!seen[cat__($1 $2)]++`,
		`{ x = (a) " " 1.5e3 }`:                       `{ x = cat__((a) " " 1.5e3) }`,
		`{ for (i = 0; i < 3; i++) s = s i }`:         `{ for (i = 0; i < 3; i++) s = cat__(s i) }`,
		`$1 " " $2 ~ "^" x { n++ }`:                   `cat__($1 " " $2) ~ cat__("^" x) { n++ }`,
	} {
		if got, err := guarded(src); err != nil || got != want {
			t.Errorf("%s:\n got %s %v\nwant %s", src, got, err, want)
		}
	}
}

// What would fill the memory ends, by the bound of a string or by the budget.
func TestAwkEnds(t *testing.T) {
	for _, src := range []string{
		`BEGIN { s = "x"; while (1) s = s s }`,
		`BEGIN { s = "x"; for (;;) s = sprintf("%s%s", s, s) }`,
		`BEGIN { s = "x"; for (;;) gsub(/x/, "xx", s) }`,
		`BEGIN { $0 = "x"; for (;;) gsub(/x/, "&&") }`,
		`function f(x) { return f(x x) } BEGIN { f("x") }`,
		`function f(x) { return x x } BEGIN { s = "x"; for (;;) s = f(s) }`,
		`BEGIN { s = sprintf("%100000d", 1); for (;;) a[i++] = s i }`,
		`BEGIN { s = "x"; for (;;) { t = s s; s = t t; a[s s] = 1 } }`,
		`BEGIN { s = "x"; for (;;) $0 = $0 s $0 }`,
	} {
		p := world(t, map[string]string{})
		steps := 0
		p.Step = func() error {
			if steps++; steps > 5000 {
				return errBudget
			}
			return nil
		}
		p.Args = []string{"awk", src}
		var out, errs bytes.Buffer
		p.Stdin, p.Stdout, p.Stderr = strings.NewReader(""), &out, &errs
		if code := awk(p); code != exitBudget && (code != 2 || !strings.Contains(errs.String(), "too long") && !strings.Contains(errs.String(), "depth")) {
			t.Errorf("%s ends with %d: %s", src, code, errs.String())
		}
	}
}
