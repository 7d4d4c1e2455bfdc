package kubectl_test

import (
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

// Who applies status on the server's side to what somebody applied on the
// client's sends all that follows by way of status too, where the server takes
// no owners of other fields: the spec, which is not sent, stays.
func TestStatusAppliedAfterClientSideApply(t *testing.T) {
	c := benchCluster(t)
	run := func(stdin string, args ...string) {
		t.Helper()
		if got := c.run(&command{Args: args, Stdin: stdin}); *got.code != 0 || strings.Contains(got.stderr, "Warning") {
			t.Fatalf("%v: exit %d, %s", args, *got.code, got.stderr)
		}
	}
	const head = `{"apiVersion": "lab.example.com/v1", "kind": "WebApp", "metadata": {"name": "c", "namespace": "default"}, `
	run(head+`"spec": {"message": "hi", "replicas": 3}}`, "apply", "-f", "-")
	run(head+`"status": {"phase": "Ready"}}`, "apply", "--server-side", "--force-conflicts", "--field-manager=lab", "--subresource=status", "-f", "-")
	o, _ := c.server.Find(object.Ref{Group: "lab.example.com", Kind: "WebApp", Namespace: "default", Name: "c"})
	if n, _ := o.Int("spec", "replicas"); n != 3 || o.Str("status", "phase") != "Ready" {
		t.Errorf("%s", object.EncodeJSON(o.Root()))
	}
	var owners []string
	for _, v := range o.List("metadata", "managedFields").All() {
		e := object.New(v.(*object.Map))
		owners = append(owners, strings.TrimSpace(e.Str("manager")+" "+e.Str("operation")+" "+e.Str("subresource")))
	}
	if got, want := strings.Join(owners, ", "), "lab Apply status, kubectl-client-side-apply Update"; got != want {
		t.Errorf("owners %q, not %q", got, want)
	}
}
