package tool

// Programs that lay lines out anew: numbered, broken, in columns, paired, shuffled.

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() {
	register(map[string]Program{"nl": nl, "fold": fold, "expand": expand, "column": column, "join": join, "shuf": shuf})
}

// nl numbers lines.
func nl(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "b:n:s:v:i:w:", long: []string{"body-numbering=b:", "number-format=n:", "number-separator=s:",
		"starting-line-number=v:", "line-increment=i:", "number-width=w:"}})
	if !ok {
		return status
	}
	style, format, separator := "t", "rn", "\t"
	numbers := map[string]int{"v": 1, "i": 1, "w": 6}
	what := map[string]string{"v": "starting line number", "i": "line number increment", "w": "line number field width"}
	for _, o := range opts {
		switch o.name {
		case "b":
			if style = o.arg; style != "a" && style != "t" && style != "n" {
				p.complain("invalid body numbering style: ‘%s’", o.arg)
				fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.name())
				return 1
			}
		case "n":
			if format = o.arg; format != "ln" && format != "rn" && format != "rz" {
				p.complain("invalid line numbering format: ‘%s’", o.arg)
				fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.name())
				return 1
			}
		case "s":
			separator = o.arg
		default:
			n, err := strconv.Atoi(o.arg)
			if err != nil || o.name == "w" && n < 1 {
				return p.complain("invalid %s: ‘%s’", what[o.name], o.arg)
			}
			numbers[o.name] = n
		}
	}
	out, at := p.sink(), numbers["v"]
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		if style == "n" || style == "t" && len(line) == 0 {
			out.WriteString(strings.Repeat(" ", numbers["w"]+len(separator)))
			return out.line(line)
		}
		text := strconv.Itoa(at)
		fill := strings.Repeat(" ", max(0, numbers["w"]-len(text)))
		switch format {
		case "ln":
			text += fill
		case "rz":
			text = strings.Repeat("0", len(fill)) + text
		default:
			text = fill + text
		}
		at += numbers["i"]
		out.WriteString(text + separator)
		return out.line(line)
	})
	return out.done(status)
}

// fold breaks lines that are too long.
func fold(p *Proc) int {
	args := slices.Clone(p.Args)
	if len(args) > 1 && len(args[1]) > 1 && args[1][0] == '-' && digits(args[1][1:]) {
		args[1] = "-w" + args[1][1:] // the old form: fold -40
	}
	with := *p
	with.Args = args
	opts, names, status, ok := with.options(grammar{short: "bsw:", long: []string{"bytes=b", "spaces=s", "width=w:"}})
	if !ok {
		return status
	}
	_, spaces := flagged(opts, "s")
	width := 80
	if text, ok := flagged(opts, "w"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return p.complain("invalid number of columns: ‘%s’", text)
		}
		width = n
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		for len(line) > width {
			at := width
			if spaces {
				if i := strings.LastIndexAny(string(line[:width]), " \t"); i >= 0 {
					at = i + 1
				}
			}
			if !out.line(line[:at]) {
				return false
			}
			line = line[at:]
		}
		out.Write(line)
		return !ended || out.end('\n')
	})
	return out.done(status)
}

// expand turns tabs into blanks.
func expand(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "it:", long: []string{"initial=i", "tabs=t:"}})
	if !ok {
		return status
	}
	_, initial := flagged(opts, "i")
	width := 8
	if text, ok := flagged(opts, "t"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return p.complain("tab size %q is not supported here: one number", text)
		}
		width = n
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		col, begun := 0, false
		for _, c := range line {
			if c == '\t' && (!initial || !begun) {
				n := width - col%width
				out.WriteString(strings.Repeat(" ", n))
				col += n
				continue
			}
			begun = begun || c != ' '
			out.WriteByte(c)
			col++
		}
		return !ended || out.end('\n')
	})
	return out.done(status)
}

// column lays out a table (-t): the columns as wide as their widest cell.
func column(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "ts:o:N:L", long: []string{"table=t", "separator=s:", "output-separator=o:", "table-columns=N:", "keep-empty-lines=L"}})
	if !ok {
		return status
	}
	if _, table := flagged(opts, "t"); !table {
		return p.complain("only a table is laid out here: column -t")
	}
	separator, own := flagged(opts, "s")
	between := "  "
	if text, ok := flagged(opts, "o"); ok {
		between = text
	}
	var rows [][]string
	if text, ok := flagged(opts, "N"); ok {
		rows = append(rows, strings.Split(text, ","))
	}
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		text := string(line)
		if strings.TrimSpace(text) == "" {
			return true
		}
		if own {
			rows = append(rows, splitEach(text, separator))
		} else {
			rows = append(rows, strings.Fields(text))
		}
		return true
	})
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	out := p.sink()
	for _, row := range rows {
		for i := range widths {
			cell := ""
			if i < len(row) {
				cell = row[i]
			}
			out.WriteString(cell)
			if i < len(widths)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + between)
			}
		}
		if !out.end('\n') {
			break
		}
	}
	return out.done(status)
}

// splitEach splits at each of several characters.
func splitEach(text, separators string) []string {
	var out []string
	from := 0
	for i, r := range text {
		if strings.ContainsRune(separators, r) {
			out = append(out, text[from:i])
			from = i + utf8.RuneLen(r)
		}
	}
	return append(out, text[from:])
}

// shuf brings lines into an order that the pass's generator draws.
func shuf(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "ei:n:rz", long: []string{"echo=e", "input-range=i:", "head-count=n:", "repeat=r", "zero-terminated=z"}})
	if !ok {
		return status
	}
	var lines []string
	_, echoes := flagged(opts, "e")
	span, ranged := flagged(opts, "i")
	switch {
	case p.Rand == nil:
		return p.complain("there is no generator here")
	case echoes:
		lines = names
	case ranged:
		from, to, _ := strings.Cut(span, "-")
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || b < a {
			return p.complain("invalid input range: ‘%s’", span)
		}
		if b-a > 1<<20 {
			return p.complain("a range of more than 1,048,576 numbers is not supported here")
		}
		for ; a <= b; a++ {
			lines = append(lines, strconv.Itoa(a))
		}
	default:
		status = p.eachLine(names, func(line []byte, _ bool) bool {
			lines = append(lines, string(line))
			return true
		})
	}
	if _, repeat := flagged(opts, "r"); repeat {
		return p.complain("-r is not supported here: draw with $RANDOM")
	}
	most := len(lines)
	if text, ok := flagged(opts, "n"); ok {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return p.complain("invalid line count: ‘%s’", text)
		}
		most = min(most, n)
	}
	lines = slices.Clone(lines)
	out := p.sink()
	for i := range most {
		j := i + int(p.Rand()%uint64(len(lines)-i))
		lines[i], lines[j] = lines[j], lines[i]
		if !out.str(lines[i]) {
			break
		}
	}
	return out.done(status)
}

// join pairs the lines of two sorted files that have a field in common.
func join(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "1:2:t:a:v:e:o:j:i", long: []string{"ignore-case=i"}})
	if !ok {
		return status
	}
	if len(names) != 2 {
		if len(names) > 2 {
			p.complain("extra operand ‘%s’", names[2])
		} else if len(names) == 1 {
			p.complain("missing operand after ‘%s’", names[0])
		} else {
			p.complain("missing operand")
		}
		fmt.Fprintf(p.Stderr, "Try '%s --help' for more information.\n", p.name())
		return 1
	}
	j := &joining{p: p, out: p.sink(), keys: [2]int{0, 0}}
	for _, o := range opts {
		switch o.name {
		case "1", "2", "j":
			n, err := strconv.Atoi(o.arg)
			if err != nil || n < 1 {
				return p.complain("invalid field number: ‘%s’", o.arg)
			}
			for i := range 2 {
				if o.name == "j" || o.name == strconv.Itoa(i+1) {
					j.keys[i] = n - 1
				}
			}
		case "t":
			j.separator = o.arg
		case "a", "v":
			if o.arg != "1" && o.arg != "2" {
				return p.complain("invalid file number: ‘%s’", o.arg)
			}
			j.alone[o.arg[0]-'1'] = true
			j.onlyAlone = j.onlyAlone || o.name == "v"
		case "e":
			j.empty = o.arg
		case "o":
			for _, f := range strings.FieldsFunc(o.arg, func(r rune) bool { return r == ',' || r == ' ' }) {
				j.form = append(j.form, f)
			}
		case "i":
			j.fold = true
		}
	}
	return j.run(names)
}

type joining struct {
	p         *Proc
	out       *sink
	keys      [2]int
	separator string
	alone     [2]bool
	onlyAlone bool
	empty     string
	form      []string
	fold      bool
}

func (j *joining) run(names []string) int {
	var rows [2][][]string
	for i, name := range names {
		text, err := j.p.slurp(name)
		if err != nil {
			return j.p.complain("%s: %s", name, reason(err))
		}
		if len(text) == 0 {
			continue
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
			if j.separator != "" {
				rows[i] = append(rows[i], strings.Split(line, j.separator))
			} else {
				rows[i] = append(rows[i], strings.Fields(line))
			}
		}
	}
	a, b := rows[0], rows[1]
	for len(a) > 0 && len(b) > 0 {
		order := strings.Compare(j.key(0, a[0]), j.key(1, b[0]))
		switch {
		case order < 0:
			j.single(0, a[0])
			a = a[1:]
		case order > 0:
			j.single(1, b[0])
			b = b[1:]
		default:
			n, m := j.together(0, a), j.together(1, b)
			for _, x := range a[:n] {
				for _, y := range b[:m] {
					if !j.p.step() {
						return exitBudget
					}
					if !j.onlyAlone {
						j.print(x, y)
					}
				}
			}
			a, b = a[n:], b[m:]
		}
	}
	for _, x := range a {
		j.single(0, x)
	}
	for _, y := range b {
		j.single(1, y)
	}
	return j.out.done(0)
}

// together is how many rows begin with the same key.
func (j *joining) together(file int, rows [][]string) int {
	n := 1
	for n < len(rows) && j.key(file, rows[n]) == j.key(file, rows[0]) {
		n++
	}
	return n
}

func (j *joining) key(file int, row []string) string {
	text := at(row, j.keys[file], "")
	if j.fold {
		text = strings.ToLower(text)
	}
	return text
}

func at(row []string, n int, otherwise string) string {
	if n < len(row) && row[n] != "" {
		return row[n]
	}
	return otherwise
}

func (j *joining) single(file int, row []string) {
	if !j.alone[file] {
		return
	}
	if file == 0 {
		j.print(row, nil)
	} else {
		j.print(nil, row)
	}
}

func (j *joining) print(x, y []string) {
	var out []string
	first, file := x, 0
	if x == nil {
		first, file = y, 1
	}
	key := at(first, j.keys[file], "")
	if j.form != nil {
		for _, f := range j.form {
			which, n, _ := strings.Cut(f, ".")
			k, _ := strconv.Atoi(n)
			switch which {
			case "0":
				out = append(out, key)
			case "1":
				out = append(out, at(x, k-1, j.empty))
			default:
				out = append(out, at(y, k-1, j.empty))
			}
		}
	} else {
		out = append(out, key)
		for i, row := range [][]string{x, y} {
			for n, cell := range row {
				if n != j.keys[i] {
					out = append(out, cell)
				}
			}
		}
	}
	separator := j.separator
	if separator == "" {
		separator = " "
	}
	j.out.str(strings.Join(out, separator))
}
