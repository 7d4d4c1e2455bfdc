package tool

import (
	"strings"
	"unicode/utf8"
)

// glob matches a shell pattern as fnmatch(3) does without flags: * and ? match a
// slash and a leading dot too.
func glob(pattern, s string) bool {
	for pattern != "" {
		switch pattern[0] {
		case '*':
			pattern = strings.TrimLeft(pattern, "*")
			if pattern == "" {
				return true
			}
			for i := 0; i <= len(s); i++ {
				if glob(pattern, s[i:]) {
					return true
				}
			}
			return false
		case '?':
			_, n := utf8.DecodeRuneInString(s)
			if n == 0 {
				return false
			}
			pattern, s = pattern[1:], s[n:]
		case '[':
			set, rest, ok := globSet(pattern)
			r, n := utf8.DecodeRuneInString(s)
			if !ok {
				if s == "" || s[0] != '[' {
					return false
				}
				pattern, s = pattern[1:], s[1:]
				continue
			}
			if n == 0 || !set(r) {
				return false
			}
			pattern, s = rest, s[n:]
		default:
			if pattern[0] == '\\' && len(pattern) > 1 {
				pattern = pattern[1:]
			}
			if s == "" || s[0] != pattern[0] {
				return false
			}
			pattern, s = pattern[1:], s[1:]
		}
	}
	return s == ""
}

func globSet(pattern string) (set func(rune) bool, rest string, ok bool) {
	body := pattern[1:]
	negate := strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^")
	if negate {
		body = body[1:]
	}
	type span struct{ from, to rune }
	var spans []span
	named := ""
	for first := true; ; first = false {
		if body == "" {
			return nil, "", false
		}
		if body[0] == ']' && !first {
			break
		}
		if name, after, found := strings.Cut(strings.TrimPrefix(body, "[:"), ":]"); found && strings.HasPrefix(body, "[:") {
			named += classes[name]
			body = after
			continue
		}
		from, n := utf8.DecodeRuneInString(body)
		to := from
		body = body[n:]
		if len(body) > 1 && body[0] == '-' && body[1] != ']' {
			to, n = utf8.DecodeRuneInString(body[1:])
			body = body[1+n:]
		}
		spans = append(spans, span{from, to})
	}
	return func(r rune) bool {
		in := strings.ContainsRune(named, r)
		for _, s := range spans {
			in = in || r >= s.from && r <= s.to
		}
		return in != negate
	}, body[1:], true
}
