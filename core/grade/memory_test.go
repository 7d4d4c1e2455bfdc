package grade_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// stamp keeps an annotation on a ConfigMap equal to its data, through files.
const stamp = `name: stamp
controllers:
- for: configmaps
  reconciler: script
  script: reconcile.sh
-- start --
apply a.yaml
-- life --
patch ConfigMap/default/a {"data":{"x":"2"}}
patch ConfigMap/default/a {"data":{"x":"3"}}
-- files/a.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: default}
data: {x: "1"}
-- scripts/reconcile.sh --
set -e
`

// leaves leaves a file of another name behind in every pass, and one that it
// writes before it reads it.
const leaves = `t=$(mktemp)
kubectl get configmap "${1#*/}" -n "${1%/*}" -o json --ignore-not-found > "$t"
[ -s "$t" ] || exit 0
jq -r .data.x "$t" > x
kubectl annotate configmap "${1#*/}" -n "${1%/*}" --overwrite "x=$(cat x)" > last.log
`

// tires counts its passes in a file, and after the sixth writes nonsense.
const tires = `n=$(cat passes 2>/dev/null || echo 0)
echo $((n + 1)) > passes
x=$(kubectl get configmap "${1#*/}" -n "${1%/*}" -o 'jsonpath={.data.x}')
[ "$n" -lt 6 ] || x=tired
kubectl annotate configmap "${1#*/}" -n "${1%/*}" --overwrite "x=$x" > "$(mktemp)"
`

func stamped(t *testing.T, script string) explore.Subject {
	t.Helper()
	head, tail := stamp[:len(stamp)-len("set -e\n")], "set -e\n"+script
	s, err := scenario.Parse([]byte("-- scenario.yaml --\n" + head + tail))
	if err != nil {
		t.Fatal(err)
	}
	return explore.Of(s)
}

// Files that no later pass goes by do not keep states apart; those that one goes by
// do. Either way every run comes out as it does when nothing is cut.
func TestFilesThatNobodyReads(t *testing.T) {
	faults := []string{"crash-after", "lost-reply", "refused", "duplicate", "stale"}
	for _, c := range []struct {
		name, script string
		// wrong says that a fault shows something that is wrong.
		wrong       bool
		least, most int
	}{
		{"left behind", leaves, false, 4, 10},
		{"counted", tires, true, 20, 40},
	} {
		t.Run(c.name, func(t *testing.T) {
			pruned, err := explore.Run(stamped(t, c.script), explore.Options{Faults: faults})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := explore.Run(stamped(t, c.script), explore.Options{Faults: faults, Unpruned: true})
			if err != nil {
				t.Fatal(err)
			}
			a, _ := json.MarshalIndent(pruned.Findings, "", " ")
			b, _ := json.MarshalIndent(whole.Findings, "", " ")
			if string(a) != string(b) {
				t.Errorf("pruned\n%s\nunpruned\n%s", a, b)
			}
			if n := pruned.Bounds.States; n < c.least || n > c.most {
				t.Errorf("%d states are told apart", n)
			}
			if slices.ContainsFunc(pruned.Findings, func(f judge.Finding) bool { return f.Fault != "" }) != c.wrong {
				t.Errorf("findings: %s", a)
			}
		})
	}
}
