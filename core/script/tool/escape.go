package tool

import (
	"strings"
	"unicode/utf8"
)

// unescape reads backslash escapes as echo -e (octal wants \0nnn) and printf
// (\nnn) do. stop says that \c ended the text.
func unescape(s string, echo bool) (text string, stop bool) {
	if !strings.Contains(s, `\`) {
		return s, false
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abefnrtv\"`, s[i]); at >= 0 {
			if s[i] == '"' && echo {
				b.WriteByte('\\')
			}
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\\""[at])
			continue
		}
		switch c := s[i]; {
		case c == 'c':
			return b.String(), true
		case c == '0' && echo:
			value, n := digitsOf(s[i+1:], 3, 8)
			b.WriteByte(byte(value))
			i += n
		case c >= '0' && c <= '7' && !echo:
			value, n := digitsOf(s[i:], 3, 8)
			b.WriteByte(byte(value))
			i += n - 1
		case c == 'x', c == 'u', c == 'U':
			value, n := digitsOf(s[i+1:], map[byte]int{'x': 2, 'u': 4, 'U': 8}[c], 16)
			switch {
			case n == 0:
				b.WriteByte('\\')
				b.WriteByte(c)
			case c == 'x':
				b.WriteByte(byte(value))
			default:
				b.Write(utf8.AppendRune(nil, rune(value)))
			}
			i += n
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String(), false
}

// digitsOf reads up to most digits of a base.
func digitsOf(s string, most, base int) (value, n int) {
	for n < len(s) && n < most {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] < '0' || s[n] > 'f' || d < 0 || d >= base {
			break
		}
		value = value*base + d
		n++
	}
	return value, n
}
