package kubectl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/kubectl"
)

// A group's kinds that its preferred version does not have are listed in the first version that has them, once each, are
// found by kind, and belong to their categories: as ServerPreferredResources has it.
func TestKindsOutsideThePreferredVersion(t *testing.T) {
	c := newCluster()
	run := func(stdin string, args ...string) string {
		var out bytes.Buffer
		kubectl.Run(&kubectl.Env{Client: c, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out}, args...)
		return out.String()
	}
	definition := func(kind, plural string, versions ...string) string {
		list := ""
		for i, v := range versions {
			storage := "false"
			if i == 0 {
				storage = "true"
			}
			list += "\n  - {name: " + v + ", served: true, storage: " + storage + ", schema: {openAPIV3Schema: {type: object}}}"
		}
		return "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: " + plural + ".a.example.com}\nspec:\n  group: a.example.com\n" +
			"  scope: Namespaced\n  names: {kind: " + kind + ", plural: " + plural + ", categories: [mine]}\n  versions:" + list + "\n"
	}
	run(definition("Foo", "foos", "v1", "v1beta1")+definition("Bar", "bars", "v1alpha1"), "apply", "-f", "-")
	run("apiVersion: a.example.com/v1alpha1\nkind: Bar\nmetadata: {name: b}\n---\napiVersion: a.example.com/v1beta1\nkind: Foo\nmetadata: {name: f}\n", "apply", "-f", "-")
	for _, c := range []struct{ args, want string }{
		{"api-resources --api-group=a.example.com", `NAME   SHORTNAMES   APIVERSION               NAMESPACED   KIND
bars                a.example.com/v1alpha1   true         Bar
foos                a.example.com/v1         true         Foo
`},
		{"get mine -o name", "foo.a.example.com/f\nbar.a.example.com/b\n"},
		{"get Bar -o name", "bar.a.example.com/b\n"},
		{"get Bar.a.example.com -o name", "bar.a.example.com/b\n"},
	} {
		if got := run("", strings.Fields(c.args)...); got != c.want {
			t.Errorf("kubectl %s:\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
}
