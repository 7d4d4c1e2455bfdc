package apiserver_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/fidelity.md anew")

const fidelityPage = "../../docs/fidelity.md"

// notModelled is what a real server does and this one does not, where no
// recording says so.
var notModelled = [][2]string{
	{"Kinds other than ConfigMap, Secret, Service, Namespace, Event and CustomResourceDefinition", "a reconciler's lesson needs a child, a secret, an address, a place and a message; any other kind can be brought as a custom resource"},
	{"Authentication, authorization, admission webhooks", "there is one user, who may do everything"},
	{"Service: node ports, load balancer status, EndpointSlices", "no node and no network stands behind a Service"},
	{"Service: a cluster of two address families, and `/status` of one that is not there, which is taken for a create and refused as one", "the cluster has addresses of IPv4, and such a write finds nothing: 404"},
	{"Bytes that are null (a key of a Secret's data, of a ConfigMap's binaryData) are read back as empty, so that the next write has a new resourceVersion though it changes nothing", "they are stored as empty"},
	{"The order in which a Go map is walked: of warnings about formats, of definitions that contend for a name, of a strategic merge patch's conversion errors, of a cell by `..`", "the order of the names"},
	{"A definition's names are accepted and it is established a moment after it was created", "at once, in the same three revisions"},
	{"Protobuf", "answers and bodies are JSON or YAML; the texts of errors name it all the same"},
	{"Conversion webhooks", "several versions of a custom resource differ in `apiVersion` alone (strategy None)"},
	{"A built-in object of more than 1.5 MiB is refused by etcd: 500, `etcdserver: request is too large`", "it is stored, where no limit of its kind stops it before; custom resources are refused as there"},
	{"The garbage collector says by an Event, OwnerRefInvalidNamespace, that it looks for an owner in a namespace where it is not", "it says nothing; what becomes of the object is the same"},
	{"What the controller manager sends in an attempt (for a namespace, a definition, an owner) comes request by request", "an attempt is one step"},
	{"`events.k8s.io`", "Events are served by the core group alone"},
	{"Priority and fairness, rate limits, audit", "requests are served one at a time, in the order of the steps"},
}

// TestFidelityPage holds docs/fidelity.md against the recordings: what was
// recorded, on which server, and whether the simulation answers the same.
func TestFidelityPage(t *testing.T) {
	if _, given := os.LookupEnv("RECONCILE_TRACES"); given {
		t.Skip("the page is about the recordings of the project")
	}
	traces, err := loadTraces("testdata/traces")
	if err != nil {
		t.Fatal(err)
	}
	var further []trace
	for _, dir := range furtherTraces {
		more, err := loadTraces(dir)
		if err != nil {
			t.Fatal(err)
		}
		further = append(further, more...)
	}
	want := fidelity(traces, further)
	if *update {
		if err := os.WriteFile(fidelityPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(fidelityPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/fidelity.md is not what the recordings give; write it with: go test ./core/apiserver -run TestFidelityPage -update")
	}
}

// fidelity writes the page: a row for each of the traces, the number of the
// further ones.
func fidelity(traces, further []trace) string {
	var b strings.Builder
	requests, categories := 0, map[string][]trace{}
	for _, tr := range traces {
		requests += len(tr.root.get("steps").items)
		categories[tr.category] = append(categories[tr.category], tr)
	}
	fmt.Fprintf(&b, `# How true is it?

The API server of this page is a simulation. It is held against recordings of a real kube-apiserver (%s, with etcd and
kube-controller-manager's garbage collector and namespace controller): %d recordings with %d requests. Each replay
compares the codes, the bodies, the whole text of every error, warnings, which resourceVersions are equal and which are
not, and what watches send. `+"`go test ./core/apiserver -run TestConformance`"+` does so, and fails where one differs. It replays %d
further recordings too, of rarer forms and errors, which have no row here.

`, strings.Join(servers(traces), ", "), len(traces), requests, len(further))
	deviations(&b, slices.Concat(traces, further))
	b.WriteString("\n## Not modelled\n\n| a real server | here |\n| --- | --- |\n")
	for _, row := range notModelled {
		fmt.Fprintf(&b, "| %s | %s |\n", row[0], row[1])
	}
	for _, category := range slices.Sorted(maps.Keys(categories)) {
		fmt.Fprintf(&b, "\n## %s\n\n| behaviour | recorded | requests | server | here |\n| --- | --- | ---: | --- | --- |\n", category)
		for _, tr := range categories[category] {
			here := "the same"
			if why := reasonPending(tr); why != "" {
				here = "differs: " + why
			}
			fmt.Fprintf(&b, "| %s | `%s` | %d | %s | %s |\n", cell(tr.root.str("about")), tr.name, len(tr.root.get("steps").items), tr.root.str("kubernetes"), here)
		}
	}
	return b.String()
}

func deviations(b *strings.Builder, traces []trace) {
	b.WriteString("## Deviations\n\n")
	found := false
	for _, tr := range traces {
		why := reasonPending(tr)
		if why == "" {
			continue
		}
		if !found {
			b.WriteString("| recorded | what differs |\n| --- | --- |\n")
		}
		found = true
		fmt.Fprintf(b, "| `%s` | %s |\n", tr, cell(why))
	}
	if !found {
		b.WriteString("None: every recording replays without a difference.\n")
	}
}

// servers are the versions that were recorded.
func servers(traces []trace) []string {
	var out []string
	for _, tr := range traces {
		if v := tr.root.str("kubernetes"); !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// cell is a text as a table of Markdown takes it.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s) }
