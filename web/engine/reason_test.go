package engine

import (
	"fmt"
	"strings"
	"testing"
)

// What the controllers of the controller manager have to do is told with its reason and its object: the owner's being
// gone is one of several.
func TestReasonsOfTheCollector(t *testing.T) {
	const foreground, background, orphan = "Foreground", "Background", "Orphan"
	for _, c := range []struct {
		name, policy, action, reason, target string
		others                               bool
	}{
		{"gone", background, "gc ConfigMap/default/c", "gone", "ConfigMap/default/c", false},
		{"partly", background, "gc ConfigMap/default/c", "partly", "ConfigMap/default/c", true},
		{"orphan", orphan, "gc orphan ConfigMap/default/o", "orphan", "ConfigMap/default/o", false},
		{"waiting", foreground, "gc ConfigMap/default/c", "waiting", "ConfigMap/default/c", false},
		{"foreground", foreground, "gc foreground ConfigMap/default/o", "foreground", "ConfigMap/default/o", false},
		{"namespace", background, "namespace team", "namespace", "team", false},
		{"definition", background, "crd webapps.lab.example.com", "crd", "webapps.lab.example.com", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, newMemory())
			configMap := func(name, more string) {
				p.do(Command{Method: "apply", Text: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n" + more})
			}
			configMap("o", "")
			configMap("p", "")
			refs := "  ownerReferences:\n"
			owners := []string{"o"}
			if c.others {
				owners = append(owners, "p")
			}
			for _, owner := range owners {
				uid := ""
				for _, o := range p.objects {
					if o.Server.Kind() == "ConfigMap" && o.Server.Name() == owner {
						uid = o.Server.UID()
					}
				}
				refs += fmt.Sprintf("  - {apiVersion: v1, kind: ConfigMap, name: %s, uid: %s, blockOwnerDeletion: true}\n", owner, uid)
			}
			configMap("c", refs)
			p.do(Command{Method: "apply", Text: "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n"})
			ref := map[string]string{"namespace": "Namespace/team", "crd": "CustomResourceDefinition/webapps.lab.example.com"}[c.reason]
			if ref == "" {
				ref = "ConfigMap/default/o"
			}
			p.do(Command{Method: "delete", Ref: ref, Policy: c.policy})
			var seen []string
			for range 200 {
				for _, item := range p.enabled.Items {
					if item.Place == "collector" {
						seen = append(seen, fmt.Sprintf("%s (%s of %s)", item.Action, item.Reason, item.Target))
					}
					if item.Action == c.action && item.Reason == c.reason && item.Target == c.target {
						return
					}
				}
				p.do(Command{Method: "step"})
			}
			t.Errorf("%s (%s of %s) is not among\n%s", c.action, c.reason, c.target, strings.Join(seen, "\n"))
		})
	}
}
