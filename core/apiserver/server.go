package apiserver

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
	"github.com/reconcile-playground/reconcile/core/store"
)

// firstRevision is where a new server's revisions begin; it counts as
// compacted, so that a watch from resourceVersion 1 is one from the past.
const firstRevision = 1000

// Server is a kube-apiserver with its store. It is not for concurrent use, reads
// included: a read notes what it found and sorts what it lists. Clone gives each
// user one of its own.
type Server struct {
	store *store.Store
	kinds *kinds
	// last is the kind that was asked for last, of lastOf: most requests are for the
	// same again.
	last   *kind
	lastOf *kinds
	gen    generator
	// rules evaluates x-kubernetes-validations; nil where nothing does.
	rules schema.Evaluator
	// now is the time of the request being served.
	now time.Time
	// stamped is stampedAt as metadata has it, and stampedValue that as a value.
	stamped      string
	stampedValue any
	stampedAt    time.Time
	// dry holds where the request being served is a dry run: the store is then
	// a clone that is thrown away.
	dry bool
	// whole holds where what the request being served writes is not tried again without
	// managedFields, when it is too large.
	whole bool
	// warned are the warnings of the update that was validated last.
	warned []string
}

// New returns a server with the namespaces that every cluster has. Uids and
// generated names follow from the seed.
func New(seed uint64, now time.Time) *Server { return NewBefore(seed, now, 0) }

// NewBefore is New with revisions that begin earlier, for as many definitions as
// are there from the beginning: what comes after them has the same revisions as
// if each was one write.
func NewBefore(seed uint64, now time.Time, definitions int) *Server {
	first := int64(firstRevision - definitionWrites*definitions)
	s := &Server{store: store.New(first), kinds: newKinds(builtinKinds()), gen: generator{Seed: seed}}
	for _, name := range []string{"default", "kube-node-lease", "kube-public", "kube-system"} {
		ns := object.FromMap(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
		req := asAPIServer("")
		req.Verb, req.GVR, req.Body = api.Create, object.GVR{Version: "v1", Resource: "namespaces"}, ns.Root()
		s.Do(now, *req)
	}
	return s
}

// Clone returns an independent server in the same state, in constant time.
func (s *Server) Clone() *Server {
	c := *s
	c.store = s.store.Clone()
	return &c
}

// Revision is that of the last write.
func (s *Server) Revision() int64 { return s.store.Revision() }

// Compact forgets the history up to and including a revision: watches from
// before it end with 410.
func (s *Server) Compact(revision int64) { s.store.Compact(revision) }

// Do serves one request. Times must not go back from call to call.
func (s *Server) Do(now time.Time, req api.Request) api.Response {
	if req.Verb == api.Discover || req.Path != "" {
		return s.discover(&req)
	}
	k := s.last
	if k == nil || s.lastOf != s.kinds || k.GVR != req.GVR {
		if k = s.kinds.byGVR[req.GVR]; k == nil {
			return s.unknownResource(req.GVR)
		}
		s.last, s.lastOf = k, s.kinds
	}
	if !k.reachable(&req) {
		return pageNotFound()
	}
	resp := s.doFor(now, k, &req)
	if deprecated := k.deprecation(); deprecated != nil {
		resp.Warnings = append(deprecated, resp.Warnings...)
	}
	return resp
}

// reachable reports whether a custom resource is served at the path of a
// request: a namespaced one is in a namespace, except that it can be listed
// and watched in all of them. Models crdHandler.ServeHTTP.
func (k *kind) reachable(req *api.Request) bool {
	if !k.Custom || k.Namespaced == (req.Namespace != "") {
		return true
	}
	return k.Namespaced && req.Name == "" && (req.Verb == api.List || req.Verb == api.Watch)
}

func (s *Server) doFor(now time.Time, k *kind, req *api.Request) api.Response {
	if status := k.checkPath(req); status != nil {
		return failed(status)
	}
	if status := k.checkMediaTypes(req); status != nil {
		return failed(status)
	}
	if len(req.RawBody) > maxBody {
		return failed(entityTooLarge(fmt.Sprintf("limit is %d", maxBody)))
	}
	served := s
	if isDryRun(req) {
		served = s.Clone()
		served.dry = true
	}
	served.now = now
	served.whole = req.PatchType == api.ApplyPatch || req.Verb != api.Create && req.Verb != api.Update && req.Verb != api.Patch
	resp := served.serve(k, req)
	// Names drawn in a dry run stay drawn.
	s.gen = served.gen
	return resp
}

func (s *Server) serve(k *kind, req *api.Request) api.Response {
	if req.Subresource == scaleSubresource {
		// Its parts keep the request, which the others only read.
		own := *req
		return s.scale(k, &own)
	}
	switch req.Verb {
	case api.Get:
		return s.get(k, req)
	case api.List:
		return s.list(k, req)
	case api.Watch:
		return s.watch(k, req)
	case api.Create:
		return s.create(k, req)
	case api.Update:
		return s.update(k, req)
	case api.Patch:
		return s.patch(k, req)
	case api.Delete:
		return s.delete(k, req)
	case api.DeleteCollection:
		return s.deleteCollection(k, req)
	}
	return failed(k.notSupported(req.Verb))
}

// checkPath refuses what the paths of a resource do not take. A built-in kind
// has one handler for each method and path; a custom resource has one for all,
// which finds out later.
func (k *kind) checkPath(req *api.Request) *api.Status {
	if req.Subresource != "" {
		if _, ok := k.subresources[req.Subresource]; !ok && !(req.Subresource == scaleSubresource && k.scales()) {
			if k.Custom {
				return api.NewNotFound(k.GVR, req.Name)
			}
			return notFoundGeneric()
		}
		switch req.Verb {
		case api.Get, api.Patch:
			if req.Subresource == "finalize" {
				return methodNotAllowed()
			}
		case api.Update:
		default:
			return k.notSupported(req.Verb)
		}
	}
	if !k.Custom && (k.Namespaced && req.Namespace == "" && req.Name != "" || !k.Namespaced && req.Namespace != "") {
		return notFoundGeneric()
	}
	if !k.Custom && k.Namespaced && req.Namespace == "" && (req.Verb == api.Create || req.Verb == api.DeleteCollection) {
		return methodNotAllowed()
	}
	switch req.Verb {
	case api.Create:
		if !k.Custom && req.Name != "" {
			return methodNotAllowed()
		}
	case api.Update, api.Patch:
		if req.Name == "" {
			if !k.Custom {
				return methodNotAllowed()
			}
			if req.Verb == api.Patch && !k.patches(req.PatchType) {
				return k.unsupportedPatch(req.PatchType)
			}
			return api.NewBadRequest("name must be provided")
		}
	case api.DeleteCollection:
		if k.GVR.Group == "" && k.GVR.Resource == "namespaces" {
			return methodNotAllowed()
		}
	}
	return nil
}

// bodyTypes are the media types of bodies and answers. One of protobuf is offered
// by the real server alone.
const bodyTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf"

// maxBody bounds a body as it was sent, in bytes. It is MaxRequestBodyBytes.
const maxBody = 3 << 20

// entityTooLarge is 413, and says of what there is too much.
func entityTooLarge(why string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 413, Reason: api.ReasonRequestEntityTooLarge, Message: "Request entity too large: " + why}
}

// readable reports whether the type of a body is one that is read.
func readable(req *api.Request) bool {
	return req.Body != nil || req.RawType == "application/json" || req.RawType == "application/yaml"
}

// checkMediaTypes refuses what cannot be read or written, as far as that comes
// before the options.
func (k *kind) checkMediaTypes(req *api.Request) *api.Status {
	if req.Verb == api.Patch && !k.patches(req.PatchType) {
		return k.unsupportedPatch(req.PatchType)
	}
	switch req.As {
	case api.AsUnknown:
		return unknownType(req.Verb == api.List || req.Verb == api.Watch)
	case api.AsUnacceptable:
		return notAcceptable("only the following media types are accepted: " + bodyTypes)
	}
	if req.Verb == api.Create && !readable(req) {
		return unsupportedMediaType(bodyTypes)
	}
	return nil
}

// unknownType is how the router of built-in resources refuses an Accept header.
func unknownType(list bool) *api.Status {
	types := bodyTypes
	if list {
		types += ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
	}
	status := notAcceptable("406: Not Acceptable\n\nAvailable representations: " + types)
	status.Details = &api.Details{}
	return status
}

func unsupportedMediaType(types string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 415, Reason: api.ReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + types}
}

// get serves one object.
func (s *Server) get(k *kind, req *api.Request) api.Response {
	if rv := req.ResourceVersion; rv != "" {
		n, err := store.ParseRevision(rv)
		if err != nil {
			return failed(plainError(invalid("resourceVersion", rv, err.Error()).Error()))
		}
		if n > uint64(s.Revision()) {
			return failed(tooLarge(n, s.Revision()))
		}
	}
	_, o, ok := s.lookUp(k, req.Namespace, req.Name)
	if !ok {
		return failed(api.NewNotFound(k.GVR, req.Name))
	}
	return s.answer(k, req, 200, k.served(o))
}

// answer gives an object in the form that was asked for.
func (s *Server) answer(k *kind, req *api.Request, code int, o object.Object) api.Response {
	if status := checkInclude(req); status != nil {
		return failed(status)
	}
	switch req.As {
	case api.AsWrongPartial:
		return failed(k.noList())
	case api.AsTable:
		meta := object.NewMap()
		if version := o.ResourceVersion(); version != "" {
			meta = meta.With("resourceVersion", version)
		}
		return api.Response{Code: code, Table: s.table(k, req, []object.Object{o}, meta)}
	case api.AsPartial:
		return api.Response{Code: code, Object: partial(req, o)}
	}
	return api.Response{Code: code, Object: o}
}

// partial is an object's metadata alone.
func partial(req *api.Request, o object.Object) object.Object {
	meta := o.Map("metadata")
	return object.New(object.NewMap(
		object.Field{Key: "apiVersion", Value: formVersion(req).APIVersion()},
		object.Field{Key: "kind", Value: "PartialObjectMetadata"},
		object.Field{Key: "metadata", Value: meta}))
}

// formVersion is the group and version of the form that was asked for.
func formVersion(req *api.Request) object.GVR {
	gv := object.GVR{Group: "meta.k8s.io", Version: "v1"}
	if req.AsVersion != "" {
		gv.Version = req.AsVersion
	}
	return gv
}

// failed answers with an error.
func failed(status *api.Status) api.Response { return api.Response{Code: status.Code, Status: status} }

// failure makes a Status of any error: one itself, a refusal of the store, or
// an error of the server.
func (s *Server) failure(k *kind, err error, name string) api.Response {
	var status *api.Status
	if errors.As(err, &status) {
		return failed(status)
	}
	var refused *store.Error
	if errors.As(err, &refused) {
		switch refused.Code {
		case store.KeyNotFound:
			return failed(api.NewNotFound(k.GVR, name))
		case store.KeyExists:
			return failed(api.NewAlreadyExists(k.GVR, name))
		case store.InvalidObject, store.ResourceVersionConflict:
			told := *refused
			if s.dry {
				// It checks preconditions by keys without the prefix of the store.
				told.Key = strings.TrimPrefix(told.Key, "/registry")
			}
			return failed(api.NewConflict(k.GVR, name, told.Error()))
		}
	}
	return failed(plainError(err.Error()))
}

// plainError is 500 with a bare message: an error that no one gave a reason.
func plainError(message string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 500, Message: message}
}

func methodNotAllowed() *api.Status {
	return &api.Status{Status: api.Failure, Code: 405, Reason: api.ReasonMethodNotAllowed,
		Message: "the server does not allow this method on the requested resource", Details: &api.Details{}}
}

// notSupported is 405 for a subresource: a custom resource names what it is not.
func (k *kind) notSupported(verb api.Verb) *api.Status {
	if !k.Custom {
		return methodNotAllowed()
	}
	return &api.Status{Status: api.Failure, Code: 405, Reason: api.ReasonMethodNotAllowed,
		Message: fmt.Sprintf("%s is not supported on resources of kind %q", verb, k.GVR.GroupResource()),
		Details: &api.Details{Group: k.GVR.Group, Kind: k.GVR.Resource}}
}

func notFoundGeneric() *api.Status {
	return &api.Status{Status: api.Failure, Code: 404, Reason: api.ReasonNotFound,
		Message: "the server could not find the requested resource", Details: &api.Details{}}
}

// forbiddenStatus is 403 for one object.
func (k *kind) forbiddenStatus(name, why string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 403, Reason: api.ReasonForbidden,
		Message: k.GVR.GroupResource() + ` "` + name + `" is forbidden: ` + why,
		Details: &api.Details{Name: name, Group: k.GVR.Group, Kind: k.GVR.Resource}}
}

// tooLarge is the answer to a resourceVersion that has not come yet.
func tooLarge(asked uint64, current int64) *api.Status {
	const text = "Too large resource version"
	return &api.Status{Status: api.Failure, Code: 504, Reason: api.ReasonTimeout,
		Message: "Timeout: " + text + ": " + strconv.FormatUint(asked, 10) + ", current: " + store.FormatRevision(current),
		Details: &api.Details{Causes: []api.Cause{{Reason: "ResourceVersionTooLarge", Message: text}}, RetryAfterSeconds: 1}}
}

// invalidStatus is 422 for an object of this kind.
func invalidStatus(o object.Object, errs []*api.FieldError) *api.Status {
	return api.NewInvalid(o.GVK(), o.Name(), errs)
}
