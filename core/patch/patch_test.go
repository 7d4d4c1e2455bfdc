package patch

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

func value(t testing.TB, text string) any {
	t.Helper()
	v, err := object.DecodeJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func text(v any) string { return string(object.EncodeJSON(v)) }

// The answers of these tables are those of gopkg.in/evanphx/json-patch.v4.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"a":1}`, `[{"op":"add","path":"/b","value":{"c":2}}]`, `{"a":1,"b":{"c":2}}`},
		{`{"a":1}`, `[{"op":"replace","path":"/b","value":2}]`, `{"a":1,"b":2}`},
		{`{"a":1}`, `[{"op":"replace","path":"/b/c","value":2}]`, `replace operation does not apply: doc is missing path: /b/c: missing value`},
		{`{"a":[1]}`, `[{"op":"replace","path":"/a/1","value":2}]`, `replace operation does not apply: doc is missing key: /a/1: missing value`},
		{`{"a":[1,2]}`, `[{"op":"replace","path":"/a/-1","value":3}]`, `{"a":[1,3]}`},
		{`{"a":[1,2]}`, `[{"op":"add","path":"/a/1","value":9},{"op":"add","path":"/a/-","value":3}]`, `{"a":[1,9,2,3]}`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/7","value":9}]`, `error in add for path: '/a/7': Unable to access invalid index: 7: invalid index referenced`},
		{`{"a":[1]}`, `[{"op":"add","path":"/a/x","value":9}]`, `error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`},
		{`{"a":null}`, `[{"op":"add","path":"/a/b","value":9}]`, `add operation does not apply: doc is missing path: "/a/b": missing value`},
		{`{"a":1}`, `[{"op":"remove","path":"/b"}]`, `error in remove for path: '/b': Unable to remove nonexistent key: b: missing value`},
		{`{"a":[1,2,3]}`, `[{"op":"remove","path":"/a/0"}]`, `{"a":[2,3]}`},
		{`{"a":{"b":1}}`, `[{"op":"move","from":"/a/b","path":"/c"}]`, `{"a":{},"c":1}`},
		{`{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/c"}]`, `{"a":{"b":1},"c":{"b":1}}`},
		{`{"a":1}`, `[{"op":"move","from":"/x/y","path":"/c"}]`, `move operation does not apply: doc is missing from path: /x/y: missing value`},
		{`{"a/b":{"c~d":1}}`, `[{"op":"replace","path":"/a~1b/c~0d","value":2}]`, `{"a/b":{"c~d":2}}`},
		{`{"a":{"b":[1]}}`, `[{"op":"test","path":"/a","value":{"b":[1]}},{"op":"test","path":"/none","value":null}]`, `{"a":{"b":[1]}}`},
		{`{"a":1}`, `[{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":2}]`, `testing value /a failed: test failed`},
		{`{"a":1}`, `[{"op":"test","path":"/x/y","value":2}]`, `test operation does not apply: is missing path: /x/y: missing value`},
		{`{"a":1}`, `[{"op":"frob","path":"/a"}]`, `Unexpected kind: frob`},
		{`{"a":1}`, `[{"op":"add","value":1}]`, `add operation failed to decode path: missing value`},
		{`{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}}]`, `{"b":2}`},
	} {
		before := value(t, c.doc)
		v, err := JSON(before, value(t, c.patch).(*object.List))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = text(v)
		}
		if got != c.want {
			t.Errorf("%s with %s:\n got %s\nwant %s", c.doc, c.patch, got, c.want)
		}
		if text(before) != text(value(t, c.doc)) {
			t.Errorf("%s changed %s into %s", c.patch, c.doc, text(before))
		}
	}
}

// TestJSONCopies: copies are bounded by what they add up to, so that a few of
// them that double a value do not fill the memory. The sizes are those that
// gopkg.in/evanphx/json-patch.v4 tells of the same patches.
func TestJSONCopies(t *testing.T) {
	doubling := func(n int) *object.List {
		var ops []any
		for i := range n {
			ops = append(ops, map[string]any{"op": "copy", "from": "/a", "path": fmt.Sprintf("/a/b%d", i)})
		}
		return object.FromAny(ops).(*object.List)
	}
	for _, c := range []struct {
		doc, want string
		times     int
	}{
		{`{"a":{"x":"` + strings.Repeat("y", 1000) + `"}}`, "", 11},
		{`{"a":{"x":"` + strings.Repeat("y", 1000) + `"}}`, "Unable to complete the copy, the accumulated size increase of copy is 4152259, exceeding the limit 3145728", 40},
		{`{"a":{"x":"` + strings.Repeat("<\u2028&", 1000) + `","n":null}}`, "Unable to complete the copy, the accumulated size increase of copy is 4595817, exceeding the limit 3145728", 40},
	} {
		got := ""
		if _, err := JSON(value(t, c.doc), doubling(c.times)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%d copies: got %s, want %s", c.times, got, c.want)
		}
	}
	v, err := JSON(value(t, `{"a":null}`), doubling(0).Append(value(t, `{"op":"copy","from":"/a","path":"/b"}`)))
	if err != nil || text(v) != `{"a":null,"b":null}` {
		t.Errorf("a copy of null: %v, %v", v, err)
	}
}

func TestMerge(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{}`, `{"a":[{"b":null,"c":1},null]}`, `{"a":[{"c":1},null]}`},
		{`{"a":{}}`, `{"a":[{"b":null}]}`, `{"a":[{"b":null}]}`},
	} {
		if got := text(Merge(value(t, c.doc), value(t, c.patch))); got != c.want {
			t.Errorf("%s with %s: got %s, want %s", c.doc, c.patch, got, c.want)
		}
	}
}

func TestThreeWayMerge(t *testing.T) {
	for _, c := range []struct{ original, modified, current, want string }{
		{`{"a":1,"b":2}`, `{"a":1}`, `{"a":1,"b":2,"theirs":3}`, `{"b":null}`},
		{`{"a":1}`, `{"a":2}`, `{"a":1,"theirs":3}`, `{"a":2}`},
		{`{"m":{"a":1,"b":1}}`, `{"m":{"a":2}}`, `{"m":{"a":1,"b":1,"c":1}}`, `{"m":{"a":2,"b":null}}`},
		{`{"a":1}`, `{"a":1}`, `{"a":9}`, `{"a":1}`},
		{`{}`, `{"m":{}}`, `{}`, `{"m":{}}`},
		{`{"a":1}`, `{"a":1}`, `{"a":1.0}`, `{}`},
	} {
		parse := func(s string) *object.Map { return value(t, s).(*object.Map) }
		if got := text(ThreeWayMerge(parse(c.original), parse(c.modified), parse(c.current))); got != c.want {
			t.Errorf("%s to %s against %s: got %s, want %s", c.original, c.modified, c.current, got, c.want)
		}
	}
}

func TestStrategic(t *testing.T) {
	service := MergingOf(object.GVK{Version: "v1", Kind: "Service"})
	for _, c := range []struct{ doc, patch, want string }{
		{`{"metadata":{"ownerReferences":[{"uid":"1","name":"x"}]}}`, `{"metadata":{"ownerReferences":[{"uid":"2","name":"y"}]}}`,
			`{"metadata":{"ownerReferences":[{"name":"y","uid":"2"},{"name":"x","uid":"1"}]}}`},
		{`{"metadata":{"ownerReferences":[{"uid":"1"},{"uid":"2"}]}}`, `{"metadata":{"ownerReferences":[{"$patch":"delete","uid":"1"}]}}`,
			`{"metadata":{"ownerReferences":[{"uid":"2"}]}}`},
		{`{"metadata":{"finalizers":["a/a","b/b"]}}`, `{"metadata":{"$deleteFromPrimitiveList/finalizers":["a/a"]}}`, `{"metadata":{"finalizers":["b/b"]}}`},
		{`{"spec":{"ports":[{"port":80,"name":"a"}]}}`, `{"spec":{"ports":[{"port":80,"name":"b"}]}}`, `{"spec":{"ports":[{"name":"b","port":80}]}}`},
		{`{"spec":{"ports":[{"port":80},{"port":81}]}}`, `{"spec":{"$setElementOrder/ports":[{"port":81},{"port":80}],"ports":[{"port":81,"name":"x"}]}}`,
			`{"spec":{"ports":[{"name":"x","port":81},{"port":80}]}}`},
		{`{"spec":{"selector":{"a":"1"},"type":"x"}}`, `{"spec":{"$retainKeys":["type"],"type":"y"}}`, `{"spec":{"type":"y"}}`},
		{`{"spec":{"selector":{"a":"1"}}}`, `{"spec":{"selector":{"$patch":"replace","b":"2"}}}`, `{"spec":{"selector":{"b":"2"}}}`},
		{`{"spec":{"ports":[{"port":80}]}}`, `{"spec":{"ports":[{"name":"b"}]}}`, `map: map[name:b] does not contain declared merge key: port`},
		{`{"spec":{"clusterIPs":["1"]}}`, `{"spec":{"clusterIPs":["2"]}}`, `{"spec":{"clusterIPs":["2"]}}`},
		{`{"metadata":{"finalizers":"x"}}`, `{"metadata":{"finalizers":{"a":null,"b":1}}}`, `{"metadata":{"finalizers":{"b":1}}}`},
		{`{}`, `{"spec":{"$setElementOrder/nope":[]}}`, `{"spec":{"$setElementOrder/nope":[]}}`},
		{`{"spec":{}}`, `{"spec":{"$setElementOrder/nope":[]}}`, `unable to find api field in struct ServiceSpec for the json field "nope"`},
		{`{"metadata":{"labels":{"x":["y"]}}}`, `{"metadata":{"labels":{"x":["z"]}}}`, `merging an object in json but data type is not struct, instead is: map`},
	} {
		v, err := Strategic(value(t, c.doc).(*object.Map), value(t, c.patch).(*object.Map), service)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = text(v)
		}
		if got != c.want {
			t.Errorf("%s with %s:\n got %s\nwant %s", c.doc, c.patch, got, c.want)
		}
	}
}

// The patches of this table are those of strategicpatch.CreateThreeWayMergePatch.
func TestThreeWayStrategic(t *testing.T) {
	service := MergingOf(object.GVK{Version: "v1", Kind: "Service"})
	for _, c := range []struct{ original, modified, current, want string }{
		{`{"spec":{"ports":[{"port":80},{"port":53}]}}`, `{"spec":{"ports":[{"port":80}]}}`, `{"spec":{"ports":[{"port":80,"nodePort":1},{"port":53},{"port":7}]}}`,
			`{"spec":{"$setElementOrder/ports":[{"port":80}],"ports":[{"$patch":"delete","port":53}]}}`},
		{`{}`, `{"spec":{"ports":[{"port":80,"name":"a"}]}}`, `{"spec":{"ports":[{"port":80,"name":"b","nodePort":1}]}}`,
			`{"spec":{"$setElementOrder/ports":[{"port":80}],"ports":[{"name":"a","port":80}]}}`},
		{`{"metadata":{"finalizers":["a/a","b/b"]}}`, `{"metadata":{"finalizers":["a/a"]}}`, `{"metadata":{"finalizers":["a/a","b/b","c/c"]}}`,
			`{"metadata":{"$deleteFromPrimitiveList/finalizers":["b/b"],"$setElementOrder/finalizers":["a/a"]}}`},
		{`{"metadata":{"ownerReferences":[{"uid":"1","name":"x"}]}}`, `{"metadata":{"ownerReferences":[{"uid":"2","name":"y"}]}}`, `{"metadata":{"ownerReferences":[{"uid":"1","name":"x"}]}}`,
			`{"metadata":{"$setElementOrder/ownerReferences":[{"uid":"2"}],"ownerReferences":[{"name":"y","uid":"2"},{"$patch":"delete","uid":"1"}]}}`},
		{`{"spec":{"selector":{"a":"1","b":"2"}}}`, `{"spec":{"selector":{"a":"2"}}}`, `{"spec":{"selector":{"a":"1","b":"2","c":"3"}}}`, `{"spec":{"selector":{"a":"2","b":null}}}`},
		{`{"metadata":{"finalizers":["a/a"]}}`, `{"metadata":{}}`, `{"metadata":{"finalizers":["a/a","b/b"]}}`, `{"metadata":{"finalizers":null}}`},
		{`{"spec":{"clusterIPs":["1","2"]}}`, `{"spec":{"clusterIPs":["2"]}}`, `{"spec":{"clusterIPs":["1","2"]}}`, `{"spec":{"clusterIPs":["2"]}}`},
		{`{"spec":{"ports":[{"port":80}]}}`, `{"spec":{"ports":[{"port":80}]}}`, `{"spec":{"ports":[{"port":80,"protocol":"TCP"}]}}`, `{}`},
		{`{}`, `{"spec":{"ports":[{"name":"x"}]}}`, `{"spec":{"ports":[{"port":80}]}}`, `map: map[name:x] does not contain declared merge key: port`},
	} {
		parse := func(s string) *object.Map { return value(t, s).(*object.Map) }
		v, err := ThreeWayStrategic(parse(c.original), parse(c.modified), parse(c.current), service)
		got := text(v)
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s to %s against %s:\n got %s\nwant %s", c.original, c.modified, c.current, got, c.want)
		}
	}
}

// random makes a tree; nulls only where they are wanted.
func random(r *rand.Rand, depth int, nulls bool) any {
	switch n := r.IntN(8); {
	case n == 0 && nulls:
		return nil
	case n < 3:
		return []string{"x", "y", ""}[r.IntN(3)]
	case n == 3:
		return int64(r.IntN(3))
	case n == 4:
		return r.IntN(2) == 0
	case n == 5 && depth > 0:
		l := object.NewList()
		for range r.IntN(3) {
			l = l.Append(random(r, depth-1, nulls))
		}
		return l
	case depth > 0:
		return randomMap(r, depth, nulls)
	}
	return 1.5
}

func randomMap(r *rand.Rand, depth int, nulls bool) *object.Map {
	m := object.NewMap()
	for range r.IntN(5) {
		m = m.With([]string{"a", "b", "c", "d"}[r.IntN(4)], random(r, depth-1, nulls))
	}
	return m
}

// TestMergeOfADifferenceGivesTheTarget: what CreateMerge makes turns the one
// into the other, and nothing is to do afterwards.
func TestMergeOfADifferenceGivesTheTarget(t *testing.T) {
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 0))
		from, to := randomMap(r, 4, false), randomMap(r, 4, false)
		p := CreateMerge(from, to)
		if got := Merge(from, p); !object.Equal(got, to) {
			t.Fatalf("seed %d: %s with %s gives %s, not %s", seed, text(from), text(p), text(got), text(to))
		}
		if again := CreateMerge(to, to); again.Len() != 0 {
			t.Fatalf("seed %d: %s differs from itself by %s", seed, text(to), text(again))
		}
		if got := Merge(to, object.NewMap()); got != any(to) {
			t.Fatalf("seed %d: an empty patch copied the document", seed)
		}
	}
}

// TestThreeWayKeepsTheirs: fields that are neither in original nor in modified
// stay, those of modified are there, those dropped from original are gone.
func TestThreeWayKeepsTheirs(t *testing.T) {
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		original, modified, current := randomMap(r, 3, false), randomMap(r, 3, false), randomMap(r, 3, false)
		got := Merge(current, ThreeWayMerge(original, modified, current)).(*object.Map)
		for k := range original.All() {
			if !modified.Has(k) && got.Has(k) {
				t.Fatalf("seed %d: %s was dropped and is still there", seed, k)
			}
		}
		for k, v := range current.All() {
			if now, _ := got.Get(k); !original.Has(k) && !modified.Has(k) && !object.Equal(v, now) {
				t.Fatalf("seed %d: %s was somebody else's and changed", seed, k)
			}
		}
		for k := range modified.All() {
			if !got.Has(k) {
				t.Fatalf("seed %d: %s was asked for and is not there", seed, k)
			}
		}
	}
}

func FuzzPatches(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`), []byte(`[{"op":"add","path":"/a/0","value":1},{"op":"move","from":"/a/1","path":"/b"}]`))
	f.Add([]byte(`{"metadata":{"finalizers":["a/b"]}}`), []byte(`{"metadata":{"$setElementOrder/finalizers":["a/b"],"finalizers":null}}`))
	f.Fuzz(func(t *testing.T, doc, patch []byte) {
		d, err := object.DecodeObject(doc)
		if err != nil {
			return
		}
		p, err := object.DecodeJSON(patch)
		if err != nil {
			return
		}
		before := text(d.Root())
		switch p := p.(type) {
		case *object.List:
			_, _ = JSON(d.Root(), p)
		case *object.Map:
			once := Merge(d.Root(), p)
			if twice := Merge(once, p); !object.Equal(once, twice) {
				t.Errorf("%s with %s twice gives %s, once %s", doc, patch, text(twice), text(once))
			}
			_, _ = Strategic(d.Root(), p, MergingOf(object.GVK{Version: "v1", Kind: "Service"}))
		}
		if after := text(d.Root()); after != before {
			t.Errorf("%s changed %s into %s", patch, before, after)
		}
	})
}
