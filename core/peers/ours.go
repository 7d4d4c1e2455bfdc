package peers

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

//go:embed webapp.yaml
var definition []byte

// start is the time of every server here.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var webApps = object.GVR{Group: "lab.example.com", Version: "v1", Resource: "webapps"}

// NewServer returns our API server with the lab's WebApp.
func NewServer() (*apiserver.Server, error) {
	s := apiserver.New(1, start)
	docs, err := object.DecodeYAML(definition)
	if err != nil {
		return nil, err
	}
	crds := object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	return s, s.Do(start, api.Request{Verb: api.Create, GVR: crds, Body: docs[0].Value}).Err()
}

func ourWebApp(i int) *object.Map {
	return object.FromMap(map[string]any{
		"apiVersion": "lab.example.com/v1", "kind": "WebApp",
		"metadata": map[string]any{"namespace": "default", "name": nameOf(i), "labels": map[string]any{"group": groupOf(i), "app": "web"}},
		"spec":     map[string]any{"message": message(0)},
	}).Root()
}

// Server is our API server, asked as everything in the cluster asks it: objects
// are immutable trees, which nobody has to copy.
type Server struct {
	*apiserver.Server
	held object.Object
	// template is what is created, but for the name.
	template *object.Map
}

// Name implements Peer.
func (s *Server) Name() string { return "ours" }

func (s *Server) request(verb api.Verb, name string) api.Request {
	return api.Request{Verb: verb, GVR: webApps, Namespace: "default", Name: name, UserAgent: "peer/1.0"}
}

// Fill implements Peer.
func (s *Server) Fill(n int) (err error) {
	if s.Server, err = NewServer(); err != nil {
		return err
	}
	s.template = ourWebApp(0)
	for i := range n {
		req := s.request(api.Create, "")
		req.Body = ourWebApp(i)
		if err := s.Do(start, req).Err(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) do(req api.Request) error {
	resp := s.Do(start, req)
	if err := resp.Err(); err != nil {
		return err
	}
	s.held = resp.Object
	return nil
}

// Hold implements Peer.
func (s *Server) Hold(name string) error { return s.do(s.request(api.Get, name)) }

// Stored implements Peer.
func (s *Server) Stored(name string) (string, int64, error) {
	resp := s.Do(start, s.request(api.Get, name))
	observed, _ := resp.Object.Int("status", "observedGeneration")
	return resp.Object.Str("spec", "message"), observed, resp.Err()
}

// Get implements Peer.
func (s *Server) Get(name string) error { return s.Do(start, s.request(api.Get, name)).Err() }

// Create implements Peer.
func (s *Server) Create(name string) error {
	req := s.request(api.Create, "")
	req.Body = object.Set(s.template, name, "metadata", "name")
	return s.Do(start, req).Err()
}

// Update implements Peer.
func (s *Server) Update(n int) error {
	req := s.request(api.Update, s.held.Name())
	req.Body = s.held.Set(message(n), "spec", "message").Root()
	return s.do(req)
}

// UpdateStatus implements Peer.
func (s *Server) UpdateStatus(n int) error {
	req := s.request(api.Update, s.held.Name())
	req.Subresource = "status"
	req.Body = s.held.Set(map[string]any{"observedGeneration": int64(n), "phase": "Ready"}, "status").Root()
	return s.do(req)
}

// MergePatch implements Peer.
func (s *Server) MergePatch(n int) error {
	req := s.request(api.Patch, s.held.Name())
	req.PatchType, req.RawType = api.MergePatch, "application/json"
	req.RawBody = fmt.Appendf(nil, `{"spec":{"message":%q}}`, message(n))
	return s.do(req)
}

// Apply implements Peer.
func (s *Server) Apply(n int) error {
	req := s.request(api.Patch, s.held.Name())
	force := true
	req.PatchType, req.FieldManager, req.Force = api.ApplyPatch, "peer", &force
	req.Body = object.FromMap(map[string]any{
		"apiVersion": "lab.example.com/v1", "kind": "WebApp",
		"metadata": map[string]any{"namespace": "default", "name": s.held.Name()},
		"spec":     map[string]any{"message": message(n)},
	}).Root()
	return s.do(req)
}

// ListByLabel implements Peer.
func (s *Server) ListByLabel(group int) (int, error) {
	req := s.request(api.List, "")
	req.LabelSelector = fmt.Sprintf("group=g%d", group)
	resp := s.Do(start, req)
	if err := resp.Err(); err != nil {
		return 0, err
	}
	return len(resp.List.Items), nil
}

// Delete implements Peer.
func (s *Server) Delete(name string) error { return s.Do(start, s.request(api.Delete, name)).Err() }

// Typed is the same server behind the client that Go reconcilers have: every
// call turns structs into trees and back.
type Typed struct {
	Server
	client reconcile.Client
	ctx    context.Context
	object reconcile.WebApp
}

// wire is a direct line to a server.
type wire struct {
	reconcile.Wire
	server *apiserver.Server
}

func (w wire) Do(req api.Request) api.Response                 { return w.server.Do(start, req) }
func (w wire) Cloud(api.CloudRequest) (resp api.CloudResponse) { return resp }
func (w wire) Now() time.Time                                  { return start }
func (w wire) At(string)                                       {}
func (w wire) Log(string)                                      {}

// Name implements Peer.
func (t *Typed) Name() string { return "ours, Go structs" }

// Fill implements Peer.
func (t *Typed) Fill(n int) error {
	err := t.Server.Fill(n)
	t.ctx = reconcile.NewContext(context.Background(), wire{server: t.Server.Server})
	t.client = reconcile.Client{UserAgent: "peer/1.0"}
	return err
}

func key(name string) reconcile.Request { return reconcile.Request{Namespace: "default", Name: name} }

// Hold implements Peer.
func (t *Typed) Hold(name string) error {
	if err := t.Server.Hold(name); err != nil {
		return err
	}
	return t.client.Get(t.ctx, key(name), &t.object)
}

// Get implements Peer.
func (t *Typed) Get(name string) error {
	var w reconcile.WebApp
	return t.client.Get(t.ctx, key(name), &w)
}

// Create implements Peer.
func (t *Typed) Create(name string) error {
	w := reconcile.WebApp{Spec: reconcile.WebAppSpec{Message: message(0)}}
	w.Namespace, w.Name, w.Labels = "default", name, map[string]string{"group": groupOf(0), "app": "web"}
	return t.client.Create(t.ctx, &w)
}

// Update implements Peer.
func (t *Typed) Update(n int) error {
	t.object.Spec.Message = message(n)
	return t.client.Update(t.ctx, &t.object)
}

// UpdateStatus implements Peer.
func (t *Typed) UpdateStatus(n int) error {
	t.object.Status = reconcile.WebAppStatus{ObservedGeneration: int64(n), Phase: "Ready"}
	return t.client.Status().Update(t.ctx, &t.object)
}

// MergePatch implements Peer.
func (t *Typed) MergePatch(n int) error {
	from := reconcile.MergeFrom(&t.object)
	t.object.Spec.Message = message(n)
	return t.client.Patch(t.ctx, &t.object, from)
}

// ListByLabel implements Peer.
func (t *Typed) ListByLabel(group int) (int, error) {
	var l webAppList
	err := t.client.List(t.ctx, &l, reconcile.InNamespace("default"), reconcile.MatchingLabels(map[string]string{"group": fmt.Sprintf("g%d", group)}))
	return len(l.Items), err
}

type webAppList struct {
	reconcile.TypeMeta `json:",inline"`
	Items              []reconcile.WebApp `json:"items"`
}

func (*webAppList) Resource() reconcile.Resource { return (*reconcile.WebApp)(nil).Resource() }
