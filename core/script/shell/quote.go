package shell

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// number reads a decimal number without a sign.
func number(t string) (int, bool) {
	if t == "" || t[0] < '0' || t[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(t)
	return n, err == nil
}

// quotePattern escapes what a pattern would take for more than itself.
func quotePattern(t string) string { return escapeAny(t, "*?[]\\()|!@+-^&") }

func quoteRegex(t string) string { return escapeAny(t, `\.+*?()|[]{}^$`) }

func escapeAny(t, chars string) string {
	if !strings.ContainsAny(t, chars) {
		return t
	}
	var b strings.Builder
	for i := range len(t) {
		if strings.IndexByte(chars, t[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(t[i])
	}
	return b.String()
}

// quoteAlways is ${x@Q}: between single quotes, or $” where there are control
// characters. Models sh_quote_reusable of sh_quote.c.
func quoteAlways(t string) string {
	if controls(t) {
		return ansiQuote(t)
	}
	return "'" + strings.ReplaceAll(t, "'", `'\''`) + "'"
}

func controls(t string) bool {
	for _, r := range t {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return true
		}
	}
	return false
}

// ansiQuote quotes as $'...'. Models ansic_quote of strtrans.c.
func ansiQuote(t string) string {
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(t); {
		r, n := utf8.DecodeRuneInString(t[i:])
		if e, ok := ansiEscape(r); ok {
			b.WriteString(e)
		} else if r < ' ' || r == 0x7f || r == utf8.RuneError && n == 1 {
			o := strconv.FormatInt(int64(t[i]), 8)
			b.WriteString("\\" + strings.Repeat("0", 3-len(o)) + o)
		} else {
			b.WriteString(t[i : i+n])
		}
		i += n
	}
	return b.String() + "'"
}

func ansiEscape(r rune) (string, bool) {
	switch r {
	case 0x1b:
		return `\E`, true
	case '\a':
		return `\a`, true
	case '\v':
		return `\v`, true
	case '\b':
		return `\b`, true
	case '\f':
		return `\f`, true
	case '\n':
		return `\n`, true
	case '\r':
		return `\r`, true
	case '\t':
		return `\t`, true
	case '\\':
		return `\\`, true
	case '\'':
		return `\'`, true
	}
	return "", false
}

// quoteBackslash is %q: as little as needed, by backslashes. Models
// sh_backslash_quote.
func quoteBackslash(t string) string {
	if t == "" {
		return "''"
	}
	if controls(t) {
		return ansiQuote(t)
	}
	var b strings.Builder
	for i := range len(t) {
		c := t[i]
		switch {
		case strings.IndexByte(" '\"\\|&;()<>!{}*[]?^$`,", c) >= 0,
			c == '#' && i == 0, c == '~' && (i == 0 || t[i-1] == ':' || t[i-1] == '='):
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// quoteElem is how declare -p prints a value of an array: between double quotes.
func quoteElem(t string) string {
	if controls(t) {
		return ansiQuote(t)
	}
	return `"` + escapeAny(t, "\"\\$`") + `"`
}

// quoteKey is how declare -p prints a key: bare where it needs no quotes.
func quoteKey(t string) string {
	switch {
	case controls(t):
		return ansiQuote(t)
	case t == "":
		return `""`
	case strings.ContainsAny(t, " '\"\\|&;()<>!{}*[]?^$`@") || t[0] == '~' || t[0] == '#':
		return `"` + escapeAny(t, "\"\\$`") + `"`
	}
	return t
}

// quoteListed is how set and alias print a value: bare where it can be.
func quoteListed(t string) string {
	switch {
	case t == "":
		return ""
	case controls(t):
		return ansiQuote(t)
	case strings.ContainsAny(t, " '\"\\|&;()<>!{}*[]?^$`") || t[0] == '~' || t[0] == '#':
		return "'" + strings.ReplaceAll(t, "'", `'\''`) + "'"
	}
	return t
}

// dialect is whose backslash escapes are read.
type dialect uint8

const (
	// ansiC: $'...'.
	ansiC dialect = iota
	// echoed: echo -e and printf %b.
	echoed
	// format: the format of printf.
	format
)

// unescape reads backslash escapes. \c of echoed ends the text: see unescapeStop.
func unescape(t string, d dialect) string {
	out, _ := unescapeStop(t, d)
	return out
}

// unescapeStop reports also whether \c was met.
func unescapeStop(t string, d dialect) (string, bool) {
	if strings.IndexByte(t, '\\') < 0 {
		return t, false
	}
	var b strings.Builder
	for i := 0; i < len(t); i++ {
		if t[i] != '\\' || i+1 == len(t) {
			b.WriteByte(t[i])
			continue
		}
		i++
		if t[i] == 'c' && d == echoed {
			return b.String(), true
		}
		n, end := escape(&b, t[i:], d)
		if end {
			return b.String(), false // $'\0': the rest is not seen
		}
		i += n - 1
	}
	return b.String(), false
}

var simpleEscapes = map[byte]byte{
	'a': '\a', 'b': '\b', 'e': 0x1b, 'E': 0x1b, 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\',
}

// escape reads what follows a backslash and returns how long it was.
func escape(b *strings.Builder, t string, d dialect) (n int, end bool) {
	c := t[0]
	if r, ok := simpleEscapes[c]; ok {
		b.WriteByte(r)
		return 1, false
	}
	switch c {
	case '\'', '"', '?':
		if d == echoed && c != '"' || d == echoed {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
		return 1, false
	case 'x':
		v, k := digits(t[1:], 16, 2)
		if k == 0 {
			b.WriteString(`\x`)
			return 1, false
		}
		return 1 + k, putByte(b, byte(v), d)
	case 'u', 'U':
		v, k := digits(t[1:], 16, map[byte]int{'u': 4, 'U': 8}[c])
		if k == 0 {
			b.WriteString(`\` + t[:1])
			return 1, false
		}
		b.WriteRune(rune(v))
		return 1 + k, false
	case 'c':
		if d == ansiC && len(t) > 1 {
			b.WriteByte(t[1] & 0x1f)
			return 2, false
		}
	case '0', '1', '2', '3', '4', '5', '6', '7':
		limit, from := 3, 0
		if d == echoed && c == '0' {
			limit, from = 3, 1
		}
		v, k := digits(t[from:], 8, limit)
		return from + k, putByte(b, byte(v), d)
	}
	b.WriteByte('\\')
	b.WriteByte(c)
	return 1, false
}

func putByte(b *strings.Builder, v byte, d dialect) (end bool) {
	if v == 0 && d == ansiC {
		return true
	}
	b.WriteByte(v)
	return false
}

func digits(t string, base, limit int) (v, n int) {
	for n < len(t) && n < limit {
		k := strings.IndexByte("0123456789abcdef", t[n]|0x20)
		if t[n] >= '0' && t[n] <= '9' {
			k = int(t[n] - '0')
		}
		if k < 0 || k >= base {
			break
		}
		v = v*base + k
		n++
	}
	return v, n
}
