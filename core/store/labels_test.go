package store_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// keysOf are the keys that a walk gives.
func keysOf(seq iter.Seq2[string, object.Object]) string {
	var keys []string
	for key := range seq {
		keys = append(keys, key)
	}
	return strings.Join(keys, " ")
}

// withLabel are the keys that walking everything finds.
func withLabel(s *store.Store, prefix, start, label, value string) string {
	var keys []string
	for key, o := range s.Range(prefix, start) {
		if v, ok := o.Labels().Get(label); ok && v == value {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, " ")
}

// TestLabelled: whatever was written, copied and restored, the index finds what
// walking everything finds, in its order.
func TestLabelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stores := []*store.Store{store.New(1000)}
		for i := range 80 {
			o := object.FromMap(map[string]any{"metadata": map[string]any{"name": "x", "labels": map[string]any{"c": "d"}}})
			if _, err := stores[0].Create(fmt.Sprintf("/c/%d", i), o); err != nil {
				t.Fatal(err)
			}
		}
		names := rapid.SampledFrom([]string{"a", "b"})
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			s := stores[rapid.IntRange(0, len(stores)-1).Draw(t, "store")]
			key := fmt.Sprintf("/%s/%d", names.Draw(t, "kind"), rapid.IntRange(0, 30).Draw(t, "name"))
			labels := map[string]any{}
			for range rapid.IntRange(0, 2).Draw(t, "labels") {
				labels[names.Draw(t, "label")] = names.Draw(t, "value")
			}
			o := object.FromMap(map[string]any{"metadata": map[string]any{"name": "x", "labels": labels}})
			switch rapid.IntRange(0, 9).Draw(t, "act") {
			case 0:
				stores = append(stores, s.Clone())
			case 1:
				restored, err := store.Restore(s.Snapshot())
				if err != nil {
					t.Fatal(err)
				}
				stores = append(stores, restored)
			case 2:
				s.Compact(s.Revision() - rapid.Int64Range(0, 20).Draw(t, "kept"))
			case 3:
				_, _ = s.Delete(key, store.Preconditions{})
			default:
				if _, err := s.GuaranteedUpdate(key, store.Preconditions{}, func(object.Object) (object.Object, error) { return o, nil }); err != nil {
					t.Fatal(err)
				}
			}
			for _, start := range []string{"", "/a/15"} {
				found, ok := s.Labelled("/a/", start, "a", "b")
				if !ok {
					continue
				}
				if got, want := keysOf(found), withLabel(s, "/a/", start, "a", "b"); got != want {
					t.Fatalf("from %q the index finds %q, there are %q", start, got, want)
				}
			}
		}
	})
}

// TestLabelledStepsAside: a label that most objects have is no help, and a store
// of the past has no index.
func TestLabelledStepsAside(t *testing.T) {
	s := store.New(1000)
	for i := range 100 {
		labels := map[string]any{"all": "x"}
		if i%50 == 0 {
			labels["few"] = "x"
		}
		o := object.FromMap(map[string]any{"metadata": map[string]any{"name": "x", "labels": labels}})
		if _, err := s.Create(fmt.Sprintf("/a/%03d", i), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := s.Labelled("/a/", "", "all", "x"); ok {
		t.Error("the index walks all objects one by one")
	}
	found, ok := s.Labelled("/a/", "", "few", "x")
	if !ok || keysOf(found) != "/a/000 /a/050" {
		t.Errorf("few: %t", ok)
	}
	then, err := s.At(1050)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := then.Labelled("/a/", "", "few", "x"); ok {
		t.Error("a store of the past has an index")
	}
}
