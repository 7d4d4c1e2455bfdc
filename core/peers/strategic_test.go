package peers

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// strategicSeeds is how many patches are tried.
const strategicSeeds = 4000

var serviceKind = object.GVK{Version: "v1", Kind: "Service"}

// serviceMaker makes Services, and patches that look like them.
type serviceMaker struct{ *rand.Rand }

func (g serviceMaker) pick(s ...string) string { return s[g.IntN(len(s))] }

func (g serviceMaker) some(n int, from ...string) []any {
	out := []any{}
	g.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	for i := range g.IntN(n + 1) {
		out = append(out, from[i%len(from)])
	}
	return out
}

func (g serviceMaker) service() map[string]any {
	meta := map[string]any{"name": "a"}
	if n := g.some(3, "a/a", "b/b", "c/c"); len(n) > 0 {
		meta["finalizers"] = n
	}
	if g.IntN(2) == 0 {
		labels := map[string]any{}
		for range g.IntN(3) {
			labels[g.pick("a", "b", "c")] = g.pick("1", "2")
		}
		meta["labels"] = labels
	}
	owners := []any{}
	for _, uid := range g.some(3, "1", "2", "3") {
		o := map[string]any{"uid": uid, "name": g.pick("x", "y")}
		if g.IntN(3) == 0 {
			o["controller"] = g.IntN(2) == 0
		}
		owners = append(owners, o)
	}
	if len(owners) > 0 {
		meta["ownerReferences"] = owners
	}
	m := map[string]any{"kind": "Service", "apiVersion": "v1", "metadata": meta, "spec": g.spec()}
	if g.IntN(3) == 0 {
		m["status"] = map[string]any{"conditions": []any{map[string]any{"type": g.pick("A", "B"), "status": "True"}}}
	}
	return m
}

func (g serviceMaker) spec() map[string]any {
	spec := map[string]any{"type": g.pick("ClusterIP", "NodePort")}
	ports := []any{}
	for range g.IntN(4) {
		p := map[string]any{"port": int64(80 + g.IntN(3)), "protocol": g.pick("TCP", "UDP")}
		if g.IntN(2) == 0 {
			p["name"] = g.pick("a", "b")
		}
		if g.IntN(2) == 0 {
			p["targetPort"] = int64(g.IntN(2))
		}
		ports = append(ports, p)
	}
	if g.IntN(4) > 0 {
		spec["ports"] = ports
	}
	if g.IntN(2) == 0 {
		spec["selector"] = map[string]any{g.pick("a", "b"): g.pick("1", "2")}
	}
	if g.IntN(2) == 0 {
		spec["clusterIPs"] = g.some(2, "1", "2")
	}
	return spec
}

// direct puts directives into a patch, right and wrong ones, and nulls.
func (g serviceMaker) direct(m map[string]any) {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		switch v := m[k].(type) {
		case map[string]any:
			if g.IntN(12) == 0 {
				v["$patch"] = g.pick("replace", "delete", "merge", "x")
			}
			if g.IntN(12) == 0 {
				v["$retainKeys"] = g.some(3, "type", "ports", "selector", "labels", "a")
			}
			g.direct(v)
		case []any:
			g.directList(m, k, v)
		default:
			if g.IntN(10) == 0 {
				m[k] = nil
			}
		}
		if g.IntN(12) == 0 {
			delete(m, k)
		}
	}
	if g.IntN(30) == 0 {
		m[g.pick("labels", "ports", "finalizers", "name", "data")] = []any{nil, map[string]any{"a": nil}, "x"}[g.IntN(3)]
	}
	if g.IntN(60) == 0 {
		m[g.pick("$setElementOrder/nope", "$setElementOrder", "$deleteFromPrimitiveList", "$setElementOrder/labels", "$retainKeys")] =
			[]any{[]any{}, "x", []any{"a"}}[g.IntN(3)]
	}
}

func (g serviceMaker) directList(m map[string]any, key string, list []any) {
	order, scalars := []any{}, false
	for _, x := range list {
		item, ok := x.(map[string]any)
		if !ok {
			scalars = true
			order = append(order, x)
			continue
		}
		only := map[string]any{}
		for _, k := range []string{"port", "uid", "type"} {
			if v, ok := item[k]; ok {
				only[k] = v
			}
		}
		order = append(order, only)
		if g.IntN(6) == 0 {
			item["$patch"] = g.pick("delete", "delete", "delete", "replace", "merge", "q")
		}
		g.direct(item)
	}
	if g.IntN(3) == 0 {
		if g.IntN(3) == 0 {
			g.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		m["$setElementOrder/"+key] = order
	}
	if scalars && g.IntN(3) == 0 {
		m["$deleteFromPrimitiveList/"+key] = list
		delete(m, key)
	}
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// parsed reads JSON as the API server does; the original changes what it is given.
func parsed(t testing.TB, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func tree(t testing.TB, text string) *object.Map {
	t.Helper()
	o, err := object.DecodeObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o.Root()
}

// TestStrategicPatch: random patches of random Services give what the original
// gives, errors included. The original walks a map, so of several errors it
// gives one of them.
func TestStrategicPatch(t *testing.T) {
	merging := patch.MergingOf(serviceKind)
	for seed := range uint64(strategicSeeds) {
		g := serviceMaker{rand.New(rand.NewPCG(seed, 7))}
		p := g.service()
		g.direct(p)
		doc, change := jsonOf(t, g.service()), jsonOf(t, p)
		got := outcome(patch.Strategic(tree(t, doc), tree(t, change), merging))
		var wanted []string
		for range 20 {
			w, err := strategicpatch.StrategicMergeMapPatch(parsed(t, doc), parsed(t, change), corev1.Service{})
			want := ""
			if err != nil {
				want = err.Error()
			} else {
				want = jsonOf(t, w)
			}
			wanted = append(wanted, want)
			if err == nil || want == got {
				break
			}
		}
		if !slices.Contains(wanted, got) {
			t.Fatalf("seed %d: %s\nwith %s\n got %s\nwant %q", seed, doc, change, got, wanted)
		}
	}
}

// TestThreeWayPatch: so do the patches of kubectl apply.
func TestThreeWayPatch(t *testing.T) {
	merging := patch.MergingOf(serviceKind)
	lookup, err := strategicpatch.NewPatchMetaFromStruct(corev1.Service{})
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(strategicSeeds) {
		g := serviceMaker{rand.New(rand.NewPCG(seed, 8))}
		original, modified, current := jsonOf(t, g.service()), jsonOf(t, g.service()), jsonOf(t, g.service())
		if g.IntN(2) == 0 {
			current = original
		}
		got := outcome(patch.ThreeWayStrategic(tree(t, original), tree(t, modified), tree(t, current), merging))
		w, err := strategicpatch.CreateThreeWayMergePatch([]byte(original), []byte(modified), []byte(current), lookup, true)
		want := string(w)
		if err != nil {
			want = err.Error()
		}
		if got != want {
			t.Fatalf("seed %d: %s\nto %s\nagainst %s\n got %s\nwant %s", seed, original, modified, current, got, want)
		}
	}
}

func outcome(m *object.Map, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(object.EncodeJSON(m))
}
