package schema

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// crdValidator collects what is wrong with a CRD, in the order of
// ValidateCustomResourceDefinition. As in the server's internal form, what is
// the same in all versions (schema, subresources, columns) is named once:
// spec.validation, and not spec.versions[0].schema.
type crdValidator struct {
	crd    *CRD
	object object.Object
	Checker
	// stored are the schemas of the CRD as it is stored, of the versions
	// storedNames; none on a create.
	stored      []*Schema
	storedNames []string
	errs        []*api.FieldError
}

func (v *crdValidator) add(t api.FieldErrorType, field string, value any, detail string) {
	v.errs = append(v.errs, &api.FieldError{Type: t, Field: field, Value: value, Detail: detail})
}

func (v *crdValidator) invalid(field string, value any, detail string) {
	v.add(api.FieldInvalid, field, value, detail)
}

func (v *crdValidator) required(field, detail string) { v.add(api.FieldRequired, field, nil, detail) }

func (v *crdValidator) forbidden(field, detail string) { v.add(api.FieldForbidden, field, nil, detail) }

func (v *crdValidator) unsupported(field, value string, supported ...string) {
	v.add(api.FieldNotSupported, field, value, fmt.Sprintf("supported values: %q", supported[0]))
	for _, s := range supported[1:] {
		v.errs[len(v.errs)-1].Detail += fmt.Sprintf(", %q", s)
	}
}

func (v *crdValidator) validate() {
	c := v.crd
	if c.Group == "" {
		v.required("spec.group", "")
	} else if bad := api.IsDNS1123Subdomain(c.Group); len(bad) > 0 {
		v.invalid("spec.group", c.Group, strings.Join(bad, ","))
	} else if !strings.Contains(c.Group, ".") {
		v.invalid("spec.group", c.Group, "should be a domain with at least one dot")
	}
	v.enum("spec.scope", v.object.Str("spec", "scope"), "Cluster", "Namespaced")
	for i, ver := range c.Versions {
		if ver.Schema == nil {
			v.required(fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i), "")
		}
	}
	if v.object.Bool("spec", "preserveUnknownFields") && slices.ContainsFunc(c.Versions, hasDefaults) {
		v.invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")
	}
	fold := foldVersions(v.object)
	v.versions(fold)
	v.names("spec.names")
	if fold.schema && len(c.Versions) > 0 {
		v.schema("spec.validation", c.Versions[0].Name, c.Versions[0].Schema, slices.ContainsFunc(c.Versions, func(ver *Version) bool { return ver.HasStatus }))
	}
	if fold.subresources && len(c.Versions) > 0 {
		v.scale("spec.subresources", c.Versions[0].Scale)
	}
	if fold.columns && len(c.Versions) > 0 {
		v.columns("spec", c.Versions[0].Columns)
	}
	if fold.selectable && len(c.Versions) > 0 {
		v.selectable("spec.selectableFields", c.Versions[0], fold.schema && fold.hasSchema, "may only be set when validations.schema is included")
	}
	v.conversion()
	v.approval()
	if v.object.Bool("spec", "preserveUnknownFields") {
		v.invalid("spec.preserveUnknownFields", true, "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead")
	}
}

func hasDefaults(ver *Version) bool {
	found := false
	ver.Schema.walk(func(s *Schema) { found = found || isSet(s.Raw, "default") })
	return found
}

func (v *crdValidator) enum(field, value string, accepted ...string) {
	if value == "" {
		v.required(field, "")
	} else if !slices.Contains(accepted, value) {
		v.unsupported(field, value, accepted...)
	}
}

func (v *crdValidator) versions(fold folded) {
	storage, unique, seen := 0, true, map[string]bool{}
	for i, ver := range v.crd.Versions {
		path := fmt.Sprintf("spec.versions[%d]", i)
		if ver.Storage {
			storage++
		}
		unique = unique && !seen[ver.Name]
		seen[ver.Name] = true
		if bad := api.IsDNS1035Label(ver.Name); len(bad) > 0 {
			v.invalid(path+".name", ver.Name, strings.Join(bad, ","))
		}
		v.deprecation(path+".deprecationWarning", i, ver)
		if !fold.schema {
			// Subresources are found by name: of equal names, those of the first.
			v.schema(path+".schema", ver.Name, ver.Schema, v.crd.Version(ver.Name).HasStatus)
		}
		if !fold.subresources {
			v.scale(path+".subresources", ver.Scale)
		}
		if !fold.columns {
			v.columns(path, ver.Columns)
		}
		if !fold.selectable {
			v.selectable(path+".selectableFields", ver, !fold.schema && ver.Schema != nil, "may only be set when `version.schema.openAPIV3Schema` is not included")
		}
	}
	if !unique {
		v.invalid("spec.versions", internalVersions{v.object, fold}, "must contain unique version names")
	}
	if storage != 1 {
		v.invalid("spec.versions", internalVersions{v.object, fold}, "must have exactly one version marked as storage version")
	}
	if len(v.crd.Versions) > 0 {
		if name := v.crd.Versions[0].Name; name != "" {
			if bad := api.IsDNS1035Label(name); len(bad) > 0 {
				v.invalid("spec.version", name, strings.Join(bad, ","))
			}
		}
	}
}

func (v *crdValidator) deprecation(path string, i int, ver *Version) {
	m, _ := v.object.List("spec", "versions").At(i).(*object.Map)
	raw, _ := m.Get("deprecationWarning")
	text, ok := raw.(string)
	if !ok {
		return
	}
	switch {
	case !ver.Deprecated:
		v.invalid(path, text, "can only be set for deprecated versions")
		return
	case len(text) > 256:
		v.invalid(path, text, "must be <= 256 characters long")
	case text == "":
		v.invalid(path, text, "must not be an empty string")
	}
	for at, r := range text {
		if !unicode.IsPrint(r) {
			v.invalid(path, text, fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", at))
			break
		}
	}
	if !utf8.ValidString(text) {
		v.invalid(path, text, "must only contain printable UTF-8 characters")
	}
}

func (v *crdValidator) names(path string) {
	c := v.crd
	for _, n := range []struct{ field, value string }{{"plural", c.Plural}, {"singular", c.Singular}, {"kind", c.Kind}, {"listKind", c.ListKind}} {
		if n.value == "" {
			v.required(path+"."+n.field, "")
		}
	}
	for _, n := range []struct{ field, value string }{{"plural", c.Plural}, {"singular", c.Singular}} {
		if bad := api.IsDNS1035Label(n.value); n.value != "" && len(bad) > 0 {
			v.invalid(path+"."+n.field, n.value, strings.Join(bad, ","))
		}
	}
	for _, n := range []struct{ field, value string }{{"kind", c.Kind}, {"listKind", c.ListKind}} {
		if bad := api.IsDNS1035Label(strings.ToLower(n.value)); n.value != "" && len(bad) > 0 {
			v.invalid(path+"."+n.field, n.value, "may have mixed case, but should otherwise match: "+strings.Join(bad, ","))
		}
	}
	v.labels(path+".shortNames", c.ShortNames)
	if c.Kind != "" && c.Kind == c.ListKind {
		v.invalid(path+".listKind", c.ListKind, "kind and listKind may not be the same")
	}
	v.labels(path+".categories", c.Categories)
}

func (v *crdValidator) labels(path string, values []string) {
	for i, s := range values {
		if bad := api.IsDNS1035Label(s); len(bad) > 0 {
			v.invalid(index(path, i), s, strings.Join(bad, ","))
		}
	}
}

func (v *crdValidator) scale(path string, s *Scale) {
	if s == nil {
		return
	}
	for _, p := range []struct{ field, value, under string }{
		{"specReplicasPath", s.SpecReplicasPath, ".spec"}, {"statusReplicasPath", s.StatusReplicasPath, ".status"},
	} {
		field := path + ".scale." + p.field
		switch {
		case p.value == "":
			v.required(field, "")
		case p.value[0] != '.':
			v.invalid(field, p.value, "must be a simple json path starting with .")
		case !strings.HasPrefix(p.value, p.under+"."):
			v.invalid(field, p.value, "should be a json path under "+p.under)
		}
	}
	if p := s.LabelSelectorPath; p != "" {
		field := path + ".scale.labelSelectorPath"
		if p[0] != '.' {
			v.invalid(field, p, "must be a simple json path starting with .")
		} else if !strings.HasPrefix(p, ".spec.") && !strings.HasPrefix(p, ".status.") {
			v.invalid(field, p, "should be a json path under either .spec or .status")
		}
	}
}

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

func (v *crdValidator) columns(path string, columns []*Column) {
	for i, c := range columns {
		at := index(path+".additionalPrinterColumns", i)
		if c.Name == "" {
			v.required(at+".name", "")
		}
		if c.Type == "" {
			v.required(at+".type", "must be one of "+strings.Join(columnTypes, ","))
		} else if !slices.Contains(columnTypes, c.Type) {
			v.invalid(at+".type", c.Type, "must be one of "+strings.Join(columnTypes, ","))
		}
		if c.Format != "" && !slices.Contains(columnFormats, c.Format) {
			v.invalid(at+".format", c.Format, "must be one of "+strings.Join(columnFormats, ","))
		}
		if c.JSONPath == "" {
			v.required(at+".JSONPath", "")
		} else if c.JSONPath[0] != '.' {
			v.invalid(at+".JSONPath", c.JSONPath, "must be a simple json path starting with .")
		}
	}
}

// selectable checks selectableFields; beside says that the schema is named in
// the same place, without which the server refuses them all.
func (v *crdValidator) selectable(path string, ver *Version, beside bool, without string) {
	if len(ver.Selectable) > 0 && !beside {
		v.invalid(path, "", without)
		return
	}
	if len(ver.Selectable) > 0 && ver.Schema != nil {
		if why := ver.Schema.unsupported(); why != "" {
			v.invalid(strings.TrimSuffix(path, "selectableFields")+"schema.openAPIV3Schema", "", why)
		}
	}
	seen := map[string]bool{}
	for i, p := range ver.Selectable {
		field := index(path, i) + ".jsonPath"
		if p == "" {
			v.required(field, "")
			continue
		}
		s, why := fieldSchema(ver.Schema, p)
		switch {
		case why != "":
			v.invalid(field, p, "is an invalid path: "+why)
			continue
		case strings.HasPrefix(p+".", ".metadata."):
			v.invalid(field, p, "must not point to fields in metadata")
		}
		if s == nil || !slices.Contains([]string{"string", "boolean", "integer"}, s.Type) {
			v.invalid(field, p, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.")
		}
		if seen[p] {
			v.add(api.FieldDuplicate, field, p, "")
		}
		seen[p] = true
	}
	if len(seen) > 8 {
		v.add(api.FieldTooMany, path, int64(len(seen)), "must have at most 8 items")
	}
}

// fieldSchema follows a path of plain fields. Models cel.ValidFieldPath without
// array notation.
func fieldSchema(s *Schema, path string) (*Schema, string) {
	for path != "" {
		switch path[0] {
		case '[':
			return nil, "array notation is not allowed"
		case '.':
		default:
			return nil, "expected [ or . but got: " + path[:tokenEnd(path)]
		}
		path = path[1:]
		if path == "" {
			return nil, "unexpected end of JSON path"
		}
		end := max(tokenEnd(path), 1)
		next, known := s.child(path[:end])
		if !known || next == nil && len(s.Properties) > 0 {
			return nil, "does not refer to a valid field"
		}
		s, path = next, path[end:]
	}
	return s, ""
}

// tokenEnd is where the next delimiter of a path stands.
func tokenEnd(path string) int {
	if end := strings.IndexAny(path, ".[]"); end >= 0 {
		return end
	}
	return len(path)
}

const approvedAnnotation = "api-approved.kubernetes.io"

// approval asks for an annotation where the group belongs to the Kubernetes
// community.
func (v *crdValidator) approval() {
	field := "metadata.annotations[" + approvedAnnotation + "]"
	switch reason, text := Approval(v.object); reason {
	case "MissingAnnotation":
		v.required(field, text)
	case "InvalidAnnotation":
		value, _ := object.At(v.object.Annotations(), approvedAnnotation)
		v.invalid(field, value, text)
	}
}

// Approval says whether a definition in a group of the Kubernetes community is
// approved there: "ApprovedAnnotation", or why not, and a text about it. The
// reason is empty for other groups. Models GetAPIApprovalState.
func Approval(crd object.Object) (reason, text string) {
	group := "." + crd.Str("spec", "group")
	if !strings.HasSuffix(group, ".k8s.io") && !strings.HasSuffix(group, ".kubernetes.io") {
		return "", ""
	}
	annotation, _ := object.At(crd.Annotations(), approvedAnnotation)
	value, _ := annotation.(string)
	u, err := url.ParseRequestURI(value)
	switch {
	case value == "":
		return "MissingAnnotation", fmt.Sprintf("protected groups must have approval annotation %q, see https://github.com/kubernetes/enhancements/pull/1111", approvedAnnotation)
	case strings.HasPrefix(value, "unapproved"):
		return "UnapprovedAnnotation", fmt.Sprintf("not approved: %q", value)
	case err == nil && u.Host != "" && u.Scheme != "":
		return "ApprovedAnnotation", "approved in " + value
	}
	return "InvalidAnnotation", fmt.Sprintf("protected groups must have approval annotation %q with either a URL or a reason starting with \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111", approvedAnnotation)
}

// validateCRDUpdate checks what may not change. Models
// validateCustomResourceDefinitionSpecUpdate and ...StoredVersions.
func validateCRDUpdate(crd, old object.Object) []*api.FieldError {
	var errs []*api.FieldError
	immutable := func(path ...string) {
		if now := crd.Str(path...); now != old.Str(path...) {
			errs = append(errs, &api.FieldError{Type: api.FieldInvalid, Field: strings.Join(path, "."), Value: now, Detail: "field is immutable"})
		}
	}
	if established(old) {
		immutable("spec", "scope")
		immutable("spec", "names", "kind")
	}
	immutable("spec", "group")
	immutable("spec", "names", "plural")
	return append(errs, CheckStoredVersions(crd)...)
}

// CheckStoredVersions says what is wrong with status.storedVersions: it names
// the version in which objects are stored, and none that is not there. Models
// ValidateCustomResourceDefinitionStoredVersions.
func CheckStoredVersions(crd object.Object) []*api.FieldError {
	const path = "status.storedVersions"
	stored := crd.List("status", "storedVersions")
	if stored.Len() == 0 {
		return []*api.FieldError{{Type: api.FieldInvalid, Field: path, Detail: "must have at least one stored version"}}
	}
	var errs []*api.FieldError
	names := map[string]bool{}
	for _, x := range crd.List("spec", "versions").All() {
		m, _ := x.(*object.Map)
		v := node{m}
		// The real server strikes out what it has met: of equal names, the second is missing.
		known := !names[v.str("name")] && slices.Contains(node{crd.Map("status")}.strings("storedVersions"), v.str("name"))
		names[v.str("name")] = true
		if v.flag("storage") && !known {
			errs = append(errs, &api.FieldError{Type: api.FieldInvalid, Field: path, Value: stored, Detail: "must have the storage version " + v.str("name")})
		}
	}
	for i, x := range stored.All() {
		if s, _ := x.(string); !names[s] {
			errs = append(errs, &api.FieldError{Type: api.FieldInvalid, Field: index(path, i), Value: s,
				Detail: fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", s)})
		}
	}
	return errs
}

func established(crd object.Object) bool {
	for _, x := range crd.List("status", "conditions").All() {
		m, _ := x.(*object.Map)
		if c := (node{m}); c.str("type") == "Established" {
			return c.str("status") == "True"
		}
	}
	return false
}
