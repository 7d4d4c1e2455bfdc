package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirections prints redirections; the text of a here-document comes later.
func (p *treePrinter) redirections(list []*syntax.Redirect) {
	for i, r := range list {
		if i > 0 {
			p.put(" ")
		}
		p.redirection(r)
	}
}

func (p *treePrinter) redirection(r *syntax.Redirect) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	number := func(usual int) string {
		if fd == strconv.Itoa(usual) {
			return ""
		}
		return fd
	}
	word := "1"
	if len(r.Word.Parts) > 0 {
		word = p.source(r.Word)
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		mark := delimiter(r)
		if mark != word {
			mark = "'" + mark + "'"
		}
		p.put(number(0), r.Op.String(), mark)
		p.bodies = append(p.bodies, r)
	case syntax.WordHdoc:
		p.put(number(0), "<<< ", word)
	case syntax.DplIn, syntax.DplOut:
		usual := "1"
		if r.Op == syntax.DplIn {
			usual = "0"
		}
		if fd == "" {
			fd = usual
		}
		op := r.Op.String()
		if word == "-" {
			op = ">&"
		}
		p.put(fd, op, word)
	case syntax.RdrIn:
		p.put(number(0), "< ", word)
	default:
		p.put(number(1), r.Op.String(), " ", word)
	}
}

// document is the text of a here-document, without the tabs that <<- takes off.
func (p *treePrinter) document(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	text := p.source(r.Hdoc)
	text = text[:strings.LastIndexByte(text, '\n')+1]
	if r.Op != syntax.DashHdoc {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "")
}

// delimiter is the word that ends a here-document.
func delimiter(r *syntax.Redirect) string {
	var b strings.Builder
	for _, part := range r.Word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		case *syntax.SglQuoted:
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				if lit, ok := inner.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				}
			}
		}
	}
	return b.String()
}
