package tool

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"time"
)

func init() {
	register(map[string]Program{"rm": rm, "rmdir": rmdir, "mkdir": mkdir, "touch": touch, "cp": cp, "mv": mv, "chmod": chmod,
		"mktemp": mktemp})
}

func rm(p *Proc) int {
	g := grammar{short: "dfiIrRv", long: []string{"dir=d", "force=f", "interactive?", "recursive=r", "verbose=v", "one-file-system", "preserve-root?", "no-preserve-root"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	flags := letters(opts)
	if p.refuses(opts, "iI") {
		return 1
	}
	if len(names) == 0 && !strings.Contains(flags, "f") {
		return p.missing(g)
	}
	for _, name := range names {
		if s := p.remove(name, strings.ContainsAny(flags, "rR"), flags); s != 0 {
			status = s
		}
	}
	return status
}

// letters joins the names of short options.
func letters(opts []option) string {
	var b strings.Builder
	for _, o := range opts {
		if len(o.name) == 1 {
			b.WriteString(o.name)
		}
	}
	return b.String()
}

func (p *Proc) remove(name string, recursive bool, flags string) int {
	if base := path.Base(name); recursive && (base == "." || base == "..") && strings.TrimRight(name, "/") != "" {
		return p.complain("refusing to remove '.' or '..' directory: skipping '%s'", name)
	}
	full := p.abs(name)
	st, err := p.Files.Stat(full)
	switch {
	case err != nil && strings.Contains(flags, "f"):
		return 0
	case err != nil:
		return p.complain("cannot remove '%s': %s", name, reason(err))
	case full == "/" && recursive:
		p.complain("it is dangerous to operate recursively on '/'")
		return p.complain("use --no-preserve-root to override this failsafe")
	case st.IsDir() && !recursive && !strings.Contains(flags, "d"):
		return p.complain("cannot remove '%s': Is a directory", name)
	}
	if st.IsDir() && recursive {
		list, err := p.Files.ReadDir(full)
		if err != nil {
			return p.complain("cannot remove '%s': %s", name, reason(err))
		}
		for _, e := range list {
			if s := p.remove(strings.TrimSuffix(name, "/")+"/"+e.Name(), true, flags); s != 0 {
				return s
			}
		}
	}
	if err := p.Files.Remove(full); err != nil {
		return p.complain("cannot remove '%s': %s", name, reason(err))
	}
	if strings.Contains(flags, "v") {
		what := "removed '%s'\n"
		if st.IsDir() {
			what = "removed directory '%s'\n"
		}
		fmt.Fprintf(p.Stdout, what, name)
	}
	return 0
}

func rmdir(p *Proc) int {
	g := grammar{short: "pv", long: []string{"parents=p", "verbose=v", "ignore-fail-on-non-empty"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	for _, name := range names {
		for dir := name; ; {
			full := p.abs(dir)
			st, err := p.Files.Stat(full)
			if err == nil && !st.IsDir() {
				err = errNotDir
			}
			if err == nil {
				err = p.Files.Remove(full)
			}
			if err != nil {
				if _, quiet := flagged(opts, "ignore-fail-on-non-empty"); !quiet || reason(err) != reason(errNotEmpty) {
					status = p.complain("failed to remove '%s': %s", dir, reason(err))
				}
				break
			}
			if dir = path.Dir(dir); !strings.Contains(letters(opts), "p") || dir == "." || dir == "/" {
				break
			}
		}
	}
	return status
}

func mkdir(p *Proc) int {
	g := grammar{short: "m:pvZ", long: []string{"mode=m:", "parents=p", "verbose=v"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.missing(g)
	}
	mode, flags := fs.FileMode(0o755), letters(opts)
	if text, given := flagged(opts, "m"); given {
		m, good := changeMode(text, fs.ModeDir|0o777)
		if !good {
			return p.complain("invalid mode ‘%s’", text)
		}
		mode = m
	}
	for _, name := range names {
		if s := p.makeDir(name, mode, strings.Contains(flags, "p"), strings.Contains(flags, "v")); s != 0 {
			status = s
		}
	}
	return status
}

func (p *Proc) makeDir(name string, mode fs.FileMode, parents, verbose bool) int {
	full := p.abs(name)
	if parents {
		st, err := p.Files.Stat(full)
		switch {
		case err == nil && st.IsDir():
			return 0
		case err == nil:
			return p.complain("cannot create directory ‘%s’: File exists", name)
		}
		if parent := path.Dir(strings.TrimRight(name, "/")); parent != "." && parent != "/" {
			if st, err := p.Files.Stat(p.abs(parent)); err == nil && !st.IsDir() {
				return p.complain("cannot create directory ‘%s’: Not a directory", parent)
			}
			if s := p.makeDir(parent, 0o755, true, verbose); s != 0 {
				return s
			}
		}
	}
	if err := p.Files.Mkdir(full, mode); err != nil {
		return p.complain("cannot create directory ‘%s’: %s", name, reason(err))
	}
	if verbose {
		fmt.Fprintf(p.Stdout, "mkdir: created directory '%s'\n", name)
	}
	return 0
}

func touch(p *Proc) int {
	g := grammar{short: "acd:fhmr:t:", long: []string{"no-create=c", "date=d:", "reference=r:", "time:"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(names) == 0 {
		return p.misuse(g, "missing file operand")
	}
	t := p.Now()
	if text, given := flagged(opts, "d"); given {
		var good bool
		if t, good = parseDate(text, t.UTC()); !good {
			return p.complain("invalid date format ‘%s’", text)
		}
	}
	if ref, given := flagged(opts, "r"); given {
		st, err := p.Files.Stat(p.abs(ref))
		if err != nil {
			return p.complain("failed to get attributes of '%s': %s", ref, reason(err))
		}
		t = st.ModTime()
	}
	if text, given := flagged(opts, "t"); given {
		var good bool
		if t, good = touchTime(text, p.Now()); !good {
			return p.complain("invalid date format ‘%s’", text)
		}
	}
	for _, name := range names {
		full := p.abs(name)
		if _, err := p.Files.Stat(full); err != nil {
			if strings.Contains(letters(opts), "c") {
				continue
			}
			f, err := p.Files.Open(full, WriteOnly|Create, 0o644)
			if err != nil {
				status = p.complain("cannot touch '%s': %s", name, reason(err))
				continue
			}
			f.Close()
		}
		if err := p.Files.Chtimes(full, t); err != nil {
			status = p.complain("cannot touch '%s': %s", name, reason(err))
		}
	}
	return status
}

// touchTime reads [[CC]YY]MMDDhhmm[.ss].
func touchTime(s string, now time.Time) (time.Time, bool) {
	main, sec, _ := strings.Cut(s, ".")
	switch len(main) {
	case 8:
		main = strconv.Itoa(now.UTC().Year()) + main
	case 10:
		main = "20" + main
	}
	if sec == "" {
		sec = "00"
	}
	t, err := time.Parse("20060102150405", main+sec)
	return t, err == nil
}
