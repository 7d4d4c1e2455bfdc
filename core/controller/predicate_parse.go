package controller

import (
	"fmt"
	"strings"
)

// ParsePredicate reads a predicate as String prints it: GenerationChanged,
// LabelChanged, AnnotationChanged, ResourceVersionChanged, And(...), Or(...) of
// one or more and Not(...) of one.
func ParsePredicate(s string) (Predicate, error) {
	p := predicateParser{rest: s}
	pred, err := p.predicate()
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("%q follows its end", strings.TrimSpace(p.rest))
	}
	if err != nil {
		return nil, fmt.Errorf("predicate %q: %w", s, err)
	}
	return pred, nil
}

type predicateParser struct{ rest string }

func (p *predicateParser) predicate() (Predicate, error) {
	switch name := p.name(); name {
	case "GenerationChanged":
		return GenerationChangedPredicate{}, nil
	case "LabelChanged":
		return LabelChangedPredicate{}, nil
	case "AnnotationChanged":
		return AnnotationChangedPredicate{}, nil
	case "ResourceVersionChanged":
		return ResourceVersionChangedPredicate{}, nil
	case "And", "Or", "Not":
		list, err := p.list()
		switch {
		case err != nil:
			return nil, err
		case name == "And":
			return And(list...), nil
		case name == "Or":
			return Or(list...), nil
		case len(list) != 1:
			return nil, fmt.Errorf("Not takes one predicate, not %d", len(list))
		}
		return Not(list[0]), nil
	default:
		return nil, fmt.Errorf("no predicate is called %q", name)
	}
}

func (p *predicateParser) name() string {
	p.rest = strings.TrimSpace(p.rest)
	end := strings.IndexAny(p.rest, "(), ")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	p.rest = p.rest[end:]
	return name
}

func (p *predicateParser) list() ([]Predicate, error) {
	if !p.take("(") {
		return nil, fmt.Errorf("a %q is missing before %q", "(", p.rest)
	}
	var list []Predicate
	for {
		pred, err := p.predicate()
		if err != nil {
			return nil, err
		}
		list = append(list, pred)
		switch {
		case p.take(","):
		case p.take(")"):
			return list, nil
		default:
			return nil, fmt.Errorf("a %q is missing before %q", ")", p.rest)
		}
	}
}

func (p *predicateParser) take(symbol string) bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(p.rest), symbol)
	if ok {
		p.rest = rest
	}
	return ok
}
