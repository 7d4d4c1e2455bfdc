package jq

import (
	"strings"

	"github.com/itchyny/gojq"
)

// Where the parser's grammar takes more than jq 1.7's, or otherwise.

// bare reports whether an expression is a term of jq's grammar, which alone can
// stand before "as".
func bare(q *gojq.Query) bool {
	return q.Term != nil && q.Term.Type != gojq.TermTypeUnary
}

// bindLast moves "as $x | body" to the last term of an expression: in jq
// `1 + 2 as $x | body` is `1 + (2 as $x | body)`.
func bindLast(left, q *gojq.Query) *gojq.Query {
	out := *left
	switch {
	case bare(left):
		return &gojq.Query{FuncDefs: left.FuncDefs, Left: &gojq.Query{Term: left.Term}, Op: gojq.OpPipe, Right: q.Right, Patterns: q.Patterns}
	case left.Term != nil:
		term, unary := *left.Term, *left.Term.Unary
		inner := bindLast(&gojq.Query{Term: unary.Term}, q)
		unary.Term = &gojq.Term{Type: gojq.TermTypeQuery, Query: inner}
		term.Unary, out.Term = &unary, &term
	default:
		out.Right = bindLast(left.Right, q)
	}
	return &out
}

// objectValue refuses as the value of a key what jq wants in parentheses.
func (c *compiler) objectValue(q *gojq.Query) {
	if token := afterTerm(q, true); token != "" {
		c.unexpected(token, "'}'")
	}
}

// source refuses what jq wants in parentheses after reduce and foreach.
func (c *compiler) source(q *gojq.Query) {
	switch token := afterTerm(q, false); {
	case token == "":
	case q.Term != nil:
		c.unexpected(token, "")
	default:
		c.unexpected(token, "FIELD or as or '.' or '['")
	}
}

// unexpected words a token that jq's parser stops at.
func (c *compiler) unexpected(token, expecting string) {
	name := tokenName(token)
	what := "syntax error, unexpected " + name
	switch {
	case expecting == "":
	case name == token && !keyword(token) || token == "as" || token == "and" || token == "or" || strings.HasPrefix(name, "'"):
		what += ", expecting " + expecting
	}
	err := placed(c.src, token, what).(*CompileError)
	err.Text = strings.Replace(err.Text, what, what+" (Unix shell quoting issues?)", 1)
	c.fail(err)
}

func keyword(token string) bool { return token[0] >= 'a' && token[0] <= 'z' }

// afterTerm returns the first token at which an expression is more than jq takes
// where it wants a term, or for the value of a key, terms with "-" and "|";
// empty where it is not.
func afterTerm(q *gojq.Query, value bool) string {
	switch {
	case len(q.FuncDefs) > 0:
		return "def"
	case q.Term != nil:
		switch q.Term.Type {
		case gojq.TermTypeIf:
			return "if"
		case gojq.TermTypeTry:
			return "try"
		case gojq.TermTypeReduce:
			return "reduce"
		case gojq.TermTypeForeach:
			return "foreach"
		case gojq.TermTypeLabel:
			return "label"
		case gojq.TermTypeUnary:
			if !value {
				return "-"
			}
			return afterTerm(&gojq.Query{Term: q.Term.Unary.Term}, value)
		}
		return ""
	}
	if token := afterTerm(q.Left, value); token != "" {
		return token
	}
	switch {
	case len(q.Patterns) > 0:
		return "as"
	case value && q.Op == gojq.OpPipe:
		return afterTerm(q.Right, value)
	}
	return q.Op.String()
}
