package apiserver_test

import (
	"os"
	"testing"
)

// pending are the recordings that are not replayed without a difference yet,
// and what is missing. One that is, fails: the table stays true.
var pending = map[string]string{}

// furtherTraces are recordings that have no row in docs/fidelity.md.
var furtherTraces = []string{"testdata/traces2", "testdata/traces3", "testdata/traces4", "testdata/traces5", "testdata/traces6", "testdata/traces7", "testdata/traces8"}

// TestConformance replays recordings of a real API server: those of testdata,
// or of the folder that RECONCILE_TRACES names.
func TestConformance(t *testing.T) {
	dirs := append([]string{"testdata/traces"}, furtherTraces...)
	dir, given := os.LookupEnv("RECONCILE_TRACES")
	if given {
		dirs = []string{dir}
	}
	var traces []trace
	for _, dir := range dirs {
		more, err := loadTraces(dir)
		if err != nil {
			t.Fatal(err)
		}
		traces = append(traces, more...)
	}
	for _, tr := range traces {
		t.Run(tr.String(), func(t *testing.T) {
			_, err := newReplay().run(tr)
			why := reasonPending(tr)
			switch {
			case given || why == "":
				if err != nil {
					t.Error(err)
				}
			case err == nil:
				t.Error("replays without a difference: take it out of the table of pending ones")
			default:
				t.Skip(why)
			}
		})
	}
}

func reasonPending(tr trace) string {
	if why, ok := pending[tr.String()]; ok {
		return why
	}
	return pending[tr.category]
}
