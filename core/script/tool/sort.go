package tool

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

func init() { register(map[string]Program{"sort": sortLines, "uniq": uniq, "comm": comm}) }

// ordering is one way of comparing: sort's own, or that of a key.
type ordering struct {
	// kind is n, h, g, V, M or 0 for bytes.
	kind                             byte
	reverse, fold, dictionary, print bool
	startBlanks, endBlanks           bool
}

// sortKey is -k F[.C][OPTS][,F[.C][OPTS]].
type sortKey struct {
	ordering
	fromField, fromChar, toField, toChar int
}

type sorter struct {
	ordering
	keys           []sortKey
	sep            string
	unique, stable bool
	zero           bool
	check, silent  bool
	output         string
}

var sortGrammar = grammar{short: "bcCdfghik:mMno:rR:st:T:uVzS:", status: 2, long: []string{"ignore-leading-blanks=b", "dictionary-order=d",
	"ignore-case=f", "general-numeric-sort=g", "human-numeric-sort=h", "key=k:", "merge=m", "month-sort=M", "numeric-sort=n",
	"output=o:", "reverse=r", "stable=s", "field-separator=t:", "unique=u", "version-sort=V", "zero-terminated=z", "check?", "parallel:"}}

func (o *ordering) set(letter byte, end bool) bool {
	switch letter {
	case 'n', 'h', 'g', 'V', 'M':
		o.kind = letter
	case 'r':
		o.reverse = true
	case 'f':
		o.fold = true
	case 'd':
		o.dictionary = true
	case 'i':
		o.print = true
	case 'b':
		if end {
			o.endBlanks = true
		} else {
			o.startBlanks = true
		}
	default:
		return false
	}
	return true
}

func (p *Proc) sorter() (s *sorter, names []string, status int, ok bool) {
	opts, names, status, ok := p.options(sortGrammar)
	if !ok {
		return nil, nil, status, false
	}
	s = &sorter{}
	for _, o := range opts {
		switch o.name {
		case "k":
			key, text := parseSortKey(o.arg)
			if text != "" {
				p.complain("%s", text)
				return nil, nil, 2, false
			}
			s.keys = append(s.keys, key)
		case "t":
			s.sep = o.arg
			if o.arg == `\0` {
				s.sep = "\x00"
			}
			if len(s.sep) > 1 {
				p.complain("multi-character tab ‘%s’", o.arg)
				return nil, nil, 2, false
			}
		case "o":
			s.output = o.arg
		case "u":
			s.unique = true
		case "s":
			s.stable = true
		case "z":
			s.zero = true
		case "c", "C", "check":
			s.check, s.silent = true, o.name == "C" || o.arg == "silent" || o.arg == "quiet"
		case "m", "S", "T", "parallel":
		case "R":
			p.complain("option -R is not supported here: its order is one of chance")
			return nil, nil, 2, false
		default:
			s.set(o.name[0], false)
		}
	}
	for i, k := range s.keys { // a key without options of its own has sort's
		if k.ordering == (ordering{}) {
			s.keys[i].ordering = s.ordering
			s.keys[i].endBlanks = s.startBlanks
		}
	}
	return s, names, 0, true
}

func parseSortKey(arg string) (k sortKey, complaint string) {
	from, to, ranged := strings.Cut(arg, ",")
	field, char, opts := position(from)
	if field == 0 {
		if strings.HasPrefix(from, "0") {
			return k, fmt.Sprintf("field number is zero: invalid field specification ‘%s’", arg)
		}
		return k, fmt.Sprintf("invalid number at field start: invalid count at start of ‘%s’", arg)
	}
	k.fromField, k.fromChar = field, max(char, 1)
	for i := range len(opts) {
		if !k.set(opts[i], false) {
			return k, fmt.Sprintf("stray character in field spec: invalid field specification ‘%s’", arg)
		}
	}
	if ranged {
		k.toField, k.toChar, opts = position(to)
		for i := range len(opts) {
			if !k.set(opts[i], true) {
				return k, fmt.Sprintf("stray character in field spec: invalid field specification ‘%s’", arg)
			}
		}
	}
	return k, ""
}

func position(s string) (field, char int, opts string) {
	n := len(s) - len(strings.TrimLeft(s, "0123456789"))
	field, _ = strconv.Atoi(s[:n])
	s = s[n:]
	if strings.HasPrefix(s, ".") {
		n = len(s) - len(strings.TrimLeft(s[1:], "0123456789"))
		char, _ = strconv.Atoi(s[1:n])
		s = s[n:]
	}
	return field, char, s
}

// cut returns the part of a line that a key is about.
func (k *sortKey) cut(line, sep string) string {
	start := fieldStart(line, sep, k.fromField)
	if k.startBlanks {
		start += blanks(line[start:])
	}
	start = min(len(line), start+k.fromChar-1)
	if k.toField == 0 {
		return line[start:]
	}
	end := fieldEnd(line, sep, k.toField)
	if k.toChar > 0 {
		end = fieldStart(line, sep, k.toField)
		if k.endBlanks {
			end += blanks(line[end:])
		}
		end = min(len(line), end+k.toChar)
	}
	return line[start:max(start, end)]
}

func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func fieldStart(line, sep string, field int) int {
	at := 0
	for range field - 1 {
		end := at + oneField(line[at:], sep)
		if sep != "" {
			end++
		}
		at = min(end, len(line))
	}
	return at
}

func fieldEnd(line, sep string, field int) int {
	at := fieldStart(line, sep, field)
	return at + oneField(line[at:], sep)
}

// oneField is how long the field is that s begins with, leading blanks included.
func oneField(s, sep string) int {
	if sep != "" {
		if i := strings.Index(s, sep); i >= 0 {
			return i
		}
		return len(s)
	}
	lead := blanks(s)
	if i := strings.IndexAny(s[lead:], " \t"); i >= 0 {
		return lead + i
	}
	return len(s)
}

func (s *sorter) compare(a, b string) int {
	c := s.compareKeys(a, b)
	if c == 0 && !s.unique && !s.stable {
		c = strings.Compare(a, b)
		if s.reverse {
			c = -c
		}
	}
	return c
}

func (s *sorter) compareKeys(a, b string) int {
	if len(s.keys) == 0 {
		if s.startBlanks {
			a, b = a[blanks(a):], b[blanks(b):]
		}
		return s.ordering.compare(a, b)
	}
	for i := range s.keys {
		k := &s.keys[i]
		if c := k.compare(k.cut(a, s.sep), k.cut(b, s.sep)); c != 0 {
			return c
		}
	}
	return 0
}

func (o *ordering) compare(a, b string) (c int) {
	switch o.kind {
	case 'n':
		c = compareNumbers(numeral(a), numeral(b))
	case 'h':
		c = compareHuman(a, b)
	case 'g':
		c = compareFloats(a, b)
	case 'V':
		c = compareVersions(a, b)
	case 'M':
		c = month(a) - month(b)
	default:
		c = strings.Compare(o.normal(a), o.normal(b))
	}
	if o.reverse {
		return -c
	}
	return c
}

// normal is a text as it is compared.
func (o *ordering) normal(s string) string {
	if o.fold {
		s = upper(s)
	}
	if o.dictionary {
		s = keep(s, classes["alnum"]+" \t")
	}
	if o.print {
		s = keep(s, classes["print"])
	}
	return s
}

func keep(s, set string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(set, r) {
			return r
		}
		return -1
	}, s)
}

func upper(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'a' <= c && c <= 'z' {
			b[i] = c - 'a' + 'A'
		}
	}
	return string(b)
}

// numeral is the number that a text begins with: -?digits[.digits].
func numeral(s string) string {
	s = strings.TrimLeft(s, " \t")
	n := 0
	if strings.HasPrefix(s, "-") {
		n = 1
	}
	dot := false
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' && !dot) {
		dot = dot || s[n] == '.'
		n++
	}
	return s[:n]
}

func compareNumbers(a, b string) int {
	if len(a) < 16 && len(b) < 16 { // exact in a float
		return compareFloat(looseFloat(a), looseFloat(b))
	}
	x, y := new(big.Rat), new(big.Rat)
	x.SetString(strings.TrimSuffix(a, "."))
	y.SetString(strings.TrimSuffix(b, "."))
	return x.Cmp(y)
}

func looseFloat(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// compareHuman orders 2K below 1M, as du -h prints them.
func compareHuman(a, b string) int {
	x, y := numeral(a), numeral(b)
	unit := func(s, n string) int {
		rest := strings.TrimLeft(s, " \t")[len(n):]
		if rest == "" || looseFloat(n) == 0 {
			return 0
		}
		if rest[0] == 'k' {
			return 1
		}
		return strings.IndexByte("KMGTPEZY", rest[0]) + 1
	}
	sign := func(n string) int { return compareFloat(looseFloat(n), 0) }
	if c := sign(x) - sign(y); c != 0 {
		return c
	}
	if c := unit(a, x) - unit(b, y); c != 0 {
		if sign(x) < 0 {
			return -c
		}
		return c
	}
	return compareNumbers(x, y)
}

func compareFloats(a, b string) int {
	x, okA := leadingFloat(a)
	y, okB := leadingFloat(b)
	switch {
	case okA && okB:
		return compareFloat(x, y)
	case okA:
		return 1
	case okB:
		return -1
	}
	return 0
}

func leadingFloat(s string) (float64, bool) {
	s = strings.TrimLeft(s, " \t")
	n := len(s) - len(strings.TrimLeft(s, "0123456789.eE+-"))
	for ; n > 0; n-- {
		if f, err := strconv.ParseFloat(s[:n], 64); err == nil {
			return f, true
		}
	}
	return 0, false
}

func month(s string) int {
	s = upper(strings.TrimLeft(s, " \t"))
	if len(s) < 3 {
		return 0
	}
	at := strings.Index("JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC", s[:3])
	if at%3 != 0 {
		return 0
	}
	return at/3 + 1
}

// compareVersions is GNU's filevercmp without its rules for file suffixes: runs
// of digits compare as numbers, ~ sorts before everything.
func compareVersions(a, b string) int {
	rank := func(s string, i int) int {
		switch {
		case i >= len(s) || s[i] >= '0' && s[i] <= '9':
			return 0
		case s[i] == '~':
			return -1
		case s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z':
			return int(s[i])
		}
		return int(s[i]) + 256
	}
	isDigit := func(s string, i int) bool { return i < len(s) && s[i] >= '0' && s[i] <= '9' }
	for i, j := 0, 0; i < len(a) || j < len(b); {
		for i < len(a) && !isDigit(a, i) || j < len(b) && !isDigit(b, j) {
			if c := rank(a, i) - rank(b, j); c != 0 {
				return c
			}
			i, j = i+1, j+1
		}
		i, j = min(i, len(a)), min(j, len(b))
		x := a[i : i+len(a[i:])-len(strings.TrimLeft(a[i:], "0123456789"))]
		y := b[j : j+len(b[j:])-len(strings.TrimLeft(b[j:], "0123456789"))]
		i, j = i+len(x), j+len(y)
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if len(x) != len(y) {
			return len(x) - len(y)
		}
		if c := strings.Compare(x, y); c != 0 {
			return c
		}
	}
	return 0
}

func sortLines(p *Proc) int {
	s, names, status, ok := p.sorter()
	if !ok {
		return status
	}
	delim := byte('\n')
	if s.zero {
		delim = 0
	}
	var lines []string
	size := 0
	status = p.inputs(names, func(_ string, src *source) error {
		src.delim = delim
		for {
			line, _, err := src.line()
			if err != nil {
				return err
			}
			if size += len(line) + 32; size > maxMemory {
				return errMemory
			}
			lines = append(lines, string(line))
		}
	})
	if status != 0 {
		return 2
	}
	if s.check {
		return p.checkOrder(s, names, lines)
	}
	slices.SortStableFunc(lines, s.compare)
	out := p.sink()
	if s.output != "" {
		f, err := p.create(s.output, Truncate)
		if err != nil {
			p.complain("open failed: %s: %s", s.output, reason(err))
			return 2
		}
		defer f.Close()
		out.Reset(f)
	}
	for i, line := range lines {
		if s.unique && i > 0 && s.compareKeys(lines[i-1], line) == 0 {
			continue
		}
		out.WriteString(line)
		if !out.end(delim) {
			break
		}
	}
	return out.done(0)
}

func (p *Proc) checkOrder(s *sorter, names, lines []string) int {
	for i := 1; i < len(lines); i++ {
		c := s.compare(lines[i-1], lines[i])
		if c > 0 || c == 0 && s.unique {
			if !s.silent {
				name := "-"
				if len(names) > 0 {
					name = names[0]
				}
				p.complain("%s:%d: disorder: %s", name, i+1, lines[i])
			}
			return 1
		}
	}
	return 0
}
