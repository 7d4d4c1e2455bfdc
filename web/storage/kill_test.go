//go:build js && wasm

package storage

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// The two halves of the kill test, run by web/e2e/kill.spec.mjs: TestKillWrite commits steps until it is
// killed and prints each one that was acknowledged; TestKillVerify then looks at what is there.

const (
	killObjects = 20
	killKept    = 100
)

// killStep is everything that step i writes: it touches every store, deletes, and names i everywhere.
func killStep(i int) []Record {
	n := strconv.Itoa(i)
	records := []Record{
		{Store: Meta, Key: "step", Value: n},
		{Store: Cloud, Key: "ledger", Value: n},
		{Store: Files, Key: "webapp.yaml", Value: strconv.Quote("step " + n)},
		{Store: Choices, Key: fmt.Sprintf("%08d", i), Value: n},
		{Store: Events, Key: fmt.Sprintf("%08d", i), Value: n},
		{Store: Objects, Key: strconv.Itoa(i % killObjects), Value: `{"step":` + n + `}`},
	}
	if i > killKept {
		records = append(records, Record{Store: Events, Key: fmt.Sprintf("%08d", i-killKept), Delete: true})
	}
	if i%7 == 0 {
		records = append(records, Record{Store: Archive, Key: "last", Delete: true})
	} else {
		records = append(records, Record{Store: Archive, Key: "last", Value: n})
	}
	return records
}

// killExpected is what is stored once the steps 1 to last have been committed.
func killExpected(last int) map[string][]Record {
	all := map[place]Record{}
	for i := 1; i <= last; i++ {
		for _, r := range killStep(i) {
			delete(all, place{r.Store, r.Key})
			if !r.Delete {
				all[place{r.Store, r.Key}] = r
			}
		}
	}
	expected := map[string][]Record{}
	for at, r := range all {
		expected[at.store] = append(expected[at.store], r)
	}
	for _, records := range expected {
		slices.SortFunc(records, func(a, b Record) int {
			if a.Key < b.Key {
				return -1
			}
			return 1
		})
	}
	return expected
}

func killLast(t *testing.T, db *DB) int {
	t.Helper()
	for _, r := range load(t, db, Meta) {
		if r.Key == "step" {
			n, err := strconv.Atoi(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	return 0
}

func TestKillWrite(t *testing.T) {
	if os.Getenv("KILL") != "write" {
		t.Skip("half of the kill test")
	}
	db := openIn(t, Saved, "")
	for i := killLast(t, db) + 1; ; i++ {
		commit(t, db, killStep(i)...)
		fmt.Printf("ACK %d\n", i)
	}
}

func TestKillVerify(t *testing.T) {
	if os.Getenv("KILL") != "verify" {
		t.Skip("half of the kill test")
	}
	acknowledged, err := strconv.Atoi(os.Getenv("ACKNOWLEDGED"))
	if err != nil {
		t.Fatal(err)
	}
	db := openIn(t, Saved, "")
	last := killLast(t, db)
	// The page hears of a step after it is stored, so one more may be there; and more where the words of
	// several were on their way when it was killed.
	if last < acknowledged {
		t.Fatalf("step %d was acknowledged, but the last one stored is %d", acknowledged, last)
	}
	expected := killExpected(last)
	for _, store := range Stores() {
		got := load(t, db, store)
		if !slices.Equal(got, expected[store]) {
			t.Errorf("step %d, store %s holds %v, want %v", last, store, got, expected[store])
		}
	}
	fmt.Printf("VERIFIED %d\n", last)
}
