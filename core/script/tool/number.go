package tool

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() {
	register(map[string]Program{"seq": seq, "expr": expr, "basename": basename, "dirname": dirname})
}

func seq(p *Proc) int {
	sep, format, equal := "\n", "", false
	args := p.Args[1:]
	g := grammar{short: "+f:s:w", long: []string{"format=f:", "separator=s:", "equal-width=w"}}
	var front []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") && !isNumber(args[0]) { // -5 is a number
		front = append(front, args[0])
		if a := args[0]; (a == "-f" || a == "-s" || a == "--format" || a == "--separator") && len(args) > 1 {
			front = append(front, args[1])
			args = args[1:]
		}
		args = args[1:]
		if front[len(front)-1] == "--" {
			break
		}
	}
	opts, _, err := g.parse(front)
	if err != nil {
		return p.misuse(g, err.Error())
	}
	for _, o := range opts {
		switch o.name {
		case "f":
			format = o.arg
		case "s":
			sep = o.arg
		case "w":
			equal = true
		}
	}
	switch {
	case len(args) == 0:
		return p.missing(g)
	case len(args) > 3:
		return p.misuse(g, fmt.Sprintf("extra operand ‘%s’", args[3]))
	}
	for _, a := range args {
		if !isNumber(a) {
			return p.misuse(g, fmt.Sprintf("invalid floating point argument: ‘%s’", a))
		}
	}
	first, step, last := "1", "1", args[len(args)-1]
	if len(args) > 1 {
		first = args[0]
	}
	if len(args) == 3 {
		step = args[1]
	}
	if looseFloat(step) == 0 {
		return p.misuse(g, fmt.Sprintf("invalid Zero increment value: ‘%s’", step))
	}
	return p.sequence(first, step, last, sep, format, equal)
}

func isNumber(s string) bool {
	f, err := strconv.ParseFloat(s, 64)
	return err == nil && !math.IsNaN(f)
}

func decimals(s string) int {
	_, after, _ := strings.Cut(s, ".")
	return len(after)
}

func (p *Proc) sequence(first, step, last, sep, format string, equal bool) int {
	from, by, to := new(big.Rat), new(big.Rat), new(big.Rat)
	from.SetString(first)
	by.SetString(step)
	if math.IsInf(looseFloat(last), 0) {
		to.SetInt64(math.MaxInt64)
	} else {
		to.SetString(last)
	}
	places := max(decimals(first), decimals(step))
	out, width, any := p.sink(), 0, false
	if equal {
		steps := new(big.Rat).Quo(new(big.Rat).Sub(to, from), by)
		whole := new(big.Int).Quo(steps.Num(), steps.Denom())
		end := new(big.Rat).Add(from, new(big.Rat).Mul(by, new(big.Rat).SetInt(whole)))
		width = max(len(from.FloatString(places)), len(end.FloatString(places)))
	}
	verb, complaint := "", ""
	if format != "" {
		if verb, complaint = floatFormat(format); complaint != "" {
			return p.complain("%s", complaint)
		}
	}
	for n, count := from, 1; n.Cmp(to)*by.Sign() <= 0; n.Add(n, by) {
		if any {
			out.WriteString(sep)
		}
		any = true
		text := n.FloatString(places)
		if equal && len(text) < width {
			sign := ""
			if text[0] == '-' {
				sign, text = "-", text[1:]
			}
			text = sign + strings.Repeat("0", width-len(sign)-len(text)) + text
		}
		if verb != "" {
			f, _ := n.Float64()
			text = fmt.Sprintf(verb, f)
		}
		out.WriteString(text)
		if count++; count%64 == 0 && !p.step() || out.Buffered() > 4000 && out.Flush() != nil {
			break
		}
	}
	if any {
		out.end('\n')
	}
	return out.done(0)
}

// floatFormat checks a printf format with one conversion of a float.
func floatFormat(format string) (verb, complaint string) {
	count := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		i++
		if i < len(format) && format[i] == '%' {
			continue
		}
		for i < len(format) && strings.IndexByte("-+ #0'123456789.", format[i]) >= 0 {
			i++
		}
		if i == len(format) || strings.IndexByte("efgEFG", format[i]) < 0 {
			return "", fmt.Sprintf("format ‘%s’ has unknown %%%s directive", format, format[min(i, len(format)):])
		}
		count++
	}
	switch count {
	case 0:
		return "", fmt.Sprintf("format ‘%s’ has no %% directive", format)
	case 1:
		return format, ""
	}
	return "", fmt.Sprintf("format ‘%s’ has too many %% directives", format)
}

func basename(p *Proc) int {
	g := grammar{short: "+as:z", long: []string{"multiple=a", "suffix=s:", "zero=z"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	suffix, many, end := "", false, byte('\n')
	for _, o := range opts {
		switch o.name {
		case "a":
			many = true
		case "s":
			many, suffix = true, o.arg
		case "z":
			end = 0
		}
	}
	switch {
	case len(names) == 0:
		return p.missing(g)
	case !many && len(names) > 2:
		return p.misuse(g, fmt.Sprintf("extra operand ‘%s’", names[2]))
	case !many && len(names) == 2:
		names, suffix = names[:1], names[1]
	}
	out := p.sink()
	for _, name := range names {
		base := strings.TrimRight(name, "/")
		if base == "" && name != "" {
			base = "/"
		} else if base = base[strings.LastIndexByte(base, '/')+1:]; base != suffix {
			base = strings.TrimSuffix(base, suffix)
		}
		out.WriteString(base)
		out.end(end)
	}
	return out.done(0)
}

func dirname(p *Proc) int {
	g := grammar{short: "z", long: []string{"zero=z"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	end := byte('\n')
	if len(opts) > 0 {
		end = 0
	}
	out := p.sink()
	for _, name := range names {
		dir := strings.TrimRight(name, "/")
		switch at := strings.LastIndexByte(dir, '/'); {
		case dir == "" && name != "":
			dir = "/"
		case at < 0:
			dir = "."
		default:
			if dir = strings.TrimRight(dir[:at], "/"); dir == "" {
				dir = "/"
			}
		}
		out.WriteString(dir)
		out.end(end)
	}
	return out.done(0)
}

// expression is expr's parser and evaluator.
type expression struct {
	args   []string
	at     int
	failed string
}

func expr(p *Proc) int {
	e := &expression{args: p.Args[1:]}
	if len(e.args) > 0 && e.args[0] == "--" {
		e.args = e.args[1:]
	}
	if len(e.args) == 0 {
		p.misuse(grammar{}, "missing operand")
		return 2
	}
	v := e.or()
	if e.failed == "" && e.at < len(e.args) {
		e.fail("syntax error: unexpected argument ‘%s’", e.args[e.at])
	}
	if e.failed != "" {
		p.complain("%s", e.failed)
		return 2
	}
	out := p.sink()
	out.str(v)
	if falsy(v) {
		return out.done(1)
	}
	return out.done(0)
}

func falsy(v string) bool {
	return v == "" || strings.Trim(strings.TrimPrefix(v, "-"), "0") == "" && strings.ContainsRune(v, '0')
}

func (e *expression) fail(format string, args ...any) string {
	if e.failed == "" {
		e.failed = fmt.Sprintf(format, args...)
	}
	return ""
}

func (e *expression) next(ops ...string) string {
	if e.failed == "" && e.at < len(e.args) && among(ops, e.args[e.at]) {
		e.at++
		return e.args[e.at-1]
	}
	return ""
}

func (e *expression) or() string {
	v := e.and()
	for e.next("|") != "" {
		if w := e.and(); falsy(v) {
			v = w
			if falsy(v) {
				v = "0"
			}
		}
	}
	return v
}

func (e *expression) and() string {
	v := e.compare()
	for e.next("&") != "" {
		if w := e.compare(); falsy(v) || falsy(w) {
			v = "0"
		}
	}
	return v
}

func (e *expression) compare() string {
	v := e.sum()
	for {
		op := e.next("<", "<=", "=", "==", "!=", ">=", ">")
		if op == "" {
			return v
		}
		w := e.sum()
		c := strings.Compare(v, w)
		if a, okA := new(big.Int).SetString(v, 10); okA {
			if b, okB := new(big.Int).SetString(w, 10); okB {
				c = a.Cmp(b)
			}
		}
		v = "0"
		if op == "<" && c < 0 || op == "<=" && c <= 0 || (op == "=" || op == "==") && c == 0 ||
			op == "!=" && c != 0 || op == ">=" && c >= 0 || op == ">" && c > 0 {
			v = "1"
		}
	}
}

func (e *expression) sum() string {
	v := e.product()
	for {
		op := e.next("+", "-")
		if op == "" {
			return v
		}
		v = e.arithmetic(op, v, e.product())
	}
}

func (e *expression) product() string {
	v := e.match()
	for {
		op := e.next("*", "/", "%")
		if op == "" {
			return v
		}
		v = e.arithmetic(op, v, e.match())
	}
}

func (e *expression) arithmetic(op, v, w string) string {
	a, okA := new(big.Int).SetString(v, 10)
	b, okB := new(big.Int).SetString(w, 10)
	switch {
	case !okA || !okB:
		return e.fail("non-integer argument")
	case op == "+":
		return a.Add(a, b).String()
	case op == "-":
		return a.Sub(a, b).String()
	case op == "*":
		return a.Mul(a, b).String()
	case b.Sign() == 0:
		return e.fail("division by zero")
	case op == "/":
		return a.Quo(a, b).String()
	}
	return a.Rem(a, b).String()
}

func (e *expression) match() string {
	v := e.primary()
	for e.next(":") != "" {
		v = e.matches(v, e.primary())
	}
	return v
}

func (e *expression) matches(text, pattern string) string {
	re, err := compileRegex(pattern, regexOptions{anchored: true})
	if err != nil {
		return e.fail("%s", err)
	}
	m := re.find([]byte(text))
	switch {
	case re.groups > 0 && m != nil && m[2] >= 0:
		return text[m[2]:m[3]]
	case re.groups > 0:
		return ""
	case m == nil:
		return "0"
	}
	return strconv.Itoa(utf8.RuneCountInString(text[:m[1]]))
}

func (e *expression) primary() string {
	if e.failed != "" {
		return ""
	}
	if e.at == len(e.args) {
		return e.fail("syntax error: missing argument after ‘%s’", e.args[e.at-1])
	}
	word := e.args[e.at]
	e.at++
	switch left := len(e.args) - e.at; {
	case word == "+" && left > 0:
		e.at++
		return e.args[e.at-1]
	case word == "(":
		v := e.or()
		if e.next(")") == "" {
			return e.fail("syntax error: expecting ')' after ‘%s’", e.args[e.at-1])
		}
		return v
	case word == ")":
		return e.fail("syntax error: unexpected ')'")
	case word == "length" && left > 0:
		return strconv.Itoa(utf8.RuneCountInString(e.primary()))
	case word == "match" && left > 1:
		text := e.primary()
		return e.matches(text, e.primary())
	case word == "index" && left > 1:
		text := e.primary()
		return strconv.Itoa(strings.IndexAny(text, e.primary()) + 1)
	case word == "substr" && left > 2:
		return e.substr()
	}
	return word
}

func (e *expression) substr() string {
	text := []rune(e.primary())
	from, errA := strconv.Atoi(e.primary())
	n, errB := strconv.Atoi(e.primary())
	if errA != nil || errB != nil || from < 1 || n < 1 || from > len(text) {
		return ""
	}
	return string(text[from-1 : min(len(text), from-1+n)])
}
