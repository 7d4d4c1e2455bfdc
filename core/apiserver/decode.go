package apiserver

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// schemeName is what the real server's error texts call its table of types.
const schemeName = "pkg/runtime/scheme.go:111"

// body is a decoded request body.
type body struct {
	value any
	// text is the body as it was sent; nil for one that came as a value.
	text []byte
	// strict are the complaints about repeated keys.
	strict []string
	// group, version and kind as the body names them.
	gvk object.GVK
	// err is why the body is no value although its kind can be read.
	err error
}

// parseBody reads a body as far as its kind. The error says why even that
// cannot be read. Models json.SimpleMetaFactory.Interpret.
func parseBody(req *api.Request) (body, error) {
	var b body
	switch {
	case req.Body != nil:
		b.value = req.Body
	case strings.Contains(req.RawType, "yaml"):
		var twice []string
		var err error
		b.text = req.RawBody
		b.value, twice, err = object.DecodeYAMLBody(req.RawBody)
		var wrong *object.YAMLError
		if errors.As(err, &wrong) {
			return b, errors.New(wrong.Parser())
		}
		if len(twice) > 0 {
			b.strict = append(b.strict, yamlErrors(twice))
		}
	default:
		b.text = req.RawBody
		var duplicates []string
		b.value, duplicates, b.err = object.DecodeStrict(req.RawBody)
		for _, path := range duplicates {
			b.strict = append(b.strict, fmt.Sprintf("duplicate field %q", path))
		}
	}
	m, isMap := b.value.(*object.Map)
	o := object.New(m)
	apiVersion, kind := o.APIVersion(), o.Kind()
	if b.err != nil || !isMap && b.value != nil || !headIsText(m) {
		var err error
		text := b.text
		if text == nil || strings.Contains(req.RawType, "yaml") {
			text = object.EncodeJSON(b.value)
		}
		if apiVersion, kind, err = readHead(text); err != nil {
			return b, fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
		}
	}
	group, version, ok := object.ParseAPIVersion(apiVersion)
	if !ok {
		return b, fmt.Errorf("unexpected GroupVersion string: %s", apiVersion)
	}
	b.gvk = object.GVK{Group: group, Version: version, Kind: kind}
	return b, nil
}

// readHead reads the kind of a body that is no object, or not read as one.
func readHead(text []byte) (apiVersion, kind string, err error) {
	var head struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	err = json.Unmarshal(text, &head)
	return head.APIVersion, head.Kind, err
}

// shown is the body as errors quote it.
func (b body) shown() []byte {
	if b.text == nil {
		return object.EncodeJSON(b.value)
	}
	return b.text
}

// headIsText reports whether apiVersion and kind are strings where they are
// given.
func headIsText(m *object.Map) bool {
	for _, key := range []string{"apiVersion", "kind"} {
		if v, _ := m.Get(key); v != nil {
			if _, ok := v.(string); !ok {
				return false
			}
		}
	}
	return true
}

// decoded is an object as a kind reads it.
type decoded struct {
	object object.Object
	gvk    object.GVK
	// strict are the complaints of strict decoding: `unknown field "spec.x"`.
	strict []string
}

// decodeObject reads the body of a create or update. live is what is stored,
// zero for nothing: what a body shares with that is read already.
func (s *Server) decodeObject(k *kind, req *api.Request, live object.Object) (decoded, *api.Status) {
	b, err := parseBody(req)
	if err != nil {
		return decoded{}, unrecognized(k, err, b.shown())
	}
	gvk := b.gvk
	if k.Custom {
		if gvk.Kind == "" {
			missing := fmt.Errorf("Object 'Kind' is missing in '%s'", b.shown())
			if req.FieldValidation == "Ignore" {
				// Its decoder knows of which kind it should be.
				return decoded{}, cannotHandle(k, k.GVK(), missing)
			}
			return decoded{}, unrecognized(k, missing, b.shown())
		}
	} else {
		gvk = defaultGVK(gvk, k.GVK())
	}
	if b.err != nil {
		return decoded{}, cannotHandle(k, gvk, b.err)
	}
	m, _ := b.value.(*object.Map)
	d := decoded{gvk: gvk, strict: b.strict}
	if k.oldVersion != "" && gvk == (object.GVK{Group: k.GVR.Group, Version: k.oldVersion, Kind: k.Kind}) {
		// It is decoded, too; that it is another version is seen later.
		d.object = object.New(m)
		return d, nil
	}
	if !k.Custom && gvk != k.GVK() {
		return d, cannotHandle(k, gvk, s.foreignKind(k, gvk, m))
	}
	o, unknown, err := k.decode(m, gvk, live)
	written := !k.Custom && b.text != nil && !strings.Contains(req.RawType, "yaml")
	if err != nil {
		var wrong wrongValues
		if written && errors.As(err, &wrong) {
			err = wrong.inOrder(b.text)
		}
		return d, cannotHandle(k, gvk, err)
	}
	d.object = o
	d.strict = append(d.strict, k.unknownFields(unknown)...)
	if written && len(d.strict) > 1 {
		d.strict = inOrder(d.strict, b.text)
	}
	return d, nil
}

func defaultGVK(gvk, defaults object.GVK) object.GVK {
	if gvk.Kind == "" {
		gvk.Kind = defaults.Kind
	}
	if gvk.Version == "" && gvk.Group == "" {
		gvk.Group, gvk.Version = defaults.Group, defaults.Version
	}
	return gvk
}

// decode reads a tree as an object of the kind: types checked, unknown fields
// dropped (and named), defaults filled in. gvk is what the tree says it is. What a
// custom resource shares with live, what is stored of it, is read already.
func (k *kind) decode(m *object.Map, gvk object.GVK, live object.Object) (object.Object, []string, error) {
	if k.Custom {
		return k.decodeCustom(m, gvk, live)
	}
	d := goDecoder{}
	o, err := k.decodeWith(&d, m)
	return o, d.unknown, err
}

// decodeWith reads a tree as an object of a built-in kind.
func (k *kind) decodeWith(d *goDecoder, m *object.Map) (object.Object, error) {
	root := m
	if !k.typed.reads(m, nil) {
		v, err := d.decodeAll(m, k.typed)
		if err != nil {
			return object.Object{}, err
		}
		root, _ = v.(*object.Map)
	}
	root = root.With("apiVersion", k.apiVersion()).With("kind", k.Kind)
	if !root.Has("metadata") {
		root = root.With("metadata", object.NewMap())
	}
	o := object.New(root)
	if k.defaults != nil {
		o = k.defaults(o)
	}
	if given, ok := object.New(m).At("metadata", "managedFields"); ok && isEmptyList(given) {
		// Here nothing is not the same as not given.
		o = setMeta(o, "managedFields", given)
	}
	return o, nil
}

func isEmptyList(v any) bool {
	l, ok := v.(*object.List)
	return ok && l.Len() == 0
}

// decodeCustom prunes, coerces and defaults by the schema of the version that
// the body names; a body of another kind or group is left as it is, for
// validation to refuse. Models schemaCoercingDecoder and unstructuredDefaulter.
func (k *kind) decodeCustom(m *object.Map, gvk object.GVK, live object.Object) (object.Object, []string, error) {
	meta, unknown, err := decodeMeta(m, live)
	if err != nil {
		return object.Object{}, nil, err
	}
	if gvk.Group == k.GVR.Group && gvk.Kind == k.Kind {
		var dropped []string
		m, dropped = k.applySchema(m, k.settled(live), gvk.Version)
		slices.Sort(dropped)
		unknown = append(unknown, dropped...)
	}
	if v := k.crd.Version(gvk.Version); v != nil {
		coerced, dropped, err := v.Schema.CoerceEmbedded(m, decodeEmbeddedMeta)
		if err != nil {
			return object.Object{}, nil, err
		}
		m, unknown = coerced, append(unknown, dropped...)
	}
	if meta == nil {
		meta = object.NewMap()
	}
	return object.New(m.With("metadata", meta)), unknown, nil
}

// decodeMeta reads the metadata of a body, nil where there is none. What it shares
// with that of live is read already.
func decodeMeta(m *object.Map, live object.Object) (meta *object.Map, unknown []string, err error) {
	v, ok := m.Get("metadata")
	if !ok || objectMetaType.reads(v, live.Map("metadata")) {
		meta, _ = v.(*object.Map)
		return meta, nil, nil
	}
	var d goDecoder
	if v, err = d.decodeAll(v, objectMetaType); err != nil {
		return nil, nil, err
	}
	for _, path := range d.unknown {
		unknown = append(unknown, "metadata."+path)
	}
	meta, _ = v.(*object.Map)
	return meta, unknown, nil
}

// inOrder sorts complaints by where a text gives reason for them: a Go type is
// decoded in one go, unlike a custom resource. Into what is unknown it does not
// look.
func inOrder(strict []string, text []byte) []string {
	var out, unknown []string
	met := map[string]bool{}
	for _, path := range object.FieldPaths(text) {
		if slices.ContainsFunc(unknown, func(u string) bool {
			return path == u || strings.HasPrefix(path, u+".") || strings.HasPrefix(path, u+"[")
		}) {
			continue
		}
		complaint := fmt.Sprintf("unknown field %q", path)
		if met[path] {
			complaint = fmt.Sprintf("duplicate field %q", path)
		}
		if slices.Contains(strict, complaint) {
			out = append(out, complaint)
			if !met[path] {
				unknown = append(unknown, path)
			}
		}
		met[path] = true
	}
	return out
}

// unknownFields complains of fields that the kind does not have. Of a custom
// resource their names are not quoted as Go does it.
func (k *kind) unknownFields(paths []string) []string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = fmt.Sprintf("unknown field %q", path)
		if k.Custom {
			out[i] = `unknown field "` + path + `"`
		}
	}
	return out
}

// decodeEmbeddedMeta reads the metadata of an object inside an object.
func decodeEmbeddedMeta(v any) (*object.Map, []string, error) {
	d := goDecoder{}
	x, err := d.decodeAll(v, objectMetaType)
	if err != nil {
		return nil, nil, err
	}
	m, _ := x.(*object.Map)
	return m, d.unknown, nil
}

// settled is what is known of a stored object to be as its schema wants it: nil
// where that may be another one.
func (k *kind) settled(live object.Object) *object.Map {
	if k.coerces {
		return nil
	}
	return live.Root()
}

// applySchema is schema.Settle by the schema of a version.
func (k *kind) applySchema(m, was *object.Map, version string) (*object.Map, []string) {
	if v := k.crd.Version(version); v != nil {
		return v.Schema.Settle(m, was)
	}
	return k.pruneTo(m, version)
}

// pruneTo leaves what the schema of a version knows, without null where that is
// no value.
func (k *kind) pruneTo(m *object.Map, version string) (*object.Map, []string) {
	v := k.crd.Version(version)
	if v == nil {
		// A version that is not there knows no field.
		var dropped []string
		for key := range m.All() {
			if key != "apiVersion" && key != "kind" && key != "metadata" {
				dropped = append(dropped, key)
				m = m.Without(key)
			}
		}
		return m, dropped
	}
	m, dropped := v.Schema.Prune(m)
	return v.Schema.DropNulls(m), dropped
}

// unrecognized is the answer to a body whose kind cannot be read.
func unrecognized(k *kind, err error, text []byte) *api.Status {
	return api.NewBadRequest(fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", k.Kind, err, summarize(text, 30)))
}

// cannotHandle is the answer to a body that cannot be read as its kind.
func cannotHandle(k *kind, gvk object.GVK, err error) *api.Status {
	return api.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, k.Kind, err))
}

// notStrict is that answer where strict decoding finds fault: a custom resource
// is then read already, and is called what it calls itself.
func notStrict(k *kind, gvk object.GVK, err error) *api.Status {
	if k.Custom {
		k = &kind{Resource: Resource{Kind: gvk.Kind}}
	}
	return cannotHandle(k, gvk, err)
}

// summarize shows the beginning of a body. Models rest.summarizeData.
func summarize(data []byte, n int) string {
	switch {
	case len(data) == 0:
		return "<empty>"
	case data[0] == '{' && len(data) > n:
		return string(data[:n]) + " ..."
	case data[0] == '{':
		return string(data)
	case len(data) > n:
		return hex.EncodeToString(data[:n]) + " ..."
	}
	return hex.EncodeToString(data)
}

// strictness turns the complaints of strict decoding into an error or into
// warnings, as fieldValidation asks.
func strictness(directive string, strict []string) (warnings []string, err error) {
	switch {
	case len(strict) == 0 || directive == "Ignore":
		return nil, nil
	case directive == "Strict":
		return nil, errors.New("strict decoding error: " + strings.Join(strict, ", "))
	}
	for _, s := range strict {
		// What the YAML parser put into one error are several warnings.
		lines := strings.TrimPrefix(s, yamlErrors(nil))
		for line := range strings.SplitSeq(lines, "\n  ") {
			warnings = append(warnings, line)
		}
	}
	return warnings, nil
}

// checkNames makes an object's namespace that of the path, where it gives none,
// and refuses another one, and another name. Models
// EnsureObjectNamespaceMatchesRequestNamespace and handlers.checkName.
func checkNames(o object.Object, req *api.Request) (object.Object, *api.Status) {
	o, status := ensureNamespace(o, req.Namespace)
	if status != nil {
		return o, status
	}
	name := o.Name()
	if name == "" {
		return o, api.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", req.Name))
	}
	if name != req.Name {
		return o, api.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", name, req.Name))
	}
	return o, nil
}

func ensureNamespace(o object.Object, namespace string) (object.Object, *api.Status) {
	switch ns := o.Namespace(); {
	case ns == namespace:
		return o, nil
	case ns == "":
		return setMeta(o, "namespace", namespace), nil
	case namespace == "":
		return unsetMeta(o, "namespace"), nil
	}
	return o, api.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
}
