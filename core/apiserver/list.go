package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// list serves a GET of a collection. Models Store.ListPredicate over etcd3's
// GetList.
func (s *Server) list(k *kind, req *api.Request) api.Response {
	sel, status := k.selection(req)
	if status != nil {
		return failed(status)
	}
	limit := req.Limit
	if req.ResourceVersion == "0" && req.ResourceVersionMatch != "Exact" {
		// It is answered from the cache, which knows no pages.
		limit = 0
	}
	from, start, status := s.listFrom(k, req)
	if status != nil {
		return failed(status)
	}
	list := &api.ObjectList{GVK: object.GVK{Group: k.GVR.Group, Version: k.GVR.Version, Kind: k.ListKind},
		ResourceVersion: store.FormatRevision(from.Revision())}
	prefix := k.prefix(req.Namespace)
	var last string
	more := int64(0)
	for key, o := range sel.candidates(from, prefix, start) {
		if !sel.matches(o) {
			continue
		}
		if limit > 0 && int64(len(list.Items)) == limit {
			more++
			continue
		}
		list.Items = append(list.Items, k.served(o))
		last = key
	}
	if more == 0 && limit > 0 && int64(len(list.Items)) == limit && !sel.everything && !k.asksForOne(sel, req) {
		// A full page that is followed by anything is not the last one.
		for range from.Range(prefix, last+"\x00") {
			more = 1
			break
		}
	}
	if more > 0 {
		list.Continue = encodeContinue(from.Revision(), strings.TrimPrefix(last, prefix)+"\x00")
		if sel.everything {
			list.RemainingItemCount = &more
		}
	}
	return s.answerList(k, req, list)
}

func (s *Server) answerList(k *kind, req *api.Request, list *api.ObjectList) api.Response {
	if status := checkInclude(req); status != nil {
		return failed(status)
	}
	switch req.As {
	case api.AsWrongPartial:
		return failed(k.isList())
	case api.AsTable:
		meta := object.NewMap(object.Field{Key: "resourceVersion", Value: list.ResourceVersion})
		if list.Continue != "" {
			meta = meta.With("continue", list.Continue)
		}
		if list.RemainingItemCount != nil {
			meta = meta.With("remainingItemCount", *list.RemainingItemCount)
		}
		return api.Response{Code: 200, Table: s.table(k, req, list.Items, meta)}
	case api.AsPartial:
		out := *list
		out.GVK = object.GVK{Group: "meta.k8s.io", Version: formVersion(req).Version, Kind: "PartialObjectMetadataList"}
		out.Items = make([]object.Object, len(list.Items))
		for i, o := range list.Items {
			out.Items[i] = partial(req, o)
		}
		return api.Response{Code: 200, List: &out}
	}
	return api.Response{Code: 200, List: list}
}

// listFrom returns the store at the revision that a list asks for, and the key
// to begin with.
func (s *Server) listFrom(k *kind, req *api.Request) (*store.Store, string, *api.Status) {
	if req.Continue != "" {
		rv, start, err := decodeContinue(req.Continue)
		if err != nil {
			return nil, "", api.NewBadRequest("invalid continue token: " + err.Error())
		}
		if req.ResourceVersion != "" && req.ResourceVersion != "0" {
			return nil, "", api.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		if rv < 0 {
			// It goes on with what there is now.
			return s.store, k.prefix(req.Namespace) + start, nil
		}
		if rv > s.Revision() {
			return nil, "", tooLarge(uint64(rv), s.Revision())
		}
		then, err := s.store.At(rv)
		if err != nil {
			status := expired(inconsistentContinue)
			status.Continue = encodeContinue(-1, start)
			return nil, "", status
		}
		return then, k.prefix(req.Namespace) + start, nil
	}
	rv, err := store.ParseRevision(req.ResourceVersion)
	if err != nil {
		return nil, "", api.NewBadRequest("invalid resource version: " + invalid("resourceVersion", req.ResourceVersion, err.Error()).Error())
	}
	if rv > uint64(s.Revision()) {
		return nil, "", tooLarge(rv, s.Revision())
	}
	// A limited list without a match is exact too, as it was before matches.
	exact := req.ResourceVersionMatch == "Exact" || req.ResourceVersionMatch == "" && req.Limit > 0 && rv > 0
	if !exact {
		return s.store, "", nil
	}
	then, err := s.store.At(int64(rv))
	if err != nil {
		return nil, "", expired("The resourceVersion for the provided list is too old.")
	}
	return then, "", nil
}

// inconsistentContinue is etcd3's text for a page whose list is compacted.
const inconsistentContinue = "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
	"the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided " +
	"token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned " +
	"and now may show up in the list."

// expired is 410.
func expired(message string) *api.Status {
	return &api.Status{Status: api.Failure, Code: 410, Reason: api.ReasonExpired, Message: message}
}

// continueToken is where the next page of a list begins. Models
// storage.EncodeContinue.
type continueToken struct {
	APIVersion      string `json:"v"`
	ResourceVersion int64  `json:"rv"`
	StartKey        string `json:"start"`
}

func encodeContinue(rv int64, start string) string {
	b, err := json.Marshal(continueToken{"meta.k8s.io/v1", rv, start})
	if err != nil {
		// A token of a number and two strings always encodes.
		panic(err)
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func decodeContinue(token string) (rv int64, start string, err error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %w", err)
	}
	var c continueToken
	if err := json.Unmarshal(b, &c); err != nil {
		return 0, "", fmt.Errorf("continue key is not valid: %s", strings.Replace(err.Error(), "apiserver.", "storage.", 1))
	}
	switch {
	case c.APIVersion != "meta.k8s.io/v1":
		return 0, "", fmt.Errorf("continue key is not valid: server does not recognize this encoded version %s", c.APIVersion)
	case c.ResourceVersion == 0:
		return 0, "", errors.New("continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)")
	case c.StartKey == "":
		return 0, "", errors.New("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
	case path.Clean("/"+c.StartKey) != "/"+strings.TrimPrefix(c.StartKey, "/"):
		return 0, "", fmt.Errorf("continue key is not valid: %s", c.StartKey)
	}
	return c.ResourceVersion, c.StartKey, nil
}

// Stored is one object with the resource under which it is stored.
type Stored struct {
	GVR    object.GVR
	Object object.Object
}

// All walks every object, in the version in which it is stored, in order of
// key: by group and resource, then namespace, then name.
func (s *Server) All() iter.Seq[Stored] {
	return func(yield func(Stored) bool) {
		for key, o := range s.store.Range("/registry/", "") {
			k := s.kinds.ofKey(key)
			if k == nil {
				continue
			}
			if !yield(Stored{k.GVR, unsetMeta(o, unread)}) {
				return
			}
		}
	}
}

// Find returns an object without a request, for views. A ref without a group
// means the first group that serves the kind and has such an object.
func (s *Server) Find(ref object.Ref) (object.Object, bool) {
	for _, k := range s.kinds.list {
		if k.Kind != ref.Kind || ref.Group != "" && k.GVR.Group != ref.Group {
			continue
		}
		if o, ok := s.store.Get(k.key(ref.Namespace, ref.Name)); ok {
			return unsetMeta(o, unread), true
		}
	}
	return object.Object{}, false
}
