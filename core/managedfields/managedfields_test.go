package managedfields

import (
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// thing is a custom resource with every list and map type.
const thing = `
type: object
properties:
  spec:
    type: object
    properties:
      text: {type: string}
      count: {type: integer}
      share: {x-kubernetes-int-or-string: true}
      free: {type: object, x-kubernetes-preserve-unknown-fields: true}
      labels: {type: object, additionalProperties: {type: string}}
      whole: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
      tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
      args: {type: array, items: {type: string}}
      ports:
        type: array
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [port, protocol]
        items:
          type: object
          required: [port]
          properties:
            port: {type: integer}
            protocol: {type: string, default: TCP}
            name: {type: string}
            tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
  status:
    type: object
    properties:
      phase: {type: string}
`

var thingGVK = object.GVK{Group: "example.com", Version: "v1", Kind: "Thing"}

func decodeYAML(t testing.TB, text string) *object.Map {
	t.Helper()
	docs, err := object.DecodeYAML([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := docs[0].Value.(*object.Map)
	return m
}

func thingManager(t testing.TB, subresource string) *FieldManager {
	t.Helper()
	reset := []string{"status"}
	if subresource == "status" {
		reset = []string{"metadata", "spec"}
	}
	return New(Config{
		GVK: thingGVK, Subresource: subresource, Custom: true,
		Types:    map[string]*Type{"example.com/v1": Custom(schema.Parse(decodeYAML(t, thing)))},
		Reset:    map[string][]string{"example.com/v1": reset},
		Complete: func(o object.Object) (object.Object, error) { return o, nil },
	})
}

func thingOf(t testing.TB, spec string) object.Object {
	t.Helper()
	return object.New(decodeYAML(t, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {"+spec+"}"))
}

const (
	now   = "2026-01-01T00:00:00Z"
	later = "2026-01-01T00:00:01Z"
)

// stored is what a server would make of a new object.
func stored(o object.Object) object.Object { return o.Set("u", "metadata", "uid") }

// text prints the owners of an object, one a line.
func owners(o object.Object) string {
	var lines []string
	for _, v := range o.List("metadata", "managedFields").All() {
		m, _ := v.(*object.Map)
		e := object.New(m)
		set, _ := decodeFields(e.Map("fieldsV1"))
		var paths []string
		set.Iterate(func(p fieldpath.Path) { paths = append(paths, p.String()) })
		lines = append(lines, strings.TrimSpace(e.Str("manager")+" "+e.Str("operation")+" "+e.Str("subresource"))+": "+strings.Join(paths, " "))
	}
	return strings.Join(lines, "\n")
}

func TestApply(t *testing.T) {
	f := thingManager(t, "")
	a, err := f.Apply(object.Object{}, thingOf(t, "text: x, tags: [b, a], ports: [{port: 80, name: http}]"), "one", false, now)
	if err != nil {
		t.Fatal(err)
	}
	a = stored(a)
	want := `one Apply: .spec.text .spec.ports[port=80,protocol="TCP"] .spec.ports[port=80,protocol="TCP"].name .spec.ports[port=80,protocol="TCP"].port .spec.tags[="a"] .spec.tags[="b"]`
	if got := owners(a); got != want {
		t.Errorf("owners\n%s\nwant\n%s", got, want)
	}
	if _, err = f.Apply(a, thingOf(t, "text: z"), "two", false, later); err == nil || err.Error() != `Apply failed with 1 conflict: conflict with "one": .spec.text` {
		t.Errorf("conflict: %v", err)
	}
	b, err := f.Apply(a, thingOf(t, "text: z, tags: [c]"), "two", true, later)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(object.EncodeJSON(b.Map("spec"))); got != `{"ports":[{"name":"http","port":80}],"tags":["b","a","c"],"text":"z"}` {
		t.Errorf("merged %s", got)
	}
	// What one drops goes, but for what two owns.
	c, err := f.Apply(b, thingOf(t, "tags: [a]"), "one", false, later)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(object.EncodeJSON(c.Map("spec"))); got != `{"tags":["a","c"],"text":"z"}` {
		t.Errorf("after dropping %s", got)
	}
}

func TestApplyIsRefused(t *testing.T) {
	f := thingManager(t, "")
	for spec, want := range map[string]string{
		"nope: 1":                       ".spec.nope: field not declared in schema",
		"text: 5":                       ".spec.text: expected string, got &value.valueUnstructured{Value:5}",
		"count: x":                      ".spec.count: expected numeric (int or float), got string",
		"tags: [a, a]":                  `.spec.tags: duplicate entries for key [="a"]`,
		"tags: {a: b}":                  `.spec.tags: expected list, got &{map[a:b]}`,
		"labels: [a]":                   `.spec.labels: expected map, got &{[a]}`,
		"ports: [{name: x}]":            "",
		"ports: [{port: 1}, {port: 1}]": `.spec.ports: duplicate entries for key [port=1,protocol="TCP"]`,
	} {
		_, err := f.Apply(object.Object{}, thingOf(t, spec), "one", false, now)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", spec, err)
			}
			continue
		}
		if want = "failed to create typed patch object (/a; example.com/v1, Kind=Thing): " + want; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
	for patch, want := range map[string]string{
		"{apiVersion: example.com/v1, kind: Other}": "invalid object type: example.com/v1, Kind=Other",
		"{apiVersion: v1, kind: Thing}":             "invalid object type: /v1, Kind=Thing",
		"{a: b}":                                    "invalid object type: /, Kind=",
		"{apiVersion: example.com/v1, kind: Thing, metadata: {managedFields: []}}":       "metadata.managedFields must be nil",
		"{apiVersion: example.com/v1, kind: Thing, metadata: {managedFields: [{a: b}]}}": "metadata.managedFields must be nil",
	} {
		if _, err := f.Apply(object.Object{}, object.New(decodeYAML(t, patch)), "one", false, now); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", patch, err, want)
		}
	}
}

// TestUpdateOfWhatDoesNotFit: what was stored by another schema keeps the owners
// that it has.
func TestUpdateOfWhatDoesNotFit(t *testing.T) {
	f := thingManager(t, "")
	f.Changed = true
	fits := stored(f.Update(object.Object{}, thingOf(t, "text: x"), "creator", now))
	if got := owners(f.Update(fits, fits.Set("y", "spec", "text"), "writer", later)); !strings.HasSuffix(got, "writer Update: .spec.text") {
		t.Errorf("of what fits: %s", got)
	}
	old := fits.Set("not a number", "spec", "count")
	next := f.Update(old, old.Set("y", "spec", "text"), "writer", later)
	if next.List("metadata", "managedFields") != old.List("metadata", "managedFields") || next.Str("spec", "text") != "y" {
		t.Errorf("of what does not fit: %s", owners(next))
	}
	// The write that makes it fit is not recorded either: the live object does not.
	if next = f.Update(old, old.Set(int64(1), "spec", "count"), "writer", later); next.List("metadata", "managedFields") != old.List("metadata", "managedFields") {
		t.Errorf("of what did not fit: %s", owners(next))
	}
}

// TestUpdateEntries: Update entries are capped, the oldest go into a bucket.
func TestUpdateEntries(t *testing.T) {
	f := thingManager(t, "")
	o := stored(f.Update(object.Object{}, thingOf(t, "text: x"), "creator", now))
	for i := range maxUpdateManagers + 2 {
		next := o.Set("v", "spec", "labels", string(rune('a'+i)))
		o = f.Update(o, next, "m"+string(rune('a'+i)), "2026-01-01T00:00:0"+string(rune('1'+i%9))+"Z")
	}
	if n := o.List("metadata", "managedFields").Len(); n != maxUpdateManagers {
		t.Errorf("%d entries: %s", n, owners(o))
	}
	if !strings.Contains(owners(o), ancientManager+" Update: ") {
		t.Errorf("no bucket: %s", owners(o))
	}
	same := f.Update(o, o, "someone", later)
	if same.List("metadata", "managedFields") != o.List("metadata", "managedFields") {
		t.Error("an update that changes nothing made new entries")
	}
}

// TestAlikeEntriesAreShared: objects whose entries were the same, and of which the
// same fields changed, have the same entries; and each its own where anything else
// is so.
func TestAlikeEntriesAreShared(t *testing.T) {
	f := thingManager(t, "")
	update := func(text, key, value, manager, at string) *object.List {
		o := stored(f.Update(object.Object{}, thingOf(t, "text: "+text), "one", now))
		next := o.Set(value, "spec", key)
		if got, want := f.Update(o, next, manager, at), f.slow(o, next, manager, at); !got.Equal(want) {
			t.Errorf("%s, want %s", object.EncodeJSON(got), object.EncodeJSON(want))
		}
		return f.Entries(o, next, manager, at)
	}
	first := update("a", "text", "b", "two", later)
	if update("c", "text", "d", "two", later) != first {
		t.Error("the same change of the same entries made others")
	}
	for _, other := range [][3]string{{"text", "one", later}, {"text", "two", now}, {"share", "two", later}} {
		if update("c", other[0], "d", other[1], other[2]) == first {
			t.Errorf("%v has the entries of another change", other)
		}
	}
}

func TestStatusIsTrackedApart(t *testing.T) {
	main, status := thingManager(t, ""), thingManager(t, "status")
	o := stored(main.Update(object.Object{}, thingOf(t, "text: x").Set("Up", "status", "phase"), "one", now))
	if got := owners(o); got != "one Update: .spec .spec.text" {
		t.Errorf("create: %s", got)
	}
	next := o.Set("Down", "status", "phase").Set("z", "spec", "text")
	if _, ok := status.quick(o, next, o.List("metadata", "managedFields"), "one", later); !ok {
		t.Error("a change of status is not the usual case")
	}
	o = status.Update(o, next, "one", later)
	if got := owners(o); got != "one Update: .spec .spec.text\none Update status: .status.phase" {
		t.Errorf("status: %s", got)
	}
}

func TestFirstApply(t *testing.T) {
	f := thingManager(t, "")
	o := stored(thingOf(t, "text: x"))
	if got := f.Update(o, o.Set("z", "spec", "text"), "one", now); owners(got) != "" {
		t.Errorf("an object that is not tracked became so by an update: %s", owners(got))
	}
	_, err := f.Apply(o, thingOf(t, "text: z"), "one", false, now)
	if want := `Apply failed with 1 conflict: conflict with "before-first-apply" using example.com/v1: .spec.text`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestClientSideApply: what kubectl applied on the client's side it may change.
func TestClientSideApply(t *testing.T) {
	f := thingManager(t, "")
	last := `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"x"}}`
	o := stored(f.Update(object.Object{}, thingOf(t, "text: x").Set(last, "metadata", "annotations", lastApplied), "kubectl-client-side-apply", now))
	if _, err := f.Apply(o, thingOf(t, "text: z"), "other", false, later); err == nil {
		t.Error("another manager may change it too")
	}
	got, err := f.Apply(o, thingOf(t, "text: z"), kubectlManager, false, later)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"text":"z"}}` + "\n"
	if text := got.Str("metadata", "annotations", lastApplied); text != want {
		t.Errorf("annotation %q", text)
	}
}

// TestBuiltinTable: every type that the table names is in it.
func TestBuiltinTable(t *testing.T) {
	s := builtinTypes().schema
	for _, def := range s.Types {
		if def.Map == nil {
			continue
		}
		for _, f := range def.Map.Fields {
			for _, name := range namesIn(f.Type) {
				if _, ok := s.FindNamedType(name); !ok {
					t.Errorf("%s.%s: no type %s", def.Name, f.Name, name)
				}
			}
		}
	}
}

func namesIn(r smd.TypeRef) []string {
	switch {
	case r.NamedType != nil:
		return []string{*r.NamedType}
	case r.Inlined.List != nil:
		return namesIn(r.Inlined.List.ElementType)
	case r.Inlined.Map != nil:
		return namesIn(r.Inlined.Map.ElementType)
	}
	return nil
}

// draw makes any spec of a thing.
func draw(t *rapid.T, label string) object.Object {
	word := rapid.SampledFrom([]string{"a", "b", "c", "<d>"})
	spec := map[string]any{}
	maybe := func(key string, v func() any) {
		if rapid.Bool().Draw(t, label+"."+key) {
			spec[key] = v()
		}
	}
	texts := func(distinct bool) any {
		draw := rapid.SliceOfN(word, 0, 3)
		if distinct {
			draw = rapid.SliceOfNDistinct(word, 0, 3, rapid.ID[string])
		}
		list := []any{}
		for _, s := range draw.Draw(t, "texts") {
			list = append(list, s)
		}
		return list
	}
	words := func() any {
		m := map[string]any{}
		for k, v := range rapid.MapOfN(word, word, 0, 3).Draw(t, "map") {
			m[k] = v
		}
		return m
	}
	maybe("text", func() any { return word.Draw(t, "text") })
	maybe("count", func() any { return rapid.Int64Range(0, 2).Draw(t, "count") })
	maybe("share", func() any {
		return rapid.SampledFrom([]any{int64(1), "50%"}).Draw(t, "share")
	})
	maybe("free", func() any { return map[string]any{"x": words(), "y": texts(false)} })
	maybe("labels", words)
	maybe("whole", words)
	maybe("tags", func() any { return texts(true) })
	maybe("args", func() any { return texts(false) })
	maybe("ports", func() any {
		list := []any{}
		for _, n := range rapid.SliceOfNDistinct(rapid.Int64Range(1, 4), 0, 3, rapid.ID[int64]).Draw(t, "ports") {
			p := map[string]any{"port": n, "tags": texts(true)}
			if rapid.Bool().Draw(t, "named") {
				p["name"] = word.Draw(t, "name")
			}
			list = append(list, p)
		}
		return list
	})
	return object.FromMap(map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}, "spec": spec})
}

// TestRandomWrites: after any writes by several managers, applying again what
// was applied changes nothing (but for what is empty); appliers own fields that are there; the entries
// read as they were written; and what Update says of a change is what comparing
// Go maps says.
func TestRandomWrites(t *testing.T) {
	f := thingManager(t, "")
	rapid.Check(t, func(rt *rapid.T) {
		var live object.Object
		for range rapid.IntRange(1, 5).Draw(rt, "writes") {
			by, o := rapid.SampledFrom([]string{"one", "two"}).Draw(rt, "manager"), draw(rt, "o")
			if rapid.Bool().Draw(rt, "apply") {
				next, err := f.Apply(live, o, by, true, now)
				if err != nil {
					rt.Fatal(err)
				}
				next = stored(next)
				again, err := f.Apply(next, o, by, false, later)
				if empty := hasEmpty(o.Root()) || !live.IsZero() && hasEmpty(live.Map("spec")); !empty && (err != nil || !again.Equal(next)) {
					rt.Fatalf("applied again: %s (%v)\nis not %s", object.EncodeJSON(again), err, object.EncodeJSON(next))
				}
				live = next
			} else {
				o = edit(rt, live, o)
				compareByMaps(rt, f, live, o)
				next, want := f.Update(live, o, by, now), f.slow(live, o, by, now)
				if again := f.Update(live, o, by, now); !next.Equal(want) || !again.Equal(want) {
					rt.Fatalf("updated to %s\nand then %s\nwant %s", object.EncodeJSON(next), object.EncodeJSON(again), object.EncodeJSON(want))
				}
				live = stored(next)
			}
			checkEntries(rt, f, live)
		}
	})
}

// edit makes of a drawn object an update of live: all of it, or some fields of it
// over what is there, so that the rest is shared.
func edit(t *rapid.T, live, o object.Object) object.Object {
	if live.IsZero() {
		return o
	}
	if rapid.Bool().Draw(t, "whole") {
		return stored(o)
	}
	next := live
	for key, v := range o.Map("spec").All() {
		next = next.Set(v, "spec", key)
	}
	if rapid.Bool().Draw(t, "twice") {
		next = next.Set([]string{"a", "b", "a"}, "spec", "tags")
	}
	if rapid.Bool().Draw(t, "less") {
		next = next.Unset("spec", rapid.SampledFrom([]string{"text", "free", "labels", "ports"}).Draw(t, "key"))
	}
	if rapid.Bool().Draw(t, "meta") {
		next = next.Set(map[string]any{"l": "1"}, "metadata", "labels").WithFinalizers("x/y")
	}
	return next
}

// hasEmpty reports whether there is null, or an empty map or list. Those are not
// owned as others are: what they leave, null or nothing, the next apply makes
// empty again.
func hasEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case *object.Map:
		for _, x := range v.All() {
			if hasEmpty(x) {
				return true
			}
		}
		return v.Len() == 0
	case *object.List:
		for _, x := range v.All() {
			if hasEmpty(x) {
				return true
			}
		}
		return v.Len() == 0
	}
	return false
}

// compareByMaps checks that passing over what two trees share loses nothing.
func compareByMaps(t *rapid.T, f *FieldManager, live, o object.Object) {
	was, is := f.filled(live), f.filled(o)
	fast, err := typeOf(f.typ, node{was, true}).Compare(typeOf(f.typ, node{is, true}))
	if err != nil {
		t.Fatal(err)
	}
	slow, err := typeOf(f.typ, value.NewValueInterface(object.ToAny(was))).Compare(typeOf(f.typ, value.NewValueInterface(object.ToAny(is))))
	if err != nil {
		t.Fatal(err)
	}
	if !fast.Added.Equals(slow.Added) || !fast.Modified.Equals(slow.Modified) || !fast.Removed.Equals(slow.Removed) {
		t.Fatalf("comparison\n%s\nwant\n%s", fast, slow)
	}
}

func checkEntries(t *rapid.T, f *FieldManager, live object.Object) {
	v, err := f.typ.checked(node{v: withManaged(live, nil).Root()}, typed.AllowDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	there, err := v.ToFieldSet()
	if err != nil {
		t.Fatal(err)
	}
	there = there.EnsureNamedFieldsAreMembers(v.Schema(), v.TypeRef())
	for _, x := range live.List("metadata", "managedFields").All() {
		m, _ := x.(*object.Map)
		e := object.New(m)
		set, err := decodeFields(e.Map("fieldsV1"))
		if err != nil {
			t.Fatal(err)
		}
		if again := encodeFields(set); !object.Equal(again, e.Map("fieldsV1")) {
			t.Fatalf("written again: %s, was %s", object.EncodeJSON(again), object.EncodeJSON(e.Map("fieldsV1")))
		}
		var direct fieldpath.Set
		if err := direct.FromJSON(strings.NewReader(string(object.EncodeJSON(e.Map("fieldsV1"))))); err != nil || !direct.Equals(set) {
			t.Fatalf("reads as %s, want %s (%v)", set, &direct, err)
		}
		if e.Str("operation") != opApply {
			continue
		}
		// What was applied empty may have something in it by now. A spec of which all
		// that was taken out was empty is gone with it and owned all the same, as on a
		// real server: applied spec {free: {}}, then spec {}.
		set.Difference(there).Iterate(func(p fieldpath.Path) {
			var steps []string
			for _, step := range p {
				if step.FieldName != nil {
					steps = append(steps, *step.FieldName)
				}
			}
			if _, ok := live.At(steps...); !ok && p.String() != ".spec" || len(steps) < len(p) {
				t.Fatalf("%s owns what is not there: %s\nof %s", e.Str("manager"), p, object.EncodeJSON(live))
			}
		})
	}
}

// A set that the library prints with the stand-in for its JSON library reads
// back, and what is no set is refused.
func TestSetsPrintAndReadBack(t *testing.T) {
	const text = `{"f:metadata":{"f:labels":{".":{},"f:a\"b":{}}},"f:ports":{"k:{\"port\":80,\"protocol\":\"TCP\"}":{".":{},"f:name":{}}},"f:set":{"v:\"x\"":{},"v:2":{},"v:true":{}},"i:3":{}}`
	var set fieldpath.Set
	if err := set.FromJSON(strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	printed, err := set.ToJSON()
	if err != nil {
		t.Fatal(err)
	}
	var again fieldpath.Set
	if err := again.FromJSON(strings.NewReader(string(printed))); err != nil || !again.Equals(&set) || set.Size() != 8 {
		t.Errorf("%d paths print as\n%s\nand read back as %d paths: %v", set.Size(), printed, again.Size(), err)
	}
	for _, wrong := range []string{`{"f:a":{}} x`, `{"f:a"}`, `{"f:a":{}`, `[]`, `{"k:{\"a\":1}x":{}}`, `{"v:1 2":{}}`, ``} {
		if err := again.FromJSON(strings.NewReader(wrong)); err == nil {
			t.Errorf("%q is read as a set", wrong)
		}
	}
}

// typeOf gives a value a type, unchecked.
func typeOf(t *Type, v value.Value) *typed.TypedValue {
	return typed.AsTypedUnvalidated(v, t.schema, t.ref)
}
