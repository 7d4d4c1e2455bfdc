package tool

import (
	"fmt"
	"math/big"
	"strings"
)

func init() {
	register(map[string]Program{"test": test, "[": test})
}

// tester is test at work, by POSIX's rules for the number of arguments.
type tester struct {
	p      *Proc
	args   []string
	failed string
}

func test(p *Proc) int {
	args := p.Args[1:]
	if p.name() == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			p.complain("missing ‘]’")
			return 2
		}
		args = args[:len(args)-1]
	}
	t := &tester{p: p, args: args}
	ok := t.eval(args)
	switch {
	case t.failed != "":
		p.complain("%s", t.failed)
		return 2
	case ok:
		return 0
	}
	return 1
}

func (t *tester) fail(format string, args ...any) bool {
	if t.failed == "" {
		t.failed = fmt.Sprintf(format, args...)
	}
	return false
}

func (t *tester) eval(a []string) bool {
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		if a[0] == "!" {
			return a[1] == ""
		}
		return t.unary(a[0], a[1])
	case 3:
		if ok, known := t.binary(a[0], a[1], a[2]); known {
			return ok
		}
		switch {
		case a[1] == "-a":
			return a[0] != "" && a[2] != ""
		case a[1] == "-o":
			return a[0] != "" || a[2] != ""
		case a[0] == "!":
			return !t.eval(a[1:])
		case a[0] == "(" && a[2] == ")":
			return a[1] != ""
		}
		return t.fail("‘%s’: binary operator expected", a[1])
	case 4:
		if a[0] == "!" {
			return !t.eval(a[1:])
		}
		if a[0] == "(" && a[3] == ")" {
			return t.eval(a[1:3])
		}
	}
	v, rest := t.or(a)
	if t.failed == "" && len(rest) > 0 {
		return t.fail("extra argument ‘%s’", rest[0])
	}
	return v
}

func (t *tester) or(a []string) (bool, []string) {
	v, a := t.and(a)
	for len(a) > 0 && a[0] == "-o" {
		var w bool
		w, a = t.and(a[1:])
		v = v || w
	}
	return v, a
}

func (t *tester) and(a []string) (bool, []string) {
	v, a := t.term(a)
	for len(a) > 0 && a[0] == "-a" {
		var w bool
		w, a = t.term(a[1:])
		v = v && w
	}
	return v, a
}

func (t *tester) term(a []string) (bool, []string) {
	switch {
	case len(a) == 0:
		return t.fail("argument expected"), nil
	case len(a) >= 3 && binaryOperators[a[1]]:
		v, _ := t.binary(a[0], a[1], a[2])
		return v, a[3:]
	case a[0] == "!":
		v, rest := t.term(a[1:])
		return !v, rest
	case a[0] == "(":
		v, rest := t.or(a[1:])
		if len(rest) == 0 || rest[0] != ")" {
			return t.fail("‘)’ expected"), nil
		}
		return v, rest[1:]
	case len(a) >= 2 && len(a[0]) == 2 && a[0][0] == '-' && a[1] != "-a" && a[1] != "-o":
		return t.unary(a[0], a[1]), a[2:]
	}
	return a[0] != "", a[1:]
}

func (t *tester) unary(op, arg string) bool {
	switch op {
	case "-n":
		return arg != ""
	case "-z":
		return arg == ""
	case "-t", "-h", "-L", "-p", "-S", "-b", "-g", "-u", "-k":
		return false
	case "-v":
		_, ok := t.p.Getenv(arg)
		return ok
	}
	if len(op) != 2 || op[0] != '-' {
		return t.fail("missing argument after ‘%s’", arg)
	}
	if !strings.Contains("-e-f-d-r-w-x-s-c-O-G-N", op) {
		return t.fail("‘%s’: unary operator expected", op)
	}
	st, err := t.p.Files.Stat(t.p.abs(arg))
	if err != nil || arg == "" {
		return false
	}
	switch op {
	case "-f":
		return st.Mode().IsRegular()
	case "-d":
		return st.IsDir()
	case "-x":
		return st.IsDir() || st.Mode()&0o111 != 0
	case "-s":
		return sizeOf(st) > 0
	case "-c":
		return !st.Mode().IsRegular() && !st.IsDir()
	}
	return true
}

var binaryOperators = map[string]bool{"=": true, "==": true, "!=": true, "<": true, ">": true, "-eq": true, "-ne": true, "-lt": true,
	"-le": true, "-gt": true, "-ge": true, "-nt": true, "-ot": true, "-ef": true}

func (t *tester) binary(x, op, y string) (ok, known bool) {
	if !binaryOperators[op] {
		return false, false
	}
	switch op {
	case "=", "==":
		return x == y, true
	case "!=":
		return x != y, true
	case "<":
		return x < y, true
	case ">":
		return x > y, true
	case "-nt", "-ot", "-ef":
		a, errA := t.p.Files.Stat(t.p.abs(x))
		b, errB := t.p.Files.Stat(t.p.abs(y))
		switch {
		case op == "-ef":
			return errA == nil && errB == nil && t.p.abs(x) == t.p.abs(y), true
		case op == "-ot":
			a, b, errA, errB = b, a, errB, errA
		}
		return errA == nil && (errB != nil || a.ModTime().After(b.ModTime())), true
	}
	a, b := t.integer(x), t.integer(y)
	if a == nil || b == nil {
		return false, true
	}
	c := a.Cmp(b)
	return map[string]bool{"-eq": c == 0, "-ne": c != 0, "-lt": c < 0, "-le": c <= 0, "-gt": c > 0, "-ge": c >= 0}[op], true
}

func (t *tester) integer(s string) *big.Int {
	n, ok := new(big.Int).SetString(strings.TrimPrefix(strings.TrimSpace(s), "+"), 10)
	if !ok {
		t.fail("invalid integer ‘%s’", s)
		return nil
	}
	return n
}
