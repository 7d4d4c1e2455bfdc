package tool

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func init() { register(map[string]Program{"find": find}) }

// found is a file that find looks at.
type found struct {
	name, start string
	depth       int
	st          fs.FileInfo
}

// condition is one test or action of find.
type condition func(f *found) bool

// finder is find at work.
type finder struct {
	p              *Proc
	args           []string
	at             int
	min, max       int
	depthFirst     bool
	acts           bool
	prune, stopped bool
	status         int
	out            *sink
	batches        []*batch
	failed         string
}

// batch collects names for -exec ... {} +.
type batch struct {
	command []string
	names   []string
}

func find(p *Proc) int {
	f := &finder{p: p, max: 1 << 30, out: p.sink()}
	args := p.Args[1:]
	for len(args) > 0 && among([]string{"-H", "-L", "-P"}, args[0]) {
		args = args[1:]
	}
	var starts []string
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") && args[0] != "(" && args[0] != "!" {
		starts, args = append(starts, args[0]), args[1:]
	}
	if len(starts) == 0 {
		starts = []string{"."}
	}
	f.args = args
	test := condition(func(*found) bool { return true })
	if len(args) > 0 {
		test = f.or()
		if f.failed == "" && f.at < len(f.args) {
			f.fail("paths must precede expression: `%s'", f.args[f.at])
		}
	}
	if f.failed != "" {
		return p.complain("%s", f.failed)
	}
	if !f.acts {
		inner := test
		test = func(x *found) bool { return inner(x) && f.print(x.name, '\n') }
	}
	for _, start := range starts {
		st, err := p.Files.Stat(p.abs(start))
		if err != nil {
			f.status = p.complain("‘%s’: %s", start, reason(err))
			continue
		}
		f.visit(&found{start, start, 0, st}, test)
	}
	for _, b := range f.batches {
		f.runBatch(b)
	}
	return f.out.done(f.status)
}

func (f *finder) fail(format string, args ...any) condition {
	if f.failed == "" {
		f.failed = fmt.Sprintf(format, args...)
	}
	return func(*found) bool { return false }
}

func (f *finder) visit(x *found, test condition) {
	if f.stopped || !f.p.step() {
		f.stopped = true
		return
	}
	f.prune = false
	if !f.depthFirst && x.depth >= f.min {
		test(x)
	}
	if x.st.IsDir() && x.depth < f.max && (!f.prune || f.depthFirst) {
		list, _ := f.p.Files.ReadDir(f.p.abs(x.name))
		for _, e := range list {
			f.visit(&found{strings.TrimSuffix(x.name, "/") + "/" + e.Name(), x.start, x.depth + 1, e}, test)
		}
	}
	if f.depthFirst && x.depth >= f.min && !f.stopped {
		test(x)
	}
}

func (f *finder) print(name string, end byte) bool {
	f.out.WriteString(name)
	if !f.out.end(end) {
		f.stopped = true
	}
	return true
}

func (f *finder) peek() string {
	if f.at < len(f.args) {
		return f.args[f.at]
	}
	return ""
}

func (f *finder) or() condition {
	left := f.and()
	for w := f.peek(); w == "-o" || w == "-or" || w == ","; w = f.peek() {
		f.at++
		a, b := left, f.and()
		if w == "," {
			left = func(x *found) bool { a(x); return b(x) }
		} else {
			left = func(x *found) bool { return a(x) || b(x) }
		}
	}
	return left
}

func (f *finder) and() condition {
	left := f.not()
	for f.failed == "" {
		switch f.peek() {
		case "", "-o", "-or", ",", ")":
			return left
		case "-a", "-and":
			f.at++
		}
		a, b := left, f.not()
		left = func(x *found) bool { return a(x) && b(x) }
	}
	return left
}

func (f *finder) not() condition {
	switch f.peek() {
	case "!", "-not":
		f.at++
		inner := f.not()
		return func(x *found) bool { return !inner(x) }
	case "(":
		f.at++
		inner := f.or()
		if f.peek() != ")" {
			return f.fail("invalid expression; I was expecting to find a ')' somewhere but did not see one.")
		}
		f.at++
		return inner
	}
	return f.primary()
}

// arg takes the argument of a primary.
func (f *finder) arg(name string) string {
	if f.at >= len(f.args) {
		f.fail("missing argument to `%s'", name)
		return ""
	}
	f.at++
	return f.args[f.at-1]
}

func (f *finder) primary() condition {
	word := f.peek()
	f.at++
	always := func(*found) bool { return true }
	switch word {
	case "-name", "-iname", "-path", "-wholename", "-ipath", "-iwholename":
		return f.names(word)
	case "-type":
		kind := f.arg(word)
		return func(x *found) bool {
			return strings.Contains(kind, map[bool]string{true: "d", false: "f"}[x.st.IsDir()])
		}
	case "-maxdepth", "-mindepth":
		n, err := strconv.Atoi(f.arg(word))
		if err != nil {
			return f.fail("Expected a positive decimal integer argument to %s, but got ‘%s’", word, f.args[f.at-1])
		}
		if word == "-maxdepth" {
			f.max = n
		} else {
			f.min = n
		}
		return always
	case "-depth", "-d":
		f.depthFirst = true
		return always
	case "-mount", "-xdev", "-noleaf", "-follow":
		return always
	case "-true":
		return always
	case "-false":
		return func(*found) bool { return false }
	case "-empty":
		return f.empty
	case "-prune":
		return func(*found) bool { f.prune = true; return true }
	case "-quit":
		f.acts = true
		return func(*found) bool { f.stopped = true; return true }
	case "-mtime", "-mmin", "-atime", "-amin", "-ctime", "-cmin":
		return f.age(word)
	case "-newer", "-anewer", "-cnewer":
		st, err := f.p.Files.Stat(f.p.abs(f.arg(word)))
		if err != nil {
			return f.fail("‘%s’: %s", f.args[f.at-1], reason(err))
		}
		return func(x *found) bool { return x.st.ModTime().After(st.ModTime()) }
	case "-newermt":
		t, good := parseDate(f.arg(word), f.p.Now().UTC())
		if !good {
			return f.fail("I cannot figure out how to interpret ‘%s’ as a date or time", f.args[f.at-1])
		}
		return func(x *found) bool { return x.st.ModTime().After(t) }
	case "-size":
		return f.size(f.arg(word))
	case "-perm":
		return f.perm(f.arg(word))
	case "-regex", "-iregex":
		re, err := compileRegex(f.arg(word), regexOptions{whole: true, fold: word == "-iregex"})
		if err != nil {
			return f.fail("%s", err)
		}
		return func(x *found) bool { return re.matches([]byte(x.name)) }
	}
	return f.action(word)
}

func (f *finder) names(word string) condition {
	pattern := f.arg(word)
	fold := strings.HasPrefix(word, "-i")
	if fold {
		pattern = strings.ToLower(pattern)
	}
	whole := strings.HasSuffix(word, "path") || strings.HasSuffix(word, "wholename")
	return func(x *found) bool {
		s := x.name
		if !whole {
			s = path.Base(s)
		}
		if fold {
			s = strings.ToLower(s)
		}
		return glob(pattern, s)
	}
}

func (f *finder) empty(x *found) bool {
	if !x.st.IsDir() {
		return x.st.Size() == 0
	}
	list, _ := f.p.Files.ReadDir(f.p.abs(x.name))
	return len(list) == 0
}

// compared reads +n, -n or n.
func (f *finder) compared(word, text string) func(int64) bool {
	n, err := strconv.ParseInt(strings.TrimLeft(text, "+-"), 10, 64)
	if err != nil {
		f.fail("invalid argument `%s' to `%s'", text, word)
	}
	switch text[:min(1, len(text))] {
	case "+":
		return func(v int64) bool { return v > n }
	case "-":
		return func(v int64) bool { return v < n }
	}
	return func(v int64) bool { return v == n }
}

func (f *finder) age(word string) condition {
	is := f.compared(word, f.arg(word))
	unit := 24 * time.Hour
	if strings.HasSuffix(word, "min") {
		unit = time.Minute
	}
	return func(x *found) bool {
		age := f.p.Now().Sub(x.st.ModTime())
		if unit == time.Minute { // minutes are rounded up
			age += unit - 1
		}
		return is(int64(age / unit))
	}
}

func (f *finder) size(text string) condition {
	unit := int64(512)
	if text != "" {
		if u, ok := map[byte]int64{'c': 1, 'w': 2, 'b': 512, 'k': 1024, 'M': 1 << 20, 'G': 1 << 30}[text[len(text)-1]]; ok {
			unit, text = u, text[:len(text)-1]
		}
	}
	is := f.compared("-size", text)
	return func(x *found) bool { return is((sizeOf(x.st) + unit - 1) / unit) }
}

func (f *finder) perm(text string) condition {
	m, good := changeMode(strings.TrimLeft(text, "-/"), 0)
	if !good {
		return f.fail("invalid mode ‘%s’", text)
	}
	want := toUnix(m)
	return func(x *found) bool {
		have := toUnix(x.st.Mode())
		switch text[0] {
		case '-':
			return have&want == want
		case '/':
			return want == 0 || have&want != 0
		}
		return have == want
	}
}

func (f *finder) action(word string) condition {
	f.acts = true
	switch word {
	case "-print":
		return func(x *found) bool { return f.print(x.name, '\n') }
	case "-print0":
		return func(x *found) bool { return f.print(x.name, 0) }
	case "-printf":
		format, _ := unescape(f.arg(word), true)
		return func(x *found) bool {
			f.out.WriteString(f.format(format, x))
			return true
		}
	case "-delete":
		f.depthFirst = true
		return f.remove
	case "-ls":
		l := &listing{p: f.p}
		return func(x *found) bool {
			f.out.str(fmt.Sprintf("%s %d root root %d %s %s", modeText(x.st.Mode()), 1, sizeOf(x.st), l.time(x.st.ModTime()), x.name))
			return true
		}
	case "-exec", "-execdir", "-ok":
		return f.exec(word)
	}
	if strings.HasPrefix(word, "-") {
		return f.fail("unknown predicate `%s'", word)
	}
	return f.fail("paths must precede expression: `%s'", word)
}

func (f *finder) remove(x *found) bool {
	if x.name == "." {
		return true
	}
	if err := f.p.Files.Remove(f.p.abs(x.name)); err != nil {
		f.status = f.p.complain("cannot delete ‘%s’: %s", x.name, reason(err))
		return false
	}
	return true
}

func (f *finder) exec(word string) condition {
	var command []string
	for f.at < len(f.args) && f.args[f.at] != ";" && !(f.args[f.at] == "+" && len(command) > 0 && command[len(command)-1] == "{}") {
		command = append(command, f.args[f.at])
		f.at++
	}
	switch {
	case f.at >= len(f.args):
		return f.fail("missing argument to `%s'", word)
	case f.p.Run == nil:
		return f.fail("no other program can be run here")
	}
	f.at++
	if f.args[f.at-1] == "+" {
		b := &batch{command: command[:len(command)-1]}
		f.batches = append(f.batches, b)
		return func(x *found) bool {
			if b.names = append(b.names, x.name); len(b.names) == 1000 {
				f.runBatch(b)
			}
			return true
		}
	}
	return func(x *found) bool {
		args := make([]string, len(command))
		for i, a := range command {
			args[i] = strings.ReplaceAll(a, "{}", x.name)
		}
		f.out.Flush()
		return f.p.found(args[0], "‘%s’: No such file or directory") && f.p.run(args) == 0
	}
}

func (f *finder) runBatch(b *batch) {
	if len(b.names) == 0 {
		return
	}
	f.out.Flush()
	if f.p.run(append(append([]string{}, b.command...), b.names...)) != 0 {
		f.status = 1
	}
	b.names = nil
}

// format prints -printf's conversions.
func (f *finder) format(format string, x *found) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		t := x.st.ModTime().UTC()
		switch format[i] {
		case 'p':
			b.WriteString(x.name)
		case 'f':
			b.WriteString(path.Base(x.name))
		case 'h':
			b.WriteString(path.Dir(x.name))
		case 'P':
			b.WriteString(strings.TrimPrefix(strings.TrimPrefix(x.name, x.start), "/"))
		case 'H':
			b.WriteString(x.start)
		case 'd':
			b.WriteString(strconv.Itoa(x.depth))
		case 's':
			b.WriteString(strconv.FormatInt(sizeOf(x.st), 10))
		case 'm':
			b.WriteString(strconv.FormatUint(uint64(toUnix(x.st.Mode())), 8))
		case 'M':
			b.WriteString(modeText(x.st.Mode()))
		case 'u', 'g':
			b.WriteString("root")
		case 'y':
			b.WriteString(map[bool]string{true: "d", false: "f"}[x.st.IsDir()])
		case 't':
			b.WriteString(strftime.Format(t, "%a %b %e %H:%M:%S.%N0 %Y"))
		case 'T':
			if i++; i < len(format) {
				b.WriteString(findTime(t, format[i]))
			}
		default:
			b.WriteByte(format[i])
		}
	}
	return b.String()
}

func findTime(t time.Time, letter byte) string {
	switch letter {
	case '@':
		return strftime.Format(t, "%s.%N0")
	case 'S':
		return strftime.Format(t, "%S.%N0")
	case 'T':
		return strftime.Format(t, "%H:%M:%S.%N0")
	case '+':
		return strftime.Format(t, "%Y-%m-%d+%H:%M:%S.%N0")
	}
	return strftime.Format(t, "%"+string(letter))
}
