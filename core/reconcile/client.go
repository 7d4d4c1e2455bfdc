package reconcile

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"sync"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
)

// Client reads and writes objects. It holds no connection: each call goes over
// the wire of the pass that its context belongs to. Get and List may be answered
// from the process's cache, which lags; writes always go to the server.
//
// Errors of the server are *api.Status: ask api.IsNotFound, api.IsConflict and
// the like. After a write the object at hand is as the server returned it; after
// an error it is as it was. Models client.Client.
type Client struct {
	// UserAgent is what the client calls itself; the field manager of its
	// writes is the part before the slash.
	UserAgent string
}

// Get reads the object of that name into obj.
func (c Client) Get(ctx context.Context, key Request, obj Object) error {
	req := c.request(api.Get, obj)
	req.Namespace, req.Name = key.Namespace, key.Name
	return do(ctx, req, obj)
}

// ListOption narrows a List.
type ListOption func(*api.Request)

// InNamespace lists one namespace.
func InNamespace(namespace string) ListOption {
	return func(r *api.Request) { r.Namespace = namespace }
}

// MatchingLabels lists what has these labels.
func MatchingLabels(labels map[string]string) ListOption {
	return func(r *api.Request) {
		for k, v := range object.StringMap(labels).All() {
			if r.LabelSelector != "" {
				r.LabelSelector += ","
			}
			r.LabelSelector += k + "=" + v.(string)
		}
	}
}

// List reads objects into list, a pointer to a struct with Items, in the order
// of namespace and name.
func (c Client) List(ctx context.Context, list Object, opts ...ListOption) error {
	req := c.request(api.List, list)
	for _, o := range opts {
		o(&req)
	}
	resp := send(ctx, req)
	if err := resp.Err(); err != nil {
		return err
	}
	items := make([]any, len(resp.List.Items))
	for i, o := range resp.List.Items {
		items[i] = o.Root()
	}
	return FromTree(object.NewMap(object.Field{Key: "items", Value: object.NewList(items...)}), list)
}

// Create stores a new object.
func (c Client) Create(ctx context.Context, obj Object) error {
	req := c.write(api.Create, obj)
	req.Name = ""
	return do(ctx, req, obj)
}

// Update replaces an object whole. Its resourceVersion says from which read the
// change was made: an object that has moved on meanwhile is a conflict.
func (c Client) Update(ctx context.Context, obj Object) error {
	return do(ctx, c.write(api.Update, obj), obj)
}

// Patch sends what was changed in obj since the Patch was begun.
func (c Client) Patch(ctx context.Context, obj Object, p Patch) error {
	return do(ctx, p.request(c.write(api.Patch, obj)), obj)
}

// Delete asks for an object's deletion, of this very one where obj has a uid.
// The object is gone at once only if it has no finalizers.
func (c Client) Delete(ctx context.Context, obj Object) error {
	req := c.request(api.Delete, obj)
	var uid string
	if m, ok := obj.(Metadata); ok {
		meta := m.GetObjectMeta()
		req.Namespace, req.Name, uid = meta.Namespace, meta.Name, meta.UID
	} else {
		o := object.New(tree(obj))
		req.Namespace, req.Name, uid = o.Namespace(), o.Name(), o.UID()
	}
	body := deleteOptions
	if uid != "" {
		body = object.Set(body, uid, "preconditions", "uid")
	}
	req.Body = body
	return send(ctx, req).Err()
}

// deleteOptions are those of every Delete.
var deleteOptions = object.NewMap(
	object.Field{Key: "apiVersion", Value: "v1"}, object.Field{Key: "kind", Value: "DeleteOptions"})

// Status returns the writer of the status subresource.
func (c Client) Status() StatusWriter { return StatusWriter{c} }

// StatusWriter writes status and nothing else of an object.
type StatusWriter struct{ client Client }

// Update replaces the status. Its resourceVersion counts as in Client.Update.
func (s StatusWriter) Update(ctx context.Context, obj Object) error {
	req := s.client.write(api.Update, obj)
	req.Subresource = "status"
	return do(ctx, req, obj)
}

// Patch sends what was changed in status since the Patch was begun.
func (s StatusWriter) Patch(ctx context.Context, obj Object, p Patch) error {
	req := p.request(s.client.write(api.Patch, obj))
	req.Subresource = "status"
	return do(ctx, req, obj)
}

// Patch is a change of one object, begun before it is made.
type Patch struct {
	before *object.Map
	lock   bool
}

// MergeFrom begins a merge patch: it remembers the object as it is now. A list
// is sent whole, finalizers too: use MergeFromWithOptimisticLock for those.
func MergeFrom(obj Object) Patch { return Patch{before: tree(obj)} }

// MergeFromWithOptimisticLock begins a merge patch that is a conflict where the
// object has moved on since it was read.
func MergeFromWithOptimisticLock(obj Object) Patch { return Patch{before: tree(obj), lock: true} }

func (p Patch) request(req api.Request) api.Request {
	diff := patch.CreateMerge(p.before, req.Object().Root())
	if p.lock {
		diff = object.Set(diff, object.New(p.before).ResourceVersion(), "metadata", "resourceVersion")
	}
	req.Body, req.PatchType = diff, api.MergePatch
	return req
}

// OperationResult is what CreateOrUpdate did.
type OperationResult string

// The results.
const (
	OperationResultNone    OperationResult = "unchanged"
	OperationResultCreated OperationResult = "created"
	OperationResultUpdated OperationResult = "updated"
)

// CreateOrUpdate reads the object that obj names, lets mutate make it what it
// should be, and writes it only if that changed something. Where there is no
// such object, mutate starts from obj as it is, and it is created. An error of
// mutate ends it without a write.
//
// It does not try again: where the read was stale the write is AlreadyExists or
// Conflict, which a reconciler returns to be called again later.
func CreateOrUpdate(ctx context.Context, c Client, obj Metadata, mutate func() error) (OperationResult, error) {
	err := c.Get(ctx, KeyFor(obj), obj)
	switch {
	case api.IsNotFound(err):
		if err := mutate(); err != nil {
			return OperationResultNone, err
		}
		return OperationResultCreated, c.Create(ctx, obj)
	case err != nil:
		return OperationResultNone, err
	}
	before := tree(obj)
	if err := mutate(); err != nil {
		return OperationResultNone, err
	}
	if object.Equal(before, tree(obj)) {
		return OperationResultNone, nil
	}
	return OperationResultUpdated, c.Update(ctx, obj)
}

// IgnoreNotFound returns nil for an error that says that an object is gone.
func IgnoreNotFound(err error) error {
	if api.IsNotFound(err) {
		return nil
	}
	return err
}

func (c Client) request(verb api.Verb, obj Object) api.Request {
	return api.Request{Verb: verb, GVR: obj.Resource().GVR(), UserAgent: c.UserAgent}
}

// write is a request about the object at hand, with it as the body.
func (c Client) write(verb api.Verb, obj Object) api.Request {
	req := c.request(verb, obj)
	o := object.New(tree(obj))
	req.Namespace, req.Name, req.Body = o.Namespace(), o.Name(), o.Root()
	return req
}

// tree returns the object with its apiVersion and kind.
func tree(obj Object) *object.Map {
	gvk := obj.Resource().GVK
	return ToTree(obj).(*object.Map).With("apiVersion", gvk.APIVersion()).With("kind", gvk.Kind)
}

// do makes a request and reads the answer's object into obj.
func do(ctx context.Context, req api.Request, obj Object) error {
	resp := send(ctx, req)
	if err := resp.Err(); err != nil {
		return err
	}
	if err := FromTree(resp.Object.Root(), obj); err != nil {
		return fmt.Errorf("%s %s: %w", req.Verb, req.GroupResource(), err)
	}
	return nil
}

func send(ctx context.Context, req api.Request) api.Response {
	w := WireFrom(ctx)
	w.At(caller())
	return w.Do(req)
}

// callers caches what caller found out of a stack.
var callers sync.Map

// caller says where the reconciler made the call: the first file of the stack
// that is none of the client's.
func caller() string {
	var stack [8]uintptr
	n := runtime.Callers(2, stack[:])
	if line, ok := callers.Load(stack); ok {
		return line.(string)
	}
	line := ""
	for frames := runtime.CallersFrames(stack[:n]); ; {
		frame, more := frames.Next()
		if file := path.Base(frame.File); file != "client.go" && file != "cloud.go" {
			line = fmt.Sprintf("%s:%d", file, frame.Line)
			break
		}
		if !more {
			break
		}
	}
	callers.Store(stack, line)
	return line
}
