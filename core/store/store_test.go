package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

func thing(value string) object.Object {
	return object.FromMap(map[string]any{"metadata": map[string]any{"name": "a", "uid": "u"}, "value": value})
}

func codeOf(err error) store.Code {
	var e *store.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code
}

func put(value string) store.Update {
	return func(object.Object) (object.Object, error) { return thing(value), nil }
}

func TestCreateNeedsAFreeKey(t *testing.T) {
	s := store.New(1000)
	o, err := s.Create("/a", thing("1"))
	if err != nil || o.ResourceVersion() != "1001" || s.Revision() != 1001 {
		t.Fatalf("created %v, %v, revision %d", o, err, s.Revision())
	}
	if _, err := s.Create("/a", thing("1")); codeOf(err) != store.KeyExists {
		t.Errorf("created twice: %v", err)
	}
	if _, err := s.Create("/b", o); codeOf(err) != store.ResourceVersionSet {
		t.Errorf("created with a resourceVersion: %v", err)
	}
	if s.Revision() != 1001 {
		t.Errorf("a refused create took revision %d", s.Revision())
	}
}

func TestPreconditions(t *testing.T) {
	s := store.New(1000)
	if _, err := s.Create("/a", thing("1")); err != nil {
		t.Fatal(err)
	}
	_, err := s.GuaranteedUpdate("/a", store.Preconditions{UID: "other"}, put("2"))
	const want = "StorageError: invalid object, Code: 4, Key: /a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: u"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := s.Delete("/a", store.Preconditions{ResourceVersion: "7"}); codeOf(err) != store.InvalidObject {
		t.Errorf("deleted with a wrong resourceVersion: %v", err)
	}
	if _, err := s.Delete("/b", store.Preconditions{}); codeOf(err) != store.KeyNotFound {
		t.Errorf("deleted what is not there: %v", err)
	}
	if last, err := s.Delete("/a", store.Preconditions{UID: "u", ResourceVersion: "1001"}); err != nil || last.ResourceVersion() != "1001" || last.Str("value") != "1" {
		t.Errorf("deleted %v, %v", last, err)
	}
}

// TestUpdateWithRevision: an update may stamp what it changed, and then nothing is
// copied; without a change that is one nonetheless.
func TestUpdateWithRevision(t *testing.T) {
	s := store.New(1000)
	for _, want := range []string{"1001", "1002", "1003"} {
		o := thing("1").Set(s.Next(), "metadata", "resourceVersion")
		got, err := s.GuaranteedUpdate("/a", store.Preconditions{}, func(object.Object) (object.Object, error) { return o, nil })
		if err != nil || got.Root() != o.Root() || got.ResourceVersion() != want || store.FormatRevision(s.Revision()) != want {
			t.Errorf("%v, %v, revision %d, want %s", got, err, s.Revision(), want)
		}
	}
}

// TestLastOfDeleted: who asks what was deleted gets it with the revision of the
// deletion, all the same one.
func TestLastOfDeleted(t *testing.T) {
	s := store.New(1000)
	if _, err := s.Create("/a", thing("1")); err != nil {
		t.Fatal(err)
	}
	early := s.Clone()
	if _, err := s.Delete("/a", store.Preconditions{}); err != nil {
		t.Fatal(err)
	}
	last := func(s *store.Store) object.Object {
		changes, err := s.Changes(1001)
		if err != nil {
			t.Fatal(err)
		}
		for c := range changes {
			if want := c.Old.Set("1002", "metadata", "resourceVersion"); c.Type != api.Deleted || !c.Object.Equal(want) {
				t.Errorf("%s %v, want %v", c.Type, c.Object, want)
			}
			return c.Object
		}
		t.Fatal("no change")
		return object.Object{}
	}
	first := last(s)
	if last(s).Root() != first.Root() || last(s.Clone()).Root() != first.Root() {
		t.Error("each has a copy of its own")
	}
	if _, err := early.Delete("/a", store.Preconditions{}); err != nil {
		t.Fatal(err)
	}
	if !last(early).Equal(first) || last(s).Root() != first.Root() {
		t.Error("another store's deletion made a difference")
	}
}

func TestFailedUpdateWritesNothing(t *testing.T) {
	s := store.New(1000)
	sorry := errors.New("sorry")
	if _, err := s.GuaranteedUpdate("/a", store.Preconditions{}, func(o object.Object) (object.Object, error) {
		if !o.IsZero() {
			t.Errorf("there is %v", o)
		}
		return thing("1"), sorry
	}); !errors.Is(err, sorry) || s.Revision() != 1000 || s.Len() != 0 {
		t.Errorf("%v, revision %d, %d objects", err, s.Revision(), s.Len())
	}
}

// TestAgainstModel plays random writes against plain maps: every past state,
// every tail of changes and a snapshot must agree with the maps.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := store.New(1000)
		model := map[string]string{}
		past := map[int64]map[string]string{1000: {}}
		var clones []*store.Store
		for range rapid.IntRange(0, 60).Draw(t, "writes") {
			key := "/registry/" + rapid.SampledFrom([]string{"a", "b", "b/c", "d"}).Draw(t, "key")
			value := rapid.SampledFrom([]string{"1", "2"}).Draw(t, "value")
			before := s.Revision()
			was, had := model[key]
			changed := true
			if rapid.IntRange(0, 2).Draw(t, "delete") == 0 {
				_, err := s.Delete(key, store.Preconditions{})
				changed = err == nil
				delete(model, key)
			} else {
				if _, err := s.GuaranteedUpdate(key, store.Preconditions{}, put(value)); err != nil {
					t.Fatal(err)
				}
				changed = !had || was != value
				model[key] = value
			}
			if rose := s.Revision() - before; rose != 0 && !changed || changed && rose != 1 {
				t.Fatalf("a write that changed something (%v) raised the revision by %d", changed, rose)
			}
			past[s.Revision()] = maps.Clone(model)
			clones = append(clones, s.Clone())
		}
		for revision, want := range past {
			checkPast(t, s, revision, want)
		}
		for _, c := range clones {
			if got := values(c); !maps.Equal(got, past[c.Revision()]) {
				t.Fatalf("a clone of revision %d holds %v", c.Revision(), got)
			}
		}
		checkSnapshot(t, s)
		checkCompaction(t, s, rapid.Int64Range(1000, s.Revision()).Draw(t, "compact"))
	})
}

func values(s *store.Store) map[string]string {
	out := map[string]string{}
	for key, o := range s.Range("/registry/", "") {
		out[key] = o.Str("value")
	}
	return out
}

func checkPast(t *rapid.T, s *store.Store, revision int64, want map[string]string) {
	then, err := s.At(revision)
	if err != nil {
		t.Fatal(err)
	}
	if got := values(then); !maps.Equal(got, want) {
		t.Fatalf("at %d: %v, want %v", revision, got, want)
	}
	for _, s := range []*store.Store{s, then} {
		for key := range want {
			o, ok := s.Get(key)
			if stored, found, is := s.Find([]byte(key)); is != ok || !found.Equal(o) || ok && stored != key {
				t.Fatalf("%s is found as %s %v, %v, and got as %v, %v", key, stored, found, is, o, ok)
			}
		}
	}
	changes, err := s.Changes(revision)
	if err != nil {
		t.Fatal(err)
	}
	rebuilt := maps.Clone(want)
	for c := range changes {
		if (c.Type == api.Added) != c.Old.IsZero() || !c.Old.IsZero() && rebuilt[c.Key] != c.Old.Str("value") {
			t.Fatalf("%s of %s: before was %v", c.Type, c.Key, c.Old)
		}
		if c.Type == api.Deleted {
			delete(rebuilt, c.Key)
		} else {
			rebuilt[c.Key] = c.Object.Str("value")
		}
	}
	if now := values(s); !maps.Equal(rebuilt, now) {
		t.Fatalf("changes since %d lead to %v, stored is %v", revision, rebuilt, now)
	}
}

func checkSnapshot(t *rapid.T, s *store.Store) {
	text, err := json.Marshal(s.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var snap store.Snapshot
	if err := json.Unmarshal(text, &snap); err != nil {
		t.Fatal(err)
	}
	r, err := store.Restore(snap)
	if err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(r.Snapshot())
	if err != nil || string(again) != string(text) {
		t.Fatalf("%v: restored %s, was %s", err, again, text)
	}
}

func checkCompaction(t *rapid.T, s *store.Store, revision int64) {
	now := values(s)
	s.Compact(revision)
	if _, err := s.Changes(revision); err != nil {
		t.Fatalf("changes since the compacted revision: %v", err)
	}
	if _, err := s.Changes(revision - 1); codeOf(err) != store.Compacted {
		t.Fatalf("changes from before it: %v", err)
	}
	if _, err := s.At(s.Revision() + 1); codeOf(err) != store.Future {
		t.Fatalf("the future: %v", err)
	}
	if got := values(s); !maps.Equal(got, now) {
		t.Fatalf("compaction left %v of %v", got, now)
	}
}

func TestContradictingSnapshots(t *testing.T) {
	s := store.New(1000)
	if _, err := s.Create("/a", thing("1")); err != nil {
		t.Fatal(err)
	}
	for i, spoil := range []func(*store.Snapshot){
		func(s *store.Snapshot) { s.Compacted = s.Revision + 1 },
		func(s *store.Snapshot) { s.Objects = append(s.Objects, s.Objects[0]) },
		func(s *store.Snapshot) { s.Objects[0].Object = object.Object{} },
		func(s *store.Snapshot) { s.Changes[0].Revision = 7 },
		func(s *store.Snapshot) { s.Changes = append(s.Changes, s.Changes[0]) },
	} {
		snap := s.Snapshot()
		spoil(&snap)
		if _, err := store.Restore(snap); err == nil {
			t.Errorf("contradiction %d was taken", i)
		}
	}
}

func TestLostHistoryIsCompacted(t *testing.T) {
	s := store.New(1000)
	for _, value := range []string{"1", "2"} {
		if _, err := s.GuaranteedUpdate("/a", store.Preconditions{}, put(value)); err != nil {
			t.Fatal(err)
		}
	}
	snap := s.Snapshot()
	snap.Changes = nil
	r, err := store.Restore(snap)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Changes(1001); codeOf(err) != store.Compacted {
		t.Errorf("changes that were not restored: %v", err)
	}
	if _, err := r.Changes(1002); err != nil {
		t.Error(err)
	}
}

func TestRevisionsAsText(t *testing.T) {
	for text, want := range map[string]string{"": "0 <nil>", "0": "0 <nil>", "12": "12 <nil>",
		"-1": `0 strconv.ParseUint: parsing "-1": invalid syntax`, "abc": `0 strconv.ParseUint: parsing "abc": invalid syntax`} {
		n, err := store.ParseRevision(text)
		if got := fmt.Sprint(n, " ", err); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
