package kubectl

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/columns"
	"github.com/reconcile-playground/reconcile/core/object"
)

// tablePrinter prints Tables, and of any other object name and age. Models
// printers.HumanReadablePrinter.
type tablePrinter struct {
	noHeaders, wide, namespace, kind, labels bool
	kindName                                 string
	labelColumns                             []string
	now                                      time.Time

	last    *object.List
	printed bool
	// plain: the header of objects that are no Tables is printed.
	plain bool
}

type tableColumn struct {
	name   string
	hidden bool
	isName bool
}

func (p *tablePrinter) print(out io.Writer, event api.EventType, root *object.Map) error {
	w, shared := out.(*columns.Writer)
	if !shared {
		w = columns.Table(out)
		defer w.Flush()
	}
	o := object.New(root)
	if o.Kind() != "Table" {
		return p.objects(w, event, root)
	}
	defs := o.List("columnDefinitions")
	headers := !p.noHeaders && !(p.printed && (defs.Len() == 0 || object.Equal(defs, p.last)))
	if defs.Len() == 0 {
		defs = p.last
	} else if !object.Equal(defs, p.last) {
		p.last, p.printed = defs, false
	}
	rows := o.List("rows")
	if rows.Len() > 0 {
		p.printed = true
	}
	cols := p.columns(defs, event)
	lines := make([][]any, rows.Len())
	for i, v := range rows.All() {
		lines[i] = p.cells(object.New(v.(*object.Map)), cols, event)
	}
	return p.lines(w, cols, lines, headers)
}

// columns are those of the table with the ones that flags add.
func (p *tablePrinter) columns(defs *object.List, event api.EventType) []tableColumn {
	var cols []tableColumn
	if event != "" {
		cols = append(cols, tableColumn{name: "Event"})
	}
	if p.namespace {
		cols = append(cols, tableColumn{name: "Namespace"})
	}
	named := false
	for _, v := range defs.All() {
		d := object.New(v.(*object.Map))
		priority, _ := d.Int("priority")
		c := tableColumn{name: d.Str("name"), hidden: priority != 0 && !p.wide}
		if !named && d.Str("format") == "name" && d.Str("type") == "string" {
			c.isName, named = true, true
		}
		cols = append(cols, c)
	}
	for _, l := range p.labelColumns {
		cols = append(cols, tableColumn{name: l[strings.LastIndexByte(l, '/')+1:]})
	}
	if p.labels {
		cols = append(cols, tableColumn{name: "Labels"})
	}
	return cols
}

var eventNames = map[api.EventType]string{api.Added: "ADDED   ", api.Modified: "MODIFIED", api.Deleted: "DELETED ", api.Error: "ERROR   "}

func (p *tablePrinter) cells(row object.Object, cols []tableColumn, event api.EventType) []any {
	var cells []any
	if event != "" {
		name, ok := eventNames[event]
		if !ok {
			name = string(event)
		}
		cells = append(cells, name)
	}
	o := object.New(row.Map("object"))
	if p.namespace {
		cells = append(cells, o.Namespace())
	}
	for _, v := range row.List("cells").All() {
		if at := len(cells); at < len(cols) && cols[at].isName && p.kind {
			v = p.kindName + "/" + fmt.Sprint(v)
		}
		cells = append(cells, v)
	}
	return append(cells, p.labelCells(o)...)
}

func (p *tablePrinter) labelCells(o object.Object) []any {
	var cells []any
	for _, l := range p.labelColumns {
		v, _ := o.Labels().Get(l)
		text, _ := v.(string)
		cells = append(cells, text)
	}
	if p.labels {
		cells = append(cells, formatLabels(o.Labels()))
	}
	return cells
}

// formatLabels prints "a=b,c=d". Models labels.FormatLabels.
func formatLabels(m *object.Map) string {
	var out []string
	for k, v := range m.All() {
		out = append(out, k+"="+fmt.Sprint(v))
	}
	if len(out) == 0 {
		return "<none>"
	}
	return strings.Join(out, ",")
}

func (p *tablePrinter) lines(w *columns.Writer, cols []tableColumn, rows [][]any, headers bool) error {
	if len(rows) == 0 {
		return nil
	}
	last := -1
	for i, c := range cols {
		if !c.hidden {
			last = i
		}
	}
	widths := make([]int, len(cols))
	texts := make([][]string, len(rows))
	for i, row := range rows {
		texts[i] = make([]string, min(len(row), len(cols)))
		for j := range texts[i] {
			if row[j] == nil || cols[j].hidden {
				continue
			}
			texts[i][j] = fmt.Sprint(row[j])
			widths[j] = max(widths[j], len(texts[i][j]))
		}
	}
	// What is printed first is as wide as the widest: later lines may be written
	// before all are known.
	var b strings.Builder
	if headers {
		for j, c := range cols {
			if !c.hidden {
				appendCell(&b, strings.ToUpper(c.name), widths[j], j == 0, j == last)
			}
		}
		b.WriteByte('\n')
	}
	for i, row := range texts {
		first := true
		for j, text := range row {
			if cols[j].hidden {
				continue
			}
			width := 0
			if i == 0 && !headers {
				width = widths[j] - len(text) + len(cellText(text))
			}
			appendCell(&b, cellText(text), width, first, j == last)
			first = false
		}
		b.WriteByte('\n')
	}
	_, err := w.WriteString(b.String())
	return err
}

func appendCell(b *strings.Builder, text string, width int, first, last bool) {
	if !first {
		b.WriteByte('\t')
	}
	b.WriteString(text)
	if !last {
		for n := len(text); n < width; n++ {
			b.WriteByte(' ')
		}
	}
}

// cellText is a cell on one line.
func cellText(text string) string {
	if i := strings.IndexAny(text, "\f\n\r"); i >= 0 {
		text = text[:i] + "..."
	}
	return columns.Escape(text)
}

// objects prints what is no Table.
func (p *tablePrinter) objects(w *columns.Writer, event api.EventType, root *object.Map) error {
	cols := p.columns(plainColumns, event)
	list := []any{root}
	if items := object.New(root).List("items"); items != nil {
		list = nil
		for _, v := range items.All() {
			list = append(list, v)
		}
	}
	var rows [][]any
	for _, v := range list {
		m, _ := v.(*object.Map)
		o := object.New(m)
		row := object.FromMap(map[string]any{"cells": []any{o.Name(), since(o.Str("metadata", "creationTimestamp"), p.now)}, "object": m})
		rows = append(rows, p.cells(row, cols, event))
	}
	headers := !p.noHeaders && !p.plain
	p.plain = true
	return p.lines(w, cols, rows, headers)
}

var plainColumns = object.NewList(
	object.FromAny(map[string]any{"name": "Name", "type": "string", "format": "name"}),
	object.FromAny(map[string]any{"name": "Age", "type": "string"}))

// since prints how long ago a time was.
func since(text string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "<unknown>"
	}
	return humanDuration(now.Sub(t))
}

// humanDuration models apimachinery's duration.HumanDuration.
func humanDuration(d time.Duration) string {
	seconds := int(d.Seconds())
	minutes, hours := int(d/time.Minute), int(d/time.Hour)
	days := hours / 24
	two := func(n int, unit string, rest int, small string) string {
		if rest == 0 {
			return fmt.Sprintf("%d%s", n, unit)
		}
		return fmt.Sprintf("%d%s%d%s", n, unit, rest, small)
	}
	switch {
	case seconds < -1:
		return "<invalid>"
	case seconds < 0:
		return "0s"
	case seconds < 120:
		return fmt.Sprintf("%ds", seconds)
	case minutes < 10:
		return two(minutes, "m", seconds%60, "s")
	case minutes < 180:
		return fmt.Sprintf("%dm", minutes)
	case hours < 8:
		return two(hours, "h", minutes%60, "m")
	case hours < 48:
		return fmt.Sprintf("%dh", hours)
	case hours < 24*8:
		return two(days, "d", hours%24, "h")
	case hours < 24*365*2:
		return fmt.Sprintf("%dd", days)
	case hours < 24*365*8:
		return two(days/365, "y", days%365, "d")
	}
	return fmt.Sprintf("%dy", days/365)
}
