package object

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeJSON reads one JSON value. Integers that fit become int64, all other
// numbers float64, as sigs.k8s.io/json has it. Errors are those of
// encoding/json, text and offset. Of duplicate keys the last one wins.
func DecodeJSON(b []byte) (any, error) {
	v, _, err := decode(b, false)
	return v, err
}

// DecodeStrict is DecodeJSON that also returns the paths of duplicate keys, in
// the order met, each as a field path such as "spec.tags[0].name".
func DecodeStrict(b []byte) (v any, duplicates []string, err error) {
	return decode(b, true)
}

// FieldPaths are the paths of all keys of a JSON text, in the order met, as in
// DecodeStrict. A key that is there twice is met twice.
func FieldPaths(b []byte) []string {
	d := decoder{in: b, strict: true, all: true}
	_, _ = d.value(0)
	return d.met
}

// DecodeObject reads one JSON object.
func DecodeObject(b []byte) (Object, error) {
	v, err := DecodeJSON(b)
	if err != nil {
		return Object{}, err
	}
	m, ok := v.(*Map)
	if !ok {
		return Object{}, errors.New("the JSON value is no object")
	}
	return Object{m}, nil
}

// maxDepth is encoding/json's own bound on nesting.
const maxDepth = 10000

var errSyntax = errors.New("syntax")

func decode(b []byte, strict bool) (any, []string, error) {
	d := decoder{in: b, strict: strict}
	v, err := d.value(0)
	if err == nil {
		d.space()
		if d.pos < len(d.in) {
			err = errSyntax
		}
	}
	if err != nil {
		// encoding/json words the error; this decoder only has to agree on what is one.
		var any any
		if jerr := json.Unmarshal(b, &any); jerr != nil {
			err = jerr
		}
		return nil, nil, err
	}
	return v, d.duplicates, nil
}

type decoder struct {
	in         []byte
	pos        int
	strict     bool
	path       []string
	duplicates []string
	// met are the paths of all keys, where all is set.
	all bool
	met []string
}

func (d *decoder) space() {
	for d.pos < len(d.in) {
		switch d.in[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

func (d *decoder) value(depth int) (any, error) {
	d.space()
	if d.pos >= len(d.in) || depth > maxDepth {
		return nil, errSyntax
	}
	switch c := d.in[d.pos]; c {
	case '{':
		return d.object(depth)
	case '[':
		return d.array(depth)
	case '"':
		return d.str()
	case 't':
		return true, d.word("true")
	case 'f':
		return false, d.word("false")
	case 'n':
		return nil, d.word("null")
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return d.number()
		}
		return nil, errSyntax
	}
}

func (d *decoder) word(w string) error {
	if !strings.HasPrefix(string(d.in[d.pos:min(len(d.in), d.pos+len(w))]), w) {
		return errSyntax
	}
	d.pos += len(w)
	return nil
}

// next skips white space and takes one byte.
func (d *decoder) next() byte {
	d.space()
	if d.pos >= len(d.in) {
		return 0
	}
	d.pos++
	return d.in[d.pos-1]
}

func (d *decoder) peek(c byte) bool {
	d.space()
	return d.pos < len(d.in) && d.in[d.pos] == c
}

func (d *decoder) object(depth int) (any, error) {
	d.pos++
	var fields []Field
	sorted := true
	if d.peek('}') {
		d.pos++
		return &Map{}, nil
	}
	var seen map[string]bool
	if d.strict {
		seen = map[string]bool{}
	}
	for {
		if !d.peek('"') {
			return nil, errSyntax
		}
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		if d.next() != ':' {
			return nil, errSyntax
		}
		if d.strict {
			d.path = append(d.path, pathKey(key, len(d.path) == 0))
			if d.all {
				d.met = append(d.met, strings.Join(d.path, ""))
			}
			if seen[key] {
				d.duplicates = append(d.duplicates, strings.Join(d.path, ""))
			}
			seen[key] = true
		}
		v, err := d.field(key, depth+1)
		if err != nil {
			return nil, err
		}
		if d.strict {
			d.path = d.path[:len(d.path)-1]
		}
		if n := len(fields); n > 0 && fields[n-1].Key >= key {
			sorted = false
		}
		fields = append(fields, Field{key, v})
		switch d.next() {
		case ',':
		case '}':
			if !sorted {
				return NewMap(fields...), nil
			}
			return mapOf(fields), nil
		default:
			return nil, errSyntax
		}
	}
}

// field reads the value of a key.
func (d *decoder) field(key string, depth int) (any, error) {
	if d.strict || !isOwners(key) || !d.peek('{') && !d.peek('[') {
		return d.value(depth)
	}
	start := d.pos
	if known := sharedTrees.at(d.in[start:]); known != nil {
		d.pos += len(known.text)
		return known.value, nil
	}
	v, err := d.value(depth)
	if err == nil {
		sharedTrees.add(d.in[start:d.pos], v)
	}
	return v, err
}

func pathKey(key string, first bool) string {
	if first {
		return key
	}
	return "." + key
}

func (d *decoder) array(depth int) (any, error) {
	d.pos++
	var items []any
	if d.peek(']') {
		d.pos++
		return newList(0), nil
	}
	for {
		if d.strict {
			d.path = append(d.path, "["+strconv.Itoa(len(items))+"]")
		}
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if d.strict {
			d.path = d.path[:len(d.path)-1]
		}
		items = append(items, v)
		switch d.next() {
		case ',':
		case ']':
			return NewList(items...), nil
		default:
			return nil, errSyntax
		}
	}
}

func (d *decoder) str() (any, error) {
	text, plain, err := d.plain()
	switch {
	case err != nil:
		return nil, err
	case !plain:
		return d.slowStr()
	case len(text) <= maxWord:
		return sharedValues.of(text).value, nil
	}
	return string(text), nil
}

// key is str for a key.
func (d *decoder) key() (string, error) {
	text, plain, err := d.plain()
	if err == nil && plain && len(text) <= maxWord {
		return sharedKeys.of(text).text, nil
	}
	if err == nil && plain {
		return string(text), nil
	}
	if err != nil {
		return "", err
	}
	v, err := d.slowStr()
	s, _ := v.(string)
	return s, err
}

// plain reads a string that stands as it is; of another it reads nothing.
func (d *decoder) plain() (text []byte, plain bool, err error) {
	for i := d.pos + 1; i < len(d.in); i++ {
		switch c := d.in[i]; {
		case c == '"':
			text, d.pos = d.in[d.pos+1:i], i+1
			return text, true, nil
		case c == '\\' || c >= utf8.RuneSelf:
			return nil, false, nil
		case c < 0x20:
			return nil, false, errSyntax
		}
	}
	return nil, false, errSyntax
}

// slowStr leaves escapes and invalid UTF-8 to encoding/json.
func (d *decoder) slowStr() (any, error) {
	for i := d.pos + 1; i < len(d.in); i++ {
		switch d.in[i] {
		case '\\':
			i++
		case '"':
			var s string
			if err := json.Unmarshal(d.in[d.pos:i+1], &s); err != nil {
				return nil, errSyntax
			}
			d.pos = i + 1
			return s, nil
		}
	}
	return nil, errSyntax
}

func (d *decoder) digits() bool {
	start := d.pos
	for d.pos < len(d.in) && d.in[d.pos] >= '0' && d.in[d.pos] <= '9' {
		d.pos++
	}
	return d.pos > start
}

func (d *decoder) at(set string) bool {
	return d.pos < len(d.in) && strings.IndexByte(set, d.in[d.pos]) >= 0
}

func (d *decoder) number() (any, error) {
	start := d.pos
	if d.at("-") {
		d.pos++
	}
	if d.at("0") {
		d.pos++
	} else if !d.digits() {
		return nil, errSyntax
	}
	integer := true
	if d.at(".") {
		d.pos++
		integer = false
		if !d.digits() {
			return nil, errSyntax
		}
	}
	if d.at("eE") {
		d.pos++
		integer = false
		if d.at("+-") {
			d.pos++
		}
		if !d.digits() {
			return nil, errSyntax
		}
	}
	text := string(d.in[start:d.pos])
	if integer {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) {
		return nil, errSyntax
	}
	return f, nil
}
