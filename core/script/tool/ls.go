package tool

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/strftime"
)

func init() {
	register(map[string]Program{"ls": ls, "stat": stat, "readlink": readlink, "realpath": realpath})
}

// listing is how ls shows what it found.
type listing struct {
	p                                       *Proc
	all, almost, long, human, recursive     bool
	self, one, slash, classify, inode       bool
	reverse, byTime, bySize, unsorted, byVN bool
	iso                                     bool
	out                                     *sink
}

var lsGrammar = grammar{short: "1AaBCcdFfGghiklmnopqRrSstTUuvwXx", status: 2, long: []string{"all=a", "almost-all=A", "directory=d", "classify=F", "human-readable=h",
	"inode=i", "reverse=r", "recursive=R", "size=s", "color?", "full-time", "time-style:", "sort:", "format:", "group-directories-first"}}

func ls(p *Proc) int {
	opts, names, status, ok := p.options(lsGrammar)
	if !ok {
		return status
	}
	f := letters(opts)
	if p.refuses(opts, "Cmx") {
		return 2
	}
	has := func(set string) bool { return strings.ContainsAny(f, set) }
	l := &listing{p: p, all: has("af"), almost: has("A"), long: has("lgno"), human: has("h"), recursive: has("R"), self: has("d"), one: true,
		slash: has("p"), classify: has("F"), inode: has("i"), reverse: has("r"), byTime: has("t"), bySize: has("S"), unsorted: has("Uf"), byVN: has("v"), out: p.sink()}
	if style, given := flagged(opts, "time-style"); given {
		l.iso = style == "long-iso"
	}
	if len(names) == 0 {
		names = []string{"."}
	}
	var files, dirs []entry
	for _, name := range names {
		st, err := p.Files.Stat(p.abs(name))
		switch {
		case err != nil:
			p.complain("cannot access '%s': %s", name, reason(err))
			status = 2
		case st.IsDir() && !l.self:
			dirs = append(dirs, entry{name, st})
		default:
			files = append(files, entry{name, st})
		}
	}
	l.sort(files)
	l.sort(dirs)
	l.print(files)
	for i, d := range dirs {
		if i > 0 || len(files) > 0 {
			l.out.end('\n')
		}
		l.dir(d.name, len(names) > 1 || l.recursive)
	}
	return l.out.done(status)
}

// entry is one name with what is known of it.
type entry struct {
	name string
	fs.FileInfo
}

func (l *listing) sort(list []entry) {
	slices.SortStableFunc(list, func(a, b entry) int {
		c := 0
		switch {
		case l.unsorted:
			return 0
		case l.byTime:
			c = b.ModTime().Compare(a.ModTime())
		case l.bySize:
			c = int(b.Size() - a.Size())
		case l.byVN:
			c = compareVersions(a.name, b.name)
		}
		if c == 0 {
			c = strings.Compare(a.name, b.name)
		}
		if l.reverse {
			c = -c
		}
		return c
	})
}

func (l *listing) dir(name string, heading bool) {
	if heading {
		l.out.str(name + ":")
	}
	infos, _ := l.p.Files.ReadDir(l.p.abs(name))
	var list []entry
	if l.all {
		for _, dot := range []string{".", ".."} {
			if st, err := l.p.Files.Stat(l.p.abs(name + "/" + dot)); err == nil {
				list = append(list, entry{dot, st})
			}
		}
	}
	for _, i := range infos {
		if l.all || l.almost || !strings.HasPrefix(i.Name(), ".") {
			list = append(list, entry{i.Name(), i})
		}
	}
	l.sort(list)
	if l.long {
		l.out.str("total " + fmt.Sprint(blocks(list)))
	}
	l.print(list)
	if l.recursive {
		for _, e := range list {
			if e.IsDir() && e.name != "." && e.name != ".." {
				l.out.end('\n')
				l.dir(strings.TrimSuffix(name, "/")+"/"+e.name, true)
			}
		}
	}
}

func blocks(list []entry) (n int64) {
	for _, e := range list {
		n += (sizeOf(e) + 4095) / 4096 * 4
	}
	return n
}

// sizeOf is the size of a file; a directory has that of one block.
func sizeOf(st fs.FileInfo) int64 {
	if st.IsDir() {
		return 4096
	}
	return st.Size()
}

func (l *listing) print(list []entry) {
	width := 0
	sizes := make([]string, len(list))
	for i, e := range list {
		sizes[i] = fmt.Sprint(sizeOf(e))
		if l.human {
			sizes[i] = humanSize(sizeOf(e))
		}
		width = max(width, len(sizes[i]))
	}
	for i, e := range list {
		if l.long {
			links := 1
			if e.IsDir() {
				links = 2
			}
			fmt.Fprintf(l.out, "%s %d root root %*s %s ", modeText(e.Mode()), links, width, sizes[i], l.time(e.ModTime()))
		}
		l.out.WriteString(e.name)
		switch {
		case e.IsDir() && (l.classify || l.slash):
			l.out.WriteByte('/')
		case l.classify && e.Mode()&0o111 != 0:
			l.out.WriteByte('*')
		}
		if !l.out.end('\n') {
			return
		}
	}
}

func (l *listing) time(t time.Time) string {
	now := l.p.Now()
	switch {
	case l.iso:
		return strftime.Format(t.UTC(), "%Y-%m-%d %H:%M")
	case t.After(now) || now.Sub(t) > 15778476*time.Second:
		return strftime.Format(t.UTC(), "%b %e  %Y")
	}
	return strftime.Format(t.UTC(), "%b %e %H:%M")
}

func humanSize(n int64) string {
	if n < 1024 {
		return fmt.Sprint(n)
	}
	f, unit := float64(n), 0
	for f >= 1024 && unit < 4 {
		f /= 1024
		unit++
	}
	if f < 10 {
		tenths := int64(f*10 + 0.9999)
		return fmt.Sprintf("%d.%d%c", tenths/10, tenths%10, " KMGT"[unit])
	}
	return fmt.Sprintf("%d%c", int64(f+0.9999), " KMGT"[unit])
}

// modeText is a mode as ls -l shows it.
func modeText(m fs.FileMode) string {
	b := []byte("-rwxrwxrwx")
	switch {
	case m.IsDir():
		b[0] = 'd'
	case m&fs.ModeCharDevice != 0:
		b[0] = 'c'
	}
	for i := range 9 {
		if m&(1<<(8-i)) == 0 {
			b[i+1] = '-'
		}
	}
	if m&fs.ModeSticky != 0 {
		b[9] = map[bool]byte{true: 't', false: 'T'}[b[9] == 'x']
	}
	return string(b)
}

func stat(p *Proc) int {
	g := grammar{short: "c:fLt", long: []string{"format=c:", "printf:", "dereference=L", "file-system=f", "terse=t"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	format, end := "  File: %N\n  Size: %-15s Blocks: %-10b IO Block: %o   %F\nAccess: (%04a/%A)  Uid: (    0/    root)   Gid: (    0/    root)\nModify: %y", "\n"
	if f, given := flagged(opts, "c"); given {
		format = f
	}
	if f, given := flagged(opts, "printf"); given {
		format, _ = unescape(f, true)
		end = ""
	}
	out := p.sink()
	for _, name := range names {
		st, err := p.Files.Stat(p.abs(name))
		if err != nil {
			status = p.complain("cannot statx '%s': %s", name, reason(err))
			continue
		}
		out.WriteString(statFormat(format, name, p.abs(name), st) + end)
	}
	return out.done(status)
}

func statFormat(format, name, full string, st fs.FileInfo) string {
	kind := "regular file"
	switch {
	case st.IsDir():
		kind = "directory"
	case st.Mode()&fs.ModeCharDevice != 0:
		kind = "character special file"
	case st.Size() == 0:
		kind = "regular empty file"
	}
	time := st.ModTime().UTC()
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		from := i
		for i++; i < len(format)-1 && strings.IndexByte("-0123456789+ #.", format[i]) >= 0; i++ {
		}
		flags, letter := format[from+1:i], format[i]
		text := ""
		switch letter {
		case 'n':
			text = name
		case 'N':
			text = "'" + name + "'"
			if flags == "" && strings.HasPrefix(format, "  File") {
				text = name
			}
		case 's':
			text = fmt.Sprint(sizeOf(st))
		case 'a':
			text = fmt.Sprintf("%o", toUnix(st.Mode()))
		case 'A':
			text = modeText(st.Mode())
		case 'f':
			kindBits := map[bool]uint32{true: 0o40000, false: 0o100000}[st.IsDir()]
			text = fmt.Sprintf("%x", toUnix(st.Mode())|kindBits)
		case 'F':
			text = kind
		case 'U', 'G':
			text = "root"
		case 'u', 'g':
			text = "0"
		case 'b':
			text = fmt.Sprint((sizeOf(st) + 4095) / 4096 * 8)
		case 'B':
			text = "512"
		case 'o':
			text = "4096"
		case 'h':
			text = map[bool]string{true: "2", false: "1"}[st.IsDir()]
		case 'm':
			text = "/"
		case 'X', 'Y', 'Z', 'W':
			text = fmt.Sprint(time.Unix())
		case 'x', 'y', 'z', 'w':
			text = strftime.Format(time, "%Y-%m-%d %H:%M:%S.%N %z")
		case '%':
			text = "%"
		default:
			text = "?"
		}
		b.WriteString(padded(flags, text))
	}
	return b.String()
}

// padded applies the flags and the width of a conversion.
func padded(flags, text string) string {
	width := 0
	for _, c := range strings.TrimLeft(flags, "-0+ #") {
		if c < '0' || c > '9' || width > 10000 {
			break
		}
		width = width*10 + int(c-'0')
	}
	n := width - len(text)
	switch {
	case n <= 0:
		return text
	case strings.HasPrefix(flags, "-"):
		return text + strings.Repeat(" ", n)
	case strings.HasPrefix(flags, "0"):
		return strings.Repeat("0", n) + text
	}
	return strings.Repeat(" ", n) + text
}

func readlink(p *Proc) int {
	g := grammar{short: "efmnqsvz", long: []string{"canonicalize=f", "canonicalize-existing=e", "canonicalize-missing=m", "no-newline=n", "quiet=q", "silent=q", "verbose=v", "zero=z"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	f := letters(opts)
	end := "\n"
	if strings.Contains(f, "n") {
		end = ""
	}
	for _, name := range names {
		if !strings.ContainsAny(f, "efm") { // there are no links
			status = 1
			continue
		}
		full, err := p.canonical(name, f)
		if err != nil {
			if strings.Contains(f, "v") {
				p.complain("%s: %s", name, reason(err))
			}
			status = 1
			continue
		}
		fmt.Fprint(p.Stdout, full+end)
	}
	return status
}

// canonical is the absolute name. With e all of it must be there, with f all but
// the last part, with m nothing.
func (p *Proc) canonical(name, mode string) (string, error) {
	full := p.abs(name)
	if strings.Contains(mode, "m") || full == "/" || name == "" && !strings.Contains(mode, "m") {
		if name == "" {
			return "", errNotExist
		}
		return full, nil
	}
	if _, err := p.Files.Stat(full); err != nil {
		if strings.Contains(mode, "e") {
			return "", err
		}
		st, err := p.Files.Stat(path.Dir(full))
		if err == nil && !st.IsDir() {
			err = errNotDir
		}
		if err != nil {
			return "", err
		}
	}
	return full, nil
}

func realpath(p *Proc) int {
	g := grammar{short: "eLmPqsz", long: []string{"canonicalize-existing=e", "canonicalize-missing=m", "quiet=q", "strip=s", "no-symlinks=s", "relative-to:", "relative-base:", "zero=z"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	base, relative := flagged(opts, "relative-to")
	for _, name := range names {
		full, err := p.canonical(name, letters(opts)+"f")
		if err != nil {
			status = 1
			if !strings.Contains(letters(opts), "q") {
				p.complain("%s: %s", name, reason(err))
			}
			continue
		}
		if relative {
			full = relativeTo(p.abs(base), full)
		}
		fmt.Fprintln(p.Stdout, full)
	}
	return status
}

func relativeTo(base, full string) string {
	from, to := strings.Split(strings.Trim(base, "/"), "/"), strings.Split(strings.Trim(full, "/"), "/")
	if base == "/" {
		from = nil
	}
	n := 0
	for n < len(from) && n < len(to) && from[n] == to[n] {
		n++
	}
	parts := slices.Repeat([]string{".."}, len(from)-n)
	if parts = append(parts, to[n:]...); len(parts) == 0 {
		return "."
	}
	return strings.Join(parts, "/")
}
