package tool

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// target splits the operands of cp and mv: sources, and where they go. into says
// that it is a directory.
func (p *Proc) target(g grammar, opts []option, names []string) (sources []string, to string, into bool, status int) {
	if dir, given := flagged(opts, "t"); given {
		names = append(names, dir)
	}
	switch len(names) {
	case 0:
		return nil, "", false, p.misuse(g, "missing file operand")
	case 1:
		return nil, "", false, p.misuse(g, fmt.Sprintf("missing destination file operand after '%s'", names[0]))
	}
	sources, to = names[:len(names)-1], names[len(names)-1]
	st, err := p.Files.Stat(p.abs(to))
	into = err == nil && st.IsDir() && !strings.Contains(letters(opts), "T")
	if len(sources) > 1 && !into {
		if err != nil {
			return nil, "", false, p.complain("target '%s': %s", to, reason(err))
		}
		return nil, "", false, p.complain("target '%s': Not a directory", to)
	}
	return sources, to, into, 0
}

func cp(p *Proc) int {
	g := grammar{short: "abdfHiLlnPprRst:Tuvx", long: []string{"archive=a", "force=f", "recursive=r", "no-clobber=n", "preserve?", "target-directory=t:",
		"no-target-directory=T", "update=u", "verbose=v"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if p.refuses(opts, "bils") {
		return 1
	}
	sources, to, into, status := p.target(g, opts, names)
	if status != 0 {
		return status
	}
	for _, name := range sources {
		dest := to
		if into {
			dest = strings.TrimSuffix(to, "/") + "/" + path.Base(name)
		}
		if s := p.copy(name, dest, letters(opts)); s != 0 {
			status = s
		}
	}
	return status
}

func (p *Proc) copy(from, to, flags string) int {
	src, dst := p.abs(from), p.abs(to)
	st, err := p.Files.Stat(src)
	if err != nil {
		return p.complain("cannot stat '%s': %s", from, reason(err))
	}
	there, missing := p.Files.Stat(dst)
	switch {
	case st.IsDir() && !strings.ContainsAny(flags, "rRa"):
		return p.complain("-r not specified; omitting directory '%s'", from)
	case src == dst:
		return p.complain("'%s' and '%s' are the same file", from, to)
	case st.IsDir():
		return p.copyDir(from, to, flags, st)
	case missing == nil && there.IsDir():
		return p.complain("cannot overwrite directory '%s' with non-directory '%s'", to, from)
	case missing == nil && strings.Contains(flags, "n"), missing == nil && strings.Contains(flags, "u") && !st.ModTime().After(there.ModTime()):
		return 0
	}
	text, err := p.Files.ReadFile(src)
	if err != nil {
		return p.complain("cannot open '%s' for reading: %s", from, reason(err))
	}
	if err := p.Files.WriteFile(dst, text, st.Mode().Perm()); err != nil {
		return p.complain("cannot create regular file '%s': %s", to, reason(err))
	}
	if strings.ContainsAny(flags, "ap") {
		p.Files.Chmod(dst, st.Mode())
		p.Files.Chtimes(dst, st.ModTime())
	}
	if strings.Contains(flags, "v") {
		fmt.Fprintf(p.Stdout, "'%s' -> '%s'\n", from, to)
	}
	return 0
}

func (p *Proc) copyDir(from, to, flags string, st fs.FileInfo) int {
	src, dst := p.abs(from), p.abs(to)
	if strings.HasPrefix(dst, src+"/") {
		return p.complain("cannot copy a directory, '%s', into itself, '%s'", from, to)
	}
	if there, err := p.Files.Stat(dst); err != nil {
		if err := p.Files.Mkdir(dst, st.Mode()); err != nil {
			return p.complain("cannot create directory '%s': %s", to, reason(err))
		}
		if strings.Contains(flags, "v") {
			fmt.Fprintf(p.Stdout, "'%s' -> '%s'\n", from, to)
		}
	} else if !there.IsDir() {
		return p.complain("cannot overwrite non-directory '%s' with directory '%s'", to, from)
	}
	list, err := p.Files.ReadDir(src)
	if err != nil {
		return p.complain("cannot access '%s': %s", from, reason(err))
	}
	status := 0
	for _, e := range list {
		if s := p.copy(strings.TrimSuffix(from, "/")+"/"+e.Name(), strings.TrimSuffix(to, "/")+"/"+e.Name(), flags); s != 0 {
			status = s
		}
	}
	return status
}

func mv(p *Proc) int {
	g := grammar{short: "bfint:Tuv", long: []string{"force=f", "no-clobber=n", "target-directory=t:", "no-target-directory=T", "update=u", "verbose=v"}}
	opts, names, status, ok := p.options(g)
	if !ok {
		return status
	}
	if p.refuses(opts, "bi") {
		return 1
	}
	sources, to, into, status := p.target(g, opts, names)
	if status != 0 {
		return status
	}
	for _, name := range sources {
		dest := to
		if into {
			dest = strings.TrimSuffix(to, "/") + "/" + path.Base(name)
		}
		if s := p.move(name, dest, letters(opts)); s != 0 {
			status = s
		}
	}
	return status
}

func (p *Proc) move(from, to, flags string) int {
	src, dst := p.abs(from), p.abs(to)
	st, err := p.Files.Stat(src)
	if err != nil {
		return p.complain("cannot stat '%s': %s", from, reason(err))
	}
	there, missing := p.Files.Stat(dst)
	switch {
	case src == dst:
		return p.complain("'%s' and '%s' are the same file", from, to)
	case missing == nil && strings.Contains(flags, "n"), missing == nil && strings.Contains(flags, "u") && !newer(p, src, there):
		return 0
	case missing == nil && there.IsDir() && !st.IsDir():
		return p.complain("cannot overwrite directory '%s' with non-directory", to)
	case missing == nil && !there.IsDir() && st.IsDir():
		return p.complain("cannot overwrite non-directory '%s' with directory '%s'", to, from)
	case strings.HasPrefix(dst, src+"/"):
		return p.complain("cannot move '%s' to a subdirectory of itself, '%s'", from, to)
	}
	if err := p.Files.Rename(src, dst); err != nil {
		return p.complain("cannot move '%s' to '%s': %s", from, to, reason(err))
	}
	if strings.Contains(flags, "v") {
		fmt.Fprintf(p.Stdout, "renamed '%s' -> '%s'\n", from, to)
	}
	return 0
}

// newer reports whether a file was changed after another one.
func newer(p *Proc, name string, than fs.FileInfo) bool {
	st, err := p.Files.Stat(name)
	return err == nil && st.ModTime().After(than.ModTime())
}
