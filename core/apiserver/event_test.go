package apiserver_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

// The field label source stands for the name of who reports, in the old field or in
// the new one. The answers are a real server's, for these events.
func TestEventsAreSelectedBySource(t *testing.T) {
	s := apiserver.New(1, start)
	events := object.GVR{Version: "v1", Resource: "events"}
	for name, rest := range map[string]string{"a": `, "source": {"component": "kubelet"}`, "b": `, "reportingComponent": "rc"`,
		"c": `, "source": {"component": "kubelet"}, "reportingComponent": "rc"`, "d": ""} {
		body := tree(t, `{"apiVersion": "v1", "kind": "Event", "metadata": {"name": "`+name+`"}, "involvedObject": {"namespace": "default"}`+rest+"}")
		if err := s.Do(start, api.Request{Verb: api.Create, GVR: events, Namespace: "default", Body: body.Root()}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	for selector, want := range map[string]string{"source=kubelet": "a c", "source=rc": "b", "source=": "d", "source!=kubelet": "b d",
		"reportingComponent=rc": "b c", "reportingComponent=kubelet": "", "reportingComponent=": "a d"} {
		resp := s.Do(start, api.Request{Verb: api.List, GVR: events, Namespace: "default", Options: api.Options{FieldSelector: selector}})
		if resp.Err() != nil {
			t.Fatal(resp.Err())
		}
		var names []string
		for _, o := range resp.List.Items {
			names = append(names, o.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q, want %q", selector, got, want)
		}
	}
	refused(t, s.Do(start, api.Request{Verb: api.List, GVR: events, Namespace: "default", Options: api.Options{FieldSelector: "source.component=kubelet"}}),
		400, "field label not supported: source.component")
}
