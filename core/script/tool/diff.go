package tool

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func init() { register(map[string]Program{"diff": diff, "cmp": cmp}) }

func cmp(p *Proc) int {
	g := grammar{short: "bi:ln:s", long: []string{"print-bytes=b", "ignore-initial=i:", "verbose=l", "bytes=n:", "quiet=s", "silent=s"}, status: 2}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.misuse(grammar{status: 2, usage: "cmp: Try 'cmp --help' for more information."}, "missing operand after 'cmp'")
	}
	if len(names) == 1 {
		names = append(names, "-")
	}
	silent := strings.Contains(letters(opts), "s")
	var texts [2][]byte
	for i, name := range names[:2] {
		text, err := p.slurp(name)
		if err != nil {
			p.complain("%s: %s", name, reason(err))
			return 2
		}
		if limit, given := flagged(opts, "n"); given {
			n, _ := number(limit)
			text = text[:min(int64(len(text)), n)]
		}
		texts[i] = text
	}
	return p.compare(names, texts, silent, strings.Contains(letters(opts), "l"))
}

func (p *Proc) compare(names []string, texts [2][]byte, silent, verbose bool) int {
	a, b := texts[0], texts[1]
	line, status, out := 1, 0, p.sink()
	width := len(fmt.Sprint(min(len(a), len(b))))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			switch {
			case silent:
				return 1
			case !verbose:
				out.str(fmt.Sprintf("%s %s differ: byte %d, line %d", names[0], names[1], i+1, line))
				return out.done(1)
			}
			out.str(fmt.Sprintf("%*d %3o %3o", width, i+1, a[i], b[i]))
			status = 1
		}
		if a[i] == '\n' {
			line++
		}
	}
	if len(a) == len(b) {
		return out.done(status)
	}
	if !silent {
		short, n := names[0], len(a)
		if len(b) < len(a) {
			short, n = names[1], len(b)
		}
		out.Flush()
		switch {
		case n == 0:
			fmt.Fprintf(p.Stderr, "cmp: EOF on %s which is empty\n", short)
		case verbose:
			fmt.Fprintf(p.Stderr, "cmp: EOF on %s after byte %d\n", short, n)
		default:
			where := fmt.Sprintf("line %d", line-1)
			if texts[0][n-1] != '\n' {
				where = fmt.Sprintf("in line %d", line)
			}
			fmt.Fprintf(p.Stderr, "cmp: EOF on %s after byte %d, %s\n", short, n, where)
		}
	}
	return out.done(1)
}

// differ is diff at work.
type differ struct {
	p                     *Proc
	unified               bool
	context               int
	brief, same           bool
	fold, blanks, noBlank bool
	emptyLines            bool
	recursive, newFile    bool
	labels                []string
	header                string
	out                   *sink
}

func diff(p *Proc) int {
	g := grammar{short: "abBiC:cdeEL:nNqrsTtuU:wyZ", status: 2, usage: "diff: Try 'diff --help' for more information.", long: []string{"brief=q", "report-identical-files=s", "unified=U?", "context=C?", "ignore-case=i",
		"ignore-all-space=w", "ignore-space-change=b", "ignore-blank-lines=B", "label=L:", "recursive=r", "new-file=N", "text=a", "color?", "strip-trailing-cr", "minimal=d"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	d := &differ{p: p, context: 3, out: p.sink()}
	for _, o := range opts {
		switch o.name {
		case "q":
			d.brief = true
		case "s":
			d.same = true
		case "u", "U":
			d.unified = true
			if o.arg != "" {
				n, good := number(o.arg)
				if !good {
					p.complain("invalid context length '%s'", o.arg)
					return 2
				}
				d.context = int(n)
			}
		case "i":
			d.fold = true
		case "w":
			d.noBlank = true
		case "b":
			d.blanks = true
		case "B":
			d.emptyLines = true
		case "L":
			d.labels = append(d.labels, o.arg)
		case "r":
			d.recursive = true
		case "N":
			d.newFile = true
		case "a", "d", "color", "t", "T", "strip-trailing-cr", "E", "Z":
		default:
			p.complain("option -%s is not supported here: -u and the normal form are", o.name)
			return 2
		}
	}
	switch {
	case len(names) < 2:
		last := "diff"
		if len(names) == 1 {
			last = names[0]
		}
		return p.misuse(g, fmt.Sprintf("missing operand after '%s'", last))
	case len(names) > 2:
		return p.misuse(g, fmt.Sprintf("extra operand '%s'", names[2]))
	}
	return d.out.done(d.pair(names[0], names[1], true))
}

// pair compares two files or directories.
func (d *differ) pair(a, b string, top bool) int {
	isDir := func(name string) bool {
		st, err := d.p.Files.Stat(d.p.abs(name))
		return name != "-" && err == nil && st.IsDir()
	}
	dirA, dirB := isDir(a), isDir(b)
	switch {
	case dirA && dirB && (d.recursive || top):
		return d.folders(a, b)
	case dirA && dirB:
		d.out.str(fmt.Sprintf("Common subdirectories: %s and %s", a, b))
		return 0
	case dirA && top:
		a = a + "/" + b[strings.LastIndexByte(b, '/')+1:]
	case dirB && top:
		b = b + "/" + a[strings.LastIndexByte(a, '/')+1:]
	}
	var texts [2][]byte
	for i, name := range []string{a, b} {
		text, err := d.p.slurp(name)
		if err != nil && !(d.newFile && !top) {
			d.p.complain("%s: %s", name, reason(err))
			return 2
		}
		texts[i] = text
	}
	if a == "-" && b == "-" {
		return 0
	}
	return d.texts(a, b, texts[0], texts[1])
}

func (d *differ) folders(a, b string) int {
	names := map[string]int{}
	var all []string
	for side, dir := range []string{a, b} {
		list, err := d.p.Files.ReadDir(d.p.abs(dir))
		if err != nil {
			d.p.complain("%s: %s", dir, reason(err))
			return 2
		}
		for _, e := range list {
			if names[e.Name()] == 0 {
				all = append(all, e.Name())
			}
			names[e.Name()] |= 1 << side
		}
	}
	slices.Sort(all)
	status := 0
	for _, name := range all {
		if names[name] != 3 && !d.newFile {
			d.out.str(fmt.Sprintf("Only in %s: %s", []string{a, b}[names[name]-1], name))
			status = max(status, 1)
			continue
		}
		d.header = ""
		if d.recursive {
			var words []string
			for _, w := range d.p.Args[:len(d.p.Args)-2] {
				words = append(words, w)
			}
			d.header = strings.Join(words, " ") + " " + a + "/" + name + " " + b + "/" + name
		}
		status = max(status, d.pair(a+"/"+name, b+"/"+name, false))
	}
	return status
}

func (d *differ) texts(nameA, nameB string, a, b []byte) int {
	if bytes.Equal(a, b) {
		if d.same {
			d.out.str(fmt.Sprintf("Files %s and %s are identical", nameA, nameB))
		}
		return 0
	}
	if bytes.IndexByte(a, 0) >= 0 || bytes.IndexByte(b, 0) >= 0 {
		d.out.str(fmt.Sprintf("Binary files %s and %s differ", nameA, nameB))
		return 1
	}
	x, y := splitLines(a), splitLines(b)
	changes := d.changes(x, y)
	if len(changes) == 0 {
		return 0
	}
	if d.brief {
		d.out.str(fmt.Sprintf("Files %s and %s differ", nameA, nameB))
		return 1
	}
	if d.header != "" {
		d.out.str(d.header)
	}
	if d.unified {
		d.out.str("--- " + d.label(0, nameA))
		d.out.str("+++ " + d.label(1, nameB))
		d.printUnified(x, y, changes)
	} else {
		d.printNormal(x, y, changes)
	}
	return 1
}

func (d *differ) label(i int, name string) string {
	if i < len(d.labels) {
		return d.labels[i]
	}
	t := d.p.Now()
	if name != "-" {
		if st, err := d.p.Files.Stat(d.p.abs(name)); err == nil {
			t = st.ModTime()
		}
	}
	return name + "\t" + strftime.Format(t.UTC(), "%Y-%m-%d %H:%M:%S.%N %z")
}

func splitLines(text []byte) []string {
	lines := strings.SplitAfter(string(text), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// normal is a line as it is compared.
func (d *differ) normal(s string) string {
	if d.fold {
		s = strings.ToLower(s)
	}
	switch {
	case d.noBlank:
		s = strings.Map(func(r rune) rune {
			if r == ' ' || r == '\t' || r == '\r' {
				return -1
			}
			return r
		}, s)
	case d.blanks:
		s = strings.Join(strings.Fields(" "+s+" ."), " ")
	}
	return s
}

// change is a run of lines that differ: x[a:b] becomes y[c:d].
type change struct{ a, b, c, d int }
