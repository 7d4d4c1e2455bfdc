package peers

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of complaints anew")

// complaint is one thing that users of fakes complain of: a recording of a real
// API server that shows how it should be, and what to look at in its answers.
type complaint struct {
	says, trace string
	look        func(a []answer) string
}

var complaints = []complaint{
	{"generation is not bumped", "generation/spec-bumps", generations},
	{"generation is bumped by status", "generation/status-no-bump", generations},
	{"deletion does not bump generation", "generation/deletion-bumps", generations},
	{"Update writes status", "peers/status-through-update", finalFields("status")},
	{"a status write stores labels, annotations, finalizers, owners", "generation/metadata-via-status", finalMetadata("labels", "annotations", "finalizers", "ownerReferences")},
	{"a write that changes nothing bumps resourceVersion", "crud/update-noop-configmap", versions},
	{"a write that changes nothing sends an event", "peers/noop-events", events},
	{"versions are kept per object, or constant", "crud/list", versions},
	{"uid and creationTimestamp are not set", "crud/create-get", finalMetadata("uid", "creationTimestamp")},
	{"label selectors are ignored", "crud/label-selectors", lists},
	{"field selectors are ignored, or need an index", "crud/field-selectors", lists},
	{"objects with a deletionTimestamp are refused", "peers/deletion-timestamp-given", codes},
	{"delete ignores finalizers", "finalizer/lifecycle", codes},
	{"a finalizer can be added while an object is being deleted", "finalizer/add-while-terminating-configmap", codes},
	{"preconditions of a delete are ignored", "finalizer/precondition-terminating", codes},
	{"the optimistic lock is ignored for status", "status-conflict/stale-put", codes},
	{"an update without resourceVersion is taken", "status-conflict/put-without-rv", codes},
	{"an update with another uid is taken", "crud/update-wrong-uid", codes},
	{"bad labels are taken", "crud/label-invalid", codes},
	{"what the schema refuses is taken", "schema/required", codes},
	{"defaults are not filled in", "schema/default", finalFields("spec")},
	{"apply: conflicts", "ssa/conflict-force", messages},
	{"apply: a field that is no longer applied stays", "ssa/remove-field", finalFields("spec")},
	{"apply: items of a list are merged by its keys", "ssa/map-list", finalFields("spec")},
	{"owned objects are not collected", "ownerref/background", codes},
	{"namespaces never finish deleting", "namespace/delete-content", codes},
	{"a watch ignores the revision", "watch/from-rv", events},
	{"writes between a list and its watch are lost", "peers/list-then-watch", events},
	{"a watch's selector does not notice what leaves", "peers/watch-selector", events},
}

// TestComplaints asks both what people complain of, and lets the recording of the
// real API server judge. Ours must be right. What the fake client does is kept in
// testdata/complaints.txt.
func TestComplaints(t *testing.T) {
	var table strings.Builder
	right := 0
	for _, c := range complaints {
		tr := loadTrace(t, c.trace)
		var recorded []answer
		for _, s := range tr.Steps {
			recorded = append(recorded, s.Response)
		}
		want := c.look(recorded)
		ours := c.look(play(tr, newOurReplay(t, tr.Setup)))
		// A replay fills in what the recording leaves open: each has a copy of its own.
		tr = loadTrace(t, c.trace)
		theirs := c.look(play(tr, newFakeReplay(tr.Setup)))
		if ours != want {
			t.Errorf("%s (%s):\nthe real one: %s\n        ours: %s", c.says, c.trace, want, ours)
		}
		fmt.Fprintf(&table, "%s\n  recorded in  %s\n  real server  %s\n  ours         %s\n", c.says, c.trace, want, verdict(ours, want))
		fmt.Fprintf(&table, "  fake client  %s\n\n", verdict(theirs, want))
		if theirs == want {
			right++
		}
	}
	fmt.Fprintf(&table, "Of %d complaints the fake client has answered %d.\n", len(complaints), right)
	const name = "testdata/complaints.txt"
	if *update {
		if err := os.WriteFile(name, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(kept) != table.String() {
		t.Errorf("%s says otherwise; run the test with -update and read the difference. Now:\n%s", name, table.String())
	}
}

func verdict(got, want string) string {
	if got == want {
		return "the same"
	}
	return got
}

// codes are the status codes of all steps.
func codes(a []answer) string {
	var out []string
	for _, x := range a {
		out = append(out, fmt.Sprint(x.Code))
	}
	return strings.Join(out, " ")
}

// messages are the codes, and what the errors say.
func messages(a []answer) string {
	var out []string
	for _, x := range a {
		text := fmt.Sprint(x.Code)
		if x.Code >= 400 || x.Code == 0 {
			text = fmt.Sprintf("%d %q", x.Code, x.Body["message"])
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

func metadata(m map[string]any) map[string]any {
	out, _ := m["metadata"].(map[string]any)
	return out
}

// generations are those of all objects that were answered with.
func generations(a []answer) string {
	var out []string
	for _, x := range a {
		g := metadata(x.Body)["generation"]
		if g == nil {
			g = "none"
		}
		out = append(out, fmt.Sprint(g))
	}
	return strings.Join(out, " ")
}

// versions numbers the resourceVersions by first appearance.
func versions(a []answer) string {
	seen := map[string]int{}
	var out []string
	add := func(m map[string]any) {
		v, _ := metadata(m)["resourceVersion"].(string)
		if _, ok := seen[v]; !ok {
			seen[v] = len(seen) + 1
		}
		out = append(out, fmt.Sprint(seen[v]))
	}
	for _, x := range a {
		if _, isList := x.Body["items"]; !isList {
			add(x.Body)
		}
	}
	return strings.Join(out, " ")
}

// lists are the names in all lists; an error is its code.
func lists(a []answer) string {
	var out []string
	for _, x := range a {
		items, ok := x.Body["items"].([]any)
		if x.Code >= 400 || x.Code == 0 {
			out = append(out, fmt.Sprint(x.Code))
		}
		if !ok || x.Code >= 400 {
			continue
		}
		names := []string{}
		for _, i := range items {
			m, _ := i.(map[string]any)
			names = append(names, fmt.Sprint(metadata(m)["name"]))
		}
		out = append(out, "["+strings.Join(names, " ")+"]")
	}
	return strings.Join(out, " ")
}

// events are those of all watches.
func events(a []answer) string {
	var out []string
	for _, x := range a {
		for _, e := range x.Events {
			out = append(out, fmt.Sprintf("%s %v", e.Type, metadata(e.Object)["name"]))
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// finalMetadata are those keys that the last object has.
func finalMetadata(keys ...string) func([]answer) string {
	return func(a []answer) string {
		meta := metadata(a[len(a)-1].Body)
		var out []string
		for _, k := range keys {
			if v, ok := meta[k]; ok && v != nil && v != "" {
				out = append(out, k)
			}
		}
		slices.Sort(out)
		if len(out) == 0 {
			return "none"
		}
		return strings.Join(out, " ")
	}
}

// finalFields is one field of the last object, as JSON.
func finalFields(key string) func([]answer) string {
	return func(a []answer) string {
		v, ok := a[len(a)-1].Body[key]
		if !ok {
			return "none"
		}
		return jsonText(v)
	}
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
