// Package reconcile is what the author of a reconciler writes against: three
// words (Request, Result, Reconciler), a Client for the API server and one for
// the cloud, typed objects, and the small functions that every controller uses
// (finalizers, owner references, conditions). It reads like controller-runtime;
// what one learns here one can type there.
//
// It also holds the lab's reference reconciler, WebAppReconciler.
//
// A reconciler is level-based: it gets a key and nothing else, reads what is
// desired and what is there, and does what is missing. It may be called at any
// time, any number of times, and may die between any two of its calls.
//
// Its calls go over the Wire that stands in its context. A reconciler holds no
// state that matters, starts no goroutine, and asks Now for the time: then the
// same answers always give the same calls, which is what lets a pass be run
// again from its recorded answers.
//
// Models sigs.k8s.io/controller-runtime: pkg/reconcile/reconcile.go,
// pkg/client/interfaces.go, pkg/controller/controllerutil/controllerutil.go;
// k8s.io/apimachinery/pkg/api/meta/conditions.go and
// pkg/runtime/converter.go.
package reconcile
