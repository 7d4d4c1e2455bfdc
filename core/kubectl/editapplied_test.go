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

// What was edited before is a patch of what was changed: what changed meanwhile stays. An empty file, the same text,
// one that is no YAML, a version that is not the latest and an object that is gone are answered as the real one does.
func TestEditedBefore(t *testing.T) {
	c := newCluster()
	run := func(stdin string, args ...string) (string, int) {
		var out bytes.Buffer
		env := &kubectl.Env{Client: c, Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out,
			Getenv: func(name string) string { return map[string]string{"KUBE_EDITOR": "-"}[name] }}
		code := kubectl.Run(env, args...)
		return out.String(), code
	}
	run("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: same}\ndata: {k: v, l: v}\n", "create", "-f", "-")
	shown, _ := run("", "get", "cm", "same", "-o", "yaml")
	version, _, _ := strings.Cut(shown[strings.Index(shown, "resourceVersion: "):], "\n")
	run("", "label", "cm", "same", "meanwhile=yes")
	run("", "patch", "cm", "same", "-p", `{"data":{"l":"w"}}`)
	for _, step := range []struct {
		edited, want string
		code         int
	}{
		{shown, "Edit cancelled, no changes made.\n", 0},
		{"\n", "Edit cancelled, saved file was empty.\n", 0},
		{strings.Replace(shown, "k: v", "k: [", 1), "error: The edited file had a syntax error: error parsing edited-file: error converting YAML to JSON: yaml:", 1},
		{strings.Replace(shown, "kind: ConfigMap", "kind: Secret", 1), "error: At least one of apiVersion, kind and name was changed\n", 1},
		{strings.Replace(shown, version, `resourceVersion: "1"`, 1), "error: configmaps \"same\" could not be patched: Operation cannot be fulfilled on configmaps \"same\": ", 1},
		{strings.Replace(shown, "k: v", "k: edited", 1), "configmap/same edited\n", 0},
	} {
		got, code := run(shown+"======= edited =======\n"+step.edited, "edit", "cm", "same")
		if !strings.HasPrefix(got, step.want) || code != step.code {
			t.Errorf("%s\ngives %q and exit code %d, want %q", step.edited, got, code, step.want)
		}
	}
	if got, _ := run("", "get", "cm", "same", "-o", "jsonpath={.data} {.metadata.labels} {.metadata.managedFields[*].manager}"); got != `{"k":"edited","l":"w"} {"meanwhile":"yes"} kubectl-create kubectl-edit kubectl-label kubectl-patch` {
		t.Error(got)
	}
	run("", "delete", "cm", "same")
	got, code := run(shown+"======= edited =======\n"+strings.Replace(shown, "k: v", "k: x", 1), "edit", "cm", "same")
	if got != "error: configmaps \"same\" could not be found on the server\n" || code != 1 {
		t.Errorf("%q, exit code %d", got, code)
	}
	if got, code := run("kind: ConfigMap\n", "edit", "cm", "same"); !strings.HasPrefix(got, "error: with KUBE_EDITOR=-") || code != 1 {
		t.Errorf("%q, exit code %d", got, code)
	}
}
