package jq

import (
	"bytes"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Style is how values are printed.
type Style struct {
	// Indent is what a level is indented by; "" prints on one line.
	Indent string
	Sorted bool
	ASCII  bool
	// most ends what is printed early, for errors; 0 is MaxText.
	most int
}

// Encode returns the JSON of a value on one line, keys in their order.
func Encode(v any) string { return string(Style{}.Append(nil, v)) }

// Append adds the JSON of a value to b. It ends early where that is longer than
// MaxText, as that of an array that holds another many times over may be.
func (s Style) Append(b []byte, v any) []byte { return s.value(b, v, 0) }

func (s Style) value(b []byte, v any, depth int) []byte {
	switch {
	case len(b) > MaxText || s.most > 0 && len(b) > s.most:
		return b
	case depth > maxNest:
		return append(b, "<skipped: too deep>"...)
	}
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case float64:
		return appendFloat(b, v)
	case Number:
		return append(b, v.Text...)
	case string:
		return s.text(b, v)
	case []any:
		if len(v) == 0 {
			return append(b, "[]"...)
		}
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = s.value(s.newline(b, depth+1), item, depth+1)
		}
		return append(s.newline(b, depth), ']')
	case *Object:
		return s.object(b, v, depth)
	}
	return append(b, "null"...)
}

func (s Style) object(b []byte, o *Object, depth int) []byte {
	if o.Len() == 0 {
		return append(b, "{}"...)
	}
	var order []int
	if s.Sorted {
		order = o.sorted()
	}
	b = append(b, '{')
	for n := range o.keys {
		i := n
		if order != nil {
			i = order[n]
		}
		if n > 0 {
			b = append(b, ',')
		}
		b = append(s.text(s.newline(b, depth+1), o.keys[i]), ':')
		if s.Indent != "" {
			b = append(b, ' ')
		}
		b = s.value(b, o.vals[i], depth+1)
	}
	return append(s.newline(b, depth), '}')
}

func (s Style) newline(b []byte, depth int) []byte {
	if s.Indent == "" {
		return b
	}
	b = append(b, '\n')
	for range depth {
		b = append(b, s.Indent...)
	}
	return b
}

func (s Style) text(b []byte, v string) []byte {
	const hex = "0123456789abcdef"
	if s.most > 0 && len(v) > s.most {
		v = strings.ToValidUTF8(v[:s.most], "")
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(v); {
		c := v[i]
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(v[i:])
			if !s.ASCII && (r != utf8.RuneError || n > 1) {
				i += n
				continue
			}
			b = append(b, v[from:i]...)
			b = s.escapeRune(b, r)
			i += n
			from = i
			continue
		}
		b = append(b, v[from:i]...)
		switch at := strings.IndexByte("\b\f\n\r\t\"\\", c); {
		case at >= 0:
			b = append(b, '\\', `bfnrt"\`[at])
		default:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		}
		i++
		from = i
	}
	return append(append(b, v[from:]...), '"')
}

func (s Style) escapeRune(b []byte, r rune) []byte {
	if !s.ASCII {
		return utf8.AppendRune(b, r)
	}
	if r > 0xffff {
		r -= 0x10000
		return escapeUnit(escapeUnit(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return escapeUnit(b, r)
}

func escapeUnit(b []byte, r rune) []byte {
	text := strconv.FormatInt(int64(r), 16)
	return append(append(b, `\u0000`[:6-len(text)]...), text...)
}

// appendFloat prints a number as jq's jvp_dtoa_fmt does: the fewest digits that
// read back, and an exponent where there would be many zeros.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case f != f:
		return append(b, "null"...)
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	case f == math.Trunc(f) && math.Abs(f) < 1e15 && (f != 0 || !math.Signbit(f)):
		return strconv.AppendInt(b, int64(f), 10)
	}
	var buf [32]byte
	text := strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	if text[0] == '-' {
		b, text = append(b, '-'), text[1:]
	}
	mantissa, exponent, _ := bytes.Cut(text, []byte("e"))
	exp, _ := strconv.Atoi(string(exponent))
	digits := append([]byte{mantissa[0]}, bytes.TrimPrefix(mantissa[1:], []byte("."))...)
	point := exp + 1 // where the point stands among the digits
	if f == 0 {
		return append(b, '0')
	}
	switch {
	case point <= -4 || point > len(digits)+15:
		b = append(b, digits[0])
		if len(digits) > 1 {
			b = append(append(b, '.'), digits[1:]...)
		}
		sign := byte('+')
		if exp < 0 {
			sign, exp = '-', -exp
		}
		b = append(b, 'e', sign)
		if exp < 10 {
			b = append(b, '0')
		}
		return strconv.AppendInt(b, int64(exp), 10)
	case point <= 0:
		b = append(b, "0."...)
		b = append(b, bytes.Repeat([]byte("0"), -point)...)
		return append(b, digits...)
	case point >= len(digits):
		b = append(b, digits...)
		return append(b, bytes.Repeat([]byte("0"), point-len(digits))...)
	}
	b = append(append(b, digits[:point]...), '.')
	return append(b, digits[point:]...)
}

// brief is the JSON of a value, or the beginning of a long one, for errors.
func brief(v any) string { return string(Style{most: 100}.Append(nil, v)) }

// shown is a value as errors show it: kind and a short text.
func shown(v any) string {
	text := brief(v)
	if len(text) > 14 {
		cut := 11
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "..."
	}
	return kind(v) + " (" + text + ")"
}
