package kubectl

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// do makes one request and prints its warnings.
func (c *call) do(req api.Request) api.Response {
	req.UserAgent = c.env.UserAgent
	if req.UserAgent == "" {
		req.UserAgent = userAgent
	}
	resp := c.env.Client.Do(req)
	c.warn(resp.Warnings)
	return resp
}

// target begins a request for one object.
func (r *resource) target(namespace, name string) api.Request {
	req := api.Request{GVR: r.GVR, Name: name}
	if r.Namespaced {
		req.Namespace = namespace
	}
	return req
}

// tree is what an answer holds: an object, a list, a table or a Status.
func tree(resp api.Response) *object.Map {
	switch {
	case !resp.Table.IsZero():
		return resp.Table.Root()
	case resp.Status != nil:
		return resp.Status.Object().Root()
	}
	return resp.Object.Root()
}

// write says how a command writes.
type write struct {
	manager, validation string
	dryRun              bool
	force               *bool
}

func (w write) options() api.Options {
	o := api.Options{FieldManager: w.manager, FieldValidation: w.validation, Force: w.force}
	if w.dryRun {
		o.DryRun = []string{"All"}
	}
	return o
}

// get reads an object from the server itself. Where it is missing, and its
// namespace is too, the error speaks of the namespace. Models Info.Get.
func (c *call) get(i *info, form api.Request) error {
	if err := i.unnamed(); err != nil {
		return err
	}
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Subresource = api.Get, i.subresource
	req.As, req.IncludeObject, req.Live = form.As, form.IncludeObject, form.Live
	resp := c.do(req)
	err := resp.Err()
	if err != nil {
		if isNotFound(err) && i.namespace != "" && i.namespace != "default" {
			ns := c.do(api.Request{Verb: api.Get, GVR: namespaces, Name: i.namespace, Live: form.Live})
			if err2 := ns.Err(); isNotFound(err2) {
				return err2
			}
		}
		return err
	}
	i.object = tree(resp)
	return nil
}

// unnamed is what a request about an object without a name fails with.
func (i *info) unnamed() error {
	if i.name == "" {
		return errorf("resource name may not be empty")
	}
	return nil
}

var namespaces = object.GVR{Version: "v1", Resource: "namespaces"}

func (c *call) create(i *info, w write) (*object.Map, error) {
	req := i.mapping.target(i.namespace, "")
	req.Verb, req.Options = api.Create, w.options()
	req.Body = object.Unset(i.object, "metadata", "resourceVersion")
	if !i.object.Has("metadata") {
		req.Body = i.object
	}
	resp := c.do(req)
	return tree(resp), resp.Err()
}

// rawPatch is a patch that is no JSON, which the server finds fault with.
type rawPatch string

func (c *call) patch(i *info, kind api.PatchType, body any, w write) (*object.Map, error) {
	if err := i.unnamed(); err != nil {
		return nil, err
	}
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.PatchType, req.Body, req.Options = api.Patch, kind, body, w.options()
	if text, ok := body.(rawPatch); ok {
		req.Body, req.RawBody = nil, []byte(text)
	}
	req.Subresource = i.subresource
	resp := c.do(req)
	return tree(resp), resp.Err()
}

// replace sends a whole object. Without a resourceVersion it takes the one that
// is stored. Models Helper.Replace.
func (c *call) replace(i *info, w write) (*object.Map, error) {
	if err := i.unnamed(); err != nil {
		return nil, err
	}
	body := i.object
	if object.New(body).ResourceVersion() == "" {
		now := *i
		req := i.mapping.target(i.namespace, i.name)
		req.Verb, req.Subresource, req.Live = api.Get, i.subresource, true
		if resp := c.do(req); resp.Err() == nil {
			now.object = tree(resp)
			body = object.Set(body, object.New(now.object).ResourceVersion(), "metadata", "resourceVersion")
		}
	}
	req := i.mapping.target(i.namespace, i.name)
	req.Verb, req.Subresource, req.Body, req.Options = api.Update, i.subresource, body, w.options()
	resp := c.do(req)
	return tree(resp), resp.Err()
}

// list reads a collection page by page and hands each page on.
func (c *call) list(r *resource, namespace string, opts api.Request, page func(api.Response) error) error {
	req := opts
	req.Verb, req.GVR, req.Namespace = api.List, r.GVR, ""
	if r.Namespaced {
		req.Namespace = namespace
	}
	for {
		resp := c.do(req)
		if err := resp.Err(); err != nil {
			return listError(err, req, r)
		}
		if err := page(resp); err != nil {
			return err
		}
		next := ""
		if resp.List != nil {
			next = resp.List.Continue
		} else {
			next = resp.Table.Str("metadata", "continue")
		}
		if next == "" {
			return nil
		}
		req.Continue = next
	}
}

// listError says which list failed. Models resource.EnhanceListError.
func listError(err error, req api.Request, r *resource) error {
	s, ok := err.(*api.Status)
	if !ok || s.Reason != api.ReasonBadRequest && s.Reason != api.ReasonNotFound {
		return err
	}
	t := *s
	if req.LabelSelector == "" && req.FieldSelector == "" {
		t.Message = fmt.Sprintf("Unable to list %q: %s", withGroup(r.GVR, ""), s.Message)
	} else {
		t.Message = fmt.Sprintf("Unable to find %q that match label selector %q, field selector %q: %s",
			withGroup(r.GVR, ""), req.LabelSelector, req.FieldSelector, s.Message)
	}
	return &t
}

// withGroup is the text of a resource, or of a kind of its version, that begins
// with the group even if that is empty. Models the String of
// GroupVersionResource and GroupVersionKind.
func withGroup(gvr object.GVR, kind string) string {
	if kind != "" {
		return gvr.Group + "/" + gvr.Version + ", Kind=" + kind
	}
	return gvr.Group + "/" + gvr.Version + ", Resource=" + gvr.Resource
}
