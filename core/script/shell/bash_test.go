package shell_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/script/shell"
	"github.com/reconcile-playground/reconcile/core/script/tool"
)

// outcome is what a run of a script gave.
type outcome struct {
	stdout, stderr string
	code           int
}

// complaint is the last line on standard error where the shell itself wrote it.
func (o outcome) complaint(name string) string {
	lines := strings.Split(strings.TrimRight(o.stderr, "\n"), "\n")
	last := lines[len(lines)-1]
	if !strings.HasPrefix(last, name+":") {
		return ""
	}
	return last
}

// scripts reads a table: a script follows each line "### name".
func scripts(t *testing.T, file string) (names []string, texts map[string]string) {
	t.Helper()
	all, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	texts = map[string]string{}
	for _, part := range strings.Split("\n"+string(all), "\n### ")[1:] {
		name, text, _ := strings.Cut(part, "\n")
		if texts[name] != "" {
			t.Fatalf("%s: two scripts %q", file, name)
		}
		names = append(names, name)
		texts[name] = text + "\n"
	}
	return names, texts
}

// real runs a script in bash.
func real(t *testing.T, dir, name, text string) outcome {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	hangups()
	cmd := exec.Command("bash", name, "one", "two three")
	cmd.Dir = dir
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// expected are the programs that the scripts of the table call.
var expected = map[string]bool{}

func init() {
	for _, name := range strings.Fields("cat cut diff env grep head od paste rm sed seq sort stat tail touch tr wc yes mkdir chmod uniq date jq") {
		expected[name] = true
	}
}

// ours runs it here, over the same files.
func ours(t *testing.T, dir, name, text string) outcome {
	t.Helper()
	u, problems := shell.Parse(text)
	if u == nil {
		return outcome{stderr: fmt.Sprintf("refused: %+v\n", problems)}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	files := tool.NewFiles(clock)
	path := ""
	for _, part := range strings.Split(dir, "/")[1:] {
		path += "/" + part
		files.Mkdir(path, 0o755)
	}
	files.WriteFile(name, []byte(text), 0o644)
	var out, errs bytes.Buffer
	drawn := uint64(41)
	code, err := shell.Run(u, shell.Config{
		Name: name, Args: []string{"one", "two three"}, Dir: dir, Files: files, Stdout: &out, Stderr: &errs, Now: clock,
		Sleep: func(d time.Duration) { now = now.Add(d) }, Rand: func() uint64 { drawn++; return drawn * 0x9e3779b97f4a7c15 },
		Program: func(name string) (tool.Program, bool) {
			p, ok := tool.Lookup(name)
			if !ok && expected[name] {
				t.Skipf("there is no %s here yet", name)
			}
			return p, ok
		}, Env: []string{"HOME=" + dir, "LC_ALL=C.UTF-8", "TZ=UTC"},
	})
	if err != nil {
		fmt.Fprintf(&errs, "stopped: %v\n", err)
	}
	return outcome{out.String(), errs.String(), code}
}

// The table of small scripts gives the same output, exit status and complaints
// here and in bash.
func TestBash(t *testing.T) {
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOT RUN: the table of scripts is held against bash, and there is no %s here", program)
		}
	}
	version, _ := exec.Command("bash", "-c", `echo "${BASH_VERSINFO[0]}.${BASH_VERSINFO[1]}"`).Output()
	if v := strings.TrimSpace(string(version)); v < "5.2" {
		t.Skipf("NOT RUN: the table of scripts is held against bash 5.2, and this is %s", v)
	}
	tables, _ := filepath.Glob("testdata/bash/*.txt")
	count := 0
	for _, file := range tables {
		names, texts := scripts(t, file)
		count += len(names)
		group := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(group, func(t *testing.T) {
			for _, name := range names {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					compare(t, texts[name])
				})
			}
		})
	}
	if count < 300 {
		t.Errorf("the table has %d scripts, fewer than 300", count)
	}
}

func compare(t *testing.T, text string) {
	dir := t.TempDir()
	work := dir + "/work"
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	name := dir + "/case.sh"
	want, got := real(t, work, name, text), ours(t, work, name, text)
	if got.stdout != want.stdout || got.code != want.code || got.complaint(name) != want.complaint(name) {
		t.Errorf("%s\n--- bash: %d\n%s%s\n--- ours: %d\n%s%s", text, want.code, want.stdout, want.stderr, got.code, got.stdout, got.stderr)
	}
}
