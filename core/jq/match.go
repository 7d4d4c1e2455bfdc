package jq

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"
)

var compiledPatterns struct {
	sync.Mutex
	re map[string]*regexp.Regexp
}

// pattern compiles a regular expression with jq's flags. jq's are Oniguruma's:
// what package regexp does not know, such as looking ahead, is an error here.
func pattern(text, flags string) (*regexp.Regexp, error) {
	key := flags + "/" + text
	c := &compiledPatterns
	c.Lock()
	defer c.Unlock()
	if re := c.re[key]; re != nil {
		return re, nil
	}
	mode := ""
	for _, f := range flags {
		switch f {
		case 'i':
			mode += "i"
		case 's':
			mode += "s"
		case 'x':
			text = stripped(text)
		case 'g', 'n', 'l', 'p':
			if f == 'p' {
				mode += "s"
			}
		}
	}
	prefix := "(?m" + mode + ")" // in Oniguruma's Ruby syntax ^ and $ are about lines
	re, err := regexp.Compile(prefix + strings.ReplaceAll(strings.ReplaceAll(text, `\h`, `[0-9a-fA-F]`), `\Z`, `\z`))
	if err != nil {
		return nil, failf("Regex failure: %s", regexProblem(err))
	}
	if c.re == nil || len(c.re) > 512 {
		c.re = map[string]*regexp.Regexp{}
	}
	c.re[key] = re
	return re, nil
}

// regexProblem says what is wrong with a pattern: in Oniguruma's words where it is
// wrong there, too.
func regexProblem(err error) string {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	for _, looks := range []string{"(?=", "(?!", "(?<=", "(?<!", "(?>"} {
		if strings.HasPrefix(e.Expr, looks) {
			return looks + " is not supported here: looking ahead and behind is not, capture what stands around it instead"
		}
	}
	switch e.Code {
	case syntax.ErrMissingParen:
		return "end pattern with unmatched parenthesis"
	case syntax.ErrUnexpectedParen:
		return "unmatched close parenthesis"
	case syntax.ErrMissingBracket:
		return "premature end of char-class"
	case syntax.ErrMissingRepeatArgument:
		return "target of repeat operator is not specified"
	case syntax.ErrTrailingBackslash:
		return "end pattern at escape"
	case syntax.ErrInvalidNamedCapture:
		return "group name is empty or invalid <" + strings.Trim(e.Expr, "(?P<>") + ">"
	case syntax.ErrInvalidEscape:
		if c := strings.TrimPrefix(e.Expr, `\`); c >= "1" && c <= "9" {
			return "references back, " + e.Expr + ", are not supported here"
		}
	case syntax.ErrInvalidPerlOp:
		return "undefined group option"
	case syntax.ErrInvalidCharRange:
		if strings.HasPrefix(e.Expr, `\p`) || strings.HasPrefix(e.Expr, `\P`) {
			return "invalid character property name " + e.Expr[2:]
		}
		if !strings.HasPrefix(e.Expr, "[:") {
			return "empty range in char class"
		}
	}
	return e.Code.String() + ": " + e.Expr
}

// stripped takes the blanks and comments out of an extended pattern.
func stripped(text string) string {
	var b strings.Builder
	inSet := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			b.WriteString(text[i : i+2])
			i++
		case c == '#' && !inSet:
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case !inSet && strings.IndexByte(" \t\n\r", c) >= 0:
		default:
			inSet = inSet && c != ']' || c == '['
			b.WriteByte(c)
		}
	}
	return b.String()
}

// maxMatches bounds how many matches of one text are told.
const maxMatches = 1 << 18

func match(in, re, flags any, testOnly bool) (any, error) {
	s, ok := in.(string)
	if !ok {
		return nil, failf("%s cannot be matched, as it is not a string", shown(in))
	}
	text, ok := re.(string)
	if !ok {
		return nil, failf("%s is not a string", shown(re))
	}
	f, ok := flags.(string)
	if !ok && flags != nil {
		return nil, failf("%s is not a string", shown(flags))
	}
	if bad := strings.Trim(f, "gimnpslx"); bad != "" {
		return nil, failf("%s is not a valid modifier string", f)
	}
	compiled, err := pattern(text, f)
	if err != nil {
		return nil, err
	}
	if testOnly {
		return compiled.MatchString(s), nil
	}
	most := 1
	if strings.Contains(f, "g") {
		most = maxMatches + 1
	}
	list := []any{}
	found := compiled.FindAllStringSubmatchIndex(s, most)
	if len(found) > maxMatches {
		return nil, failf("too many matches (more than 262,144)")
	}
	bytes, runes := 0, 0 // how far the characters are counted
	for _, m := range found {
		runes += utf8.RuneCountInString(s[bytes:m[0]])
		bytes = m[0]
		if strings.Contains(f, "n") && m[0] == m[1] {
			continue
		}
		list = append(list, matchObject(compiled, s, m, runes))
	}
	return list, nil
}

// matchObject tells of a match that begins at a character.
func matchObject(re *regexp.Regexp, s string, m []int, begin int) *Object {
	piece := func(i int) (offset, length, text any) {
		part := s[m[2*i]:m[2*i+1]]
		return float64(begin + utf8.RuneCountInString(s[m[0]:m[2*i]])), float64(utf8.RuneCountInString(part)), part
	}
	captures := []any{}
	for i, name := range re.SubexpNames() {
		if i == 0 {
			continue
		}
		var label any
		if name != "" {
			label = name
		}
		if m[2*i] < 0 {
			captures = append(captures, NewObject("offset", -1.0, "string", nil, "length", 0.0, "name", label))
			continue
		}
		offset, length, text := piece(i)
		captures = append(captures, NewObject("offset", offset, "length", length, "string", text, "name", label))
	}
	offset, length, text := piece(0)
	return NewObject("offset", offset, "length", length, "string", text, "captures", captures)
}

// captures makes an object of the named captures of a match.
func captures(v any) (any, error) {
	o, _ := v.(*Object)
	list, _ := o.Get("captures")
	out := &Object{}
	for _, c := range list.([]any) {
		name, _ := c.(*Object).Get("name")
		if key, ok := name.(string); ok {
			text, _ := c.(*Object).Get("string")
			out.put(key, text)
		}
	}
	return out, nil
}

func splitBy(in, re, flags any) (any, error) {
	f, _ := flags.(string)
	found, err := match(in, re, f+"g", false)
	if err != nil {
		return nil, err
	}
	s := []rune(in.(string))
	list, from := []any{}, 0
	for _, m := range found.([]any) {
		offset, _ := m.(*Object).Get("offset")
		length, _ := m.(*Object).Get("length")
		at := int(offset.(float64))
		list = append(list, string(s[from:at]))
		from = at + int(length.(float64))
	}
	return append(list, string(s[from:])), nil
}
