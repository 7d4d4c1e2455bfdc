package adapter

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/rest"
)

// transport is the http.RoundTripper that makes an HTTP request one call of a
// pass. Discovery is no call: it is answered by the cluster as it began.
type transport struct{ m *Manager }

// errNoPass says why a call was not made.
var errNoPass = errors.New("adapter: a call outside of a pass")

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
		r.Body.Close()
	}
	req, format, status := rest.Decode(rest.HTTPRequest{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, ContentType: r.Header.Get("Content-Type"),
		Accept: r.Header.Get("Accept"), UserAgent: t.m.options.UserAgent, Body: body,
	})
	if status != nil {
		return answer(r, rest.EncodeStatus(status, format)), nil
	}
	resp, err := t.send(r.Context(), req)
	if err != nil {
		return nil, err
	}
	return answer(r, rest.EncodeResponse(resp, format)), nil
}

func (t *transport) send(ctx context.Context, req api.Request) (api.Response, error) {
	if req.Verb == api.Discover {
		return t.m.server.Do(t.m.Now(), req), nil
	}
	p := t.m.passes.of(ctx)
	switch {
	case p == nil:
		return api.Response{}, errNoPass
	case req.Verb == api.Watch:
		return api.Response{}, errors.New("adapter: a reconciler does not watch")
	}
	req.Live = true
	if len(req.RawBody) > 0 {
		// A client writes JSON, an applied configuration too.
		if v, err := object.DecodeJSON(req.RawBody); err == nil {
			req.Body, req.RawBody, req.RawType = v, nil, ""
		}
	}
	resp, err := p.do(req)
	if s := resp.Status; err == nil && s != nil && s.Status == api.Failure && s.Code == 0 {
		// No server said so: no reply came. client-go wraps it as it does any.
		return resp, context.DeadlineExceeded
	}
	return resp, err
}

func answer(r *http.Request, h rest.HTTPResponse) *http.Response {
	header := http.Header{"Content-Type": {h.ContentType}}
	for _, w := range h.Warnings {
		header.Add("Warning", w)
	}
	return &http.Response{
		StatusCode: h.Code, Status: strconv.Itoa(h.Code) + " " + http.StatusText(h.Code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(bytes.NewReader(h.Body)), ContentLength: int64(len(h.Body)), Request: r,
	}
}
