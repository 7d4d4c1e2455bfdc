package apiserver

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/managedfields"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/schema"
)

// asAPIServer is a request as the real server's own controllers make them.
func asAPIServer(subresource string) *api.Request {
	return &api.Request{UserAgent: "kube-apiserver", Subresource: subresource}
}

// builtinManagers are the field managers of a built-in kind, by subresource.
func builtinManagers(k *kind) map[string]*managedfields.FieldManager {
	version := k.GVR.APIVersion()
	types := map[string]*managedfields.Type{version: managedfields.Builtin(k.Kind)}
	complete := func(o object.Object) (object.Object, error) {
		given, _ := o.At(k.exact)
		o, _, err := k.convert(o.Root())
		if m, ok := given.(*object.Map); ok && m.Len() == 0 {
			o = o.Set(m, "metadata", unread, k.exact)
		}
		if err != nil {
			err = fmt.Errorf("unable to convert unstructured object to %s/%s, Kind=%s: %w", k.GVR.Group, k.GVR.Version, k.Kind, err)
		}
		return o, err
	}
	empty := object.FromMap(map[string]any{"metadata": map[string]any{}}).Root()
	for _, key := range slices.Sorted(maps.Keys(k.structs)) {
		empty = empty.With(key, object.FromAny(k.structs[key]))
	}
	out := map[string]*managedfields.FieldManager{}
	for _, sub := range append([]string{""}, slices.Sorted(maps.Keys(k.subresources))...) {
		out[sub] = managedfields.New(managedfields.Config{
			GVK: k.GVK(), Subresource: sub, Types: types, Empty: empty,
			Reset: map[string][]string{version: k.reset[sub]}, Complete: complete,
		})
	}
	return out
}

// customTypes are the types of all versions of a definition, served or not.
func customTypes(crd *schema.CRD) map[string]*managedfields.Type {
	types := map[string]*managedfields.Type{}
	for _, v := range crd.Versions {
		types[crd.GVR(v.Name).APIVersion()] = managedfields.Custom(v.Schema)
	}
	return types
}

// customManagers are the field managers of a custom resource. A write to the
// resource cannot set status, one to /status nothing else; of versions without
// the subresource that is not said. Models getStatusResetFields.
func customManagers(k *kind, types map[string]*managedfields.Type) map[string]*managedfields.FieldManager {
	config := managedfields.Config{GVK: k.GVK(), Types: types, Custom: true, Changed: k.coerces, Complete: k.completeCustom, Reset: map[string][]string{}}
	if !k.HasStatus {
		return map[string]*managedfields.FieldManager{"": managedfields.New(config)}
	}
	config.Reset[k.GVR.APIVersion()] = []string{"status"}
	status := config
	status.Subresource, status.Reset = "status", map[string][]string{}
	for _, v := range k.crd.Versions {
		if v.HasStatus {
			status.Reset[k.crd.GVR(v.Name).APIVersion()] = []string{"metadata", "spec"}
		}
	}
	return map[string]*managedfields.FieldManager{"": managedfields.New(config), "status": managedfields.New(status)}
}

// completeCustom prunes and defaults a merged object. Null stays, for validation to
// refuse.
func (k *kind) completeCustom(o object.Object) (object.Object, error) {
	root, _ := k.version.Schema.Prune(o.Root())
	root = k.version.Schema.Default(root)
	if kept, _, err := k.version.Schema.CoerceEmbedded(root, decodeEmbeddedMeta); err == nil {
		root = kept
	}
	if meta, ok := root.Get("metadata"); ok {
		d := goDecoder{}
		if v, err := d.decodeAll(meta, objectMetaType); err == nil {
			root = root.With("metadata", withUnread(meta, v))
		}
	}
	return object.New(root), nil
}

// track records in managedFields what a write that is no apply changes.
func (s *Server) track(k *kind, req *api.Request, live, o object.Object) object.Object {
	f := k.managers[req.Subresource]
	if f == nil {
		return o
	}
	return f.Update(live, o, managerOrUserAgent(req), s.stamp())
}

// entries are the managedFields of an object that a request creates.
func (s *Server) entries(k *kind, req *api.Request, o object.Object) *object.List {
	f := k.managers[req.Subresource]
	if f == nil {
		return o.List("metadata", "managedFields")
	}
	return f.Entries(object.Object{}, o, managerOrUserAgent(req), s.stamp())
}

// managerOrUserAgent is the field manager of a request: what it says, or else
// the client's name up to the first slash. Models prefixFromUserAgent.
func managerOrUserAgent(req *api.Request) string {
	if req.FieldManager != "" {
		return req.FieldManager
	}
	name, _, _ := strings.Cut(req.UserAgent, "/")
	if len(name) <= maxFieldManager && strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) < 0 {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxFieldManager {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ignoreTimes takes back the times of managedFields where nothing else differs:
// a write that changes nothing is none. Models
// IgnoreManagedFieldsTimestampsTransformer.
func ignoreTimes(o, old object.Object) object.Object {
	is, was := o.List("metadata", "managedFields"), old.List("metadata", "managedFields")
	if is == was || is.Len() != was.Len() {
		return o
	}
	for i, v := range is.All() {
		if !sameButTime(v, was.At(i)) {
			return o
		}
	}
	for key, v := range o.Root().All() {
		if before, ok := old.At(key); key != "metadata" && !(ok && object.Equal(v, before)) {
			return o
		}
	}
	if reverted := o.Set(was, "metadata", "managedFields"); reverted.Equal(old) {
		return reverted
	}
	return o
}

// sameButTime compares two entries of managedFields.
func sameButTime(a, b any) bool {
	if object.Same(a, b) {
		return true
	}
	e, _ := a.(*object.Map)
	f, _ := b.(*object.Map)
	for k, v := range e.All() {
		if w, _ := f.Get(k); k != "time" && !object.Equal(v, w) {
			return false
		}
	}
	for k := range f.All() {
		if k != "time" && !e.Has(k) {
			return false
		}
	}
	return true
}
