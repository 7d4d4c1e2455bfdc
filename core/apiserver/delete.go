package apiserver

import (
	"fmt"
	"math"
	"slices"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// delete serves a DELETE of one object. Models handlers.DeleteResource.
func (s *Server) delete(k *kind, req *api.Request) api.Response {
	opts, status := validDeleteOptions(req)
	if status != nil {
		return failed(status)
	}
	o, removed, err := s.deleteObject(k, req.Namespace, req.Name, opts)
	if err != nil {
		return s.failure(k, err, req.Name)
	}
	if removed && k.returnsDeleted && !s.dry {
		o = setMeta(o, "resourceVersion", store.FormatRevision(s.Revision()))
	}
	if !removed || k.returnsDeleted {
		return s.answer(k, req, deletionCode(removed, opts), k.served(o))
	}
	if status := checkInclude(req); status != nil {
		return failed(status)
	}
	gone := new(struct {
		status  api.Status
		details api.Details
	})
	gone.details = api.Details{Name: req.Name, Group: k.GVR.Group, Kind: k.GVR.Resource, UID: o.UID()}
	gone.status = api.Status{Status: api.Success, Details: &gone.details}
	return api.Response{Code: 200, Status: &gone.status}
}

// validDeleteOptions reads and checks the options of a delete.
func validDeleteOptions(req *api.Request) (deleteOptions, *api.Status) {
	if hasBody(req) && !readable(req) {
		return deleteOptions{}, unsupportedMediaType(bodyTypes)
	}
	opts, err := deleteOptionsOf(req)
	if err != nil {
		return opts, api.NewBadRequest(err.Error())
	}
	return opts, opts.validate()
}

// deletionCode is 202 where the client asked by orphanDependents=false for a
// deletion that has yet to happen.
func deletionCode(gone bool, opts deleteOptions) int {
	if !gone && opts.orphan != nil && !*opts.orphan {
		return 202
	}
	return 200
}

// deleteObject deletes an object, or marks it as being deleted where a
// finalizer holds it. It returns the object as it is then, and whether it is
// gone. Models Store.Delete.
func (s *Server) deleteObject(k *kind, namespace, name string, opts deleteOptions) (object.Object, bool, error) {
	key, existing, ok := s.lookUp(k, namespace, name)
	if !ok {
		return existing, false, api.NewNotFound(k.GVR, name)
	}
	if opts.unreadable {
		return existing, false, k.unsafeDeletion(namespace, name)
	}
	if status := checkPreconditions(k, existing, opts); status != nil {
		return existing, false, status
	}
	if k.deletion != nil {
		if o, done, err := k.deletion(s, k, existing, opts); done || err != nil {
			return o, false, err
		}
	}
	finalizers := k.deletionFinalizers(existing, opts)
	if len(finalizers) > 0 {
		o, err := s.write(k, key, store.Preconditions{}, func(o object.Object) (object.Object, error) {
			return markAsDeleting(o.WithFinalizers(finalizers...), s.stamp()), nil
		})
		return o, false, err
	}
	return existing, true, s.remove(k, key, noPreconditions)
}

// checkPreconditions models rest.BeforeDelete, whose texts name the kind, and
// the Delete of the kinds that have one of their own, whose texts do not.
func checkPreconditions(k *kind, o object.Object, opts deleteOptions) *api.Status {
	if k.deletion != nil {
		pre := func(what, want, got string) *api.Status {
			text := "Precondition failed"
			if k.GVR.Group != "" {
				text = "precondition failed"
			}
			return api.NewConflict(k.GVR, o.Name(), fmt.Sprintf(text+": %s in precondition: %s, %s in object meta: %s", what, want, what, got))
		}
		switch {
		case opts.uid != nil && *opts.uid != o.UID():
			return pre("UID", *opts.uid, o.UID())
		case opts.rv != nil && *opts.rv != o.ResourceVersion():
			return pre("ResourceVersion", *opts.rv, o.ResourceVersion())
		}
		return nil
	}
	gvr := object.GVR{Group: k.GVR.Group, Resource: k.Kind}
	if opts.uid != nil && *opts.uid != o.UID() {
		return api.NewConflict(gvr, o.Name(), fmt.Sprintf("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *opts.uid, o.UID()))
	}
	if opts.rv != nil && *opts.rv != o.ResourceVersion() {
		return api.NewConflict(gvr, o.Name(), fmt.Sprintf("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *opts.rv, o.ResourceVersion()))
	}
	return nil
}

// deletionFinalizers are an object's finalizers with those of the garbage
// collector set as the propagation policy asks. Models
// deletionFinalizersForGarbageCollection.
func (k *kind) deletionFinalizers(o object.Object, opts deleteOptions) []string {
	was := o.Finalizers()
	if !k.noGarbageCollection && opts.orphan == nil && opts.propagation == nil {
		return was
	}
	orphan, foreground := slices.Contains(was, orphanFinalizer), slices.Contains(was, foregroundFinalizer)
	switch {
	case k.noGarbageCollection:
		orphan, foreground = false, false
	case opts.orphan != nil:
		orphan, foreground = *opts.orphan, false
	case opts.propagation != nil:
		orphan, foreground = *opts.propagation == "Orphan", *opts.propagation == "Foreground"
	}
	var out []string
	for _, f := range was {
		if f != orphanFinalizer && f != foregroundFinalizer {
			out = append(out, f)
		}
	}
	if orphan {
		out = append(out, orphanFinalizer)
	}
	if foreground {
		out = append(out, foregroundFinalizer)
	}
	if sameSet(out, was) {
		return was
	}
	return out
}

func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// markAsDeleting sets the deletionTimestamp, once.
func markAsDeleting(o object.Object, now string) object.Object {
	if !o.Terminating() {
		if o.Generation() > 0 {
			o = setMeta(o, "generation", o.Generation()+1)
		}
		o = setMeta(o, "deletionTimestamp", now)
	}
	return setMeta(o, "deletionGracePeriodSeconds", int64(0))
}

// deleteCollection deletes all that a list of the same options finds, and
// answers with that list as it was before.
func (s *Server) deleteCollection(k *kind, req *api.Request) api.Response {
	if _, status := k.selection(req); status != nil {
		return failed(status)
	}
	opts, status := validDeleteOptions(req)
	if status != nil {
		return failed(status)
	}
	if opts.unreadable {
		return failed(optionsStatus("DeleteOptions", []*api.FieldError{invalid(ignoreStoreReadError, true, "is not allowed with DELETECOLLECTION, try again after removing the option")}))
	}
	limit := req.Limit
	if limit == 0 {
		// It reads pages, and so what there was at the resourceVersion.
		limit = math.MaxInt64
	}
	found := s.list(k, &api.Request{Verb: api.List, GVR: req.GVR, Namespace: req.Namespace, Options: api.Options{
		LabelSelector: req.LabelSelector, FieldSelector: req.FieldSelector, Limit: limit, Continue: req.Continue,
		ResourceVersion: req.ResourceVersion, ResourceVersionMatch: req.ResourceVersionMatch}})
	if found.List == nil {
		return found
	}
	for _, o := range found.List.Items {
		if _, _, err := s.deleteObject(k, o.Namespace(), o.Name(), opts); err != nil && !api.IsNotFound(err) {
			return s.failure(k, err, o.Name())
		}
	}
	return s.answerList(k, req, found.List)
}
