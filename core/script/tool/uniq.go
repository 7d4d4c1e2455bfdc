package tool

import (
	"fmt"
	"strconv"
	"strings"
)

// repeats is what uniq prints of equal lines in a row.
type repeats struct {
	count, onlyRepeated, onlyUnique, all, fold bool
	fields, chars, width                       int
}

func uniq(p *Proc) int {
	g := grammar{short: "cdDf:is:uw:z", long: []string{"count=c", "repeated=d", "all-repeated=D", "skip-fields=f:", "ignore-case=i",
		"skip-chars=s:", "unique=u", "check-chars=w:"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	r := repeats{width: -1}
	for _, o := range opts {
		n, err := strconv.Atoi(o.arg)
		if o.arg != "" && err != nil {
			return p.complain("%s: invalid number of %s to %s", o.arg, map[string]string{"f": "fields", "s": "bytes", "w": "bytes"}[o.name],
				map[string]string{"f": "skip", "s": "skip", "w": "compare"}[o.name])
		}
		switch o.name {
		case "c":
			r.count = true
		case "d":
			r.onlyRepeated = true
		case "D":
			r.onlyRepeated, r.all = true, true
		case "u":
			r.onlyUnique = true
		case "i":
			r.fold = true
		case "f":
			r.fields = n
		case "s":
			r.chars = n
		case "w":
			r.width = n
		case "z":
			return p.complain("option -z is not supported here")
		}
	}
	if len(names) > 2 {
		return p.misuse(g, fmt.Sprintf("extra operand ‘%s’", names[2]))
	}
	out := p.sink()
	if len(names) == 2 {
		f, err := p.create(names[1], Truncate)
		if err != nil {
			return p.complain("%s: %s", names[1], reason(err))
		}
		defer f.Close()
		out.Reset(f)
		names = names[:1]
	}
	var group []string
	size := 0
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		text := string(line)
		if size > 0 && r.key(text) == r.key(group[0]) {
			if size++; r.all {
				group = append(group, text)
			}
			return true
		}
		alive := r.print(out, group, size)
		group, size = append(group[:0], text), 1
		return alive
	})
	r.print(out, group, size)
	return out.done(status)
}

func (r *repeats) key(line string) string {
	for range r.fields {
		line = strings.TrimLeft(line, " \t")
		line = line[oneField(line, ""):]
	}
	line = line[min(r.chars, len(line)):]
	if r.width >= 0 {
		line = line[:min(r.width, len(line))]
	}
	if r.fold {
		return upper(line)
	}
	return line
}

func (r *repeats) print(out *sink, group []string, size int) bool {
	if size == 0 || r.onlyRepeated && size == 1 || r.onlyUnique && size > 1 {
		return true
	}
	for _, line := range group {
		if r.count {
			fmt.Fprintf(out, "%7d ", size)
		}
		if !out.str(line) {
			return false
		}
	}
	return true
}

func comm(p *Proc) int {
	g := grammar{short: "123z", long: []string{"check-order", "nocheck-order", "output-delimiter:", "total"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) < 2 {
		if len(names) == 1 {
			return p.misuse(g, fmt.Sprintf("missing operand after ‘%s’", names[0]))
		}
		return p.missing(g)
	}
	hidden, delim := "", "\t"
	for _, o := range opts {
		if o.name == "output-delimiter" {
			delim = o.arg
		}
		hidden += o.name
	}
	var sources [2]*source
	for i, name := range names[:2] {
		r, err := p.open(name)
		if err != nil {
			return p.complain("%s: %s", name, reason(err))
		}
		defer r.Close()
		sources[i] = p.source(r)
	}
	c := comparison{hidden: hidden, delim: delim, out: p.sink(), p: p}
	return c.out.done(c.run(sources))
}

// comparison is comm at work.
type comparison struct {
	hidden, delim string
	out           *sink
	p             *Proc
	last          [2]string
	said          [2]bool
}

func (c *comparison) print(column int, text string) bool {
	if strings.Contains(c.hidden, strconv.Itoa(column)) {
		return true
	}
	for i := 1; i < column; i++ {
		if !strings.Contains(c.hidden, strconv.Itoa(i)) {
			c.out.WriteString(c.delim)
		}
	}
	return c.out.str(text)
}

// next reads a line of an input and notes whether the input is sorted.
func (c *comparison) next(s *source, i int) (text string, ok bool) {
	b, _, err := s.line()
	if err != nil {
		return "", false
	}
	text = string(b)
	if text < c.last[i] && !c.said[i] {
		c.said[i] = true
	}
	c.last[i] = text
	return text, true
}

func (c *comparison) run(sources [2]*source) int {
	a, okA := c.next(sources[0], 0)
	b, okB := c.next(sources[1], 1)
	unpaired := false
	for alive := true; (okA || okB) && alive; {
		switch {
		case okA && okB && a == b:
			alive = c.print(3, a)
			a, okA = c.next(sources[0], 0)
			b, okB = c.next(sources[1], 1)
		case okA && (!okB || a < b):
			alive, unpaired = c.print(1, a), true
			a, okA = c.next(sources[0], 0)
		default:
			alive, unpaired = c.print(2, b), true
			b, okB = c.next(sources[1], 1)
		}
	}
	status := 0
	for i, said := range c.said {
		if said && unpaired {
			status = c.p.complain("file %d is not in sorted order", i+1)
		}
	}
	if status != 0 {
		c.p.complain("input is not in sorted order")
	}
	return status
}
