package script_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/script"
)

// Whatever is called a script is refused or run, the same way each time, and
// ends.
func FuzzScript(f *testing.F) {
	tables, err := filepath.Glob("shell/testdata/bash/*.txt")
	if err != nil || len(tables) == 0 {
		f.Fatal("no table of scripts")
	}
	for _, table := range tables {
		text, err := os.ReadFile(table)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split("\n"+string(text), "\n### ")[1:] {
			if _, s, _ := strings.Cut(part, "\n"); len(s) < 120 {
				f.Add(s)
			}
		}
	}
	f.Add(`cloud lb create --name a | jq -r .id; kubectl get webapp a -o json || echo '{"requeueAfter":"5s"}'`)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 200 {
			return
		}
		p, err := script.Compile("reconcile.sh", text)
		if err != nil {
			return
		}
		once := func() string {
			w := newWire(t)
			r := p.Reconciler("WebApp", "webapps", "lab.example.com", "v1")
			got, err := r.Reconcile(reconcile.NewContext(context.Background(), w), reconcile.Request{Namespace: "default", Name: "a"})
			return fmt.Sprint(got, err, w.log, w.lines, w.now)
		}
		if a, b := once(), once(); a != b {
			t.Errorf("two runs of one script:\n%s\n%s", a, b)
		}
	})
}
