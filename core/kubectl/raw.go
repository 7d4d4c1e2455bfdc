package kubectl

import (
	"strings"

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
	// The codec ends an object with a line break, and so does the real server.
	_, _ = c.out.Write(rest.EncodeResponse(resp, format).Body)
	return nil
}

// mapAt is the map at a path; empty where there is none.
func mapAt(root *object.Map, path ...string) *object.Map {
	v, _ := object.At(root, path...)
	m, _ := v.(*object.Map)
	return m
}
