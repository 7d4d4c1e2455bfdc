package tool

import (
	"fmt"
	"strings"
)

func init() { register(map[string]Program{"tr": tr}) }

// classes are the bytes of POSIX's character classes, in the C locale.
var classes = map[string]string{
	"digit": "0123456789", "xdigit": "0123456789ABCDEFabcdef",
	"lower": "abcdefghijklmnopqrstuvwxyz", "upper": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"alpha": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"alnum": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
	"space": "\t\n\v\f\r ", "blank": "\t ",
	"punct": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
	"print": between(' ', '~'), "graph": between('!', '~'), "cntrl": between(0, 31) + "\x7f",
}

func between(from, to byte) string {
	b := make([]byte, 0, int(to)-int(from)+1)
	for c := int(from); c <= int(to); c++ {
		b = append(b, byte(c))
	}
	return string(b)
}

// trSet expands a set of tr's. fill is the place of a [x*], -1 without one, for
// as many of that byte as are needed.
func trSet(arg string) (set []byte, fill int, fillByte byte, err error) {
	fill = -1
	for i := 0; i < len(arg); {
		if rest := arg[i:]; strings.HasPrefix(rest, "[:") {
			if name, _, ok := strings.Cut(rest[2:], ":]"); ok {
				class, known := classes[name]
				if !known {
					return nil, 0, 0, fmt.Errorf("invalid character class ‘%s’", name)
				}
				set = append(set, class...)
				i += len(name) + 4
				continue
			}
		} else if len(rest) >= 4 && rest[0] == '[' && rest[2] == '*' && strings.Contains(rest, "]") {
			n := strings.IndexByte(rest, ']')
			count, good := number(rest[3:n])
			switch {
			case n == 3 || good && count == 0:
				fill, fillByte = len(set), rest[1]
				i += n + 1
				continue
			case good:
				set = append(set, strings.Repeat(rest[1:2], int(min(count, 256)))...)
				i += n + 1
				continue
			}
		}
		from, n := trByte(arg[i:])
		i += n
		if i+1 < len(arg) && arg[i] == '-' {
			to, n := trByte(arg[i+1:])
			if to < from {
				return nil, 0, 0, fmt.Errorf("range-endpoints of '%c-%c' are in reverse collating sequence order", from, to)
			}
			set = append(set, between(from, to)...)
			i += 1 + n
			continue
		}
		set = append(set, from)
	}
	return set, fill, fillByte, nil
}

func trByte(s string) (byte, int) {
	if s[0] != '\\' || len(s) == 1 {
		return s[0], 1
	}
	if value, n := digitsOf(s[1:], 3, 8); n > 0 {
		return byte(value), n + 1
	}
	if at := strings.IndexByte(`abfnrtv\`, s[1]); at >= 0 {
		return "\a\b\f\n\r\t\v\\"[at], 2
	}
	return s[1], 2
}

// translation is a table of tr's.
type translation struct {
	to              [256]byte
	remove, squeeze [256]bool
	squeezes        bool
}

func tr(p *Proc) int {
	g := grammar{short: "+cCdst", long: []string{"complement=c", "delete=d", "squeeze-repeats=s", "truncate-set1=t"}}
	opts, sets, status, ok := p.options(g)
	if !ok {
		return status
	}
	flags := ""
	for _, o := range opts {
		flags += strings.ToLower(o.name)
	}
	t, text, bare := newTranslation(flags, sets)
	switch {
	case bare:
		return p.misuse(g, text)
	case text != "":
		return p.complain("%s", text)
	}
	return t.run(p)
}

// newTranslation makes a table. text is a complaint; usage says that it is one
// about the usage.
func newTranslation(flags string, sets []string) (t *translation, text string, usage bool) {
	deletes, squeezes := strings.Contains(flags, "d"), strings.Contains(flags, "s")
	switch {
	case len(sets) == 0:
		return nil, "missing operand", true
	case len(sets) == 1 && deletes == squeezes:
		return nil, fmt.Sprintf("missing operand after ‘%s’\nTwo strings must be given when %s.", sets[0],
			map[bool]string{true: "both deleting and squeezing repeats", false: "translating"}[deletes]), true
	case len(sets) == 2 && deletes && !squeezes:
		return nil, fmt.Sprintf("extra operand ‘%s’\nOnly one string may be given when deleting without squeezing repeats.", sets[1]), true
	case len(sets) > 2:
		return nil, fmt.Sprintf("extra operand ‘%s’", sets[2]), true
	}
	one, _, _, err := trSet(sets[0])
	if err != nil {
		return nil, err.Error(), false
	}
	if strings.Contains(flags, "c") {
		one = complement(one)
	}
	t = &translation{squeezes: squeezes}
	for c := range t.to {
		t.to[c] = byte(c)
	}
	last := one
	if len(sets) == 2 {
		two, fill, fillByte, err := trSet(sets[1])
		if err != nil {
			return nil, err.Error(), false
		}
		last = two
		if !deletes {
			if text := t.translate(one, two, fill, fillByte, strings.Contains(flags, "t")); text != "" {
				return nil, text, false
			}
			if fill >= 0 {
				last = append(last, fillByte)
			}
		}
	}
	for _, c := range one {
		t.remove[c] = t.remove[c] || deletes
	}
	for _, c := range last {
		t.squeeze[c] = squeezes
	}
	return t, "", false
}

func (t *translation) translate(one, two []byte, fill int, fillByte byte, truncate bool) string {
	if fill >= 0 {
		for len(two) < len(one) {
			two = append(two[:fill], append([]byte{fillByte}, two[fill:]...)...)
		}
	}
	if len(two) == 0 && !truncate {
		return "when not truncating set1, string2 must be non-empty"
	}
	for i, c := range one {
		switch {
		case i < len(two):
			t.to[c] = two[i]
		case !truncate:
			t.to[c] = two[len(two)-1]
		}
	}
	return ""
}

func complement(set []byte) []byte {
	var in [256]bool
	for _, c := range set {
		in[c] = true
	}
	var rest []byte
	for c := range in {
		if !in[c] {
			rest = append(rest, byte(c))
		}
	}
	return rest
}

func (t *translation) run(p *Proc) int {
	in, out := make([]byte, 4096), make([]byte, 0, 4096)
	last := -1
	for {
		n, err := p.Stdin.Read(in)
		out = out[:0]
		for _, c := range in[:n] {
			if t.remove[c] {
				continue
			}
			c = t.to[c]
			if t.squeeze[c] && int(c) == last {
				continue
			}
			last = int(c)
			out = append(out, c)
		}
		if len(out) > 0 {
			if _, failed := p.Stdout.Write(out); failed != nil {
				return p.broken(failed)
			}
		}
		if err != nil {
			return 0
		}
		if !p.step() {
			return exitBudget
		}
	}
}
