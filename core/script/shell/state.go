package shell

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// options are those of set -o.
type options struct {
	allexport, errexit, errtrace, functrace, noglob, noclobber, nounset, pipefail, xtrace, verbose, hashall, physical, posix bool
}

// optionTable names the options: the letter, and where they are.
var optionTable = []struct {
	name   string
	letter byte
	at     func(*options) *bool
}{
	{"allexport", 'a', func(o *options) *bool { return &o.allexport }},
	{"errexit", 'e', func(o *options) *bool { return &o.errexit }},
	{"errtrace", 'E', func(o *options) *bool { return &o.errtrace }},
	{"functrace", 'T', func(o *options) *bool { return &o.functrace }},
	{"noglob", 'f', func(o *options) *bool { return &o.noglob }},
	{"noclobber", 'C', func(o *options) *bool { return &o.noclobber }},
	{"nounset", 'u', func(o *options) *bool { return &o.nounset }},
	{"pipefail", 0, func(o *options) *bool { return &o.pipefail }},
	{"physical", 'P', func(o *options) *bool { return &o.physical }},
	{"xtrace", 'x', func(o *options) *bool { return &o.xtrace }},
}

// flags is $-.
func (o *options) flags() string {
	var b strings.Builder
	for _, c := range []byte("aefhuxBCEPT") {
		switch c {
		case 'h', 'B':
			b.WriteByte(c)
			continue
		}
		for _, opt := range optionTable {
			if opt.letter == c && *opt.at(o) {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// initVars gives a shell the variables that bash has at its start.
func (s *sh) initVars() {
	put := func(name, value string, a attr) {
		s.vars[name] = &variable{name: name, attr: a, set: true, str: value, owner: s}
	}
	put("IFS", " \t\n", 0)
	put("OPTIND", "1", 0)
	put("OPTERR", "1", 0)
	put("PS4", "+ ", 0)
	put("BASH", "/usr/bin/bash", 0)
	put("BASH_VERSION", "5.2.15(1)-release", 0)
	put("HOSTNAME", "localhost", 0)
	put("HOSTTYPE", "x86_64", 0)
	put("MACHTYPE", "x86_64-pc-linux-gnu", 0)
	put("OSTYPE", "linux-gnu", 0)
	put("PPID", "4241", integer|readonly)
	put("UID", "0", integer|readonly)
	put("EUID", "0", integer|readonly)
	put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", exported)
	put("SHLVL", "1", exported)
	s.vars["BASH_VERSINFO"] = &variable{name: "BASH_VERSINFO", attr: readonly, set: true, owner: s,
		list: listOf(s, []string{"5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"})}
	for _, pair := range s.e.Env {
		name, value, _ := strings.Cut(pair, "=")
		put(name, value, exported)
	}
	put("PWD", s.dir, exported)
	for _, name := range sortedKeys(dynamics) {
		s.vars[name] = &variable{name: name, dynamic: dynamics[name], owner: s}
	}
	s.vars["OLDPWD"] = &variable{name: "OLDPWD", attr: exported, owner: s}
	s.noticed("IFS")
}

var dynamics map[string]func(*sh) string

// lists are the variables that are arrays made by the shell.
var lists map[string]func(*sh) []string

func init() {
	dynamics = map[string]func(*sh) string{
		"SECONDS":       func(s *sh) string { return itoa64(int64((s.e.elapsed() + s.offset).Seconds())) },
		"EPOCHSECONDS":  func(s *sh) string { return itoa64(s.e.Now().Unix()) },
		"EPOCHREALTIME": func(s *sh) string { return fmt.Sprintf("%d.%06d", s.e.Now().Unix(), s.e.Now().Nanosecond()/1000) },
		"RANDOM":        func(s *sh) string { return itoa(s.random()) },
		"SRANDOM":       func(s *sh) string { return itoa64(int64(uint32(s.e.Rand()))) },
		"LINENO":        func(s *sh) string { return itoa(s.line) },
		"BASHPID":       func(s *sh) string { return itoa(4242 + s.level) },
		"BASH_SUBSHELL": func(s *sh) string { return itoa(s.level) },
		"BASH_COMMAND":  func(s *sh) string { return s.ran.text() },
	}
	lists = map[string]func(*sh) []string{
		"PIPESTATUS":  func(s *sh) []string { return s.pipes },
		"FUNCNAME":    (*sh).funcNames,
		"BASH_LINENO": (*sh).callLines,
		"BASH_SOURCE": (*sh).sources,
		"DIRSTACK":    func(s *sh) []string { return append([]string{s.dir}, s.dirs...) },
	}
}

// text is the command as it is written, without ! and what follows.
func (r ran) text() string {
	if r.loop != nil {
		return strings.TrimSuffix((&treePrinter{unit: r.unit}).forHead(r.loop.Loop), ";")
	}
	if r.stmt == nil {
		return ""
	}
	if c, ok := r.stmt.Cmd.(*syntax.CaseClause); ok {
		return "case " + (&treePrinter{unit: r.unit}).source(c.Word) + " in "
	}
	return commandText(r.unit, r.stmt)
}

// random is bash's generator of RANDOM. Models intrand32 of random.c.
func (s *sh) random() int {
	if !s.seeded {
		s.rand, s.seeded, s.lastRand = uint32(s.e.Rand()), true, 0
	}
	for {
		if s.rand == 0 {
			s.rand = 123459876
		}
		hi, lo := int64(s.rand)/127773, int64(s.rand)%127773
		n := 16807*lo - 2836*hi
		if n < 0 {
			n += 0x7fffffff
		}
		s.rand = uint32(n)
		v := int(s.rand>>16^s.rand&0xffff) & 32767
		if v != s.lastRand {
			s.lastRand = v
			return v
		}
	}
}

// assignDynamic is an assignment to SECONDS, RANDOM and the like.
func (s *sh) assignDynamic(v *variable, value string) {
	switch v.name {
	case "SECONDS":
		s.offset = seconds(s.arithText(value)) - s.e.elapsed()
	case "RANDOM":
		s.rand = uint32(s.arithText(value))
		s.lastRand, s.seeded = 0, true
	}
}

func (s *sh) funcNames() []string {
	var names []string
	for i := len(s.frames) - 1; i >= 0; i-- {
		names = append(names, s.frames[i].name)
	}
	if len(names) > 0 {
		names = append(names, "main")
	}
	return names
}

func (s *sh) callLines() []string {
	var lines []string
	for i := len(s.frames) - 1; i >= 0; i-- {
		lines = append(lines, itoa(s.frames[i].line))
	}
	return append(lines, "0")
}

func (s *sh) sources() []string {
	list := []string{s.where()}
	for i := len(s.frames) - 1; i >= 0; i-- {
		name := s.name0
		if u := s.frames[i].unit; u != nil && u.file != "" {
			name = u.file
		}
		list = append(list, name)
	}
	return list
}

// subscript expands a subscript: of an associative array to a key, else to an
// expression.
func (s *sh) subscript(name string, x syntax.ArithmExpr) string {
	if v := s.lookup(name); v != nil && v.dict != nil {
		if word := s.unit.keys[x]; word != nil {
			return s.string(word)
		}
	}
	src := s.unit.arith[x]
	if src.word == nil {
		return src.text
	}
	return s.arithExpand(src.word)
}
