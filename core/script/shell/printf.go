package shell

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// echo is the builtin.
func echo(s *sh, args []string) int {
	args = args[1:]
	newline, escapes := true, s.shopts["xpg_echo"]
	for len(args) > 0 {
		a := args[0]
		if len(a) < 2 || a[0] != '-' || strings.Trim(a[1:], "neE") != "" {
			break
		}
		for _, c := range a[1:] {
			switch c {
			case 'n':
				newline = false
			case 'e':
				escapes = true
			default:
				escapes = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if escapes {
		var cut bool
		if text, cut = unescapeStop(text, echoed); cut {
			newline = false
		}
	}
	if newline {
		text += "\n"
	}
	return s.write("echo", text)
}

// write prints the output of a builtin and returns its exit status.
func (s *sh) write(name, text string) int {
	if text == "" {
		return 0
	}
	if _, err := s.stdout().Write([]byte(text)); err != nil {
		s.errorf("%s: write error: %s", name, errno(err))
		return 1
	}
	return 0
}

// printer is one call of printf. Models printf.def.
type printer struct {
	s      *sh
	args   []string
	used   bool
	out    strings.Builder
	status int
	end    bool
}

func printf(s *sh, args []string) int {
	args = args[1:]
	target := ""
	toVar := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		if !strings.HasPrefix(args[0], "-v") {
			s.errorf("printf: %s: invalid option", args[0][:2])
			fmt.Fprintln(s.stderr(), "printf: usage: printf [-v var] format [arguments]")
			return 2
		}
		toVar = true
		if target = args[0][2:]; target == "" {
			if args = args[1:]; len(args) == 0 {
				s.errorf("printf: -v: option requires an argument")
				fmt.Fprintln(s.stderr(), "printf: usage: printf [-v var] format [arguments]")
				return 2
			}
			target = args[0]
		}
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(s.stderr(), "printf: usage: printf [-v var] format [arguments]")
		return 2
	}
	if toVar && !validTarget(target) {
		s.errorf("printf: `%s': not a valid identifier", target)
		return 2
	}
	p := &printer{s: s, args: args[1:]}
	for {
		p.used = false
		p.round(args[0])
		if len(p.args) == 0 || !p.used || p.end {
			break
		}
		s.e.labour(10)
		s.e.room(p.out.Len())
	}
	if toVar {
		if !s.assignTarget(target, p.out.String()) {
			return 1
		}
		return p.status
	}
	if code := s.write("printf", p.out.String()); code != 0 {
		return code
	}
	return p.status
}

func (p *printer) next() (string, bool) {
	p.used = true
	if len(p.args) == 0 {
		return "", false
	}
	a := p.args[0]
	p.args = p.args[1:]
	return a, true
}

// round goes through the format once.
func (p *printer) round(f string) {
	for i := 0; i < len(f) && !p.end; {
		switch f[i] {
		case '\\':
			if i+1 == len(f) {
				p.out.WriteByte('\\')
				i++
				continue
			}
			if f[i+1] == 'c' {
				p.end = true
				return
			}
			n, _ := escape(&p.out, f[i+1:], format)
			i += 1 + n
		case '%':
			n := p.directive(f[i+1:])
			if n < 0 {
				p.end = true
				return
			}
			i += 1 + n
		default:
			end := strings.IndexAny(f[i:], "\\%")
			if end < 0 {
				end = len(f) - i
			}
			p.out.WriteString(f[i : i+end])
			i += end
		}
	}
}

// spec is a conversion.
type spec struct {
	flags       string
	width, prec int // prec -1: not given
}

// directive prints one conversion and returns how long its text was, -1 where it
// is not valid.
func (p *printer) directive(f string) int {
	if strings.HasPrefix(f, "%") {
		p.out.WriteByte('%')
		return 1
	}
	i := 0
	sp := spec{prec: -1}
	for i < len(f) && strings.IndexByte("-+ #0'", f[i]) >= 0 {
		sp.flags += f[i : i+1]
		i++
	}
	sp.width, i = p.size(f, i)
	if sp.width < 0 {
		sp.flags += "-"
		sp.width = -sp.width
	}
	if i < len(f) && f[i] == '.' {
		sp.prec, i = p.size(f, i+1)
	}
	for i < len(f) && strings.IndexByte("hlLjzt", f[i]) >= 0 {
		i++
	}
	p.s.e.room(max(sp.width, sp.prec))
	if i == len(f) {
		p.s.errorf("printf: `%%%s': missing format character", f)
		p.status = 1
		return -1
	}
	if f[i] == '(' {
		end := strings.Index(f[i:], ")T")
		if end < 0 {
			p.s.errorf("printf: warning: `%s': invalid time format specification", f[i:])
			return -1
		}
		p.date(sp, f[i+1:i+end])
		return i + end + 2
	}
	if !p.convert(sp, f[i]) {
		p.s.errorf("printf: `%c': invalid format character", f[i])
		p.status = 1
		return -1
	}
	return i + 1
}

// size reads a width: digits, or * for an argument.
func (p *printer) size(f string, i int) (int, int) {
	if i < len(f) && f[i] == '*' {
		a, _ := p.next()
		return int(p.integer(a, false)), i + 1
	}
	n := 0
	for i < len(f) && isDigit(f[i]) {
		n = min(n*10+int(f[i]-'0'), math.MaxInt32)
		i++
	}
	return n, i
}

func (p *printer) convert(sp spec, c byte) bool {
	switch c {
	case 's', 'b', 'q', 'Q':
		a, _ := p.next()
		switch c {
		case 'b':
			a, p.end = unescapeStop(a, echoed)
		case 'q':
			a = quoteBackslash(a)
		case 'Q':
			if sp.prec >= 0 {
				a = cut(a, sp.prec)
				sp.prec = -1
			}
			a = quoteBackslash(a)
		}
		if sp.prec >= 0 && c != 'q' {
			a = cut(a, sp.prec)
		}
		p.pad(sp, a)
	case 'c':
		a, _ := p.next()
		if a == "" {
			a = "\x00"
		}
		p.pad(sp, a[:1])
	case 'd', 'i':
		a, _ := p.next()
		p.pad(sp, sp.signed(p.integer(a, false)))
	case 'u', 'o', 'x', 'X':
		a, _ := p.next()
		p.pad(sp, sp.unsigned(uint64(p.integer(a, true)), c))
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		a, _ := p.next()
		p.pad(sp, sp.float(p.number(a), c))
	case 'n':
		a, _ := p.next()
		return p.s.setVar(a, itoa(p.out.Len()))
	default:
		return false
	}
	return true
}

func cut(t string, n int) string { return t[:min(n, len(t))] }

func (sp *spec) has(c byte) bool { return strings.IndexByte(sp.flags, c) >= 0 }

// pad fills a text up to the width, which counts bytes as in C.
func (p *printer) pad(sp spec, t string) {
	fill := sp.width - len(t)
	switch {
	case fill <= 0:
		p.out.WriteString(t)
	case sp.has('-'):
		p.out.WriteString(t + strings.Repeat(" ", fill))
	default:
		p.out.WriteString(strings.Repeat(" ", fill) + t)
	}
}

// zeros puts zeros between a sign or prefix and the digits.
func (sp *spec) zeros(sign, digits string) string {
	if sp.prec >= 0 {
		if n := sp.prec - len(digits); n > 0 {
			digits = strings.Repeat("0", n) + digits
		}
	} else if n := sp.width - len(sign) - len(digits); sp.has('0') && !sp.has('-') && n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return sign + digits
}

func (sp *spec) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case sp.has('+'):
		return "+"
	case sp.has(' '):
		return " "
	}
	return ""
}

func (sp *spec) signed(n int64) string {
	digits := strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
	if n == 0 && sp.prec == 0 {
		digits = ""
	}
	return sp.zeros(sp.sign(n < 0), digits)
}

func (sp *spec) unsigned(n uint64, c byte) string {
	base := map[byte]int{'u': 10, 'o': 8, 'x': 16, 'X': 16}[c]
	digits := strconv.FormatUint(n, base)
	prefix := ""
	if sp.has('#') && n != 0 {
		switch c {
		case 'o':
			digits = "0" + digits
		case 'x', 'X':
			prefix = "0x"
		}
	}
	t := sp.zeros(prefix, digits)
	if c == 'X' {
		return strings.ToUpper(t)
	}
	return t
}

func (sp *spec) float(x float64, c byte) string {
	prec := sp.prec
	if prec < 0 {
		prec = 6
	}
	sign := sp.sign(math.Signbit(x) && !math.IsNaN(x))
	x = math.Abs(x)
	if math.IsInf(x, 0) || math.IsNaN(x) {
		t := "inf"
		if math.IsNaN(x) {
			t = "nan"
		}
		if c < 'a' {
			t = strings.ToUpper(t)
		}
		return sign + t
	}
	verb := "%"
	if sp.has('#') {
		verb += "#"
	}
	switch c {
	case 'a', 'A':
		return sign + strings.Replace(strconv.FormatFloat(x, 'x', sp.prec, 64), "p+0", "p+", 1)
	case 'F':
		c = 'f'
	}
	digits := fmt.Sprintf(verb+"."+strconv.Itoa(prec)+string(rune(c)), x)
	sp.prec = -1
	return sp.zeros(sign, digits)
}

// integer reads an argument as C does; 'x is the code of x.
func (p *printer) integer(a string, unsigned bool) int64 {
	if a == "" {
		return 0
	}
	if a[0] == '\'' || a[0] == '"' {
		r, _ := utf8.DecodeRuneInString(a[1:])
		if len(a) == 1 {
			return 0
		}
		return int64(r)
	}
	t := strings.TrimLeft(a, " \t\n")
	end := numeralEnd(t)
	n, err := strconv.ParseInt(t[:end], 0, 64)
	if unsigned && err != nil {
		var u uint64
		u, err = strconv.ParseUint(t[:end], 0, 64)
		n = int64(u)
	}
	if end < len(t) || end == 0 {
		p.s.errorf("printf: %s: invalid number", a)
		p.status = 1
	} else if err != nil {
		p.s.errorf("printf: warning: %s: Numerical result out of range", a)
	}
	return n
}

// numeralEnd is where the number at the start of a text ends.
func numeralEnd(t string) int {
	i := 0
	if i < len(t) && (t[i] == '-' || t[i] == '+') {
		i++
	}
	base, start := 10, i
	if len(t) > i+1 && t[i] == '0' {
		base = 8
		if (t[i+1] == 'x' || t[i+1] == 'X') && len(t) > i+2 && digitValue(t[i+2], 16) >= 0 && digitValue(t[i+2], 16) < 16 {
			base, i, start = 16, i+2, i+2
		}
	}
	for i < len(t) {
		if d := digitValue(t[i], 36); d < 0 || d >= base {
			break
		}
		i++
	}
	if i == start {
		return 0
	}
	return i
}

func (p *printer) number(a string) float64 {
	if a == "" {
		return 0
	}
	if a[0] == '\'' || a[0] == '"' {
		return float64(p.integer(a, false))
	}
	t := strings.TrimLeft(a, " \t\n")
	for end := len(t); end > 0; end-- {
		x, err := strconv.ParseFloat(t[:end], 64)
		if err == nil && !strings.Contains(t[:end], "_") {
			if end < len(t) {
				p.s.errorf("printf: %s: invalid number", a)
				p.status = 1
			}
			return x
		}
	}
	p.s.errorf("printf: %s: invalid number", a)
	p.status = 1
	return 0
}
