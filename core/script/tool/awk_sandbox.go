package tool

import (
	"fmt"
	"strings"

	"github.com/benhoyt/goawk/lexer"
)

// token is one token of an awk program, with its place in the text.
type token struct {
	at   int
	pos  lexer.Position
	kind lexer.Token
	text string
}

// tokens splits an awk program. Whether a slash begins a pattern follows from the
// token before it.
func tokens(src string) []token {
	starts := []int{0}
	for i := range len(src) {
		if src[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	l := lexer.NewLexer([]byte(src))
	var list []token
	last := lexer.NEWLINE
	for {
		pos, kind, text := l.Scan()
		if (kind == lexer.DIV || kind == lexer.DIV_ASSIGN) && !endsOperand(last) {
			_, kind, text = l.ScanRegex()
		}
		if kind == lexer.EOF || kind == lexer.ILLEGAL || pos.Line > len(starts) {
			return list
		}
		list = append(list, token{starts[pos.Line-1] + pos.Column - 1, pos, kind, text})
		last = kind
	}
}

func endsOperand(t lexer.Token) bool {
	switch t {
	case lexer.NAME, lexer.NUMBER, lexer.STRING, lexer.REGEX, lexer.RPAREN, lexer.RBRACKET, lexer.INCR, lexer.DECR, lexer.F_LENGTH, lexer.DOLLAR:
		return true
	}
	return false
}

// sandboxed refuses what would reach the host, and rewrites what would read it:
// srand() draws on a clock, and FILENAME is not known to the interpreter, which
// reads all files as one standard input.
func sandboxed(src string) (string, error) {
	list := tokens(src)
	var b strings.Builder
	at, printing, depth := 0, false, 0
	for i, t := range list {
		next := token{kind: lexer.EOF}
		if i+1 < len(list) {
			next = list[i+1]
		}
		switch t.kind {
		case lexer.PRINT, lexer.PRINTF:
			printing, depth = true, 0
		case lexer.NEWLINE, lexer.SEMICOLON, lexer.LBRACE, lexer.RBRACE:
			printing = false
		case lexer.LPAREN, lexer.LBRACKET:
			depth++
		case lexer.RPAREN, lexer.RBRACKET:
			depth--
		case lexer.GREATER, lexer.APPEND:
			if printing && depth <= 0 && !standardStream(list[i+1:]) {
				return "", refuse(t, "output to a file is not supported here: use the shell's >")
			}
		case lexer.PIPE:
			return "", refuse(t, "a pipe to or from a command is not supported here: use the shell's |")
		case lexer.F_SYSTEM:
			return "", refuse(t, "system() is not supported here")
		case lexer.GETLINE:
			if next.kind == lexer.LESS || i+2 < len(list) && list[i+2].kind == lexer.LESS {
				return "", refuse(t, "getline from a file is not supported here: name the file as an operand")
			}
		case lexer.F_SRAND:
			if next.kind == lexer.LPAREN && i+2 < len(list) && list[i+2].kind == lexer.RPAREN {
				b.WriteString(src[at : next.at+1])
				b.WriteString("systime()")
				at = next.at + 1
			}
		case lexer.NAME:
			if t.text == "FILENAME" && strings.HasPrefix(src[t.at:], "FILENAME") {
				b.WriteString(src[at:t.at] + "FILENAME__()")
				at = t.at + len("FILENAME")
			}
		}
	}
	return b.String() + src[at:], nil
}

// standardStream reports whether a redirection goes to one of the streams.
func standardStream(after []token) bool {
	if len(after) == 0 || after[0].kind != lexer.STRING || !among([]string{"/dev/stdout", "/dev/stderr", "-"}, after[0].text) {
		return false
	}
	if len(after) == 1 {
		return true
	}
	switch after[1].kind {
	case lexer.NEWLINE, lexer.SEMICOLON, lexer.RBRACE:
		return true
	}
	return false
}

func refuse(t token, why string) error { return fmt.Errorf("line %d: %s", t.pos.Line, why) }
