package jq

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ParseError says where a text is no JSON, in jq's words.
type ParseError struct{ Text string }

// Error is the text, with line and column.
func (e *ParseError) Error() string { return e.Text }

// maxDepth is how deeply JSON may nest, as in jq 1.7.
const maxDepth = 10000

// Decoder reads JSON values one after another from a text. Keys keep their order;
// of a key that stands twice the last value wins.
type Decoder struct {
	text  string
	at    int
	depth int
}

// NewDecoder returns a decoder of a text.
func NewDecoder(text string) *Decoder {
	return &Decoder{text: strings.TrimPrefix(text, "\ufeff")}
}

// Line is how many newlines were read: what input_line_number gives. jq reads
// whole lines, so that the end of the line counts that a value ends in.
func (d *Decoder) Line() int {
	n := strings.Count(d.text[:d.at], "\n")
	if d.at > 0 && d.text[d.at-1] != '\n' && strings.Contains(d.text[d.at:], "\n") {
		n++
	}
	return n
}

// Next returns the next value; ok is false at the end. The error is a *ParseError.
func (d *Decoder) Next() (v any, ok bool, err error) {
	d.space()
	if d.at >= len(d.text) {
		return nil, false, nil
	}
	if v, err = d.value(); err != nil {
		return nil, false, err
	}
	if d.at < len(d.text) { // jq has read the character that ends a value
		if d.text[d.at] == '\n' {
			d.at++
		}
	}
	return v, true, nil
}

// DecodeOne reads a text that holds one value, as fromjson does.
func DecodeOne(text string) (any, error) {
	d := NewDecoder(text)
	v, ok, err := d.Next()
	if err == nil && !ok {
		return nil, &ParseError{"Expected JSON value"}
	}
	if err == nil {
		if d.space(); d.at < len(d.text) {
			return nil, &ParseError{"Unexpected extra JSON values"}
		}
	}
	return v, err
}

func (d *Decoder) space() {
	for d.at < len(d.text) {
		switch d.text[d.at] {
		case ' ', '\t', '\n', '\r', 0x1e:
			d.at++
		default:
			return
		}
	}
}

// fail makes an error about the place after the character at i.
func (d *Decoder) fail(i int, what string) error {
	if i >= len(d.text) {
		line, col := d.place(len(d.text))
		return &ParseError{fmt.Sprintf("%s at EOF at line %d, column %d", what, line, col)}
	}
	line, col := d.place(i + 1)
	return &ParseError{fmt.Sprintf("%s at line %d, column %d", what, line, col)}
}

func (d *Decoder) place(i int) (line, col int) {
	head := d.text[:i]
	return strings.Count(head, "\n") + 1, i - strings.LastIndexByte(head, '\n') - 1
}

func (d *Decoder) value() (any, error) {
	switch d.text[d.at] {
	case '{':
		return d.object()
	case '[':
		return d.array()
	case '"':
		return d.string()
	case ']', '}', ',', ':':
		return nil, d.fail(d.at, map[byte]string{']': "Unmatched ']'", '}': "Unmatched '}'", ',': "Expected value before ','", ':': "':' not as part of an object"}[d.text[d.at]])
	}
	return d.word()
}

func (d *Decoder) word() (any, error) {
	from := d.at
	for d.at < len(d.text) && strings.IndexByte(" \t\n\r[]{},:\"", d.text[d.at]) < 0 {
		d.at++
	}
	word := d.text[from:d.at]
	switch word {
	case "null":
		return nil, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	if len(word) <= 9 {
		switch name := strings.ToLower(strings.TrimLeft(word, "+-")); {
		case len(word)-len(name) > 1:
		case name == "nan":
			return math.NaN(), nil
		case (name == "inf" || name == "infinity") && word[0] == '-':
			return math.Inf(-1), nil
		case name == "inf" || name == "infinity":
			return math.Inf(1), nil
		}
	}
	if v, ok := parseNumber(word); ok {
		return v, nil
	}
	what := "Invalid numeric literal"
	if len(word) > 0 && (word[0] == 't' || word[0] == 'f' || word[0] == 'n' && len(word) > 1 && word[1] == 'u') {
		what = "Invalid literal"
	}
	return nil, d.fail(d.at, what)
}

// parseNumber reads a number. A text that a float64 prints otherwise is kept.
func parseNumber(s string) (any, bool) {
	if s == "" || len(s) > 100000 {
		return nil, false
	}
	digits := strings.TrimPrefix(s, "-")
	plain := digits != "" && len(digits) <= 15
	for i := 0; i < len(digits) && plain; i++ {
		plain = digits[i] >= '0' && digits[i] <= '9'
	}
	if plain && (digits[0] != '0' || len(digits) == 1) {
		n := int64(0)
		for i := range len(digits) {
			n = n*10 + int64(digits[i]-'0')
		}
		if s[0] == '-' {
			if n == 0 {
				return math.Copysign(0, -1), true
			}
			n = -n
		}
		return float64(n), true
	}
	for i := range len(s) {
		if strings.IndexByte("0123456789.eE+-", s[i]) < 0 {
			return nil, false
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, false
	}
	text := canonical(s)
	if at := strings.IndexByte(text, 'E'); at >= 0 && math.IsInf(f, 0) {
		if e, _ := strconv.Atoi(text[at+1:]); e > 999_999_999 { // the most that decNumber takes
			return f, true
		}
	}
	if text == string(appendFloat(nil, f)) {
		return f, true
	}
	return Number{f, text}, true
}

// canonical prints a number's text as decNumber does, which jq 1.7 keeps
// literals in: 1.000 stays, 100e-2 is 1.00, 1e2 is 1E+2.
func canonical(s string) string {
	sign := ""
	if s[0] == '-' || s[0] == '+' {
		sign, s = strings.TrimPrefix(s[:1], "+"), s[1:]
	}
	mantissa, exponent := s, 0
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		mantissa = s[:at]
		exponent, _ = strconv.Atoi(strings.TrimPrefix(s[at+1:], "+"))
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		digits = "0"
	}
	exponent -= len(fraction)
	adjusted := exponent + len(digits) - 1
	switch {
	case exponent <= 0 && adjusted >= -6:
		if exponent == 0 {
			return sign + digits
		}
		if point := len(digits) + exponent; point > 0 {
			return sign + digits[:point] + "." + digits[point:]
		}
		return sign + "0." + strings.Repeat("0", -exponent-len(digits)) + digits
	case len(digits) > 1:
		digits = digits[:1] + "." + digits[1:]
	}
	return fmt.Sprintf("%s%sE%+d", sign, digits, adjusted)
}

func (d *Decoder) nest() error {
	if d.depth++; d.depth > maxDepth {
		return d.fail(d.at, "Exceeds depth limit for parsing")
	}
	return nil
}

func (d *Decoder) array() (any, error) {
	if err := d.nest(); err != nil {
		return nil, err
	}
	d.at++
	list := []any{}
	for {
		d.space()
		switch {
		case d.at >= len(d.text):
			return nil, d.fail(d.at, "Unfinished JSON term")
		case d.text[d.at] == ']' && len(list) == 0:
			d.at++
			d.depth--
			return list, nil
		case d.text[d.at] == ']':
			return nil, d.fail(d.at, "Expected another array element")
		}
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		d.space()
		switch {
		case d.at >= len(d.text):
			return nil, d.fail(d.at, "Unfinished JSON term")
		case d.text[d.at] == ',':
			d.at++
		case d.text[d.at] == ']':
			d.at++
			d.depth--
			return list, nil
		case d.text[d.at] == '}':
			return nil, d.fail(d.at, "Unmatched '}'")
		case d.text[d.at] == ':':
			return nil, d.fail(d.at, "':' not as part of an object")
		default:
			return nil, d.separator()
		}
	}
}

// separator is the error of two values without a comma: told after the second.
func (d *Decoder) separator() error {
	if d.text[d.at] == '"' || d.text[d.at] == '[' || d.text[d.at] == '{' {
		if d.text[d.at] == '"' {
			if _, err := d.string(); err != nil {
				return err
			}
			d.at--
		}
		return d.fail(d.at, "Expected separator between values")
	}
	if _, err := d.word(); err != nil {
		return err
	}
	return d.fail(d.at, "Expected separator between values")
}

func (d *Decoder) object() (any, error) {
	if err := d.nest(); err != nil {
		return nil, err
	}
	d.at++
	o := &Object{}
	for {
		d.space()
		switch {
		case d.at >= len(d.text):
			return nil, d.fail(d.at, "Unfinished JSON term")
		case d.text[d.at] == '}' && o.Len() == 0:
			d.at++
			d.depth--
			return o, nil
		case d.text[d.at] == '}':
			return nil, d.fail(d.at, "Expected another key-value pair")
		}
		at := d.at
		key, err := d.value()
		if err != nil {
			return nil, err
		}
		name, isString := key.(string)
		d.space()
		switch {
		case d.at >= len(d.text):
			return nil, d.fail(d.at, "Unfinished JSON term")
		case d.text[d.at] != ':':
			return nil, d.fail(d.at, "Objects must consist of key:value pairs")
		case !isString:
			return nil, d.fail(max(at, d.at), "Object keys must be strings")
		}
		d.at++
		if d.space(); d.at >= len(d.text) {
			return nil, d.fail(d.at, "Unfinished JSON term")
		}
		v, err := d.value()
		if err != nil {
			return nil, err
		}
		o.put(name, v)
		d.space()
		switch {
		case d.at >= len(d.text):
			return nil, d.fail(d.at, "Unfinished JSON term")
		case d.text[d.at] == ',':
			d.at++
		case d.text[d.at] == '}':
			d.at++
			d.depth--
			return o, nil
		case d.text[d.at] == ']':
			return nil, d.fail(d.at, "Unmatched ']'")
		default:
			return nil, d.separator()
		}
	}
}

func (d *Decoder) string() (any, error) {
	from := d.at + 1
	for i := from; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			d.at = i + 1
			s := d.text[from:i]
			if hasControl(s) {
				return nil, d.fail(i, errControl)
			}
			if !utf8.ValidString(s) {
				s = strings.ToValidUTF8(s, "\ufffd")
			}
			return s, nil
		case c == '\\':
			return d.escaped(from, i)
		}
	}
	d.at = len(d.text)
	return nil, d.fail(d.at, "Unfinished string")
}

// escaped reads a string that has escapes, from the first of them on.
func (d *Decoder) escaped(from, i int) (any, error) {
	start := from
	b := append(make([]byte, 0, i-from+32), d.text[from:i]...)
	for i < len(d.text) {
		c := d.text[i]
		i++
		switch {
		case c == '"':
			if d.at = i; hasControl(d.text[start : i-1]) {
				return nil, d.fail(i-1, errControl)
			}
			return strings.ToValidUTF8(string(b), "\ufffd"), nil
		case c != '\\':
			b = append(b, c)
			continue
		case i == len(d.text):
			continue
		}
		c = d.text[i]
		i++
		if at := strings.IndexByte(`bfnrt"\/`, c); at >= 0 {
			b = append(b, "\b\f\n\r\t\"\\/"[at])
			continue
		}
		r, ok := unit(d.text, i)
		if c != 'u' || !ok {
			return nil, d.fail(closing(d.text, i), "Invalid escape")
		}
		i += 4
		if utf16.IsSurrogate(r) {
			low, ok := unit(d.text, i+2)
			if pair := utf16.DecodeRune(r, low); ok && strings.HasPrefix(d.text[i:], `\u`) && pair != utf8.RuneError {
				r = pair
				i += 6
			} else {
				return nil, d.fail(closing(d.text, i), "Invalid \\uXXXX\\uXXXX surrogate pair escape")
			}
		}
		b = utf8.AppendRune(b, r)
	}
	d.at = len(d.text)
	return nil, d.fail(d.at, "Unfinished string")
}

const errControl = "Invalid string: control characters from U+0000 through U+001F must be escaped"

func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' {
			return true
		}
	}
	return false
}

// closing is where a string ends that has been read up to i.
func closing(s string, i int) int {
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' {
			i++
		}
	}
	return i
}

func unit(s string, i int) (rune, bool) {
	if i+4 > len(s) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[i:i+4], 16, 32)
	return rune(n), err == nil
}
