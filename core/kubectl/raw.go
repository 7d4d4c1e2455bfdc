package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
)

// raw sends a request to a path of the server and prints its answer. Models
// rawhttp.
func (c *call) raw(method, path string, files []string) error {
	if err := checkPath(path); err != nil {
		return err
	}
	h := rest.HTTPRequest{Method: method, Accept: "application/json", UserAgent: userAgent}
	h.Path, h.Query, _ = strings.Cut(path, "?")
	if len(files) > 0 {
		s := source{files[0]}
		if s.name == "-" {
			s.name = stdinName
		}
		body, err := c.text(s)
		if err != nil {
			return err
		}
		h.Body, h.ContentType = body, "application/json"
	}
	req, format, status := rest.Decode(h)
	if status != nil {
		return status
	}
	req.Live = true
	resp := c.do(req)
	if err := resp.Err(); err != nil {
		return err
	}
	h2 := rest.EncodeResponse(resp, format)
	if root, err := object.DecodeJSON(h2.Body); err == nil && structs(req) {
		c.out.buf = append(appendCompact(c.out.buf, root, rawShape), '\n')
		return nil
	}
	_, _ = c.out.Write(h2.Body)
	return nil
}

// structs reports whether the real server answers with a Go struct, whose fields
// are in its order: it does so of everything but custom resources.
func structs(req api.Request) bool {
	return req.Verb == api.Discover || strategic(&resource{GVR: req.GVR}) || req.Verb == api.Delete
}

var rawShape = newShape("kind apiVersion metadata name groupVersion status message reason details code immutable data stringData type spec involvedObject "+
	"versions preferredVersion serverAddressByClientCIDRs resources groups items", map[string]*shape{
	"metadata": metaShapeOf(), "spec": typedShape.subs["spec"], "resources": typedShape.subs["resources"], "items": typedShape,
	"details":  newShape("name group kind uid causes retryAfterSeconds", nil),
	"versions": newShape("groupVersion version", nil), "preferredVersion": newShape("groupVersion version", nil),
})

// metaShapeOf is the order of metadata with its lists.
func metaShapeOf() *shape {
	return &shape{keys: metaShape.keys, subs: map[string]*shape{
		"managedFields":   newShape("manager operation apiVersion time fieldsType fieldsV1 subresource", nil),
		"ownerReferences": newShape("apiVersion kind name uid controller blockOwnerDeletion", nil),
	}}
}

// mapAt is the map at a path; empty where there is none.
func mapAt(root *object.Map, path ...string) *object.Map {
	v, _ := object.At(root, path...)
	m, _ := v.(*object.Map)
	return m
}
