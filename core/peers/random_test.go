package peers

import (
	"flag"
	"os"
	"testing"
	"testing/synctest"

	"github.com/go-logr/logr"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"pgregory.net/rapid"
)

// sequences is how many random sequences each comparison goes through, always
// the same ones. -rapid.checks and -rapid.seed ask for others; a seed of 0 for
// ones of chance.
const sequences = "1000"

func TestMain(m *testing.M) {
	for name, value := range map[string]string{"rapid.checks": sequences, "rapid.seed": "1", "rapid.nofailfile": "true"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	// Libraries would print, or wait for, every failure that is drawn.
	klog.SetLogger(logr.Discard())
	utilruntime.ErrorHandlers, utilruntime.PanicHandlers = nil, nil
	os.Exit(m.Run())
}

// compared plays random sequences of operations. Each is drawn as a whole and
// played in a bubble of its own, where time passes when all goroutines wait, and
// passes for nothing; one that play complains of is made shorter as long as it
// still does.
func compared[Op any](t *testing.T, op *rapid.Generator[Op], longest int, play func(ops []Op) error) {
	t.Helper()
	rapid.Check(t, func(r *rapid.T) {
		least := rapid.IntRange(1, longest).Draw(r, "at least")
		ops := rapid.SliceOfN(op, least, longest).Draw(r, "operations")
		var err error
		synctest.Test(t, func(*testing.T) { err = play(ops) })
		if err != nil {
			r.Fatal(err)
		}
	})
}
