package tool

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() { register(map[string]Program{"printf": printf}) }

// printer is printf at work.
type printer struct {
	p      *Proc
	out    strings.Builder
	args   []string
	used   bool
	status int
	stop   bool
}

func printf(p *Proc) int {
	args := p.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return p.missing(grammar{})
	}
	pr := &printer{p: p, args: args[1:]}
	for {
		pr.used = false
		if !pr.pass(args[0]) || pr.stop || len(pr.args) == 0 {
			break
		}
		if !pr.used {
			if pr.status == 0 {
				p.complain("warning: ignoring excess arguments, starting with ‘%s’", pr.args[0])
			}
			break
		}
		if !p.step() {
			return exitBudget
		}
	}
	out := p.sink()
	out.WriteString(pr.out.String())
	return out.done(pr.status)
}

func (pr *printer) next() (string, bool) {
	pr.used = true
	if len(pr.args) == 0 {
		return "", false
	}
	a := pr.args[0]
	pr.args = pr.args[1:]
	return a, true
}

// pass prints the format once; false ends it.
func (pr *printer) pass(format string) bool {
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] == '\\':
			end := i + 1
			for end < len(format) && format[end] != '%' && (end == i+1 || format[end] != '\\') {
				end++
			}
			if end == i+1 && end < len(format) {
				end++
			}
			text, stop := unescape(format[i:end], false)
			pr.out.WriteString(text)
			if i = end - 1; stop {
				pr.stop = true
				return false
			}
		case format[i] != '%':
			pr.out.WriteByte(format[i])
		case strings.HasPrefix(format[i:], "%%"):
			pr.out.WriteByte('%')
			i++
		default:
			n, ok := pr.conversion(format[i:])
			if !ok {
				return false
			}
			i += n - 1
		}
	}
	return true
}

func (pr *printer) conversion(s string) (n int, ok bool) {
	spec := "%"
	for n = 1; n < len(s) && strings.IndexByte("-+ #0'", s[n]) >= 0; n++ {
		if s[n] != '\'' {
			spec += s[n : n+1]
		}
	}
	for ; n < len(s) && strings.IndexByte("0123456789.*", s[n]) >= 0; n++ {
		if s[n] != '*' {
			spec += s[n : n+1]
			continue
		}
		arg, _ := pr.next()
		spec += strconv.FormatInt(pr.integer(arg), 10)
	}
	for n < len(s) && strings.IndexByte("hlLqjzt", s[n]) >= 0 && !(s[n] == 'q') {
		n++
	}
	if n == len(s) || strings.IndexByte("diouxXeEfFgGaAcsbq", s[n]) < 0 {
		end := min(n+1, len(s))
		pr.status = pr.p.complain("%s: invalid conversion specification", s[:end])
		return end, false
	}
	arg, given := pr.next()
	switch verb := s[n]; verb {
	case 's':
		pr.out.WriteString(cFormat(spec, arg))
	case 'b':
		text, stop := unescape(arg, true)
		pr.out.WriteString(cFormat(spec, text))
		pr.stop = stop
		return n + 1, !stop
	case 'q':
		pr.out.WriteString(cFormat(spec, quote(arg)))
	case 'c':
		pr.out.WriteString(cFormat(spec, arg[:min(1, len(arg))]))
	case 'd', 'i':
		pr.out.WriteString(fixInteger(spec, pr.integer(arg)))
	case 'o', 'x', 'X', 'u':
		if verb == 'u' {
			verb = 'd'
		}
		pr.out.WriteString(fmt.Sprintf(spec+string(verb), uint64(pr.integer(arg))))
	default:
		v := 0.0
		if given && arg != "" {
			v = pr.float(arg)
		}
		if (verb == 'g' || verb == 'G') && !strings.Contains(spec, ".") {
			spec += ".6"
		}
		if verb == 'a' || verb == 'A' {
			verb = verb - 'a' + 'x'
		}
		pr.out.WriteString(fixFloat(spec, verb, v))
	}
	return n + 1, true
}

// fixInteger prints a number; as in C the flag 0 gives way to a precision.
func fixInteger(spec string, v int64) string {
	if head, _, precise := strings.Cut(spec, "."); precise && strings.HasPrefix(strings.TrimLeft(head[1:], "-+ #"), "0") {
		spec = strings.Replace(spec, "0", "", 1)
	}
	return fmt.Sprintf(spec+"d", v)
}

// fixFloat prints infinity and not-a-number as C does.
func fixFloat(spec string, verb byte, v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		text := map[bool]string{true: "nan", false: "inf"}[math.IsNaN(v)]
		if v < 0 {
			text = "-" + text
		}
		if verb < 'a' {
			text = strings.ToUpper(text)
		}
		head, _, _ := strings.Cut(spec, ".")
		return cFormat(strings.Replace(head, "0", "", 1), text)
	}
	return fmt.Sprintf(spec+string(verb), v)
}

// cFormat pads and cuts a text by bytes, as C does.
func cFormat(spec, text string) string {
	head, precision, cut := strings.Cut(spec[1:], ".")
	if n, _ := strconv.Atoi(precision); cut && n < len(text) {
		text = text[:max(n, 0)]
	}
	left := strings.Contains(head, "-")
	width, _ := strconv.Atoi(strings.TrimLeft(head, "-+ #0"))
	pad := strings.Repeat(" ", max(0, min(width, 1<<20)-len(text)))
	if left {
		return text + pad
	}
	return pad + text
}

// integer reads a number as C does: 0x1f, 017, 'c; and complains of others.
func (pr *printer) integer(s string) int64 {
	if s == "" {
		return 0
	}
	if s[0] == '\'' || s[0] == '"' {
		r, _ := utf8.DecodeRuneInString(s[1:])
		if len(s) == 1 {
			r = 0
		}
		return int64(r)
	}
	text := strings.TrimLeft(s, " \t")
	sign := ""
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		sign, text = strings.TrimPrefix(text[:1], "+"), text[1:]
	}
	base, set := 10, "0123456789"
	switch {
	case strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X"):
		base, set, text = 16, "0123456789abcdefABCDEF", text[2:]
	case strings.HasPrefix(text, "0"):
		base, set = 8, "01234567"
	}
	n := len(text) - len(strings.TrimLeft(text, set))
	v, err := strconv.ParseInt(sign+text[:n], base, 64)
	if err != nil && n > 0 {
		if u, err := strconv.ParseUint(text[:n], base, 64); err == nil && sign == "" {
			return int64(u)
		}
		pr.status = pr.p.complain("‘%s’: Numerical result out of range", s)
		return v
	}
	pr.check(s, n, len(text))
	return v
}

func (pr *printer) check(s string, read, all int) {
	switch {
	case read == 0 && all > 0 || all == 0:
		pr.status = pr.p.complain("‘%s’: expected a numeric value", s)
	case read < all:
		pr.status = pr.p.complain("‘%s’: value not completely converted", s)
	}
}

func (pr *printer) float(s string) float64 {
	if s[0] == '\'' || s[0] == '"' {
		return float64(pr.integer(s))
	}
	text := strings.TrimLeft(s, " \t")
	for n := len(text); n > 0; n-- {
		if v, err := strconv.ParseFloat(text[:n], 64); err == nil && !strings.Contains(text[:n], "_") {
			pr.check(s, n, len(text))
			return v
		}
	}
	pr.check(s, 0, 1)
	return 0
}

// quote quotes a text for the shell, as printf %q does.
func quote(s string) string {
	if s == "" {
		return "''"
	}
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,"
	if strings.Trim(s, plain) == "" && s[0] != '=' {
		return s
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return ansiQuote(s)
		}
	}
	if strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func ansiQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch at := strings.IndexRune("\a\b\f\n\r\t\v", r); {
		case at >= 0:
			b.WriteString(`'$'\` + "abfnrtv"[at:at+1] + `''`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `'$'\%03o''`, r)
		case r == '\'':
			b.WriteString(`'\''`)
		default:
			b.WriteRune(r)
		}
	}
	return "'" + b.String() + "'"
}
