package jq

import "strings"

func explode(v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("explode input must be a string")
	}
	list := []any{}
	for _, r := range s {
		list = append(list, float64(r))
	}
	return list, nil
}

func implode(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("implode input must be an array")
	}
	var b strings.Builder
	for _, item := range list {
		f, ok := isNumber(item)
		if !ok {
			return nil, failf("%s can't be imploded, unicode codepoint needs to be numeric", shown(item))
		}
		b.WriteRune(rune(f))
	}
	return b.String(), nil
}

func mapASCII(v any, from, to byte, by int) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("explode input must be a string")
	}
	b := []byte(s)
	for i, c := range b {
		if c >= from && c <= to {
			b[i] = byte(int(c) + by)
		}
	}
	return string(b), nil
}

func trimText(v, a any, f func(s, part string) string) any {
	s, ok := v.(string)
	part, ok2 := a.(string)
	if !ok || !ok2 {
		return v
	}
	return f(s, part)
}

func texts(v, a any, complaint string, f func(s, part string) bool) (any, error) {
	s, ok := v.(string)
	part, ok2 := a.(string)
	if !ok || !ok2 {
		return nil, failf("%s", complaint)
	}
	return f(s, part), nil
}

func split(v, a any) (any, error) {
	s, ok := v.(string)
	sep, ok2 := a.(string)
	if !ok || !ok2 {
		return nil, failf("split input and separator must be strings")
	}
	return splitText(s, sep), nil
}
