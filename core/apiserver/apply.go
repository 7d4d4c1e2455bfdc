package apiserver

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// apply serves a PATCH of server-side apply: it creates what is not there.
// Models applyPatcher of handlers.PatchResource.
func (s *Server) apply(k *kind, req *api.Request) api.Response {
	if status := validateWriteOptions("PatchOptions", req); status != nil {
		return failed(status)
	}
	body, status := applyBody(req)
	if status != nil {
		return failed(status)
	}
	f := k.managers[req.Subresource]
	var warnings []string
	merge := func(live object.Object) (object.Object, error) {
		if body.err != nil {
			return live, body.err
		}
		o, err := f.Apply(live, body.patch, req.FieldManager, req.Force != nil && *req.Force, s.stamp())
		if err != nil {
			return live, err
		}
		if len(body.twice) > 0 && req.FieldValidation == "Strict" {
			return live, api.NewBadRequest("error strict decoding patch: error converting YAML to JSON: " + yamlErrors(body.twice))
		}
		if req.FieldValidation != "Ignore" {
			warnings = body.twice
		}
		if uid := o.UID(); uid != "" && live.IsZero() {
			return live, api.NewConflict(k.GVR, req.Name, fmt.Sprintf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
		}
		o, status := checkApplied(o, req)
		if status != nil {
			return live, status
		}
		return o, nil
	}
	var resp api.Response
	if key, _, ok := s.lookUp(k, req.Namespace, req.Name); !ok && req.Subresource == "" {
		resp = s.applyNew(k, req, merge)
	} else {
		resp = s.replace(k, req, key, store.Preconditions{}, merge)
	}
	resp.Warnings = append(warnings, resp.Warnings...)
	return resp
}

// Applied returns what an apply makes of an object, were that the stored one and
// nothing in conflict; false where the apply is refused for another reason. The
// server stays as it is.
func (s *Server) Applied(req api.Request, live object.Object) (object.Object, bool) {
	k, ok := s.kinds.byGVR[req.GVR]
	if !ok || k.managers[req.Subresource] == nil {
		return object.Object{}, false
	}
	body, status := applyBody(&req)
	if status != nil || body.err != nil {
		return object.Object{}, false
	}
	o, err := k.managers[req.Subresource].Apply(live, body.patch, req.FieldManager, true, s.stamp())
	return unsetMeta(o, unread), err == nil
}

// appliedBody is the configuration of a request.
type appliedBody struct {
	patch object.Object
	// twice says which keys stand there twice.
	twice []string
	// err is what is wrong with it, where that is said late.
	err error
}

// applyBody reads the configuration. What is no YAML is refused at once, but for
// what begins as JSON does: that is found out when it is merged.
func applyBody(req *api.Request) (appliedBody, *api.Status) {
	var b appliedBody
	var v any = req.Body
	if req.Body == nil {
		var err error
		v, b.twice, err = object.DecodeYAMLBody(req.RawBody)
		var wrong *object.YAMLError
		switch {
		case !errors.As(err, &wrong):
		case bytes.HasPrefix(bytes.TrimSpace(req.RawBody), []byte("{")):
			b.err = api.NewBadRequest("error decoding patch: error converting YAML to JSON: " + wrong.Parser())
		default:
			return b, api.NewBadRequest("error encoding patch: " + wrong.Parser())
		}
	}
	m, ok := v.(*object.Map)
	if !ok && v != nil {
		b.err = api.NewBadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: " + jsonMismatch(v, new(map[string]any)).Error())
	}
	b.patch = object.New(m)
	return b, nil
}

// yamlErrors are complaints as the YAML parser puts them into one error.
func yamlErrors(lines []string) string {
	return "yaml: unmarshal errors:\n  " + strings.Join(lines, "\n  ")
}

// checkApplied is checkNames, with the namespace first.
func checkApplied(o object.Object, req *api.Request) (object.Object, *api.Status) {
	o, status := ensureNamespace(o, req.Namespace)
	if status != nil {
		return o, status
	}
	return checkNames(o, req)
}

// applyNew creates an object by an apply.
func (s *Server) applyNew(k *kind, req *api.Request, merge store.Update) api.Response {
	o, err := merge(object.Object{})
	if err != nil {
		return s.failure(k, err, req.Name)
	}
	// The version is read, though nothing comes of it.
	if _, err := store.ParseRevision(o.ResourceVersion()); err != nil {
		return s.failure(k, err, req.Name)
	}
	if k.Custom && k.crd.Terminating {
		return failed(k.noCreation(o.Name()))
	}
	if !s.dry {
		o = unsetMeta(o, "resourceVersion")
	}
	o, warnings := dedupOwners(o, atAdmission)
	if status := s.admitToNamespace(k, o); status != nil {
		return failed(status)
	}
	if o, err = s.createObject(k, o, o.List("metadata", "managedFields")); err != nil {
		return s.failure(k, err, o.Name())
	}
	return s.answerCreated(k, req, o, warnings)
}
