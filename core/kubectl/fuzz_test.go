package kubectl_test

import (
	"bytes"
	"io/fs"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/kubectl"
)

// Whatever the words are, kubectl answers: with something on standard error
// where it fails, and never in the middle of nowhere.
func FuzzCommand(f *testing.F) {
	transcripts, err := loadTranscripts("testdata/transcripts")
	if err != nil {
		f.Fatal(err)
	}
	setup := newCluster()
	for _, tr := range transcripts {
		for _, c := range tr.Commands {
			if len(c.Args) > 0 {
				f.Add(strings.Join(c.Args, "\n"), c.Stdin)
			}
		}
	}
	for _, tr := range transcripts {
		// Those that follow may speak of the same objects: what is there stays.
		_ = setup.setup(tr.Setup)
	}
	f.Fuzz(func(t *testing.T, words, stdin string) {
		args := strings.Split(words, "\n")
		if len(words) > 300 || len(stdin) > 2000 {
			return
		}
		c := &cluster{server: setup.server.Clone(), collector: setup.collector.Clone(), observed: setup.observed, now: setup.now}
		c.began, c.killed = c.now, 1e10
		var stdout, stderr bytes.Buffer
		defer func() {
			switch r := recover().(type) {
			case nil, killedError:
			default:
				panic(r)
			}
		}()
		env := &kubectl.Env{Client: c, Stdin: strings.NewReader(stdin), Stdout: &stdout, Stderr: &stderr,
			ReadFile: func(name string) ([]byte, error) {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}}
		if code := kubectl.Run(env, args...); code != 0 && stderr.Len() == 0 && args[0] != "diff" {
			t.Errorf("kubectl %q ends with %d and says nothing", args, code)
		}
	})
}
