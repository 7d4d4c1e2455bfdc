package apiserver_test

import (
	"os"
	"testing"
)

// TestConformance replays recordings of a real API server.
func TestConformance(t *testing.T) {
	dir, given := os.LookupEnv("RECONCILE_TRACES")
	if !given {
		dir = "testdata/traces"
	}
	traces, err := loadTraces(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traces {
		t.Run(tr.String(), func(t *testing.T) {
			if err := newReplay().run(tr); err != nil {
				t.Error(err)
			}
		})
	}
}
