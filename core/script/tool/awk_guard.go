package tool

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/benhoyt/goawk/lexer"
)

// maxAwkText bounds a string that an awk program makes, maxAwkPieces how many
// strings it joins at once: the interpreter has no bounds of its own.
const (
	maxAwkText   = 4 << 20
	maxAwkPieces = 32
)

var errAwkText = errors.New("a string is too long (more than 4 MiB)")

// joined is cat__, which stands around what makes a string out of others.
func (r *awkRun) joined(s string) (string, error) {
	if len(s) > maxAwkText {
		return "", errAwkText
	}
	return s, r.labour(len(s))
}

// replacement is rep__, which stands around what sub and gsub put into a text.
func (r *awkRun) replacement(with, target string) (string, error) {
	if len(target) > maxAwkText || (len(target)+1)*len(with) > 16*maxAwkText {
		return "", errAwkText
	}
	return with, r.labour(len(target) + len(with))
}

// labour charges for n bytes that are made.
func (r *awkRun) labour(n int) error {
	for r.made += n; r.made >= 4096 && r.over == nil; r.made -= 4096 {
		if r.p.Step != nil {
			r.over = r.p.Step()
		}
	}
	return r.over
}

// insertion is a text that goes into a program; of several at one place those of a
// lower order come first.
type insertion struct {
	at, order int
	text      string
}

// bracket is an open parenthesis, or the program itself.
type bracket struct {
	opener  lexer.Token // what stands before it
	at      int         // where that is
	first   int         // the token that the expression at hand begins with; -1 for none
	pieces  int
	commas  []int // places of the commas
	last    int   // the last token
	printed bool
}

// guarded puts a check around each place where a program makes a string out of
// others, so that none grows without end.
func guarded(src string) (string, error) {
	list := tokens(src)
	var in []insertion
	stack := []*bracket{{first: -1}}
	top := func() *bracket { return stack[len(stack)-1] }
	flush := func(i int) error {
		b := top()
		if b.first >= 0 && b.pieces > 1 && !(b.printed && len(stack) == 1) {
			if b.pieces > maxAwkPieces {
				return refuse(list[b.first], "more than 32 strings are joined at once")
			}
			in = append(in, insertion{list[b.first].at, 0, "cat__("}, insertion{tokenEnd(src, list[b.last]), 0, ")"})
		}
		b.first, b.pieces = -1, 0
		return nil
	}
	for i, t := range list {
		prev := token{kind: lexer.NEWLINE}
		if i > 0 {
			prev = list[i-1]
		}
		b := top()
		switch {
		case t.kind == lexer.LPAREN || t.kind == lexer.LBRACKET:
			call := t.kind == lexer.LBRACKET || prev.kind >= lexer.F_ATAN2 && prev.kind <= lexer.F_TOUPPER || prev.kind == lexer.NAME && prev.at+len(prev.text) == t.at
			b.piece(i, call || !ends(prev.kind))
			stack = append(stack, &bracket{opener: prev.kind, at: prev.at, first: -1})
			continue
		case t.kind == lexer.RPAREN || t.kind == lexer.RBRACKET:
			if err := flush(i); err != nil || len(stack) == 1 {
				return src, err
			}
			more, err := closing(src, list, b, i)
			if err != nil {
				return "", err
			}
			in = append(in, more...)
			stack = stack[:len(stack)-1]
			if top().last = i; b.opener == lexer.IF || b.opener == lexer.WHILE || b.opener == lexer.FOR {
				top().first = -1
			}
			continue
		case separates(t.kind):
			if err := flush(i); err != nil {
				return "", err
			}
			switch t.kind {
			case lexer.COMMA:
				b.commas = append(b.commas, t.at)
			case lexer.PRINT, lexer.PRINTF:
				b.printed = true
			case lexer.NEWLINE, lexer.SEMICOLON, lexer.LBRACE, lexer.RBRACE:
				b.printed = false
			case lexer.ASSIGN:
				if prev.kind == lexer.NAME && among([]string{"OFS", "SUBSEP", "ORS"}, prev.text) && !plainValue(list[i+1:]) {
					return "", refuse(t, prev.text+" is set to a text in quotes, or to FS, here")
				}
			}
			continue
		}
		b.piece(i, !ends(prev.kind) || !startsOperand(t.kind))
	}
	if err := flush(len(list)); err != nil {
		return "", err
	}
	return inserted(src, in), nil
}

// inserted is a text with the insertions made.
func inserted(src string, in []insertion) string {
	slices.SortStableFunc(in, func(a, b insertion) int { return 8*(a.at-b.at) + a.order - b.order })
	var out strings.Builder
	at := 0
	for _, x := range in {
		out.WriteString(src[at:x.at] + x.text)
		at = x.at
	}
	return out.String() + src[at:]
}

// piece takes a token into the expression at hand: as one more string to join, or
// as a part of the one before.
func (b *bracket) piece(i int, same bool) {
	if b.first < 0 {
		b.first, b.pieces = i, 1
	} else if !same {
		b.pieces++
	}
	b.last = i
}

// closing is what the end of a call of sprintf, sub or gsub needs.
func closing(src string, list []token, b *bracket, i int) ([]insertion, error) {
	switch b.opener {
	case lexer.F_SPRINTF:
		if len(b.commas) > maxAwkPieces {
			return nil, refuse(list[i], "more than 32 strings are joined at once")
		}
		return []insertion{{b.at, -1, "cat__("}, {list[i].at + 1, 1, ")"}}, nil
	case lexer.F_SUB, lexer.F_GSUB:
		if len(b.commas) == 0 {
			return nil, nil
		}
		from, to, target := b.commas[0]+1, list[i].at, "$0"
		if len(b.commas) > 1 {
			to = b.commas[1]
			target = src[to+1 : list[i].at]
			if slices.ContainsFunc(list, func(t token) bool {
				return t.at > to && t.at < list[i].at && !among([]string{"NAME", "$", "[", "]", "NUMBER", "STRING", ",", "+", "-"}, plainKind(t.kind))
			}) {
				return nil, refuse(list[i], "the text that sub or gsub changes is a variable, an element or a field here")
			}
		}
		return []insertion{{from, -1, " rep__("}, {to, 1, ", " + target + ")"}}, nil
	}
	return nil, nil
}

// plainKind names the tokens of a place that may be looked at twice.
func plainKind(k lexer.Token) string {
	switch k {
	case lexer.NAME:
		return "NAME"
	case lexer.NUMBER:
		return "NUMBER"
	case lexer.STRING:
		return "STRING"
	}
	return k.String()
}

func plainValue(after []token) bool {
	return len(after) > 0 && (after[0].kind == lexer.STRING || after[0].kind == lexer.NAME && after[0].text == "FS") &&
		(len(after) == 1 || separates(after[1].kind) || after[1].kind == lexer.RPAREN)
}

// ends: what follows is joined, or an operator.
func ends(k lexer.Token) bool { return k != lexer.DOLLAR && endsOperand(k) }

// startsOperand: where it follows an operand, the two are joined.
func startsOperand(k lexer.Token) bool {
	return k == lexer.NAME || k == lexer.NUMBER || k == lexer.STRING || k == lexer.DOLLAR || k >= lexer.F_ATAN2 && k <= lexer.F_TOUPPER
}

// separates: what joins strings binds stronger.
func separates(k lexer.Token) bool {
	switch k {
	case lexer.NEWLINE, lexer.SEMICOLON, lexer.LBRACE, lexer.RBRACE, lexer.COMMA, lexer.AND, lexer.OR, lexer.QUESTION, lexer.COLON, lexer.PIPE, lexer.APPEND,
		lexer.ASSIGN, lexer.ADD_ASSIGN, lexer.SUB_ASSIGN, lexer.MUL_ASSIGN, lexer.DIV_ASSIGN, lexer.MOD_ASSIGN, lexer.POW_ASSIGN,
		lexer.EQUALS, lexer.NOT_EQUALS, lexer.LESS, lexer.LTE, lexer.GREATER, lexer.GTE, lexer.MATCH, lexer.NOT_MATCH:
		return true
	}
	return k >= lexer.BEGIN && k <= lexer.WHILE
}

// tokenEnd is where a token ends that an expression may end with.
func tokenEnd(src string, t token) int {
	rest := src[t.at:]
	switch t.kind {
	case lexer.NAME:
		return t.at + len(t.text)
	case lexer.STRING, lexer.REGEX:
		for i := 1; i < len(rest); i++ {
			if rest[i] == '\\' {
				i++
			} else if rest[i] == rest[0] {
				return t.at + i + 1
			}
		}
		return len(src)
	case lexer.NUMBER:
		i := 0
		for i < len(rest) && (strings.IndexByte("0123456789.xX", rest[i]) >= 0 || rest[i]|0x20 >= 'a' && rest[i]|0x20 <= 'f' ||
			(rest[i] == '+' || rest[i] == '-') && i > 0 && rest[i-1]|0x20 == 'e') {
			i++
		}
		return t.at + i
	}
	return t.at + len(t.kind.String())
}

// withArguments gives a program that looks at ARGV the operands as they were
// written: the interpreter's own names another input for each.
func withArguments(src string, args []string) (string, error) {
	list := tokens(src)
	var out strings.Builder
	at := 0
	for i, t := range list {
		if t.kind != lexer.NAME || t.text != "ARGV" {
			continue
		}
		if i > 0 && list[i-1].kind == lexer.DELETE || assigned(list[i+1:]) {
			return "", refuse(t, "ARGV cannot be changed here: give the files as operands")
		}
		out.WriteString(src[at:t.at] + "ARGV__")
		at = t.at + len("ARGV")
	}
	if at == 0 {
		return src, nil
	}
	head := "BEGIN {"
	for i, a := range append([]string{"awk"}, args...) {
		head += "ARGV__[" + strconv.Itoa(i) + "] = " + awkQuote(a) + ";"
	}
	return head + "} " + out.String() + src[at:], nil
}

// assigned reports whether an element is set: after its subscript stands an =, or
// ++ and the like.
func assigned(after []token) bool {
	depth := 0
	for _, t := range after {
		switch t.kind {
		case lexer.LBRACKET:
			depth++
			continue
		case lexer.RBRACKET:
			depth--
			continue
		}
		if depth == 0 {
			switch t.kind {
			case lexer.ASSIGN, lexer.ADD_ASSIGN, lexer.SUB_ASSIGN, lexer.MUL_ASSIGN, lexer.DIV_ASSIGN, lexer.MOD_ASSIGN, lexer.POW_ASSIGN, lexer.INCR, lexer.DECR:
				return true
			}
			return false
		}
	}
	return false
}

// awkQuote writes a text as a string of awk.
func awkQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\x00", "").Replace(s) + `"`
}
