package object

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

// libraryYAML is the oracle: the library's own encoder.
func libraryYAML(t interface{ Fatal(...any) }, v any) string {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	enc.CompactSeqIndent()
	if err := enc.Encode(libraryNode(v)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func libraryNode(v any) *yaml.Node {
	switch v := v.(type) {
	case *Map:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for k, x := range v.All() {
			n.Content = append(n.Content, libraryString(k), libraryNode(x))
		}
		return n
	case *List:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if v.Len() == 0 {
			n.Style = yaml.FlowStyle
		}
		for _, x := range v.All() {
			n.Content = append(n.Content, libraryNode(x))
		}
		return n
	case string:
		return libraryString(v)
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: string(AppendJSON(nil, v))}
}

func libraryString(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	if _, ok := yaml11Bool(s); ok {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// yamlTexts draws strings of the pieces that YAML cares about.
func yamlTexts() *rapid.Generator[string] {
	pieces := strings.Split(": |#|-|- |?|,|[|]|{|}|&|*|!|>|'|\"|%|@|`|\\|---|...|~|=|<<|.|_|0|7|0x|0o|0b|1e3|+|.inf|.nan|yes|No|on|true|null|"+
		"2026-01-01|T00:00:00Z|12:30:45|a|word|é|\u00a0|\u0085|a\ufeff|\ufffd|\ufffe|\U0001f600|\x00|\x1b|\x7f|\r|\t|\n| |  |\n\n|/|k8s.io", "|")
	return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(append(pieces, "|", strings.Repeat("long", 31))), 0, 6), func(s []string) string {
		return strings.Join(s, "")
	})
}

func yamlTrees(depth int) *rapid.Generator[any] {
	text := yamlTexts()
	scalars := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int64(), func(i int64) any { return i }), rapid.Map(rapid.Float64(), func(f float64) any { return f + 0 })) // no -0: JSON has none
	if depth == 0 {
		return scalars
	}
	inner := yamlTrees(depth - 1)
	list := rapid.Map(rapid.SliceOfN(inner, 0, 3), func(items []any) any { return NewList(items...) })
	fields := rapid.MapOfN(text, inner, 0, 3)
	return rapid.OneOf(scalars, list, rapid.Map(fields, func(m map[string]any) any { return FromAny(m) }))
}

// readsBack reports whether a text holds a tree and nothing else.
func readsBack(text string, v any) bool {
	docs, err := DecodeYAML([]byte(text))
	if v == nil {
		return err == nil && len(docs) == 0
	}
	return err == nil && len(docs) == 1 && bytes.Equal(EncodeJSON(docs[0].Value), EncodeJSON(v))
}

// The library's encoder and this one print every tree alike, save those that
// the library prints unreadably.
func TestEncodeYAMLAsTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := yamlTrees(3).Draw(t, "tree")
		got, want := string(EncodeYAML(v)), libraryYAML(t, v)
		if got != want && readsBack(want, v) {
			t.Fatalf("%s\ngot\n%s\nwant\n%s", EncodeJSON(v), got, want)
		}
		if !readsBack(got, v) {
			t.Fatalf("%s does not read back from\n%s", EncodeJSON(v), got)
		}
	})
}

func FuzzEncodeYAMLString(f *testing.F) {
	for _, s := range []string{"", "a: b", "- a", "|", "\n", " a\n", "a\n\n", "a \nb", "é\t", "\u2028", "\x80a", "<<", "1_0", "0o7", "2026-01-01"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := NewMap(Field{"list", NewList(s, NewMap(Field{s, s}))})
		text := string(EncodeYAML(v))
		// The library escapes all that follows a byte order mark, and breaks the
		// line after U+2028.
		if utf8.ValidString(s) && !strings.HasPrefix(s, "\ufeff") && !strings.ContainsAny(s, "\u2028\u2029") {
			if want := libraryYAML(t, v); text != want && readsBack(want, v) {
				t.Errorf("%q: got\n%s\nwant\n%s", s, text, want)
			}
		}
		valid := string([]rune(s))
		if !readsBack(text, NewMap(Field{"list", NewList(valid, NewMap(Field{valid, valid}))})) {
			t.Errorf("%q does not read back from\n%s", s, text)
		}
	})
}
