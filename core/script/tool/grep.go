package tool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

func init() {
	register(map[string]Program{"grep": grep, "egrep": grep, "fgrep": grep})
}

var grepGrammar = grammar{short: "A:B:C:EFGPHIKLRTUVabce:f:hilm:noqrsvwxyzZd:D:0123456789", status: 2,
	usage: "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.",
	long: []string{"after-context=A:", "before-context=B:", "context=C:", "extended-regexp=E", "fixed-strings=F", "basic-regexp=G",
		"perl-regexp=P", "with-filename=H", "no-filename=h", "files-without-match=L", "files-with-matches=l", "dereference-recursive=R",
		"recursive=r", "text=a", "byte-offset=b", "count=c", "regexp=e:", "file=f:", "ignore-case=i", "no-ignore-case", "line-number=n", "max-count=m:",
		"only-matching=o", "quiet=q", "silent=q", "no-messages=s", "invert-match=v", "word-regexp=w", "line-regexp=x", "null-data=z", "null=Z",
		"color?", "colour?", "include:", "exclude:", "exclude-dir:", "line-buffered", "binary-files:", "label:", "initial-tab=T"}}

// search is what one grep looks for and how it says what it found.
type search struct {
	p                                      *Proc
	re                                     *regex
	invert, count, number, only, quiet     bool
	with, without, names, silent, recurses bool
	offset, zero, nullName, text           bool
	before, after                          int
	most                                   int
	label                                  string
	include, exclude, excludeDir           []string
	out                                    *sink
	matched, failed                        bool
}

func grep(p *Proc) int {
	opts, rest, status, ok := p.options(grepGrammar)
	if !ok {
		return status
	}
	s := &search{p: p, most: -1, out: p.sink(), label: "(standard input)"}
	o := regexOptions{extended: p.name() == "egrep", fixed: p.name() == "fgrep"}
	patterns, names, complaint := s.configure(opts, &o)
	if complaint != "" {
		p.complain("%s", complaint)
		return 2
	}
	if patterns == nil {
		if len(rest) == 0 {
			fmt.Fprintln(p.Stderr, grepGrammar.usage)
			return 2
		}
		patterns, rest = strings.Split(rest[0], "\n"), rest[1:]
	}
	if len(patterns) == 0 { // -f of an empty file: nothing matches
		patterns, s.invert = []string{""}, !s.invert
	}
	var re *regex
	var err error
	switch {
	case !o.perl:
		re, err = compileRegex(patterns[0], o, patterns[1:]...)
	case len(patterns) > 1:
		err = errors.New("the -P option only supports a single pattern")
	default:
		re, err = compilePerl(patterns[0], o)
	}
	if err != nil {
		p.complain("%s", err)
		return 2
	}
	s.re = re
	if len(rest) == 0 {
		rest = []string{"-"}
		if s.recurses {
			rest = []string{"."}
		}
	}
	s.names = len(rest) > 1 || s.recurses
	if names != nil {
		s.names = *names
	}
	for _, name := range rest {
		if !s.operand(name) {
			break
		}
	}
	if re.back != nil && re.back.over {
		p.complain("exceeded PCRE's backtracking limit")
		s.failed = true
	}
	switch {
	case s.failed && !(s.quiet && s.matched):
		return s.out.done(2)
	case s.matched:
		return s.out.done(0)
	}
	return s.out.done(1)
}

// configure applies the options. patterns is nil where none was given by one;
// names says whether names are printed, where an option does.
func (s *search) configure(opts []option, o *regexOptions) (patterns []string, names *bool, complaint string) {
	yes, no := true, false
	for _, opt := range opts {
		switch opt.name {
		case "A", "B", "C", "m":
			n, err := strconv.Atoi(opt.arg)
			if err != nil || n < 0 && opt.name != "m" {
				if opt.name == "m" {
					return nil, nil, "invalid max count"
				}
				return nil, nil, opt.arg + ": invalid context length argument"
			}
			s.context(opt.name, n)
		case "e":
			patterns = append(patterns, strings.Split(opt.arg, "\n")...)
		case "f":
			text, err := s.p.slurp(opt.arg)
			if err != nil {
				return nil, nil, opt.arg + ": " + reason(err)
			}
			if patterns == nil {
				patterns = []string{}
			}
			if len(text) > 0 {
				patterns = append(patterns, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")...)
			}
		case "P":
			o.perl = true
		case "color", "colour":
			if opt.arg == "always" {
				return nil, nil, "--color=always is not supported here: nothing shows colours"
			}
		case "E":
			o.extended, o.fixed = true, false
		case "F":
			o.fixed = true
		case "G":
			o.extended, o.fixed = false, false
		case "i", "y":
			o.fold = true
		case "no-ignore-case":
			o.fold = false
		case "w":
			o.word = true
		case "x":
			o.whole = true
		case "H":
			names = &yes
		case "h":
			names = &no
		case "include":
			s.include = append(s.include, opt.arg)
		case "exclude":
			s.exclude = append(s.exclude, opt.arg)
		case "exclude-dir":
			s.excludeDir = append(s.excludeDir, strings.TrimSuffix(opt.arg, "/"))
		case "label":
			s.label = opt.arg
		default:
			s.flag(opt.name)
		}
	}
	return patterns, names, ""
}

func (s *search) context(letter string, n int) {
	switch letter {
	case "m":
		s.most = n
	case "A":
		s.after = n
	case "B":
		s.before = n
	default:
		s.before, s.after = n, n
	}
}

func (s *search) flag(name string) {
	switch name {
	case "v":
		s.invert = true
	case "c":
		s.count = true
	case "n":
		s.number = true
	case "o":
		s.only = true
	case "q":
		s.quiet = true
	case "l":
		s.with, s.without = true, false
	case "L":
		s.without, s.with = true, false
	case "s":
		s.silent = true
	case "r", "R":
		s.recurses = true
	case "b":
		s.offset = true
	case "z":
		s.zero = true
	case "Z":
		s.nullName = true
	case "a":
		s.text = true
	default:
		if digits(name) {
			n, _ := strconv.Atoi(name)
			s.before, s.after = s.before*10+n, s.after*10+n
		}
	}
}

// operand searches a file, or the tree below a directory; false ends it all.
func (s *search) operand(name string) bool {
	if name == "-" {
		return s.file(s.label, s.p.Stdin)
	}
	full := s.p.abs(name)
	st, err := s.p.Files.Stat(full)
	if err == nil && st.IsDir() {
		if !s.recurses {
			if s.failed = true; !s.silent {
				s.p.complain("%s: Is a directory", name)
			}
			return true
		}
		return s.folder(name)
	}
	f, err := s.p.open(name)
	if err != nil {
		s.failed = true
		if !s.silent {
			s.p.complain("%s: %s", name, reason(err))
		}
		return true
	}
	defer f.Close()
	return s.file(name, f)
}

func (s *search) folder(name string) bool {
	list, err := s.p.Files.ReadDir(s.p.abs(name))
	if err != nil {
		s.failed = true
		return true
	}
	for _, e := range list {
		child := strings.TrimSuffix(name, "/") + "/" + e.Name()
		if name == "." {
			child = e.Name()
			if len(s.p.Args) > 0 && among(s.p.Args[1:], ".") {
				child = "./" + e.Name()
			}
		}
		if e.IsDir() && globs(s.excludeDir, e.Name()) || !e.IsDir() && (globs(s.exclude, e.Name()) || len(s.include) > 0 && !globs(s.include, e.Name())) {
			continue
		}
		if !s.operand(child) {
			return false
		}
	}
	return true
}

func globs(patterns []string, name string) bool {
	for _, p := range patterns {
		if glob(p, name) {
			return true
		}
	}
	return false
}

// file searches one input.
func (s *search) file(name string, r io.Reader) bool {
	src := s.p.source(r)
	if s.zero {
		src.delim = 0
	}
	h := hits{search: s, name: name, src: src}
	if s.most != 0 {
		h.run()
	}
	switch {
	case h.err != nil && !errors.Is(h.err, io.EOF):
		s.failed = true
		s.p.complain("%s: %s", name, reason(h.err))
		return !errors.Is(h.err, errBudget)
	case s.quiet:
		return !s.matched
	case s.with && h.found > 0 || s.without && h.found == 0:
		s.out.WriteString(name)
		end := byte('\n')
		if s.nullName {
			end = 0
		}
		return s.out.end(end)
	case s.with || s.without:
	case s.count:
		if s.names {
			s.out.WriteString(name + ":")
		}
		return s.out.str(strconv.Itoa(h.found))
	}
	return !h.stopped
}

// hits is the search of one input at work.
type hits struct {
	*search
	name    string
	src     *source
	err     error
	line    int
	at      int
	found   int
	last    int // the last line that was printed
	pending int // lines of context still to print
	held    [][]byte
	binary  bool
	stopped bool
}

func (h *hits) run() {
	quietly := h.quiet || h.with || h.without || h.count
	for !h.stopped {
		var text []byte
		if text, _, h.err = h.src.line(); h.err != nil {
			return
		}
		h.line++
		h.binary = h.binary || !h.text && !h.zero && bytes.IndexByte(text, 0) >= 0
		full := h.found == h.most && h.most >= 0
		if !full && h.re.matches(text) != h.invert {
			h.found++
			h.matched = true
			switch {
			case quietly && !h.count:
				return
			case quietly:
			case h.binary:
				h.out.Flush()
				h.p.complain("%s: binary file matches", h.name)
				return
			default:
				h.print(text)
			}
			if h.found == h.most && (h.after == 0 || quietly) {
				h.src.giveBack(0)
				return
			}
		} else if !quietly {
			if full && h.pending == 0 {
				return
			}
			h.context(text)
		}
		h.at += len(text) + 1
	}
}

// context prints a line after a match, or keeps it in case one follows.
func (h *hits) context(text []byte) {
	switch {
	case h.pending > 0 && !h.only:
		h.pending--
		h.show(h.line, h.at, text, '-')
	case h.pending > 0:
		h.pending--
	case h.before > 0:
		h.held = append(h.held, bytes.Clone(text))
		if len(h.held) > h.before {
			h.held = h.held[1:]
		}
	}
}

func (h *hits) print(text []byte) {
	if (h.before > 0 || h.after > 0) && h.last > 0 && h.line-len(h.held) > h.last+1 && !h.only {
		h.out.str("--")
	}
	for i, line := range h.held {
		if !h.only {
			h.show(h.line-len(h.held)+i, h.at, line, '-')
		}
	}
	h.held, h.pending = nil, h.after
	if !h.only {
		h.show(h.line, h.at, text, ':')
		return
	}
	h.last = h.line
	if h.invert {
		return
	}
	for _, m := range h.re.all(text, -1) {
		if m[1] > m[0] {
			h.show(h.line, h.at+m[0], text[m[0]:m[1]], ':')
		}
	}
}

func (h *hits) show(line, at int, text []byte, mark byte) {
	if h.names {
		h.out.WriteString(h.name)
		if h.nullName {
			h.out.WriteByte(0)
		} else {
			h.out.WriteByte(mark)
		}
	}
	if h.number {
		h.out.WriteString(strconv.Itoa(line))
		h.out.WriteByte(mark)
	}
	if h.offset {
		h.out.WriteString(strconv.Itoa(at))
		h.out.WriteByte(mark)
	}
	h.last = line
	h.out.Write(text)
	if !h.out.end(h.src.delim) {
		h.stopped = true
	}
}
