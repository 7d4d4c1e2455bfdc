package tool

import (
	"fmt"
	"strings"
)

func init() {
	fixed := func(text string) Program {
		return func(p *Proc) int {
			if len(p.Args) > 1 {
				return p.misuse(grammar{}, fmt.Sprintf("extra operand ‘%s’", p.Args[1]))
			}
			return p.say(text)
		}
	}
	register(map[string]Program{"id": id, "whoami": fixed("root"), "arch": fixed("x86_64"), "nproc": fixed("1"), "uname": uname,
		"hostname": func(p *Proc) int { return p.say("localhost") }, "which": which, "sync": func(*Proc) int { return 0 },
		"tty": func(p *Proc) int { p.say("not a tty"); return 1 }})
}

// say prints one line.
func (p *Proc) say(text string) int {
	out := p.sink()
	out.str(text)
	return out.done(0)
}

// id tells of the one user that there is.
func id(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "agGnru", long: []string{"user=u", "group=g", "groups=G", "name=n", "real=r"}})
	if !ok {
		return status
	}
	if len(names) > 0 && names[0] != "root" {
		return p.complain("‘%s’: no such user", names[0])
	}
	flags := letters(opts)
	switch {
	case !strings.ContainsAny(flags, "ugG") && strings.ContainsAny(flags, "nr"):
		return p.complain("cannot print only names or real IDs in default format")
	case !strings.ContainsAny(flags, "ugG"):
		return p.say("uid=0(root) gid=0(root) groups=0(root)")
	case strings.Contains(flags, "n"):
		return p.say("root")
	}
	return p.say("0")
}

func uname(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "asnrvmpio", long: []string{"all=a", "kernel-name=s", "nodename=n", "kernel-release=r", "kernel-version=v",
		"machine=m", "processor=p", "hardware-platform=i", "operating-system=o"}})
	if !ok {
		return status
	}
	if len(names) > 0 {
		return p.misuse(grammar{}, fmt.Sprintf("extra operand ‘%s’", names[0]))
	}
	flags := letters(opts)
	var words []string
	for _, w := range []struct{ letter, text string }{{"s", "Linux"}, {"n", "localhost"}, {"r", "6.1.0"}, {"v", "#1 SMP"}, {"m", "x86_64"}, {"p", "unknown"}, {"i", "unknown"}, {"o", "GNU/Linux"}} {
		known := w.text != "unknown"
		if strings.Contains(flags, w.letter) || strings.Contains(flags, "a") && known || flags == "" && w.letter == "s" {
			words = append(words, w.text)
		}
	}
	return p.say(strings.Join(words, " "))
}

// which prints where the programs of the PATH are.
func which(p *Proc) int {
	opts, names, status, ok := p.options(grammar{short: "as"})
	if !ok {
		return status
	}
	out := p.sink()
	for _, name := range names {
		switch {
		case p.Find == nil || strings.Contains(name, "/") || !p.Find(name):
			status = 1
		case !strings.Contains(letters(opts), "s"):
			out.str("/usr/bin/" + name)
		}
	}
	if len(names) == 0 {
		status = 1
	}
	return out.done(status)
}

// found reports whether a program that is to be run is there, and says so where
// it is not.
func (p *Proc) found(name, format string) bool {
	if p.Find == nil || p.Find(name) {
		return true
	}
	p.complain(format, name)
	return false
}

// refuses complains about an option that is not done here.
func (p *Proc) refuses(opts []option, names string) bool {
	for _, o := range opts {
		if len(o.name) == 1 && strings.Contains(names, o.name) {
			p.complain("option -%s is not supported here", o.name)
			return true
		}
	}
	return false
}
