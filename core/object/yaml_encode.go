package object

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// EncodeYAML prints a value as kubectl's -o yaml does: keys sorted, lists not
// indented below their key, strings quoted where they would read as something
// else. Bytes that are no UTF-8 become U+FFFD, as they do in JSON. Models
// go.yaml.in/yaml/v3/emitterc.go, byte for byte except where that prints what may
// not read back: U+2028 and U+2029 are escaped, and a text that begins with a tab
// is quoted.
func EncodeYAML(v any) []byte {
	return append(yamlStyle{}.value(nil, FromAny(v), yamlRoot, -yamlIndent), '\n')
}

// EncodeFoldedYAML is EncodeYAML that goes on in the next line at the first
// space beyond column 80 of a text, as kubectl does. It reads back as the same.
func EncodeFoldedYAML(v any) []byte {
	return append(yamlStyle{fold: true}.value(nil, FromAny(v), yamlRoot, -yamlIndent), '\n')
}

// yamlStyle says whether long texts are folded.
type yamlStyle struct{ fold bool }

// yamlWidth is the column beyond which a text is folded.
const yamlWidth = 80

const (
	yamlIndent = 2
	// yamlKeyLimit is the longest key, in bytes, that stands before its colon on
	// one line; a longer one follows a question mark.
	yamlKeyLimit = 128
	// yamlBreaks are the line breaks of YAML.
	yamlBreaks = "\n\r\u0085\u2028\u2029"
)

// yamlPlace is what stands on the line before a value.
type yamlPlace byte

const (
	yamlRoot    yamlPlace = iota // nothing
	yamlInField                  // a key: a collection begins on the next line
	yamlInItem                   // a dash: a collection begins on the same line
)

// appendYAML prints a value that belongs to a collection at an indentation.
func (y yamlStyle) value(b []byte, v any, place yamlPlace, indent int) []byte {
	switch v := v.(type) {
	case *Map:
		if v.Len() > 0 {
			return y.mapping(b, v, place, indent+yamlIndent)
		}
	case *List:
		switch {
		case v.Len() == 0:
		case place == yamlInField:
			return y.list(b, v, place, indent)
		default:
			return y.list(b, v, place, indent+yamlIndent)
		}
	}
	if place != yamlRoot {
		b = append(b, ' ')
	}
	if s, ok := v.(string); ok {
		return y.text(b, s, max(indent, 0)+yamlIndent)
	}
	// What else has no lines of its own prints as in JSON: {} and [] too.
	return AppendJSON(b, v)
}

// yamlLine begins the i-th line of a collection.
func yamlLine(b []byte, i int, place yamlPlace, indent int) []byte {
	switch {
	case i > 0 || place == yamlInField:
		return yamlBreak(b, indent)
	case place == yamlInItem:
		return append(b, ' ')
	}
	return b
}

func yamlBreak(b []byte, indent int) []byte {
	b = append(b, '\n')
	for range indent {
		b = append(b, ' ')
	}
	return b
}

func (y yamlStyle) mapping(b []byte, m *Map, place yamlPlace, indent int) []byte {
	for i, f := range m.fields {
		b = yamlLine(b, i, place, indent)
		if len(f.Key) <= yamlKeyLimit && !strings.ContainsAny(f.Key, yamlBreaks) {
			b = append(yamlStyle{}.text(b, f.Key, indent), ':')
			b = y.value(b, f.Value, yamlInField, indent)
			continue
		}
		b = yamlStyle{}.text(append(b, "? "...), f.Key, indent+yamlIndent)
		b = append(yamlBreak(b, indent), ':')
		b = y.value(b, f.Value, yamlInItem, indent)
	}
	return b
}

func (y yamlStyle) list(b []byte, l *List, place yamlPlace, indent int) []byte {
	for i, v := range l.items {
		b = append(yamlLine(b, i, place, indent), '-')
		b = y.value(b, v, yamlInItem, indent)
	}
	return b
}

// appendYAMLString prints a string in the plainest style that reads back as
// the same string. Lines of a text begin at an indentation.
func (y yamlStyle) text(b []byte, s string, indent int) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	escape := strings.ContainsFunc(s, yamlEscaped)
	lines := strings.Contains(s, "\n")
	switch {
	case lines && !escape && !strings.Contains(s, " \n") && !strings.HasSuffix(s, " ") && s[0] != '\t':
		return appendYAMLLines(b, s, indent)
	case lines || escape || yamlAmbiguous(s) && !(y.fold && s == "<<") || y.fold && yamlSexagesimal(s):
		return y.quoted(b, s, indent)
	case yamlPlain(s):
		return y.folded(b, s, indent, 0)
	case strings.Contains(s, "\t"):
		return y.quoted(b, s, indent)
	}
	b = append(b, '\'')
	b = y.folded(b, strings.ReplaceAll(s, "'", "''"), indent, 1)
	return append(b, '\'')
}

// folded writes a text of one line, and breaks it at single spaces beyond the
// width; not within edge bytes of its ends.
func (y yamlStyle) folded(b []byte, text string, indent, edge int) []byte {
	if !y.fold || len(text) < yamlWidth-indent {
		return append(b, text...)
	}
	column := yamlColumn(b)
	spaces := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		last := i >= len(text)-1
		if c == ' ' && !spaces && column > yamlWidth && i >= edge && !(edge > 0 && last) && (last || text[i+1] != ' ') {
			b = yamlBreak(b, indent)
			column = indent
			spaces = true
			continue
		}
		b = append(b, c)
		spaces = c == ' '
		if c < utf8.RuneSelf || c >= 0xc0 {
			column++
		}
	}
	return b
}

// yamlColumn is how many characters the line has so far.
func yamlColumn(b []byte) int {
	return utf8.RuneCount(b[bytes.LastIndexByte(b, '\n')+1:])
}

// yamlEscaped reports whether a character prints as an escape alone.
func yamlEscaped(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ' || r > '~' && r < 0xa0:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xfeff || r > 0xfffd
}

// yamlAmbiguous reports whether a string, printed plainly, would read as a
// value of another type.
func yamlAmbiguous(s string) bool {
	if _, ok := yaml11Bool(s); ok {
		return true
	}
	n := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return n.ShortTag() != "!!str"
}

// yamlSexagesimal reports whether YAML 1.1 reads a string as a number to the
// base of 60, as 1:30 is.
func yamlSexagesimal(s string) bool {
	s = strings.TrimLeft(s, "+-")
	if !strings.Contains(s, ":") || s[0] < '0' || s[0] > '9' {
		return false
	}
	whole, fraction, _ := strings.Cut(s, ".")
	for i, part := range strings.Split(whole, ":") {
		digits := strings.Trim(part, "0123456789") == "" && part != "" && (len(part) == 1 || len(part) == 2 && part[0] < '6')
		if i == 0 {
			digits = strings.Trim(part, "0123456789_") == ""
		}
		if !digits {
			return false
		}
	}
	return strings.Trim(fraction, "0123456789_") == ""
}

// yamlPlain reports whether a string of one line without escapes needs no
// quotes to be read as one scalar.
func yamlPlain(s string) bool {
	if strings.HasPrefix(s, " ") || strings.HasSuffix(s, " ") || strings.Contains(s, "\t") {
		return false
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") || strings.IndexByte("#,[]{}&*!|>'\"%@`", s[0]) >= 0 {
		return false
	}
	if strings.IndexByte("?:-", s[0]) >= 0 && (len(s) == 1 || s[1] == ' ') {
		return false
	}
	return !strings.Contains(s, ": ") && !strings.HasSuffix(s, ":") && !strings.Contains(s, " #")
}

// appendYAMLLines prints a text as a literal block.
func appendYAMLLines(b []byte, s string, indent int) []byte {
	b = append(b, '|')
	if s[0] == ' ' || s[0] == '\n' {
		b = strconv.AppendInt(b, yamlIndent, 10)
	}
	switch {
	case !strings.HasSuffix(s, "\n"):
		b = append(b, '-')
	case s == "\n" || strings.HasSuffix(s, "\n\n"):
		b = append(b, '+')
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
		if line == "" {
			b = append(b, '\n')
			continue
		}
		b = append(yamlBreak(b, indent), line...)
	}
	return b
}

// yamlShort holds the escapes of one letter, each after its character.
const yamlShort = "\x000\aa\bb\tt\nn\vv\ff\rr\x1be\"\"\\\\\u0085N\u00a0_\u2028L\u2029P"

func (y yamlStyle) quoted(b []byte, s string, indent int) []byte {
	b = append(b, '"')
	spaces := false
	for i, r := range s {
		if r == ' ' && y.fold && !spaces && i > 0 && i < len(s)-1 && yamlColumn(b) > yamlWidth {
			b = yamlBreak(b, indent)
			if s[i+1] == ' ' {
				b = append(b, '\\')
			}
			spaces = true
			continue
		}
		spaces = false
		short := strings.IndexRune(yamlShort, r)
		switch {
		case r != '\n' && r != '\t' && r != '"' && r != '\\' && !yamlEscaped(r):
			b = utf8.AppendRune(b, r)
		case short >= 0:
			b = append(b, '\\', yamlShort[short+utf8.RuneLen(r)])
		case r <= 0xff:
			b = appendHex(append(b, `\x`...), r, 2)
		case r <= 0xffff:
			b = appendHex(append(b, `\u`...), r, 4)
		default:
			b = appendHex(append(b, `\U`...), r, 8)
		}
	}
	return append(b, '"')
}

func appendHex(b []byte, r rune, digits int) []byte {
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		b = append(b, "0123456789ABCDEF"[r>>shift&0xf])
	}
	return b
}
