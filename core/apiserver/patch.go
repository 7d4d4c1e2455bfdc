package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/patch"
	"github.com/reconcile-playground/reconcile/core/store"
)

// patch serves a PATCH. Models handlers.PatchResource.
func (s *Server) patch(k *kind, req *api.Request) api.Response {
	if req.PatchType == api.ApplyPatch {
		return s.apply(k, req)
	}
	p := k.patcher(req.PatchType)
	if status := validateWriteOptions("PatchOptions", req); status != nil {
		return failed(status)
	}
	body, err := readPatch(req)
	if err != nil {
		return failed(api.NewBadRequest("invalid JSON patch"))
	}
	var warnings []string
	key, _, _ := s.lookUp(k, req.Namespace, req.Name)
	resp := s.replace(k, req, key, store.Preconditions{}, func(old object.Object) (object.Object, error) {
		var o object.Object
		if o, warnings, err = p(s, k, old, body); err != nil {
			return old, err
		}
		o, status := checkNames(s.track(k, req, old, o), req)
		if status != nil {
			return old, status
		}
		return o, nil
	})
	resp.Warnings = append(warnings, resp.Warnings...)
	return resp
}

// patchBody is the patch of a request.
type patchBody struct {
	value any
	// strict are the complaints of strict decoding of the patch itself.
	strict     []string
	validation string
}

// readPatch reads the patch. Models validateAndTranscodePatch.
func readPatch(req *api.Request) (patchBody, error) {
	b := patchBody{value: req.Body, validation: req.FieldValidation}
	if req.Body != nil {
		return b, nil
	}
	v, duplicates, err := object.DecodeStrict(req.RawBody)
	for _, path := range duplicates {
		b.strict = append(b.strict, fmt.Sprintf("duplicate field %q", path))
	}
	b.value = v
	return b, err
}

// checked reports whether the patch itself is decoded strictly.
func (b patchBody) checked() bool { return b.validation != "Ignore" }

// A patcher applies a patch to an object, and gives warnings.
type patcher func(s *Server, k *kind, old object.Object, b patchBody) (object.Object, []string, error)

// patcher is nil for a type of patch that the kind does not take: a custom
// resource takes no strategic merge patch, since nothing says how it merges.
func (k *kind) patcher(t api.PatchType) patcher {
	if t == api.StrategicMergePatch && !k.Custom {
		return strategicPatch
	}
	return treePatcherOf(t)
}

func treePatcherOf(t api.PatchType) patcher {
	switch t {
	case api.JSONPatch:
		return treePatcher(jsonPatch)
	case api.MergePatch:
		return treePatcher(mergePatch)
	}
	return nil
}

// patches reports whether the kind takes a type of patch.
func (k *kind) patches(by api.PatchType) bool { return by == api.ApplyPatch || k.patcher(by) != nil }

// unsupportedPatch is the answer to a type of patch that the kind does not take. Of
// a built-in kind the router gives it, unless it finds one that is taken in a list.
func (k *kind) unsupportedPatch(asked api.PatchType) *api.Status {
	types := []string{string(api.JSONPatch), string(api.MergePatch), string(api.StrategicMergePatch), string(api.ApplyPatch)}
	if k.Custom {
		types = slices.Delete(types, 2, 3)
	}
	for part := range strings.SplitSeq(string(asked), ",") {
		if k.Custom || slices.Contains(types, strings.TrimSpace(part)) {
			return unsupportedMediaType(strings.Join(types, ", "))
		}
	}
	status := unsupportedMediaType("")
	status.Message, status.Details = "415: Unsupported Media Type", &api.Details{}
	return status
}

// treePatcher makes a patcher of a patch of a tree of JSON, whose outcome is
// decoded like the body of a request. Models jsonPatcher.
func treePatcher(apply func(doc *object.Map, b patchBody) (patched any, strict []string, err error)) patcher {
	return func(s *Server, k *kind, old object.Object, b patchBody) (object.Object, []string, error) {
		patched, strict, err := apply(old.Root(), b)
		if err != nil {
			return old, nil, err
		}
		o, more, err := s.decodePatched(k, patched, old)
		var status *api.Status
		if errors.As(err, &status) {
			return old, nil, status
		}
		if err != nil {
			return old, nil, invalidPatch(k.patchedText(patched, b), err)
		}
		warnings, err := strictness(b.validation, append(strict, more...))
		if err != nil {
			return old, nil, invalidPatch(k.patchedText(patched, b), err)
		}
		return o, warnings, nil
	}
}

// decodePatched reads a patched tree as an object of the kind. The complaints
// are those of strict decoding.
func (s *Server) decodePatched(k *kind, v any, live object.Object) (object.Object, []string, error) {
	b, err := parseBody(&api.Request{Body: v})
	if err != nil {
		return object.Object{}, nil, err
	}
	m, _ := v.(*object.Map)
	gvk := b.gvk
	switch {
	case k.Custom:
		if gvk.Kind == "" {
			return object.Object{}, nil, fmt.Errorf("Object 'Kind' is missing in '%s'", object.EncodeJSON(v))
		}
		if gvk.Version == "" && gvk.Group == "" {
			return object.Object{}, nil, api.NewInternalError("Object 'apiVersion' is missing in 'object has no apiVersion field'")
		}
	case gvk.Version == "" && gvk.Group == "":
		return k.decodeUnversioned(m)
	default:
		if gvk = defaultGVK(gvk, k.GVK()); gvk != k.GVK() {
			return object.Object{}, nil, s.foreignKind(k, gvk, m)
		}
	}
	o, unknown, err := k.decode(m, gvk, live)
	return o, k.unknownFields(unknown), err
}

// decodeUnversioned reads a patched object without apiVersion: the real server
// takes the type that it keeps in memory, whose fields have no JSON names, so
// nothing but the kind is found.
func (k *kind) decodeUnversioned(m *object.Map) (object.Object, []string, error) {
	var unknown []string
	for key := range m.All() {
		if key != "kind" && key != "apiVersion" {
			unknown = append(unknown, key)
		}
	}
	return object.New(object.NewMap()), k.unknownFields(unknown), nil
}

// invalidPatch is 422 for a patch whose outcome is no object of the kind.
func invalidPatch(shown string, err error) *api.Status {
	return api.NewInvalid(object.GVK{}, "", []*api.FieldError{invalid("patch", shown, err.Error())})
}

// maxJSONPatchOperations bounds what one JSON patch may do.
const maxJSONPatchOperations = 10000

func jsonPatch(doc *object.Map, b patchBody) (any, []string, error) {
	ops, ok := b.value.(*object.List)
	strict, err := strictOps(ops, b.strict)
	if !ok && b.value != nil {
		err = cannotUnmarshal(b.value, "[]handlers.jsonPatchOp")
	}
	if err != nil && b.checked() {
		return nil, nil, api.NewBadRequest("error decoding patch: " + err.Error())
	}
	if !ok && b.value != nil {
		return nil, nil, api.NewBadRequest(cannotUnmarshal(b.value, "jsonpatch.Patch").Error())
	}
	for _, x := range ops.All() {
		if _, ok := x.(*object.Map); !ok && x != nil {
			return nil, nil, api.NewBadRequest(cannotUnmarshal(x, "jsonpatch.Operation").Error())
		}
	}
	if ops.Len() > maxJSONPatchOperations {
		return nil, nil, entityTooLarge(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxJSONPatchOperations, ops.Len()))
	}
	patched, err := patch.JSON(doc, ops)
	if err != nil {
		return nil, nil, unprocessablePatch()
	}
	return patched, strict, nil
}

// unprocessablePatch is 422 without a word about the reason.
func unprocessablePatch() *api.Status {
	return &api.Status{Status: api.Failure, Code: 422, Reason: api.ReasonInvalid,
		Message: "the server rejected our request due to an error in our request", Details: &api.Details{}}
}

// strictOps decodes the operations of a JSON patch strictly: the error is that
// of the first one of a wrong type, the complaints are about what an operation
// does not have, and about keys that are there twice.
func strictOps(ops *object.List, duplicates []string) (strict []string, err error) {
	for _, d := range duplicates {
		strict = append(strict, "json patch "+d)
	}
	for i, x := range ops.All() {
		op, ok := x.(*object.Map)
		if !ok && x != nil {
			return nil, cannotUnmarshal(x, "handlers.jsonPatchOp")
		}
		for key, v := range op.All() {
			switch key {
			case "op", "path", "from":
				if _, ok := v.(string); !ok && v != nil {
					return nil, cannotUnmarshal(v, "string", "jsonPatchOp."+key)
				}
			case "value":
			default:
				strict = append(strict, fmt.Sprintf("json patch unknown field \"[%d].%s\"", i, key))
			}
		}
	}
	return strict, nil
}

func mergePatch(doc *object.Map, b patchBody) (any, []string, error) {
	if b.value == nil {
		return nil, nil, api.NewBadRequest("Invalid JSON Patch")
	}
	if _, ok := b.value.(*object.Map); !ok && b.checked() {
		return nil, nil, api.NewBadRequest("error decoding patch: " + cannotUnmarshal(b.value, "map[string]interface {}").Error())
	}
	switch b.value.(type) {
	case *object.Map, *object.List:
		return patch.Merge(doc, b.value), b.strict, nil
	}
	return nil, nil, api.NewBadRequest("Invalid JSON Patch")
}

// jsonMismatch is encoding/json's error for a value that does not fit into
// what into points to.
func jsonMismatch(v any, into any) error {
	if err := json.Unmarshal(object.EncodeJSON(v), into); err != nil {
		return err
	}
	return errors.New("unexpected null")
}
