package storage

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strconv"
)

// hash returns a hash of one record: FNV-1a over its parts, then a final mix so that the exclusive or of
// many hashes loses nothing.
func hash(r *Record) uint64 {
	// A byte that no UTF-8 text holds keeps ("ab","c") and ("a","bc") apart.
	h := mix(mix(14695981039346656037, r.Store+"\xff"), r.Key+"\xff")
	r.parts(func(part string) { h = mix(h, part) })
	h = mix(h, "\xff")
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

func mix(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// hash is that of the record, which is made once.
func (r *Record) hash() uint64 {
	if r.hashed == 0 {
		r.hashed = hash(r)
	}
	return r.hashed
}

type place struct {
	store, key string
}

// A ledger knows the hash of each stored record and, from those, the sum over all.
type ledger struct {
	hashes map[place]uint64
	sum    uint64
}

func newLedger() *ledger {
	return &ledger{hashes: map[place]uint64{}}
}

// set notes the record.
func (l *ledger) set(r Record) {
	at := place{r.Store, r.Key}
	l.sum ^= l.hashes[at]
	delete(l.hashes, at)
	if !r.Delete {
		h := r.hash()
		l.hashes[at] = h
		l.sum ^= h
	}
}

// after returns count and sum as they are once records are stored, without noting them. No two records
// may have the same place.
func (l *ledger) after(records []Record) (count int, sum uint64) {
	count, sum = len(l.hashes), l.sum
	for i := range records {
		// In a browser the collector runs only while others wait.
		runtime.Gosched()
		r := &records[i]
		old, there := l.hashes[place{r.Store, r.Key}]
		if there {
			count--
			sum ^= old
		}
		if !r.Delete {
			count++
			sum ^= r.hash()
		}
	}
	return count, sum
}

// A commitMark is the value of meta/commit.
type commitMark struct {
	N      int    `json:"n"`
	Holder string `json:"holder"`
	Opened string `json:"opened,omitempty"`
	Count  int    `json:"count"`
	Sum    string `json:"sum"`
}

func (m commitMark) text() string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return string(text)
}

func sumText(sum uint64) string {
	return fmt.Sprintf("%016x", sum)
}

// A formatMark is the value of meta/format.
type formatMark struct {
	Version int `json:"version"`
}

func (m formatMark) text() string {
	return `{"version":` + strconv.Itoa(m.Version) + `}`
}

const (
	formatKey = "format"
	commitKey = "commit"
)

// separator is the one character that stands in no key (Commit refuses it) and in no JSON text.
const separator = "\x00"

func reserved(r Record) bool {
	return r.Store == Meta && (r.Key == formatKey || r.Key == commitKey)
}

// contents is everything that is stored, as it was read in one transaction.
type contents struct {
	// format and commit are the texts of the reserved records, empty where absent.
	format, commit string
	stores         map[string][]Record
	ledger         *ledger
	// unreadable names a store whose keys and values cannot be told apart.
	unreadable string
}

func newContents() *contents {
	return &contents{stores: map[string][]Record{}, ledger: newLedger()}
}

// add takes up one record that was read.
func (c *contents) add(r Record) {
	switch {
	case r.Store == Meta && r.Key == formatKey:
		c.format = r.Value
	case r.Store == Meta && r.Key == commitKey:
		c.commit = r.Value
	default:
		c.stores[r.Store] = append(c.stores[r.Store], r)
		c.ledger.set(r)
	}
}

// check judges what was read. An empty reason means that all is well; fresh, that nothing is stored yet.
func (c *contents) check() (mark commitMark, fresh bool, reason, detail string) {
	empty := c.format == "" && c.commit == "" && len(c.ledger.hashes) == 0 && c.unreadable == ""
	if empty {
		return commitMark{}, true, "", ""
	}
	var format formatMark
	if err := json.Unmarshal([]byte(c.format), &format); err != nil || format.Version < 1 {
		return mark, false, ReasonCorrupted, "meta/format is missing or unreadable"
	}
	if format.Version > FormatVersion {
		return mark, false, ReasonNewerFormat,
			fmt.Sprintf("stored in format %d; this version knows formats up to %d", format.Version, FormatVersion)
	}
	if err := json.Unmarshal([]byte(c.commit), &mark); err != nil {
		return mark, false, ReasonCorrupted, "meta/commit is missing or unreadable"
	}
	if c.unreadable != "" {
		return mark, false, ReasonCorrupted, "the store " + c.unreadable + " holds what is not JSON text"
	}
	if got, want := len(c.ledger.hashes), mark.Count; got != want {
		return mark, false, ReasonCorrupted, fmt.Sprintf("%d records are stored, %d should be", got, want)
	}
	if got := sumText(c.ledger.sum); got != mark.Sum {
		return mark, false, ReasonCorrupted, c.changed()
	}
	return mark, false, "", ""
}

// changed names a record that is no longer JSON, where there is one.
func (c *contents) changed() string {
	for _, store := range Stores() {
		for _, r := range c.stores[store] {
			if !json.Valid([]byte(r.Value)) {
				return fmt.Sprintf("the record %s/%s was changed and is no longer JSON", store, r.Key)
			}
		}
	}
	return "a record was changed: the sum over all records is not the one last committed"
}

// merge returns earlier and later as one list in which the last record of each place wins.
func merge(earlier, later []Record) []Record {
	at := make(map[place]int, len(earlier)+len(later))
	merged := make([]Record, 0, len(earlier)+len(later))
	for _, list := range [][]Record{earlier, later} {
		for _, r := range list {
			p := place{r.Store, r.Key}
			if i, there := at[p]; there {
				merged[i] = r
				continue
			}
			at[p] = len(merged)
			merged = append(merged, r)
		}
	}
	return merged
}
