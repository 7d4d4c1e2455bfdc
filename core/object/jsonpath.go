package object

import (
	"errors"
	"fmt"
	"strings"
)

// JSONPath is a compiled template of kubectl's JSONPath dialect, such as
// `{.metadata.name}`, `{.items[*].spec['a.b']}`, `{..name}`,
// `{.conditions[?(@.type=="Ready")].status}` or
// `{range .items[*]}{.metadata.name}{"\n"}{end}`. It is immutable and may be
// shared. Models k8s.io/client-go/util/jsonpath, error texts included; where
// that one walks a Go map this one goes by sorted key.
type JSONPath struct{ root []pathNode }

// ParseJSONPath compiles a template: text, with expressions in braces.
func ParseJSONPath(template string) (*JSONPath, error) {
	root, err := parseTemplate(template)
	if err != nil {
		return nil, err
	}
	return &JSONPath{root}, nil
}

// Find evaluates the template: one list of values for each piece of text and
// each expression, in order. Where a field is missing it fails, unless
// allowMissing is set: then there is no value.
func (j *JSONPath) Find(data any, allowMissing bool) ([][]any, error) {
	e := pathEval{allowMissing: allowMissing}
	return e.find(data, j.root)
}

// Print evaluates the template and prints the values: several values of one
// expression are joined by a space, maps and lists are JSON.
func (j *JSONPath) Print(data any, allowMissing bool) (string, error) {
	found, err := j.Find(data, allowMissing)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, values := range found {
		for i, v := range values {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(PathText(v))
		}
	}
	return b.String(), nil
}

var escapeHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// PathText prints one value that a JSONPath found. JSON is escaped as encoding/json does by default.
func PathText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case noValue:
		return "<no value>"
	case *Map, *List:
		return escapeHTML.Replace(string(EncodeJSON(v)))
	}
	return fmt.Sprint(v)
}

// pathEval is one evaluation: how deep in ranges it is, and where the last ended.
type pathEval struct {
	allowMissing                  bool
	beginRange, inRange, endRange int
	lastEnd                       *pathNode
}

func (e *pathEval) find(data any, nodes []pathNode) ([][]any, error) {
	var found [][]any
	for i := 0; i < len(nodes); i++ {
		values, err := e.walk([]any{data}, &nodes[i])
		if err != nil {
			return nil, err
		}
		if e.endRange > 0 && e.endRange <= e.inRange {
			e.endRange--
			e.lastEnd = &nodes[i]
			break
		}
		if e.beginRange == 0 {
			found = append(found, values)
			continue
		}
		e.beginRange--
		e.inRange++
		inner, err := e.eachOf(values, nodes[i+1:])
		if err != nil {
			return nil, err
		}
		found = append(found, inner...)
		e.inRange--
		for k := i + 1; k < len(nodes); k++ {
			if &nodes[k] == e.lastEnd {
				i = k
				break
			}
		}
	}
	return found, nil
}

// eachOf runs the nodes of a range for each value. Without values they are run
// once for nothing, to find the end.
func (e *pathEval) eachOf(values []any, nodes []pathNode) ([][]any, error) {
	if len(values) == 0 {
		_, err := e.find(noValue{}, nodes)
		return nil, err
	}
	var found [][]any
	for _, v := range values {
		if v == nil {
			v = noValue{}
		}
		inner, err := e.find(v, nodes)
		if err != nil {
			return nil, err
		}
		found = append(found, inner...)
	}
	return found, nil
}

// noValue is what a range over nothing, or over a null, is run for.
type noValue struct{}

// String is how a text of the original shows it.
func (noValue) String() string { return "<invalid reflect.Value>" }

func (e *pathEval) walk(in []any, n *pathNode) ([]any, error) {
	switch n.kind {
	case pathList:
		return e.list(in, n.nodes)
	case pathLiteral:
		if _, text := n.value.(string); text {
			return []any{n.value}, nil
		}
		out := make([]any, len(in))
		for i := range out {
			out[i] = n.value
		}
		return out, nil
	case pathField:
		return e.field(in, n.name)
	case pathSlice:
		return sliceItems(in, n)
	case pathFilter:
		return e.filter(in, n)
	case pathWildcard:
		var out []any
		for _, v := range in {
			out = append(out, children(v)...)
		}
		return out, nil
	case pathRecursive:
		return descend(in), nil
	case pathUnion:
		var out []any
		for i := range n.nodes {
			values, err := e.walk(in, &n.nodes[i])
			if err != nil {
				return nil, err
			}
			out = append(out, values...)
		}
		return out, nil
	}
	return e.word(in, n.name)
}

func (e *pathEval) list(in []any, nodes []pathNode) ([]any, error) {
	var err error
	for i := range nodes {
		if in, err = e.walk(in, &nodes[i]); err != nil {
			return in, err
		}
	}
	return in, nil
}

func (e *pathEval) word(in []any, name string) ([]any, error) {
	switch name {
	case "range":
		e.beginRange++
		return in, nil
	case "end":
		if e.inRange == 0 {
			return nil, errors.New("not in range, nothing to end")
		}
		e.endRange++
		return nil, nil
	}
	return nil, fmt.Errorf("unrecognized identifier %s", name)
}

func (e *pathEval) field(in []any, name string) ([]any, error) {
	if len(in) == 0 {
		return nil, nil
	}
	var out []any
	for _, v := range in {
		if m, ok := v.(*Map); ok {
			if x, ok := m.Get(name); ok {
				out = append(out, x)
			}
		}
	}
	if len(out) == 0 && !e.allowMissing {
		return nil, fmt.Errorf("%s is not found", name)
	}
	return out, nil
}

// goType names the type that the value has in Go's generic JSON, as texts of
// the original show it.
func goType(v any) string {
	switch v.(type) {
	case *Map:
		return "map[string]interface {}"
	case *List:
		return "[]interface {}"
	}
	return fmt.Sprintf("%T", v)
}

func sliceItems(in []any, n *pathNode) ([]any, error) {
	var out []any
	for _, v := range in {
		if v == nil {
			continue
		}
		l, ok := v.(*List)
		if !ok {
			return nil, fmt.Errorf("%s is not array or slice", goType(v))
		}
		from, to, step := n.params[0].value, n.params[1].value, 1
		if from < 0 {
			from += l.Len()
		}
		if !n.params[1].known {
			to = l.Len()
		}
		if to < 0 || to == 0 && n.params[1].derived {
			to += l.Len()
		}
		switch {
		case from == to:
			return out, nil
		case from >= l.Len() || from < 0:
			return nil, fmt.Errorf("array index out of bounds: index %d, length %d", from, l.Len())
		case to > l.Len() || to < 0:
			return nil, fmt.Errorf("array index out of bounds: index %d, length %d", to-1, l.Len())
		case from > to:
			return nil, fmt.Errorf("starting index %d is greater than ending index %d", from, to)
		}
		if n.params[2].known {
			if step = n.params[2].value; step <= 0 {
				return nil, errors.New("step must be > 0")
			}
		}
		for i := from; i < to; i += step {
			out = append(out, l.At(i))
		}
	}
	return out, nil
}

// children are what a wildcard selects: fields, items, or the bytes of a text.
func children(v any) []any {
	var out []any
	switch v := v.(type) {
	case *Map:
		for _, x := range v.All() {
			out = append(out, x)
		}
	case *List:
		for _, x := range v.All() {
			out = append(out, x)
		}
	case string:
		for i := range len(v) {
			out = append(out, int64(v[i]))
		}
	}
	return out
}

// descend lists all values that have something below them, depth first. As in
// the original, texts count and numbers do not.
func descend(in []any) []any {
	var out []any
	for _, v := range in {
		below := children(v)
		if len(below) == 0 {
			continue
		}
		out = append(out, v)
		if _, text := v.(string); !text {
			out = append(out, descend(below)...)
		}
	}
	return out
}

func (e *pathEval) filter(in []any, n *pathNode) ([]any, error) {
	var out []any
	for _, v := range in {
		l, ok := v.(*List)
		if !ok {
			return nil, fmt.Errorf("%v is not array or slice and cannot be filtered", ToAny(v))
		}
		for _, item := range l.All() {
			pass, err := e.passes(item, n)
			if err != nil {
				return nil, err
			}
			if pass {
				out = append(out, item)
			}
		}
	}
	return out, nil
}

func (e *pathEval) passes(item any, n *pathNode) (bool, error) {
	left, err := e.list([]any{item}, n.nodes)
	if n.name == "exists" {
		return len(left) > 0, nil
	}
	if err != nil || len(left) == 0 {
		return false, err
	}
	if len(left) > 1 {
		return false, errors.New("can only compare one element at a time")
	}
	right, err := e.list([]any{item}, n.right)
	if err != nil || len(right) == 0 {
		return false, err
	}
	if len(right) > 1 {
		return false, errors.New("can only compare one element at a time")
	}
	return comparePath(n.name, left[0], right[0])
}

var (
	errBadComparisonType = errors.New("invalid type for comparison")
	errBadComparison     = errors.New("incompatible types for comparison")
)

// comparePath compares two scalars of one kind, as text/template does.
func comparePath(op string, a, b any) (bool, error) {
	c, ordered := 0, true
	switch x := a.(type) {
	case bool:
		y, ok := b.(bool)
		if !ok {
			return false, mismatch(b)
		}
		if ordered = false; x != y {
			c = 1
		}
	case int64:
		y, ok := b.(int64)
		if !ok {
			return false, mismatch(b)
		}
		c = order(x < y, x > y)
	case float64:
		y, ok := b.(float64)
		if !ok {
			return false, mismatch(b)
		}
		c = order(x < y, x > y)
	case string:
		y, ok := b.(string)
		if !ok {
			return false, mismatch(b)
		}
		c = strings.Compare(x, y)
	default:
		return false, errBadComparisonType
	}
	switch op {
	case "==":
		return c == 0, nil
	case "!=":
		return c != 0, nil
	case "<", "<=", ">", ">=":
		if !ordered {
			return false, errBadComparisonType
		}
		return c < 0 && op[0] == '<' || c > 0 && op[0] == '>' || c == 0 && len(op) == 2, nil
	}
	return false, fmt.Errorf("unrecognized filter operator %s", op)
}

func mismatch(b any) error {
	switch b.(type) {
	case bool, int64, float64, string:
		return errBadComparison
	}
	return errBadComparisonType
}

func order(less, greater bool) int {
	switch {
	case less:
		return -1
	case greater:
		return 1
	}
	return 0
}
