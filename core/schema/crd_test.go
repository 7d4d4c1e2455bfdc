package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/reconcile-playground/reconcile/core/object"
)

// goodCRD is what the cases below break.
const goodCRD = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"foos.example.com"},
"spec":{"group":"example.com","scope":"Namespaced","names":{"plural":"foos","kind":"Foo"},
"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
 "spec":{"type":"object","properties":{"n":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}}}}}}}]}}`

func TestDefaultCRD(t *testing.T) {
	crd := DefaultCRD(object.New(tree(t, goodCRD)))
	if got := crd.Str("spec", "names", "listKind") + crd.Str("spec", "names", "singular") + crd.Str("spec", "conversion", "strategy"); got != "FooListfooNone" {
		t.Error(got)
	}
	if _, errs := ParseCRD(crd); len(errs) > 0 {
		t.Error(texts(errs))
	}
	if again := DefaultCRD(crd); !again.Equal(crd) {
		t.Error("defaulting twice changes more")
	}
}

// TestBadCRDs breaks a definition in one place each; the texts are those of
// ValidateCustomResourceDefinition.
func TestBadCRDs(t *testing.T) {
	const root = "spec.validation.openAPIV3Schema"
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{`"group":"example.com"`, `"group":"example"`, []string{
			`spec.group: Invalid value: "example": should be a domain with at least one dot`}},
		{`"plural":"foos"`, `"plural":"Foos"`, []string{
			`spec.names.plural: Invalid value: "Foos": a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`}},
		{`"kind":"Foo"`, `"kind":""`, []string{`spec.names.singular: Required value`, `spec.names.kind: Required value`, `spec.names.listKind: Required value`}},
		{`"kind":"Foo"`, `"kind":"Foo","listKind":"Foo"`, []string{`spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same`}},
		{`"scope":"Namespaced"`, `"scope":"Some"`, []string{`spec.scope: Unsupported value: "Some": supported values: "Cluster", "Namespaced"`}},
		{`"storage":true`, `"storage":false`, []string{
			`spec.versions: Invalid value: [{"Name":"v1","Served":true,"Storage":false,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: must have exactly one version marked as storage version`}},
		{`"schema":{"openAPIV3Schema":`, `"schema":{"other":`, []string{`spec.versions[0].schema.openAPIV3Schema: Required value`}},
		{`{"n":{"type":"integer"}`, `{"n":{}`, []string{root + `.properties[spec].properties[n].type: Required value: must not be empty for specified object fields`}},
		{`{"n":{"type":"integer"}`, `{"n":{"type":"int"}`, []string{root + `.properties[spec].properties[n].type: Unsupported value: "int": supported values: "array", "boolean", "integer", "number", "object", "string"`}},
		{`{"n":{"type":"integer"}`, `{"n":{"type":"integer","default":"x"}`, []string{root + `.properties[spec].properties[n].default: Invalid value: "string":  in body must be of type integer: "string"`}},
		{`{"n":{"type":"integer"}`, `{"n":{"type":"object","default":{"a":1}}`, []string{root + `.properties[spec].properties[n].default: Invalid value: {"a":1}: must not have unknown fields`}},
		{`{"n":{"type":"integer"}`, `{"n":{"type":"string","pattern":"("}`, []string{root + `.properties[spec].properties[n].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): ` + "`(`"}},
		{`{"n":{"type":"integer"}`, `{"n":{"type":"integer","anyOf":[{"type":"string"}]}`, []string{root + `.properties[spec].properties[n].anyOf[0].type: Forbidden: must be empty to be structural`}},
		{`"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object",`, `"schema":{"openAPIV3Schema":{"type":"object","allOf":[{"properties":{"x":{"minimum":1}}}],`, []string{
			root + `.properties[x]: Required value: because it is defined in ` + root + `.allOf[0].properties[x]`}},
		{`{"n":{"type":"integer"}`, `{"n":{"$ref":"#/x"}`, []string{root + `.properties[spec].properties[n].$ref: Forbidden: $ref is not supported`}},
		{`"items":{"type":"string"}`, `"items":{"type":"string"},"uniqueItems":true`, []string{root + `.properties[spec].properties[list].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`}},
		{`"items":{"type":"string"}`, `"nullable":false`, []string{root + `.properties[spec].properties[list].items: Required value: must be specified`}},
		{`"items":{"type":"string"}`, `"items":{"type":"object"},"x-kubernetes-list-type":"map"`, []string{
			root + `.properties[spec].properties[list].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`}},
		{`"items":{"type":"string"}`, `"items":{"type":"object","properties":{"k":{"type":"string"}}},"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["k"]`, []string{
			root + `.properties[spec].properties[list].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`}},
		{`"items":{"type":"string"}`, `"items":{"type":"string"},"x-kubernetes-list-type":"bag"`, []string{root + `.properties[spec].properties[list].x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`}},
		{`"spec":{"type":"object","properties"`, `"metadata":{"type":"object","properties":{"labels":{"type":"object"}}},"spec":{"type":"object","properties"`, []string{
			root + `.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`}},
		{`"spec":{"type":"object","properties"`, `"spec":{"type":"object","additionalProperties":{"type":"string"},"properties"`, []string{
			root + `.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`}},
		{`"subresources":{"status":{}}`, `"subresources":{"scale":{"specReplicasPath":"spec.n","statusReplicasPath":".x"}}`, []string{
			`spec.subresources.scale.specReplicasPath: Invalid value: "spec.n": must be a simple json path starting with .`,
			`spec.subresources.scale.statusReplicasPath: Invalid value: ".x": should be a json path under .status`}},
		{`"subresources":{"status":{}}`, `"additionalPrinterColumns":[{"name":"","type":"text","jsonPath":"spec"}]`, []string{
			`spec.additionalPrinterColumns[0].name: Required value`,
			`spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string`,
			`spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec": must be a simple json path starting with .`}},
		{`"group":"example.com"`, `"preserveUnknownFields":true,"group":"example.com"`, []string{
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`}},
	} {
		text := strings.Replace(goodCRD, c.old, c.new, 1)
		if text == goodCRD {
			t.Fatalf("%s is not there to replace", c.old)
		}
		_, errs := ParseCRD(DefaultCRD(object.New(tree(t, text))))
		if d := cmp.Diff(c.want, texts(errs)); d != "" {
			t.Errorf("%s: -want +got\n%s", c.new, d)
		}
	}
}

// TestVersionsThatDiffer: what is not the same in all versions is named in its
// version.
func TestVersionsThatDiffer(t *testing.T) {
	text := strings.Replace(goodCRD, `"versions":[`, `"versions":[{"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":{"type":"array"}}},`, 1)
	_, errs := ParseCRD(DefaultCRD(object.New(tree(t, text))))
	want := []string{
		`spec.versions[0].schema.openAPIV3Schema.items: Required value: must be specified`,
		`spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "array": must be object at the root`,
	}
	if d := cmp.Diff(want, texts(errs)); d != "" {
		t.Error(d)
	}
}

func TestUpdatesKeepTheNames(t *testing.T) {
	old := DefaultCRD(object.New(tree(t, goodCRD)))
	established := old.Set([]any{map[string]any{"type": "Established", "status": "True"}}, "status", "conditions").Set([]string{"v1"}, "status", "storedVersions")
	changed := established.Set("Cluster", "spec", "scope").Set("bars", "spec", "names", "plural").Set("bars.example.com", "metadata", "name")
	_, errs := ParseCRDUpdate(changed, established)
	want := []string{`spec.scope: Invalid value: "Cluster": field is immutable`, `spec.names.plural: Invalid value: "bars": field is immutable`}
	if d := cmp.Diff(want, texts(errs)); d != "" {
		t.Error(d)
	}
	renamed := established.Set([]string{"v0", "v1"}, "status", "storedVersions")
	if _, errs := ParseCRDUpdate(renamed, established); len(errs) != 1 || !strings.HasPrefix(errs[0].Error(), `status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; `) {
		t.Error(texts(errs))
	}
	if _, errs := ParseCRDUpdate(established, established); len(errs) > 0 {
		t.Error(texts(errs))
	}
}

func TestWarnings(t *testing.T) {
	parse := func(n, list string) *CRD {
		text := strings.Replace(goodCRD, `{"type":"integer"}`, n, 1)
		text = strings.Replace(text, `"items":{"type":"string"}`, list, 1)
		crd, errs := ParseCRD(DefaultCRD(object.New(tree(t, text))))
		if len(errs) > 0 {
			t.Fatal(texts(errs))
		}
		return crd
	}
	plain := parse(`{"type":"string","format":"date-time"}`, `"items":{"type":"string"}`)
	doubtful := parse(`{"type":"string","format":"int32"}`, `"items":{"type":"array","items":{"type":"string"}},"x-kubernetes-list-type":"set"`)
	want := []string{`unrecognized format "int32"`, `x-kubernetes-list-type: set for items of type "array" is not supported by server-side apply or CEL validation rules`}
	if d := cmp.Diff(want, doubtful.Warnings(plain)); d != "" {
		t.Error(d)
	}
	if w := append(plain.Warnings(nil), doubtful.Warnings(doubtful)...); w != nil {
		t.Error(w)
	}
}
