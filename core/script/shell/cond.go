package shell

import (
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// testClause is [[ ]].
func (s *sh) testClause(c *syntax.TestClause) {
	s.inTest = true
	ok := s.condition(c.X)
	s.inTest = false
	if s.status = int(truth(!ok)); s.badTest {
		s.badTest = false
		s.status = 2
	}
	s.setPipes(s.status)
}

func (s *sh) condition(x syntax.TestExpr) bool {
	switch x := x.(type) {
	case *syntax.ParenTest:
		return s.condition(x.X)
	case *syntax.Word:
		return s.string(x) != ""
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			return !s.condition(x.X)
		}
		return s.unaryTest(x.Op.String(), s.string(x.X.(*syntax.Word)))
	case *syntax.BinaryTest:
		return s.binaryCond(x)
	}
	return false
}

func (s *sh) binaryCond(x *syntax.BinaryTest) bool {
	switch x.Op {
	case syntax.AndTest:
		return s.condition(x.X) && s.condition(x.Y)
	case syntax.OrTest:
		return s.condition(x.X) || s.condition(x.Y)
	}
	left, right := s.string(x.X.(*syntax.Word)), x.Y.(*syntax.Word)
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort:
		return s.compile(s.pattern(right)).match(left)
	case syntax.TsNoMatch:
		return !s.compile(s.pattern(right)).match(left)
	case syntax.TsReMatch:
		return s.matchRegex(left, s.expand(right, toRegex))
	}
	switch op := x.Op.String(); op {
	case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
		result := false
		s.arithmetic("[[: ", func() {
			result = compare(arithTests[op], s.arithText(left), s.arithText(s.string(right)))
		})
		return result
	default:
		return s.binaryTest(op, left, s.string(right))
	}
}

var arithTests = map[string]string{"-eq": "==", "-ne": "!=", "-lt": "<", "-le": "<=", "-gt": ">", "-ge": ">="}

// matchRegex is =~: an extended regular expression, whose longest match counts.
func (s *sh) matchRegex(text, src string) bool {
	re, err := s.regex(src)
	if err != "" {
		s.badTest = true
		if err != "syntax" {
			s.e.stop("refused", "line %d: the regular expression %q: %s", s.line, src, err)
		}
		return false
	}
	s.e.labour(len(text) / 8)
	m := re.FindStringSubmatch(text)
	var list []string
	list = append(list, m...)
	v := s.mine("BASH_REMATCH")
	v.list, v.set, v.str = listOf(s, list), true, ""
	return m != nil
}

// regex compiles an extended regular expression as regcomp of glibc reads it.
func (s *sh) regex(src string) (*regexp.Regexp, string) {
	key := src
	if s.shopts["nocasematch"] {
		key = "(?i)" + src
	}
	if re, ok := s.e.regexes[key]; ok {
		return re, ""
	}
	text, err := translateRegex(src)
	if err != "" {
		return nil, err
	}
	if s.shopts["nocasematch"] {
		text = "(?i)" + text
	}
	re, cerr := regexp.Compile("(?s)" + text)
	if cerr != nil {
		return nil, "syntax"
	}
	re.Longest()
	if s.e.regexes == nil || len(s.e.regexes) > 500 {
		s.e.regexes = map[string]*regexp.Regexp{}
	}
	s.e.regexes[key] = re
	return re, ""
}

// translateRegex writes a POSIX expression as Go's: what only Go gives a meaning
// to is escaped.
func translateRegex(src string) (string, string) {
	var b strings.Builder
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case c == '\\' && i+1 < len(src):
			i++
			switch n := src[i]; {
			case n >= '1' && n <= '9':
				return "", "a back-reference is not supported"
			case n == '<' || n == '>':
				b.WriteString(`\b`)
			case n == '`':
				b.WriteString(`\A`)
			case n == '\'':
				b.WriteString(`\z`)
			case strings.IndexByte("wWsSbB", n) >= 0:
				b.WriteString(src[i-1 : i+1])
			default:
				b.WriteString(regexp.QuoteMeta(string(n)))
			}
		case c == '[':
			end := bracketEnd(src[i:])
			if end < 0 {
				return "", "syntax"
			}
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(src[i:i+end], `\`, `\\`), "[[:alpha:]", "[[:alpha:]"))
			i += end - 1
		case c == '(' && strings.HasPrefix(src[i:], "(?"), c == '?' && i > 0 && strings.IndexByte("*+?}", src[i-1]) >= 0:
			return "", "syntax"
		case c == '{' && !interval(src[i:]):
			b.WriteString(`\{`)
		case c == '}' && !strings.Contains(src[:i], "{"):
			b.WriteString(`\}`)
		case c == '$':
			b.WriteString(`\z`)
		case c == '^':
			b.WriteString(`\A`)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), ""
}

func interval(t string) bool {
	end := strings.IndexByte(t, '}')
	return end > 1 && strings.Trim(t[1:end], "0123456789,") == ""
}

// bracketEnd is the length of a bracket expression.
func bracketEnd(t string) int {
	i := 1
	if i < len(t) && t[i] == '^' {
		i++
	}
	for first := i; i < len(t); i++ {
		if strings.HasPrefix(t[i:], "[:") {
			if end := strings.Index(t[i:], ":]"); end > 0 {
				i += end + 1
				continue
			}
		}
		if t[i] == ']' && i > first {
			return i + 1
		}
	}
	return -1
}

// unaryTest is -f x and its like.
func (s *sh) unaryTest(op, arg string) bool {
	switch op {
	case "-z":
		return arg == ""
	case "-n":
		return arg != ""
	case "-v":
		return s.isSet(arg)
	case "-R":
		v := s.vars[arg]
		return v != nil && v.is(nameref) && v.set
	case "-o":
		for _, o := range optionTable {
			if o.name == arg {
				return *o.at(&s.opts)
			}
		}
		return false
	case "-t":
		return false
	}
	return s.fileTest(op, arg)
}

func (s *sh) fileTest(op, arg string) bool {
	if arg == "" {
		return false
	}
	if n, ok := deviceFd(arg); ok {
		return s.fd(n) != nil && wordIn("-e -a -r -w -p", op)
	}
	info, err := s.e.Files.Stat(s.path(arg))
	if err != nil {
		return false
	}
	mode := info.Mode()
	switch op {
	case "-e", "-a", "-O", "-G":
		return true
	case "-f":
		return mode.IsRegular()
	case "-d":
		return mode.IsDir()
	case "-r", "-w":
		return true // root
	case "-x":
		return mode.IsDir() || mode.Perm()&0o111 != 0
	case "-s":
		return info.Size() > 0
	case "-c":
		return mode&fs.ModeCharDevice != 0
	case "-N":
		s.e.stop("refused", "line %d: -N: when a file was read last is not kept here", s.line)
	case "-k":
		return mode&fs.ModeSticky != 0
	}
	return false
}

// isSet is -v: a variable or an element has a value.
func (s *sh) isSet(name string) bool {
	if base, sub, ok := strings.Cut(name, "["); ok {
		v := s.elementText(base, strings.TrimSuffix(sub, "]"))
		return v.set
	}
	if n, ok := number(name); ok {
		return n <= len(s.params)
	}
	return s.named(name).set
}

func (s *sh) binaryTest(op, left, right string) bool {
	switch op {
	case "=", "==":
		return left == right
	case "!=":
		return left != right
	case "<":
		return left < right
	case ">":
		return left > right
	case "-nt", "-ot", "-ef":
		a, errA := s.e.Files.Stat(s.path(left))
		b, errB := s.e.Files.Stat(s.path(right))
		switch op {
		case "-nt":
			return errA == nil && (errB != nil || a.ModTime().After(b.ModTime()))
		case "-ot":
			return errB == nil && (errA != nil || a.ModTime().Before(b.ModTime()))
		}
		return errA == nil && errB == nil && s.path(left) == s.path(right)
	}
	a, okA := s.testNumber(left)
	b, okB := s.testNumber(right)
	return okA && okB && compare(arithTests[op], a, b)
}

func (s *sh) testNumber(t string) (int64, bool) {
	n, err := strconv.ParseInt(strings.Trim(t, " \t\n"), 10, 64)
	if err != nil {
		s.errorf("%s: %s: integer expression expected", s.testName, t)
		s.e.throw(badTest{})
	}
	return n, true
}

// badTest ends a test whose arguments are no good: exit status 2.
type badTest struct{}

// tester reads the arguments of test and [. Models test.c.
type tester struct {
	s    *sh
	args []string
	at   int
}

func test(s *sh, args []string) (status int) {
	s.testName = args[0]
	args = args[1:]
	if s.testName == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			s.errorf("[: missing `]'")
			return 2
		}
		args = args[:len(args)-1]
	}
	defer func() {
		if _, ok := s.e.flying.(badTest); ok {
			s.e.flying = nil
			recover()
			status = 2
		}
	}()
	t := &tester{s: s, args: args}
	return int(truth(!t.posix(args)))
}

// posix decides by the number of arguments, as POSIX has it.
func (t *tester) posix(a []string) bool {
	switch len(a) {
	case 0:
		return false
	case 1:
		return a[0] != ""
	case 2:
		if a[0] == "!" {
			return a[1] == ""
		}
		if !isUnary(a[0]) {
			t.fail("%s: unary operator expected", a[0])
		}
		return t.s.unaryTest(a[0], a[1])
	case 3:
		switch {
		case isBinary(a[1]):
			return t.s.binaryTest(a[1], a[0], a[2])
		case a[1] == "-a":
			return a[0] != "" && a[2] != ""
		case a[1] == "-o":
			return a[0] != "" || a[2] != ""
		case a[0] == "!":
			return !t.posix(a[1:])
		case a[0] == "(" && a[2] == ")":
			return a[1] != ""
		}
		t.fail("%s: binary operator expected", a[1])
	case 4:
		if a[0] == "!" {
			return !t.posix(a[1:])
		}
		if a[0] == "(" && a[3] == ")" {
			return t.posix(a[1:3])
		}
	}
	v := t.or()
	if t.at < len(t.args) {
		t.fail("too many arguments")
	}
	return v
}

func (t *tester) fail(format string, args ...any) {
	t.s.errorf(t.s.testName+": "+format, args...)
	t.s.e.throw(badTest{})
}

func (t *tester) peek() string {
	if t.at < len(t.args) {
		return t.args[t.at]
	}
	return ""
}

func (t *tester) or() bool {
	v := t.and()
	for t.peek() == "-o" {
		t.at++
		v = t.and() || v
	}
	return v
}

func (t *tester) and() bool {
	v := t.not()
	for t.peek() == "-a" {
		t.at++
		v = t.not() && v
	}
	return v
}

func (t *tester) not() bool {
	left := len(t.args) - t.at
	switch a := t.peek(); {
	case left == 0:
		t.fail("argument expected")
	case a == "!":
		t.at++
		return !t.not()
	case left >= 3 && isBinary(t.args[t.at+1]):
		t.at += 3
		return t.s.binaryTest(t.args[t.at-2], t.args[t.at-3], t.args[t.at-1])
	case a == "(":
		t.at++
		v := t.or()
		if t.peek() != ")" {
			t.fail("`)' expected")
		}
		t.at++
		return v
	case left >= 2 && isUnary(a):
		t.at += 2
		return t.s.unaryTest(a, t.args[t.at-1])
	}
	t.at++
	return t.args[t.at-1] != ""
}

func isUnary(op string) bool {
	return len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkLnNoOGprsStuvRwxz", op[1]) >= 0
}

func isBinary(op string) bool {
	return wordIn("= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge", op)
}
