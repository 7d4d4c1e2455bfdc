package scenario_test

import (
	"os"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/rules"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

// The scenarios are those of a program that evaluates rules.
func TestMain(m *testing.M) {
	evaluator, err := rules.New()
	if err != nil {
		panic(err)
	}
	sim.UseRules(evaluator)
	os.Exit(m.Run())
}

const withRules = `Rules in CEL: the API server refuses what breaks them, in the words of the rule.
What an update leaves as it was is let pass, with a warning.

-- scenario.yaml --
name: rules
controllers:
- for: webapps.lab.example.com
  owns: [configmaps]
  reconciler: webapp
-- cluster/crd.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: webapps.lab.example.com}
spec:
  group: lab.example.com
  scope: Namespaced
  names: {kind: WebApp, listKind: WebAppList, plural: webapps, singular: webapp}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        x-kubernetes-validations:
        - {rule: "self.metadata.name.size() <= 12", message: the name is too long}
        properties:
          spec:
            type: object
            required: [message]
            x-kubernetes-validations:
            - {rule: "!has(self.minReplicas) || self.minReplicas <= self.replicas", messageExpression: "'%d replicas are fewer than %d'.format([self.replicas, self.minReplicas])", fieldPath: .replicas}
            - {rule: "oldSelf.loadBalancer == self.loadBalancer", message: loadBalancer is immutable, reason: FieldValueForbidden, fieldPath: .loadBalancer}
            properties:
              message: {type: string, minLength: 1}
              replicas: {type: integer, minimum: 0, maximum: 10, default: 1}
              minReplicas: {type: integer}
              loadBalancer: {type: boolean, default: false}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
-- files/plain.yaml --
apiVersion: lab.example.com/v1
kind: WebApp
metadata: {name: plain}
spec: {message: plain, replicas: 2, minReplicas: 2}
-- files/few.yaml --
apiVersion: lab.example.com/v1
kind: WebApp
metadata: {name: few}
spec: {message: few, replicas: 1, minReplicas: 2}
-- files/long.yaml --
apiVersion: lab.example.com/v1
kind: WebApp
metadata: {name: longer-than-twelve}
spec: {message: long}
-- start --
list controller webapps.lab.example.com
list controller configmaps
-- steps --
`

// The API server of a world refuses what breaks the rules, in their words.
func TestRules(t *testing.T) {
	for _, c := range []struct{ steps, want string }{
		{"apply few.yaml", "spec.replicas: Invalid value: 1 replicas are fewer than 2"},
		{"apply long.yaml", "<nil>: Invalid value: the name is too long"},
		{"apply plain.yaml\npatch WebApp/default/plain \"{\\\"spec\\\":{\\\"replicas\\\":1}}\"", "spec.replicas: Invalid value: 1 replicas are fewer than 2"},
		{"apply plain.yaml\npatch WebApp/default/plain \"{\\\"spec\\\":{\\\"loadBalancer\\\":true}}\"", "spec.loadBalancer: Forbidden: loadBalancer is immutable"},
		{"apply plain.yaml\npatch WebApp/default/plain \"{\\\"spec\\\":{\\\"replicas\\\":3}}\"\nrun", ""},
	} {
		s, err := scenario.Parse([]byte(withRules + c.steps + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.RunSteps()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
}
