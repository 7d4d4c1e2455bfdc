package shell

import (
	"strings"
)

// unary reads signs, !, ~, ++ and -- before an operand.
func (a *arith) unary() int64 {
	switch op := a.tok; op {
	case "!", "~", "+", "-":
		a.next()
		v := a.unary()
		switch op {
		case "!":
			return truth(v == 0)
		case "~":
			return ^v
		case "-":
			return -v
		}
		return v
	case "++", "--":
		a.next()
		if a.tok == "" || !isName(a.tok[0]) || isDigit(a.tok[0]) {
			// Two signs before what is no variable.
			v := a.unary()
			return v
		}
		x := a.reference()
		v := a.load(x) + step(op)
		a.store(x, v)
		return v
	}
	return a.postfix()
}

func step(op string) int64 {
	if op == "++" {
		return 1
	}
	return -1
}

func (a *arith) postfix() int64 {
	if a.tok == "(" {
		a.next()
		v := a.comma()
		if a.tok != ")" {
			a.fail("missing `)'")
		}
		a.next()
		return v
	}
	if a.tok == "" || !isName(a.tok[0]) {
		a.fail("syntax error: operand expected")
	}
	if isDigit(a.tok[0]) {
		v := a.numeral(a.tok)
		a.next()
		return v
	}
	x := a.reference()
	v := a.load(x)
	if a.tok == "++" || a.tok == "--" {
		a.store(x, v+step(a.tok))
		a.next()
	}
	return v
}

// reference reads a name with its subscript.
func (a *arith) reference() operand {
	x := operand{name: a.tok}
	if a.at < len(a.text) && a.text[a.at] == '[' {
		end, depth := a.at, 0
		for ; end < len(a.text); end++ {
			if a.text[end] == '[' {
				depth++
			} else if a.text[end] == ']' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if end == len(a.text) {
			a.from = a.at
			a.fail("bad array subscript")
		}
		x.sub, x.isElem = a.text[a.at+1:end], true
		a.at = end + 1
	}
	a.next()
	return x
}

// load is the value of a variable, whose text is an expression itself.
func (a *arith) load(x operand) int64 {
	if !a.live {
		return 0
	}
	var v pvalue
	if x.isElem {
		v = a.s.elementText(x.name, a.subscript(x))
	} else {
		v = a.s.named(x.name)
	}
	if !v.set && a.s.opts.nounset {
		a.s.fatal(1, "%s: unbound variable", x.name)
	}
	if v.str == "" {
		return 0
	}
	if n, ok := number(v.str); ok && (len(v.str) == 1 || v.str[0] != '0') {
		return int64(n)
	}
	inner := &arith{s: a.s, text: v.str, live: true, depth: a.depth + 1}
	return inner.all()
}

// subscript is the key of an element: of an associative array a text.
func (a *arith) subscript(x operand) string {
	if v := a.s.lookup(x.name); v != nil && v.dict != nil {
		return strings.Trim(x.sub, "'")
	}
	inner := &arith{s: a.s, text: x.sub, live: true, depth: a.depth + 1}
	return itoa64(inner.all())
}

func (a *arith) store(x operand, v int64) {
	if !a.live {
		return
	}
	ok := false
	if x.isElem {
		ok = a.s.setElem(x.name, a.subscript(x), itoa64(v), false)
	} else {
		ok = a.s.setVar(x.name, itoa64(v))
	}
	if !ok {
		a.s.e.throw(discard{status: 1})
	}
}

// numeral reads a constant: decimal, octal, hexadecimal, or base#digits.
func (a *arith) numeral(t string) int64 {
	base, digits := 10, t
	if b, rest, ok := strings.Cut(t, "#"); ok {
		n, valid := number(b)
		if !valid || n < 2 || n > 64 {
			a.fail("invalid arithmetic base")
		}
		if rest == "" {
			a.fail("invalid integer constant")
		}
		base, digits = n, rest
	} else if len(t) > 1 && t[0] == '0' {
		base, digits = 8, t[1:]
		if digits[0] == 'x' || digits[0] == 'X' {
			base, digits = 16, digits[1:]
		}
	}
	v := int64(0)
	for i := range len(digits) {
		d := digitValue(digits[i], base)
		if d < 0 {
			a.fail("invalid number")
		}
		if d >= base {
			a.fail("value too great for base")
		}
		v = v*int64(base) + int64(d)
	}
	return v
}

func digitValue(c byte, base int) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'Z' && base <= 36:
		return int(c-'A') + 10
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 36
	case c == '@':
		return 62
	case c == '_':
		return 63
	}
	return -1
}
