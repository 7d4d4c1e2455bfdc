package rules

import (
	"slices"
	"strings"
)

// reserved are the words that CEL's grammar keeps for itself.
var reserved = []string{
	"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
	"loop", "package", "namespace", "return", "var", "void", "while",
}

// escapes are the characters of names that identifiers cannot hold; two
// underscores would begin an escape.
var escapes = []struct{ text, escaped string }{{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}}

// escape makes the name of a property an identifier; not ok says that rules
// cannot see it. Models cel.Escape.
func escape(name string) (string, bool) {
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "", false
	}
	if slices.Contains(reserved, name) {
		return "__" + name + "__", true
	}
	var b strings.Builder
next:
	for i := 0; i < len(name); {
		for _, e := range escapes {
			if strings.HasPrefix(name[i:], e.text) {
				b.WriteString("__" + e.escaped + "__")
				i += len(e.text)
				continue next
			}
		}
		c := name[i]
		if c != '_' && !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') {
			return "", false
		}
		b.WriteByte(c)
		i++
	}
	return b.String(), true
}

// unescape is its inverse; not ok says that no property has that identifier.
func unescape(ident string) (string, bool) {
	var b strings.Builder
	rest := ident
	for {
		before, after, found := strings.Cut(rest, "__")
		if !found {
			return b.String() + rest, true
		}
		word, next, closed := strings.Cut(after, "__")
		if !closed || word == "" || strings.Contains(word, "_") {
			// No escape here: it may begin at the next underscore.
			b.WriteString(before + "_")
			rest = rest[len(before)+1:]
			continue
		}
		meaning, ok := meaningOf(word, before == "" && b.Len() == 0 && next == "")
		if !ok {
			return "", false
		}
		b.WriteString(before + meaning)
		rest = next
	}
}

// meaningOf resolves what stands between two pairs of underscores. A reserved
// word must be the whole of it.
func meaningOf(word string, alone bool) (string, bool) {
	for _, e := range escapes {
		if e.escaped == word {
			return e.text, true
		}
	}
	return word, alone && slices.Contains(reserved, word)
}
