package engine

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// passes is a script whose passes differ by the key: one fails three times, one asks to be called again, one decides
// nonsense.
const passes = `#!/usr/bin/env bash
name=${1#*/}
case $name in
  fails)
    n=$(cat "$TMPDIR/fails" 2>/dev/null || echo 0)
    echo $((n + 1)) >"$TMPDIR/fails"
    ((n >= 3)) || exit 7
    ;;
  waits)
    echo working
    if [ ! -e "$TMPDIR/waited" ]; then
      touch "$TMPDIR/waited"
      printf '{\n  "requeueAfter": "1.5ms",\n  "reason": "DependencyNotFound"\n}\n'
    else
      echo '{}'
    fi
    ;;
  odd) echo '{"requeueAfter": "soon"}' ;;
  reads)
    cat # there is nothing on its input
    [ "$PWD" = "$(dirname "$0")" ] && [ "$KIND $PLURAL $GROUP $VERSION" = "WebApp webapps lab.example.com v1" ] && command -v cloud >/dev/null
    ;;
esac
`

// A stand-in for kubectl: its watches tell of what is appended to a file.
const standIn = `#!/usr/bin/env bash
case "$*" in
  "config current-context") echo stand-in ;;
  *" -o name") ;;
  *" --watch -o json") exec tail -n +1 -f "$TMPDIR/$2" ;;
  "get webapps.v1.lab.example.com -A -o json") cat "$TMPDIR/list" ;;
  *) echo "stand-in: $*" >&2; exit 1 ;;
esac
`

// unpacked is what of the lab bundle runs, in a folder, with a script and a stand-in for kubectl; what web/bundle puts
// beside it a browser test looks at.
func unpacked(t *testing.T, script string) (dir string, env []string) {
	t.Helper()
	if runtime.GOOS == "js" {
		t.Skip("it runs programs")
	}
	for _, program := range []string{"bash", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("the lab bundle is not tried: there is no %s", program)
		}
	}
	if err := exec.Command("bash", "-c", "((BASH_VERSINFO[0] >= 5))").Run(); err != nil {
		t.Skip("the lab bundle is not tried: bash is older than 5")
	}
	// It runs from a folder with a space in its name.
	dir = filepath.Join(t.TempDir(), "lab bundle")
	files := map[string]string{"reconcile/reconcile.sh": script, "lab.env": open(t, newMemory()).last.Scenario.Env}
	for name, from := range map[string]string{"run.sh": "run.sh", "bin/cloud": "cloud.sh"} {
		text, err := os.ReadFile(filepath.Join("../bundle", from))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	files["kubectl/kubectl"] = standIn
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	env = append(os.Environ(), "TMPDIR="+t.TempDir(), "PATH="+filepath.Join(dir, "kubectl")+":"+os.Getenv("PATH"))
	return dir, env
}

func put(t *testing.T, env []string, file, text string) {
	t.Helper()
	for _, e := range env {
		if dir, ok := strings.CutPrefix(e, "TMPDIR="); ok {
			file = filepath.Join(dir, file)
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func webapp(name string) string {
	return `{"kind": "WebApp", "metadata": {"namespace": "default", "name": "` + name + "\"}\n}\n"
}

// The controller of the lab bundle calls the script with the keys of what changes and of what owns it, honours what
// it decides and backs off from errors; when it ends, so does everything that it started.
func TestBundleWatches(t *testing.T) {
	dir, env := unpacked(t, passes)
	put(t, env, "configmaps", "")
	put(t, env, "webapps.v1.lab.example.com", webapp("reads")+webapp("waits")+webapp("fails")+webapp("odd"))
	cmd := exec.Command("bash", filepath.Join(dir, "run.sh"))
	cmd.Env = env
	errors, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	log := bufio.NewReader(errors)
	// saw reads on until each of the sentences was said once more, in any order.
	saw := func(want ...string) {
		t.Helper()
		for len(want) > 0 {
			line, err := log.ReadString('\n')
			if err != nil {
				t.Fatalf("run.sh ended before it said %q: %v", want, err)
			}
			want = slices.DeleteFunc(want, func(w string) bool {
				key, says, _ := strings.Cut(w, ": ")
				return strings.Contains(line, "default/"+key+" ") && strings.Contains(line, says)
			})
		}
	}
	saw("reads: ok", "waits: ok, again in 2 ms DependencyNotFound", "waits: ok", "odd: is no duration", "odd: again in 5 ms",
		"fails: status 7, again in 5 ms", "fails: again in 10 ms", "fails: again in 20 ms", "fails: ok")
	// A child that changes brings its owner back; one of somebody else nobody.
	put(t, env, "configmaps", `{"kind": "ConfigMap", "metadata": {"namespace": "default", "name": "other"}}
{"kind": "ConfigMap", "metadata": {"namespace": "default", "name": "reads-config", "ownerReferences": [
 {"kind": "WebApp", "name": "reads", "controller": true}]}}
`)
	saw("reads: ok")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// Its standard error ends only when the last of its children has closed it.
	if _, err := io.Copy(io.Discard, log); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 143 {
		t.Errorf("run.sh ended with %v", err)
	}
}

func TestBundleOnce(t *testing.T) {
	dir, env := unpacked(t, passes)
	once := func() (string, int) {
		cmd := exec.Command("bash", filepath.Join(dir, "run.sh"), "--once")
		cmd.Env = env
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	put(t, env, "list", `{"kind": "WebAppList", "items": [`+webapp("reads")+","+webapp("waits")+`]}`)
	if out, code := once(); code != 0 || strings.Count(out, "  ok") != 2 {
		t.Errorf("exit status %d:\n%s", code, out)
	}
	put(t, env, "list", `{"kind": "WebAppList", "items": [`+webapp("fails")+`]}`)
	if out, code := once(); code != 1 || !strings.Contains(out, "exit status 7") {
		t.Errorf("exit status %d:\n%s", code, out)
	}
}

// The stand-in for the cloud says what the playground's cloud says.
func TestBundleCloud(t *testing.T) {
	dir, env := unpacked(t, passes)
	for _, step := range []struct {
		args, out, err string
		code           int
	}{
		{"lb list", "[]", "", 0},
		{"lb create --name a --tag webapp=default/a --tag b=1=2", `{"id":"lb-0001","type":"lb","name":"a","address":"203.0.113.1","tags":{"b":"1=2","webapp":"default/a"}}`, "", 0},
		{"lb create --name=a", `{"id":"lb-0002","type":"lb","name":"a","address":"203.0.113.2","tags":{}}`, "", 0},
		{"db create --name a", `{"id":"db-0001","type":"db","name":"a","address":"203.0.113.3","tags":{}}`, "", 0},
		{"lb list --tag webapp=default/a", `[{"id":"lb-0001","type":"lb","name":"a","address":"203.0.113.1","tags":{"b":"1=2","webapp":"default/a"}}]`, "", 0},
		{"lb list --name b", "[]", "", 0},
		{"lb get lb-0002", `{"id":"lb-0002","type":"lb","name":"a","address":"203.0.113.2","tags":{}}`, "", 0},
		{"lb delete lb-0002", "", "", 0},
		{"lb delete lb-0002", "", "not found: lb-0002", 1},
		{"lb get db-0001", "", "not found: db-0001", 1},
		// Ids are never used again.
		{"lb create --name c", `{"id":"lb-0003","type":"lb","name":"c","address":"203.0.113.4","tags":{}}`, "", 0},
		{"lb", "", "cloud: a type and a verb are required", 2},
		{"vm list", "", `cloud: unknown type "vm"`, 2},
		{"lb make", "", `cloud: unknown verb "make"`, 2},
		{"lb create", "", "cloud: --name is required", 2},
		{"lb get", "", "cloud: an ID is required", 2},
		{"lb get a b", "", `cloud: unexpected argument "b"`, 2},
		{"lb get --name a", "", "cloud: unknown flag --name", 2},
		{"lb list --tag =a", "", `cloud: --tag wants KEY=VALUE, not "=a"`, 2},
		{"lb list --tag", "", "cloud: --tag needs a value", 2},
	} {
		cmd := exec.Command("bash", append([]string{filepath.Join(dir, "bin/cloud")}, strings.Fields(step.args)...)...)
		var errors strings.Builder
		cmd.Env, cmd.Stderr = env, &errors
		out, _ := cmd.Output()
		first, _, _ := strings.Cut(errors.String(), "\n")
		if got := strings.TrimSuffix(string(out), "\n"); got != step.out || first != step.err || cmd.ProcessState.ExitCode() != step.code {
			t.Errorf("cloud %s: exit status %d, %q, %q; want %d, %q, %q", step.args, cmd.ProcessState.ExitCode(), got, first, step.code, step.out, step.err)
		}
	}
}
