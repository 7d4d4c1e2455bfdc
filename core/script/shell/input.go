package shell

import (
	"io"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// validTarget reports whether a text names a variable or an element.
func validTarget(t string) bool {
	base, sub, ok := strings.Cut(t, "[")
	return syntax.ValidName(base) && (!ok || strings.HasSuffix(sub, "]"))
}

// assignTarget assigns to a variable or an element, as printf -v and read do.
func (s *sh) assignTarget(t, value string) bool {
	base, sub, ok := strings.Cut(t, "[")
	if !ok {
		return s.setVar(t, value)
	}
	sub = strings.TrimSuffix(sub, "]")
	if v := s.lookup(base); v == nil || v.dict == nil {
		sub = s.arithSub(sub)
	}
	return s.setElem(base, sub, value, false)
}

// arithSub expands what stands in a subscript that came as a text.
func (s *sh) arithSub(sub string) string {
	if !strings.ContainsAny(sub, "$`") {
		return sub
	}
	u := &Unit{text: sub}
	return s.arithExpand(u.document(0, uint(len(sub))))
}

// reading is one call of read. Models read.def.
type reading struct {
	s      *sh
	raw    bool
	delim  byte
	whole  bool // -N: the delimiter does not matter
	count  int  // -n, -N; -1 where not given
	array  string
	fd     int
	names  []string
	text   []byte
	quoted []bool
}

func read(s *sh, args []string) int {
	r := &reading{s: s, delim: '\n', count: -1}
	o := optReader{s: s, name: "read", takes: "adinNptu", flags: "ers", args: args[1:],
		usage: "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] [-u fd] [name ...]"}
	poll := false
	for o.next() {
		switch o.opt {
		case 'r':
			r.raw = true
		case 'a':
			r.array = o.value
		case 'd':
			r.delim = 0
			if o.value != "" {
				r.delim = o.value[0]
			}
		case 'n', 'N':
			n, ok := number(o.value)
			if !ok {
				s.errorf("read: %s: invalid number", o.value)
				return 1
			}
			r.count, r.whole = n, o.opt == 'N'
		case 't':
			if !validTimeout(o.value) {
				s.errorf("read: %s: invalid timeout specification", o.value)
				return 1
			}
			poll = strings.Trim(o.value, "0.") == ""
		case 'u':
			n, ok := number(o.value)
			if !ok || s.fd(n) == nil {
				s.errorf("read: %s: invalid file descriptor: Bad file descriptor", o.value)
				return 1
			}
			r.fd = n
		}
	}
	if o.failed {
		return 2
	}
	r.names = o.args
	for _, name := range r.names {
		if !validTarget(name) {
			s.errorf("read: `%s': not a valid identifier", name)
			return 1
		}
	}
	if poll {
		return 0
	}
	status := r.fill()
	if !r.assign() {
		return 1
	}
	return status
}

func validTimeout(t string) bool {
	return t != "" && strings.Trim(t, "0123456789.") == "" && strings.Count(t, ".") <= 1
}

// fill reads up to the delimiter.
func (r *reading) fill() int {
	f := r.s.fd(r.fd)
	chars := 0
	for r.count < 0 || chars < r.count {
		b, err := f.readByte()
		if err != nil {
			if err != io.EOF {
				r.s.errorf("read: read error: %d: %s", r.fd, errno(err))
			}
			return 1
		}
		if b == r.delim && !r.whole {
			return 0
		}
		quoted := false
		if b == '\\' && !r.raw {
			if b, err = f.readByte(); err != nil {
				return 1
			}
			if b == '\n' {
				continue
			}
			quoted = true
		}
		if b == 0 {
			continue
		}
		r.text, r.quoted = append(r.text, b), append(r.quoted, quoted)
		if utf8.RuneStart(b) || !utf8.Valid(r.text) {
			chars++
		}
		for r.count >= 0 && b >= 0xc0 && !utf8.FullRune(r.text[len(r.text)-1:]) && !r.completed() {
			if b, err = f.readByte(); err != nil {
				return 1
			}
			r.text, r.quoted = append(r.text, b), append(r.quoted, false)
		}
		if len(r.text)%1024 == 0 {
			r.s.e.labour(100)
			r.s.e.room(len(r.text))
		}
	}
	return 0
}

// completed reports whether the last character is whole.
func (r *reading) completed() bool {
	i := len(r.text) - 1
	for i > 0 && !utf8.RuneStart(r.text[i]) {
		i--
	}
	return utf8.FullRune(r.text[i:])
}

// assign gives the words to the names.
func (r *reading) assign() bool {
	s := r.s
	switch {
	case r.array != "":
		var words []string
		for rest := 0; ; {
			word, next, ok := r.word(rest)
			if !ok {
				break
			}
			words, rest = append(words, word), next
		}
		return s.setList(r.array, words)
	case len(r.names) == 0:
		return s.setVar("REPLY", string(r.text))
	case r.whole:
		ok := s.assignTarget(r.names[0], string(r.text))
		for _, name := range r.names[1:] {
			ok = s.assignTarget(name, "") && ok
		}
		return ok
	}
	at := 0
	for i, name := range r.names {
		value := ""
		if i == len(r.names)-1 {
			value = r.rest(at)
		} else {
			value, at, _ = r.word(at)
		}
		if !s.assignTarget(name, value) {
			return false
		}
	}
	return true
}

func (s *sh) setList(name string, words []string) bool {
	if !syntax.ValidName(name) {
		s.errorf("`%s': not a valid identifier", name)
		return false
	}
	name, _, _ = s.resolve(name)
	v, ok := s.writable(name)
	if !ok {
		return false
	}
	if v.dict != nil {
		s.errorf("%s: cannot convert associative to indexed array", name)
		return false
	}
	v.list, v.str, v.set = listOf(s, words), "", true
	for _, w := range words {
		s.e.grow(len(w) + 16)
	}
	return true
}

func (r *reading) separator(i int) (is, blank bool) {
	c := r.text[i]
	if r.quoted[i] || strings.IndexByte(r.s.separators(), c) < 0 {
		return false, false
	}
	return true, c == ' ' || c == '\t' || c == '\n'
}

// word is the next word from a place on; at is where the one after it begins.
func (r *reading) word(at int) (word string, next int, ok bool) {
	at = r.skipBlank(at)
	if at == len(r.text) {
		return "", at, false
	}
	end := at
	for end < len(r.text) {
		if is, _ := r.separator(end); is {
			break
		}
		end++
	}
	next = r.skipBlank(end)
	if next < len(r.text) {
		if is, blank := r.separator(next); is && !blank {
			next = r.skipBlank(next + 1)
		}
	}
	return string(r.text[at:end]), next, true
}

func (r *reading) skipBlank(at int) int {
	for at < len(r.text) {
		if is, blank := r.separator(at); !is || !blank {
			break
		}
		at++
	}
	return at
}

// rest is what the last name gets: all that is left, without blanks around it,
// and without the separator after a single word.
func (r *reading) rest(at int) string {
	at = r.skipBlank(at)
	if word, next, ok := r.word(at); ok && next == len(r.text) {
		return word
	}
	end := len(r.text)
	for end > at {
		if is, blank := r.separator(end - 1); !is || !blank {
			break
		}
		end--
	}
	return string(r.text[at:end])
}

// mapfile is the builtin, readarray too. Models mapfile.def.
func mapfile(s *sh, args []string) int {
	o := optReader{s: s, name: args[0], takes: "dnOsucC", flags: "t", args: args[1:],
		usage: args[0] + " [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]"}
	delim, trim, count, origin, skip, fd := byte('\n'), false, 0, -1, 0, 0
	for o.next() {
		n, isNumber := number(o.value)
		switch o.opt {
		case 't':
			trim = true
			continue
		case 'd':
			delim = 0
			if o.value != "" {
				delim = o.value[0]
			}
			continue
		case 'C', 'c':
			s.e.stop("refused", "line %d: mapfile -%c is not supported", s.line, o.opt)
		}
		if !isNumber {
			s.errorf("%s: %s: invalid line count", args[0], o.value)
			return 1
		}
		switch o.opt {
		case 'n':
			count = n
		case 'O':
			origin = n
		case 's':
			skip = n
		case 'u':
			fd = n
		}
	}
	if o.failed {
		return 2
	}
	name := "MAPFILE"
	if len(o.args) > 0 {
		name = o.args[0]
	}
	if !syntax.ValidName(name) {
		s.errorf("%s: `%s': not a valid identifier", args[0], name)
		return 1
	}
	lines := s.lines(fd, delim, trim, count, skip)
	if origin < 0 {
		if !s.setList(name, lines) {
			return 1
		}
		return 0
	}
	for i, line := range lines {
		if !s.setElem(name, itoa(origin+i), line, false) {
			return 1
		}
	}
	return 0
}

func (s *sh) lines(fd int, delim byte, trim bool, count, skip int) []string {
	f := s.fd(fd)
	var lines []string
	var line []byte
	total := 0
	for {
		b, err := f.readByte()
		if err != nil {
			if len(line) > 0 && skip <= 0 {
				lines = append(lines, string(line))
			}
			return lines
		}
		if total++; total%1024 == 0 {
			s.e.labour(100)
			s.e.room(total)
		}
		if b != delim || !trim {
			line = append(line, b)
		}
		if b != delim {
			continue
		}
		if delim == 0 && !trim {
			line = line[:len(line)-1]
		}
		if skip > 0 {
			skip--
		} else {
			lines = append(lines, string(line))
		}
		line = line[:0]
		if count > 0 && len(lines) == count {
			return lines
		}
	}
}

// optReader reads the options of a builtin. Models internal_getopt.
type optReader struct {
	s            *sh
	name         string
	takes, flags string
	usage        string
	args         []string
	rest         string
	opt          byte
	value        string
	failed       bool
}

func (o *optReader) next() bool {
	if o.failed {
		return false
	}
	if o.rest == "" {
		if len(o.args) == 0 || len(o.args[0]) < 2 || o.args[0][0] != '-' {
			return false
		}
		a := o.args[0]
		o.args = o.args[1:]
		if a == "--" {
			return false
		}
		o.rest = a[1:]
	}
	o.opt, o.rest = o.rest[0], o.rest[1:]
	switch {
	case strings.IndexByte(o.takes, o.opt) >= 0:
		if o.value, o.rest = o.rest, ""; o.value == "" {
			if len(o.args) == 0 {
				return o.fail("option requires an argument")
			}
			o.value, o.args = o.args[0], o.args[1:]
		}
	case strings.IndexByte(o.flags, o.opt) < 0:
		return o.fail("invalid option")
	}
	return true
}

func (o *optReader) fail(why string) bool {
	o.failed = true
	o.s.errorf("%s: -%c: %s", o.name, o.opt, why)
	if o.usage != "" {
		io.WriteString(o.s.stderr(), o.name+": usage: "+o.usage+"\n")
	}
	return false
}
