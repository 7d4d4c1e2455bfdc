package tool

import (
	"strings"
	"unicode/utf8"
)

// replacementParts reads the right side of s.
func replacementParts(s string) []part {
	var parts []part
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			parts = append(parts, part{text: b.String(), group: -1})
			b.Reset()
		}
	}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '&':
			flush()
			parts = append(parts, part{group: 0})
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		default:
			i++
			switch c := s[i]; {
			case c >= '0' && c <= '9':
				flush()
				parts = append(parts, part{group: int(c - '0')})
			case strings.IndexByte("LUluE", c) >= 0:
				flush()
				parts = append(parts, part{group: -1, mode: c})
			case c == '&':
				b.WriteByte('&')
			default:
				text, n := sedEscape(s[i:])
				b.WriteString(text)
				i += n - 1
			}
		}
	}
	flush()
	return parts
}

// transliterate reads y.
func (s *sedParser) transliterate(c *command) error {
	delim := s.peek()
	s.at++
	from, ok := s.delimited(delim, false)
	to, ok2 := "", false
	if ok {
		to, ok2 = s.delimited(delim, false)
	}
	if !ok || !ok2 {
		s.at = len(s.src)
		return s.fail("unterminated `y' command")
	}
	a, b := yRunes(from), yRunes(to)
	if len(a) != len(b) {
		return s.fail("strings for `y' command are different lengths")
	}
	c.table = map[rune]rune{}
	for i, r := range a {
		if _, there := c.table[r]; !there {
			c.table[r] = b[i]
		}
	}
	return s.end()
}

func yRunes(s string) (runes []rune) {
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			text, n := sedEscape(s[i+1:])
			r, _ := utf8.DecodeRuneInString(text)
			runes = append(runes, r)
			i += 1 + n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		runes = append(runes, r)
		i += n
	}
	return runes
}
