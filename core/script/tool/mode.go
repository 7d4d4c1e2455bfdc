package tool

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

func chmod(p *Proc) int {
	g := grammar{short: "cfRvrwxst", long: []string{"recursive=R", "verbose=v", "changes=c", "quiet=f", "silent=f", "reference:"}}
	args := p.Args[1:]
	for i, a := range args { // -x and -rw are modes
		if len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "rwxXst") == "" {
			args = append(append(append([]string{}, args[:i]...), "--", a), args[i+1:]...)
			break
		}
	}
	opts, rest, err := g.parse(args)
	if err != nil {
		return p.misuse(g, err.Error())
	}
	switch len(rest) {
	case 0:
		return p.missing(g)
	case 1:
		return p.misuse(g, fmt.Sprintf("missing operand after ‘%s’", rest[0]))
	}
	if _, good := changeMode(rest[0], 0); !good {
		return p.misuse(g, fmt.Sprintf("invalid mode: ‘%s’", rest[0]))
	}
	status := 0
	for _, name := range rest[1:] {
		if s := p.chmod(rest[0], name, strings.Contains(letters(opts), "R")); s != 0 {
			status = s
		}
	}
	return status
}

func (p *Proc) chmod(mode, name string, recursive bool) int {
	full := p.abs(name)
	st, err := p.Files.Stat(full)
	if err != nil {
		return p.complain("cannot access '%s': %s", name, reason(err))
	}
	m, _ := changeMode(mode, st.Mode())
	if err := p.Files.Chmod(full, m); err != nil {
		return p.complain("changing permissions of '%s': %s", name, reason(err))
	}
	status := 0
	if recursive && st.IsDir() {
		list, _ := p.Files.ReadDir(full)
		for _, e := range list {
			status = max(status, p.chmod(mode, name+"/"+e.Name(), true))
		}
	}
	return status
}

// changeMode applies an octal mode, or changes such as u+x,go-w.
func changeMode(text string, mode fs.FileMode) (fs.FileMode, bool) {
	if n, err := strconv.ParseUint(text, 8, 12); err == nil {
		return fromUnix(uint32(n)), true
	}
	for _, clause := range strings.Split(text, ",") {
		at := strings.IndexAny(clause, "+-=")
		if at < 0 {
			return mode, false
		}
		who := uint32(0)
		for _, c := range clause[:at] {
			bits, ok := map[rune]uint32{'u': 0o4700, 'g': 0o2070, 'o': 0o007, 'a': 0o7777}[c]
			if !ok {
				return mode, false
			}
			who |= bits
		}
		if at == 0 {
			who = 0o7777
		}
		for rest := clause[at:]; rest != ""; {
			op := rest[0]
			end := 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "rwxXst"))
			what := uint32(0)
			for _, c := range rest[1:end] {
				what |= map[rune]uint32{'r': 0o444, 'w': 0o222, 'x': 0o111, 's': 0o6000, 't': 0o1000}[c]
				if c == 'X' && (mode.IsDir() || mode&0o111 != 0) {
					what |= 0o111
				}
			}
			if rest = rest[end:]; rest != "" && strings.IndexByte("+-=", rest[0]) < 0 {
				return mode, false
			}
			if at == 0 && op != '-' && op != '=' {
				what &^= 0o022 // the umask
			}
			now := toUnix(mode)
			switch op {
			case '+':
				now |= what & who
			case '-':
				now &^= what & who
			default:
				now = now&^(who&0o777) | what&who
			}
			mode = mode&fs.ModeDir | fromUnix(now)
		}
	}
	return mode, true
}

func toUnix(m fs.FileMode) uint32 {
	u := uint32(m.Perm())
	for _, b := range modeBits {
		if m&b.mode != 0 {
			u |= b.unix
		}
	}
	return u
}

func fromUnix(u uint32) fs.FileMode {
	m := fs.FileMode(u & 0o777)
	for _, b := range modeBits {
		if u&b.unix != 0 {
			m |= b.mode
		}
	}
	return m
}

var modeBits = []struct {
	mode fs.FileMode
	unix uint32
}{{fs.ModeSetuid, 0o4000}, {fs.ModeSetgid, 0o2000}, {fs.ModeSticky, 0o1000}}

func mktemp(p *Proc) int {
	g := grammar{short: "dp:qtu", long: []string{"directory=d", "tmpdir=p?", "quiet=q", "dry-run=u", "suffix:"}}
	opts, rest, status, ok := p.options(g)
	if !ok {
		return status
	}
	if len(rest) > 1 {
		return p.misuse(g, "too many templates")
	}
	template, dir := "tmp.XXXXXXXXXX", "/tmp"
	if t, set := p.Getenv("TMPDIR"); set && t != "" {
		dir = t
	}
	given, hasDir := flagged(opts, "p")
	if given != "" {
		dir = given
	}
	if len(rest) == 1 {
		template = rest[0]
	}
	if len(rest) == 0 || hasDir || strings.Contains(letters(opts), "t") {
		template = strings.TrimSuffix(dir, "/") + "/" + template
	}
	suffix, _ := flagged(opts, "suffix")
	end := strings.LastIndexByte(template, 'X') + 1
	suffix, template = template[end:]+suffix, template[:end]
	head := strings.TrimRight(template, "X")
	if len(template)-len(head) < 3 {
		return p.complain("too few X's in template ‘%s’", template+suffix)
	}
	return p.makeTemp(head, len(template)-len(head), suffix, letters(opts))
}

// makeTemp finds a name that is free and makes a file or a directory of it.
func (p *Proc) makeTemp(head string, places int, suffix, flags string) int {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	draw := p.Rand
	if draw == nil {
		n := uint64(0)
		draw = func() uint64 { n++; return n }
	}
	what := "file"
	if strings.Contains(flags, "d") {
		what = "directory"
	}
	for range 1000 {
		b := []byte(head)
		for range places {
			b = append(b, alphabet[draw()%uint64(len(alphabet))])
		}
		name := string(b) + suffix
		full := p.abs(name)
		if _, err := p.Files.Stat(full); err == nil {
			continue
		}
		var err error
		switch {
		case strings.Contains(flags, "u"):
		case what == "directory":
			err = p.Files.Mkdir(full, 0o700)
		default:
			err = p.Files.WriteFile(full, nil, 0o600)
		}
		if err != nil {
			if strings.Contains(flags, "q") {
				return 1
			}
			return p.complain("failed to create %s via template ‘%s’: %s", what, head+strings.Repeat("X", places)+suffix, reason(err))
		}
		fmt.Fprintln(p.Stdout, name)
		return 0
	}
	return p.complain("failed to create %s via template ‘%s’: File exists", what, head+strings.Repeat("X", places)+suffix)
}
