package cloud

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func create(c *Cloud, kind, name string, tags ...string) api.CloudItem {
	req := api.CloudRequest{Verb: api.Create, Type: kind, Name: name, Tags: map[string]string{}}
	for i := 0; i < len(tags); i += 2 {
		req.Tags[tags[i]] = tags[i+1]
	}
	return c.Do(now, req).Items[0]
}

func ids(items []api.CloudItem) []string {
	out := []string{}
	for _, i := range items {
		out = append(out, i.ID)
	}
	return out
}

func TestCreateAlwaysMakesANewOne(t *testing.T) {
	c := New()
	a := create(c, "lb", "a", "webapp", "default/a")
	want := `{"id":"lb-0001","type":"lb","name":"a","address":"203.0.113.1","tags":{"webapp":"default/a"}}`
	if got, _ := json.Marshal(a); string(got) != want {
		t.Fatalf("%s, want %s", got, want)
	}
	create(c, "lb", "a")
	create(c, "db", "a")
	c.Do(now, api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0002"})
	create(c, "lb", "a")
	if got := ids(c.Items()); !slices.Equal(got, []string{"db-0001", "lb-0001", "lb-0003"}) {
		t.Fatalf("items %v: an id was used again", got)
	}
}

func TestTagsAreNotShared(t *testing.T) {
	c, tags := New(), map[string]string{"k": "v"}
	c.Do(now, api.CloudRequest{Verb: api.Create, Type: "lb", Name: "a", Tags: tags})
	tags["k"] = "changed"
	if item, _ := c.Item("lb-0001"); item.Tags["k"] != "v" {
		t.Fatalf("tags %v", item.Tags)
	}
}

func TestList(t *testing.T) {
	c := New()
	create(c, "lb", "a", "webapp", "default/a", "team", "x")
	create(c, "lb", "b", "webapp", "default/b", "team", "x")
	create(c, "db", "a", "webapp", "default/a")
	for _, tc := range []struct {
		req  api.CloudRequest
		want []string
	}{
		{api.CloudRequest{}, []string{"lb-0001", "lb-0002"}},
		{api.CloudRequest{Name: "b"}, []string{"lb-0002"}},
		{api.CloudRequest{Tags: map[string]string{"team": "x"}}, []string{"lb-0001", "lb-0002"}},
		{api.CloudRequest{Tags: map[string]string{"team": "x", "webapp": "default/a"}}, []string{"lb-0001"}},
		{api.CloudRequest{Name: "a", Tags: map[string]string{"webapp": "default/b"}}, []string{}},
		{api.CloudRequest{Tags: map[string]string{"none": ""}}, []string{}},
	} {
		tc.req.Verb, tc.req.Type = api.List, "lb"
		if resp := c.Do(now, tc.req); resp.Err != nil || !slices.Equal(ids(resp.Items), tc.want) || resp.Items == nil {
			t.Errorf("%s: %v %v, want %v", tc.req, resp.Items, resp.Err, tc.want)
		}
	}
}

func TestErrors(t *testing.T) {
	c := New()
	create(c, "lb", "a")
	for _, tc := range []struct {
		req             api.CloudRequest
		reason, message string
	}{
		{api.CloudRequest{Verb: api.Get, Type: "lb", ID: "lb-0007"}, "NotFound", "not found: lb-0007"},
		{api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-1"}, "NotFound", "not found: lb-1"},
		{api.CloudRequest{Verb: api.Delete, Type: "db", ID: "lb-0001"}, "NotFound", "not found: lb-0001"},
		{api.CloudRequest{Verb: api.Get, Type: "lb", ID: "x"}, "NotFound", "not found: x"},
		{api.CloudRequest{Verb: api.Get, Type: "lb"}, "BadRequest", "cloud lb get: an ID is required"},
		{api.CloudRequest{Verb: api.Create, Type: "db"}, "BadRequest", "cloud db create: --name is required"},
		{api.CloudRequest{Verb: api.List, Type: "vm"}, "BadRequest", `unknown type "vm": want lb or db`},
		{api.CloudRequest{Verb: api.Update, Type: "lb"}, "BadRequest", `unknown verb "update": want create, list, get or delete`},
	} {
		var e *api.CloudError
		if err := c.Do(now, tc.req).Err; !errors.As(err, &e) || e.Reason != tc.reason || e.Message != tc.message {
			t.Errorf("%s: %v, want %s", tc.req, err, tc.message)
		}
	}
	if c.Changes() != 1 {
		t.Errorf("the ledger has %d entries after calls that failed", c.Changes())
	}
}

func TestAddresses(t *testing.T) {
	seen := map[string]bool{}
	for n := 1; n <= 70000; n++ {
		a := address(n)
		if seen[a] {
			t.Fatalf("address %d, %s, was given before", n, a)
		}
		seen[a] = true
	}
	for n, want := range map[int]string{1: "203.0.113.1", 254: "203.0.113.254", 255: "198.51.100.1", 509: "192.0.2.1", 763: "198.18.0.0", 763 + 65536: "198.19.0.0"} {
		if got := address(n); got != want {
			t.Errorf("address %d is %s, want %s", n, got, want)
		}
	}
}

func TestManyKeepTheirOrder(t *testing.T) {
	c := New()
	for n := range 10001 {
		create(c, "lb", fmt.Sprint(n))
	}
	if items := c.Items(); items[9999].ID != "lb-10000" || items[10000].ID != "lb-10001" {
		t.Fatalf("the last items are %s, %s", items[9999].ID, items[10000].ID)
	}
	if _, ok := c.Item("lb-10001"); !ok {
		t.Fatal("lb-10001 is not found by its id")
	}
}

func TestLedgerAndClone(t *testing.T) {
	c := New()
	create(c, "lb", "a", "webapp", "default/a")
	d := c.Clone()
	d.Do(now.Add(time.Second), api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0001"})
	create(d, "lb", "b")
	if len(c.Items()) != 1 || c.Changes() != 1 {
		t.Fatal("a clone shares its items")
	}
	create(c, "lb", "c")
	if items := c.Items(); items[1].ID != "lb-0002" {
		t.Fatalf("items %v: a clone shares its ids", items)
	}
	var lines []string
	for _, e := range d.Ledger(1) {
		lines = append(lines, e.String())
	}
	if want := []string{"2 deleted lb-0001 a webapp=default/a", "3 created lb-0002 b"}; !slices.Equal(lines, want) {
		t.Fatalf("ledger %q, want %q", lines, want)
	}
}

func TestSnapshot(t *testing.T) {
	c := New()
	create(c, "lb", "a", "webapp", "default/a")
	create(c, "db", "b")
	c.Do(now.Add(time.Second), api.CloudRequest{Verb: api.Delete, Type: "lb", ID: "lb-0001"})
	text, err := json.Marshal(c.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	var s Snapshot
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	d, err := Restore(s)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(d.Snapshot()); string(again) != string(text) {
		t.Fatalf("restored %s, want %s", again, text)
	}
	if item := create(d, "lb", "c"); item.ID != "lb-0002" || item.Address != "203.0.113.3" {
		t.Fatalf("the next load balancer is %+v", item)
	}
	s.Ledger = s.Ledger[1:]
	if _, err := Restore(s); err == nil {
		t.Fatal("a ledger that lacks its beginning was restored")
	}
}
