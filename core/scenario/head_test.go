package scenario_test

import (
	"reflect"
	"testing"

	"github.com/reconcile-playground/reconcile/core/scenario"
)

func TestHeads(t *testing.T) {
	heads := scenario.Heads()
	if len(heads) != len(scenario.Names()) {
		t.Fatalf("%d heads for %d scenarios", len(heads), len(scenario.Names()))
	}
	for i, name := range scenario.Names() {
		if heads[i].Name != name || heads[i].Title == "" || heads[i].Story == "" {
			t.Errorf("the head of %s is %+v", name, heads[i])
		}
	}
	got := scenario.HeadOf([]byte("A story.\n-- scenario.yaml --\nname: x\ntitle: X\nkind: incident\nlook: [the queue]\ncures:\n- {name: predicate, title: Filter, setting: 1}\n"))
	want := scenario.Head{Name: "x", Title: "X", Kind: "incident", Story: "A story.", Look: []string{"the queue"}, Cures: []scenario.CureHead{{Name: "predicate", Title: "Filter"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := scenario.HeadOf([]byte("-- scenario.yaml --\nname: [\n")); !reflect.DeepEqual(got, scenario.Head{}) {
		t.Errorf("of what does not parse: %+v", got)
	}
}
