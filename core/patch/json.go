package patch

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/object"
)

// The causes that errors of JSON wrap.
var (
	ErrTestFailed   = errors.New("test failed")
	ErrMissing      = errors.New("missing value")
	ErrInvalidIndex = errors.New("invalid index referenced")
)

// JSON applies a JSON patch: the whole or, with an error, nothing. As in the
// library that the API server uses, `replace` of a missing key acts as `add`
// where the map that would hold it is there, indexes below zero count from the
// end, and a null counts as missing for what lies below it. All that is copied
// is at most maxCopied bytes of JSON.
func JSON(doc any, patch *object.List) (any, error) {
	var err error
	copied := 0
	for _, op := range patch.All() {
		m, _ := op.(*object.Map)
		if doc, err = apply(doc, operation{m, &copied}); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// maxCopied bounds what the copies of one patch add up to, in bytes of JSON: a
// few of them that double a value would fill the memory. It is the API server's
// JSONPatchMaxCopyBytes.
const maxCopied = 3 << 20

// operation is one step of a JSON patch.
type operation struct {
	m *object.Map
	// copied is what the copies up to now add up to.
	copied *int
}

func (o operation) kind() string {
	if s, ok := o.text("op"); ok {
		return s
	}
	return "unknown"
}

func (o operation) text(key string) (string, bool) {
	v, _ := o.m.Get(key)
	s, ok := v.(string)
	return s, ok
}

func (o operation) value() any {
	v, _ := o.m.Get("value")
	return v
}

func apply(doc any, op operation) (any, error) {
	switch op.kind() {
	case "add":
		return op.add(doc)
	case "remove":
		return op.remove(doc)
	case "replace":
		return op.replace(doc)
	case "move":
		return op.move(doc)
	case "test":
		return doc, op.test(doc)
	case "copy":
		return op.copy(doc)
	}
	return nil, fmt.Errorf("Unexpected kind: %s", op.kind())
}

func (o operation) add(doc any) (any, error) {
	path, ok := o.text("path")
	if !ok {
		return nil, fmt.Errorf("add operation failed to decode path: %w", ErrMissing)
	}
	out, found, err := insert(doc, path, o.value())
	if !found {
		return nil, fmt.Errorf("add operation does not apply: doc is missing path: \"%s\": %w", path, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("error in add for path: '%s': %w", path, err)
	}
	return out, nil
}

func (o operation) remove(doc any) (any, error) {
	path, ok := o.text("path")
	if !ok {
		return nil, fmt.Errorf("remove operation failed to decode path: %w", ErrMissing)
	}
	out, found, err := cut(doc, path)
	if !found {
		return nil, fmt.Errorf("remove operation does not apply: doc is missing path: \"%s\": %w", path, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("error in remove for path: '%s': %w", path, err)
	}
	return out, nil
}

func (o operation) replace(doc any) (any, error) {
	path, ok := o.text("path")
	if !ok {
		return nil, fmt.Errorf("replace operation failed to decode path: operation missing path field: %w", ErrMissing)
	}
	if path == "" {
		switch o.value().(type) {
		case *object.Map, *object.List:
			return o.value(), nil
		}
		return nil, errors.New("replace operation value must be object or array: %!w(<nil>)")
	}
	parent, key := find(doc, path)
	if parent == nil {
		return nil, fmt.Errorf("replace operation does not apply: doc is missing path: %s: %w", path, ErrMissing)
	}
	if _, err := get(parent, key); err != nil {
		return nil, fmt.Errorf("replace operation does not apply: doc is missing key: %s: %w", path, ErrMissing)
	}
	return edit(doc, tokens(path), func(parent any, key string) (any, error) {
		if m, ok := parent.(*object.Map); ok {
			return m.With(key, o.value()), nil
		}
		l := parent.(*object.List)
		i, err := position(l, key)
		if err != nil {
			return nil, err
		}
		return l.With(i, o.value()), nil
	})
}

func (o operation) move(doc any) (any, error) {
	from, ok := o.text("from")
	if !ok {
		return nil, fmt.Errorf("move operation failed to decode from: operation, missing from field: %w", ErrMissing)
	}
	parent, key := find(doc, from)
	if parent == nil {
		return nil, fmt.Errorf("move operation does not apply: doc is missing from path: %s: %w", from, ErrMissing)
	}
	v, err := get(parent, key)
	if err != nil {
		return nil, fmt.Errorf("error in move for path: '%s': %w", key, err)
	}
	doc, _, err = cut(doc, from)
	if err != nil {
		return nil, fmt.Errorf("error in move for path: '%s': %w", key, err)
	}
	path, ok := o.text("path")
	if !ok {
		return nil, fmt.Errorf("move operation failed to decode path: operation missing path field: %w", ErrMissing)
	}
	out, found, err := insert(doc, path, v)
	if !found {
		return nil, fmt.Errorf("move operation does not apply: doc is missing destination path: %s: %w", path, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("error in move for path: '%s': %w", path, err)
	}
	return out, nil
}

func (o operation) copy(doc any) (any, error) {
	from, ok := o.text("from")
	if !ok {
		return nil, fmt.Errorf("copy operation failed to decode from: operation, missing from field: %w", ErrMissing)
	}
	parent, key := find(doc, from)
	if parent == nil {
		return nil, fmt.Errorf("copy operation does not apply: doc is missing from path: %s: %w", from, ErrMissing)
	}
	v, err := get(parent, key)
	if err != nil {
		return nil, fmt.Errorf("error in copy for from: '%s': %w", from, err)
	}
	path, ok := o.text("path")
	if !ok {
		return nil, fmt.Errorf("copy operation failed to decode path: %w", ErrMissing)
	}
	if *o.copied += size(v); *o.copied > maxCopied {
		return nil, fmt.Errorf("Unable to complete the copy, the accumulated size increase of copy is %d, exceeding the limit %d", *o.copied, maxCopied)
	}
	out, found, err := insert(doc, path, v)
	if !found {
		return nil, fmt.Errorf("copy operation does not apply: doc is missing destination path: %s: %w", path, ErrMissing)
	}
	if err != nil {
		return nil, fmt.Errorf("error while adding value during copy: %w", err)
	}
	return out, nil
}

// size is how many bytes a copied value has in JSON, where encoding/json escapes
// what means something to HTML; a null is nothing to copy.
func size(v any) int {
	if v == nil {
		return 0
	}
	n := 0
	for _, c := range object.EncodeJSON(v) {
		if n++; c == '<' || c == '>' || c == '&' {
			n += len(`\u003c`) - 1
		}
	}
	return n
}

func (o operation) test(doc any) error {
	path, ok := o.text("path")
	if !ok {
		return fmt.Errorf("test operation failed to decode path: operation missing path field: %w", ErrMissing)
	}
	v := doc
	if path != "" {
		parent, key := find(doc, path)
		if parent == nil {
			return fmt.Errorf("test operation does not apply: is missing path: %s: %w", path, ErrMissing)
		}
		var err error
		if v, err = get(parent, key); err != nil {
			return fmt.Errorf("error in test for path: '%s': %w", path, err)
		}
	}
	// Numbers are compared as they are written: what is stored as 1.0 is written
	// 1, and no patch that says 1.0 is equal to it.
	if wholeFloat(o.value()) || string(object.EncodeJSON(v)) != string(object.EncodeJSON(o.value())) {
		return fmt.Errorf("testing value %s failed: %w", path, ErrTestFailed)
	}
	return nil
}

// wholeFloat reports whether a value has a number such as 1.0 in it.
func wholeFloat(v any) bool {
	switch v := v.(type) {
	case float64:
		return v == math.Trunc(v)
	case *object.List:
		for _, x := range v.All() {
			if wholeFloat(x) {
				return true
			}
		}
	case *object.Map:
		for _, x := range v.All() {
			if wholeFloat(x) {
				return true
			}
		}
	}
	return false
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// tokens splits a JSON pointer. A text without a slash has none.
func tokens(path string) []string {
	parts := strings.Split(path, "/")[1:]
	for i := range parts {
		parts[i] = unescape.Replace(parts[i])
	}
	return parts
}

// find returns the map or list that holds the last token of a path, nil where
// there is none.
func find(doc any, path string) (parent any, key string) {
	parts := tokens(path)
	if len(parts) == 0 {
		return nil, ""
	}
	for _, p := range parts[:len(parts)-1] {
		next, err := get(doc, p)
		if err != nil {
			return nil, ""
		}
		doc = next
	}
	switch doc.(type) {
	case *object.Map, *object.List:
		return doc, parts[len(parts)-1]
	}
	return nil, ""
}

// get reads a key; a missing key of a map reads as null.
func get(parent any, key string) (any, error) {
	switch p := parent.(type) {
	case *object.Map:
		v, _ := p.Get(key)
		return v, nil
	case *object.List:
		i, err := position(p, key)
		if err != nil {
			return nil, err
		}
		return p.At(i), nil
	}
	return nil, ErrMissing
}

// position reads an index of an item that is there.
func position(l *object.List, key string) (int, error) {
	i, err := strconv.Atoi(key)
	if err != nil {
		return 0, err
	}
	if i >= l.Len() || i < -l.Len() {
		return 0, fmt.Errorf("Unable to access invalid index: %d: %w", i, ErrInvalidIndex)
	}
	if i < 0 {
		i += l.Len()
	}
	return i, nil
}

// edit copies the path to the last of parts, and puts there what change makes
// of the map or list that holds it.
func edit(doc any, parts []string, change func(parent any, key string) (any, error)) (any, error) {
	if len(parts) == 1 {
		return change(doc, parts[0])
	}
	child, err := get(doc, parts[0])
	if err != nil {
		return nil, err
	}
	if child, err = edit(child, parts[1:], change); err != nil {
		return nil, err
	}
	switch p := doc.(type) {
	case *object.Map:
		return p.With(parts[0], child), nil
	case *object.List:
		i, err := position(p, parts[0])
		if err != nil {
			return nil, err
		}
		return p.With(i, child), nil
	}
	return nil, ErrMissing
}

// insert adds a value; found is false where nothing holds the path.
func insert(doc any, path string, v any) (out any, found bool, err error) {
	if parent, _ := find(doc, path); parent == nil {
		return nil, false, nil
	}
	out, err = edit(doc, tokens(path), func(parent any, key string) (any, error) {
		if m, ok := parent.(*object.Map); ok {
			return m.With(key, v), nil
		}
		return insertItem(parent.(*object.List), key, v)
	})
	return out, true, err
}

func insertItem(l *object.List, key string, v any) (any, error) {
	if key == "-" {
		return l.Append(v), nil
	}
	i, err := strconv.Atoi(key)
	if err != nil {
		return nil, fmt.Errorf("value was not a proper array index: '%s': %w", key, err)
	}
	size := l.Len() + 1
	if i >= size || i < -size {
		return nil, fmt.Errorf("Unable to access invalid index: %d: %w", i, ErrInvalidIndex)
	}
	if i < 0 {
		i += size
	}
	return l.Insert(i, v), nil
}

// cut removes a key or an item; found is false where nothing holds the path.
func cut(doc any, path string) (out any, found bool, err error) {
	if parent, _ := find(doc, path); parent == nil {
		return nil, false, nil
	}
	out, err = edit(doc, tokens(path), func(parent any, key string) (any, error) {
		switch p := parent.(type) {
		case *object.Map:
			if !p.Has(key) {
				return nil, fmt.Errorf("Unable to remove nonexistent key: %s: %w", key, ErrMissing)
			}
			return p.Without(key), nil
		case *object.List:
			i, err := position(p, key)
			if err != nil {
				return nil, err
			}
			return p.Without(i), nil
		}
		return nil, ErrMissing
	})
	return out, true, err
}
