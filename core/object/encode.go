package object

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// EncodeJSON returns the canonical encoding: keys sorted, no white space,
// numbers and escapes as encoding/json writes them with EscapeHTML off.
func EncodeJSON(v any) []byte { return AppendJSON(nil, v) }

// AppendJSON appends the canonical encoding of v to b.
func AppendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case float64:
		return appendFloat(b, v)
	case string:
		return appendString(b, v)
	case *Map:
		b = append(b, '{')
		first := true
		for k, x := range v.All() {
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendString(b, k), ':')
			b = AppendJSON(b, x)
		}
		return append(b, '}')
	case *List:
		b = append(b, '[')
		for i, x := range v.All() {
			if i > 0 {
				b = append(b, ',')
			}
			b = AppendJSON(b, x)
		}
		return append(b, ']')
	case Object:
		return AppendJSON(b, v.root)
	}
	return AppendJSON(b, FromAny(v))
}

// MarshalJSON implements json.Marshaler with the canonical encoding.
func (o Object) MarshalJSON() ([]byte, error) {
	if o.root == nil {
		return []byte("null"), nil
	}
	return EncodeJSON(o.root), nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(b []byte) error {
	v, err := DecodeJSON(b)
	if err != nil {
		return err
	}
	o.root, _ = v.(*Map)
	return nil
}

// MarshalJSON implements json.Marshaler with the canonical encoding.
func (m *Map) MarshalJSON() ([]byte, error) { return EncodeJSON(m), nil }

// UnmarshalJSON implements json.Unmarshaler; the receiver must not be in use yet.
func (m *Map) UnmarshalJSON(b []byte) error {
	v, err := DecodeJSON(b)
	if err != nil {
		return err
	}
	if d, ok := v.(*Map); ok {
		*m = *d
	}
	return nil
}

// MarshalJSON implements json.Marshaler with the canonical encoding.
func (l *List) MarshalJSON() ([]byte, error) { return EncodeJSON(l), nil }

func appendFloat(b []byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return append(b, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if format == 'e' {
		// e-09 is written e-9
		if n := len(b); n >= 4 && b[n-4] == 'e' && (b[n-3] == '-' || b[n-3] == '+') && b[n-2] == '0' {
			b[n-2] = b[n-1]
			b = b[:n-1]
		}
	}
	return b
}

const hex = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			b = append(b, s[start:i]...)
			switch c {
			case '"', '\\':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, '\\', 'b')
			case '\f':
				b = append(b, '\\', 'f')
			case '\n':
				b = append(b, '\\', 'n')
			case '\r':
				b = append(b, '\\', 'r')
			case '\t':
				b = append(b, '\\', 't')
			default:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			}
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			b = append(b, s[start:i]...)
			switch r {
			case utf8.RuneError:
				b = append(b, `\ufffd`...)
			default:
				b = append(b, `\u202`...)
				b = append(b, hex[r&15])
			}
			i += size
			start = i
			continue
		}
		i += size
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

// WholeNumber is the number as it comes back from JSON: what prints without a
// fraction and an exponent, and fits into 64 bits, is an int64.
func WholeNumber(f float64) any {
	if n := Truncated(f); float64(n) == f && f > -1<<63 {
		return n
	}
	return f
}

// Truncated is the number without its fraction, as a real server on amd64 makes
// it: what does not fit into 64 bits is the least of them. Go leaves that to the
// machine, and WebAssembly would give another.
func Truncated(f float64) int64 {
	if f > -1<<63 && f < 1<<63 {
		return int64(f)
	}
	return math.MinInt64
}
