//go:build js && wasm

package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall/js"
	"testing"
	"time"
)

// These tests run in a Web Worker of a real browser: see web/e2e/storage.spec.mjs.

// openFresh returns the DB of a database that was empty.
func openFresh(t *testing.T) *DB {
	t.Helper()
	if err := deleteDatabase(); err != nil {
		t.Fatal(err)
	}
	return openIn(t, Saved, "")
}

// openIn opens the database as it is and wants that state.
func openIn(t *testing.T, name, reason string) *DB {
	t.Helper()
	db := Open(nil)
	t.Cleanup(db.Close)
	if got := db.State(); got.Name != name || got.Reason != reason {
		t.Fatalf("opened as %+v, want %s %s", got, name, reason)
	}
	return db
}

func commit(t *testing.T, db *DB, records ...Record) {
	t.Helper()
	if err := db.Commit(records); err != nil {
		t.Fatal(err)
	}
}

// notStored wants an error that names that state.
func notStored(t *testing.T, err error, name, reason string) {
	t.Helper()
	var refused *NotStoredError
	if !errors.As(err, &refused) || refused.State.Name != name || refused.State.Reason != reason {
		t.Fatalf("got %v, want not stored: %s %s", err, name, reason)
	}
}

func load(t *testing.T, db *DB, store string) []Record {
	t.Helper()
	records, err := db.Load(store)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func want(t *testing.T, db *DB, store string, records ...Record) {
	t.Helper()
	if got := load(t, db, store); !slices.Equal(got, records) {
		t.Errorf("store %s holds %v, want %v", store, got, records)
	}
}

// tamper changes the database past any DB: a put where value is given, else a delete.
func tamper(t *testing.T, store, key string, value any) {
	t.Helper()
	conn, raw, state := connect()
	if state.Name != Saved {
		t.Fatal(state)
	}
	defer conn.Close()
	tx := raw.Call("transaction", store, "readwrite")
	if value == nil {
		tx.Call("objectStore", store).Call("delete", key)
	} else {
		tx.Call("objectStore", store).Call("put", value, key)
	}
	if err := completed(tx); err != nil {
		t.Fatal(err)
	}
}

func TestWhatWasCommittedIsThereAfterwards(t *testing.T) {
	db := openFresh(t)
	a := Record{Store: Objects, Key: "ConfigMap/default/a", Value: `{"n":` + fmt.Sprint(math.MaxInt64) + `}`}
	b := Record{Store: Objects, Key: `B/<img src=x onerror=alert(1)>/"'`, Value: `"\u0000 é 漢 🙂"`}
	file := Record{Store: Files, Key: "b", Value: `""`}
	commit(t, db, a, Record{Store: Meta, Key: "clock", Value: "1"})
	commit(t, db, Record{Store: Meta, Key: "clock", Value: "2"}, b, file, Record{Store: Meta, Key: "clock", Value: "3"})
	want(t, db, Objects, b, a)
	db.Close()

	db = openIn(t, Saved, "")
	want(t, db, Objects, b, a)
	want(t, db, Objects, b, a)
	want(t, db, Files, file)
	want(t, db, Meta, Record{Store: Meta, Key: "clock", Value: "3"})
	want(t, db, Archive)
	commit(t, db, Record{Store: Objects, Key: a.Key, Delete: true}, Record{Store: Objects, Key: "not there", Delete: true})
	want(t, db, Objects, b)
	db.Close()

	db = openIn(t, Saved, "")
	want(t, db, Objects, b)
}

func TestProgrammingErrorsChangeNothing(t *testing.T) {
	db := openFresh(t)
	for _, bad := range []Record{{Store: "nowhere", Key: "a", Value: "1"}, {Store: Meta, Key: commitKey, Value: "1"}, {Store: Objects, Key: "\x00", Value: "1"}} {
		if err := db.Commit([]Record{{Store: Objects, Key: "a", Value: "1"}, bad}); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if _, err := db.Load("nowhere"); err == nil {
		t.Error("a store that does not exist was loaded")
	}
	want(t, db, Objects)
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
}

func TestSecondTab(t *testing.T) {
	states := make(chan State, 10)
	if err := deleteDatabase(); err != nil {
		t.Fatal(err)
	}
	first := Open(func(s State) { states <- s })
	t.Cleanup(first.Close)
	commit(t, first, Record{Store: Objects, Key: "a", Value: "1"})

	second := openIn(t, ForeignTab, ReasonOtherTab)
	if detail := second.State().Detail; !strings.Contains(detail, first.opened) {
		t.Errorf("the second tab is told %q, which does not say since when the cluster is held", detail)
	}
	want(t, second, Objects, Record{Store: Objects, Key: "a", Value: "1"})
	notStored(t, second.Commit([]Record{{Store: Objects, Key: "a", Value: "2"}}), ForeignTab, ReasonOtherTab)
	commit(t, first, Record{Store: Objects, Key: "a", Value: "3"})

	if err := second.TakeOver(); err != nil {
		t.Fatal(err)
	}
	if told := <-states; told.Name != ForeignTab || told.Reason != ReasonOtherTab {
		t.Errorf("the first tab was told %+v", told)
	}
	want(t, second, Objects, Record{Store: Objects, Key: "a", Value: "3"})
	commit(t, second, Record{Store: Objects, Key: "a", Value: "4"})
	notStored(t, first.Commit([]Record{{Store: Objects, Key: "a", Value: "5"}}), ForeignTab, ReasonOtherTab)

	if err := first.TakeOver(); err != nil {
		t.Fatal(err)
	}
	want(t, first, Objects, Record{Store: Objects, Key: "a", Value: "4"})
}

func TestTakenOverTabCannotWriteEvenWithoutLocks(t *testing.T) {
	first := openFresh(t)
	commit(t, first, Record{Store: Objects, Key: "a", Value: "1"})
	second := &DB{holder: randomID(), opened: first.opened}
	second.state = second.open(true)
	t.Cleanup(second.Close)
	// As where the browser has no locks, so that nobody has told the first tab.
	first.state = State{Name: Saved}
	notStored(t, first.Commit([]Record{{Store: Objects, Key: "a", Value: "2"}, {Store: Files, Key: "f", Value: "2"}}), ForeignTab, ReasonOtherTab)
	want(t, second, Objects, Record{Store: Objects, Key: "a", Value: "1"})
	want(t, second, Files)
	commit(t, second, Record{Store: Objects, Key: "a", Value: "3"})
}

func TestWithoutLocksTheLastOneHolds(t *testing.T) {
	first := openFresh(t)
	navigator := js.Global().Get("navigator")
	js.Global().Get("Object").Call("defineProperty", navigator, "locks", map[string]any{"value": js.Undefined(), "configurable": true})
	t.Cleanup(func() { js.Global().Get("Reflect").Call("deleteProperty", navigator, "locks") })
	second := openIn(t, Saved, "")
	commit(t, second, Record{Store: Objects, Key: "a", Value: "1"})
	notStored(t, first.Commit(nil), ForeignTab, ReasonOtherTab)
}

func TestDamagedDataIsKeptAsItIs(t *testing.T) {
	tests := []struct {
		name, detail string
		damage       func(*testing.T)
	}{
		{"a record is gone", "2 records are stored, 3 should be", func(t *testing.T) { tamper(t, Objects, "a", nil) }},
		{"a record is left over", "4 records are stored, 3 should be", func(t *testing.T) { tamper(t, Objects, "c", "1") }},
		{"a record was changed", "a record was changed", func(t *testing.T) { tamper(t, Objects, "a", `{"n":2}`) }},
		{"a record was cut", "objects/a was changed and is no longer JSON", func(t *testing.T) { tamper(t, Objects, "a", `{"n":`) }},
		{"a record is no text", "a record was changed", func(t *testing.T) { tamper(t, Objects, "a", 7) }},
		{"a record holds a NUL", "the store objects holds what is not JSON text", func(t *testing.T) { tamper(t, Objects, "a", "\x00") }},
		{"the mark is gone", "meta/commit", func(t *testing.T) { tamper(t, Meta, commitKey, nil) }},
		{"the format is gone", "meta/format", func(t *testing.T) { tamper(t, Meta, formatKey, nil) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			db := openFresh(t)
			commit(t, db, Record{Store: Objects, Key: "a", Value: `{"n":1}`}, Record{Store: Objects, Key: "b", Value: "1"}, Record{Store: Files, Key: "f", Value: "1"})
			db.Close()
			test.damage(t)

			db = openIn(t, Memory, ReasonCorrupted)
			if got := db.State().Detail; !strings.Contains(got, test.detail) {
				t.Errorf("detail is %q, want %q in it", got, test.detail)
			}
			before, err := db.Raw()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(before), `["b","1"]`) {
				t.Errorf("the export lacks a record that is whole: %s", before)
			}
			notStored(t, db.Commit([]Record{{Store: Objects, Key: "a", Value: "new"}}), Memory, ReasonCorrupted)
			if after, err := db.Raw(); err != nil || string(stores(t, after)) != string(stores(t, before)) {
				t.Errorf("stored data changed (%v):\n%s\n%s", err, before, after)
			}
			if err := db.Reset(); err != nil {
				t.Fatal(err)
			}
			want(t, db, Objects)
			commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
		})
	}
}

// stores returns the stores of an export, without the time it was made.
func stores(t *testing.T, raw []byte) json.RawMessage {
	t.Helper()
	var doc struct{ Stores json.RawMessage }
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Stores
}

func TestNewerFormatIsLeftAlone(t *testing.T) {
	db := openFresh(t)
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
	db.Close()
	tamper(t, Meta, formatKey, `{"version":2}`)
	db = openIn(t, Memory, ReasonNewerFormat)
	notStored(t, db.Commit(nil), Memory, ReasonNewerFormat)
	db.Close()
	db = openIn(t, Memory, ReasonNewerFormat)
	want(t, db, Objects, Record{Store: Objects, Key: "a", Value: "1"})
}

func TestNewerDatabaseIsLeftAlone(t *testing.T) {
	if err := deleteDatabase(); err != nil {
		t.Fatal(err)
	}
	opened := make(chan js.Value, 1)
	request := js.Global().Get("indexedDB").Call("open", databaseName, databaseVersion+1)
	success := js.FuncOf(func(js.Value, []js.Value) any {
		opened <- request.Get("result")
		return nil
	})
	defer success.Release()
	request.Set("onsuccess", success)
	(<-opened).Call("close")
	db := openIn(t, Memory, ReasonNewerFormat)
	if err := db.Reset(); err != nil {
		t.Fatal(err)
	}
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
}

func TestRefuse(t *testing.T) {
	db := openFresh(t)
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
	db.Refuse(ReasonCorrupted, "objects/a is no object")
	notStored(t, db.Commit([]Record{{Store: Objects, Key: "a", Value: "2"}}), Memory, ReasonCorrupted)
	want(t, db, Objects, Record{Store: Objects, Key: "a", Value: "1"})
}

func TestBrowserWithoutIndexedDB(t *testing.T) {
	global, object := js.Global(), js.Global().Get("Object")
	restore := func() { global.Get("Reflect").Call("deleteProperty", global, "indexedDB") }
	t.Cleanup(restore)
	throw := func(name string) js.Value {
		return global.Get("Function").New("throw new DOMException('not allowed here', '" + name + "')")
	}
	tests := []struct {
		name     string
		property map[string]any
		reason   string
	}{
		{"there is none", map[string]any{"value": js.Null()}, ReasonUnavailable},
		{"asking for it throws", map[string]any{"get": throw("SecurityError")}, ReasonBlocked},
		{"opening throws", map[string]any{"value": map[string]any{"open": throw("SecurityError"), "deleteDatabase": throw("SecurityError")}}, ReasonBlocked},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.property["configurable"] = true
			object.Call("defineProperty", global, "indexedDB", test.property)
			db := openIn(t, Memory, test.reason)
			notStored(t, db.Commit([]Record{{Store: Objects, Key: "a", Value: "1"}}), Memory, test.reason)
			want(t, db, Objects)
			if _, err := db.Raw(); err == nil {
				t.Error("an export of nothing")
			}
			if err := db.TakeOver(); err == nil {
				t.Error("took over nothing")
			}
			if err := db.Reset(); err == nil {
				t.Error("reset nothing")
			}
			restore()
		})
	}
}

func TestDatabaseDeletedElsewhere(t *testing.T) {
	if err := deleteDatabase(); err != nil {
		t.Fatal(err)
	}
	states := make(chan State, 1)
	db := Open(func(s State) { states <- s })
	t.Cleanup(db.Close)
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
	if err := deleteDatabase(); err != nil {
		t.Fatal(err)
	}
	if told := <-states; told.Name != Memory || told.Reason != ReasonClosed {
		t.Errorf("told %+v", told)
	}
	notStored(t, db.Commit([]Record{{Store: Objects, Key: "a", Value: "2"}}), Memory, ReasonClosed)
}

// TestFull needs a page that answers "quota N" by setting the origin's quota to N bytes.
func TestFull(t *testing.T) {
	harness := js.Global().Get("harness")
	if !harness.Truthy() {
		t.Skip("runs where the test page can set the quota")
	}
	quota := func(bytes int) {
		done := make(chan struct{})
		then := js.FuncOf(func(js.Value, []js.Value) any {
			close(done)
			return nil
		})
		defer then.Release()
		harness.Invoke(fmt.Sprint("quota ", bytes)).Call("then", then)
		<-done
	}
	// Before the first commit: Chromium remembers for a while that there was room.
	quota(500_000)
	db := openFresh(t)
	commit(t, db, Record{Store: Objects, Key: "a", Value: "1"})
	large := `"` + strings.Repeat("x", 1_000_000) + `"`
	notStored(t, db.Commit([]Record{{Store: Objects, Key: "a", Value: "2"}, {Store: Files, Key: "large", Value: large}}), Full, ReasonQuota)
	// A later step alone would fit, but not without the one before it.
	notStored(t, db.Commit([]Record{{Store: Objects, Key: "b", Value: "3"}}), Full, ReasonQuota)
	want(t, db, Objects, Record{Store: Objects, Key: "a", Value: "1"})

	quota(-1)
	commit(t, db, Record{Store: Objects, Key: "c", Value: "4"})
	if got := db.State(); got.Name != Saved {
		t.Errorf("state is %+v once there is room again", got)
	}
	db.Close()
	db = openIn(t, Saved, "")
	want(t, db, Objects,
		Record{Store: Objects, Key: "a", Value: "2"}, Record{Store: Objects, Key: "b", Value: "3"}, Record{Store: Objects, Key: "c", Value: "4"})
	want(t, db, Files, Record{Store: Files, Key: "large", Value: large})
}

// TestTimes prints what a commit and a load cost; it judges only the order of magnitude.
func TestTimes(t *testing.T) {
	db := openFresh(t)
	object := `{"apiVersion":"v1","kind":"ConfigMap","data":"` + strings.Repeat("x", 1000) + `"}`
	step := func(i int) []Record {
		return []Record{
			{Store: Meta, Key: "clock", Value: fmt.Sprint(i)},
			{Store: Objects, Key: fmt.Sprint("ConfigMap/default/", i%100), Value: object},
			{Store: Choices, Key: fmt.Sprintf("%08d", i), Value: `"serve controller"`},
			{Store: Events, Key: fmt.Sprintf("%08d", i), Value: `"served"`},
		}
	}
	var took []time.Duration
	for i := range 500 {
		start := time.Now()
		commit(t, db, step(i)...)
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	fmt.Printf("BENCH commit of 4 records: p50 %v, p95 %v\n", took[len(took)/2], took[len(took)*95/100])
	var many []Record
	for i := range 10_000 {
		many = append(many, Record{Store: Objects, Key: fmt.Sprintf("ConfigMap/default/%05d", i), Value: object})
	}
	start := time.Now()
	commit(t, db, many...)
	fmt.Printf("BENCH commit of 10,000 records: %v\n", time.Since(start))
	db.Close()
	start = time.Now()
	db = openIn(t, Saved, "")
	if n := len(load(t, db, Objects)); n != 10_100 {
		t.Errorf("%d objects, want 10100", n)
	}
	opened := time.Since(start)
	fmt.Printf("BENCH open and load of 10,000 records: %v\n", opened)
	if opened > 20*time.Second {
		t.Errorf("opening took %v: record by record?", opened)
	}
}
