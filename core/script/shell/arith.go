package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arith evaluates $(( )).
func (s *sh) arith(x *syntax.ArithmExp) int64 { return s.arithWord(s.unit.arith[x]) }

// arithNode evaluates an expression of the syntax tree by its text, since an
// expansion in it may give more than an operand.
func (s *sh) arithNode(x syntax.ArithmExpr) int64 {
	if x == nil {
		return 0
	}
	return s.arithWord(s.unit.arith[x])
}

// arithSource is an expression as it stands in a script.
type arithSource struct {
	// text is an expression in which nothing is to be expanded first.
	text string
	word *syntax.Word
}

func (s *sh) arithWord(src arithSource) int64 {
	if src.word == nil {
		return s.arithText(src.text)
	}
	return s.arithText(s.arithExpand(src.word))
}

// arithmetic runs what evaluates expressions of a command: an error in one ends
// the command alone. what is the command's name in messages.
func (s *sh) arithmetic(what string, run func()) (ok bool) {
	guarded, fds := s.guarded, s.fds
	s.arithPrefix = what
	defer func() {
		s.arithPrefix = ""
		if _, failed := s.e.flying.(discard); failed {
			s.e.flying = nil
			recover()
			s.guarded, s.fds, ok = guarded, fds, false
		}
	}()
	run()
	return true
}

// arithExpand expands an expression as if it stood between double quotes.
func (s *sh) arithExpand(word *syntax.Word) string {
	w := words{s: s, mode: toText}
	for _, part := range word.Parts {
		w.part(part, true, false, false)
	}
	return string(w.text)
}

// maxArith is how deep variables may refer to expressions.
const maxArith = 1024

// arithText evaluates an expression. An error is printed and ends the command.
// Models expr.c.
func (s *sh) arithText(text string) int64 {
	if n, ok := number(text); ok && (len(text) == 1 || text[0] != '0') {
		return int64(n)
	}
	a := &arith{s: s, text: strings.ReplaceAll(text, `"`, ""), live: true}
	return a.all()
}

// arith is the reading of one expression: it computes as it reads. Where live is
// false the operands are read for their syntax alone.
type arith struct {
	s     *sh
	text  string
	at    int
	tok   string
	from  int
	live  bool
	depth int
}

// name is an operand that can be assigned to.
type operand struct {
	name, sub string
	isElem    bool
	value     int64
	// named: it is a variable.
	named bool
}

func (a *arith) all() int64 {
	if a.depth > maxArith {
		a.fail("expression recursion level exceeded")
	}
	a.s.e.labour(1 + len(a.text)/8)
	a.next()
	if a.tok == "" {
		return 0
	}
	v := a.comma()
	if a.tok != "" {
		a.fail("syntax error in expression")
	}
	return v
}

// fail prints the message with the token at which reading stopped.
func (a *arith) fail(msg string) {
	text := strings.TrimLeft(a.text, " \t\n")
	rest := a.text[min(a.from, len(a.text)):]
	a.s.errorf("%s%s: %s (error token is \"%s\")", a.s.arithPrefix, text, msg, rest)
	a.s.e.throw(discard{1, true})
}

const arithOps = "<<= >>= ** ++ -- << >> <= >= == != && || += -= *= /= %= &= ^= |="

func (a *arith) next() {
	t := a.text
	for a.at < len(t) && strings.IndexByte(" \t\n", t[a.at]) >= 0 {
		a.at++
	}
	if a.at == len(t) {
		a.tok = "" // from stays: messages name the last token
		return
	}
	a.from = a.at
	c := t[a.at]
	switch {
	case isDigit(c):
		for a.at < len(t) && (isName(t[a.at]) || t[a.at] == '#' || t[a.at] == '@') {
			a.at++
		}
	case isName(c):
		for a.at < len(t) && isName(t[a.at]) {
			a.at++
		}
	default:
		a.at++
		for _, op := range strings.Fields(arithOps) {
			if strings.HasPrefix(t[a.from:], op) {
				a.at = a.from + len(op)
				break
			}
		}
	}
	a.tok = t[a.from:a.at]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isName(c byte) bool { return c == '_' || isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }

func (a *arith) comma() int64 {
	v := a.assignment()
	for a.tok == "," {
		a.next()
		v = a.assignment()
	}
	return v
}

func (a *arith) assignment() int64 {
	start, at, tok := a.from, a.at, a.tok
	if tok != "" && isName(tok[0]) && !isDigit(tok[0]) {
		x := a.reference()
		if op := a.tok; op == "=" || len(op) > 1 && op[len(op)-1] == '=' && !strings.Contains("== != <= >=", op) {
			a.next()
			v := a.assignment()
			if op != "=" && a.live {
				v = a.binary(op[:len(op)-1], a.load(x), v)
			}
			a.store(x, v)
			return v
		}
		a.from, a.at, a.tok = start, at, tok
	}
	return a.ternary()
}

func (a *arith) ternary() int64 {
	cond := a.level(0)
	if a.tok != "?" {
		return cond
	}
	live := a.live
	a.next()
	a.live = live && cond != 0
	yes := a.comma()
	if a.tok != ":" {
		a.fail("`:' expected for conditional expression")
	}
	a.next()
	a.live = live && cond == 0
	no := a.ternary()
	a.live = live
	if cond != 0 {
		return yes
	}
	return no
}

// arithLevels are the binary operators, those that bind least first.
var arithLevels = []string{"||", "&&", "|", "^", "&", "== !=", "< > <= >=", "<< >>", "+ -", "* / %"}

func (a *arith) level(n int) int64 {
	if n == len(arithLevels) {
		return a.power()
	}
	v := a.level(n + 1)
	for a.tok != "" && wordIn(arithLevels[n], a.tok) {
		op, live := a.tok, a.live
		a.next()
		switch op {
		case "||":
			a.live = live && v == 0
		case "&&":
			a.live = live && v != 0
		}
		place := a.from
		right := a.level(n + 1)
		a.live = live
		v = a.binaryAt(op, v, right, place)
	}
	return v
}

func wordIn(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

func (a *arith) power() int64 {
	base := a.unary()
	if a.tok != "**" {
		return base
	}
	a.next()
	place := a.from
	exp := a.power()
	return a.binaryAt("**", base, exp, place)
}

func (a *arith) binaryAt(op string, x, y int64, place int) int64 {
	if !a.live {
		return 0
	}
	if y == 0 && (op == "/" || op == "%") {
		a.from = place
		a.fail("division by 0")
	}
	if y < 0 && op == "**" {
		a.fail("exponent less than 0")
	}
	return a.binary(op, x, y)
}

func (a *arith) binary(op string, x, y int64) int64 {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/", "%":
		if y == 0 {
			a.from = max(0, strings.LastIndexAny(a.text, "0"))
			a.fail("division by 0")
		}
		if y == -1 { // the smallest number has no negative
			if op == "/" {
				return -x
			}
			return 0
		}
		if op == "/" {
			return x / y
		}
		return x % y
	case "**":
		v := int64(1)
		for ; y > 0; y >>= 1 {
			if y&1 == 1 {
				v *= x
			}
			x *= x
		}
		return v
	case "<<":
		return x << uint(y&63)
	case ">>":
		return x >> uint(y&63)
	case "&":
		return x & y
	case "|":
		return x | y
	case "^":
		return x ^ y
	}
	return truth(compare(op, x, y))
}

func compare(op string, x, y int64) bool {
	switch op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	case ">":
		return x > y
	case "<=":
		return x <= y
	case ">=":
		return x >= y
	case "&&":
		return x != 0 && y != 0
	}
	return x != 0 || y != 0
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
