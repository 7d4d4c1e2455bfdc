package shell

import (
	"fmt"
	"strings"
)

// getopt is the state of getopts between calls.
type getopt struct{ at int }

// option is one that getopts has read.
type option struct {
	name, value string
	has         bool // OPTARG is set
	status      int
	complaint   string
}

// getopts models getopts.def.
func getopts(s *sh, args []string) int {
	if len(args) < 3 {
		fmt.Fprintln(s.stderr(), "getopts: usage: getopts optstring name [arg ...]")
		return 2
	}
	list := s.params
	if len(args) > 3 {
		list = args[3:]
	}
	index, _ := number(s.get("OPTIND"))
	opt, index, at := readOption(args[1], list, max(index, 1), s.opt.at)
	quiet := strings.HasPrefix(args[1], ":")
	if v := s.lookup("OPTERR"); v != nil && v.str == "0" {
		quiet = true
	}
	if opt.complaint != "" && !quiet {
		fmt.Fprintf(s.stderr(), "%s: %s\n", s.name0, opt.complaint)
	}
	if s.get("OPTIND") != itoa(index) {
		s.setVar("OPTIND", itoa(index))
	}
	s.opt.at = at
	if opt.has {
		s.setVar("OPTARG", opt.value)
	} else {
		s.unset("OPTARG")
	}
	if !s.setVar(args[2], opt.name) {
		return 1
	}
	return opt.status
}

// readOption reads the option at a place of a word, and returns the next place.
func readOption(spec string, list []string, index, at int) (option, int, int) {
	end := option{name: "?", status: 1}
	if at == 0 {
		if index > len(list) || len(list[index-1]) < 2 || list[index-1][0] != '-' {
			return end, index, 0
		}
		if list[index-1] == "--" {
			return end, index + 1, 0
		}
		at = 1
	}
	if index > len(list) || at >= len(list[index-1]) {
		return end, index, 0
	}
	colon := strings.HasPrefix(spec, ":")
	word := list[index-1]
	c := word[at]
	at++
	rest := word[at:]
	if rest == "" {
		index, at = index+1, 0
	}
	k := strings.IndexByte(spec, c)
	switch {
	case k < 0 || c == ':':
		return option{name: "?", value: string(c), has: colon, complaint: fmt.Sprintf("illegal option -- %c", c)}, index, at
	case k+1 >= len(spec) || spec[k+1] != ':':
		return option{name: string(c)}, index, at
	case at > 0:
		return option{name: string(c), value: rest, has: true}, index + 1, 0
	case index <= len(list):
		return option{name: string(c), value: list[index-1], has: true}, index + 1, 0
	case colon:
		return option{name: ":", value: string(c), has: true}, index, 0
	}
	return option{name: "?", complaint: fmt.Sprintf("option requires an argument -- %c", c)}, index, 0
}
