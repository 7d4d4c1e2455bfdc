package schema

import "strings"

// RulePath follows the fieldPath of a rule, such as ".a['b.c'].d", from the
// schema of the rule. It returns the path as errors print it; not ok says that
// it is no path, or leads to nothing. Models cel.ValidFieldPath.
func RulePath(s *Schema, path string) (printed string, ok bool) {
	for path != "" {
		var token string
		named := path[0] == '.'
		switch path[0] {
		case '.':
			token, path = pathToken(path[1:])
			if token == "" {
				return "", false
			}
		case '[':
			quoted, rest := pathToken(path[1:])
			if len(quoted) < 2 || quoted[0] != '\'' || quoted[len(quoted)-1] != '\'' || !strings.HasPrefix(rest, "]") {
				return "", false
			}
			if token, ok = unquotePath(quoted[1 : len(quoted)-1]); !ok {
				return "", false
			}
			path = rest[1:]
		default:
			return "", false
		}
		if s == nil {
			return "", false
		}
		switch {
		case len(s.Properties) > 0:
			named = true
			s = s.Property(token)
		case s.Additional != nil:
			named = false
			s = s.Additional.Schema
		default:
			return "", false
		}
		if s == nil && (named || path != "") {
			return "", false
		}
		if named {
			printed = joinKey(printed, token)
		} else {
			printed += "[" + token + "]"
		}
	}
	return printed, true
}

// pathToken cuts the next token off: a delimiter, a quoted text, or what stands
// before the next delimiter.
func pathToken(s string) (token, rest string) {
	if strings.HasPrefix(s, "'") {
		for i := 1; i < len(s); i++ {
			if s[i] == '\'' && s[i-1] != '\\' {
				return s[:i+1], s[i+1:]
			}
		}
		return s, ""
	}
	end := tokenEnd(s)
	if end == 0 && s != "" {
		end = 1
	}
	return s[:end], s[end:]
}

// unquotePath resolves the escapes of a quoted name.
func unquotePath(s string) (string, bool) {
	const escapes, meanings = "abfnrtv'\\", "\a\b\f\n\r\t\v'\\"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) || s[i+1] == '\n' {
			b.WriteByte(s[i])
			continue
		}
		i++
		at := strings.IndexByte(escapes, s[i])
		if at < 0 {
			return "", false
		}
		b.WriteByte(meanings[at])
	}
	return b.String(), true
}
