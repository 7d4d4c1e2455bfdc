package adapter_test

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlreconcile "sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/judge"
	"github.com/reconcile-playground/reconcile/core/peers/adapter"
	"github.com/reconcile-playground/reconcile/core/scenario"
)

// copier keeps a copy of each ConfigMap that has a key "copy-to".
type copier struct{ client.Client }

func (r *copier) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var from, to corev1.ConfigMap
	if err := r.Get(ctx, req.NamespacedName, &from); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	name, ok := from.Data["copy-to"]
	if !ok {
		return ctrl.Result{}, nil
	}
	to.Namespace, to.Name, to.Data = req.Namespace, name, map[string]string{"message": from.Data["message"]}
	// The mistake: what was created by a pass that died is in the way for ever.
	return ctrl.Result{}, r.Create(ctx, &to)
}

// A reconciler is proved over a scenario: its cluster, its controller, and what
// its user does.
func Example() {
	s, err := scenario.Parse([]byte(`
-- scenario.yaml --
name: copies
controllers:
- {for: configmaps, reconciler: webapp, reads: cache}
-- cluster/from.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: from, namespace: default}
data: {message: hello, copy-to: to}
-- start --
list controller configmaps
`))
	if err != nil {
		panic(err)
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	r, err := adapter.New(s, scheme, adapter.Options{}, func(m *adapter.Manager) (ctrlreconcile.Reconciler, error) {
		return &copier{m.GetClient()}, nil
	})
	if err != nil {
		panic(err)
	}
	subject, err := explore.With(s, r)
	if err != nil {
		panic(err)
	}
	result, err := explore.Run(subject, explore.Options{})
	if err != nil {
		panic(err)
	}
	i := slices.IndexFunc(result.Findings, func(f judge.Finding) bool { return f.Finding == judge.Crashed })
	fmt.Println(result.Findings[i].Finding, "at", result.Findings[i].Call)
	// Output:
	// crashed at example_test.go:34 create ConfigMap
}
