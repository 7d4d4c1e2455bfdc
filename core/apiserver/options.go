package apiserver

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// isDryRun reports whether a request shall change nothing.
func isDryRun(req *api.Request) bool {
	if (req.Verb == api.Delete || req.Verb == api.DeleteCollection) && hasBody(req) {
		if m, ok := req.Body.(*object.Map); ok && !m.Has("dryRun") {
			return false
		}
		if opts, err := deleteOptionsOf(req); err == nil {
			return slices.Contains(opts.dryRun, "All")
		}
	}
	return req.Verb.Writes() && slices.Contains(req.DryRun, "All")
}

func validateDryRun(values []string) []*api.FieldError {
	for _, v := range values {
		if v != "All" {
			return []*api.FieldError{notSupported("dryRun", goStrings(values), "All")}
		}
	}
	return nil
}

// goStrings prints a []string inside an error text.
func goStrings(values []string) rawJSON {
	return rawJSON(object.EncodeJSON(object.Strings(values...)))
}

// validateWriteOptions checks the query of a create, update or patch. Models
// metav1 validation.ValidateCreateOptions and its siblings.
func validateWriteOptions(kind string, req *api.Request) *api.Status {
	var errs []*api.FieldError
	switch {
	case kind != "PatchOptions":
	case req.PatchType == api.ApplyPatch && req.FieldManager == "":
		errs = append(errs, required("fieldManager", "is required for apply patch"))
	case req.PatchType != api.ApplyPatch && req.Force != nil:
		errs = append(errs, forbidden("force", "may not be specified for non-apply patch"))
	}
	errs = append(errs, validateFieldManager("fieldManager", req.FieldManager)...)
	errs = append(errs, validateDryRun(req.DryRun)...)
	switch req.FieldValidation {
	case "", "Ignore", "Warn", "Strict":
	default:
		errs = append(errs, notSupported("fieldValidation", req.FieldValidation, "", "Ignore", "Strict", "Warn"))
	}
	return optionsStatus(kind, errs)
}

// maxFieldManager bounds the name of a field manager, in bytes.
const maxFieldManager = 128

func validateFieldManager(path, name string) []*api.FieldError {
	var errs []*api.FieldError
	if len(name) > maxFieldManager {
		errs = append(errs, &api.FieldError{Type: api.FieldTooLong, Field: path, Detail: fmt.Sprintf("may not be more than %d bytes", maxFieldManager)})
	}
	for i, r := range name {
		if !unicode.IsPrint(r) {
			errs = append(errs, invalid(path, name, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}

func optionsStatus(kind string, errs []*api.FieldError) *api.Status {
	if len(errs) == 0 {
		return nil
	}
	return api.NewInvalid(object.GVK{Group: "meta.k8s.io", Kind: kind}, "", errs)
}

// validateListOptions checks the query of a list or watch. Models
// internalversion validation.ValidateListOptions.
func validateListOptions(req *api.Request) *api.Status {
	const path = "resourceVersionMatch"
	match := req.ResourceVersionMatch
	if req.Verb == api.Watch {
		return optionsStatus("ListOptions", validateWatchOptions(req, path))
	}
	var errs []*api.FieldError
	if match != "" {
		if req.ResourceVersion == "" {
			errs = append(errs, forbidden(path, "resourceVersionMatch is forbidden unless resourceVersion is provided"))
		}
		if req.Continue != "" {
			errs = append(errs, forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
		}
		if match != "Exact" && match != "NotOlderThan" {
			errs = append(errs, notSupported(path, match, "Exact", "NotOlderThan", ""))
		}
		if match == "Exact" && req.ResourceVersion == "0" {
			errs = append(errs, forbidden(path, `resourceVersionMatch "exact" is forbidden for resourceVersion "0"`))
		}
	}
	if req.SendInitialEvents != nil {
		errs = append(errs, forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
	}
	return optionsStatus("ListOptions", errs)
}

func validateWatchOptions(req *api.Request, path string) []*api.FieldError {
	var errs []*api.FieldError
	match, sends := req.ResourceVersionMatch, req.SendInitialEvents != nil
	if !sends && match == "" && (req.ResourceVersion == "" || req.ResourceVersion == "0") {
		// The real server asks for the initial events itself here.
		sends, match = true, "NotOlderThan"
	}
	if sends && match != "NotOlderThan" {
		errs = append(errs, forbidden(path, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
	}
	if match == "" {
		return errs
	}
	if !sends {
		errs = append(errs, forbidden(path, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
	}
	if match != "NotOlderThan" {
		errs = append(errs, notSupported(path, match, "NotOlderThan"))
	}
	if req.Continue != "" {
		errs = append(errs, forbidden(path, "resourceVersionMatch is forbidden when continue is provided"))
	}
	return errs
}

// deleteOptions are metav1.DeleteOptions.
type deleteOptions struct {
	// propagation is nil where the object decides.
	propagation *string
	orphan      *bool
	dryRun      []string
	// uid and rv are preconditions; nil asks nothing, and the empty one is one.
	uid, rv *string
	grace   *int64
	// conditional says that there are preconditions, empty or not. unreadable asks
	// to delete what cannot be read.
	conditional, unreadable bool
}

var deleteOptionsType = structOf("v1", "DeleteOptions",
	field("apiVersion", stringType), field("kind", stringType), pointer("gracePeriodSeconds", int64Type),
	field("preconditions", structOf("v1", "Preconditions", pointer("uid", textNamed("types.UID")), pointer("resourceVersion", stringType))),
	pointer("orphanDependents", boolType), pointer("propagationPolicy", textNamed("v1.DeletionPropagation")), field("dryRun", stringSlice),
	pointer(ignoreStoreReadError, boolType))

// hasBody reports whether a delete has one.
func hasBody(req *api.Request) bool { return req.Body != nil || len(req.RawBody) > 0 }

// deleteOptionsOf reads the options of a delete. Where there is a body the
// query does not count.
func deleteOptionsOf(req *api.Request) (deleteOptions, error) {
	if !hasBody(req) {
		return deleteOptions{propagation: req.PropagationPolicy, orphan: req.OrphanDependents, dryRun: req.DryRun, grace: req.GracePeriodSeconds,
			uid: given(req.UID), rv: given(req.ResourceVersion), unreadable: req.IgnoreStoreReadError}, nil
	}
	b, err := parseBody(req)
	if err != nil {
		return deleteOptions{}, err
	}
	if b.err != nil {
		return deleteOptions{}, b.err
	}
	if b.gvk.Kind != "" && b.gvk.Kind != "DeleteOptions" {
		return deleteOptions{}, notDeleteOptions(defaultGVK(b.gvk, object.GVK{Group: "meta.k8s.io", Version: "v1"}))
	}
	v := b.value
	if !deleteOptionsType.reads(v, nil) {
		d := goDecoder{}
		if v, err = d.decodeAll(v, deleteOptionsType); err != nil {
			return deleteOptions{}, err
		}
	}
	m, _ := v.(*object.Map)
	o := object.New(m)
	opts := deleteOptions{
		propagation: stringAt(o, "propagationPolicy"),
		uid:         stringAt(o, "preconditions", "uid"), rv: stringAt(o, "preconditions", "resourceVersion"),
	}
	for _, x := range o.List("dryRun").All() {
		opts.dryRun = append(opts.dryRun, x.(string))
	}
	if v, ok := o.At("orphanDependents"); ok {
		orphan := v.(bool)
		opts.orphan = &orphan
	}
	if n, ok := o.Int("gracePeriodSeconds"); ok {
		opts.grace = &n
	}
	opts.conditional, opts.unreadable = o.Map("preconditions") != nil, o.Bool(ignoreStoreReadError)
	return opts, nil
}

// given is nil for the empty text.
func given(s string) *string {
	if s == "" {
		return nil
	}
	own := s
	return &own
}

// optionKinds are known beside DeleteOptions where a delete's body is read, by
// apiVersion; those under no apiVersion are known in each.
var optionKinds = map[string]string{
	"":                    "CreateOptions UpdateOptions",
	"v1":                  "APIGroup APIGroupList APIResourceList APIVersions Status",
	"meta.k8s.io/v1":      "GetOptions ListOptions PartialObjectMetadata PartialObjectMetadataList PatchOptions Table TableOptions WatchEvent",
	"meta.k8s.io/v1beta1": "PartialObjectMetadata PartialObjectMetadataList Table TableOptions",
}

// notDeleteOptions says why a body of another kind is not taken.
func notDeleteOptions(gvk object.GVK) error {
	known := strings.Fields(optionKinds[""] + " " + optionKinds[gvk.APIVersion()])
	if !slices.Contains(known, gvk.Kind) {
		return notRegistered(gvk)
	}
	version := gvk.Version
	if version != "v1beta1" {
		version = "v1"
	}
	return fmt.Errorf("converting (%s.%s) to (v1.DeleteOptions): unknown conversion", version, gvk.Kind)
}

// stringAt is nil where there is no string.
func stringAt(o object.Object, path ...string) *string {
	v, _ := o.At(path...)
	if s, ok := v.(string); ok {
		return &s
	}
	return nil
}

// validate models metav1 validation.ValidateDeleteOptions.
func (d deleteOptions) validate() *api.Status {
	if d.propagation == nil && len(d.dryRun) == 0 && !d.unreadable {
		return nil
	}
	var errs []*api.FieldError
	if d.propagation != nil {
		if d.orphan != nil {
			errs = append(errs, invalid("propagationPolicy", *d.propagation, "orphanDependents and deletionPropagation cannot be both set"))
		}
		if policies := []string{"Foreground", "Background", "Orphan"}; !slices.Contains(policies, *d.propagation) {
			errs = append(errs, notSupported("propagationPolicy", *d.propagation, append(policies, "nil")...))
		}
	}
	errs = append(errs, validateDryRun(d.dryRun)...)
	for _, beside := range []struct {
		given bool
		name  string
	}{{d.propagation != nil, "propagationPolicy"}, {d.orphan != nil, "orphanDependents"}, {d.grace != nil, "gracePeriodSeconds"}, {d.conditional, "preconditions"}} {
		if d.unreadable && beside.given {
			errs = append(errs, invalid(ignoreStoreReadError, true, "cannot be set together with ."+beside.name))
		}
	}
	return optionsStatus("DeleteOptions", errs)
}

const ignoreStoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// unsafeDeletion is the answer to who asks to delete an object that cannot be
// read: here each can.
func (k *kind) unsafeDeletion(namespace, name string) *api.Status {
	return api.NewConflict(k.GVR, name, fmt.Sprintf("StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: "+
		"unsafe deletion is not allowed because the object is decodable from storage", k.key(namespace, name)))
}
