package schema

import "strings"

// isEmail takes an address as net/mail.ParseAddress does in its usual forms:
// "a@example.com", "Name <a@example.com>", a quoted local part, a trailing
// comment. The package net/mail itself would bring net into the binary.
func isEmail(s string) bool {
	s = strings.TrimSpace(s)
	if open := strings.LastIndexByte(s, '<'); open >= 0 && strings.HasSuffix(s, ">") {
		return isPhrase(strings.TrimSpace(s[:open])) && isAddrSpec(s[open+1:len(s)-1])
	}
	if open := strings.IndexByte(s, '('); open > 0 && strings.HasSuffix(s, ")") {
		s = strings.TrimSpace(s[:open])
	}
	return isAddrSpec(s)
}

func isPhrase(s string) bool {
	if s == "" {
		return true
	}
	if len(s) > 1 && s[0] == '"' && strings.HasSuffix(s, `"`) {
		return !strings.Contains(s[1:len(s)-1], `"`)
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && r != '.' && !isAtext(r) })
}

func isAtext(r rune) bool {
	return r > 127 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
		strings.ContainsRune("!#$%&'*+-/=?^_`{|}~", r)
}

// isDotAtom is words joined by single dots.
func isDotAtom(s string) bool {
	for _, word := range strings.Split(s, ".") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !isAtext(r) }) {
			return false
		}
	}
	return true
}

func isAddrSpec(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at <= 0 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	if len(local) > 2 && local[0] == '"' && strings.HasSuffix(local, `"`) {
		return !strings.ContainsAny(local[1:len(local)-1], "\"\n\r") && isDotAtom(domain)
	}
	return isDotAtom(local) && isDotAtom(domain)
}
