package object

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"sort"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one YAML document of a text.
type Document struct {
	// Value is the tree; nil for an empty document.
	Value any
	// Line is where its first node stands, from 1.
	Line int

	// places are those of the whole text, and index is the document's number in
	// it.
	places *places
	index  int
}

// places are the trees of a text's positions. They take many times the memory
// of the values, and few are asked for: so the text is parsed once more when the
// first is.
type places struct {
	text  string
	roots []*yaml.Node
}

// root is the first node of the document with that number; nil where it is
// empty.
func (p *places) root(index int) *yaml.Node {
	if p.roots == nil {
		dec := yaml.NewDecoder(strings.NewReader(p.text))
		for {
			var n yaml.Node
			if err := dec.Decode(&n); err != nil {
				break
			}
			var root *yaml.Node
			if len(n.Content) > 0 {
				root = n.Content[0]
			}
			p.roots = append(p.roots, root)
		}
	}
	if index >= len(p.roots) {
		return nil
	}
	return p.roots[index]
}

// Position finds where the value of a field path such as
// spec.ports[0].name stands in the text: the deepest part of it that is there.
// Line and column count from 1. The first call for a text parses it once more.
func (d Document) Position(path string) (line, col int) {
	var n *yaml.Node
	if d.places != nil {
		n = d.places.root(d.index)
	}
	if n == nil {
		return max(d.Line, 1), 1
	}
	for _, step := range pathSteps(path) {
		next := childNode(n, step)
		if next == nil {
			break
		}
		n = next
	}
	return n.Line, n.Column
}

// YAMLError is a text that is no YAML, or YAML that is no JSON.
type YAMLError struct {
	// Line and Col count from 1.
	Line, Col int
	// Message is the parser's, without position.
	Message string

	parser string
}

// Parser is the error as the parser itself gives it, whose line is less exact:
// the real server shows that.
func (e *YAMLError) Parser() string {
	if e.parser == "" {
		return e.Error()
	}
	return e.parser
}

// Error prints as the parser does: "yaml: line 3: did not find expected key".
func (e *YAMLError) Error() string { return fmt.Sprintf("yaml: line %d: %s", e.Line, e.Message) }

// DecodeYAML reads all documents of a YAML text (JSON is YAML too). Scalars
// resolve as kubectl resolves them (sigs.k8s.io/yaml: YAML 1.1 booleans such
// as yes and on; dates stay strings). The error is a *YAMLError that says
// where. Documents that hold nothing are left out.
func DecodeYAML(text []byte) ([]Document, error) { return DecodeYAMLString(string(text)) }

// DecodeYAMLString is DecodeYAML for a string, of which the values keep nothing.
func DecodeYAMLString(text string) ([]Document, error) { return decodeYAML(text, nil) }

// DecodeYAMLText is DecodeYAML for a text that is kept as long as the values are:
// long strings that stand in it as they are, are parts of it.
func DecodeYAMLText(text string) ([]Document, error) {
	return decodeYAML(text, &lines{rest: text, line: 1})
}

func decodeYAML(text string, in *lines) ([]Document, error) {
	var docs []Document
	at := &places{text: text}
	dec := yaml.NewDecoder(strings.NewReader(text))
	for i := 0; ; i++ {
		// In a browser the collector runs only while others wait.
		runtime.Gosched()
		var n yaml.Node
		err := dec.Decode(&n)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return nil, locate([]byte(text), err)
		}
		if n.Kind != yaml.DocumentNode || len(n.Content) == 0 {
			continue
		}
		root := n.Content[0]
		y := yamlReader{in: in}
		v, err := y.value(root, 0)
		if err != nil {
			return nil, err
		}
		if v == nil {
			continue
		}
		docs = append(docs, Document{Value: v, Line: root.Line, places: at, index: i})
	}
}

// lines are those of a text from one on.
type lines struct {
	rest string
	line int
}

// longText is from how many bytes on a string is worth looking for.
const longText = 64

// find returns the part of the text that is the value of a node, or else the
// value itself. It goes on from line to line, so what stands before is not found.
func (l *lines) find(n *yaml.Node) string {
	if l == nil || len(n.Value) < longText || n.Line < l.line {
		return n.Value
	}
	for ; l.line < n.Line; l.line++ {
		_, l.rest, _ = strings.Cut(l.rest, "\n")
	}
	line, _, _ := strings.Cut(l.rest, "\n")
	if i := strings.Index(line, n.Value); i >= 0 {
		return line[i : i+len(n.Value)]
	}
	return n.Value
}

// locate finds the place of a syntax error: the end of a prefix of the text
// that already fails with the same words, where one byte less does not. (The
// parser's own line is that of the construct around it, and it gives no
// column.) The parser stops at its first error, so that all longer prefixes
// fail alike and the place is found by halving.
func locate(text []byte, err error) *YAMLError {
	want := yamlMessage(err)
	n := sort.Search(len(text), func(n int) bool { return yamlMessage(syntax(text[:n])) == want })
	return position(text, max(n-1, 0), want)
}

func position(text []byte, at int, message string) *YAMLError {
	before := text[:min(at, len(text))]
	line := bytes.Count(before, []byte("\n")) + 1
	col := len(bytes.Runes(before[bytes.LastIndexByte(before, '\n')+1:])) + 1
	return &YAMLError{Line: line, Col: col, Message: message}
}

func syntax(text []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// yamlMessage strips "yaml: " and "line N: " off the parser's error.
func yamlMessage(err error) string {
	if err == nil {
		return ""
	}
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(s, "line "); ok {
		if _, msg, ok := strings.Cut(rest, ": "); ok {
			return msg
		}
	}
	return s
}

// DecodeYAMLBody reads the first document of a YAML text, nil for none, as a
// server does: of a key that stands twice the last one wins. twice says so of
// each, as the parser does: `line 5: key "message" already set in map`. The
// error is a *YAMLError.
func DecodeYAMLBody(text []byte) (v any, twice []string, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var n yaml.Node
		switch err := dec.Decode(&n); {
		case errors.Is(err, io.EOF):
			return nil, nil, nil
		case err != nil:
			e := locate(text, err)
			e.parser = err.Error()
			return nil, nil, e
		}
		if n.Kind != yaml.DocumentNode || len(n.Content) == 0 {
			continue
		}
		y := yamlReader{loose: true}
		v, err := y.value(n.Content[0], 0)
		return v, y.twice, err
	}
}

type yamlReader struct {
	aliases int
	// in is the text, nil where nothing is looked for.
	in *lines
	// loose takes a key that stands twice, and notes it.
	loose bool
	twice []string
}

// maxAliases bounds the aliases that one document may expand, so that a few
// lines cannot become gigabytes.
const maxAliases = 1000

func (y *yamlReader) value(n *yaml.Node, depth int) (any, error) {
	if depth > 200 {
		return nil, &YAMLError{Line: n.Line, Col: n.Column, Message: "exceeded max depth"}
	}
	switch n.Kind {
	case yaml.AliasNode:
		if y.aliases++; y.aliases > maxAliases {
			return nil, &YAMLError{Line: n.Line, Col: n.Column, Message: "document contains excessive aliasing"}
		}
		return y.value(n.Alias, depth+1)
	case yaml.MappingNode:
		return y.mapping(n, depth)
	case yaml.SequenceNode:
		l := newList(len(n.Content))
		for i, c := range n.Content {
			v, err := y.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			l.items[i] = v
		}
		return l, nil
	}
	v, err := scalar(n)
	if _, ok := v.(string); ok && len(n.Value) >= longText {
		v = y.in.find(n)
	}
	return v, err
}

func (y *yamlReader) mapping(n *yaml.Node, depth int) (any, error) {
	var merged, fields []Field
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, vn := n.Content[i], n.Content[i+1]
		v, err := y.value(vn, depth+1)
		if err != nil {
			return nil, err
		}
		if k.Tag == "!!merge" {
			m, ok := v.(*Map)
			if !ok {
				return nil, &YAMLError{Line: k.Line, Col: k.Column, Message: "map merge requires map or sequence of maps as the value"}
			}
			merged = append(merged, m.fields...)
			continue
		}
		if k.Kind != yaml.ScalarNode {
			return nil, &YAMLError{Line: k.Line, Col: k.Column, Message: "a key of a JSON object must be a string"}
		}
		key, err := mapKey(k)
		if err != nil {
			return nil, err
		}
		at, again := seen[key]
		switch {
		case again && y.loose:
			y.twice = append(y.twice, fmt.Sprintf("line %d: key %q already set in map", k.Line, key))
		case again:
			return nil, &YAMLError{Line: k.Line, Col: k.Column, Message: fmt.Sprintf("key %q already set in map (line %d)", key, at)}
		}
		seen[key] = k.Line
		fields = append(fields, Field{sharedKeys.key(key), v})
	}
	return NewMap(append(merged, fields...)...), nil
}

// mapKey is a key as sigs.k8s.io/yaml makes a text of it: a boolean, which n, y,
// on and off are too, and a number are printed.
func mapKey(n *yaml.Node) (string, error) {
	v, err := scalar(n)
	if err != nil {
		return "", err
	}
	switch v := v.(type) {
	case nil:
		return "", &YAMLError{Line: n.Line, Col: n.Column, Message: "a key of a JSON object must not be null"}
	case bool, int64, float64:
		return string(AppendJSON(nil, v)), nil
	case string:
		return v, nil
	}
	return n.Value, nil
}

func scalar(n *yaml.Node) (any, error) {
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strings.EqualFold(n.Value, "true"), nil
	case "!!int":
		var i int64
		if err := n.Decode(&i); err == nil {
			return i, nil
		}
		fallthrough
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, &YAMLError{Line: n.Line, Col: n.Column, Message: fmt.Sprintf("%s is no JSON number", n.Value),
				parser: "json: unsupported value: " + strconv.FormatFloat(f, 'g', -1, 64)}
		}
		// What JSON prints without fraction or exponent, it reads as an integer.
		if i, err := strconv.ParseInt(string(AppendJSON(nil, f)), 10, 64); err == nil {
			return i, nil
		}
		return f, nil
	case "!!str":
		if plain && n.Tag != "!" && n.Style&yaml.TaggedStyle == 0 {
			if b, ok := yaml11Bool(n.Value); ok {
				return b, nil
			}
		}
	}
	return sharedValues.value(n.Value), nil
}

// yaml11Bool knows the booleans of YAML 1.1 that version 1.2 dropped; kubectl
// still reads them.
func yaml11Bool(s string) (value, ok bool) {
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "on", "On", "ON":
		return true, true
	case "n", "N", "no", "No", "NO", "off", "Off", "OFF":
		return false, true
	}
	return false, false
}

// pathSteps takes a field path apart: keys, and indexes in brackets. A bracket
// with something else than a number is a key.
func pathSteps(path string) []string {
	var steps []string
	for path != "" {
		switch {
		case path[0] == '.':
			path = path[1:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			if end < 0 {
				return append(steps, path[1:])
			}
			step := path[1:end]
			if s, err := strconv.Unquote(step); err == nil {
				step = s
			}
			steps = append(steps, step)
			path = path[end+1:]
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			steps = append(steps, path[:end])
			path = path[end:]
		}
	}
	return steps
}

func childNode(n *yaml.Node, step string) *yaml.Node {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == step {
				return n.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
			return n.Content[i]
		}
	case yaml.AliasNode:
		return childNode(n.Alias, step)
	}
	return nil
}
