package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Record is one record of the storage: JSON text under a key of a store.
// Stores: meta, objects, cloud, files, choices, archive.
type Record struct {
	Store  string `json:"store"`
	Key    string `json:"key"`
	Value  string `json:"value,omitempty"`
	Delete bool   `json:"delete,omitempty"`
	// Later makes the value, always the same one, where Value is empty: of many
	// records not all values are there at a time.
	Later Later `json:"-"`
}

// Later is a value that is made when it is asked for: Parts gives its parts in their order, so that one of many
// megabytes is never there as a whole.
type Later interface{ Parts(add func(string)) }

// Text is the value of the record.
func (r Record) Text() string {
	if r.Later == nil {
		return r.Value
	}
	var b strings.Builder
	r.Later.Parts(func(part string) { b.WriteString(part) })
	return b.String()
}

// later is an object as the value of a record.
type later struct{ root *object.Map }

// Parts implements Later.
func (l later) Parts(add func(string)) { add(string(object.EncodeJSON(l.root))) }

// laterText is a text as the value of a record, as JSON.
type laterText string

// Parts implements Later.
func (l laterText) Parts(add func(string)) { quotedParts(string(l), add) }

// partText is how much of a text is quoted at a time.
const partText = 1 << 14

// quotedParts gives a text as JSON, in parts: a scenario or an apply may be
// megabytes long.
func quotedParts(text string, add func(string)) {
	part, open := []byte(nil), 0
	for {
		n := min(len(text), partText)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		part = object.AppendJSON(part[:0], text[:n])
		if text = text[n:]; text == "" {
			add(string(part[open:]))
			return
		}
		add(string(part[open : len(part)-1]))
		open = 1
	}
}
