package cloud

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
)

// Snapshot is a whole cloud as JSON: its ledger, from which all else follows.
type Snapshot struct {
	Ledger []Entry `json:"ledger"`
}

// Snapshot returns the cloud for storing.
func (c *Cloud) Snapshot() Snapshot { return Snapshot{Ledger: c.Ledger(0)} }

// Restore plays a ledger again. A ledger whose entries do not follow from each
// other is refused.
func Restore(s Snapshot) (*Cloud, error) {
	c := New()
	for _, e := range s.Ledger {
		req := request(e)
		if resp := c.Do(e.At, req); resp.Err != nil {
			return nil, fmt.Errorf("ledger entry %d: %w", e.N, resp.Err)
		}
		last := c.Ledger(c.Changes() - 1)
		if len(last) != 1 || last[0].String() != e.String() || last[0].Item.Address != e.Item.Address {
			return nil, fmt.Errorf("ledger entry %d: %q does not follow from those before it", e.N, e)
		}
	}
	return c, nil
}

// request returns the call that an entry is the trace of.
func request(e Entry) api.CloudRequest {
	if e.Verb == "deleted" {
		return api.CloudRequest{Verb: api.Delete, Type: e.Item.Type, ID: e.Item.ID}
	}
	return api.CloudRequest{Verb: api.Create, Type: e.Item.Type, Name: e.Item.Name, Tags: e.Item.Tags}
}

func sortedTags(tags map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, k := range slices.Sorted(maps.Keys(tags)) {
			if !yield(k, tags[k]) {
				return
			}
		}
	}
}
