package shell

import (
	"strings"
)

// cd changes the working directory.
func cd(s *sh, args []string) int {
	o := optReader{s: s, name: "cd", flags: "LPe@", args: args[1:], usage: "cd [-L|[-P [-e]] [-@]] [dir]"}
	for o.next() {
		continue
	}
	if o.failed {
		return 2
	}
	if len(o.args) > 1 {
		s.errorf("cd: too many arguments")
		return 1
	}
	show := false
	var to string
	switch {
	case len(o.args) == 0:
		v := s.lookup("HOME")
		if v == nil || !v.set {
			s.errorf("cd: HOME not set")
			return 1
		}
		to = v.str
	case o.args[0] == "-":
		v := s.lookup("OLDPWD")
		if v == nil || !v.set {
			s.errorf("cd: OLDPWD not set")
			return 1
		}
		to, show = v.str, true
	default:
		to = o.args[0]
	}
	if to == "" {
		return 0
	}
	if !s.chdir("cd", to) {
		return 1
	}
	if show {
		return s.write("cd", s.dir+"\n")
	}
	return 0
}

func (s *sh) chdir(name, to string) bool {
	path := s.path(to)
	info, err := s.e.Files.Stat(path)
	switch {
	case err != nil:
		s.errorf("%s: %s: %s", name, to, errno(err))
		return false
	case !info.IsDir():
		s.errorf("%s: %s: Not a directory", name, to)
		return false
	}
	s.setVar("OLDPWD", s.dir)
	s.dir = path
	return s.setVar("PWD", path)
}

func pwd(s *sh, _ []string) int { return s.write("pwd", s.dir+"\n") }

func pushd(s *sh, args []string) int {
	old := s.dir
	switch {
	case len(args) == 1 && len(s.dirs) == 0:
		s.errorf("pushd: no other directory")
		return 1
	case len(args) == 1:
		if !s.chdir("pushd", s.dirs[0]) {
			return 1
		}
		s.dirs = append([]string{old}, s.dirs[1:]...)
	case args[1] != "" && (args[1][0] == '+' || args[1][0] == '-'):
		s.e.stop("refused", "line %d: pushd %s is not supported", s.line, args[1])
	default:
		if !s.chdir("pushd", args[1]) {
			return 1
		}
		s.dirs = append([]string{old}, s.dirs...)
	}
	return dirs(s, []string{"dirs"})
}

func popd(s *sh, args []string) int {
	if len(args) > 1 {
		s.e.stop("refused", "line %d: popd %s is not supported", s.line, args[1])
	}
	if len(s.dirs) == 0 {
		s.errorf("popd: directory stack empty")
		return 1
	}
	if !s.chdir("popd", s.dirs[0]) {
		return 1
	}
	s.dirs = s.dirs[1:]
	return dirs(s, []string{"dirs"})
}

func dirs(s *sh, args []string) int {
	if len(args) > 1 {
		s.e.stop("refused", "line %d: dirs %s is not supported", s.line, args[1])
	}
	home := s.get("HOME")
	var list []string
	for _, d := range append([]string{s.dir}, s.dirs...) {
		if home != "" && (d == home || strings.HasPrefix(d, home+"/")) {
			d = "~" + d[len(home):]
		}
		list = append(list, d)
	}
	return s.write("dirs", strings.Join(list, " ")+"\n")
}
