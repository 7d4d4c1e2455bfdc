package apiserver

import (
	"fmt"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/store"
)

// create serves a POST. Models handlers.createHandler and Store.Create.
func (s *Server) create(k *kind, req *api.Request) api.Response {
	if status := validateWriteOptions("CreateOptions", req); status != nil {
		return failed(status)
	}
	d, status := s.decodeObject(k, req, object.Object{})
	if status != nil {
		return failed(status)
	}
	warnings, err := strictness(req.FieldValidation, d.strict)
	if err != nil {
		return failed(notStrict(k, d.gvk, err))
	}
	resp := s.createDecoded(k, req, d)
	if len(warnings) > 0 {
		resp.Warnings = append(warnings, resp.Warnings...)
	}
	return resp
}

func (s *Server) createDecoded(k *kind, req *api.Request, d decoded) api.Response {
	if d.gvk.Group != k.GVR.Group || d.gvk.Version != k.GVR.Version {
		return failed(api.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%s)", d.gvk.APIVersion(), k.apiVersion())))
	}
	o, status := ensureNamespace(d.object, req.Namespace)
	if status != nil {
		return failed(status)
	}
	o, warnings := dedupOwners(unsetMeta(o, "deletionTimestamp", "deletionGracePeriodSeconds"), "")
	resp := s.createAdmitted(k, req, o)
	if len(warnings) > 0 {
		resp.Warnings = append(warnings, resp.Warnings...)
	}
	return resp
}

func (s *Server) createAdmitted(k *kind, req *api.Request, o object.Object) api.Response {
	if k.Custom && k.crd.Terminating {
		return failed(k.noCreation(o.Name()))
	}
	if status := s.admitToNamespace(k, o); status != nil {
		return failed(status)
	}
	o, err := s.createObject(k, o, s.entries(k, req, o))
	if err != nil {
		resp := s.failure(k, err, o.Name())
		if resp.Code != 422 {
			// It was valid, and the store refuses it.
			resp.Warnings = k.warningsOf(o, object.Object{})
		}
		return resp
	}
	return s.answerCreated(k, req, o, nil)
}

// answerCreated gives an object that was just stored, with the warnings about
// it after those that there are.
func (s *Server) answerCreated(k *kind, req *api.Request, o object.Object, warnings []string) api.Response {
	warnings = append(warnings, k.warningsOf(o, object.Object{})...)
	resp := s.answer(k, req, 201, k.served(o))
	resp.Warnings = warnings
	return resp
}

// noCreation is the answer while a definition is being deleted: nothing new
// may keep it.
func (k *kind) noCreation(name string) *api.Status {
	return k.forbiddenStatus(name, "create not allowed while custom resource definition is terminating")
}

// admitToNamespace refuses new objects in a namespace that is missing or
// going. Models the NamespaceLifecycle admission plugin.
func (s *Server) admitToNamespace(k *kind, o object.Object) *api.Status {
	if !k.Namespaced {
		return nil
	}
	name := o.Namespace()
	ns, ok := s.store.Get(namespacePrefix + name)
	if !ok {
		return api.NewNotFound(object.GVR{Version: "v1", Resource: "namespaces"}, name)
	}
	if !ns.Terminating() {
		return nil
	}
	who := o.Name()
	if who == "" {
		who = o.Str("metadata", "generateName")
	}
	if who == "" {
		who = "Unknown"
	}
	status := k.forbiddenStatus(who, fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", name))
	status.Details.Causes = []api.Cause{{Reason: "NamespaceTerminating",
		Message: fmt.Sprintf("namespace %s is being terminated", name), Field: "metadata.namespace"}}
	return status
}

// createObject fills in, validates and stores a new object, with the entries of
// managedFields given.
func (s *Server) createObject(k *kind, o object.Object, entries *object.List) (object.Object, error) {
	meta := o.Map("metadata")
	version, err := store.ParseRevision(object.New(meta).Str("resourceVersion"))
	numbered := err == nil && version == 0 && !s.dry
	// All at once, and the resourceVersion with it, so that one copy is made.
	system := append(make([]object.Field, 0, 5), object.Field{Key: "creationTimestamp", Value: s.stampValue()})
	if k.Custom {
		system = append(system, object.Field{Key: "generation", Value: int64(1)})
	}
	system = append(system, object.Field{Key: "managedFields", Value: entries})
	if numbered {
		system = append(system, object.Field{Key: "resourceVersion", Value: s.store.Next()})
	}
	system = append(system, object.Field{Key: "uid", Value: s.gen.uid()})
	meta = cleared(meta, "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
	root := make([]object.Field, 0, 3)
	if o.APIVersion() == k.apiVersion() && o.Kind() == k.Kind {
		root = append(root, k.head...)
	}
	root = append(root, object.Field{Key: "metadata", Value: meta.WithAll(system...)})
	o = object.New(o.Root().WithAll(root...))
	if entries == nil {
		o = o.Unset("metadata", "managedFields")
	}
	if base := o.Str("metadata", "generateName"); base != "" && o.Name() == "" {
		o = s.generateName(k, o, base)
	}
	var errs []*api.FieldError
	if k.begin != nil {
		o, errs = k.begin(s, o, object.Object{})
	}
	if k.prepareForCreate != nil {
		o = k.prepareForCreate(s, o)
	}
	if len(errs) == 0 && k.validate != nil {
		errs = k.validate(s, o)
	}
	if len(errs) == 0 && !k.Custom {
		// Of a custom resource that is checked already, for stricter names.
		errs = validateObjectMeta(o, object.Object{}, k.Namespaced, nameIsPathSegment)
	}
	if len(errs) > 0 {
		return o, invalidStatus(o, k.told(errs))
	}
	key, put := k.key(o.Namespace(), o.Name()), s.store.Add
	kept, tooLarge := s.fit(k, key, k.stored(o, object.Object{}), object.Object{})
	if tooLarge != nil && (err != nil || version == 0) {
		return o, tooLarge
	}
	if !numbered {
		if existing, taken := s.store.Get(key); taken && (s.dry || err != nil || version == 0) {
			return o, k.alreadyExists(o, existing)
		}
		if s.dry {
			// A resourceVersion is found fault with by the store alone.
			return o, nil
		}
		put = s.store.Create
	}
	stored, err := put(key, kept)
	if err != nil && numbered {
		existing, _ := s.store.Get(key)
		return o, k.alreadyExists(o, existing)
	}
	if err != nil {
		return o, err
	}
	s.afterWrite(k, stored)
	return stored, nil
}

// alreadyExists refuses a create where something is stored.
func (k *kind) alreadyExists(o, existing object.Object) error {
	status := api.NewAlreadyExists(k.GVR, o.Name())
	if o.Str("metadata", "generateName") != "" {
		// It says so of a name that was given, too.
		status.Message += ", the server was not able to generate a unique name for the object"
		status.Details.RetryAfterSeconds = 1
	}
	if existing.Terminating() {
		status.Message = "object is being deleted: " + status.Message
	}
	return status
}

// maxNameAttempts bounds how often a name is drawn again since it is taken.
const maxNameAttempts = 8

func (s *Server) generateName(k *kind, o object.Object, base string) object.Object {
	for range maxNameAttempts {
		o = setMeta(o, "name", s.gen.name(base))
		if _, taken := s.store.Get(k.key(o.Namespace(), o.Name())); !taken {
			break
		}
	}
	return o
}

// warningsOf are those of a write; old is zero on a create.
func (k *kind) warningsOf(o, old object.Object) []string {
	if k.warnings == nil {
		return nil
	}
	return k.warnings(o, old)
}

// write stores an object that replaces existing; a dry run keeps the
// resourceVersion.
func (s *Server) write(k *kind, key string, pre store.Preconditions, update store.Update) (object.Object, error) {
	before := ""
	stored, err := s.store.GuaranteedUpdate(key, pre, func(existing object.Object) (object.Object, error) {
		before = existing.ResourceVersion()
		o, err := update(unsetMeta(existing, unread))
		meta := o.Map("metadata")
		if m := cleared(meta, "selfLink"); m != meta && !s.dry {
			// What is stored has none, and what is not comes back as it was sent.
			o = object.New(o.Root().With("metadata", m))
		}
		if o = k.stored(o, existing); err == nil {
			return s.fit(k, key, o, existing)
		}
		return o, err
	})
	if err != nil {
		return object.Object{}, err
	}
	if s.dry {
		return setMeta(stored, "resourceVersion", before), nil
	}
	s.afterWrite(k, stored)
	return stored, nil
}
