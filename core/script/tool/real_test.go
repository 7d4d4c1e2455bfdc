package tool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAgainstReal runs every line of testdata/commands.txt here and by the real
// programs of this machine, and compares standard output, exit status and the
// first line of standard error. A line is commands joined by | and ; with < and
// > for files; quotes are the shell's, $'...' included. A line that begins with
// "~" has a text of its own on standard error; one that begins with "@" may
// print its lines in another order.
func TestAgainstReal(t *testing.T) {
	againstReal(t, "testdata/commands.txt", func(r result) result { return r })
}

// TestJQ does the same for testdata/jq.txt. Where the machine has jq 1.6, texts
// and statuses that 1.7 changed are taken as 1.7 has them.
func TestJQ(t *testing.T) {
	version, _ := exec.Command("jq", "--version").Output()
	againstReal(t, "testdata/jq.txt", func(r result) result {
		if !strings.HasPrefix(string(version), "jq-1.6") {
			return r
		}
		if rest, ok := strings.CutPrefix(r.stderr, "parse error:"); ok {
			r.stderr, r.code = "jq: parse error:"+rest, 5
		}
		r.stderr = strings.Replace(r.stderr, "unexpected $end", "unexpected end of file", 1)
		return r
	})
}

func againstReal(t *testing.T, name string, now func(result) result) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	missing := map[string]int{}
	ran := 0
	for n, line := range strings.Split(string(text), "\n") {
		own := strings.HasPrefix(line, "~")
		line = strings.TrimPrefix(line, "~")
		anyOrder := strings.HasPrefix(line, "@")
		line = strings.TrimPrefix(line, "@")
		if line == "" || line[0] == '#' {
			continue
		}
		cases, err := parseLine(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, n+1, err)
		}
		if name := absent(cases); name != "" {
			missing[name]++
			continue
		}
		ran++
		t.Run(fmt.Sprintf("%d", n+1), func(t *testing.T) {
			want := now(runReal(t, cases))
			got := runOurs(t, cases)
			if anyOrder {
				want.stdout, got.stdout = sorted(want.stdout), sorted(got.stdout)
			}
			if own {
				want.stderr, got.stderr = "", ""
			}
			if got != want {
				t.Errorf("%s\n ours: %+v\n real: %+v", line, got, want)
			}
		})
	}
	t.Logf("%d lines were compared with real programs", ran)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range missing {
			if !yield(name) {
				return
			}
		}
	}) {
		t.Logf("NOTICE: %s is not on this machine: %d lines were not compared", name, missing[name])
	}
}

func sorted(s string) string {
	lines := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == 0 })
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// stage is one command of a line.
type stage struct {
	args     []string
	in, out  string
	pipes    bool // its output is the input of the next
	appended bool
}

func parseLine(line string) ([]stage, error) {
	var all []stage
	var cur stage
	redirect := byte(0)
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c == ' ':
			i++
		case c == '|' || c == ';':
			cur.pipes = c == '|'
			all, cur = append(all, cur), stage{}
			i++
		case c == '<' || c == '>':
			redirect = c
			i++
		default:
			word, n, err := shellWord(line[i:])
			if err != nil {
				return nil, err
			}
			i += n
			switch redirect {
			case '<':
				cur.in = word
			case '>':
				cur.out = word
			default:
				cur.args = append(cur.args, word)
			}
			redirect = 0
		}
	}
	return append(all, cur), nil
}

func shellWord(s string) (word string, n int, err error) {
	var b strings.Builder
	for n < len(s) {
		switch c := s[n]; {
		case strings.IndexByte(" |;<>", c) >= 0:
			return b.String(), n, nil
		case c == '\'' || c == '"' || strings.HasPrefix(s[n:], "$'"):
			ansi := c == '$'
			if ansi {
				n++
			}
			end := n + 1
			for end < len(s) && s[end] != s[n] {
				if s[end] == '\\' && (ansi || c == '"') {
					end++
				}
				end++
			}
			if end >= len(s) {
				return "", 0, fmt.Errorf("no closing quote in %s", s)
			}
			piece := s[n+1 : end]
			switch {
			case ansi:
				piece, _ = unescape(strings.ReplaceAll(piece, `\'`, `'`), false)
			case c == '"':
				piece = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`).Replace(piece)
			}
			b.WriteString(piece)
			n = end + 1
		case c == '\\' && n+1 < len(s):
			b.WriteByte(s[n+1])
			n += 2
		default:
			b.WriteByte(c)
			n++
		}
	}
	return b.String(), n, nil
}

func absent(stages []stage) string {
	for _, s := range stages {
		if _, err := exec.LookPath(s.args[0]); err != nil {
			return s.args[0]
		}
	}
	return ""
}

type result struct {
	stdout string
	code   int
	stderr string
}

// fixtures are files that both sides find in their directory.
func fixtures(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	list, err := os.ReadDir("testdata/files")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		text, err := os.ReadFile("testdata/files/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(text)
	}
	files["empty"] = ""
	files["noend"] = "one\ntwo"
	files["nul"] = "a\x00b\nc\x00d\n"
	files["bin"] = "\x00\x01\xff\xfe\x7f\x80abc\n"
	files["sub/inner"] = "inner text\n"
	files["sub/deep/leaf.txt"] = "leaf\n"
	return files
}

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func runReal(t *testing.T, stages []stage) result {
	dir := t.TempDir()
	for name, text := range fixtures(t) {
		if !mentions(stages, name) {
			continue
		}
		full := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(full), 0o755))
		must(t, os.WriteFile(full, []byte(text), 0o644))
		must(t, os.Chtimes(full, epoch, epoch))
	}
	var r result
	var stderr bytes.Buffer
	input := ""
	for _, s := range stages {
		cmd := exec.CommandContext(t.Context(), s.args[0], s.args[1:]...)
		cmd.Args[0] = s.args[0]
		cmd.Dir = dir
		cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC", "PATH=" + os.Getenv("PATH"), "HOME=/root", "NAME=value"}
		var stdout bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Stdin = strings.NewReader(input)
		if s.in != "" {
			f, err := os.Open(filepath.Join(dir, s.in))
			must(t, err)
			defer f.Close()
			cmd.Stdin = f
		}
		err := cmd.Run()
		if r.code = cmd.ProcessState.ExitCode(); r.code < 0 && err != nil {
			t.Fatal(err)
		}
		input = ""
		switch {
		case s.out != "":
			must(t, os.WriteFile(filepath.Join(dir, s.out), stdout.Bytes(), 0o644))
		case s.pipes:
			input = stdout.String()
		default:
			r.stdout += stdout.String()
		}
	}
	r.stderr = firstLine(stderr.String())
	return r
}

// mentions reports whether a line may need a file: most need one of fourteen.
func mentions(stages []stage, name string) bool {
	for _, s := range stages {
		if len(s.args) == 1 && s.args[0] == "ls" {
			return true
		}
		for _, word := range append(s.args, s.in) {
			if strings.Contains(word, strings.Split(name, "/")[0]) || word == "." {
				return true
			}
		}
	}
	return false
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// world is a file tree with the fixtures, and programs that run each other.
func world(t testing.TB, files map[string]string) *Proc {
	tree := NewFiles(func() time.Time { return epoch })
	must2(t, tree.MkdirAll("/w", 0o755))
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range files {
			if !yield(name) {
				return
			}
		}
	}) {
		must2(t, tree.MkdirAll(filepath.Dir("/w/"+name), 0o755))
		must2(t, tree.WriteFile("/w/"+name, []byte(files[name]), 0o644))
	}
	steps := 0
	p := &Proc{Dir: "/w", Files: tree, Now: func() time.Time { return epoch }, Sleep: func(time.Duration) {},
		Step: func() error {
			if steps++; steps > 100000 {
				return errBudget
			}
			return nil
		}}
	p = p.withEnviron([]string{"HOME=/root", "LC_ALL=C.UTF-8", "NAME=value", "TZ=UTC"})
	p.Run = func(child Proc) int {
		prog, ok := Lookup(child.Args[0])
		if !ok {
			fmt.Fprintf(child.Stderr, "%s: command not found\n", child.Args[0])
			return 127
		}
		child.Run = p.Run
		return prog(&child)
	}
	p.Find = func(name string) bool {
		_, ok := Lookup(name)
		return ok
	}
	p.Deadline = func(_ time.Duration, run func() int) (int, bool) { return run(), false }
	return p
}

func must2(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func runOurs(t *testing.T, stages []stage) result {
	p := world(t, fixtures(t))
	var r result
	var stderr bytes.Buffer
	input := ""
	for _, s := range stages {
		var stdout bytes.Buffer
		child := *p
		child.Args, child.Stdout, child.Stderr = s.args, &stdout, &stderr
		child.Stdin = io.Reader(strings.NewReader(input))
		if s.in != "" {
			f, err := p.Files.Open("/w/"+s.in, ReadOnly, 0)
			must(t, err)
			child.Stdin = f
		}
		r.code = p.Run(child)
		input = ""
		switch {
		case s.out != "":
			must(t, p.Files.WriteFile("/w/"+s.out, stdout.Bytes(), 0o644))
		case s.pipes:
			input = stdout.String()
		default:
			r.stdout += stdout.String()
		}
	}
	r.stderr = firstLine(stderr.String())
	return r
}
