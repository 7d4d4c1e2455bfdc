package kubectl

import (
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// selector is a label selector for objects of files, which no server selects.
type selector []requirement

type requirement struct {
	key, op string
	values  []string
}

// parseSelector reads a label selector. Models apimachinery's labels.Parse.
func parseSelector(text string) (selector, error) {
	var out selector
	for _, part := range splitTop(text) {
		part = strings.TrimSpace(part)
		if part == "" {
			return nil, errorf("found '', expected: identifier after ','")
		}
		r, ok := parseRequirement(part)
		if !ok {
			return nil, errorf("unable to parse requirement: %s", part)
		}
		out = append(out, r)
	}
	return out, nil
}

// splitTop splits at commas outside of parentheses.
func splitTop(text string) []string {
	var out []string
	depth, start := 0, 0
	for i, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, text[start:i])
				start = i + 1
			}
		}
	}
	return append(out, text[start:])
}

func parseRequirement(s string) (requirement, bool) {
	for _, op := range []string{"!=", "==", "="} {
		if key, value, ok := strings.Cut(s, op); ok {
			op = strings.TrimSuffix(op, "=")
			return requirement{strings.TrimSpace(key), op + "=", []string{strings.TrimSpace(value)}}, strings.TrimSpace(key) != ""
		}
	}
	for _, op := range []string{" notin ", " in "} {
		key, list, ok := strings.Cut(s, op)
		if !ok {
			continue
		}
		list = strings.TrimSpace(list)
		if !strings.HasPrefix(list, "(") || !strings.HasSuffix(list, ")") {
			return requirement{}, false
		}
		r := requirement{key: strings.TrimSpace(key), op: strings.TrimSpace(op)}
		for v := range strings.SplitSeq(list[1:len(list)-1], ",") {
			r.values = append(r.values, strings.TrimSpace(v))
		}
		return r, true
	}
	if key, absent := strings.CutPrefix(s, "!"); absent {
		return requirement{key: strings.TrimSpace(key), op: "!"}, true
	}
	return requirement{key: s, op: "exists"}, !strings.ContainsAny(s, " ()")
}

func (s selector) matches(labels *object.Map) bool {
	for _, r := range s {
		v, has := labels.Get(r.key)
		value, _ := v.(string)
		in := has && slices.Contains(r.values, value)
		ok := in
		switch r.op {
		case "!=", "notin":
			ok = !in
		case "!":
			ok = !has
		case "exists":
			ok = has
		}
		if !ok {
			return false
		}
	}
	return true
}
