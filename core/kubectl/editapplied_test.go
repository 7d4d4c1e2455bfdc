package kubectl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/kubectl"
)

// What was applied last is edited in the editor, and only that: answers of the
// real one, with sed as the editor.
func TestEditLastApplied(t *testing.T) {
	c := newCluster()
	run := func(stdin string, editor func(string) string, args ...string) string {
		var out bytes.Buffer
		env := &kubectl.Env{Client: c, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out,
			Edit: func(text string) (string, error) { return editor(text), nil }}
		kubectl.Run(env, args...)
		return out.String()
	}
	shown := ""
	to := func(from, to string) func(string) string {
		return func(text string) string {
			shown = text
			return strings.ReplaceAll(text, from, to)
		}
	}
	run("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ed}\ndata: {k: v}\n", nil, "apply", "-f", "-")
	for _, step := range []struct {
		from, to, want string
	}{
		{"", "", "Edit cancelled, no changes made.\n"},
		{"k: v", "k: w", "configmap/ed edited\n"},
		{"k: w", "k: w", "Edit cancelled, no changes made.\n"},
	} {
		if got := run("", to(step.from, step.to), "apply", "edit-last-applied", "cm", "ed"); got != step.want {
			t.Errorf("%q to %q: %q, want %q", step.from, step.to, got, step.want)
		}
	}
	if want := `# Please edit the 'last-applied-configuration' annotations below.
# Lines beginning with a '#' will be ignored, and an empty file will abort the edit.
#
apiVersion: v1
data:
  k: w
kind: ConfigMap
metadata:
  annotations: {}
  name: ed
  namespace: default
`; shown != want {
		t.Errorf("the editor shows\n%s\nwant\n%s", shown, want)
	}
	if got := run("", nil, "get", "cm", "ed", "-o", "jsonpath={.data} {.metadata.annotations}"); got != `{"k":"v"} {"kubectl.kubernetes.io/last-applied-configuration":"{\"apiVersion\":\"v1\",\"data\":{\"k\":\"w\"},\"kind\":\"ConfigMap\",\"metadata\":{\"annotations\":{},\"name\":\"ed\",\"namespace\":\"default\"}}\n"}` {
		t.Error(got)
	}
}

// Where there is no editor kubectl edit says where there is one.
func TestEditWithoutAnEditor(t *testing.T) {
	var out bytes.Buffer
	env := &kubectl.Env{Client: newCluster(), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
	code := kubectl.Run(env, "edit", "namespace", "default")
	if code != 1 || !strings.Contains(out.String(), "opens it as a line of its own in the terminal") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
