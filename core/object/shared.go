package object

import (
	"bytes"
	"strings"
	"sync/atomic"
	"unicode/utf8"
)

// What is read of many objects is much the same: keys, kinds, names of
// namespaces, what is written of who owns which field. Of what was read lately one
// copy is kept, for the next that is equal: 10,000 objects take half the memory.
// Nothing depends on what is kept but that. Trees are read on several threads, so
// places are taken without a lock, and whoever comes later may take one over.

// word is a short text and the text as a value.
type word struct {
	text  string
	value any
}

// maxWord is up to which length texts are words.
const maxWord = 32

// words are by a hash of their text.
type words [512]atomic.Pointer[word]

var (
	sharedKeys   words
	sharedValues words
)

// of returns the word of a text.
func (w *words) of(text []byte) *word {
	h := uint32(len(text))
	for _, c := range text {
		h = (h ^ uint32(c)) * 16777619
	}
	place := &w[(h^h>>15)%uint32(len(w))]
	if old := place.Load(); old != nil && old.text == string(text) {
		return old
	}
	s := string(text)
	now := &word{s, s}
	place.Store(now)
	return now
}

// key and value return a text as it is shared.
func (w *words) key(text string) string {
	if len(text) > maxWord {
		return text
	}
	return w.of([]byte(text)).text
}

func (w *words) value(text string) any {
	if len(text) > maxWord {
		return text
	}
	return w.of([]byte(text)).value
}

// Within returns m with its long strings as parts of text, which is to be its
// JSON, where they stand there as they are: whoever keeps both keeps them once.
func Within(text string, m *Map) *Map {
	v, _ := within(&text, m)
	return v.(*Map)
}

// within goes on in rest, in which it leaves what comes after v. It reports
// whether there is a part that takes the place of v.
func within(rest *string, v any) (any, bool) {
	switch v := v.(type) {
	case *Map:
		out := v
		for i := range v.Len() {
			if x, ok := within(rest, v.fields[i].Value); ok {
				if out == v {
					out = mapOf(v.fields)
				}
				out.fields[i].Value = x
			}
		}
		return out, out != v
	case *List:
		out := v
		for i := range v.Len() {
			if x, ok := within(rest, v.items[i]); ok {
				if out == v {
					out = NewList(v.items...)
				}
				out.items[i] = x
			}
		}
		return out, out != v
	case string:
		if len(v) < longText || !plain(v) {
			break
		}
		if before, after, ok := strings.Cut(*rest, v); ok {
			part := (*rest)[len(before) : len(before)+len(v)]
			*rest = after
			return part, true
		}
	}
	return v, false
}

// plain reports whether AppendJSON writes s as it is, between its quotes.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return r < 0x20 || r == '"' || r == '\\' || r == utf8.RuneError || r == '\u2028' || r == '\u2029'
	})
}

// tree is a map or list as JSON, and what was made of it.
type tree struct {
	text  []byte
	value any
}

// maxTree bounds the texts of trees that are kept.
const maxTree = 4096

// trees are those that were read last.
type trees struct {
	places [16]atomic.Pointer[tree]
	next   atomic.Uint32
}

// sharedTrees holds what is written of owners: the field of that name.
var sharedTrees trees

func isOwners(key string) bool { return key == "fieldsV1" || key == "managedFields" }

// at returns the tree that a text begins with, nil where none of those kept is
// it. A map or list in JSON says itself where it ends.
func (t *trees) at(text []byte) *tree {
	for i := range t.places {
		if known := t.places[i].Load(); known != nil && bytes.HasPrefix(text, known.text) {
			return known
		}
	}
	return nil
}

func (t *trees) add(text []byte, value any) {
	if n := len(text); n > 2 && n <= maxTree {
		t.places[t.next.Add(1)%uint32(len(t.places))].Store(&tree{bytes.Clone(text), value})
	}
}
