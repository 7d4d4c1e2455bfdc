package object

import (
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
	return append(appendYAML(nil, FromAny(v), yamlRoot, -yamlIndent), '\n')
}

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
func appendYAML(b []byte, v any, place yamlPlace, indent int) []byte {
	switch v := v.(type) {
	case *Map:
		if v.Len() > 0 {
			return appendYAMLMap(b, v, place, indent+yamlIndent)
		}
	case *List:
		switch {
		case v.Len() == 0:
		case place == yamlInField:
			return appendYAMLList(b, v, place, indent)
		default:
			return appendYAMLList(b, v, place, indent+yamlIndent)
		}
	}
	if place != yamlRoot {
		b = append(b, ' ')
	}
	if s, ok := v.(string); ok {
		return appendYAMLString(b, s, max(indent, 0)+yamlIndent)
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

func appendYAMLMap(b []byte, m *Map, place yamlPlace, indent int) []byte {
	for i, f := range m.fields {
		b = yamlLine(b, i, place, indent)
		if len(f.Key) <= yamlKeyLimit && !strings.ContainsAny(f.Key, yamlBreaks) {
			b = append(appendYAMLString(b, f.Key, indent), ':')
			b = appendYAML(b, f.Value, yamlInField, indent)
			continue
		}
		b = appendYAMLString(append(b, "? "...), f.Key, indent+yamlIndent)
		b = append(yamlBreak(b, indent), ':')
		b = appendYAML(b, f.Value, yamlInItem, indent)
	}
	return b
}

func appendYAMLList(b []byte, l *List, place yamlPlace, indent int) []byte {
	for i, v := range l.items {
		b = append(yamlLine(b, i, place, indent), '-')
		b = appendYAML(b, v, yamlInItem, indent)
	}
	return b
}

// appendYAMLString prints a string in the plainest style that reads back as
// the same string. Lines of a text begin at an indentation.
func appendYAMLString(b []byte, s string, indent int) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	escape := strings.ContainsFunc(s, yamlEscaped)
	lines := strings.Contains(s, "\n")
	switch {
	case lines && !escape && !strings.Contains(s, " \n") && !strings.HasSuffix(s, " ") && s[0] != '\t':
		return appendYAMLLines(b, s, indent)
	case lines || escape || yamlAmbiguous(s):
		return appendYAMLQuoted(b, s)
	case yamlPlain(s):
		return append(b, s...)
	case strings.Contains(s, "\t"):
		return appendYAMLQuoted(b, s)
	}
	b = append(b, '\'')
	b = append(b, strings.ReplaceAll(s, "'", "''")...)
	return append(b, '\'')
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

func appendYAMLQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
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
