package sim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// TestApplyTakesAwayWhatItNoLongerHas: what the text applied before had, and
// this one has not, goes; what others added stays. Built-in kinds are patched
// item by item, custom ones list by list.
func TestApplyTakesAwayWhatItNoLongerHas(t *testing.T) {
	const owner = "{apiVersion: v1, kind: ConfigMap, name: o, uid: "
	for _, c := range []struct{ name, first, others, second, ref, path, want string }{
		{"key", "kind: ConfigMap\nmetadata: {name: a}\ndata: {a: '1', b: '2'}", `{"data":{"c":"3"}}`,
			"kind: ConfigMap\nmetadata: {name: a}\ndata: {a: '4'}", "ConfigMap/default/a", "data", `{"a":"4","c":"3"}`},
		{"port", "kind: Service\nmetadata: {name: a}\nspec: {ports: [{name: a, port: 80}, {name: b, port: 81}]}",
			`{"spec":{"ports":[{"name":"a","port":80},{"name":"b","port":81},{"name":"c","port":82}]}}`,
			"kind: Service\nmetadata: {name: a}\nspec: {ports: [{name: a, port: 80, targetPort: 8080}]}", "Service/default/a", "spec.ports",
			`[{"name":"a","port":80,"protocol":"TCP","targetPort":8080},{"name":"c","port":82,"protocol":"TCP","targetPort":82}]`},
		{"finalizer", "kind: ConfigMap\nmetadata: {name: a, finalizers: [a.b/x, a.b/y]}",
			`{"metadata":{"finalizers":["a.b/x","a.b/y","a.b/z"]}}`,
			"kind: ConfigMap\nmetadata: {name: a, finalizers: [a.b/y]}", "ConfigMap/default/a", "metadata.finalizers", `["a.b/y","a.b/z"]`},
		{"owner", "kind: ConfigMap\nmetadata: {name: a, ownerReferences: [" + owner + "u1}, " + owner + "u2}]}",
			`{"metadata":{"labels":{"theirs":"1"}}}`,
			"kind: ConfigMap\nmetadata: {name: a, ownerReferences: [" + owner + "u2}]}", "ConfigMap/default/a", "metadata.ownerReferences",
			`[{"apiVersion":"v1","kind":"ConfigMap","name":"o","uid":"u2"}]`},
		{"finalizer of a custom kind", "apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a, finalizers: [a.b/x, a.b/y]}\nspec: {message: hi}",
			`{"metadata":{"finalizers":["a.b/x","a.b/y","a.b/z"]}}`,
			"apiVersion: lab.example.com/v1\nkind: WebApp\nmetadata: {name: a, finalizers: [a.b/y]}\nspec: {message: hi}", "WebApp/default/a", "metadata.finalizers", `["a.b/y"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := lab(t)
			applied(t, w, c.first)
			step(t, w, sim.Act("patch", c.ref, c.others).String())
			applied(t, w, c.second)
			ref, _ := object.ParseRef(c.ref)
			o, _ := w.Server().Find(ref)
			got, _ := o.At(strings.Split(c.path, ".")...)
			same(t, c.path, string(object.EncodeJSON(got)), c.want)
			version := o.ResourceVersion()
			e := applied(t, w, c.second)
			if o, _ = w.Server().Find(ref); o.ResourceVersion() != version {
				t.Errorf("applying it again wrote: %s", e)
			}
		})
	}
}

// applied applies a text whose apiVersion is v1 where it names none.
func applied(t *testing.T, w *sim.World, text string) sim.Event {
	t.Helper()
	if text[:4] == "kind" {
		text = "apiVersion: v1\n" + text
	}
	e := step(t, w, sim.Act("apply", text).String())
	if hasRefusal(e) {
		t.Fatal(e)
	}
	return e
}

// Any version that is served can be applied, not the preferred one alone; one that is not served, or of another group, cannot.
func TestApplyInAnyServedVersion(t *testing.T) {
	w := lab(t)
	version := func(name, served, storage string) string {
		return "{name: " + name + ", served: " + served + ", storage: " + storage + ", schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}"
	}
	applied(t, w, `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: foos.a.example.com}
spec:
  group: a.example.com
  scope: Namespaced
  names: {kind: Foo, plural: foos}
  versions: [`+version("v1", "true", "true")+", "+version("v1beta1", "true", "false")+", "+version("v1alpha1", "false", "false")+`]
`)
	const body = "\nkind: Foo\nmetadata: {name: f}\nspec: {size: "
	applied(t, w, "apiVersion: a.example.com/v1beta1"+body+"1}")
	applied(t, w, "apiVersion: a.example.com/v1beta1"+body+"2}")
	applied(t, w, "apiVersion: a.example.com/v1"+body+"3}")
	ref, _ := object.ParseRef("a.example.com/Foo/default/f")
	o, _ := w.Server().Find(ref)
	size, _ := o.At("spec", "size")
	same(t, "size", fmt.Sprint(size), "3")
	for _, other := range []string{"a.example.com/v1alpha1", "v1"} {
		_, err := w.Choose(sim.Act("apply", "apiVersion: "+other+body+"4}").String())
		if want := fmt.Sprintf("no matches for kind \"Foo\" in version %q", other); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", other, err, want)
		}
	}
}

// What is wrong with the schema of a definition's version stands in that version. Where all versions are alike the server
// names it as if it stood in the spec, and it stands in each; the complaint names the field as the server does.
func TestPlaceInADefinition(t *testing.T) {
	const head = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.lab.example.com}
spec:
  group: lab.example.com
  scope: Namespaced
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  versions:
`
	version := func(name, storage, column, size string) string {
		return `  - name: ` + name + `
    served: true
    storage: ` + storage + `
    additionalPrinterColumns:
    - name: Size
      type: ` + column + `
      jsonPath: .spec.size
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size:
                type: ` + size + "\n"
	}
	const many = `properties[spec].properties[size].type: Unsupported value: "many": supported values: "array", "boolean", "integer", "number", "object", "string"`
	const number = `type: Invalid value: "number of things": must be one of boolean,date,integer,number,string`
	for name, c := range map[string]struct{ versions, want string }{
		"one": {version("v1", "true", "number of things", "many"), "24:23 spec.validation.openAPIV3Schema." + many + "\n14:13 spec.additionalPrinterColumns[0]." + number},
		"the second of two": {version("v1", "true", "string", "string") + version("v2", "false", "number of things", "many"),
			"40:23 spec.versions[1].schema.openAPIV3Schema." + many + "\n30:13 spec.versions[1].additionalPrinterColumns[0]." + number},
		"both": {version("v1", "true", "string", "many") + version("v2", "false", "string", "many"),
			"24:23 spec.validation.openAPIV3Schema." + many + "\n40:23 spec.validation.openAPIV3Schema." + many},
	} {
		_, err := lab(t).Step(sim.Act("apply", head+c.versions))
		var in *sim.InputError
		if !errors.As(err, &in) {
			t.Fatalf("%s: refused is %v", name, err)
		}
		var got []string
		for _, at := range in.All {
			got = append(got, fmt.Sprintf("%d:%d %s", at.Line, at.Col, at.Error()))
		}
		same(t, "the places of "+name, strings.Join(got, "\n"), c.want)
	}
}
