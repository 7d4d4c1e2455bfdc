package apiserver_test

import (
	"fmt"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
)

func TestCompactedPast(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	old := s.Revision()
	page := s.Do(start, api.Request{Verb: api.List, GVR: configMaps, Options: api.Options{Limit: 1}})
	create(t, s, configMap("b", "1"))
	first := s.Do(start, api.Request{Verb: api.List, GVR: configMaps, Options: api.Options{Limit: 1}})
	create(t, s, configMap("c", "1"))
	s.Compact(s.Revision())

	watch := api.Request{Verb: api.Watch, GVR: configMaps, Options: api.Options{ResourceVersion: fmt.Sprint(old)}}
	if resp := s.Do(start, watch); resp.Code != 200 || resp.Watch == nil {
		t.Fatalf("the watch was not accepted: %v", resp)
	}
	events := s.Watching(watch, old)
	if len(events) != 1 || events[0].Type != api.Error {
		t.Fatalf("events %v", events)
	}
	if o := events[0].Object; o.Str("reason") != "Expired" || o.Str("message") != fmt.Sprintf("too old resource version: %d (%d)", old, s.Revision()) {
		t.Errorf("the watch ends with %s", o.Root())
	}
	exact := api.Request{Verb: api.List, GVR: configMaps, Options: api.Options{ResourceVersion: fmt.Sprint(old), ResourceVersionMatch: "Exact"}}
	refused(t, s.Do(start, exact), 410, "The resourceVersion for the provided list is too old.")
	if page.List.Continue != "" {
		t.Error("a list of one object has a second page")
	}
	refused(t, s.Do(start, api.Request{Verb: api.List, GVR: configMaps, Options: api.Options{Continue: first.List.Continue}}), 410, "The provided continue parameter is too old")
	if changes := s.Changes(old); changes != nil {
		t.Errorf("changes that are compacted: %v", changes)
	}
}

func TestFutureResourceVersions(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	ahead := api.Options{ResourceVersion: fmt.Sprint(s.Revision() + 5)}
	for _, req := range []api.Request{
		{Verb: api.Get, Namespace: "default", Name: "a"}, {Verb: api.List},
	} {
		req.GVR, req.Options = configMaps, ahead
		refused(t, s.Do(start, req), 504, fmt.Sprintf("Too large resource version: %d, current: %d", s.Revision()+5, s.Revision()))
	}
	watch := api.Request{Verb: api.Watch, GVR: configMaps, Options: ahead}
	if events := s.Watching(watch, s.Revision()+5); events != nil {
		t.Errorf("events of the future: %v", events)
	}
}

func TestWatchOfOneName(t *testing.T) {
	s := apiserver.New(1, start)
	from := s.Revision()
	create(t, s, configMap("a", "1"))
	create(t, s, configMap("b", "1"))
	watch := api.Request{Verb: api.Watch, GVR: configMaps, Namespace: "default", Options: api.Options{FieldSelector: "metadata.name=b"}}
	events := s.Watching(watch, from)
	if len(events) != 1 || events[0].Object.Name() != "b" || events[0].Revision != s.Revision() {
		t.Errorf("events %v", events)
	}
}

func TestSameSeedSameServer(t *testing.T) {
	names := func(seed uint64) string {
		s := apiserver.New(seed, start)
		o := create(t, s, tree(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}").Root())
		return o.Name() + " " + o.UID()
	}
	if a, b := names(7), names(7); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := names(7), names(8); a == b {
		t.Errorf("two seeds give %q", a)
	}
}
