package storage

import (
	"strings"
	"testing"
)

func TestLedgerFollowsWhatIsStored(t *testing.T) {
	steps := [][]Record{
		{{Store: Objects, Key: "a", Value: "1"}, {Store: Files, Key: "a", Value: "1"}},
		{{Store: Objects, Key: "a", Value: "2"}, {Store: Objects, Key: "b", Value: "3"}},
		{{Store: Objects, Key: "a", Delete: true}, {Store: Objects, Key: "never there", Delete: true}},
		{{Store: Objects, Key: "b", Value: "3"}},
	}
	l := newLedger()
	for i, records := range steps {
		count, sum := l.after(records)
		for _, r := range records {
			l.set(r)
		}
		if count != len(l.hashes) || sum != l.sum {
			t.Errorf("step %d: after says %d, %x; set makes %d, %x", i, count, sum, len(l.hashes), l.sum)
		}
	}
	want := hash(&Record{Store: Files, Key: "a", Value: "1"}) ^ hash(&Record{Store: Objects, Key: "b", Value: "3"})
	if l.sum != want {
		t.Errorf("sum is %x, want %x: that of the two records left", l.sum, want)
	}
}

func TestHashKeepsPartsApart(t *testing.T) {
	seen := map[uint64]string{}
	for _, parts := range [][3]string{{"ab", "c", ""}, {"a", "bc", ""}, {"a", "b", "c"}, {"", "abc", ""}, {"", "", "abc"}} {
		h := hash(&Record{Store: parts[0], Key: parts[1], Value: parts[2]})
		if other, there := seen[h]; there {
			t.Errorf("%q has the hash of %s", parts, other)
		}
		seen[h] = strings.Join(parts[:], "|")
	}
}

func TestMergeKeepsTheLastOfEachPlace(t *testing.T) {
	got := merge(
		[]Record{{Store: Objects, Key: "a", Value: "1"}, {Store: Objects, Key: "b", Value: "1"}},
		[]Record{{Store: Objects, Key: "b", Value: "2"}, {Store: Files, Key: "a", Value: "2"}, {Store: Objects, Key: "a", Delete: true}},
	)
	want := []Record{
		{Store: Objects, Key: "a", Delete: true}, {Store: Objects, Key: "b", Value: "2"}, {Store: Files, Key: "a", Value: "2"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("record %d: got %v, want %v", i, got[i], want[i])
		}
	}
}

// stored builds the contents that a commit of records leaves.
func stored(records ...Record) []Record {
	l := newLedger()
	for _, r := range records {
		l.set(r)
	}
	mark := commitMark{N: 7, Holder: "h", Count: len(l.hashes), Sum: sumText(l.sum)}
	return append(records,
		Record{Store: Meta, Key: formatKey, Value: formatMark{FormatVersion}.text()},
		Record{Store: Meta, Key: commitKey, Value: mark.text()})
}

func TestCheck(t *testing.T) {
	a := Record{Store: Objects, Key: "a", Value: `{"n":1}`}
	b := Record{Store: Files, Key: "b", Value: `"text"`}
	edit := func(records []Record, change func(*Record)) []Record {
		for i := range records {
			change(&records[i])
		}
		return records
	}
	tests := []struct {
		name    string
		records []Record
		reason  string
		detail  string
	}{
		{"nothing stored", nil, "", ""},
		{"whole", stored(a, b), "", ""},
		{"a record is missing", stored(a, b)[1:], ReasonCorrupted, "1 records are stored, 2 should be"},
		{"a record is left over", append(stored(a), b), ReasonCorrupted, "2 records are stored, 1 should be"},
		{"a record was changed", edit(stored(a, b), func(r *Record) {
			if r.Key == "a" {
				r.Value = `{"n":2}`
			}
		}), ReasonCorrupted, "a record was changed"},
		{"a record was cut", edit(stored(a, b), func(r *Record) {
			if r.Key == "a" {
				r.Value = `{"n"`
			}
		}), ReasonCorrupted, "objects/a was changed and is no longer JSON"},
		{"the marks are gone", []Record{a}, ReasonCorrupted, "meta/format"},
		{"commit is unreadable", edit(stored(a), func(r *Record) {
			if r.Key == commitKey {
				r.Value = "{"
			}
		}), ReasonCorrupted, "meta/commit"},
		{"newer, whatever else it holds", []Record{a, {Store: Meta, Key: formatKey, Value: `{"version":99}`}},
			ReasonNewerFormat, "format 99"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newContents()
			for _, r := range test.records {
				c.add(r)
			}
			mark, fresh, reason, detail := c.check()
			if reason != test.reason || !strings.Contains(detail, test.detail) {
				t.Errorf("got %q, %q; want %q and a detail with %q", reason, detail, test.reason, test.detail)
			}
			if fresh != (len(test.records) == 0) {
				t.Errorf("fresh is %v for %d records", fresh, len(test.records))
			}
			if test.reason == "" && !fresh && mark.N != 7 {
				t.Errorf("mark is %+v", mark)
			}
		})
	}
}
