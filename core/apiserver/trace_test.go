package apiserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// node is a JSON value that keeps the order of its keys: tokens are numbered
// in the order of the file, and the recorder sent bodies in that order.
type node struct {
	// value is a string, json.Number, bool or nil; unused for objects and arrays.
	value any
	kind  json.Delim
	keys  []string
	items []*node
}

func parseNode(text []byte) (*node, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return readNode(dec)
}

func readNode(dec *json.Decoder) (*node, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	d, ok := t.(json.Delim)
	if !ok {
		return &node{value: t}, nil
	}
	n := &node{kind: d}
	for dec.More() {
		if d == '{' {
			k, err := dec.Token()
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, k.(string))
		}
		item, err := readNode(dec)
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, item)
	}
	_, err = dec.Token()
	return n, err
}

// get returns a key's value; nil where there is none.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.items[i]
		}
	}
	return nil
}

func (n *node) str(key string) string {
	if v := n.get(key); v != nil {
		s, _ := v.value.(string)
		return s
	}
	return ""
}

func (n *node) flag(key string) bool {
	v := n.get(key)
	return v != nil && v.value == true
}

// text writes the value as Python's json.dumps does, as the recorder did.
func (n *node) text() string {
	switch n.kind {
	case '{':
		parts := make([]string, len(n.keys))
		for i, k := range n.keys {
			parts[i] = quote(k) + ": " + n.items[i].text()
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case '[':
		parts := make([]string, len(n.items))
		for i, item := range n.items {
			parts[i] = item.text()
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	switch v := n.value.(type) {
	case string:
		return quote(v)
	case json.Number:
		return v.String()
	}
	return fmt.Sprintf("%v", map[any]string{nil: "null", true: "true", false: "false"}[n.value])
}

func quote(s string) string { return string(object.EncodeJSON(s)) }

// mapStrings copies the value with every string, keys included, replaced.
func (n *node) mapStrings(path []string, f func(path []string, s string) string) *node {
	out := &node{kind: n.kind, value: n.value}
	if s, ok := n.value.(string); ok && n.kind == 0 {
		out.value = f(path, s)
	}
	for i, item := range n.items {
		step := strconv.Itoa(i)
		if n.kind == '{' {
			step = n.keys[i]
			out.keys = append(out.keys, f(nil, step))
		}
		out.items = append(out.items, item.mapStrings(append(path[:len(path):len(path)], step), f))
	}
	return out
}

// trace is one recorded file.
type trace struct {
	category, name string
	root           *node
}

func (t trace) String() string { return t.category + "/" + t.name }

// loadTraces reads every <category>/<name>.json below dir.
func loadTraces(dir string) ([]trace, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no traces in %s", dir)
	}
	var out []trace
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		root, err := parseNode(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		name := strings.TrimSuffix(filepath.Base(f), ".json")
		out = append(out, trace{filepath.Base(filepath.Dir(f)), name, root})
	}
	return out, nil
}
