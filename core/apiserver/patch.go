package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
	"github.com/reconcile-playground/reconcile/core/store"
)

// patch serves a PATCH. Models handlers.PatchResource.
func (s *Server) patch(k *kind, req api.Request) api.Response {
	p, ok := patchers[req.PatchType]
	if !ok {
		return failed(unsupportedPatch())
	}
	if status := validateWriteOptions("PatchOptions", req); status != nil {
		return failed(status)
	}
	var warnings []string
	resp := s.replace(k, req, store.Preconditions{}, func(old object.Object) (object.Object, error) {
		patched, strict, err := p(old.Root(), req)
		if err != nil {
			return old, err
		}
		o, more, err := k.decodePatched(patched)
		if err != nil {
			return old, invalidPatch(patched, err)
		}
		warnings, err = strictness(req.FieldValidation, append(strict, more...))
		if err != nil {
			return old, invalidPatch(patched, err)
		}
		o, status := checkNames(o, req)
		if status != nil {
			return old, status
		}
		return o, nil
	})
	resp.Warnings = append(warnings, resp.Warnings...)
	return resp
}

// decodePatched reads a patched tree as an object of the kind. The complaints
// are those of strict decoding.
func (k *kind) decodePatched(v any) (object.Object, []string, error) {
	m, ok := v.(*object.Map)
	if !ok {
		return object.Object{}, nil, fmt.Errorf("couldn't get version/kind; json parse error: %w", jsonMismatch(v, new(map[string]any)))
	}
	gvk := object.New(m).GVK()
	if k.Custom {
		if gvk.Kind == "" {
			return object.Object{}, nil, fmt.Errorf("Object 'Kind' is missing in '%s'", object.EncodeJSON(v))
		}
	} else if gvk = defaultGVK(gvk, k.GVK()); gvk != k.GVK() {
		return object.Object{}, nil, notRegistered(gvk)
	}
	o, unknown, err := k.decode(m)
	strict := make([]string, len(unknown))
	for i, path := range unknown {
		strict[i] = fmt.Sprintf("unknown field %q", path)
	}
	return o, strict, err
}

// invalidPatch is 422 for a patch whose outcome is no object of the kind.
func invalidPatch(patched any, err error) *api.Status {
	return api.NewInvalid(object.GVK{}, "", []*api.FieldError{invalid("patch", string(object.EncodeJSON(patched)), err.Error())})
}

// A patcher applies the patch of a request to a document. It returns the
// complaints of strict decoding of the patch itself.
type patcher func(doc *object.Map, req api.Request) (any, []string, error)

// patchers are the patch types taken. The real server takes server-side apply
// for every kind, and strategic merge patch for built-in ones, too.
var patchers = map[api.PatchType]patcher{
	api.JSONPatch:  jsonPatch,
	api.MergePatch: mergePatch,
}

func unsupportedPatch() *api.Status {
	types := []string{string(api.JSONPatch), string(api.MergePatch), string(api.ApplyPatch)}
	return &api.Status{Status: api.Failure, Code: 415, Reason: api.ReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: " + strings.Join(types, ", ")}
}

// patchBody reads the patch. The error is the parser's.
func patchBody(req api.Request) (v any, strict []string, err error) {
	if req.Body != nil {
		return req.Body, nil, nil
	}
	v, duplicates, err := object.DecodeStrict(req.RawBody)
	for _, path := range duplicates {
		strict = append(strict, fmt.Sprintf("duplicate field %q", path))
	}
	return v, strict, err
}

// maxJSONPatchOperations bounds what one JSON patch may do.
const maxJSONPatchOperations = 10000

func jsonPatch(doc *object.Map, req api.Request) (any, []string, error) {
	v, strict, err := patchBody(req)
	if err != nil {
		return nil, nil, api.NewBadRequest("error decoding patch: " + err.Error())
	}
	ops, ok := v.(*object.List)
	if !ok {
		return nil, nil, api.NewBadRequest("error decoding patch: " + jsonMismatch(v, new([]any)).Error())
	}
	if ops.Len() > maxJSONPatchOperations {
		return nil, nil, &api.Status{Status: api.Failure, Code: 413, Reason: api.ReasonRequestEntityTooLarge,
			Message: fmt.Sprintf("Request entity too large: The allowed maximum operations in a JSON patch is %d, got %d", maxJSONPatchOperations, ops.Len())}
	}
	patched, err := patch.JSON(doc, ops)
	if err != nil {
		return nil, nil, &api.Status{Status: api.Failure, Code: 422, Reason: api.ReasonInvalid,
			Message: "the server rejected our request due to an error in our request", Details: &api.Details{}}
	}
	return patched, strict, nil
}

func mergePatch(doc *object.Map, req api.Request) (any, []string, error) {
	v, strict, err := patchBody(req)
	if err != nil {
		return nil, nil, api.NewBadRequest("invalid JSON patch")
	}
	if _, ok := v.(*object.Map); !ok {
		return nil, nil, api.NewBadRequest("error decoding patch: " + jsonMismatch(v, new(map[string]any)).Error())
	}
	return patch.Merge(doc, v), strict, nil
}

// jsonMismatch is encoding/json's error for a value that does not fit into
// what into points to.
func jsonMismatch(v any, into any) error {
	if err := json.Unmarshal(object.EncodeJSON(v), into); err != nil {
		return err
	}
	return errors.New("unexpected null")
}
