// Package jsoniter stands in for github.com/json-iterator/go where
// structured-merge-diff imports it: to read and print a set of fields and the
// values in its paths. It has what that package calls and no more, over
// encoding/json; the real one links a JSON library of its own, reflection and
// all, for calls that managedfields never makes.
package jsoniter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// API is the way to read and print; there is one.
type API struct{}

// ConfigCompatibleWithStandardLibrary reads and prints as encoding/json does.
var ConfigCompatibleWithStandardLibrary API

// ValueType is what WhatIsNext tells. Callers look at the iterator's Error
// alone.
type ValueType int

// Iterator reads a text. After an error, or at its end with io.EOF in Error, it
// reads nothing more.
type Iterator struct {
	Error error
	text  []byte
}

// NewIterator returns an iterator over nothing.
func NewIterator(API) *Iterator { return &Iterator{} }

// Parse returns an iterator over all that r holds.
func Parse(_ API, r io.Reader, _ int) *Iterator {
	text, err := io.ReadAll(r)
	return &Iterator{text: text, Error: err}
}

// Pool returns where iterators are borrowed.
func (*Iterator) Pool() IteratorPool { return IteratorPool{} }

// IteratorPool lends iterators.
type IteratorPool struct{}

// BorrowIterator returns an iterator over a text.
func (IteratorPool) BorrowIterator(text []byte) *Iterator { return &Iterator{text: text} }

// ReturnIterator takes an iterator back.
func (IteratorPool) ReturnIterator(*Iterator) {}

func (i *Iterator) space() { i.text = bytes.TrimLeft(i.text, " \t\r\n") }

// next cuts the next value off the text; nil after an error.
func (i *Iterator) next() json.RawMessage {
	if i.Error != nil {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(i.text))
	var raw json.RawMessage
	if i.Error = d.Decode(&raw); i.Error != nil {
		return nil
	}
	i.text = i.text[d.InputOffset():]
	return raw
}

// Read returns the next value; a number is a float64.
func (i *Iterator) Read() any {
	var v any
	if raw := i.next(); raw != nil {
		i.Error = json.Unmarshal(raw, &v)
	}
	return v
}

// Skip leaves the next value out.
func (i *Iterator) Skip() { i.next() }

// WhatIsNext sets Error to io.EOF where nothing is left.
func (i *Iterator) WhatIsNext() ValueType {
	if i.space(); i.Error == nil && len(i.text) == 0 {
		i.Error = io.EOF
	}
	return 0
}

// ReportError sets Error, where none is set yet.
func (i *Iterator) ReportError(operation, message string) {
	if i.Error == nil || errors.Is(i.Error, io.EOF) {
		i.Error = fmt.Errorf("%s: %s", operation, message)
	}
}

// ReadMapCB reads an object: f reads the value of each key, in the text's
// order; false ends it.
func (i *Iterator) ReadMapCB(f func(*Iterator, string) bool) bool {
	if !i.take('{') {
		if string(i.next()) == "null" {
			return true
		}
		i.ReportError("reading an object", "expect { or n")
		return false
	}
	for first := true; ; first = false {
		if i.take('}') {
			return true
		}
		if !first && !i.take(',') {
			i.ReportError("reading an object", "expect , or }")
			return false
		}
		key, ok := i.Read().(string)
		if i.Error == nil && (!ok || !i.take(':')) {
			i.ReportError("reading an object", "expect a key and a colon")
		}
		if i.Error != nil || !f(i, key) || i.Error != nil {
			return false
		}
	}
}

// ReadObjectCB is ReadMapCB.
func (i *Iterator) ReadObjectCB(f func(*Iterator, string) bool) bool { return i.ReadMapCB(f) }

func (i *Iterator) take(c byte) bool {
	i.space()
	if i.Error != nil || len(i.text) == 0 || i.text[0] != c {
		return false
	}
	i.text = i.text[1:]
	return true
}

// Stream prints values one after the other, as compact JSON.
type Stream struct {
	out    io.Writer
	buffer []byte
	err    error
}

// NewStream returns a stream that prints to w.
func NewStream(_ API, w io.Writer, _ int) *Stream { return &Stream{out: w} }

// Pool returns where streams are borrowed.
func (*Stream) Pool() StreamPool { return StreamPool{} }

// StreamPool lends streams.
type StreamPool struct{}

// BorrowStream returns a stream that prints to w.
func (StreamPool) BorrowStream(w io.Writer) *Stream { return &Stream{out: w} }

// ReturnStream takes a stream back, after a Flush.
func (StreamPool) ReturnStream(s *Stream) { s.Flush() }

// Write prints bytes as they are; WriteRaw a text.
func (s *Stream) Write(p []byte) (int, error) {
	s.buffer = append(s.buffer, p...)
	return len(p), s.err
}

// WriteRaw prints a text as it is.
func (s *Stream) WriteRaw(text string) { s.buffer = append(s.buffer, text...) }

// WriteObjectStart, WriteObjectEnd, WriteEmptyObject and WriteMore print signs.
func (s *Stream) WriteObjectStart() { s.WriteRaw("{") }

// WriteObjectEnd prints a closing brace.
func (s *Stream) WriteObjectEnd() { s.WriteRaw("}") }

// WriteEmptyObject prints an object without fields.
func (s *Stream) WriteEmptyObject() { s.WriteRaw("{}") }

// WriteMore prints a comma.
func (s *Stream) WriteMore() { s.WriteRaw(",") }

// WriteObjectField prints a key and its colon.
func (s *Stream) WriteObjectField(name string) {
	s.WriteVal(name)
	s.WriteRaw(":")
}

// WriteInt prints a number.
func (s *Stream) WriteInt(n int) { s.buffer = strconv.AppendInt(s.buffer, int64(n), 10) }

// WriteVal prints any value.
func (s *Stream) WriteVal(v any) {
	text, err := json.Marshal(v)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.buffer = append(s.buffer, text...)
}

// Buffer returns what was not flushed yet; SetBuffer replaces it.
func (s *Stream) Buffer() []byte { return s.buffer }

// SetBuffer replaces what was not flushed yet.
func (s *Stream) SetBuffer(b []byte) { s.buffer = b }

// Flush gives what was printed to the writer and returns the first error.
func (s *Stream) Flush() error {
	if s.err == nil && s.out != nil && len(s.buffer) > 0 {
		_, s.err = s.out.Write(s.buffer)
	}
	s.buffer = s.buffer[:0]
	return s.err
}
