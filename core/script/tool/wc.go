package tool

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// counts are what wc counts, in the order in which it prints them.
type counts struct{ lines, words, chars, bytes, longest int }

func wc(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "clmwL", long: []string{"bytes=c", "lines=l", "chars=m", "words=w", "max-line-length=L"}})
	if !ok {
		return status
	}
	which := ""
	for _, o := range opts {
		which += o.name
	}
	if which == "" {
		which = "lwc"
	}
	type row struct {
		counts
		name string
	}
	var rows []row
	var total counts
	status = p.inputs(names, func(name string, s *source) error {
		c, err := count(s)
		total.add(c)
		if len(names) == 0 {
			name = ""
		}
		rows = append(rows, row{c, name})
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if len(names) > 1 {
		rows = append(rows, row{total, "total"})
	}
	out := p.sink()
	width := 1
	if len(names) > 1 || len(which) > 1 {
		width = len(fmt.Sprint(max(total.bytes, total.lines)))
		if _, isFile := p.Stdin.(File); !isFile && (len(names) == 0 || among(names, "-")) {
			width = max(width, 7)
		}
	}
	for _, r := range rows {
		out.str(strings.TrimSuffix(r.line(which, width)+" "+r.name, " "))
	}
	return out.done(status)
}

func among(list []string, word string) bool {
	for _, w := range list {
		if w == word {
			return true
		}
	}
	return false
}

func (c counts) line(which string, width int) string {
	var fields []string
	for _, f := range []struct {
		letter string
		n      int
	}{{"l", c.lines}, {"w", c.words}, {"m", c.chars}, {"c", c.bytes}, {"L", c.longest}} {
		if strings.Contains(which, f.letter) {
			fields = append(fields, fmt.Sprintf("%*d", width, f.n))
		}
	}
	return strings.Join(fields, " ")
}

func (c *counts) add(o counts) {
	c.lines += o.lines
	c.words += o.words
	c.chars += o.chars
	c.bytes += o.bytes
	c.longest = max(c.longest, o.longest)
}

func count(s *source) (c counts, err error) {
	inWord, width := false, 0
	for n := 0; ; n++ {
		r, size, err := s.ReadRune()
		if err != nil {
			c.longest = max(c.longest, width)
			return c, err
		}
		if n%65536 == 65535 && !s.p.step() {
			return c, errBudget
		}
		c.bytes += size
		if r != utf8.RuneError || size > 1 {
			c.chars++
		}
		if r == '\n' {
			c.lines++
			c.longest, width = max(c.longest, width), 0
		} else if r == '\t' {
			width = (width/8 + 1) * 8
		} else if unicode.IsPrint(r) {
			width++
		}
		space := unicode.IsSpace(r)
		if !space && !inWord {
			c.words++
		}
		inWord = !space
	}
}
