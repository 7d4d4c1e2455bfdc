package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// labelRequirement is one term of a label selector.
type labelRequirement struct {
	key string
	// op is one of in, notin, =, ==, !=, exists, !, gt, lt.
	op     string
	values []string
}

func (r labelRequirement) matches(labels *object.Map) bool {
	v, has := labels.Get(r.key)
	s, _ := v.(string)
	switch r.op {
	case "in", "=", "==":
		return has && slices.Contains(r.values, s)
	case "notin", "!=":
		return !has || !slices.Contains(r.values, s)
	case "exists":
		return has
	case "!":
		return !has
	}
	n, err := strconv.ParseInt(s, 10, 64)
	bound, _ := strconv.ParseInt(r.values[0], 10, 64)
	if !has || err != nil {
		return false
	}
	return r.op == "gt" && n > bound || r.op == "lt" && n < bound
}

// parseLabelSelector reads a label selector as a query has it. Models
// k8s.io/apimachinery/pkg/labels/selector.go, whose words the errors are.
func parseLabelSelector(text string) ([]labelRequirement, error) {
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

func (p *labelParser) parse() ([]labelRequirement, error) {
	var out []labelRequirement
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

func sortedByKey(rs []labelRequirement) []labelRequirement {
	sort.SliceStable(rs, func(i, j int) bool { return rs[i].key < rs[j].key })
	return rs
}

func (p *labelParser) requirement() (labelRequirement, error) {
	var r labelRequirement
	t := p.next(true)
	if t.kind == "!" {
		r.op = "!"
		t = p.next(true)
	}
	if t.kind != "identifier" {
		return r, fmt.Errorf("found '%s', expected: identifier", t.literal)
	}
	r.key = t.literal
	if msgs := isQualifiedName(r.key); len(msgs) > 0 {
		return r, errors.New(invalid("<nil>", r.key, strings.Join(msgs, "; ")).Error())
	}
	if t := p.look(true); r.op == "" && (t.kind == "end" || t.kind == ",") {
		r.op = "exists"
	}
	if r.op != "" {
		return r, nil
	}
	if err := p.operator(&r); err != nil {
		return r, err
	}
	return r, r.validate()
}

func (p *labelParser) operator(r *labelRequirement) error {
	t := p.next(false)
	switch t.kind {
	case "in", "notin":
		r.op = t.kind
		return p.valueSet(r)
	case "=", "==", "!=":
		r.op = t.kind
	case ">":
		r.op = "gt"
	case "<":
		r.op = "lt"
	default:
		return fmt.Errorf("found '%s', expected: in, notin, =, ==, !=, gt, lt", t.literal)
	}
	switch t := p.look(true); t.kind {
	case "end", ",":
		r.values = []string{""}
	case "identifier":
		p.next(true)
		r.values = []string{t.literal}
	default:
		return fmt.Errorf("found '%s', expected: identifier", t.literal)
	}
	return nil
}

// valueSet reads the values of in and notin. An empty one is a value too.
func (p *labelParser) valueSet(r *labelRequirement) error {
	if t := p.next(true); t.kind != "(" {
		return fmt.Errorf("found '%s' expected: '('", t.literal)
	}
	switch t := p.look(true); t.kind {
	case ")":
		p.next(true)
		r.values = []string{""}
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
func (p *labelParser) valueList(r *labelRequirement) error {
	for {
		switch t := p.next(true); t.kind {
		case "identifier":
			r.values = append(r.values, t.literal)
			switch t := p.look(true); t.kind {
			case ",":
			case ")":
				return nil
			default:
				return fmt.Errorf("found '%s', expected: ',' or ')'", t.literal)
			}
		case ",":
			if len(r.values) == 0 {
				r.values = append(r.values, "")
			}
			switch p.look(true).kind {
			case ")":
				r.values = append(r.values, "")
				return nil
			case ",":
				p.next(true)
				r.values = append(r.values, "")
			}
		default:
			return fmt.Errorf("found '%s', expected: ',', or identifier", t.literal)
		}
	}
}

// validate models labels.NewRequirement, which sees the values sorted.
func (r labelRequirement) validate() error {
	if r.op == "gt" || r.op == "lt" {
		if _, err := strconv.ParseInt(r.values[0], 10, 64); err != nil {
			return errors.New(invalid("values[0]", r.values[0], "for 'Gt', 'Lt' operators, the value must be an integer").Error())
		}
	}
	var texts []string
	for i, v := range slices.Compact(slices.Sorted(slices.Values(r.values))) {
		if msgs := isLabelValue(v); len(msgs) > 0 {
			texts = append(texts, invalid(fmt.Sprintf("values[%d][%s]", i, r.key), v, strings.Join(msgs, "; ")).Error())
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
