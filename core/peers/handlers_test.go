package peers

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	crevent "sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/reconcile-playground/reconcile/core/controller"
	"github.com/reconcile-playground/reconcile/core/informer"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/workqueue"
)

var (
	labApps  = controller.Kind{GVK: object.GVK{Group: "lab.example.com", Version: "v1", Kind: "WebApp"}, Resource: "webapps"}
	coreMaps = controller.Kind{GVK: object.GVK{Version: "v1", Kind: "ConfigMap"}, Resource: "configmaps"}
)

// predicates are one of ours and the same of controller-runtime's.
type predicates struct {
	ours   controller.Predicate
	theirs predicate.Predicate
}

var leaves = []predicates{
	{controller.GenerationChangedPredicate{}, predicate.GenerationChangedPredicate{}},
	{controller.LabelChangedPredicate{}, predicate.LabelChangedPredicate{}},
	{controller.AnnotationChangedPredicate{}, predicate.AnnotationChangedPredicate{}},
	{controller.ResourceVersionChangedPredicate{}, predicate.ResourceVersionChangedPredicate{}},
}

func anyPredicate(depth int) *rapid.Generator[predicates] {
	leaf := rapid.SampledFrom(leaves)
	if depth == 0 {
		return leaf
	}
	return rapid.OneOf(leaf, rapid.Custom(func(t *rapid.T) predicates {
		parts := rapid.SliceOfN(anyPredicate(depth-1), 1, 3).Draw(t, "parts")
		ours, theirs := apart(parts)
		switch rapid.SampledFrom([]string{"And", "Or", "Not"}).Draw(t, "operator") {
		case "And":
			return predicates{controller.And(ours...), predicate.And(theirs...)}
		case "Or":
			return predicates{controller.Or(ours...), predicate.Or(theirs...)}
		}
		return predicates{controller.Not(ours[0]), predicate.Not(theirs[0])}
	}))
}

func apart(pairs []predicates) (ours []controller.Predicate, theirs []predicate.Predicate) {
	for _, p := range pairs {
		ours, theirs = append(ours, p.ours), append(theirs, p.theirs)
	}
	return ours, theirs
}

// anyObject draws one version of the object default/x, as JSON has it. Its owner
// references are in versions that the server serves.
var anyObject = rapid.Custom(func(t *rapid.T) map[string]any {
	m := map[string]any{
		"namespace": "default", "name": "x",
		"resourceVersion": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "rv"),
	}
	if n := rapid.Int64Range(0, 2).Draw(t, "generation"); n > 0 {
		m["generation"] = n
	}
	for _, field := range []string{"labels", "annotations"} {
		if rapid.Bool().Draw(t, field) {
			values := map[string]any{}
			for _, k := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3).Draw(t, "keys") {
				values[k] = rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "value")
			}
			m[field] = values
		}
	}
	var refs []any
	for range rapid.IntRange(0, 4).Draw(t, "owners") {
		ref := map[string]any{
			"apiVersion": rapid.SampledFrom([]string{"lab.example.com/v1", "lab.example.com/v2", "v1", "apps/v1", "a/b/c"}).Draw(t, "apiVersion"),
			"kind":       rapid.SampledFrom([]string{"WebApp", "WebApp", "Other"}).Draw(t, "kind"),
			"name":       rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"), "uid": "u",
		}
		if rapid.Bool().Draw(t, "has controller") {
			ref["controller"] = rapid.Bool().Draw(t, "controller")
		}
		refs = append(refs, ref)
	}
	if refs != nil {
		m["ownerReferences"] = refs
	}
	return map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": m}
})

// anyNotification draws what an informer says of that object.
var anyNotification = rapid.Custom(func(t *rapid.T) informer.Notification {
	old, new := object.FromMap(anyObject.Draw(t, "old")), object.FromMap(anyObject.Draw(t, "new"))
	flag := rapid.Bool().Draw(t, "flag")
	switch rapid.SampledFrom([]informer.Type{informer.Add, informer.Update, informer.Update, informer.Update, informer.Delete}).Draw(t, "type") {
	case informer.Add:
		return informer.Notification{Type: informer.Add, New: new, InitialList: flag}
	case informer.Delete:
		return informer.Notification{Type: informer.Delete, Old: old, FinalStateUnknown: flag}
	}
	n := informer.Notification{Type: informer.Update, Old: old, New: new}
	if old.ResourceVersion() == new.ResourceVersion() {
		n.Type = informer.Sync
	}
	return n
})

// added is a key as it was added to a queue.
type added struct {
	key      object.Key
	priority int
}

// recorder is a queue with priorities that writes down what is added.
type recorder struct {
	priorityqueue.PriorityQueue[reconcile.Request]
	added []added
}

func (r *recorder) Add(key reconcile.Request) { r.AddWithOpts(priorityqueue.AddOpts{}, key) }

func (r *recorder) AddWithOpts(opts priorityqueue.AddOpts, keys ...reconcile.Request) {
	for _, k := range keys {
		a := added{key: object.Key(k.NamespacedName)}
		if opts.Priority != nil {
			a.priority = *opts.Priority
		}
		r.added = append(r.added, a)
	}
}

// listened is an informer that hands out what was attached to it.
type listened struct {
	cache.Informer
	handler toolscache.ResourceEventHandler
}

func (l *listened) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, _ toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	l.handler = h
	return nil, nil
}

func unwrapped(o object.Object) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: object.ToAny(o.Root()).(map[string]any)}
}

// heard is what controller-runtime adds to its queue for a notification.
func heard(t rapid.TB, h handler.EventHandler, filters []predicate.Predicate, n informer.Notification) []added {
	l, q := &listened{}, &recorder{}
	if err := (&source.Informer{Informer: l, Handler: h, Predicates: filters}).Start(context.Background(), q); err != nil {
		t.Fatal(err)
	}
	switch n.Type {
	case informer.Add:
		l.handler.OnAdd(unwrapped(n.New), n.InitialList)
	case informer.Delete:
		var gone any = unwrapped(n.Old)
		if n.FinalStateUnknown {
			gone = toolscache.DeletedFinalStateUnknown{Key: n.Old.Key().String(), Obj: gone}
		}
		l.handler.OnDelete(gone)
	default:
		l.handler.OnUpdate(unwrapped(n.Old), unwrapped(n.New))
	}
	return q.added
}

// handled is what ours adds to its queue for a notification of a ConfigMap.
func handled(spec controller.Spec, n informer.Notification) []added {
	spec.Queue = workqueue.Options{Priority: true}
	c := controller.New(spec)
	h := c.Handle(time.Time{}, 1, coreMaps.GVR(), n, nil)
	var out []added
	for _, key := range h[0].Keys {
		i := slices.IndexFunc(c.Ready(), func(it workqueue.Item) bool { return it.Key == key })
		out = append(out, added{key, c.Ready()[i].Priority})
	}
	return out
}

// mapper knows the owner's kind in two versions.
func mapper(scope meta.RESTScope) meta.RESTMapper {
	m := meta.NewDefaultRESTMapper(nil)
	for _, version := range []string{"v1", "v2"} {
		m.Add(schema.GroupVersionKind{Group: labApps.Group, Version: version, Kind: labApps.GVK.Kind}, scope)
	}
	return m
}

// named is a mapping that gives a key for each label, in order, some twice.
func named(labels map[string]string) []string {
	var out []string
	for _, k := range []string{"c", "a", "b"} {
		if v, ok := labels[k]; ok {
			out = append(out, v, k)
		}
	}
	return out
}

// spec draws a controller of ours whose one source of ConfigMaps is of the role,
// and the handler that controller-runtime's builder attaches for it.
func drawnSpec(t *rapid.T, role string) (controller.Spec, handler.EventHandler) {
	spec := controller.Spec{For: controller.Watch{Kind: labApps}}
	watch := controller.Watch{Kind: coreMaps}
	var h handler.EventHandler
	switch role {
	case "for":
		spec.For, h = watch, &handler.EnqueueRequestForObject{}
	case "mapped":
		watch.Map = func(o object.Object, _ controller.Caches) []object.Key {
			var keys []object.Key
			for _, name := range named(unwrapped(o).GetLabels()) {
				keys = append(keys, object.Key{Namespace: o.Namespace(), Name: name})
			}
			return keys
		}
		h = handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			var keys []reconcile.Request
			for _, name := range named(o.GetLabels()) {
				keys = append(keys, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: o.GetNamespace(), Name: name}})
			}
			return keys
		})
		spec.Watches = append(spec.Watches, watch)
	case "owned":
		watch.EveryOwner = rapid.Bool().Draw(t, "every owner")
		scope := meta.RESTScopeNamespace
		if spec.For.ClusterScoped = rapid.Bool().Draw(t, "cluster-scoped"); spec.For.ClusterScoped {
			scope = meta.RESTScopeRoot
		}
		owner := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "lab.example.com/v1", "kind": "WebApp"}}
		var options []handler.OwnerOption
		if !watch.EveryOwner {
			options = append(options, handler.OnlyControllerOwner())
		}
		h = handler.EnqueueRequestForOwner(runtime.NewScheme(), mapper(scope), owner, options...)
		spec.Owns = append(spec.Owns, watch)
	}
	return spec, h
}

// TestHandlers: of any change, ours wakes the same keys with the same priority as
// controller-runtime's: behind predicates of all kinds, of the object itself, of
// its controller or of every owner, and through a mapping, whose order counts.
func TestHandlers(t *testing.T) {
	for _, role := range []string{"for", "owned", "mapped"} {
		t.Run(role, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				spec, h := drawnSpec(t, role)
				global := rapid.SliceOfN(anyPredicate(2), 0, 1).Draw(t, "of all sources")
				own := rapid.SliceOfN(anyPredicate(2), 0, 2).Draw(t, "of the source")
				spec.Predicates, _ = apart(global)
				filters, _ := apart(own)
				switch role {
				case "for":
					spec.For.Predicates = filters
				case "owned":
					spec.Owns[0].Predicates = filters
				case "mapped":
					spec.Watches[0].Predicates = filters
				}
				_, theirFilters := apart(slices.Concat(global, own))
				for range 5 {
					n := anyNotification.Draw(t, "notification")
					ours, theirs := handled(spec, n), heard(t, h, theirFilters, n)
					if role == "owned" {
						// Theirs adds them in the order of a map.
						slices.SortFunc(theirs, func(a, b added) int { return a.key.Compare(b.key) })
					}
					if !slices.Equal(ours, theirs) {
						t.Fatalf("of %s %s -> %s behind %v: controller-runtime adds %v, ours %v", n.Type,
							object.EncodeJSON(n.Old.Root()), object.EncodeJSON(n.New.Root()), slices.Concat(spec.Predicates, filters), theirs, ours)
					}
				}
			})
		})
	}
}

// TestPredicatesOfGenericEvents: what no object of the cluster caused passes the
// same predicates, and each can be read as it is printed.
func TestPredicatesOfGenericEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, o := anyPredicate(3).Draw(t, "predicate"), anyObject.Draw(t, "object")
		ours := p.ours.Generic(controller.GenericEvent{Object: object.FromMap(o)})
		if theirs := p.theirs.Generic(crevent.GenericEvent{Object: &unstructured.Unstructured{Object: o}}); ours != theirs {
			t.Fatalf("%s lets it pass: %t, controller-runtime's %t", p.ours, ours, theirs)
		}
		read, err := controller.ParsePredicate(p.ours.String())
		if err != nil || fmt.Sprint(read) != p.ours.String() {
			t.Fatalf("%s is read as %v: %v", p.ours, read, err)
		}
	})
}
