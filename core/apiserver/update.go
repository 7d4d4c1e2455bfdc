package apiserver

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// optimisticLockError is registry.OptimisticLockErrorMsg.
const optimisticLockError = "the object has been modified; please apply your changes to the latest version and try again"

// update serves a PUT. Models handlers.UpdateResource.
func (s *Server) update(k *kind, req *api.Request) api.Response {
	if status := validateWriteOptions("UpdateOptions", req); status != nil {
		return failed(status)
	}
	if !readable(req) {
		return failed(unsupportedMediaType(bodyTypes))
	}
	key, live, _ := s.lookUp(k, req.Namespace, req.Name)
	d, status := s.decodeObject(k, req, live)
	if status != nil {
		return failed(status)
	}
	warnings, err := strictness(req.FieldValidation, d.strict)
	if err != nil {
		return failed(notStrict(k, d.gvk, err))
	}
	resp := s.updateDecoded(k, req, key, d)
	resp.Warnings = append(warnings, resp.Warnings...)
	return resp
}

func (s *Server) updateDecoded(k *kind, req *api.Request, key string, d decoded) api.Response {
	if d.gvk.Group != k.GVR.Group || d.gvk.Version != k.GVR.Version {
		return failed(api.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", d.gvk.APIVersion(), k.apiVersion())))
	}
	o, status := checkNames(d.object, req)
	if status != nil {
		return failed(status)
	}
	o, warnings := dedupOwners(o, "")
	pre := store.Preconditions{UID: o.UID()}
	var resp api.Response
	if _, ok := s.store.Get(key); !ok && k.createsOnUpdate && req.Subresource == "" {
		if err := pre.Check(key, object.Object{}); err != nil {
			return s.failure(k, err, req.Name)
		}
		resp = s.createAdmitted(k, req, unsetMeta(o, "resourceVersion"))
	} else {
		resp = s.replace(k, req, key, pre, func(old object.Object) (object.Object, error) {
			return s.track(k, req, old, o), nil
		})
	}
	resp.Warnings = append(warnings, resp.Warnings...)
	return resp
}

// errEmptiedFinalizers says that an update took the last finalizer off an
// object that is being deleted: it is removed instead of updated.
var errEmptiedFinalizers = errors.New("emptied finalizers")

// replace stores what change makes of the object stored now at the key of the
// request. Models Store.Update.
func (s *Server) replace(k *kind, req *api.Request, key string, pre store.Preconditions, change store.Update) api.Response {
	var last object.Object
	var warnings []string
	stored, err := s.write(k, key, pre, func(existing object.Object) (object.Object, error) {
		if existing.IsZero() {
			return existing, api.NewNotFound(k.GVR, req.Name)
		}
		old := k.served(existing)
		o, err := change(old)
		if err != nil {
			return o, err
		}
		o, warnings = dedupOwners(o, atAdmission)
		if o, err = k.checkVersion(o, old, req.Name); err != nil {
			return o, err
		}
		s.warned = nil
		o, err = s.beforeUpdate(k, o, old, req.Subresource)
		warnings = append(warnings, s.warned...)
		if err != nil {
			return o, err
		}
		o = ignoreTimes(o, old)
		if k.Custom || req.Subresource == "" {
			warnings = append(warnings, k.warningsOf(o, old)...)
		}
		if k.deletedByUpdate(o, old) {
			last = setMeta(o, "resourceVersion", old.ResourceVersion())
			return o, errEmptiedFinalizers
		}
		return o, nil
	})
	if errors.Is(err, errEmptiedFinalizers) {
		stored, err = last, s.remove(k, key, pre)
	}
	resp := api.Response{}
	if err != nil {
		resp = s.failure(k, err, req.Name)
	} else {
		resp = s.answer(k, req, 200, k.served(stored))
	}
	resp.Warnings = warnings
	return resp
}

// checkVersion is the optimistic lock: an object that names a resourceVersion
// must name the stored one.
func (k *kind) checkVersion(o, old object.Object, name string) (object.Object, error) {
	if rv := o.ResourceVersion(); rv != "" && rv == old.ResourceVersion() {
		return o, nil
	}
	version, err := store.ParseRevision(o.ResourceVersion())
	switch {
	case err != nil:
		return o, err
	case version == 0 && k.unconditional:
		return setMeta(o, "resourceVersion", old.ResourceVersion()), nil
	case version == 0:
		// The real server names the resource here where it should name the kind.
		return o, api.NewInvalid(object.GVK{Group: k.GVR.Group, Kind: k.GVR.Resource}, name,
			[]*api.FieldError{invalid("metadata.resourceVersion", int64(0), "must be specified for an update")})
	case strconv.FormatUint(version, 10) != old.ResourceVersion():
		return o, api.NewConflict(k.GVR, name, optimisticLockError)
	}
	return o, nil
}

// beforeUpdate sets what clients may not and validates the rest. Models
// rest.BeforeUpdate.
func (s *Server) beforeUpdate(k *kind, o, old object.Object, subresource string) (object.Object, error) {
	o = keepMeta(o, old, "generation")
	if subresource == "" && k.begin != nil {
		var errs []*api.FieldError
		if o, errs = k.begin(s, o, old); len(errs) > 0 {
			return o, invalidStatus(o, errs)
		}
	}
	if subresource != "" {
		o = k.subresources[subresource](o, old)
	} else if k.prepareForUpdate != nil {
		o = k.prepareForUpdate(s, o, old)
	}
	if o.UID() == "" {
		o = setMeta(o, "uid", old.UID())
	}
	o = keepMeta(o, old, "creationTimestamp")
	if old.Terminating() {
		o = keepMeta(o, old, "deletionTimestamp")
	}
	if _, ok := o.At("metadata", "deletionGracePeriodSeconds"); !ok {
		o = keepMeta(o, old, "deletionGracePeriodSeconds")
	}
	errs := append(validateObjectMeta(o, old, k.Namespaced, nameIsPathSegment), validateObjectMetaUpdate(o, old)...)
	if k.validateUpdate != nil {
		errs = append(errs, k.validateUpdate(s, o, old, subresource)...)
	}
	if len(errs) > 0 {
		return o, invalidStatus(o, k.told(errs))
	}
	if !k.Custom {
		o = unsetMeta(o, unread)
	}
	return o, nil
}

// nextGeneration counts the generation of an object up. That is a change for sure,
// so it gets its resourceVersion in the same copy.
func (s *Server) nextGeneration(o, old object.Object) object.Object {
	meta := o.Map("metadata").WithAll(object.Field{Key: "generation", Value: old.Generation() + 1},
		object.Field{Key: "resourceVersion", Value: s.store.Next()})
	return object.New(o.Root().With("metadata", meta))
}

// told are the errors that a client is told of: metadata is checked for all
// kinds, and once more for each, and for kinds of the core group what was found
// twice is told once.
func (k *kind) told(errs []*api.FieldError) []*api.FieldError {
	if k.Custom || k.GVR.Group != "" {
		return errs
	}
	return once(errs)
}

// once returns the errors in their order, without those that read as an earlier
// one does; errs stays as it is.
func once(errs []*api.FieldError) []*api.FieldError {
	if len(errs) < 2 {
		return errs
	}
	var out []*api.FieldError
	said := map[string]bool{}
	for _, e := range errs {
		if text := e.Error(); !said[text] {
			said[text] = true
			out = append(out, e)
		}
	}
	return out
}

// deletedByUpdate reports whether an update leaves a terminating object with
// nothing that holds it. Models ShouldDeleteDuringUpdate.
func (k *kind) deletedByUpdate(o, old object.Object) bool {
	return old.Terminating() && len(o.Finalizers()) == 0 && o.List("spec", "finalizers").Len() == 0
}

// remove takes an object out of the store.
func (s *Server) remove(k *kind, key string, pre store.Preconditions) error {
	last, err := s.store.Delete(key, pre)
	if err == nil && !s.dry {
		s.afterDelete(k, last)
	}
	return err
}
