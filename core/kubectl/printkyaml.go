package kubectl

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// kyamlPrinter prints YAML in braces. Models sigs.k8s.io/yaml/kyaml.
type kyamlPrinter struct{ managed bool }

func (p *kyamlPrinter) print(w io.Writer, event api.EventType, root *object.Map) error {
	if event != "" {
		root = eventTree(event, root)
	} else if !p.managed {
		root = withoutManaged(root)
	}
	b := appendKYAML([]byte("---\n"), root, 0)
	_, err := w.Write(append(b, '\n'))
	return err
}

func appendKYAML(b []byte, v any, depth int) []byte {
	switch v := v.(type) {
	case *object.Map:
		if v.Len() == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		for k, x := range v.All() {
			b = appendKey(kyamlBreak(b, depth+1), k)
			b = append(appendKYAML(b, x, depth+1), ',')
		}
		return append(kyamlBreak(b, depth), '}')
	case *object.List:
		return appendKYAMLList(b, v, depth)
	case string:
		return appendKYAMLText(b, v, depth)
	}
	return object.AppendJSON(b, v)
}

// appendKYAMLList cuddles the braces of maps and lists in a list.
func appendKYAMLList(b []byte, l *object.List, depth int) []byte {
	if l.Len() == 0 {
		return append(b, "[]"...)
	}
	cuddled := true
	for _, x := range l.All() {
		switch x.(type) {
		case *object.Map, *object.List:
		default:
			cuddled = false
		}
	}
	b = append(b, '[')
	for i, x := range l.All() {
		switch {
		case !cuddled:
			b = append(appendKYAML(kyamlBreak(b, depth+1), x, depth+1), ',')
		case i > 0:
			b = appendKYAML(append(b, ", "...), x, depth)
		default:
			b = appendKYAML(b, x, depth)
		}
	}
	if !cuddled {
		b = kyamlBreak(b, depth)
	}
	return append(b, ']')
}

func kyamlBreak(b []byte, depth int) []byte {
	return append(append(b, '\n'), strings.Repeat("  ", depth)...)
}

func appendKey(b []byte, k string) []byte {
	plain := k != ""
	for i, c := range k {
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || strings.ContainsRune("-./", c))) {
			plain = false
		}
	}
	switch strings.ToLower(k) {
	case "true", "false", "yes", "no", "y", "n", "on", "off", "null", "nan", "inf":
		plain = false
	}
	if plain {
		return append(append(b, k...), ": "...)
	}
	return append(appendQuoted(b, k), ": "...)
}

func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == 0x2028:
			b = append(b, `\L`...)
		case r == 0x2029:
			b = append(b, `\P`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == 0x1b:
			b = append(b, `\e`...)
		case r < ' ' && r != '\t':
			b = append(b, `\x`...)
			b = append(b, strings.ToUpper(strconv.FormatInt(int64(r)+0x100, 16)[1:])...)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

// appendKYAMLText folds a text of several lines.
func appendKYAMLText(b []byte, s string, depth int) []byte {
	if !strings.Contains(s, "\n") {
		return appendQuoted(b, s)
	}
	b = append(b, '"', '\\')
	for line := range strings.SplitAfterSeq(s, "\n") {
		if line == "" {
			continue
		}
		b = kyamlBreak(b, depth)
		if line[0] == ' ' {
			b = append(b, `  \`...)
		} else {
			b = append(b, "   "...)
		}
		quoted := appendQuoted(nil, line)
		b = append(append(b, quoted[1:len(quoted)-1]...), '\\')
	}
	return append(kyamlBreak(b, depth), `  "`...)
}
