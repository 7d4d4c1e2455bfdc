// Package gojq is the parser of github.com/itchyny/gojq v0.12.20 alone, in the
// place of the whole: core/jq evaluates what is parsed itself, and what the real
// package prepares at its start to evaluate (its library as a tree, its functions,
// large numbers) would be linked for nothing. lexer.go and parser.go are its files
// as they are; of the others there is what those need. LICENSE is the original's.
package gojq

import (
	"strings"
	"unicode/utf8"
)

// jsonMarshal quotes a token for an error's text.
func jsonMarshal(s string) string {
	var b strings.Builder
	jsonEncodeString(&b, s)
	return b.String()
}

// ref: encodeState#string in encoding/json
func jsonEncodeString(w *strings.Builder, s string) {
	w.WriteByte('"')
	start := 0
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if ' ' <= b && b <= '~' && b != '"' && b != '\\' {
				i++
				continue
			}
			if start < i {
				w.WriteString(s[start:i])
			}
			switch b {
			case '"':
				w.WriteString(`\"`)
			case '\\':
				w.WriteString(`\\`)
			case '\b':
				w.WriteString(`\b`)
			case '\f':
				w.WriteString(`\f`)
			case '\n':
				w.WriteString(`\n`)
			case '\r':
				w.WriteString(`\r`)
			case '\t':
				w.WriteString(`\t`)
			default:
				const hex = "0123456789abcdef"
				w.WriteString(`\u00`)
				w.WriteByte(hex[b>>4])
				w.WriteByte(hex[b&0xF])
			}
			i++
			start = i
			continue
		}
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == utf8.RuneError && size == 1 {
			if start < i {
				w.WriteString(s[start:i])
			}
			w.WriteString(`\ufffd`)
			i += size
			start = i
			continue
		}
		i += size
	}
	if start < len(s) {
		w.WriteString(s[start:])
	}
	w.WriteByte('"')
}
