package tool

import (
	"fmt"
	"strings"
)

// changes finds the fewest lines to take out and put in, by Myers's algorithm.
func (d *differ) changes(x, y []string) []change {
	nx, ny := make([]string, len(x)), make([]string, len(y))
	for i, s := range x {
		nx[i] = d.normal(s)
	}
	for i, s := range y {
		ny[i] = d.normal(s)
	}
	head := 0
	for head < len(nx) && head < len(ny) && nx[head] == ny[head] {
		head++
	}
	tail := 0
	for tail < len(nx)-head && tail < len(ny)-head && nx[len(nx)-1-tail] == ny[len(ny)-1-tail] {
		tail++
	}
	goneX, newY := d.edits(nx[head:len(nx)-tail], ny[head:len(ny)-tail])
	var all []change
	for i, j := 0, 0; i < len(goneX) || j < len(newY); {
		if (i >= len(goneX) || !goneX[i]) && (j >= len(newY) || !newY[j]) {
			i, j = i+1, j+1
			continue
		}
		c := change{a: i, c: j}
		for i < len(goneX) && goneX[i] {
			i++
		}
		for j < len(newY) && newY[j] {
			j++
		}
		c.b, c.d = i, j
		all = append(all, change{c.a + head, c.b + head, c.c + head, c.d + head})
	}
	all = slide(all, nx, ny)
	if d.emptyLines {
		kept := all[:0]
		for _, c := range all {
			if !blankLines(x[c.a:c.b]) || !blankLines(y[c.c:c.d]) {
				kept = append(kept, c)
			}
		}
		all = kept
	}
	return all
}

func blankLines(lines []string) bool { return strings.Trim(strings.Join(lines, ""), "\r\n") == "" }

// slide moves runs that only take out or only put in as far down as they go, as
// diff prints them.
func slide(all []change, x, y []string) []change {
	for i := range all {
		c := &all[i]
		limitX, limitY := len(x), len(y)
		if i+1 < len(all) {
			limitX, limitY = all[i+1].a, all[i+1].c
		}
		switch {
		case c.a == c.b:
			for c.d < limitY && c.b < limitX && y[c.c] == y[c.d] {
				*c = change{c.a + 1, c.b + 1, c.c + 1, c.d + 1}
			}
		case c.c == c.d:
			for c.b < limitX && c.d < limitY && x[c.a] == x[c.b] {
				*c = change{c.a + 1, c.b + 1, c.c + 1, c.d + 1}
			}
		}
	}
	return all
}

// edits marks the lines of x that go and those of y that come.
func (d *differ) edits(x, y []string) (gone, come []bool) {
	gone, come = make([]bool, len(x)), make([]bool, len(y))
	n, m := len(x), len(y)
	limit := n + m
	at := make([]int, 2*limit+2)
	var trail [][]int
	const most = 4000 // past that many edits, all is one change
	for steps := 0; steps <= limit; steps++ {
		if steps > most || steps%64 == 63 && !d.p.step() {
			break
		}
		trail = append(trail, append([]int(nil), at[limit-steps:limit+steps+2]...))
		for k := -steps; k <= steps; k += 2 {
			i := 0
			if k == -steps || k != steps && at[limit+k-1] < at[limit+k+1] {
				i = at[limit+k+1]
			} else {
				i = at[limit+k-1] + 1
			}
			j := i - k
			for i < n && j < m && x[i] == y[j] {
				i, j = i+1, j+1
			}
			at[limit+k] = i
			if i >= n && j >= m {
				walkBack(trail, n, m, gone, come)
				return gone, come
			}
		}
	}
	for i := range gone {
		gone[i] = true
	}
	for j := range come {
		come[j] = true
	}
	return gone, come
}

func walkBack(trail [][]int, i, j int, gone, come []bool) {
	for steps := len(trail) - 1; steps > 0; steps-- {
		at := func(k int) int { return trail[steps][k+steps] }
		k := i - j
		from := k - 1
		if k == -steps || k != steps && at(k-1) < at(k+1) {
			from = k + 1
		}
		i0 := at(from)
		j0 := i0 - from
		if from == k+1 {
			come[j0] = true
		} else {
			gone[i0] = true
		}
		i, j = i0, j0
	}
}

func (d *differ) line(mark, text string) {
	d.out.WriteString(mark)
	if d.out.WriteString(text); !strings.HasSuffix(text, "\n") {
		d.out.WriteString("\n\\ No newline at end of file\n")
	}
}

func (d *differ) printNormal(x, y []string, changes []change) {
	rows := func(from, to int) string {
		if to-from <= 1 {
			return fmt.Sprint(to)
		}
		return fmt.Sprintf("%d,%d", from+1, to)
	}
	for _, c := range changes {
		verb := "c"
		switch {
		case c.a == c.b:
			verb = "a"
		case c.c == c.d:
			verb = "d"
		}
		d.out.str(rows(c.a, c.b) + verb + rows(c.c, c.d))
		for _, s := range x[c.a:c.b] {
			d.line("< ", s)
		}
		if verb == "c" {
			d.out.str("---")
		}
		for _, s := range y[c.c:c.d] {
			d.line("> ", s)
		}
	}
}

func (d *differ) printUnified(x, y []string, changes []change) {
	for len(changes) > 0 {
		n := 1
		for n < len(changes) && changes[n].a-changes[n-1].b <= 2*d.context {
			n++
		}
		d.hunk(x, y, changes[:n])
		changes = changes[n:]
	}
}

func (d *differ) hunk(x, y []string, changes []change) {
	first, last := changes[0], changes[len(changes)-1]
	before := min(d.context, first.a, first.c)
	after := min(d.context, len(x)-last.b)
	rows := func(from, to int) string {
		switch to - from {
		case 0:
			return fmt.Sprintf("%d,0", from)
		case 1:
			return fmt.Sprint(from + 1)
		}
		return fmt.Sprintf("%d,%d", from+1, to-from)
	}
	d.out.str(fmt.Sprintf("@@ -%s +%s @@", rows(first.a-before, last.b+after), rows(first.c-before, last.d+after)))
	at := first.a - before
	for _, c := range changes {
		for ; at < c.a; at++ {
			d.line(" ", x[at])
		}
		for _, s := range x[c.a:c.b] {
			d.line("-", s)
		}
		for _, s := range y[c.c:c.d] {
			d.line("+", s)
		}
		at = c.b
	}
	for ; at < last.b+after; at++ {
		d.line(" ", x[at])
	}
}
