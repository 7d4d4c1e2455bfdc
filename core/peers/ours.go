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

// Stored implements Peer.
func (s *Server) Stored(name string) (string, int64, error) {
	resp := s.Do(start, s.request(api.Get, name))
	observed, _ := resp.Object.Int("status", "observedGeneration")
	return resp.Object.Str("spec", "message"), observed, resp.Err()
}

// Ready implements Peer.
func (s *Server) Ready(op, name string, n int) (func() error, error) {
	req, err := s.requestFor(op, name, n)
	if err != nil {
		return nil, err
	}
	return func() error {
		resp := s.Do(start, req)
		if op == "list by label" && resp.List != nil {
			return wholeGroup(len(resp.List.Items), nil)
		}
		return resp.Err()
	}, nil
}

func (s *Server) requestFor(op, name string, n int) (api.Request, error) {
	live := s.Do(start, s.request(api.Get, name)).Object
	req := s.request(api.Update, name)
	switch op {
	case "get":
		req = s.request(api.Get, name)
	case "create":
		req = s.request(api.Create, "")
		req.Body = object.Set(s.template, name, "metadata", "name")
	case "update":
		req.Body = live.Set(message(n), "spec", "message").Root()
	case "status update":
		req.Subresource = "status"
		req.Body = live.Set(map[string]any{"observedGeneration": int64(n), "phase": "Ready"}, "status").Root()
	case "merge patch":
		req.Verb, req.PatchType, req.RawType = api.Patch, api.MergePatch, "application/json"
		req.RawBody = fmt.Appendf(nil, `{"spec":{"message":%q}}`, message(n))
	case "apply":
		force := true
		req.Verb, req.PatchType, req.FieldManager, req.Force = api.Patch, api.ApplyPatch, "peer", &force
		req.Body = object.FromMap(map[string]any{
			"apiVersion": "lab.example.com/v1", "kind": "WebApp",
			"metadata": map[string]any{"namespace": "default", "name": name},
			"spec":     map[string]any{"message": message(n)},
		}).Root()
	case "list by label":
		req = s.request(api.List, "")
		req.LabelSelector = "group=" + groupOfName(name)
	case "delete":
		req = s.request(api.Delete, name)
	default:
		return req, unknown(op)
	}
	return req, nil
}

// Typed is the same server behind the client that Go reconcilers have: every
// call turns structs into trees and back.
type Typed struct {
	Server
	client reconcile.Client
	ctx    context.Context
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

// Ready implements Peer.
func (t *Typed) Ready(op, name string, n int) (func() error, error) {
	w := new(reconcile.WebApp)
	if op != "create" && op != "get" {
		if err := t.client.Get(t.ctx, key(name), w); err != nil {
			return nil, err
		}
	}
	switch op {
	case "get":
		return func() error { return t.client.Get(t.ctx, key(name), new(reconcile.WebApp)) }, nil
	case "create":
		w.Spec = reconcile.WebAppSpec{Message: message(0)}
		w.Namespace, w.Name, w.Labels = "default", name, map[string]string{"group": groupOf(0), "app": "web"}
		return func() error { return t.client.Create(t.ctx, w) }, nil
	case "update":
		w.Spec.Message = message(n)
		return func() error { return t.client.Update(t.ctx, w) }, nil
	case "status update":
		w.Status = reconcile.WebAppStatus{ObservedGeneration: int64(n), Phase: "Ready"}
		return func() error { return t.client.Status().Update(t.ctx, w) }, nil
	case "merge patch":
		from := reconcile.MergeFrom(w)
		w.Spec.Message = message(n)
		return func() error { return t.client.Patch(t.ctx, w, from) }, nil
	case "delete":
		return func() error { return t.client.Delete(t.ctx, w) }, nil
	case "list by label":
		labels := map[string]string{"group": groupOfName(name)}
		return func() error {
			var l webAppList
			err := t.client.List(t.ctx, &l, reconcile.InNamespace("default"), reconcile.MatchingLabels(labels))
			return wholeGroup(len(l.Items), err)
		}, nil
	}
	return t.Server.Ready(op, name, n)
}

type webAppList struct {
	reconcile.TypeMeta `json:",inline"`
	Items              []reconcile.WebApp `json:"items"`
}

func (*webAppList) Resource() reconcile.Resource { return (*reconcile.WebApp)(nil).Resource() }
