package tool

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

func init() {
	register(map[string]Program{"nl": nl, "fold": fold, "expand": expand, "column": column, "join": join})
}

// count reads the argument of an option that is a number.
func (p *Proc) count(o option, least int, what string) (int, bool) {
	n, err := strconv.Atoi(o.arg)
	if err != nil || n < least {
		text := fmt.Sprintf("invalid %s: ‘%s’", what, o.arg)
		if err == nil {
			text += ": Numerical result out of range"
		}
		p.complain("%s", text)
		return 0, false
	}
	return n, true
}

func nl(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "b:i:n:s:v:w:", long: []string{"body-numbering=b:", "line-increment=i:", "number-format=n:",
		"number-separator=s:", "starting-line-number=v:", "number-width=w:"}})
	if !ok {
		return status
	}
	style, format, sep, at, step, width := "t", "rn", "\t", 1, 1, 6
	for _, o := range opts {
		ok := true
		switch o.name {
		case "b":
			style = o.arg
		case "n":
			format = o.arg
		case "s":
			sep = o.arg
		case "v":
			at, ok = p.count(o, -1<<31, "starting line number")
		case "i":
			step, ok = p.count(o, -1<<31, "line number increment")
		case "w":
			width, ok = p.count(o, 1, "line number field width")
		}
		if !ok {
			return 1
		}
	}
	verb := map[string]string{"ln": "%-*d", "rn": "%*d", "rz": "%0*d"}[format]
	switch {
	case !among([]string{"a", "t", "n"}, style):
		return p.complain("-b %s is not supported here: a, t or n", style)
	case verb == "":
		p.complain("invalid line numbering format: ‘%s’", format)
		return 1
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		if style == "n" || style == "t" && len(line) == 0 {
			return out.str(strings.Repeat(" ", width+len(sep)) + string(line))
		}
		fmt.Fprintf(out, verb, width, at)
		at += step
		return out.str(sep + string(line))
	})
	return out.done(status)
}

func fold(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "bsw:", long: []string{"bytes=b", "spaces=s", "width=w:"}})
	if !ok {
		return status
	}
	width, spaces := 80, false
	for _, o := range opts {
		switch o.name {
		case "s":
			spaces = true
		case "w":
			if width, ok = p.count(o, 1, "number of columns"); !ok {
				return 1
			}
		}
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		for len(line) > width {
			cut := width
			if at := strings.LastIndexAny(string(line[:width]), " \t"); spaces && at >= 0 {
				cut = at + 1
			}
			if !out.line(line[:cut]) {
				return false
			}
			line = line[cut:]
		}
		if !ended {
			out.Write(line)
			return true
		}
		return out.line(line)
	})
	return out.done(status)
}

func expand(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "it:", long: []string{"initial=i", "tabs=t:"}})
	if !ok {
		return status
	}
	width, initial := 8, false
	for _, o := range opts {
		switch o.name {
		case "i":
			initial = true
		case "t":
			if width, ok = p.count(o, 1, "tab size"); !ok {
				return 1
			}
		}
	}
	out := p.sink()
	status = p.eachLine(names, func(line []byte, ended bool) bool {
		at, text := 0, false
		for _, r := range string(line) {
			switch {
			case r == '\t' && !(initial && text):
				n := width - at%width
				out.WriteString(strings.Repeat(" ", n))
				at += n
				continue
			case r != ' ':
				text = true
			}
			out.WriteRune(r)
			at++
		}
		return !ended || out.end('\n')
	})
	return out.done(status)
}

// column is column -t: a table of what is between blanks.
func column(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "ts:o:N:", long: []string{"table=t", "separator=s:", "output-separator=o:", "table-columns=N:"}})
	if !ok {
		return status
	}
	table, seps, between := false, "", "  "
	var rows [][]string
	for _, o := range opts {
		switch o.name {
		case "t":
			table = true
		case "s":
			seps = o.arg
		case "o":
			between = o.arg
		case "N":
			rows = append(rows, strings.Split(o.arg, ","))
		}
	}
	if !table {
		return p.complain("without -t it is not supported here")
	}
	status = p.eachLine(names, func(line []byte, _ bool) bool {
		text := string(line)
		switch {
		case strings.TrimSpace(text) == "":
		case seps == "":
			rows = append(rows, strings.Fields(text))
		default:
			one := seps[:1]
			rows = append(rows, strings.Split(strings.NewReplacer(pairs(seps, one)...).Replace(text), one))
		}
		return true
	})
	widths := []int{}
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
		for i, cell := range row {
			out.WriteString(cell)
			if i < len(row)-1 {
				out.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + between)
			}
		}
		if !out.end('\n') {
			break
		}
	}
	return out.done(status)
}

// pairs maps each character of a set to one, for a replacer.
func pairs(set, one string) []string {
	var list []string
	for _, r := range set {
		list = append(list, string(r), one)
	}
	return list
}

// joiner is join at work.
type joiner struct {
	sep    string
	field  [2]int
	alone  [2]bool // -a: lines without a match, too
	paired bool    // not with -v
	empty  string
	format []string
	fold   bool
	out    *sink
}

func join(p *Proc) int {
	g := grammar{short: "a:e:ij:o:t:v:1:2:", long: []string{"ignore-case=i", "check-order", "nocheck-order"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	j := &joiner{paired: true, out: p.sink()}
	for _, o := range opts {
		n, err := strconv.Atoi(o.arg)
		switch o.name {
		case "a", "v":
			if n != 1 && n != 2 {
				return p.complain("invalid field number: ‘%s’", o.arg)
			}
			j.alone[n-1] = true
			j.paired = j.paired && o.name == "a"
		case "e":
			j.empty = o.arg
		case "i":
			j.fold = true
		case "o":
			j.format = append(j.format, strings.FieldsFunc(o.arg, func(r rune) bool { return r == ',' || r == ' ' })...)
		case "t":
			j.sep = o.arg
		case "j", "1", "2":
			if err != nil || n < 1 {
				return p.complain("invalid field number: ‘%s’", o.arg)
			}
			for i := range j.field {
				if o.name == "j" || o.name == strconv.Itoa(i+1) {
					j.field[i] = n - 1
				}
			}
		}
	}
	if bad := slices.IndexFunc(j.format, func(f string) bool { return !validField(f) }); bad >= 0 {
		if file, _, ok := strings.Cut(j.format[bad], "."); ok && file != "1" && file != "2" {
			return p.complain("invalid file number in field spec: ‘%s’", j.format[bad])
		}
		return p.complain("invalid field specifier: ‘%s’", j.format[bad])
	}
	if len(names) != 2 {
		if len(names) == 1 {
			return p.misuse(g, fmt.Sprintf("missing operand after ‘%s’", names[0]))
		}
		return p.missing(g)
	}
	var rows [2][][]string
	for i, name := range names {
		text, err := p.slurp(name)
		if err != nil {
			return p.complain("%s: %s", name, reason(err))
		}
		for line := range strings.Lines(string(text)) {
			rows[i] = append(rows[i], j.split(strings.TrimSuffix(line, "\n")))
		}
	}
	for i := range rows {
		if !slices.IsSortedFunc(rows[i], func(a, b []string) int { return strings.Compare(j.key(i, a), j.key(i, b)) }) {
			return p.complain("%s: is not sorted", names[i])
		}
	}
	j.run(rows)
	return j.out.done(0)
}

// validField is a field of -o: 0, or FILE.FIELD.
func validField(f string) bool {
	file, field, ok := strings.Cut(f, ".")
	n, err := strconv.Atoi(field)
	return f == "0" || ok && (file == "1" || file == "2") && err == nil && n > 0
}

func (j *joiner) split(line string) []string {
	if j.sep == "" {
		return strings.Fields(line)
	}
	return strings.Split(line, j.sep)
}

// key is the field that a row of a file is joined by.
func (j *joiner) key(file int, row []string) string {
	if j.field[file] >= len(row) {
		return ""
	}
	if j.fold {
		return upper(row[j.field[file]])
	}
	return row[j.field[file]]
}

func (j *joiner) run(rows [2][][]string) {
	a, b := rows[0], rows[1]
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(b) == 0:
			order = -1
		case len(a) == 0:
			order = 1
		default:
			order = strings.Compare(j.key(0, a[0]), j.key(1, b[0]))
		}
		switch {
		case order < 0:
			if j.alone[0] && !j.print(a[0], nil) {
				return
			}
			a = a[1:]
		case order > 0:
			if j.alone[1] && !j.print(nil, b[0]) {
				return
			}
			b = b[1:]
		default:
			key := j.key(0, a[0])
			n, m := 0, 0
			for n < len(a) && j.key(0, a[n]) == key {
				n++
			}
			for m < len(b) && j.key(1, b[m]) == key {
				m++
			}
			for i := 0; i < n && j.paired; i++ {
				for k := range m {
					if !j.print(a[i], b[k]) {
						return
					}
				}
			}
			a, b = a[n:], b[m:]
		}
	}
}

// print writes the fields of two rows; nil is one that is not there.
func (j *joiner) print(a, b []string) bool {
	rows := [2][]string{a, b}
	key := ""
	for i, row := range rows {
		if row != nil && j.field[i] < len(row) {
			key = row[j.field[i]]
			break
		}
	}
	var fields []string
	if j.format == nil {
		fields = []string{key}
		for i, row := range rows {
			for k, cell := range row {
				if k != j.field[i] {
					fields = append(fields, cell)
				}
			}
		}
	}
	for _, f := range j.format {
		cell := key
		if file, field, ok := strings.Cut(f, "."); ok {
			n, _ := strconv.Atoi(field)
			cell = ""
			if row := rows[file[0]-'1']; n <= len(row) {
				cell = row[n-1]
			}
		}
		if cell == "" {
			cell = j.empty
		}
		fields = append(fields, cell)
	}
	sep := j.sep
	if sep == "" {
		sep = " "
	}
	return j.out.str(strings.Join(fields, sep))
}
