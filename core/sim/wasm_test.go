package sim_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// playLab plays the lab: start, to quiet, everything again, and a long random
// tail. It returns the sum of every event, pass and object.
func playLab(t failer) string {
	w := lab(t)
	text := join(toQuiet(t, w))
	text += step(t, w, "resync controller").String()
	text += join(toQuiet(t, w))
	text += lines(walk(w, 20260101, 200))
	text += account(t, w)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// TestSum prints the sum of playLab, for TestSameBytesInWasm to read.
func TestSum(t *testing.T) {
	a, b := playLab(t), playLab(t)
	if a != b {
		t.Fatalf("the same run has two sums: %s and %s", a, b)
	}
	t.Logf("sum %s", a)
}

// TestSameBytesInWasm builds this very test for the browser's machine, runs
// TestSum in Node.js, and compares: the same choices give the same bytes there.
func TestSameBytesInWasm(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("this is the other side")
	}
	if testing.Short() {
		t.Skip("-short: it builds a second test binary")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("NOT CHECKED: that WebAssembly gives the same bytes. Node.js is not on PATH")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "sim.test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	run := exec.Command(filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/go_js_wasm_exec"), binary, "-test.run=^TestSum$", "-test.v")
	// All of the environment would not fit into the program's memory.
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("in Node.js: %v\n%s", err, out)
	}
	m := regexp.MustCompile(`sum ([0-9a-f]{64})`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("no sum in\n%s", out)
	}
	if got, want := string(m[1]), playLab(t); got != want {
		t.Fatalf("in WebAssembly the run has the sum %s, natively %s", got, want)
	}
}
