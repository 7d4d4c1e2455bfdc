package rest

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// HTTPRequest is what an HTTP request carries.
type HTTPRequest struct {
	Method string
	// Path is the URL's path, decoded; Query its raw query.
	Path, Query string
	ContentType string
	Accept      string
	UserAgent   string
	Body        []byte
}

// Decode reads an HTTP request. The Format is the one to answer in; with an
// error, which is the answer, too.
func Decode(h HTTPRequest) (api.Request, Format, *api.Status) {
	path, watched := watchPath(h.Path)
	req, rest := parsePath(path)
	req.UserAgent = h.UserAgent
	if len(rest) > 0 && slices.Contains(builtinGroups, req.Group) {
		// Deeper than a subresource: no one serves it. For a custom resource the
		// rest of the path does not count.
		req = api.Request{Verb: api.Discover, Path: h.Path}
	}
	format := setForm(&req, h.Accept)
	// What cannot be parsed of a query does not count.
	query, _ := url.ParseQuery(h.Query)
	discovers := req.Verb == api.Discover
	if !discovers {
		decodeMethod(&req, h, watched || isTrue(query, "watch"))
	}
	if watched && req.Verb == api.Get {
		req.Verb = api.Watch
	}
	if _, err := time.ParseDuration(query.Get("timeout")); err != nil && query.Get("timeout") != "" && req.Verb != api.Watch {
		return req, format, api.NewBadRequest("invalid timeout specified in the request URL - " + err.Error())
	}
	if discovers {
		if h.Method != "GET" && h.Method != "HEAD" {
			req.Verb = ""
		}
		return req, format, nil
	}
	if err := decodeOptions(&req, query); err != nil {
		return req, format, api.NewBadRequest(err.Error())
	}
	fitForm(&req, format)
	return req, format, nil
}

// watchPath takes the old way to ask for a watch out of a path:
// /api/v1/watch/namespaces/default/configmaps.
func watchPath(path string) (string, bool) {
	parts := strings.Split(path, "/")
	at := 3
	if len(parts) > 1 && parts[1] == "apis" {
		at = 4
	}
	if len(parts) <= at+1 || parts[at] != "watch" {
		return path, false
	}
	return strings.Join(slices.Delete(parts, at, at+1), "/"), true
}

// parsePath reads a path into a resource, or into a Discover request. What is
// left over of the path is returned.
func parsePath(path string) (api.Request, []string) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var req api.Request
	switch {
	case len(parts) > 2 && parts[0] == "api":
		req.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		req.Group, req.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return api.Request{Verb: api.Discover, Path: path}, nil
	}
	if len(parts) == 1 && parts[0] == "watch" {
		// Nothing is said of what to watch.
		return api.Request{Verb: api.Discover, Path: path}, nil
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !namespaceSubresource(parts[2]) {
		req.Namespace, parts = parts[1], parts[2:]
	}
	req.Resource, parts = parts[0], parts[1:]
	if len(parts) > 0 {
		req.Name, parts = parts[0], parts[1:]
	}
	if len(parts) > 0 {
		req.Subresource, parts = parts[0], parts[1:]
	}
	return req, parts
}

func namespaceSubresource(name string) bool { return name == "status" || name == "finalize" }

// decodeMethod sets the verb and the body. A method that no verb stands for is the
// server's to refuse.
func decodeMethod(req *api.Request, h HTTPRequest, watch bool) {
	switch h.Method {
	case "GET", "HEAD":
		switch {
		case req.Name != "":
			req.Verb = api.Get
		case watch:
			req.Verb = api.Watch
		default:
			req.Verb = api.List
		}
		return
	case "POST":
		req.Verb = api.Create
	case "PUT":
		req.Verb = api.Update
	case "PATCH":
		kind, _, _ := strings.Cut(h.ContentType, ";")
		req.Verb, req.PatchType = api.Patch, api.PatchType(kind)
		req.RawBody, req.RawType = bodyOf(h), kind
		return
	case "DELETE":
		req.Verb = api.Delete
		if req.Name == "" {
			req.Verb = api.DeleteCollection
		}
		if len(h.Body) == 0 {
			return
		}
	default:
		return
	}
	req.RawBody, req.RawType = bodyOf(h), mediaType(h.ContentType)
}

// bodyOf is never nil: an empty body is a body.
func bodyOf(h HTTPRequest) []byte {
	if h.Body == nil {
		return []byte{}
	}
	return h.Body
}

func isTrue(q url.Values, key string) bool {
	v, ok := q[key]
	return ok && !strings.EqualFold(v[0], "false") && v[0] != "0"
}

// ignoreStoreReadError is the parameter of Options.IgnoreStoreReadError.
const ignoreStoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

func flag(q url.Values, key string) *bool {
	if !q.Has(key) {
		return nil
	}
	v := isTrue(q, key)
	return &v
}

// text is nil for what is not there: the empty one is a value.
func text(q url.Values, key string) *string {
	if !q.Has(key) {
		return nil
	}
	v := q.Get(key)
	return &v
}

func decodeOptions(req *api.Request, q url.Values) error {
	o := &req.Options
	o.ResourceVersion, o.ResourceVersionMatch = q.Get("resourceVersion"), q.Get("resourceVersionMatch")
	o.LabelSelector, o.FieldSelector = q.Get("labelSelector"), q.Get("fieldSelector")
	o.Continue, o.DryRun = q.Get("continue"), q["dryRun"]
	o.FieldManager, o.FieldValidation = q.Get("fieldManager"), q.Get("fieldValidation")
	o.PropagationPolicy, o.IncludeObject = text(q, "propagationPolicy"), q.Get("includeObject")
	if req.Verb == api.Delete || req.Verb == api.DeleteCollection {
		o.UID = q.Get("uid")
	}
	o.AllowWatchBookmarks, o.IgnoreStoreReadError = isTrue(q, "allowWatchBookmarks"), isTrue(q, ignoreStoreReadError)
	o.OrphanDependents = flag(q, "orphanDependents")
	o.Force, o.SendInitialEvents = flag(q, "force"), flag(q, "sendInitialEvents")
	return decodeNumbers(req, q)
}

// decodeNumbers reads the numbers of a query. Where the verb does not take one
// it may be anything.
func decodeNumbers(req *api.Request, q url.Values) error {
	lists := slices.Contains([]api.Verb{api.List, api.Watch, api.DeleteCollection}, req.Verb)
	deletes := slices.Contains([]api.Verb{api.Delete, api.DeleteCollection}, req.Verb)
	limit, err := integer(q, "limit")
	if err != nil && lists {
		return err
	}
	if limit != nil {
		req.Limit = *limit
	}
	if req.TimeoutSeconds, err = integer(q, "timeoutSeconds"); err != nil && lists {
		return err
	}
	// With a body, what the query says of the deletion is not read.
	if req.GracePeriodSeconds, err = integer(q, "gracePeriodSeconds"); err != nil && deletes && req.RawBody == nil {
		return err
	}
	return nil
}

func integer(q url.Values, key string) (*int64, error) {
	if !q.Has(key) {
		return nil, nil
	}
	n, err := strconv.ParseInt(q.Get(key), 10, 64)
	if err != nil {
		return nil, err
	}
	return &n, nil
}

// Encode writes a request as the HTTP request that a client sends. A body that
// is a tree is written as JSON.
func Encode(req api.Request) HTTPRequest {
	h := HTTPRequest{Method: methods[req.Verb], Path: Path(req), UserAgent: req.UserAgent, Accept: acceptOf(req)}
	h.Query = encodeOptions(req).Encode()
	switch {
	case req.Body != nil:
		h.Body, h.ContentType = object.EncodeJSON(req.Body), "application/json"
	case req.RawBody != nil:
		h.Body, h.ContentType = req.RawBody, req.RawType
	}
	if req.Verb == api.Patch {
		h.ContentType = string(req.PatchType)
	}
	return h
}

var methods = map[api.Verb]string{
	api.Get: "GET", api.List: "GET", api.Watch: "GET", api.Discover: "GET", api.Create: "POST", api.Update: "PUT",
	api.Patch: "PATCH", api.Delete: "DELETE", api.DeleteCollection: "DELETE",
}

// Path is the URL path of a request.
func Path(req api.Request) string {
	if req.Verb == api.Discover {
		return req.Path
	}
	p := "/apis/" + req.Group + "/" + req.Version
	if req.Group == "" {
		p = "/api/" + req.Version
	}
	if req.Namespace != "" {
		p += "/namespaces/" + req.Namespace
	}
	for _, part := range []string{req.Resource, req.Name, req.Subresource} {
		if part != "" {
			p += "/" + part
		}
	}
	return p
}

func acceptOf(req api.Request) string {
	switch {
	case req.As == api.AsDiscovery:
		return "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
	case req.As == api.AsTable:
		return "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
	case req.As == api.AsPartial && (req.Verb == api.List || req.Verb == api.DeleteCollection):
		return "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"
	case req.As == api.AsPartial:
		return "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json"
	}
	return "application/json"
}

func encodeOptions(req api.Request) url.Values {
	q := url.Values{}
	set := func(key, value string) {
		if value != "" {
			q.Set(key, value)
		}
	}
	number := func(key string, n *int64) {
		if n != nil {
			q.Set(key, strconv.FormatInt(*n, 10))
		}
	}
	flag := func(key string, b *bool) {
		if b != nil {
			q.Set(key, strconv.FormatBool(*b))
		}
	}
	set("resourceVersion", req.ResourceVersion)
	set("uid", req.UID)
	set("resourceVersionMatch", req.ResourceVersionMatch)
	set("labelSelector", req.LabelSelector)
	set("fieldSelector", req.FieldSelector)
	set("continue", req.Continue)
	set("fieldManager", req.FieldManager)
	set("fieldValidation", req.FieldValidation)
	if req.PropagationPolicy != nil {
		q.Set("propagationPolicy", *req.PropagationPolicy)
	}
	set("includeObject", req.IncludeObject)
	if len(req.DryRun) > 0 {
		q["dryRun"] = req.DryRun
	}
	if req.Limit != 0 {
		number("limit", &req.Limit)
	}
	number("gracePeriodSeconds", req.GracePeriodSeconds)
	number("timeoutSeconds", req.TimeoutSeconds)
	flag("force", req.Force)
	flag("orphanDependents", req.OrphanDependents)
	flag("sendInitialEvents", req.SendInitialEvents)
	if req.AllowWatchBookmarks {
		q.Set("allowWatchBookmarks", "true")
	}
	if req.IgnoreStoreReadError {
		q.Set(ignoreStoreReadError, "true")
	}
	if req.Verb == api.Watch {
		q.Set("watch", "true")
	}
	return q
}
