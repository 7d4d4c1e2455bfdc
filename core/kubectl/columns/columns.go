// Package columns aligns text in columns, as kubectl's tables and descriptions
// are: cells end with a tab, and a column is as wide as the cells of the lines
// that follow each other with a cell there.
//
// Models github.com/liggitt/tabwriter, which is text/tabwriter that can
// remember widths.
package columns

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Writer gathers lines of cells until it is flushed. Make one with Table or
// Plain.
type Writer struct {
	out      io.Writer
	min, pad int
	// remembers widths of columns beyond a flush.
	remembers bool
	widths    []int

	// lines are those gathered; the last one has no line break yet.
	lines [][]string
	// open is the cell being written.
	open []byte
	// column holds the widths on the way down of a layout.
	column []int
	buf    []byte
}

// Table returns a Writer for tables: three spaces between columns, and the
// widest width of each column is kept from flush to flush.
func Table(out io.Writer) *Writer { return &Writer{out: out, min: 6, pad: 3, remembers: true} }

// Plain returns a Writer for descriptions: two spaces between columns.
func Plain(out io.Writer) *Writer { return &Writer{out: out, pad: 2} }

// Forget drops the widths that are remembered.
func (w *Writer) Forget() { w.widths = nil }

// Write gathers text: a tab ends a cell, a line break a line. A form feed ends a
// line and flushes.
func (w *Writer) Write(p []byte) (int, error) {
	if len(w.lines) == 0 {
		w.lines = append(w.lines, nil)
	}
	for _, c := range p {
		last := len(w.lines) - 1
		switch c {
		case '\t', '\v':
			w.endCell(last)
		case '\n', '\f':
			w.endCell(last)
			single := len(w.lines[last]) == 1
			w.lines = append(w.lines, nil)
			if c == '\f' || single {
				// A line of one cell ends every column: no line after it can
				// change the ones before.
				if err := w.print(); err != nil {
					return 0, err
				}
				w.lines = append(w.lines[:0], nil)
			}
		default:
			w.open = append(w.open, c)
		}
	}
	return len(p), nil
}

// WriteString is Write.
func (w *Writer) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

func (w *Writer) endCell(line int) {
	w.lines[line] = append(w.lines[line], string(w.open))
	w.open = w.open[:0]
}

// Flush writes what was gathered.
func (w *Writer) Flush() error {
	if len(w.lines) == 0 {
		return nil
	}
	if len(w.open) > 0 {
		w.endCell(len(w.lines) - 1)
	}
	err := w.print()
	w.lines = w.lines[:0]
	return err
}

func (w *Writer) print() error {
	w.buf = w.buf[:0]
	w.column = w.column[:0]
	w.layout(0, len(w.lines))
	_, err := w.out.Write(w.buf)
	return err
}

// layout prints lines from..to, the columns left of the next one being laid out.
func (w *Writer) layout(from, to int) {
	next := len(w.column)
	for i := from; i < to; i++ {
		if next >= len(w.lines[i])-1 {
			continue
		}
		w.rows(from, i)
		from = i
		width := w.min
		for ; i < to && next < len(w.lines[i])-1; i++ {
			width = max(width, utf8.RuneCountInString(w.lines[i][next])+w.pad)
		}
		w.column = append(w.column, w.remember(next, width))
		w.layout(from, i)
		w.column = w.column[:next]
		from = i
	}
	w.rows(from, to)
}

// remember returns the width of a column with what earlier flushes had.
func (w *Writer) remember(column, width int) int {
	if !w.remembers {
		return width
	}
	if len(w.widths) < column {
		w.widths = append(w.widths, w.column[len(w.widths):]...)
	}
	if len(w.widths) == column {
		w.widths = append(w.widths, width)
	}
	w.widths[column] = max(w.widths[column], width)
	return w.widths[column]
}

func (w *Writer) rows(from, to int) {
	for i := from; i < to; i++ {
		for j, cell := range w.lines[i] {
			w.buf = append(w.buf, cell...)
			if j < len(w.column) {
				w.padTo(utf8.RuneCountInString(cell), w.column[j])
			}
		}
		if i+1 < len(w.lines) {
			w.buf = append(w.buf, '\n')
		}
	}
}

const spaces = "                                "

func (w *Writer) padTo(have, want int) {
	for n := want - have; n > 0; n -= len(spaces) {
		w.buf = append(w.buf, spaces[:min(n, len(spaces))]...)
	}
}

var escaper = strings.NewReplacer("\x1b", "^[", "\r", "\\r")

// Escape makes what would steer a terminal visible.
func Escape(s string) string {
	if !strings.ContainsAny(s, "\x1b\r") {
		return s
	}
	return escaper.Replace(s)
}
