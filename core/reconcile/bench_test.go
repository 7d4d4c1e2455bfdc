package reconcile_test

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/informer"
)

// BenchmarkQuietPass is one pass of the reference reconciler over a WebApp that
// is as desired: a read of it and of its ConfigMap from the cache, and a list of
// the cloud.
func BenchmarkQuietPass(b *testing.B) {
	l := newLab(b)
	l.create(webApps, "outside", webApp(map[string]any{"loadBalancer": true}))
	l.settle(rest)
	inf := l.caches(webApps.GVR())
	b.ReportAllocs()
	for b.Loop() {
		for _, n := range inf.Resync() {
			l.ctrl.Handle(l.now, 0, inf.Spec().GVR, n, l.caches)
		}
		l.begin()
		for l.call(served) {
		}
	}
	if inf.State() != informer.Watching || len(l.errors) > 0 {
		b.Fatalf("%s, errors %v", inf.State(), l.errors)
	}
}
