package peers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/handler"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
)

// TestOwnerInAVersionThatIsNotServed holds a known difference of docs/client.md:
// theirs asks a mapper, which does not know the version.
func TestOwnerInAVersionThatIsNotServed(t *testing.T) {
	child := object.FromMap(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
		"namespace": "default", "name": "x",
		"ownerReferences": []any{map[string]any{"apiVersion": "lab.example.com/v9", "kind": "WebApp", "name": "a", "uid": "u", "controller": true}},
	}})
	n := informer.Notification{Type: informer.Add, New: child}
	spec := controller.Spec{For: controller.Watch{Kind: labApps}, Owns: []controller.Watch{{Kind: coreMaps}}}
	owner := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "lab.example.com/v1", "kind": "WebApp"}}
	h := handler.EnqueueRequestForOwner(runtime.NewScheme(), mapper(meta.RESTScopeNamespace), owner, handler.OnlyControllerOwner())
	if ours, theirs := handled(spec, n), heard(t, h, nil, n); len(ours) != 1 || len(theirs) != 0 {
		t.Fatalf("controller-runtime adds %v, ours %v: docs/client.md says otherwise", theirs, ours)
	}
}

// TestWatchThatEndsAtOnce holds a known difference of docs/client.md: theirs lists
// again after a watch that was short and brought nothing.
func TestWatchThatEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		i, err := launched(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the list, then the watch
			if err := i.act(informerOp{}); err != nil {
				t.Fatal(err)
			}
		}
		close(i.events)
		i.ours.Closed()
		time.Sleep(time.Minute)
		if a := <-i.asks; a.verb != "list" || i.ours.State() != informer.NeedsWatch {
			t.Fatalf("client-go asks to %s, ours %s: docs/client.md says otherwise", a.verb, i.ours.State())
		}
	})
}
