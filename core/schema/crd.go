package schema

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
)

// CRD is a parsed CustomResourceDefinition.
type CRD struct {
	// Name is the object's name, "plural.group".
	Name                                    string
	Group, Kind, ListKind, Plural, Singular string
	ShortNames, Categories                  []string
	Namespaced                              bool
	// Generation is the object's: above 1, its schemas may have changed.
	Generation int64
	// Terminating says that it is being deleted.
	Terminating bool
	// Versions are in the order of the CRD.
	Versions []*Version

	// sameSchemas says that all versions have one schema.
	sameSchemas bool
}

// Version is one version of a CRD.
type Version struct {
	Name            string
	Served, Storage bool
	// Deprecated versions answer with DeprecationWarning as a warning.
	Deprecated         bool
	DeprecationWarning string
	HasStatus          bool
	// Scale is nil without the scale subresource.
	Scale *Scale
	// Columns are what the CRD names; where it names none, a server prints the age.
	Columns []*Column
	// Selectable are the JSONPaths of spec.versions[].selectableFields.
	Selectable []string
	Schema     *Schema
}

// Scale is the scale subresource: three simple paths such as ".spec.replicas".
type Scale struct {
	SpecReplicasPath, StatusReplicasPath, LabelSelectorPath string
}

// Column is one of additionalPrinterColumns. JSONPath has no braces:
// ".spec.message"; object.ParseJSONPath("{" + JSONPath + "}") reads it.
type Column struct {
	Name, Type, Format, Description, JSONPath string
	Priority                                  int64
}

// GVK returns the kind in one version.
func (c *CRD) GVK(version string) object.GVK {
	return object.GVK{Group: c.Group, Version: version, Kind: c.Kind}
}

// GVR returns the resource in one version.
func (c *CRD) GVR(version string) object.GVR {
	return object.GVR{Group: c.Group, Version: version, Resource: c.Plural}
}

// SameSchemas reports whether all versions have one schema.
func (c *CRD) SameSchemas() bool { return c.sameSchemas }

// Version returns the version of that name, nil where there is none.
func (c *CRD) Version(name string) *Version {
	for _, v := range c.Versions {
		if v.Name == name {
			return v
		}
	}
	return nil
}

// Storage returns the version in which objects are stored.
func (c *CRD) Storage() *Version {
	for _, v := range c.Versions {
		if v.Storage {
			return v
		}
	}
	return nil
}

// HasRules reports whether any version's schema has x-kubernetes-validations.
func (c *CRD) HasRules() bool {
	for _, v := range c.Versions {
		if v.Schema.HasRules() {
			return true
		}
	}
	return false
}

// ParseCRD reads a CRD that DefaultCRD has completed, and validates it as at
// its creation. The CRD is usable where there are no errors. A checker is given
// at most once.
func ParseCRD(crd object.Object, with ...Checker) (*CRD, []*api.FieldError) {
	return parseCRD(crd, object.Object{}, with)
}

// Checker is what it takes to validate a CRD; each may be nil. Without Rules one
// with x-kubernetes-validations is refused; the rest is for metadata of embedded
// resources in defaults.
type Checker struct {
	Rules    Evaluator
	Decode   MetadataDecoder
	Metadata MetadataCheck
}

func parseCRD(crd, old object.Object, with []Checker) (*CRD, []*api.FieldError) {
	c := readCRD(crd)
	v := crdValidator{crd: c, object: crd}
	if len(with) > 0 {
		v.Checker = with[0]
	}
	for _, ver := range readCRD(old).Versions {
		v.stored, v.storedNames = append(v.stored, ver.Schema), append(v.storedNames, ver.Name)
	}
	v.validate()
	return c, v.errs
}

// ParseCRDUpdate is ParseCRD for an update: names that are in use must stay,
// and so must a version in which objects are stored.
func ParseCRDUpdate(crd, old object.Object, with ...Checker) (*CRD, []*api.FieldError) {
	c, errs := parseCRD(crd, old, with)
	return c, append(errs, validateCRDUpdate(crd, old)...)
}

func readCRD(crd object.Object) *CRD {
	spec := crd.Map("spec")
	n, names := node{spec}, node{crd.Map("spec", "names")}
	c := &CRD{
		Name: crd.Name(), Group: n.str("group"), Kind: names.str("kind"), ListKind: names.str("listKind"),
		Plural: names.str("plural"), Singular: names.str("singular"),
		ShortNames: names.strings("shortNames"), Categories: names.strings("categories"),
		Namespaced: n.str("scope") == "Namespaced", Generation: crd.Generation(), Terminating: crd.Terminating(),
	}
	for _, v := range n.list("versions").All() {
		m, _ := v.(*object.Map)
		c.Versions = append(c.Versions, readVersion(m))
	}
	c.sameSchemas = foldVersions(crd).schema
	return c
}

func readVersion(m *object.Map) *Version {
	n := node{m}
	sub := node{n.tree("subresources")}
	v := &Version{
		Name: n.str("name"), Served: n.flag("served"), Storage: n.flag("storage"),
		Deprecated: n.flag("deprecated"), DeprecationWarning: n.str("deprecationWarning"),
		HasStatus: sub.tree("status") != nil,
		Schema:    Parse(node{n.tree("schema")}.tree("openAPIV3Schema")),
	}
	if m := sub.tree("scale"); m != nil {
		s := node{m}
		v.Scale = &Scale{s.str("specReplicasPath"), s.str("statusReplicasPath"), s.str("labelSelectorPath")}
	}
	for _, x := range n.list("additionalPrinterColumns").All() {
		m, _ := x.(*object.Map)
		col := node{m}
		c := &Column{Name: col.str("name"), Type: col.str("type"), Format: col.str("format"),
			Description: col.str("description"), JSONPath: col.str("jsonPath")}
		if p := col.integer("priority"); p != nil {
			c.Priority = *p
		}
		v.Columns = append(v.Columns, c)
	}
	for _, x := range n.list("selectableFields").All() {
		m, _ := x.(*object.Map)
		v.Selectable = append(v.Selectable, node{m}.str("jsonPath"))
	}
	return v
}

// DefaultCRD fills in what the server fills in before it validates: the
// singular and list kind names, the conversion strategy and the port of its
// webhook, and the stored version. Models SetDefaults_CustomResourceDefinition.
func DefaultCRD(crd object.Object) object.Object {
	spec := crd.Map("spec")
	if spec == nil {
		return crd
	}
	if names := crd.Map("spec", "names"); names != nil {
		n := node{names}
		kind := n.str("kind")
		if n.str("singular") == "" {
			names = names.With("singular", strings.ToLower(kind))
		}
		if n.str("listKind") == "" && kind != "" {
			names = names.With("listKind", kind+"List")
		}
		spec = spec.With("names", names)
	}
	if v, _ := spec.Get("conversion"); v == nil {
		spec = spec.With("conversion", object.NewMap(object.Field{Key: "strategy", Value: "None"}))
	}
	crd = object.New(crd.Root().With("spec", spec))
	hook := node{crd.Map("spec", "conversion", "webhook")}
	if hook.m != nil && hook.tree("clientConfig") == nil && hook.list("conversionReviewVersions").Len() == 0 {
		crd = crd.Unset("spec", "conversion", "webhook")
	}
	service := []string{"spec", "conversion", "webhook", "clientConfig", "service"}
	if m := crd.Map(service...); m != nil && !m.Has("port") {
		crd = crd.Set(int64(443), append(service, "port")...)
	}
	if crd.List("status", "storedVersions").Len() > 0 {
		return crd
	}
	for _, v := range crd.List("spec", "versions").All() {
		m, _ := v.(*object.Map)
		if version := (node{m}); version.flag("storage") {
			return crd.Set([]string{version.str("name")}, "status", "storedVersions")
		}
	}
	return crd
}
