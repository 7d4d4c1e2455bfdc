package api

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// LabelRequirement is one term of a label selector.
type LabelRequirement struct {
	Key string
	// Op is one of in, notin, =, ==, !=, exists, !, gt, lt.
	Op     string
	Values []string
}

// LabelSelector is a parsed label selector, its requirements in the order of
// their keys. Without one it selects everything.
type LabelSelector []LabelRequirement

// Matches reports whether labels meet every requirement.
func (s LabelSelector) Matches(labels *object.Map) bool {
	for _, r := range s {
		if !r.matches(labels) {
			return false
		}
	}
	return true
}

// Exact returns a label that whatever is selected has with one value.
func (s LabelSelector) Exact() (key, value string, ok bool) {
	for _, r := range s {
		if (r.Op == "=" || r.Op == "==" || r.Op == "in") && len(r.Values) == 1 {
			return r.Key, r.Values[0], true
		}
	}
	return "", "", false
}

func (r LabelRequirement) matches(labels *object.Map) bool {
	v, has := labels.Get(r.Key)
	s, _ := v.(string)
	switch r.Op {
	case "in", "=", "==":
		return has && slices.Contains(r.Values, s)
	case "notin", "!=":
		return !has || !slices.Contains(r.Values, s)
	case "exists":
		return has
	case "!":
		return !has
	}
	n, err := strconv.ParseInt(s, 10, 64)
	bound, _ := strconv.ParseInt(r.Values[0], 10, 64)
	if !has || err != nil {
		return false
	}
	return r.Op == "gt" && n > bound || r.Op == "lt" && n < bound
}

// ParseLabelSelector reads a label selector as a query has it. Models
// k8s.io/apimachinery/pkg/labels/selector.go, whose words the errors are.
func ParseLabelSelector(text string) (LabelSelector, error) {
	p := labelParser{tokens: lexLabels(text)}
	return p.parse()
}

// labelToken is a lexical token: an operator, a comma, a parenthesis, an
// identifier, or the end.
type labelToken struct {
	kind    string // the symbol itself, or "identifier", "in", "notin", "end", "error"
	literal string
}

const labelSymbols = "=!(),><"

func lexLabels(text string) []labelToken {
	var out []labelToken
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i++
		case strings.IndexByte(labelSymbols, c) >= 0:
			n := symbolLength(text[i:])
			out = append(out, labelToken{text[i : i+n], text[i : i+n]})
			i += n
		default:
			n := strings.IndexAny(text[i:], labelSymbols+" \t\r\n")
			if n < 0 {
				n = len(text) - i
			}
			word := text[i : i+n]
			kind := "identifier"
			if word == "in" || word == "notin" {
				kind = word
			}
			out = append(out, labelToken{kind, word})
			i += n
		}
	}
	return append(out, labelToken{kind: "end"})
}

func symbolLength(text string) int {
	for _, s := range []string{"==", "!="} {
		if strings.HasPrefix(text, s) {
			return 2
		}
	}
	return 1
}

type labelParser struct {
	tokens []labelToken
	pos    int
}

// look returns the next token. Among values, in and notin are plain words.
func (p *labelParser) look(values bool) labelToken {
	t := p.tokens[p.pos]
	if values && (t.kind == "in" || t.kind == "notin") {
		t.kind = "identifier"
	}
	return t
}

func (p *labelParser) next(values bool) labelToken {
	t := p.look(values)
	if p.pos < len(p.tokens)-1 {
		p.pos++
	}
	return t
}

func (p *labelParser) parse() (LabelSelector, error) {
	var out LabelSelector
	for {
		switch t := p.look(true); t.kind {
		case "identifier", "!":
			r, err := p.requirement()
			if err != nil {
				return nil, fmt.Errorf("unable to parse requirement: %w", err)
			}
			out = append(out, r)
			switch t := p.next(true); t.kind {
			case "end":
				return sortedByKey(out), nil
			case ",":
				if t2 := p.look(true); t2.kind != "identifier" && t2.kind != "!" {
					return nil, fmt.Errorf("found '%s', expected: identifier after ','", t2.literal)
				}
			default:
				return nil, fmt.Errorf("found '%s', expected: ',' or 'end of string'", t.literal)
			}
		case "end":
			return sortedByKey(out), nil
		default:
			return nil, fmt.Errorf("found '%s', expected: !, identifier, or 'end of string'", t.literal)
		}
	}
}

func sortedByKey(rs LabelSelector) LabelSelector {
	sort.SliceStable(rs, func(i, j int) bool { return rs[i].Key < rs[j].Key })
	return rs
}

func (p *labelParser) requirement() (LabelRequirement, error) {
	var r LabelRequirement
	t := p.next(true)
	if t.kind == "!" {
		r.Op = "!"
		t = p.next(true)
	}
	if t.kind != "identifier" {
		return r, fmt.Errorf("found '%s', expected: identifier", t.literal)
	}
	r.Key = t.literal
	if msgs := IsLabelKey(r.Key); len(msgs) > 0 {
		return r, errors.New(invalidText("<nil>", r.Key, strings.Join(msgs, "; ")))
	}
	if t := p.look(true); r.Op == "" && (t.kind == "end" || t.kind == ",") {
		r.Op = "exists"
	}
	if r.Op != "" {
		return r, nil
	}
	if err := p.operator(&r); err != nil {
		return r, err
	}
	return r, r.validate()
}

func (p *labelParser) operator(r *LabelRequirement) error {
	t := p.next(false)
	switch t.kind {
	case "in", "notin":
		r.Op = t.kind
		return p.valueSet(r)
	case "=", "==", "!=":
		r.Op = t.kind
	case ">":
		r.Op = "gt"
	case "<":
		r.Op = "lt"
	default:
		return fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", t.literal)
	}
	switch t := p.look(true); t.kind {
	case "end", ",":
		r.Values = []string{""}
	case "identifier":
		p.next(true)
		r.Values = []string{t.literal}
	default:
		return fmt.Errorf("found '%s', expected: identifier", t.literal)
	}
	return nil
}

// valueSet reads the values of in and notin. An empty one is a value too.
func (p *labelParser) valueSet(r *LabelRequirement) error {
	if t := p.next(true); t.kind != "(" {
		return fmt.Errorf("found '%s' expected: '('", t.literal)
	}
	switch t := p.look(true); t.kind {
	case ")":
		p.next(true)
		r.Values = []string{""}
		return nil
	case "identifier", ",":
		if err := p.valueList(r); err != nil {
			return err
		}
		p.next(true)
		return nil
	default:
		return fmt.Errorf("found '%s', expected: ',', ')' or identifier", t.literal)
	}
}

// valueList reads values up to the parenthesis that closes them.
func (p *labelParser) valueList(r *LabelRequirement) error {
	for {
		switch t := p.next(true); t.kind {
		case "identifier":
			r.Values = append(r.Values, t.literal)
			switch t := p.look(true); t.kind {
			case ",":
			case ")":
				return nil
			default:
				return fmt.Errorf("found '%s', expected: ',' or ')'", t.literal)
			}
		case ",":
			if len(r.Values) == 0 {
				r.Values = append(r.Values, "")
			}
			switch p.look(true).kind {
			case ")":
				r.Values = append(r.Values, "")
				return nil
			case ",":
				p.next(true)
				r.Values = append(r.Values, "")
			}
		default:
			return fmt.Errorf("found '%s', expected: ',', or identifier", t.literal)
		}
	}
}

// validate models labels.NewRequirement, which sees the values sorted.
func (r LabelRequirement) validate() error {
	if r.Op == "gt" || r.Op == "lt" {
		if _, err := strconv.ParseInt(r.Values[0], 10, 64); err != nil {
			return errors.New(invalidText("values[0]", r.Values[0], "for 'Gt', 'Lt' operators, the value must be an integer"))
		}
	}
	var texts []string
	for i, v := range slices.Compact(slices.Sorted(slices.Values(r.Values))) {
		if msgs := IsLabelValue(v); len(msgs) > 0 {
			texts = append(texts, invalidText(fmt.Sprintf("values[%d][%s]", i, r.Key), v, strings.Join(msgs, "; ")))
		}
	}
	switch len(texts) {
	case 0:
		return nil
	case 1:
		return errors.New(texts[0])
	}
	return errors.New("[" + strings.Join(texts, ", ") + "]")
}

func invalidText(path, value, detail string) string {
	return (&FieldError{Type: FieldInvalid, Field: path, Value: value, Detail: detail}).Error()
}
