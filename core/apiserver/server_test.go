package apiserver_test

import (
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

var (
	start      = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	configMaps = object.GVR{Version: "v1", Resource: "configmaps"}
)

func configMap(name, value string) *object.Map {
	return object.FromMap(map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name}, "data": map[string]any{"k": value}}).Root()
}

func create(t *testing.T, s *apiserver.Server, body *object.Map) object.Object {
	t.Helper()
	resp := s.Do(start, api.Request{Verb: api.Create, GVR: configMaps, Namespace: "default", Body: body})
	if resp.Err() != nil {
		t.Fatal(resp.Err())
	}
	return resp.Object
}

func TestClonesAreIndependent(t *testing.T) {
	s := apiserver.New(1, start)
	create(t, s, configMap("a", "1"))
	c := s.Clone()
	if a, b := create(t, s, configMap("b", "1")), create(t, c, configMap("b", "2")); a.UID() != b.UID() || a.ResourceVersion() != b.ResourceVersion() {
		t.Errorf("the same request in the same state: %v and %v", a, b)
	}
	ref := object.Ref{Kind: "ConfigMap", Namespace: "default", Name: "b"}
	if o, _ := s.Find(ref); o.Str("data", "k") != "1" {
		t.Errorf("original holds %q", o.Str("data", "k"))
	}
	if o, _ := c.Find(ref); o.Str("data", "k") != "2" {
		t.Errorf("clone holds %q", o.Str("data", "k"))
	}
}
