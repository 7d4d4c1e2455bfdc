package jq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"
)

// Error is an error that a program raised and did not catch.
type Error struct{ Value any }

// Error is the text that jq prints after "jq: error (at FILE:LINE)".
func (e *Error) Error() string {
	if s, ok := e.Value.(string); ok {
		return ": " + s
	}
	return " (not a string): " + Encode(e.Value)
}

// Message is the text of the error alone.
func (e *Error) Message() string {
	if s, ok := e.Value.(string); ok {
		return s
	}
	return Encode(e.Value) + " (not a string)"
}

// Halt is how halt and halt_error end a run.
type Halt struct {
	// Value is what halt_error prints; nil is nothing.
	Value any
	Code  int
}

// Error implements error.
func (h *Halt) Error() string { return fmt.Sprintf("halt with status %d", h.Code) }

func failf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// errStopped is what a consumer says that wants no more.
var errStopped = errors.New("stopped")

// breaking is break on its way to its label.
type breaking struct{ label *int }

func (*breaking) Error() string { return "break" }

// passing wraps an error that comes from behind a try, so that it is not caught.
type passing struct{ error }

// CompileError says why a program does not compile: jq's text, on several lines.
type CompileError struct {
	Text string
	// Line and Col are where in the program, from 1; 0 where that is not known.
	// What says it without them.
	Line, Col int
	What      string
	// more counts the errors that the text tells beside the first.
	more int
}

// and tells of another error of the same program.
func (e *CompileError) and(next *CompileError) *CompileError {
	head := func(text string) string { return text[:strings.LastIndex(text, "\n")] }
	both := *e
	both.more++
	both.Text = fmt.Sprintf("%s\n%s\njq: %d compile errors", head(e.Text), head(next.Text), both.more+1)
	return &both
}

// Position is where in the program.
func (e *CompileError) Position() (line, col int) { return e.Line, e.Col }

// Reason says what is wrong, without the place.
func (e *CompileError) Reason() string { return e.What }

// Error is the text that jq prints.
func (e *CompileError) Error() string { return e.Text }

// plainError is one whose place is not known.
func plainError(what string) error {
	return &CompileError{Text: "jq: error: " + what + "\njq: 1 compile error", What: what}
}

// compileError words an error with its line, behind which jq pads to the column.
func compileError(text, what string, n, col int, line string) error {
	return &CompileError{Text: fmt.Sprintf("jq: error: %s at <top-level>, line %d:\n%s%s\njq: 1 compile error", text, n, line, strings.Repeat(" ", max(col-1, 0))),
		Line: n, Col: col, What: what}
}

// undefined is the error of a name that is not known.
func undefined(src, name string) error {
	return placed(src, strings.SplitN(name, "/", 2)[0], name+" is not defined")
}

// placed is an error about where a text first stands in a program.
func placed(src, text, what string) error {
	line, n, col := src, 1, 0
	if at := strings.Index(src, text); at >= 0 {
		n += strings.Count(src[:at], "\n")
		begin := strings.LastIndexByte(src[:at], '\n') + 1
		col = at - begin + 1
		line, _, _ = strings.Cut(src[begin:], "\n")
	}
	return compileError(what, what, n, col, line)
}

// syntaxError words a parser's error as jq does.
func syntaxError(src string, err error) error {
	what, line, n, col := "unexpected end of file", src, 1, 0
	var pe *gojq.ParseError
	if errors.As(err, &pe) {
		at := min(pe.Offset, len(src))
		if pe.Token != "" {
			what = "unexpected " + tokenName(pe.Token)
		}
		n += strings.Count(src[:at], "\n")
		line = src[strings.LastIndexByte(src[:max(at-1, 0)], '\n')+1:]
		line, _, _ = strings.Cut(line, "\n")
		begin := max(at-len(pe.Token), 0)
		col = begin - strings.LastIndexByte(src[:begin], '\n')
	}
	if what == "unexpected end of file" {
		col = len(strings.TrimRight(line, lastToken)) + 1
		if col > len(line) {
			col = max(len(line), 1)
		}
	}
	return compileError("syntax error, "+what+" (Unix shell quoting issues?)", "syntax error, "+what, n, col, line)
}

// lastToken are the characters of a word that a program breaks off with.
const lastToken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$"

// tokenName is how jq's grammar names a token.
func tokenName(token string) string {
	c := token[0]
	switch {
	case strings.Contains(" and or not if then elif else end as def reduce foreach try catch label import include __loc__ ", " "+token+" ") && token != "not":
		return token
	case c == '$':
		return "BINDING"
	case c == '.' && len(token) > 1 && token != "..":
		return "FIELD"
	case c == '@':
		return "FORMAT"
	case c >= '0' && c <= '9':
		return "LITERAL"
	case c == '"':
		return "QQSTRING_START"
	case c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return "IDENT"
	case strings.Contains(".?=;,:|+-*/%<>()[]{}", token):
		return "'" + token + "'"
	case len(token) > 1:
		return token
	}
	return "INVALID_CHARACTER"
}
