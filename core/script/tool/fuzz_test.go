package tool

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// play runs one program on an input; it ends by the budget at the latest.
func play(t testing.TB, input string, args ...string) (stdout string, code int) {
	p := world(t, map[string]string{"f": "a b\nc d\n"})
	steps := 0
	p.Step = func() error {
		if steps++; steps > 200 {
			return errBudget
		}
		return nil
	}
	var out, complaints bytes.Buffer
	p.Args, p.Stdin, p.Stdout, p.Stderr = args, strings.NewReader(input), &bounded{Buffer: &out}, &complaints
	return out.String(), p.Run(*p)
}

// bounded takes 1 MiB, then fails, as a pipe whose reader has gone.
type bounded struct{ *bytes.Buffer }

func (b *bounded) Write(data []byte) (int, error) {
	if b.Len() > 1<<20 {
		return 0, errors.New("closed")
	}
	return b.Buffer.Write(data)
}

// Programs that would never end are ended: by the budget, or because nobody
// reads on. So is one that draws on an endless producer.
func TestNothingRunsForEver(t *testing.T) {
	for _, args := range [][]string{
		{"yes"}, {"sed", ":a;ba"}, {"sed", "-n", ":a;s/^/x/;ta"}, {"awk", "BEGIN{while(1)i++}"}, {"awk", "function f(){return f()} BEGIN{f()}"},
		{"seq", "inf"}, {"seq", "1", "0.0000001", "100"}, {"jq", "-n", "def f: f; f"}, {"jq", "-n", "repeat(1)"}, {"awk", "BEGIN{while(1)print 1}"},
		{"sed", "p;D"}, {"sed", ":a;s/./&&&&/g;ta"}, {"sed", ":a;G;h;ba"}, {"jq", "-n", "[range(1e9)|tostring]"}, {"printf", "%s", strings.Repeat("x", 1<<16)}, {"xargs", "-I{}", "yes", "{}"},
		{"seq", "1000000000"}, {"sed", ":a;s/^/x/;ba"}, {"awk", "BEGIN{for(;;i++) a[i]=i}"}, {"jq", "-n", "reduce range(64) as $i ([1]; . + .)|length"},
		{"jq", "-n", "reduce range(64) as $i (1; [.,.])"}, {"jq", "-n", "reduce range(64) as $i (1; [.,.])|tojson|length"},
		{"jq", "-n", "[range(1000) as $i|[range(100000)]]|add|length"}, {"jq", "-n", "reduce range(50000) as $i ([range(50000)]; .[$i] = 0)|length"},
	} {
		if _, code := play(t, strings.Repeat("line\n", 100), args...); code == 0 && args[0] == "yes" {
			t.Errorf("%q ended well", args)
		}
	}
}

// A writer is told that its reader has gone, and ends quietly with SIGPIPE's
// status.
func TestGoneReader(t *testing.T) {
	p := world(t, nil)
	var complaints bytes.Buffer
	p.Args, p.Stdin, p.Stderr = []string{"yes"}, strings.NewReader(""), &complaints
	p.Stdout = failing{}
	if code := p.Run(*p); code != 141 || complaints.Len() > 0 {
		t.Errorf("yes ended with %d and %q", code, complaints.String())
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("closed") }

// What head leaves of a file is there for the next program.
func TestHeadLeavesTheRest(t *testing.T) {
	p := world(t, map[string]string{"f": "one\ntwo\nthree\n"})
	f, err := p.Files.Open("/w/f", ReadOnly, 0)
	must(t, err)
	var out bytes.Buffer
	for _, args := range [][]string{{"head", "-n", "1"}, {"sed", "1q"}, {"cat"}} {
		child := *p
		child.Args, child.Stdin, child.Stdout, child.Stderr = args, f, &out, &out
		p.Run(child)
	}
	if out.String() != "one\ntwo\nthree\n" {
		t.Errorf("got %q", out.String())
	}
}

func FuzzRegex(f *testing.F) {
	for _, p := range []string{`a*b`, `\(a\)\1`, `[[:alpha:]]\+`, `^x\{2,3\}$`, `(a|b)+`, `a{1,2}{3}`, `[]a]`, `[^]]`, `\<w\>`, `*a`, `a\|b`, `()`, `[a-z`, `\`, `a**`, `x?*+`} {
		f.Add(p, "aab xx\nw", false)
		f.Add(p, "aab xx\nw", true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, extended bool) {
		if len(pattern) > 60 || len(text) > 200 || strings.ContainsAny(pattern+text, "\x00\n") {
			return
		}
		for _, o := range []regexOptions{{extended: extended}, {extended: extended, fold: true, word: true}, {extended: extended, whole: true, escapes: true}} {
			re, err := compileRegex(pattern, o)
			if err != nil {
				continue
			}
			for _, m := range re.all([]byte(text), -1) {
				if m[0] < 0 || m[1] < m[0] || m[1] > len(text) {
					t.Fatalf("%q in %q: %v", pattern, text, m)
				}
			}
		}
	})
}

func FuzzSed(f *testing.F) {
	for _, s := range []string{`s/a/b/g`, `/x/,/y/d`, `$!N;P;D`, `y/abc/xyz/`, `:a;N;$!ba;s/\n/,/`, `1!G;h;$!d`, `2{p;q}`, `s/\(.\)\1/\U&/2p`, `a\`, `0~3c text`, `}`, `{`, `s`, `1,`, `bx`, `w f`, `r f`, `e`} {
		f.Add(s, "a\nb\nx y\n")
	}
	f.Fuzz(func(t *testing.T, script, input string) {
		if len(script) > 100 || len(input) > 300 {
			return
		}
		play(t, input, "sed", script)
		play(t, input, "sed", "-n", "-E", script)
	})
}

func FuzzAwk(f *testing.F) {
	for _, s := range []string{`{print $1}`, `BEGIN{while(i<3)print i++}`, `/a/{n++}END{print n}`, `{gsub(/a/,"b")}1`, `BEGIN{"x"|getline}`, `{print > "f"}`, `function f(x){return x}BEGIN{print f(1)}`, `BEGIN{srand();print FILENAME}`, `{`} {
		f.Add(s, "a b\nc d\n")
	}
	f.Fuzz(func(t *testing.T, script, input string) {
		if len(script) > 100 || len(input) > 300 || strings.Contains(script, "printf") || strings.Contains(script, "sprintf") {
			return
		}
		play(t, input, "awk", script)
	})
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"now", "1 hour ago", "2026-01-01T00:00:00Z", "next monday", "Jan 1 2026", "+5 minutes", "@1.5", "10:00 pm", "-", "2026-1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { play(t, "", "date", "-u", "-d", s, "+%F %T") })
}
