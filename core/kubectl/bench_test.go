package kubectl_test

import (
	"io"
	"testing"

	"github.com/reconcile-playground/reconcile/core/kubectl"
	"github.com/reconcile-playground/reconcile/core/object"
)

// benchCluster has one object of the kind that the recordings use.
func benchCluster(b testing.TB) *cluster {
	list, err := loadTranscripts("testdata/transcripts")
	if err != nil {
		b.Fatal(err)
	}
	c := newCluster()
	setup := append([]object.Object{}, list[0].Setup[:1]...)
	for _, name := range []string{"a", "b"} {
		setup = append(setup, object.FromMap(map[string]any{"apiVersion": "lab.example.com/v1", "kind": "WebApp",
			"metadata": map[string]any{"name": name, "namespace": "default", "labels": map[string]any{"app": "x"}},
			"spec":     map[string]any{"message": "hi", "replicas": 2, "ref": "shared", "tags": []any{"x", "z"}}}))
	}
	if err := c.setup(setup); err != nil {
		b.Fatal(err)
	}
	return c
}

func benchRun(b *testing.B, args ...string) {
	c := benchCluster(b)
	env := &kubectl.Env{Client: c, Stdout: io.Discard, Stderr: io.Discard}
	b.ReportAllocs()
	for b.Loop() {
		if code := kubectl.Run(env, args...); code != 0 {
			b.Fatal(code)
		}
	}
}

func BenchmarkGetJSON(b *testing.B) { benchRun(b, "get", "webapp", "a", "-n", "default", "-o", "json") }

func BenchmarkGetPath(b *testing.B) {
	benchRun(b, "get", "webapp/a", "-n", "default", "-o", "jsonpath={.metadata.generation}")
}

func BenchmarkGetTable(b *testing.B) { benchRun(b, "get", "webapps") }

func BenchmarkPatch(b *testing.B) {
	benchRun(b, "patch", "webapp", "a", "--type=merge", "-p", `{"spec":{"message":"hi"}}`)
}
