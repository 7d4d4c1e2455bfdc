package apiserver_test

import (
	"fmt"
	"testing"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
)

var webApps = object.GVR{Group: "lab.example.com", Version: "v1", Resource: "webapps"}

// labServer serves the WebApp of the recordings, with n of them.
func labServer(b testing.TB, n int) *apiserver.Server {
	b.Helper()
	traces, err := loadTraces("testdata/traces")
	if err != nil {
		b.Fatal(err)
	}
	r := newReplay()
	if err := r.setup(traces[0].root.get("setup")); err != nil {
		b.Fatal(err)
	}
	for i := range n {
		if err := r.server.Do(start, createWebApp(fmt.Sprintf("app-%05d", i))).Err(); err != nil {
			b.Fatal(err)
		}
	}
	return r.server
}

func createWebApp(name string) api.Request {
	return api.Request{Verb: api.Create, GVR: webApps, Namespace: "default", Body: object.FromMap(map[string]any{
		"apiVersion": "lab.example.com/v1", "kind": "WebApp", "metadata": map[string]any{"name": name, "labels": map[string]any{"app": "x"}},
		"spec": map[string]any{"message": "hi", "data": map[string]any{"k": "v"}}}).Root()}
}

func BenchmarkCreate(b *testing.B) {
	s := labServer(b, 0)
	i := 0
	for b.Loop() {
		i++
		if err := s.Do(start, createWebApp(fmt.Sprintf("app-%d", i))).Err(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPatchStatus(b *testing.B) {
	s := labServer(b, 1000)
	i := int64(0)
	for b.Loop() {
		i++
		patch := object.FromMap(map[string]any{"status": map[string]any{"observedGeneration": i}})
		resp := s.Do(start, api.Request{Verb: api.Patch, PatchType: api.MergePatch, GVR: webApps, Namespace: "default", Name: "app-00007", Subresource: "status", Body: patch.Root()})
		if resp.Err() != nil {
			b.Fatal(resp.Err())
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := labServer(b, 1000)
	for b.Loop() {
		if resp := s.Do(start, api.Request{Verb: api.Get, GVR: webApps, Namespace: "default", Name: "app-00007"}); resp.Err() != nil {
			b.Fatal(resp.Err())
		}
	}
}

func BenchmarkList1000(b *testing.B) {
	s := labServer(b, 1000)
	for b.Loop() {
		if resp := s.Do(start, api.Request{Verb: api.List, GVR: webApps, Namespace: "default", Options: api.Options{LabelSelector: "app=x"}}); len(resp.List.Items) != 1000 {
			b.Fatal(resp.Err())
		}
	}
}

func BenchmarkCloneAndWrite(b *testing.B) {
	s := labServer(b, 1000)
	i := 0
	for b.Loop() {
		i++
		c := s.Clone()
		if err := c.Do(start, createWebApp("new")).Err(); err != nil {
			b.Fatal(err)
		}
	}
}
