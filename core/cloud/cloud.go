// Package cloud is the world outside the cluster: load balancers and database
// accounts, and a ledger of everything that ever happened to them. It outlives
// clusters and controllers, which is what makes it hard: nothing in the cluster
// collects what was left there.
//
// It behaves as real clouds do: create always makes a new thing with a new id,
// even for a name that is taken; ids are never reused; reads are never stale.
// Lost replies and refusals are the network's business, not the cloud's.
package cloud

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/tree"
)

// Types are the kinds of things that the cloud offers.
var Types = []string{"db", "lb"}

// Networks are those that addresses are given out of first, up to the last dot.
var Networks = []string{"203.0.113.", "198.51.100.", "192.0.2."}

// Entry is one line of the ledger.
type Entry struct {
	// N counts the entries from 1.
	N  int       `json:"n"`
	At time.Time `json:"at"`
	// Verb is "created" or "deleted".
	Verb string        `json:"verb"`
	Item api.CloudItem `json:"item"`
}

// String prints the entry on one line: "1 created lb-0001 plain webapp=default/plain".
func (e Entry) String() string {
	words := []string{fmt.Sprint(e.N), e.Verb, e.Item.ID, e.Item.Name}
	for k, v := range sortedTags(e.Item.Tags) {
		words = append(words, k+"="+v)
	}
	return strings.Join(words, " ")
}

// Cloud is all things outside the cluster. It is not safe for concurrent use.
type Cloud struct {
	items  *tree.Ordered[stored]
	ledger *tree.Map[Entry]
	// made counts the things ever made: of each type for ids, and of all of
	// them for addresses.
	made    map[string]int
	madeAll int
}

// stored is an item in order of type and number.
type stored struct {
	kind   string
	number int
	item   api.CloudItem
}

func byID(a, b stored) bool {
	if c := strings.Compare(a.kind, b.kind); c != 0 {
		return c < 0
	}
	return a.number < b.number
}

// New returns an empty cloud.
func New() *Cloud {
	return &Cloud{
		items:  tree.NewOrdered(byID),
		ledger: &tree.Map[Entry]{},
		made:   map[string]int{},
	}
}

// Clone returns an independent copy, in constant time.
func (c *Cloud) Clone() *Cloud {
	return &Cloud{items: c.items.Copy(), ledger: c.ledger.Copy(), made: maps.Clone(c.made), madeAll: c.madeAll}
}

// Do makes one call. The errors are *api.CloudError with Reason NotFound, for an
// id that is not there (of that type), or BadRequest.
func (c *Cloud) Do(now time.Time, req api.CloudRequest) api.CloudResponse {
	if err := check(req); err != nil {
		return api.CloudResponse{Err: err}
	}
	switch req.Verb {
	case api.Create:
		return api.CloudResponse{Items: []api.CloudItem{c.create(now, req)}}
	case api.List:
		return api.CloudResponse{Items: c.list(req)}
	}
	s, ok := c.find(req)
	if !ok {
		return api.CloudResponse{Err: &api.CloudError{Reason: api.ReasonNotFound, Message: "not found: " + req.ID}}
	}
	if req.Verb == api.Delete {
		c.items.Delete(s)
		c.record(now, "deleted", s.item)
		return api.CloudResponse{}
	}
	return api.CloudResponse{Items: []api.CloudItem{s.item}}
}

func check(req api.CloudRequest) error {
	bad := func(format string, args ...any) error {
		return &api.CloudError{Reason: api.ReasonBadRequest, Message: fmt.Sprintf(format, args...)}
	}
	if !slices.Contains(Types, req.Type) {
		return bad("unknown type %q: want lb or db", req.Type)
	}
	switch req.Verb {
	case api.Create:
		if req.Name == "" {
			return bad("cloud %s create: --name is required", req.Type)
		}
	case api.List:
	case api.Get, api.Delete:
		if req.ID == "" {
			return bad("cloud %s %s: an ID is required", req.Type, req.Verb)
		}
	default:
		return bad("unknown verb %q: want create, list, get or delete", string(req.Verb))
	}
	return nil
}

func (c *Cloud) create(now time.Time, req api.CloudRequest) api.CloudItem {
	c.made[req.Type]++
	c.madeAll++
	number := c.made[req.Type]
	item := api.CloudItem{
		ID: fmt.Sprintf("%s-%04d", req.Type, number), Type: req.Type, Name: req.Name,
		Address: address(c.madeAll), Tags: map[string]string{},
	}
	maps.Copy(item.Tags, req.Tags)
	c.items.Set(stored{req.Type, number, item})
	c.record(now, "created", item)
	return item
}

// address returns the nth address: of the three networks that are reserved for
// documentation, then of the one for benchmarks.
func address(n int) string {
	n--
	for _, network := range Networks {
		if n < 254 {
			return fmt.Sprint(network, n+1)
		}
		n -= 254
	}
	return fmt.Sprintf("198.%d.%d.%d", 18+n>>16&1, n>>8&255, n&255)
}

func (c *Cloud) list(req api.CloudRequest) []api.CloudItem {
	items := []api.CloudItem{}
	c.items.Ascend(stored{kind: req.Type}, func(s stored) bool {
		if s.kind != req.Type {
			return false
		}
		if (req.Name == "" || s.item.Name == req.Name) && hasTags(s.item, req.Tags) {
			items = append(items, s.item)
		}
		return true
	})
	return items
}

func hasTags(item api.CloudItem, tags map[string]string) bool {
	for k, v := range sortedTags(tags) {
		if have, ok := item.Tags[k]; !ok || have != v {
			return false
		}
	}
	return true
}

func (c *Cloud) find(req api.CloudRequest) (stored, bool) {
	digits, ok := strings.CutPrefix(req.ID, req.Type+"-")
	if !ok {
		return stored{}, false
	}
	number, err := strconv.Atoi(digits)
	if err != nil {
		return stored{}, false
	}
	s, ok := c.items.Get(stored{kind: req.Type, number: number})
	return s, ok && s.item.ID == req.ID
}

func (c *Cloud) record(now time.Time, verb string, item api.CloudItem) {
	n := c.ledger.Len() + 1
	c.ledger.Set(tree.Number(int64(n)), Entry{N: n, At: now, Verb: verb, Item: item})
}

// Items returns what is there now, ordered by type and age.
func (c *Cloud) Items() []api.CloudItem {
	items := make([]api.CloudItem, 0, c.items.Len())
	c.items.Scan(func(s stored) bool {
		items = append(items, s.item)
		return true
	})
	return items
}

// Item returns the item with this id, and whether it is there.
func (c *Cloud) Item(id string) (api.CloudItem, bool) {
	kind, _, _ := strings.Cut(id, "-")
	s, ok := c.find(api.CloudRequest{Type: kind, ID: id})
	return s.item, ok
}

// Ledger returns everything that happened after the first n entries, oldest
// first. Calls that changed nothing are not in it.
func (c *Cloud) Ledger(after int) []Entry {
	var entries []Entry
	c.ledger.Ascend(tree.Number(int64(after+1)), func(_ string, e Entry) bool {
		entries = append(entries, e)
		return true
	})
	return entries
}

// Changes returns how many entries the ledger has: it rises with every change.
func (c *Cloud) Changes() int { return c.ledger.Len() }
