package apiserver

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// apply serves a PATCH of server-side apply: it creates what is not there.
// Models applyPatcher of handlers.PatchResource.
func (s *Server) apply(k *kind, req api.Request) api.Response {
	if status := validateWriteOptions("PatchOptions", req); status != nil {
		return failed(status)
	}
	patch, decodeErr, status := applyBody(req)
	if status != nil {
		return failed(status)
	}
	f := k.managers[req.Subresource]
	merge := func(live object.Object) (object.Object, error) {
		if decodeErr != nil {
			return live, decodeErr
		}
		o, err := f.Apply(live, patch, req.FieldManager, req.Force != nil && *req.Force, stamp(s.now))
		if err != nil {
			return live, err
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
	if _, ok := s.store.Get(k.key(req.Namespace, req.Name)); !ok && req.Subresource == "" {
		return s.applyNew(k, req, merge)
	}
	return s.replace(k, req, store.Preconditions{}, merge)
}

// applyBody reads the configuration. err is what is wrong with it where it is
// YAML, but no map: that is said later than that it is no YAML.
func applyBody(req api.Request) (patch object.Object, err error, status *api.Status) {
	var v any = req.Body
	if req.Body == nil {
		docs, err := object.DecodeYAML(req.RawBody)
		if err != nil {
			return patch, nil, api.NewBadRequest("error encoding patch: " + err.Error())
		}
		v = nil
		if len(docs) > 0 {
			v = docs[0].Value
		}
	}
	m, ok := v.(*object.Map)
	if !ok && v != nil {
		return patch, api.NewBadRequest("error decoding patch: error unmarshaling JSON: while decoding JSON: " + jsonMismatch(v, new(map[string]any)).Error()), nil
	}
	return object.New(m), nil, nil
}

// checkApplied is checkNames, with the namespace first.
func checkApplied(o object.Object, req api.Request) (object.Object, *api.Status) {
	o, status := ensureNamespace(o, req.Namespace)
	if status != nil {
		return o, status
	}
	return checkNames(o, req)
}

// applyNew creates an object by an apply.
func (s *Server) applyNew(k *kind, req api.Request, merge store.Update) api.Response {
	o, err := merge(object.Object{})
	if err != nil {
		return k.failure(err, req.Name)
	}
	if k.Custom && s.definition(k).Terminating() {
		return failed(k.noCreation())
	}
	o, warnings := dedupOwners(unsetMeta(o, "resourceVersion"))
	if status := s.admitToNamespace(k, o); status != nil {
		return failed(status)
	}
	if o, err = s.createObject(k, o); err != nil {
		return k.failure(err, o.Name())
	}
	resp := s.answer(k, req, 201, k.served(o))
	resp.Warnings = append(warnings, k.warningsOf(o, object.Object{})...)
	return resp
}
