package reconcile_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/apiserver"
	"github.com/reconcile-playground/reconcile/core/cloud"
	"github.com/reconcile-playground/reconcile/core/collector"
	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/reconcile"
)

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webapps.lab.example.com}
spec:
  group: lab.example.com
  scope: Namespaced
  names: {kind: WebApp, listKind: WebAppList, plural: webapps, singular: webapp}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [message]
            properties:
              message: {type: string, minLength: 1}
              replicas: {type: integer, minimum: 0, maximum: 10, default: 1}
              configRef: {type: string}
              loadBalancer: {type: boolean, default: false}
          status:
            type: object
            properties:
              observedGeneration: {type: integer}
              phase: {type: string}
              loadBalancer:
                type: object
                properties: {id: {type: string}, address: {type: string}}
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type, status]
                  properties:
                    type: {type: string}
                    status: {type: string}
                    observedGeneration: {type: integer}
                    lastTransitionTime: {type: string, format: date-time}
                    reason: {type: string}
                    message: {type: string}
`

var (
	start      = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	webApps    = (*reconcile.WebApp)(nil).Resource()
	configMaps = (*reconcile.ConfigMap)(nil).Resource()
	spec       = controller.Spec{
		Name: "webapp",
		For:  controller.Watch{Kind: controller.Kind{GVK: webApps.GVK, Resource: webApps.Plural}},
		Owns: []controller.Watch{{Kind: controller.Kind{GVK: configMaps.GVK, Resource: configMaps.Plural}}},
	}
)

// fataler is what of a test the lab needs: *testing.T and *rapid.T have it.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// lab is a cluster with one controller process, in which every step is the
// test's. Its clock stands still but for calls and timers.
type lab struct {
	t      fataler
	now    time.Time
	server *apiserver.Server
	gc     *collector.Collector
	seen   int64
	cloud  *cloud.Cloud

	ctrl      *controller.Controller
	informers []*informer.Informer
	pass      *controller.Pass
	// writes counts the writes of the reconciler that were sent.
	writes int
	errors []error
	// anothers says which WebApps have another controller's finalizer.
	anothers map[string]bool
}

func newLab(t fataler) *lab {
	l := &lab{t: t, now: start, server: apiserver.New(1, start), gc: collector.New(), cloud: cloud.New(), anothers: map[string]bool{}}
	docs, err := object.DecodeYAML([]byte(crd))
	if err != nil {
		t.Fatalf("the CRD: %v", err)
	}
	l.must(api.Request{Verb: api.Create, GVR: object.GVR{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
		Body: docs[0].Value})
	l.restart()
	return l
}

// Do implements api.Doer for the collector.
func (l *lab) Do(req api.Request) api.Response { return l.server.Do(l.now, req) }

// Cloud implements api.Doer.
func (l *lab) Cloud(req api.CloudRequest) api.CloudResponse { return l.cloud.Do(l.now, req) }

// Now implements api.Doer.
func (l *lab) Now() time.Time { return l.now }

// must makes a request as the user.
func (l *lab) must(req api.Request) object.Object {
	l.t.Helper()
	resp := l.Do(req)
	if err := resp.Err(); err != nil {
		l.t.Fatalf("%s %s/%s: %v", req.Verb, req.Resource, req.Name, err)
	}
	return resp.Object
}

func request(verb api.Verb, r reconcile.Resource, name string) api.Request {
	return api.Request{Verb: verb, GVR: r.GVR(), Namespace: "default", Name: name}
}

func (l *lab) create(r reconcile.Resource, name string, fields map[string]any) object.Object {
	l.t.Helper()
	body := map[string]any{"apiVersion": r.APIVersion(), "kind": r.Kind, "metadata": map[string]any{"name": name}}
	for k, v := range fields {
		body[k] = v
	}
	req := request(api.Create, r, "")
	req.Body = object.FromAny(body)
	return l.must(req)
}

func (l *lab) patch(r reconcile.Resource, name string, patch map[string]any) object.Object {
	l.t.Helper()
	req := request(api.Patch, r, name)
	req.Body, req.PatchType = object.FromAny(patch), api.MergePatch
	return l.must(req)
}

func (l *lab) delete(r reconcile.Resource, name string) {
	l.t.Helper()
	l.must(request(api.Delete, r, name))
}

func (l *lab) find(r reconcile.Resource, name string) (object.Object, bool) {
	resp := l.Do(request(api.Get, r, name))
	return resp.Object, resp.Err() == nil
}

// app returns a WebApp as the server has it.
func (l *lab) app(name string) reconcile.WebApp {
	l.t.Helper()
	var app reconcile.WebApp
	if err := reconcile.FromTree(l.must(request(api.Get, webApps, name)).Root(), &app); err != nil {
		l.t.Fatalf("%v", err)
	}
	return app
}

// child returns the data of a WebApp's ConfigMap, nil for none.
func (l *lab) child(name string) map[string]string {
	o, ok := l.find(configMaps, name+"-config")
	if !ok {
		return nil
	}
	var cm reconcile.ConfigMap
	if err := reconcile.FromTree(o.Root(), &cm); err != nil {
		l.t.Fatalf("%v", err)
	}
	return cm.Data
}

// restart is a crash and a new process: what it had in memory is gone.
func (l *lab) restart() {
	if l.pass != nil {
		l.pass.Kill()
	}
	l.pass, l.ctrl, l.informers = nil, controller.New(spec), nil
	for _, gvr := range spec.Resources() {
		l.informers = append(l.informers, informer.New(informer.Spec{GVR: gvr}))
	}
}

func (l *lab) caches(gvr object.GVR) *informer.Informer {
	i := slices.IndexFunc(l.informers, func(inf *informer.Informer) bool { return inf.Spec().GVR == gvr })
	return l.informers[i]
}

func (l *lab) env() controller.Env {
	return controller.Env{Now: l.now, Read: func(req api.Request) (api.Response, bool) {
		return l.caches(req.GVR).Answer(req)
	}}
}

// sync makes one step of an informer and reports whether there was one to make.
func (l *lab) sync(inf *informer.Informer) bool {
	var notes []informer.Notification
	switch inf.State() {
	case informer.NeedsList:
		var err error
		if notes, err = inf.Listed(l.Do(inf.ListRequest())); err != nil {
			l.t.Fatalf("list: %v", err)
		}
	case informer.NeedsWatch:
		if err := inf.Watched(l.Do(inf.WatchRequest())); err != nil {
			l.t.Fatalf("watch: %v", err)
		}
	case informer.Watching:
		after, _ := strconv.ParseInt(inf.ResourceVersion(), 10, 64)
		events := l.server.Watching(inf.WatchRequest(), after)
		if len(events) == 0 {
			return false
		}
		notes = inf.Deliver(events[0])
	}
	for _, n := range notes {
		l.ctrl.Handle(l.now, 0, inf.Spec().GVR, n, l.caches)
	}
	return true
}

func (l *lab) synced() bool {
	return !slices.ContainsFunc(l.informers, func(inf *informer.Informer) bool { return !inf.HasSynced() })
}

// collect makes one step of the collector and reports whether there was one.
func (l *lab) collect() bool {
	for _, c := range l.server.Changes(l.seen) {
		l.gc.Observe(collector.Change{Type: c.Type, GVR: c.GVR, Object: c.Object})
		l.seen = c.Revision
	}
	item, ok := l.gc.Next()
	return ok && l.gc.Step(item, l)
}

// begin starts a pass on the first ready key and reports whether there was one.
func (l *lab) begin() bool {
	if l.pass != nil || !l.synced() || len(l.ctrl.Ready()) == 0 {
		return false
	}
	item, _ := l.ctrl.Take(l.ctrl.Ready()[0].Key)
	l.pass = controller.Start(&reconcile.WebAppReconciler{Client: reconcile.Client{UserAgent: "webapp/v0"}}, item.Key, l.env())
	l.end()
	return true
}

// fault is what becomes of a call.
type fault string

const (
	served      fault = "served"
	refused     fault = "refused"
	lostReply   fault = "lost-reply"
	crashBefore fault = "crash-before"
	crashAfter  fault = "crash-after"
)

// call serves the call of the pass in flight, and reports whether there was one.
func (l *lab) call(f fault) bool {
	if l.pass == nil {
		return false
	}
	c, _ := l.pass.Parked()
	l.now = l.now.Add(5 * time.Millisecond)
	var reply controller.Reply
	switch {
	case f == crashBefore || f == refused:
	case c.Cloud != nil:
		l.guard(*c.Cloud)
		reply.Cloud = l.Cloud(*c.Cloud)
	default:
		reply.API = l.Do(*c.API)
	}
	if c.Writes() {
		l.writes++
	}
	switch f {
	case crashBefore, crashAfter:
		l.restart()
		return true
	case refused:
		reply = failure(api.ReasonServiceUnavailable, "the server is currently unable to handle the request", 503)
	case lostReply:
		reply = failure(api.ReasonUnknown, "Unable to connect to the server: context deadline exceeded", 0)
	}
	l.pass.Resume(l.env(), reply)
	l.end()
	return true
}

func failure(reason, message string, code int) controller.Reply {
	return controller.Reply{
		API:   api.Response{Code: code, Status: &api.Status{Status: api.Failure, Code: code, Reason: reason, Message: message}},
		Cloud: api.CloudResponse{Err: &api.CloudError{Reason: "Unavailable", Message: message}},
	}
}

// end takes the decision about a pass that has ended.
func (l *lab) end() {
	result, err, ended := l.pass.Ended()
	if !ended {
		return
	}
	if err != nil {
		l.errors = append(l.errors, err)
	}
	l.ctrl.Finish(l.now, 0, l.pass.Key(), result, err)
	l.pass = nil
}

// guard checks what has to hold whenever something is made outside.
func (l *lab) guard(req api.CloudRequest) {
	if req.Verb != api.Create {
		return
	}
	key := object.ParseKey(req.Tags["webapp"])
	app, ok := l.find(webApps, key.Name)
	if !ok || !app.HasFinalizer("lab.example.com/cloud") {
		l.t.Fatalf("%s: a load balancer is made while the finalizer is not stored", key)
	}
	for _, item := range l.cloud.Items() {
		if item.Tags["webapp"] == key.String() {
			l.t.Fatalf("%s: a second load balancer is made", key)
		}
	}
}

// settle lets everything happen, without faults, that happens within d.
func (l *lab) settle(d time.Duration) {
	until := l.now.Add(d)
	for n := 0; ; n++ {
		if n > 20000 {
			l.t.Fatalf("the lab does not come to rest: %s", l.ctrl.Queue().Describe(l.now))
		}
		busy := false
		for _, inf := range l.informers {
			busy = l.sync(inf) || busy
		}
		if busy || l.collect() || l.call(served) || l.begin() {
			continue
		}
		due, ok := l.ctrl.Queue().NextDue()
		if !ok || due.After(until) {
			l.now = until
			return
		}
		l.now = due
		l.ctrl.Queue().Promote(l.now)
	}
}

// quiet checks that passes over the unchanged world write nothing.
func (l *lab) quiet() {
	l.t.Helper()
	revision, changes, writes, errors := l.server.Revision(), l.cloud.Changes(), l.writes, len(l.errors)
	for range 2 {
		inf := l.caches(webApps.GVR())
		for _, n := range inf.Resync() {
			l.ctrl.Handle(l.now, 0, webApps.GVR(), n, l.caches)
		}
		l.settle(2 * time.Minute)
	}
	if l.server.Revision() != revision || l.cloud.Changes() != changes || l.writes != writes || len(l.errors) != errors {
		l.t.Fatalf("passes over an unchanged world wrote: revision %d to %d, cloud %d to %d, %d writes, errors %v",
			revision, l.server.Revision(), changes, l.cloud.Changes(), l.writes-writes, l.errors[errors:])
	}
}

var _ fataler = (*testing.T)(nil)
