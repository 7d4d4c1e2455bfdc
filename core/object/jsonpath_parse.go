package object

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type pathKind int

const (
	pathList      pathKind = iota // nodes, one after the other
	pathLiteral                   // value: text, int64, float64 or bool
	pathField                     // name
	pathSlice                     // params
	pathFilter                    // nodes, name (the operator), right
	pathWildcard                  //
	pathRecursive                 //
	pathUnion                     // nodes, side by side
	pathWord                      // name: range or end
)

type pathNode struct {
	kind   pathKind
	name   string
	value  any
	nodes  []pathNode
	right  []pathNode
	params [3]pathParam
}

// pathParam is the start, end or step of a slice. derived says that the end
// comes from a single index.
type pathParam struct {
	value          int
	known, derived bool
}

var (
	dictKeyRex       = regexp.MustCompile(`^'([^']*)'$`)
	sliceOperatorRex = regexp.MustCompile(`^(-?[\d]*)(:-?[\d]*)?(:-?[\d]*)?$`)
	filterRex        = regexp.MustCompile(`^([^!<>=]+)([!<>=]+)(.+?)$`)
	errSyntaxQuote   = errors.New("invalid syntax")
)

const pathEOF = -1

// pathParser scans a template: start is where the present piece begins.
type pathParser struct {
	input             string
	start, pos, width int
}

func parseTemplate(text string) ([]pathNode, error) {
	p := &pathParser{input: text}
	var root []pathNode
	for p.pos < len(p.input) {
		if p.input[p.pos] != '{' {
			p.next()
			continue
		}
		if p.pos > p.start {
			root = append(root, pathNode{kind: pathLiteral, value: p.take()})
		}
		p.pos++
		p.take()
		nodes, err := p.action()
		if err != nil {
			return nil, err
		}
		root = append(root, pathNode{kind: pathList, nodes: nodes})
	}
	if p.pos > p.start {
		root = append(root, pathNode{kind: pathLiteral, value: p.take()})
	}
	return root, nil
}

// parseAction reads one expression without its braces.
func parseAction(text string) ([]pathNode, error) {
	root, err := parseTemplate("{" + text + "}")
	if err != nil {
		return nil, err
	}
	return root[0].nodes, nil
}

func (p *pathParser) take() string {
	s := p.input[p.start:p.pos]
	p.start = p.pos
	return s
}

func (p *pathParser) next() rune {
	if p.pos >= len(p.input) {
		p.width = 0
		return pathEOF
	}
	r, w := utf8.DecodeRuneInString(p.input[p.pos:])
	p.width = w
	p.pos += w
	return r
}

func (p *pathParser) backup() { p.pos -= p.width }

func (p *pathParser) has(prefix string) bool { return strings.HasPrefix(p.input[p.pos:], prefix) }

// action reads up to and with the closing brace.
func (p *pathParser) action() ([]pathNode, error) {
	var nodes []pathNode
	for {
		if p.has("}") {
			p.pos++
			p.take()
			return nodes, nil
		}
		more, err := p.piece(nodes)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, more...)
	}
}

// piece reads the next node, or several, or none for what says nothing.
func (p *pathParser) piece(before []pathNode) ([]pathNode, error) {
	switch {
	case p.has("[?("):
		return p.filter()
	case p.has(".."):
		if n := len(before); n > 0 && before[n-1].kind == pathRecursive {
			return nil, errors.New("invalid multiple recursive descent")
		}
		p.pos += 2
		p.take()
		nodes := []pathNode{{kind: pathRecursive}}
		r := p.next()
		p.backup()
		if isWordRune(r) {
			nodes = append(nodes, p.field())
		}
		return nodes, nil
	}
	switch r := p.next(); {
	case r == pathEOF || r == '\r' || r == '\n':
		return nil, errors.New("unclosed action")
	case r == ' ', r == '@', r == '$':
		p.take()
		return nil, nil
	case r == '[':
		return p.array()
	case r == '"' || r == '\'':
		return p.quote(r)
	case r == '.':
		return []pathNode{p.field()}, nil
	case r == '+' || r == '-' || unicode.IsDigit(r):
		p.backup()
		return p.number()
	case isWordRune(r):
		p.backup()
		return p.word(), nil
	default:
		return nil, fmt.Errorf("unrecognized character in action: %#U", r)
	}
}

func (p *pathParser) word() []pathNode {
	for !isPathTerminator(p.next()) {
	}
	p.backup()
	switch w := p.take(); w {
	case "true", "false":
		return []pathNode{{kind: pathLiteral, value: w == "true"}}
	default:
		return []pathNode{{kind: pathWord, name: w}}
	}
}

func (p *pathParser) number() ([]pathNode, error) {
	if p.has("+") || p.has("-") {
		p.next()
	}
	for r := p.next(); r == '.' || unicode.IsDigit(r); r = p.next() {
	}
	p.backup()
	text := p.take()
	if i, err := strconv.Atoi(text); err == nil {
		return []pathNode{{kind: pathLiteral, value: int64(i)}}, nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return []pathNode{{kind: pathLiteral, value: f}}, nil
	}
	return nil, fmt.Errorf("cannot parse number %s", text)
}

func (p *pathParser) field() pathNode {
	p.take()
	for {
		r := p.next()
		if r == '\\' {
			p.next()
		} else if isPathTerminator(r) {
			p.backup()
			break
		}
	}
	name := p.take()
	if name == "*" {
		return pathNode{kind: pathWildcard}
	}
	return pathNode{kind: pathField, name: strings.ReplaceAll(name, "\\", "")}
}

func (p *pathParser) array() ([]pathNode, error) {
	for r := p.next(); r != ']'; r = p.next() {
		if r == pathEOF || r == '\n' {
			return nil, errors.New("unterminated array")
		}
	}
	text := p.take()
	text = text[1 : len(text)-1]
	if text == "*" {
		text = ":"
	}
	if parts := strings.Split(text, ","); len(parts) > 1 {
		union := pathNode{kind: pathUnion}
		for _, s := range parts {
			nodes, err := parseAction("[" + strings.Trim(s, " ") + "]")
			if err != nil {
				return nil, err
			}
			union.nodes = append(union.nodes, pathNode{kind: pathList, nodes: nodes})
		}
		return []pathNode{union}, nil
	}
	if key := dictKeyRex.FindStringSubmatch(text); key != nil {
		return parseAction("." + key[1])
	}
	return parseSlice(text)
}

func parseSlice(text string) ([]pathNode, error) {
	parts := sliceOperatorRex.FindStringSubmatch(text)
	if parts == nil {
		return nil, fmt.Errorf("invalid array index %s", text)
	}
	n := pathNode{kind: pathSlice}
	for i, s := range parts[1:] {
		if s == "" {
			if i == 1 {
				n.params[i] = pathParam{value: n.params[0].value + 1, known: true, derived: true}
			}
			continue
		}
		if i > 0 {
			s = s[1:]
		}
		if s == "" {
			continue
		}
		v, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("array index %s is not a number", s)
		}
		n.params[i] = pathParam{value: v, known: true}
	}
	return []pathNode{n}, nil
}

func (p *pathParser) filter() ([]pathNode, error) {
	p.pos += len("[?(")
	p.take()
	if err := p.filterEnd(); err != nil {
		return nil, err
	}
	if p.next() != ']' {
		return nil, errors.New("unclosed array expect ]")
	}
	text := p.take()
	text = text[:len(text)-2]
	parts := filterRex.FindStringSubmatch(text)
	if parts == nil {
		nodes, err := parseAction(text)
		return []pathNode{{kind: pathFilter, name: "exists", nodes: nodes}}, err
	}
	left, err := parseAction(parts[1])
	if err != nil {
		return nil, err
	}
	right, err := parseAction(parts[3])
	if err != nil {
		return nil, err
	}
	return []pathNode{{kind: pathFilter, name: parts[2], nodes: left, right: right}}, nil
}

// filterEnd goes to the closing parenthesis, past one quoted text.
func (p *pathParser) filterEnd() error {
	var quote rune
	closed := false
	for {
		switch r := p.next(); r {
		case pathEOF, '\n':
			return errors.New("unterminated filter")
		case '"', '\'':
			if quote == 0 {
				quote = r
			} else if p.input[p.pos-2] != '\\' && r == quote {
				closed = true
			}
		case ')':
			if (quote != 0) == closed {
				return nil
			}
		}
	}
}

func (p *pathParser) quote(end rune) ([]pathNode, error) {
	for {
		r := p.next()
		if r == pathEOF || r == '\n' {
			return nil, errors.New("unterminated quoted string")
		}
		if r == end && p.input[p.pos-2] != '\\' {
			break
		}
	}
	text := p.take()
	s, err := unquotePath(text)
	if err != nil {
		return nil, fmt.Errorf("unquote string %s error %v", text, err)
	}
	return []pathNode{{kind: pathLiteral, value: s}}, nil
}

// unquotePath is strconv.Unquote that takes single quotes too.
func unquotePath(s string) (string, error) {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return "", errSyntaxQuote
	}
	quote := s[0]
	s = s[1 : len(s)-1]
	if !strings.ContainsRune(s, '\\') && !strings.ContainsRune(s, rune(quote)) {
		return s, nil
	}
	var b []byte
	for s != "" {
		c, multibyte, rest, err := strconv.UnquoteChar(s, quote)
		if err != nil {
			return "", err
		}
		s = rest
		if c < utf8.RuneSelf || !multibyte {
			b = append(b, byte(c))
		} else {
			b = utf8.AppendRune(b, c)
		}
	}
	return string(b), nil
}

func isPathTerminator(r rune) bool {
	return r == pathEOF || strings.ContainsRune(" \t\r\n.,[]$@{}", r)
}

func isWordRune(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
