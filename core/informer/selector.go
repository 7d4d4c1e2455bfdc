package informer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Selector is a parsed label selector. The zero value selects everything.
type Selector struct{ requirements []requirement }

type requirement struct {
	key string
	// op is one of = != in notin exists !
	op     string
	values []string
}

// ParseSelector reads a label selector: a=b, a==b, a!=b, a, !a, a in (b,c),
// a notin (b,c), joined by commas. What else it holds is an error: the server
// words those, so a caller passes such a request on to it.
func ParseSelector(s string) (Selector, error) {
	var sel Selector
	for _, part := range splitRequirements(s) {
		r, ok := parseRequirement(strings.TrimSpace(part))
		if !ok {
			return Selector{}, fmt.Errorf("label selector %q: cannot read %q", s, part)
		}
		sel.requirements = append(sel.requirements, r)
	}
	return sel, nil
}

// splitRequirements splits at commas outside parentheses.
func splitRequirements(s string) []string {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	var parts []string
	depth, start := 0, 0
	for i, c := range s {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

func parseRequirement(s string) (requirement, bool) {
	if key, ok := strings.CutPrefix(s, "!"); ok {
		key = strings.TrimSpace(key)
		return requirement{key: key, op: "!"}, word(key)
	}
	for _, op := range []string{"!=", "==", "="} {
		if key, value, ok := strings.Cut(s, op); ok {
			key, value = strings.TrimSpace(key), strings.TrimSpace(value)
			return requirement{key, strings.Replace(op, "==", "=", 1), []string{value}}, word(key) && (value == "" || word(value))
		}
	}
	key, rest, set := strings.Cut(s, "(")
	if !set {
		return requirement{key: s, op: "exists"}, word(s)
	}
	fields := strings.Fields(key)
	list, closed := strings.CutSuffix(rest, ")")
	if !closed || len(fields) != 2 || fields[1] != "in" && fields[1] != "notin" || !word(fields[0]) {
		return requirement{}, false
	}
	r := requirement{key: fields[0], op: fields[1]}
	for v := range strings.SplitSeq(list, ",") {
		v = strings.TrimSpace(v)
		if v != "" && !word(v) {
			return requirement{}, false
		}
		r.values = append(r.values, v)
	}
	return r, true
}

func word(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n=!(),<>") }

// MatchingLabels selects objects with exactly these values.
func MatchingLabels(labels *object.Map) Selector {
	var sel Selector
	for k, v := range labels.All() {
		s, _ := v.(string)
		sel.requirements = append(sel.requirements, requirement{k, "=", []string{s}})
	}
	return sel
}

// Matches reports whether labels meet every requirement.
func (s Selector) Matches(labels *object.Map) bool {
	for _, r := range s.requirements {
		v, has := labels.Get(r.key)
		value, _ := v.(string)
		in := has && slices.Contains(r.values, value)
		ok := false
		switch r.op {
		case "=", "in":
			ok = in
		case "!=", "notin":
			ok = !in
		case "exists":
			ok = has
		case "!":
			ok = !has
		}
		if !ok {
			return false
		}
	}
	return true
}

// exact returns an indexed property that every object selected has.
func (s Selector) exact() (string, bool) {
	for _, r := range s.requirements {
		if r.op == "=" {
			return label(r.key, r.values[0]), true
		}
	}
	return "", false
}
