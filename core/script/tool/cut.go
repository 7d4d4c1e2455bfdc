package tool

import (
	"bytes"
	"strconv"
	"strings"
)

func init() { register(map[string]Program{"cut": cut, "paste": paste}) }

// span is a range of fields or bytes, from 1; to 0 means to the end.
type span struct{ from, to int }

func holds(spans []span, n int) bool {
	for _, s := range spans {
		if n >= s.from && (s.to == 0 || n <= s.to) {
			return true
		}
	}
	return false
}

// spans reads cut's LIST.
func spans(list, what string) ([]span, string) {
	var all []span
	for _, part := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		from, to, isRange := strings.Cut(part, "-")
		s := span{from: 1}
		var err error
		if from != "" {
			if s.from, err = strconv.Atoi(from); err != nil {
				return nil, "invalid " + what + " value ‘" + part + "’"
			}
		}
		switch {
		case !isRange:
			s.to = s.from
		case to != "":
			if s.to, err = strconv.Atoi(to); err != nil {
				return nil, "invalid " + what + " value ‘" + part + "’"
			}
			if s.to < s.from {
				return nil, "invalid decreasing range"
			}
		case from == "":
			return nil, "invalid range with no endpoint: -"
		}
		if s.from == 0 {
			if what == "field" {
				return nil, "fields are numbered from 1"
			}
			return nil, "byte/character positions are numbered from 1"
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		if what == "field" {
			return nil, "fields are numbered from 1"
		}
		return nil, "byte/character positions are numbered from 1"
	}
	return all, ""
}

// cutter is what cut does with a line.
type cutter struct {
	spans                  []span
	fields, only, invert   bool
	delim, outDelim        string
	delimGiven, outPresent bool
}

func cut(p *Proc) int {
	g := grammar{short: "b:c:d:f:nsz", long: []string{"bytes=b:", "characters=c:", "delimiter=d:", "fields=f:", "only-delimited=s",
		"complement", "output-delimiter:", "zero-terminated=z"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	c, list, what := cutter{delim: "\t"}, "", ""
	for _, o := range opts {
		switch o.name {
		case "b", "c", "f":
			if what != "" {
				return p.misuse(g, "only one list may be specified")
			}
			list, c.fields, what = o.arg, o.name == "f", "byte/character position"
			if c.fields {
				what = "field"
			}
		case "d":
			if len(o.arg) > 1 {
				return p.misuse(g, "the delimiter must be a single character")
			}
			c.delim, c.delimGiven = o.arg, true
			if o.arg == "" {
				c.delim = "\x00"
			}
		case "s":
			c.only = true
		case "complement":
			c.invert = true
		case "output-delimiter":
			c.outDelim, c.outPresent = o.arg, true
		case "z":
			return p.complain("option -z is not supported here")
		}
	}
	switch {
	case what == "":
		return p.misuse(g, "you must specify a list of bytes, characters, or fields")
	case !c.fields && c.delimGiven:
		return p.misuse(g, "an input delimiter may be specified only when operating on fields")
	}
	var text string
	if c.spans, text = spans(list, what); text != "" {
		return p.misuse(g, text)
	}
	if !c.outPresent && c.fields {
		c.outDelim = c.delim
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		b, show := c.cut(line)
		return !show || out.line(b)
	})
	return out.done(status)
}

func (c *cutter) cut(line []byte) ([]byte, bool) {
	if !c.fields {
		var b []byte
		last := 0
		for i := range line {
			if holds(c.spans, i+1) == c.invert {
				continue
			}
			if last != 0 && last != i && c.outPresent {
				b = append(b, c.outDelim...)
			}
			b, last = append(b, line[i]), i+1
		}
		return b, true
	}
	if !bytes.Contains(line, []byte(c.delim)) {
		return line, !c.only
	}
	var kept [][]byte
	for i, f := range bytes.Split(line, []byte(c.delim)) {
		if holds(c.spans, i+1) != c.invert {
			kept = append(kept, f)
		}
	}
	return bytes.Join(kept, []byte(c.outDelim)), true
}

func paste(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "d:sz", long: []string{"delimiters=d:", "serial=s"}})
	if !ok {
		return status
	}
	delims, serial := []string{"\t"}, false
	for _, o := range opts {
		switch o.name {
		case "d":
			delims = pasteDelims(o.arg)
		case "s":
			serial = true
		case "z":
			return p.complain("option -z is not supported here")
		}
	}
	if len(names) == 0 {
		names = []string{"-"}
	}
	out := p.sink()
	if serial {
		status = p.inputs(names, func(_ string, s *source) error {
			for i := 0; ; i++ {
				line, _, err := s.line()
				if err != nil {
					out.end('\n')
					return err
				}
				if i > 0 {
					out.WriteString(delims[(i-1)%len(delims)])
				}
				out.Write(line)
			}
		})
		return out.done(status)
	}
	return p.pasteParallel(names, delims, out)
}

func (p *Proc) pasteParallel(names, delims []string, out *sink) int {
	sources := make([]*source, len(names))
	var stdin *source
	for i, name := range names {
		if name == "-" && stdin != nil {
			sources[i] = stdin
			continue
		}
		r, err := p.open(name)
		if err != nil {
			return p.complain("%s: %s", name, reason(err))
		}
		defer r.Close()
		sources[i] = p.source(r)
		if name == "-" {
			stdin = sources[i]
		}
	}
	for {
		var row []string
		alive := false
		for _, s := range sources {
			line, _, err := s.line()
			alive = alive || err == nil
			row = append(row, string(line))
		}
		if !alive {
			return out.done(0)
		}
		for i, text := range row {
			if i > 0 {
				out.WriteString(delims[(i-1)%len(delims)])
			}
			out.WriteString(text)
		}
		if !out.end('\n') {
			return out.done(0)
		}
	}
}

func pasteDelims(arg string) []string {
	if arg == "" {
		return []string{""}
	}
	var list []string
	for i := 0; i < len(arg); i++ {
		if arg[i] == '\\' && i+1 < len(arg) {
			i++
			if arg[i] == '0' {
				list = append(list, "")
				continue
			}
			text, _ := unescape(arg[i-1:i+1], true)
			list = append(list, text)
			continue
		}
		list = append(list, arg[i:i+1])
	}
	return list
}
